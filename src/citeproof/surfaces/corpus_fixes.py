"""Corpus documents with their remedies carried out: what would change, files exchanged, and the way back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeproof.corpus.mend import mend_document
from citeproof.corpus.nouns import DocumentResult
from citeproof.errors import CiteproofError, InputError, UsageError
from citeproof.fix import backups, edit_diff
from citeproof.fix.encoded_text import EncodedText
from citeproof.fix.text_edits import TextEdit, compose_edits
from citeproof.reporters import wording

_LINKED = "was one file with another name (a hard link); the other keeps the old text"
_SAID = 1000  # characters of an error, with its place and mend
_ROUNDS = 4  # after the first; one was enough for every document that was tried


@dataclass(frozen=True, slots=True)
class MendedDocument:
    """One document: the bytes it has, those it should have, and the edits between them."""

    path: Path
    name: str
    data: bytes
    text: str
    edits: tuple[TextEdit, ...]
    new: bytes


def mend_once(path: Path, name: str, data: bytes, result: DocumentResult) -> MendedDocument | None:
    """Return the document with the remedies of its issues carried out; None if nothing is to be done.

    One that has remedies but is not UTF-8, or is not the text that `result` speaks of, is left as it is, and
    a word on standard error says so: the others go on.
    """
    remedies = [issue.remedy for issue in result.issues if issue.remedy is not None]
    if not remedies:
        return None
    try:
        decoded = _decode_document(name, data)
        _refuse_other_text(decoded.text, result, name)
    except InputError as error:
        _print_fix_error(error)
        return None
    edits = tuple(edit for edit in mend_document(decoded.text, remedies) if decoded.can_encode([edit]))
    return MendedDocument(path, name, data, decoded.text, edits, decoded.edit_bytes(edits)) if edits else None


def mend_fully(
    path: Path, name: str, data: bytes, examine: Callable[[bytes], DocumentResult]
) -> MendedDocument | None:
    """Return the document mended until nothing is left to do; None if nothing is to be done.

    What one round does may call for more: a statistic whose citation is removed needs a source.
    """
    made = mend_once(path, name, data, examine(data))
    for _ in range(_ROUNDS):
        more = mend_once(path, name, made.new, examine(made.new)) if made is not None else None
        if made is None or more is None:
            break
        edits = compose_edits(made.text, made.edits, more.edits)
        made = replace(made, edits=edits, new=more.new)
    return made


def write_documents(files: Sequence[MendedDocument]) -> list[Path]:
    """Exchange the documents and return their backups; each is old or new, never half.

    One that cannot be written is met before any is, where that shows; an error later on names those that
    were written.
    """
    for file in files:
        backups.check_exchangeable(file.path, file.data, copies=False)
    made: list[Path] = []
    for number, file in enumerate(files):
        linked = _is_linked(file.path)
        try:
            made.append(backups.exchange_file(file.path, file.data, file.new, copies=False))
        except UsageError as error:
            raise _make_partial_fix_error(error, [done.name for done in files[:number]]) from error
        if linked:
            print(f"{wording.show_line(file.name)}: {_LINKED}", file=sys.stderr)
    return made


def format_document_diff(file: MendedDocument) -> Iterator[str]:
    """Yield the lines of a unified diff, each with its end."""
    return edit_diff.format_diff(file.text, file.edits, file.name)


def undo_documents(
    paths: Sequence[Path], *, force: bool, tell: Callable[[Path, Path], None] | None = None
) -> list[tuple[Path, Path]]:
    """Put back what the last change of each file replaced; return the files and the backups that had it.

    Files without a backup are passed by. One that is refused does not keep the others back: the error comes
    at the end, and `tell` hears of each file at once.
    """
    done: list[tuple[Path, Path]] = []
    refused: list[UsageError] = []
    for path in backups.list_changed_files(paths):
        try:
            done.append((path, backups.undo_change(path, force=force)))
        except UsageError as error:
            refused.append(error)
        else:
            if tell is not None:
                tell(*done[-1])
    for other in refused[1:]:
        _print_fix_error(other)
    if refused:
        raise refused[0]
    return done


def _print_fix_error(error: CiteproofError) -> None:
    """Tell of an error, and of its mend on a line of its own."""
    told = f"{error.place}: {error.message}" if error.place else error.message
    print(wording.show_line(told, _SAID), file=sys.stderr)
    if error.mend:
        print(f"  hint: {wording.show_line(error.mend, _SAID)}", file=sys.stderr)


def _decode_document(name: str, data: bytes) -> EncodedText:
    """Return the text of a document that is UTF-8; InputError for any other."""
    try:
        text = data.decode("utf-8")  # a byte order mark is a character here, as in the examination
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "is not UTF-8, and is left as it is", place=f"{name}:{line}", mend="save the file as UTF-8"
        ) from error
    return EncodedText(data, text)


def _refuse_other_text(text: str, result: DocumentResult, name: str) -> None:
    """Raise an InputError unless every citation stands where the result says."""
    if any(text[one.start : one.end] != one.raw for one in result.citations):
        raise InputError(
            "is not the text that was checked, and is left as it is", place=name, mend="run it again"
        )


def _is_linked(path: Path) -> bool:
    """Return whether the file has another name, which will not be the same file any more."""
    try:
        return path.stat().st_nlink > 1
    except OSError:  # told of by the exchange
        return False


def _make_partial_fix_error(error: UsageError, done: Sequence[str]) -> UsageError:
    """Return the error with the files that were written before it."""
    if not done:
        return error
    shown = ", ".join(wording.show_line(name) for name in done[:20])
    more = f" and {len(done) - 20} more" if len(done) > 20 else ""
    message = f"{error.message}; written already: {shown}{more}"
    mend_it = f"{error.mend}; `citeproof corpus --undo FILE` takes a written one back"
    return UsageError(message, place=error.place, mend=mend_it)
