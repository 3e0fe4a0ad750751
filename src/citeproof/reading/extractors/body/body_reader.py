"""The body of a document, read by what its content is; these functions run in a child (`source_reader`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from citeproof.errors import InputError
from citeproof.reading.extractors import sandbox_reader
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.body.body_writer import BodyText, add_exhibits
from citeproof.reading.extractors.sandbox_reader import ReadRefusal, decode_request, make_refusal
from citeproof.vocabulary import Document

warm_up = sandbox_reader.warm_up

_READERS = {
    "pdf": "pdf_body:read_pdf_body", "html": "manuscript_body:read_html_body",
    "latex": "text_body:read_latex_body", "markdown": "text_body:read_markdown_body",
    "rst": "text_body:read_rst_body", "plain_text": "text_body:read_plain_body",
}  # fmt: skip
_MANUSCRIPTS = {
    "docx": "docx.docx_parts:read_docx_manuscript", "odt": "odt.odt_walker:read_odt_manuscript",
    "rtf": "rtf.rtf_walker:read_rtf_manuscript",
}  # fmt: skip


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
    if name in _READERS:
        body: BodyText = _load_reader(f"body.{_READERS[name]}")(document)
        return body
    if name in _MANUSCRIPTS:
        written = _load_reader(_MANUSCRIPTS[name])(document)
        body = _load_reader("body.manuscript_body:write_manuscript")(written)
    elif name in ("jats", "tei"):
        root = _load_reader("xml.xml_tree:parse_xml")(document)
        body = _load_reader(f"body.xml_body:read_{name}_body")(root)
        if name == "jats":
            body = add_exhibits(body, _load_reader("exhibits.markup_exhibits:find_jats_exhibits")(root))
    else:
        hint = "use PDF, JATS, TEI, HTML, DOCX, ODT, RTF, LaTeX, Markdown, reStructuredText or plain text"
        raise InputError(f"a file in the format {name} has no text of a work", place=document.name, hint=hint)
    return body


def _load_reader(reader: str) -> Callable[..., Any]:
    """Return a function of this room: the libraries of a format are loaded when a file in it is read."""
    module, _, name = reader.partition(":")
    function: Callable[..., Any] = getattr(import_module(f"citeproof.reading.extractors.{module}"), name)
    return function
