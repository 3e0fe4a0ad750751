"""Coverage of readers in the sandbox; `make coverage` only.

A helper has no environment, and its children may open no file for writing: what a child has run it leaves in
memory that it shares with its helper, which saves it when it ends.
"""

from __future__ import annotations

import marshal
import mmap
import os
from typing import Any

from citeproof.plumbing.sandbox import child, forkserver, pool

_CONFIG = "COVERAGE_PROCESS_CONFIG"  # set by coverage's `patch = subprocess`
_ROOM = 1 << 24  # bytes that a child can leave
_PATIENCE = 30.0  # seconds that a helper may take to save what it has


def measure_helpers() -> None:
    """Let the helpers that this process starts measure themselves and their children."""
    if config := os.environ.get(_CONFIG):
        begin = "from tests.sandbox_coverage import measure_children; "
        before, last = pool._BOOT.split("forkserver.main")
        pool._BOOT = f"{before}{begin}measure_children({config!r}); forkserver.main{last}"
        pool._DYING = _PATIENCE


def measure_children(config: str) -> None:
    """Measure this helper, and take over what each child leaves; called in the helper."""
    import coverage

    os.environ[_CONFIG] = config
    data = coverage.process_startup()._collector.data
    del os.environ[_CONFIG]
    shared = mmap.mmap(-1, _ROOM)
    do_job, exit_process, reap_child = child.do_job, child.exit_process, forkserver._reap_child

    def do_measured_job(*arguments: Any) -> None:
        for seen in data.values():
            seen.clear()  # of the helper, which has it
        do_job(*arguments)

    def leave_data() -> None:
        shared.seek(0)
        shared.write(marshal.dumps(dict(data)))
        exit_process()

    def take_over(*arguments: Any) -> Any:
        ended = reap_child(*arguments)
        if shared[0]:  # a child that was killed leaves nothing
            for file, seen in marshal.loads(shared).items():
                data.setdefault(file, set()).update(seen)
            shared[0] = 0
        return ended

    child.do_job, child.exit_process, forkserver._reap_child = do_measured_job, leave_data, take_over
