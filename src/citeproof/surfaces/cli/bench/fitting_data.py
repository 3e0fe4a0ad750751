"""What `tune` and `calibrate` share: benchmark files checked once, and their results stored or removed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import InputError, UsageError
from citeproof.judgement.judge.user_calibration import Calibration, Thresholds
from citeproof.laboratory.measure import engine_run
from citeproof.laboratory.measure.adapters import questions
from citeproof.laboratory.measure.adapters.questions import Benchmark
from citeproof.laboratory.measure.benchmark_rows import LabelledCitation, get_true_label, label_citation
from citeproof.service.assemble import MAX_BYTES, assemble
from citeproof.settings import Settings
from citeproof.surfaces.cli import report_output, run_notices, status_line
from citeproof.text.typed_decoding import decode_json
from citeproof.verifier import ReferenceVerifier


@dataclass(frozen=True, slots=True)
class FittingData:
    """Checked citations with their truth, the digests of their files, and when it was."""

    rows: tuple[LabelledCitation, ...]
    data: dict[str, str]
    date: str


def gather_fitting_data(
    files: Sequence[Path], split: str, chosen: Settings, *, explain_network: bool
) -> FittingData:
    """Return the citations of all files, each checked once, alone and blind."""
    if not files:
        raise UsageError("no FILE was given", hint="name a benchmark file, or use --forget")
    benchmarks = [
        questions.read_benchmark(path).select_split("" if split == "all" else split) for path in files
    ]
    if not any(benchmark.cases for benchmark in benchmarks):
        raise InputError(f"has no item of split {split}", place=str(files[0]), hint="use --split all")
    watch = run_notices.LookupCounter()
    verifier = assemble(replace(chosen, max_false_accusations=None), observer=watch, stage=None)
    try:
        rows = asyncio.run(_check_benchmarks(verifier, benchmarks))
    finally:
        run_notices.print_network_report(verifier, watch, explain=explain_network)
    data = {benchmark.path.name: benchmark.sha256 for benchmark in benchmarks}
    return FittingData(tuple(rows), data, verifier.clock.now().date().isoformat())


async def _check_benchmarks(
    verifier: ReferenceVerifier, benchmarks: Sequence[Benchmark]
) -> list[LabelledCitation]:
    rows: list[LabelledCitation] = []
    try:
        for benchmark in benchmarks:
            with status_line.count_progress(
                len(benchmark.cases), f"checking {show_line(benchmark.path.name, 40)}"
            ) as advance:
                answers = await engine_run.answer_questions(
                    verifier, [case.question for case in benchmark.cases], lambda _: advance()
                )
            rows += [
                label_citation(
                    answer.checked, get_true_label(case), case.question.group, field=benchmark.path.name
                )
                for case, answer in zip(benchmark.cases, answers, strict=True)
            ]
    finally:
        await verifier.close()
    return rows


def store_fit(path: Path, made: Thresholds | Calibration) -> None:
    """Write what was made to where a run looks for it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot be made: {error.strerror}", place=str(path.parent), hint="name another file with -o"
        ) from error
    with report_output.open_destination(path, text=False) as write:
        write(serializers.dump_pretty(made) + "\n")


def forget_fit(path: Path, kind: type[Thresholds | Calibration]) -> str:
    """Remove what is stored at `path`; return what happened, in words. Any other file is left alone."""
    if not path.is_file():
        return f"nothing to forget: {path} does not exist"
    try:
        with path.open("rb") as file:
            decode_json(file.read(MAX_BYTES), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "name the file that it wrote, or remove this one yourself"
        raise UsageError(
            f"was not written by `{kind.BY}`: not removed", place=str(path), hint=hint
        ) from error
    path.unlink()
    return f"removed {path}"
