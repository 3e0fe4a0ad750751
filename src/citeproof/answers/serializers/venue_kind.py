"""What kind of venue a work claims, where a format needs to know and the document does not say."""

from __future__ import annotations

import re

from citeproof.text.venue_match import parse_venue
from citeproof.vocabulary import Claimed

_PROCEEDINGS = re.compile(
    r"\b(?:proc(?:eedings|\.)?|conference|conf\.|symposium|workshop|advances in neural|lecture notes"
    r"|international joint|annual meeting)\b|[A-Z]{3,}(?:[-/ ][A-Z]{2,})*(?:\s?['’]?\d{2,4})?$"
)


def is_proceedings(claimed: Claimed) -> bool:
    """Return whether the venue is a conference: it is known as one, says so, or is an acronym, no volume."""
    venue = (claimed.venue or "").strip()
    known = parse_venue(venue).kind
    if known in ("conference", "journal"):
        return known == "conference"
    if known == "carrier" and claimed.volume and claimed.issue:
        return False  # "Proceedings of the VLDB Endowment" has numbers, as a journal has
    match = _PROCEEDINGS.search(venue) or _PROCEEDINGS.search(venue.lower())
    if not match:
        return False
    return not claimed.volume if match[0].isupper() else True
