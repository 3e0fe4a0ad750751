"""The pages of runs: a run with its list, one reference, claims, a batch of documents, a guarded answer.

A `ListQuery` says which references of a run a page shows: the filter, the sort, the search, the pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citeproof.answers.reporters.base import list_downloads
from citeproof.answers.reporters.csv import format_table_row
from citeproof.answers.reporters.html.reference_view import (
    CLASSES,
    describe_title,
    format_names,
    has_finding,
    is_problem,
)
from citeproof.answers.reporters.html.venue_page import STATE_HEADINGS
from citeproof.answers.reporters.wording import format_minute
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.report import tally_answers, tally_signs
from citeproof.claims.claims_html import view_claims
from citeproof.errors import NotADocumentError, format_count
from citeproof.service.guarded_text import GuardedText, build_guarded_json
from citeproof.surfaces.web.page_frame import WebFrame, render_page
from citeproof.surfaces.web.run_view import CLAIMS, RunView, count_labels, find_document, tally_documents
from citeproof.text.title import fold_title
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED, DocumentState

REFRESH = 3  # seconds after which a browser without script asks again
CHECK_FORMATS = list_downloads()
CLAIM_FORMATS = tuple(form for form in CHECK_FORMATS if form != "html")  # which the page of claims is itself
_FEW = 12  # references up to which problems are shown opened
PER_PAGE = 50
_MOST_WORDS = 20  # of a search
RANK = {label: rank for rank, label in enumerate(CLASSES)}
FILTERS = {
    "all": "all", "problems": "problems", "major": "MAJOR", "minor": "MINOR", "open": "not checked",
    "noted": "NOTED", "exact": "EXACT", "signs": "signs of invention", "findings": "integrity findings",
    "undecided": "problems not decided", "decided": "decided",
}  # fmt: skip
SORTS = {
    "problems": "problems first", "document": "as in the document", "confidence": "least sure first",
    "title": "title", "year": "newest first",
}  # fmt: skip


def format_run_page(run: RunView, query: ListQuery) -> str:
    """Return the page of a run: its progress, its documents, its references, downloads."""
    references = run.references.values()
    shown, counts = select_references(run, query), count_labels(references)
    return render_page(
        "run.html",
        WebFrame(run.name, refresh=0 if run.ended else REFRESH, named=not run.read_only),
        run=run,
        query=query,
        shown=shown,
        filters=FILTERS,
        sorts=SORTS,
        labels={label or "none": count for label, count in counts.items()},
        counts=counts,
        signs=tally_signs(references),
        facts=_describe_run(run),
        problems=run.problems,
        tallies=tally_documents(run),
        findings=[{"evidence": ()} | found for found in run.findings if found["state"] == "finding"],
        several=len(run.documents) > 1 and not query.file,
        few=sum(is_problem(reference) for _, reference in shown.rows) <= _FEW,
        formats=CLAIM_FORMATS if run.kind == CLAIMS else CHECK_FORMATS,
        claims=view_claims(run.claims) if run.claims else None,
    )


def _describe_run(run: RunView) -> str:
    if not run.head:
        return ""
    about = run.head["run"]
    facts = [f"{CHECKED_AGAINST} {about['checked_against']}"] if run.references or run.claims else []
    facts += ["offline"] if about["offline"] else []
    return "; ".join([*facts, f"started {format_minute(about['started'])}"])


def format_reference_page(run: RunView, number: int) -> str:
    """Return the page of one reference."""
    reference = run.references[number]
    frame = WebFrame(describe_title(reference)[:120], named=not run.read_only)
    return render_page("reference.html", frame, run=run, number=number, reference=reference)


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A document of a batch, with its counts."""

    run: RunView
    state: DocumentState
    labels: Counter[str | None]
    signs: int
    flagged: int  # references with a finding
    claims: tuple[int, int]  # that have a verified citation, and all
    lost: int


