"""Citations as BibTeX entries, by the habits of `bibtex.toml`: who exports them, or types them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal

import msgspec

from citeproof.measure.makers.cited import Cited
from citeproof.measure.rendering.entry import Entry, fields_of
from citeproof.measure.rendering.habit import Habit
from citeproof.measure.rendering.seen import Printing
from citeproof.measure.rendering.tidy import tidied
from citeproof.serial.bibtex import safe_key
from citeproof.text.title import STOPWORDS, words
from citeproof.text.unicode import unmark

_SPELT = {
    ("archiveprefix", ""): "archivePrefix", ("inproceedings", "title"): "InProceedings",
    ("incollection", "title"): "InCollection", ("phdthesis", "title"): "PhdThesis",
    ("techreport", "title"): "TechReport",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BibtexStyle(Printing):
    """One habit of writing entries."""

    name: str
    habit: Habit
    form: Literal["bibtex"] = "bibtex"

    def render(self, cited: Cited, key: str = "") -> str:
        """Return the entry, closed by a newline; empty if the work has no title."""
        cited = tidied(cited)
        if not cited.title:
            return ""
        entry = fields_of(cited, self.habit)
        return _laid_out(entry, safe_key(key or _key(cited, self.habit.key)), self.habit)


@lru_cache(maxsize=1)
def bibtex_styles() -> tuple[BibtexStyle, ...]:
    """Return the habits of the table."""
    table = tomllib.loads(resources.files(__package__).joinpath("bibtex.toml").read_text("utf-8"))
    return tuple(BibtexStyle(f"bibtex:{name}", msgspec.convert(row, Habit)) for name, row in table.items())


def _laid_out(entry: Entry, key: str, habit: Habit) -> str:
    rows = [
        habit.indent + _cased(name, habit.names).ljust(habit.width) + habit.equals + _value(name, text, habit)
        for name, text in entry.rows
    ]
    end = f",{habit.closing}" if habit.trailing else habit.closing
    joint = f",{habit.break_}"
    return f"@{_cased(entry.kind, habit.types)}{{{key}{joint}{joint.join(rows)}{end}}}\n"


def _value(name: str, text: str, habit: Habit) -> str:
    if text.isdigit() and name in habit.bare:
        return text
    if habit.quotes:
        return f'"{_unquoted(text)}"'
    return f"{{{text}}}"


def _unquoted(text: str) -> str:
    """Return text for a field in quotes, where a quote that stands outside braces would end the field."""
    depth, out = 0, []
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        out.append("''" if sign == '"' and depth == 0 else sign)
    return "".join(out)


def _cased(word: str, case: str) -> str:
    if case == "upper":
        return word.upper()
    return _SPELT.get((word, case), word.capitalize() if case == "title" else word)


def _key(cited: Cited, habit: str) -> str:
    """Return a key as the habit makes them; the same work has the same key."""
    family = re.sub(r"[^a-z]", "", unmark(cited.people[0].family).lower()) if cited.people else ""
    word = next((w for w in words(cited.title) if w not in STOPWORDS and w.isascii()), "")
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
