"""`checkReferences`, `groundClaims` and `guardText`: whole texts, as on the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from citeproof.answers import serializers
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.grounded_claims import build_claims_json
from citeproof.claims.trace import list_trace
from citeproof.errors import UsageError
from citeproof.reading.parse import parse_all
from citeproof.service.answer_session import read_render_request, render_request
from citeproof.service.check_session import Report, begin_check, collect_report
from citeproof.service.claim_session import find_sealed_log, ground_hypothesis, read_claims
from citeproof.service.guarded_text import build_guarded_json, guard_in_pool
from citeproof.service.input_documents import read_pasted_text
from citeproof.surfaces.mcp.tool_call import ToolAnswer, ToolCall
from citeproof.surfaces.mcp.tool_list import MAX_TEXT, SHOWN
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    Checked,
    ClaimStatus,
    Document,
    Extraction,
    FindingLevel,
    GroundedHypothesis,
    Hypothesis,
    Keeper,
    Label,
    Reference,
)

MAX_REFERENCES = 1000  # of one call; more are for the command line
MAX_GROUNDED = 1000  # claims of one call
_BRIEF = (
    "key", "location", "verdict", "label", "score", "band", "explanation", "mismatches", "notes", "findings",
)  # fmt: skip
_BRIEF_CLAIM = (
    "id",
    "text",
    "location",
    "status",
    "content",
    "held",
    "caveat",
    "reason",
    "citation",
    "trace",
)
_BRIEF_RECORD = ("title", "authors", "year", "venue", "ids", "source", "id")


async def check_references(call: ToolCall) -> ToolAnswer:
    """Return the references of a document, checked, problems first."""
    document = call.desk.files.read_argument(call.arguments, read_pasted_text)
    screen, tell = call.screen, call.make_progress_reporter()

    async def check(engine: ReferenceVerifier) -> Report:
        checking = await asyncio.to_thread(begin_check, engine, [document])
        if checking.total > MAX_REFERENCES:
            hint = f"give at most {MAX_REFERENCES:,} in one call, or use `citeproof check`"
            raise UsageError(f"has {checking.total:,} references", place=document.name, hint=hint)
        return await collect_report(checking, lambda done: tell(done, checking.total))

    report = await call.desk.pool.run("check", check, llm=screen)
    return ToolAnswer(_build_report(report, call.arguments))


def _build_report(report: Report, arguments: Mapping[str, Any]) -> Json:
    whole = report.json()
    chosen = [
        shape
        for checked, shape in zip(report.references, whole["references"], strict=True)
        if _is_wanted(checked, arguments.get("only", "problems"))
    ]
    offset, limit = arguments.get("offset", 0), arguments.get("limit", SHOWN)
    shown = chosen[offset : offset + limit]
    if arguments.get("detail") != "full":
        shown = [_shorten_reference(reference) for reference in shown]
    return {
        **{name: value for name, value in whole.items() if name != "references"},
        "references": shown,
        "page": _build_page(offset, len(shown), len(chosen)),
    }


def _is_wanted(checked: Checked, only: str) -> bool:
    if only == "all" or (only == "noted" and checked.label is Label.NOTED):
        return True
    if checked.label is None:
        return only != "noted"
    flagged = any(f.is_finding and f.level is not FindingLevel.NOTE for f in checked.findings)
    return only == "problems" and (not checked.label.passes or flagged)


def _shorten_reference(whole: Json) -> Json:
    """Return what a reader needs of one reference: claimed and found, without the machinery."""
    claimed = whole["claimed"]
    brief = {name: whole[name] for name in _BRIEF}
    brief["claimed"] = {name: claimed[name] for name in ("title", "authors", "year", "venue", "ids")}
    brief["matched"] = _shorten_record(whole["matched"])
    brief["findings"] = [finding for finding in whole["findings"] if finding["state"] != "clear"]
    return brief


def _shorten_record(record: Json | None) -> Json | None:
    return None if record is None else {name: record[name] for name in _BRIEF_RECORD}


def _build_page(offset: int, shown: int, total: int) -> Json:
    following = offset + shown
    return {
        "offset": offset,
        "returned": shown,
        "total": total,
        "next": following if following < total else None,
    }


async def guard_generated_text(call: ToolCall) -> ToolAnswer:
    """Return a text with verified citations only, and what became of each."""
    text, removal = str(call.arguments["text"]), str(call.arguments.get("removal", "bracket"))

    return ToolAnswer(build_guarded_json(await guard_in_pool(call.desk.pool, text, removal)))


async def ground_claims(call: ToolCall) -> ToolAnswer:
    """Return the claims of a text or hypothesis, each with a verified citation or none."""
    document, pool = _read_claims_argument(call), call.desk.pool

    async def ground(engine: ReferenceVerifier) -> tuple[GroundedHypothesis, Keeper | None]:
        hypothesis, extraction, listed = await asyncio.to_thread(_read_bounded_claims, engine, document)
        run = engine.run([document], [extraction])
        assess = pool.make_assessor(engine)
        return await ground_hypothesis(engine, hypothesis, run, listed, assess), engine.keeper

    grounded, keeper = await call.desk.pool.run("grounding", ground)
    whole = build_claims_json(replace(grounded, log=find_sealed_log(keeper)), list_trace)
    offset, limit = call.arguments.get("offset", 0), call.arguments.get("limit", SHOWN)
    ordered = sorted(whole["claims"], key=_is_fine_claim)
    shown = ordered[offset : offset + limit]
    if call.arguments.get("detail") != "full":
        shown = [_shorten_claim(claim) for claim in shown]
    return ToolAnswer(whole | {"claims": shown, "page": _build_page(offset, len(shown), len(ordered))})


def _is_fine_claim(claim: Json) -> bool:
    return claim["status"] == ClaimStatus.VERIFIED.value and not claim["held"]


def _read_bounded_claims(
    engine: ReferenceVerifier, document: Document
) -> tuple[Hypothesis, Extraction, tuple[Reference, ...]]:
    """Return the claims of a document and its list of works; UsageError for more than one call may have."""
    hypothesis, extraction = read_claims(engine, document)
    if (count := len(hypothesis.claims)) > MAX_GROUNDED:
        hint = f"give at most {MAX_GROUNDED:,} in one call, or use `citeproof claims`"
        raise UsageError(f"has {count:,} claims", place=document.name, hint=hint)
    return hypothesis, extraction, tuple(parse_all(extraction.references))


def _shorten_claim(whole: Json) -> Json:
    brief = {name: whole[name] for name in _BRIEF_CLAIM}
    return brief | {"citation": _shorten_record(whole["citation"])}


def _read_claims_argument(call: ToolCall) -> Document:
    arguments = call.arguments
    hypothesis = arguments.get("hypothesis")
    if hypothesis is None:
        return call.desk.files.read_argument(arguments)
    given: Sequence[str] = [name for name in ("text", "path") if arguments.get(name) is not None]
    if given:
        hint = "give a hypothesis, a text or a path"
        raise UsageError("cannot be given together", place=f"hypothesis and {given[0]}", hint=hint)
    data = serializers.dumps(dict(hypothesis))
    if len(data) > MAX_TEXT:
        hint = "give fewer claims in one call, or use `citeproof claims`"
        raise UsageError(f"is larger than {MAX_TEXT:,} bytes", place="hypothesis", hint=hint)
    return Document("hypothesis", data)


async def render_answer_text(call: ToolCall) -> ToolAnswer:
    """Return an answer with its markers as citations; the text is what may be shown."""
    from citeproof.laboratory.measure.rendering.cited_text import make_citation_writer  # noqa: PLC0415 - few calls need it

    wanted = read_render_request(msgspec.json.encode(dict(call.arguments)))
    writer = make_citation_writer(wanted.style)
    answer = await call.desk.pool.run(
        "grounding", lambda engine: render_request(call.desk.pool, wanted, writer, engine)
    )
    return ToolAnswer(answer)
