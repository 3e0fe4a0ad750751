"""Fewer and cheaper collections of garbage in a process that does one job and ends."""

from __future__ import annotations

import gc


def freeze_loaded_objects() -> None:
    """Let the collector leave alone what is loaded by now: modules, tables and models, none of it garbage.

    A check makes millions of small values and hardly a cycle; every tenth of its time went into looking
    for some among everything that was imported. Only for a command: in somebody's program it is theirs.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
