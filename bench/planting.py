"""Errors planted into the entries of a .bib file by the rules that make the benchmarks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from difflib import SequenceMatcher

from citeproof.answers.fix import author_list_edits as listed
from citeproof.answers.fix.bibtex_entry import BibtexField, LocatedEntry
from citeproof.answers.fix.text_edits import TextEdit
from citeproof.laboratory.measure.makers.benchmark_items import CitationFields, cite_record
from citeproof.laboratory.measure.makers.edits import (
    EditDraw,
    EditedCitation,
    Rule,
    TrueCitation,
    author_edits,
    metadata_edits,
    title_edits,
)
from citeproof.laboratory.measure.makers.record_pool import RecordPool, gather_records
from citeproof.reading.extractors.records.bibtex_fields import read_bibtex_fields
from citeproof.text.bibtex_scanner import BibtexEntry
from citeproof.text.ids import find_ids
from citeproof.vocabulary import Ids, Kind, Record, Version


def shift_year_far(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Move the year by three to eight."""
    return metadata_edits.shift_year_by(cited, draw, range(3, 9))


RULES: dict[str, tuple[Rule, ...]] = {
    "year": (metadata_edits.shift_year, shift_year_far),
    "doi": (metadata_edits.change_digit,),
    "authors": (author_edits.swap_family_name, author_edits.change_initial, author_edits.swap_author_order),
    "title": (title_edits.substitute_word, title_edits.change_plural),
    "venue": (metadata_edits.swap_venue,),
}


def record_of(entry: BibtexEntry) -> Record:
    """Return an entry as the record of a work, with the identifiers that its venue names."""
    claimed = read_bibtex_fields(entry)[0]
    named = ((scheme, value) for scheme, value, *_ in find_ids(claimed.venue or ""))
    ids = Ids(tuple(dict.fromkeys((*claimed.ids.pairs, *named))))
    version = Version(claimed.year, claimed.venue, Kind.UNKNOWN, claimed.volume, claimed.issue, claimed.pages)
    return Record("bibtex", entry.key, (claimed.title or "",), claimed.authors, versions=(version,), ids=ids)


def pool_of(entries: Sequence[BibtexEntry]) -> RecordPool:
    """Return what the rules draw from: the works of all files together."""
    return gather_records((record_of(entry) for entry in entries), lambda _: True)


def planted(
    one: LocatedEntry, field: BibtexField, kind: str, pool: RecordPool, rng: random.Random
) -> TextEdit | None:
    """Return the edit that puts a maker's error into one field; None if no rule fits or finds its place."""
    record = record_of(one.entry)
    truth = TrueCitation(cite_record(record), record)
    made = rng.choice(RULES[kind])(truth.cited, EditDraw(truth, pool, rng))
    if made is None or (kind == "authors" and len(record.authors) < 2):
        return None  # with the only author exchanged it is another work
    return _placed(one.read_value(field), field, kind, made)


def _placed(held: str, field: BibtexField, kind: str, made: EditedCitation) -> TextEdit | None:
    if kind == "venue":
        return TextEdit(field.low, field.high, made.edit.after)
    if made.edit.kind == "order_swapped":
        names = listed.split_name_list(held, 0, len(held))
        if len(names) < 2:
            return None  # names that are not joined by "and"
        first, second = names[:2]
        between = held[first.end : second.start]
        return TextEdit(
            field.low + first.start, field.low + second.end, f"{second.text}{between}{first.text}"
        )
    old, new = _difference(made)
    at = held.find(old)
    if not old or at < 0 or held.find(old, at + 1) >= 0:
        return None
    return TextEdit(field.low + at, field.low + at + len(old), new)


def _difference(made: EditedCitation) -> tuple[str, str]:
    """Return the words that an edit takes away and those it puts there; nothing if it does more."""
    before, after = made.edit.before.split(), made.edit.after.split()
    changed = [op for op in SequenceMatcher(None, before, after).get_opcodes() if op[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace":
        return "", ""
    _, a, b, c, d = changed[0]
    return " ".join(before[a:b]).strip(";,"), " ".join(after[c:d]).strip(";,")
