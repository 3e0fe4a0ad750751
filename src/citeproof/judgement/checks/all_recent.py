"""`all_recent`: all references are of the same year or two.

**What it does:** where at least 20 references have a year, looks whether all of them are of two consecutive
years, or nine in ten of one. The figures are shown.

**Why it matters:** work builds on older work. A list without any is either very special or was not read, but
generated. It is a note.

**Not reported:** a list of which half is of one venue, such as the proceedings of a conference. Of 250 real
bibliographies none has nine in ten references of one year, and the largest share of two years is 92 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Place, SetFinding

NAME = "all_recent"
MIN_REFERENCES = 20
_ONE_YEAR = 0.9
_ONE_VENUE = 0.5


@add_check(SET_CHECKS, 8)
def find_recent_list(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield one finding if all dated references are of one year or two."""
    years = Counter(member.year for member in evidence.members if member.year)
    total = sum(years.values())
    if total < MIN_REFERENCES:
        return
    venues = Counter(
        make_title_key(member.venue) for member in evidence.members if member.venue and not member.preprint
    )
    if max(venues.values(), default=0) >= _ONE_VENUE * total:
        return
    year, most = max(years.items(), key=lambda pair: (pair[1], pair[0]))
    narrow = max(years) - min(years) <= 1
    if not narrow and most < _ONE_YEAR * total:
        return
    counted = ", ".join(f"{each}: {count}" for each, count in sorted(years.items(), reverse=True)[:5])
    said = f"all {total} dated references are of {min(years)} and {max(years)}"
    if min(years) == max(years):
        said = f"all {total} dated references are of {year}"
    elif not narrow:
        said = f"{most} of {total} dated references ({100 * most / total:.0f} %) are of {year}"
    finding = Finding(NAME, FindingState.FINDING, said, "document", "", FindingLevel.NOTE, (counted,))
    yield SetFinding(finding, Place(file=evidence.document))
