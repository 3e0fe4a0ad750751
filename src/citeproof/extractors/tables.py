"""References in the rows of a Markdown table: columns for title, authors, year, DOI."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from citeproof.extractors.labels import claimed
from citeproof.extractors.lines import Line
from citeproof.extractors.segments import MAX_ENTRY, Segment, looks_whole

_RULE = re.compile(r"\s{0,3}\|?(?:\s{0,9}:?-{2,200}:?\s{0,9}\|){1,40}(?:\s{0,9}:?-{2,200}:?\s{0,9})?$")
_CELL = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"\[([^\[\]\n]{1,1000})\]\(([^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)\)")
_MENTION = re.compile(
    r"[^\W\d_][\w'’-]{1,30}(?:\set al\.?|\s(?:and|&)\s[^\W\d_][\w'’-]{1,30})?,?"
    r"(?:\s?\(?(?:1[5-9]|20)\d\d[a-z]?\)?)?"
)
_MOST_CELLS = 40


def rows(lines: list[Line], used: set[int]) -> list[Segment]:
    """Return the references of tables that have a column for them; their lines go into `used`."""
    found: list[Segment] = []
    for index in range(1, len(lines)):
        if index in used or "|" not in lines[index].text or not _RULE.match(lines[index].text):
            continue
        columns = _columns(lines[index - 1].text)
        if columns is None:
            continue
        last = _last(lines, index)
        used.update(range(index - 1, last + 1))
        found += [one for line in lines[index + 1 : last + 1] if (one := _row(line, columns))]
    return found


def tabled(lines: list[Line]) -> set[int]:
    """Return the lines of all tables: a rule, the line above it, and the rows below."""
    found: set[int] = set()
    for index in range(1, len(lines)):
        if index in found or "|" not in lines[index].text or not _RULE.match(lines[index].text):
            continue
        found.update(range(index - 1, _last(lines, index) + 1))
    return found


def _last(lines: list[Line], rule: int) -> int:
    last = rule
    while last + 1 < len(lines) and "|" in lines[last + 1].text:
        last += 1
    return last


def _columns(header: str) -> dict[int, str] | None:
    """Return which column holds which field; None if the table lists no references."""
    columns: dict[int, str] = {}
    for index, cell in _cells(header):
        field = _names().get(cell.strip("*_ ").lower())
        if field and field not in columns.values():
            columns[index] = field
    fields = set(columns.values())
    described = "title" in fields and bool(fields & {"authors", "doi", "year"})
    return columns if described or "citation" in fields else None


def _cells(row: str) -> Iterator[tuple[int, str]]:
    cells = _CELL.split(row.strip().removeprefix("|").removesuffix("|"))
    for index, cell in enumerate(cells[:_MOST_CELLS]):
        yield index, cell.replace("\\|", "|").strip()


def _row(line: Line, columns: dict[int, str]) -> Segment | None:
    fields = {columns[index]: cell for index, cell in _cells(line.text) if index in columns and cell}
    number = fields.pop("number", "").strip("[]. ")
    label = number if number.isdecimal() else ""
    start = line.start + line.indent
    if citation := fields.get("citation"):
        return Segment(citation[:MAX_ENTRY], start, line.end, label)
    link = _LINK.search(fields.get("title", ""))
    if link:
        fields["title"], fields["doi"] = link[1], f"{link[2]} {fields.get('doi', '')}"
    title = fields.get("title", "").strip('*_"“” ')
    if not any(sign.isalpha() for sign in title):
        return None
    if _MENTION.fullmatch(title) and not fields.keys() & {"authors", "journal", "doi"}:
        return None  # a table of results: "Smith et al. | 2010 | 20" names a study of the text
    text = line.text.strip().strip("|").strip()[:MAX_ENTRY]
    if "authors" not in fields and looks_whole(title) and "et al" in title:
        return Segment(title, start, line.end, label)
    return Segment(text, start, line.end, label, claimed({**fields, "title": title}, text))


@cache
def _names() -> dict[str, str]:
    source = files("citeproof.extractors").joinpath("table_columns.toml").read_text("utf-8")
    return {name: field for field, listed in tomllib.loads(source).items() for name in listed}
