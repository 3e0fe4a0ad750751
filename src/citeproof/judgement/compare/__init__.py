"""A reference against everything that was retrieved, field by field.

`compare` is a pure function of the reference, the *set* of lookups and the date: the order in
which sources answered changes nothing.
"""

from __future__ import annotations

from datetime import date

from citeproof.judgement.compare.evidence import Evidence
from citeproof.judgement.compare.record_comparison import compare_record
from citeproof.vocabulary import Compared, Reference, Retrieval

__all__ = ["Evidence", "compare", "compare_record"]


def compare(reference: Reference, retrieved: Retrieval, today: date) -> tuple[Compared, ...]:
    """Return every candidate worth a look, compared in full, best first."""
    return Evidence(reference, retrieved.facts, today, retrieved.lookups).compare()
