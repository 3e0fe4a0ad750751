"""Author lists spoiled: another name, a wrong initial, another order, one more, one less, all wrong."""

from __future__ import annotations

import random
from dataclasses import replace

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, CitationFields
from citeproof.laboratory.measure.makers.edits import EditDraw, EditedCitation
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Name

_LETTERS = "ABCDEFGHIJKLMNOPRSTVW"
_ALIKE = {"C": "K", "K": "C", "J": "Y", "Y": "J", "I": "JY", "V": "W", "W": "V", "S": "Z", "Z": "S", "T": "D"}
_FIRST = 2  # names among which an edit falls: those that every style shows
_INITIAL = re.compile(r"[^\W\d_]")
_MIDDLE = re.compile(r"[^\W\d_]{1,20}\.?[ -]?([A-Z])\.$")


def swap_family_name(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Give one of the first authors another family name."""
    at = _choose_author(cited, draw.rng)
    if at is None:
        return None
    other = draw.pool.person(draw.rng, unlike=draw.truth.record.authors)
    return _replace_author(cited, at, replace(cited.people[at], family=other.family), "family_swapped")


def change_initial(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Give one of the first authors another first initial, or another given name of that letter."""
    at = _choose_author(cited, draw.rng)
    if at is None or not _INITIAL.match(cited.people[at].given):
        return None
    who = cited.people[at]
    old = who.given[0].upper()
    letter = draw.rng.choice([x for x in _LETTERS if x != old and x not in _ALIKE.get(old, "")])
    given = _choose_given_name(letter, who, draw.pool, draw.rng)
    return _replace_author(cited, at, replace(who, given=given), "initial_changed")


def change_middle_initial(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Give one of the first authors another middle initial."""
    at = _choose_author(cited, draw.rng)
    match = _MIDDLE.search(cited.people[at].given) if at is not None else None
    if at is None or match is None:
        return None
    letter = draw.rng.choice([x for x in _LETTERS if x != match[1]])
    given = f"{cited.people[at].given[: match.start(1)]}{letter}{cited.people[at].given[match.end(1) :]}"
    return _replace_author(cited, at, replace(cited.people[at], given=given), "middle_changed")


def swap_author_order(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:  # noqa: ARG001 - as every rule
    """Let the first two authors change places."""
    if len(cited.people) < 2 or any(name.collective for name in cited.people[:2]):
        return None
    first, second, *rest = cited.people
    if first.family.casefold() == second.family.casefold():
        return None
    return _replace_authors(cited, (second, first, *rest), "order_swapped")


def add_author(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put somebody in front of the last author, or behind an only one."""
    other = draw.pool.person(draw.rng, unlike=draw.truth.record.authors)
    at = max(1, min(len(cited.people) - 1, _FIRST))
    return _replace_authors(cited, (*cited.people[:at], other, *cited.people[at:]), "author_added")


def drop_author(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Leave out one of the first authors."""
    if len(cited.people) < 2:
        return None
    at = draw.rng.randrange(min(_FIRST, len(cited.people)))
    return _replace_authors(cited, (*cited.people[:at], *cited.people[at + 1 :]), "author_dropped")


def fabricate_authors(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Put as many other people in the authors' place: families of some, given names of others."""
    made = tuple(invent_name(draw) for _ in cited.people[:8])
    return _replace_authors(cited, made, "authors_fabricated")


def invent_name(draw: EditDraw) -> Name:
    """Return a name made from two people of the pool."""
    family = draw.pool.person(draw.rng, unlike=draw.truth.record.authors).family
    return Name(family, draw.rng.choice(draw.pool.people).given)


def _choose_author(cited: CitationFields, rng: random.Random) -> int | None:
    """Return which of the first authors is to be spoiled; collectives are left alone."""
    first = [at for at, name in enumerate(cited.people[:_FIRST]) if not name.collective]
    return rng.choice(first) if first else None


def _choose_given_name(letter: str, who: Name, pool: RecordPool, rng: random.Random) -> str:
    """Return a given name that begins with `letter`, as long or short as the true one."""
    rest = who.given[1:]
    if len(who.given) < 3 or "." in who.given[:3]:
        return letter + rest
    for _ in range(300):
        other = rng.choice(pool.people).given
        if other[:1] == letter and len(other) > 2 and "." not in other[:3]:
            return other
    return f"{letter}."


def _replace_author(cited: CitationFields, at: int, name: Name, kind: str) -> EditedCitation | None:
    people = (*cited.people[:at], name, *cited.people[at + 1 :])
    return _replace_authors(cited, people, kind)


def _replace_authors(cited: CitationFields, people: tuple[Name, ...], kind: str) -> EditedCitation | None:
    if people == cited.people:
        return None
    before, after = ("; ".join(name.display for name in names) for names in (cited.people, people))
    return EditedCitation(
        replace(cited, people=people), BenchmarkEdit(kind=kind, field="authors", before=before, after=after)
    )


NAME_RULES = (swap_family_name, change_initial, change_middle_initial, swap_author_order)
RULES = (*NAME_RULES, add_author, drop_author)
