"""What `citeproof corpus --fix` and `--undo` print: the diff, what was written, what was left and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citeproof.answers.fix import backups
from citeproof.answers.reporters import wording
from citeproof.corpus.corpus_types import DocumentResult
from citeproof.errors import CiteproofError, UsageError
from citeproof.service.corpus_fixes import CorpusFixes, find_corpus_fixes
from citeproof.service.corpus_project import Project, shorten_path
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import progress_bar

_LINKED = "was one file with another name (a hard link); the other keeps the old text"
_SAID = 1000  # characters of an error, with its place and hint


@dataclass(frozen=True, slots=True)
class CorpusFixResult:
    """What became of the documents."""

    changes: tuple[tuple[str, int], ...] = ()  # (document, how many) for each that was written
    seen: list[DocumentResult] | None = None  # results of all documents; None if they may be others now


def fix_documents(project: Project, documents: Sequence[Path], *, dry: bool, aside: bool) -> CorpusFixResult:
    """Fix documents, show the diff, and return what was written.

    `aside`: standard output has something else to hold, such as a report for programs.
    """
    to = sys.stderr if aside else sys.stdout
    results = project.results(documents, citations=False)
    seen = list(progress_bar.show_progress(results, len(documents), "looking for fixes", quiet=False))
    fixes = find_corpus_fixes(project, documents, seen)
    _print_unfixed(fixes)
    files = fixes.files
    for file in files:
        to.writelines(file.diff())
    if files:
        print(file=to)
    if dry:
        count = f"{len(files)} document{'' if len(files) == 1 else 's'}"
        print(f"{count} would change; nothing was written", file=sys.stderr)
        return CorpusFixResult(seen=seen)
    for fix in backups.write_fixes(files, undo="citeproof corpus --undo FILE", copies=False):
        if fix.linked:
            _print_about(fix.name, _LINKED)
        _print_about(fix.name, f"changed; the backup is {fix.backup.name}")
    changes = tuple((file.name, len(file.edits)) for file in files)
    return CorpusFixResult(changes, None if changes else seen)  # a document may cite one that was written


def undo_fixes(documents: Sequence[Path], *, force: bool) -> Exit:
    """Put back what the last --fix replaced, and return the exit code."""
    refused: list[UsageError] = []
    done = False
    for path, backup in backups.undo_changes(documents, force=force):
        if isinstance(backup, UsageError):
            refused.append(backup)
            continue
        done = True
        print(f"{wording.show_line(str(path))}: restored from {wording.show_line(backup.name)}", flush=True)
    for other in refused[1:]:
        _print_error(other)
    if refused:
        raise refused[0]
    if not done:
        print("nothing to restore: no document here has a backup of `corpus --fix`", file=sys.stderr)
    return Exit.CLEAN if done else Exit.NOTHING


def _print_unfixed(fixes: CorpusFixes) -> None:
    """Print which documents are not the project's to write, and which could not be read."""
    for path in fixes.chosen.outside:
        _print_about(shorten_path(path), "a link points outside the root; it is not fixed")
    if count := fixes.chosen.evidence.total():
        what = "1 file is" if count == 1 else f"{count} files are"
        below = wording.list_names(sorted(fixes.chosen.evidence))
        print(f"not fixed: {what} evidence, below {below}", file=sys.stderr)
    for name, error in fixes.failed:
        if isinstance(error, CiteproofError):
            _print_error(error)
        else:
            _print_about(name, f"{error}; it was not changed")


def _print_about(name: str, what: str) -> None:
    print(f"{wording.show_line(name)}: {wording.show_line(what)}", file=sys.stderr)


def _print_error(error: CiteproofError) -> None:
    """Print an error, and its hint on the next line."""
    message = f"{error.place}: {error.message}" if error.place else error.message
    print(wording.show_line(message, _SAID), file=sys.stderr)
    if error.hint:
        print(f"  hint: {wording.show_line(error.hint, _SAID)}", file=sys.stderr)
