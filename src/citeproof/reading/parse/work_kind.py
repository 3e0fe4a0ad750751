"""The kind of work a citation string describes, from clues in its words."""

from __future__ import annotations

import re

from citeproof.vocabulary import Claimed, Kind

_CLUES: dict[Kind, re.Pattern[str]] = {
    Kind.PERSONAL_COMMUNICATION: re.compile(
        r"\b(?:personal|private) commun(?:ications?\b|\.|(?=\s?$))|\b(?:pers|priv)\.\s?comm(?:un)?\b",
        re.IGNORECASE,
    ),
    Kind.THESIS: re.compile(
        r"\b(?:ph\.? ?d\.?|master'?s?|m\.?sc\.?|doctoral|bachelor'?s?|habilitation)\s{1,3}"
        r"(?:thesis|dissertation)"
        r"|\b(?:dissertation|doktorarbeit|diplomarbeit|thèse)\b",
        re.IGNORECASE,
    ),
    Kind.STANDARD: re.compile(
        r"\bRFC\s?\d{3,5}\b|\b(?:ISO|IEC|ISO/IEC|DIN|ANSI|IEEE Std\.?|NIST SP)\s?\d{2,}"
    ),
    Kind.LEGAL: re.compile(
        r"\b[A-Z][\w.'& -]{1,60} v\. [A-Z][\w.'& -]{1,60},? \d{1,4} [A-Z][\w. ]{1,20} \d|\bU\.?S\.? Patent\b"
    ),
    Kind.DATASET: re.compile(r"\[data ?set\]|\bdata ?set\]", re.IGNORECASE),
    Kind.SOFTWARE: re.compile(
        r"\[(?:computer )?software\]|\bcomputer (?:program|software)\b|\bR package version\b"
        r"|git(?:hub|lab)\.com/",
        re.IGNORECASE,
    ),
    Kind.REPORT: re.compile(
        r"\btech(?:nical|\.)? rep(?:ort|\.)|\bworking paper\b|\bwhite ?paper\b|\bresearch report\b",
        re.IGNORECASE,
    ),
}
# What a text must hold, lower-cased, to be examined by the clue: most strings are spared the search.
_GATES: dict[str, Kind] = {
    "comm": Kind.PERSONAL_COMMUNICATION,
    **dict.fromkeys(("thes", "thès", "dissert", "arbeit"), Kind.THESIS),
    **dict.fromkeys((" v. ", "patent"), Kind.LEGAL),
    **dict.fromkeys(("data set]", "dataset]"), Kind.DATASET),
    **dict.fromkeys(("software", "program", "package", "github", "gitlab"), Kind.SOFTWARE),
    **dict.fromkeys(("rep", "paper"), Kind.REPORT),
}
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
