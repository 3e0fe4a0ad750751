"""The page about references: unreadable files, a table of the papers, then each paper, worst first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.gate_words import GateTally
from citeproof.answers.reporters.html.page_parts import (
    CLOSING,
    escape_text,
    format_facts,
    format_filters,
    format_list,
    open_page,
)
from citeproof.answers.reporters.html.reference_block import CLASSES, format_reference
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.wording import format_count
from citeproof.text.title import fold_title
from citeproof.vocabulary import (
    CHECKED_AGAINST,
    NOT_READ,
    Checked,
    Finding,
    FindingState,
    Label,
    Problem,
    Run,
)

_FILTERS = {
    "all": "all", "problems": "problems", "major": "MAJOR", "minor": "MINOR", "open": "not checked",
    "noted": "NOTED", "exact": "EXACT",
}  # fmt: skip
# those are many, and stand folded below the problems
_FOLDED = {"open": "not checked", "noted": "NOTED", "exact": "EXACT"}
_COLUMNS = ("MAJOR", "MINOR", "not checked", "NOTED", "total")
_MOST_SHARED = 50  # rows of what several papers share


@dataclass(slots=True)
class _Paper:
    """One document of the run: its counts, and its references as HTML, by class."""

    name: str
    number: int
    shown: str  # without the folder that all papers lie in
    counts: Counter[str] = field(default_factory=Counter)
    blocks: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in CLASSES.values()})
    problems: list[Problem] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)  # about its references together

    def rank(self) -> tuple[int, ...]:
        """Return what the worst paper has least of."""
        return (*(-self.counts[name] for name in CLASSES.values() if name != "exact"), self.number)

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

    def list_rows(self) -> list[str]:
        """Return the rows of what several papers share, most papers first."""
        shared = [(key, papers) for key, papers in self._papers.items() if len(papers) > 1]
        shared.sort(key=lambda row: (-len(row[1]), row[0]))
        return [
            f"<b>{escape_text(self._shown[key], 200)}</b> ({key[0]}): "
            + ", ".join(f'<a href="#p{number}">{number}</a>' for number in papers)
            for key, papers in shared[:_MOST_SHARED]
        ]


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
        paper.blocks[kind].append(format_reference(checked, paper.name))
    for set_finding in report.list_set_findings():
        gates.add_set_finding(set_finding)
        if set_finding.finding.state is FindingState.FINDING:
            papers.find(set_finding.place.file).findings.append(set_finding.finding)
    for problem in run.problems:
        papers.find(problem.place.file).problems.append(problem)
    ordered = sorted(papers.papers.values(), key=_Paper.rank)
    yield _format_head(report, tally)
    yield _format_unread(ordered)
    yield _format_paper_table(ordered)
    yield format_list("In several papers", shared.list_rows())
    yield format_list("Policy", [escape_text(line, 2000) for line in gates.format_lines()])
    yield "</header>\n<main>\n"
    for paper in ordered:
        yield from _format_paper(paper, alone=len(ordered) == 1)
    yield CLOSING


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


def _format_head(report: ReferenceReport, tally: wording.VerdictTally) -> str:
    run = report.run
    rows = (
        ("documents", format_count(len(run.documents), "document") if len(run.documents) > 1
         else wording.list_names(run.documents)),
        (CHECKED_AGAINST, report.describe_sources()),
        *([("snapshots", wording.list_names(run.snapshots))] if run.snapshots else []),
        ("started", run.started),
        ("judge", run.judge),
    )  # fmt: skip
    replaced = "".join(
        f'<p class="override" role="alert"><strong>{escape_text(each, 2000)}</strong></p>\n'
        for each in wording.describe_overrides(run)
    )
    counts = {CLASSES[label]: count for label, count in tally.labels.items()}
    counts["all"] = tally.labels.total()
    counts["problems"] = counts.get("major", 0) + counts.get("minor", 0)
    filters = ((name, f"{word} {counts.get(name, 0):,}") for name, word in _FILTERS.items())
    title = escape_text(wording.list_names(run.documents[:5]), 200)
    return (
        f"{open_page(title, 'Citation report', 'papers.css', script=True)}"
        f"<p><strong>{escape_text(tally.sentence())}.</strong> "
        f"{escape_text(wording.describe_completeness(run))}</p>\n"
        f"{replaced}<dl>{format_facts(rows, 2000)}</dl>\n{format_filters('references', filters)}"
        '<p class="search" hidden><input type="search" id="search" placeholder="title, author, file"'
        ' aria-label="search the references"> <span class="dim" id="found" role="status"></span></p>\n'
    )


def _format_unread(papers: list[_Paper]) -> str:
    """Return the files of which nothing could be read, with the reason and what to do."""
    items = (_format_trouble(p) for paper in papers if paper.unread for p in paper.problems if not p.note)
    listed = format_list(NOT_READ.capitalize(), items)
    return f'<div class="unread" role="alert">{listed}</div>\n' if listed else ""


def _format_trouble(problem: Problem) -> str:
    hint = f' <span class="dim">Hint: {escape_text(problem.hint)}</span>' if problem.hint else ""
    return f"{escape_text(wording.format_place(problem.place))}: {escape_text(problem.message)}{hint}"


def _format_paper_table(papers: list[_Paper]) -> str:
    """Return a row a paper, worst first; a page about one paper needs none."""
    if len(papers) < 2:
        return ""
    rows = "".join(_format_paper_row(paper) for paper in papers)
    names = "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
    return (
        '<h2>Papers</h2>\n<table class="papers"><thead><tr><th scope="col">#</th><th scope="col">paper</th>'
        f"{names}</tr></thead><tbody>\n{rows}</tbody></table>\n"
    )


def _format_paper_row(paper: _Paper) -> str:
    cells = "".join(
        f'<td class="{name if paper.counts[name] else "none"}">{paper.counts[name]:,}</td>'
        for name in ("major", "minor", "open", "noted")
    )
    total = (
        f"<td>{paper.counts.total():,}</td>"
        if not paper.unread
        else '<td class="major unreadable">unreadable</td>'
    )
    name = escape_text(paper.shown, 200)
    link = name if paper.unread else f'<a href="#p{paper.number}">{name}</a>'
    return f"<tr><td>{paper.number}</td><td>{link}</td>{cells}{total}</tr>\n"


def _format_paper(paper: _Paper, *, alone: bool) -> Iterator[str]:
    """Yield one paper: what was not read in it, its problems, then the others, folded."""
    if paper.unread:
        return
    kinds = " ".join(f"has-{name}" for name in CLASSES.values() if paper.counts[name])
    words = {"major": "MAJOR", "minor": "MINOR", **_FOLDED}
    counts = " · ".join(
        f"{paper.counts[name]:,} {word}" for name, word in words.items() if paper.counts[name]
    )
    yield f'<section class="paper {kinds}" id="p{paper.number}">\n'
    if not alone:
        yield f'<h2>{escape_text(paper.shown, 200)} <span class="dim">{counts}</span></h2>\n'
    own = [problem for problem in paper.problems if not problem.finding]  # the others are with the findings
    read, notes = ([problem for problem in own if problem.note is note] for note in (False, True))
    for problems, word in ((read, "problem"), (notes, "note")):
        if problems:
            items = "".join(f"<li>{_format_trouble(problem)}</li>" for problem in problems)
            summary = f"{format_count(len(problems), word)} while reading"
            yield f'<details class="reading"><summary>{summary}</summary><ul>{items}</ul></details>\n'
    yield _format_set_findings(paper.findings)
    yield from paper.blocks["major"]
    yield from paper.blocks["minor"]
    for name, word in _FOLDED.items():
        if blocks := paper.blocks[name]:
            yield f'<details class="rest {name}"><summary>{len(blocks):,} {word}</summary><noscript>\n'
            yield from blocks
            yield "</noscript></details>\n"
    yield "</section>\n"


def _format_set_findings(findings: Sequence[Finding]) -> str:
    """Return what was found about a paper's references together, what it rests on folded below it."""
    items = []
    for finding in findings:
        lines = "".join(f"<li>{escape_text(line, 2000)}</li>" for line in finding.evidence)
        more = f"<details><summary>evidence</summary><ul>{lines}</ul></details>" if lines else ""
        items.append(f"{escape_text(wording.describe_finding(finding), 2000)}{more}")
    listed = format_list("The references together", items)
    return f'<div class="together">{listed}</div>\n' if listed else ""
