"""Whether a text that a language model would read gives orders: then no model is asked about the reference.

The gate is stricter than the finding: the title of a paper about such attacks, or words that only may be an
order, are no finding, but they stop the question. What a model reads it may obey.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeproof.judgement.checks.prompt_injection import find_injection_in, list_suspected_orders
from citeproof.judgement.review.evidence_texts import EvidenceText
from citeproof.vocabulary import Finding, Judgement, Reference


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """Whether models may read the texts: `reason` is empty if they may. `finding`: somebody surely tried."""

    reason: str = ""
    finding: Finding | None = None


def examine_texts(
    texts: Sequence[EvidenceText], reference: Reference, judgement: Judgement | None = None
) -> GateOutcome:
    """Return whether a model may read `texts`, each with who wrote it."""
    titles = [reference.claimed.title or ""]
    if judgement is not None and judgement.matched is not None:
        titles += judgement.matched.record.titles
    return examine_strange_texts(texts, titles)


def examine_strange_texts(texts: Sequence[EvidenceText], titles: Sequence[str] = ()) -> GateOutcome:
    """Return whether a model may read `texts`; `titles` are names of works, which may sound like orders."""
    found = find_injection_in(texts, titles)
    if found is not None:
        return GateOutcome(found.detail, found)
    for source, text in texts:
        if told := list_suspected_orders(text):
            return GateOutcome(f"text of {source} may be an order to a language model ({told[0]})")
    return GateOutcome()
