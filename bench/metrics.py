"""HALLMARK's figures from (truth, flagged, confidence) rows; pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TIER_WEIGHT = {1: 1.0, 2: 2.0, 3: 3.0}


@dataclass(frozen=True, slots=True)
class Row:
    """One judged entry. `flagged` is None when the judgement is `unchecked` (UNCERTAIN)."""

    key: str
    title: str
    hallucinated: bool
    kind: str  # the hallucination type, or "valid"
    tier: int
    flagged: bool | None
    confidence: float | None  # that the flag (or its absence) is right
    in_snapshot: bool


@dataclass(frozen=True, slots=True)
class Figures:
    n_bad: int
    n_good: int
    dr: float
    fpr: float
    f1: float
    tw_f1: float
    ece: float
    unsure_bad: float
    unsure_good: float


def figures(rows: Sequence[Row], *, unsure_as_valid: bool = False) -> Figures:
    """Return the figures over `rows`; UNCERTAIN entries are left out or taken as valid."""
    bad = [r for r in rows if r.hallucinated]
    good = [r for r in rows if not r.hallucinated]
    used = [r for r in rows if unsure_as_valid or r.flagged is not None]
    hits = [r for r in used if r.hallucinated and r.flagged]
    misses = [r for r in used if r.hallucinated and not r.flagged]
    alarms = [r for r in used if not r.hallucinated and r.flagged]
    quiet = [r for r in used if not r.hallucinated and not r.flagged]
    return Figures(
        n_bad=len(bad),
        n_good=len(good),
        dr=_share(len(hits), len(hits) + len(misses)),
        fpr=_share(len(alarms), len(alarms) + len(quiet)),
        f1=_f1(len(hits), len(alarms), len(misses)),
        tw_f1=_f1(_weigh(hits), float(len(alarms)), _weigh(misses)),
        ece=ece(used),
        unsure_bad=_share(sum(r.flagged is None for r in bad), len(bad)),
        unsure_good=_share(sum(r.flagged is None for r in good), len(good)),
    )


def _weigh(rows: Sequence[Row]) -> float:
    return sum(TIER_WEIGHT.get(r.tier, 1.0) for r in rows)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _f1(hits: float, alarms: float, misses: float) -> float:
    return _share(2 * hits, 2 * hits + alarms + misses)


def ece(rows: Sequence[Row], bins: int = 10) -> float:
    """Return the expected calibration error over equal-frequency bins of confidence."""
    rated = sorted(
        (r.confidence, float(bool(r.flagged) == r.hallucinated)) for r in rows if r.confidence is not None
    )
    total = 0.0
    for i in range(bins):
        part = rated[i * len(rated) // bins : (i + 1) * len(rated) // bins]
        if part:
            gap = sum(c for c, _ in part) / len(part) - sum(ok for _, ok in part) / len(part)
            total += len(part) / len(rated) * abs(gap)
    return total
