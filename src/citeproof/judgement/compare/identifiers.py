"""Identifiers: the cited ones against the record's, one comparison for each scheme.

A work may have several DOIs (preprint, proceedings, journal), so a second DOI is only held
against the citation when nothing explains it.
"""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz.distance import Hamming

from citeproof.text import arxiv, doi, ids
from citeproof.vocabulary import Comparison, Ids, Outcome, Reason, SourceFacts

# Registrants of preprints and deposits: their DOIs are next to a publisher's without conflict.
DEPOSITS = frozenset([
    "10.48550", "10.1101", "10.2139", "10.21203", "10.20944", "10.31234", "10.31219", "10.31235", "10.26434",
    "10.5281", "10.6084", "10.36227", "10.22541", "10.31222", "10.35542", "10.17605", "10.64898",
    "10.2307",  # JSTOR's copies of journals
])  # fmt: skip
ARXIV = "10.48550/arxiv."
ACM = "10.1145/"
IEEE = "10.1109/"
# Registrants that both gave DOIs to the same works: joint proceedings; Kluwer's journals, now Springer's.
_BOTH_REGISTERED = ((ACM, IEEE), (IEEE, ACM), ("10.1007/bf", "10.1023/a:"), ("10.1023/a:", "10.1007/bf"))
_LONG_SUFFIX = 10  # characters that two works do not share by chance
_LONG_NUMBER = 5  # digits of a paper's own number: two works of one publisher do not share it
_COMPARED = ("doi", "pmid", "pmcid", "arxiv", "ads", "isbn", "acl", "openreview")
_SLIPS = 2  # characters by which a mistyped identifier may differ
_MONTHS_LATER = 3  # after the year of the work; of 20,254 numbers 156 are younger


def compare_identifiers(
    claimed: Ids, known: Ids, *, facts: SourceFacts | None = None, years: Iterable[int] = ()
) -> tuple[Comparison, ...]:
    """Return one comparison for each identifier scheme the reference cites."""
    dated = tuple(years)
    implied = {pair for value in claimed.all("doi") for pair in ids.expand_doi(value) if pair[0] == "acl"}
    cited = {scheme: [v for v in claimed.all(scheme) if (scheme, v) not in implied] for scheme in _COMPARED}
    return tuple(
        _compare_scheme(scheme, tuple(values), known, facts, dated)
        for scheme, values in cited.items()
        if values
    )


def report_malformed(suspicious: Iterable[str], known: Ids) -> tuple[Comparison, ...]:
    """Return a difference for each identifier that was cited in a form no identifier has."""
    codes = [code.removeprefix("malformed_") for code in suspicious if code.startswith("malformed_")]
    return tuple(
        Comparison(scheme, Outcome.DIFFERS, Reason.MALFORMED, "(malformed)", ", ".join(known.all(scheme)))
        for scheme in dict.fromkeys(codes)
    )


def _compare_scheme(
    scheme: str, mine: tuple[str, ...], known: Ids, facts: SourceFacts | None, years: tuple[int, ...]
) -> Comparison:
    theirs = known.all(scheme)
    shown, found = ", ".join(mine), ", ".join(theirs)
    if set(mine) & set(theirs):
        return Comparison(scheme, Outcome.SAME, Reason.SAME, shown, found, 1.0)
    if scheme == "doi":
        outcome, reason = _compare_doi(mine, theirs, known, facts)
    elif scheme == "arxiv":
        outcome, reason = _compare_arxiv(mine, theirs, years)
    elif theirs and scheme == "isbn":
        outcome, reason = Outcome.UNKNOWN, Reason.OTHER_EDITION  # cloth, paper and e-book each have their own
    elif theirs:
        outcome, reason = Outcome.DIFFERS, Reason.OTHER_IDENTIFIER
    else:
        outcome, reason = Outcome.UNKNOWN, Reason.RECORD_HAS_NONE if scheme == "isbn" else Reason.UNCONFIRMED
    return Comparison(scheme, outcome, reason, shown, found, _measure_closeness(mine, theirs))


def _measure_closeness(mine: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    """Return how near the nearest two identifiers are if a slip of the pen parts them, else zero."""
    pairs = [(a, b) for a in mine for b in theirs if len(a) == len(b)]
    slips = [(Hamming.distance(a, b), len(a)) for a, b in pairs]
    return max((1 - wrong / length for wrong, length in slips if wrong <= _SLIPS), default=0.0)


def _compare_doi(
    mine: tuple[str, ...], theirs: tuple[str, ...], known: Ids, facts: SourceFacts | None
) -> tuple[Outcome, Reason]:
    number = next((arxiv.normalise(value) for value in mine if value.startswith(ARXIV)), None)
    if number:
        # the arXiv comparison decides about an arXiv DOI
        return (
            (Outcome.SAME, Reason.SAME)
            if number in known.all("arxiv")
            else (Outcome.UNKNOWN, Reason.PREPRINT_DOI)
        )
    if all(doi.get_prefix(value) in DEPOSITS for value in mine):
        return Outcome.UNKNOWN, Reason.PREPRINT_DOI
    publishers = [value for value in theirs if doi.get_prefix(value) not in DEPOSITS]
    pairs = [(a, b) for a in mine for b in publishers]
    if any(_is_same_item(a, b) for a, b in pairs):
        return Outcome.VARIANT, Reason.SAME_ITEM
    if any(a.startswith(one) and b.startswith(other) for a, b in pairs for one, other in _BOTH_REGISTERED):
        return Outcome.UNKNOWN, Reason.CO_PUBLISHED
    if publishers:
        return Outcome.DIFFERS, Reason.OTHER_IDENTIFIER
    if facts is not None and facts.doi_prefix_seen is False:
        return Outcome.DIFFERS, Reason.PREFIX_UNKNOWN
    return Outcome.UNKNOWN, Reason.UNCONFIRMED


def _is_same_item(a: str, b: str) -> bool:
    """Return whether two DOIs of ACM or IEEE name one paper, in two of its places."""
    mine, theirs = a.partition("/")[2], b.partition("/")[2]
    if mine == theirs and len(mine) >= _LONG_SUFFIX:
        return True  # a publisher took over the works of another
    if not any(a.startswith(prefix) and b.startswith(prefix) for prefix in (ACM, IEEE)):
        return False
    number = a.rpartition(".")[2]
    return number.isdigit() and len(number) >= _LONG_NUMBER and number == b.rpartition(".")[2]


def _compare_arxiv(
    mine: tuple[str, ...], theirs: tuple[str, ...], years: tuple[int, ...]
) -> tuple[Outcome, Reason]:
    if theirs:
        return Outcome.DIFFERS, Reason.OTHER_IDENTIFIER
    if not any(arxiv.is_plausible(number) for number in mine):
        return Outcome.DIFFERS, Reason.MALFORMED
    dates = [arxiv.read_year_month(number) for number in mine]
    if years and all(date and date > (max(years) + 1, _MONTHS_LATER) for date in dates):
        return Outcome.DIFFERS, Reason.YOUNGER_THAN_WORK
    return Outcome.UNKNOWN, Reason.UNCONFIRMED
