"""One reference of a log in full: fields claimed, every request, what differed, which bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from citeproof.proof.audit.run_trace import ReferenceTrace
from citeproof.surfaces.cli.audit import trace_words
from citeproof.surfaces.cli.audit.trace_words import get_rows, get_table, show_value
from citeproof.vocabulary import Name

LONG = 2_000  # characters of a field
_FIELDS = ("title", "year", "venue", "volume", "issue", "pages", "publisher", "edition", "series")

Length = Callable[[str], int | None]


def describe_reference(trace: ReferenceTrace, length: Length, *, signed: bool) -> Iterator[str]:
    """Yield all that is known about a reference, a line each."""
    yield trace_words.format_heading(trace)
    yield from trace_words.format_outcome(trace, signed=signed)
    case = trace_words.get_case(trace)
    yield from _describe_claim(trace, get_table(case.get("reference")))
    for heard in get_rows(case.get("lookups")):
        yield from _describe_lookup(heard)
    for stop in get_rows(case.get("stops")):
        left = stop.get("not_asked")
        names = (
            ", ".join(show_value(name, 60) for name in left[: trace_words.MOST])
            if isinstance(left, list)
            else ""
        )
        yield f"  not asked ({show_value(stop.get('reason'))}): {names}"
    yield from _describe_judgement(case.get("judged"))
    named = trace.verdict.get("evidence")
    for digest in named if isinstance(named, list) else ():
        size = length(digest) if isinstance(digest, str) else None
        yield f"  evidence {show_value(digest, 64)}: {'not here' if size is None else f'{size:,} bytes'}"
    for entry in trace.events:
        yield (
            f"  event {show_value(entry.get('seq'))} at {show_value(entry.get('ts'))}: "
            f"{show_value(entry.get('ev'))}"
        )
    if trace.case is not None:
        yield f"  commitment {show_value(trace.case.commitment)}: {trace.case.kept}"


def _describe_claim(trace: ReferenceTrace, reference: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields as the document claims them; of an erased one those that the log has in clear."""
    claimed = get_table(reference.get("claimed")) or get_table(trace.verdict.get("claimed"))
    if raw := show_value(reference.get("raw"), LONG):
        yield f"  cited as: {raw}"
    authors = claimed.get("authors")
    names = (
        [_format_author(name) for name in authors[: trace_words.MOST]] if isinstance(authors, list) else []
    )
    if names:
        yield f"  authors: {'; '.join(names)}"
    for name in _FIELDS:
        if shown := show_value(claimed.get(name), LONG):
            yield f"  {name}: {shown}"
    pairs = get_table(claimed.get("ids")).get("pairs")
    for pair in pairs[: trace_words.MOST] if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            yield f"  {show_value(pair[0], 40)}: {show_value(pair[1])}"


def _format_author(name: object) -> str:
    author = get_table(name)
    family, given, suffix = (str(author.get(part) or "") for part in ("family", "given", "suffix"))
    return show_value(Name(family, given, suffix).display or name)


def _describe_lookup(heard: Mapping[str, Any]) -> Iterator[str]:
    asked = f" for {show_value(heard.get('value'))}" if heard.get("value") else ""
    yield f"  lookup {trace_words.format_lookup(heard)}{asked}; reach {show_value(heard.get('reach'), 40)}"
    for exchange in get_rows(heard.get("exchanges")):
        status = show_value(exchange.get("status"), 10)
        came = (
            show_value(exchange.get("detail")) or f"{status} {show_value(exchange.get('media'), 80)}".strip()
        )
        digest = show_value(exchange.get("sha256"), 64)
        yield f"    {show_value(exchange.get('asked'), 400)} → {came}, {show_value(exchange.get('at'), 40)}"
        if digest:
            yield f"      sha256 {digest}"


def _describe_judgement(judged: object) -> Iterator[str]:
    """Yield what was made of it: explanation, reasons, the comparisons that differ, the change."""
    parts = judged if isinstance(judged, list) else []
    judgement = get_table(parts[0]) if parts else {}
    if explained := show_value(judgement.get("explanation"), LONG):
        yield f"  judgement: {explained}"
    reasons = judgement.get("reasons")
    if isinstance(reasons, list) and reasons:
        yield f"  reasons: {', '.join(show_value(reason, 60) for reason in reasons[: trace_words.MOST])}"
    matched = get_table(judgement.get("matched"))
    record = get_table(matched.get("record"))
    if record:
        yield f"  record: {show_value(record.get('source'), 60)} {show_value(record.get('id'))}"
    for compared in get_rows(matched.get("comparisons")):
        if compared.get("outcome") in ("differs", "variant"):
            yield _describe_comparison(compared)
    correction = get_table(parts[2]) if len(parts) > 2 else {}
    for change in get_rows(correction.get("changes")):
        old, new = show_value(change.get("claimed"), LONG), show_value(change.get("resolved"), LONG)
        yield f"  change {show_value(change.get('field'), 40)}: {old or '(nothing)'} → {new or '(nothing)'}"


def _describe_comparison(compared: Mapping[str, Any]) -> str:
    field, outcome = show_value(compared.get("field"), 40), show_value(compared.get("outcome"), 20)
    sides = f"“{show_value(compared.get('claimed'), 300)}” / “{show_value(compared.get('resolved'), 300)}”"
    return f"  {field} {outcome} ({show_value(compared.get('reason'), 60)}): {sides}"
