"""A traced run in words. All of it comes out of a log that anybody may have written: bounded and escaped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from citeproof.audit.looking.findings import plural
from citeproof.audit.reading import Entry
from citeproof.audit.tracing import Kept, Traced, Value
from citeproof.reporters.words import CAUSES, line
from citeproof.vocabulary import ID_ORDER

SHORT = 12  # characters of a hash
HUGE = 2**53  # a number beyond is none of ours
UNSIGNED = "NOT SIGNED"  # an event that is not in the tree under the signed checkpoint
MOST = 50  # lookups or comparisons of one reference
REASONS = 20  # codes of one verdict
COMPLETE, BROKEN, RUNNING, OPEN = "complete", "broken_off", "running", "open"  # how a part of a run stands
_STATES = {
    BROKEN: "broken off after {}",
    RUNNING: "running, {} so far",
    OPEN: "no end is logged, running or broken off after {}",
}
_SIGNS = {"matched": "✓", "mismatch": "✗", "not_found": "✗"}
_KEPT = {
    Kept.REDACTED: "redacted: its text was erased, as the log says",
    Kept.MISSING: "its text is not here, and the log does not say why",
    Kept.CHANGED: "its text was changed: it does not open the commitment in the log",
}
_TOLD = (
    "doi", "answer", "source", "cause", "detail", "attributed", "actual", "reason", "references", "root",
    "size", "before", "s3", "bytes",
)  # fmt: skip


def again(number: int) -> str:
    """Return that what was erased before was back, and is erased again."""
    was = "was" if number == 1 else "were"
    return f"erased again {plural(number, 'value')} that the log says {was} erased and that {was} back"


def moment(ts: str, since: str = "") -> str:
    """Return a time of the log without milliseconds; on the same day as `since`, without the day."""
    whole = re.sub(r"[.][0-9]{3}Z$", "Z", ts)
    day, _, hour = whole.partition("T")
    return hour if hour and since.startswith(f"{day}T") else whole


def part(told: Mapping[str, object]) -> str:
    """Return how a part of a run that is not complete stands: `broken off after 1280 of 2000`."""
    read = told["read"]
    done = f"{told['checked']}" if read is None else f"{told['checked']} of {read}"
    return _STATES[str(told["state"])].format(done)


def text(value: object, limit: int = 160) -> str:
    """Return anything out of a log on one line, safe to show."""
    if value is None or (isinstance(value, int) and abs(value) > HUGE):
        return ""
    return line(value if isinstance(value, str) else str(value)[: 4 * limit], limit)


def table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Mapping[str, Any]]:
    """Return the tables of a list, so many as are shown."""
    return [one for one in value[:MOST] if isinstance(one, dict)] if isinstance(value, list) else []


def heading(one: Traced) -> str:
    """Return the line that names a reference: number, key and title."""
    reference = table(case_of(one).get("reference"))
    claimed = table(one.verdict.get("claimed"))
    key = text(reference.get("key") or one.verdict.get("key"), 60)
    title = text(claimed.get("title") or reference.get("raw")) or "without a title"
    return f"{one.ref} [{key}] {title}" if key else f"{one.ref} {title}"


def verdict(one: Traced, *, signed: bool) -> str:
    """Return what was found: sign, event, label, score, confidence, identifiers; unsigned, no good sign."""
    told = one.verdict
    if not told:
        return "? no verdict in the log"
    head = [part for part in (text(told.get("ev")).upper(), text(told.get("label"))) if part]
    score, sure = told.get("score"), told.get("conf")
    numbers = [f"score {score:.1f}/10"] if _number(score) else []
    numbers += [f"confidence {min(sure, 0.99):.2f}"] if _number(sure) else []
    ids = [f"{scheme}:{text(told[scheme], 80)}" for scheme in ID_ORDER if isinstance(told.get(scheme), str)]
    given = told.get("reasons")
    reasons = [text(one, 60) for one in given[:REASONS]] if isinstance(given, list) else []
    why = f" ({', '.join(reasons)})" if reasons else ""
    sign = _SIGNS.get(str(told.get("verdict")), "?") if signed else f"? {UNSIGNED}:"
    return f"{sign} {', '.join([*head, *numbers, *ids[:3]])}{why}"


def _number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and abs(value) < HUGE


def lookup(heard: Mapping[str, Any]) -> str:
    """Return one lookup: who was asked by what, what came of it, by which bytes."""
    outcome = text(heard.get("outcome"), 40)
    if cause := text(heard.get("cause"), 40):
        outcome = f"could not answer: {text(heard.get('detail')) or CAUSES.get(cause, cause)}"
    hashes = [digest[:SHORT] for digest in hashes_of(heard)]
    shown = f" ({', '.join(hashes[:4])}{', …' if len(hashes) > 4 else ''})" if hashes else ""
    return f"{text(heard.get('source'), 60)} by {text(heard.get('by'), 40)}: {outcome}{shown}"


def hashes_of(heard: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the bytes behind one lookup."""
    found = [one.get("sha256") for one in rows(heard.get("exchanges"))]
    records = heard.get("records")
    stored = records[:MOST] if isinstance(records, list) else []
    found += [one[0] for one in stored if isinstance(one, list) and one]
    return list(dict.fromkeys(text(one, 64) for one in found if isinstance(one, str) and one))


