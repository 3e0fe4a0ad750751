"""How long retrieval takes, and by which route: Tables 8 to 11 of the CITECHECK paper, and two more.

`Stopwatch` observes a run; `build_latency_tables` turns what it saw into rows. Times are per reference, from
the parsed reference to the last answer, waiting for one's turn at a registry included.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, pstdev

from citeproof.evidence.retrieve.route_plan import RouteStage, name_stage
from citeproof.plumbing.clock import Clock
from citeproof.vocabulary import Checked, Judgement, LookupTiming, Retrieval, Step, StopReason, Verdict

WEB = "web"
NOT_FOUND = "not found"
CLASSES = ("EXACT", "NOTED", "MINOR", "MAJOR")


@dataclass(slots=True)
class ReferenceTiming:
    """One reference: when its retrieval began and ended, whom it asked, what was chosen."""

    key: str
    began: float
    ended: float = 0.0
    asked: list[LookupTiming] = field(default_factory=list)
    chosen: str = ""
    label: str = "unchecked"
    retrieved: Retrieval = field(default_factory=lambda: Retrieval(()))

    @property
    def seconds(self) -> float:
        return max(self.ended - self.began, 0.0)

    def subtract_source(self, source: str) -> float:
        """Return the seconds without what was spent on `source`."""
        return max(self.seconds - sum(a.seconds for a in self.asked if a.source == source), 0.0)

    @property
    def route(self) -> list[RouteStage]:
        """The stage of every lookup, in the order in which they were made."""
        at_hand = (RouteStage.MEMORY, RouteStage.SNAPSHOT)
        local = [x for x in self.retrieved.lookups if name_stage(x.source, x.by) in at_hand]
        return [name_stage(x.source, x.by) for x in (*local, *self.asked)]


class Stopwatch:
    """An observer that takes the times of a run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.timed: dict[str, ReferenceTiming] = {}

    def note_step(self, step: Step) -> None:
        """Note the beginning and the end of retrieval, every lookup, and the outcome."""
        match step.name, step.value:
            case "parse", _:
                self.timed[step.key] = ReferenceTiming(step.key, self._clock.elapsed())
            case "lookup", LookupTiming() as asked:
                self.timed[step.key].asked.append(asked)
            case "retrieve", Retrieval() as retrieved:
                self.timed[step.key].ended = self._clock.elapsed()
                self.timed[step.key].retrieved = retrieved
            case "checked", Checked() as checked:
                self._note_outcome(self.timed[step.key], checked.judgement)

    @staticmethod
    def _note_outcome(timed: ReferenceTiming, judgement: Judgement) -> None:
        timed.label = judgement.label.value if judgement.label else "unchecked"
        if judgement.matched is not None:
            timed.chosen = judgement.matched.record.source
        else:
            timed.chosen = NOT_FOUND if judgement.verdict is Verdict.NOT_FOUND else "unchecked"


@dataclass(frozen=True, slots=True)
class ResultTable:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def build_latency_tables(
    timed: Sequence[ReferenceTiming], classes: Mapping[str, str] | None = None
) -> tuple[ResultTable, ...]:
    """Return the six tables; `classes` gives the true class of references, by key."""
    return (
        *_build_route_tables(timed),
        _build_overall_table(timed),
        _build_stages_table(timed),
        _build_true_class_table(timed, classes or {timing.key: timing.label for timing in timed}),
        _build_chosen_table(timed),
    )


def _build_route_tables(timed: Sequence[ReferenceTiming]) -> tuple[ResultTable, ResultTable]:
    """Return how many references reached each stage and ended there, and which questions were saved."""
    routes = [timing.route for timing in timed if timing.route]
    reached, ended = Counter(s for r in routes for s in set(r)), Counter(r[-1] for r in routes)
    made = Counter(s for r in routes for s in r)
    stages = [(s.value, str(reached[s]), str(ended[s]), str(made[s])) for s in RouteStage if reached[s]]
    stops = [(stop.reason, len(stop.not_asked)) for timing in timed for stop in timing.retrieved.stops]
    exits = [
        (reason.value, str(len(saved)), str(sum(saved)))
        for reason in StopReason
        if (saved := [count for stopped, count in stops if stopped is reason])
    ]
    head = ("Stage", "Reached", "Ended here", "Lookups")
    return (
        ResultTable(f"Route of {len(timed)} references", head, tuple(stages)),
        ResultTable("Early exits", ("Reason", "Times", "Questions not asked"), tuple(exits)),
    )


def _build_overall_table(timed: Sequence[ReferenceTiming]) -> ResultTable:
    rows = [
        ("Full cascade", *_format_spread([timing.seconds for timing in timed])),
        ("Structured sources only", *_format_spread([timing.subtract_source(WEB) for timing in timed])),
    ]
    head = ("Setting", "Mean", "Median", "P95", "P99", "Max", "Std.")
    return ResultTable(f"Overall latency over {len(timed)} references", head, tuple(rows))


def _build_stages_table(timed: Sequence[ReferenceTiming]) -> ResultTable:
    spent: dict[str, list[float]] = defaultdict(list)
    for timing in timed:
        for source in {asked.source for asked in timing.asked}:
            spent[source].append(sum(a.seconds for a in timing.asked if a.source == source))
    rows = [
        (
            source,
            f"{len(times) / len(timed):.1%}",
            _format_seconds(fmean(times)),
            _format_seconds(median(times)),
            _format_seconds(sum(times) / len(timed)),
        )
        for source, times in sorted(spent.items(), key=lambda row: (-len(row[1]), row[0]))
    ]
    head = ("Stage", "Reach", "Cond. mean", "Cond. median", "Exp. contribution")
    return ResultTable("Latency and reach by stage", head, tuple(rows))


def _build_true_class_table(timed: Sequence[ReferenceTiming], classes: Mapping[str, str]) -> ResultTable:
    groups: dict[str, list[float]] = defaultdict(list)
    for timing in timed:
        groups[classes.get(timing.key, "unknown")].append(timing.seconds)
    names = [*(label for label in CLASSES if label in groups), *sorted(groups.keys() - {*CLASSES})]
    rows = [(name, *_format_spread(groups[name])[:4]) for name in names]
    return ResultTable("Latency by true class", ("Class", "Mean", "Median", "P95", "P99"), tuple(rows))


def _build_chosen_table(timed: Sequence[ReferenceTiming]) -> ResultTable:
    counts = Counter(timing.chosen for timing in timed)
    rows = [
        (source, str(count), f"{count / len(timed):.1%}")
        for source, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    ]
    return ResultTable("Source of the chosen candidate", ("Chosen source", "Count", "Share"), tuple(rows))


def _format_spread(seconds: Sequence[float]) -> tuple[str, ...]:
    if not seconds:
        return ("-",) * 6
    ordered = sorted(seconds)
    p95, p99 = (ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in (0.95, 0.99))
    values = (fmean(ordered), median(ordered), p95, p99, ordered[-1], pstdev(ordered))
    return tuple(map(_format_seconds, values))


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.2f}s"


def format_tables(made: Iterable[ResultTable]) -> str:
    blocks = []
    for table in made:
        rows = [table.head, *table.rows]
        widths = [max(len(row[n]) for row in rows) for n in range(len(table.head))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        blocks.append("\n".join([table.title, *lines]))
    return "\n\n".join(blocks)
