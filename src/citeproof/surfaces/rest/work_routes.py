"""Routes that do work: check, verify, ground, guard, render, fix, resolve, retraction.

A body becomes documents: an upload, a text, or JSON; each bounded, each error with its place.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from starlette.datastructures import UploadFile

from citeproof.answers import serializers
from citeproof.answers.serializers import dumps
from citeproof.errors import InputError, NothingFoundError
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
from citeproof.service.input_documents import (
    CHECK,
    FIX,
    GROUND,
    TEXT,
    JobRequest,
    clean_name,
    read_pasted_text,
)
from citeproof.service.job_reports import build_answer_json
from citeproof.service.listed_references import LISTED, list_references, read_citation, read_flat_object
from citeproof.surfaces.rest import api_description as described
from citeproof.surfaces.rest.access_tokens import LLM
from citeproof.surfaces.rest.door_guard import CALLER
from citeproof.surfaces.rest.error_answers import JSON, ApiError
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
REMOVAL, BRACKET = "removal", "bracket"
LLM_CODE = "LLM_SCREEN_FORBIDDEN"
_FLAGS = {"screenWithLlm": "llm", "unsafe": "unsafe", "upgradePreprints": "upgrade_preprints"}
_KNOWN = frozenset(("text", "references", "name", "hypothesis", *_FLAGS))


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
    """Say whether a work was retracted, corrected or doubted; `result` is null where no source can say."""
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


@dataclass(slots=True)
class DocumentBody:
    """What a body holds: a document or a list of references, and how to treat it."""

    name: str = TEXT
    data: bytes = b""
    listed: bool = False
    flags: dict[str, bool] = field(default_factory=dict)
    given: str = ""  # the field that it came in, of a JSON body

    def make_request(self, kind: str) -> JobRequest:
        """Return the work that is asked for; ApiError for a hypothesis, unless its claims are grounded."""
        if self.given == "hypothesis" and kind != GROUND:
            hint = "send it to /v1/ground"
            raise ApiError(400, "BAD_REQUEST", "only its claims can be grounded", place=self.given, hint=hint)
        llm, unsafe, upgrade = (self.flags.get(name, False) for name in _FLAGS.values())
        return JobRequest(kind, self.name, self.data, self.listed, llm, unsafe, upgrade)


async def read_document_body(request: Request) -> DocumentBody:
    """Return the document of a request: `multipart/form-data`, `text/*` or `application/json`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        body = await _read_upload(request)
    elif kind.startswith("text/"):
        body = DocumentBody(clean_name(request.query_params.get("name")), await request.body())
    elif kind == "application/json":
        body = _read_json_document(await read_json_body(request))
    else:
        hint = "send multipart/form-data with a field `file`, text/plain, or application/json"
        raise ApiError(
            415, "UNSUPPORTED_MEDIA_TYPE", "cannot read such a body", place="Content-Type", hint=hint
        )
    if not body.data.strip():
        raise ApiError(400, "BAD_REQUEST", "is empty", place="body", hint="send a document or references")
    if body.flags.get("llm"):
        require_llm(request)
    return body


async def read_generated_text(request: Request) -> tuple[str, str]:
    """Return the text of a request to the guard, and what becomes of citations that are not verified."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith("text/"):
        return (await request.body()).decode("utf-8", "replace"), request.query_params.get(REMOVAL, BRACKET)
    given = await read_json_body(request)
    if unknown := given.keys() - {"text", REMOVAL}:
        hint = f"known fields: {REMOVAL}, text"
        raise ApiError(400, "BAD_REQUEST", "is not known", place=min(unknown)[:80], hint=hint)
    text, removal = given.get("text"), given.get(REMOVAL, BRACKET)
    for name, value in (("text", text), (REMOVAL, removal)):
        if not isinstance(value, str):
            raise ApiError(400, "BAD_REQUEST", "is not a text", place=name, hint="send it in quotes")
    return str(text), str(removal)


def read_pasted_request(work: JobRequest) -> JobRequest:
    """Return a request whose text has no name as every door reads it; InputError if it is no reference."""
    if work.name != TEXT or work.listed:
        return work
    try:
        pasted = read_pasted_text(work.data.decode(), len(work.data))
    except UnicodeDecodeError:  # a document in another encoding, or no text at all
        return work
    except NothingFoundError as error:  # but the address is there
        raise InputError(error.message, place=error.place, hint=error.hint) from error
    return replace(work, name=pasted.name, data=pasted.data)


def require_llm(request: Request) -> None:
    """Raise an ApiError if the caller may not have a language model asked."""
    caller = request.scope[CALLER]
    if LLM not in caller.scopes:
        hint = "leave it out, or send a token with the scope `llm`"
        raise ApiError(
            400, LLM_CODE, "a language model needs a token of scope llm", place="screenWithLlm", hint=hint
        )


async def read_json_body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a body, its lists and objects not yet read; ApiError if it is none."""
    try:
        return read_flat_object(await request.body())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"is not a JSON object: {error}"
        hint = "/v1/openapi.json describes it"
        raise ApiError(400, "BAD_REQUEST", message, place="body", hint=hint) from error


def _read_json_document(given: dict[str, Any]) -> DocumentBody:
    if unknown := given.keys() - _KNOWN:
        hint = f"known fields: {', '.join(sorted(_KNOWN))}"
        raise ApiError(400, "BAD_REQUEST", "is not known", place=min(unknown)[:80], hint=hint)
    named = [name for name in ("text", "references", "hypothesis") if given.get(name) is not None]
    if len(named) != 1:
        hint = "send one of `text`, `references` and `hypothesis`"
        raise ApiError(400, "BAD_REQUEST", f"has {len(named)} documents", place="body", hint=hint)
    flags = {ours: _read_flag(given, name) for name, ours in _FLAGS.items() if name in given}
    name, value = given.get("name"), given[named[0]]
    if name is not None and not isinstance(name, str):
        raise ApiError(400, "BAD_REQUEST", "is not a text", place="name", hint="send a file name")
    if named[0] == "text":
        if not isinstance(value, str):
            raise ApiError(400, "BAD_REQUEST", "is not a text", place="text", hint="send it in quotes")
        return DocumentBody(clean_name(name), value.encode("utf-8", "replace"), flags=flags)
    data = msgspec.json.encode(value)  # as it came, where it is a list or an object
    if named[0] == "references":
        return DocumentBody(LISTED, data, listed=True, flags=flags)
    return DocumentBody(clean_name(name, "<hypothesis>"), data, flags=flags, given="hypothesis")


def _read_flag(given: dict[str, Any], name: str) -> bool:
    value = given[name]
    if not isinstance(value, bool):
        raise ApiError(400, "BAD_REQUEST", "is neither true nor false", place=name, hint="send true or false")
    return value


async def _read_upload(request: Request) -> DocumentBody:
    async with request.form(max_files=1, max_fields=10, max_part_size=1_000_000) as form:
        file = form.get("file")
        flags = {ours: form.get(name) in ("true", "1", "on") for name, ours in _FLAGS.items() if name in form}
        if isinstance(file, UploadFile):
            return DocumentBody(clean_name(file.filename), await file.read(), flags=flags)
        text = form.get("text")
        if isinstance(text, str):
            return DocumentBody(TEXT, text.encode("utf-8", "replace"), flags=flags)
    raise ApiError(400, "BAD_REQUEST", "has no file", place="file", hint="name the field `file` or `text`")
