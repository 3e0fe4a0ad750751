"""Years shifted to one in which no version of the work appeared."""

from __future__ import annotations

import random
from dataclasses import replace

from citeproof.measure.makers.cited import Cited
from citeproof.measure.makers.edits import Edited, Truth
from citeproof.measure.makers.items import Edit
from citeproof.measure.makers.pool import Pool


def year_shifted(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Move the year by one or two."""
    del pool
    return shifted(cited, truth, rng, (1, 2))


def year_moved_far(cited: Cited, truth: Truth, pool: Pool, rng: random.Random) -> Edited | None:
    """Move the year by three to eight."""
    del pool
    return shifted(cited, truth, rng, range(3, 9))


def shifted(cited: Cited, truth: Truth, rng: random.Random, by: range | tuple[int, ...]) -> Edited | None:
    """Return the citation with its year moved by one of `by`; never into a year of another version."""
    if cited.year is None:
        return None
    known = {version.year for version in truth.record.versions}
    latest = max(year for year in (*known, cited.year) if year is not None)
    years = [cited.year + sign * step for step in by for sign in (-1, 1)]
    wrong = [year for year in years if year not in known and year <= max(latest + 1, 2025) and year > 1900]
    if not wrong:
        return None
    year = rng.choice(wrong)
    edit = Edit(kind="year_shifted", field="year", before=str(cited.year), after=str(year))
    return Edited(replace(cited, year=year), edit)


RULES = (year_shifted,)