def write_batch_table(runs: Sequence[RunView]) -> str:
    """Return a batch as CSV, one document a row, in the order of its page."""
    head = ("document", "state", "signs of invention", *(label or NOT_CHECKED for label in CLASSES), "total")
    rows: list[Sequence[object]] = [(*head, "findings", "why")]
    for row in sorted(map(_tally_run, runs), key=_rank_row):
        counts = (row.signs, *(row.labels[label] for label in CLASSES), row.labels.total(), row.flagged)
        rows.append((row.run.name, row.state.value, *counts, row.run.error))
    return "".join(map(format_table_row, rows))


def format_batch_page(runs: Sequence[RunView], base: str) -> str:
    """Return the page of a batch: what could not be checked, the other documents, and the totals of all."""
    rows = sorted(map(_tally_run, runs), key=_rank_row)
    groups = {state: [row for row in rows if row.state is state] for state in DocumentState}
    ended, whole = sum(run.ended for run in runs), all(run.kind == CLAIMS for run in runs)
    named = STATE_HEADINGS | {DocumentState.CHECKED: "Checked"}
    frame = WebFrame(
        f"{format_count(len(runs), 'document')} together",
        refresh=0 if ended == len(runs) else REFRESH,
        always=True,
    )
    return render_page(
        "batch.html",
        frame,
        base=base,
        sources=_describe_sources(runs),
        ended=ended,
        total=len(runs),
        groups=groups,
        heads={s: f"{words}: {len(groups[s]):,}" for s, words in named.items() if groups[s]},
        every={
            "labels": sum((row.labels for row in rows), Counter[str | None]()),
            "signs": sum(row.signs for row in rows),
            "flagged": sum(row.flagged for row in rows),
        },
        claims=tuple(map(sum, zip(*(row.claims for row in rows), strict=True))) if whole else None,
    )


def _tally_run(run: RunView) -> BatchRow:
    references, summary = run.references.values(), run.claims["summary"] if run.claims else {}
    labels = count_labels(references)
    if run.state == "failed":
        refused = run.error.startswith(NotADocumentError.words)
        state = DocumentState.NOT_A_DOCUMENT if refused else DocumentState.UNREADABLE
    elif run.kind == CLAIMS or run.state != "done":  # what becomes of it is not known yet
        state = DocumentState.CHECKED
    else:
        state = DocumentState.of_counts(labels.total(), labels[None])
    return BatchRow(
        run,
        state,
        labels,
        tally_signs(references)["any"],
        sum(map(has_finding, references)),
        (summary.get("verified", 0), summary.get("claims", 0)),
        sum(not problem["note"] for problem in run.problems),
    )


def _rank_row(row: BatchRow) -> tuple[int, ...]:
    return (-row.signs, -row.labels["MAJOR"], -row.labels["MINOR"], -row.labels[None])


def _describe_sources(runs: Iterable[RunView]) -> str:
    """Return who answered about the references of all documents, and who did not."""
    named = dict.fromkeys(name for run in runs if run.head for name in run.head["run"]["sources"])
    references = [reference for run in runs for reference in run.references.values()]
    return f"{CHECKED_AGAINST} {tally_answers(named, references).describe()}" if references else ""


