"""Routes that do work: check, verify, ground, guard, render, fix, resolve, retraction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from citeproof.answers import serializers
from citeproof.answers.serializers import dumps
from citeproof.plumbing.stores.job_store import Job, JobState
from citeproof.service.answer_session import read_render_request, render_request
from citeproof.service.claim_session import make_text_guard
from citeproof.service.guarded_text import (
    build_event_json,
    build_guarded_json,
    give_once,
    guard_in_pool,
    stream_guarded,
)
from citeproof.service.identified_works import (
    IdentifiedWork,
    build_retraction_json,
    describe_failure,
    look_up_work,
    recognise_identifier,
)
from citeproof.service.job_reports import build_answer_json
from citeproof.service.job_requests import CHECK, FIX, GROUND, JobRequest
from citeproof.service.listed_references import list_references, read_citation
from citeproof.surfaces.rest import api_description as described
from citeproof.surfaces.rest.error_answers import JSON, ApiError
from citeproof.surfaces.rest.request_bodies import (
    read_document_body,
    read_generated_text,
    read_json_body,
    read_pasted_request,
    require_llm,
)
from citeproof.surfaces.rest.rest_door import (
    build_run_state_json,
    get_door,
    locate_run,
    submit_job,
    wants_async,
)
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, Extraction, RawReference

router = APIRouter(prefix="/v1")
QUICK = 100_000  # bytes of a document whose claims are grounded, or that is fixed, while the caller waits
SCREEN = "screenWithLlm"


@router.post("/check", **described.describe_route("check"))
async def check_references(request: Request) -> Response:
    """Check the references of a document, a text or a list.

    Up to 25 references are checked while you wait, and the answer is the report. More, or `Prefer:
    respond-async`: the answer is 202 and a run, whose place is in `Location`. An `Idempotency-Key` makes a
    repeated request give the same run.
    """
    work = read_pasted_request((await read_document_body(request)).make_request(CHECK))
    extraction = await asyncio.to_thread(_read_references, request, work)
    small = len(extraction.references) <= get_door(request).options.sync_items
    return await _answer_work(request, work, extraction, wait=small)


@router.post("/ground", **described.describe_route("ground"))
async def ground_claims(request: Request) -> Response:
    """Ground the claims of a document or a hypothesis: each has a verified citation or none."""
    work = (await read_document_body(request)).make_request(GROUND)
    if work.listed:
        hint = "send `text`, `hypothesis` or a file"
        raise ApiError(400, "BAD_REQUEST", "a list has no claims", place="references", hint=hint)
    return await _answer_work(request, work, None, wait=len(work.data) <= QUICK)


@router.post("/fix", **described.describe_route("fix"))
async def fix_references(request: Request) -> Response:
    """Correct the references of a document: what would change, with its evidence and a diff."""
    work = (await read_document_body(request)).make_request(FIX)
    if work.listed:
        hint = "send a file or `text`"
        raise ApiError(400, "BAD_REQUEST", "a list cannot be corrected", place="references", hint=hint)
    return await _answer_work(request, work, None, wait=len(work.data) <= QUICK)


@router.post("/render", **described.describe_route("render"))
async def render_answer_text(request: Request) -> Response:
    """Render the answer of a language model: each `[[cite:KEY]]` becomes a citation from a verified record.

    A KEY is one of `citations` or of `bibliography`, a DOI or an arXiv number. Any other becomes a mark,
    and so does what is cited without a marker. Up to 100 keys are looked up.
    """
    from citeproof.laboratory.measure.rendering.cited_text import make_citation_writer  # noqa: PLC0415 - few ask

    wanted = read_render_request(msgspec.json.encode(await read_json_body(request)))
    writer, pool = make_citation_writer(wanted.style), get_door(request).runner.pool
    answer = await pool.run("grounding", lambda engine: render_request(pool, wanted, writer, engine))
    return Response(dumps(answer), media_type=JSON)


@router.post("/guard", **described.describe_route("guard"))
async def guard_generated_text(request: Request) -> Response:
    """Return a generated text with verified citations only, and what became of each.

    With `Accept: text/event-stream` the answer is events: text at once, placeholders for citations that are
    not decided yet, and their patches. See docs/language-models.md.
    """
    text, removal = await read_generated_text(request)
    pool = get_door(request).runner.pool
    if "text/event-stream" not in request.headers.get("accept", ""):
        guarded = await guard_in_pool(pool, text, removal)
        return Response(dumps(build_guarded_json(guarded)), media_type=JSON)
    engine = await pool.take_quickly("grounding")
    guard = make_text_guard(engine, removal, pool.make_assessor(engine))

    async def stream() -> AsyncGenerator[str]:
        try:
            async with aclosing(stream_guarded(guard, give_once(text), pool.loop.arun)) as events:
                async for event in events:
                    yield f"event: {event.event}\ndata: {dumps(build_event_json(event)).decode()}\n\n"
        finally:
            await pool.loop.arun(guard.close())
            await pool.loop.arun(pool.give_back(engine))

    return StreamingResponse(stream(), media_type="text/event-stream")


@router.post("/verify", **described.describe_route("verify"))
async def verify_citation(request: Request) -> Response:
    """Verify one citation; the answer has the shape of `verifyCitation`.

    `?compat=true` leaves out every key that this shape does not know.
    """
    given = _flatten_claimed(await read_json_body(request))
    screen = given.pop(SCREEN, False)
    if not isinstance(screen, bool):
        raise ApiError(400, "BAD_REQUEST", "is neither true nor false", place=SCREEN, hint="send true")
    if screen:
        require_llm(request)
    if unknown := given.keys() - described.CITATION_FIELDS:
        hint = f"known fields: {', '.join(sorted(described.CITATION_FIELDS))}"
        raise ApiError(400, "BAD_REQUEST", "is not known", place=min(unknown)[:80], hint=hint)
    checked, overrides = await _verify_reference(request, read_citation(given), llm=screen)
    compat = request.query_params.get("compat", "").lower() in ("1", "true")
    answer = serializers.build_verify_json(checked, compat=compat, screen=screen, overrides=overrides)
    return Response(dumps(answer), media_type=JSON)


@router.get("/resolve/{identifier:path}", **described.describe_route("resolve"))
async def resolve_identifier(identifier: str, request: Request) -> Response:
    """Resolve a DOI, arXiv number, PMID, PMCID, ADS bibcode or ISBN to its record."""
    work = await _look_up_identifier(request, identifier)
    record = work.record
    answer: dict[str, Any] = {"scheme": work.scheme, "id": work.value, "found": record is not None}
    answer["record"] = serializers.build_record_json(record) if record else None
    answer["reason"], answer["detail"] = (None, None) if record else describe_failure(work)
    answer["citeproof"] = serializers.build_checked_json(work.checked)
    return Response(dumps(answer), media_type=JSON)


@router.get("/retraction/{identifier:path}", **described.describe_route("retraction"))
async def check_retraction(identifier: str, request: Request) -> Response:
    """Say whether a work was retracted, corrected or doubted; `result` is null where nobody can say."""
    work = await _look_up_identifier(request, identifier)
    return Response(dumps(build_retraction_json(work)), media_type=JSON)


def _read_references(request: Request, work: JobRequest) -> Extraction:
    """Return the references of a document, to know how many there are; the job uses them."""
    if work.listed:
        return list_references(work.data)
    return get_door(request).runner.pool.read_document(work.document)


async def _answer_work(
    request: Request, work: JobRequest, extraction: Extraction | None, *, wait: bool
) -> Response:
    """Return what the work gives, or where it is found later."""
    door = get_door(request)
    wait = wait and not wants_async(request)
    job = await submit_job(request, work, extraction=extraction, at_once=wait)
    if wait and not job.state.ended:
        job = await door.runner.wait(job.id, door.options.sync_seconds)
    headers = {"Location": locate_run(job)}
    if not wait or not job.state.ended:
        return Response(dumps(build_run_state_json(job)), 202, headers, media_type=JSON)
    if job.state is not JobState.DONE:
        raise _make_job_error(job)
    answer = await asyncio.to_thread(build_answer_json, door.runner.store, job)
    return Response(answer, 200, headers, media_type=JSON)


def _make_job_error(job: Job) -> ApiError:
    message, place, hint = [*(job.error or "the run was cancelled").split("\n"), "", ""][:3]
    return ApiError(422, "FAILED", message, place=place, hint=hint, headers={"Location": locate_run(job)})


async def _verify_reference(
    request: Request, raw: RawReference, *, llm: bool = False
) -> tuple[Checked, tuple[Any, ...]]:
    """Return one reference, checked, and what was overridden for it."""

    async def verify(engine: ReferenceVerifier) -> tuple[Checked, tuple[Any, ...]]:
        return await engine.verify_one(raw), engine.overrides

    return await get_door(request).runner.pool.run("verify", verify, llm=llm)


async def _look_up_identifier(request: Request, identifier: str) -> IdentifiedWork:
    scheme, value = recognise_identifier(identifier)
    pool = get_door(request).runner.pool
    return await pool.run("verify", lambda engine: look_up_work(engine, scheme, value))


def _flatten_claimed(given: dict[str, Any]) -> dict[str, Any]:
    """Return `{"claimed": {…}, "options": {…}}` in the flat words of `verifyCitation`."""
    if not isinstance(given.get("claimed"), msgspec.Raw) or given.keys() - {"claimed", "options"}:
        return given
    flat, options = (
        msgspec.json.decode(msgspec.json.encode(given.get(name))) for name in ("claimed", "options")
    )
    if not isinstance(flat, dict):
        return given
    authors = flat.pop("authors", None)
    if isinstance(authors, list) and authors and isinstance(authors[0], dict):
        flat["author"] = authors[0].get("family")
    if isinstance(options, dict) and "screen_with_llm" in options:
        flat[SCREEN] = options["screen_with_llm"]
    return flat
