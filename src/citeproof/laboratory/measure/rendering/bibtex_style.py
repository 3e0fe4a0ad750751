"""Citations as BibTeX entries, by the habits of `bibtex.toml`: who exports them, or types them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from citeproof.answers.serializers.bibliography import make_safe_key
from citeproof.laboratory.measure.makers.citation_fields import CitationFields
from citeproof.laboratory.measure.rendering.rendered_entry import BibtexHabit, RenderedEntry, build_entry
from citeproof.laboratory.measure.rendering.tidy_fields import tidy_citation
from citeproof.text.package_tables import load_package_table
from citeproof.text.title import STOPWORDS, split_words
from citeproof.text.typed_decoding import convert_value
from citeproof.text.unicode import strip_marks

_SPELT = {
    ("archiveprefix", ""): "archivePrefix", ("inproceedings", "title"): "InProceedings",
    ("incollection", "title"): "InCollection", ("phdthesis", "title"): "PhdThesis",
    ("techreport", "title"): "TechReport",
}  # fmt: skip


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
