"""`predatory_source`: a list calls the journal or the publisher of the cited work predatory.

**What it does:** looks for the journal (ISSN, name, host of the web address) and the publisher in the lists
that are installed, and says what the list says, with its name and year. With LTWA installed before the list,
a journal is found by its ISO 4 abbreviation too, unless a list of sound journals has that for another title.
One that DOAJ took out for misconduct or for not following its rules is reported with date and reason.

**Why it matters:** such journals may publish what was not reviewed. The lists are disputed and old, and a
good paper can be in a bad journal: it is a warning, in the words of the list, never a judgement of ours. A
name that other journals share, an abbreviation, or a publisher's name alone, is a note.

A journal that is in none of the lists is `clear`; one that is not in DOAJ is not predatory for that, nor is
one that only stopped publishing, or left DOAJ for another reason.
"""

from __future__ import annotations

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.venue_evidence import list_standings, name_edition
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.text import lazy_patterns as re
from citeproof.text.venue_key import make_venue_key
from citeproof.vocabulary import Finding, FindingLevel, FindingState, VenueListing, VenueStanding

NAME = "predatory_source"
_SHOWN = 200  # characters of a title or a reason
_WORDS = {
    VenueStanding.PREDATORY_JOURNAL: "listed as a predatory journal",
    VenueStanding.PREDATORY_PUBLISHER: "listed as a predatory publisher",
    VenueStanding.WITHDRAWN: "taken out of the directory",
}
_MISCONDUCT = re.compile(
    r"misconduct|best practice|not adhering|suspect|unethical|malpractice", re.IGNORECASE
)


@add_check(WORK_CHECKS, 1)
def find_predatory_source(evidence: WorkEvidence) -> Finding | None:
    """Return what lists say against the journal or publisher of the work; None if none was asked."""
    indexed = list(list_standings(evidence, VenueStanding.INDEXED, VenueStanding.KNOWN))
    sound = {make_venue_key(listing.title) for _, listing in indexed if listing.found_by == "abbreviation"}
    listings = [
        (answer, listing)
        for answer, listing in list_standings(evidence, *_WORDS)
        if (listing.standing is not VenueStanding.WITHDRAWN or _MISCONDUCT.search(listing.reason))
        and (listing.found_by != "abbreviation" or sound <= {make_venue_key(listing.title)})
    ]
    if not listings:
        asked = ", ".join(answer.name for answer in evidence.listed if answer.name.startswith("predatory_"))
        return Finding(NAME, FindingState.CLEAR, "", asked) if asked else None
    listings.sort(key=lambda pair: not _is_sure(pair[1]))
    answer, first = listings[0]
    lines = [f"{name_edition(listed)}: {_describe_listing(listing)}" for listed, listing in listings[1:]]
    admits = [name_edition(listed) for listed, each in indexed if each.standing is VenueStanding.INDEXED]
    lines += [f"it is also in {edition}, which admits journals by rules" for edition in dict.fromkeys(admits)]
    return Finding(
        NAME,
        FindingState.FINDING,
        f"{_describe_listing(first)} in {name_edition(answer)}",
        ", ".join(dict.fromkeys(listed.name for listed, _ in listings)),
        first.standing.value if first.standing is not VenueStanding.WITHDRAWN else "",
        FindingLevel.WARNING if _is_sure(first) else FindingLevel.NOTE,
        tuple(lines),
    )


def _is_sure(listing: VenueListing) -> bool:
    return listing.exact and listing.standing is not VenueStanding.PREDATORY_PUBLISHER


def _describe_listing(listing: VenueListing) -> str:
    day = f" on {listing.day}" if listing.day else ""
    why = f": {listing.reason[:_SHOWN]}" if listing.reason else ""
    sure = "" if listing.exact else "; another journal may be meant"
    by = f" (found by {listing.found_by}{sure})" if listing.found_by else ""
    return f'"{listing.title[:_SHOWN]}" is {_WORDS[listing.standing]}{day}{why}{by}'