def format_guarded_page(guarded: GuardedText) -> str:
    """Return the page of a guarded answer: what may be shown, then each citation held back and why."""
    report: dict[str, Any] = build_guarded_json(guarded)
    left, count = report["left_out"], format_count(report["citations"], "citation")
    return render_page(
        "guarded.html",
        WebFrame("Guarded answer"),
        words=f"{left} of {count} held back" if left else f"{count}, all shown",
        changed=[(one.text, one.written) for one in guarded.changed],
        text="\n".join(map(show_controls, guarded.text.split("\n"))),
        held=[citation for citation in report["details"] if not citation["shown"]],
    )


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a person asked to see."""

    show: str = "all"
    sort: str = "problems"
    words: str = ""
    file: str = ""
    page: int = 1

    @classmethod
    def read(cls, given: Mapping[str, str]) -> ListQuery:
        """Return the query of an address; what is not known there is left at its default."""
        show, sort = given.get("show", ""), given.get("sort", "")
        page = given.get("page", "")
        return cls(
            show if show in FILTERS else "all",
            sort if sort in SORTS else "problems",
            given.get("q", "")[:200],
            given.get("file", "")[:1000],
            int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
        )

    def list_parts(
        self, *, show: str | None = None, file: str | None = None, page: int | None = None
    ) -> dict[str, object]:
        """Return the query as parts of an address, with changes; defaults are left out."""
        query = replace(
            self,
            show=self.show if show is None else show,
            file=self.file if file is None else file,
            page=self.page if page is None else page,
        )
        return {
            "show": query.show if query.show != "all" else "",
            "sort": query.sort if query.sort != "problems" else "",
            "q": query.words,
            "file": query.file,
            "page": query.page if query.page > 1 else "",
        }


@dataclass(frozen=True, slots=True)
class ListPage:
    """The references of one page, each with its number in the run, from 0."""

    rows: Sequence[tuple[int, Json]]
    found: int
    page: int
    pages: int
    counts: Mapping[str, int]  # of each filter


def select_references(run: RunView, query: ListQuery) -> ListPage:
    """Return what a query shows of a run."""
    rows = [
        (n, reference)
        for n, reference in run.references.items()
        if not query.file or find_document(reference["location"]["file"], run.documents) == query.file
    ]
    if words := fold_title(query.words).split()[:_MOST_WORDS]:
        rows = [row for row in rows if _has_words(row[1], words)]
    tests = _make_tests(run)
    counts = {name: sum(test(n, reference) for n, reference in rows) for name, test in tests.items()}
    shown = [row for row in rows if tests[query.show](*row)]
    shown.sort(key=_SORT_KEYS[query.sort])
    pages = max(1, -(-len(shown) // PER_PAGE))
    page = min(max(1, query.page), pages)
    return ListPage(shown[(page - 1) * PER_PAGE : page * PER_PAGE], len(shown), page, pages, counts)


def _make_tests(run: RunView) -> dict[str, Callable[[int, Json], bool]]:
    return {
        "all": lambda _, __: True,
        "problems": lambda _, row: is_problem(row),
        "major": lambda _, row: row["label"] == "MAJOR",
        "minor": lambda _, row: row["label"] == "MINOR",
        "open": lambda _, row: row["label"] is None,
        "noted": lambda _, row: row["label"] == "NOTED",
        "exact": lambda _, row: row["label"] == "EXACT",
        "signs": lambda _, row: bool(row.get("signs")),
        "findings": lambda _, row: has_finding(row),
        "undecided": lambda n, row: is_problem(row) and n not in run.decisions,
        "decided": lambda n, _: n in run.decisions,
    }


_SORT_KEYS: dict[str, Callable[[tuple[int, Json]], tuple[float | str, ...]]] = {
    "problems": lambda row: (_rank_problem(row[1]), row[0]),
    "document": lambda row: (row[0],),
    "confidence": lambda row: (row[1]["confidence"] if row[1]["confidence"] is not None else -1.0, row[0]),
    "title": lambda row: (fold_title(describe_title(row[1])[:300]), row[0]),
    "year": lambda row: (-(row[1]["claimed"]["year"] or 0), row[0]),
}


def _rank_problem(reference: Json) -> int:
    """Return how early a reference stands: a finding lifts what would be right otherwise."""
    rank = RANK[reference["label"]]
    return min(rank, 1) if has_finding(reference) else rank


def _has_words(reference: Json, words: Sequence[str]) -> bool:
    claimed = reference["claimed"]
    text = fold_title(
        " ".join(
            (
                reference["key"],
                reference["raw"][:2000],
                claimed["title"] or "",
                format_names(claimed["authors"], 100),
            )
        )
    )
    return all(word in text for word in words)
