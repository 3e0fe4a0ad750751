"""`nonexistent_venue`: no known venue has the cited name, and the name reads like an invented one.

**What it does:** looks for the cited venue among the venues in which the records of the snapshot appeared,
in all their spellings (numbers, years, places and sponsors aside, abbreviations and acronyms), in the venue
lists that are installed, and in the record of the work itself. If none has it, its words decide whether
it is reported. No registry has every workshop and every national journal: a name with a place, a society, a
number or an acronym, or in another language, may well be one of those. "Symposium on Neural Scaling Laws"
has nothing but a form and fashionable words.

**Why it matters:** language models invent venues for papers that exist, mostly for preprints, and for
papers that do not. It is a warning; a note where the work itself could not be checked, because then nothing
but the name speaks against the venue. The label does not change: the work may be real and its venue another
one.

**States:** `clear` means that the venue is known; the source says to whom. `unchecked`: the snapshot was
built without venue names, or is damaged. Where the venue is not known and its name decides nothing, the
check says nothing; see `venue_unconfirmed`.

**How often it is wrong:** `bench/venues.py` measures it. Of 151 names that were invented by hand and not used
in training, 71 are found (47 %, 95 % interval 39 to 55); of 32 made-up ones of a benchmark, 31. Of a name put
together from two real ones, or a real one with a word replaced, 2 in 100. Of 7,990 real but rare venues that
the registry did not have, 107 are accused (1.3 %), none of them in another language than English or with a
nation in its name; of 375 such names in bibliographies not read before, 4 (1.1 %). Silence about
a venue does not say that it exists.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.venue_evidence import CitedVenue, read_cited_venue
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.text.invented_name import is_invented, list_telling_words
from citeproof.vocabulary import Finding, FindingLevel, FindingState, Outcome, Verdict

NAME = "nonexistent_venue"
_SHOWN = 200  # characters of a name
_ID = 13  # of the id of a snapshot


@add_check(WORK_CHECKS, 3)
def find_nonexistent_venue(evidence: WorkEvidence) -> Finding | None:
    """Return whether the cited venue exists; None if no registry was asked or nothing can be said."""
    if not any(answer.subject == "venues" for answer in evidence.listed):
        return None
    venue = read_cited_venue(evidence)
    if venue is None or not venue.registries:
        return None
    if venue.known_to:
        return Finding(NAME, FindingState.CLEAR, "", ", ".join(venue.known_to))
    source = ", ".join(dict.fromkeys(registry.name for registry in venue.registries))
    if all(answer.trouble for answer in venue.registries):
        return Finding(NAME, FindingState.UNCHECKED, f"the snapshot {venue.registries[0].trouble}", source)
    if not is_invented(venue.name, contradicted=venue.contradicted):
        return None
    unchecked = evidence.judgement.verdict is Verdict.UNCHECKED
    doubt = "the snapshot may lack its field, or it may not exist" if unchecked else "it may not exist"
    return Finding(
        NAME,
        FindingState.FINDING,
        f'no known venue is called "{venue.name[:_SHOWN]}"; {doubt}',
        source,
        level=FindingLevel.NOTE if unchecked else FindingLevel.WARNING,
        evidence=tuple(_list_evidence(venue)),
    )


def is_nonexistent(evidence: WorkEvidence) -> bool:
    """Return whether this check reports that the cited venue is not known."""
    finding = find_nonexistent_venue(evidence)
    return finding is not None and finding.is_finding


def _list_evidence(venue: CitedVenue) -> list[str]:
    snapshots = [answer.digest[:_ID] for answer in venue.registries if not answer.trouble]
    lines = [f"not among the venues of snapshot {digest}" for digest in snapshots]
    if words := list_telling_words(venue.name):
        lines.append(f"the name is made of common words: {', '.join(words)}")
    compared = venue.comparison
    if compared and compared.resolved and compared.outcome is not Outcome.ABSENT:
        lines.append(f"the record of the work has: {compared.resolved[:_SHOWN]}")
    return lines
