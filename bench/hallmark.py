"""Run a HALLMARK file against a snapshot and print DR, FPR, F1, tier-weighted F1 and ECE.

    python bench/hallmark.py FILE --snapshot DIR [--model shipped|oof] [--list]

Blind: the engine sees `bibtex_key`, `bibtex_type` and `fields` only, each entry alone in a .bib
file of its own. `--model oof` (default) fits the judge on the other folds before it judges a fold,
folds grouped by title; `--model shipped` uses the model in the package.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeproof.assemble import assemble
from citeproof.index.snapshot import Snapshot
from citeproof.judge import judge
from citeproof.judge.model import Model, default
from citeproof.settings import Settings
from citeproof.text import title as titles
from citeproof.verifier import Verifier
from citeproof.vocabulary import Band, Checked, Document, Judgement, Label, Verdict
from fitting import Sample, fit
from metrics import Figures, Row, figures

CHANGED_TITLE = ("near_miss_title", "chimeric_title", "hybrid_fabrication", "plausible_fabrication")
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Entry:
    key: str
    kind: str
    tier: int
    hallucinated: bool
    title: str
    original: str  # the true title of a near miss, as its explanation quotes it
    bib: bytes


def load(path: Path) -> list[Entry]:
    """Return the entries of a HALLMARK file, each as a .bib of its own beside its label."""
    entries = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        entries.append(
            Entry(
                row["bibtex_key"],
                row["hallucination_type"] or "valid" if row["label"] != "VALID" else "valid",
                row.get("difficulty_tier") or 0,
                row["label"] != "VALID",
                row["fields"]["title"],
                _quoted(row["explanation"]),
                to_bib(row["bibtex_key"], row["bibtex_type"], row["fields"]),
            )
        )
    return entries


def _quoted(explanation: str) -> str:
    _, found, rest = explanation.partition("(original: '")
    return rest.rpartition("')")[0] if found else ""


def to_bib(key: str, kind: str, fields: dict[str, str]) -> bytes:
    """Return one entry as BibTeX; what the engine sees and nothing else."""
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{body}\n}}\n".encode()


async def check_all(verifier: Verifier, entries: Sequence[Entry]) -> list[Checked]:
    checked = []
    for entry in entries:
        extraction = verifier.extract(Document(f"{entry.key}.bib", entry.bib))
        (raw,) = extraction.references
        checked.append(await verifier.verify_one(raw))
    return checked


def snapshot_titles(folder: Path, entries: Sequence[Entry]) -> set[str]:
    """Return the title keys of `entries` that stand in the snapshot: the bench's own exact join."""
    found = set()
    with Snapshot.open(folder) as snapshot:
        for wanted in {t for e in entries for t in (e.title, e.original) if t}:
            keys = {titles.key(t) for r in snapshot.by_title(wanted) for t in r.titles}
            if titles.key(wanted) in keys:
                found.add(titles.key(wanted))
    return found


def fold_of(entry: Entry) -> int:
    key = titles.key(entry.original or entry.title)
    return sum(key.encode()) % FOLDS


def judge_out_of_fold(entries: Sequence[Entry], checked: Sequence[Checked]) -> list[Judgement]:
    """Return each entry's judgement by a model that was fitted without its fold."""
    samples = [Sample(c, e.hallucinated, titles.key(e.title)) for e, c in zip(entries, checked, strict=True)]
    judged: list[Judgement | None] = [None] * len(entries)
    for fold in range(FOLDS):
        model = fit(
            [s for s, e in zip(samples, entries, strict=True) if fold_of(e) != fold], name=f"fold-{fold}"
        )
        for i, (entry, seen) in enumerate(zip(entries, checked, strict=True)):
            if fold_of(entry) == fold:
                judged[i] = judge(seen.reference, seen.retrieved, seen.compared, model)
    return [j for j in judged if j is not None]


