"""One self-contained page for people: what was claimed beside what was found.

No script, no request, nothing from outside: the page's own policy forbids all three, so that a
title that tries to be markup stays text. Filters and details work by HTML and CSS alone.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import ClassVar
from urllib.parse import quote

from citeproof.reporters import word_differences, wording
from citeproof.reporters.base import Reporter
from citeproof.reporters.reference_report import get_references
from citeproof.reporters.report_model import Report
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
_FILTERS = (
    ("all", "all"),
    ("major", "MAJOR"),
    ("minor", "MINOR"),
    ("exact", "EXACT"),
    ("open", "not checked"),
)
_RESOLVERS = {
    "doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/", "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/",
}  # fmt: skip


class Html(Reporter):
    """The counts, a filter, then one foldable block a reference, in document order."""

    name: ClassVar[str] = "html"

    def report(self, report: Report) -> Iterator[str]:
        """Yield the page once all is known, because its counts stand first."""
        run, checked = get_references(report)
        tally, blocks = wording.VerdictTally(), []
        for one in checked:
            tally.add(one)
            blocks.append(_format_article(one))
        yield _format_page_head(run, tally)
        yield from blocks
        yield _format_problem_list(run)
        yield "</main>\n</body>\n</html>\n"


def escape_text(value: str, limit: int = wording.SHOWN) -> str:
    """Return a value on one line as HTML text: no tag, no attribute, no control character."""
    return escape(wording.show_line(value, limit), quote=True)


def _format_page_head(run: Run, tally: wording.VerdictTally) -> str:
    style, policy = _load_style()
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
    facts = "".join(f"<dt>{name}</dt><dd>{escape_text(value, 2000)}</dd>" for name, value in rows)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Citation report: {escape_text(wording.list_names(run.documents), 200)}</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n<header>\n<h1>Citation report</h1>\n"
        f"<p><strong>{escape_text(tally.sentence())}.</strong> "
        f"{escape_text(wording.describe_completeness(run))}</p>\n"
        f"{replaced}<dl>{facts}</dl>\n{_format_filters(tally)}</header>\n<main>\n"
    )


@cache
def _load_style() -> tuple[str, str]:
    """Return the style and the policy that allows this style and nothing else."""
    style = files("citeproof.reporters").joinpath("html.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return style, f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _format_filters(tally: wording.VerdictTally) -> str:
    counts = {_CLASSES[label]: count for label, count in tally.labels.items()}
    counts["all"] = tally.labels.total()
    buttons = "".join(
        f'<label><input type="radio" name="show" id="show-{name}"{" checked" if name == "all" else ""}>'
        f"{word} {counts.get(name, 0)}</label>"
        for name, word in _FILTERS
    )
    return f'<fieldset aria-label="which references to show">{buttons}</fieldset>\n'


def _format_article(checked: Checked) -> str:
    judgement, reference = checked.judgement, checked.reference
    shown = "" if judgement.label is Label.EXACT else " open"
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
    return (
        f'<article class="{_CLASSES[judgement.label]}"><details{shown}><summary>{head}</summary>\n'
        f'<div class="inside">{"".join(parts)}</div></details></article>\n'
    )


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
    if not run.problems:
        return ""
    items = "".join(
        f"<li>{escape_text(wording.format_place(p.place))}: {escape_text(p.message)}"
        f"{' <span class=dim>Hint: ' + escape_text(p.mend) + '</span>' if p.mend else ''}</li>"
        for p in run.problems
    )
    return f"<h2>Reading the documents</h2>\n<ul>{items}</ul>\n"


make = Html
