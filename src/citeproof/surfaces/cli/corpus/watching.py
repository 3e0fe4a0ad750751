"""`citeproof corpus --watch`: verified again whenever a document or something it rests on changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from citeproof.corpus.watching import changes, signatures
from citeproof.surfaces.cli import network
from citeproof.surfaces.corpora.project import Project
from citeproof.surfaces.exits import Exit

EVERY = 1.0  # seconds between looks


def watch(
    make: Callable[[network.Watch], Project], run: Callable[[Project], Exit], paths: Sequence[str]
) -> Exit:
    """Verify, wait for a change, verify again, until interrupted; return the last exit code."""
    code = Exit.CLEAN
    try:
        while True:
            project = make(network.Watch())
            try:
                before = signatures(project.documents(paths))
                code = run(project)
                sys.stdout.flush()
                looked = project.looked_at(paths)
            finally:
                project.close()
            print("watching for changes; Ctrl-C ends", file=sys.stderr)
            look = partial(_look, looked)
            changed = next(iter(changes(look, EVERY, time.sleep, before)))
            print(f"changed: {_named(changed)}", file=sys.stderr)
    except KeyboardInterrupt:
        return code


def _look(looked: Callable[[], Iterator[Path]]) -> dict[str, tuple[int, ...]]:
    return signatures(looked())


def _named(changed: frozenset[str]) -> str:
    names = sorted(Path(name).name for name in changed)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
