"""Train the citation tagger and write `parse/model/tagger.npz` and its provenance.

    python bench/train_tagger.py DATA/parsing/train.jsonl.zst --made MADE.jsonl [--out FOLDER]

DATA holds the tagged references; MADE holds references rendered from records by `bench/styles`. Held-out
references (`bench/tagging/corpus.py`) are never trained on, nor are made ones that carry a title of theirs.
The same input gives the same model.
"""

from __future__ import annotations

import argparse
import random
from hashlib import sha256
from pathlib import Path

from citeproof.reading.parse.tagger import load_weights as load_model
from tagging.corpus import Tagged, corrected, load, split, value
from tagging.fit import fit, readied, save
from tagging.made import Maker
from tagging.noise import noised

MODEL = Path(__file__).parents[1] / "src" / "citeproof" / "reading" / "parse" / "model"
SEED = 20

PROVENANCE = """\
# Where tagger.npz comes from. Written by bench/train_tagger.py.
command = "python bench/train_tagger.py DATA/parsing/train.jsonl.zst --made MADE.jsonl"
tagged = "{tagged} hand-tagged references, sha256 {digest}"
made = "{made} made references: rendered through CSL styles and patterns, or put together from tagged values"
model = "sha256 {model}"
seed = {seed}
iterations = {iterations}

[licences]
"anystyle core, good, gold" = "BSD-2-Clause; Copyright 2011-2024 Sylvester Keil and contributors"
"GROBID citation corpus" = "CC BY 4.0; the GROBID contributors, https://github.com/kermitt2/grobid"
"CSL styles" = "CC BY-SA 3.0; used to render references for training, no style is part of the model"
"""


# Styles that the tagged references have few of are drawn more often than others.
WEIGHTS = {"german": 4.0, "chat": 1.5, "french": 1.5, "spanish": 1.5, "italian": 1.5, "csl": 0.7}


def mixed(rows: list[Tagged], made: list[Tagged], count: int, own: int, share: float) -> list[Tagged]:
    """Return what is trained on: tagged references, changed copies of some, and made ones."""
    return [*rows, *noised(rows, share, SEED), *Maker(rows, SEED).references(own), *drawn(made, count)]


def drawn(made: list[Tagged], count: int) -> list[Tagged]:
    """Return `count` of the made references, by the weights of their styles."""
    rng = random.Random(SEED)
    ranked = sorted(made, key=lambda one: rng.random() ** (1 / WEIGHTS.get(_style(one), 1.0)), reverse=True)
    return ranked[:count]


def _style(one: Tagged) -> str:
    """Return the style of an id such as `styles/german/clean/7`."""
    return one.id.split("/")[1].partition(":")[0]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--made", type=Path, help="references rendered by bench/styles")
    arguments.add_argument("--rendered", type=int, default=8000, help="how many of those")
    arguments.add_argument(
        "--composed", type=int, default=2000, help="references put together from tagged values"
    )
    arguments.add_argument(
        "--noised", type=float, default=0.15, help="share of references copied with changes"
    )
    arguments.add_argument("--iterations", type=int, default=70)
    arguments.add_argument("--out", type=Path, default=MODEL)
    options = arguments.parse_args()
    train, held = split(map(corrected, load(options.data)))
    spoken_for = {value(one, "title").casefold() for one in held}
    made = (
        [one for one in load(options.made) if value(one, "title").casefold() not in spoken_for]
        if options.made
        else []
    )
    rows = mixed(train, made, options.rendered, options.composed, options.noised)
    model = readied(fit(rows, iterations=options.iterations, seed=SEED, verbose=True), rows)
    save(model, options.out / "tagger.npz")
    text = PROVENANCE.format(
        tagged=len(train),
        digest=sha256(options.data.read_bytes()).hexdigest(),
        made=len(rows) - len(train),
        model=sha256((options.out / "tagger.npz").read_bytes()).hexdigest(),
        seed=SEED,
        iterations=options.iterations,
    )
    (options.out / "tagger.toml").write_text(text, encoding="utf-8")
    size = (options.out / "tagger.npz").stat().st_size
    labels = len(load_model(options.out / "tagger.npz").labels)
    print(f"{len(rows)} references, {labels} labels, {size:,} bytes")


if __name__ == "__main__":
    main()
