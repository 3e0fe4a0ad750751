r"""One cited work as a BibTeX entry that BibTeX, biber and every reference manager read.

Letters stay Unicode; what TeX would act on is written so that it prints, because titles come from
documents and registries: `\input{…}` in a title must not be a command in somebody's bibliography.
"""

from __future__ import annotations

import re

from citeproof.answers.serializers.venue_kind import is_proceedings
from citeproof.text.unicode import show_controls
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


def build_bibtex_entry(key: str, kind: Kind, claimed: Claimed) -> str:
    """Return the entry, fields in the usual order, closed by a newline."""
    word = "inproceedings" if kind is Kind.ARTICLE and is_proceedings(claimed) else _TYPES[kind]
    rows = [(name, value) for name, value in _list_bibtex_fields(word, claimed) if value]
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in rows)
    return f"@{word}{{{make_safe_key(key)},\n{lines}}}\n"


def make_safe_key(key: str) -> str:
    """Return `key` with only the characters that every BibTeX program takes."""
    return _KEY.sub("-", key).strip("-") or "ref"


def escape_tex(text: str) -> str:
    """Return `text` so that TeX prints it as it is."""
    text = _BREAKS.sub(" ", text)
    return _ACTING.sub(lambda sign: _ACTS[sign[0]], show_controls(text))


def _list_bibtex_fields(word: str, claimed: Claimed) -> list[tuple[str, str]]:
    ids = claimed.ids
    return [
        ("title", _protect_title(" ".join((claimed.title or "").split()))),
        ("author", _format_bibtex_people(claimed.authors, et_al=claimed.et_al)),
        ("editor", _format_bibtex_people(claimed.editors)),
        ("year", str(claimed.year or "")),
        (_VENUE.get(word, "howpublished"), escape_tex(claimed.venue or "")),
        ("series", escape_tex(claimed.series or "")),
        ("volume", escape_tex(claimed.volume or "")),
        ("number", escape_tex(claimed.issue or "")),
        ("pages", re.sub(r"[-–—]+", "--", escape_tex(claimed.pages or ""))),
        (_PUBLISHER.get(word, "publisher"), escape_tex(claimed.publisher or "")),
        ("edition", escape_tex(claimed.edition or "")),
        ("doi", _encode_address(ids.first("doi"))),
        ("eprint", _encode_address(ids.first("arxiv"))),
        ("eprinttype", "arxiv" if ids.first("arxiv") else ""),
        ("pmid", _encode_address(ids.first("pmid"))),
        ("pmcid", _encode_address(ids.first("pmcid"))),
        ("isbn", _encode_address(ids.first("isbn"))),
        ("issn", _encode_address(ids.first("issn"))),
        ("url", "" if ids.first("doi") else _encode_address(ids.first("url"))),
    ]


def _protect_title(title: str) -> str:
    """Return the title with braces around words whose capitals a style must not lower."""
    pieces = _WORDS.split(title)
    return "".join(
        _protect_piece(piece, lead=number == 0) if piece else "" for number, piece in enumerate(pieces)
    )


def _protect_piece(piece: str, *, lead: bool) -> str:
    inner = any(c.isupper() for c in piece[1:])
    alone = not lead and len(piece) == 1 and piece.isupper() and piece != "A"
    return f"{{{escape_tex(piece)}}}" if inner or alone else escape_tex(piece)


def _format_bibtex_people(names: tuple[Name, ...], *, et_al: bool = False) -> str:
    shown = [_format_bibtex_person(name) for name in names]
    return " and ".join([*shown, "others"] if et_al and shown else shown)


def _format_bibtex_person(name: Name) -> str:
    if name.collective or not name.given:
        whole = escape_tex(name.family)
        return f"{{{whole}}}" if " " in whole or "," in whole else whole
    parts = (name.family, name.suffix, name.given) if name.suffix else (name.family, name.given)
    return ", ".join(_protect_name_part(part) for part in parts)


def _protect_name_part(part: str) -> str:
    """Return a part of a name; an "and" or a comma inside it would make two names of one."""
    part = escape_tex(part)
    return f"{{{part}}}" if re.search(r",|\band\b", part, re.IGNORECASE) else part


def _encode_address(value: str | None) -> str:
    """Return an identifier or address; what would end the field is percent-encoded, % and # escaped."""
    encoded = _ENDS.sub(lambda sign: f"%{ord(sign[0]):02X}", show_controls((value or "").replace("\0", "")))
    return encoded.replace("%", r"\%").replace("#", r"\#")
