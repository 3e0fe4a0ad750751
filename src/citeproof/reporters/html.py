"""One self-contained page for people: what was claimed beside what was found.

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
from urllib.parse import quote

from citeproof.reporters import word_differences, wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import (
    CorpusReportHead,
    DocumentReport,
    FlaggedCitation,
    ReportDocument,
    ReportModel,
    ReportRow,
    ReportSummary,
    RowLevel,
)
from citeproof.reporters.wording import format_count
from citeproof.vocabulary import (
    Absent,
    Checked,
    Comparison,
    FindingState,
    Found,
    Ids,
    Label,
    Lookup,
    Outcome,
    Run,
    Unchecked,
)

_CLASSES = {Label.EXACT: "exact", Label.MINOR: "minor", Label.MAJOR: "major", None: "open"}
_SIGNS = {Label.EXACT: "✓", Label.MINOR: "~", Label.MAJOR: "✗", None: "?"}
_FILTERS = {"all": "all", "major": "MAJOR", "minor": "MINOR", "exact": "EXACT", "open": "not checked"}
_RESOLVERS = {
    "doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/", "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/",
}  # fmt: skip


_LEVEL_CLASSES = {RowLevel.ERROR: "major", RowLevel.WARNING: "minor", RowLevel.NOTE: "open"}
_LEVEL_SIGNS = {RowLevel.ERROR: "✗", RowLevel.WARNING: "⚠", RowLevel.NOTE: "ⓘ"}
_CLOSING = "</main>\n</body>\n</html>\n"


class Html(Reporter):
    """The counts, a filter, then one foldable block a reference or issue, in document order."""

    name: ClassVar[str] = "html"

    def report(self, report: ReportModel) -> Iterator[str]:
        """Yield the page once all is known, because its counts stand first."""
        if isinstance(report, DocumentReport):
            return _format_documents(report)
        return _format_references(*get_references(report))


def escape_text(value: str, limit: int = wording.SHOWN) -> str:
    """Return a value on one line as HTML text: no tag, no attribute, no control character."""
    return escape(wording.show_line(value, limit), quote=True)


@cache
def _load_style(*names: str) -> tuple[str, str]:
    """Return the style and the policy that allows this style and nothing else."""
    style = "".join(files("citeproof.reporters").joinpath(name).read_text("utf-8") for name in names)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return style, f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _open_page(title: str, heading: str, *styles: str) -> str:
    """Return the page up to its heading; `title` is HTML."""
    style, policy = _load_style("html.css", *styles)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{heading}: {title}</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n<header>\n<h1>{heading}</h1>\n"
    )


def _format_facts(rows: Iterable[tuple[str, str]], limit: int = wording.SHOWN) -> str:
    return "".join(f"<dt>{name}</dt><dd>{escape_text(value, limit)}</dd>" for name, value in rows)


def _format_filters(what: str, rows: Iterable[tuple[str, str]]) -> str:
    buttons = "".join(
        f'<label><input type="radio" name="show" id="show-{name}"{" checked" if name == "all" else ""}>'
        f"{words}</label>"
        for name, words in rows
    )
    return f'<fieldset aria-label="which {what} to show">{buttons}</fieldset>\n'


def _format_article(style: str, head: str, inside: str, *, shown: bool) -> str:
    return (
        f'<article class="{style}"><details{" open" if shown else ""}><summary>{head}</summary>\n'
        f'<div class="inside">{inside}</div></details></article>\n'
    )


def _format_references(run: Run, checked: Iterable[Checked]) -> Iterator[str]:
    tally, blocks = wording.VerdictTally(), []
    for one in checked:
        tally.add(one)
        blocks.append(_format_reference(one))
    yield _format_references_head(run, tally)
    yield from blocks
    yield _format_problem_list(run)
    yield _CLOSING


def _format_references_head(run: Run, tally: wording.VerdictTally) -> str:
    rows = (
        ("documents", wording.list_names(run.documents)),
        ("checked against", wording.describe_sources(run)),
        ("started", run.started),
        ("judge", run.judge),
    )
    replaced = "".join(
        f'<p class="override" role="alert"><strong>{escape_text(each, 2000)}</strong></p>\n'
        for each in wording.describe_overrides(run)
    )
    counts = {_CLASSES[label]: count for label, count in tally.labels.items()}
    counts["all"] = tally.labels.total()
    filters = ((name, f"{word} {counts.get(name, 0)}") for name, word in _FILTERS.items())
    return (
        f"{_open_page(escape_text(wording.list_names(run.documents), 200), 'Citation report')}"
        f"<p><strong>{escape_text(tally.sentence())}.</strong> "
        f"{escape_text(wording.describe_completeness(run))}</p>\n"
        f"{replaced}<dl>{_format_facts(rows, 2000)}</dl>\n{_format_filters('references', filters)}"
        "</header>\n<main>\n"
    )


def _format_reference(checked: Checked) -> str:
    judgement, reference = checked.judgement, checked.reference
    head = (
        f"<b>{_SIGNS[judgement.label]} {escape_text(wording.format_headline(checked))}</b>"
        f"{escape_text(wording.format_title(checked))} "
        f'<span class="dim">{escape_text(reference.key, 80)} · '
        f"{escape_text(wording.format_place(reference.place))}</span>"
    )
    parts = (
        (
            f"<p>{escape_text(judgement.explanation, 2000)} <span class='dim'>"
            f"{escape_text(wording.format_score(checked))}</span></p>\n"
        ),
        _format_finding_chips(checked),
        _format_field_table(checked),
        _format_correction(checked),
        f"<p class='dim'>evidence: {_format_evidence_links(checked)}</p>\n",
        _format_nearest(checked),
        _format_lookups(judgement.provenance.registries_searched if judgement.provenance else ()),
        _format_quotation(checked),
    )
    shown = judgement.label is not Label.EXACT
    return _format_article(_CLASSES[judgement.label], head, "".join(parts), shown=shown)


def _format_quotation(checked: Checked) -> str:
    """Return the reference as the document has it, and the sentences that cite it."""
    raw = f"<p><code>{escape_text(checked.reference.raw, 3000)}</code></p>"
    cited = "".join(f"<blockquote>{escape_text(one)}</blockquote>" for one in checked.reference.citing[:5])
    return f"<details><summary>as it stands in the document</summary>{raw}{cited}</details>\n"


def _format_finding_chips(checked: Checked) -> str:
    chips = [
        f'<span class="chip {finding.state.value}">{escape_text(finding.name.replace("_", " "))}'
        f"{': ' + escape_text(finding.detail, 200) if finding.detail else ''}</span>"
        for finding in checked.findings
        if finding.state is not FindingState.CLEAR
    ]
    return f"<p>{' '.join(chips)}</p>\n" if chips else ""


def _format_field_table(checked: Checked) -> str:
    """Return the fields side by side; what differs is marked word by word."""
    matched = checked.judgement.matched
    if matched is None:
        return ""
    reasons = {m.field: m for m in checked.judgement.mismatches}
    rows = [_format_field_row(c) for c in matched.comparisons if c.claimed and c.field not in reasons]
    rows += [
        _format_field_row(Comparison(m.field, Outcome.DIFFERS, m.reason, m.claimed, m.resolved, m.similarity))
        for m in checked.judgement.mismatches
    ]
    if not rows:
        return ""
    head = "<tr><th>field</th><th>claimed</th><th>found</th><th>result</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>\n"


def _format_field_row(compared: Comparison) -> str:
    mine, theirs = escape_text(compared.claimed), escape_text(compared.resolved)
    if compared.outcome is Outcome.DIFFERS and compared.resolved:
        mine, theirs = (
            "".join(_mark_piece(piece, tag) for piece in side)
            for side, tag in zip(
                word_differences.split_differences(compared.claimed, compared.resolved),
                ("del", "ins"),
                strict=True,
            )
        )
    result = f"{compared.outcome.value}: {compared.reason.replace('_', ' ')}"
    return (
        f"<tr><th>{escape_text(compared.field)}</th><td>{mine}</td><td>{theirs}</td><td>"
        f"{escape_text(result)}</td></tr>"
    )


def _mark_piece(piece: word_differences.WordPiece, tag: str) -> str:
    shown = escape(piece.text)
    return f"<{tag}>{shown}</{tag}>" if piece.changed else shown


def _format_correction(checked: Checked) -> str:
    if checked.correction is None:
        return ""
    doubt = " <span class='dim'>(look twice)</span>"
    items = "".join(
        f"<li>{escape_text(wording.format_change(change))}{'' if change.safe else doubt}</li>"
        for change in checked.correction.changes
    )
    return f"<p>Corrections:</p><ul>{items}</ul>\n"


def _format_nearest(checked: Checked) -> str:
    nearest = wording.describe_nearest(checked)
    return f"<p class='dim'>nearest: {escape_text(nearest)}</p>\n" if nearest else ""


def _format_evidence_links(checked: Checked) -> str:
    matched = checked.judgement.matched
    if matched is None:
        return escape_text(wording.describe_evidence(checked), 1000)
    return " · ".join(
        [escape_text(f"{matched.record.source} {matched.record.id}"), *_format_links(matched.record.ids)]
    )


def _format_links(ids: Ids) -> Iterator[str]:
    for scheme, resolver in _RESOLVERS.items():
        if value := ids.first(scheme):
            address = escape(resolver + quote(value, safe="/:;.()"), quote=True)
            yield f'<a rel="noopener noreferrer" href="{address}">{scheme}:{escape_text(value, 200)}</a>'


def _format_lookups(lookups: Sequence[Lookup]) -> str:
    if not lookups:
        return ""
    rows = "".join(
        f"<tr><th>{escape_text(one.source)}</th><td>{escape_text(one.by)}</td><td colspan=2>"
        f"{_describe_answer(one)}</td></tr>"
        for one in lookups
    )
    return f"<details><summary>who was asked</summary><table><tbody>{rows}</tbody></table></details>\n"


def _describe_answer(lookup: Lookup) -> str:
    match lookup:
        case Found():
            found = len(lookup.records)
            return f"found {found} record{'' if found == 1 else 's'}"
        case Absent():
            return "has nothing"
        case Unchecked():
            return f"could not answer: {escape_text(lookup.detail or wording.CAUSES[lookup.cause.value])}"


def _format_problem_list(run: Run) -> str:
    items = (
        f"{'Note: ' if p.note else ''}{escape_text(wording.format_place(p.place))}: {escape_text(p.message)}"
        f"{' <span class=dim>Hint: ' + escape_text(p.hint) + '</span>' if p.hint else ''}"
        for p in run.problems
    )
    return _format_list("Reading the documents", items)


def _format_documents(report: DocumentReport) -> Iterator[str]:
    """Yield summary, filter, documents with issues, code citations, the documents without issues."""
    sections, clean, flagged = list[str](), list[str](), list[FlaggedCitation]()
    for document in report.generate_documents():
        flagged += document.list_flagged()
        if document.issues or document.trouble:
            sections.append(_format_section(document))
        else:
            told = f"{document.status}, {format_count(document.citations, 'citation')}"
            clean.append(f"<li>{escape_text(document.name)} <span class='dim'>{told}</span></li>")
    summary = report.make_summary()
    yield _format_documents_head(report.head, summary)
    yield from sections or ("<p>No issues.</p>\n",)
    yield _format_list("Could not be checked", map(escape_text, summary.unchecked))
    yield _format_code_table(summary, flagged)
    yield _format_list("Recommendations", map(escape_text, summary.advice))
    if clean:
        words = f"<summary>{format_count(len(clean), 'file')} without issues</summary>"
        yield f"<details>{words}<ul>{''.join(clean)}</ul></details>\n"
    yield _CLOSING


def _format_documents_head(head: CorpusReportHead, summary: ReportSummary) -> str:
    rows = (
        ("root", head.root), ("files", f"{summary.files:,}"), ("date", head.date),
        ("checked", head.checked), ("citeproof", head.version),
    )  # fmt: skip
    facts = _format_facts((name, value) for name, value in rows if value)
    cells = "".join(f"<li><b>{count:,}</b><span>{name}</span></li>" for name, count in summary.figures)
    fixed = (
        f"<code>{escape_text(file)}</code>: {format_count(changes, 'change')}" for file, changes in head.fixed
    )
    filters = [("all", f"all {sum(summary.levels.values()):,}")]
    filters += [(_LEVEL_CLASSES[level], f"{level}s {count:,}") for level, count in summary.levels.items()]
    return (
        f"{_open_page(summary.status, 'Citation Verification Report', 'html_documents.css')}"
        f'<p class="status {"fail" if summary.failed else "pass"}">Status: {summary.status}</p>\n'
        f'<dl>{facts}</dl>\n<ul class="figures">{cells}</ul>\n{_format_list("Fixed", fixed)}'
        f"{_format_list('Corpus', map(escape_text, head.troubles))}"
        f"{_format_filters('issues', filters)}</header>\n<main>\n"
    )


def _format_section(document: ReportDocument) -> str:
    """Return one document: its name and status, then its issues."""
    status = f"{document.status} · {format_count(document.citations, 'citation')}"
    inside = "".join(_format_issue(row) for row in document.issues)
    if document.trouble:
        trouble = f"<b>? could not be read</b>{escape_text(document.trouble)}"
        inside = f'<article class="open"><details><summary>{trouble}</summary></details></article>\n'
    return (
        f'<section class="file">\n<h2>{escape_text(document.name)} <span class="dim">{status}</span></h2>\n'
        f"{inside}</section>\n"
    )


def _format_issue(row: ReportRow) -> str:
    head = (
        f"<b>{_LEVEL_SIGNS[row.level]} {row.severity} - {escape_text(row.kind)} (line {row.place.line})</b>"
        f'<span class="dim">{escape_text(dict(row.evidence).get("Source", ""), 120)}</span>'
    )
    inside = f"<dl>{_format_facts(row.evidence)}</dl>"
    return _format_article(_LEVEL_CLASSES[row.level], head, inside, shown=row.level is RowLevel.ERROR)


def _format_code_table(summary: ReportSummary, flagged: Sequence[FlaggedCitation]) -> str:
    if not summary.code:
        return ""
    first, *rest = summary.code
    head = f"<section>\n<h2>{first}</h2>\n<p>{' · '.join(rest)}</p>\n"
    rows = "".join(_format_code_row(one) for one in flagged)
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


def _format_list(heading: str, items: Iterable[str]) -> str:
    """Return a heading and a list of what is HTML already, or nothing."""
    every = "".join(f"<li>{item}</li>" for item in items)
    return f"<h2>{heading}</h2>\n<ul>{every}</ul>\n" if every else ""


make = Html
