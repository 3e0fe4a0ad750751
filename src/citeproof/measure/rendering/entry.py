"""The type and fields of a BibTeX entry, in a habit's order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.measure.makers.cited import Cited
from citeproof.measure.rendering.habit import Habit
from citeproof.measure.rendering.latex import braced, escaped, held
from citeproof.measure.rendering.names import eastern, initials
from citeproof.measure.rendering.shapes import on_arxiv, shape
from citeproof.measure.rendering.titles import cased
from citeproof.measure.rendering.venues import venue
from citeproof.vocabulary import Kind, Name

_TYPES = {"article": "article", "paper": "inproceedings", "book": "book", "thesis": "phdthesis",
          "report": "techreport", "preprint": "misc", "other": "misc"}  # fmt: skip
_VENUE = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
_MAKER = {"phdthesis": "school", "techreport": "institution"}
_UNSAFE = re.compile(r"[\s{}\\^~\"]")
_JOINT = re.compile(r",|\band\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """The word after the @, and the fields that are not empty."""

    kind: str
    rows: tuple[tuple[str, str], ...]


def fields_of(cited: Cited, habit: Habit) -> Entry:
    """Return the entry of a citation whose fields are tidy."""
    kind = "incollection" if cited.kind is Kind.CHAPTER else _TYPES[shape(cited)]
    found = _described(cited, kind, habit) | _placed(cited, kind, habit) | _identified(cited, habit)
    if shape(cited) == "preprint" and on_arxiv(cited):
        for gone in ("journal", "booktitle", "howpublished"):
            found.pop(gone, None)
        kind = "article" if habit.preprint in {"corr", "journal"} else kind
        found |= _on_arxiv(cited, habit)
    rows = ((name, found.get(name, "")) for name in habit.order)
    return Entry(kind, tuple((name, text) for name, text in rows if text))


def _described(cited: Cited, kind: str, habit: Habit) -> dict[str, str]:
    title = held(cased(cited.title, habit.case), habit.hold)
    title = braced(escaped(title, accents=habit.accents))
    return {
        "title": f"{{{title}}}" if habit.hold == "double" else title,
        "author": _people(cited.people, habit),
        "year": str(cited.year or ""),
        _MAKER.get(kind, "publisher"): _text(_publisher(cited, kind), habit),
    }


def _publisher(cited: Cited, kind: str) -> str:
    """Return the publisher; lists of books give it in the place of the venue."""
    return cited.publisher or (cited.venue if kind in {"book", "phdthesis", "techreport"} else "")


def _placed(cited: Cited, kind: str, habit: Habit) -> dict[str, str]:
    name = _VENUE.get(kind, "howpublished")
    inside = kind not in {"book", "phdthesis", "techreport"} or cited.publisher
    return {
        name: _text(venue(cited.venue, habit.venue), habit) if inside else "",
        "volume": _text(cited.volume, habit), "number": _text(cited.issue, habit),
        "pages": _text(cited.pages, habit).replace("-", habit.dash),
    }  # fmt: skip


def _identified(cited: Cited, habit: Habit) -> dict[str, str]:
    doi, arxiv = cited.ids.first("doi") or "", cited.ids.first("arxiv") or ""
    before = {"url": "https://doi.org/", "old": "http://dx.doi.org/"}.get(habit.doi, "")
    return {
        "doi": _address(f"{before}{doi}" if doi else ""),
        "eprint": arxiv, "archiveprefix": "arXiv" if arxiv else "", "eprinttype": "arXiv" if arxiv else "",
        "pmid": cited.ids.first("pmid") or "", "isbn": cited.ids.first("isbn") or "",
        "url": _address(cited.url or (f"https://doi.org/{doi}" if doi else "")),
    }  # fmt: skip


def _on_arxiv(cited: Cited, habit: Habit) -> dict[str, str]:
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


def _people(people: tuple[Name, ...], habit: Habit) -> str:
    whole = [name for name in people if name.family or name.given]
    cut = habit.most and len(whole) > habit.most
    shown = [_person(name, habit) for name in (whole[: habit.most] if cut else whole)]
    return " and ".join([*shown, "others"] if cut else shown)


def _person(name: Name, habit: Habit) -> str:
    family, given = name.family.strip(), name.given.strip()
    if name.collective or not (family and given):
        whole = _text(family or given, habit)
        return f"{{{whole}}}" if " " in whole or "," in whole else whole
    if "I." in habit.people and not eastern(name):
        given = " ".join(f"{one}." for one in initials(given)) or given
    if "," not in habit.people and not name.suffix and not _JOINT.search(family + given):
        return _text(f"{family}{given}" if eastern(name) else f"{given} {family}", habit)
    parts = (family, name.suffix, given) if name.suffix else (family, given)
    return ", ".join(_joined(part, habit) for part in parts)


def _joined(part: str, habit: Habit) -> str:
    """Return a part of a name; an "and" or a comma inside it would make two names of one."""
    text = _text(part, habit)
    return f"{{{text}}}" if _JOINT.search(part) else text


def _text(text: str, habit: Habit) -> str:
    return escaped(text, accents=habit.accents)


def _address(value: str) -> str:
    r"""Return an identifier or address: what would end the field is percent-encoded, `%#_&` as TeX asks."""
    value = _UNSAFE.sub(lambda sign: f"%{ord(sign[0]):02X}", value)
    return re.sub(r"([%#&_])", r"\\\1", value)
