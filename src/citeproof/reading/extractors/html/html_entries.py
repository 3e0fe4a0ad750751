"""The entries of a page's lists as references: keys, places, fields from metadata, citing sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

from citeproof.reading.extractors.decoded_text import DecodedText
from citeproof.reading.extractors.html.html_blocks import BlockFacts, HtmlBlocks
from citeproof.reading.extractors.html.html_metadata import parse_coins
from citeproof.reading.extractors.office.field_codes import CodedWork, build_csl_work
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph, strip_marks
from citeproof.reading.extractors.office.office_document import find_code_sentences, match_entries
from citeproof.reading.extractors.office.printed_lists import PrintedLists
from citeproof.reading.extractors.prose.citing_sentences import MAX_SENTENCES, attach_sentences
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.text import ids
from citeproof.vocabulary import WORK_IDS, Place, Problem, RawReference

_ID = re.compile(r"""<[^<>]{0,500}?\s(?:id|name)\s{0,3}=\s{0,3}["']?([^"'\s<>]{1,500})""", re.IGNORECASE)
_SPELT = re.compile(r"[^&<>\u00a0]{4,80}")  # what a source spells as it reads; "&" may be "&amp;"
_SHORT = 160  # characters of a note that only points to an entry: "Smith 2010, p. 5."


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
