"""The plain part of YAML that bibliographies and front matter are written in, as mappings, lists and strings.

Read: block and flow mappings and lists, plain and quoted scalars, `|` and `>` blocks, comments. Not read:
anchors, aliases, tags, several documents in one file, complex keys. Every value is a string: "2015", "true".
"""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.text import lazy_patterns as re
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_DEPTH = 20
MAX_LINES = 500_000
_MAX_FLOW = 20_000  # characters of one value in brackets or quotes

Value = str | list["Value"] | dict[str, "Value"] | None

_KEY = re.compile(
    r"(?:\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'|([^\s\[\]{}#&*!|>'\"%@`,-][^\n:#]{0,300}?|-[^\s:][^\n:]{0,300}?))\s{0,9}:(?=\s|$)"
)
_MARGIN_KEY = re.compile(f"^(?:{_KEY.pattern})", re.MULTILINE)
_ITEM = re.compile(r"-(?:\s{1,20}|$)")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?$")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", " ": " "}
_ESCAPE = {'"': re.compile(r"\\."), "'": re.compile("''")}
_MARKS = re.compile(r"[\[\]{}\"']")
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^']|'')*+)'", re.DOTALL)
_FLOW_KEY = re.compile(r"(?:\"([^\"]{1,300})\"\s{0,9}:|([^,:{}\[\]\"]{1,300}):(?=\s|[\"{\[]))\s*+")
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)


class YamlError(ValueError):
    """Text that is not the YAML read here, with the number of its line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class YamlRow:
    """One line that is not empty: its number from 1, its indent, its words."""

    number: int
    indent: int
    words: str


def parse_yaml(text: str) -> Value:
    """Return the value that `text` writes; YamlError with the line if it cannot be read."""
    rows = [row for row in _split_rows(text) if not row.words.startswith("#")]
    if not rows:
        return None
    reader = _YamlReader(rows)
    value = reader.block(rows[0].indent, 0)
    if reader.at < len(rows):
        raise YamlError("wrong indentation", rows[reader.at].number)
    return value


def split_yaml_entries(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield key, start and end of each entry of a mapping that begins at the margin, so that one that
    cannot be read does not cost the others."""
    heads = list(_MARGIN_KEY.finditer(text))
    for index, head in enumerate(heads):
        stop = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        end = head.start() + len(text[head.start() : stop].rstrip())
        yield head[1] or head[2] or head[3], head.start(), end


def _split_rows(text: str) -> Iterator[YamlRow]:
    for number, line in enumerate(text.splitlines(), 1):
        if number > MAX_LINES:
            raise YamlError(f"more than {MAX_LINES} lines", number)
        words = line.strip()
        if words and words not in ("---", "..."):
            yield YamlRow(number, len(line) - len(line.lstrip(" \t")), words)


class _YamlReader:
    """Walks the rows once, from the outer indent to the inner."""

    def __init__(self, rows: list[YamlRow]) -> None:
        self._rows = rows
        self.at = 0

    def block(self, indent: int, depth: int) -> Value:
        """Return the mapping, list or scalar whose rows are at `indent`."""
        row = self._rows[self.at]
        if depth > MAX_DEPTH:
            raise YamlError("nested too deeply", row.number)
        if _ITEM.match(row.words):
            return self._list(indent, depth)
        if _KEY.match(row.words):
            return self._mapping(indent, depth)
        self.at += 1
        return self._scalar(row.words, row, indent - 1)

    def _list(self, indent: int, depth: int) -> list[Value]:
        values: list[Value] = []
        while (row := self._row(indent)) and (dash := _ITEM.match(row.words)):
            rest = row.words[dash.end() :]
            if not rest or rest.startswith("#"):
                self.at += 1
                values.append(self._inner(indent, depth))
            else:  # what follows the dash is a block of its own, set further in
                inner = row.indent + dash.end()
                self._rows[self.at] = YamlRow(row.number, inner, rest)
                values.append(self.block(inner, depth + 1))
        return values

    def _mapping(self, indent: int, depth: int) -> dict[str, Value]:
        values: dict[str, Value] = {}
        while (row := self._row(indent)) and (key := _KEY.match(row.words)):
            self.at += 1
            rest = _strip_comment(row.words[key.end() :].strip())
            name = key[1] or key[2] or key[3]
            values.setdefault(name, self._scalar(rest, row, indent) if rest else self._inner(indent, depth))
        return values

    def _inner(self, indent: int, depth: int) -> Value:
        """Return the block below a key or dash; a list may be at the indent of its key."""
        if self.at >= len(self._rows):
            return None
        row = self._rows[self.at]
        if row.indent > indent or (row.indent == indent and _ITEM.match(row.words)):
            return self.block(row.indent, depth + 1)
        return None

    def _row(self, indent: int) -> YamlRow | None:
        row = self._rows[self.at] if self.at < len(self._rows) else None
        return row if row and row.indent == indent else None

    def _scalar(self, words: str, row: YamlRow, indent: int) -> Value:
        if _BLOCK.fullmatch(words):
            return ("\n" if words[0] == "|" else " ").join(self._read_continued_rows(indent))
        if words[0] in "\"'[{":
            opened, parts, size = _OpenValue(words), [words], len(words)
            while opened and size < _MAX_FLOW and (more := self._peek_row(indent)):
                opened.take(more)
                parts.append(more)
                size += 1 + len(more)
            return _parse_flow(_strip_comment(" ".join(parts)), row.number)
        return _read_plain_scalar(" ".join([words, *self._read_continued_rows(indent)]))

    def _peek_row(self, indent: int) -> str:
        row = self._rows[self.at] if self.at < len(self._rows) else None
        if row is None or (row.indent <= indent and row.words[0] not in "]}"):
            return ""
        self.at += 1
        return row.words

    def _read_continued_rows(self, indent: int) -> list[str]:
        """Return the rows that continue a scalar: all that stand further in."""
        rows = []
        while self.at < len(self._rows) and self._rows[self.at].indent > indent:
            rows.append(self._rows[self.at].words)
            self.at += 1
        return rows


