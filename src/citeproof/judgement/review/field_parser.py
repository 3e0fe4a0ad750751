"""The parser: fields of a citation string in which rules and tagger found no title or no authors.

Each value must be in the string, letter for letter, or it is dropped. What is filled in this way is a weak
reading: a work that is not found under it is never called `not_found`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import msgspec

from citeproof.judgement.models.base import ModelQuestion
from citeproof.judgement.review.model_exchange import is_in_texts, load_prompt
from citeproof.reading.parse.field_normalisers import normalise_title, normalise_venue
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text import title as titles
from citeproof.vocabulary import Claimed, FieldOrigin, Kind, ModelTask, Origin, Reference

SURE = 0.5  # below what an accusation needs
LONGEST = 3_000  # characters of a citation that are sent
_SHORTEST = 12  # letters of a string that may be a citation
_LEAST_TITLE = 4  # letters of a title
_MOST_NAMES = 60
_CUT = re.compile(r"\bet al\b|\band others\b|等")
_UNTITLED = (Kind.PERSONAL_COMMUNICATION, Kind.LEGAL)
_Text = Annotated[str, msgspec.Meta(max_length=3000)]


class ParserAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the parser must answer."""

    title: _Text
    authors: Annotated[list[_Text], msgspec.Meta(max_length=500)]
    year: int | None
    venue: _Text


def needs_parser(reference: Reference) -> bool:
    """Return whether a citation string is without a title or authors after rules and tagger read it."""
    claimed = reference.claimed
    own = any(origin.origin is Origin.STRUCTURED for origin in claimed.origins)
    read = any(origin.origin in (Origin.MODEL, Origin.RULE) for origin in claimed.origins)
    whole = bool(claimed.title) and bool(claimed.authors or claimed.editors)
    if own or whole or reference.kind in _UNTITLED or not (read or not claimed.title):
        return False
    return len(titles.make_title_key(reference.raw)) >= _SHORTEST


def make_parser_question(reference: Reference) -> ModelQuestion[ParserAnswer]:
    """Return the question about a citation string."""
    prompt = load_prompt(ModelTask.PARSER)
    evidence = (("citation as written", reference.raw[:LONGEST]),)
    return ModelQuestion(ModelTask.PARSER, prompt.version, prompt.text, evidence, ParserAnswer, 1500)


def apply_parser_answer(answer: ParserAnswer, reference: Reference) -> Reference:
    """Return the reference with what was empty and what the answer finds in its raw text."""
    claimed, raw = reference.claimed, reference.raw[:LONGEST]
    filled = claimed
    title = normalise_title(answer.title) if is_in_texts(answer.title, [raw]) else None
    if not claimed.title and title and len(titles.make_title_key(title)) >= _LEAST_TITLE:
        filled = _set_field(filled, "title", title, answer.title)
    named = answer.authors if all(is_in_texts(name, [raw]) for name in answer.authors) else []
    if not claimed.authors and not claimed.editors and named:
        people = tuple(names.parse(name[:300]) for name in named[:_MOST_NAMES])
        filled = _set_field(filled, "authors", people, "; ".join(named))
        filled = replace(filled, et_al=len(named) > _MOST_NAMES or bool(_CUT.search(raw)))
    if claimed.year is None and answer.year and re.search(rf"(?<!\d){answer.year}(?!\d)", raw):
        filled = _set_field(filled, "year", answer.year, str(answer.year))
    venue = normalise_venue(answer.venue) if is_in_texts(answer.venue, [raw]) else None
    if not claimed.venue and venue and venue != filled.title:
        filled = _set_field(filled, "venue", venue, answer.venue)
    return reference if filled is claimed else replace(reference, claimed=filled)


def list_filled_fields(reference: Reference) -> tuple[str, ...]:
    """Return the names of the fields that a language model filled."""
    return tuple(o.field for o in reference.claimed.origins if o.origin is Origin.LANGUAGE_MODEL)


def _set_field(claimed: Claimed, name: str, value: object, raw: str) -> Claimed:
    kept = tuple(origin for origin in claimed.origins if origin.field != name)
    origin = FieldOrigin(name, Origin.LANGUAGE_MODEL, SURE, raw[:1000])
    return replace(claimed, **{name: value, "origins": (*kept, origin)})  # type: ignore[arg-type]
