"""The documents that a command line names, read and ready to be checked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from citeproof.errors import UsageError
from citeproof.service.assemble import assemble, choose_judge
from citeproof.service.check_session import CheckSession, begin_check
from citeproof.service.fetched_documents import DocumentFetcher
from citeproof.service.input_documents import read_documents
from citeproof.settings import Settings
from citeproof.surfaces.cli import main, run_notices, status_line
from citeproof.surfaces.cli.status_line import SIGN
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Document, Observer


class OpenedDocuments(NamedTuple):
    """Documents, what verifies them, and what was read out of them."""

    documents: list[Document]
    verifier: ReferenceVerifier
    checking: CheckSession


def open_documents(
    files: Sequence[str], chosen: Settings, observer: Observer, *, stage: str | None, own: Sequence[Path] = ()
) -> OpenedDocuments:
    """Return the documents, read, without the `own` files of the run; the judge's files are tried first."""
    fetcher = make_fetcher(chosen)
    documents = read_named_documents(files, chosen, fetcher, own)
    verifier = assemble(chosen, observer=observer, stage=stage)
    run_notices.add_traffic(verifier, fetcher.sent)
    run_notices.print_warnings(choose_judge(chosen).trouble)
    main.freeze_loaded_objects()
    with status_line.show_reading_progress():
        return OpenedDocuments(documents, verifier, begin_check(verifier, documents))


def read_named_documents(
    files: Sequence[str], chosen: Settings, fetcher: DocumentFetcher | None = None, own: Sequence[Path] = ()
) -> list[Document]:
    """Return the documents; what a person should know meanwhile goes to standard error."""
    fetcher = fetcher or make_fetcher(chosen)
    known = [path for path in (*own, chosen.baseline, chosen.ignore_file) if path]
    documents = read_documents(files, chosen.max_document_bytes, _print_note, fetcher, known)
    return [replace(document, encoding=chosen.encoding) for document in documents]


def read_one_document(file: str, chosen: Settings) -> Document:
    """Return the one document that a command takes; UsageError where a folder holds several."""
    documents = read_named_documents([file], chosen)
    if len(documents) != 1:
        hint = "give them one at a time"
        raise UsageError(f"stands for {len(documents)} documents", place=file, hint=hint)
    return documents[0]


def make_fetcher(chosen: Settings) -> DocumentFetcher:
    """Return what fetches documents; a person at a terminal sees what is waited for."""
    return DocumentFetcher(chosen, _print_note) if sys.stderr.isatty() else DocumentFetcher(chosen)


def _print_note(note: str) -> None:
    SIGN.clear()
    print(note, file=sys.stderr)
