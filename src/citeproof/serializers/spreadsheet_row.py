"""One checked reference as one flat row, for spreadsheets and data frames."""

from __future__ import annotations

from citeproof.vocabulary import Change, Checked, FindingState, Name, find_signs

Cell = str | int | float | None


def build_flat_row(checked: Checked) -> dict[str, Cell]:
    """Return the columns of one reference, each a plain value; what is not known is None."""
    reference, judgement = checked.reference, checked.judgement
    place, claimed = reference.place, reference.claimed
    record = judgement.matched.record if judgement.matched else None
    dated = judgement.matched.of("year") if judgement.matched else None
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "page": place.page,
        "key": reference.key,
        "verdict": judgement.verdict.value,
        "label": judgement.label.value if judgement.label else None,
        "score": judgement.score,
        "confidence": judgement.confidence,
        "band": judgement.band.value if judgement.band else None,
        "type": reference.kind.value,
        "title": claimed.title,
        "authors": _join_names(claimed.authors),
        "year": claimed.year,
        "venue": claimed.venue,
        "doi": claimed.ids.first("doi"),
        "found_title": record.title if record else None,
        "found_authors": _join_names(record.authors) if record else None,
        "found_year": dated.resolved if dated else None,
        "found_doi": record.ids.first("doi") if record else None,
        "source": f"{record.source} {record.id}" if record else None,
        "differences": "; ".join(
            f"{m.field}: {m.claimed} → {m.resolved} ({m.reason})" for m in judgement.decisive
        ),
        "findings": "; ".join(f.name for f in checked.findings if f.state is FindingState.FINDING),
        "correction": "; ".join(_describe_change(c) for c in checked.correction.changes)
        if checked.correction
        else None,
        "explanation": judgement.explanation,
        "raw": reference.raw,
        "signs": "; ".join(find_signs(judgement)),
    }


def _join_names(names: tuple[Name, ...]) -> str:
    return "; ".join(name.display for name in names)


def _describe_change(change: Change) -> str:
    if not change.claimed:
        return f"{change.field}: + {change.resolved}"
    if not change.resolved:
        return f"{change.field}: - {change.claimed}"
    return f"{change.field}: {change.claimed} → {change.resolved}"
