"""One page: its text, its blocks, what its metadata names, and the references these give together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from citeproof.errors import InputError
from citeproof.extractors.decoded_text import DecodedText, decode, refuse_flood
from citeproof.extractors.html.html_blocks import MAX_NODES, HtmlBlocks, HtmlWalker
from citeproof.extractors.html.html_entries import BlockPlaces, build_html_references
from citeproof.extractors.html.html_metadata import MAX_CITED, parse_coins, parse_highwire_tag, parse_json_ld
from citeproof.extractors.html.html_nesting import is_too_deep
from citeproof.extractors.office.field_codes import CodedWork, build_csl_work
from citeproof.extractors.office.manuscript import Manuscript, strip_marks
from citeproof.extractors.office.office_document import read_note_references
from citeproof.extractors.office.printed_lists import read_printed_lists
from citeproof.extractors.prose.entry_segments import is_likely_reference
from citeproof.extractors.prose.text_lines import is_reference_heading
from citeproof.vocabulary import Document, Extraction, Place, Problem, RawReference

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_PAGE = 50_000_000  # characters

_LIST_SHARE = 0.6  # of a list's items must look like references where no heading says that they are


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
        found, said, left_out = build_html_references(written, blocks, listed, works, places)
        problems += [replace(one, place=places.locate_block(one.place)) for one in (*listed.problems, *said)]
    else:
        found = _build_unlisted(document, works, texts) or [
            replace(one, place=places.locate_block(one.place))
            for one in read_note_references(written, written.paragraphs)
        ]
    refuse_flood(len(found), document.name)
    count = (listed.expected or 0) - left_out if listed.entries else len(found) or None
    return Extraction(tuple(found), tuple(problems), count, form)


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
    for index, one in enumerate(paragraphs):
        if one.level or (one.bold and not blocks.facts[index].item and len(one.text) < 100):
            announced = len(one.text) < 100 and is_reference_heading(strip_marks(one.text))
            under = announced or (under and one.level > level > 0)
            level = one.level if announced else level
        elif under and blocks.facts[index].item:
            chosen.add(index)
    if not chosen and not any(one.listed for one in paragraphs):
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
    """Return what metadata alone names, of a page that prints no list."""
    place = Place(document.name, line=1)
    known: dict[str, CodedWork] = {}
    for work in works:
        known.setdefault(work.marks[0], work)
    found = [
        RawReference(one.key or f"ref-{n}", one.text, place, one.kind, one.claimed, (), one.suspicious)
        for n, one in enumerate(known.values(), 1)
    ]
    return [*found, *(RawReference(f"ref-{n}", text, place) for n, text in enumerate(texts, len(found) + 1))]
