"""What a child reads of a document (`source_reader`): its body, all its pages, what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import islice
from typing import Any

import msgspec

from citeproof.errors import InputError
from citeproof.reading.extractors import sandbox_reader
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.body.body_writer import MAX_TEXT, BodyText, add_exhibits
from citeproof.reading.extractors.sandbox_reader import ReadRefusal, decode_request, make_refusal
from citeproof.text import ids, names
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document

warm_up = sandbox_reader.warm_up
_READERS = {
    "pdf": "pdf_body:read_pdf_body", "html": "manuscript_body:read_html_body",
    "latex": "text_body:read_latex_body", "markdown": "text_body:read_markdown_body",
    "rst": "text_body:read_rst_body", "plain_text": "text_body:read_plain_body",
}  # fmt: skip
_MANUSCRIPTS = {
    "docx": "docx:read_docx_manuscript", "odt": "odt.odt_walker:read_odt_manuscript",
    "rtf": "rtf.rtf_walker:read_rtf_manuscript",
}  # fmt: skip
MAX_OPENING = 3_000  # characters at the beginning that are stored
MAX_TITLES = 12
MAX_PEOPLE = 50
_LONGEST = 500  # characters of a title or name
_SCHEMES = ("doi", "arxiv", "pmid", "pmcid")
_META_IDS = {
    "citation_doi": "doi", "prism.doi": "doi", "dc.identifier.doi": "doi", "bepress_citation_doi": "doi",
    "citation_arxiv_id": "arxiv", "citation_pmid": "pmid", "ncbi_pmid": "pmid", "citation_pmcid": "pmcid",
}  # fmt: skip
_META_TITLES = ("citation_title", "bepress_citation_title", "dc.title", "prism.title", "og:title")
_META_PEOPLE = ("citation_author", "citation_authors", "bepress_citation_author", "dc.creator")
_JATS_IDS = {"doi": "doi", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "arxiv": "arxiv"}
_LATEX_TITLE = re.compile(
    r"\\title\s{0,3}(?:\[[^\]]{0,500}\])?\s{0,3}\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,200}\}){0,200}\}){1,800})\}"
)
_FRONT_FIELD = re.compile(
    r"^(title|doi)[ \t]{0,9}:[ \t]{0,9}(.{1,600}?)[ \t\r]{0,99}$", re.MULTILINE | re.IGNORECASE
)


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
            body = add_exhibits(body, _load_reader("body.manuscript_body:find_jats_exhibits")(root))
    else:
        hint = "use PDF, JATS, TEI, HTML, DOCX, ODT, RTF, LaTeX, Markdown, reStructuredText or plain text"
        raise InputError(f"a file in the format {name} has no text of a work", place=document.name, hint=hint)
    return body


def _load_reader(reader: str) -> Callable[..., Any]:
    """Return a function of this room: the libraries of a format are loaded when a file in it is read."""
    module, _, name = reader.partition(":")
    function: Callable[..., Any] = getattr(import_module(f"citeproof.reading.extractors.{module}"), name)
    return function


class WorkDescription(msgspec.Struct, frozen=True):
    """What a file says of itself. `ids` are its own word; `page_ids` only stand at its beginning."""

    format: str = ""
    ids: tuple[tuple[str, str], ...] = ()
    page_ids: tuple[tuple[str, str], ...] = ()
    titles: tuple[str, ...] = ()  # that may be its own, the likeliest first
    people: tuple[str, ...] = ()  # family names that metadata gives, in order
    opening: str = ""


NOTHING_SAID = WorkDescription()


def describe_in_child(asked: bytes) -> bytes:
    """Return the packed description of the document that the child was asked about; empty if it has none."""
    try:
        description = describe_work(decode_request(asked))
    except InputError:
        description = NOTHING_SAID
    return msgspec.msgpack.encode(description)


def describe_work(document: Document) -> WorkDescription:
    """Return what a document says of the work in it; InputError if it cannot be read."""
    name = detect_extractor(document).name
    return _DESCRIBERS.get(name, _describe_running)(document, name)


def make_description(
    form: str,
    stated: list[tuple[str, str]],
    titles: list[str],
    people: list[str],
    opening: str,
    page: str = "",
) -> WorkDescription:
    """Return a description, its parts cleaned and cut; `page` is searched for identifiers."""
    own = [
        (scheme, value)
        for scheme, raw in stated[:50]
        if (value := ids.normalise_id(scheme, raw.strip()[:300]))
    ]
    known = [
        pair
        for scheme, value in own
        for pair in (ids.expand_doi(value) if scheme == "doi" else [(scheme, value)])
    ]
    seen = [(scheme, value) for scheme, value, _, _ in ids.find_ids(page or opening) if scheme in _SCHEMES]
    return WorkDescription(
        form,
        tuple(dict.fromkeys(known)),
        tuple(dict.fromkeys(islice(seen, 100))),
        tuple(dict.fromkeys(_clean_line(title) for title in titles if _clean_line(title)))[:MAX_TITLES],
        tuple(dict.fromkeys(_clean_line(person) for person in people if _clean_line(person)))[:MAX_PEOPLE],
        _clean_words(opening[: 2 * MAX_OPENING])[:MAX_OPENING],
    )


def _clean_words(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _clean_line(text: str) -> str:
    return _clean_words(text[: 2 * _LONGEST])[:_LONGEST]


def _describe_running(document: Document, form: str) -> WorkDescription:
    """Return what the first headings and words of a text say."""
    body = read_body(document)
    titles = [title for _, title in body.sections[:2]]
    first = body.text[: body.text.find("\n\n") if "\n\n" in body.text[:_LONGEST] else _LONGEST]
    return make_description(form, [], [*titles, first], [], body.text[:MAX_OPENING])


def _describe_markdown(document: Document, form: str) -> WorkDescription:
    from citeproof.reading.extractors.decoded_text import decode  # noqa: PLC0415 - like the others, where it is used
    from citeproof.text.markdown_reader import skip_front_matter  # noqa: PLC0415

    text = decode(document).text
    settings = dict[str, str]()
    for match in _FRONT_FIELD.finditer(text[: min(skip_front_matter(text), 20_000)]):
        settings.setdefault(match[1].lower(), match[2].strip("\"' "))
    description = _describe_running(document, form)
    stated = [("doi", settings["doi"])] if "doi" in settings else []
    titles = [settings["title"]] if "title" in settings else []
    return make_description(form, stated, [*titles, *description.titles], [], description.opening)


def _describe_latex(document: Document, form: str) -> WorkDescription:
    from citeproof.reading.extractors.latex.latex_source import LatexSource  # noqa: PLC0415
    from citeproof.reading.extractors.latex.latex_words import read_latex_authors, render_paragraphs  # noqa: PLC0415

    text = LatexSource(document).text
    title = _LATEX_TITLE.search(text[:200_000])
    titles = [" ".join(render_paragraphs(title[1], {}))] if title else []
    people = [author.family for author in read_latex_authors(text)]
    return make_description(form, [], titles, people, read_body(document).text[:MAX_OPENING])


def _describe_jats(document: Document, form: str) -> WorkDescription:
    from citeproof.reading.extractors.body.xml_body import read_jats_body  # noqa: PLC0415
    from citeproof.reading.extractors.jats import read_jats_authors  # noqa: PLC0415
    from citeproof.reading.extractors.xml.xml_tree import parse_xml, read_plain_text  # noqa: PLC0415

    root = parse_xml(document)
    meta = next(iter(root.iter("article-meta", "book-part-meta", "book-meta", "front-stub")), None)
    if meta is None:
        return make_description(form, [], [], [], read_jats_body(root).text[:MAX_OPENING])
    stated = [
        (_JATS_IDS[kind], read_plain_text(element, 300))
        for element in (*meta.findall("article-id"), *meta.findall("book-part-id"), *meta.findall("book-id"))
        if (kind := str(element.get("pub-id-type") or element.get("book-part-id-type") or "").lower())
        in _JATS_IDS
    ]
    titles = [
        read_plain_text(title, _LONGEST) for title in meta.iter("article-title", "trans-title", "book-title")
    ]
    whole = meta.find(".//title-group")
    subtitle = read_plain_text(whole.find("subtitle"), _LONGEST) if whole is not None else ""
    titles += [f"{titles[0]}: {subtitle}"] if titles and subtitle else []
    people = [author.family for author in read_jats_authors(root)]
    # identifiers in its running text are of other works: its own stand in the metadata
    return make_description(form, stated, titles, people, read_jats_body(root).text[:MAX_OPENING], page=" ")


def _describe_tei(document: Document, form: str) -> WorkDescription:
    from citeproof.reading.extractors.body.xml_body import read_tei_body  # noqa: PLC0415
    from citeproof.reading.extractors.xml.xml_tree import parse_xml, read_plain_text  # noqa: PLC0415

    root = parse_xml(document)
    header = root.find(".//teiHeader")
    if header is None:
        return make_description(form, [], [], [], read_tei_body(root).text[:MAX_OPENING])
    stated = [
        ("doi" if kind == "doi" else "arxiv", read_plain_text(element, 300))
        for element in header.iter("idno")
        if (kind := str(element.get("type") or "").lower()) in ("doi", "arxiv")
    ]
    titles = [read_plain_text(title, _LONGEST) for title in header.iterfind(".//titleStmt/title")]
    titles += [read_plain_text(title, _LONGEST) for title in header.iterfind(".//analytic/title")]
    people = [read_plain_text(surname, _LONGEST) for surname in header.iterfind(".//author//surname")]
    return make_description(form, stated, titles, people, read_tei_body(root).text[:MAX_OPENING], page=" ")


def _describe_html(document: Document, form: str) -> WorkDescription:
    from citeproof.reading.extractors.body.manuscript_body import find_main_part  # noqa: PLC0415
    from citeproof.reading.extractors.html.html_page import decode_page, parse_page  # noqa: PLC0415

    parser = parse_page(document, decode_page(document).text)
    stated: list[tuple[str, str]] = []
    titles: list[str] = []
    people: list[str] = []
    for tag in islice(parser.css("meta"), 2_000):
        kind = (tag.attributes.get("name") or tag.attributes.get("property") or "").lower()
        content = (tag.attributes.get("content") or "").strip()[:2_000]
        if kind in _META_IDS:
            stated.append((_META_IDS[kind], content))
        elif kind == "dc.identifier" and content.lower().startswith(("doi:", "10.", "https://doi.org/")):
            stated.append(("doi", content))
        elif kind in _META_TITLES:
            titles.append(content)
        elif kind in _META_PEOPLE:
            people += [person.family for person in names.split_names(content.replace(";", " and "))[0]]
    titles += [node.text(deep=True)[:_LONGEST] for node in parser.css("h1")[:3]]
    titles += [node.text(deep=True)[:_LONGEST] for node in parser.css("title")[:1]]
    main = find_main_part(parser)
    opening = main.text(deep=True, separator=" ")[: 3 * MAX_OPENING] if main is not None else ""
    return make_description(form, stated, titles, people, opening, page=opening[:1_500])


def _describe_pdf(document: Document, form: str) -> WorkDescription:
    from citeproof.reading.extractors.body.pdf_body import read_pdf_opening  # noqa: PLC0415 - loads pdfium

    opening = read_pdf_opening(document)
    return make_description(
        form, opening.stated, opening.titles, opening.people, opening.opening, opening.page
    )


_DESCRIBERS: dict[str, Callable[[Document, str], WorkDescription]] = {
    "pdf": _describe_pdf,
    "jats": _describe_jats,
    "tei": _describe_tei,
    "html": _describe_html,
    "latex": _describe_latex,
    "markdown": _describe_markdown,
}


def read_pdf_pages(data: bytes) -> bytes:
    """Return the pages of a PDF as packed texts: its columns in order, running heads left out."""
    from citeproof.reading.extractors.body.pdf_body import read_page_texts  # noqa: PLC0415 - loads pdfium

    try:
        pages = read_page_texts(Document("source.pdf", data))
    except InputError:
        return _pack_pages([])
    return _pack_pages(["\n".join(line.text for line in page.lines) for page in pages])


def read_html_text(data: bytes) -> bytes:
    """Return the words of a page on the web as one packed text."""
    from citeproof.reading.extractors.html.html_blocks import DROPPED  # noqa: PLC0415 - with the parser
    from citeproof.reading.extractors.html.html_page import decode_page, parse_page  # noqa: PLC0415 - slow to load

    document = Document("source.html", data)
    try:
        parser = parse_page(document, decode_page(document).text)
    except InputError:
        return _pack_pages([])
    for tag in DROPPED - {"head"}:
        for node in parser.css(tag):
            node.decompose()
    return _pack_pages([parser.body.text(separator=" ") if parser.body is not None else ""])


def _pack_pages(pages: list[str]) -> bytes:
    left = MAX_TEXT
    packed: list[str] = []
    for page in pages:
        packed.append(page[:left].encode("utf-8", "replace").decode())
        left = max(0, left - len(page))
    return msgspec.msgpack.encode(packed)
