"""What a reference costs offline: processor time of four mixes, against an older version.

    python bench/reference_cost.py SNAPSHOT DATA [--against REVISION] [--runs 3] [--mixes wild,cited]

`wild` are the bibliographies of DATA/wild, `hallmark` and `citecheck` the items of DATA/bench, `cited` works
of SNAPSHOT cited truly and wrongly. REVISION of this repository (HEAD by default) is unpacked and run by the
same Python; runs alternate, each in a process of its own. Printed: the least milliseconds a reference of
each, and whether the JSON lines of both are the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from citeproof.answers.serializers import build_checked_json, dumps
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import Settings
from citeproof.vocabulary import Document
from citing import bibliography
from startup import ROOT, unpack

MIXES = ("wild", "hallmark", "citecheck", "cited")
SEED = 17
WARM = Document("warm.bib", b"@article{a, title={Deep Residual Learning for Image Recognition}, year={2016}}")


def load_mix(mix: str, snapshot: Path, data: Path) -> list[Document]:
    """Return the documents of a mix."""
    match mix:
        case "wild":
            files = sorted((data / "wild/bib").glob("*.bib"))
            return [Document(file.name, file.read_bytes()) for file in files]
        case "hallmark":
            rows = map(json.loads, (data / "bench/hallmark_dev_public.jsonl").open(encoding="utf-8"))
            entries = (
                f"@{row['bibtex_type']}{{{row['bibtex_key']},\n"
                + "".join(f"  {name} = {{{value}}},\n" for name, value in row["fields"].items())
                for row in rows
            )
            return [Document("hallmark.bib", "}\n\n".join([*entries, ""]).encode())]
        case "citecheck":
            rows = map(json.loads, (data / "bench/citecheck_half.jsonl").open(encoding="utf-8"))
            return [Document("citecheck.md", "\n".join(f"- {row['citation']}" for row in rows).encode())]
        case _:
            with Snapshot.open(snapshot) as works:
                cited = bibliography(works, 1000, SEED, real=2 / 3)
            return [Document("cited.bib", "\n".join(each.text for each in cited).encode())]


def measure_mix(mix: str, snapshot: Path, data: Path) -> None:
    """Print the references of a mix, their milliseconds and the digest of their JSON lines."""
    verifier = assemble(Settings(snapshots=(snapshot,), offline=True))
    list(begin_check(verifier, [WARM]))
    documents, digest, count = load_mix(mix, snapshot, data), sha256(), 0
    started = time.process_time()
    for document in documents:
        for checked in begin_check(verifier, [document]):
            digest.update(dumps(build_checked_json(checked)))
            count += 1
    print(count, 1000 * (time.process_time() - started) / count, digest.hexdigest())


def run_mix(source: Path, mix: str, snapshot: Path, data: Path) -> tuple[int, float, str]:
    """Return what `measure_mix` prints in a process that runs the package in `source`."""
    command = [sys.executable, __file__, str(snapshot), str(data), "--measure", mix]
    environment = os.environ | {"PYTHONPATH": str(source)}  # noqa: TID251 - passed on
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    count, cost, digest = printed.split()
    return int(count), float(cost), digest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--against", default="HEAD")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mixes", default=",".join(MIXES))
    parser.add_argument("--measure", choices=MIXES, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure_mix(asked.measure, asked.snapshot, asked.data)
        return
    with TemporaryDirectory() as folder:
        sources = [unpack(asked.against, Path(folder)), ROOT / "src"]
        for mix in asked.mixes.split(","):
            runs = [
                [run_mix(source, mix, asked.snapshot.resolve(), asked.data.resolve()) for source in sources]
                for _ in range(asked.runs)
            ]
            before, after = (min(cost for _, cost, _ in each) for each in zip(*runs, strict=True))
            same = len({digest for row in runs for *_, digest in row}) == 1
            print(
                f"{mix:10} {runs[0][0][0]:5} references  {before:6.2f} ms before, {after:6.2f} ms now"
                f" ({after / before:.2f})  results {'the same' if same else 'DIFFER'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
