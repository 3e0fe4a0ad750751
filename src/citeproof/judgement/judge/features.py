"""A compared candidate as the numbers that the score model weighs.

Every feature is a fault between 0 (none) and 1 (as bad as it gets), and every weight is at least
zero, so more fault never scores higher. The names are the vocabulary of `model.json`.
"""

from __future__ import annotations

from collections.abc import Callable

from citeproof.judgement.judge.identity import get_comparison
from citeproof.vocabulary import Compared, Comparison, Outcome, Reason

_TITLE = {Reason.TYPO: "title_typo", Reason.WORDS_REORDERED: "title_word", Reason.WORD_CHANGED: "title_word"}
_AUTHORS = {
    Reason.ORDER_SWAPPED: "authors_order",
    Reason.AUTHORS_MISSING: "authors_missing",
    Reason.AUTHOR_ADDED: "authors_added",
    Reason.AUTHORS_OTHER: "authors_other",
    Reason.GIVEN_NAME: "authors_given",
    Reason.NAME_TYPO: "authors_given",
}
_UNCLEAR = frozenset((
    Reason.UNCLEAR, Reason.TRUNCATED, Reason.CARRIER, Reason.ACRONYM, Reason.SECTION_MISSING,
    Reason.SUBMISSION_ONLY,
))  # fmt: skip
_TRACKS = frozenset({Reason.WORKSHOP_VS_MAIN, Reason.FINDINGS_VS_MAIN, Reason.TRACK_VS_MAIN})
_IDENTIFIERS = ("doi", "pmid", "pmcid", "arxiv", "ads", "isbn", "acl", "openreview")
_LOCATORS = ("volume", "issue", "pages")

NAMES = (
    "title_typo", "title_word", "title_other", "authors_order", "authors_missing", "authors_added",
    "authors_other", "authors_given", "year_one", "year_two", "year_far", "year_closed", "year_future",
    "year_version", "venue_other", "venue_unclear", "venue_track", "identifier_other", "identifier_prefix",
    "identifier_date", "identifier_host", "locator", "locators",
)  # fmt: skip


def extract_features(compared: Compared) -> dict[str, float]:
    """Return the faults of one candidate by name; what is not named is zero."""
    found: dict[str, float] = {}
    for rule in _RULES:
        for name, value in rule(compared):
            found[name] = max(found.get(name, 0.0), value)
    return found


def _find_title_faults(compared: Compared) -> list[tuple[str, float]]:
    title = get_comparison(compared, "title")
    if not title.convicts:
        return []
    if title.reason == Reason.OTHER_TITLE or title.reason.is_veto:
        return [("title_other", 1.0)]
    return [(_TITLE.get(title.reason, "title_word"), 1.0)]


def _find_author_faults(compared: Compared) -> list[tuple[str, float]]:
    authors = get_comparison(compared, "authors")
    if not authors.convicts:
        return []
    return [(_AUTHORS.get(authors.reason, "authors_other"), 1.0)]


def _find_year_faults(compared: Compared) -> list[tuple[str, float]]:
    year = get_comparison(compared, "year")
    if year.reason == Reason.OTHER_VERSION:
        return [("year_version", 1.0)]
    if not year.convicts:
        return []
    if year.reason == Reason.FUTURE:
        return [("year_future", 1.0)]
    if year.reason == Reason.NO_VERSION:
        return [("year_closed", 1.0)]
    gap = round((1 - year.similarity) * 10)
    return [("year_one" if gap <= 1 else "year_two" if gap == 2 else "year_far", 1.0)]


def _find_venue_faults(compared: Compared) -> list[tuple[str, float]]:
    venue = get_comparison(compared, "venue")
    if venue.convicts:
        return [("venue_other", 1.0)]
    if venue.outcome is Outcome.UNKNOWN and venue.reason in _UNCLEAR:
        return [("venue_unclear", 1.0)]
    return [("venue_track", 1.0)] if venue.reason in _TRACKS else []


def _find_identifier_faults(compared: Compared) -> list[tuple[str, float]]:
    kinds = {Reason.PREFIX_UNKNOWN: "identifier_prefix", Reason.YOUNGER_THAN_WORK: "identifier_date"}
    differing = [c for c in _select_fields(compared, _IDENTIFIERS) if c.convicts]
    strayed = [("identifier_host", 1.0) for c in _select_fields(compared, ("url",)) if c.convicts]
    return [(kinds.get(c.reason, "identifier_other"), 1.0) for c in differing] + strayed


def _find_locator_faults(compared: Compared) -> list[tuple[str, float]]:
    wrong = sum(c.convicts for c in _select_fields(compared, _LOCATORS))
    return [("locator", 1.0)] * (wrong > 0) + [("locators", 1.0)] * (wrong > 1)


def _select_fields(compared: Compared, names: tuple[str, ...]) -> list[Comparison]:
    return [c for c in compared.comparisons if c.field in names]


def count_confirmed(compared: Compared) -> int:
    """Return how many of authors, year, venue and identifiers agree next to the title."""
    fields = {c.field if c.field in {"authors", "year", "venue"} else "id" for c in compared.comparisons
              if c.outcome.agrees and c.field not in {"title", *_LOCATORS}}  # fmt: skip
    return len(fields)


_RULES: tuple[Callable[[Compared], list[tuple[str, float]]], ...] = (
    _find_title_faults,
    _find_author_faults,
    _find_year_faults,
    _find_venue_faults,
    _find_identifier_faults,
    _find_locator_faults,
)
