"""Citations as printed reference lists have them, by the patterns of `text.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from citeproof.measure.makers.citation_fields import CitationFields
from citeproof.measure.rendering.citation_shape import choose_shape, is_on_arxiv
from citeproof.measure.rendering.rendered_names import NameListing, format_name_list
from citeproof.measure.rendering.text_patterns import fill_pattern
from citeproof.measure.rendering.tidy_fields import tidy_citation
from citeproof.measure.rendering.title_case import change_title_case
from citeproof.measure.rendering.venue_forms import format_venue
from citeproof.text.package_tables import load_package_table
from citeproof.text.pages import split_range
from citeproof.typed_decoding import convert_value

_INSTEAD = {"preprint": "other", "report": "book", "other": "book", "thesis": "book"}
_SPACE = re.compile(r"\s{2,}")


@dataclass(frozen=True, slots=True)
class TextStyle:
    """One style: how it lists people, writes titles, venues and pages, and its pattern for each shape."""

    name: str
    people: NameListing
    patterns: Mapping[str, str]
    bare: str  # the pattern of works without authors
    case: str = ""
    venue: str = ""
    pages: str = "–"
    numeric: bool = False  # texts cite by number
    form: Literal["text"] = "text"

    def render(self, cited: CitationFields, key: str = "") -> str:  # noqa: ARG002 - printed lists have no keys
        """Return the citation; empty if the work has no title."""
        cited = tidy_citation(cited)
        if not cited.title:
            return ""
        fields = self._fields(cited)
        text = next((t for p in self._choose_pattern(cited) if (t := fill_pattern(p, fields))), "")
        return _SPACE.sub(" ", text)

    def _choose_pattern(self, cited: CitationFields) -> tuple[str, ...]:
        wanted = choose_shape(cited)
        chain = [wanted] if wanted in self.patterns else []
        if wanted == "preprint" and not is_on_arxiv(cited):
            chain = []
        chain += [other for other in (_INSTEAD.get(wanted, ""), "book") if other in self.patterns]
        return (*(self.patterns[each] for each in chain), self.bare)

    def _fields(self, cited: CitationFields) -> dict[str, str]:
        ids = cited.ids
        place = format_venue(cited.venue, self.venue)
        book = choose_shape(cited) in {"book", "report", "thesis"}
        first, last = split_range(cited.pages) or ("", "")
        pages = _format_page_range(first, last, self.pages)
        return {
            "A": format_name_list(cited.people, self.people),
            "T": change_title_case(cited.title, self.case),
            "Y": str(cited.year or ""),
            "C": "" if book and not cited.publisher else place,
            "V": cited.volume, "I": cited.issue,
            "P": pages, "F": first,
            "PP": f"{'pp' if first != last else 'p'}. {pages}" if pages else "",
            "B": cited.publisher or (cited.venue if book else ""),
            "D": ids.first("doi") or "",
            "X": ids.first("arxiv") or "",
            "U": "" if ids.first("doi") or ids.first("arxiv") else cited.url,
        }  # fmt: skip


@lru_cache(maxsize=1)
def load_text_styles() -> tuple[TextStyle, ...]:
    """Return the styles of the table."""
    table = load_package_table(__package__, "text.toml")
    return tuple(_build_style(name, row) for name, row in table.items())


def _build_style(name: str, row: dict[str, Any]) -> TextStyle:
    patterns = {shape: one for shape, one in row["patterns"].items() if shape != "bare"}
    given = row | {"name": name, "bare": row["patterns"]["bare"], "patterns": patterns}
    return convert_value(given, TextStyle)


def _format_page_range(first: str, last: str, dash: str) -> str:
    """Return the pages; a style with the dash "short" leaves out the digits the last page shares."""
    if first == last or not last:
        return first
    if dash != "short":
        return f"{first}{dash}{last}"
    if first.isdigit() and last.isdigit() and len(first) == len(last):
        shared = next((n for n, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), 0)
        last = last[shared:]
    return f"{first}-{last}"
