"""The server's log: one JSON object a line, with neither secrets nor anything of documents."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

from citeproof.answers.serializers import dumps
from citeproof.plumbing.clock import Clock, format_timestamp

WriteEntry = Callable[..., None]


def make_log_writer(clock: Clock, to: TextIO | None = None) -> WriteEntry:
    """Return what writes one entry to standard error, in one go: several processes may share it."""

    def write(event: str, **fields: object) -> None:
        line = dumps({"ts": format_timestamp(clock), "event": event, **fields}).decode()
        stream = to or sys.stderr
        stream.write(f"{line}\n")
        stream.flush()

    return write


def ignore_entry(event: str, **fields: object) -> None:
    """Do nothing with it."""
    del event, fields


def describe_fault(error: BaseException) -> str:
    """Return where a bug is, without any value: the last places of ours on the way to it."""
    places, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "citeproof" in code.co_filename:
            places.append(f"{code.co_filename.rpartition('citeproof/')[2]}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__} at {' < '.join(reversed(places[-4:])) or 'unknown'}"
