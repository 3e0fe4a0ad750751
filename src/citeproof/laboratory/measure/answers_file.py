"""The answers file of a run: written as answers come, so that a run that was interrupted continues.

The first line says what gave the answers. A file of another engine or another benchmark is never taken
up: figures from two judges in one file would belong to neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from citeproof.errors import InputError, UsageError
from citeproof.laboratory.measure.adapters.answers import HEAD
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, read_file_bytes
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase, OutcomeRow, SystemAnswer
from citeproof.laboratory.measure.run_card import EngineCard
from citeproof.plumbing.output_files import append_output, find_target, replace_output
from citeproof.text.typed_decoding import convert_value, decode_json
from citeproof.vocabulary import Label

_HINT = "start again with --fresh, or give another file with --answers"
_LONGEST_HEAD = 100_000  # bytes of the first line
_NOT_A_RUN = "give answers that `citeproof bench run --answers` wrote"
_NOT_OURS = "name another file with --answers; this one is not written over"


class AnswersHead(msgspec.Struct, frozen=True):
    file: str
    sha256: str
    engine: EngineCard


class _AnswersFirstLine(msgspec.Struct, frozen=True):
    citeproof_run: AnswersHead


class AnswerLine(SystemAnswer, frozen=True, kw_only=True):
    """One answer and the truth about its question, which plots need and the engine never saw."""

    bad: bool
    true_label: Label | None = None
    kind: str = ""
    tier: int = 0
    group: str = ""


def make_answer_line(case: BenchmarkCase, answer: SystemAnswer) -> AnswerLine:
    return AnswerLine(
        **msgspec.structs.asdict(answer), bad=case.truth.bad, true_label=case.truth.label,
        kind=case.truth.kind, tier=case.truth.tier, group=case.question.group,
    )  # fmt: skip


def refuse_other_benchmark(path: Path, sha256: str) -> None:
    """Raise if an answers file of ours says that it answers another benchmark."""
    try:
        with path.open("rb") as lines:
            head = decode_json(lines.readline(_LONGEST_HEAD), type=_AnswersFirstLine).citeproof_run
    except (OSError, msgspec.DecodeError):
        return  # another tool's, or unreadable: reading it whole reports that
    if head.sha256 != sha256:
        raise InputError(
            f"answers another benchmark, {head.file}",
            place=str(path),
            hint="run this benchmark with --answers",
        )


def read_engine(path: Path) -> EngineCard:
    """Return what gave the answers of a file of ours."""
    first, _, _ = read_file_bytes(path).partition(b"\n")
    return _parse_head(first, path, _NOT_A_RUN).engine


def convert_answer_lines(
    loaded: LoadedRows,
    hint: str = "give --benchmark FILE, or answers that `citeproof bench run --answers` wrote",
) -> list[AnswerLine]:
    """Return the lines of an answers file of ours, which has the truth next to each answer."""
    try:
        return [convert_value(row, type=AnswerLine) for row in loaded.rows if HEAD not in row]
    except msgspec.ValidationError as error:
        raise InputError(
            f"does not contain the true labels: {error}", place=str(loaded.path), hint=hint
        ) from error


def convert_answer_rows(loaded: LoadedRows) -> list[OutcomeRow]:
    """Return the lines of an answers file of ours as rows to be measured."""
    lines = convert_answer_lines(loaded)
    return [
        OutcomeRow(
            o.key, o.bad, o.flagged, o.true_label, o.class_, o.confidence, o.kind, o.tier, o.group,
        )
        for o in lines
    ]  # fmt: skip


class AnswersFile:
    """The answers available, and where new ones go."""

    def __init__(self, said: dict[str, SystemAnswer], out: BinaryIO | None) -> None:
        self.said = said
        self.reused = len(said)
        self._out = out

    def add(self, case: BenchmarkCase, answer: SystemAnswer) -> None:
        """Note an answer; it is on disk when this returns."""
        self.said[answer.key] = answer
        if self._out is not None:
            self._out.write(msgspec.json.encode(make_answer_line(case, answer)) + b"\n")
            self._out.flush()


@contextmanager
def open_answers(path: Path | None, head: AnswersHead, *, fresh: bool) -> Iterator[AnswersFile]:
    """Yield the answers stored at `path`, ready to take more; without a path nothing is stored."""
    if path is None:
        yield AnswersFile({}, None)
        return
    path = find_target(path)
    known = _read_earlier_answers(path, head, fresh=fresh) if path.exists() else {}
    if not known:
        with replace_output(path) as new:
            new.write(msgspec.json.encode(_AnswersFirstLine(head)) + b"\n")
    with append_output(path) as out:
        yield AnswersFile(dict(known), out)


def _read_earlier_answers(path: Path, head: AnswersHead, *, fresh: bool) -> dict[str, SystemAnswer]:
    """Return the answers of an earlier run; what its end left half written is cut off."""
    data = read_file_bytes(path)
    whole = data[: data.rfind(b"\n") + 1]
    if not data:
        return {}
    first, *lines = whole.splitlines() or [data]
    then = _parse_head(first, path)  # whatever else the file is, it is not ours to write over
    if fresh:
        return {}
    _require_same_run(then, head, path)
    answers = [_parse_answer(text, path, number) for number, text in enumerate(lines, 2) if text.strip()]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return {answer.key: answer for answer in answers}


def _parse_head(text: bytes, path: Path, hint: str = _NOT_OURS) -> AnswersHead:
    try:
        return decode_json(text, type=_AnswersFirstLine).citeproof_run
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("not an answers file of `bench run`", place=str(path), hint=hint) from error


def _parse_answer(text: bytes, path: Path, number: int) -> SystemAnswer:
    try:
        return decode_json(text, type=SystemAnswer)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not an answer: {error}", place=f"{path}:{number}", hint=_HINT) from error


def _require_same_run(then: AnswersHead, now: AnswersHead, path: Path) -> None:
    """Raise if the file answers another benchmark, or was answered by another engine."""
    if then.sha256 != now.sha256:
        raise UsageError(f"answers another benchmark, {then.file!r}", place=str(path), hint=_HINT)
    for name in EngineCard.__struct_fields__:
        before, after = getattr(then.engine, name), getattr(now.engine, name)
        if before != after:
            raise UsageError(
                f"was answered with {name} {before!r}, now {after!r}", place=str(path), hint=_HINT
            )
