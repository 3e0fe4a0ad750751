"""Author lists: who is missing, added, out of order or given an invented first name.

Initials, particles, suffixes, diacritics, transliterations, glued or hyphenated given names and
family/given order are `variant`. A list that is known to be truncated can confirm a name but
cannot convict one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from importlib import resources

from rapidfuzz.distance import DamerauLevenshtein

from citeproof.compare.person import Person, person
from citeproof.vocabulary import Comparison, Name, Outcome

_SHOWN = 12  # names written into a comparison; the record has the rest


class Likeness(IntEnum):
    """How two names agree."""

    OTHER = 0
    FAMILY = 1  # same family name, incompatible given names
    VARIANT = 2
    SAME = 3


@dataclass(frozen=True, slots=True)
class Roster:
    """How two author lists line up."""

    same: int = 0
    variant: int = 0
    family_only: int = 0
    missing: int = 0  # in the record, not cited
    added: int = 0  # cited, not in the record
    swapped: bool = False


def compare_authors(
    claimed: Sequence[Name], known: Sequence[Name], *, et_al: bool = False, complete: bool = True
) -> Comparison:
    """Return how the claimed author list agrees with the record's."""
    mine, theirs = _shown(claimed), _shown(known)
    if not claimed:
        return Comparison("authors", Outcome.ABSENT, "not_cited", "", theirs)
    if not known or _anonymous(known):
        return Comparison("authors", Outcome.UNKNOWN, "record_has_none", mine, theirs)
    roster = line_up(claimed, known)
    outcome, reason = _judge(roster, claimed, known, et_al=et_al, complete=complete)
    return Comparison(
        "authors", outcome, reason, mine, theirs, overlap(roster, len(claimed), len(known), et_al)
    )


def overlap(roster: Roster, claimed: int, known: int, et_al: bool) -> float:
    """Return the share of names that agree, 0..1; a list that says it is cut is measured by itself."""
    agreed = roster.same + roster.variant + 0.5 * roster.family_only
    return agreed / max(1, claimed if et_al else max(claimed, known))


def line_up(claimed: Sequence[Name], known: Sequence[Name]) -> Roster:
    """Return how two lists line up: the common case position by position, else best pairs."""
    mine, theirs = [person(n) for n in claimed], [person(n) for n in known]
    straight = [likeness(a, b) for a, b in zip(mine, theirs, strict=False)]
    if all(like >= Likeness.VARIANT for like in straight):
        return _count(straight, len(claimed), len(known), swapped=False)
    pairs, swapped = _best_pairs(mine, theirs)
    return _count(pairs, len(claimed), len(known), swapped=swapped)


def _count(pairs: Sequence[Likeness], claimed: int, known: int, *, swapped: bool) -> Roster:
    met = [like for like in pairs if like > Likeness.OTHER]
    return Roster(
        same=met.count(Likeness.SAME),
        variant=met.count(Likeness.VARIANT),
        family_only=met.count(Likeness.FAMILY),
        missing=known - len(met),
        added=claimed - len(met),
        swapped=swapped,
    )


def _best_pairs(mine: list[Person], theirs: list[Person]) -> tuple[list[Likeness], bool]:
    """Pair names greedily, the surest first; the order is swapped if the pairs cross."""
    scored = sorted(
        (
            (-like, abs(i - j), i, j)
            for i, a in enumerate(mine)
            for j, b in enumerate(theirs)
            if _may_meet(a, b) and (like := likeness(a, b))
        ),
    )
    taken_mine: dict[int, int] = {}
    taken_theirs: set[int] = set()
    likes: list[Likeness] = []
    for negative, _, i, j in scored:
        if i not in taken_mine and j not in taken_theirs:
            taken_mine[i] = j
            taken_theirs.add(j)
            likes.append(Likeness(-negative))
    order = [taken_mine[i] for i in sorted(taken_mine)]
    return likes, order != sorted(order)


def _may_meet(a: Person, b: Person) -> bool:
    """A cheap look before the full one: a word in common, the same letters, or a like beginning."""
    return a.family[:2] == b.family[:2] or a.letters == b.letters or not a.known.isdisjoint(b.known)


def likeness(a: Person, b: Person) -> Likeness:
    """Return how two names agree, whichever word is the family name."""
    if a.words == b.words:
        return Likeness.SAME
    if a.family == b.family or _transliterated(a.family, b.family):
        return _given(a.given, b.given)
    if a.letters == b.letters:
        return Likeness.VARIANT  # "Wang Wei" / "Wei Wang" / "Weiwang": the same letters in another order
    if a.swapped and a.swapped == b.family and _given((a.family,), b.given) >= Likeness.VARIANT:
        return Likeness.VARIANT
    if b.swapped and b.swapped == a.family and _given(a.given, (b.family,)) >= Likeness.VARIANT:
        return Likeness.VARIANT
    return _compound(a, b)


