"""The policy `strict-fields`, a judge that only compares strings, next to the default judge.

    python -m bench.strict_fields ITEMS.jsonl [--snapshot SNAPSHOT --bib FILE.bib...] [--count 400] [--seed 1]

ITEMS are CITECHECK's, or made by its recipe: checked in the closed world of their originals. Entries of
real bibliographies are checked in the loopback world of SNAPSHOT, as they are and with one planted error
(`bench.planted`). Printed for each: how many right citations are flagged, and how many wrong ones are caught.
`strict-fields` fails what is not its record's, character for character; the judge what is MINOR or MAJOR.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.citecheck import make_entry
from bench.open_world import check_items as check_closed
from bench.planted import check_items, make_items

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.measure.adapters.questions import read_benchmark
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.service.exit_codes import gate_reference
from citeproof.settings.policies.policy_reader import read_policy
from citeproof.vocabulary import Checked, Gate, Label, Policy, Verdict


def is_failed(checked: Checked, policy: Policy | None) -> bool:
    """Return whether a reference that was checked fails; without a policy, by its label."""
    if policy is None:
        return checked.label in (Label.MINOR, Label.MAJOR)
    return any(gate.gate is Gate.FAIL and not gate.about for gate in gate_reference(checked, policy).gates)


def print_rows(name: str, pairs: Iterable[tuple[bool, Checked]]) -> None:
    """Print both judges over citations, each with whether it is wrong."""
    rows = list(pairs)
    right, wrong = ([c for bad, c in rows if bad is kind] for kind in (False, True))
    print(f"{name}: {len(right)} right, {len(wrong)} wrong")
    for judge, policy in (("default judge", None), ("strict-fields", read_policy("strict-fields"))):
        cells = []
        for part in (right, wrong):
            decided = [c for c in part if c.verdict is not Verdict.UNCHECKED]
            failed = sum(is_failed(c, policy) for c in decided)
            cells.append(f"{failed:4} of {len(part)} ({failed / max(1, len(part)):.1%})")
        print(f"  {judge:<14} right ones flagged {cells[0]}, wrong ones caught {cells[1]}")
    print(f"  could not check: {sum(c.verdict is Verdict.UNCHECKED for _, c in rows)}")


def measure_items(path: Path) -> None:
    cases = read_benchmark(path).cases
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    with tempfile.TemporaryDirectory() as folder:
        works = Path(folder) / "closed.bib"
        works.write_text(
            "\n".join(make_entry(row["original"], f"o{n}") for n, row in enumerate(rows)), "utf-8"
        )
        answers = check_closed(cases, works, claims=True)
    wrong = [str(case.truth.label) != "EXACT" for case in cases]
    print_rows(path.name, zip(wrong, (answer.checked for answer in answers), strict=True))


def measure_planted(snapshot_path: Path, files: list[Path], count: int, seed: int) -> None:
    with Snapshot.open(snapshot_path) as snapshot:
        items = make_items(files, snapshot, count, seed)
        with World(SnapshotHoldings(snapshot)) as world:
            checked, _ = check_items(items, world, snapshot_path)
    rows = [(bool(item.kind), checked[item.key]) for item in items if item.key in checked]
    print_rows(f"real entries, seed {seed}", rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("items", type=Path)
    parser.add_argument("--snapshot", type=Path)
    parser.add_argument("--bib", type=Path, nargs="+", default=[])
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    measure_items(wanted.items)
    if wanted.snapshot:
        measure_planted(wanted.snapshot, wanted.bib, wanted.count, wanted.seed)


if __name__ == "__main__":
    main()
