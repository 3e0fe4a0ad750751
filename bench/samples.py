"""Benchmark files as citations of known truth, each checked once: what the judge is fitted on.

HALLMARK is run against `--snapshot`, which should claim nothing: its valid entries are not all in any
snapshot. Made items may be run against `--closed`, the same records built with `--covers all`.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import citeproof
from citeproof.laboratory.measure import engine_run
from citeproof.laboratory.measure.adapters import questions, row_file
from citeproof.laboratory.measure.adapters.questions import Benchmark
from citeproof.laboratory.measure.benchmark_rows import (
    BAD,
    LabelledCitation,
    get_true_label,
    label_citation,
)
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.text import title as titles
from citeproof.vocabulary import Label
from wild import load_judgements

_KEY = re.compile(r"^\| `([^`\n]+)`", re.MULTILINE)
HALLMARK, MADE, WILD = "hallmark", "made", "wild"
LICENCE = {HALLMARK: " (HALLMARK 1.2.2, MIT)", MADE: ""}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what to fit or measure on."""
    parser.add_argument("--hallmark", type=Path, nargs="*", default=[], metavar="FILE")
    parser.add_argument("--items", type=Path, nargs="*", default=[], metavar="FILE", help="made items")
    parser.add_argument("--snapshot", type=Path, required=True, metavar="DIR")
    parser.add_argument("--closed", type=Path, metavar="DIR", help="snapshot for the items [--snapshot]")
    parser.add_argument(
        "--leave-out", type=Path, metavar="MD", help="HALLMARK keys whose labels are disputed: `key` a row"
    )
    parser.add_argument(
        "--wild", type=Path, metavar="DIR", help="real bibliographies, as bench/wild.py reads"
    )
    parser.add_argument("--split", default="all", choices=("dev", "test", "all"), help="of the items")


def gathered(wanted: argparse.Namespace) -> tuple[list[LabelledCitation], dict[str, str]]:
    """Return all citations with their truth, HALLMARK first, and where they come from."""
    split = "" if wanted.split == "all" else wanted.split
    parts = [
        (HALLMARK, wanted.snapshot, [questions.read_benchmark(path) for path in wanted.hallmark]),
        (
            MADE,
            wanted.closed or wanted.snapshot,
            [questions.read_benchmark(path).select_split(split) for path in wanted.items],
        ),
    ]
    disputed = (
        frozenset(_KEY.findall(wanted.leave_out.read_text("utf-8"))) if wanted.leave_out else frozenset()
    )
    known: list[LabelledCitation] = []
    told: dict[str, str] = {}
    for population, folder, benchmarks in parts:
        if not benchmarks:
            continue
        found, snapshot = asyncio.run(_checked(folder, benchmarks, population, disputed))
        known += found
        files = ", ".join(f"{b.path.name} {b.sha256[:16]}" for b in benchmarks)
        which = f", split {wanted.split}" if population == MADE else ""
        which += f", {len(disputed)} disputed left out" if disputed and population == HALLMARK else ""
        told[population] = (
            f"{len(found)} citations of {files}{which}{LICENCE[population]}; snapshot {snapshot}"
        )
    return known, told


async def _checked(
    folder: Path, benchmarks: Sequence[Benchmark], population: str, left_out: frozenset[str]
) -> tuple[list[LabelledCitation], str]:
    verifier = assemble(Settings(snapshots=(folder,), offline=True))
    known: list[LabelledCitation] = []
    for benchmark in benchmarks:
        originals = _originals(benchmark.path) if population == HALLMARK else {}
        cases = [case for case in benchmark.cases if case.question.key not in left_out]
        answers = await engine_run.answer_questions(verifier, [case.question for case in cases])
        for case, answer in zip(cases, answers, strict=True):
            group = originals.get(case.question.key) or case.question.group
            one = label_citation(answer.checked, get_true_label(case), group, population=population)
            known.append(replace(one, field=population if population == HALLMARK else case.question.group))
    await verifier.close()
    return known, ", ".join(verifier.snapshots)


def gathered_wild(wanted: argparse.Namespace) -> tuple[list[LabelledCitation], dict[str, str]]:
    """Return the entries of real bibliographies that were decided, with what a person made of each.

    What was not judged by hand counts as real: errors that nobody noticed are few. What was read wrongly is
    left out: it says nothing about the judge.
    """
    if wanted.wild is None:
        return [], {}
    settings = Settings(snapshots=(wanted.snapshot,), offline=True)
    judged = load_judgements(wanted.wild)
    kept = {(row.get("file"), row["key"]): row["judge"] for row in judged}
    known = []
    for path in sorted((wanted.wild / "bib").glob("*.bib")):
        for checked in citeproof.check(path, settings=settings).references:
            key = checked.reference.key
            if kept.get((path.name, key)) == "wrong-parse":
                continue
            truth = BAD if kept.get((path.name, key)) == "right" else Label.EXACT.value
            known.append(label_citation(checked, truth, f"{path.name}/{key}", population=WILD))
    return known, {
        WILD: f"{len(known)} entries of real bibliographies, {len(judged)} verdicts judged by hand"
    }


def _originals(path: Path) -> dict[str, str]:
    """Return the true title of each near miss, so that it stands in one fold with its original."""
    found = {}
    for row in row_file.load_rows(path).rows:
        _, quoted, rest = str(row.get("explanation", "")).partition("(original: '")
        if quoted:
            found[str(row["bibtex_key"])] = titles.make_title_key(rest.rpartition("')")[0])
    return found


def digest(told: dict[str, str], *parts: bytes) -> str:
    """Return a short name for what was fitted on what."""
    return sha256(repr(sorted(told.items())).encode() + b"".join(parts)).hexdigest()[:8]
