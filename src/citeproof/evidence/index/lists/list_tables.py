"""The tables that lists are published as: bytes to rows, with bounds and clear errors."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date
from typing import Never

from citeproof.errors import UsageError
from citeproof.text import lazy_patterns as re
from citeproof.text import url
from citeproof.text.package_tables import load_package_table

MOST_FIELD = 4_000_000  # characters of one field
PREAMBLE = 30  # rows before the names of the columns
_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})|(\d{4})-(\d\d)-(\d\d)")
_FRONT = re.compile(r"(?:(?:index|default|home|main)(?:\.\w{2,5})?)?/?(?:index/?){0,2}", re.IGNORECASE)
_AGAIN = "the file is damaged or incomplete; download it again"


def decode_text(data: bytes) -> str:
    """Return a file as text: UTF-8, UTF-16 with its mark, else as Windows wrote it."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").replace("\0", "")
    try:
        return data.decode("utf-8-sig").replace("\0", "")
    except UnicodeDecodeError:  # older copies came from Windows
        return data.decode("cp1252", "replace").replace("\0", "")


def read_rows(text: str, place: str, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV with their numbers, empty ones left out; UsageError if it is not CSV."""
    csv.field_size_limit(MOST_FIELD)
    quote = None if separator == "\t" else '"'
    rows = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quotechar=quote,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )
    at = 0
    try:
        for at, row in enumerate(rows, 1):
            if any(row):
                yield at, row
    except csv.Error as error:
        raise UsageError(f"is not CSV: {error}", place=f"{place}, row {at}", hint=_AGAIN) from error


def read_table(
    data: bytes, place: str, title: str, needed: frozenset[str], separator: str = ","
) -> Iterator[dict[str, str]]:
    """Yield the rows of a table by the names of its columns, in small letters and without spaces.

    UsageError if a needed column is missing, or the last row is cut off. Text before the names is skipped.
    """
    rows = read_rows(decode_text(data), place, separator)
    head = _find_head(rows, needed)
    if head is None:
        missing = ", ".join(sorted(needed))
        raise UsageError(
            f"is not a {title} list: it has no column {missing}",
            place=place,
            hint="name another file, or say with --as which list it is",
        )
    at, width, whole = 0, max(len(head) - 1, 1), True  # the trailing empty column may be missing
    for at, row in rows:  # noqa: B007 - reported below
        whole = len(row) >= width
        if whole:
            yield dict(zip(head, row, strict=False))
    if not whole:
        refuse_cut_file(f"{place}, row {at}")


def refuse_cut_file(place: str) -> Never:
    """Raise that a file ends in the middle."""
    raise UsageError("ends in the middle of a row", place=place, hint=_AGAIN)


def find_own_host(address: str, *, whole: bool = True) -> str:
    """Return the host that a listed address names its owner by; empty for a page on somebody else's host.

    `whole`: only an address that is the front page of its host; a path may be one journal among others.
    """
    normal = url.normalise(address if "://" in address else f"http://{address}") or ""
    host = url.get_host(normal)
    if whole and not _FRONT.fullmatch(normal.partition("://")[2].partition("/")[2]):
        return ""
    lent = {"edu", "ac", "gov"} & set(host.split(".")[-2:]) or host.endswith(".edu")
    shared = host in load_package_table("citeproof.evidence.index.lists", "shared_hosts.toml")["hosts"]
    return "" if "." not in host or shared or lent else host


def read_day(text: str) -> str:
    """Return a date (`M/D/YYYY` or ISO 8601) as ISO 8601; empty if there is none."""
    match = _DATE.match(text.strip())
    if not match:
        return ""
    month, day, year, *iso = match.groups()
    try:
        return (date(int(year), int(month), int(day)) if year else date(*map(int, iso))).isoformat()
    except ValueError:
        return ""


def _find_head(rows: Iterator[tuple[int, list[str]]], needed: frozenset[str]) -> list[str] | None:
    for _, (_, row) in zip(range(PREAMBLE), rows, strict=False):
        head = [name.strip().lower().replace(" ", "") for name in row]
        if needed <= set(head):
            return head
    return None
