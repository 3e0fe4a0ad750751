"""The sentences of a document that cite something -> claims: one for each sentence and work that it cites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from citeproof.claims.mention_search import rank_references
from citeproof.claims.mention_surroundings import CitingDocument
from citeproof.claims.mentioned_works import make_unknown
from citeproof.claims.text_citations import find_text_citations
from citeproof.extractors.prose.sentence_spans import find_sentence_spans
from citeproof.parse import parse_all
from citeproof.vocabulary import CitationCandidate, Claim, Extraction, Hypothesis, Place, Reference

CITED = 1.0  # the document itself says which reference is meant
_NOWHERE = Place()
UNCITED = ""  # a reference that no sentence of the document cites


def list_unlisted_claims(
    text: str, references: Sequence[Reference], locate: Callable[[int, int], Place]
) -> Iterator[Claim]:
    """Yield a claim for each author and year that a text names and its reference list does not have.

    Each is a claim of its own: a work that exists verifies no other that is named beside it.
    """
    mentioned = [one for one in find_text_citations(text) if one.mention is not None]
    sentences = list(find_sentence_spans(text)) if mentioned else []
    unlisted = 0
    for citation in mentioned:
        start, end = next(
            (span for span in sentences if span[0] <= citation.start < span[1]),
            (citation.start, citation.end),
        )
        sentence, mention = text[start:end].strip(), citation.mention
        assert mention is not None  # they were chosen so
        around = CitingDocument("").find_surroundings(mention, sentence)
        if rank_references(mention, references, around):
            continue
        unlisted += 1
        place = locate(citation.start, citation.end)
        yield Claim(
            f"mention-{unlisted}", sentence, place, (make_unknown(mention),), sentence=locate(start, end)
        )


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
