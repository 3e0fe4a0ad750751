"""Years: every dated version of a work counts; what fits none of them differs, by how much."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.vocabulary import Comparison, Outcome, Reason, Version

_SCALE = 10  # years of difference at which similarity reaches zero


def compare_year(
    claimed: int | None,
    versions: Sequence[Version],
    *,
    fitting: Sequence[Version] = (),
    preprint_years: Sequence[int] = (),
    this_year: int,
    closed: bool = False,
) -> Comparison:
    """Return how the claimed year agrees with the dated versions of a work.

    `fitting` are the versions that appeared in the cited venue: when there are any, the year must
    be one of theirs. `preprint_years` come from identifiers that carry a date (arXiv). One year off may
    be a version that nobody told us of; where all versions are known (`closed`) it is not.
    """
    known = sorted({v.year for v in versions if v.year})
    shown = ", ".join(map(str, known))
    if claimed is None:
        return Comparison("year", Outcome.ABSENT, Reason.NOT_CITED, "", shown)
    if claimed > this_year and claimed not in known:
        return Comparison("year", Outcome.DIFFERS, Reason.FUTURE, str(claimed), shown, 0.0)
    if not known:
        return Comparison("year", Outcome.UNKNOWN, Reason.RECORD_HAS_NONE, str(claimed))
    there = {v.year for v in fitting if v.year}
    if claimed in (there or known):
        return Comparison("year", Outcome.SAME, Reason.SAME, str(claimed), shown, 1.0)
    gap = min(abs(claimed - year) for year in (there or known))
    alike = max(0.0, 1 - gap / _SCALE)
    if claimed in known:
        return Comparison("year", Outcome.VARIANT, Reason.OTHER_VERSION, str(claimed), shown, alike)
    if claimed in preprint_years and not there:
        return Comparison("year", Outcome.VARIANT, Reason.PREPRINT_YEAR, str(claimed), shown, alike)
    reason = Reason.OFF if gap > 1 else Reason.NO_VERSION if closed else Reason.OFF_BY_ONE
    return Comparison("year", Outcome.DIFFERS, reason, str(claimed), shown, alike)
