"""Author lists: who is missing, added, out of order or given an invented first name.

Initials, particles, suffixes, diacritics, transliterations, glued or hyphenated given names and
family/given order are `variant`. A list that is known to be truncated can confirm a name but
cannot convict one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from citeproof.judgement.compare.person import Likeness, Person, make_person, measure_likeness
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text.unicode import are_in_other_scripts
from citeproof.vocabulary import LISTED, Claimed, Comparison, Name, Outcome, Reason, Record

SORTED = "authors_sorted"  # mark of a record whose source lists people by the alphabet, not as printed

_NOBODY = {"anonymous", "anon", "unknown", "n/a", "none"}
_SHOWN = 12  # names written into a comparison; the record has the rest
_SEARCHED = 40_000  # pairs of names up to which every pair that may agree is examined
_NEAREST = 20  # people of one family who are examined beyond that
_NAMED = 6  # names of a difference that are told
_LONGEST, _CUT_AT = 60, (10, 20)  # names at which lists are cut without saying so; compiled ones
INSTITUTION = re.compile(
    r"\b(?:univ|instit|depart|dept|laborator|labs?\b|faculty|school|college|academy|tekniska)", re.IGNORECASE
)
_PairedPlaces = Sequence[tuple[int, int, Likeness]]


@dataclass(frozen=True, slots=True)
class Roster:
    """How two author lists line up."""

    same: int = 0
    variant: int = 0
    family_only: int = 0
    missing: int = 0  # in the record, not cited
    added: int = 0  # cited, not in the record
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class _AuthorsOutcome:
    outcome: Outcome
    reason: Reason
    score: float


def compare_authors(
    claimed: Sequence[Name],
    known: Sequence[Name],
    *,
    et_al: bool = False,
    complete: bool = True,
    ordered: bool = True,
) -> Comparison:
    """Return how the claimed author list agrees with the record's, which may be cut or out of order."""
    mine, theirs = _show_names(claimed), _show_names(known)
    if not claimed:
        return Comparison("authors", Outcome.ABSENT, Reason.NOT_CITED, "", theirs)
    if all(n.family.casefold() in _NOBODY for n in known):
        return Comparison("authors", Outcome.UNKNOWN, Reason.RECORD_HAS_NONE, mine, theirs)
    found = _weigh_lists(claimed, known, et_al=et_al, complete=complete)
    if not found.outcome.agrees and (
        (len(claimed) > 1 and is_team(known)) or any(map(names.is_group, (*claimed, *known)))
    ):
        found = _weigh_groups(claimed, known, et_al=et_al, complete=complete)
    if not ordered and (
        found.reason == Reason.ORDER_SWAPPED or (et_al and found.reason == Reason.AUTHORS_MISSING)
    ):
        found = _AuthorsOutcome(Outcome.VARIANT, Reason.RECORD_SORTED, found.score)
    detail = tell_difference(claimed, known, et_al=et_al) if found.outcome is Outcome.DIFFERS else ""
    apart = () if found.outcome.agrees else [n for n in claimed if are_in_other_scripts(n.display, theirs)]
    if apart:  # their letters say nothing; the others may still be compared
        rest = [name for name in claimed if name not in apart]
        different = compare_authors(rest, known, et_al=True, complete=complete, ordered=False)
        if different.outcome is Outcome.DIFFERS:
            return different
        counts = f"{len(claimed)}{' and others' if et_al else ''} cited, {len(known)} in the record"
        return Comparison("authors", Outcome.UNKNOWN, Reason.OTHER_SCRIPT, mine, theirs, detail=counts)
    return Comparison("authors", found.outcome, found.reason, mine, theirs, found.score, detail=detail)


def compare_record_authors(claimed: Claimed, record: Record) -> Comparison:
    """Return how the claimed authors agree with those of a record, as far as its list goes."""
    complete = record.authors_complete and not _is_silently_cut(claimed.authors, record)
    ordered = SORTED not in record.marks
    return compare_authors(
        claimed.authors, record.authors, et_al=claimed.et_al, complete=complete, ordered=ordered
    )


def _is_silently_cut(claimed: Sequence[Name], record: Record) -> bool:
    """Return whether a list was cut without saying so, at 60 names or by a compilation at 10 or 20."""
    known = record.authors
    if len(known) == _LONGEST:
        return True
    compiled = any(mark.startswith(LISTED) for mark in record.marks)
    if not compiled or len(known) not in _CUT_AT or len(claimed) <= len(known):
        return False
    return all(
        measure_likeness(make_person(a), make_person(b)) > Likeness.OTHER
        for a, b in zip(claimed, known, strict=False)
    )


