"""Make many works out of real ones: the real ones first, then halves of their titles put together.

    python bench/many_works.py works.jsonl.zst FOLDER --millions 10 [--first 0]

Writes a file for each million (`works-000.jsonl.zst`, …), for `citeproof index build --from works`. Words,
names, venues and lengths are as frequent as in the real works, so that an index of them has the size and the
cost of a real one. Every made work has a DOI of its own (prefix 10.5555, which is kept for examples). The
same number of a file always gives the same bytes.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

import msgspec
import zstandard

MILLION = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--millions", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first million to write")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with zstandard.open(options.works, "rb") as opened:
        lines = opened.read().splitlines()
    real = [msgspec.json.decode(line) for line in lines]
    for number in range(options.first, options.first + options.millions):
        path = options.folder / f"works-{number:03}.jsonl.zst"
        kept = lines[:MILLION] if number == 0 else []
        with path.open("wb") as raw, zstandard.ZstdCompressor(1).stream_writer(raw) as out:
            out.write(b"".join(line + b"\n" for line in kept))
            write_made(out, real, number, MILLION - len(kept))
        print(path, path.stat().st_size)


def write_made(out: Any, real: list[dict[str, Any]], number: int, count: int) -> None:
    """Write works of one file: each has half of the title and of the authors of two real ones."""
    draw, encode = random.Random(number), msgspec.json.Encoder().encode
    for at in range(count):
        one, other = real[int(draw.random() * len(real))], real[int(draw.random() * len(real))]
        head, tail = one["t"].split(), other["t"].split()
        made = dict(one)
        made["t"] = " ".join(head[: (len(head) + 1) // 2] + tail[len(tail) // 2 :])
        made["a"] = [*one.get("a", ())[:3], *other.get("a", ())[:2]]
        made["d"] = f"10.5555/{number}.{at}"
        out.write(encode({name: value for name, value in made.items() if name in FIELDS}) + b"\n")


FIELDS = ("t", "a", "p", "d", "s")

if __name__ == "__main__":
    main()
