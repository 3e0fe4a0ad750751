"""The pages of runs: a run with its list, one reference, claims, a batch of documents, a guarded answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from citeproof.answers.reporters.base import list_downloads
from citeproof.answers.reporters.csv import format_table_row
from citeproof.answers.reporters.html.reference_view import CLASSES, describe_title, has_finding, is_problem
from citeproof.answers.reporters.html.venue_page import STATE_HEADINGS
from citeproof.answers.reporters.wording import format_count, format_minute
from citeproof.answers.serializers.report import tally_answers, tally_signs
from citeproof.claims.claims_html import view_claims
from citeproof.errors import NotADocumentError
from citeproof.service.guarded_text import GuardedText, build_guarded_json
from citeproof.surfaces.web.page_frame import WebFrame, render_page
from citeproof.surfaces.web.reference_list import FILTERS, SORTS, ListQuery, select_references
from citeproof.surfaces.web.run_view import CLAIMS, RunView, count_labels, tally_documents
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED, DocumentState

REFRESH = 3  # seconds after which a browser without script asks again
CHECK_FORMATS = list_downloads()
CLAIM_FORMATS = tuple(form for form in CHECK_FORMATS if form != "html")  # which the page of claims is itself
_FEW = 12  # references up to which problems are shown opened


def format_run_page(run: RunView, query: ListQuery) -> str:
    """Return the page of a run: its progress, its documents, its references, downloads."""
    shown, counts = select_references(run, query), count_labels(run.references)
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
        signs=tally_signs(run.references),
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
        heads={s: f"{words}: {len(groups[s]):,}" for s, words in STATE_HEADINGS.items() if groups[s]},
        every={
            "labels": sum((row.labels for row in rows), Counter[str | None]()),
            "signs": sum(row.signs for row in rows),
            "flagged": sum(row.flagged for row in rows),
        },
        claims=tuple(map(sum, zip(*(row.claims for row in rows), strict=True))) if whole else None,
    )


def _tally_run(run: RunView) -> BatchRow:
    labels, summary = count_labels(run.references), run.claims["summary"] if run.claims else {}
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
        tally_signs(run.references)["any"],
        sum(map(has_finding, run.references)),
        (summary.get("verified", 0), summary.get("claims", 0)),
        sum(not problem["note"] for problem in run.problems),
    )


def _rank_row(row: BatchRow) -> tuple[int, ...]:
    return (-row.signs, -row.labels["MAJOR"], -row.labels["MINOR"], -row.labels[None])


def _describe_sources(runs: Iterable[RunView]) -> str:
    """Return who answered about the references of all documents, and who did not."""
    named = dict.fromkeys(name for run in runs if run.head for name in run.head["run"]["sources"])
    references = [reference for run in runs for reference in run.references]
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
