"""Years shifted to one in which no version of the work appeared."""

from __future__ import annotations

from dataclasses import replace

from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit
from citeproof.laboratory.measure.makers.citation_fields import CitationFields
from citeproof.laboratory.measure.makers.edits import EditDraw, EditedCitation


def shift_year(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    return shift_year_by(cited, draw, (1, 2))


def shift_year_far(cited: CitationFields, draw: EditDraw) -> EditedCitation | None:
    """Move the year by three to eight."""
    return shift_year_by(cited, draw, range(3, 9))


def shift_year_by(
    cited: CitationFields, draw: EditDraw, by: range | tuple[int, ...]
) -> EditedCitation | None:
    """Return the citation with its year moved by one of `by`; never into a year of another version."""
    if cited.year is None:
        return None
    known = {version.year for version in draw.truth.record.versions}
    latest = max(year for year in (*known, cited.year) if year is not None)
    years = [cited.year + sign * step for step in by for sign in (-1, 1)]
    wrong = [year for year in years if year not in known and year <= max(latest + 1, 2025) and year > 1900]
    if not wrong:
        return None
    year = draw.rng.choice(wrong)
    edit = BenchmarkEdit(kind="year_shifted", field="year", before=str(cited.year), after=str(year))
    return EditedCitation(replace(cited, year=year), edit)


RULES = (shift_year,)
