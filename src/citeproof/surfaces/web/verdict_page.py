"""The page that explains verdicts, labels, scores and decisions."""

from __future__ import annotations

from citeproof.reporters.html.page_parts import escape_text
from citeproof.surfaces.web.page_frame import WebFrame, format_page, load_fragment
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Reason, Verdict


def format_verdict_page() -> str:
    """Return the page that explains the verdicts."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("verdict", "meaning", "label"))
    told = load_package_table("citeproof.surfaces.web.assets", "verdict_meanings.toml")
    rows = "".join(
        f'<tr class="{told[verdict]["style"]}"><th scope="row"><b>{verdict.value.replace("_", " ")}</b></th>'
        f'<td data-name="meaning">{told[verdict]["meaning"]}</td>'
        f'<td data-name="label">{told[verdict]["label"]}</td></tr>'
        for verdict in Verdict
    )
    table = f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\n'
    return format_page(
        WebFrame("What the verdicts mean"), (table, load_fragment("verdict_text.html"), _format_reasons())
    )


def _format_reasons() -> str:
    rows = "".join(
        f'<tr><th scope="row"><code>{one}</code></th><td>{escape_text(one.field)}</td>'
        f"<td>{escape_text(one.meaning)}</td></tr>"
        for one in Reason
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("code", "field", "meaning"))
    return (
        f'<h2>Reason codes</h2>\n<details class="more"><summary>All {len(Reason)} codes</summary>'
        f'<table class="reasons"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>\n'
    )
