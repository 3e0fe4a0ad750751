"""BibTeX files (`.bib`, also `.gz` or `.zst`): one record an entry.

Large files are read in pieces that end before an entry; macros (`@string`) are carried along. A
record's id is `bibtex:<key>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from citeproof.evidence.index.readers._dump_files import MAX_LINE, open_dump
from citeproof.evidence.index.readers.base import BadRecord, Bookmark, DumpReader
from citeproof.text import dates, ids, names, pages
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_scanner import BibtexEntry, BrokenEntry, find_entry_kind, scan_entries
from citeproof.text.title import clean
from citeproof.vocabulary import Ids, Kind, Place, Record, Version

PIECE = 4_000_000  # bytes read at a time, up to the next entry
MAX_MACROS = 200_000  # characters of macros carried along

_STRING = re.compile(r"^[ \t]*@string[ \t]*[{(][^\n]{1,2000}$", re.MULTILINE | re.IGNORECASE)
_VENUES = ("journal", "journaltitle", "booktitle", "maintitle")
_PUBLISHERS = ("publisher", "school", "institution", "organization")
_STATED = {"doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "isbn": "isbn", "issn": "issn", "bibcode": "ads"}
_CORR = re.compile(r"(?:corr|arxiv)\b", re.IGNORECASE)
_LETTER = re.compile(r"[^\W_]")


def _read_files(paths: Sequence[Path], at: Bookmark | None = None) -> Iterator[Record | BadRecord]:
    at = at or Bookmark()
    for path in paths:
        with open_dump(path) as stream:
            if at.opens():
                yield from at.list_rest(_read_entries(stream, str(path)))


def _read_entries(stream: IO[bytes], file: str) -> Iterator[Record | BadRecord]:
    macros, line = "", 0
    for piece in _split_stream(stream):
        text = piece.decode("utf-8", "replace")
        ahead = macros.count("\n")
        for entry in scan_entries(macros + text):
            yield make_bibtex_record(entry, file, line + entry.line - ahead)
        line += text.count("\n")
        macros = (macros + "".join(f"{macro[0]}\n" for macro in _STRING.finditer(text)))[-MAX_MACROS:]


def _split_stream(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the stream in pieces that end before a line that begins with "@"."""
    lines: list[bytes] = []
    size = 0
    while line := stream.readline(MAX_LINE):
        if size >= PIECE and line.lstrip()[:1] == b"@":
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)


def make_bibtex_record(entry: BibtexEntry | BrokenEntry, file: str, line: int) -> Record | BadRecord:
    """Return the record that `entry` describes; what describes no work becomes a `BadRecord`."""
    place = Place(file=file, line=line)
    if isinstance(entry, BrokenEntry):
        return BadRecord(place, entry.message)
    fields = entry.fields
    main, sub = fields.get("title", ""), fields.get("subtitle", "")
    title = clean(f"{main}: {sub}" if sub else main)
    if not _LETTER.search(title):
        return BadRecord(place, f"entry {entry.key[:80]!r} has no title")
    authors, cut = names.split_names(fields.get("author") or fields.get("editor") or "")
    kind = find_entry_kind(entry)
    return Record(
        source="",
        id=f"bibtex:{entry.key[:200]}",
        titles=(title,),
        authors=tuple(
            # DBLP distinguishes namesakes by a number; some exports leave it as the family name
            names.parse(name.given) if name.family.isdigit() and name.given else name
            for name in authors
        ),
        authors_complete=not cut,
        versions=(_make_version(fields, kind),),
        kind=kind,
        publisher=_find_first(fields, _PUBLISHERS),
        ids=Ids(_read_ids(entry)),
    )


def _make_version(fields: dict[str, str], kind: Kind) -> Version:
    venue = _find_first(fields, _VENUES)
    dated = dates.find_year(fields.get("year") or fields.get("date") or "")
    preprint = Kind.PREPRINT if kind is Kind.PREPRINT or _CORR.match(venue or "") else Kind.UNKNOWN
    return Version(
        year=dated,
        venue=venue,
        kind=preprint,
        volume=_clean_value(fields.get("volume")),
        issue=_clean_value(fields.get("number")),
        pages=pages.normalise(fields.get("pages", "")),
    )


def _find_first(fields: dict[str, str], wanted: tuple[str, ...]) -> str | None:
    return next((value for name in wanted if (value := _clean_value(fields.get(name)))), None)


def _clean_value(value: str | None) -> str | None:
    return (clean(value) or None) if value else None


def _read_ids(entry: BibtexEntry) -> tuple[tuple[str, str], ...]:
    fields = entry.fields
    pairs: list[tuple[str, str]] = []
    for name, scheme in _STATED.items():
        if (raw := fields.get(name)) and (value := ids.normalise_id(scheme, raw)):
            pairs += ids.expand_doi(value) if scheme == "doi" else [(scheme, value)]
    archive = (fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv").lower()
    if archive == "arxiv" and (value := ids.normalise_id("arxiv", fields.get("eprint", ""))):
        pairs.append(("arxiv", value))
    if url := fields.get("url"):
        pairs += ids.identify_url(url.replace("\\_", "_").replace("\\&", "&").replace("\\", ""))
    if value := ids.normalise_id("dblp", entry.key):
        pairs.append(("dblp", value))
    return tuple(dict.fromkeys(pairs))


READER = DumpReader(
    "bibtex", "the entries of the files given, as their authors wrote them; nothing else", _read_files
)
