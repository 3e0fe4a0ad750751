"""Hypotheses as JSON (docs/spec/hypothesis.schema.json): claims, each with the references proposed for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import msgspec

from citeproof.errors import InputError
from citeproof.reading.parse import parse
from citeproof.text import names
from citeproof.text.ids import normalise_id
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import (
    CitationCandidate,
    Claim,
    Claimed,
    Hypothesis,
    Ids,
    Kind,
    Name,
    Place,
    RawReference,
)

PROPOSED = 0.5  # how sure a proposed reference is that does not say so
MOST_BYTES = 50_000_000
_HINT = "docs/claims.md shows what is in such a file"
_SCHEMES = ("doi", "arxiv", "pmid", "pmcid", "isbn", "ads", "acl", "openreview")

ShortText = Annotated[str, msgspec.Meta(max_length=2000)]
LongText = Annotated[str, msgspec.Meta(max_length=20_000)]
Confidence = Annotated[float, msgspec.Meta(ge=0, le=1, description="how sure the proposer is")]


class _Identifiers(msgspec.Struct, frozen=True, kw_only=True):
    doi: ShortText | None = None
    arxiv: ShortText | None = None
    pmid: ShortText | int | None = None
    pmcid: ShortText | None = None
    isbn: ShortText | None = None
    ads: ShortText | None = None
    acl: ShortText | None = None
    openreview: ShortText | None = None
    confidence: Confidence | None = None


class ProposedIdentifier(_Identifiers, frozen=True, kw_only=True):
    """One identifier that a proposed reference may have."""


class ProposedReference(_Identifiers, frozen=True, kw_only=True):
    """One proposed reference; `candidates` are further identifiers of what may be meant."""

    text: LongText = ""
    title: ShortText | None = None
    authors: Annotated[list[ShortText], msgspec.Meta(max_length=1000)] = []
    year: Annotated[int, msgspec.Meta(ge=0, le=9999)] | None = None
    venue: ShortText | None = None
    candidates: Annotated[list[ProposedIdentifier], msgspec.Meta(max_length=100)] = []


class ProposedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """One claim."""

    text: LongText
    id: ShortText = ""
    references: Annotated[list[ProposedReference | LongText], msgspec.Meta(max_length=100)] = []


class ProposedHypothesis(msgspec.Struct, frozen=True, kw_only=True):
    """A hypothesis with its claims."""

    claims: Annotated[list[ProposedClaim | LongText], msgspec.Meta(max_length=100_000)]
    id: ShortText = ""
    title: LongText = ""
    model: ShortText = ""


def read_hypothesis(data: bytes, name: str) -> Hypothesis:
    """Return the hypothesis in a JSON file; InputError, with the place in it, for one that is none."""
    if len(data) > MOST_BYTES:
        raise InputError(f"has more than {MOST_BYTES:,} bytes", place=name, hint="split it")
    try:
        given = decode_json(data, type=ProposedHypothesis)
    except msgspec.ValidationError as error:
        raise InputError(f"is not a hypothesis: {error}", place=name, hint=_HINT) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise make_json_error(data, name, error) from error
    claims = tuple(_read_claim(one, number, name) for number, one in enumerate(given.claims, 1))
    return Hypothesis(given.id or name, given.title, claims, given.model)


def make_json_error(data: bytes, name: str, error: Exception) -> InputError:
    """Return the error of a file that is not JSON, with the line and column where it breaks."""
    try:
        json.loads(data)
    except json.JSONDecodeError as found:
        place = f"{name}:{found.lineno}:{found.colno}"
        return InputError(f"is not JSON: {found.msg}", place=place, hint=_HINT)
    except (ValueError, RecursionError):
        pass
    return InputError(f"is not JSON: {error}", place=name, hint=_HINT)


def build_input_schema() -> dict[str, object]:
    """Return the JSON Schema of a hypothesis."""
    return msgspec.json.schema(ProposedHypothesis)


def propose_text(text: str, confidence: float = PROPOSED) -> CitationCandidate:
    """Return the candidate that a reference given as text describes."""
    reference = parse(RawReference("citation", text, Place()))
    return CitationCandidate(reference.claimed, confidence, text=text, kind=reference.kind)


def _read_claim(given: ProposedClaim | str, number: int, name: str) -> Claim:
    place = Place(name)
    if isinstance(given, str):
        return Claim(f"c{number}", given, place, own_document=False)
    found = tuple(one for each in given.references for one in _read_reference(each))
    return Claim(given.id or f"c{number}", given.text, place, found, own_document=False)


def _read_reference(given: ProposedReference | str) -> Iterator[CitationCandidate]:
    """Yield a candidate for each work that may be meant; what cannot be read is a candidate by its words."""
    if isinstance(given, str):
        yield propose_text(given)
        return
    claimed = Claimed(
        title=given.title,
        authors=tuple(names.parse(one) if " " in one or "," in one else Name(one) for one in given.authors),
        et_al=True,
        year=given.year,
        venue=given.venue,
    )
    if given.text and not (claimed.title or claimed.authors):
        claimed = _fill_fields(claimed, propose_text(given.text).claimed)
    own = PROPOSED if given.confidence is None else given.confidence
    ways = [(_list_pairs(one), one.confidence) for one in (given, *given.candidates)]
    named = [(pairs, sure) for pairs, sure in ways if pairs]
    for pairs, sure in named or [((), None)]:
        kind = Kind.BOOK if {scheme for scheme, _ in pairs} == {"isbn"} else Kind.ARTICLE
        yield CitationCandidate(
            replace(claimed, ids=Ids(pairs)),
            own if sure is None else sure,
            text=given.text or given.title or _join_words(given),
            kind=kind,
        )


def _join_words(given: ProposedReference) -> str:
    """Return all that a reference without text and title says."""
    every = (*given.authors, given.year, given.venue, *(getattr(given, scheme) for scheme in _SCHEMES))
    return " ".join(str(one) for one in every if one)


def _fill_fields(claimed: Claimed, stated: Claimed) -> Claimed:
    """Return the fields, those that are missing as the reference's text states them."""
    return replace(
        claimed,
        title=stated.title,
        authors=stated.authors,
        year=claimed.year or stated.year,
        venue=claimed.venue or stated.venue,
    )


def _list_pairs(given: _Identifiers) -> tuple[tuple[str, str], ...]:
    pairs = ((scheme, getattr(given, scheme)) for scheme in _SCHEMES)
    normal = ((scheme, normalise_id(scheme, str(value).strip())) for scheme, value in pairs if value)
    return tuple((scheme, value) for scheme, value in normal if value)
