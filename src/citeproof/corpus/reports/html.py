"""One self-contained page for people: the counts, the issues of each document, the code citations.

No script, no request, nothing from outside: the page's own policy forbids all three, so that text of a
document that tries to be markup stays text. Filters and details work by HTML and CSS alone.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import ClassVar

from citeproof.corpus.nouns import DocumentResult, Issue, Level
from citeproof.corpus.reports import code_block, figures
from citeproof.corpus.reports.advice import list_recommendations
from citeproof.corpus.reports.corpus_report import CorpusReport
from citeproof.corpus.reports.figures import CorpusTally, has_failed
from citeproof.reporters.html import escape_text
from citeproof.reporters.report_model import CorpusReportHead, FlaggedCitation
from citeproof.reporters.wording import format_count

_CLASSES = {Level.ERROR: "major", Level.WARNING: "minor", Level.INFO: "open"}
_SIGNS = {Level.ERROR: "✗", Level.WARNING: "⚠", Level.INFO: "ⓘ"}


class CorpusHtml:
    """Summary, filter, a section for each document with issues, code citations, the documents without."""

    name: ClassVar[str] = "html"

    def report(self, report: CorpusReport) -> Iterator[str]:
        """Yield the page once all is known, because its counts stand first."""
        head, results = report.head, report.load(False)
        tally, sections, clean, told = CorpusTally(), [], [], list[FlaggedCitation]()
        for result in results:
            tally.add(result)
            told += code_block.list_flagged_citations(result)
            if result.issues or result.trouble:
                sections.append(_format_section(result))
            else:
                clean.append(_format_clean_item(result))
        yield _format_head(head, tally)
        yield from sections
        if not sections:
            yield "<p>No issues.</p>\n"
        yield _format_list("Could not be checked", [escape_text(one) for one in tally.list_unchecked()])
        yield _format_code_table(tally, told)
        yield _format_list("Recommendations", [escape_text(one) for one in list_recommendations(tally)])
        yield _format_clean_list(clean)
        yield "</main>\n</body>\n</html>\n"


def _format_head(head: CorpusReportHead, tally: CorpusTally) -> str:
    style, policy = _load_style()
    status = figures.format_status(tally.counts, tally.unread)
    rows = (
        ("root", head.root),
        ("files", f"{tally.files:,}"),
        ("date", head.date),
        ("checked", head.checked),
        ("citeproof", head.version),
    )
    facts = "".join(f"<dt>{name}</dt><dd>{escape_text(value)}</dd>" for name, value in rows if value)
    cells = "".join(
        f"<li><b>{count:,}</b><span>{name}</span></li>"
        for name, count in figures.list_summary_rows(tally.counts)
    )
    fixed = [
        f"<code>{escape_text(file)}</code>: {format_count(changes, 'change')}" for file, changes in head.fixed
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Citation Verification Report: {status}</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n<header>\n<h1>Citation Verification Report</h1>\n"
        f'<p class="status {"fail" if has_failed(tally.counts) else "pass"}">Status: {status}</p>\n'
        f'<dl>{facts}</dl>\n<ul class="figures">{cells}</ul>\n{_format_list("Fixed", fixed)}'
        f"{_format_list('Corpus', [escape_text(one) for one in head.troubles])}"
        f"{_format_filters(tally)}</header>\n<main>\n"
    )


@cache
def _load_style() -> tuple[str, str]:
    """Return the style and the policy that allows this style and nothing else."""
    packages = ("citeproof.reporters", "citeproof.corpus.reports")
    style = "".join(files(package).joinpath("html.css").read_text("utf-8") for package in packages)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return style, f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _format_filters(tally: CorpusTally) -> str:
    counts = tally.counts
    rows = (
        ("all", "all", counts.errors + counts.warnings + counts.infos),
        ("major", "errors", counts.errors),
        ("minor", "warnings", counts.warnings),
        ("open", "notes", counts.infos),
    )
    buttons = "".join(
        f'<label><input type="radio" name="show" id="show-{name}"{" checked" if name == "all" else ""}>'
        f"{word} {count:,}</label>"
        for name, word, count in rows
    )
    return f'<fieldset aria-label="which issues to show">{buttons}</fieldset>\n'


def _format_section(result: DocumentResult) -> str:
    """Return one document: its name and status, then its issues."""
    status = f"{figures.format_file_status(result)} · {format_count(result.counts.citations, 'citation')}"
    inside = "".join(_format_issue_article(issue) for issue in result.issues)
    if result.trouble:
        trouble = f"<b>? could not be read</b>{escape_text(result.trouble)}"
        inside = f'<article class="open"><details><summary>{trouble}</summary></details></article>\n'
    return (
        f'<section class="file">\n<h2>{escape_text(result.file)} <span class="dim">{status}</span></h2>\n'
        f"{inside}</section>\n"
    )


def _format_issue_article(issue: Issue) -> str:
    shown = " open" if issue.level is Level.ERROR else ""
    rows = (("Claim", issue.claim), ("Source", issue.source), ("Issue", issue.message), ("Fix", issue.fix))
    facts = "".join(f"<dt>{name}</dt><dd>{escape_text(value)}</dd>" for name, value in rows if value)
    head = (
        f"<b>{_SIGNS[issue.level]} {issue.severity} - {escape_text(issue.kind)} (line {issue.line})</b>"
        f'<span class="dim">{escape_text(issue.source, 120)}</span>'
    )
    return (
        f'<article class="{_CLASSES[issue.level]}"><details{shown}><summary>{head}</summary>\n'
        f'<div class="inside"><dl>{facts}</dl></div></details></article>\n'
    )


def _format_code_table(tally: CorpusTally, told: Sequence[FlaggedCitation]) -> str:
    counts = tally.counts
    if not counts.code:
        return ""
    first, *rest = code_block.format_totals(counts)
    head = f"<section>\n<h2>{first}</h2>\n<p>{' · '.join(rest)}</p>\n"
    rows = "".join(_format_code_row(one) for one in told)
    columns = "<tr><th>citation</th><th>verdict</th><th>what is known</th></tr>"
    table = f'<table class="code"><thead>{columns}</thead><tbody>{rows}</tbody></table>\n' if rows else ""
    return f"{head}{table}</section>\n"


def _format_code_row(one: FlaggedCitation) -> str:
    remarks = [row for row in one.remarks if row != one.verdict]
    said = "".join(f"<p>{escape_text(row)}</p>" for row in remarks if not row.startswith(" "))
    diff = "\n".join(escape(row.removeprefix("  ")) for row in remarks if row.startswith(" "))
    cited = f"<code>{escape_text(one.shown, 1_200)}</code>"
    return (
        f'<tr><td>{cited}<br><span class="dim">{escape_text(one.place)}</span></td>'
        f'<td><span class="verdict {one.section}">{escape_text(one.verdict)}</span></td>'
        f"<td>{said}{f'<pre>{diff}</pre>' if diff else ''}</td></tr>\n"
    )


def _format_clean_item(result: DocumentResult) -> str:
    count = format_count(result.counts.citations, "citation")
    return (
        f"<li>{escape_text(result.file)} <span class='dim'>{figures.format_status(result.counts)}, "
        f"{count}</span></li>"
    )


def _format_clean_list(clean: Sequence[str]) -> str:
    if not clean:
        return ""
    head = f"<summary>{format_count(len(clean), 'file')} without issues</summary>"
    return f"<details>{head}<ul>{''.join(clean)}</ul></details>\n"


def _format_list(heading: str, items: Sequence[str]) -> str:
    """Return a heading and a list of what is HTML already, or nothing."""
    every = "".join(f"<li>{item}</li>" for item in items)
    return f"<h2>{heading}</h2>\n<ul>{every}</ul>\n" if every else ""


make = CorpusHtml
