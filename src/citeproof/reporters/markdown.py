"""A report to paste into a review or a pull request. Document text can form no markup in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar
from urllib.parse import quote

from citeproof.reporters import wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import Report
from citeproof.vocabulary import Checked, Compared, Label, Run

_MARKUP = re.compile(r"([\\`*_\[\]|~#$!])")
_BARE_LINK = re.compile(r"(://|\bwww\.|@)", re.IGNORECASE)  # what readers turn into links by themselves


class Markdown(Reporter):
    """A table of all references, then one section for each that is not EXACT."""

    name: ClassVar[str] = "markdown"

    def report(self, report: Report) -> Iterator[str]:
        """Yield the report: the table as results come, the details after it."""
        run, checked = get_references(report)
        tally, details = wording.VerdictTally(), []
        yield _format_report_head(run)
        for one in checked:
            tally.add(one)
            yield _format_table_row(one)
            if one.judgement.label is not Label.EXACT:
                details.append(_format_section(one))
        yield f"\n{escape_markdown(tally.sentence())}.\n"
        yield from details
        yield _format_problems(run)


def escape_markdown(text: str, limit: int = wording.SHOWN) -> str:
    """Return `text` as one line that Markdown shows as it is: no markup, no HTML, no link."""
    text = _BARE_LINK.sub(_break_bare_link, wording.show_line(text, limit).replace("&", "\0"))
    text = _MARKUP.sub(r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\0", "&amp;").replace("\1", "&#").replace("\2", ";")


def _break_bare_link(found: re.Match[str]) -> str:
    # As character references: a backslash stops some readers from linking, these stop all.
    return "".join(f"\1{ord(c)}\2" if c in ":.@" else c for c in found[0])


def format_link(text: str, url: str) -> str:
    """Return a link when `url` is http or https, else only the text."""
    if not url.startswith(("https://", "http://")) or re.search(r"[\s<>\\\"()\[\]|`]", url):
        return escape_markdown(text)
    return f"[{escape_markdown(text)}]({url})"


def _format_report_head(run: Run) -> str:
    against = wording.describe_sources(run)
    replaced = "".join(f"**{escape_markdown(text, 2000)}**\n\n" for text in wording.describe_overrides(run))
    return (
        f"# Citation report\n\nDocuments: {escape_markdown(', '.join(run.documents))}  \n"
        f"Checked against: {escape_markdown(against)}  \nStarted: {escape_markdown(run.started)}\n\n"
        f"{replaced}"
        "| key | place | result | score | title |\n| --- | --- | --- | --- | --- |\n"
    )


def _format_table_row(checked: Checked) -> str:
    judgement = checked.judgement
    score = "" if judgement.score is None else f"{judgement.score:.1f}"
    cells = (
        checked.reference.key,
        wording.format_place(checked.reference.place),
        wording.format_headline(checked),
    )
    return (
        f"| {' | '.join(escape_markdown(cell) for cell in cells)} | {score} | "
        f"{escape_markdown(wording.format_title(checked))} |\n"
    )


def _format_section(checked: Checked) -> str:
    judgement = checked.judgement
    score = wording.format_score(checked)
    parts = [
        (
            f"\n## {escape_markdown(checked.reference.key)}: "
            f"{escape_markdown(wording.format_headline(checked))}\n"
        )
    ]
    parts.append(f"{escape_markdown(judgement.explanation, 2000)}{f' ({score})' if score else ''}\n")
    if judgement.mismatches:
        parts.append("| field | claimed | found | reason |\n| --- | --- | --- | --- |")
        for m in judgement.mismatches:
            cells = (m.field, m.claimed, m.resolved, m.reason)
            parts.append(f"| {' | '.join(escape_markdown(cell) for cell in cells)} |")
        parts.append("")
    parts.append(f"Evidence: {_format_evidence(checked)}\n")
    if nearest := wording.describe_nearest(checked):
        parts.append(f"Nearest: {escape_markdown(nearest)}\n")
    return "\n".join(parts)


def _format_evidence(checked: Checked) -> str:
    matched = checked.judgement.matched
    if matched is None:
        return escape_markdown(wording.describe_evidence(checked))
    return _format_matched_record(matched)


def _format_matched_record(compared: Compared) -> str:
    doi = compared.record.ids.first("doi")
    named = escape_markdown(f"{compared.record.source} {compared.record.id}")
    return (
        f"{named}, {format_link('doi:' + doi, 'https://doi.org/' + quote(doi, safe='/:;.'))}"
        if doi
        else named
    )


def _format_problems(run: Run) -> str:
    if not run.problems and not wording.describe_completeness(run):
        return ""
    lines = [f"\n## Reading the documents\n\n{escape_markdown(wording.describe_completeness(run))}.\n"]
    for problem in run.problems:
        mend = f" Hint: {escape_markdown(problem.mend)}" if problem.mend else ""
        lines.append(
            f"- {escape_markdown(wording.format_place(problem.place))}: "
            f"{escape_markdown(problem.message)}.{mend}"
        )
    return "\n".join(lines) + "\n"


make = Markdown
