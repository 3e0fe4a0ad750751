"""Which of the two agencies keeps a DOI: the other one is asked for it last."""

from __future__ import annotations

from citeproof.text import doi

# Registrants whose DOIs DataCite keeps, not Crossref: arXiv, Zenodo, figshare, OSF, Dryad, Dataverse, …
_DATACITE = frozenset((
    "10.48550", "10.5281", "10.6084", "10.17605", "10.5061", "10.7910", "10.5517", "10.25384", "10.15468",
    "10.17863", "10.5167", "10.24433", "10.4121", "10.60692", "10.57967", "10.36227", "10.17632", "10.11588",
    "10.18452", "10.14279", "10.25932", "10.5445", "10.3929",
))  # fmt: skip
OTHER_AGENCY = 4  # the turn of the agency that most likely does not have a DOI


def is_datacite_doi(value: str) -> bool:
    """Return whether DataCite keeps a DOI, not Crossref."""
    return doi.get_prefix(value) in _DATACITE
