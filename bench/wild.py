"""Check real bibliographies and print every accusation beside the judgement that was kept of it.

    python bench/wild.py WILD --snapshot DIR [--baseline FILE] [--save FILE] [--quiet]

WILD holds `bib/*.bib` and, where somebody judged accusations by hand, `judged.jsonl` (its README says
what the words mean). `--save` writes the labels of this run; `--baseline` reads those of an earlier one,
so that it can be told which rightful accusations and which decisions were lost. Offline, public doors only.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import citeproof
from citeproof.settings import Settings

BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)
SINGLE = "single"  # the place of an entry that was judged alone


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said about one entry, and what a person made of it."""

    place: str  # the file, or SINGLE
    key: str
    label: str
    confidence: float
    reasons: tuple[str, ...]
    explanation: str
    kept: str  # "right", "pedantic", "wrong-…", "unsure", "unjudged"

    @property
    def name(self) -> str:
        return f"{self.place}/{self.key}"

    @property
    def accused(self) -> bool:
        return self.label in ("MINOR", "MAJOR")

    @property
    def false(self) -> bool:
        return self.kept.startswith("wrong")


def load_judgements(folder: Path) -> list[dict[str, Any]]:
    path = folder / "judged.jsonl"
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []


def check_files(folder: Path, settings: Settings, judged: Sequence[dict[str, Any]]) -> Iterator[Answer]:
    """Yield an answer for each entry of every bibliography."""
    kept = {(row["file"], row["key"]): row for row in judged if row.get("file")}
    for path in sorted((folder / "bib").glob("*.bib")):
        for one in citeproof.check(path, settings=settings).references:
            yield make_answer(one, path.name, one.reference.key, kept.get((path.name, one.reference.key)))


def check_singles(settings: Settings, judged: Sequence[dict[str, Any]]) -> Iterator[Answer]:
    """Yield an answer for each judged entry whose file is not at hand."""
    for number, row in enumerate(judged):
        if row.get("file"):
            continue
        document = citeproof.Document(f"{number}.bib", row["entry"].encode())
        for one in citeproof.check(document, settings=settings).references[:1]:
            yield make_answer(one, SINGLE, f"{number}:{row['key']}", row)


def make_answer(one: citeproof.Checked, place: str, key: str, row: dict[str, Any] | None) -> Answer:
    judgement = one.judgement
    label = judgement.label.value if judgement.label else "unchecked"
    kept = row["judge"] if row else "unjudged"
    if row and row["label"] in ("EXACT", "NOTED"):  # "wrong": the entry has an error
        kept = "right" if row["judge"] == "wrong" else "wrong-match"
    return Answer(
        place, key, label, judgement.confidence or 0.0, judgement.reasons, judgement.explanation, kept
    )


def print_accusations(answers: Iterable[Answer]) -> None:
    for one in sorted(answers, key=lambda a: (a.kept, a.label, a.name)):
        print(f"{one.kept:<13} {one.label} {one.confidence:.3f} {one.name} {' '.join(one.reasons)}")
        print(f"{'':<14}{one.explanation}")


def print_figures(answers: Sequence[Answer], what: str) -> None:
    """Print how often accusations are right, and how many false ones there are for each correct entry."""
    labels = Counter(a.label for a in answers)
    accused = [a for a in answers if a.accused]
    print(f"\n{what}: {len(answers)} entries, {dict(sorted(labels.items()))}")
    for label in ("MAJOR", "MINOR"):
        kept = Counter(_word(a) for a in accused if a.label == label)
        known = sum(kept.values()) - kept["unjudged"] - kept["unsure"]
        share = f"{kept['right'] / known:.3f}" if known else "-"
        print(f"  {label}: right {kept['right']}, pedantic {kept['pedantic']}, false {kept['false']}, "
              f"unsure {kept['unsure']}, unjudged {kept['unjudged']}; precision {share}")  # fmt: skip
    wrong = sum(a.false for a in accused)
    correct = labels["EXACT"] + labels["NOTED"] + sum(a.false or a.kept == "pedantic" for a in accused)
    print(f"  false accusations: {100 * wrong / max(1, correct):.2f} per 100 decided correct references")


def _word(answer: Answer) -> str:
    return "false" if answer.false else answer.kept


def print_losses(answers: Sequence[Answer], before: dict[str, str], what: str) -> None:
    """Print which share of an earlier run's rightful accusations and decisions still stands."""
    right = [a for a in answers if a.kept == "right" and before.get(a.name) in ("MINOR", "MAJOR")]
    stand = [a for a in right if a.accused]
    decided = [a for a in answers if before.get(a.name, "unchecked") != "unchecked"]
    now = sum(a.label != "unchecked" for a in answers)
    print(f"  rightful accusations that stand: {len(stand)} of {len(right)}; decided: {now}, "
          f"before {len(decided)} ({100 * now / max(1, len(decided)):.1f} %) [{what}]")  # fmt: skip
    for one in right:
        if not one.accused:
            print(f"    lost: {one.label} {one.name} {one.explanation}")


def print_reliability(answers: Sequence[Answer]) -> None:
    """Print, by confidence, how often an accusation that a person judged is right."""
    print("\nconfidence of judged accusations    count  right")
    known = [a for a in answers if a.accused and a.kept not in ("unjudged", "unsure")]
    for low, high in itertools.pairwise(BINS):
        part = [a for a in known if low <= a.confidence < high]
        if part:
            share = sum(a.kept == "right" for a in part) / len(part)
            print(f"  {low:.2f} to {min(high, 1.0):.2f}{'':<19}{len(part):>5}  {share:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wild", type=Path)
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--baseline", type=Path, help="labels of an earlier run, as --save wrote them")
    parser.add_argument("--save", type=Path, help="write the labels of this run")
    parser.add_argument("--max-false-accusations", type=float, default=None)
    parser.add_argument("--quiet", action="store_true", help="print figures only")
    wanted = parser.parse_args()
    settings = Settings(
        snapshots=(wanted.snapshot,), offline=True, max_false_accusations=wanted.max_false_accusations
    )
    judged = load_judgements(wanted.wild)
    files = list(check_files(wanted.wild, settings, judged))
    singles = list(check_singles(settings, judged))
    answers = [*files, *singles]
    if not wanted.quiet:
        print_accusations(a for a in answers if a.accused)
    before = json.loads(wanted.baseline.read_text("utf-8")) if wanted.baseline else {}
    for part, what in ((files, "files"), (singles, "single entries"), (answers, "all")):
        if part:
            print_figures(part, what)
            print_losses(part, before, what)
    print_reliability(answers)
    if wanted.save:
        wanted.save.write_text(json.dumps({a.name: a.label for a in answers}, indent=0), "utf-8")


if __name__ == "__main__":
    main()