class _OpenValue:
    """How far a value in quotes or brackets is still open; its rows are joined by a blank."""

    def __init__(self, words: str) -> None:
        self._sign = words[0]
        self._depth = 1
        self._quote = ""  # inside brackets
        self.take(words[1:])

    def __bool__(self) -> bool:
        return self._depth > 0

    def take(self, words: str) -> None:
        """Read the next words of the value; a row never begins or ends inside an escape."""
        if self._sign in _ESCAPE:
            self._depth -= self._sign in _ESCAPE[self._sign].sub("", words)
            return
        for mark in _MARKS.findall(words):
            if self._quote:
                self._quote = "" if mark == self._quote else self._quote
            elif mark in "\"'":
                self._quote = mark
            else:
                self._depth += 1 if mark in "[{" else -1


def _strip_comment(words: str) -> str:
    if "#" not in words:
        return words
    if words[:1] in ('"', "'"):
        end = words.rfind(words[0])
        return words[: end + 1] if end > 0 else words
    return _COMMENT.sub("", words).rstrip()


def _read_plain_scalar(words: str) -> str | None:
    return None if words in ("~", "null", "Null", "NULL") else words


def _parse_flow(words: str, line: int) -> Value:
    value, end = _parse_flow_value(words, 0, line, 0)
    if words[end:].strip():
        raise YamlError("text after a closed value", line)
    return value


def _parse_flow_value(text: str, at: int, line: int, depth: int) -> tuple[Value, int]:
    if depth > MAX_DEPTH:
        raise YamlError("nested too deeply", line)
    at += len(text[at:]) - len(text[at:].lstrip()) if depth == 0 else 0
    sign = text[at : at + 1]
    if sign in ("[", "{"):
        return _parse_flow_collection(text, at, line, depth)
    if sign in ('"', "'"):
        quoted = _QUOTED.match(text, at)
        if not quoted:
            raise YamlError("a quote is not closed", line)
        double = quoted[1] is not None
        return _unescape_text(quoted[1]) if double else quoted[2].replace("''", "'"), quoted.end()
    plain = re.compile(r"[^,\[\]{}]*+").match(text, at)
    words = plain[0] if plain else ""
    return _read_plain_scalar(words.strip()), at + len(words)


def _parse_flow_collection(text: str, at: int, line: int, depth: int) -> tuple[Value, int]:
    """Return the list or mapping in brackets that begins at `at`, and where it ends."""
    mapping = text[at] == "{"
    closer = "}" if mapping else "]"
    items: list[Value] = []
    pairs: dict[str, Value] = {}
    at += 1
    while True:
        gap = re.compile(r"[\s,]*+").match(text, at)
        at = gap.end() if gap else at
        if at >= len(text):
            raise YamlError("a bracket is not closed", line)
        if text[at] == closer:
            return (pairs if mapping else items), at + 1
        before = at
        if mapping and (key := _FLOW_KEY.match(text, at)):
            pairs[(key[1] or key[2]).strip()], at = _parse_flow_value(text, key.end(), line, depth + 1)
        else:
            value, at = _parse_flow_value(text, at, line, depth + 1)
            items.append(value)
        if at == before:
            raise YamlError("mismatched bracket", line)


def _unescape_text(words: str) -> str:
    def unescape(match: re.Match[str]) -> str:
        if number := match[1] or match[2]:
            return chr(int(number, 16))
        return _ESCAPES.get(match[3], match[3])

    return _ESCAPED.sub(unescape, words)
