"""The extractor for a document: the one whose format its content looks like most.

The folder is the registry: every module or package here that holds an `EXTRACTOR` takes part. The file name
only breaks ties, because people paste BibTeX into `.txt` files. How far the reading of a long document has
come goes from the extractor to the caller that shows it by `report_progress`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

import citeproof.reading.extractors
from citeproof.errors import NotADocumentError
from citeproof.reading.extractors.decoded_text import BYTE_ORDER_MARKS, decode, find_wide_encoding
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import DAMAGED, Document, Extraction, Extractor, RawReference

if TYPE_CHECKING:
    from citeproof.plumbing.sandbox import Limits

SAMPLE = 200_000  # characters of a document that detection examines
_TIE = 0.1  # what a fitting file name adds
_BINARY = (
    b"%PDF", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd",
    b"\x89PNG", b"\xff\xd8\xff",
)  # fmt: skip
_PACKED = ("archive", "docx", "odt", "pdf", "rtf")  # what is called so is no text
_ANY_PAGE = frozenset({"html", "markdown", "plain_text", "rst"})
# Text in formats that are not read: as plain text, their tags would be taken for references.
_UNREAD = (
    (re.compile(rb"(?:\xef\xbb\xbf)?\s{0,99}\{(?=.{0,1000}\"(?:cell_type|cells|nbformat)\")", re.DOTALL),
     re.compile(rb"\"nbformat\"\s{0,9}:"), "a Jupyter notebook", "export Markdown"),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s{0,99}%0 [A-Z]"),
     re.compile(rb"^%[AT] ", re.MULTILINE), "a tagged export of EndNote", "export RIS"),
    (re.compile(rb"\d{5}[a-z][ -~]{14}4500"), re.compile(rb"\x1e"), "a MARC file", "export RIS or BibTeX"),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s{0,99}FN .{1,99}\r?\nVR 1"),
     re.compile(rb"^PT \w", re.MULTILINE), "a tagged export of Web of Science", "export RIS"),
)  # fmt: skip
Tell = Callable[[int, int], None]  # done, of so many


@cache
def load_extractors(part: str = "") -> dict[str, Extractor]:
    """Return the extractors of this folder by name: all, or those whose file's name has `part` in it."""
    extractors: dict[str, Extractor] = {}
    for module in iter_modules(citeproof.reading.extractors.__path__):
        if part in module.name and hasattr(
            loaded := import_module(f"citeproof.reading.extractors.{module.name}"), "EXTRACTOR"
        ):
            extractor = cast("Extractor", loaded.EXTRACTOR)
            extractors[extractor.name] = extractor
    return extractors


def detect_extractor(document: Document) -> Extractor:
    """Return the extractor for `document`; NotADocumentError if no extractor knows what it is."""
    data = document.data
    binary = data.startswith(_BINARY) or (b"\0" in data[:512] and not _find_unicode(document))
    suffix = "." + document.name.rpartition(".")[2].lower()
    sure: dict[str, float] = {}
    for part in (suffix[1:], ""):  # `bibtex` for .bib: the others need not be loaded then
        able = [extractor for extractor in load_extractors(part).values() if extractor.hostile or not binary]
        asked = [extractor for extractor in able if suffix in extractor.suffixes]
        sure |= {reader.name: reader.recognises(document) for reader in asked if reader.name not in sure}
        if any(value + _TIE > 1 for value in sure.values()):  # which no other could outdo
            break
    else:
        asked = able
        sure |= {reader.name: reader.recognises(document) for reader in able if reader.name not in sure}
    best = max(
        asked,
        key=lambda extractor: (sure[extractor.name] + _TIE * (suffix in extractor.suffixes), extractor.name),
        default=None,
    )
    if best is None or not best.hostile or not sure[best.name]:
        decode(document)  # says clearly why it is not text
    if best is not None and not best.hostile:
        _refuse_unread_text(document)
    if best is None or not sure[best.name]:
        raise NotADocumentError("unknown format", place=document.name)
    return best


