"""One checked reference in the shape of `verifyCitation`.

    {verdict, confidence, matched, mismatches, candidates?, provenance, _provenance, caveats, citeproof}

The words of that shape differ from ours: `confidence` is the band, one lower when the year is off
by two or more, or the first author or an identifier is wrong; a candidate's record is its `item`; a
difference, also one that is only noted, is one of title, first_author, year and container, or an
identifier under the name of its argument. What a wrong
identifier `resolved` to is the title of the work it belongs to, or null if it does not exist. The shape has
no word for "could not check": strict compatibility answers `verdict: null, status: "incomplete"` there.
`caveats` are sentences: identifiers that are wrong, and what was found about the work.
"""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.answers.serializers.judgements import (
    FORBIDDEN_CODE,
    build_candidate_json,
    build_checked_json,
    build_screen_json,
)
from citeproof.answers.serializers.references import build_lookup_json, build_record_json
from citeproof.judgement.judge.absence import SEARCHES
from citeproof.judgement.judge.model_bounds import is_screen_eligible
from citeproof.plumbing.json_bytes import Json, round_figure
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import (
    ID_NAMES,
    ID_ORDER,
    NOT_CHECKED,
    WORK_IDS,
    Band,
    Checked,
    Compared,
    FindingState,
    Judgement,
    Lookup,
    Mismatch,
    Outcome,
    Override,
    Reason,
    Verdict,
)

FIELDS = {"title": "title", "authors": "first_author", "year": "year", "venue": "container"}
IDENTIFIERS = {scheme: scheme for scheme in ID_ORDER if scheme != "url"} | {"who_iris": "whoIrisUrl"}
LOWER = {Band.HIGH: Band.MEDIUM, Band.MEDIUM: Band.LOW, Band.LOW: Band.LOW}
WIDE = 2  # years
SCREEN_KEYS = ("applied", "model", "prompt_version", "verdict", "reasoning", "cost_usd", "reason")
_YEAR = re.compile(r"\d{4}")
_WRONG = {Reason.NOT_REGISTERED: "does not exist", Reason.MALFORMED: "is malformed"}


def list_caveats(checked: Checked) -> list[str]:
    """Return the caveats of a verdict, the identifiers first; empty where there is nothing to add."""
    judgement = checked.judgement
    caveats = [_describe_identifier(m) for m in judgement.mismatches if m.field in ID_ORDER]
    if judgement.verdict is Verdict.MATCHED:
        caveats += [
            f"The record has {'other' if note.field.endswith('s') else 'another'} {note.field}, "
            f"“{note.resolved}”, which was not held against the citation."
            for note in judgement.notes
        ]
    caveats += [
        f"{f.name.replace('_', ' ')}: {f.detail}" if f.detail else f.name.replace("_", " ")
        for f in checked.findings
        if f.state is FindingState.FINDING
    ]
    if judgement.verdict is Verdict.UNCHECKED:
        caveats += _describe_strays(checked)
        caveats.append(f"{NOT_CHECKED.capitalize()}: this says nothing for or against the citation.")
    elif any(f.name == "retracted" and f.state is FindingState.UNCHECKED for f in checked.findings):
        caveats.append(f"Retractions {NOT_CHECKED}.")
    return caveats


def _describe_strays(checked: Checked) -> list[str]:
    """Return the works of other titles that cited identifiers lead to, where nothing was decided."""
    each = {
        f"{ID_NAMES[scheme]} {value} leads to a record with another title, “{c.record.title}”, which alone "
        "does not prove the citation wrong."
        for c in checked.judgement.candidates
        if (title := c.of("title")) is not None and title.outcome is Outcome.DIFFERS
        for scheme, value in checked.reference.claimed.ids.pairs
        if scheme in c.via and scheme in WORK_IDS
    }
    return sorted(each)


def _describe_identifier(mismatch: Mismatch) -> str:
    named = f"{ID_NAMES[mismatch.field]} {mismatch.claimed}"
    if words := _WRONG.get(mismatch.reason):
        return f"{named} {words}."
    if mismatch.reason is Reason.IDENTIFIER_OF_OTHER_WORK and mismatch.resolved:
        return f"{named} belongs to “{mismatch.resolved}”, not to this title."
    return f"{named} is wrong; the record has {mismatch.resolved or 'none'}."


