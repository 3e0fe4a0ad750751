"""A benchmark in the closed and an open world of its originals, and the paper's acceptance of candidates.

    python -m bench.open_world ITEMS.jsonl [--held-out 0.25]

Each `original` of ITEMS (CITECHECK's shape, or items of `citeproof bench make citecheck`) is a record.

- closed: a snapshot of all records that claims to hold everything. Perfect by construction.
- open: a share of the works is left out, drawn by the hash of their titles, and the snapshot claims nothing.
  What it lacks may exist, so that nothing can be called not found.

Unchecked counts as wrong; "answered" is the same over the items that were decided.

The acceptance table asks one thing only: was the right work taken as the candidate. The paper's profile
(appendix A): Crossref's candidate is the one of highest title similarity with a bonus for the
year; a second source ranks by the overlap of words with a bonus for the year, and replaces Crossref's
candidate where its similarity is higher; what clears the title gate is accepted. Its confidence is this
similarity, and a candidate that fails its gate alone is returned at last: over one set of works the gate
changes nothing. The paper does not print its gates: several are shown. Ours: `matched` or `ambiguous`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bench.citecheck import macro_f1, make_entry
from rapidfuzz.distance import Levenshtein

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import CoverageClaim
from citeproof.evidence.index.readers.base import find_reader
from citeproof.laboratory.measure.adapters.questions import read_benchmark
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase
from citeproof.laboratory.measure.engine_run import EngineAnswer, answer_questions
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.text.title import fold_title
from citeproof.vocabulary import Record, Verdict

GATES = (60, 70, 80, 90, 95)
YEAR_BONUS = 5


@dataclass(frozen=True)
class Cited:
    """Title and year, of a citation or of a record."""

    title: str
    year: int | None

    def similarity(self, other: Cited) -> float:
        longest = max(len(self.title), len(other.title))
        return 100 * (1 - Levenshtein.distance(self.title, other.title) / longest) if longest else 0.0

    def overlap(self, other: Cited) -> float:
        mine, theirs = set(self.title.split()), set(other.title.split())
        return 100 * len(mine & theirs) / max(1, len(mine), len(theirs))

    def bonus(self, other: Cited) -> int:
        return YEAR_BONUS if self.year is not None and self.year == other.year else 0


def read_works(path: Path) -> list[Cited]:
    """Return the works of a BibTeX file, folded as titles are compared."""
    records = [record for record in find_reader("bibtex").read([path]) if isinstance(record, Record)]
    return [Cited(fold_title(r.title), next((v.year for v in r.versions if v.year), None)) for r in records]


def choose_candidate(cited: Cited, records: Sequence[Cited]) -> tuple[Cited, float]:
    """Return the candidate of the paper's cascade, and the similarity that must be above the title gate."""
    first = max(records, key=lambda r: cited.similarity(r) + cited.bonus(r))
    second = max(records, key=lambda r: cited.overlap(r) + cited.bonus(r))
    best = max((first, second), key=cited.similarity)
    return best, cited.similarity(best)


def check_items(cases: Sequence[BenchmarkCase], works: Path, *, claims: bool) -> list[EngineAnswer]:
    """Return the answers with a snapshot of `works` alone."""
    out = works.with_suffix(".snapshot")
    build([BuildInput("bibtex", (works,))], out, covers=(CoverageClaim("all"),) if claims else ())
    verifier = assemble(Settings(snapshots=(out,), offline=True))
    return asyncio.run(answer_questions(verifier, [case.question for case in cases]))


def describe(name: str, truths: Sequence[str], answers: Sequence[EngineAnswer]) -> str:
    labels = [answer.checked.judgement.label for answer in answers]
    pairs = [
        (t, label.of_three.value if label else "unchecked") for t, label in zip(truths, labels, strict=True)
    ]
    decided = [pair for pair in pairs if pair[1] != "unchecked"]
    return (
        f"{name:<7} {len(pairs)} items  macro-F1 {macro_f1(pairs):.3f}  "
        f"answered {len(decided)}, of these {macro_f1(decided):.3f}"
    )


def describe_acceptance(
    name: str, truths: Sequence[str], right: Sequence[Cited], accepted: Sequence[str | None]
) -> str:
    """Return how often the work of a real citation was accepted, another one, and any for an invented one."""
    real = [(r.title, a) for t, r, a in zip(truths, right, accepted, strict=True) if t != "MAJOR"]
    invented = [a for t, a in zip(truths, accepted, strict=True) if t == "MAJOR"]
    hit = sum(a is not None and a == title for title, a in real)
    other = sum(a is not None and a != title for title, a in real)
    false = sum(a is not None for a in invented)
    return f"{name:<18} right {hit}/{len(real)}  another {other}  for invented ones {false}/{len(invented)}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("items", type=Path)
    parser.add_argument("--held-out", type=float, default=0.25)
    wanted = parser.parse_args()
    cases = read_benchmark(wanted.items).cases
    truths = [str(case.truth.label) for case in cases]
    rows = [json.loads(line) for line in wanted.items.read_text("utf-8").splitlines() if line]
    entries = [make_entry(row["original"], f"o{n}") for n, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "closed.bib").write_text("\n".join(entries), "utf-8")
        records = read_works(folder / "closed.bib")
        digests = [int(sha256(r.title.encode()).hexdigest()[:8], 16) / 16**8 for r in records]
        held = [digest < wanted.held_out for digest in digests]
        left = [entry for entry, out in zip(entries, held, strict=True) if not out]
        (folder / "open.bib").write_text("\n".join(left), "utf-8")
        closed = check_items(cases, folder / "closed.bib", claims=True)
        open_ = check_items(cases, folder / "open.bib", claims=False)
    print(describe("open", truths, open_) + f"; {sum(held)} works held out")
    print(describe("closed", truths, closed))
    cited = [one.checked.reference.claimed for one in closed]
    asked = [Cited(fold_title(one.title or ""), one.year) for one in cited]
    chosen = [choose_candidate(one, records) for one in asked]
    for gate in GATES:
        titles = [one.title if similarity > gate else None for one, similarity in chosen]
        print(describe_acceptance(f"title gate {gate}", truths, records, titles))
    ours = [
        fold_title(judged.matched.record.title)
        if judged.matched and judged.verdict in (Verdict.MATCHED, Verdict.AMBIGUOUS)
        else None
        for judged in (one.checked.judgement for one in closed)
    ]
    print(describe_acceptance("ours", truths, records, ours))


if __name__ == "__main__":
    main()
