"""The answers file of a run: written as answers come, so that a run that was broken off goes on.

The first line says what gave the answers. A file of another engine or another benchmark is never taken
up: figures from two judges in one file would be nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from citeproof.errors import InputError, UsageError
from citeproof.measure.adapters.answers.ours import HEAD
from citeproof.measure.adapters.loading import Loaded, contents
from citeproof.measure.rows import Case, Row, Said
from citeproof.measure.runcard import Engine
from citeproof.output_files import append_output, find_target, replace_output
from citeproof.vocabulary import Label

_MEND = "--fresh begins it anew; or name another file with --answers"
_LONGEST_HEAD = 100_000  # bytes of the first line
_NOT_OURS = "name another file with --answers; this one is not written over"


class Head(msgspec.Struct, frozen=True):
    """What was run on what."""

    file: str
    sha256: str
    engine: Engine


class _First(msgspec.Struct, frozen=True):
    citeproof_run: Head


class Line(Said, frozen=True, kw_only=True):
    """One answer and the truth about its question, which plots need and the engine never saw."""

    bad: bool
    true_label: Label | None = None
    kind: str = ""
    tier: int = 0
    group: str = ""


def line(case: Case, said: Said) -> Line:
    """Return an answer with its truth beside it."""
    return Line(
        **msgspec.structs.asdict(said), bad=case.truth.bad, true_label=case.truth.label,
        kind=case.truth.kind, tier=case.truth.tier, group=case.question.group,
    )  # fmt: skip


def refuse_other(path: Path, sha256: str) -> None:
    """Raise if an answers file of ours says that it answers another benchmark."""
    try:
        with path.open("rb") as lines:
            head = msgspec.json.decode(lines.readline(_LONGEST_HEAD), type=_First).citeproof_run
    except (OSError, msgspec.DecodeError):
        return  # another tool's, or unreadable: whoever reads it whole says so
    if head.sha256 != sha256:
        raise InputError(
            f"answers another benchmark, {head.file}",
            place=str(path),
            mend="run this benchmark with --answers",
        )


def known(loaded: Loaded) -> list[Row]:
    """Return the rows of an answers file of ours, which tells the truth beside each answer."""
    try:
        lines = [msgspec.convert(row, type=Line) for row in loaded.rows if HEAD not in row]
    except msgspec.ValidationError as error:
        mend = "give --benchmark FILE, or answers that `citeproof bench run --answers` wrote"
        raise InputError(
            f"does not tell the truth beside the answers: {error}", place=str(loaded.path), mend=mend
        ) from error
    return [
        Row(o.key, o.bad, o.flagged, o.true_label, o.label, o.confidence, o.kind, o.tier, o.group)
        for o in lines
    ]


class Kept:
    """The answers at hand, and where new ones go."""

    def __init__(self, said: dict[str, Said], out: BinaryIO | None) -> None:
        self.said = said
        self.reused = len(said)
        self._out = out

    def add(self, case: Case, said: Said) -> None:
        """Note an answer; it is on disk when this returns."""
        self.said[said.key] = said
        if self._out is not None:
            self._out.write(msgspec.json.encode(line(case, said)) + b"\n")
            self._out.flush()


@contextmanager
def opened(path: Path | None, head: Head, *, fresh: bool) -> Iterator[Kept]:
    """Yield the answers kept at `path`, ready to take more; without a path nothing is kept."""
    if path is None:
        yield Kept({}, None)
        return
    path = find_target(path)
    known = _read(path, head, fresh=fresh) if path.exists() else {}
    if not known:
        with replace_output(path) as new:
            new.write(msgspec.json.encode(_First(head)) + b"\n")
    with append_output(path) as out:
        yield Kept(dict(known), out)


def _read(path: Path, head: Head, *, fresh: bool) -> dict[str, Said]:
    """Return the answers of an earlier run; what its end left half written is cut off."""
    data = contents(path)
    whole = data[: data.rfind(b"\n") + 1]
    if not data:
        return {}
    first, *lines = whole.splitlines() or [data]
    then = _first(first, path)  # whatever else the file is, it is not ours to write over
    if fresh:
        return {}
    _same(then, head, path)
    said = [_line(text, path, number) for number, text in enumerate(lines, 2) if text.strip()]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return {one.key: one for one in said}


def _first(text: bytes, path: Path) -> Head:
    try:
        return msgspec.json.decode(text, type=_First).citeproof_run
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("is no answers file of `bench run`", place=str(path), mend=_NOT_OURS) from error


def _line(text: bytes, path: Path, number: int) -> Said:
    try:
        return msgspec.json.decode(text, type=Said)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is no answer: {error}", place=f"{path}:{number}", mend=_MEND) from error


def _same(then: Head, now: Head, path: Path) -> None:
    """Raise if the file answers another benchmark, or was answered by another engine."""
    if then.sha256 != now.sha256:
        raise UsageError(f"answers another benchmark, {then.file!r}", place=str(path), mend=_MEND)
    for name in Engine.__struct_fields__:
        before, after = getattr(then.engine, name), getattr(now.engine, name)
        if before != after:
            raise UsageError(
                f"was answered with {name} {before!r}, now {after!r}", place=str(path), mend=_MEND
            )
