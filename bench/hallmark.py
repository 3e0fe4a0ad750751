"""Run a HALLMARK file against a snapshot and print DR, FPR, F1, tier-weighted F1 and ECE.

    python bench/hallmark.py FILE --snapshot DIR [--model shipped|oof] [--list]

Blind: the engine sees `bibtex_key`, `bibtex_type` and `fields` only, each entry alone in a .bib
file of its own. `--model oof` (default) fits the judge on the other folds before it judges a fold,
folds grouped by title; `--model shipped` uses the model in the package. The figures are those of
`citeproof bench run`, told apart by whether the work is in the snapshot.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.judgement.judge import judge
from citeproof.judgement.judge.model import Model, load_model
from citeproof.laboratory.measure import engine_run
from citeproof.laboratory.measure.adapters import questions, row_file
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase, OutcomeRow
from citeproof.laboratory.measure.metrics import ScoredColumns, compute_binary_figures, compute_calibration
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.text import title as titles
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Band, Checked, Judgement, Label
from fitting import Sample, fit

CHANGED_TITLE = ("near_miss_title", "chimeric_title", "hybrid_fabrication", "plausible_fabrication")
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Entry:
    case: BenchmarkCase
    title: str
    original: str  # the true title of a near miss, as its explanation quotes it


@dataclass(frozen=True, slots=True)
class Outcome:
    """One judged entry: the row that figures come from, and whether its title is in the snapshot."""

    row: OutcomeRow
    in_snapshot: bool


def load(path: Path) -> list[Entry]:
    """Return the entries of a HALLMARK file, each as a question beside its truth."""
    cases = questions.read_benchmark(path).cases
    rows = row_file.load_rows(path).rows
    return [
        Entry(case, str(row["fields"]["title"]), _quoted(str(row["explanation"])))  # type: ignore[index]
        for case, row in zip(cases, rows, strict=True)
    ]


def _quoted(explanation: str) -> str:
    _, found, rest = explanation.partition("(original: '")
    return rest.rpartition("')")[0] if found else ""


async def check_all(verifier: ReferenceVerifier, entries: Sequence[Entry]) -> list[Checked]:
    found = await engine_run.answer_questions(verifier, [entry.case.question for entry in entries])
    return [answer.checked for answer in found]


def snapshot_titles(folder: Path, entries: Sequence[Entry]) -> set[str]:
    """Return the title keys of `entries` that stand in the snapshot: the bench's own exact join."""
    found = set()
    with Snapshot.open(folder) as snapshot:
        for wanted in {t for e in entries for t in (e.title, e.original) if t}:
            keys = {titles.make_title_key(t) for r in snapshot.by_title(wanted) for t in r.titles}
            if titles.make_title_key(wanted) in keys:
                found.add(titles.make_title_key(wanted))
    return found


def fold_of(entry: Entry) -> int:
    key = titles.make_title_key(entry.original or entry.title)
    return sum(key.encode()) % FOLDS


def judge_out_of_fold(entries: Sequence[Entry], checked: Sequence[Checked]) -> list[Judgement]:
    """Return each entry's judgement by a model that was fitted without its fold."""
    samples = [
        Sample(c, e.case.truth.bad, titles.make_title_key(e.title))
        for e, c in zip(entries, checked, strict=True)
    ]
    judged: list[Judgement | None] = [None] * len(entries)
    for fold in range(FOLDS):
        model = fit(
            [s for s, e in zip(samples, entries, strict=True) if fold_of(e) != fold], name=f"fold-{fold}"
        )
        for i, (entry, seen) in enumerate(zip(entries, checked, strict=True)):
            if fold_of(entry) == fold:
                judged[i] = judge(seen.reference, seen.retrieved, seen.compared, model)
    return [j for j in judged if j is not None]


def outcome(entry: Entry, judged: Judgement, known: set[str]) -> Outcome:
    question, truth = entry.case.question, entry.case.truth
    flagged = None if judged.label is None else not judged.label.passes
    row = OutcomeRow(
        question.key, truth.bad, flagged, found=judged.label and judged.label.of_three,
        confidence=judged.confidence,
        kind=truth.kind, tier=truth.tier, group=question.group,
    )  # fmt: skip
    return Outcome(row, titles.make_title_key(entry.title) in known)


