"""What was found out about a reference, as events of the log: claimed fields in clear, user's text not.

The names and fields are those of the contract (`verified`, `crossref_miss`, `title_mismatch` …); which
event has which fields is published in docs/spec/audit-event.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from citeproof.answers.serializers.judgements import find_missing_dois, name_event
from citeproof.plumbing.json_bytes import round_figure
from citeproof.proof.audit import case
from citeproof.proof.audit.canonical_json import WIDEST, PlainObject, encode_canonical
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import (
    ID_ORDER,
    Cause,
    Checked,
    Claimed,
    ClaimStatus,
    Finding,
    Judgement,
    Lookup,
    ModelExchange,
    Reason,
    SetFinding,
    Unchecked,
    Verdict,
)

Event = dict[str, Any]

MOST_HASHES = 300  # in one event; the case has them all
MOST_NAMES = 50
MOST_CAUSES = 30
MOST_REASONS = 20
ROOM = 60_000  # bytes of an event; an entry has 65,535
LONG, SHORT = 2000, 300  # characters of a field in clear
CLAIM_EVENTS = {
    ClaimStatus.VERIFIED: "claim_verified", ClaimStatus.UNSUPPORTED: "unsupported",
    ClaimStatus.RETRACTED_SOURCE: "retracted_source", ClaimStatus.UNCHECKED: "claim_unchecked",
    ClaimStatus.RESOLVED: "claim_resolved",
}  # fmt: skip
TROUBLE = frozenset(Cause) - {Cause.OFFLINE, Cause.NOT_COVERED, Cause.NEEDS_KEY}
VERSION = 1

_TABLE = load_package_table(__package__, "event_schema.toml")
# What a line can say: its shape, and what it means.
FIELDS: dict[str, tuple[str | dict[str, Any], str]] = {
    field: described
    for name, described in _TABLE["fields"].items()
    for field in (ID_ORDER if name == "identifier" else (name,))
}
# Every name that we write: what it means, and the fields it must have next to the common ones.
EVENTS: dict[str, tuple[str, list[str]]] = _TABLE["events"]


def make_events(
    checked: Checked, ref: int, stage: str, commitment: str, *, clear: bool = False
) -> list[Event]:
    """Return the events of one reference: DOIs that do not exist, its verdict, its findings."""
    missed = find_missing_dois(checked.retrieved.lookups)
    main = _make_verdict_event(checked, ref, stage, commitment, missed)
    if clear:
        main |= {"key": checked.reference.key[:SHORT], "raw": checked.reference.raw[:LONG]}
    if _is_long(checked, main):
        main = fit_event(main)
    if abs(checked.reference.claimed.year or 0) <= WIDEST:  # its only number that is not ours
        main = PlainObject(main)
    reported = main["doi"] if main["ev"] == "crossref_miss" else None
    events = [
        {"ev": "crossref_miss", "stage": stage, "ref": ref, "doi": doi[:SHORT], "attempt": attempt}
        for attempt, doi in enumerate((doi for doi in missed if doi[:SHORT] != reported), 1)
    ]
    about = {"stage": stage, "ref": ref} | {name: main[name] for name in ("doi",) if name in main}
    facts = (fact for fact in checked.findings if fact.is_finding and fact is not checked.retraction)
    return [*events, main, *({"ev": fact.name, **about, **_describe_finding(fact)} for fact in facts)]


def make_set_events(found: Iterable[SetFinding], references: int, stage: str, commitment: str) -> list[Event]:
    """Return an event for each finding about references together; their keys are behind the commitment."""
    common = {"stage": stage, "references": references, "set": commitment}
    facts = ((fact.finding, len(fact.keys)) for fact in found if fact.finding.is_finding)
    return [{"ev": fact.name, "source": fact.source, "about": about, **common} for fact, about in facts]


def make_claim_event(logged: case.LoggedClaim, stage: str, commitment: str) -> Event:
    """Return what was decided about a claim; its words are behind the commitment."""
    event: Event = {
        "ev": CLAIM_EVENTS[logged.status],
        "stage": stage,
        "candidates": logged.count,
        "tried": len(logged.candidates),
        "claim": commitment,
    }
    for attached in (item.candidate for item in logged.candidates if item.passed):
        event |= list_cited_ids(attached.claimed) | {"conf": _round_figure(attached.confidence)}
    if logged.support is not None:
        event["support"] = logged.support.outcome.value
        if logged.support.sha256:
            event["text_hash"] = logged.support.sha256
        if logged.support.llm is not None:
            event["llm"] = describe_exchanges([item.exchange for item in logged.support.llm.asked])
    return event


def list_source_errors(lookups: Iterable[Lookup]) -> Iterator[tuple[str, str, str]]:
    """Yield (source, cause, detail) of each source that could not answer for a reason of its own."""
    for lookup in lookups:
        if isinstance(lookup, Unchecked) and lookup.cause in TROUBLE:
            yield lookup.source, lookup.cause.value, lookup.detail[:SHORT]


def count_as(checked: Checked) -> str:
    """Return under which name totals count a reference: its verdict, but a retracted work by itself."""
    return checked.retraction.name if checked.retraction else checked.verdict.value


def _make_verdict_event(
    checked: Checked, ref: int, stage: str, commitment: str, missed: Sequence[str]
) -> Event:
    judgement, lookups, claimed = checked.judgement, checked.retrieved.lookups, checked.reference.claimed
    name = name_event(checked, missed, stage)
    event: Event = {
        "ev": name,
        "stage": stage,
        "ref": ref,
        "verdict": judgement.verdict.value,
        "label": judgement.label.value if judgement.label else None,
        "score": _round_figure(judgement.score),
        "conf": _round_figure(judgement.confidence),
        "model": judgement.provenance.judge if judgement.provenance else "",
        "reasons": [reason[:SHORT] for reason in judgement.reasons[:MOST_REASONS]],
        "claimed": {
            "title": claimed.title[:LONG] if claimed.title else None,
            "authors": [name.display[:SHORT] for name in claimed.authors[:MOST_NAMES]],
            "year": claimed.year,
            "venue": claimed.venue[:SHORT] if claimed.venue else None,
        },
        "evidence": case.list_evidence_hashes(lookups)[:MOST_HASHES],
        "case": commitment,
    }
    is_work = judgement.verdict is Verdict.MATCHED
    event |= _list_canonical_ids(checked) if is_work else list_cited_ids(claimed)
    if checked.retraction is not None:
        event |= _describe_finding(checked.retraction)
    elif judgement.matched is not None:
        record = judgement.matched.record
        event |= {"source": record.source, "record": record.id[:SHORT]}
    if name == "crossref_miss":
        event |= {"doi": missed[0][:SHORT], "attempt": 1}
    if name in ("title_mismatch", "author_mismatch"):
        event |= _describe_mismatch(
            judgement, name.removesuffix("_mismatch"), checked.reference.claimed.title
        )
    trace = judgement.provenance.llm if judgement.provenance else None
    if asked := describe_exchanges(trace.exchanges if trace else ()):
        event["llm"] = asked
    open_ = [x for x in lookups if isinstance(x, Unchecked)][:MOST_CAUSES]
    if open_:
        event["unchecked"] = [{"source": x.source, "by": x.by, "cause": x.cause.value} for x in open_]
    return event


def describe_exchanges(exchanges: Iterable[ModelExchange]) -> list[Event]:
    """Return questions to a language model: the hash of each answer, or why there is none."""
    said = ((ask, ask.task.value, ask.model[:SHORT], ask.prompt[:SHORT]) for ask in exchanges)
    return [
        {"task": task, "model": model, "prompt": prompt}
        | ({"cause": ask.cause[:SHORT]} if ask.cause else {"answer": sha256(ask.answer.encode()).hexdigest()})
        for ask, task, model, prompt in said
    ]


def list_cited_ids(claimed: Claimed) -> Event:
    """Return the first cited identifier of each scheme, but no address: it may hold what is not for print."""
    first = {scheme: value[:SHORT] for scheme, value in reversed(claimed.ids.pairs)}
    return {scheme: value for scheme, value in reversed(first.items()) if scheme != "url"}


def _list_canonical_ids(checked: Checked) -> Event:
    """Return the identifiers of a work that was verified, as its record has them.

    A cited one stays only where nothing speaks against it: what does not exist has events of its own.
    """
    judgement, cited = checked.judgement, checked.reference.claimed.ids
    known = judgement.matched.record.ids if judgement.matched else cited
    if not cited:
        doi = known.first("doi")
        return {"doi": doi[:SHORT]} if doi else {}
    wrong = {value for m in judgement.mismatches for value in m.claimed.split(", ")}
    ids: Event = {}
    for scheme in dict.fromkeys(("doi", *(scheme for scheme, _ in cited.pairs if scheme != "url"))):
        mine, theirs = cited.all(scheme), known.all(scheme)
        agreed = [value for value in mine if value in theirs]
        values = [*agreed, *theirs, *(value for value in mine if value not in wrong)]
        ids |= {scheme: values[0][:SHORT]} if values else {}
    return ids


def _is_long(checked: Checked, event: Event) -> bool:
    """Return whether an event may be too long: a character may take six bytes, a hash takes 67."""
    claimed = checked.reference.claimed
    people = sum(map(len, event["claimed"]["authors"])) if len(claimed.authors) > 10 else 3000
    characters = len(checked.reference.raw) + 2 * len(claimed.title or "") + people
    return 6 * characters + 67 * len(event["evidence"]) > 30_000


def fit_event(event: Event) -> Event:
    """Return the event, cut where it would not fit an entry; the case has everything."""
    if len(encode_canonical(event)) <= ROOM:
        return event
    claimed = event["claimed"]
    small = {
        "title": (claimed["title"] or "")[:SHORT],
        "authors": [name[:100] for name in claimed["authors"][:5]],
        "year": claimed["year"],
        "venue": (claimed["venue"] or "")[:100],
    }
    texts = {name: event[name][:SHORT] for name in ("attributed", "actual", "raw", "key") if name in event}
    lists = {name: event[name][:20] for name in ("evidence", "unchecked") if name in event}
    return event | texts | lists | {"claimed": small, "cut": True}


def _round_figure(value: float | None) -> float | None:
    """Return a figure as a report shows it; 10.0 is 10, as the log's JSON writes it."""
    short = round_figure(value)
    return int(short) if short is not None and short == int(short) else short


def _describe_mismatch(judgement: Judgement, which: str, title: str | None) -> Event:
    """Return what is cited and what the record says; of an identifier, the title of the work it leads to."""
    field = "title" if which == "title" else "authors"
    mismatch = next((m for m in judgement.mismatches if m.field == field), None)
    if mismatch is not None:
        return {"attributed": mismatch.claimed[:LONG], "actual": mismatch.resolved[:LONG]}
    other = next((m for m in judgement.mismatches if m.reason is Reason.IDENTIFIER_OF_OTHER_WORK), None)
    return {"attributed": (title or "")[:LONG], "actual": other.resolved[:LONG]} if other else {}


def _describe_finding(finding: Finding) -> Event:
    kind = {"kind": finding.kind} if finding.kind else {}
    return {"source": finding.source, "detail": finding.detail[:SHORT], **kind}
