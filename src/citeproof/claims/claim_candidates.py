"""Which works a claim may cite: proposed ones, and identifiers in its text; the surest first.

An identifier in the text that a proposed reference has too is that reference: what is claimed of it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from citeproof.text.ids import find_ids
from citeproof.vocabulary import CandidateOrigin, CitationCandidate, Claim, Claimed, Ids

WRITTEN = 0.8  # how sure an identifier is that stands in the claim itself
MOST = 20  # candidates of one claim
_SCHEMES = frozenset(("doi", "arxiv", "pmid", "pmcid", "isbn", "ads", "acl", "openreview"))


def collect_candidates(
    claim: Claim, mentioned: Sequence[CitationCandidate] = ()
) -> tuple[CitationCandidate, ...]:
    """Return the candidates of a claim, the surest first, each work once; `mentioned` by author and year."""
    every = [*claim.references, *_find_written_identifiers(claim.text), *mentioned]
    kept: list[CitationCandidate] = []
    for one in every:
        at = next((n for n, other in enumerate(kept) if _is_same_candidate(one, other)), None)
        if at is None:
            kept.append(one)
        elif kept[at].confidence < one.confidence:
            kept[at] = replace(kept[at], confidence=one.confidence)
    return tuple(sorted(kept, key=lambda one: -one.confidence)[:MOST])


def _find_written_identifiers(text: str) -> Iterable[CitationCandidate]:
    spans: dict[tuple[int, int], list[tuple[str, str]]] = {}  # one address may be a DOI and an ACL number
    for scheme, value, start, end in find_ids(text):
        if scheme in _SCHEMES:
            spans.setdefault((start, end), []).append((scheme, value))
    for (start, end), pairs in spans.items():
        claimed = Claimed(ids=Ids(tuple(pairs)), et_al=True)
        yield CitationCandidate(claimed, WRITTEN, CandidateOrigin.TEXT, text[start:end])


def _is_same_candidate(one: CitationCandidate, other: CitationCandidate) -> bool:
    if one.claimed.ids and other.claimed.ids:
        return not set(one.claimed.ids.pairs).isdisjoint(other.claimed.ids.pairs)
    return one.claimed == other.claimed and one.text == other.text
