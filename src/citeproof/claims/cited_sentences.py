"""The sentences of a document that cite something -> claims: one for each sentence and work that it cites."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from citeproof.claims.mention_search import rank_references
from citeproof.claims.mention_surroundings import MentionSurroundings
from citeproof.claims.mentioned_works import make_unknown_candidate
from citeproof.claims.text_citations import find_text_citations
from citeproof.reading.extractors.decoded_text import DecodedText
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans, render_sentence
from citeproof.reading.parse import parse_all
from citeproof.vocabulary import CitationCandidate, Claim, Extraction, Hypothesis, Place, Reference

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


def list_unlisted_mentions(decoded: DecodedText, listed: Sequence[Reference]) -> tuple[Claim, ...]:
    """Return a claim for each place that cites people and a year that no listed reference has."""
    around = MentionSurroundings()
    spans = list(find_sentence_spans(decoded.text))
    starts = [start for start, _ in spans]
    claims: list[Claim] = []
    for one in find_text_citations(decoded.text):
        if one.mention is None or rank_references(one.mention, listed, around):
            continue
        at = bisect_right(starts, one.start) - 1
        sentence = render_sentence(decoded.text, *spans[at], one.start)
        place = decoded.locate_span(one.start, one.end)
        candidates = (make_unknown_candidate(one.mention),)
        claims.append(Claim(f"mention-{len(claims) + 1}", sentence, place, candidates, sentence=place))
    return tuple(claims)
