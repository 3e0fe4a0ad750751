"""The kind of work a BibTeX entry describes."""

from __future__ import annotations

from functools import cache

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.venue_match import parse_venue
from citeproof.vocabulary import Kind

_PREPRINT = re.compile(
    r"\b(?:arxiv|corr|(?:bio|med|chem|psy|soc|eart?h)[aeo]?rxiv|ssrn|preprints?(?:\.org)?)\b", re.IGNORECASE
)
_TABLE = load_package_table("citeproof.text", "bibtex_kinds.toml")
_CLUES = {Kind(name): re.compile(clue) for name, clue in _TABLE["clues"].items()}
_WHERE = ("howpublished", "note", "type", "publisher", "institution", "url")


def find_kind(entry_type: str, fields: dict[str, str]) -> Kind:
    """Return the kind of work, from the entry's type and, where that is open, from its fields."""
    stated = _load_kinds().get(entry_type.lower())
    if stated is Kind.CHAPTER and parse_venue(fields.get("booktitle", "")[:300]).kind == "conference":
        return Kind.ARTICLE  # a paper: NeurIPS gives its own as @incollection
    if stated not in (None, Kind.ARTICLE):
        return stated
    venue = fields.get("journal") or fields.get("journaltitle") or fields.get("booktitle") or ""
    if _PREPRINT.search(venue[:200]):
        return Kind.PREPRINT
    if stated is Kind.ARTICLE:
        return Kind.REPORT if _CLUES[Kind.REPORT].search(venue[:200]) else stated
    return _find_by_fields(fields, venue)


def _find_by_fields(fields: dict[str, str], venue: str) -> Kind:
    """Decide @misc and its like: where it appeared says what it is."""
    where = " ".join(fields.get(name, "")[:200] for name in _WHERE)
    eprint = fields.get("archiveprefix", "") or fields.get("eprinttype", "")
    if _PREPRINT.search(f"{eprint} {where}") or ("eprint" in fields and not venue):
        return Kind.PREPRINT
    for kind, clue in _CLUES.items():
        if clue.search(where):
            return kind
    if venue:
        return Kind.ARTICLE
    return Kind.WEB_PAGE if "url" in fields and "doi" not in fields else Kind.UNKNOWN


@cache
def _load_kinds() -> dict[str, Kind]:
    return {name: Kind(word) for word, names in _TABLE["kinds"].items() for name in names}
