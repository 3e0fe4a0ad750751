"""One self-contained page for people: the counts, the issues of each document, the code citations.

No script, no request, nothing from outside: the page's own policy forbids all three, so that text of a
document that tries to be markup stays text. Filters and details work by HTML and CSS alone.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import ClassVar

from citeproof.corpus.nouns import Issue, Level, Result
from citeproof.corpus.reports import codeblock, figures
from citeproof.corpus.reports.advice import recommendations
from citeproof.corpus.reports.base import Head, failed
from citeproof.corpus.reports.figures import Tally, number
from citeproof.reporters.html import text

_CLASSES = {Level.ERROR: "major", Level.WARNING: "minor", Level.INFO: "open"}
_SIGNS = {Level.ERROR: "✗", Level.WARNING: "⚠", Level.INFO: "ⓘ"}


class Html:
    """Summary, filter, a section for each document with issues, code citations, the documents without."""

    name: ClassVar[str] = "html"
    citations: ClassVar[bool] = False

    def report(self, head: Head, results: Iterable[Result]) -> Iterator[str]:
        """Yield the page once all is known, because its counts stand first."""
        tally, sections, clean, told = Tally(), [], [], list[codeblock.Told]()
        for result in results:
            tally.add(result)
            told += codeblock.told(result)
            if result.issues or result.trouble:
                sections.append(_section(result))
            else:
                clean.append(_clean(result))
        yield _head(head, tally)
        yield from sections
        if not sections:
            yield "<p>No issues.</p>\n"
        yield _list("Could not be checked", [text(one) for one in tally.listed()])
        yield _code(tally, told)
        yield _list("Recommendations", [text(one) for one in recommendations(tally)])
        yield _folded(clean)
        yield "</main>\n</body>\n</html>\n"


def _head(head: Head, tally: Tally) -> str:
    style, policy = _style()
    status = figures.status(tally.counts, tally.unread)
    rows = (
        ("root", head.root),
        ("files", f"{tally.files:,}"),
        ("date", head.date),
        ("checked", figures.checked(head)),
        ("citeproof", head.version),
    )
    facts = "".join(f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in rows if value)
    cells = "".join(
        f"<li><b>{count:,}</b><span>{name}</span></li>" for name, count in figures.rows(tally.counts)
    )
    fixed = [f"<code>{text(file)}</code>: {number(changes, 'change')}" for file, changes in head.fixed]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Citation Verification Report: {status}</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n<header>\n<h1>Citation Verification Report</h1>\n"
        f'<p class="status {"fail" if failed(tally.counts) else "pass"}">Status: {status}</p>\n'
        f'<dl>{facts}</dl>\n<ul class="figures">{cells}</ul>\n{_list("Fixed", fixed)}'
        f"{_list('Corpus', [text(one) for one in head.troubles])}{_filters(tally)}</header>\n<main>\n"
    )


@cache
def _style() -> tuple[str, str]:
    """Return the style and the policy that allows this style and nothing else."""
    packages = ("citeproof.reporters", "citeproof.corpus.reports")
    style = "".join(files(package).joinpath("html.css").read_text("utf-8") for package in packages)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return style, f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _filters(tally: Tally) -> str:
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


def _section(result: Result) -> str:
    """Return one document: its name and status, then its issues."""
    status = f"{figures.status_of(result)} · {number(result.counts.citations, 'citation')}"
    inside = "".join(_article(issue) for issue in result.issues)
    if result.trouble:
        trouble = f"<b>? could not be read</b>{text(result.trouble)}"
        inside = f'<article class="open"><details><summary>{trouble}</summary></details></article>\n'
    return (
        f'<section class="file">\n<h2>{text(result.file)} <span class="dim">{status}</span></h2>\n'
        f"{inside}</section>\n"
    )


def _article(issue: Issue) -> str:
    shown = " open" if issue.level is Level.ERROR else ""
    rows = (("Claim", issue.claim), ("Source", issue.source), ("Issue", issue.message), ("Fix", issue.fix))
    facts = "".join(f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in rows if value)
    head = (
        f"<b>{_SIGNS[issue.level]} {issue.severity} - {text(issue.kind)} (line {issue.line})</b>"
        f'<span class="dim">{text(issue.source, 120)}</span>'
    )
    return (
        f'<article class="{_CLASSES[issue.level]}"><details{shown}><summary>{head}</summary>\n'
        f'<div class="inside"><dl>{facts}</dl></div></details></article>\n'
    )


def _code(tally: Tally, told: Sequence[codeblock.Told]) -> str:
    counts = tally.counts
    if not counts.code:
        return ""
    first, *rest = codeblock.totals(counts)
    head = f"<section>\n<h2>{first}</h2>\n<p>{' · '.join(rest)}</p>\n"
    rows = "".join(_cited(one) for one in told)
    columns = "<tr><th>citation</th><th>verdict</th><th>what is known</th></tr>"
    table = f'<table class="code"><thead>{columns}</thead><tbody>{rows}</tbody></table>\n' if rows else ""
    return f"{head}{table}</section>\n"


def _cited(one: codeblock.Told) -> str:
    remarks = [row for row in codeblock.remarks(one) if row != one.verdict]
    said = "".join(f"<p>{text(row)}</p>" for row in remarks if not row.startswith(" "))
    diff = "\n".join(escape(row.removeprefix("  ")) for row in remarks if row.startswith(" "))
    cited = f"<code>{text(one.shown, 1_200)}</code>"
    return (
        f'<tr><td>{cited}<br><span class="dim">{text(one.place)}</span></td>'
        f'<td><span class="verdict {one.section}">{text(one.verdict)}</span></td>'
        f"<td>{said}{f'<pre>{diff}</pre>' if diff else ''}</td></tr>\n"
    )


def _clean(result: Result) -> str:
    count = number(result.counts.citations, "citation")
    return f"<li>{text(result.file)} <span class='dim'>{figures.status(result.counts)}, {count}</span></li>"


def _folded(clean: Sequence[str]) -> str:
    if not clean:
        return ""
    head = f"<summary>{number(len(clean), 'file')} without issues</summary>"
    return f"<details>{head}<ul>{''.join(clean)}</ul></details>\n"


def _list(heading: str, items: Sequence[str]) -> str:
    """Return a heading and a list of what is HTML already, or nothing."""
    every = "".join(f"<li>{item}</li>" for item in items)
    return f"<h2>{heading}</h2>\n<ul>{every}</ul>\n" if every else ""


make = Html
