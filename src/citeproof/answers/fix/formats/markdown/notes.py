"""What is written into a document: comments and annotations that can be nothing else there."""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_one_line

MOST = 200  # characters of what a comment says
_DASHES = re.compile("-(?=-)")
_MARKER = re.compile(r"[ \t]{0,9}(?:\r?\n[ \t>]{0,40})?(\[[A-Z][A-Z_-]{1,30}:[^\[\]\r\n]{0,200}\])")
_NOTE = re.compile(r"[\s.,;:!?)\]]{0,9}<!-- ((?:TODO\()?citeproof\)?: [^>]{1,400})-->")
_LINES = re.compile(r"[ \t]{0,3}\(L\d{1,9}(?:[-–]L?\d{1,9})?\)")
_HARMLESS = str.maketrans({">": "›", "`": "'"})


def format_removal_note(said: str, raw: str, *, cell: bool = False) -> str:
    """Return the comment that stays where a citation was."""
    said = said or raw
    return _format_comment("citeproof:", said if said.startswith("removed") else f"removed {said}", cell=cell)


def format_todo_note(said: str, *, cell: bool = False) -> str:
    """Return the comment that asks for something to be done."""
    return _format_comment("TODO(citeproof):", said.removeprefix("TODO(citeproof):"), cell=cell)


def format_annotation(said: str, *, cell: bool = False) -> str:
    """Return words that are in the text itself, on one line and bounded."""
    return _bound_text(said, cell=cell)


def format_replacement(said: str) -> str:
    """Return words that take the place of others: as they are, but on one line."""
    return said if said.isprintable() else show_one_line(said)


def find_annotation_place(text: str, at: int, end: int, said: str) -> int | None:
    """Return where an annotation goes: behind those that are there; None if it is one of them."""
    if lines := _LINES.match(text, at, end):
        at = lines.end()  # `path@hash` (L4-9) in a list of sources
    while match := _MARKER.match(text, at, end):
        if match[1] == said:
            return None
        at = match.end()
    return at


def has_todo_note(text: str, at: int, end: int, named: str) -> bool:
    """Return whether a TODO about what is named follows at once, behind no more than stops and notes."""
    while match := _NOTE.match(text, at, end):
        if (
            match[1].startswith("TODO(citeproof):")
            and _bound_text(named, cell=False).translate(_HARMLESS) in match[1]
        ):
            return True
        at = match.end()
    return False


def _format_comment(lead: str, said: str, *, cell: bool) -> str:
    """Return an HTML comment that ends where it ends: no other dashes, brackets or backticks in it."""
    safe = _DASHES.sub("- ", _bound_text(said, cell=cell).translate(_HARMLESS)).rstrip("-")
    return f"<!-- {lead} {safe.strip()} -->"


def _bound_text(said: str, *, cell: bool) -> str:
    line = show_one_line(said)
    line = line if len(line) <= MOST else line[: MOST - 1].rstrip() + "…"
    return line.replace("|", "¦") if cell else line
