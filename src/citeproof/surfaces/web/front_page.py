"""The start page: drop or paste anything, and the recent runs."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.reporters.wording import format_count
from citeproof.surfaces.web.page_frame import WebFrame, format_page, load_fragment, make_address
from citeproof.surfaces.web.run_view import CLAIMS, RunView
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Reason, Verdict

STATES = {
    "queued": "waiting", "running": "running", "done": "done", "failed": "failed", "cancelled": "cancelled",
}  # fmt: skip


def format_front_page(runs: Sequence[RunView], notes: Sequence[str] = (), *, signed: bool = False) -> str:
    """Return the start page; `notes` say against what this server checks, `signed` that one can sign out."""
    lead = "<p>Check that citations are real, described faithfully and still sound, with the evidence.</p>\n"
    if notes:
        lead += f'<p class="dim">{escape_text("; ".join(notes), 600)}</p>\n'
    leave = '<form method="post" action="/logout"><button>Sign out</button></form>\n' if signed else ""
    return format_page(
        WebFrame("Check citations", lead=lead), (load_fragment("upload_form.html"), _format_runs(runs), leave)
    )


def _format_runs(runs: Sequence[RunView]) -> str:
    if not runs:
        return ""
    rows = "".join(_format_run_row(run) for run in runs)
    head = "".join(f'<th scope="col">{name}</th>' for name in ("run", "what", "state", "started"))
    return (
        '<section aria-labelledby="recent"><h2 id="recent">Recent runs</h2>\n'
        f'<table class="runs"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>\n'
    )


def _format_run_row(run: RunView) -> str:
    what = "claims" if run.kind == CLAIMS else "references"
    count = f"{run.done:,} of {run.total:,}" if run.total is not None and not run.ended else ""
    if run.ended and run.total is not None:
        count = format_count(run.total, what[:-1])
    return (
        f'<tr><td><a href="{make_address(run.base)}">{escape_text(run.name, 120)}</a></td>'
        f"<td>{count or what}</td><td>{STATES.get(run.state, escape_text(run.state))}</td>"
        f'<td><time datetime="{escape_text(run.created)}">'
        f"{escape_text(run.created[:16].replace('T', ' '))}</time></td></tr>\n"
    )


def format_verdict_page() -> str:
    """Return the page that explains the verdicts."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("verdict", "meaning", "label"))
    texts = load_package_table("citeproof.surfaces.web.assets", "verdict_meanings.toml")
    rows = "".join(
        f'<tr class="{texts[verdict]["style"]}"><th scope="row"><b>{verdict.value.replace("_", " ")}</b></th>'
        f'<td data-name="meaning">{texts[verdict]["meaning"]}</td>'
        f'<td data-name="label">{texts[verdict]["label"]}</td></tr>'
        for verdict in Verdict
    )
    table = f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\n'
    return format_page(
        WebFrame("What the verdicts mean"), (table, load_fragment("verdict_text.html"), _format_reasons())
    )


def _format_reasons() -> str:
    rows = "".join(
        f'<tr><th scope="row"><code>{reason}</code></th><td>{escape_text(reason.field)}</td>'
        f"<td>{escape_text(reason.meaning)}</td></tr>"
        for reason in Reason
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("code", "field", "meaning"))
    return (
        f'<h2>Reason codes</h2>\n<details class="more"><summary>All {len(Reason)} codes</summary>'
        f'<table class="reasons"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>\n'
    )
