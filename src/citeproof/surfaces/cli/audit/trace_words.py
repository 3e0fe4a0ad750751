"""A traced run in words. The log may be hostile, so all text is bounded and escaped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

from citeproof.answers.reporters.wording import CAUSES, show_line
from citeproof.errors import format_count
from citeproof.proof.audit.log_reader import Entry
from citeproof.proof.audit.run_trace import OpenedValue, ReferenceTrace, ValueState
from citeproof.service.log_views import LoggedPart, PartState
from citeproof.vocabulary import ID_ORDER, Name

SHORT = 12  # characters of a hash
HUGE = 2**53  # a number beyond is not ours
UNSIGNED = "NOT SIGNED"  # an event that is not in the tree under the signed checkpoint
MOST = 50  # lookups or comparisons of one reference
REASONS = 20  # codes of one verdict
_STATES = {
    PartState.BROKEN: "broken off after {}",
    PartState.RUNNING: "running, {} so far",
    PartState.OPEN: "no end is logged, running or broken off after {}",
}
_SIGNS = {"matched": "✓", "mismatch": "✗", "not_found": "✗", "retracted": "✗"}
_KEPT = {
    ValueState.REDACTED: "redacted: its text was erased, as the log says",
    ValueState.MISSING: "its text is not here, and the log does not say why",
    ValueState.CHANGED: "its text was changed: it does not open the commitment in the log",
}
_TOLD = (
    "doi", "answer", "source", "cause", "detail", "attributed", "actual", "reason", "references", "root",
    "size", "before", "s3", "bytes", "reference", "choice",
)  # fmt: skip


def describe_second_erasure(number: int) -> str:
    """Return that what was erased before was back, and is erased again."""
    was = "was" if number == 1 else "were"
    return f"erased again {format_count(number, 'value')} that the log says {was} erased and that {was} back"


def format_log_time(ts: str, since: str = "") -> str:
    """Return a time of the log without milliseconds; on the same day as `since`, without the day."""
    whole = re.sub(r"[.][0-9]{3}Z$", "Z", ts)
    day, _, hour = whole.partition("T")
    return hour if hour and since.startswith(f"{day}T") else whole


def describe_part(part: LoggedPart) -> str:
    """Return how a part of a run that is not complete stands: `interrupted after 1280 of 2000`."""
    read = part["read"]
    done = f"{part['checked']}" if read is None else f"{part['checked']} of {read}"
    return _STATES[part["state"]].format(done)


def show_value(value: object, limit: int = 160) -> str:
    """Return any value of a log on one line, safe to show."""
    if value is None or (isinstance(value, int) and abs(value) > HUGE):
        return ""
    return show_line(value if isinstance(value, str) else str(value)[: 4 * limit], limit)


def get_table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def get_rows(value: object) -> list[Mapping[str, Any]]:
    """Return the tables of a list, so many as are shown."""
    return [row for row in value[:MOST] if isinstance(row, dict)] if isinstance(value, list) else []


def format_heading(trace: ReferenceTrace) -> str:
    """Return the line that names a reference: number, key and title."""
    reference = get_table(get_case(trace).get("reference"))
    claimed = get_table(trace.verdict.get("claimed"))
    key = show_value(reference.get("key") or trace.verdict.get("key"), 60)
    title = show_value(claimed.get("title") or reference.get("raw")) or "without a title"
    return f"{trace.ref} [{key}] {title}" if key else f"{trace.ref} {title}"


def format_verdict(trace: ReferenceTrace, *, signed: bool) -> str:
    """Return what was found: sign, event, label, score, confidence, identifiers; unsigned, no good sign."""
    verdict = trace.verdict
    if not verdict:
        return "? no verdict in the log"
    head = [
        part for part in (show_value(verdict.get("ev")).upper(), show_value(verdict.get("label"))) if part
    ]
    score, sure = verdict.get("score"), verdict.get("conf")
    numbers = [f"score {score:.1f}/10"] if _is_shown_number(score) else []
    numbers += [f"confidence {min(sure, 0.99):.2f}"] if _is_shown_number(sure) else []
    ids = [
        f"{scheme}:{show_value(verdict[scheme], 80)}"
        for scheme in ID_ORDER
        if isinstance(verdict.get(scheme), str)
    ]
    given = verdict.get("reasons")
    reasons = [show_value(code, 60) for code in given[:REASONS]] if isinstance(given, list) else []
    why = f" ({', '.join(reasons)})" if reasons else ""
    why += f": {show_value(verdict['detail'])}" if verdict.get("detail") else ""
    sign = _SIGNS.get(str(trace.outcome), "?") if signed else f"? {UNSIGNED}:"
    return f"{sign} {', '.join([*head, *numbers, *ids[:3]])}{why}"


def _is_shown_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and abs(value) < HUGE


def format_lookup(heard: Mapping[str, Any]) -> str:
    """Return one lookup: who was asked by what, what came of it, by which bytes."""
    outcome = show_value(heard.get("outcome"), 40)
    if cause := show_value(heard.get("cause"), 40):
        outcome = f"could not answer: {show_value(heard.get('detail')) or CAUSES.get(cause, cause)}"
    hashes = [digest[:SHORT] for digest in list_hashes(heard)]
    shown = f" ({', '.join(hashes[:4])}{', …' if len(hashes) > 4 else ''})" if hashes else ""
    return f"{show_value(heard.get('source'), 60)} by {show_value(heard.get('by'), 40)}: {outcome}{shown}"


def list_hashes(heard: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the bytes behind one lookup."""
    hashes = [row.get("sha256") for row in get_rows(heard.get("exchanges"))]
    records = heard.get("records")
    stored = records[:MOST] if isinstance(records, list) else []
    hashes += [row[0] for row in stored if isinstance(row, list) and row]
    return list(dict.fromkeys(show_value(d, 64) for d in hashes if isinstance(d, str) and d))


