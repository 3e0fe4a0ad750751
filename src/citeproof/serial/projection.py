"""One checked reference in the shape of `verifyCitation`.

    {verdict, confidence, matched, mismatches, candidates?, provenance, _provenance, citeproof}

The words of that shape differ from ours: `confidence` is the band, one lower when the year is off
by two or more or an identifier is wrong; a candidate's record is its `item`; a difference is one of
title, first_author, year and container, or an identifier under the name of its argument. What a wrong
identifier `resolved` to is the title of the work it belongs to, or null if it does not exist. The shape has
no word for "could not check": strict compatibility answers `verdict: null, status: "incomplete"` there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeproof.serial.judged import candidate_json, checked_json
from citeproof.serial.known import lookup_json, record_json
from citeproof.serial.plain import Json, rounded
from citeproof.vocabulary import (
    ID_ORDER,
    Band,
    Checked,
    Compared,
    Judgement,
    Lookup,
    Mismatch,
    Override,
    Verdict,
)

FIELDS = {"title": "title", "authors": "first_author", "year": "year", "venue": "container"}
IDENTIFIERS = {scheme: scheme for scheme in ID_ORDER if scheme != "url"} | {"who_iris": "whoIrisUrl"}
LOWER = {Band.HIGH: Band.MEDIUM, Band.MEDIUM: Band.LOW, Band.LOW: Band.LOW}
WIDE = 2  # years
_YEAR = re.compile(r"\d{4}")
SEARCHES = frozenset({"title", "raw"})  # the questions that count as a title search


def verify_json(
    checked: Checked, *, compat: bool = False, screen: bool = False, overrides: Sequence[Override] = ()
) -> Json:
    """Return the `verifyCitation` answer; `compat` leaves out everything that shape does not know."""
    judgement = checked.judgement
    unchecked = judgement.verdict is Verdict.UNCHECKED
    provenance = _provenance(checked, compat=compat, screen=screen)
    answer: Json = {"verdict": None if unchecked and compat else judgement.verdict.value}
    if unchecked:
        answer["status"] = "incomplete"
    answer["confidence"] = _confidence(judgement)
    answer["matched"] = record_json(judgement.matched.record) if judgement.matched else None
    answer["mismatches"] = [
        _mismatch(m, judgement.matched)
        for m in judgement.mismatches
        if m.field in FIELDS or m.field in IDENTIFIERS
    ]
    if _searched(checked) or judgement.verdict is Verdict.AMBIGUOUS:  # which has two works to name
        answer["candidates"] = [_candidate(c) for c in judgement.candidates]
    answer |= {"provenance": provenance, "_provenance": provenance}
    return answer if compat else answer | {"citeproof": checked_json(checked, overrides)}


def _confidence(judgement: Judgement) -> str | None:
    """Return the band, one lower for a wide gap of years or a wrong identifier beside the right work."""
    if judgement.band is None:
        return None
    wide = any(m.field == "year" and _gap(m) >= WIDE for m in judgement.mismatches)
    matched = judgement.verdict is Verdict.MATCHED
    wrong = matched and any(m.field in IDENTIFIERS for m in judgement.mismatches)
    return (LOWER[judgement.band] if wide or wrong else judgement.band).value


def _gap(mismatch: Mismatch) -> int:
    claimed, resolved = _YEAR.search(mismatch.claimed), _YEAR.findall(mismatch.resolved)
    return min(abs(int(claimed[0]) - int(year)) for year in resolved) if claimed and resolved else 0


def _mismatch(mismatch: Mismatch, matched: Compared | None) -> Json:
    resolved: str | None = mismatch.resolved
    if mismatch.field in IDENTIFIERS and mismatch.reason in ("not_registered", "malformed"):
        resolved = None
    if mismatch.field == "authors" and matched and matched.record.authors:
        resolved = matched.record.authors[0].family  # the shape compares first authors only
    return {
        "field": FIELDS.get(mismatch.field) or IDENTIFIERS[mismatch.field],
        "claimed": mismatch.claimed,
        "resolved": resolved,
        "similarity": rounded(mismatch.similarity),
    }


def _candidate(candidate: Compared) -> Json:
    ours = candidate_json(candidate)
    return {"item": ours["record"], "registries": ours["registries"], "score": ours["score"]}


def _provenance(checked: Checked, *, compat: bool, screen: bool) -> Json:
    lookups = checked.retrieved.lookups
    stages = ["compare"] * bool(checked.compared) + ["search"] * _searched(checked)
    ours = checked.judgement.provenance
    provenance: Json = {"stages_run": stages, "resolved_via": ours.resolved_via if ours else None}
    provenance["registries_searched"] = [_registry(one, compat=compat) for one in lookups]
    if screen:
        provenance["llm_screen"] = {"applied": False, "reason": _not_screened(checked)}
    if not compat:
        provenance["snapshot"] = ours.snapshots[0] if ours and ours.snapshots else None
    return provenance


def _registry(lookup: Lookup, *, compat: bool) -> Json:
    ours = lookup_json(lookup)
    if not compat:
        return ours
    kept = {name: ours[name] for name in ("registry", "ok", "count")}
    return kept if ours["ok"] else kept | {"reason": ours["reason"]}


def _not_screened(checked: Checked) -> str:
    """Return why no language model looked at it: only weak mismatches qualify, and none is set up."""
    judgement = checked.judgement
    eligible = judgement.verdict is Verdict.MISMATCH and judgement.band is Band.LOW
    return "no_gateway" if eligible else "verdict_not_eligible"


def _searched(checked: Checked) -> bool:
    return any(lookup.by in SEARCHES for lookup in checked.retrieved.lookups)
