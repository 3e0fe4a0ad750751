"""What was caught: recall by way, by tier and of all, with intervals, and what was missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeproof.measure.intervals import Interval, bootstrap, wilson
from citeproof.measure.makers.mutations import WAYS
from citeproof.measure.metrics import NAN, Figures, Scored
from citeproof.measure.rows import Row, Said
from citeproof.measure.selftest.mutants import Made, Mutant


@dataclass(frozen=True, slots=True)
class Share:
    """Of some mutants: how many were flagged, passed as right, and could not be checked."""

    name: str
    tier: int
    made: int
    flagged: int
    unchecked: int
    impossible: int
    interval: Interval

    @property
    def missed(self) -> int:
        return self.made - self.flagged - self.unchecked

    @property
    def recall(self) -> float:
        """Return the share that was flagged; one that could not be checked was not."""
        return self.flagged / self.made if self.made else NAN


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome of a self-test. `found`, `verified`, `usable`: references of the documents."""

    found: int
    verified: int
    usable: int
    seed: int
    ways: tuple[Share, ...]
    tiers: tuple[Share, ...]
    overall: Share
    missed: tuple[tuple[Mutant, Said], ...]
    unchecked: tuple[tuple[Mutant, Said], ...]


def tally(
    counts: tuple[int, int, int], made: Made, said: Mapping[str, Said], *, seed: int, draws: int
) -> Tally:
    """Return the figures; `counts` are the references found, verified and usable."""
    rows = [(mutant, said[mutant.question.key]) for mutant in made.mutants]
    ways = tuple(_way(way.name, way.tier, rows, made) for way in WAYS)
    tiers = tuple(
        _share(f"tier {tier}", tier, [one for one in rows if one[0].way.tier == tier], draws)
        for tier in (1, 2, 3)
    )
    return Tally(
        *counts, seed, ways, tiers, _share("all", 0, rows, draws),
        tuple(one for one in rows if one[1].flagged is False),
        tuple(one for one in rows if one[1].flagged is None),
    )  # fmt: skip


def _way(name: str, tier: int, rows: Sequence[tuple[Mutant, Said]], made: Made) -> Share:
    own = [answer for mutant, answer in rows if mutant.way.name == name]
    flagged = sum(answer.flagged is True for answer in own)
    unsure = sum(answer.flagged is None for answer in own)
    return Share(name, tier, len(own), flagged, unsure, made.impossible[name], wilson(flagged, len(own)))


def _share(name: str, tier: int, rows: Sequence[tuple[Mutant, Said]], draws: int) -> Share:
    flagged = sum(answer.flagged is True for _, answer in rows)
    unsure = sum(answer.flagged is None for _, answer in rows)
    return Share(name, tier, len(rows), flagged, unsure, 0, _interval(rows, flagged, draws))


def _interval(rows: Sequence[tuple[Mutant, Said]], flagged: int, draws: int) -> Interval:
    """Return the interval of a share over several ways: mutants of one reference stand or fall together."""
    references = {mutant.question.group for mutant, _ in rows}
    if flagged == len(rows):  # a bootstrap could draw nothing else; as many cases as there are references
        return wilson(len(references), len(references))
    if not flagged:
        return wilson(0, len(references))
    own = [Row(m.question.key, True, s.flagged, group=m.question.group) for m, s in rows]
    return bootstrap(own, _recall, draws=draws)["recall"]


def _recall(scored: Scored) -> Figures:
    return {"recall": float((scored.flagged == 1).mean()) if len(scored.flagged) else NAN}