def build_verify_json(
    checked: Checked, *, compat: bool = False, screen: bool = False, overrides: Sequence[Override] = ()
) -> Json:
    """Return the `verifyCitation` answer; `compat` leaves out everything that shape does not know."""
    judgement = checked.judgement
    unchecked = judgement.verdict is Verdict.UNCHECKED
    provenance = _project_provenance(checked, compat=compat, screen=screen)
    answer: Json = {"verdict": None if unchecked and compat else judgement.verdict.value}
    if unchecked:
        answer["status"] = "incomplete"
    answer["confidence"] = _choose_band(judgement)
    answer["matched"] = build_record_json(judgement.matched.record) if judgement.matched else None
    answer["mismatches"] = [
        _project_mismatch(m, judgement.matched)
        for m in _list_mismatches(judgement)
        if m.field in FIELDS or m.field in IDENTIFIERS
    ]
    if _has_searched(checked) or judgement.verdict is Verdict.AMBIGUOUS:  # which has two works to name
        answer["candidates"] = [_project_candidate(c) for c in judgement.candidates]
    answer |= {"provenance": provenance, "_provenance": provenance}
    if compat:
        return answer
    return answer | {"caveats": list_caveats(checked), "citeproof": build_checked_json(checked, overrides)}


def _list_mismatches(judgement: Judgement) -> Sequence[Mismatch]:
    """Return the differences; a note is one of them, for which the shape has no word of its own."""
    notes = [m for m in judgement.notes if m.field in FIELDS]
    if judgement.verdict is Verdict.MISMATCH:  # the other fields are those of another work
        notes = [m for m in notes if m.field in ("title", "authors")]
    return sorted((*notes, *judgement.mismatches), key=lambda m: [*FIELDS, m.field].index(m.field))


def _choose_band(judgement: Judgement) -> str | None:
    """Return the band, one lower where something else than the title raises a suspicion of fabrication."""
    if judgement.band is None:
        return None
    wide = any(m.field == "year" and _measure_year_gap(m) >= WIDE for m in _list_mismatches(judgement))
    matched = judgement.verdict is Verdict.MATCHED
    wrong = matched and any(m.field == "authors" or m.field in IDENTIFIERS for m in judgement.mismatches)
    return (LOWER[judgement.band] if wide or wrong else judgement.band).value


def _measure_year_gap(mismatch: Mismatch) -> int:
    claimed, resolved = _YEAR.search(mismatch.claimed), _YEAR.findall(mismatch.resolved)
    return min(abs(int(claimed[0]) - int(year)) for year in resolved) if claimed and resolved else 0


def _project_mismatch(mismatch: Mismatch, matched: Compared | None) -> Json:
    resolved: str | None = mismatch.resolved
    if mismatch.field in IDENTIFIERS and mismatch.reason in (Reason.NOT_REGISTERED, Reason.MALFORMED):
        resolved = None
    if mismatch.field == "authors" and matched and matched.record.authors:
        resolved = matched.record.authors[0].family  # the shape compares first authors only
    return {
        "field": FIELDS.get(mismatch.field) or IDENTIFIERS[mismatch.field],
        "claimed": mismatch.claimed,
        "resolved": resolved,
        "similarity": _drop_point(round_figure(mismatch.similarity)),
    }


def _project_candidate(candidate: Compared) -> Json:
    ours = build_candidate_json(candidate)
    score = _drop_point(ours["score"])
    return {"item": ours["record"], "registries": ours["registries"], "score": score}


def _drop_point(figure: float | None) -> float | None:
    """Return the number that prints as JavaScript has it: 1, not 1.0."""
    return int(figure) if figure in (0, 1) else figure


def _project_provenance(checked: Checked, *, compat: bool, screen: bool) -> Json:
    lookups = checked.retrieved.lookups
    stages = ["compare"] * bool(checked.compared) + ["search"] * _has_searched(checked)
    ours = checked.judgement.provenance
    provenance: Json = {"stages_run": stages, "resolved_via": ours.resolved_via if ours else None}
    provenance["registries_searched"] = [_project_lookup(lookup, compat=compat) for lookup in lookups]
    asked = build_screen_json(ours.llm) if ours else None
    stages += ["llm_screen"] * bool(asked and asked["applied"])
    screened = asked or {"applied": False, **_explain_no_screen(checked, screen=screen)}
    provenance["llm_screen"] = {k: v for k, v in screened.items() if not compat or k in SCREEN_KEYS}
    if not compat:
        provenance["snapshot"] = ours.snapshots[0] if ours and ours.snapshots else None
    return provenance


def _project_lookup(lookup: Lookup, *, compat: bool) -> Json:
    ours = build_lookup_json(lookup)
    if not compat:
        return ours
    kept = {name: ours[name] for name in ("registry", "ok", "count")}
    return kept if ours["ok"] else kept | {"reason": ours["reason"]}


def _explain_no_screen(checked: Checked, *, screen: bool) -> Json:
    """Return why no language model examined it: only weak mismatches qualify, and one must be allowed."""
    if not is_screen_eligible(checked.judgement):
        return {"reason": "verdict_not_eligible"}
    return {"reason": "no_gateway", "code": FORBIDDEN_CODE} if screen else {}


def _has_searched(checked: Checked) -> bool:
    return any(lookup.by in SEARCHES for lookup in checked.retrieved.lookups)
