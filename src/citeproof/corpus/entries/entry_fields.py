"""Front matter to the fields of an entry, whatever its keys are called and however its values are written."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache

from citeproof.corpus.grade.grade_computation import fold_key
from citeproof.reading.extractors.records.yaml_text import Value
from citeproof.text import dates, doi, names, pages, title
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Name

MAX_TEXT = 2000  # characters of one value that are read
MAX_AUTHORS = 500
_MAX_DEPTH = 4

_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_PATH = re.compile(r"[^\s:*?\"<>|\\\x00-\x1f][^:*?\"<>|\\\x00-\x1f]{0,999}")
_WORD_END = re.compile(r"[^\w]")
_NO = frozenset(("false", "no", "0", "not retracted"))
_YES = frozenset(("true", "yes", "1", "retracted", "withdrawn"))


class EntryFields:
    """The flat view of front matter: each field under one of its names, outer tables first."""

    def __init__(self, table: Mapping[str, Value]) -> None:
        self.table = table
        self._flat: dict[str, Value] = {}
        self._some: dict[str, Value] = {}  # of tables that hold a DOI or pages, and other things of that name
        self._gather(table, 0)

    def _gather(self, table: Mapping[str, Value], depth: int) -> None:
        inner: list[Mapping[str, Value]] = []
        for name, value in table.items():
            key = fold_key(name)
            if value is not None:
                self._flat.setdefault(key, value)
            if isinstance(value, dict) and depth < _MAX_DEPTH:
                if key in get_field_names("inside", "any"):
                    inner.append(value)
                elif key in get_field_names("inside", "some"):
                    for inside, item in value.items():
                        self._some.setdefault(fold_key(inside), item)
        for deeper in inner:
            self._gather(deeper, depth + 1)

    def values(self, field: str, room: str = "fields") -> Iterator[Value]:
        """Yield what is under the names of a field, the preferred name first."""
        some = room == "fields" and field in get_field_names("inside", "some_fields")
        for name in get_field_names(room, field):
            if (value := self._flat.get(name)) is not None:
                yield value
            if some and (value := self._some.get(name)) is not None:
                yield value

    def text(self, field: str, room: str = "fields") -> str:
        """Return the first text under the names of a field."""
        return next((words for value in self.values(field, room) if (words := read_scalar(value))), "")

    def title(self) -> str:
        return title.clean(self.text("title"))

    def authors(self) -> tuple[Name, ...]:
        """Return the authors: a list of strings or tables, or one string."""
        return next((people for value in self.values("authors") if (people := parse_authors(value))), ())

    def year(self) -> int | None:
        years = (dates.find_year(read_scalar(value)) for value in self.values("year"))
        return next((year for year in years if year is not None), None)

    def doi(self) -> str:
        """Return the DOI; of other addresses only one that is a DOI's."""
        dois = (doi.normalise(read_scalar(value)) for value in self.values("doi"))
        return next(filter(None, dois), "")

    def pages(self) -> tuple[tuple[int, int] | None, int | None]:
        """Return first and last page, and how many there are; `pages: 24` alone is a number of pages."""
        total = _parse_number(self.text("total_pages"))
        first, last = _parse_number(self.text("first_page")), _parse_number(self.text("last_page"))
        if first and last and first <= last:
            return (first, last), total
        ends = pages.split_range(self.text("pages"))
        if ends is None:
            return None, total
        first, last = _parse_number(ends[0]), _parse_number(ends[1])
        if ends[0] == ends[1]:
            return None, total or first
        return ((first, last) if first and last and first <= last else None), total

    def read_verified_date(self) -> str:
        """Return the newest date on which somebody examined it."""
        days = (parse_iso_date(read_scalar(value)) for value in self.values("verified", "dates"))
        return max(days, default="")

    def is_retracted(self) -> bool:
        return any(is_affirmed(read_scalar(value)) for value in self.values("retracted"))

    def is_retraction_denied(self) -> bool:
        return any(read_scalar(value).lower() in _NO for value in self.values("retracted"))


def parse_authors(value: Value) -> tuple[Name, ...]:
    """Return the names of a list of authors in any of the forms it is written in."""
    if isinstance(value, str):
        return names.split_names(replace_lone_surrogates(value[: 20 * MAX_TEXT]))[0][:MAX_AUTHORS]
    listed = value if isinstance(value, list) else [value]
    return tuple(name for author in listed[:MAX_AUTHORS] if (name := _parse_author(author)) is not None)


def _parse_author(value: Value) -> Name | None:
    if isinstance(value, str):
        name = names.parse(replace_lone_surrogates(value[: names.MAX_NAME]))
        return name if any(map(str.isalnum, name.family)) else None
    if not isinstance(value, dict):
        return None
    table = {fold_key(key): read_scalar(part) for key, part in value.items()}
    family = table.get("family") or table.get("last") or table.get("last_name") or table.get("surname") or ""
    given = table.get("given") or table.get("first") or table.get("first_name") or ""
    if family:
        return Name(family[: names.MAX_NAME], given[: names.MAX_NAME])
    return _parse_author(table.get("name") or table.get("literal") or table.get("full_name"))


def read_scalar(value: object) -> str:
    """Return a value as text on one line; of a list its first."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return " ".join(replace_lone_surrogates(value[:MAX_TEXT]).split()) if isinstance(value, str) else ""


def replace_lone_surrogates(text: str) -> str:
    """Return `text` without half characters, which an escape can write and no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def is_affirmed(text: str) -> bool:
    """Return whether a word that says "retracted" stands first: "yes", "Retracted (2021)"."""
    return _WORD_END.split(text[:40].lower(), 1)[0] in _YES


def parse_iso_date(text: str) -> str:
    """Return the date with which `text` begins, as YYYY-MM-DD; empty if it is not one."""
    match = _ISO.match(text)
    if match is None:
        return ""
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return ""


def resolve_project_path(value: str, folder: str, known: frozenset[str]) -> str:
    """Return the project path that a file of `folder` means by `value`; empty if it is not one.

    A path may be written from the root or from the file's own folder: the one that is there counts.
    """
    written = value.removeprefix("@").partition("#")[0].strip()
    if not _PATH.fullmatch(written) or written.startswith(("/", "~")):
        return ""
    near, below = (posixpath.normpath(path) for path in (posixpath.join(folder, written), written))
    for path in (below, near, f"{below}.md", f"{near}.md"):
        if path in known:
            return path
    chosen = below if "/" in written and not written.startswith(("./", "../")) else near
    return "" if chosen.startswith("..") else chosen


def _parse_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 8 and int(text) else None


@cache
def get_field_names(room: str, name: str) -> tuple[str, ...]:
    """Return the names of a field, as `fold` gives them."""
    words: str = load_package_table("citeproof.corpus.entries", "keys.toml")[room][name]
    return tuple(word.strip() for word in words.replace("\n", "|").split("|") if word.strip())
