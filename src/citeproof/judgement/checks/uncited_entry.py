r"""`uncited_entry`: entries of the document's bibliography are never cited.

**What it does:** counts the entries that the text does not cite by key, for each bibliography file or list.
Those that a cited entry names as its parent (`crossref`) are in use, and `\nocite{*}` uses all.

**Why it matters:** in a printed list, a reader takes an uncited work for evidence. In a `.bib` file they are
merely left over; they are not checked with the document. It is a note.

**States:** nothing is said about a bibliography alone, which has no text, nor about a list whose entries are
cited by number or by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from citeproof.judgement.checks.base import SET_CHECKS, add_check
from citeproof.judgement.checks.evidence.set_evidence import SetEvidence
from citeproof.vocabulary import Finding, FindingLevel, FindingState, KeyPlace, Place, SetFinding

NAME = "uncited_entry"
_SHOWN = 8  # keys that are named


@add_check(SET_CHECKS, 4)
def find_uncited_entries(evidence: SetEvidence) -> Iterator[SetFinding]:
    """Yield one finding for each file that has entries which are never cited."""
    by_file: dict[str, list[KeyPlace]] = defaultdict(list)
    for entry in evidence.about.uncited:
        by_file[entry.place.file].append(entry)
    for file, listed in by_file.items():
        keys = tuple(entry.key for entry in listed)
        shown = ", ".join(keys[:_SHOWN]) + (", …" if len(keys) > _SHOWN else "")
        count, were = ("1 entry", "is") if len(keys) == 1 else (f"{len(keys):,} entries", "are")
        detail = f"{count} of {file} {were} never cited: {shown}"
        finding = Finding(NAME, FindingState.FINDING, detail, "document", "", FindingLevel.NOTE)
        yield SetFinding(finding, Place(file=file, line=listed[0].place.line), keys)
