"""What answers prove about a work that no source has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.text.ids import find_malformed
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import (
    ID_NAMES,
    ID_ORDER,
    Absent,
    Found,
    Lookup,
    Mismatch,
    Reach,
    Reason,
    Reference,
    Unchecked,
)

INDEPENDENT = 2  # sources that cover the type and must agree that a work does not exist
SEARCHES = ("title", "raw")
_LATIN = "\u024f"  # the last of its letters, their marks aside


def proves_absence(lookups: Sequence[Lookup]) -> bool:
    """Return whether the answers prove that no source that covers such works has it.

    One source that claims to hold all such works is enough, or two independent ones that cover the type;
    lists of proceedings are one of them, in however many snapshots. An unanswered question of a source that
    would have counted leaves it open; so does an identifier whose own authority did not answer, or knows it.
    """
    if any(may_exist(lookup) for lookup in lookups if lookup.by not in SEARCHES):
        return False
    asked = [lookup for lookup in lookups if lookup.by in SEARCHES]
    if any(isinstance(x, Unchecked) and x.reach is not Reach.PARTIAL for x in asked):
        return any(not isinstance(x, Unchecked) and x.reach is Reach.COMPLETE for x in asked)
    answered = [lookup for lookup in asked if isinstance(lookup, Found | Absent)]
    if any(lookup.reach is Reach.COMPLETE for lookup in answered):
        return True
    covering = {lookup.source for lookup in answered if lookup.reach is Reach.COVERS}
    lists = {source for source in covering if source.startswith("snapshot")}
    return len(covering - lists) + bool(lists) >= INDEPENDENT


def is_missing_in_proceedings(lookups: Sequence[Lookup]) -> bool:
    """Return whether all that is known of a work is that a list of its venue's papers lacks it."""
    if any(may_exist(lookup) for lookup in lookups if lookup.by not in SEARCHES):
        return False
    asked = [lookup for lookup in lookups if lookup.by in SEARCHES]
    unanswered = any(isinstance(x, Unchecked) and x.reach is not Reach.PARTIAL for x in asked)
    return not unanswered and any(map(is_proceedings_list, asked))


def is_proceedings_list(lookup: Lookup) -> bool:
    """Return whether a snapshot answered that claims all papers of the cited venue, and no more than that."""
    answered = not isinstance(lookup, Unchecked) and lookup.reach is Reach.COVERS
    return answered and lookup.source.startswith("snapshot")


def is_hardly_covered(title: str, lookups: Sequence[Lookup]) -> bool:
    """Return whether silence says nothing of a title in this script: who answered holds few such works.

    Most journals in Russian, Japanese, Chinese, Arabic or Hebrew have no DOI, and registries that have them
    often know only a translated title. A source that claims to hold all such works counts.
    """
    if title.isascii():
        return False
    letters = [sign for sign in strip_marks(title) if sign.isalpha()]
    foreign = sum(sign > _LATIN for sign in letters)
    complete = (x for x in lookups if x.by in SEARCHES and not isinstance(x, Unchecked))
    return 2 * foreign > len(letters) and all(x.reach is not Reach.COMPLETE for x in complete)


def is_widely_searched(lookups: Sequence[Lookup]) -> bool:
    """Return whether several registries answered a search; snapshots hold what somebody put into them."""
    return sum(not source.startswith("snapshot:") for source in find_searched(lookups)) >= INDEPENDENT


def find_searched(lookups: Sequence[Lookup]) -> set[str]:
    """Return the sources that answered a search."""
    return {x.source for x in lookups if x.by in SEARCHES and not isinstance(x, Unchecked)}


def find_silent(lookups: Sequence[Lookup]) -> list[str]:
    """Return the sources that were asked for the work, or should have been, and answered no search."""
    silent = (
        x.source
        for x in lookups
        if x.by in SEARCHES and isinstance(x, Unchecked)
        if x.cause.was_asked or x.reach is not Reach.PARTIAL
    )
    return sorted({*silent} - find_searched(lookups))


def may_exist(lookup: Lookup) -> bool:
    """Return whether an identifier's own authority did not answer, or knows it and describes no work."""
    if isinstance(lookup, Found):
        return not lookup.records and lookup.reach is Reach.COMPLETE
    return isinstance(lookup, Unchecked) and lookup.reach is Reach.COMPLETE


# What a registry calls itself; doi.org's word is a 404 whose body repeats the name that was asked for.
REGISTRIES = {
    "doi": "doi.org: 404", "arxiv": "arXiv", "pubmed": "PubMed", "pmc": "PMC", "ads": "NASA ADS",
    "issn": "ISSN Portal", "who_iris": "WHO IRIS", "open_library": "Open Library", "k10plus": "K10plus",
}  # fmt: skip
_CATALOGUES = ("open_library", "k10plus")  # together they stand for the registry that ISBNs do not have
_OF_WORKS = tuple(scheme for scheme in ID_ORDER if scheme not in ("issn", "url"))


@dataclass(frozen=True, slots=True)
class DeniedIdentifier:
    """One cited identifier that does not exist. `registry` is empty where its form alone shows it."""

    scheme: str
    value: str
    registry: str = ""

    @property
    def reason(self) -> Reason:
        return Reason.NOT_REGISTERED if self.registry else Reason.MALFORMED

    @property
    def counts_against_work(self) -> bool:
        """Whether it is evidence against the work: a wrong check digit is a slip that many make."""
        return bool(self.registry) or self.scheme == "arxiv"


def find_denied_identifiers(reference: Reference, lookups: Sequence[Lookup]) -> tuple[DeniedIdentifier, ...]:
    """Return the cited identifiers that do not exist, in the order of the contract."""
    absent = [lookup for lookup in lookups if isinstance(lookup, Absent)]
    own = [
        DeniedIdentifier(x.by, value, REGISTRIES.get(x.source, x.source))
        for x in absent
        # a snapshot that holds all works still holds no journals
        if x.reach is Reach.COMPLETE and x.by in (_OF_WORKS if x.source.startswith("snapshot") else ID_ORDER)
        for value in ((x.value,) if x.value else reference.claimed.ids.all(x.by))
    ]
    lacking = {(x.source, x.value) for x in absent if x.by == "isbn"}
    isbns = [
        DeniedIdentifier("isbn", value, ", ".join(REGISTRIES[name] for name in _CATALOGUES))
        for value in (reference.claimed.ids.all("isbn") if lacking else ())
        if all((name, value) in lacking for name in _CATALOGUES)
    ]
    wrong = [DeniedIdentifier(scheme, value) for scheme, value in find_malformed(reference.raw)]
    if not (own or isbns or wrong):
        return ()
    each = {(one.scheme, one.value): one for one in (*wrong, *isbns, *own)}
    return tuple(sorted(each.values(), key=lambda one: (ID_ORDER.index(one.scheme), one.value)))


def describe_denial(mismatch: Mismatch, denied: Sequence[DeniedIdentifier]) -> str:
    """Return the words for a denied identifier, and what the record has in its place."""
    one = next((d for d in denied if (d.scheme, d.value) == (mismatch.field, mismatch.claimed)), None)
    name = ID_NAMES.get(mismatch.field, mismatch.field)
    if mismatch.reason == Reason.MALFORMED:
        words = f"{name} {mismatch.claimed} is malformed"
    else:
        words = f"{name} {mismatch.claimed} does not exist ({one.registry if one else 'its registry'})"
    return f"{words}; the record has {mismatch.resolved}" if mismatch.resolved else words
