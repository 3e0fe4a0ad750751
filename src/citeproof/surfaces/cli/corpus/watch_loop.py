"""`citeproof corpus --watch`: verified again whenever a document or something it rests on changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol, TypeAlias

from citeproof.corpus.disk_changes import read_signatures, watch_changes
from citeproof.errors import UsageError
from citeproof.reporters import wording
from citeproof.service.corpus_project import Project, shorten_path
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import network_report

EVERY = 1.0  # seconds between looks


class WatchRequest(Protocol):
    """What the command line asks for, with the settings of now."""

    def project(self, watch: network_report.LookupCounter) -> Project:
        """Return the project, opened."""
        ...

    def run(self, project: Project) -> Exit:
        """Verify the documents once, and report."""
        ...


Looked: TypeAlias = Callable[[], Iterator[Path]]
Signatures: TypeAlias = dict[str, tuple[int, ...]]


def watch_documents(wanted: Callable[[], WatchRequest], paths: Sequence[str]) -> NoReturn:
    """Verify, wait for a change, verify again, until interrupted.

    What is wrong at the beginning ends it. Later it is reported, and may be fixed: an editor saves by rename,
    and somebody writes a setting.
    """
    looked: Looked | None = None
    documents: Signatures = {}
    while True:
        before: Signatures = _take_signatures(looked) if looked else {}
        try:
            documents, looked = _verify_once(wanted(), paths)
            before |= documents
        except UsageError as error:
            if looked is None:
                raise
            print(f"error: {wording.show_line(str(error), 1000)}", file=sys.stderr)
        now = _take_signatures(looked)
        since = now | {path: seen for path, seen in before.items() if path in now or path in documents}
        print("watching for changes; Ctrl-C ends", file=sys.stderr)
        changed = next(iter(watch_changes(partial(_take_signatures, looked), EVERY, time.sleep, since)))
        print(f"changed: {_format_changed_files(changed)}", file=sys.stderr)


def _verify_once(wanted: WatchRequest, paths: Sequence[str]) -> tuple[Signatures, Looked]:
    """Return the documents as they were before one run, and what is to be examined."""
    project = wanted.project(network_report.LookupCounter())
    try:
        before = read_signatures(project.list_documents(paths))
        wanted.run(project)
        sys.stdout.flush()
        return before, project.list_watched(paths)
    finally:
        project.close()


def _take_signatures(looked: Looked) -> Signatures:
    return read_signatures(looked())


def _format_changed_files(changed: frozenset[str]) -> str:
    names = sorted(wording.show_line(shorten_path(Path(name))) for name in changed)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
