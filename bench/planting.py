"""Errors planted into the entries of a .bib file by the rules that make the benchmarks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from difflib import SequenceMatcher

from citeproof.correct import people as listed
from citeproof.correct.bibentry import Field, Located
from citeproof.correct.edits import Edit
from citeproof.extractors.bibfields import claimed_of
from citeproof.measure.makers.cited import cited
from citeproof.measure.makers.edits import Edited, Rule, Truth, dates, identifiers, people, places, title
from citeproof.measure.makers.pool import Pool, gathered
from citeproof.text.bibtex import Entry
from citeproof.vocabulary import Kind, Record, Version

RULES: dict[str, tuple[Rule, ...]] = {
    "year": (dates.year_shifted, dates.year_moved_far),
    "doi": (identifiers.digit_changed,),
    "authors": (people.family_swapped, people.initial_changed, people.order_swapped),
    "title": (title.word_substituted, title.number_changed),
    "venue": (places.venue_swapped,),
}


def record_of(entry: Entry) -> Record:
    """Return an entry as the record of a work."""
    claimed = claimed_of(entry)[0]
    version = Version(claimed.year, claimed.venue, Kind.UNKNOWN, claimed.volume, claimed.issue, claimed.pages)
    return Record(
        "bibtex", entry.key, (claimed.title or "",), claimed.authors, versions=(version,), ids=claimed.ids
    )


def pool_of(entries: Sequence[Entry]) -> Pool:
    """Return what the rules draw from: the works of all files together."""
    return gathered((record_of(entry) for entry in entries), lambda _: True)


def planted(one: Located, field: Field, kind: str, pool: Pool, rng: random.Random) -> Edit | None:
    """Return the edit that puts a maker's error into one field; None if no rule fits or finds its place."""
    record = record_of(one.entry)
    truth = Truth(cited(record), record)
    made = rng.choice(RULES[kind])(truth.cited, truth, pool, rng)
    if made is None or (kind == "authors" and len(record.authors) < 2):
        return None  # with the only author exchanged it is another work
    return _placed(one.held(field), field, kind, made)


def _placed(held: str, field: Field, kind: str, made: Edited) -> Edit | None:
    if kind == "venue":
        return Edit(field.low, field.high, made.edit.after)
    if made.edit.kind == "order_swapped":
        first, second, *_ = listed.pieces(held, 0, len(held))
        between = held[first.end : second.start]
        return Edit(field.low + first.start, field.low + second.end, f"{second.text}{between}{first.text}")
    old, new = _difference(made)
    at = held.find(old)
    if not old or at < 0 or held.find(old, at + 1) >= 0:
        return None
    return Edit(field.low + at, field.low + at + len(old), new)


def _difference(made: Edited) -> tuple[str, str]:
    """Return the words that an edit takes away and those it puts there; nothing if it does more."""
    before, after = made.edit.before.split(), made.edit.after.split()
    changed = [op for op in SequenceMatcher(None, before, after).get_opcodes() if op[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace":
        return "", ""
    _, a, b, c, d = changed[0]
    return " ".join(before[a:b]).strip(";,"), " ".join(after[c:d]).strip(";,")
