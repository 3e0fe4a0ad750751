"""One BibTeX entry with the place of everything in it, and the habits of the one who wrote it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from citeproof.answers.fix.text_edits import TextEdit
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_scanner import BibtexEntry
from citeproof.text.bibtex_value import QUOTED, BibtexMacros, find_closing_brace, read_value

_HEAD = re.compile(r"@\s*+([A-Za-z][\w-]{0,40}+)\s*+([{(])\s*+")
_NAME = re.compile(r"([^\s=,{}()\"#%@]++)\s*+=\s*+")
_GAP = re.compile(r"(?:[\s,]++|%[^\n]*+)*+")
_COMMA = re.compile(r"\s*+,")
_BLANKS = re.compile(r"[ \t\r]*+")
_SPACE = re.compile(r"\s*+")
_QUOTED = re.compile(QUOTED, re.DOTALL)
_LONGEST_GAP = 200  # characters between two fields that are taken as a habit


@dataclass(frozen=True, slots=True)
class BibtexField:
    """One field: its name as written, and the spans of name, whole value and what the value holds."""

    name: str
    start: int
    value: int
    end: int  # behind the value
    low: int  # the value without its delimiters; the same as `value` and `end` if it has none
    high: int

    @property
    def bare(self) -> bool:
        """A number, a macro, or several parts joined by #."""
        return self.low == self.value


class LocatedEntry:
    """An entry in its text. None of it is trusted: an edited entry is read again."""

    def __init__(self, text: str, entry: BibtexEntry, macros: BibtexMacros) -> None:
        self.text = text
        self.entry = entry
        self.fields: list[BibtexField] = []
        head = _HEAD.match(text, entry.start, entry.end)
        hidden = any("% before it" in problem for problem in entry.problems)  # its lines are commented out
        self.sound = head is not None and not hidden and self._walk(head.end(), macros)
        self.type = (head.start(1), head.end(1)) if head else (entry.start, entry.start)

    def _walk(self, at: int, macros: BibtexMacros) -> bool:
        """Locate the fields; return whether they are those that the scanner read."""
        text, stop = self.text, self.entry.end - 1
        at = self._past_key(at)
        values: dict[str, str] = {}
        while (at := _skip_pattern(_GAP, text, at, stop)) < stop:
            name = _NAME.match(text, at, stop)
            read = read_value(text, name.end(), stop, macros) if name else None
            if name is None or read is None:
                return False
            end = name.end() + len(text[name.end() : read[1]].rstrip())
            self.fields.append(
                BibtexField(
                    name[1], name.start(), name.end(), end, *_find_content_span(text, name.end(), end)
                )
            )
            values.setdefault(name[1].lower(), read[0])
            at = read[1]
        return bool(self.fields) and values == self.entry.fields

    def _past_key(self, at: int) -> int:
        comma = self.text.find(",", at, self.entry.end)
        return comma if comma >= 0 else at

    def field(self, name: str) -> BibtexField | None:
        """Return the field `name`, the one that counts if there are two."""
        return next((field for field in self.fields if field.name.lower() == name), None)

    def read_value(self, field: BibtexField) -> str:
        """Return what a value holds, without its delimiters."""
        return self.text[field.low : field.high]

    def add_field(self, name: str, value: str, newline: str) -> TextEdit:
        """Return the edit that adds a field behind the last one, in the style of the entry."""
        last = self.fields[-1]
        styled = self._match_letter_case(name) + self._equals(last, name) + self._delimit_value(value)
        gap = self._gap(newline)
        if comma := _COMMA.match(self.text, last.end, self.entry.end - 1):
            return TextEdit(comma.end(), comma.end(), f"{gap.replace(',', '', 1)}{styled},")
        return TextEdit(last.end, last.end, gap + styled)

    def remove_field(self, field: BibtexField) -> TextEdit:
        """Return the edit that takes a field out, with its comma and its line."""
        text = self.text
        line = text.rfind("\n", 0, field.start) + 1
        comma = _COMMA.match(text, field.end, self.entry.end - 1)
        if comma and not text[line : field.start].strip():
            rest = _skip_pattern(_BLANKS, text, comma.end(), self.entry.end)
            if text.startswith("\n", rest):
                return TextEdit(line, rest + 1, "")
        if comma:
            return TextEdit(field.start, _skip_pattern(_SPACE, text, comma.end(), self.entry.end - 1), "")
        before = text.rfind(",", self.entry.start, field.start)
        at = self.fields.index(field)
        clean = (
            before >= (self.fields[at - 1].end if at else 0) and not text[before + 1 : field.start].strip()
        )
        return TextEdit(before if clean else field.start, field.end, "")

    def delimiters(self) -> tuple[str, str]:
        """Return what stands around most values of the entry."""
        marks = Counter(self.text[field.value] for field in self.fields if not field.bare)
        return ('"', '"') if marks['"'] > marks["{"] else ("{", "}")

    def _delimit_value(self, value: str) -> str:
        numbers = {field.bare for field in self.fields if self.read_value(field).isdecimal()}
        if value.isdecimal() and numbers == {True}:
            return value  # the entry writes its numbers without delimiters
        opened, closed = self.delimiters()
        if opened == '"' and '"' in value:
            opened, closed = "{", "}"
        return f"{opened}{value}{closed}"

    def _match_letter_case(self, name: str) -> str:
        written = [field.name for field in self.fields]
        if all(written_name.isupper() for written_name in written):
            return name.upper()
        return name.capitalize() if all(written_name[:1].isupper() for written_name in written) else name

    def _equals(self, last: BibtexField, name: str) -> str:
        """Return the equals sign with its spaces; where the signs of an entry are in line, it is too."""
        between = self.text[last.start + len(last.name) : last.value]
        before, _, after = between.partition("=")
        places = {self.text[field.start : field.value].index("=") for field in self.fields}
        lengths = {len(field.name) for field in self.fields}
        if len(places) == 1 and len(lengths) > 1:
            before = " " * max(places.pop() - len(name), 1 if before else 0)
            return f"{before}={after}"
        values = {field.value - field.start for field in self.fields}
        if len(values) == 1 and len(lengths) > 1:  # key ="x" with the values in line
            after = " " * max(values.pop() - len(name) - len(before) - 1, 1)
        return f"{before}={after}"

    def _gap(self, newline: str) -> str:
        """Return what is between two fields, comma included."""
        text = self.text
        if len(self.fields) > 1:
            gap = text[self.fields[-2].end : self.fields[-1].start]
            if len(gap) < _LONGEST_GAP and gap.strip() == ",":
                return gap
        line = text.rfind("\n", 0, self.fields[-1].start) + 1
        indent = text[line : self.fields[-1].start]
        return f",{newline}{indent}" if not indent.strip() else ", "


def _find_content_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of what a value holds: that between its braces or quotes if it is one of these."""
    if text.startswith("{", start) and find_closing_brace(text, start, end) == end - 1:
        return start + 1, end - 1
    quoted = _QUOTED.fullmatch(text, start, end)
    return (start + 1, end - 1) if quoted else (start, end)


def _skip_pattern(pattern: re.Pattern[str], text: str, at: int, stop: int) -> int:
    match = pattern.match(text, at, stop)
    return match.end() if match else at
