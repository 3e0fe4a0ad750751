"""One reference of a log in full: fields claimed, every request, what differed, which bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from citeproof.audit.tracing import Traced
from citeproof.surfaces.cli.audit import words
from citeproof.surfaces.cli.audit.words import rows, table, text

LONG = 2_000  # characters of a field
_FIELDS = ("title", "year", "venue", "volume", "issue", "pages", "publisher", "edition", "series")

Length = Callable[[str], int | None]


def detail(one: Traced, length: Length, *, signed: bool) -> Iterator[str]:
    """Yield all that is known about a reference, a line each."""
    yield words.heading(one)
    yield from words.outcome(one, signed=signed)
    case = words.case_of(one)
    yield from _claimed(one, table(case.get("reference")))
    for heard in rows(case.get("lookups")):
        yield from _heard(heard)
    yield from _stops(case)
    yield from _judged(case.get("judged"))
    yield from _bytes(one, length)
    for entry in one.events:
        yield f"  event {text(entry.get('seq'))} at {text(entry.get('ts'))}: {text(entry.get('ev'))}"
    if one.case is not None:
        yield f"  commitment {text(one.case.commitment)}: {one.case.kept}"


def _claimed(one: Traced, reference: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields as the document claims them; of an erased one those that the log has in clear."""
    claimed = table(reference.get("claimed")) or table(one.verdict.get("claimed"))
    if raw := text(reference.get("raw"), LONG):
        yield f"  cited as: {raw}"
    authors = claimed.get("authors")
    names = [_name(name) for name in authors[: words.MOST]] if isinstance(authors, list) else []
    if names:
        yield f"  authors: {'; '.join(names)}"
    for name in _FIELDS:
        if shown := text(claimed.get(name), LONG):
            yield f"  {name}: {shown}"
    pairs = table(claimed.get("ids")).get("pairs")
    for pair in pairs[: words.MOST] if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            yield f"  {text(pair[0], 40)}: {text(pair[1])}"


def _name(name: object) -> str:
    told = table(name)
    return text(" ".join(str(told[part]) for part in ("given", "family", "suffix") if told.get(part)) or name)


def _heard(heard: Mapping[str, Any]) -> Iterator[str]:
    asked = f" for {text(heard.get('value'))}" if heard.get("value") else ""
    yield f"  lookup {words.lookup(heard)}{asked}; reach {text(heard.get('reach'), 40)}"
    for exchange in rows(heard.get("exchanges")):
        status = text(exchange.get("status"), 10)
        came = text(exchange.get("detail")) or f"{status} {text(exchange.get('media'), 80)}".strip()
        digest = text(exchange.get("sha256"), 64)
        yield f"    {text(exchange.get('asked'), 400)} → {came}, {text(exchange.get('at'), 40)}"
        if digest:
            yield f"      sha256 {digest}"


def _stops(case: Mapping[str, Any]) -> Iterator[str]:
    for stop in rows(case.get("stops")):
        left = stop.get("not_asked")
        names = ", ".join(text(name, 60) for name in left[: words.MOST]) if isinstance(left, list) else ""
        yield f"  not asked ({text(stop.get('reason'))}): {names}"


def _judged(judged: object) -> Iterator[str]:
    """Yield what was made of it: explanation, reasons, the comparisons that differ, the mend."""
    parts = judged if isinstance(judged, list) else []
    judgement = table(parts[0]) if parts else {}
    if explained := text(judgement.get("explanation"), LONG):
        yield f"  judgement: {explained}"
    reasons = judgement.get("reasons")
    if isinstance(reasons, list) and reasons:
        yield f"  reasons: {', '.join(text(reason, 60) for reason in reasons[: words.MOST])}"
    matched = table(judgement.get("matched"))
    record = table(matched.get("record"))
    if record:
        yield f"  record: {text(record.get('source'), 60)} {text(record.get('id'))}"
    for compared in rows(matched.get("comparisons")):
        if compared.get("outcome") in ("differs", "variant"):
            yield _compared(compared)
    correction = table(parts[2]) if len(parts) > 2 else {}
    for change in rows(correction.get("changes")):
        old, new = text(change.get("claimed"), LONG), text(change.get("resolved"), LONG)
        yield f"  mend {text(change.get('field'), 40)}: {old or '(nothing)'} → {new or '(nothing)'}"


def _compared(compared: Mapping[str, Any]) -> str:
    field, outcome = text(compared.get("field"), 40), text(compared.get("outcome"), 20)
    sides = f"“{text(compared.get('claimed'), 300)}” / “{text(compared.get('resolved'), 300)}”"
    return f"  {field} {outcome} ({text(compared.get('reason'), 60)}): {sides}"


def _bytes(one: Traced, length: Length) -> Iterator[str]:
    """Yield the evidence by hash, with its length or that it is gone."""
    named = one.verdict.get("evidence")
    for digest in named if isinstance(named, list) else ():
        size = length(digest) if isinstance(digest, str) else None
        yield f"  evidence {text(digest, 64)}: {'not here' if size is None else f'{size:,} bytes'}"