def print_table(name: str, chosen: Sequence[Outcome]) -> None:
    rows = [one.row for one in chosen]
    bad, good = ([r for r in rows if r.bad], [r for r in rows if not r.bad])
    scored = ScoredColumns.from_rows(rows)
    ece = compute_calibration(scored, classes=False)["ece"]
    unsure = [sum(r.flagged is None for r in part) / max(1, len(part)) for part in (bad, good)]
    for how, taken in (
        ("UNCERTAIN left out", compute_binary_figures(scored, "out")),
        ("UNCERTAIN as valid", compute_binary_figures(scored, "valid")),
    ):
        print(
            f"{name:34} {how:19} bad {len(bad):4} good {len(good):4}  DR {taken['dr']:.3f}"
            f"  FPR {taken['fpr']:.4f}  F1 {taken['f1']:.3f}  TW-F1 {taken['tw_f1']:.3f}  ECE {ece:.3f}"
            f"  unsure {unsure[0]:.3f}/{unsure[1]:.3f}"
        )


def print_types(chosen: Sequence[Outcome]) -> None:
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for one in chosen:
        by_kind[one.row.kind].append(one)
    for kind, members in sorted(by_kind.items()):
        for where in (True, False):
            part = [one.row for one in members if one.in_snapshot is where]
            flagged, unsure = sum(bool(r.flagged) for r in part), sum(r.flagged is None for r in part)
            place, passed = "in snapshot" if where else "not in it", len(part) - flagged - unsure
            counts = f"n {len(part):4}  flagged {flagged:4}  unsure {unsure:4}  passed {passed:4}"
            print(f"  {kind:26} {place:12} {counts}" if part else "", end="\n" if part else "")


def near_misses(entries: Sequence[Entry], judged: Sequence[Outcome], known: set[str]) -> None:
    part = [
        one.row for e, one in zip(entries, judged, strict=True)
        if one.row.kind == "near_miss_title" and e.original and titles.make_title_key(e.original) in known
    ]  # fmt: skip
    flagged = sum(bool(r.flagged) for r in part)
    share = flagged / max(1, len(part))
    print(f"near-miss titles, true work in the snapshot: {flagged}/{len(part)} = {share:.3f}")


def list_errors(outcomes: Sequence[Outcome], judged: Sequence[Judgement], entries: Sequence[Entry]) -> None:
    for one, judgement, entry in zip(outcomes, judged, entries, strict=True):
        wrong = one.row.flagged is not None and one.row.flagged != one.row.bad
        if wrong or (one.in_snapshot and one.row.flagged is None):
            place = "in" if one.in_snapshot else "out"
            print(f"\n[{one.row.kind}] {place} {judgement.verdict} {judgement.label} {judgement.score}")
            print(entry.case.question.text, judgement.explanation)


def options() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--model", choices=("oof", "shipped"), default="oof")
    parser.add_argument("--list", action="store_true", help="print every wrong and every unsure entry")
    return parser.parse_args()


def main() -> None:
    wanted = options()
    entries = load(wanted.file)
    verifier = assemble(Settings(snapshots=(wanted.snapshot,), offline=True))
    checked = asyncio.run(check_all(verifier, entries))
    known = snapshot_titles(wanted.snapshot, entries)
    shipped: Model = load_model()
    judged = (
        judge_out_of_fold(entries, checked)
        if wanted.model == "oof"
        else [judge(c.reference, c.retrieved, c.compared, shipped) for c in checked]
    )
    table = [outcome(e, j, known) for e, j in zip(entries, judged, strict=True)]
    print(f"{wanted.file.name}: {len(entries)} entries, snapshot {verifier.snapshots}, judge {wanted.model}")
    inside = [one for one in table if one.in_snapshot]
    unchanged = [one for one in inside if one.row.kind not in CHANGED_TITLE]
    print_table("in snapshot, title unchanged types", unchanged)
    print_table("in snapshot, all types", inside)
    print_table("not in snapshot", [one for one in table if not one.in_snapshot])
    print_table("all", table)
    near_misses(entries, table, known)
    outside = [j for o, j in zip(table, judged, strict=True) if not o.row.bad and not o.in_snapshot]
    major = [j for j in outside if j.label is Label.MAJOR and j.band is Band.HIGH]
    print(f"valid entries not in the snapshot called MAJOR with high confidence: {len(major)}")
    print_types(table)
    if wanted.list:
        list_errors(table, judged, entries)


if __name__ == "__main__":
    main()
