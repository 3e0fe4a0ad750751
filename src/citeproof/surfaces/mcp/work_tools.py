"""Tools about works named by identifiers: resolved, and checked for notices."""

from __future__ import annotations

import asyncio

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
from citeproof.surfaces.mcp.tool_call import ToolAnswer, ToolCall
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Record

MAX_WORKS = 50  # identifiers in one call


async def resolve_identifier(call: ToolCall) -> ToolAnswer:
    """Return the metadata of works as CSL-JSON items, in the order asked."""
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

    works = await call.desk.pool.run("verify", look_up) if named else []
    for (part, _, _), work in zip(named, works, strict=True):
        if work.record is None:
            reason, message = describe_failure(work)
            errors.append({"id": part, "reason": reason, "message": message})
    items = [_build_work_item(work, work.record) for work in works if work.record is not None]
    return ToolAnswer({"items": items, "errors": errors})


def _build_work_item(work: IdentifiedWork, record: Record) -> Json:
    """Return the CSL-JSON item of a work, with the source of its record."""
    fields = build_record_fields(record)
    item = serializers.build_csl_item(f"{work.scheme}:{work.value}", record.kind, fields)
    return item | {"source": record.source}


async def check_retraction(call: ToolCall) -> ToolAnswer:
    """Return whether a work was retracted, corrected or doubted."""
    scheme, value = recognise_identifier(str(call.arguments["id"]))

    async def look_up(engine: ReferenceVerifier) -> IdentifiedWork:
        return await look_up_work(engine, scheme, value)

    return ToolAnswer(build_retraction_json(await call.desk.pool.run("verify", look_up)))
