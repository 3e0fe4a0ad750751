"""A model's answer with markers, rendered the same way for every interface."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

import msgspec

from citeproof.answers.serializers import Json, build_record_json
from citeproof.claims.cite_markers import tidy_key
from citeproof.claims.cited_sentences import CITED
from citeproof.claims.grounding import GroundingEngine
from citeproof.claims.hypothesis_json import ShortText
from citeproof.claims.proposed_answer import ANSWER_HINT, ProposedAnswer, list_answer_works
from citeproof.claims.rendered_text import (
    MOST_KEYS,
    AnswerRenderer,
    CitationWriter,
    FindWork,
    RenderedPart,
    RenderedText,
)
from citeproof.errors import UsageError
from citeproof.reading.parse import parse_all
from citeproof.service.engine_pool import EnginePool
from citeproof.service.exit_codes import Exit
from citeproof.service.identified_works import recognise_identifier
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import (
    CitationCandidate,
    Claim,
    Claimed,
    ClaimStatus,
    Document,
    Extraction,
    Ids,
    Kind,
    Place,
)

MOST_LIBRARY = 500_000  # characters of a bibliography in a request
MOST_SERVED_TEXT = 200_000  # characters of a text in one
MOST_SERVED = 100  # keys of one request that are looked up


class RenderRequest(ProposedAnswer, frozen=True, kw_only=True, forbid_unknown_fields=True):
    text: Annotated[str, msgspec.Meta(max_length=MOST_SERVED_TEXT)]
    style: ShortText | None = None
    bibliography: Annotated[str, msgspec.Meta(max_length=MOST_LIBRARY)] = ""  # BibTeX, RIS, CSL-JSON …


def read_render_request(data: bytes) -> RenderRequest:
    """Return the request in a JSON object; UsageError, with the field, for one that is none."""
    try:
        return decode_json(data, type=RenderRequest, strict=False)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UsageError(f"cannot be rendered: {error}", place="body", hint=ANSWER_HINT) from error


async def render_request(
    pool: EnginePool, wanted: RenderRequest, writer: CitationWriter, engine: GroundingEngine
) -> Json:
    """Return what a request asks for; the bibliography is read in the sandbox."""
    library = None
    if wanted.bibliography:
        document = Document("bibliography", wanted.bibliography.encode("utf-8", "replace"))
        library = await asyncio.to_thread(pool.read_document, document)
    finder = make_work_finder(wanted, library)
    return build_rendered_json(await render_answer(engine, wanted.text, finder, writer, MOST_SERVED))


def make_work_finder(
    answer: ProposedAnswer, library: Extraction | None = None, *, identifiers: bool = True
) -> FindWork:
    """Return what knows the work of a key: of the two lists, or, with `identifiers`, any identifier."""
    works = list_answer_works(answer)
    for cited in parse_all(library.references if library else ()):
        candidate = CitationCandidate(cited.claimed, CITED, text=cited.raw, kind=cited.kind)
        works[tidy_key(cited.key)] = Claim(cited.key, "", cited.place, (candidate,))
    folded = {key.casefold(): work for key, work in reversed(works.items())}

    def find_work(key: str) -> Claim | None:
        named = works.get(key) or folded.get(key.casefold())
        return named or (_read_identifier(key) if identifiers else None)

    return find_work


def _read_identifier(key: str) -> Claim | None:
    """Return the work that an identifier names; a bare number is none, since it may be meant as a place."""
    if key.isdecimal():
        return None
    try:
        scheme, value = recognise_identifier(key)
    except UsageError:
        return None
    if scheme == "issn":
        return None
    kind = Kind.BOOK if scheme == "isbn" else Kind.UNKNOWN
    claimed = Claimed(ids=Ids(((scheme, value),)), et_al=True)
    return Claim(key, "", Place(), (CitationCandidate(claimed, CITED, text=f"{scheme}:{value}", kind=kind),))


async def render_answer(
    engine: GroundingEngine, text: str, find_work: FindWork, writer: CitationWriter, most: int = MOST_KEYS
) -> RenderedText:
    """Return a whole answer as a reader may see it; `most` keys are looked up."""
    renderer = AnswerRenderer(engine, find_work, writer, most)
    try:
        parts = [*await renderer.feed(text), *await renderer.finish()]
    finally:
        await renderer.close()
    return join_parts(parts, renderer.list_references())


def join_parts(parts: Sequence[RenderedPart], references: Sequence[str]) -> RenderedText:
    """Return the parts of an answer as one; the last of them is the list, if there are references."""
    shown = parts[:-1] if references else parts
    return RenderedText(
        "".join(part.text for part in shown),
        tuple(references),
        tuple(citation for part in shown for citation in part.citations),
        tuple(text for part in shown for text in part.held_back),
    )


def choose_exit_code(rendered: RenderedText) -> Exit:
    """Return what a run ends with: every marker must be a citation, and nothing written by hand."""
    if not rendered.citations and not rendered.held_back:
        return Exit.NOTHING
    lost = [citation.status for citation in rendered.citations if citation.record is None]
    if rendered.held_back or {*lost} - {ClaimStatus.UNCHECKED}:
        return Exit.PROBLEMS
    return Exit.UNCHECKED if lost else Exit.CLEAN


def build_rendered_json(rendered: RenderedText) -> Json:
    return {
        "schema": "citeproof/rendered/1",
        "text": rendered.text,
        "body": rendered.body,
        "references": list(rendered.references),
        "verified": rendered.verified,
        "citations": [
            {
                "key": citation.key,
                "status": citation.status.value,
                "reason": citation.reason or None,
                "record": build_record_json(citation.record) if citation.record else None,
            }
            for citation in rendered.citations
        ],
        "held_back": list(rendered.held_back),
    }
