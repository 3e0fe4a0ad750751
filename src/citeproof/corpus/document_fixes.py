"""Corpus documents fixed: which may be written, and the remedies of their issues carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeproof.answers.fix.fixed_file import FixedFile
from citeproof.answers.fix.formats.markdown import edit_document
from citeproof.answers.fix.text_edits import EncodedText
from citeproof.corpus.corpus_types import CorpusLayout, DocumentResult, Pattern
from citeproof.corpus.page import read_page
from citeproof.errors import InputError

_ROUNDS = 5  # two were enough for every document that was tried


@dataclass(slots=True)
class WritableDocuments:
    """The documents that are the project's to write, and those that are not.

    Sources and assessments are evidence, and what a link leads to outside the root is not the project's:
    neither is ever written to.
    """

    own: list[Path] = field(default_factory=list)
    outside: list[Path] = field(default_factory=list)
    evidence: Counter[str] = field(default_factory=Counter)  # how many below each folder of evidence


def select_writable(root: Path, layout: CorpusLayout, documents: Iterable[Path]) -> WritableDocuments:
    """Return the documents sorted by who may write to them."""
    folders = {folder: (root / folder).resolve() for folder in layout.evidence}
    sorted_out = WritableDocuments()
    for path in documents:
        real = path.resolve()
        below = next((name for name, folder in folders.items() if real.is_relative_to(folder)), None)
        if below is not None:
            sorted_out.evidence[below] += 1
        elif _is_link_outside(path, real, root):
            sorted_out.outside.append(path)
        else:
            sorted_out.own.append(path)
    return sorted_out


def _is_link_outside(path: Path, real: Path, root: Path) -> bool:
    """Return whether a document is reached by a link, and lies outside the root."""
    if real.is_relative_to(root):
        return False
    return path.is_symlink() or any(folder.resolve().is_relative_to(root) for folder in path.parents)


def fix_document(
    path: Path, name: str, data: bytes, examine: Callable[[bytes], DocumentResult]
) -> FixedFile | None:
    """Return the document fixed until nothing is left to do; None if nothing is to be done.

    What one round does may call for more: a statistic whose citation is removed needs a source. A document
    that has remedies but is not UTF-8, or is not the text that `examine` speaks of, is an InputError.
    """
    file = FixedFile(name, path, data, data)
    for _ in range(_ROUNDS):
        if not _fix_once(file, examine(file.new)):
            break
    return file if file.edits else None


def _fix_once(file: FixedFile, result: DocumentResult) -> bool:
    """Carry out the remedies of a result; return whether something changed."""
    remedies = [issue.remedy for issue in result.issues if issue.remedy is not None]
    if not remedies:
        return False
    encoded = EncodedText(file.new, _decode_utf8(file.name, file.new))
    text = encoded.text
    if any(text[citation.start : citation.end] != citation.raw for citation in result.citations):
        message = "changed since the check; it was not written"
        raise InputError(message, place=file.name, hint="run it again")
    edits = [
        edit
        for edit in edit_document(text, remedies, find_code_citations(text))
        if encoded.can_encode([edit])
    ]
    file.add_edits(encoded, edits)
    return bool(edits)


def find_code_citations(text: str) -> Sequence[tuple[int, int]]:
    """Return the spans of the code citations that the check sees, sure or not: none is ever changed."""
    marks = (mark for mark in read_page(text, CorpusLayout()).marks if mark.pattern is Pattern.CODE)
    return [(mark.span.start, mark.span.end) for mark in marks]


def _decode_utf8(name: str, data: bytes) -> str:
    """Return the text of a document that is UTF-8; InputError for any other."""
    try:
        return data.decode("utf-8")  # a byte order mark is a character here, as in the examination
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "is not UTF-8; it was not changed", place=f"{name}:{line}", hint="save the file as UTF-8"
        ) from error
