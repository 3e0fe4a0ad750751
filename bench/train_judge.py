"""Fit the shipped score model on the development data and write `judge/model.json`.

    python bench/train_judge.py FILE --snapshot DIR

Trains on every entry; the figures to report come from `bench/hallmark.py --model oof`, which never
judges an entry with a model that has seen its title.
"""

from __future__ import annotations

import argparse
import asyncio
from hashlib import sha256
from pathlib import Path

import msgspec

from citeproof.assemble import assemble
from citeproof.settings import Settings
from citeproof.text import title as titles
from fitting import Sample, fit
from hallmark import check_all, load

MODEL = Path(__file__).parents[1] / "src" / "citeproof" / "judge" / "model.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=MODEL)
    wanted = parser.parse_args()
    entries = load(wanted.file)
    verifier = assemble(Settings(snapshots=(wanted.snapshot,), offline=True))
    checked = asyncio.run(check_all(verifier, entries))
    samples = [Sample(c, e.hallucinated, titles.key(e.title)) for e, c in zip(entries, checked, strict=True)]
    digest = sha256(wanted.file.read_bytes()).hexdigest()
    provenance = {
        "made_by": "bench/train_judge.py",
        "data": f"{wanted.file.name} (HALLMARK 1.2.2, MIT), sha256 {digest[:16]}, {len(entries)} entries",
        "snapshot": ", ".join(verifier.snapshots),
    }
    model = fit(samples, name=f"faults-1-{digest[:8]}", provenance=provenance)
    wanted.out.write_bytes(msgspec.json.format(msgspec.json.encode(model), indent=2) + b"\n")
    print(wanted.out.read_text("utf-8"))


if __name__ == "__main__":
    main()
