r"""One cited work as a BibTeX entry that BibTeX, biber and every reference manager read.

Letters stay Unicode; what TeX would act on is written so that it prints, because titles come from
documents and registries: `\input{…}` in a title must not be a command in somebody's bibliography.
"""

from __future__ import annotations

import re

from citeproof.serial.appearance import proceedings
from citeproof.text.unicode import visible
from citeproof.vocabulary import Claimed, Kind, Name

_TYPES = {
    Kind.ARTICLE: "article", Kind.PREPRINT: "misc", Kind.BOOK: "book", Kind.CHAPTER: "incollection",
    Kind.THESIS: "phdthesis", Kind.REPORT: "techreport", Kind.STANDARD: "standard", Kind.DATASET: "dataset",
    Kind.SOFTWARE: "software", Kind.WEB_PAGE: "online", Kind.LEGAL: "legal",
    Kind.PERSONAL_COMMUNICATION: "letter", Kind.UNKNOWN: "misc",
}  # fmt: skip
_VENUE = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
_PUBLISHER = {"phdthesis": "school", "techreport": "institution"}
_ACTS = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "$": r"\$", "&": r"\&",
    "%": r"\%", "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_ACTING = re.compile(r"[\\{}$&%#_~^]")
_WORDS = re.compile(r"([^\W_]+)")
_BREAKS = re.compile(r"\s+")
_ENDS = re.compile(r"[\\{}^~\s]|%(?![0-9A-Fa-f]{2})")
_KEY = re.compile(r"[^A-Za-z0-9:.+/_-]+")


def bibtex_entry(key: str, kind: Kind, claimed: Claimed) -> str:
    """Return the entry, fields in the usual order, closed by a newline."""
    word = "inproceedings" if kind is Kind.ARTICLE and proceedings(claimed) else _TYPES[kind]
    rows = [(name, value) for name, value in _fields(word, claimed) if value]
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in rows)
    return f"@{word}{{{safe_key(key)},\n{lines}}}\n"


def safe_key(key: str) -> str:
    """Return `key` with only the characters that every BibTeX program takes."""
    return _KEY.sub("-", key).strip("-") or "ref"


def printed(text: str) -> str:
    """Return `text` so that TeX prints it as it is."""
    text = _BREAKS.sub(" ", text)
    return _ACTING.sub(lambda sign: _ACTS[sign[0]], visible(text))


def _fields(word: str, claimed: Claimed) -> list[tuple[str, str]]:
    ids = claimed.ids
    return [
        ("title", _title(" ".join((claimed.title or "").split()))),
        ("author", _people(claimed.authors, et_al=claimed.et_al)),
        ("editor", _people(claimed.editors)),
        ("year", str(claimed.year or "")),
        (_VENUE.get(word, "howpublished"), printed(claimed.venue or "")),
        ("series", printed(claimed.series or "")),
        ("volume", printed(claimed.volume or "")),
        ("number", printed(claimed.issue or "")),
        ("pages", re.sub(r"[-–—]+", "--", printed(claimed.pages or ""))),
        (_PUBLISHER.get(word, "publisher"), printed(claimed.publisher or "")),
        ("edition", printed(claimed.edition or "")),
        ("doi", _address(ids.first("doi"))),
        ("eprint", _address(ids.first("arxiv"))),
        ("eprinttype", "arxiv" if ids.first("arxiv") else ""),
        ("pmid", _address(ids.first("pmid"))),
        ("pmcid", _address(ids.first("pmcid"))),
        ("isbn", _address(ids.first("isbn"))),
        ("issn", _address(ids.first("issn"))),
        ("url", "" if ids.first("doi") else _address(ids.first("url"))),
    ]


def _title(title: str) -> str:
    """Return the title with braces around words whose capitals a style must not lower."""
    pieces = _WORDS.split(title)
    return "".join(_kept(piece, lead=number == 0) if piece else "" for number, piece in enumerate(pieces))


def _kept(piece: str, *, lead: bool) -> str:
    inner = any(c.isupper() for c in piece[1:])
    alone = not lead and len(piece) == 1 and piece.isupper() and piece != "A"
    return f"{{{printed(piece)}}}" if inner or alone else printed(piece)


def _people(names: tuple[Name, ...], *, et_al: bool = False) -> str:
    shown = [_person(name) for name in names]
    return " and ".join([*shown, "others"] if et_al and shown else shown)


def _person(name: Name) -> str:
    if name.collective or not name.given:
        whole = printed(name.family)
        return f"{{{whole}}}" if " " in whole or "," in whole else whole
    parts = (name.family, name.suffix, name.given) if name.suffix else (name.family, name.given)
    return ", ".join(_joined(part) for part in parts)


def _joined(part: str) -> str:
    """Return a part of a name; an "and" or a comma inside it would make two names of one."""
    part = printed(part)
    return f"{{{part}}}" if re.search(r",|\band\b", part, re.IGNORECASE) else part


def _address(value: str | None) -> str:
    """Return an identifier or address; what would end the field is percent-encoded, % and # escaped."""
    encoded = _ENDS.sub(lambda sign: f"%{ord(sign[0]):02X}", visible((value or "").replace("\0", "")))
    return encoded.replace("%", r"\%").replace("#", r"\#")
