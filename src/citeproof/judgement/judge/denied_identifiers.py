"""Cited identifiers that do not exist: their own registry says so, or their form shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.text.ids import find_malformed
from citeproof.vocabulary import ID_NAMES, ID_ORDER, Absent, Lookup, Mismatch, Reach, Reason, Reference

# What a registry calls itself; doi.org's word is a 404 whose body repeats the name that was asked for.
REGISTRIES = {
    "doi": "doi.org: 404", "arxiv": "arXiv", "pubmed": "PubMed", "pmc": "PMC", "ads": "NASA ADS",
    "issn": "ISSN Portal", "who_iris": "WHO IRIS", "open_library": "Open Library", "k10plus": "K10plus",
    "google_books": "Google Books",
}  # fmt: skip
_CATALOGUES = ("open_library", "k10plus", "google_books")
_OF_WORKS = tuple(scheme for scheme in ID_ORDER if scheme not in ("issn", "url"))
_ENOUGH = 2  # catalogues that together represent the registry that ISBNs do not have


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
    own = [
        DeniedIdentifier(x.by, value, REGISTRIES.get(x.source, x.source))
        for x in lookups
        if isinstance(x, Absent) and x.by in _list_deniable_schemes(x.source) and x.reach is Reach.COMPLETE
        for value in ((x.value,) if x.value else reference.claimed.ids.all(x.by))
    ]
    isbns = [
        DeniedIdentifier("isbn", value, ", ".join(REGISTRIES[name] for name in names))
        for value in reference.claimed.ids.all("isbn")
        if len(names := _find_lacking_catalogues(value, lookups)) >= _ENOUGH
    ]
    wrong = [DeniedIdentifier(scheme, value) for scheme, value in find_malformed(reference.raw)]
    each = {(one.scheme, one.value): one for one in (*wrong, *isbns, *own)}
    return tuple(sorted(each.values(), key=lambda one: (ID_ORDER.index(one.scheme), one.value)))


def _list_deniable_schemes(source: str) -> tuple[str, ...]:
    """Return the schemes that a source may deny; a snapshot that holds all works still holds no journals."""
    return _OF_WORKS if source.startswith("snapshot") else ID_ORDER


def _find_lacking_catalogues(isbn: str, lookups: Sequence[Lookup]) -> list[str]:
    """Return the book catalogues that answered that they have no such ISBN."""
    without = {x.source for x in lookups if isinstance(x, Absent) and x.by == "isbn" and x.value == isbn}
    return [name for name in _CATALOGUES if name in without]


def describe_denial(mismatch: Mismatch, denied: Sequence[DeniedIdentifier]) -> str:
    """Return the words for a denied identifier, and what the record has in its place."""
    one = next((d for d in denied if (d.scheme, d.value) == (mismatch.field, mismatch.claimed)), None)
    name = ID_NAMES.get(mismatch.field, mismatch.field)
    if mismatch.reason == Reason.MALFORMED:
        words = f"{name} {mismatch.claimed} is malformed"
    else:
        words = f"{name} {mismatch.claimed} does not exist ({one.registry if one else 'its registry'})"
    return f"{words}; the record has {mismatch.resolved}" if mismatch.resolved else words
