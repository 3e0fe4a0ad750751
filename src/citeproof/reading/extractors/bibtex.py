"""BibTeX and BibLaTeX files. Damaged entries are read as far as they go and reported with their line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from citeproof.reading.extractors.base import read_sample
from citeproof.reading.extractors.decoded_text import decode, refuse_flood
from citeproof.reading.extractors.records.bibtex_fields import read_bibtex_fields
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_scanner import (
    BibtexEntry,
    BrokenEntry,
    find_entry_kind,
    read_preamble,
    scan_entries,
)
from citeproof.text.dates import find_day
from citeproof.text.latex_commands import NO_MACROS, Macros, read_macros
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Document, Extraction, Extractor, Place, Problem, RawReference

_ENTRY = re.compile(r"^[ \t\ufeff]*@[ \t]*([A-Za-z]{2,30})\s{0,20}([{(])?", re.MULTILINE)
_FENCED = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)  # an answer that gives its entries as code
_TYPES = frozenset({
    "article", "inproceedings", "book", "misc", "incollection", "phdthesis", "techreport", "online",
    "conference", "inbook", "mastersthesis", "unpublished", "proceedings", "comment", "preamble", "manual",
    "thesis", "report", "dataset", "software", "electronic", "booklet", "string",
})  # fmt: skip
# What a child entry takes over from the entry its `crossref` names.
_INHERITED = ("year", "date", "editor", "publisher", "address", "series", "volume", "isbn", "issn")
_MAX_TEXT = 20_000
_NO_WORKS = ("control", "set", "xdata", "ieeetranbstctl")  # for a style, of several entries, to inherit from
_MAX_INHERITED = 10_000_000  # characters that the entries of a file may take over, or ten times its length


def _recognise_bibtex(document: Document) -> float:
    """Return how sure the content is BibTeX: it has entries, or lines that were meant as such."""
    text = read_sample(document)
    known = [m for m in _ENTRY.finditer(text) if m[1].lower() in _TYPES]
    if any(m[2] for m in known):
        return 0.4 if _FENCED.search(text, 0, known[0].start()) else 0.95
    return 0.6 if known else 0.4 if re.search(r"@\w{2,30}\s?\{[^\s,{}]{1,80},", text) else 0.0


def read_bibtex(document: Document, macros: Macros = NO_MACROS) -> Extraction:
    """Return one reference per entry, duplicates included, and a problem for all that was wrong.

    `macros`: those of the LaTeX document that prints the entries; the file's own come after them.
    """
    decoded = decode(document)
    macros = {**macros, **read_macros(read_preamble(decoded.text))}
    problems = list(decoded.problems)
    entries: list[tuple[BibtexEntry, Place]] = []
    for item in scan_entries(decoded.text):
        place = decoded.locate_span(item.start, item.end)
        if isinstance(item, BrokenEntry):
            problems.append(Problem(place, item.message, _find_hint(item.message), item.raw))
        else:
            entries.append((item, place))
            refuse_flood(len(entries), document.name)
            problems.extend(
                Problem(place, _prefix_entry_key(item, p), _find_hint(p), item.raw[:500])
                for p in item.problems
            )
    problems.extend(_find_duplicates(entries))
    inheritable = max(_MAX_INHERITED, 10 * len(decoded.text))
    references = _build_bibtex_references(entries, problems, inheritable, macros)
    problems.sort(key=lambda problem: problem.place.start or 0)
    return Extraction(references, tuple(problems), None, EXTRACTOR.name)


def _build_bibtex_references(
    entries: list[tuple[BibtexEntry, Place]], problems: list[Problem], inheritable: int, macros: Macros
) -> tuple[RawReference, ...]:
    """Return the entries as references; `inheritable` characters may come from parents, in all."""
    parents = {entry.key.lower(): entry for entry, _ in reversed(entries) if entry.key}
    references = []
    for number, (entry, place) in enumerate(entries, 1):
        if entry.type in _NO_WORKS:
            continue
        whole, inherited = _inherit_fields(entry, parents)
        inheritable -= inherited
        if inherited and inheritable < 0:
            whole = entry
            message = "the fields of its crossref parent are too long to be inherited so often"
            problems.append(
                Problem(place, _prefix_entry_key(entry, message), "shorten the fields of the parent")
            )
        claimed, flags = read_bibtex_fields(whole, macros)
        problems.extend(Problem(place, _prefix_entry_key(entry, message), hint) for _, message, hint in flags)
        references.append(
            RawReference(
                key=entry.key or f"ref-{number}",
                text=entry.raw[:_MAX_TEXT],
                place=place,
                kind=find_entry_kind(whole),
                claimed=claimed,
                suspicious=tuple(dict.fromkeys(code for code, _, _ in flags)),
                accessed=find_day(whole.fields.get("urldate", "")),
            )
        )
    return tuple(references)


def _inherit_fields(entry: BibtexEntry, parents: dict[str, BibtexEntry]) -> tuple[BibtexEntry, int]:
    """Return `entry` with what its `crossref` parent gives it, and the length of that.

    One level, as BibTeX does.
    """
    parent = parents.get(entry.fields.get("crossref", "").lower())
    if parent is None or parent is entry:
        return entry, 0
    fields = {name: parent.fields[name] for name in _INHERITED if name in parent.fields}
    title = parent.fields.get("booktitle") or parent.fields.get("title")
    if title:
        fields["booktitle"] = title
    length = sum(len(value) for name, value in fields.items() if name not in entry.fields)
    return replace(entry, fields={**fields, **entry.fields}), length


def _find_duplicates(entries: Iterable[tuple[BibtexEntry, Place]]) -> list[Problem]:
    """Return one problem for each key that was used before; both entries stay."""
    seen: dict[str, int] = {}
    problems = []
    for entry, place in entries:
        key = entry.key.lower()
        if key and key in seen:
            message = f"entry {entry.key!r}: the key was already used in line {seen[key]}; both are checked"
            problems.append(Problem(place, message, "change one of the two keys", entry.raw[:500]))
        seen.setdefault(key, place.line or 0)
    return problems


def _prefix_entry_key(entry: BibtexEntry, problem: str) -> str:
    return f"entry {entry.key!r}: {problem}" if entry.key else problem


def _find_hint(message: str) -> str:
    hints = load_package_table("citeproof.reading.extractors", "bibtex_hints.toml")
    return next((hint for words, hint in hints.items() if words in message), "")


EXTRACTOR = Extractor("bibtex", (".bib", ".bibtex"), _recognise_bibtex, read_bibtex)
