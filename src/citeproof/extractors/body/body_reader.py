"""The body of a document, read by what its content is; these functions run in a child (`source_reader`)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from citeproof.errors import InputError
from citeproof.extractors import sandbox_reader
from citeproof.extractors.base import detect_extractor
from citeproof.extractors.body.body_writer import BodyText, add_exhibits
from citeproof.extractors.sandbox_reader import ReadRefusal, decode_request, make_refusal
from citeproof.vocabulary import Document

warm_up = sandbox_reader.warm_up


class BodyAnswer(msgspec.Struct, frozen=True, tag="read"):
    """What was read."""

    body: BodyText


def read_body_in_child(asked: bytes) -> bytes:
    """Return the packed body of the document that the child was asked about."""
    try:
        answer: BodyAnswer | ReadRefusal = BodyAnswer(read_body(decode_request(asked)))
    except InputError as error:
        answer = make_refusal(error)
    return msgspec.msgpack.encode(answer)


def read_body(document: Document) -> BodyText:
    """Return the body of a document; InputError if it is of a format that holds no running text."""
    name = detect_extractor(document).name
    reader = _READERS.get(name)
    if reader is None:
        hint = "use PDF, JATS, TEI, HTML, DOCX, ODT, RTF, LaTeX, Markdown, reStructuredText or plain text"
        raise InputError(f"a file in the format {name} has no text of a work", place=document.name, hint=hint)
    return reader(document)


# the libraries of a format are loaded when a file in it is read


def _read_pdf(document: Document) -> BodyText:
    from citeproof.extractors.body.pdf_body import read_pdf_body  # noqa: PLC0415

    return read_pdf_body(document)


def _read_jats(document: Document) -> BodyText:
    from citeproof.extractors.body.xml_body import read_jats_body  # noqa: PLC0415
    from citeproof.extractors.exhibits.jats_exhibits import find_jats_exhibits  # noqa: PLC0415
    from citeproof.extractors.xml.xml_tree import parse_xml  # noqa: PLC0415

    root = parse_xml(document)
    return add_exhibits(read_jats_body(root), find_jats_exhibits(root))


def _read_tei(document: Document) -> BodyText:
    from citeproof.extractors.body.xml_body import read_tei_body  # noqa: PLC0415
    from citeproof.extractors.xml.xml_tree import parse_xml  # noqa: PLC0415

    return read_tei_body(parse_xml(document))


def _read_html(document: Document) -> BodyText:
    from citeproof.extractors.body.manuscript_body import read_html_body  # noqa: PLC0415

    return read_html_body(document)


def _read_docx(document: Document) -> BodyText:
    from citeproof.extractors.body.manuscript_body import write_manuscript  # noqa: PLC0415
    from citeproof.extractors.docx.docx_parts import read_docx_manuscript  # noqa: PLC0415

    return write_manuscript(read_docx_manuscript(document))


def _read_odt(document: Document) -> BodyText:
    from citeproof.extractors.body.manuscript_body import write_manuscript  # noqa: PLC0415
    from citeproof.extractors.odt.odt_walker import read_odt_manuscript  # noqa: PLC0415

    return write_manuscript(read_odt_manuscript(document))


def _read_rtf(document: Document) -> BodyText:
    from citeproof.extractors.body.manuscript_body import write_manuscript  # noqa: PLC0415
    from citeproof.extractors.rtf.rtf_walker import read_rtf_manuscript  # noqa: PLC0415

    return write_manuscript(read_rtf_manuscript(document))


def _read_latex(document: Document) -> BodyText:
    from citeproof.extractors.body.text_body import read_latex_body  # noqa: PLC0415

    return read_latex_body(document)


def _read_markdown(document: Document) -> BodyText:
    from citeproof.extractors.body.text_body import read_markdown_body  # noqa: PLC0415

    return read_markdown_body(document)


def _read_rst(document: Document) -> BodyText:
    from citeproof.extractors.body.text_body import read_rst_body  # noqa: PLC0415

    return read_rst_body(document)


def _read_plain(document: Document) -> BodyText:
    from citeproof.extractors.body.text_body import read_plain_body  # noqa: PLC0415

    return read_plain_body(document)


_READERS: dict[str, Callable[[Document], BodyText]] = {
    "pdf": _read_pdf,
    "jats": _read_jats,
    "tei": _read_tei,
    "html": _read_html,
    "docx": _read_docx,
    "odt": _read_odt,
    "rtf": _read_rtf,
    "latex": _read_latex,
    "markdown": _read_markdown,
    "rst": _read_rst,
    "plain_text": _read_plain,
}
