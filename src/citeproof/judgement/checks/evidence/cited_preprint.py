"""Which version of a work is cited: the preprint or the publication."""

from __future__ import annotations

from citeproof.text.venue_name import parse_venue
from citeproof.vocabulary import Kind, Reference

# DOI prefixes under which only preprints are registered: arXiv, bioRxiv and medRxiv, SSRN, OSF,
# Research Square, ChemRxiv, Preprints.org, TechRxiv, Authorea
PREPRINT_DOIS = (
    "10.48550/arxiv.", "10.1101/", "10.64898/", "10.2139/ssrn.", "10.31234/", "10.31219/", "10.31235/",
    "10.21203/rs.", "10.26434/chemrxiv", "10.20944/preprints", "10.36227/techrxiv", "10.22541/",
)  # fmt: skip
# DOIs of deposits: anything may be there, also a preprint
_DEPOSIT_DOIS = (
    "10.5281/zenodo.",
    "10.6084/m9.figshare",
    "10.13140/rg.",
    "10.17605/osf.io",
    "10.7910/dvn",
    "10.5555/",
)
_PAPERS = frozenset((Kind.ARTICLE, Kind.PREPRINT, Kind.REPORT, Kind.WEB_PAGE, Kind.UNKNOWN))


def is_preprint_doi(doi: str) -> bool:
    """Return whether a DOI is of a preprint server: 10.1101 is that of Cold Spring Harbor's journals, too."""
    if doi.startswith("10.1101/"):
        return doi[
            8:12
        ].isdigit()  # "10.1101/2020.01.01.123456", "10.1101/123456"; "10.1101/gr.1239303" is a journal's
    return doi.startswith(PREPRINT_DOIS)


def is_publication_doi(doi: str) -> bool:
    """Return whether a DOI may be that of a publication: not of a preprint server, not of a deposit."""
    return not is_preprint_doi(doi) and not doi.startswith(_DEPOSIT_DOIS)


def is_cited_as_preprint(reference: Reference) -> bool:
    """Return whether a citation names a preprint and no publication."""
    claimed = reference.claimed
    dois = claimed.ids.all("doi")
    if any(not is_preprint_doi(doi) for doi in dois):
        return False
    if claimed.venue:
        return parse_venue(claimed.venue).preprint
    if claimed.volume or claimed.series:
        return False
    if reference.kind is Kind.PREPRINT:
        return True
    return reference.kind in _PAPERS and (bool(dois) or claimed.ids.first("arxiv") is not None)
