"""The page of several documents that were handed over together: the totals of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.reporters.html.reference_block import CLASSES
from citeproof.answers.reporters.html.venue_page import STATE_HEADINGS
from citeproof.answers.reporters.wording import format_count
from citeproof.answers.serializers.report import tally_answers, tally_signs
from citeproof.errors import NotADocumentError
from citeproof.surfaces.web.front_page import STATES
from citeproof.surfaces.web.page_frame import WebFrame, format_page, make_address
from citeproof.surfaces.web.reference_list import has_finding
from citeproof.surfaces.web.run_page import REFRESH
from citeproof.surfaces.web.run_view import CLAIMS, RunView, count_labels, count_problems
from citeproof.vocabulary import CHECKED_AGAINST, NOT_CHECKED, DocumentState

_COLUMNS = tuple((label, label or "not checked") for label in CLASSES)
_Row = tuple[RunView, Counter[str | None]]


def format_batch_page(runs: Sequence[RunView]) -> str:
    """Return the page of a batch: what could not be checked, the other documents, and the totals of all."""
    counts: list[_Row] = [(run, count_labels(run.references)) for run in runs]
    signs = {run.id: tally_signs(run.references)["any"] for run in runs}
    counts.sort(
        key=lambda row: (-row[1]["MAJOR"], -signs[row[0].id], *(-row[1][name] for name in ("MINOR", None)))
    )
    names = ("document", "signs of invention", *(name for _, name in _COLUMNS), "findings", "total")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    every = sum((labels for _, labels in counts), Counter[str | None]())
    cells = f'<td data-name="signs of invention">{sum(signs.values()):,}</td>'
    cells += "".join(f'<td data-name="{name}">{every[label]:,}</td>' for label, name in _COLUMNS)
    flagged = sum(has_finding(reference) for run in runs for reference in run.references)
    cells += f'<td data-name="findings">{flagged:,}</td><td data-name="total">{every.total():,}</td>'
    if all(run.kind == CLAIMS for run in runs):
        cells = _format_claim_cell(*map(sum, zip(*map(_count_claims, runs), strict=True)))
    ended = sum(run.ended for run in runs)
    state_line = f"{ended:,} of {format_count(len(runs), 'document')} done"
    progress = (
        "" if ended == len(runs) else f'<p role="status">{state_line}. This page asks again by itself.</p>\n'
    )
    groups = {state: [row for row in counts if _find_state(*row) is state] for state in DocumentState}
    heads = {s: f"{words}: {len(groups[s]):,}" for s, words in STATE_HEADINGS.items() if groups[s]}
    links = " · ".join(f'<a href="#{state}">{words}</a>' for state, words in heads.items())
    bodies = "".join(_format_group(s, rows, heads.get(s, "")) for s, rows in groups.items() if rows)
    total = f'<tr><th scope="row">all</th>{cells}</tr>'
    table = f'<table class="tallies"><thead><tr>{head}</tr></thead>{bodies}<tfoot>{total}</tfoot></table>\n'
    frame = WebFrame(
        f"{format_count(len(runs), 'document')} together",
        refresh=0 if ended == len(runs) else REFRESH,
        lead=_describe_sources(runs),
        always=True,
    )
    return format_page(frame, (progress, f'<p class="links">{links}</p>\n' if links else "", table))


def _describe_sources(runs: Sequence[RunView]) -> str:
    """Return who answered about the references of all documents, and who did not."""
    named = dict.fromkeys(name for run in runs if run.head for name in run.head["run"]["sources"])
    references = [reference for run in runs for reference in run.references]
    sources = f"{CHECKED_AGAINST} {tally_answers(named, references).describe()}" if references else ""
    return f'<p class="dim">{escape_text(sources, 2000)}</p>\n' if sources else ""


def _find_state(run: RunView, labels: Counter[str | None]) -> DocumentState:
    """Return what became of a document; as long as that is not known, it is among those that are checked."""
    if run.state == "failed":
        refused = run.error.startswith(NotADocumentError.words)
        return DocumentState.NOT_A_DOCUMENT if refused else DocumentState.UNREADABLE
    if run.kind == CLAIMS or run.state != "done":
        return DocumentState.CHECKED
    return DocumentState.of_counts(labels.total(), labels[None])


def _format_group(state: DocumentState, rows: Sequence[_Row], head: str) -> str:
    """Return the documents of one state below its heading; those that were checked have none."""
    above = f'<tr><th colspan="9" scope="rowgroup">{head}</th></tr>\n' if head else ""
    return f'<tbody id="{state}">{above}{"".join(_format_document_row(*row, state) for row in rows)}</tbody>'


def _format_document_row(run: RunView, labels: Counter[str | None], state: DocumentState) -> str:
    link = f'<a href="{make_address(run.base)}">{escape_text(run.name, 200)}</a>'
    if run.state != "done" and state.was_read:
        link += f' <span class="dim">{STATES.get(run.state, run.state)}</span>'
    return f'<tr><th scope="row">{link}</th>{"".join(_generate_cells(run, labels, state))}</tr>\n'


def _generate_cells(run: RunView, labels: Counter[str | None], state: DocumentState) -> Iterator[str]:
    if not state.was_read:
        yield f'<td colspan="8" class="major wide">{NOT_CHECKED}: {escape_text(run.error, 300)}</td>'
    elif run.kind == CLAIMS and run.claims:
        yield _format_claim_cell(*_count_claims(run))
    elif state is DocumentState.NO_LIST:
        lost = count_problems(run)
        more = f"; {format_count(lost, 'problem')} while reading" if lost else ""
        yield f'<td colspan="8" class="minor wide">no reference was found{more}</td>'
    else:
        signs = tally_signs(run.references)["any"]
        yield f'<td class="{"major" if signs else "none"}" data-name="signs of invention">{signs:,}</td>'
        for label, name in _COLUMNS:
            style = CLASSES[label] if labels[label] else "none"
            yield f'<td class="{style}" data-name="{name}">{labels[label]:,}</td>'
        flagged = sum(map(has_finding, run.references))
        yield f'<td class="{"minor" if flagged else "none"}" data-name="findings">{flagged:,}</td>'
        yield f'<td data-name="total">{labels.total():,}</td>'


def _count_claims(run: RunView) -> tuple[int, int]:
    """Return how many claims of a run have a verified citation, and how many there are."""
    summary = run.claims["summary"] if run.claims else {"verified": 0, "claims": 0}
    return summary["verified"], summary["claims"]


def _format_claim_cell(verified: int, claims: int) -> str:
    return f'<td colspan="8" class="wide">{verified:,} of {claims:,} citations verified</td>'
