"""Real venue names: of the works, of abbreviation lists, of .bib files; which of them are held back."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import zstandard

from citeproof.text.latex import strip_latex
from citeproof.text.title import clean
from citeproof.text.venue_name import parse_venue

_FIELD = re.compile(r"^[ \t,]*(?:journal|journaltitle|booktitle)\s*=\s*", re.IGNORECASE | re.MULTILINE)
_SPACE = re.compile(r"\s+")
_MOST = 400  # characters of a name


def read_titles(data: Path) -> Iterator[str]:
    """Yield the titles of the works."""
    for line in _read_lines(data / "records/works.jsonl.zst"):
        yield json.loads(line)["t"]


def read_real_names(data: Path, most: int = 0) -> list[str]:
    """Return the names of venues in the works and in the abbreviation lists, each once, no preprint servers.

    `most`: only those with at most so many works.
    """
    found: dict[str, int] = {}
    for line in _read_lines(data / "records/works.jsonl.zst"):
        for _, venue in json.loads(line).get("p", ()):
            if venue:
                found[venue] = found.get(venue, 0) + 1
    for path in sorted((data / "integrity/abbreviations").glob("*.csv.zst")):
        text = io.StringIO("".join(_read_lines(path)))
        for row in csv.reader(text):
            if row and row[0]:
                found.setdefault(row[0], 1)
    names = (_clean_name(name) for name, count in found.items() if not most or count <= most)
    return [name for name in dict.fromkeys(names) if _is_venue(name)]


def read_bib_names(folder: Path) -> list[str]:
    """Return the names of venues in the .bib files below a folder, each once."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.bib")):
        text = path.read_text("utf-8", errors="replace")
        for match in _FIELD.finditer(text):
            name = _clean_name(_read_value(text, match.end()))
            if name and _is_venue(name):
                found[name] = None
    return list(found)


def is_held_back(name: str, share: float) -> bool:
    """Return whether a name is one of the held-back share."""
    return int(sha256(name.casefold().encode()).hexdigest()[:8], 16) < share * 0x100000000


def _is_venue(name: str) -> bool:
    read = parse_venue(name)
    return bool(name) and not (read.preprint or read.vague or read.series)


def _clean_name(name: str) -> str:
    return _SPACE.sub(" ", clean(strip_latex(name))).strip()[:_MOST]


def _read_value(text: str, at: int) -> str:
    """Return the value in braces or quotes that begins at `at`; empty if there is none."""
    end = min(len(text), at + _MOST)
    if text[at : at + 1] == '"':
        stop = text.find('"', at + 1, end)
        return text[at + 1 : stop] if stop > 0 else ""
    depth = 0
    for place in range(at, end):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[at + 1 : place] if place > at else ""
    return ""


def _read_lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        yield from io.TextIOWrapper(stream, "utf-8")
