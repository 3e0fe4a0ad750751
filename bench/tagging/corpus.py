"""Tagged references as texts with a label for each character, and the splits used to measure.

A row of a corpus file has `id`, `tokens`, `space` ('1': a space stands before the token) and `labels`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import zstandard

from citeproof.reading.parse.citation_reader import strip_markup

FULL_WIDTH = frozenset("，。：；（）．、")
MARKUP = 30  # characters of markup that may be taken out at one place
HELD_OUT = 10  # one in so many source files (GROBID) or references (anystyle) is held out


@dataclass(frozen=True, slots=True)
class Tagged:
    """A citation string and the label of each of its characters ("" for white space)."""

    id: str
    text: str
    labels: tuple[str, ...]

    @property
    def source(self) -> str:
        """The project and file the reference comes from."""
        return self.id.rpartition("/")[0]


def load(path: Path) -> Iterator[Tagged]:
    """Yield the references of a JSON-lines file, compressed or not."""
    with path.open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file) if path.suffix == ".zst" else file
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            yield from_row(json.loads(line))


def from_row(row: dict[str, Any]) -> Tagged:
    """Return the row's text and the labels of its characters."""
    text, labels = "", []
    for token, space, label in zip(row["tokens"], row["space"], row["labels"], strict=True):
        if space == "1" and text:
            text += " "
            labels.append("")
        text += token
        labels.extend([label] * len(token))
    return Tagged(row["id"], text, tuple(labels))


def cleaned(one: Tagged) -> Tagged:
    """Return the reference as the parser sees it: its text without markup, spaces put right."""
    text = strip_markup(one.text)
    labels: list[str] = []
    at = 0
    for char in text:
        if char.isspace():
            labels.append("")
            continue
        while one.text[at : at + 1].isspace():
            at += 1
        # a Chinese comma stands for the one that `plain` wrote
        found = at if one.text[at : at + 1] in FULL_WIDTH else one.text.find(char, at, at + MARKUP)
        labels.append("O" if found < 0 else one.labels[found] or "O")  # a mark `plain` put in is no field's
        at = max(at, found + 1)
    return Tagged(one.id, text, tuple(labels))


# Locators that were tagged as one: the label, its parts, and what they are.
_GLUED = (
    ("volume", re.compile(r"(?:\d{1,2} )?((?:1[6-9]|20)\d\d)\s?;\s?(\d{1,4})"), ("date", "volume")),
    (
        "issue",
        re.compile(r"(\d{1,4}[A-Z]?(?:[-/]\d{1,3})?)\)\s?:?\s?([A-Za-z]?\d[\d–-]{0,14}\d)"),
        ("issue", "pages"),
    ),
)


def corrected(one: Tagged) -> Tagged:
    """Return the reference with locators apart that were tagged as one: "2002;11", "1):183–269".

    For training only; what is measured against stays as it was tagged.
    """
    labels = list(one.labels)
    for label, pattern, parts in _GLUED:
        found = value(one, label)
        match = pattern.fullmatch(found)
        if match is None:
            continue
        start = one.text.index(found, labels.index(label))
        labels[start : start + len(found)] = ["" if char.isspace() else "O" for char in found]
        for group, part in enumerate(parts, 1):
            first, last = match.span(group)
            labels[start + first : start + last] = [part] * (last - first)
    return Tagged(one.id, one.text, tuple(labels))


def tidied(one: Tagged) -> Tagged:
    """Return the reference without the markup that some corpora carry: it is no part of a field."""
    keep = [True] * len(one.text)
    for tag in re.finditer(r"</?[a-z]{1,10}>", one.text):
        keep[tag.start() : tag.end()] = [False] * (tag.end() - tag.start())
    if all(keep):
        return one
    text = "".join(c for c, kept in zip(one.text, keep, strict=True) if kept)
    return Tagged(one.id, text, tuple(label for label, kept in zip(one.labels, keep, strict=True) if kept))


def held_out(one: Tagged) -> bool:
    """Return whether the reference is kept for measuring: whole GROBID files, some of each anystyle file."""
    unit = one.source if one.id.startswith("grobid/") else one.id
    return int(sha256(unit.encode()).hexdigest(), 16) % HELD_OUT == 0


def split(rows: Iterable[Tagged]) -> tuple[list[Tagged], list[Tagged]]:
    """Return what may be trained on and what is held out."""
    train: list[Tagged] = []
    test: list[Tagged] = []
    for row in rows:
        (test if held_out(row) else train).append(row)
    return train, test


def value(one: Tagged, label: str) -> str:
    """Return the first unbroken stretch of one label."""
    start = next((at for at, found in enumerate(one.labels) if found == label), None)
    if start is None:
        return ""
    end = start
    for at in range(start, len(one.labels)):
        if one.labels[at] == label:
            end = at + 1
        elif one.labels[at]:
            break
    return one.text[start:end]
