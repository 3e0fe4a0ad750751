"""A comparison of kinds told: a table, what it means in words, and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.measure.realism.chisquare import OTHER, ChiSquareTest
from citeproof.measure.realism.error_kinds import ErrorCounts
from citeproof.measure.result_tables import format_cell
from citeproof.measure.retrieval_latency import ResultTable
from citeproof.measure.system_results import round_figure

_ALPHA = 0.05
_FAR = 2.0  # adjusted residual beyond which a kind stands out
_UNEVEN = 5  # times as many errors in one file as in the other
_EFFECT = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"), (2.0, "large"))  # Cohen's steps, V below

Json = dict[str, object]


def build_realism_table(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> ResultTable:
    """Return the shares of both files side by side; what was too rare for the test has no residual."""
    residuals = {kind.name: f"{kind.residual:+.1f}" for kind in test.kinds}
    first, second = made.counts, real.counts
    names = sorted({*first, *second}, key=lambda name: (-second[name], -first[name], name))
    rows = [
        (
            format_cell(name), str(first[name]), _format_share(first[name], first.total()), str(second[name]),
            _format_share(second[name], second.total()), residuals.get(name, "rare"),
        )
        for name in names
    ]  # fmt: skip
    rows += [(OTHER, "", "", "", "", residuals[OTHER])] if OTHER in residuals else []
    head = (by.capitalize(), format_cell(made.name), "", format_cell(real.name), "", "Residual")
    return ResultTable(f"Errors by {by}", head, tuple(rows))


def describe_realism(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> Iterator[str]:
    """Yield what the figures mean, and what they do not."""
    sizes = made.counts.total(), real.counts.total()
    uneven = max(sizes) > _UNEVEN * min(sizes)
    how = "" if uneven else f" ({next(word for bound, word in _EFFECT if test.v < bound)})"
    p = "p < 0.0001" if test.p < 1e-4 else f"p = {test.p:.4f}"
    freedom = "1 degree" if test.degrees == 1 else f"{test.degrees} degrees"
    yield f"chi-square {test.statistic:.2f}, {freedom} of freedom, {p}; Cramér's V {test.v:.2f}{how}"
    yield f"for equal shares {test.distance:.0%} of the errors would have to be of another {by}"
    if uneven:
        yield "the files differ so much in size that V stays small whatever the shares are"
    if test.p < _ALPHA:
        yield "the shares differ by more than chance"
        yield from _describe_outliers(test, made)
    else:
        yield "no difference was shown; with few errors that does not mean there is none"
    yield from _list_cautions(test, made, real, by)


def _describe_outliers(test: ChiSquareTest, made: ErrorCounts) -> Iterator[str]:
    for more, word in ((True, "too many"), (False, "too few")):
        names = [
            format_cell(k.name) for k in test.kinds if abs(k.residual) > _FAR and (k.residual > 0) is more
        ]
        if names:
            yield f"{format_cell(made.name)} has {word}: {', '.join(names)}"


def _list_cautions(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> Iterator[str]:
    for own, other in ((made, real), (real, made)):
        alone = sorted(name for name in own.counts if own.counts[name] and not other.counts[name])
        if alone:
            yield f"only in {format_cell(own.name)}: {', '.join(map(format_cell, alone[:20]))}"
    if test.merged:
        yield f"too rare to test alone, merged: {', '.join(map(format_cell, test.merged[:20]))}"
    if not test.reliable:
        yield "warning: too few errors for the test; p is not reliable"
    if any(one.counts.total() > one.items for one in (made, real)):
        yield f"an item with several errors counts once for each {by}, so that p is somewhat too small"
    yield (
        "this compares how often kinds occur, not how hard they are to catch, nor whether the second file "
        "is a fair sample of real errors"
    )


def build_realism_json(test: ChiSquareTest, made: ErrorCounts, real: ErrorCounts, by: str) -> Json:
    """Return the comparison as JSON."""
    return {
        "by": by,
        "made": {"file": made.name, "items": made.items, "counts": dict(sorted(made.counts.items()))},
        "real": {"file": real.name, "items": real.items, "counts": dict(sorted(real.counts.items()))},
        "chi_square": round_figure(test.statistic),
        "degrees_of_freedom": test.degrees,
        "p": test.p,
        "cramers_v": round_figure(test.v),
        "distance": round_figure(test.distance),
        "merged": list(test.merged),
        "reliable": test.reliable,
        "residuals": {kind.name: round_figure(kind.residual) for kind in test.kinds},
        "words": list(describe_realism(test, made, real, by)),
    }


def _format_share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
