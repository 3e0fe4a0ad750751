"""The sentences of a document that cite something -> claims: one for each sentence and work that it cites."""

from __future__ import annotations

from collections.abc import Mapping

from citeproof.parse import parse_all
from citeproof.vocabulary import CitationCandidate, Claim, Extraction, Hypothesis, Place

CITED = 1.0  # the document itself says which reference is meant
_NOWHERE = Place()
UNCITED = ""  # a reference that no sentence of the document cites


def list_cited_claims(
    extraction: Extraction, name: str, places: Mapping[str, Place] | None = None
) -> Hypothesis:
    """Return the sentences of a document with the reference that each cites, as claims.

    A sentence that cites three works is three claims. A reference that no sentence cites is a claim without
    words: it is verified all the same, since a reader sees it. `places` says where sentences stand.
    """
    claims: list[Claim] = []
    for reference in parse_all(extraction.references):
        candidate = CitationCandidate(reference.claimed, CITED, text=reference.raw, kind=reference.kind)
        for number, sentence in enumerate(reference.citing or (UNCITED,), 1):
            name_ = reference.key if len(reference.citing) < 2 else f"{reference.key}:{number}"
            place = (places or {}).get(sentence, _NOWHERE)
            claims.append(Claim(name_, sentence, reference.place, (candidate,), sentence=place))
    return Hypothesis(name, claims=tuple(claims))
