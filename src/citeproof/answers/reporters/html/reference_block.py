"""One reference of the page: a line, and below it what was claimed next to what was found."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from markupsafe import Markup

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.gate_words import describe_gates
from citeproof.answers.reporters.html.page_parts import load_pages
from citeproof.vocabulary import (
    Absent,
    Checked,
    Comparison,
    Found,
    Ids,
    Judgement,
    Label,
    Lookup,
    Outcome,
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


def format_reference(checked: Checked, file: str) -> Markup:
    """Return the block of one reference, which is below the heading of `file`.

    What is EXACT or not checked is short, as there are many of them. A note is whole, but folded.
    """
    judgement, place = checked.judgement, checked.reference.place
    problem, matched = judgement.label in (Label.MAJOR, Label.MINOR), judgement.matched
    shown = [c for c in matched.comparisons if c.claimed] if matched else []
    notes = (wording.describe_acceptance(checked), describe_gates(checked))
    block = load_pages().get_template("reference.html").render(
        checked=checked, sign=SIGNS[judgement.label], style=CLASSES[judgement.label], problem=problem,
        whole=problem or judgement.label is Label.NOTED, notes=[note for note in notes if note],
        place=wording.format_place(place) if place.file != file
        else f"page {place.page}" if place.page is not None else f"line {place.line or 1}",
        rows=[(row, _mark_differences(row)) for row in _list_rows(judgement)] if matched else [],
        claimed=" · ".join(c.claimed for c in shown),
        resolved=" · ".join(c.resolved for c in shown if c.resolved),
        links=list(_list_links(matched.record.ids)) if matched else [], describe_answer=_describe_answer,
    )  # fmt: skip
    return Markup(block)  # noqa: S704 - of a template that escapes


def _list_rows(judgement: Judgement) -> Iterator[Comparison]:
    """Yield the fields: those that agree, then those that do not."""
    reasons = {m.field for m in judgement.mismatches}
    matched = judgement.matched.comparisons if judgement.matched else ()
    yield from (c for c in matched if c.claimed and c.field not in reasons)
    for m in judgement.mismatches:
        yield Comparison(m.field, Outcome.DIFFERS, m.reason, m.claimed, m.resolved, m.similarity)


def _mark_differences(row: Comparison) -> tuple[list[wording.WordPiece], list[wording.WordPiece]] | None:
    if row.outcome is Outcome.DIFFERS and row.resolved:
        return wording.split_differences(row.claimed, row.resolved)
    return None


def _list_links(ids: Ids) -> Iterator[tuple[str, str, str]]:
    for scheme, resolver in RESOLVERS.items():
        if value := ids.first(scheme):
            yield scheme, value, resolver + quote(value, safe="/:;.()")


def _describe_answer(lookup: Lookup) -> str:
    match lookup:
        case Found():
            return f"found {wording.format_count(len(lookup.records), 'record')}"
        case Absent():
            return "has nothing"
        case Unchecked():
            return f"could not answer: {lookup.detail or lookup.cause.words}"
