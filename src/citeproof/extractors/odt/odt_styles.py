"""What the styles of an OpenDocument text say about its paragraphs, spans and lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citeproof.extractors.office.printed_lists import is_entry_style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

_CHAIN = 20  # styles that may be based on each other
_ESCAPED = re.compile(r"_([0-9a-f]{2})_")


def get_local_attribute(element: etree._Element, name: str) -> str:
    """Return the attribute of that local name; no element here has two of one name."""
    direct = element.get(name)
    if direct is not None:
        return str(direct)
    return next((str(value) for key, value in element.items() if key.endswith(f"}}{name}")), "")


@dataclass(frozen=True, slots=True)
class OdtStyle:
    """What one paragraph or character style says; None where it says nothing."""

    names: tuple[str, ...] = ()  # its own and those of the styles it is based on
    raised: bool | None = None
    bold: bool | None = None
    hidden: bool | None = None

    @property
    def entry(self) -> bool:
        return any(is_entry_style(name) for name in self.names)


@dataclass(slots=True)
class OdtStyles:
    """Styles by name, and per list style which levels count and from where."""

    styles: dict[str, OdtStyle] = field(default_factory=dict)
    lists: dict[str, dict[int, int]] = field(default_factory=dict)

    def get_style(self, name: str) -> OdtStyle:
        """Return the style of that name, an empty one if the document does not define it."""
        return self.styles.get(name) or OdtStyle((_unescape_style_name(name),) if name else ())


def read_odt_styles(*roots: etree._Element | None) -> OdtStyles:
    """Return what the styles of all these parts say; the part that comes first wins."""
    loaded = OdtStyles()
    raw: dict[str, etree._Element] = {}
    for root in roots:
        for style in root.iter("style") if root is not None else ():
            raw.setdefault(get_local_attribute(style, "name"), style)
        for style in root.iter("list-style") if root is not None else ():
            loaded.lists.setdefault(get_local_attribute(style, "name"), dict(_read_odt_levels(style)))
    loaded.styles = {name: _build_odt_style(name, raw) for name in raw}
    return loaded


def _build_odt_style(name: str, raw: dict[str, etree._Element]) -> OdtStyle:
    chain: list[etree._Element] = []
    names: list[str] = []
    while name in raw and len(chain) < _CHAIN:
        chain.append(raw[name])
        names.append(get_local_attribute(raw[name], "display-name") or _unescape_style_name(name))
        name = get_local_attribute(raw[name], "parent-style-name")
    if name:
        names.append(_unescape_style_name(name))
    texts = [text for style in chain if (text := style.find("text-properties")) is not None]

    def first(name: str, yes: tuple[str, ...]) -> bool | None:
        said = next((value for text in texts if (value := get_local_attribute(text, name))), "")
        return said.startswith(yes) if said else None

    return OdtStyle(
        tuple(names)[:_CHAIN],
        first("text-position", ("super",)),
        first("font-weight", ("bold", "6", "7", "8", "9")),
        first("display", ("none",)),
    )


def _read_odt_levels(style: etree._Element) -> Iterator[tuple[int, int]]:
    """Yield each level of a list style that counts in numbers, with where it starts."""
    for element in style.iter("list-level-style-number"):
        level, start = get_local_attribute(element, "level"), get_local_attribute(element, "start-value")
        if level.isdecimal() and len(level) < 3 and get_local_attribute(element, "num-format") == "1":
            yield int(level), int(start) if start.isdecimal() and len(start) < 6 else 1


def _unescape_style_name(name: str) -> str:
    """Return a style's name with the characters it escapes: `Bibliography_20_1` ⇒ "Bibliography 1"."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name[:200])
