"""What `citeproof corpus --fix` does: documents mended together, each old or new, with a diff of it all."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from citeproof.corpus.nouns import Result
from citeproof.reporters import words
from citeproof.surfaces import corpusfix
from citeproof.surfaces.cli import progress
from citeproof.surfaces.corpora.project import Project, shown
from citeproof.surfaces.corpusfix import Mended


def fix(
    project: Project, documents: Sequence[Path], *, dry: bool, aside: bool
) -> tuple[tuple[str, int], ...]:
    """Mend documents, show the diff, and return (document, changes) for each that was written.

    `aside`: standard output has something else to hold, such as a report for programs.
    """
    to = sys.stderr if aside else sys.stdout
    files = [made for path in _wanting(project, documents) if (made := _mended(project, path))]
    for file in files:
        to.writelines(corpusfix.show(file))
    if files:
        print(file=to)
    if dry:
        print(f"{_told(files)} would change; nothing was written", file=sys.stderr)
        return ()
    backups = corpusfix.write(files)
    for file, backup in zip(files, backups, strict=True):
        print(f"{words.line(file.name)}: changed; the backup is {words.line(backup.name)}", file=sys.stderr)
    return tuple((file.name, len(file.edits)) for file in files)


def _told(files: Sequence[Mended]) -> str:
    return f"{len(files)} document{'' if len(files) == 1 else 's'}"


def _wanting(project: Project, documents: Sequence[Path]) -> list[Path]:
    """Return the documents with something that can be mended."""
    results = project.results(documents, citations=False)
    seen = progress.shown(results, len(documents), "looking for what can be mended", quiet=False)
    return [path for path, result in zip(documents, seen, strict=True) if _mendable(result)]


def _mendable(result: Result) -> bool:
    return any(issue.remedy for issue in result.issues)


def _mended(project: Project, path: Path) -> Mended | None:
    """Return the document mended, examined here so that every place is that of these very bytes."""
    return corpusfix.settled(
        path, shown(path), path.read_bytes(), lambda data: project.one(data, shown(path))
    )
