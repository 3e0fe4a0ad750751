"""The documents of a project fixed: what changes, what is left alone, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from citeproof.answers.fix.fixed_file import FixedFile
from citeproof.corpus.corpus_types import DocumentResult
from citeproof.corpus.document_fixes import WritableDocuments, fix_document, select_writable
from citeproof.corpus.document_reader import UnreadableDocumentError, read_document
from citeproof.errors import InputError
from citeproof.service.corpus_project import Project, shorten_path


@dataclass(slots=True)
class CorpusFixes:
    """What fixing would do to documents; nothing is written yet."""

    chosen: WritableDocuments
    files: list[FixedFile] = field(default_factory=list)
    failed: list[tuple[str, InputError | UnreadableDocumentError]] = field(default_factory=list)


def find_corpus_fixes(
    project: Project, documents: Sequence[Path], results: Sequence[DocumentResult]
) -> CorpusFixes:
    """Return the fixes of documents, of which `results` say whether they have any."""
    wanting = [
        path
        for path, result in zip(documents, results, strict=True)
        if any(issue.remedy for issue in result.issues)
    ]
    fixes = CorpusFixes(select_writable(project.root, project.layout, wanting))
    for path in fixes.chosen.own:  # examined again, so that every place is that of these very bytes
        name = shorten_path(path)
        try:
            data = read_document(path, project.settings.max_document_bytes)
            file = fix_document(path, name, data, partial(project.examine_one, file=name))
        except (InputError, UnreadableDocumentError) as error:
            fixes.failed.append((name, error))
        else:
            fixes.files += [file] if file is not None else []
    return fixes
