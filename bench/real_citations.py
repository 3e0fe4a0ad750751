"""Check citations that people published and that were judged by hand, and print what became of each kind.

    python -m bench.real_citations [--snapshot DIR]… [--offline] [--show WORD] [FILE]

`bench/real_citations.jsonl` (CC0) has one citation a line: `citation` as it was printed, `verdict` (`right`,
`other_version`, `wrong`, `invented`), `what` is wrong, `why`, the `record` held against it
if there is one, and where it was `seen_in`. docs/real-citations.md says how they were gathered and judged.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import citeproof

FILE = Path(__file__).with_suffix(".jsonl")
VERDICTS = ("right", "other_version", "wrong", "invented")
LABELS = ("EXACT", "NOTED", "MINOR", "MAJOR", "undecided")
FAULTY = ("wrong", "invented")


@dataclass(frozen=True, slots=True)
class JudgedCitation:
    """One citation, what a person made of it, and what citeproof says."""

    number: int
    verdict: str
    why: str
    label: str
    explanation: str

    @property
    def accused(self) -> bool:
        return self.label in ("MINOR", "MAJOR")


def check_rows(rows: Sequence[dict[str, object]], verifier: citeproof.Verifier) -> Iterator[JudgedCitation]:
    """Yield an answer for each citation; one that no reference is read from is undecided."""
    for row in rows:
        text = str(row["citation"])
        name = f"{row['id']}.bib" if text.startswith("@") else f"{row['id']}.txt"
        try:
            checked = verifier.check(citeproof.Document(name, text.encode())).references[:1]
        except citeproof.CiteproofError:
            checked = ()
        label, explanation = "undecided", "no reference was read"
        for reference in checked:
            judgement = reference.judgement
            label = judgement.label.value if judgement.label else "undecided"
            explanation = judgement.explanation
        yield JudgedCitation(int(str(row["id"])), str(row["verdict"]), str(row["why"]), label, explanation)


def print_table(answers: Sequence[JudgedCitation]) -> None:
    """Print verdicts by labels, and the two figures that a user would ask for."""
    print(f"{'judged by hand':<16}" + "".join(f"{label:>11}" for label in LABELS))
    for verdict in VERDICTS:
        labels = Counter(answer.label for answer in answers if answer.verdict == verdict)
        print(f"{verdict:<16}" + "".join(f"{labels[label]:>11}" for label in LABELS))
    accused = [answer for answer in answers if answer.accused]
    right = sum(answer.verdict in FAULTY for answer in accused)
    faulty = [answer for answer in answers if answer.verdict in FAULTY]
    decided = [answer for answer in faulty if answer.label != "undecided"]
    print(f"\naccusations that are right: {right} of {len(accused)}")
    print(f"faulty citations reported: {right} of {len(decided)} decided, of {len(faulty)} in all")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    parser.add_argument("--snapshot", type=Path, action="append", default=[])
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--show", choices=VERDICTS, help="print the answers to these, one by one")
    wanted = parser.parse_args()
    rows = [json.loads(line) for line in wanted.file.read_text("utf-8").splitlines()]
    with citeproof.Verifier(offline=wanted.offline, snapshots=wanted.snapshot or None) as verifier:
        answers = list(check_rows(rows, verifier))
    for answer in answers:
        if answer.verdict == wanted.show:
            print(f"{answer.number} {answer.label}: {answer.explanation}\n    {answer.why}")
    print_table(answers)


if __name__ == "__main__":
    main()