def tell_difference(claimed: Sequence[Name], known: Sequence[Name], *, et_al: bool = False) -> str:
    """Return in words who is in only one of two lists, or whose place or given name is another."""
    added, missing, other = find_unmatched(claimed, known)
    parts = []
    if added:
        parts.append(f"not in the record: {_list_few(added)}")
    if et_al:  # it represents those behind the last whom it names
        last = max((j for _, j, _ in pair_names(claimed, known)), default=-1)
        missing = [name for name in missing if name in known[:last]]
    if missing:
        parts.append(f"missing: {_list_few(missing)}")
    parts.extend(f"{mine.display} for {theirs.display}" for mine, theirs in other[:_NAMED])
    if not parts and (moved := find_moved(claimed, known)):
        parts.append(f"in another place: {_list_few(moved)}")
    return "; ".join(parts)


def find_unmatched(
    claimed: Sequence[Name], known: Sequence[Name]
) -> tuple[list[Name], list[Name], list[tuple[Name, Name]]]:
    """Return who is only cited, who is only in the record, and who has another given name."""
    pairs = pair_names(claimed, known)
    mine, theirs = {i for i, _, _ in pairs}, {j for _, j, _ in pairs}
    return (
        [name for i, name in enumerate(claimed) if i not in mine],
        [name for j, name in enumerate(known) if j not in theirs],
        [(claimed[i], known[j]) for i, j, like in pairs if like is Likeness.FAMILY],
    )


def pair_names(claimed: Sequence[Name], known: Sequence[Name]) -> _PairedPlaces:
    """Return which cited name is which of the record's, by their places."""
    if tuple(claimed) == tuple(known):
        return [(place, place, Likeness.SAME) for place in range(len(known))]
    return _pair_people(tuple(map(make_person, claimed)), tuple(map(make_person, known)))


@lru_cache(maxsize=32)  # the lists of one reference: they are paired again to tell and to weigh a difference
def _pair_people(mine: tuple[Person, ...], theirs: tuple[Person, ...]) -> _PairedPlaces:
    """Pair names position by position, the common case, else the best pairs."""
    straight = []
    for place, (a, b) in enumerate(zip(mine, theirs, strict=False)):
        if (like := measure_likeness(a, b)) < Likeness.VARIANT:
            return _pair_places(mine, theirs)
        straight.append((place, place, like))
    return straight


def find_moved(claimed: Sequence[Name], known: Sequence[Name]) -> list[Name]:
    """Return the cited names that stand out of the record's order."""
    places = [(i, j) for i, j, _ in sorted(pair_names(claimed, known))]
    return [claimed[i] for i, j in places if any((a < i) != (b < j) for a, b in places if a != i)]


def _list_few(people: Sequence[Name]) -> str:
    shown = ", ".join(n.display for n in people[:_NAMED])
    return f"{shown} and {len(people) - _NAMED} more" if len(people) > _NAMED else shown


def _weigh_lists(
    claimed: Sequence[Name], known: Sequence[Name], *, et_al: bool, complete: bool
) -> _AuthorsOutcome:
    roster = line_up_names(claimed, known)
    outcome, reason = _judge_roster(roster, claimed, known, et_al=et_al, complete=complete)
    return _AuthorsOutcome(outcome, reason, measure_overlap(roster, len(claimed), len(known), et_al))


def _weigh_groups(
    claimed: Sequence[Name], known: Sequence[Name], *, et_al: bool, complete: bool
) -> _AuthorsOutcome:
    """Weigh the people alone: a collaboration is in one list for people whom the other names."""
    mine, theirs = ([n for n in side if not names.is_group(n)] for side in (claimed, known))
    theirs = [] if is_team(known) else theirs
    if mine and theirs:
        cut = et_al or len(mine) < len(claimed)  # a collaboration represents the people who are not named
        whole = complete and not (et_al and len(theirs) < len(known))  # as it does in a record
        found = _weigh_lists(mine, theirs, et_al=cut, complete=whole)
        return (
            _AuthorsOutcome(Outcome.VARIANT, Reason.COLLABORATION, found.score)
            if found.outcome.agrees
            else found
        )
    groups = [n for n in claimed if names.is_group(n) or not theirs]
    others = [n for n in known if n not in theirs]
    roster = line_up_names(groups, others)
    if roster.same + roster.variant:
        alike = measure_overlap(roster, len(others), len(others), et_al)
        if mine and not et_al:  # people next to an organisation that has the work alone
            return _AuthorsOutcome(Outcome.DIFFERS, Reason.AUTHOR_ADDED, alike)
        return _AuthorsOutcome(Outcome.VARIANT, Reason.COLLABORATION, alike)
    return _AuthorsOutcome(Outcome.UNKNOWN, Reason.COLLECTIVE, 0.0)