def detect_named_extractor(document: Document) -> Extractor:
    """Return the extractor for a document with references; NotADocumentError if its name promises another."""
    best, suffix = detect_extractor(document), "." + document.name.rpartition(".")[2].lower()
    if best.name in _ANY_PAGE and any(suffix in load_extractors()[name].suffixes for name in _PACKED):
        filled = bool(document.data.strip())
        what = "an HTML page" if best.name == "html" else "text" if filled else "empty"
        hint = "a login or error page may have been saved in its place: " * filled + "download it again"
        raise NotADocumentError(f"named {suffix}, but it is {what}", place=document.name, hint=hint)
    return best


def _find_unicode(document: Document) -> str:
    """Return which Unicode a text is in by its byte order mark, its NUL bytes or its user's word."""
    marked = (encoding for mark, encoding in BYTE_ORDER_MARKS if document.data.startswith(mark))
    stated = document.encoding if document.encoding.startswith(("utf-16", "utf-32")) else ""
    return next(marked, "") or stated or find_wide_encoding(document.data)


def _refuse_unread_text(document: Document) -> None:
    """Raise a NotADocumentError for text that says itself that it is of a format which is not read."""
    data = document.data
    if data[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml "):
        hint = (
            "export RIS, BibTeX or CSL-JSON (MARCXML and MODS are not read), or pass the references as text"
        )
        raise NotADocumentError("XML in an unknown format", place=document.name, hint=hint)
    for opening, sign, what, hint in _UNREAD:
        if opening.match(data) and sign.search(data):
            raise NotADocumentError(f"{what}, which is not read", place=document.name, hint=hint)


def extract_here(document: Document) -> Extraction:
    """Return the references of `document`, read in this process by the extractor its content asks for."""
    return mark_doubtful(detect_extractor(document).extract(document))


def mark_doubtful(extraction: Extraction) -> Extraction:
    """Return it with `damaged_ENCODING` on references with letters that another encoding reads otherwise."""
    guesses = {problem.place.file: problem.doubtful for problem in extraction.problems if problem.doubtful[1]}
    if not guesses:
        return extraction

    def mark(reference: RawReference) -> RawReference:
        encoding, letters = guesses.get(reference.place.file, ("", ""))
        codes = (*reference.suspicious, f"{DAMAGED}{encoding}")
        return reference if set(letters).isdisjoint(reference.text) else replace(reference, suspicious=codes)

    return replace(extraction, references=tuple(map(mark, extraction.references)))


def load_format_signs(name: str) -> tuple[re.Pattern[str], ...]:
    """Return what the texts of a format show of it: one table of `format_signs.toml`."""
    table = load_package_table("citeproof.reading.extractors", "format_signs.toml")
    return tuple(re.compile(sign, re.MULTILINE) for sign in table[name])


def read_sample(document: Document) -> str:
    """Return the beginning of a document as text, for detection only."""
    return document.data[:SAMPLE].decode(_find_unicode(document) or "utf-8", "replace").lstrip("\ufeff")


def extract(document: Document, limits: Limits | None = None) -> Extraction:
    """Return the references of `document`; what is not plain text is read in a child with limits."""
    extractor = detect_named_extractor(document)
    if not extractor.hostile:
        return mark_doubtful(extractor.extract(document))
    from citeproof.reading.extractors import sandbox_reader  # noqa: PLC0415 - plain text needs no child

    return sandbox_reader.extract(document, limits)


def _ignore_progress(done: int, total: int) -> None:
    """Report nothing."""


_listener: ContextVar[Tell] = ContextVar("listener", default=_ignore_progress)


def report_progress(done: int, total: int) -> None:
    """Say that `done` of `total` parts (pages, members) of the document were read."""
    _listener.get()(done, total)


@contextmanager
def forward_progress(listener: Tell) -> Iterator[None]:
    """Hand what `report_progress` says inside this block to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
