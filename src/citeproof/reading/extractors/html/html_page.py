"""One page: its text, its blocks, what its metadata names, and the references these give together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from citeproof.errors import InputError
from citeproof.reading.extractors.decoded_text import DecodedText, decode, refuse_flood
from citeproof.reading.extractors.html.html_blocks import MAX_NODES, HtmlBlocks, HtmlWalker
from citeproof.reading.extractors.html.html_entries import BlockPlaces, build_html_references
from citeproof.reading.extractors.html.html_metadata import (
    MAX_CITED,
    parse_coins,
    parse_highwire_tag,
    parse_json_ld,
)
from citeproof.reading.extractors.office.field_codes import CodedWork, build_csl_work
from citeproof.reading.extractors.office.manuscript import Manuscript, strip_marks
from citeproof.reading.extractors.office.office_document import read_note_references
from citeproof.reading.extractors.office.printed_lists import read_printed_lists
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.vocabulary import Document, Extraction, Place, Problem, RawReference

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_PAGE = 50_000_000  # characters

_LIST_SHARE = 0.6  # of a list's items must look like references where no heading says that they are

# Whether a page is nested deeper than any real one, checked before it is parsed.
# The parser's work grows with the square of the depth, and text formatting that is never closed is
# repeated in every paragraph that follows.
MAX_DEPTH = 5_000
MAX_FORMATTING = 200

_TAG = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9]{0,15}))")
_RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
# Elements that have no content, or that the next of their kind closes.
_LIGHT = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "optgroup", "html",
    "head", "body", "path", "use", "rect", "circle", "line", "polygon", "image", "frame", "colgroup", "rt",
    "rp",
))  # fmt: skip
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)


def extract_html_page(document: Document, form: str) -> Extraction:
    """Return the references of a page; InputError if it cannot be parsed."""
    decoded = decode_page(document)
    parser = parse_page(document, decoded.text)
    blocks = HtmlWalker().walk_blocks(parser.root) if parser.root is not None else HtmlBlocks()
    mark_list_items(blocks)
    written = Manuscript(document.name, blocks.paragraphs)
    listed = read_printed_lists(written)
    refuse_flood(len(listed.entries), document.name)
    problems = list(decoded.problems)
    left_out = 0
    if blocks.cut:
        message = f"the page has more than {MAX_NODES:,} nodes; the rest is not read"
        problems.append(Problem(Place(document.name, 1), message, "save only the part with the references"))
    works, texts = _read_metadata(parser, blocks, bare=not listed.entries)
    places = BlockPlaces(decoded, blocks)
    if listed.entries:
        references, notes, left_out = build_html_references(written, blocks, listed, works, places)
        problems += [
            replace(fault, place=places.locate_block(fault.place)) for fault in (*listed.problems, *notes)
        ]
    else:
        references = _build_unlisted(document, works, texts) or [
            replace(reference, place=places.locate_block(reference.place))
            for reference in read_note_references(written, written.paragraphs)
        ]
    refuse_flood(len(references), document.name)
    count = (listed.expected or 0) - left_out if listed.entries else len(references) or None
    return Extraction(tuple(references), tuple(problems), count, form)


def decode_page(document: Document) -> DecodedText:
    """Return the page's text, in the encoding it declares if that fits."""
    if len(document.data) > MAX_PAGE:
        size = f"the page has more than {MAX_PAGE // 1_000_000} MB"
        raise InputError(size, place=document.name, hint="save only the part with the references")
    return decode(document)


