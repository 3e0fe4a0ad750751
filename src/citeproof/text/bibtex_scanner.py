"""Our own tolerant BibTeX scanner: every entry comes out, damaged ones with a note.

    scan('@article{k, title = {A} year = 2001}')  ⇒ one Entry with both fields and the problem
                                                    "missing comma after field 'title'"

Balanced text is read as BibTeX reads it. Where braces or quotes do not close, an entry ends at
the next line that begins with `@word{`, and its fields are salvaged one by one
(docs/decisions/0004-own-bibtex-scanner.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, zip_longest

from citeproof.text import bibtex_kind
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_value import (
    BRACED,
    SIMPLE,
    BibtexMacros,
    find_closing_brace,
    read_plain_value,
    read_value,
)
from citeproof.vocabulary import Kind
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_SALVAGE = 100_000  # characters of a broken entry that are searched for fields

_KNOWN = (
    "abstract|address|annote|archiveprefix|arxivid|author|booksubtitle|booktitle|chapter|crossref|date|doi|"
    "edition|editor|eid|eprint|eprintclass|eprinttype|howpublished|institution|isbn|issn|issue|"
    "journal|journaltitle|key|keywords|langid|language|location|month|note|number|numpages|"
    "organization|pages|pmcid|pmid|primaryclass|publisher|school|series|shorttitle|subtitle|title|"
    "type|url|urldate|version|volume|year"
)
_FIELD = re.compile(
    rf"(?:[\n,{{(]|(?<=[}}\"\d])\s)\s{{0,80}}+({_KNOWN})\s{{0,80}}+(?:=\s{{0,80}}+(?=[{{\"\w])|(?=[{{\"]))",
    re.IGNORECASE,
)
_TAIL = " \t\r\n,"

MAX_RAW = 500  # characters of a broken entry that are stored
MAX_ENTRY = 100_000  # characters of an entry that are stored as its raw text

_TYPES = (
    "article|book|collection|conference|inbook|incollection|inproceedings|manual|mastersthesis|misc|online|"
    "phdthesis|proceedings|techreport|unpublished"
)
_LINE_START = re.compile(
    rf"^[ \t\ufeff]*+@[ \t]*+(?:[A-Za-z][\w-]{{0,40}}+\s*+[{{(]|(?:{_TYPES}))", re.MULTILINE
)
_START = re.compile(r"@\s*+([A-Za-z][\w-]{0,40}+)\s*+([{(])\s*+")
_MID_START = re.compile(r"@[ \t]*+[A-Za-z][\w-]{0,40}+\s*+[{(]\s*+[^\s,={}\"]{0,200}+\s*+,")
_UNOPENED = re.compile(
    rf"^[ \t]*+@({_TYPES})(?!\w*+\s*+[{{(])\s*+([^\s,{{}}\"=]{{0,200}}+)", re.MULTILINE | re.IGNORECASE
)
_KEY = re.compile(r"([^,={}\"]{0,1000}+)([,=}]?)")
_NAME = re.compile(r"([^\s=,{}()\"#%@]++)\s*+=\s*+")
_PLAIN = re.compile(rf"[\s,]*+([A-Za-z][\w-]*+)\s*+=\s*+{SIMPLE}\s*+(?=[,}})])")  # nine fields in ten
_GAP = re.compile(r"(?:[\s,]++|%[^\n]*+)*+")
_AFTER_END = re.compile(r"\s*+,\s*+[A-Za-z][\w-]{0,40}+\s*+=")
_COMMENT = re.compile(BRACED)
_PREAMBLE = re.compile(r"@\s{0,20}preamble\s{0,20}[{(]", re.IGNORECASE)
_CLOSERS = {"{": "}", "(": ")"}
_COMMENT_REACH = 100_000  # how far a commented-out block may reach over line starts with "@"


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """One entry. `start` and `end` are character offsets; `problems` what had to be tolerated."""

    type: str
    key: str
    fields: dict[str, str]
    line: int
    column: int
    end_line: int
    start: int
    end: int
    raw: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """Text that begins like an entry and from which nothing could be read."""

    line: int
    column: int
    start: int
    end: int
    message: str
    raw: str


def scan_entries(text: str) -> Iterator[BibtexEntry | BrokenEntry]:
    """Yield the entries of `text` in order; linear in its length whatever it holds."""
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")  # same length: offsets stay true
    scanner = _BibtexScanner(text)
    starts = [match.start() for match in _LINE_START.finditer(text)]
    bounds = [0, *starts, len(text)]
    for start, end in pairwise(bounds):
        if end > start:
            yield from scanner.chunk(start, end)


def read_preamble(text: str) -> str:
    """Return what the file gives TeX to read before its entries, wherever it stands: macros."""
    if not _PREAMBLE.search(text):
        return ""
    scanner, pieces = _BibtexScanner(text), []
    for head in _START.finditer(text):
        if head[1].lower() == "string":
            scanner.define(head, len(text))
        elif head[1].lower() == "preamble" and (read := scanner.read_value(head.end())):
            pieces.append(read)
    return "\n".join(pieces)


def find_entry_kind(entry: BibtexEntry) -> Kind:
    """Return the kind of work `entry` describes."""
    return bibtex_kind.find_kind(entry.type, entry.fields)


class _BibtexScanner:
    """Walks one text; knows its macros and how many lines it has passed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._macros = BibtexMacros.of_file(text)
        self._line = 1
        self._line_start = 0
        self._seen = 0  # lines are counted up to here
        self._skip_to = 0  # inside a commented-out block until here

    def chunk(
        self, start: int, end: int, *, last_resort: bool = False
    ) -> Iterator[BibtexEntry | BrokenEntry]:
        """Yield the entries that begin between `start` and `end`, none reaching beyond `end`."""
        at = max(start, self._skip_to)
        while at < end and (head := _START.search(self._text, at, end)):
            yield from self._find_unopened(at, head.start())
            word = head[1].lower()
            if word in ("comment", "preamble"):
                at = self._past_block(head, end)
            elif word == "string":
                at = self.define(head, end)
            else:
                read = self._entry(head, end)
                if read is None and not last_resort and _MID_START.search(self._text, head.end(), end):
                    yield from self._pieces(head.start(), end)
                    return
                entry, at = read or self._salvage_entry(head, end)
                if entry is not None:
                    yield entry
        if at < end:
            yield from self._find_unopened(at, end)

    def _pieces(self, start: int, end: int) -> Iterator[BibtexEntry | BrokenEntry]:
        """Yield the entries of a stretch without line breaks to trust: cut before each `@word{key,`."""
        cuts = [start, *(m.start() for m in _MID_START.finditer(self._text, start + 1, end)), end]
        for low, high in pairwise(cuts):
            yield from self.chunk(low, high, last_resort=True)

    def _entry(self, head: re.Match[str], end: int) -> tuple[BibtexEntry | BrokenEntry | None, int] | None:
        """Return the entry at `head` and where it ends; None if it does not read to its end."""
        text, closer = self._text, _CLOSERS[head[2]]
        key, at, problems = self._key(head, end)
        fields: dict[str, str] = {}
        while True:
            while plain := _PLAIN.match(text, at, end):
                at = plain.end()
                self._put(fields, plain[1].lower(), read_plain_value(plain), problems)
            gap = _GAP.match(text, at, end)
            at = gap.end() if gap else at
            if text.startswith(closer, at, end):
                break
            name = _NAME.match(text, at, end)
            read = read_value(text, name.end(), end, self._macros) if name else None
            if name is None or read is None:
                return None
            at = read[1]
            self._put(fields, name[1].lower(), read[0], problems)
            if read[2]:
                problems.append(f"field {name[1].lower()[:40]!r}: {read[2]}")
            if not text.startswith((",", closer, "%"), at, end):
                if not _NAME.match(text, at, end):
                    return None
                problems.append(f"missing comma after field {name[1].lower()[:40]!r}")
        if _AFTER_END.match(text, at + 1, end):
            return None  # a brace too many closed the entry in its middle
        return self._finish(head, key, fields, at + 1, problems), at + 1

    def _key(self, head: re.Match[str], end: int) -> tuple[str, int, list[str]]:
        """Return the entry's key, where its fields begin, and what is wrong with the key."""
        match = _KEY.match(self._text, head.end(), end)
        if match is None or match[2] in (",", "}", ""):
            key = match[1].strip() if match else ""
            after = match.end(1) if match else head.end()
            return key[:MAX_RAW], after, ([] if key else ["the entry has no key"])
        words = match[1].split()  # "key title =": the comma after the key is missing
        if len(words) < 2:
            return "", head.end(), ["the entry has no key"]
        after = self._text.index(words[0], head.end()) + len(words[0])
        return words[0][:MAX_RAW], after, ["missing comma after the key"]

    @staticmethod
    def _put(fields: dict[str, str], name: str, value: str, problems: list[str]) -> None:
        if fields.setdefault(name, value) != value:
            problems.append(f"field {name[:40]!r} is given twice; the first is used")

    def _salvage_entry(self, head: re.Match[str], end: int) -> tuple[BibtexEntry | BrokenEntry | None, int]:
        """Return what can be saved of an entry that does not read to its end, and that end."""
        key, at, problems = self._key(head, end)
        fields = salvage_fields(self._text, max(at - 1, head.start()), end, self._macros)
        stop = head.start() + len(self._text[head.start() : end].rstrip())
        problems.append("braces, quotes or commas do not fit; the fields were read one by one")
        return self._finish(head, key, fields, stop, problems), end

    def _finish(
        self, head: re.Match[str], key: str, fields: dict[str, str], stop: int, problems: list[str]
    ) -> BibtexEntry | BrokenEntry | None:
        """Return what was read; None for an entry whose every line is commented out."""
        self._count(head.start())
        before = self._text[max(self._line_start, head.start() - 80) : head.start()]
        if not before.lstrip().startswith("%"):
            return self._read(head, key, fields, stop, problems)
        problems.append("the % before it does not hide it from BibTeX")
        return self._read(head, key, fields, stop, problems) if fields else None

    def _read(
        self, head: re.Match[str], key: str, fields: dict[str, str], stop: int, problems: list[str]
    ) -> BibtexEntry | BrokenEntry:
        """Return the entry; Broken when it has no fields."""
        start = head.start()
        line, column = self._count(start)
        if not fields:
            message = f"@{head[1]} entry without readable fields"
            return BrokenEntry(
                line, column, start, stop, message, self._text[start : min(stop, start + MAX_RAW)]
            )
        end_line = line + self._text.count("\n", start, stop)
        raw = self._text[start : min(stop, start + MAX_ENTRY)]
        return BibtexEntry(
            head[1].lower(), key, fields, line, column, end_line, start, stop, raw, tuple(problems)
        )

    def _past_block(self, head: re.Match[str], end: int) -> int:
        """Return the end of an @comment or @preamble; it may hide whole entries."""
        if head[2] == "{":
            opener = head.start(2)
            if block := _COMMENT.match(self._text, opener, opener + _COMMENT_REACH):
                self._skip_to = block.end()
                return block.end()
        return min(head.end(), end)

    def read_value(self, at: int) -> str:
        """Return the value at `at`, its macros in place; empty if none is there."""
        read = read_value(self._text, at, len(self._text), self._macros)
        return read[0] if read else ""

    def define(self, head: re.Match[str], end: int) -> int:
        """Take in one @string and return where it ends."""
        name = _NAME.match(self._text, head.end(), end)
        read = read_value(self._text, name.end(), end, self._macros) if name else None
        if name is None or read is None:
            return head.end()
        self._macros.define(name[1].lower(), read[0], read[2])
        return read[1]

    def _find_unopened(self, start: int, end: int) -> Iterator[BibtexEntry | BrokenEntry]:
        """Yield each `@article` that has no opening brace, with the fields that can be read."""
        if self._text.find("@", start, end) < 0:
            return
        heads = list(_UNOPENED.finditer(self._text, start, end))
        for head, following in zip_longest(heads, heads[1:]):
            stop = following.start() if following else end
            fields = salvage_fields(self._text, head.end(), stop, self._macros)
            stop = head.start() + len(self._text[head.start() : stop].rstrip())
            yield self._read(head, head[2], fields, stop, ["the entry has no opening brace"])

    def _count(self, at: int) -> tuple[int, int]:
        """Return line and column of `at`, counting on from the last question."""
        if at > self._seen:
            passed = self._text.count("\n", self._seen, at)
            if passed:
                self._line += passed
                self._line_start = self._text.rfind("\n", self._seen, at) + 1
            self._seen = at
        return self._line, at - self._line_start + 1


