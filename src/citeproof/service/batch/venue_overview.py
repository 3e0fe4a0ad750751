"""What the papers of a venue have in common: MAJOR references, retracted works, the same work in several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from citeproof import serializers
from citeproof.reporters import wording
from citeproof.reporters.html.venue_page import (
    SharedWork,
    VenuePaper,
    VenueReference,
    VenueSummary,
    format_venue_page,
)
from citeproof.serializers import Json
from citeproof.service.batch.batch_output import BatchTotals, open_file
from citeproof.service.batch.document_checker import DocumentOutcome
from citeproof.text.title import make_title_key
from citeproof.vocabulary import DocumentState, FindingState, Label

PAGE, DATA = "venue.html", "venue.json"
SCHEMA = "citeproof/venue/1"
_RETRACTED = "retracted"
_SHORTEST = 16  # letters and digits of a title that is the same work in two papers; "Introduction" is not
_TEXT = 2_000  # characters of an explanation
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


_DECODER = msgspec.json.Decoder(_ReferenceJson)


class VenueOverview:
    """Sees every document in order and writes the two files of the venue at the end."""

    def __init__(self) -> None:
        self._papers: list[VenuePaper] = []
        self._major: dict[str, dict[str, VenueReference]] = {}  # by title, then by content of the paper
        self._retracted: dict[str, dict[str, VenueReference]] = {}

    def add(self, row: Json, outcome: DocumentOutcome) -> None:
        """Take in a document."""
        paper = _make_paper(row, outcome)
        self._papers.append(paper)
        for line in outcome.references:
            one = _DECODER.decode(line)
            retracted = any(
                found.name == _RETRACTED and found.state == FindingState.FINDING for found in one.findings
            )
            if one.label != Label.MAJOR and not retracted and not one.signs:
                continue
            made = _make_reference(one, paper.id, retracted=retracted)
            paper.references.append(made)
            paper.retracted += retracted
            paper.signs += bool(one.signs)
            key = make_title_key(made.title)
            if len(key) < _SHORTEST:
                continue
            content = str(row["sha256"] or row["id"])  # the same file twice shares nothing with itself
            if one.label == Label.MAJOR:
                self._major.setdefault(key, {}).setdefault(content, made)
            if retracted:
                self._retracted.setdefault(key, {}).setdefault(content, made)

    def write(self, folder: Path, head: Json, totals: BatchTotals) -> None:
        """Write the page and its data."""
        venue = self._summarise(head, totals)
        data = {
            "schema": SCHEMA,
            "citeproof": serializers.get_version(),
            **head,
            "papers": {
                "total": len(venue.papers),
                "major": sum(bool(one.major) for one in venue.papers),
                "retracted": sum(bool(one.retracted) for one in venue.papers),
                "signs": sum(bool(one.signs) for one in venue.papers),
                **{state.value: totals.documents[state] for state in DocumentState},
            },
            "not_checked": [
                {"document": one.id, "status": one.state, "why": one.why, "report": one.report or None}
                for state in DocumentState
                for one in venue.papers
                if one.state == state != DocumentState.CHECKED
            ],
            "shared_major": _build_shared(venue.invented),
            "retracted_works": _build_shared(venue.retracted),
            "worst": [
                _build_paper(one) for one in sorted(venue.papers, key=VenuePaper.rank) if one.references
            ],
        }
        with open_file(folder / DATA) as file:
            file.write(f"{serializers.dump_pretty(data)}\n".encode())
        with open_file(folder / PAGE) as file:
            for chunk in format_venue_page(venue):
                file.write(chunk.encode("utf-8", "backslashreplace"))

    def _summarise(self, head: Json, totals: BatchTotals) -> VenueSummary:
        sentence = wording.describe_labels(totals.labels, totals.signs)
        return VenueSummary(
            head["started"],
            totals.answers.describe(),
            totals.describe_states(),
            sentence,
            self._papers,
            _list_shared(self._major, least=2),
            _list_shared(self._retracted, least=1),
        )


def _make_paper(row: Json, outcome: DocumentOutcome) -> VenuePaper:
    labels: dict[str, Any] = row.get("labels", {})
    problems = [one["message"] for one in row.get("problems", ()) if not one["note"]]
    return VenuePaper(
        id=row["id"],
        major=labels.get("MAJOR", 0),
        minor=labels.get("MINOR", 0),
        open=labels.get("none", 0),
        total=row.get("references", 0),
        state=DocumentState(outcome.status),
        why=outcome.error["message"] if outcome.error else "; ".join(problems[:_PROBLEMS]),
        report=row["reports"].get("html", ""),
    )


def _make_reference(one: _ReferenceJson, document: str, *, retracted: bool) -> VenueReference:
    title = one.claimed.title or (one.matched.title if one.matched else "") or one.raw
    place = one.location
    where = f"page {place.page}" if place.page else f"line {place.line}" if place.line else ""
    verdict, text = one.verdict, one.explanation[:_TEXT]
    return VenueReference(document, one.key, title or "", where, verdict, retracted, text, tuple(one.signs))


def _list_shared(found: dict[str, dict[str, VenueReference]], *, least: int) -> list[SharedWork]:
    """Return the works that so many papers cite, most papers first."""
    works = [(key, tuple(cited.values())) for key, cited in found.items() if len(cited) >= least]
    works.sort(key=lambda one: (-len(one[1]), one[0]))
    return [SharedWork(cited[0].title, cited) for _, cited in works]


def _build_shared(works: Iterable[SharedWork]) -> list[Json]:
    return [
        {
            "title": work.title,
            "papers": len(work.cited),
            "cited": [
                {"document": one.document, "key": one.key, "verdict": one.verdict} for one in work.cited
            ],
        }
        for work in works
    ]


def _build_paper(paper: VenuePaper) -> Json:
    counts = {
        name: getattr(paper, name) for name in ("major", "minor", "open", "retracted", "total", "signs")
    }
    return {
        "document": paper.id,
        **counts,
        "references": [{k: v for k, v in asdict(one).items() if k != "document"} for one in paper.references],
    }
