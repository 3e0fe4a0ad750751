"""References in the rows of a Markdown table: columns for title, authors, year, DOI."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY, EntrySegment, is_likely_reference
from citeproof.reading.extractors.prose.field_records import load_field_names
from citeproof.reading.extractors.prose.markdown_words import strip_markdown
from citeproof.reading.extractors.prose.text_lines import TextLine
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import lazy_patterns as re

_RULE = re.compile(r"\s{0,3}\|?(?:\s{0,9}:?-{2,200}:?\s{0,9}\|){1,40}(?:\s{0,9}:?-{2,200}:?\s{0,9})?$")
_CELL = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"\[([^\[\]\n]{1,1000})\]\(([^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)\)")
_MENTION = re.compile(
    r"[^\W\d_][\w'’-]{1,30}(?:\set al\.?|\s(?:and|&)\s[^\W\d_][\w'’-]{1,30})?,?"
    r"(?:\s?\(?(?:1[5-9]|20)\d\d[a-z]?\)?)?"
)
_MOST_CELLS = 40


def read_table_rows(lines: list[TextLine], used: set[int]) -> list[EntrySegment]:
    """Return the references of tables that have a column for them; their lines go into `used`."""
    found: list[EntrySegment] = []
    for rule, last in _find_tables(lines, used):
        columns = _read_columns(lines[rule - 1].text)
        if columns is not None:
            used.update(range(rule - 1, last + 1))
            found += [one for line in lines[rule + 1 : last + 1] if (one := _read_table_row(line, columns))]
    return found


def find_table_lines(lines: list[TextLine]) -> set[int]:
    """Return the lines of all tables: a rule, the line above it, and the rows below."""
    return {line for rule, last in _find_tables(lines, set()) for line in range(rule - 1, last + 1)}


def _find_tables(lines: list[TextLine], used: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the rule and the last row of each table whose rule nothing else has used."""
    last = 0
    for rule in range(1, len(lines)):
        if rule > last and rule not in used and "|" in lines[rule].text and _RULE.match(lines[rule].text):
            last = rule
            while last + 1 < len(lines) and "|" in lines[last + 1].text:
                last += 1
            yield rule, last


def _read_columns(header: str) -> dict[int, str] | None:
    """Return which column holds which field; None if the table lists no references."""
    columns: dict[int, str] = {}
    for index, cell in _split_cells(header):
        field = load_field_names().get(cell.strip("*_ ").lower())
        if field and field not in columns.values():
            columns[index] = field
    fields = set(columns.values())
    described = "title" in fields and bool(fields & {"authors", "doi", "year"})
    return columns if described or "citation" in fields else None


def _split_cells(row: str) -> Iterator[tuple[int, str]]:
    cells = _CELL.split(row.strip().removeprefix("|").removesuffix("|"))
    for index, cell in enumerate(cells[:_MOST_CELLS]):
        yield index, cell.replace("\\|", "|").strip()


def _read_table_row(line: TextLine, columns: dict[int, str]) -> EntrySegment | None:
    fields = {columns[index]: cell for index, cell in _split_cells(line.text) if index in columns and cell}
    number = fields.pop("number", "").strip("[]. ")
    label = number if number.isdecimal() else ""
    start = line.start + line.indent
    if citation := fields.get("citation"):
        return EntrySegment(citation[:MAX_ENTRY], start, line.end, label)
    link = _LINK.search(fields.get("title", ""))
    if link:
        fields["title"], fields["doi"] = link[1], f"{link[2]} {fields.get('doi', '')}"
    title = strip_markdown(fields.get("title", "")).strip('*_"“” ')
    if not any(sign.isalpha() for sign in title):
        return None
    if _MENTION.fullmatch(title) and not fields.keys() & {"authors", "journal", "doi"}:
        return None  # a table of results: "Smith et al. | 2010 | 20" names a study of the text
    text = line.text.strip().strip("|").strip()[:MAX_ENTRY]
    if "authors" not in fields and is_likely_reference(title) and "et al" in title:
        return EntrySegment(title, start, line.end, label)
    return EntrySegment(text, start, line.end, label, build_claimed_fields({**fields, "title": title}, text))
