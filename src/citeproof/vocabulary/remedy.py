"""What is to be done about an issue of a document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Act(StrEnum):
    """What a remedy does to the document."""

    REPLACE = "replace"  # the span becomes `text`
    REMOVE = "remove"  # the span goes; a comment that says `text` stays
    TODO = "todo"  # the span stays; a TODO comment that says `text` comes behind it
    ANNOTATE = "annotate"  # the span stays; `text` itself comes behind it


@dataclass(frozen=True, slots=True)
class Remedy:
    """What --fix does about an issue; places are characters of the document's text, from 0."""

    act: Act
    start: int
    end: int
    text: str
    kept: tuple[int, int] | None = None  # REMOVE: the text of this span stays in place of the whole
    stand: str = ""  # REMOVE: what is in its place, where the sentence would fall apart without
