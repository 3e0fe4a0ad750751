"""One self-contained page for people: what was claimed beside what was found.

No script, no request, nothing from outside: the page's own policy forbids all three, so that a
title that tries to be markup stays text. Filters and details work by HTML and CSS alone.
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

from citeproof.reporters import sides, words
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


class Html:
    """The counts, a filter, then one foldable block a reference, in document order."""

    name: ClassVar[str] = "html"

    def report(self, run: Run, checked: Iterable[Checked]) -> Iterator[str]:
        """Yield the page once all is known, because its counts stand first."""
        tally, blocks = words.Tally(), []
        for one in checked:
            tally.add(one)
            blocks.append(_article(one))
        yield _head(run, tally)
        yield from blocks
        yield _problems(run)
        yield "</main>\n</body>\n</html>\n"


def text(value: str, limit: int = words.SHOWN) -> str:
    """Return a value on one line as HTML text: no tag, no attribute, no control character."""
    return escape(words.line(value, limit), quote=True)


def _head(run: Run, tally: words.Tally) -> str:
    style, policy = _style()
    rows = (
        ("documents", words.listed(run.documents)),
        ("checked against", words.against(run)),
        ("started", run.started),
        ("judge", run.judge),
    )
    replaced = "".join(
        f'<p class="override" role="alert"><strong>{text(each, 2000)}</strong></p>\n'
        for each in words.overrides(run)
    )
    facts = "".join(f"<dt>{name}</dt><dd>{text(value, 2000)}</dd>" for name, value in rows)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Citation report: {text(words.listed(run.documents), 200)}</title>\n"
        f"<style>{style}</style>\n</head>\n<body>\n<header>\n<h1>Citation report</h1>\n"
        f"<p><strong>{text(tally.sentence())}.</strong> {text(words.completeness(run))}</p>\n"
        f"{replaced}<dl>{facts}</dl>\n{_filters(tally)}</header>\n<main>\n"
    )


@cache
def _style() -> tuple[str, str]:
    """Return the style and the policy that allows this style and nothing else."""
    style = files("citeproof.reporters").joinpath("html.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return style, f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _filters(tally: words.Tally) -> str:
    counts = {_CLASSES[label]: count for label, count in tally.labels.items()}
    counts["all"] = tally.labels.total()
    buttons = "".join(
        f'<label><input type="radio" name="show" id="show-{name}"{" checked" if name == "all" else ""}>'
        f"{word} {counts.get(name, 0)}</label>"
        for name, word in _FILTERS
    )
    return f'<fieldset aria-label="which references to show">{buttons}</fieldset>\n'


def _article(checked: Checked) -> str:
    judgement, reference = checked.judgement, checked.reference
    shown = "" if judgement.label is Label.EXACT else " open"
    head = (
        f"<b>{_SIGNS[judgement.label]} {text(words.headline(checked))}</b>{text(words.title(checked))} "
        f'<span class="dim">{text(reference.key, 80)} · {text(words.where(reference.place))}</span>'
    )
    parts = (
        f"<p>{text(judgement.explanation, 2000)} <span class='dim'>{text(words.score(checked))}</span></p>\n",
        _chips(checked),
        _fields(checked),
        _correction(checked),
        f"<p class='dim'>evidence: {_evidence(checked)}</p>\n",
        _nearest(checked),
        _asked(judgement.provenance.registries_searched if judgement.provenance else ()),
        _standing(checked),
    )
    return (
        f'<article class="{_CLASSES[judgement.label]}"><details{shown}><summary>{head}</summary>\n'
        f'<div class="inside">{"".join(parts)}</div></details></article>\n'
    )


def _standing(checked: Checked) -> str:
    """Return the reference as the document has it, and the sentences that cite it."""
    raw = f"<p><code>{text(checked.reference.raw, 3000)}</code></p>"
    cited = "".join(f"<blockquote>{text(one)}</blockquote>" for one in checked.reference.citing[:5])
    return f"<details><summary>as it stands in the document</summary>{raw}{cited}</details>\n"


def _chips(checked: Checked) -> str:
    chips = [
        f'<span class="chip {finding.state.value}">{text(finding.name.replace("_", " "))}'
        f"{': ' + text(finding.detail, 200) if finding.detail else ''}</span>"
        for finding in checked.findings
        if finding.state is not FindingState.CLEAR
    ]
    return f"<p>{' '.join(chips)}</p>\n" if chips else ""


def _fields(checked: Checked) -> str:
    """Return the fields side by side; what differs is marked word by word."""
    matched = checked.judgement.matched
    if matched is None:
        return ""
    reasons = {m.field: m for m in checked.judgement.mismatches}
    rows = [_row(c) for c in matched.comparisons if c.claimed and c.field not in reasons]
    rows += [
        _row(Comparison(m.field, Outcome.DIFFERS, m.reason, m.claimed, m.resolved, m.similarity))
        for m in checked.judgement.mismatches
    ]
    if not rows:
        return ""
    head = "<tr><th>field</th><th>claimed</th><th>found</th><th>result</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>\n"


def _row(compared: Comparison) -> str:
    mine, theirs = text(compared.claimed), text(compared.resolved)
    if compared.outcome is Outcome.DIFFERS and compared.resolved:
        mine, theirs = (
            "".join(_marked(piece, tag) for piece in side)
            for side, tag in zip(
                sides.apart(compared.claimed, compared.resolved), ("del", "ins"), strict=True
            )
        )
    result = f"{compared.outcome.value}: {compared.reason.replace('_', ' ')}"
    return f"<tr><th>{text(compared.field)}</th><td>{mine}</td><td>{theirs}</td><td>{text(result)}</td></tr>"


def _marked(piece: sides.Piece, tag: str) -> str:
    shown = escape(piece.text)
    return f"<{tag}>{shown}</{tag}>" if piece.changed else shown


def _correction(checked: Checked) -> str:
    if checked.correction is None:
        return ""
    doubt = " <span class='dim'>(look twice)</span>"
    items = "".join(
        f"<li>{text(words.change(change))}{'' if change.safe else doubt}</li>"
        for change in checked.correction.changes
    )
    return f"<p>Corrections:</p><ul>{items}</ul>\n"


def _nearest(checked: Checked) -> str:
    nearest = words.nearest(checked)
    return f"<p class='dim'>nearest: {text(nearest)}</p>\n" if nearest else ""


def _evidence(checked: Checked) -> str:
    matched = checked.judgement.matched
    if matched is None:
        return text(words.evidence(checked), 1000)
    return " · ".join([text(f"{matched.record.source} {matched.record.id}"), *_links(matched.record.ids)])


def _links(ids: Ids) -> Iterator[str]:
    for scheme, resolver in _RESOLVERS.items():
        if value := ids.first(scheme):
            address = escape(resolver + quote(value, safe="/:;.()"), quote=True)
            yield f'<a rel="noopener noreferrer" href="{address}">{scheme}:{text(value, 200)}</a>'


def _asked(lookups: Sequence[Lookup]) -> str:
    if not lookups:
        return ""
    rows = "".join(
        f"<tr><th>{text(one.source)}</th><td>{text(one.by)}</td><td colspan=2>{_answer(one)}</td></tr>"
        for one in lookups
    )
    return f"<details><summary>who was asked</summary><table><tbody>{rows}</tbody></table></details>\n"


def _answer(lookup: Lookup) -> str:
    match lookup:
        case Found():
            found = len(lookup.records)
            return f"found {found} record{'' if found == 1 else 's'}"
        case Absent():
            return "has nothing"
        case Unchecked():
            return f"could not answer: {text(lookup.detail or words.CAUSES[lookup.cause.value])}"


def _problems(run: Run) -> str:
    if not run.problems:
        return ""
    items = "".join(
        f"<li>{text(words.where(p.place))}: {text(p.message)}"
        f"{' <span class=dim>Hint: ' + text(p.mend) + '</span>' if p.mend else ''}</li>"
        for p in run.problems
    )
    return f"<h2>Reading the documents</h2>\n<ul>{items}</ul>\n"


make = Html
