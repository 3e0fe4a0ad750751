"""One page: its text, its blocks, what its metadata names, and the references these give together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING

from citeproof.errors import InputError
from citeproof.reading.extractors.decoded_text import DecodedText, decode, refuse_flood
from citeproof.reading.extractors.html.html_blocks import MAX_NODES, BlockFacts, HtmlBlocks, HtmlWalker
from citeproof.reading.extractors.html.html_metadata import (
    MAX_CITED,
    parse_coins,
    parse_highwire_tag,
    parse_json_ld,
)
from citeproof.reading.extractors.office.field_codes import CodedWork, build_csl_work
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph, strip_marks
from citeproof.reading.extractors.office.office_document import (
    find_code_sentences,
    match_entries,
    read_note_references,
)
from citeproof.reading.extractors.office.printed_lists import PrintedLists, read_printed_lists
from citeproof.reading.extractors.prose.citing_sentences import MAX_SENTENCES, attach_sentences
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import WORK_IDS, Document, Extraction, Place, Problem, RawReference

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
_ID = re.compile(r"""<[^<>]{0,500}?\s(?:id|name)\s{0,3}=\s{0,3}["']?([^"'\s<>]{1,500})""", re.IGNORECASE)
_SPELT = re.compile(r"[^&<>\u00a0]{4,80}")  # what a source spells as it reads; "&" may be "&amp;"
_SHORT = 160  # characters of a note that only points to an entry: "Smith 2010, p. 5."


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


class BlockPlaces:
    """Where the blocks of a page are in its source."""

    def __init__(self, decoded: DecodedText, blocks: HtmlBlocks) -> None:
        self._decoded = decoded
        self._facts = blocks.facts
        self._at = 0
        wanted = {fact.key for fact in blocks.facts if fact.key}
        self._ids: dict[str, int] = {}
        for match in _ID.finditer(decoded.text) if wanted else ():
            name = unescape(match[1])
            if name in wanted:
                self._ids.setdefault(name, match.start())

    def locate_block(self, place: Place) -> Place:
        """Return the line and column of the block whose number is in `place` as the line.

        Where it cannot be found, because the source spells its text otherwise, the last found comes before.
        A span is not given: the parser does not tell where in the source an element ends.
        """
        fact = self._facts[place.line - 1] if place.line and place.line <= len(self._facts) else BlockFacts()
        text = self._decoded.text
        start = self._ids.get(fact.key, -1)
        if start < 0 and fact.first:
            spelt = _SPELT.match(fact.first)
            start = text.find(spelt[0] if spelt else fact.first, self._at)
        self._at = start if start >= 0 else self._at
        return replace(self._decoded.locate_span(self._at, self._at), start=None, end=None, end_line=None)


def build_html_references(
    written: Manuscript,
    blocks: HtmlBlocks,
    listed: PrintedLists,
    works: Sequence[CodedWork],
    places: BlockPlaces,
) -> tuple[list[RawReference], list[Problem], int]:
    """Return one reference for each entry that is one, the problems, and how many entries are none."""
    facts: list[BlockFacts] = []
    seen: set[int] = set()
    for entry in listed.entries:
        line = entry.place.line or 1
        facts.append(BlockFacts() if line in seen else blocks.facts[line - 1])
        seen.add(line)
    chosen, elsewhere, problems = _sift_notes(listed.entries, facts)
    entries = _add_metadata_fields(
        [listed.entries[index] for index in chosen], [facts[index] for index in chosen], works
    )
    running = [paragraph for paragraph in written.paragraphs if paragraph.number not in listed.used]
    cited = attach_sentences(
        entries, "\n\n".join(strip_marks(block.text) for block in running if not block.note)
    )
    ids_of = {name: n for n, index in enumerate(chosen) for name in facts[index].ids}
    for name, target in elsewhere.items():
        if target in ids_of:
            ids_of.setdefault(name, ids_of[target])
    references = _add_linking_sentences(cited, running, blocks.targets, ids_of)
    located = [
        replace(reference, key=facts[index].key or reference.key, place=places.locate_block(reference.place))
        for reference, index in zip(references, chosen, strict=True)
    ]
    return located, problems, len(facts) - len(chosen)


def _sift_notes(
    entries: Sequence[RawReference], facts: Sequence[BlockFacts]
) -> tuple[list[int], dict[str, str], list[Problem]]:
    """Part the entries from notes: return which are entries, which ids mean another's, what was left out."""
    own = {name: index for index, fact in enumerate(facts) for name in fact.ids}
    chosen: list[int] = []
    elsewhere: dict[str, str] = {}
    explained: list[RawReference] = []
    for index, (entry, fact) in enumerate(zip(entries, facts, strict=True)):
        target = next((p for p in fact.points if own.get(p, index) != index), None)
        if target and len(entry.text) < _SHORT and not fact.coins:
            elsewhere.update(dict.fromkeys(fact.ids, target))
        elif fact.key.startswith("cite_note") and not (
            fact.coins or is_likely_reference(entry.text) or ids.find_ids(entry.text)
        ):
            explained.append(entry)
        else:
            chosen.append(index)
    if not explained:
        return chosen, elsewhere, []
    message = f"explanatory notes without a citation: {len(explained)}"
    return chosen, elsewhere, [Problem(explained[0].place, message, text=explained[0].text[:500], note=True)]


def _add_metadata_fields(
    entries: Sequence[RawReference], facts: Sequence[BlockFacts], works: Sequence[CodedWork]
) -> list[RawReference]:
    """Return the entries with the fields that COinS in them or the page's metadata state."""
    completed = list(entries)
    for index, fact in enumerate(facts):
        items = [item for title in fact.coins if (item := parse_coins(title))]
        if len(items) == 1:
            completed[index] = _add_work_fields(completed[index], build_csl_work(items[0], ()))
    bare = [index for index, entry in enumerate(completed) if entry.claimed is None]
    full = [work for work in works if _is_complete_work(work)]
    for work, place in zip(full, match_entries(full, [completed[index] for index in bare]), strict=True):
        if place is not None:
            completed[bare[place]] = _add_work_fields(completed[bare[place]], work)
    return completed


def _is_complete_work(work: CodedWork) -> bool:
    """Return whether metadata says so much of a work that its printed entry need not be read."""
    claimed = work.claimed
    located = claimed.pages or any(scheme in WORK_IDS for scheme, _ in claimed.ids.pairs) or claimed.publisher
    return bool(claimed.title and claimed.authors and claimed.year and located)


def _add_work_fields(entry: RawReference, work: CodedWork) -> RawReference:
    flags = tuple(dict.fromkeys((*entry.suspicious, *work.suspicious)))
    return replace(entry, kind=work.kind, claimed=work.claimed, suspicious=flags)


def _add_linking_sentences(
    entries: Sequence[RawReference],
    running: Sequence[Paragraph],
    targets: Sequence[str],
    ids_of: dict[str, int],
) -> list[RawReference]:
    """Return the entries with the sentences that link to them, before those found by number or name."""
    sentences: dict[int, list[str]] = {}
    for number, quoted in find_code_sentences(running).items():
        index = ids_of.get(targets[number])
        if index is not None:
            sentences.setdefault(index, []).extend(quoted)
    return [
        replace(entry, citing=tuple(dict.fromkeys((*sentences.get(n, ()), *entry.citing)))[:MAX_SENTENCES])
        for n, entry in enumerate(entries)
    ]
