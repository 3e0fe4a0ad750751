"""Tools about one citation or work: verified, explained, resolved by identifier, checked for notices."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from typing import Any

from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.serializers import Json, build_checked_json, list_caveats
from citeproof.errors import UsageError
from citeproof.judgement.checks import list_check_modules
from citeproof.service.citation_input import build_citation
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
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, RawReference, Reason, Record, StopReason

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


_HEAD = re.compile(r"`[a-z_]+`: (.{1,500}?)\n\n", re.DOTALL)
_PART = r"\*\*{}:\*\* (.{{1,1500}}?)(?:\n\n|\Z)"
_OWN_NAMES = {"whoIrisUrl": "who_iris_url"}
_FIELDS = (
    "doi", "pmid", "pmcid", "isbn", "arxiv", "issn", "ads", "whoIrisUrl", "author", "year", "container",
)  # fmt: skip


@lru_cache(maxsize=1)
def list_explanations() -> dict[str, Json]:
    """Return every word that an answer may hold, with its kind and meaning."""
    explained: dict[str, Json] = {}
    for kind, words in load_package_table(__package__, "verdict_texts.toml").items():
        for word, texts in words.items():
            explained.setdefault(word, {"code": word, "kind": kind, **texts})
    for module in list_check_modules():
        name, text = module.rpartition(".")[2], inspect.getdoc(import_module(module)) or ""
        explained.setdefault(name, {"code": name, "kind": "finding", **_read_check_text(text)})
    for reason in Reason:
        explained.setdefault(reason.value, {"code": reason.value, "kind": "reason", "meaning": reason.meaning,
                                       "field": reason.field})  # fmt: skip
    for stop in StopReason:
        explained.setdefault(stop.value, {"code": stop.value, "kind": "reason", "meaning": stop.meaning})
    return explained


def _read_check_text(text: str) -> Json:
    """Return what the documentation of a check says."""
    head = _HEAD.match(text)
    why = re.search(_PART.format("Why it matters"), text, re.DOTALL)
    meaning = " ".join(head[1].split()) if head else ""
    explained: Json = {"meaning": meaning[:1].upper() + meaning[1:]}
    return explained | {"why": " ".join(why[1].split())} if why else explained


async def explain_verdict(call: ToolCall) -> ToolAnswer:
    """Return the meaning of a word, or the steps that led to one citation's verdict."""
    code, title = call.arguments.get("code"), call.arguments.get("title")
    if bool(code) == bool(title):
        hint = "give a word of an answer as `code`, or a citation with its `title`"
        raise UsageError("exactly one of them is needed", place="code, title", hint=hint)
    if code:
        return ToolAnswer(_find_explanation(str(code)))
    raw = read_citation(call.arguments)

    async def verify(engine: ReferenceVerifier) -> Checked:
        return await engine.verify_one(raw)

    return ToolAnswer(_explain_citation(await call.desk.pool.run("verify", verify)))


def _find_explanation(code: str) -> Json:
    known = list_explanations()
    plain = code.strip().strip("`")
    for word in (plain, plain.lower().replace(" ", "_"), plain.upper()):
        if word in known:
            return known[word]
    near = get_close_matches(plain.lower(), known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "the resource citeproof://reasons lists them"
    raise UsageError(f"{plain[:60]!r} is not a word of an answer", place="code", hint=hint)


def _explain_citation(checked: Checked) -> Json:
    whole = build_checked_json(checked)
    verdict = list_explanations()[checked.verdict.value]
    return {
        "verdict": whole["verdict"],
        "label": whole["label"],
        "score": whole["score"],
        "confidence": whole["band"],
        "headline": wording.format_headline(checked),
        "explanation": whole["explanation"],
        "meaning": verdict["meaning"],
        "next": verdict["next"],
        "comparisons": [_explain_comparison(comparison) for comparison in whole["comparisons"]],
        "evidence": wording.describe_evidence(checked),
        "sources": whole["provenance"]["registries_searched"],
        "not_asked": whole["provenance"]["stops"],
        "findings": [finding for finding in whole["findings"] if finding["state"] != "clear"],
        "caveats": list_caveats(checked),
        "reasons": [list_explanations().get(reason, {"code": reason}) for reason in whole["reasons"]],
    }


def _explain_comparison(comparison: Json) -> Json:
    meaning = list_explanations().get(comparison["reason"], {}).get("meaning", "")
    return {**comparison, "meaning": meaning}


def format_explanations(*kinds: str) -> Iterator[str]:
    """Yield a Markdown list of the words of some kinds."""
    for explanation in list_explanations().values():
        if explanation["kind"] in kinds:
            following = f" {explanation['next']}" if "next" in explanation else ""
            yield f"- `{explanation['code']}`: {explanation['meaning']}{following}"


async def verify_citation(call: ToolCall) -> ToolAnswer:
    """Return one citation, checked, in the compatible shape."""
    raw, screen = read_citation(call.arguments), call.screen

    async def verify(engine: ReferenceVerifier) -> serializers.Json:
        checked: Checked = await engine.verify_one(raw)
        return serializers.build_verify_json(
            checked, compat=call.desk.strict, screen=screen, overrides=engine.overrides
        )

    return ToolAnswer(await call.desk.pool.run("verify", verify, llm=screen))


def read_citation(arguments: Mapping[str, Any]) -> RawReference:
    """Return the citation that the arguments describe; what is empty was not given."""
    given = {_OWN_NAMES.get(name, name): arguments.get(name) for name in _FIELDS}
    return build_citation(str(arguments.get("title") or ""), **given)
