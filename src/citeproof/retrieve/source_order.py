"""Which live sources are asked for an identifier or a title, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeproof.text import doi as dois
from citeproof.vocabulary import Question, Reach

# Registrants whose DOIs DataCite keeps, not Crossref: arXiv, Zenodo, figshare, OSF, Dryad, Dataverse, …
DATACITE = frozenset(
    [
        "10.48550",
        "10.5281",
        "10.6084",
        "10.17605",
        "10.5061",
        "10.7910",
        "10.5517",
        "10.25384",
        "10.15468",
        "10.17863",
        "10.5167",
        "10.24433",
        "10.4121",
        "10.60692",
        "10.57967",
        "10.36227",
        "10.17632",
        "10.11588",
        "10.18452",
        "10.14279",
        "10.25932",
        "10.5445",
        "10.3929",
    ]
)
# Who is asked for an identifier first, who next when that brought nothing.
_FIRST = {
    "pmid": ("pubmed",),
    "pmcid": ("pmc",),
    "arxiv": ("arxiv",),
    "ads": ("ads",),
    "isbn": ("open_library",),
    "issn": ("issn",),
    "who_iris": ("who_iris",),
    "url": ("github", "pypi", "zenodo", "url"),
    "acl": ("acl",),
    "openreview": ("openreview",),
    "dblp": ("dblp",),
}
_NEXT: dict[str, tuple[tuple[str, ...], ...]] = {
    "doi": (("doi",), ("openalex",), ("crossref", "datacite", "semantic_scholar", "europe_pmc", "inspire")),
    "pmid": (("europe_pmc", "openalex"), ("semantic_scholar",)),
    "pmcid": (("europe_pmc", "openalex"),),
    "arxiv": (("semantic_scholar",), ("inspire", "ads")),
    "isbn": (("k10plus", "google_books"), ("crossref",)),
    "acl": (("semantic_scholar",),),
}
# Who gives a second opinion when an identifier leads to a work of another title.
_SECOND = {"doi": ("openalex", "semantic_scholar"), "pmid": ("europe_pmc",), "arxiv": ("semantic_scholar",)}


def list_first_sources(question: Question, known: Iterable[str]) -> tuple[str, ...]:
    """Return the sources to ask first for an identifier; all that answer when its own is not there."""
    names = _FIRST.get(question.by, ())
    if question.by == "doi":
        agency = "datacite" if dois.get_prefix(question.value) in DATACITE else "crossref"
        names = (agency, "unpaywall")  # the latter is there only if it was named: it adds a free copy
    here = set(known)
    return tuple(name for name in names if name in here) or tuple(sorted(here - {"doi", "unpaywall"}))


def list_next_sources(question: Question, *, answered: bool) -> tuple[tuple[str, ...], ...]:
    """Return the sources to ask, step by step, when the first brought nothing.

    A DOI that its agency does not have may not exist, which the handle system says at once. One whose
    agency did not answer most likely does; others that describe it are asked before.
    """
    steps = _NEXT.get(question.by, ())
    if question.by == "doi" and not answered:
        return (*steps[1:], steps[0])
    return steps


def list_second_sources(question: Question) -> tuple[str, ...]:
    """Return who may confirm what an identifier leads to."""
    return _SECOND.get(question.by, ())


def split_title_sources(orders: Sequence[tuple[str, int, Reach]]) -> tuple[list[str], list[str]]:
    """Return the sources for a title: those whose answer settles most, then the rest.

    Each row is a source's name, its place in the order of searches, and what its silence would mean.
    """
    main = [name for name, order, reach in orders if order in (1, 2) and reach is not Reach.PARTIAL]
    if not main:
        main = [name for name, order, _ in orders if order in (1, 2)]
    return main, [name for name, order, _ in orders if name not in main and order < 9]
