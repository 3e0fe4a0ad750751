"""Confidence fitted out of fold: one logistic line a label (Platt), or steps (isotonic) on many data.

A row is one citation as a model judged it: which label, how far its score lies from τ_E, how many
fields agree, and whether the label was right. Nothing here reads evidence again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from citeproof.judgement.judge import weighed_ruling
from citeproof.judgement.judge.model import ConfidenceLine, Model
from citeproof.laboratory.measure.benchmark_rows import LabelledCitation, compute_base_rate, split_into_folds
from citeproof.vocabulary import THREE_CLASSES, Label

Method = Literal["auto", "platt", "isotonic"]
METHODS: tuple[Method, ...] = ("auto", "platt", "isotonic")
MANY = 1_000  # rows of one label from which steps may be fitted; on hundreds they learn noise
CHUNK = 100  # rows that one step rests on at least
USUAL = (0.3, 0.3)  # slopes that the scale itself suggests; errors are few, so they are held near
HOLD = 20.0

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """One citation as a model judged it."""

    label: Label
    distance: float
    fields: int
    right: bool
    weight: float = 1.0


def judge_citations(model: Model, known: Sequence[LabelledCitation]) -> list[CalibrationRow]:
    """Return the rows of the citations that `model` gives a label to."""
    rows = (judge_citation(model, citation) for citation in known)
    return [row for row in rows if row is not None]


def judge_citation(model: Model, citation: LabelledCitation) -> CalibrationRow | None:
    """Return one citation as `model` judges it; None where it cannot."""
    score = weighed_ruling.compute_score(model, citation.weighed)
    label = weighed_ruling.choose_label(model, citation.weighed, score)
    if label is None:
        return None
    right = label.passes != citation.bad
    return CalibrationRow(label, abs(score - model.exact_at), citation.weighed.fields, right, citation.weight)


def calibrate_model(model: Model, known: Sequence[LabelledCitation], method: Method = "auto") -> Model:
    """Return the model with its confidence fitted on `known`, for the base rate that these have."""
    lines = fit_lines(judge_citations(model, known), method)
    rate = compute_base_rate(citation for citation in known if judge_citation(model, citation) is not None)
    return msgspec.structs.replace(model, confidence=lines, base_rate=round(rate, 4))


def rate_out_of_fold(
    model: Model, known: Sequence[LabelledCitation], method: Method = "auto"
) -> list[tuple[float, bool]]:
    """Return (confidence, right) of every citation, by lines that were fitted without its work."""
    rated: list[tuple[float, bool]] = []
    for rest, held in split_into_folds(known):
        inner = calibrate_model(model, rest, method)
        rated += [
            (compute_confidence(inner, citation, row), row.right)
            for citation in held
            if (row := judge_citation(inner, citation))
        ]
    return rated


def compute_confidence(model: Model, citation: LabelledCitation, row: CalibrationRow) -> float:
    """Return what `model` would tell the user about its label."""
    score = weighed_ruling.compute_score(model, citation.weighed)
    return weighed_ruling.estimate_confidence(model, citation.weighed, row.label, score)[0]


def fit_lines(judged: Sequence[CalibrationRow], method: Method = "auto") -> dict[str, ConfidenceLine]:
    """Return the calibration of every class; NOTED passes, and shares the line of EXACT."""
    rows: dict[Label, list[CalibrationRow]] = {label: [] for label in THREE_CLASSES}
    for row in judged:
        rows[Label.EXACT if row.label.passes else row.label].append(row)
    return {label.value: _fit_line(own, method) for label, own in rows.items()}


def _fit_line(rows: Sequence[CalibrationRow], method: Method) -> ConfidenceLine:
    line = fit_platt_line(rows)
    if method == "platt" or (method == "auto" and len(rows) < MANY) or not rows:
        return line
    return msgspec.structs.replace(line, steps=fit_isotonic_steps(line, rows))


def fit_platt_line(rows: Sequence[CalibrationRow]) -> ConfidenceLine:
    """Return the logistic line of one label; with Laplace's one right and one wrong next to the data."""
    x = np.array([[1.0, r.distance, r.fields] for r in rows] + [[1.0, 1.0, 2.0]] * 2)
    y = np.array([float(r.right) for r in rows] + [1.0, 0.0])
    weight = np.array([r.weight for r in rows] + [1.0, 1.0])
    best = _minimise_loss(x, y, weight)
    base, margin, confirmed = (round(float(part), 4) for part in best)
    return ConfidenceLine(base, margin, confirmed)


def _minimise_loss(x: Array, y: Array, weight: Array) -> Array:
    """Return the weights of least loss, slopes at or above zero: more distance never means less sure."""
    usual, hold = np.array([0.0, *USUAL]), np.array([0.0, HOLD, HOLD])
    best = np.array([2.0, 0.1, 0.1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ best, -500, 500)))
        gradient = x.T @ (weight * (p - y)) + 2 * hold * (best - usual)
        fixed = np.array([False, *(best[1:] <= 0) & (gradient[1:] > 0)])
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(2 * hold + 1e-9)
        step = np.zeros(3)
        step[~fixed] = np.linalg.solve(curve[np.ix_(~fixed, ~fixed)], gradient[~fixed])
        size = 1.0
        while size > 1e-6 and _compute_loss(_bound_slopes(best - size * step), x, y, weight) > _compute_loss(
            best, x, y, weight
        ):
            size /= 2
        new = _bound_slopes(best - size * step)
        if float(np.abs(new - best).max()) < 1e-9:
            break
        best = new
    return best


def _bound_slopes(line: Array) -> Array:
    return np.array([line[0], max(0.0, line[1]), max(0.0, line[2])])


def _compute_loss(line: Array, x: Array, y: Array, weight: Array) -> float:
    z = x @ line
    likely = np.logaddexp(0, z) - y * z
    pull = line[1:] - np.array(USUAL)
    return float(weight @ likely + HOLD * (pull @ pull))


def fit_isotonic_steps(
    line: ConfidenceLine, rows: Sequence[CalibrationRow]
) -> tuple[tuple[float, float], ...]:
    """Return rising steps (log-odds of the line from which, probability), pooled where they fell."""
    ranked = sorted((line.odds(r.distance, r.fields), r.right, r.weight) for r in rows)
    blocks: list[list[float]] = []  # where it starts, weight that is right, weight
    for chunk in _split_into_chunks(ranked):
        blocks.append([chunk[0][0], sum(w for _, ok, w in chunk if ok), sum(w for *_, w in chunk)])
        while len(blocks) > 1 and _compute_block_share(blocks[-2]) >= _compute_block_share(blocks[-1]):
            _, right, weight = blocks.pop()
            blocks[-1][1] += right
            blocks[-1][2] += weight
    return tuple((round(block[0], 4), round(_compute_block_share(block), 4)) for block in blocks)


def _compute_block_share(block: Sequence[float]) -> float:
    """Return a block's share of right labels, with Laplace's one right and one wrong: never 0 nor 1."""
    return (block[1] + 1) / (block[2] + 2)


def _split_into_chunks(ranked: Sequence[tuple[float, bool, float]]) -> list[list[tuple[float, bool, float]]]:
    """Return the rows in runs of at least `CHUNK`; equal log-odds are never parted."""
    chunks: list[list[tuple[float, bool, float]]] = []
    for row in ranked:
        if chunks and (len(chunks[-1]) < CHUNK or chunks[-1][-1][0] == row[0]):
            chunks[-1].append(row)
        else:
            chunks.append([row])
    if len(chunks) > 1 and len(chunks[-1]) < CHUNK:
        chunks[-2].extend(chunks.pop())
    return chunks
