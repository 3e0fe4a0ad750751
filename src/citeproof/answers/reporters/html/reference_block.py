"""One reference of the page: a line, and below it what was claimed next to what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.gate_words import describe_gates
from citeproof.answers.reporters.html.page_parts import escape_text, format_article
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
    Place,
    Unchecked,
)

CLASSES = {
    Label.MAJOR: "major", Label.MINOR: "minor", None: "open", Label.NOTED: "noted", Label.EXACT: "exact",
}  # worst first # fmt: skip
SIGNS = {Label.EXACT: "✓", Label.NOTED: "≈", Label.MINOR: "~", Label.MAJOR: "✗", None: "?"}
RESOLVERS = {
    "doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/", "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/", "isbn": "https://openlibrary.org/isbn/",
    "ads": "https://ui.adsabs.harvard.edu/abs/",
}  # fmt: skip


def format_reference(checked: Checked, file: str) -> str:
    """Return the block of one reference, which is below the heading of `file`.

    What is EXACT or not checked is short, as there are many of them. A note is whole, but folded.
    """
    judgement, reference = checked.judgement, checked.reference
    problem = judgement.label in (Label.MAJOR, Label.MINOR)
    whole = problem or judgement.label is Label.NOTED
    head = (
        f"<b>{SIGNS[judgement.label]} {escape_text(wording.format_headline(checked))}</b>"
        f"{escape_text(wording.format_title(checked))} "
        f'<span class="dim">{escape_text(reference.key, 80)} · '
        f"{escape_text(_format_place(reference.place, file))}</span>"
    )
    inside = "".join(_format_problem(checked) if whole else _format_in_short(checked))
    for note in filter(None, (describe_gates(checked), wording.describe_acceptance(checked))):
        inside = f"<p><strong>{escape_text(note, 2000)}</strong></p>\n{inside}"
    return format_article(CLASSES[judgement.label], head, inside, shown=problem)


def _format_place(place: Place, file: str) -> str:
    if place.file != file:
        return wording.format_place(place)
    return f"page {place.page}" if place.page is not None else f"line {place.line or 1}"


def _format_problem(checked: Checked) -> Iterator[str]:
    judgement = checked.judgement
    score = escape_text(wording.format_score(checked))
    yield f"<p>{escape_text(wording.format_summary(checked), 2000)} <span class='dim'>{score}</span></p>\n"
    yield _format_finding_chips(checked)
    yield _format_field_table(checked)
    yield _format_correction(checked)
    yield f"<p class='dim'>evidence: {_format_evidence_links(checked)}</p>\n"
    yield _format_nearest(checked)
    yield _format_lookups(judgement.provenance.registries_searched if judgement.provenance else ())
    yield (
        f"<details><summary>as it stands in the document</summary>{_format_quotation(checked)}</details>\n"
    )


def _format_in_short(checked: Checked) -> Iterator[str]:
    """Yield claimed against found in two lines, or why it could not be checked, and the reference itself."""
    judgement = checked.judgement
    if judgement.label is None:
        yield f"<p>{escape_text(wording.format_summary(checked), 2000)}</p>\n"
    yield _format_finding_chips(checked)
    if matched := judgement.matched:
        claimed, resolved = (
            " · ".join(filter(None, side))
            for side in zip(*((c.claimed, c.resolved) for c in matched.comparisons if c.claimed), strict=True)
        )
        yield f"<dl><dt>claimed</dt><dd>{escape_text(claimed)}</dd>"
        yield f"<dt>found</dt><dd>{escape_text(resolved)}</dd></dl>\n"
    yield f"<p class='dim'>evidence: {_format_evidence_links(checked)}</p>\n"
    yield _format_nearest(checked)
    yield _format_quotation(checked)


def _format_quotation(checked: Checked, limit: int = wording.SHOWN) -> str:
    """Return the reference as the document has it, and the sentences that cite it."""
    raw = f"<p><code>{escape_text(checked.reference.raw, limit)}</code></p>"
    return raw + "".join(
        f"<blockquote>{escape_text(sentence)}</blockquote>" for sentence in checked.reference.citing[:5]
    )


_STATES = {FindingState.FINDING: "", FindingState.UNCHECKED: "not checked: ", FindingState.CLEAR: ""}


def _format_finding_chips(checked: Checked) -> str:
    chips = [
        f'<span class="chip {finding.state.value}">{_STATES[finding.state]}'
        f"{escape_text(finding.name.replace('_', ' '))}"
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
            "".join(f"<{tag}>{escape(p.text)}</{tag}>" if p.changed else escape(p.text) for p in side)
            for side, tag in zip(
                wording.split_differences(compared.claimed, compared.resolved),
                ("del", "ins"),
                strict=True,
            )
        )
    result = f"{compared.outcome.value}: {compared.reason.replace('_', ' ')}"
    return (
        f"<tr><th>{escape_text(compared.field)}</th><td>{mine}</td><td>{theirs}</td><td>"
        f"{escape_text(result)}</td></tr>"
    )


def _format_correction(checked: Checked) -> str:
    if checked.correction is None:
        return ""
    doubt = " <span class='dim'>(please check)</span>"
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
    for scheme, resolver in RESOLVERS.items():
        if value := ids.first(scheme):
            address = escape(resolver + quote(value, safe="/:;.()"), quote=True)
            yield f'<a rel="noopener noreferrer" href="{address}">{scheme}:{escape_text(value, 200)}</a>'


def _format_lookups(lookups: Sequence[Lookup]) -> str:
    if not lookups:
        return ""
    rows = "".join(
        f"<tr><th>{escape_text(lookup.source)}</th><td>{escape_text(lookup.by)}</td><td colspan=2>"
        f"{_describe_answer(lookup)}</td></tr>"
        for lookup in lookups
    )
    return f"<details><summary>who was asked</summary><table><tbody>{rows}</tbody></table></details>\n"


def _describe_answer(lookup: Lookup) -> str:
    match lookup:
        case Found():
            records = len(lookup.records)
            return f"found {records} record{'' if records == 1 else 's'}"
        case Absent():
            return "has nothing"
        case Unchecked():
            return f"could not answer: {escape_text(lookup.detail or lookup.cause.words)}"
