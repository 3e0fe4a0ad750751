"""The documents that a command line names."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from citeproof.service.input_documents import read_documents
from citeproof.settings import Settings
from citeproof.vocabulary import Document


def read_named_documents(files: Sequence[str], chosen: Settings) -> list[Document]:
    """Return the documents; what a person should know meanwhile goes to standard error."""
    return read_documents(files, chosen.max_document_bytes, lambda note: print(note, file=sys.stderr))