def _compound(a: Person, b: Person) -> Likeness:
    """Double surnames cited by one part ("García-Ripoll" / "Garcia Ripoll" / "Garcia"), and typos."""
    parts_a, parts_b = set(a.family_words), set(b.family_words)
    if (parts_a & parts_b and (len(parts_a) > 1 or len(parts_b) > 1)) or (
        a.family in b.words or b.family in a.words
    ):
        initials = a.initials[:1] == b.initials[:1] or not a.given or not b.given
        return Likeness.VARIANT if initials or set(a.words) & set(b.given + a.given) else Likeness.OTHER
    if len(a.family) > 4 and DamerauLevenshtein.distance(a.family, b.family, score_cutoff=1) <= 1:
        return Likeness.VARIANT if a.given == b.given and a.given else Likeness.OTHER
    return Likeness.OTHER


def _transliterated(a: str, b: str) -> bool:
    """Return whether two family names differ by an umlaut's two spellings: "Müller" / "Mueller"."""
    if abs(len(a) - len(b)) > 3 or a[:1] != b[:1]:
        return False
    plain = [s.replace("ae", "a").replace("oe", "o").replace("ue", "u") for s in (a, b)]
    return plain[0] == plain[1]


def _given(a: tuple[str, ...], b: tuple[str, ...]) -> Likeness:
    """Return whether two given names may be one person's."""
    if a == b:
        return Likeness.SAME
    if not a or not b:
        return Likeness.VARIANT
    if "".join(a) == "".join(b):
        return Likeness.VARIANT  # "Zhi Tao" / "Zhitao" / "Zhi-Tao"
    if all(_may_be(x, y) for x, y in zip(a, b, strict=False)):
        return Likeness.VARIANT
    return Likeness.VARIANT if _same_initials(a, b) or _subsequence(a, b) else Likeness.FAMILY


@lru_cache(maxsize=1)
def nicknames() -> dict[str, list[str]]:
    """Return the table of `nicknames.toml`."""
    return tomllib.loads(resources.files(__package__).joinpath("nicknames.toml").read_text("utf-8"))


def _may_be(x: str, y: str) -> bool:
    """One may be short for the other: an initial, a shortened form ("Rob"), a nickname ("Bob")."""
    short, long = sorted((x, y), key=len)
    if len(short) == 1 or (len(short) >= 3 and long.startswith(short)):
        return long.startswith(short)
    if long in nicknames().get(short, ()):
        return True
    # a slip of one letter; short names that differ by one letter (Yang, Yong) are other names
    return len(short) > 5 and DamerauLevenshtein.distance(short, long, score_cutoff=1) <= 1


def _same_initials(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Glued initials against words: "yw" / "yan wei"."""
    short, long = sorted((a, b), key=lambda words: len("".join(words)))
    return len(short) == 1 and len(short[0]) <= 3 and short[0] == "".join(word[0] for word in long)


def _subsequence(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """A dropped first or middle name: "W. Bruce" / "Bruce", "Jacob Daniel" / "Daniel"."""
    short, long = sorted((a, b), key=len)
    if len(short) == len(long):
        return False
    left = iter(long)
    return all(any(_may_be(word, other) for other in left) for word in short)


def _judge(
    roster: Roster, claimed: Sequence[Name], known: Sequence[Name], *, et_al: bool, complete: bool
) -> tuple[Outcome, str]:
    """Steps: 1 nobody agrees, 2 names that are not there, 3 order, 4 missing names, 5 given names."""
    met = roster.same + roster.variant + roster.family_only
    if met == 0:
        return _strangers(claimed, known, complete=complete)
    if roster.added and complete:
        if not roster.missing and _repeats(claimed, known):
            return Outcome.VARIANT, "author_repeated"
        return Outcome.DIFFERS, "author_added" if met >= roster.added else "authors_other"
    if roster.added:
        return Outcome.VARIANT, "record_truncated"
    if roster.swapped and complete:
        return Outcome.DIFFERS, "order_swapped"
    if roster.missing and not et_al:
        return (Outcome.DIFFERS, "authors_missing") if complete else (Outcome.VARIANT, "record_truncated")
    if roster.family_only:
        return Outcome.DIFFERS, "given_name"
    if roster.missing:
        return Outcome.VARIANT, "et_al"
    return (Outcome.VARIANT, "name_form") if roster.variant else (Outcome.SAME, "same")


def _repeats(claimed: Sequence[Name], known: Sequence[Name]) -> bool:
    """Return whether every cited name is in the record: one of its people is only listed twice."""
    people = [person(n) for n in known]
    return all(any(likeness(person(n), p) >= Likeness.VARIANT for p in people) for n in claimed)


def _strangers(claimed: Sequence[Name], known: Sequence[Name], *, complete: bool) -> tuple[Outcome, str]:
    if any(n.collective for n in (*claimed, *known)):
        return Outcome.UNKNOWN, "collective"  # an organisation's name says nothing about its people
    if not complete:
        return Outcome.UNKNOWN, "record_truncated"
    return Outcome.DIFFERS, "authors_other"


def _anonymous(names: Sequence[Name]) -> bool:
    return all(n.family.casefold() in {"anonymous", "anon", "unknown", "n/a", "none"} for n in names)


def _shown(names: Sequence[Name]) -> str:
    shown = "; ".join(n.display for n in names[:_SHOWN])
    return f"{shown}; … ({len(names)} names)" if len(names) > _SHOWN else shown
