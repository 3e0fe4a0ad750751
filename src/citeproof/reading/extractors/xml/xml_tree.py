"""XML documents to trees, safely: no DTD is loaded, no entity resolved, no address followed.

A bare DOCTYPE is normal (JATS, MEDLINE); one that declares entities of its own is refused. Named HTML
entities, which need a DTD, are replaced before parsing. Names lose their namespaces: the formats read
here have no two elements that only a namespace distinguishes.
"""

from __future__ import annotations

from html import escape
from html.entities import html5
from typing import TYPE_CHECKING

from citeproof.errors import InputError
from citeproof.reading.extractors.decoded_text import BYTE_ORDER_MARKS, refuse_oversized
from citeproof.text import lazy_patterns as re
from citeproof.text.character_encoding import find_codec
from citeproof.text.latex import strip_latex
from citeproof.vocabulary import Document, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

MAX_TEXT = 5000  # characters of an element's text that are stored

_HEAD = 20_000  # bytes that detection examines
_OPENINGS = (*BYTE_ORDER_MARKS, (b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"))
_DECLARATION = re.compile(rb"\s{0,999}<\?xml\s([^>]{0,300}?)\?>")
_ENCODING = re.compile(rb"\bencoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9._-]{2,40})[\"']")
_MISC = re.compile(r"\s{1,999}|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]{0,2000}(?:\[.*?\]\s{0,99})?>", re.DOTALL)
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,60}:)?([A-Za-z_][\w.-]{0,60})[\s/>]")
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,30};)")
_OWN = frozenset(("amp;", "lt;", "gt;", "quot;", "apos;"))
_TEX_BODY = re.compile(r"\\begin\{document\}(.{0,4000}?)\\end\{document\}", re.DOTALL)
# Elements that end a word although no space is written between them.
_APART = frozenset((
    "p", "title", "break", "br", "lb", "item", "list-item", "td", "th", "tr", "caption", "head", "label",
    "div", "sec", "abstract", "disp-formula",
))  # fmt: skip
# What says the same again in another notation, or nothing that a reader sees.
_UNREAD = frozenset(("annotation", "annotation-xml", "graphic", "inline-graphic"))


def read_xml_opening(document: Document) -> tuple[str, str]:
    """Return the local name of the root element and the beginning of the text; "" if this is not XML."""
    data = document.data[:_HEAD]
    encoding, skipped = next(((e, len(b)) for b, e in _OPENINGS if data.startswith(b)), ("utf-8", 0))
    skipped = 0 if data[:1] in (b"<", b"\0") else skipped
    text = data[skipped:].decode(encoding, "replace")
    at = 0
    while match := _MISC.match(text, at):
        at = match.end()
    root = _ROOT.match(text, at)
    return (root[1], text) if root else ("", text)


def parse_xml(document: Document) -> etree._Element:
    """Return the root of the document, names without namespaces; InputError if it cannot be read."""
    from lxml import etree  # noqa: PLC0415 - every extractor is imported to detect one document

    data = _replace_html_entities(_strip_declaration(_convert_to_utf8(document)))
    at = data.find(b"<!ENTITY")
    if at >= 0 and b"<!DOCTYPE" in data[:at] and b"</" not in data[:at]:
        raise _make_entity_error(document, data)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False,
        encoding="utf-8",
    )  # fmt: skip
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        detail = f"not well-formed XML: {getattr(error, 'msg', error)}"[:300]
        raise InputError(detail, place=document.name, hint="fix it there, or export it again") from error
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise _make_entity_error(document, data)
    for element in root.iter(etree.Element):
        if "}" in element.tag:
            element.tag = element.tag.rpartition("}")[2]
    return root


def read_plain_text(element: etree._Element | None, limit: int = MAX_TEXT) -> str:
    """Return the text of an element on one line, without markup and comments, at most `limit` characters."""
    if element is None:
        return ""
    parts: list[str] = []
    size = 0
    for part in iterate_text(element):
        parts.append(part)
        size += len(part)
        if size > 2 * limit:
            break
    return " ".join("".join(parts).split())[:limit].rstrip()


def iterate_text(element: etree._Element, skip: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the stretches of text in an element, its tail aside; those of the elements in `skip` left out."""
    if element.text:
        yield element.text
    for child in element:
        name = child.tag
        if not isinstance(name, str):  # a comment or an instruction; an unknown entity stays visible
            yield str(child.text or "") if str(child).startswith("&") else ""
        elif name == "tex-math":
            yield render_tex(child)
        elif name not in _UNREAD and name not in skip:
            apart = " " if name in _APART else ""
            yield apart
            yield from iterate_text(child, skip)
            yield apart
        if child.tail:
            yield child.tail


def locate_element(document: Document, element: etree._Element) -> Place:
    """Return the lines on which an element begins and on which its last part begins."""
    first = element.sourceline
    last = max((inner.sourceline or 0 for inner in element.iter()), default=0)
    return Place(document.name, line=first, end_line=max(first or 0, last) or None)


def _convert_to_utf8(document: Document) -> bytes:
    """Return the bytes as UTF-8 without byte order mark, whatever encoding they have or declare."""
    refuse_oversized(document)
    data = document.data
    for bom, encoding in _OPENINGS:
        if data.startswith(bom):
            skipped = 0 if b"<" in bom else len(bom)
            return data[skipped:] if encoding == "utf-8" else _recode_data(document, data[skipped:], encoding)
    declaration = _DECLARATION.match(data)
    declared = _ENCODING.search(declaration[1]) if declaration else None
    if declared is None and not document.encoding:
        return data
    name = declared[1].decode("ascii") if declared else document.encoding
    if not (codec := find_codec(name)):
        raise InputError(f"unknown encoding: {name}", place=document.name, hint="save it as UTF-8")
    return data if codec == "utf-8" else _recode_data(document, data, codec)


def _strip_declaration(data: bytes) -> bytes:
    """Return XML without the declaration of an encoding that it no longer has; its lines stay."""
    match = _DECLARATION.match(data)
    return b"\n" * match[0].count(b"\n") + data[match.end() :] if match else data


def _recode_data(document: Document, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        detail = f"it is not {encoding} as it says: {error}"[:300]
        raise InputError(detail, place=document.name, hint="save it as UTF-8") from error


def _replace_html_entities(data: bytes) -> bytes:
    """Return XML with the entities of HTML as the characters they represent; those of XML stay."""

    def character(match: re.Match[bytes]) -> bytes:
        name = match[1].decode("ascii")
        return match[0] if name in _OWN or name not in html5 else escape(html5[name]).encode()

    return _ENTITY.sub(character, data)


def _make_entity_error(document: Document, data: bytes) -> InputError:
    line = data.count(b"\n", 0, max(0, data.find(b"<!ENTITY"))) + 1
    message = f"XML that declares its own entities (line {line})"
    hint = "delete the declarations from the DOCTYPE and write out the text"
    return InputError(message, place=document.name, hint=hint)


def render_tex(element: etree._Element) -> str:
    """Return a formula in LaTeX as text; nothing where MathML next to it says the same."""
    parent = element.getparent()
    if parent is not None and parent.find("math") is not None:
        return ""
    text = str(element.text or "")[:20_000]
    body = _TEX_BODY.search(text)
    return strip_latex((body[1] if body else text)[:4000].replace("$", ""))
