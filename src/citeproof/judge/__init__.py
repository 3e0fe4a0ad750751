"""One judgement for one reference: verdict, label, score, confidence, reasons, explanation.

A pure function of the reference, the set of lookups, the comparisons and the model. The verdict
is decided by rules (`verdict`), the score inside the verdict's interval by the weighted faults
(`features`, `weighing`, `model`), the words by `explain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.judge import model as models
from citeproof.judge import promise as promises
from citeproof.judge import weighing
from citeproof.judge.explain import explain
from citeproof.judge.verdict import Ruling, denied, rule, unregistered
from citeproof.judge.weighing import Weighed
from citeproof.vocabulary import (
    ID_ORDER,
    Compared,
    Comparison,
    Found,
    Judgement,
    Lookup,
    Mismatch,
    Outcome,
    Provenance,
    Reference,
    Retrieved,
    Unchecked,
    Verdict,
)

_CANDIDATES_SHOWN = 5

__all__ = ["judge", "weighed"]


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
    weight = weighing.weigh(ruling, retrieved.lookups, missing, dead=bool(dead))
    score = weighing.score(model, weight)
    label = weighing.label(model, weight, score)
    if label is None and ruling.verdict is not Verdict.UNCHECKED:
        ruling = Ruling(Verdict.UNCHECKED, None, ("authors_not_compared",))
    nowhere = sorted(denied(retrieved.lookups)) if ruling.verdict is Verdict.NOT_FOUND else []
    shown = compared[:_CANDIDATES_SHOWN]
    sure, band = (None, None) if label is None else weighing.confidence(model, weight, label, score)
    mismatches = (*_mismatches(ruling, missing), *dead.values())
    judgement = Judgement(
        verdict=ruling.verdict,
        label=label,
        score=None if label is None else score,
        confidence=sure,
        band=band,
        reasons=(
            *ruling.reasons,
            *(f"{m.field}:{m.reason}" for m in mismatches),
            *(f"index_error:{source}" for source in disputed),
            *(f"{by}:not_registered" for by, _ in nowhere),
        ),
        explanation=explain(reference, ruling, retrieved, mismatches, disputed),
        matched=ruling.matched,
        mismatches=mismatches,
        candidates=tuple(shown if label else (replace(c, weak=True) for c in shown)),
        splices=ruling.splices,
        provenance=_provenance(retrieved, ruling, model),
    )
    return judgement if model.promise is None else promises.kept(judgement, model)


def weighed(reference: Reference, retrieved: Retrieved, compared: Sequence[Compared]) -> Weighed:
    """Return what `judge` weighs, without a model: any thresholds can be tried on it."""
    ruling = rule(reference, retrieved.lookups, [c for c in compared if not c.index_error])
    dead = _beside(ruling, denied(retrieved.lookups))
    return weighing.weigh(ruling, retrieved.lookups, unregistered(retrieved.lookups), dead=bool(dead))


def _name(lookup: Lookup) -> tuple[str, str, str, str]:
    """Sort key that makes the set of lookups a list, whatever the order of arrival."""
    detail = ""
    if isinstance(lookup, Unchecked):
        detail = f"{lookup.cause} {lookup.detail}"
    elif isinstance(lookup, Found):
        detail = lookup.records[0].id if lookup.records else ""
    return lookup.source, lookup.by, type(lookup).__name__, detail


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
