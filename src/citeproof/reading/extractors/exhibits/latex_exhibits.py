r"""The figures and tables of a LaTeX document: `\caption` in order gives them the numbers that TeX prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from citeproof.reading.extractors.body.body_writer import MAX_CAPTION
from citeproof.reading.extractors.latex.latex_words import render_paragraphs
from citeproof.text.brace_groups import BraceGroups
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind

MAX_EXHIBITS = 500  # of one work
_STEP = re.compile(
    r"\\(?:(?P<begin>begin)|(?P<close>end))\s{0,3}\{(?P<name>[A-Za-z]{1,40})\*?\}"
    r"|\\(?P<caption>caption(?:of)?)(?P<star>\*?)(?![A-Za-z])"
    r"|\\(?P<unit>chapter|section)(?P<bare>\*?)\s{0,3}[\[{]"
    r"|\\includegraphics\*?\s{0,3}(?:\[[^\]]{0,500}\]\s{0,3})?\{(?P<graphic>[^{}\n]{1,300})\}"
    r"|\\(?P<appendix>appendix)(?![A-Za-z])"
    r"|\\renewcommand\*?\s{0,3}\{?\\the(?P<renewed>figure|table)\}?\s{0,3}\{(?P<prefix>[^{}\\]{0,20})(?P<form>[^{}\n]{0,40})"
    r"|\\setcounter\s{0,3}\{(?P<counter>figure|table)\}\s{0,3}\{(?P<value>\d{1,3})\}"
)
_WITHIN = re.compile(
    r"\\(?:numberwithin|counterwithin\*?)\s{0,3}(?:\[[^\]]{0,40}\])?\{(?:figure|table)\}\s{0,3}\{(chapter|section)\}"
)
_CHAPTERS = re.compile(
    r"\\documentclass\s{0,3}(?:\[[^\]]{0,500}\]\s{0,3})?\{[^{}]{0,60}(?:book|report|thesis|scrreprt|memoir)"
)
_FIGURES = ("figure", "wrapfigure", "SCfigure", "sidewaysfigure", "floatingfigure", "marginfigure")
_TABLES = ("table", "wraptable", "SCtable", "sidewaystable", "longtable", "margintable")
_INNER = ("subfigure", "subtable", "subcaptionblock")
_HOLDERS = dict.fromkeys(_FIGURES, ExhibitKind.FIGURE) | dict.fromkeys(_TABLES, ExhibitKind.TABLE)


@dataclass(slots=True)
class _Counting:
    """The counters while the text is read."""

    unit: str  # chapter or section, in which numbers begin anew; empty: none
    units: int = 0
    lettered: bool = False  # behind \appendix
    counts: dict[ExhibitKind, int] = field(default_factory=dict)
    prefixes: dict[ExhibitKind, str] = field(default_factory=dict)

    def begin_unit(self) -> None:
        self.units += 1
        self.counts.clear()

    def count_next(self, kind: ExhibitKind) -> str:
        """Return the number of the next figure or table."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        number = str(self.counts[kind])
        if kind in self.prefixes:
            return f"{self.prefixes[kind]}{number}"
        if not self.unit or not self.units:
            return number
        return f"{chr(64 + min(self.units, 26))}{number}" if self.lettered else f"{self.units}.{number}"


def find_latex_exhibits(text: str, macros: Mapping[str, str]) -> tuple[Exhibit, ...]:
    """Return the figures and tables of a flattened document, with the file of the first image of each."""
    reader = _LatexReader(text, macros)
    for match in _STEP.finditer(text):
        if len(reader.found) >= MAX_EXHIBITS:
            break
        reader.take_step(match)
    return tuple(reader.found)


class _LatexReader:
    """Walks over environments and captions."""

    def __init__(self, text: str, macros: Mapping[str, str]) -> None:
        self.found: list[Exhibit] = []
        self._text, self._macros = text, macros
        self._groups = BraceGroups(text)
        within = _WITHIN.search(text)
        self._counting = _Counting(within[1] if within else "chapter" if _CHAPTERS.search(text) else "")
        self._open: list[str] = []
        self._graphics: list[str] = []
        self._pending: list[tuple[ExhibitKind, str, str]] = []  # captions of the environment that is open

    def take_step(self, match: re.Match[str]) -> None:
        """Take one command."""
        if match["begin"] and (match["name"] in _HOLDERS or match["name"] in _INNER):
            self._open.append(match["name"])
        elif match["close"] and self._open and match["name"] == self._open[-1]:
            self._open.pop()
            if not self._open:
                self._close_exhibits()
        elif match["caption"]:
            self._take_caption(match)
        elif match["graphic"] and self._open:
            self._graphics.append(match["graphic"].strip())
        else:
            counting = self._counting
            if match["unit"] and match["unit"] == counting.unit and not match["bare"]:
                counting.begin_unit()
            elif match["appendix"]:
                counting.lettered, counting.units = True, 0
            elif match["renewed"] and "arabic" in match["form"]:
                counting.prefixes[ExhibitKind(match["renewed"])] = match["prefix"].strip()
            elif match["counter"]:
                counting.counts[ExhibitKind(match["counter"])] = int(match["value"])

    def _take_caption(self, match: re.Match[str]) -> None:
        start = match.end()
        holder = next((name for name in reversed(self._open) if name in _HOLDERS), "")
        if match["caption"] == "captionof":
            end = self._groups.past_group(start)
            named = self._text[start:end].strip(" {}\n")
            start, holder = end, named if named in _HOLDERS else ""
        inner = bool(self._open) and self._open[-1] in _INNER
        if not holder or inner or match["star"]:
            return
        begin = self._groups.past_options(start)
        end = self._groups.past_group(begin)
        if end == begin:
            return
        words = " ".join(render_paragraphs(self._text[begin + 1 : end - 1], self._macros))[:MAX_CAPTION]
        kind = _HOLDERS[holder]
        self._pending.append((kind, self._counting.count_next(kind), words))
        if not self._open:
            self._close_exhibits()

    def _close_exhibits(self) -> None:
        """Add the captions of an environment, each with its share of the images in order."""
        share = max(1, len(self._graphics) // max(len(self._pending), 1))
        for index, (kind, number, words) in enumerate(self._pending):
            graphic = self._graphics[index * share] if index * share < len(self._graphics) else ""
            label = f"{kind.value.capitalize()} {number}"
            self.found.append(Exhibit(kind, number, label, words, graphic=graphic))
        self._pending, self._graphics = [], []
