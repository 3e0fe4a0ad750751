"""The page that explains verdicts, labels, scores and decisions."""

from __future__ import annotations

from citeproof.reporters.html.page_parts import escape_text
from citeproof.surfaces.web.page_frame import WebFrame, format_page, load_fragment
from citeproof.vocabulary import Reason, Verdict

_MEANINGS = {
    Verdict.MATCHED: (
        ("The work was identified. Either the citation agrees with it (EXACT), or a field differs that "
        "another version or a fault of the record may explain (NOTED), or fields are wrong that leave no "
        "doubt which work is meant (MINOR)."),
        "EXACT, NOTED or MINOR", "exact",
    ),
    Verdict.AMBIGUOUS: (
        (
        "The identifier leads to one work, the title is that of another real work. Decide which of them "
        "is meant."
        ),
        "MINOR", "minor",
    ),
    Verdict.MISMATCH: (
        ("The identifier leads to a work with another title, and no work has the cited title; or a work "
        "with that "
        "title has entirely different authors."),
        "MAJOR", "major",
    ),
    Verdict.NOT_FOUND: (
        ("Not found in any source that covers this kind of work: every required source answered, and none "
        "has it. "
        "The sources are listed with the reference."),
        "MAJOR", "major",
    ),
    Verdict.UNCHECKED: (
        ("No verdict. Too few sources answered to decide; the causes are listed. An outage is never evidence "
        "against a citation."),
        "none", "open",
    ),
}  # fmt: skip


def format_verdict_page() -> str:
    """Return the page that explains the verdicts."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("verdict", "meaning", "label"))
    rows = "".join(
        f'<tr class="{style}"><th scope="row"><b>{verdict.value.replace("_", " ")}</b></th>'
        f'<td data-name="meaning">{meaning}</td><td data-name="label">{label}</td></tr>'
        for verdict, (meaning, label, style) in _MEANINGS.items()
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
