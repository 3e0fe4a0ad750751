"""Names of journals and publishers to the form under which equal names are equal.

make_venue_key("The Journal of X & Y (Online)")  ⇒ "journalofxy"
make_publisher_key("Academic Publications, Ltd.") ⇒ "academicpublications"
"""

from __future__ import annotations

import re

from citeproof.text.title import make_title_key

MAX_VENUE = 500  # characters read of a name

_LITTLE = re.compile(r"^the\s|\s(?:and|und|et|&(?:amp;)?|\\&)(?=\s)", re.IGNORECASE)
_MEDIUM = re.compile(r"\s{0,3}[\[(](?:online|print|internet|en ligne)[\])]\s{0,3}$", re.IGNORECASE)
_FORMS = frozenset(["ltd", "limited", "inc", "llc", "llp", "gmbh", "plc", "co", "corp"])
_LEGAL = re.compile(
    r"[\s,]{1,3}(?:ltd|limited|inc|llc|llp|gmbh|plc|pvt\.? ltd|private limited|co|corp)\.?\s{0,3}$",
    re.IGNORECASE,
)


def make_venue_key(name: str) -> str:
    """Return the name of a journal as letters and digits, without "the", "and" and "(Online)"."""
    name = name[:MAX_VENUE]
    if name.endswith((")", "]")):
        name = _MEDIUM.sub("", name)
    low = name.lower()
    if "&" in low or " and " in low or low.startswith("the ") or " und " in low or " et " in low:
        name = _LITTLE.sub("", name)
    return make_title_key(name)


def make_publisher_key(name: str) -> str:
    """Return the name of a publisher as letters and digits, without its legal form."""
    name = name[:MAX_VENUE]
    if name.rstrip(" .").rpartition(" ")[2].lower() in _FORMS:
        name = _LEGAL.sub("", name)
    return make_venue_key(name)