def event(entry: Entry) -> str:
    """Return any other event: its name and what it tells in clear."""
    told = [f"{name} {text(entry[name])}" for name in _TOLD if entry.get(name) not in (None, "")]
    anchors = [
        f"{text(one.get('name'), 40)} {'ok' if one.get('ok') is True else 'failed'}"
        for one in rows(entry.get("anchors"))
    ]
    commitments = entry.get("commitments")
    told += [f"anchors {', '.join(anchors)}"] if anchors else []
    told += [plural(len(commitments), "value")] if isinstance(commitments, list) else []
    told += ["not complete"] if entry.get("complete") is False else []
    return ": ".join(part for part in (text(entry.get("ev"), 60), ", ".join(told)) if part)


def reference(one: Traced, *, signed: bool) -> Iterator[str]:
    """Yield a reference as a trace: what was asked, what was heard, what was made of it."""
    yield heading(one)
    yield from (f"  → {lookup(heard)}" for heard in rows(case_of(one).get("lookups")))
    yield from outcome(one, signed=signed)
    named = one.verdict.get("evidence")
    if isinstance(named, list) and named:
        shown = ", ".join(text(digest, 64)[:SHORT] for digest in named[:6])
        yield f"    evidence: {shown}{f', … {len(named)} in all' if len(named) > 6 else ''}"


def outcome(one: Traced, *, signed: bool) -> Iterator[str]:
    """Yield whether its text is gone, its smaller events, its verdict."""
    if one.case is not None and one.case.kept is not Kept.WHOLE:
        yield f"  {_KEPT[one.case.kept]}"
    main = one.verdict
    yield from (f"  · {event(entry)}" for entry in one.events if entry is not main)
    yield f"  {verdict(one, signed=signed)}"


def case_of(one: Traced) -> Mapping[str, Any]:
    """Return what is left of the case of a reference, as plain JSON."""
    return one.case.data if one.case is not None else {}


def document(value: Value) -> str:
    """Return one document of a run: name, length, format; or that it was erased."""
    if value.kept is not Kept.WHOLE:
        return f"a document ({_KEPT[value.kept].partition(':')[0]})"
    told = value.data
    size = told.get("bytes")
    length = f"{size:,} bytes, " if _number(size) else ""
    return f"{text(told.get('name'))} ({length}sha256 {text(told.get('sha256'), 64)[:SHORT]})"


def unsigned(number: int) -> str:
    """Return that some events are not proved by the log's signature."""
    be = "is" if number == 1 else "are"
    told = f"{plural(number, 'event')} {be} not signed: forged, changed, or not committed yet"
    return f"{told}; see `citeproof audit verify`"


def closing(verdicts: Counter[str]) -> Iterator[str]:
    """Yield how many references were verified, and what became of the others."""
    total, good = verdicts.total(), verdicts["matched"]
    yield f"✓ {good} of {total} citations verified"
    others = {name: count for name, count in verdicts.items() if name != "matched"}
    if others:
        told = ", ".join(f"{count} {text(name, 40)}" for name, count in sorted(others.items()))
        yield f"⚠ {total - good} not verified: {told}"
