"""How one program or person writes BibTeX."""

from __future__ import annotations

from dataclasses import dataclass

_ORDER = (
    "title", "author", "journal", "booktitle", "school", "institution", "howpublished", "volume", "number",
    "pages", "year", "publisher", "doi", "eprint", "archiveprefix", "eprinttype", "url", "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BibtexHabit:
    """The choices; the defaults are those of somebody who copies the manual."""

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
