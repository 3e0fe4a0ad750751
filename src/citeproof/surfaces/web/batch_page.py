"""The page of several documents that were handed over together: the totals of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from citeproof.reporters.html.page_parts import escape_text
from citeproof.reporters.html.reference_block import CLASSES
from citeproof.reporters.wording import format_count
from citeproof.surfaces.web.front_page import STATES
from citeproof.surfaces.web.page_frame import WebFrame, format_page, make_address
from citeproof.surfaces.web.reference_list import has_finding
from citeproof.surfaces.web.run_page import REFRESH
from citeproof.surfaces.web.run_view import CLAIMS, RunView, count_labels, count_problems

_COLUMNS = tuple((label, label or "not checked") for label in CLASSES)


def format_batch_page(runs: Sequence[RunView]) -> str:
    """Return the page of a batch: the worst document first, and the totals of all."""
    counts = [(run, count_labels(run.references)) for run in runs]
    counts.sort(key=lambda row: (not row[0].error, *(-row[1][label] for label in ("MAJOR", "MINOR", None))))
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("document", *(name for _, name in _COLUMNS), "findings", "total")
    )
    rows = "".join(_format_document_row(run, labels) for run, labels in counts)
    every = sum((labels for _, labels in counts), Counter[str | None]())
    cells = "".join(f'<td data-name="{name}">{every[label]:,}</td>' for label, name in _COLUMNS)
    found = sum(has_finding(one) for run in runs for one in run.references)
    total = (
        f'<tr><th scope="row">all</th>{cells}<td data-name="findings">{found:,}</td><td '
        f'data-name="total">{every.total():,}</td></tr>'
    )
    if all(run.kind == CLAIMS for run in runs):
        verified, claims = map(sum, zip(*map(_count_claims, runs), strict=True))
        total = f'<tr><th scope="row">all</th>{_format_claim_cell(verified, claims)}</tr>'
    ended = sum(run.ended for run in runs)
    told = f"{ended:,} of {format_count(len(runs), 'document')} done"
    progress = "" if ended == len(runs) else f'<p role="status">{told}. This page asks again by itself.</p>\n'
    table = (
        f'<table class="tallies"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody><tfoot>{total}'
        "</tfoot></table>\n"
    )
    frame = WebFrame(
        f"{format_count(len(runs), 'document')} together",
        refresh=0 if ended == len(runs) else REFRESH,
        always=True,
    )
    return format_page(frame, (progress, table))


def _format_document_row(run: RunView, labels: Counter[str | None]) -> str:
    link = f'<a href="{make_address(run.base)}">{escape_text(run.name, 200)}</a>'
    if run.state == "failed":
        why = escape_text(run.error, 300)
        return (
            f'<tr><th scope="row">{link}</th><td colspan="7" class="major wide">could not be checked: '
            f"{why}</td></tr>\n"
        )
    state = "" if run.state == "done" else f' <span class="dim">{STATES.get(run.state, run.state)}</span>'
    cells = "".join(
        f'<td class="{CLASSES[label] if labels[label] else "none"}" data-name="{name}">{labels[label]:,}</td>'
        for label, name in _COLUMNS
    )
    if run.kind == CLAIMS and run.claims:
        return f'<tr><th scope="row">{link}{state}</th>{_format_claim_cell(*_count_claims(run))}</tr>\n'
    if run.ended and not labels and (lost := count_problems(run)):
        told = f"no reference was found; {format_count(lost, 'problem')} while reading"
        return f'<tr><th scope="row">{link}{state}</th><td colspan="7" class="minor wide">{told}</td></tr>\n'
    found = sum(map(has_finding, run.references))
    return (
        f'<tr><th scope="row">{link}{state}</th>{cells}<td class="{"minor" if found else "none"}" '
        'data-name="findings">'
        f'{found:,}</td><td data-name="total">{labels.total():,}</td></tr>\n'
    )


def _count_claims(run: RunView) -> tuple[int, int]:
    """Return how many claims of a run have a verified citation, and how many there are."""
    summary = run.claims["summary"] if run.claims else {"verified": 0, "claims": 0}
    return summary["verified"], summary["claims"]


def _format_claim_cell(verified: int, claims: int) -> str:
    return f'<td colspan="7" class="wide">{verified:,} of {claims:,} citations verified</td>'
