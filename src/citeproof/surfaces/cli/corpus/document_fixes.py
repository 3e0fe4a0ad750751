"""What `citeproof corpus --fix` does: documents mended together, each old or new, with a diff of it all.

Sources and assessments are evidence, and what a link leads to outside of the root is not the project's:
neither is ever written to.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citeproof.corpus.document_reader import UnreadableDocumentError, read_document
from citeproof.corpus.nouns import DocumentResult
from citeproof.reporters import wording
from citeproof.surfaces import corpus_fixes
from citeproof.surfaces.cli import progress_bar
from citeproof.surfaces.corpora.project import Project, shorten_path
from citeproof.surfaces.corpus_fixes import MendedDocument


@dataclass(frozen=True, slots=True)
class CorpusFixResult:
    """What became of the documents."""

    changes: tuple[tuple[str, int], ...] = ()  # (document, how many) for each that was written
    seen: list[DocumentResult] | None = None  # results of all documents; None if they may be others now


def fix_documents(project: Project, documents: Sequence[Path], *, dry: bool, aside: bool) -> CorpusFixResult:
    """Mend documents, show the diff, and return what was written.

    `aside`: standard output has something else to hold, such as a report for programs.
    """
    to = sys.stderr if aside else sys.stdout
    seen = _examine_documents(project, documents)
    wanting = [path for path, result in zip(documents, seen, strict=True) if _is_mendable(result)]
    files = [
        made for path in _select_own_documents(project, wanting) if (made := _mend_document(project, path))
    ]
    for file in files:
        to.writelines(corpus_fixes.format_document_diff(file))
    if files:
        print(file=to)
    if dry:
        print(f"{_count_documents(files)} would change; nothing was written", file=sys.stderr)
        return CorpusFixResult(seen=seen)
    backups = corpus_fixes.write_documents(files)
    for file, backup in zip(files, backups, strict=True):
        print(
            f"{wording.show_line(file.name)}: changed; the backup is {wording.show_line(backup.name)}",
            file=sys.stderr,
        )
    changes = tuple((file.name, len(file.edits)) for file in files)
    return CorpusFixResult(changes, None if changes else seen)  # a document may cite one that was written


def _count_documents(files: Sequence[MendedDocument]) -> str:
    return f"{len(files)} document{'' if len(files) == 1 else 's'}"


def _examine_documents(project: Project, documents: Sequence[Path]) -> list[DocumentResult]:
    """Return what each document gave, without the citations that are as they should be."""
    results = project.results(documents, citations=False)
    return list(
        progress_bar.show_progress(results, len(documents), "looking for what can be mended", quiet=False)
    )


def _is_mendable(result: DocumentResult) -> bool:
    return any(issue.remedy for issue in result.issues)


def _select_own_documents(project: Project, documents: Sequence[Path]) -> list[Path]:
    """Return the documents that are the project's to write, and say which of the others are left."""
    root = project.root
    folders = {folder: (root / folder).resolve() for folder in project.layout.evidence}
    own: list[Path] = []
    evidence: Counter[str] = Counter()
    for path in documents:
        real = path.resolve()
        below = next((name for name, folder in folders.items() if real.is_relative_to(folder)), None)
        if below is not None:
            evidence[below] += 1
        elif _is_link_outside(path, real, root):
            _print_about_document(path, "a link leads out of the root; it is not mended")
        else:
            own.append(path)
    if count := evidence.total():
        what = "1 file is" if count == 1 else f"{count} files are"
        print(f"not mended: {what} evidence, below {wording.list_names(sorted(evidence))}", file=sys.stderr)
    return own


def _is_link_outside(path: Path, real: Path, root: Path) -> bool:
    """Return whether a document is reached by a link, and lies outside of the root."""
    if real.is_relative_to(root):
        return False
    return path.is_symlink() or any(folder.resolve().is_relative_to(root) for folder in path.parents)


def _mend_document(project: Project, path: Path) -> MendedDocument | None:
    """Return the document mended, examined here so that every place is that of these very bytes."""
    try:
        data, _ = read_document(path, project.settings.max_document_bytes)
    except UnreadableDocumentError as error:
        _print_about_document(path, f"{error}; it is left as it is")
        return None
    return corpus_fixes.mend_fully(
        path, shorten_path(path), data, lambda now: project.examine_one(now, shorten_path(path))
    )


def _print_about_document(path: Path, what: str) -> None:
    print(f"{wording.show_line(shorten_path(path))}: {wording.show_line(what)}", file=sys.stderr)