def salvage_fields(text: str, start: int, end: int, macros: BibtexMacros) -> dict[str, str]:
    """Return the fields that can be read between `start` and `end`, first one of a name wins.

    Balance cannot be trusted here, so the entry is cut where a field plainly begins: after a line break or a
    comma, a known field name, an equals sign. Each piece then keeps what it can.
    """
    end = min(end, start + MAX_SALVAGE)
    marks = list(_FIELD.finditer(text, start, end))
    fields: dict[str, str] = {}
    for mark, following in zip_longest(marks, marks[1:]):
        stop = following.start() if following else end
        value = _read_piece(text, mark.end(), stop, macros)
        if value:
            fields.setdefault(mark[1].lower(), value)
    return fields


def _read_piece(text: str, at: int, stop: int, macros: BibtexMacros) -> str:
    """Return the value that begins at `at` and ends somewhere before `stop`."""
    opener = text[at]
    if opener == "{":
        close = find_closing_brace(text, at, stop)
        behind = _cut_paragraph(text[close + 1 : stop]) if close is not None else ""
        if close is not None and not behind.strip(_TAIL + "})"):
            return _flatten_value(text[at + 1 : close])
        return _flatten_value(_cut_paragraph(text[at + 1 : stop]).rstrip(_TAIL + "}"))
    if opener == '"':
        inner = _cut_paragraph(text[at + 1 : stop]).rstrip(_TAIL + "})")
        return _flatten_value(inner.removesuffix('"'))
    bare = _cut_paragraph(text[at:stop]).rstrip(_TAIL + "})")
    return macros.value(bare)[0] if len(bare.split()) < 2 else _flatten_value(bare)


def _cut_paragraph(value: str) -> str:
    """Cut at an empty line: what follows it belongs to no field any more."""
    return re.split(r"\n[ \t\r]{0,100}\n", value, maxsplit=1)[0]


def _flatten_value(value: str) -> str:
    """Return `value` on one line, its braces evened out: `{\\v{Z` must stay an accent."""
    value = " ".join(value.split())
    short = value.count("{") - value.count("}")
    return value + "}" * short if short > 0 else value.rstrip("}") if short else value
