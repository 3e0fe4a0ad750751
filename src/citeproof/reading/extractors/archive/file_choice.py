"""Which files of an archive or folder are documents; the others are what a document uses, or no matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from posixpath import dirname

from citeproof.errors import InputError
from citeproof.reading.extractors import base
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Document, Extractor

_SURE = 0.5  # what is surely some format is read whatever its name
_TEXTS = frozenset({"plain_text", "markdown", "rst"})  # any text looks like them: the name must say so too
_PARTS = frozenset({"latex", "bibtex", "pdf"})  # next to a LaTeX document: its parts, its figures, itself
_MAIN = re.compile(
    rb"^[^%\n]{0,200}\\document(?:class|style)\s{0,9}(?:\[[^\]]{0,2000}\])?\s{0,9}\{(?!subfiles\b|standalone\b)",
    re.MULTILINE,
)
_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini", "node_modules", "__pycache__", "meta-inf"})
_ABOUT = re.compile(
    r"(?:00)?-?(?:readme|license|licence|copying|changelog|contributing|notice|authors)(?:[._-][a-z]{2})?",
    re.IGNORECASE,
)  # "LICENSE", "00README", "README.de"; but not "License plates"
_TELLING = frozenset(
    {"", ".md", ".markdown", ".txt", ".text", ".rst", ".org", ".json", ".html", ".yaml", ".xxx"}
)


@dataclass(slots=True)
class FileChoice:
    """The documents by name with the extractor of each, and why the other files are none."""

    documents: dict[str, Extractor] = field(default_factory=dict)
    mains: list[str] = field(default_factory=list)  # LaTeX documents with all that belongs to them
    parts: list[str] = field(default_factory=list)  # next to a main; read only if it asks for them
    passed: list[str] = field(default_factory=list)  # pictures, programs, hidden files
    nested: list[str] = field(default_factory=list)  # archives
    unreadable: dict[str, InputError] = field(default_factory=dict)  # called like a document, but none


def choose_documents(files: Mapping[str, bytes]) -> FileChoice:
    """Return which of `files` are documents, LaTeX ones with all that belongs to them first."""
    choice = FileChoice()
    kinds: dict[str, Extractor] = {}
    for name, data in files.items():
        if is_junk_file(name):
            choice.passed.append(name)
            continue
        try:
            kind = _detect_kind(name, data)
        except InputError as error:
            choice.unreadable[name] = error
            continue
        if kind is None:
            choice.passed.append(name)
        elif kind.name == "archive":
            choice.nested.append(name)
        else:
            kinds[name] = kind
    choice.mains = [n for n, kind in kinds.items() if kind.name == "latex" and is_main_latex(files[n])]
    homes = {dirname(main) for main in choice.mains}
    for name, kind in kinds.items():
        if kind.name in _PARTS and name not in choice.mains and _is_below(name, homes):
            choice.parts.append(name)
        elif name not in choice.mains:
            choice.documents[name] = kind
    choice.documents = {name: kinds[name] for name in choice.mains} | choice.documents
    return choice


def is_main_latex(data: bytes) -> bool:
    """Return whether a LaTeX text is a document of its own, not a part of one."""
    return bool(_MAIN.search(data[: base.SAMPLE]))


@cache
def _load_other_suffixes() -> frozenset[str]:
    table = load_package_table("citeproof.reading.extractors.archive", "passed.toml")
    documents = {suffix for extractor in base.load_extractors().values() for suffix in extractor.suffixes}
    return frozenset(ending for group in table.values() for ending in group) - documents


def is_hidden_file(name: str) -> bool:
    """Return whether a file is hidden, or left by a system: no document."""
    return any(part.startswith(".") or part in _JUNK for part in name.lower().split("/"))


def is_junk_file(name: str) -> bool:
    """Return whether a file is hidden, left by a system, or by its name no document at all."""
    if is_hidden_file(name):
        return True
    file = PurePosixPath(name.lower())
    about = file.suffix in _TELLING and bool(_ABOUT.fullmatch(file.stem))
    return about or file.suffix in _load_other_suffixes()


def _detect_kind(name: str, data: bytes) -> Extractor | None:
    """Return the extractor of a file, None if it is not a document; InputError if only its name says so."""
    suffix = PurePosixPath(name).suffix.lower()
    document = Document(name, data)
    named = [extractor for extractor in base.load_extractors().values() if suffix in extractor.suffixes]
    if not data:  # a copy that failed: reported if it should be a paper
        return next((extractor for extractor in named if extractor.hostile), None)
    try:
        kind = base.detect_named_extractor(document)
    except InputError:
        if named or suffix == ".doc":
            raise
        return None
    if suffix in kind.suffixes:
        return kind
    return kind if kind.name not in _TEXTS and kind.recognises(document) >= _SURE else None


def _is_below(name: str, homes: set[str]) -> bool:
    folder = dirname(name)
    return any(not home or folder == home or folder.startswith(f"{home}/") for home in homes)