def format_event(entry: Entry) -> str:
    """Return any other event: its name and its clear fields."""
    parts = [f"{name} {show_value(entry[name])}" for name in _TOLD if entry.get(name) not in (None, "")]
    anchors = [
        f"{show_value(row.get('name'), 40)} {'ok' if row.get('ok') is True else 'failed'}"
        for row in get_rows(entry.get("anchors"))
    ]
    commitments = entry.get("commitments")
    parts += [f"anchors {', '.join(anchors)}"] if anchors else []
    parts += [format_count(len(commitments), "value")] if isinstance(commitments, list) else []
    parts += ["not complete"] if entry.get("complete") is False else []
    return ": ".join(part for part in (show_value(entry.get("ev"), 60), ", ".join(parts)) if part)


def format_reference(trace: ReferenceTrace, *, signed: bool) -> Iterator[str]:
    """Yield a reference as a trace: questions, answers, judgement."""
    yield format_heading(trace)
    yield from (f"  → {format_lookup(heard)}" for heard in get_rows(get_case(trace).get("lookups")))
    yield from format_outcome(trace, signed=signed)
    named = trace.verdict.get("evidence")
    if isinstance(named, list) and named:
        shown = ", ".join(show_value(digest, 64)[:SHORT] for digest in named[:6])
        yield f"    evidence: {shown}{f', … {len(named)} in all' if len(named) > 6 else ''}"


def format_outcome(trace: ReferenceTrace, *, signed: bool) -> Iterator[str]:
    """Yield whether its text was erased, its smaller events, its verdict."""
    if trace.case is not None and trace.case.kept is not ValueState.WHOLE:
        yield f"  {_KEPT[trace.case.kept]}"
    main = trace.verdict
    yield from (f"  · {format_event(entry)}" for entry in trace.events if entry is not main)
    yield f"  {format_verdict(trace, signed=signed)}"


def get_case(trace: ReferenceTrace) -> Mapping[str, Any]:
    """Return what is left of the case of a reference, as plain JSON."""
    return trace.case.data if trace.case is not None else {}


def format_document(value: OpenedValue) -> str:
    """Return one document of a run: name, length, format; or that it was erased."""
    if value.kept is not ValueState.WHOLE:
        return f"a document ({_KEPT[value.kept].partition(':')[0]})"
    data = value.data
    size = data.get("bytes")
    length = f"{size:,} bytes, " if _is_shown_number(size) else ""
    return f"{show_value(data.get('name'))} ({length}sha256 {show_value(data.get('sha256'), 64)[:SHORT]})"


def describe_unsigned(number: int) -> str:
    """Return that some events are not proved by the log's signature."""
    be = "is" if number == 1 else "are"
    message = f"{format_count(number, 'event')} {be} not signed: forged, changed, or not committed yet"
    return f"{message}; see `citeproof audit verify`"


def format_closing(verdicts: Counter[str]) -> Iterator[str]:
    """Yield how many references were verified, and what became of the others."""
    total, good = verdicts.total(), verdicts["matched"]
    yield f"✓ {good} of {total} citations verified"
    others = {name: count for name, count in verdicts.items() if name != "matched"}
    if others:
        counts = ", ".join(f"{count} {show_value(name, 40)}" for name, count in sorted(others.items()))
        yield f"⚠ {total - good} not verified: {counts}"


LONG = 2_000  # characters of a field
_FIELDS = ("title", "year", "venue", "volume", "issue", "pages", "publisher", "edition", "series")

Length = Callable[[str], int | None]


def describe_reference(trace: ReferenceTrace, length: Length, *, signed: bool) -> Iterator[str]:
    """Yield all that is known about a reference, a line each."""
    yield format_heading(trace)
    yield from format_outcome(trace, signed=signed)
    case = get_case(trace)
    yield from _describe_claim(trace, get_table(case.get("reference")))
    for heard in get_rows(case.get("lookups")):
        yield from _describe_lookup(heard)
    for stop in get_rows(case.get("stops")):
        left = stop.get("not_asked")
        names = ", ".join(show_value(name, 60) for name in left[:MOST]) if isinstance(left, list) else ""
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
    names = [_format_author(name) for name in authors[:MOST]] if isinstance(authors, list) else []
    if names:
        yield f"  authors: {'; '.join(names)}"
    for name in _FIELDS:
        if shown := show_value(claimed.get(name), LONG):
            yield f"  {name}: {shown}"
    pairs = get_table(claimed.get("ids")).get("pairs")
    for pair in pairs[:MOST] if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            yield f"  {show_value(pair[0], 40)}: {show_value(pair[1])}"


def _format_author(name: object) -> str:
    author = get_table(name)
    family, given, suffix = (str(author.get(part) or "") for part in ("family", "given", "suffix"))
    return show_value(Name(family, given, suffix).display or name)


def _describe_lookup(heard: Mapping[str, Any]) -> Iterator[str]:
    asked = f" for {show_value(heard.get('value'))}" if heard.get("value") else ""
    yield f"  lookup {format_lookup(heard)}{asked}; reach {show_value(heard.get('reach'), 40)}"
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
        yield f"  reasons: {', '.join(show_value(reason, 60) for reason in reasons[:MOST])}"
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
