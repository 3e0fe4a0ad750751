"""The kind of work a citation string describes, from clues in its words."""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Claimed, Kind

_TABLE = load_package_table("citeproof.reading.parse", "work_kinds.toml")
_CLUES = {Kind(name): re.compile(row["clue"]) for name, row in _TABLE.items()}
_GATES = {gate: Kind(name) for name, row in _TABLE.items() for gate in row["gates"]}
_STANDARDS = ("RFC", "ISO", "IEC", "DIN", "ANSI", "IEEE Std", "NIST SP")  # the clue separates cases
_CASE = re.compile(r"\W{0,3}([^,;()]{2,120}?\sv\.?\s[^,;()]{2,120}),\s\d{1,4}\s")
_RFC = re.compile(r"\bRFC\s?\d{3,5}:\s[^,]{4,160}")
_PREPRINT = re.compile(r"\b(?:arxiv|corr|(?:bio|med|chem|psy)rxiv|ssrn|preprint)\b", re.IGNORECASE)
_PREPRINT_GATES = ("xiv", "corr", "ssrn", "preprint")
_PREPRINT_DOI = ("10.48550/", "10.1101/", "10.64898/", "10.2139/ssrn", "10.26434/", "10.31234/")
_VISITED = re.compile(
    r"\b(?:retrieved|accessed|available (?:at|from|online)|visited|consulted|abgerufen)\b", re.IGNORECASE
)
_CHAPTER = re.compile(r"\b(?:In|in):?\s.{0,200}\((?:[Ee]ds?|[Hh]rsg|[Hh]g)\.?\)")


def classify_work(text: str, claimed: Claimed, stated: Kind = Kind.UNKNOWN) -> Kind:
    """Return the kind of the work; `stated` when the document itself said so."""
    if stated is not Kind.UNKNOWN:
        return stated
    low = text.lower()
    gated = {kind for gate, kind in _GATES.items() if gate in low}
    if any(map(text.__contains__, _STANDARDS)):
        gated.add(Kind.STANDARD)
    for kind, clue in _CLUES.items():
        if kind in gated and clue.search(text):
            return kind
    if is_preprint(claimed):
        return Kind.PREPRINT
    if claimed.editors and _CHAPTER.search(text):
        return Kind.CHAPTER
    if claimed.venue or claimed.volume or claimed.ids.first("pmid"):
        return Kind.ARTICLE
    if claimed.publisher or claimed.ids.first("isbn"):
        return Kind.BOOK
    schemes = {scheme for scheme, _ in claimed.ids.pairs}
    if not schemes or not schemes <= {"url"}:
        return Kind.UNKNOWN
    complete = claimed.authors and claimed.year and claimed.title  # a paper that is only linked
    return Kind.UNKNOWN if complete and not _VISITED.search(text) else Kind.WEB_PAGE


def find_case_name(text: str) -> str | None:
    """Return the parties of a judgment cited by its reporter: "Brown v. Board of Education, 347 U.S. 483"."""
    match = _CASE.match(text)
    return match[1] if match else None


def find_standard_name(text: str) -> str | None:
    """Return the title of a standard that leads with its number: "RFC 2616: Hypertext Transfer Protocol"."""
    match = _RFC.search(text)
    return match[0].rstrip(" .") if match else None


def is_preprint(claimed: Claimed) -> bool:
    """Return whether the only place of publication named is a preprint server."""
    if claimed.venue:
        venue = claimed.venue[:200].lower()
        return any(map(venue.__contains__, _PREPRINT_GATES)) and _PREPRINT.search(venue) is not None
    if claimed.volume:
        return False
    doi = claimed.ids.first("doi") or ""
    return doi.startswith(_PREPRINT_DOI) or (claimed.ids.first("arxiv") is not None and not claimed.publisher)