def rows(entries: Sequence[Entry], judged: Sequence[Judgement], known: set[str]) -> list[Row]:
    return [
        Row(
            e.key, e.title, e.hallucinated, e.kind, e.tier,
            None if j.verdict is Verdict.UNCHECKED else j.label is not Label.EXACT,
            j.confidence, titles.key(e.title) in known,
        )
        for e, j in zip(entries, judged, strict=True)
    ]  # fmt: skip


def print_table(name: str, chosen: Sequence[Row]) -> None:
    for how, unsure in (("UNCERTAIN left out", False), ("UNCERTAIN as valid", True)):
        f: Figures = figures(chosen, unsure_as_valid=unsure)
        print(
            f"{name:34} {how:19} bad {f.n_bad:4} good {f.n_good:4}  DR {f.dr:.3f}  FPR {f.fpr:.4f}"
            f"  F1 {f.f1:.3f}  TW-F1 {f.tw_f1:.3f}  ECE {f.ece:.3f}"
            f"  unsure {f.unsure_bad:.3f}/{f.unsure_good:.3f}"
        )


def print_types(chosen: Sequence[Row]) -> None:
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for row in chosen:
        by_kind[row.kind].append(row)
    for kind, members in sorted(by_kind.items()):
        for where in (True, False):
            part = [r for r in members if r.in_snapshot is where]
            flagged, unsure = sum(bool(r.flagged) for r in part), sum(r.flagged is None for r in part)
            place, passed = "in snapshot" if where else "not in it", len(part) - flagged - unsure
            counts = f"n {len(part):4}  flagged {flagged:4}  unsure {unsure:4}  passed {passed:4}"
            print(f"  {kind:26} {place:12} {counts}" if part else "", end="\n" if part else "")


def near_misses(entries: Sequence[Entry], all_rows: Sequence[Row], known: set[str]) -> None:
    part = [
        r for e, r in zip(entries, all_rows, strict=True)
        if e.kind == "near_miss_title" and e.original and titles.key(e.original) in known
    ]  # fmt: skip
    flagged = sum(bool(r.flagged) for r in part)
    share = flagged / max(1, len(part))
    print(f"near-miss titles, true work in the snapshot: {flagged}/{len(part)} = {share:.3f}")


def list_errors(all_rows: Sequence[Row], judged: Sequence[Judgement], entries: Sequence[Entry]) -> None:
    for row, judgement, entry in zip(all_rows, judged, entries, strict=True):
        wrong = row.flagged is not None and row.flagged != row.hallucinated
        if wrong or (row.in_snapshot and row.flagged is None):
            place = "in" if row.in_snapshot else "out"
            print(f"\n[{row.kind}] {place} {judgement.verdict} {judgement.label} {judgement.score}")
            print(entry.bib.decode(), judgement.explanation)


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
    shipped: Model = default()
    judged = (
        judge_out_of_fold(entries, checked)
        if wanted.model == "oof"
        else [judge(c.reference, c.retrieved, c.compared, shipped) for c in checked]
    )
    table = rows(entries, judged, known)
    print(f"{wanted.file.name}: {len(entries)} entries, snapshot {verifier.snapshots}, judge {wanted.model}")
    inside = [r for r in table if r.in_snapshot]
    print_table("in snapshot, title unchanged types", [r for r in inside if r.kind not in CHANGED_TITLE])
    print_table("in snapshot, all types", inside)
    print_table("not in snapshot", [r for r in table if not r.in_snapshot])
    print_table("all", table)
    near_misses(entries, table, known)
    outside = [j for r, j in zip(table, judged, strict=True) if not r.hallucinated and not r.in_snapshot]
    major = [j for j in outside if j.label is Label.MAJOR and j.band is Band.HIGH]
    print(f"valid entries not in the snapshot called MAJOR with high confidence: {len(major)}")
    print_types(table)
    if wanted.list:
        list_errors(table, judged, entries)


if __name__ == "__main__":
    main()
