"""A memory in a file of JSON lines: to look at it, to keep it, to hand it on.

The first line says what the file is; each further one is a work. What is imported is checked line by line,
its keys are made anew, and its entries say that they are imported. A forged line would be forged
evidence: who imports a file trusts who made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from citeproof.answers.serializers.remembered_work import (
    LARGEST,
    VERSION,
    ForgottenError,
    RememberedWork,
    decode_remembered_work,
    encode_remembered_work,
)
from citeproof.errors import InputError
from citeproof.evidence.sources.memory import MemorySource
from citeproof.plumbing.clock import Clock, format_timestamp, today
from citeproof.text.typed_decoding import decode_json

HEAD = "citeproof_memory"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class MemoryImport:
    """What came of an import: works taken, and lines that were not, with the first reason."""

    taken: int
    refused: int
    reason: str = ""


def export_memory(memory: MemorySource, clock: Clock) -> Iterator[bytes]:
    head = {HEAD: VERSION, "exported": format_timestamp(clock)}
    yield msgspec.json.encode(head) + b"\n"
    for entry in memory.store.list_all():
        yield entry.body + b"\n"


def import_memory(memory: MemorySource, lines: Iterable[bytes], clock: Clock, name: str) -> MemoryImport:
    """Return how many works of `lines` were put into the memory; `name` is the file's, for messages."""
    rows = iter(lines)
    _check_head(next(rows, b""), name)
    day, taken, refused, reason, waiting = today(clock).toordinal(), 0, 0, "", []
    for number, line in enumerate(rows, 2):
        if not line.strip():
            continue
        try:
            work = _read_work(line, format_timestamp(clock))
        except (ForgottenError, UnicodeEncodeError) as error:
            refused, reason = refused + 1, reason or f"line {number}: {error}"
            continue
        waiting.append(memory.make_entry(work))
        if len(waiting) >= _AT_ONCE:
            memory.store.put(waiting, day)
            taken, waiting = taken + len(waiting), []
    memory.store.put(waiting, day)
    return MemoryImport(taken + len(waiting), refused, reason)


def _read_work(line: bytes, now: str) -> RememberedWork:
    """Return the work of a line, marked as imported; raise what is wrong with it."""
    work = msgspec.structs.replace(decode_remembered_work(line), origin="imported")
    if work.at > now:
        raise ForgottenError("judged in the future")
    encode_remembered_work(work)
    return work


def read_lines(file: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file; one that is too long is cut, and refused as damaged."""
    for line in file:
        yield line[: LARGEST + 1]


def _check_head(line: bytes, name: str) -> None:
    hint = "give a file that `citeproof memory export` wrote"
    try:
        version = decode_json(line[:LARGEST], type=dict[str, object]).get(HEAD)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        version = None
    if version is None:
        raise InputError("is not an exported memory", place=f"{name}:1", hint=hint)
    if version != VERSION:
        raise InputError(f"written by another version ({version})", place=f"{name}:1", hint=hint)
