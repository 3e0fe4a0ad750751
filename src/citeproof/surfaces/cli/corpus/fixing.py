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

from citeproof.corpus.nouns import Result
from citeproof.corpus.reading import UnreadableError, read
from citeproof.reporters import words
from citeproof.surfaces import corpusfix
from citeproof.surfaces.cli import progress
from citeproof.surfaces.corpora.project import Project, shown
from citeproof.surfaces.corpusfix import Mended


@dataclass(frozen=True, slots=True)
class Fixed:
    """What became of the documents."""

    changes: tuple[tuple[str, int], ...] = ()  # (document, how many) for each that was written
    seen: list[Result] | None = None  # results of all documents; None if they may be others now


def fix(project: Project, documents: Sequence[Path], *, dry: bool, aside: bool) -> Fixed:
    """Mend documents, show the diff, and return what was written.

    `aside`: standard output has something else to hold, such as a report for programs.
    """
    to = sys.stderr if aside else sys.stdout
    seen = _seen(project, documents)
    wanting = [path for path, result in zip(documents, seen, strict=True) if _mendable(result)]
    files = [made for path in _own(project, wanting) if (made := _mended(project, path))]
    for file in files:
        to.writelines(corpusfix.show(file))
    if files:
        print(file=to)
    if dry:
        print(f"{_told(files)} would change; nothing was written", file=sys.stderr)
        return Fixed(seen=seen)
    backups = corpusfix.write(files)
    for file, backup in zip(files, backups, strict=True):
        print(f"{words.line(file.name)}: changed; the backup is {words.line(backup.name)}", file=sys.stderr)
    changes = tuple((file.name, len(file.edits)) for file in files)
    return Fixed(changes, None if changes else seen)  # a document may cite one that was written


def _told(files: Sequence[Mended]) -> str:
    return f"{len(files)} document{'' if len(files) == 1 else 's'}"


def _seen(project: Project, documents: Sequence[Path]) -> list[Result]:
    """Return what each document gave, without the citations that are as they should be."""
    results = project.results(documents, citations=False)
    return list(progress.shown(results, len(documents), "looking for what can be mended", quiet=False))


def _mendable(result: Result) -> bool:
    return any(issue.remedy for issue in result.issues)


def _own(project: Project, documents: Sequence[Path]) -> list[Path]:
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
        elif _leads_out(path, real, root):
            _say(path, "a link leads out of the root; it is not mended")
        else:
            own.append(path)
    if count := evidence.total():
        what = "1 file is" if count == 1 else f"{count} files are"
        print(f"not mended: {what} evidence, below {words.listed(sorted(evidence))}", file=sys.stderr)
    return own


def _leads_out(path: Path, real: Path, root: Path) -> bool:
    """Return whether a document is reached by a link, and lies outside of the root."""
    if real.is_relative_to(root):
        return False
    return path.is_symlink() or any(folder.resolve().is_relative_to(root) for folder in path.parents)


def _mended(project: Project, path: Path) -> Mended | None:
    """Return the document mended, examined here so that every place is that of these very bytes."""
    try:
        data, _ = read(path, project.settings.max_document_bytes)
    except UnreadableError as error:
        _say(path, f"{error}; it is left as it is")
        return None
    return corpusfix.settled(path, shown(path), data, lambda now: project.one(now, shown(path)))


def _say(path: Path, what: str) -> None:
    print(f"{words.line(shown(path))}: {words.line(what)}", file=sys.stderr)