def parse_page(document: Document, text: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # noqa: PLC0415  slow to load

    if is_too_deep(text):
        hint = "save the page as text, or only the part with the references"
        raise InputError("the page is nested too deeply", place=document.name, hint=hint)
    try:
        return LexborHTMLParser(text)
    except (SelectolaxError, ValueError, RuntimeError) as error:
        raise InputError("the page cannot be parsed", place=document.name, hint="save it again") from error


def mark_list_items(blocks: HtmlBlocks) -> None:
    """Mark the list items under a reference heading, and lists of references under none, as entries."""
    paragraphs = blocks.paragraphs
    chosen: set[int] = set()
    level = 0
    under = False
    for index, paragraph in enumerate(paragraphs):
        if paragraph.level or (paragraph.bold and not blocks.facts[index].item and len(paragraph.text) < 100):
            announced = len(paragraph.text) < 100 and is_reference_heading(strip_marks(paragraph.text))
            under = announced or (under and paragraph.level > level > 0)
            level = paragraph.level if announced else level
        elif under and blocks.facts[index].item:
            chosen.add(index)
    if not chosen and not any(paragraph.listed for paragraph in paragraphs):
        chosen = _find_loose_items(blocks)
    for index in chosen:
        if not paragraphs[index].note:
            paragraphs[index] = replace(paragraphs[index], listed=True)


def _find_loose_items(blocks: HtmlBlocks) -> set[int]:
    """Return the items of lists most of whose items look like references."""
    lists: dict[int, list[int]] = {}
    for index, fact in enumerate(blocks.facts):
        if fact.item:
            lists.setdefault(fact.item, []).append(index)
    chosen: set[int] = set()
    for listed in lists.values():
        whole = sum(is_likely_reference(blocks.paragraphs[index].text) for index in listed)
        if len(listed) > 1 and whole >= _LIST_SHARE * len(listed):
            chosen.update(listed)
    return chosen


def _read_metadata(
    parser: LexborHTMLParser, blocks: HtmlBlocks, *, bare: bool
) -> tuple[list[CodedWork], list[str]]:
    """Return the works that metadata describes, and those it only writes out as text.

    On a page without list, what stands anywhere in its text as COinS counts as well.
    """
    works: list[CodedWork] = []
    texts: list[str] = []
    spans = [*blocks.coins, *(title for fact in blocks.facts if bare for title in fact.coins)]
    for item in islice(_list_metadata_items(parser, spans), MAX_CITED):
        if isinstance(item, str):
            texts.append(item)
        else:
            identifier = str(item.pop("id", None) or "")[:200]
            works.append(build_csl_work(item, (identifier,) if identifier else ()))
    return works, list(dict.fromkeys(texts))


def _list_metadata_items(parser: LexborHTMLParser, spans: Sequence[str]) -> Iterator[dict[str, object] | str]:
    for tag in parser.css("meta[name='citation_reference']"):
        content = (tag.attributes.get("content") or "").strip()
        if content:
            yield parse_highwire_tag(content) or content[:5000]
    for script in parser.css("script[type='application/ld+json']"):
        yield from parse_json_ld(script.text(deep=True)[:5_000_000])
    for title in spans:
        if item := parse_coins(title):
            yield item


def _build_unlisted(
    document: Document, works: Sequence[CodedWork], texts: Sequence[str]
) -> list[RawReference]:
    place = Place(document.name, line=1)
    known: dict[str, CodedWork] = {}
    for work in works:
        known.setdefault(work.marks[0], work)
    references = [
        RawReference(
            metadata.key or f"ref-{n}",
            metadata.text,
            place,
            metadata.kind,
            metadata.claimed,
            (),
            metadata.suspicious,
        )
        for n, metadata in enumerate(known.values(), 1)
    ]
    return [
        *references,
        *(RawReference(f"ref-{n}", text, place) for n, text in enumerate(texts, len(references) + 1)),
    ]


def is_too_deep(text: str) -> bool:
    """Return whether `text` opens more elements inside each other than a page may."""
    open_blocks = open_formatting = at = 0
    lower = text.lower() if text.isascii() else ""
    while match := _TAG.search(text, at):
        at = match.end()
        if match[1]:
            end = text.find("-->", at)
            at = end if end >= 0 else at
            continue
        name = match[3].lower()
        if name in _RAW and not match[2]:
            end = (lower or text).find(f"</{name}", at)
            at = end if end >= 0 else len(text)
        elif name in _FORMATTING:
            open_formatting = max(0, open_formatting + (-1 if match[2] else 1))
        elif name not in _LIGHT:
            open_blocks = max(0, open_blocks + (-1 if match[2] else 1))
        if open_blocks > MAX_DEPTH or open_formatting > MAX_FORMATTING:
            return True
    return False
