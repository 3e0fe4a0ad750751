"""What the papers of a venue have in common: MAJOR references, retracted works, the same work in several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from citeproof.answers import serializers
from citeproof.answers.reporters.csv import format_table_row
from citeproof.answers.reporters.html.venue_page import (
    COLUMNS,
    SharedWork,
    VenuePaper,
    VenueReference,
    VenueSummary,
    format_venue_page,
)
from citeproof.answers.serializers import Json
from citeproof.errors import NotADocumentError
from citeproof.service.batch.batch_output import BatchTotals, open_file
from citeproof.service.batch.document_checker import DocumentOutcome
from citeproof.text.title import make_title_key
from citeproof.vocabulary import DocumentState, FindingState, Label

PAGE, DATA, TABLE = "venue.html", "venue.json", "venue.csv"
SCHEMA = "citeproof/venue/1"
_RETRACTED = "retracted"
_SHORTEST = 16  # letters and digits of a title that is the same work in two papers; "Introduction" is not
_TEXT = 2_000  # characters of an explanation
_WRONG = (Label.MAJOR, Label.MINOR)
_COUNTED = ("major", "retracted", "signs")  # papers that have any
_SHOWN = ("document", "key", "verdict")  # of each citation of a shared work
_PROBLEMS = 3  # of a paper that are named


class _FoundJson(msgspec.Struct):
    name: str
    state: str


class _PlaceJson(msgspec.Struct):
    line: int | None = None
    page: int | None = None


class _TitledJson(msgspec.Struct):
    title: str | None = None


class _ReferenceJson(msgspec.Struct):
    """The part of a checked reference that a venue needs."""

    key: str
    verdict: str
    label: str | None
    explanation: str
    location: _PlaceJson
    claimed: _TitledJson
    raw: str = ""
    matched: _TitledJson | None = None
    findings: list[_FoundJson] = []
    signs: list[str] = []

    def shorten(self, document: str, *, retracted: bool) -> VenueReference:
        title = self.claimed.title or (self.matched.title if self.matched else "") or self.raw or ""
        page, line, text = self.location.page, self.location.line, self.explanation[:_TEXT]
        where = f"page {page}" if page else f"line {line}" if line else ""
        signs, label = tuple(self.signs), self.label
        return VenueReference(document, self.key, title, where, label, self.verdict, retracted, text, signs)


_DECODER = msgspec.json.Decoder(_ReferenceJson)


class VenueOverview:
    """Sees every document in order and writes the two files of the venue at the end."""

    def __init__(self) -> None:
        self._papers: list[VenuePaper] = []
        self._major: dict[str, dict[str, VenueReference]] = {}  # by title, then by content of the paper
        self._retracted: dict[str, dict[str, VenueReference]] = {}
        self._not_cleared = 0  # references of which nobody could say whether the work was retracted

    def add(self, row: Json, outcome: DocumentOutcome) -> None:
        paper = _make_paper(row, outcome)
        self._papers.append(paper)
        for line in outcome.references:
            reference = _DECODER.decode(line)
            states = {each.state for each in reference.findings if each.name == _RETRACTED}
            major, retracted = reference.label == Label.MAJOR, FindingState.FINDING in states
            self._not_cleared += FindingState.UNCHECKED in states
            if reference.label not in _WRONG and not retracted and not reference.signs:
                continue
            made = reference.shorten(paper.id, retracted=retracted)
            paper.references.append(made)
            paper.retracted += retracted
            paper.signs += bool(reference.signs)
            key = make_title_key(made.title)
            content = str(row["sha256"] or row["id"])  # the same file twice shares nothing with itself
            for applies, works in ((major, self._major), (retracted, self._retracted)):
                if applies and len(key) >= _SHORTEST:
                    works.setdefault(key, {}).setdefault(content, made)

    def write(self, folder: Path, head: Json, totals: BatchTotals) -> None:
        venue = VenueSummary(
            head["started"],
            totals.answers.describe(),
            totals.describe_states(),
            totals.describe_labels(),
            {None if name == "none" else name: count for name, count in totals.labels.items()},
            self._papers,
            _list_shared(self._major, least=2),
            _list_shared(self._retracted, least=1),
            self._not_cleared,
        )
        data = {
            "schema": SCHEMA,
            "citeproof": serializers.get_version(),
            **head,
            "papers": {
                "total": len(venue.papers),
                **{name: sum(bool(getattr(paper, name)) for paper in venue.papers) for name in _COUNTED},
                **{state.value: totals.documents[state] for state in DocumentState},
            },
            "not_checked": [
                {"document": each.id, "status": each.state, "why": each.why, "report": each.report or None}
                for state in DocumentState
                for each in venue.papers
                if each.state == state != DocumentState.CHECKED
            ],
            "retraction_not_checked": self._not_cleared,
            "shared_major": _build_shared(venue.invented),
            "retracted_works": _build_shared(venue.retracted),
            "worst": [
                _build_paper(each) for each in sorted(venue.papers, key=VenuePaper.rank) if each.references
            ],
        }
        with open_file(folder / DATA) as file:
            file.write(f"{serializers.dump_pretty(data)}\n".encode())
        with open_file(folder / TABLE) as file:
            for cells in (COLUMNS, *(p.list_cells() for p in sorted(venue.papers, key=VenuePaper.rank))):
                file.write(format_table_row(cells).encode("utf-8", "backslashreplace"))
        with open_file(folder / PAGE) as file:
            for chunk in format_venue_page(venue):
                file.write(chunk.encode("utf-8", "backslashreplace"))


def _make_paper(row: Json, outcome: DocumentOutcome) -> VenuePaper:
    labels: dict[str, Any] = row.get("labels", {})
    problems = [problem["message"] for problem in row.get("problems", ()) if not problem["note"]]
    failed: str = outcome.error["message"] if outcome.error else ""
    return VenuePaper(
        id=row["id"],
        major=labels.get("MAJOR", 0),
        minor=labels.get("MINOR", 0),
        open=labels.get("none", 0),
        noted=labels.get("NOTED", 0),
        exact=labels.get("EXACT", 0),
        total=row.get("references", 0),
        state=DocumentState(outcome.status),
        why=failed.removeprefix(f"{NotADocumentError.words}: ") or "; ".join(problems[:_PROBLEMS]),
        report=row["reports"].get("html", ""),
    )


def _list_shared(titles: dict[str, dict[str, VenueReference]], *, least: int) -> list[SharedWork]:
    works = [(key, tuple(cited.values())) for key, cited in titles.items() if len(cited) >= least]
    works.sort(key=lambda work: (-len(work[1]), work[0]))
    return [SharedWork(cited[0].title, cited) for _, cited in works]


def _build_shared(works: Iterable[SharedWork]) -> list[Json]:
    return [
        {
            "title": work.title,
            "papers": len(work.cited),
            "cited": [{name: getattr(each, name) for name in _SHOWN} for each in work.cited],
        }
        for work in works
    ]


def _build_paper(paper: VenuePaper) -> Json:
    counted = ("major", "minor", "open", "noted", "exact", "retracted", "total", "signs")
    references = [{k: v for k, v in asdict(each).items() if k != "document"} for each in paper.references]
    counts = {name: getattr(paper, name) for name in counted}
    return {"document": paper.id, **counts, "references": references}
