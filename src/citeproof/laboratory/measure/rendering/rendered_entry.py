r"""Citations as BibTeX entries, by the habits of `bibtex.toml`: who exports them, or types them.

What TeX acts on is escaped, accents by habit, capitals are held by braces:

    encode_accents("Gödel Škoda")          ⇒ r"G{\"o}del {\v{S}}koda"
    mark_capitals("Using BERT", "caps") ⇒ "Using {BERT}", once `insert_braces` has put the braces in
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from citeproof.answers.serializers.bibliography import escape_tex, make_safe_key
from citeproof.laboratory.measure.makers.benchmark_items import CitationFields
from citeproof.laboratory.measure.rendering.rendered_names import abbreviate_given_names, is_eastern_name
from citeproof.laboratory.measure.rendering.tidy_fields import (
    change_title_case,
    choose_shape,
    format_venue,
    is_on_arxiv,
    tidy_citation,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.latex import write_letters
from citeproof.text.package_tables import load_package_table
from citeproof.text.title import STOPWORDS, split_words
from citeproof.text.typed_decoding import convert_value
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Kind, Name

_TYPES = {"article": "article", "paper": "inproceedings", "book": "book", "thesis": "phdthesis",
          "report": "techreport", "preprint": "misc", "other": "misc"}  # fmt: skip
_VENUE = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
_MAKER = {"phdthesis": "school", "techreport": "institution"}
_UNSAFE = re.compile(r"[\s{}\\^~\"]")
_JOINT = re.compile(r",|\band\b", re.IGNORECASE)

_ORDER = (
    "title", "author", "journal", "booktitle", "school", "institution", "howpublished", "volume", "number",
    "pages", "year", "publisher", "doi", "eprint", "archiveprefix", "eprinttype", "url", "note",
)  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_GREEK_WORD = re.compile("[\u0370-\u03ff]{2,}")
_SPELT = {
    ("archiveprefix", ""): "archivePrefix", ("inproceedings", "title"): "InProceedings",
    ("incollection", "title"): "InCollection", ("phdthesis", "title"): "PhdThesis",
    ("techreport", "title"): "TechReport",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BibtexHabit:
    """How one program or person writes BibTeX; the defaults are those of somebody who copies the manual."""

    # layout
    types: str = ""  # case of @article: "", "upper", "title"
    names: str = ""  # case of field names
    indent: str = "  "
    width: int = 0  # field names are padded to it
    equals: str = " = "
    break_: str = "\n"  # between fields
    quotes: bool = False  # "…" instead of {…}
    bare: tuple[str, ...] = ()  # fields whose numbers stand without braces
    trailing: bool = False  # a comma after the last field
    closing: str = "\n"
    order: tuple[str, ...] = _ORDER  # fields that are not in it are left out
    key: str = ""
    # values
    people: str = "Family, Given"
    most: int = 0  # more people than this end in "and others"
    case: str = ""  # of the title
    hold: str = ""  # capitals of the title: "", "caps", "words", "double"
    accents: bool = False  # as TeX commands
    dash: str = "--"
    venue: str = ""
    doi: str = "bare"  # or "url", "old"
    preprint: str = "eprint"  # or "corr", "journal", "howpublished"


@dataclass(frozen=True, slots=True)
class RenderedEntry:
    """The word after the @, and the fields that are not empty."""

    kind: str
    rows: tuple[tuple[str, str], ...]


def build_entry(cited: CitationFields, habit: BibtexHabit) -> RenderedEntry:
    kind = "incollection" if cited.kind is Kind.CHAPTER else _TYPES[choose_shape(cited)]
    fields = (
        _describe_work(cited, kind, habit)
        | _describe_place(cited, kind, habit)
        | _describe_identifiers(cited, habit)
    )
    if choose_shape(cited) == "preprint" and is_on_arxiv(cited):
        for gone in ("journal", "booktitle", "howpublished"):
            fields.pop(gone, None)
        kind = "article" if habit.preprint in {"corr", "journal"} else kind
        fields |= _describe_preprint(cited, habit)
    rows = ((name, fields.get(name, "")) for name in habit.order)
    return RenderedEntry(kind, tuple((name, text) for name, text in rows if text))


def _describe_work(cited: CitationFields, kind: str, habit: BibtexHabit) -> dict[str, str]:
    title = mark_capitals(change_title_case(cited.title, habit.case), habit.hold)
    title = insert_braces(escape_latex(title, accents=habit.accents))
    books = cited.venue if kind in {"book", "phdthesis", "techreport"} else ""  # their lists give a publisher
    return {
        "title": f"{{{title}}}" if habit.hold == "double" else title,
        "author": _format_people(cited.people, habit),
        "year": str(cited.year or ""),
        _MAKER.get(kind, "publisher"): _escape_field(cited.publisher or books, habit),
    }


def _describe_place(cited: CitationFields, kind: str, habit: BibtexHabit) -> dict[str, str]:
    name = _VENUE.get(kind, "howpublished")
    inside = kind not in {"book", "phdthesis", "techreport"} or cited.publisher
    return {
        name: _escape_field(format_venue(cited.venue, habit.venue), habit) if inside else "",
        "volume": _escape_field(cited.volume, habit), "number": _escape_field(cited.issue, habit),
        "pages": _escape_field(cited.pages, habit).replace("-", habit.dash),
    }  # fmt: skip


def _describe_identifiers(cited: CitationFields, habit: BibtexHabit) -> dict[str, str]:
    doi, arxiv = cited.ids.first("doi") or "", cited.ids.first("arxiv") or ""
    before = {"url": "https://doi.org/", "old": "http://dx.doi.org/"}.get(habit.doi, "")
    return {
        "doi": _encode_address(f"{before}{doi}" if doi else ""),
        "eprint": arxiv, "archiveprefix": "arXiv" if arxiv else "", "eprinttype": "arXiv" if arxiv else "",
        "pmid": cited.ids.first("pmid") or "", "isbn": cited.ids.first("isbn") or "",
        "url": _encode_address(cited.url or (f"https://doi.org/{doi}" if doi else "")),
    }  # fmt: skip


def _describe_preprint(cited: CitationFields, habit: BibtexHabit) -> dict[str, str]:
    number = cited.ids.first("arxiv") or ""
    match habit.preprint:
        case "corr":
            return {"journal": "CoRR", "volume": f"abs/{number}"}
        case "journal":
            return {"journal": f"arXiv preprint arXiv:{number}"}
        case "howpublished":
            return {"howpublished": f"arXiv:{number}"}
        case _:
            return {"publisher": "arXiv"} if not cited.publisher else {}


def _format_people(people: tuple[Name, ...], habit: BibtexHabit) -> str:
    whole = [name for name in people if name.family or name.given]
    cut = habit.most and len(whole) > habit.most
    shown = [_format_person(name, habit) for name in (whole[: habit.most] if cut else whole)]
    return " and ".join([*shown, "others"] if cut else shown)


def _format_person(name: Name, habit: BibtexHabit) -> str:
    family, given = name.family.strip(), name.given.strip()
    if name.collective or not (family and given):
        whole = _escape_field(family or given, habit)
        return f"{{{whole}}}" if " " in whole or "," in whole else whole
    if "I." in habit.people and not is_eastern_name(name):
        given = " ".join(f"{initial}." for initial in abbreviate_given_names(given)) or given
    if "," not in habit.people and not name.suffix and not _JOINT.search(family + given):
        return _escape_field(f"{family}{given}" if is_eastern_name(name) else f"{given} {family}", habit)
    parts = (family, name.suffix, given) if name.suffix else (family, given)
    return ", ".join(_format_name_part(part, habit) for part in parts)


def _format_name_part(part: str, habit: BibtexHabit) -> str:
    """Return a part of a name; an "and" or a comma inside it would make two names of one."""
    text = _escape_field(part, habit)
    return f"{{{text}}}" if _JOINT.search(part) else text


def _escape_field(text: str, habit: BibtexHabit) -> str:
    return escape_latex(text, accents=habit.accents)


def _encode_address(value: str) -> str:
    r"""Return an identifier or address: what would end the field is percent-encoded, `%#_&` as TeX asks."""
    value = _UNSAFE.sub(lambda sign: f"%{ord(sign[0]):02X}", value)
    return re.sub(r"([%#&_])", r"\\\1", value)


def encode_accents(text: str) -> str:
    """Return text with every letter that TeX has a command for written as one, the rest as it is."""
    if _GREEK_WORD.search(text):
        return unicodedata.normalize("NFC", text)  # a word in Greek letters is Greek, no formula
    return write_letters(text)


def escape_latex(text: str, *, accents: bool) -> str:
    """Return text so that TeX prints it as it is; `accents` as commands or as letters."""
    text = escape_tex(text)
    return encode_accents(text) if accents else text


def mark_capitals(text: str, habit: str) -> str:
    """Return a title with its capitals held: "caps" letter by letter, "words" where they are inside a word.

    Before it is escaped: braces go around plain words only.
    """
    if habit not in {"caps", "words"}:
        return text
    return _WORD.sub(lambda word: _mark_word_capitals(word[0], habit, lead=word.start() == 0), text)


def _mark_word_capitals(word: str, habit: str, *, lead: bool) -> str:
    if any(map(str.isupper, word[1:])) or (len(word) == 1 and word.isupper() and not lead):
        return f"\ue000{word}\ue001"
    if habit == "caps" and word[0].isupper() and not lead:
        return f"\ue000{word[0]}\ue001{word[1:]}"
    return word


def insert_braces(text: str) -> str:
    """Return escaped text with the braces that `mark_capitals` marked, so that escaping passed them by."""
    return text.replace("\ue000", "{").replace("\ue001", "}")


@dataclass(frozen=True, slots=True)
class BibtexStyle:
    """One habit of writing entries."""

    name: str
    habit: BibtexHabit
    form: Literal["bibtex"] = "bibtex"

    def render(self, cited: CitationFields, key: str = "") -> str:
        """Return the entry, closed by a newline; empty if the work has no title."""
        cited = tidy_citation(cited)
        if not cited.title:
            return ""
        entry = build_entry(cited, self.habit)
        return _format_entry(
            entry, make_safe_key(key or _make_citation_key(cited, self.habit.key)), self.habit
        )


@lru_cache(maxsize=1)
def load_bibtex_styles() -> tuple[BibtexStyle, ...]:
    table = load_package_table(__package__, "bibtex.toml")
    return tuple(
        BibtexStyle(f"bibtex:{name}", convert_value(row, BibtexHabit)) for name, row in table.items()
    )


def _format_entry(entry: RenderedEntry, key: str, habit: BibtexHabit) -> str:
    rows = [
        habit.indent
        + _change_case(name, habit.names).ljust(habit.width)
        + habit.equals
        + _format_value(name, text, habit)
        for name, text in entry.rows
    ]
    end = f",{habit.closing}" if habit.trailing else habit.closing
    joint = f",{habit.break_}"
    return f"@{_change_case(entry.kind, habit.types)}{{{key}{joint}{joint.join(rows)}{end}}}\n"


def _format_value(name: str, text: str, habit: BibtexHabit) -> str:
    if text.isdigit() and name in habit.bare:
        return text
    if habit.quotes:
        return f'"{_escape_quotes(text)}"'
    return f"{{{text}}}"


def _escape_quotes(text: str) -> str:
    """Return text for a field in quotes, where a quote that is outside braces would end the field."""
    depth, out = 0, []
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        out.append("''" if sign == '"' and depth == 0 else sign)
    return "".join(out)


def _change_case(word: str, case: str) -> str:
    if case == "upper":
        return word.upper()
    return _SPELT.get((word, case), word.capitalize() if case == "title" else word)


def _make_citation_key(cited: CitationFields, habit: str) -> str:
    """Return a key as the habit makes them; the same work has the same key."""
    family = re.sub(r"[^a-z]", "", strip_marks(cited.people[0].family).lower()) if cited.people else ""
    word = next((w for w in split_words(cited.title) if w not in STOPWORDS and w.isascii()), "")
    year = str(cited.year or "")
    match habit:
        case "scholar":
            return f"{family}{year}{word}"
        case "zotero":
            return "_".join(filter(None, (family, word, year)))
        case "colon":
            return f"{family.capitalize()}:{year}" if year else family.capitalize()
        case "doi" if doi := cited.ids.first("doi"):
            return doi
        case _:
            return f"{family.capitalize()}{year}"
