"""A comparison of kinds told: a table, what it means in words, and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.measure.latency import Table
from citeproof.measure.realism.chisquare import OTHER, Test
from citeproof.measure.realism.kinds import Errors
from citeproof.measure.results import number
from citeproof.measure.tables import cell

_ALPHA = 0.05
_FAR = 2.0  # adjusted residual beyond which a kind stands out
_UNEVEN = 5  # times as many errors in one file as in the other
_EFFECT = ((0.1, "negligible"), (0.3, "small"), (0.5, "medium"), (2.0, "large"))  # Cohen's steps, V below

Json = dict[str, object]


def table(test: Test, made: Errors, real: Errors, by: str) -> Table:
    """Return the shares of both files side by side; what was too rare for the test has no residual."""
    residuals = {kind.name: f"{kind.residual:+.1f}" for kind in test.kinds}
    first, second = made.counts, real.counts
    names = sorted({*first, *second}, key=lambda name: (-second[name], -first[name], name))
    rows = [
        (
            cell(name), str(first[name]), _share(first[name], first.total()), str(second[name]),
            _share(second[name], second.total()), residuals.get(name, "rare"),
        )
        for name in names
    ]  # fmt: skip
    rows += [(OTHER, "", "", "", "", residuals[OTHER])] if OTHER in residuals else []
    head = (by.capitalize(), cell(made.name), "", cell(real.name), "", "Residual")
    return Table(f"Errors by {by}", head, tuple(rows))


def words(test: Test, made: Errors, real: Errors, by: str) -> Iterator[str]:
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
        yield from _standing_out(test, made)
    else:
        yield "no difference was shown; with few errors that does not mean there is none"
    yield from _cautions(test, made, real, by)


def _standing_out(test: Test, made: Errors) -> Iterator[str]:
    for more, word in ((True, "too many"), (False, "too few")):
        names = [cell(k.name) for k in test.kinds if abs(k.residual) > _FAR and (k.residual > 0) is more]
        if names:
            yield f"{cell(made.name)} has {word}: {', '.join(names)}"


def _cautions(test: Test, made: Errors, real: Errors, by: str) -> Iterator[str]:
    for own, other in ((made, real), (real, made)):
        alone = sorted(name for name in own.counts if own.counts[name] and not other.counts[name])
        if alone:
            yield f"only in {cell(own.name)}: {', '.join(map(cell, alone[:20]))}"
    if test.merged:
        yield f"too rare to stand alone, taken together: {', '.join(map(cell, test.merged[:20]))}"
    if not test.reliable:
        yield "warning: too few errors for the test; p is not reliable"
    if any(one.counts.total() > one.items for one in (made, real)):
        yield f"an item with several errors counts once for each {by}, so that p is somewhat too small"
    yield (
        "this compares how often kinds occur, not how hard they are to catch, nor whether the second file "
        "is a fair sample of real errors"
    )


def as_json(test: Test, made: Errors, real: Errors, by: str) -> Json:
    """Return the comparison as JSON."""
    return {
        "by": by,
        "made": {"file": made.name, "items": made.items, "counts": dict(sorted(made.counts.items()))},
        "real": {"file": real.name, "items": real.items, "counts": dict(sorted(real.counts.items()))},
        "chi_square": number(test.statistic),
        "degrees_of_freedom": test.degrees,
        "p": test.p,
        "cramers_v": number(test.v),
        "distance": number(test.distance),
        "merged": list(test.merged),
        "reliable": test.reliable,
        "residuals": {kind.name: number(kind.residual) for kind in test.kinds},
        "words": list(words(test, made, real, by)),
    }


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
