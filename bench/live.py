"""Live checking against the loopback world: the same judgements as the snapshot's, outages, politeness.

    python bench/live.py SNAPSHOT [--only agreement,outages,single,storm]

SNAPSHOT must claim all it holds (`--covers all`), so that its silence means what the world's does.

agreement   500 references, two thirds of them true: judged offline against the snapshot, and live against
            the world that serves it. Then once more: how many requests does a second run cost?
outages     1,000 references while every source fails, in every way of `ALL_FAULTS` in turn: how many are
            called not found? (A way a source can fail that leaves its answer whole is left out.)
single      200 true references while one source after the other is down: how many are still decided?
storm       200 references while every third request to a source is answered with 429: requests against
            those of a quiet run.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from citeproof import settings
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import ALL_FAULTS, Faults, SnapshotHoldings, World
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.service.exit_codes import RunOutcome
from citeproof.settings import Settings
from citeproof.vocabulary import Checked, Document, Unchecked, Verdict
from citing import Cited, bibliography

SEED = 3
WHOLE = {"odd_unicode", "huge_headers"}  # faults that leave a good answer


class Bench:
    """One world, and a folder for what a run keeps."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder

    def check(
        self, cited: Sequence[Cited], *, fresh: bool = True, **more: str
    ) -> tuple[list[Checked], int, int]:
        """Return what was found out, the exit code, and how many requests it took."""
        if fresh:
            for name in ("cache", "limits"):
                shutil.rmtree(self.folder / name, ignore_errors=True)
        environment = {
            **self.world.environment(),
            "CITEPROOF_PACE": "2000",
            "CITEPROOF_CONTACT": "bench@example.org",
            "CITEPROOF_CACHE_DIR": str(self.folder / "cache"),
            "CITEPROOF_LIMITS_DIR": str(self.folder / "limits"),
            **more,
        }
        before = len(self.world.log)
        verifier = assemble(settings.load(environment=environment, folder=self.folder))
        text = "\n".join(one.text for one in cited)
        checking = begin_check(verifier, [Document("bench.bib", text.encode())])
        outcome = RunOutcome()
        checked = list(outcome.watch(checking))
        return checked, outcome.code(), len(self.world.log) - before


def agreement(bench: Bench, snapshot: Path) -> None:
    """Print how many judgements are the same offline and live."""
    with Snapshot.open(snapshot) as opened:
        cited = bibliography(opened, 500, SEED, real=2 / 3)
    offline = assemble(Settings(snapshots=(snapshot,), offline=True))
    text = "\n".join(one.text for one in cited).encode()
    alone = list(begin_check(offline, [Document("bench.bib", text)]))
    live, _, requests = bench.check(cited)
    _, _, again = bench.check(cited, fresh=False)
    same = 0
    for one, a, b in zip(cited, alone, live, strict=True):
        x, y = ((c.judgement.verdict, c.judgement.label) for c in (a, b))
        same += x == y
        if x != y:
            print(f"  {one.key} ({one.truth}): {x} offline, {y} live\n    {a.judgement.explanation[:300]}")
            print(f"    {b.judgement.explanation[:300]}")
    table = Counter(
        (one.truth, str(c.judgement.verdict), str(c.judgement.label))
        for one, c in zip(cited, live, strict=True)
    )
    for row, count in sorted(table.items()):
        print(f"  {count:4}  {' '.join(row)}")
    named = [n for n, one in enumerate(cited) if one.has_id]
    print(f"agreement: {same} of {len(cited)} judgements are the same")
    print(f"  {requests / len(cited):.2f} requests a reference; a second run costs {again}")
    _, _, with_ids = bench.check([cited[n] for n in named])
    print(f"  {with_ids / len(named):.2f} requests for each of those with an identifier, checked alone")


def outages(bench: Bench, cited: Sequence[Cited], share: int) -> None:
    """Print how many references are called not found while everything fails."""
    total: Counter[str] = Counter()
    for name in sorted(set(ALL_FAULTS) - WHOLE):
        for api in bench.world.urls:
            bench.world.set(api, faults=ALL_FAULTS[name])
        checked, code, requests = bench.check(cited[:share], CITEPROOF_TIMEOUT="0.5")
        verdicts = Counter(str(c.judgement.verdict) for c in checked)
        causes = Counter(
            str(x.cause) for c in checked for x in c.retrieved.lookups if isinstance(x, Unchecked)
        )
        total.update(verdicts)
        print(f"  {name:24} {dict(verdicts)}, exit {int(code)}, {requests} requests, causes {sorted(causes)}")
    for api in bench.world.urls:
        bench.world.set(api, faults=())
    print(f"outages: {sum(total.values())} references, {total['not_found']} called not found: {dict(total)}")


def single(bench: Bench, cited: Sequence[Cited]) -> None:
    """Print how many true references are decided with one source down."""
    _, _, requests = bench.check(cited)
    asked = sorted({seen.api for seen in bench.world.log[-requests:]})
    worst = 1.0
    for api in asked:
        bench.world.set(api, faults=Faults.status(503))
        checked, _, _ = bench.check(cited)
        bench.world.set(api, faults=())
        decided = sum(c.judgement.verdict is not Verdict.UNCHECKED for c in checked) / len(checked)
        wrong = sum(c.judgement.verdict is Verdict.NOT_FOUND for c in checked)
        worst = min(worst, decided)
        print(f"  without {api:18} {decided:.1%} decided, {wrong} called not found")
    print(
        f"single: with any one source down at least {worst:.1%} of {len(cited)} true references are decided"
    )


def storm(bench: Bench, cited: Sequence[Cited]) -> None:
    """Print how many more requests a storm of refusals causes."""
    _, _, quiet = bench.check(cited)
    for api in ("crossref", "openalex", "semantic_scholar"):
        before = bench.world.count(api)
        bench.check(cited)
        calm = bench.world.count(api) - before
        for name, fault in (("every third", Faults.status(429).every(3)), ("all", Faults.status(429))):
            bench.world.set(api, faults=fault)
            before = bench.world.count(api)
            checked, _, requests = bench.check(cited)
            bench.world.set(api, faults=())
            own = bench.world.count(api) - before
            lost = sum(c.judgement.verdict is Verdict.UNCHECKED for c in checked)
            print(
                f"  {api}, {name} refused: {own} requests against {calm} ({own / max(calm, 1):.2f} times),"
                f" {requests} in all against {quiet} ({requests / quiet:.2f}); {lost} could not be checked"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--only", default="agreement,outages,single,storm")
    parser.add_argument("--references", type=int, default=1000, help="of each outage")
    options = parser.parse_args()
    with Snapshot.open(options.snapshot) as snapshot, tempfile.TemporaryDirectory() as folder:
        true = bibliography(snapshot, max(options.references, 200), SEED + 1)
        with World(SnapshotHoldings(snapshot)) as world:
            bench = Bench(world, Path(folder))
            for name in options.only.split(","):
                match name:
                    case "agreement":
                        agreement(bench, options.snapshot)
                    case "outages":
                        outages(bench, true, options.references)
                    case "single":
                        single(bench, true[:200])
                    case "storm":
                        storm(bench, true[:200])


if __name__ == "__main__":
    main()
