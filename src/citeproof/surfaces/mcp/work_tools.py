"""Tools about works named by identifiers: `resolveIdentifier`, `checkRetraction`, `checkOpenAccess`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from citeproof.answers import serializers
from citeproof.answers.serializers import Json
from citeproof.errors import UsageError
from citeproof.service.identified_works import (
    IdentifiedWork,
    build_record_fields,
    build_retraction_json,
    describe_failure,
    look_up_work,
    recognise_identifier,
    split_identifiers,
)
from citeproof.service.open_access import build_open_access_json, find_open_access
from citeproof.surfaces.mcp.tool_call import ToolAnswer, ToolCall
from citeproof.verifier import ReferenceVerifier

MAX_WORKS = 50  # identifiers in one call


@dataclass(frozen=True, slots=True)
class ResolvedWorks:
    """The works that a list of identifiers names, and what could not be resolved."""

    works: tuple[IdentifiedWork, ...]
    errors: tuple[Json, ...]

    def list_warnings(self) -> list[str]:
        """Return a line for each identifier without a record."""
        return [f"{error['id']}: {error['reason']}: {error['message']}" for error in self.errors]


async def resolve_works(call: ToolCall) -> ResolvedWorks:
    """Return the works of the argument `text`, in its order."""
    parts = split_identifiers(str(call.arguments["text"]))
    if not 0 < len(parts) <= MAX_WORKS:
        hint = f"give between 1 and {MAX_WORKS} identifiers"
        raise UsageError(f"holds {len(parts)} identifiers", place="text", hint=hint)
    errors: list[Json] = []
    named: list[tuple[str, str, str]] = []
    for part in parts:
        try:
            named.append((part, *recognise_identifier(part)))
        except UsageError as error:
            errors.append({"id": part, "reason": "malformed", "message": error.message})

    async def look_up(engine: ReferenceVerifier) -> list[IdentifiedWork]:
        asked = (look_up_work(engine, scheme, value) for _, scheme, value in named)
        return list(await asyncio.gather(*asked))

    works = await call.run("verify", look_up) if named else []
    for (part, _, _), work in zip(named, works, strict=True):
        if work.record is None:
            reason, message = describe_failure(work)
            errors.append({"id": part, "reason": reason, "message": message})
    return ResolvedWorks(tuple(work for work in works if work.record is not None), tuple(errors))


async def resolve_identifier(call: ToolCall) -> ToolAnswer:
    """Return the metadata of works as CSL-JSON items."""
    resolved = await resolve_works(call)
    items = [build_work_item(work) for work in resolved.works]
    return ToolAnswer({"items": items, "errors": list(resolved.errors)})


def build_work_item(work: IdentifiedWork) -> Json:
    """Return the CSL-JSON item of a work, with the source of its record."""
    assert work.record is not None
    fields = build_record_fields(work.record)
    item = serializers.build_csl_item(f"{work.scheme}:{work.value}", work.record.kind, fields)
    return item | {"source": work.record.source}


async def check_retraction(call: ToolCall) -> ToolAnswer:
    """Return whether a work was retracted, corrected or doubted."""
    return ToolAnswer(build_retraction_json(await _look_up_one(call)))


async def check_open_access(call: ToolCall) -> ToolAnswer:
    """Return where a work can be read for free."""
    work = await _look_up_one(call)
    answer: Json = {"doi": work.doi}
    if work.scheme != "doi":
        answer["resolvedFrom"] = {"type": work.scheme, "value": work.value}
    settings, record = call.desk.pool.settings, work.record
    access = await find_open_access(settings, work.doi, record)
    if result := build_open_access_json(access, record.title if record else None):
        return ToolAnswer(answer | {"result": result})
    if work.doi is None and record is not None:
        return ToolAnswer(answer | {"reason": "no_doi", "result": None})
    reason, message = describe_failure(work) if record is None else ("unchecked", "")
    detail = "; ".join(part for part in (message, *access.reasons) if part)
    return ToolAnswer(answer | {"reason": reason, "detail": detail, "result": None})


async def _look_up_one(call: ToolCall) -> IdentifiedWork:
    scheme, value = recognise_identifier(str(call.arguments["id"]))

    async def look_up(engine: ReferenceVerifier) -> IdentifiedWork:
        return await look_up_work(engine, scheme, value)

    return await call.run("verify", look_up)
