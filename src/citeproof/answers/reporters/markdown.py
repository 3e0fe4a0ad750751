"""A report to paste into a review or a pull request. Document text can form no markup in it.

Text of corpus documents is in code spans and fences, so that verifying a report finds no citation in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import ClassVar
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from citeproof.answers import reporters
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.base import Reporter
from citeproof.answers.reporters.gate_words import GateTally, describe_gates
from citeproof.answers.reporters.reference_report import ReferenceReport, require_references
from citeproof.answers.reporters.report_model import (
    DocumentReport,
    ReportDocument,
    ReportModel,
    ReportSummary,
    format_flagged_lists,
)
from citeproof.answers.reporters.templates import load_templates
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Checked, Finding, Label

_PLAIN = re.compile(r"(?:[A-Za-z0-9./-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])){1,300}")
_TICKS = re.compile("`+")
_MARKUP = re.compile(r"([\\`*_\[\]|~#$!])")
_BLOCK = re.compile(r"^(\d{1,9}(?=[.)])|(?=[-+=]))([.)+=-])(?=[\s=-]|$)")  # begins a list or a rule
_BARE_LINK = re.compile(r"(://|\bwww\.|@)", re.IGNORECASE)  # what readers turn into links by themselves


class Markdown(Reporter):
    """A table of references, then a section for each that is not EXACT; or a block for each document."""

    name: ClassVar[str] = "markdown"
    media_type: ClassVar[str] = "text/markdown"

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the report."""
        if isinstance(report, DocumentReport):
            return _format_documents(report)
        return _format_references(require_references(report))


def _format_references(report: ReferenceReport) -> Iterator[str]:
    """Yield the table as results come, the details after it."""
    tally, gates, details = wording.VerdictTally(), GateTally(report.policy, report.lost), list[Markup]()

    def watch() -> Iterator[Checked]:
        for checked in report.checked:
            tally.add(checked)
            gates.add(checked)
            if checked.judgement.label is not Label.EXACT or wording.list_findings(checked):
                details.append(Markup(format_section(checked)))  # noqa: S704 - of a template that escapes
            yield checked

    def group_set_findings() -> dict[str, list[Finding]]:
        groups: dict[str, list[Finding]] = {}
        for each in report.list_set_findings():
            if each.finding.is_finding:
                groups.setdefault(each.place.file, []).append(each.finding)
        return groups

    def decide() -> list[str]:
        for set_finding in report.list_set_findings():
            gates.add_set_finding(set_finding)
        return list(gates.format_lines())

    yield from _load_pages().get_template("markdown_references.jinja").generate(
        report=report, run=report.run, references=watch(), tally=tally, details=details, policy=decide,
        together=group_set_findings,
    )  # fmt: skip


@cache
def _load_pages() -> Environment:
    made = load_templates([(reporters.__name__, ".")], escape_markdown)
    made.filters |= {
        "code": lambda text: Markup(format_code_span(text)),  # noqa: S704 - escaped for Markdown
        "plain": lambda text: Markup(remove_markup(text)),  # noqa: S704 - same
        "fence": lambda rows: map(Markup, fence_rows(rows)),
        "file_name": lambda name: Markup(format_file_name(name)),  # noqa: S704 - same
        "margin": lambda number: Markup(" " * len(f"{number}. ")),  # noqa: S704 - same
    }
    made.globals["list_code_block"] = _list_code_block
    return made


def escape_markdown(text: str, limit: int = wording.SHOWN) -> str:
    """Return `text` as one line that Markdown shows as it is: no markup, no HTML, no link."""
    text = _BARE_LINK.sub(_break_bare_link, wording.show_line(text, limit).replace("&", "\0"))
    text = _MARKUP.sub(r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")
    text = _BLOCK.sub(r"\1\\\2", text)
    return text.replace("\0", "&amp;").replace("\1", "&#").replace("\2", ";")


def _break_bare_link(match: re.Match[str]) -> str:
    # As character references: a backslash stops some readers from linking, these stop all.
    return "".join(f"\1{ord(c)}\2" if c in ":.@" else c for c in match[0])


def format_link(text: str, url: str) -> str:
    """Return a link when `url` is http or https, else only the text."""
    if not url.startswith(("https://", "http://")) or re.search(r"[\s<>\\\"()\[\]|`]", url):
        return escape_markdown(text)
    return f"[{escape_markdown(text)}]({url})"


def format_section(checked: Checked) -> str:
    """Return everything about one reference, below a heading; every text in it is escaped."""
    score, evidence = wording.format_score(checked), _format_evidence(checked)
    notes = (wording.describe_acceptance(checked), describe_gates(checked))
    return _load_pages().get_template("markdown_section.jinja").render(
        checked=checked, notes=[note for note in notes if note], nearest=wording.describe_nearest(checked),
        score=Markup(f"({score})") if score else "",  # noqa: S704 - our own words
        evidence=Markup(evidence),  # noqa: S704 - it is escaped
        differences=wording.list_differences(checked.judgement), findings=wording.list_findings(checked),
    )  # fmt: skip


def _format_evidence(checked: Checked) -> str:
    matched = checked.judgement.matched
    if matched is None:
        return escape_markdown(wording.describe_evidence(checked))
    doi = matched.record.ids.first("doi")
    named = escape_markdown(f"{matched.record.source} {matched.record.id}")
    return (
        f"{named}, {format_link('doi:' + doi, 'https://doi.org/' + quote(doi, safe='/:;.'))}"
        if doi
        else named
    )


def _format_documents(report: DocumentReport) -> Iterator[str]:
    """Yield one block for one document; for several, one for all, then one for each that has issues."""
    head, clean = report.head, list[tuple[str, str, int]]()
    shown: list[tuple[ReportDocument, ReportSummary]] = []
    for document in report.generate_documents():
        if head.files == 1 or document.issues or document.trouble:
            shown.append((document, document.make_summary()))
        else:
            clean.append((document.name, document.status, document.citations))
    alone = head.files == 1
    yield from (
        _load_pages()
        .get_template("markdown_documents.jinja")
        .generate(
            head=head,
            alone=alone,
            whole=None if alone else report.make_summary(),
            documents=shown,
            clean=clean,
        )
    )


def _list_code_block(document: ReportDocument, summary: ReportSummary) -> list[str]:
    return [*summary.code, *format_flagged_lists(document.list_flagged(), places=False)]


def format_code_span(text: str) -> str:
    """Return `text` on one line as a code span that nothing in it can end."""
    shown = wording.show_line(text)
    fence = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    pad = " " if not shown or shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def format_file_name(file: str) -> str:
    """Return a file's name, as it is where Markdown and we can read nothing in it."""
    return file if _PLAIN.fullmatch(file) else format_code_span(file)


def fence_rows(rows: Sequence[str]) -> Iterator[str]:
    """Yield `rows` as a block of plain text that none of them can end."""
    longest = max((len(run) for row in rows for run in _TICKS.findall(row)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}text", *rows, fence)


def remove_markup(text: str) -> str:
    """Return our own words; they hold no markup, and what is not ours in them becomes none."""
    return re.sub(r"[^\w\s.,;:?!()/@-]", "", wording.show_line(text))


make = Markdown
