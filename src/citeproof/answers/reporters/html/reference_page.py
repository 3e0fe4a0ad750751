"""The page about references: unreadable files, a table of the papers, then each paper, worst first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.gate_words import GateTally, describe_gates
from citeproof.answers.reporters.html.page_parts import load_pages, write_page
from citeproof.answers.reporters.html.reference_view import CLASSES, describe_place
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.serializers import build_checked_json
from citeproof.errors import format_count
from citeproof.text.title import fold_title
from citeproof.vocabulary import (
    CHECKED_AGAINST,
    Checked,
    Finding,
    FindingState,
    Label,
    Override,
    Problem,
    Run,
)
from citeproof.vocabulary.quick_dataclass import dataclass, field

_FILTERS = {
    "all": "all", "problems": "problems", "major": "MAJOR", "minor": "MINOR", "open": "not checked",
    "noted": "NOTED", "exact": "EXACT",
}  # fmt: skip
# those are many, and stand folded below the problems
_FOLDED = {"open": "not checked", "noted": "NOTED", "exact": "EXACT"}
_MOST_SHARED = 50  # rows of what several papers share
_MOST_SHOWN = 200  # references that a notebook shows


@dataclass(slots=True)
class _Paper:
    """One document of the run: its counts, and its references as HTML, by class."""

    name: str
    number: int
    shown: str  # without the folder that all papers lie in
    counts: Counter[str] = field(default_factory=Counter)
    # what fails the run is never folded: a retracted work that could not be checked is among the major ones
    blocks: dict[str, list[Markup]] = field(default_factory=lambda: {name: [] for name in CLASSES.values()})
    problems: list[Problem] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)  # about its references together

    def rank(self) -> tuple[int, ...]:
        """Return what the worst paper has least of."""
        return (*(-len(self.blocks[name]) for name in CLASSES.values() if name != "exact"), self.number)

    def list_kinds(self) -> list[str]:
        """Return the classes that say which kinds of references it has."""
        return [f"has-{name}" for name in CLASSES.values() if self.counts[name] or self.blocks[name]]

    def list_counts(self) -> list[str]:
        words = {"major": "MAJOR", "minor": "MINOR", **_FOLDED}
        return [f"{self.counts[name]:,} {word}" for name, word in words.items() if self.counts[name]]

    @property
    def unread(self) -> bool:
        """Whether nothing of it could be read."""
        return any(problem.whole for problem in self.problems)


class _SharedNames:
    """Which works and which authors of doubtful references are in several papers."""

    def __init__(self) -> None:
        self._shown: dict[tuple[str, str], str] = {}
        self._papers: defaultdict[tuple[str, str], dict[int, None]] = defaultdict(dict)

    def add(self, checked: Checked, paper: _Paper) -> None:
        claimed, label = checked.reference.claimed, checked.judgement.label
        if label in (Label.MAJOR, Label.MINOR) and claimed.title:
            self._note("work", claimed.title, paper)
        if label is Label.MAJOR:
            for name in claimed.authors:
                self._note("author", name.display, paper)

    def _note(self, what: str, shown: str, paper: _Paper) -> None:
        key = what, fold_title(shown)
        self._shown.setdefault(key, shown)
        self._papers[key][paper.number] = None

    def list_rows(self) -> list[tuple[str, str, list[int]]]:
        """Return what several papers share: whether a work or an author, its text, their numbers."""
        shared = [(key, papers) for key, papers in self._papers.items() if len(papers) > 1]
        shared.sort(key=lambda row: (-len(row[1]), row[0]))
        return [(key[0], self._shown[key], list(papers)) for key, papers in shared[:_MOST_SHARED]]


def format_reference_page(report: ReferenceReport) -> Iterator[str]:
    """Yield the page: what could not be read, the papers in a table, then the references of each."""
    run = report.run
    tally, shared, papers = wording.VerdictTally(), _SharedNames(), _PaperIndex(run)
    gates = GateTally(report.policy, report.lost)
    for checked in report.checked:
        paper, kind = papers.find(checked.reference.place.file), CLASSES[checked.judgement.label]
        tally.add(checked)
        gates.add(checked)
        shared.add(checked, paper)
        paper.counts[kind] += 1
        flagged = kind in _FOLDED and any(finding.blocks for finding in checked.findings)
        paper.blocks["major" if flagged else kind].append(
            _format_reference(checked, run.overrides, paper.name)
        )
    for set_finding in report.list_set_findings():
        gates.add_set_finding(set_finding)
        if set_finding.finding.state is FindingState.FINDING:
            papers.find(set_finding.place.file).findings.append(set_finding.finding)
    for problem in run.problems:
        papers.find(problem.place.file).problems.append(problem)
    ordered = sorted(papers.papers.values(), key=_Paper.rank)
    unread = (problem for paper in ordered if paper.unread for problem in paper.problems)
    title = wording.show_line(wording.list_names(run.documents[:5]), 200)
    yield from write_page(
        "references.html", title, "Citation report", "papers.css", "page.js",
        run=run, tally=tally, papers=ordered, shared=shared.list_rows(), policy=list(gates.format_lines()),
        unread=[problem for problem in unread if not problem.note], facts=_list_facts(report),
        filters=_list_filters(tally, ordered), folded=_FOLDED, judged=[
            ("judge", run.judge), *[("snapshots", wording.list_names(run.snapshots))] * bool(run.snapshots)
        ],
    )  # fmt: skip


def _format_reference(checked: Checked, overrides: Sequence[Override], file: str) -> Markup:
    """Return the block of a reference below the heading of `file`; short where nobody has to look."""
    reference = build_checked_json(checked, overrides) | {"citing": checked.reference.citing}
    notes = (wording.describe_acceptance(checked), describe_gates(checked))
    place = describe_place(reference, with_file=checked.reference.place.file != file)
    parts: Any = load_pages().get_template("parts.html").module
    return Markup(parts.reference(reference, [note for note in notes if note], place))  # noqa: S704 - escaped


def format_notebook_view(run: Run, references: Sequence[Checked]) -> str:
    """Return what a notebook shows of a report: counts, then references with differences, worst first."""
    order = list(CLASSES)
    worst = sorted(references, key=lambda checked: order.index(checked.label))[:_MOST_SHOWN]
    return load_pages().get_template("notebook.html").render(
        labels=Counter(checked.label for checked in references), references=map(build_checked_json, worst),
        several=len(run.documents) > 1, more=len(references) - len(worst),
        problems=[problem for problem in run.problems if not problem.note][:_MOST_SHARED],
    )  # fmt: skip


class _PaperIndex:
    """The papers of a run by the files that references name; what is inside an archive belongs to it."""

    def __init__(self, run: Run) -> None:
        self.papers: dict[str, _Paper] = {}
        folders = {name.rpartition("/")[0] for name in run.documents}
        self._folder = f"{folders.pop()}/" if len(folders) == 1 else ""
        for name in run.documents:
            self._add(name)

    def find(self, file: str) -> _Paper:
        if file in self.papers:
            return self.papers[file]
        outer = file.partition("!/")[0]
        if outer in self.papers:
            return self.papers[outer]
        if len(self.papers) == 1:  # a LaTeX project, whose references are in its bibliographies
            return next(iter(self.papers.values()))
        return self._add(file or "references")

    def _add(self, name: str) -> _Paper:
        shown = name.removeprefix(self._folder)
        return self.papers.setdefault(name, _Paper(name, len(self.papers) + 1, shown))


def _list_facts(report: ReferenceReport) -> list[tuple[str, str]]:
    run = report.run
    count, names = format_count(len(run.documents), "document"), wording.list_names(run.documents)
    facts = [("documents", count if len(run.documents) > 1 else names)]
    facts.append((CHECKED_AGAINST, report.describe_sources()))
    return [*facts, ("started", wording.format_minute(run.started))]


def _list_filters(tally: wording.VerdictTally, papers: Sequence[_Paper]) -> list[tuple[str, str]]:
    counts = {CLASSES[label]: count for label, count in tally.labels.items()}
    counts["all"] = tally.labels.total()
    counts["problems"] = sum(len(paper.blocks["major"] + paper.blocks["minor"]) for paper in papers)
    return [(name, f"{word} {counts.get(name, 0):,}") for name, word in _FILTERS.items()]
