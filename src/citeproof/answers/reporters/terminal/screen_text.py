"""Lines of text for a terminal of some width, with or without colours.

Document text is shown as it is, never read as markup, and its control characters are spelled out; wrapped
behind its label it can forge no frame. Colour repeats what symbols and words already say, so nothing is lost
without it.

rich knows widths and colours here; its tables and padding are left alone, because laying out a
block with them took longer (3.3 ms) than verifying the reference.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len, chop_cells
from rich.color import ColorSystem
from rich.style import Style

from citeproof.answers.reporters import wording
from citeproof.vocabulary.quick_dataclass import dataclass

INDENT = 4
NARROWEST = 30


@dataclass(frozen=True, slots=True)
class ScreenText:
    """How wide lines may be, and whether they have colours."""

    colour: bool = False
    width: int = 100

    def format_labelled(self, label: str, text: str, style: str = "") -> Iterator[str]:
        """Yield `label: text`, where there is a text; further lines are under its first."""
        return self.wrap(wording.show_line(text), style, head=f"{label}: ", indent=0)

    def format_hanging(self, row: str) -> Iterator[str]:
        """Yield a row of the block of code citations; what does not fit stands further in than it."""
        first = len(row) - len(row.lstrip())
        for n, line in enumerate(wrap_text(row.lstrip(), max(NARROWEST, self.width - first - 4))):
            yield " " * (first + 4 * bool(n)) + line

    def wrap(self, text: str, style: str = "", *, head: str = "", indent: int = INDENT) -> Iterator[str]:
        """Yield `text` in lines that fit; the first begins with `head`, the others are under it."""
        margin = indent + len(head)
        for n, line in enumerate(wrap_text(text, max(NARROWEST, self.width - margin)) if text else ()):
            before = " " * indent + head if n == 0 else " " * margin
            yield before + self.paint(line, style)

    def paint(self, text: str, style: str) -> str:
        if not self.colour or not style:
            return text
        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def wrap_text(text: str, width: int) -> list[str]:
    """Return `text` in lines of at most `width` columns; wide scripts count two a character."""
    if 0 < len(text) <= width and text.isascii() and text.isprintable() and text[0] != " " != text[-1]:
        return [text]  # most are short, and wrapping them costs more than all else in a report
    if cell_len(text) == len(text):
        return list(_wrap_narrow(text, width))
    return [line.strip() for line in _wrap_wide(text.split(), width)]


@lru_cache(maxsize=256)  # thousands of references may all say why they could not be checked
def _wrap_narrow(text: str, width: int) -> tuple[str, ...]:
    return tuple(textwrap.wrap(text, width, break_on_hyphens=False))


def _wrap_wide(parts: list[str], width: int) -> Iterator[str]:
    line = ""
    for part in (piece for word in parts for piece in chop_cells(word, width)):
        if line and cell_len(line) + 1 + cell_len(part) > width:
            yield line
            line = part
        else:
            line = f"{line} {part}" if line else part
    yield line


def cut_front_to_width(text: str, width: int) -> str:
    """Return the end of a text that is too long: of a place, the name of the file and the line."""
    return text if cell_len(text) <= width else f"…{chop_cells(text[::-1], width - 1)[0][::-1]}"


def cut_to_width(text: str, width: int) -> str:
    return text if cell_len(text) <= width else f"{chop_cells(text, width - 1)[0]}…"
