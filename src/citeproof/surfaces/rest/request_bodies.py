"""Bodies of requests to documents: an upload, a text, or JSON; each bounded, each error with its place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from starlette.datastructures import UploadFile
from starlette.requests import Request

from citeproof.errors import InputError, NothingFoundError
from citeproof.service.input_documents import TEXT, read_pasted_text
from citeproof.service.job_requests import GROUND, JobRequest, clean_name
from citeproof.service.listed_references import LISTED, read_flat_object
from citeproof.surfaces.rest.access_tokens import LLM
from citeproof.surfaces.rest.door_guard import CALLER
from citeproof.surfaces.rest.error_answers import ApiError

REMOVAL, BRACKET = "removal", "bracket"
LLM_CODE = "LLM_SCREEN_FORBIDDEN"
_FLAGS = {"screenWithLlm": "llm", "unsafe": "unsafe", "upgradePreprints": "upgrade_preprints"}
_KNOWN = frozenset(("text", "references", "name", "hypothesis", *_FLAGS))


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
        raise ApiError(400, "BAD_REQUEST", message, place="body", hint='send {"title": …}') from error


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