def is_team(known: Sequence[Name]) -> bool:
    """Return whether a record names no people: only organisations, or one word that may be a team's name."""
    return all(map(names.is_group, known)) or (len(known) == 1 and not known[0].given)


def measure_overlap(roster: Roster, claimed: int, known: int, et_al: bool) -> float:
    """Return the share of names that agree, 0..1; a list that says it is cut is measured by itself."""
    agreed = roster.same + roster.variant + 0.5 * roster.family_only
    return agreed / max(1, claimed if et_al else max(claimed, known))


def line_up_names(claimed: Sequence[Name], known: Sequence[Name]) -> Roster:
    """Return how two lists line up; the order is swapped if the pairs cross."""
    pairs = pair_names(claimed, known)
    met = [like for _, _, like in pairs]
    order = [j for _, j, _ in sorted(pairs)]
    return Roster(
        same=met.count(Likeness.SAME),
        variant=met.count(Likeness.VARIANT),
        family_only=met.count(Likeness.FAMILY),
        missing=len(known) - len(met),
        added=len(claimed) - len(met),
        swapped=order != sorted(order),
    )


def _pair_places(mine: Sequence[Person], theirs: Sequence[Person]) -> _PairedPlaces:
    """Pair names greedily, the surest first, and return their places.

    Names that are the same at both ends of the lists are paired first, so one name that is missing
    from a long list leaves little to search.
    """
    head = _count_common(zip(mine, theirs, strict=False))
    mine, theirs = mine[head:], theirs[head:]
    tail = _count_common(zip(reversed(mine), reversed(theirs), strict=False))
    mine, theirs = mine[: len(mine) - tail], theirs[: len(theirs) - tail]
    directory = _NameDirectory(theirs, wide=len(mine) * len(theirs) <= _SEARCHED)
    scored = sorted(
        (-like, abs(i - j), i, j)
        for i, a in enumerate(mine)
        for j in directory.find_near(a, i)
        if (like := measure_likeness(a, theirs[j]))
    )
    taken_mine: set[int] = set()
    taken_theirs: set[int] = set()
    found = [(at, at, Likeness.SAME) for at in range(head)]
    found += [(head + len(mine) + at, head + len(theirs) + at, Likeness.SAME) for at in range(tail)]
    for negative, _, i, j in scored:
        if i not in taken_mine and j not in taken_theirs:
            taken_mine.add(i)
            taken_theirs.add(j)
            found.append((head + i, head + j, Likeness(-negative)))
    return found


def _count_common(pairs: Iterable[tuple[Person, Person]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0].words == pair[1].words, pairs))


