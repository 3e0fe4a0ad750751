"""One judgement for one reference: verdict, label, score, confidence, reasons, explanation.

A pure function of the reference, the set of lookups, the comparisons and the model. The verdict
is decided by rules (`verdict`), the score inside the verdict's interval by the weighted faults
(`features`, `model`), the words by `explain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.judge import model as models
from citeproof.judge.explain import explain
from citeproof.judge.features import confirmed, features
from citeproof.judge.verdict import Ruling, denied, rule, unregistered
from citeproof.vocabulary import (
    ID_ORDER,
    Band,
    Compared,
    Comparison,
    Found,
    Judgement,
    Label,
    Lookup,
    Mismatch,
    Outcome,
    Provenance,
    Reach,
    Reference,
    Retrieved,
    Unchecked,
    Verdict,
)

NOT_FOUND_SCORE = 0.5
_NEVER_EXACT = ("title_", "authors_")  # whatever the weights say, such a fault is never EXACT
_NO_PEOPLE = ("record_has_none", "record_truncated")
_CANDIDATES_SHOWN = 5

__all__ = ["judge"]


def judge(
    reference: Reference,
    retrieved: Retrieved,
    compared: Sequence[Compared],
    model: models.Model | None = None,
) -> Judgement:
    """Return the judgement that the evidence supports."""
    model = model or models.default()
    retrieved = replace(retrieved, lookups=tuple(sorted(retrieved.lookups, key=_name)))
    missing = unregistered(retrieved.lookups)
    disputed = sorted({c.record.source for c in compared if c.index_error})
    compared = [c for c in compared if not c.index_error]
    ruling = rule(reference, retrieved.lookups, compared)
    dead = _beside(ruling, denied(retrieved.lookups))
    score, label, fields = _score(model, ruling, missing, dead=bool(dead))
    if label is Label.EXACT and _unproven(ruling):
        ruling = Ruling(Verdict.UNCHECKED, None, ("authors_not_compared",))
    nowhere = sorted(denied(retrieved.lookups)) if ruling.verdict is Verdict.NOT_FOUND else []
    shown = tuple(compared[:_CANDIDATES_SHOWN])
    mismatches = (*_mismatches(ruling, missing), *dead.values())
    judgement = Judgement(
        verdict=ruling.verdict,
        label=None,
        score=None,
        confidence=None,
        band=None,
        reasons=(
            *ruling.reasons,
            *(f"{m.field}:{m.reason}" for m in mismatches),
            *(f"index_error:{source}" for source in disputed),
            *(f"{by}:not_registered" for by, _ in nowhere),
        ),
        explanation=explain(reference, ruling, retrieved, mismatches, disputed),
        matched=ruling.matched,
        mismatches=mismatches,
        candidates=shown,
        splices=ruling.splices,
        provenance=_provenance(retrieved, ruling, model),
    )
    if ruling.verdict is Verdict.UNCHECKED:
        return replace(judgement, candidates=tuple(replace(c, weak=True) for c in shown))
    confidence, band = _capped(models.confidence(model, label, score, fields), ruling, retrieved)
    return replace(judgement, label=label, score=score, confidence=confidence, band=band)


def _unproven(ruling: Ruling) -> bool:
    """Return whether the record lists no people to hold the cited ones against.

    Everything else may agree: whoever is named beside a real title was still not checked.
    """
    authors = ruling.matched.of("authors") if ruling.matched is not None else None
    return authors is not None and authors.outcome is Outcome.UNKNOWN and authors.reason in _NO_PEOPLE


def _name(lookup: Lookup) -> tuple[str, str, str, str]:
    """Sort key that makes the set of lookups a list, whatever the order of arrival."""
    detail = ""
    if isinstance(lookup, Unchecked):
        detail = f"{lookup.cause} {lookup.detail}"
    elif isinstance(lookup, Found):
        detail = lookup.records[0].id if lookup.records else ""
    return lookup.source, lookup.by, type(lookup).__name__, detail


def faults_of(ruling: Ruling, missing: frozenset[str], *, dead: bool = False) -> dict[str, float]:
    """Return the weighed faults of the candidate that a ruling rests on."""
    if ruling.matched is None:
        return {}
    faults = features(ruling.matched)
    if dead or "one_identifier_wrong" in ruling.reasons or _unregistered_here(ruling.matched, missing):
        faults["identifier_other"] = 1.0
    return faults


def _score(
    model: models.Model, ruling: Ruling, missing: frozenset[str], *, dead: bool
) -> tuple[float, Label, int]:
    if ruling.matched is None:
        return NOT_FOUND_SCORE, Label.MAJOR, 0
    faults = faults_of(ruling, missing, dead=dead)
    interval = models.interval(model, ruling.verdict)
    score = interval.clip(10.0 - models.penalty(model, faults))
    if score >= model.exact_at and any(name.startswith(_NEVER_EXACT) for name in faults):
        score = round(model.exact_at - 0.01, 2)
    return score, models.label_of(model, score), confirmed(ruling.matched)


def _unregistered_here(compared: Compared, missing: frozenset[str]) -> bool:
    return any(c.field in missing and c.outcome is Outcome.UNKNOWN for c in compared.comparisons)


def _beside(ruling: Ruling, dead: frozenset[tuple[str, str]]) -> dict[tuple[str, str], Mismatch]:
    """Return the identifiers that do not exist and stand beside one of the same kind that is right."""
    if ruling.matched is None:
        return {}
    right = {c.field for c in ruling.matched.comparisons if c.outcome in (Outcome.SAME, Outcome.VARIANT)}
    return {(by, v): Mismatch(by, v, "", 0.0, "not_registered") for by, v in sorted(dead) if by in right}


def _mismatches(ruling: Ruling, missing: frozenset[str]) -> tuple[Mismatch, ...]:
    """Return every difference with both values: of the work found, and of strayed identifiers."""
    if ruling.matched is None:
        return ()
    found = [
        Mismatch(c.field, c.claimed, c.resolved, c.similarity, _reason(c, missing))
        for c in ruling.matched.comparisons
        if c.outcome is Outcome.DIFFERS
    ]
    found.extend(
        Mismatch(c.field, c.claimed, "", 0.0, "not_registered")
        for c in ruling.matched.comparisons
        if c.outcome is Outcome.UNKNOWN and c.field in missing
    )
    seen = {m.field for m in found}
    for stray in ruling.strays:
        if stray is ruling.matched:
            continue
        found.extend(_stray_mismatches(stray, seen))
    return tuple(found)


def _reason(comparison: Comparison, missing: frozenset[str]) -> str:
    """Return why a field differs: that an identifier does not exist says more than that it is another."""
    dead = comparison.field in missing and comparison.reason == "other_identifier"
    return "not_registered" if dead else comparison.reason


def _stray_mismatches(stray: Compared, seen: set[str]) -> list[Mismatch]:
    rows = []
    for by in stray.via:
        mine = stray.of(by)
        if by in ID_ORDER and by not in seen and mine is not None:
            seen.add(by)
            rows.append(Mismatch(by, mine.claimed, stray.record.title, 0.0, "identifier_of_other_work"))
    return rows


def _capped(confidence: float, ruling: Ruling, retrieved: Retrieved) -> tuple[float, Band]:
    """An accusation that rests on an incomplete title search is never of high confidence."""
    band = models.band_of(confidence)
    if ruling.verdict is not Verdict.MISMATCH or "identifier_of_other_work" not in ruling.reasons:
        return confidence, band
    if "title_not_searched" in ruling.reasons:
        return min(confidence, models.MEDIUM - 0.01), Band.LOW
    complete = any(isinstance(x, Found) and x.reach is Reach.COMPLETE for x in retrieved.lookups)
    if complete or band is not Band.HIGH:
        return confidence, band
    return min(confidence, models.HIGH - 0.01), Band.MEDIUM


def _provenance(retrieved: Retrieved, ruling: Ruling, model: models.Model) -> Provenance:
    lookups = retrieved.lookups
    stages = ["compare"] if any(isinstance(x, Found) for x in lookups) else []
    if any(x.by in {"title", "raw", "authors"} for x in lookups):
        stages.append("search")
    via = None
    if ruling.matched is not None:
        order = (*ID_ORDER, "title", "raw", "authors")
        via = next((by for by in order if by in ruling.matched.via), None)
    return Provenance(
        stages_run=tuple(stages),
        resolved_via=via,
        registries_searched=lookups,
        unchecked=tuple(x for x in lookups if isinstance(x, Unchecked)),
        stops=retrieved.stops,
        snapshots=tuple(sorted({x.source for x in lookups if x.source.startswith("snapshot")})),
        judge=model.name,
    )
