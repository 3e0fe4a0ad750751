"""Entries that name their author by a word or a dash: "Ders. (1997): …", "———. 1968. …".

They have the people of the entry before them; "In: ders. (Hrsg.)" has those of its own entry.
"""

from __future__ import annotations

import re
from dataclasses import replace

from citeproof.parse.field_normalisers import normalise_venue
from citeproof.vocabulary import Claimed, FieldOrigin, Name, Origin, Reference

SURE = 0.8  # how sure it is that the entry before is the one meant

_WORDS = r"ders(?:elbe)?|dies(?:elben?)?|idem|eadem|iidem"
_SAME = re.compile(
    r"[\s*_\[(]{0,4}(?:\d{1,4}[\].)]{1,2}\s{0,3})?"
    r"((?-i:Ders|DERS|Dies|DIES)\.|(?:derselbe|dieselben?|idem|eadem|iidem)\b\.?"
    r"|[—–]{2,9}|[-_]{2,12}|—|–)(?=\s?[.,:;/(]|\s(?:and|und|et|y|&)\s)",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"(?:{_WORDS})\b\.?\s?[,:;]\s", re.IGNORECASE)
_WORD = re.compile(rf"(?:{_WORDS})\.?", re.IGNORECASE)
_ONE = re.compile(r"ders.*|idem\.?|eadem\.?", re.IGNORECASE)  # one person


def repeat_authors(before: Reference | None, reference: Reference) -> Reference:
    """Return `reference` with the people of the entry `before`, where it says that they are the same."""
    claimed = _name_own_editors(reference.claimed)
    same = _SAME.match(reference.raw[:40])
    if same is None:
        return reference if claimed is reference.claimed else replace(reference, claimed=claimed)
    known = (before.claimed.authors or before.claimed.editors) if before else ()
    others = tuple(name for name in claimed.authors if not _is_mark(name))
    if others or _ONE.fullmatch(same[1]):
        known = known[:1]
    title = _LEADING.sub("", claimed.title, count=1) if claimed.title else None
    origins = tuple(one for one in claimed.origins if one.field != "authors")
    if known or others:
        origins = (*origins, FieldOrigin("authors", Origin.RULE, SURE, same[1]))
    et_al = claimed.et_al or (before is not None and len(known) > 1 and before.claimed.et_al)
    authors = (*known, *(name for name in others if name not in known))
    return replace(
        reference, claimed=replace(claimed, authors=authors, et_al=et_al, title=title, origins=origins)
    )


def _name_own_editors(claimed: Claimed) -> Claimed:
    """Return the claims with the authors in place of "Ders." as editor of the book that holds the work."""
    venue = claimed.venue
    if venue and (lead := _LEADING.match(venue)):
        venue = normalise_venue(venue[lead.end() :])
    if not any(map(_is_mark, claimed.editors)):
        return claimed if venue == claimed.venue else replace(claimed, venue=venue)
    others = (name for name in claimed.editors if not _is_mark(name))
    own = tuple(name for name in claimed.authors if not _is_mark(name))
    return replace(claimed, editors=(*own, *others), venue=venue)


def _is_mark(name: Name) -> bool:
    return not name.given and _WORD.fullmatch(name.family) is not None