class _NameDirectory:
    """The people of one list by what another form of their name has in common with it.

    Wide: a word, the same letters, or a like beginning. Narrow, for lists that are too long to
    search: the same words or family name, and of these only the nearest in the list.
    """

    def __init__(self, people: Sequence[Person], *, wide: bool) -> None:
        self._people = people
        self._wide = wide
        self._places: dict[object, list[int]] = {}
        for place, found in enumerate(() if wide else people):
            for key in _collect_keys(found):
                self._places.setdefault(key, []).append(place)

    def find_near(self, found: Person, place: int) -> Iterable[int]:
        """Return the places of the people that may be `found`, who is at `place`."""
        if self._wide:
            return [j for j, other in enumerate(self._people) if _is_possible_pair(found, other)]
        near: set[int] = set()
        for key in _collect_keys(found):
            places = self._places.get(key, [])
            start = max(0, bisect_left(places, place) - _NEAREST // 2)
            near.update(places[start : start + _NEAREST])
        return near


def _is_possible_pair(a: Person, b: Person) -> bool:
    alike = a.family[:2] == b.family[:2] or a.letters == b.letters or not a.known.isdisjoint(b.known)
    return alike or not (a.known and b.known)


def _collect_keys(found: Person) -> set[object]:
    return {found.words, found.family, found.glued, found.letters}


def _judge_roster(
    roster: Roster, claimed: Sequence[Name], known: Sequence[Name], *, et_al: bool, complete: bool
) -> tuple[Outcome, Reason]:
    """Steps: 1 nobody agrees, 2 names that are not there, 3 other names, 4 order, 5 missing names.

    Another name says more than another order; people who are missing say more than another name.
    """
    met = roster.same + roster.variant + roster.family_only
    if met == 0:
        return _judge_strangers(claimed, known, complete=complete)
    if roster.added and (complete or _has_strangers_inside(claimed, known)):
        if not roster.missing and _has_only_repeats(claimed, known):
            return Outcome.VARIANT, Reason.AUTHOR_REPEATED
        agreed = roster.same + roster.variant  # "Sven" for "Magdalena Wischnewski" is not the same person
        others = min(
            roster.added, roster.missing
        )  # a longer list that has the record's people is no other one
        return Outcome.DIFFERS, Reason.AUTHOR_ADDED if agreed >= others else Reason.AUTHORS_OTHER
    if roster.added:
        return Outcome.VARIANT, Reason.RECORD_TRUNCATED
    if roster.family_only and (et_al or not roster.missing):
        renamed = find_unmatched(claimed, known)[2]
        same = all(
            make_person(a).family == make_person(b).family or make_person(a).glued == make_person(b).glued
            for a, b in renamed
        )
        return Outcome.DIFFERS, Reason.GIVEN_NAME if same else Reason.NAME_TYPO
    whole = complete or not (roster.missing or et_al)  # everybody is there: nothing was cut
    if whole and (roster.swapped or (et_al and not has_same_lead(claimed, known))):
        return Outcome.DIFFERS, Reason.ORDER_SWAPPED
    if complete and et_al and roster.missing and not _is_beginning(claimed, known):
        return Outcome.DIFFERS, Reason.AUTHORS_MISSING
    if roster.missing and not et_al:
        return (
            (Outcome.DIFFERS, Reason.AUTHORS_MISSING)
            if complete
            else (Outcome.VARIANT, Reason.RECORD_TRUNCATED)
        )
    if roster.missing:
        return Outcome.VARIANT, Reason.ET_AL
    return (Outcome.VARIANT, Reason.NAME_FORM) if roster.variant else (Outcome.SAME, Reason.SAME)


def _has_strangers_inside(claimed: Sequence[Name], known: Sequence[Name]) -> bool:
    """Return whether somebody is cited in the place of a person whom a list that was cut still has."""
    places = {i: j for i, j, _ in pair_names(claimed, known)} | {-1: -1}
    strangers = (i for i in range(len(claimed)) if i not in places)
    return any(places.get(i - 1, -2) + 2 == places.get(i + 1, -2) for i in strangers)


def has_same_lead(claimed: Sequence[Name], known: Sequence[Name]) -> bool:
    """Return whether the first cited name is the record's first: "et al." represents those behind it."""
    first = make_person(claimed[0])
    like = measure_likeness(first, make_person(known[0]))
    return like >= Likeness.VARIANT or like >= max(
        measure_likeness(first, make_person(n)) for n in known[1:] or known
    )


def _is_beginning(claimed: Sequence[Name], known: Sequence[Name]) -> bool:
    """Return whether a list that says it is cut begins as the record's does; it may end with its last."""
    people = [make_person(name) for name in claimed]
    first = people[:-1] if measure_likeness(people[-1], make_person(known[-1])) > Likeness.OTHER else people
    return all(
        measure_likeness(a, make_person(b)) > Likeness.OTHER for a, b in zip(first, known, strict=False)
    )


def _has_only_repeats(claimed: Sequence[Name], known: Sequence[Name]) -> bool:
    """Return whether every cited name is in the record: one of its people is only listed twice."""
    people = [make_person(n) for n in known]
    directory = _NameDirectory(people, wide=len(claimed) * len(known) <= _SEARCHED)
    return all(
        any(measure_likeness(one, people[j]) >= Likeness.VARIANT for j in directory.find_near(one, place))
        for place, one in enumerate(map(make_person, claimed))
    )


def _judge_strangers(
    claimed: Sequence[Name], known: Sequence[Name], *, complete: bool
) -> tuple[Outcome, Reason]:
    lab = len(claimed) == 1 and INSTITUTION.search(claimed[0].display)
    if lab or any(n.collective for n in (*claimed, *known)):
        return Outcome.UNKNOWN, Reason.COLLECTIVE  # an organisation's name says nothing about its people
    if not complete:
        return Outcome.UNKNOWN, Reason.RECORD_TRUNCATED
    return Outcome.DIFFERS, Reason.AUTHORS_OTHER


def _show_names(people: Sequence[Name]) -> str:
    shown = "; ".join(n.display for n in people[:_SHOWN])
    return f"{shown}; … ({len(people)} names)" if len(people) > _SHOWN else shown
