"""`auditBibliography`: a short bibliography, each entry as `verifyCitation` answers, with retractions."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from citeproof.answers import serializers
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.report import tally_signs
from citeproof.errors import CiteproofError, UsageError
from citeproof.service.identified_works import build_standing_json
from citeproof.surfaces.mcp.tool_call import ToolAnswer, ToolCall
from citeproof.surfaces.mcp.tool_list import MAX_CLAIMS
from citeproof.surfaces.mcp.verdict_tools import read_citation
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    Checked,
    Document,
    Extraction,
    Problem,
    RawReference,
    SourceAnswers,
    Verdict,
    find_signs,
    list_sign_counts,
)

_NAMES = {"bibtex": "bibliography.bib", "ris": "bibliography.ris", "csl-json": "bibliography.json"}
_FORMATS = {"csl_json": "csl-json"}
_COUNTED = ("matched", "mismatch", "ambiguous", "not_found")


@dataclass(frozen=True, slots=True)
class _AuditInput:
    """The entries to check, each with its number; those that could not be read, with theirs."""

    format: str | None
    entries: tuple[tuple[int, RawReference], ...]
    errors: tuple[Json, ...] = ()
    truncated: int = 0
    keyed: bool = True


async def audit_bibliography(call: ToolCall) -> ToolAnswer:
    """Return a verdict for each entry, the retractions, and the totals."""
    arguments, screen = call.arguments, call.screen
    text, claims = arguments.get("bibliography"), arguments.get("claims")
    if (text is None) == (claims is None):
        hint = "give the text of a bibliography, or a list of citations"
        raise UsageError("exactly one of them is needed", place="bibliography, claims", hint=hint)
    tell = call.make_progress_reporter()
    with_retractions = "retraction" in arguments.get("checks", ["retraction"])

    async def audit(engine: ReferenceVerifier) -> Json:
        if claims is not None:
            given = _read_claims(claims)
        else:
            given = await asyncio.to_thread(_read_text, engine, str(text), arguments)
        verified: list[tuple[int, Checked]] = []
        raws = tuple(raw for _, raw in given.entries)
        async with aclosing(engine.verify(Extraction(raws, format=given.format or ""))) as checks:
            async for checked in checks:
                verified.append((given.entries[len(verified)][0], checked))
                tell(len(verified), len(raws))
        entries = [
            _build_entry(number, checked, given, call, screen=screen, standing=with_retractions)
            for number, checked in verified
        ]
        answers = SourceAnswers(engine.retriever.sources)
        for _ in answers.watch(checked for _, checked in verified):
            pass
        return _build_answer(given, entries, "" if call.desk.strict else answers.describe())

    return ToolAnswer(await call.desk.pool.run("verify", audit, llm=screen))


def _read_claims(claims: Sequence[Mapping[str, Any]]) -> _AuditInput:
    entries: list[tuple[int, RawReference]] = []
    errors: list[Json] = []
    for number, claim in enumerate(claims, 1):
        try:
            entries.append((number, replace(read_citation(claim), key=f"claim-{number}")))
        except CiteproofError as error:
            errors.append(_build_error(number, "invalid_claim", f"{error.place}: {error.message}"))
    return _AuditInput(None, tuple(entries), tuple(errors), keyed=False)


def _read_text(engine: ReferenceVerifier, text: str, arguments: Mapping[str, Any]) -> _AuditInput:
    """Return the entries of a bibliography; those that cannot be read keep their numbers among the others."""
    name = _NAMES.get(arguments.get("format", ""), "bibliography")
    extraction = engine.extract(Document(name, text.encode("utf-8", "replace")))
    spans = sorted((raw.place.line or 0, raw.place.end_line or 0) for raw in extraction.references)
    starts, ends = [start for start, _ in spans], [-1, *accumulate(map(max, spans), max)]

    def cost_entry(problem: Problem) -> bool:  # one inside an entry that was read is a remark on it
        line = problem.place.line or 0
        return not problem.note and ends[bisect_right(starts, line)] < line

    lost = [problem for problem in extraction.problems if cost_entry(problem)]
    placed = sorted(
        [
            *((reference.place.line or 0, reference) for reference in extraction.references),
            *((p.place.line or 0, p) for p in lost),
        ],
        key=lambda pair: pair[0],
    )
    kept, dropped = placed[:MAX_CLAIMS], placed[MAX_CLAIMS:]
    entries = [(n, entry) for n, (_, entry) in enumerate(kept, 1) if isinstance(entry, RawReference)]
    errors = [
        _build_error(n, "unreadable", problem.message)
        for n, (_, problem) in enumerate(kept, 1)
        if isinstance(problem, Problem)
    ]
    shown = _FORMATS.get(extraction.format, extraction.format)
    return _AuditInput(shown, tuple(entries), tuple(errors), len(dropped))


def _build_error(number: int, error: str, message: str) -> Json:
    return {"index": number, "error": error, "message": message}


def _build_entry(
    number: int, checked: Checked, given: _AuditInput, call: ToolCall, *, screen: bool, standing: bool
) -> Json:
    strict = call.desk.strict
    answer = serializers.build_verify_json(checked, compat=True, screen=screen)
    unchecked = checked.verdict is Verdict.UNCHECKED
    entry: Json = {"index": number}
    if given.keyed:
        entry["sourceKey"] = checked.key
    entry |= {
        "status": "error" if unchecked else "ok",
        "verdict": answer["verdict"] if strict else checked.verdict.value,
        "confidence": answer["confidence"],
        "matched": answer["matched"],
        "mismatches": answer["mismatches"],
        "retraction": _build_retraction(checked) if standing and not unchecked else None,
        "_provenance": answer["_provenance"],
    }
    if unchecked:
        entry["error"] = checked.explanation
    if not strict:
        entry |= {
            "title": checked.title,
            "label": checked.label.value if checked.label else None,
            "caveats": serializers.list_caveats(checked),
            "explanation": checked.explanation,
            "signs": list(map(str, find_signs(checked.judgement))),
        }
    return entry


def _build_retraction(checked: Checked) -> Json:
    standing = build_standing_json(checked)
    return {name: standing[name] for name in standing if name != "detail"}


def _build_answer(given: _AuditInput, entries: Sequence[Json], against: str) -> Json:
    """Return the whole answer; `against` says who answered, which the strict format has no place for."""
    counts = Counter(entry["verdict"] for entry in entries)
    errored = sum(entry["status"] == "error" for entry in entries)
    summary: Json = {"total": len(entries), **{name: counts[name] for name in _COUNTED}, "errored": errored}
    summary["retracted"] = sum(bool(e["retraction"] and e["retraction"]["isRetracted"]) for e in entries)
    if against:
        summary |= {"unchecked": errored, "checked_against": against}
        summary["signs"] = list_sign_counts(tally_signs(entries))
    return {
        "format": given.format,
        "entries": list(entries),
        "parseErrors": list(given.errors),
        "truncated": given.truncated,
        "summary": summary,
    }
