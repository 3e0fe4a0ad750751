"""What the body of a Markdown file says of its work: its first heading, labelled lines, its own citation.

`# REF-001: Title`, `**Authors:** …`, `- **DOI**: …`, `| Year | 2020 |`, and a section `## Citation`.
Only the first lines are read, each a bounded number of times; a mention in running text says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import takewhile

from citeproof.corpus.entries.entry_fields import get_field_names, is_affirmed, parse_iso_date, read_scalar
from citeproof.corpus.entries.ref_ids import match_whole_ref_id, split_ref_heading
from citeproof.corpus.grade.grade_computation import fold_key, parse_grade
from citeproof.reading.extractors.records.yaml_text import Value
from citeproof.text import dates, doi
from citeproof.text import lazy_patterns as re
from citeproof.text.names import load_given_names

_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}\)")
_LINK = re.compile(
    r"\[([^\[\]\n]{0,1000})\]"
    r"(?:\(<?([^()\s<>]{0,2000}+(?:\([^()\s]{0,200}\)[^()\s<>]{0,500}+)?)>?(?:\s[^()\n]{0,200})?\)|\[[^\[\]\n]{0,100}\])"
)
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
_AUTO = re.compile(r"<((?:https?://|doi:)[^<>\s]{1,2000})>")
_TAG = re.compile(r"<!--.{0,200}?-->|<sup>[^<>]{0,40}</sup>|</?[A-Za-z][^<>]{0,200}>", re.IGNORECASE)
_STRONG = re.compile(r"(?<!\\)\*{1,3}|(?<![\w\\])_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~|`+")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")

MAX_LABEL = 80
_FIELDS = ("ref_id", "title", "authors", "year", "doi", "pages", "total_pages", "type", "grade", "verified",
           "retracted", "full_text", "source", "citation")  # fmt: skip

BULLET = re.compile(r"(?:(?:[-*+•]|\d{1,3}[.)])[ \t]{1,9}|>[ \t]{0,9}){1,3}")
LABEL = re.compile(
    r"\*{1,3}([^*:|]{1,60})(?::[ \t]{0,2}\*{1,3}|\*{1,3}[ \t]{0,2}:)(.*)"
    r"|__([^:|]{1,60}?)(?::__|__[ \t]{0,2}:)(.*)"
    r"|(?!\w{1,60}://)([^\W\d_][\w /()-]{0,40}):(?:[ \t](.*)|$)"
)
_NOTE = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,20}\]|[¹²³⁰⁴-⁹†‡§¶*]{1,9}")  # "Ann Smith¹ (MIT)"

_FITS: dict[str, Callable[[str], object]] = {
    "year": dates.find_year,
    "grade": parse_grade,
    "retracted": is_affirmed,
}

MAX_LINES = 120
_MAX_LINE = 6000
_MAX_CITATION = 6000
_GOES_ON = frozenset(("title", "authors", "citation"))  # what may be in more than one line

_HEADING = re.compile(r"(#{1,6})[ \t]{1,9}(\S.*)")
_UNDERLINE = re.compile("={3,}")
_FENCE = re.compile(r"`{3,}|~{3,}")
_JOINT = re.compile(r"[ \t][|·•][ \t]{1,3}(?=\*\*)")  # **Year:** 2020 | **DOI:** …
_PATH = re.compile(r"@?[\w.~-]{0,300}(?:/[\w.~-]{1,300}){1,40}|@?[\w-]{1,300}\.[a-z]{2,8}")
_RULE = re.compile(r"\|?[ \t]{0,9}:?-{2,200}[-:| \t]{0,400}")


@dataclass(slots=True)
class BodyMetadata:
    """What a body says, under the names that front matter has for it."""

    table: dict[str, Value] = field(default_factory=dict)
    citation: str = ""  # the work's own, as one string


def read_body_metadata(body: str, word: str) -> BodyMetadata:
    """Return what the body of a file says of its work; `word` is that of its REF ids."""
    lines = [line[:_MAX_LINE].strip() for line in body.split("\n", MAX_LINES)[:MAX_LINES]]
    return _BodyWalk(lines, word).found


class _BodyWalk:
    """Goes through the lines once; of two that state a field, the first counts."""

    def __init__(self, lines: list[str], word: str) -> None:
        self.found = BodyMetadata()
        self._lines, self._word = lines, word
        self._fence = ""
        self._begun = False  # whether a heading came
        self._others = 0  # level of the heading below which other works are described, if one does
        for at, line in enumerate(lines):
            if line and not ((self._fence or line[0] in "`~") and self._is_code(line)):
                self._line(at, line)

    def _is_code(self, line: str) -> bool:
        mark = _FENCE.match(line)
        if self._fence:
            if mark and mark[0].startswith(self._fence) and mark.end() == len(line):
                self._fence = ""
            return True
        if mark:
            self._fence = mark[0]
        return mark is not None

    def _line(self, at: int, line: str) -> None:
        if line[0] == "#" and (heading := _HEADING.fullmatch(line)):
            self._heading(at, len(heading[1]), heading[2].rstrip("# \t"))
        elif at + 1 < len(self._lines) and _UNDERLINE.fullmatch(self._lines[at + 1]):
            self._heading(at + 1, 1, line)
        elif self._others:
            return
        elif line[0] == "|":
            self._row(at, line)
        elif ":" in line[:MAX_LABEL]:
            for part in _JOINT.split(line) if line.count("**") > 2 else (line,):
                if labelled := parse_labelled_line(part):
                    self._take(*labelled, at)

    def _heading(self, at: int, level: int, text: str) -> None:
        text = strip_markup(text)
        ref, _ = split_ref_heading(text, self._word)
        if not self._begun and ref and level == 1:
            self.found.table["ref_id"] = ref
        first, self._begun = not self._begun, True
        if self._others and level > self._others:
            return
        name = fold_key(text.rstrip(":"))
        other = not first and ref not in ("", self.found.table.get("ref_id"))
        self._others = level if other or name in get_field_names("sections", "others") else 0
        if name in get_field_names("sections", "citation"):
            self._take("citation", "", at)

    def _row(self, at: int, line: str) -> None:
        """Take a row of a table of two columns; its head only if the row below it is labelled, too."""
        cells = _split_cells(line)
        if len(cells) != 2 or not (name := find_label_field(cells[0])):
            return
        if at + 1 < len(self._lines) and _RULE.fullmatch(self._lines[at + 1]):
            below = _split_cells(self._lines[at + 2]) if at + 2 < len(self._lines) else [""]
            if not find_label_field(below[0]):
                return
        self._take(name, cells[1], at, closed=True)

    def _take(self, name: str, value: str, at: int, *, closed: bool = False) -> None:
        """Keep a value unless the field has one; what is empty, or long, continues in the lines below."""
        if name == "citation" and self.found.citation:
            return
        if name in self.found.table and name != "verified":
            return
        items = [value] if value else []
        if name in _GOES_ON and not closed:
            items = self._following(at + 1, name, value)
        if not items:
            return
        if name == "citation" or (name == "source" and not _PATH.fullmatch(extract_target(items[0]))):
            self._cite(items[0])
        elif name == "verified":  # the newest is when somebody last looked
            day = max(parse_iso_date(strip_markup(items[0])), read_scalar(self.found.table.get(name)))
            self.found.table.update({name: day} if day else {})
        elif parsed := parse_label_value(name, items, self._word):
            self.found.table[name] = parsed

    def _cite(self, value: str) -> None:
        if ref := match_whole_ref_id(strip_markup(value), self._word):
            self.found.table.setdefault("ref_id", ref)  # **Reference:** REF-001
        else:
            self.found.citation = self.found.citation or value[:_MAX_CITATION]

    def _following(self, at: int, name: str, first: str) -> list[str]:
        """Return `first` with its continuation lines; if it is empty, the paragraph or list below."""
        items = [first] if first else []
        for index in range(at, len(self._lines)):
            line = self._lines[index]
            if not line and not items:
                continue
            if not items and name == "citation" and _FENCE.match(line):
                return self._code(index + 1)
            if _is_value_end(line, name) or (
                items and not _has_continuation(line, name, items[-1], listed=not first)
            ):
                break
            bullet = BULLET.match(line)
            if bullet and (line[0] != ">" or not items):
                items.append(line[bullet.end() :])
            elif items:
                items[-1] += " " + (line[bullet.end() :] if bullet else line)
            else:
                items.append(line)
        return items

    def _code(self, at: int) -> list[str]:
        """Return the block of code that begins at a line, as one item: BibTeX, or a citation set apart."""
        lines = list(takewhile(lambda line: not _FENCE.match(line), self._lines[at:]))
        return ["\n".join(lines)] if any(lines) else []


def _is_value_end(line: str, name: str) -> bool:
    """Return whether a line does not continue a value; a citation may have a word and a colon."""
    if not line or line[0] in "#|" or _FENCE.match(line) or _RULE.fullmatch(line):
        return True
    bullet = BULLET.match(line)
    label = LABEL.match(line, bullet.end() if bullet else 0)
    return label is not None and (name != "citation" or label[5] is None or find_label_field(label[5]) != "")


def _has_continuation(line: str, name: str, last: str, *, listed: bool) -> bool:
    """Return whether a value continues in the next line: as a list, or because it is not at its end."""
    if (bullet := BULLET.match(line)) and not bullet[0].startswith(">"):
        return listed and name == "authors"
    return name == "citation" or (name == "authors" and last.endswith((",", ";", "&", " and")))


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|", 3)]


def extract_target(value: str) -> str:
    """Return the address or path that a value gives."""
    return find_link_address(value) or strip_markup(value)


def parse_labelled_line(line: str) -> tuple[str, str] | None:
    """Return the field that a line names at its beginning, and what it says."""
    bullet = BULLET.match(line)
    match = LABEL.match(line, bullet.end() if bullet else 0)
    if match is None:
        return None
    label = match[1] or match[3] or match[5]
    name = find_label_field(label)
    value = (match[2] or match[4] or match[6] or "").strip(" \t\\")
    return (name, value) if name else None


def parse_label_value(name: str, items: list[str], word: str) -> Value:
    """Return a value without its marks; nothing if it cannot be one of the field."""
    plain = [strip_markup(item) for item in items]
    if name == "ref_id":
        return match_whole_ref_id(plain[0], word)
    if name == "doi":
        return doi.normalise(plain[0]) or doi.normalise(find_link_address(items[0])) or ""
    if name == "authors":
        plain = [_strip_affiliations(names) for names in plain]
        return [names for names in plain if names] if len(plain) > 1 else plain[0]
    if name in ("source", "full_text"):
        return extract_target(items[0])
    return plain[0] if _FITS.get(name, bool)(plain[0]) else ""


def _strip_affiliations(text: str) -> str:
    """Return a list of names without affiliations; two full names joined by a comma are two people."""
    text = _NOTE.sub("", text).strip(" ,;–—-")
    pair = [name.split() for name in text.split(",", 2)]
    if len(pair) != 2 or not all(2 <= len(name) <= 4 and name[0][0].isupper() for name in pair):
        return text
    if any("." in word for name in pair for word in name) or pair[1][-1].casefold() in load_given_names():
        return text  # "Garcia Lopez, Juan Carlos"
    return " and ".join(map(" ".join, pair))


@lru_cache(4096)
def find_label_field(label: str) -> str:
    """Return the field that a label names; empty if it names none."""
    if len(label) > MAX_LABEL:
        return ""
    return _map_labels().get(fold_key(strip_markup(label).rstrip(": ").replace("(s)", "s")), "")


@cache
def _map_labels() -> dict[str, str]:
    return {label: name for name in reversed(_FIELDS) for label in get_field_names("labels", name)}


def strip_markup(text: str) -> str:
    """Return `text` without emphasis, code marks, tags and notes; of a link its words."""
    if "[" in text:
        text = _LINK.sub(r"\1", _FOOTNOTE.sub("", _IMAGE.sub("", text)))
    if "<" in text:
        text = _TAG.sub("", _AUTO.sub(r"\1", text))
    if "*" in text or "_" in text or "`" in text or "~~" in text:
        text = _STRONG.sub("", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return " ".join(text.split())


def find_link_address(text: str) -> str:
    """Return the address of the first link in `text`; empty if there is none."""
    match = _LINK.search(text)
    return (match[2] or "") if match else ""
