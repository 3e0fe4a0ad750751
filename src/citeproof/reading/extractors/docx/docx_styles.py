"""What the styles and list definitions of a Word document say about its paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citeproof.reading.extractors.office.printed_lists import is_entry_style

if TYPE_CHECKING:
    from lxml import etree

NAMESPACES = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik)\s?([1-9])", re.IGNORECASE)
_FIGURES = ("decimal", "decimalZero", "decimalFullWidth")
_CHAIN = 20  # styles that may be based on each other
_MAX_COUNT = 100_000


def get_word_attribute(element: etree._Element | None, name: str) -> str:
    """Return one of Word's attributes, in either of the two namespaces it is written in."""
    if element is None:
        return ""
    return next((value for ns in NAMESPACES if (value := element.get(ns + name)) is not None), "")


def read_switch(properties: etree._Element | None, name: str) -> bool | None:
    """Return whether a property such as bold is switched on, None if it is not mentioned."""
    switch = properties.find(name) if properties is not None else None
    off = ("0", "false", "off", "none")
    return None if switch is None else get_word_attribute(switch, "val").lower() not in off


@dataclass(frozen=True, slots=True)
class DocxStyle:
    """What one paragraph or character style says."""

    name: str = ""
    level: int = 0  # of a heading
    bold: bool = False
    raised: bool = False
    hidden: bool = False
    counted: tuple[str, int] | None = None  # list and level

    @property
    def contents(self) -> bool:
        return self.name.lower().startswith(("toc ", "contents ", "index "))

    @property
    def entry(self) -> bool:
        return is_entry_style(self.name)


@dataclass(slots=True)
class DocxStyles:
    """The styles by id and the lists by number, and how far each list has counted."""

    styles: dict[str, DocxStyle] = field(default_factory=dict)
    lists: dict[str, tuple[str, dict[int, tuple[bool, int]]]] = field(default_factory=dict)
    _counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def label(self, number: str, level: int) -> str:
        """Return the number that the next paragraph of a list gets, empty if the list has bullets."""
        family, levels = self.lists.get(number, ("", {}))
        decimal, start = levels.get(level, (False, 1))
        if not decimal:
            return ""
        count = self._counts.get((family, level), start - 1) + 1
        self._counts[family, level] = min(count, _MAX_COUNT)
        return str(count)


def read_docx_styles(styles: etree._Element | None, numbering: etree._Element | None) -> DocxStyles:
    """Return what `styles.xml` and `numbering.xml` say; each may be missing."""
    loaded = DocxStyles()
    if styles is not None:
        raw = {get_word_attribute(style, "styleId"): style for style in styles.findall("style")}
        loaded.styles = {key: _build_docx_style(key, raw) for key in raw if key}
    if numbering is not None:
        loaded.lists = _read_lists(numbering)
    return loaded


def _build_docx_style(key: str, raw: dict[str, etree._Element]) -> DocxStyle:
    """Return a style with what it takes over from those it is based on."""
    chain: list[etree._Element] = []
    at = key
    while at in raw and len(chain) < _CHAIN:
        chain.append(raw[at])
        at = get_word_attribute(raw[at].find("basedOn"), "val")
    run = [style.find("rPr") for style in chain]
    paragraph = [style.find("pPr") for style in chain]
    name = get_word_attribute(chain[0].find("name"), "val")[:200]
    return DocxStyle(
        name=name,
        level=next(filter(None, map(_read_heading_level, paragraph, chain)), 0),
        bold=next((bold for r in run if (bold := read_switch(r, "b")) is not None), False),
        raised=any(
            get_word_attribute(style.find("rPr/vertAlign"), "val") == "superscript" for style in chain
        ),
        hidden=next((gone for r in run if (gone := read_switch(r, "vanish")) is not None), False),
        counted=next(filter(None, map(find_list_level, paragraph)), None),
    )


def _read_heading_level(properties: etree._Element | None, style: etree._Element) -> int:
    named = _HEADING.match(get_word_attribute(style.find("name"), "val")[:200])
    if named:
        return int(named[1])
    outline = get_word_attribute(properties.find("outlineLvl"), "val") if properties is not None else ""
    return int(outline) + 1 if outline.isdecimal() and int(outline) < 9 else 0


def find_list_level(properties: etree._Element | None) -> tuple[str, int] | None:
    """Return the list and level that number a paragraph, None if none does."""
    numbered = properties.find("numPr") if properties is not None else None
    if numbered is None:
        return None
    level = get_word_attribute(numbered.find("ilvl"), "val")
    depth = int(level) if level.isdecimal() and len(level) < 3 else 0
    return get_word_attribute(numbered.find("numId"), "val"), depth


def _read_lists(numbering: etree._Element) -> dict[str, tuple[str, dict[int, tuple[bool, int]]]]:
    """Return for each list its family, and per level whether it counts in figures and from where."""
    abstract = {
        get_word_attribute(family, "abstractNumId"): _read_docx_levels(family)
        for family in numbering.findall("abstractNum")
    }
    lists: dict[str, tuple[str, dict[int, tuple[bool, int]]]] = {}
    for element in numbering.findall("num"):
        number = get_word_attribute(element, "numId")
        family = get_word_attribute(element.find("abstractNumId"), "val")
        levels = dict(abstract.get(family, {}))
        again = element.findall("lvlOverride")
        for override in again:
            start = get_word_attribute(override.find("startOverride"), "val")
            level = get_word_attribute(override, "ilvl")
            if start.isdecimal() and level.isdecimal() and len(start) < 6 and len(level) < 3:
                levels[int(level)] = (levels.get(int(level), (False, 1))[0], int(start))
        lists[number] = (f"list {number}" if again else family, levels)
    return lists


def _read_docx_levels(abstract: etree._Element) -> dict[int, tuple[bool, int]]:
    levels: dict[int, tuple[bool, int]] = {}
    for level in abstract.findall("lvl"):
        index, start = get_word_attribute(level, "ilvl"), get_word_attribute(level.find("start"), "val")
        if index.isdecimal() and len(index) < 3:
            decimal = get_word_attribute(level.find("numFmt"), "val") in _FIGURES
            levels[int(index)] = (decimal, int(start) if start.isdecimal() and len(start) < 6 else 1)
    return levels
