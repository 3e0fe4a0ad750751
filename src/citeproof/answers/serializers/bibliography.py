"""One cited work for other programs: a BibTeX entry, a CSL-JSON item, a RIS record.

Letters stay Unicode; what TeX would act on is written so that it prints, because titles come from
documents and registries: an input command in a title must not be one in somebody's bibliography.
"""

from __future__ import annotations

from citeproof.plumbing.json_bytes import Json
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_controls, show_one_line
from citeproof.text.venue_match import parse_venue
from citeproof.vocabulary import Claimed, Kind, Name

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


_TYPES = {  # in BibTeX, CSL and RIS
    Kind.ARTICLE: ("article", "article-journal", "JOUR"),
    Kind.PREPRINT: ("misc", "article", "UNPB"),
    Kind.BOOK: ("book", "book", "BOOK"),
    Kind.CHAPTER: ("incollection", "chapter", "CHAP"),
    Kind.THESIS: ("phdthesis", "thesis", "THES"),
    Kind.REPORT: ("techreport", "report", "RPRT"),
    Kind.STANDARD: ("standard", "standard", "STAND"),
    Kind.DATASET: ("dataset", "dataset", "DATA"),
    Kind.SOFTWARE: ("software", "software", "COMP"),
    Kind.WEB_PAGE: ("online", "webpage", "ELEC"),
    Kind.LEGAL: ("legal", "legal_case", "CASE"),
    Kind.PERSONAL_COMMUNICATION: ("letter", "personal_communication", "PCOMM"),
    Kind.UNKNOWN: ("misc", "document", "GEN"),
}
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
    word = "inproceedings" if kind is Kind.ARTICLE and is_proceedings(claimed) else _TYPES[kind][0]
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


_IDS = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN", "issn": "ISSN", "url": "URL"}


def build_csl_item(key: str, kind: Kind, claimed: Claimed) -> Json:
    """Return the item; a field that is not claimed is left out."""
    paper = kind is Kind.ARTICLE and is_proceedings(claimed)
    arxiv = claimed.ids.first("arxiv")
    item: Json = {
        "id": key,
        "type": "paper-conference" if paper else _TYPES[kind][1],
        "title": claimed.title,
        "author": _build_csl_people(claimed.authors),
        "editor": _build_csl_people(claimed.editors),
        "issued": {"date-parts": [[claimed.year]]} if claimed.year else None,
        "container-title": claimed.venue,
        "collection-title": claimed.series,
        "volume": claimed.volume,
        "issue": claimed.issue,
        "page": claimed.pages,
        "publisher": claimed.publisher,
        "edition": claimed.edition,
        "genre": "preprint" if kind is Kind.PREPRINT else None,
        "number" if kind is Kind.PREPRINT else "note": f"arXiv:{arxiv}" if arxiv else None,
        **{name: claimed.ids.first(scheme) for scheme, name in _IDS.items()},
        "custom": {"et_al": True} if claimed.authors and claimed.et_al else None,  # CSL has no word for it
    }
    return {name: value for name, value in item.items() if value}


def _build_csl_people(names: tuple[Name, ...]) -> list[Json]:
    return [_build_csl_person(name) for name in names]


def _build_csl_person(name: Name) -> Json:
    if name.collective:
        return {"literal": name.family}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: value for part, value in parts.items() if value}


def build_ris_record(
    key: str, kind: Kind, claimed: Claimed, notes: tuple[str, ...] = (), tags: tuple[str, ...] = ()
) -> str:
    """Return the record, one line a field, closed by `ER`; `tags` are its keywords."""
    paper = kind is Kind.ARTICLE and is_proceedings(claimed)
    rows = [("TY", "CPAPER" if paper else _TYPES[kind][2]), ("ID", key), ("TI", claimed.title)]
    rows += [("AU", _format_ris_person(name)) for name in claimed.authors]
    rows += [("A2", _format_ris_person(name)) for name in claimed.editors]
    rows += [("PY", str(claimed.year or "")), ("T2", claimed.venue), ("T3", claimed.series)]
    first, _, last = re.sub(r"[-–—]+", "-", claimed.pages or "").partition("-")
    rows += [("VL", claimed.volume), ("IS", claimed.issue), ("SP", first.strip()), ("EP", last.strip())]
    rows += [("PB", claimed.publisher), ("ET", claimed.edition), ("DO", claimed.ids.first("doi"))]
    rows += [("SN", claimed.ids.first("isbn") or claimed.ids.first("issn"))]
    arxiv, pmid = claimed.ids.first("arxiv"), claimed.ids.first("pmid")
    rows += [("M1", f"arXiv:{arxiv}" if arxiv else ""), ("AN", f"PMID:{pmid}" if pmid else "")]
    rows += [("UR", claimed.ids.first("url")), *(("N1", note) for note in notes)]
    rows += [("KW", tag) for tag in tags]
    rows += [("N1", "the list of authors is cut (et al.)")] if claimed.authors and claimed.et_al else []
    return "".join(f"{tag}  - {show_one_line(value)}\r\n" for tag, value in rows if value) + "ER  - \r\n"


def _format_ris_person(name: Name) -> str:
    return ", ".join(part for part in (name.family, name.given, name.suffix) if part)
