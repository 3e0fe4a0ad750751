"""Citations as printed reference lists have them, by the patterns of `text.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

import msgspec

from citeproof.measure.makers.cited import Cited
from citeproof.measure.rendering.names import Listing, listed
from citeproof.measure.rendering.patterns import filled
from citeproof.measure.rendering.seen import Printing
from citeproof.measure.rendering.shapes import on_arxiv, shape
from citeproof.measure.rendering.tidy import tidied
from citeproof.measure.rendering.titles import cased
from citeproof.measure.rendering.venues import venue
from citeproof.text.pages import span

_INSTEAD = {"preprint": "other", "report": "book", "other": "book", "thesis": "book"}
_SPACE = re.compile(r"\s{2,}")


@dataclass(frozen=True, slots=True)
class TextStyle(Printing):
    """One style: how it lists people, writes titles, venues and pages, and its pattern for each shape."""

    name: str
    people: Listing
    patterns: Mapping[str, str]
    bare: str  # the pattern of works without authors
    case: str = ""
    venue: str = ""
    pages: str = "–"
    form: Literal["text"] = "text"

    def render(self, cited: Cited, key: str = "") -> str:  # noqa: ARG002 - printed lists have no keys
        """Return the citation; empty if the work has no title."""
        cited = tidied(cited)
        if not cited.title:
            return ""
        fields = self._fields(cited)
        text = next((t for p in self._fitting(cited) if (t := filled(p, fields))), "")
        return _SPACE.sub(" ", text)

    def _fitting(self, cited: Cited) -> tuple[str, ...]:
        wanted = shape(cited)
        chain = [wanted] if wanted in self.patterns else []
        if wanted == "preprint" and not on_arxiv(cited):
            chain = []
        chain += [other for other in (_INSTEAD.get(wanted, ""), "book") if other in self.patterns]
        return (*(self.patterns[each] for each in chain), self.bare)

    def _fields(self, cited: Cited) -> dict[str, str]:
        ids = cited.ids
        place = venue(cited.venue, self.venue)
        book = shape(cited) in {"book", "report", "thesis"}
        first, last = span(cited.pages) or ("", "")
        pages = _range(first, last, self.pages)
        return {
            "A": listed(cited.people, self.people),
            "T": cased(cited.title, self.case),
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
def text_styles() -> tuple[TextStyle, ...]:
    """Return the styles of the table."""
    table = tomllib.loads(resources.files(__package__).joinpath("text.toml").read_text("utf-8"))
    return tuple(_style(name, row) for name, row in table.items())


def _style(name: str, row: dict[str, Any]) -> TextStyle:
    bare = row["patterns"].pop("bare")
    return msgspec.convert({"name": name, "bare": bare, **row}, TextStyle)


def _range(first: str, last: str, dash: str) -> str:
    """Return the pages; a style with the dash "short" leaves out the digits the last page shares."""
    if first == last or not last:
        return first
    if dash != "short":
        return f"{first}{dash}{last}"
    if first.isdigit() and last.isdigit() and len(first) == len(last):
        shared = next((n for n, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), 0)
        last = last[shared:]
    return f"{first}-{last}"
