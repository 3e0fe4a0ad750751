"""Train the tagger of prose and write `prose_tagger.npz`.

    python bench/train_prose_tagger.py WORKS.jsonl.zst --tagged TRAIN.jsonl.zst [--plain FILE…]

WORKS are real works, whose fields fill the slots of `bench/tagging/prose_texts/cited.jsonl`, TRAIN tagged
references. PLAIN are JSON lines of more `text` without any citation than `prose_texts/plain.jsonl` has, such
as paragraphs of Debian's /usr/share/doc.
"""

from __future__ import annotations

import argparse
import io
import json
import random
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import zstandard

from citeproof.reading.extractors.prose.prose_mask import mask_prose
from citeproof.reading.extractors.prose.prose_tagger import read_parts
from citeproof.reading.parse.tagger import list_stream_keys
from tagging.corpus import Tagged, load
from tagging.fit import features, keep_ready, save, train
from tagging.prose import ProseMaker, is_fit, mix

OUT = Path(__file__).parents[1] / "src/citeproof/reading/extractors/prose/prose_tagger.npz"
TEXTS = Path(__file__).parent / "tagging" / "prose_texts"
READY = 4000  # keys of a stream whose score rows are shipped ready
READ = 6000  # texts whose keys are counted for that
SHARE = 0.06  # of the works that are read
PROVENANCE = """\
# Where prose_tagger.npz comes from. Written by bench/train_prose_tagger.py.
tagged = "{tagged} hand-tagged references"
made = "{made} texts made of templates and works, or that cite nothing"
model = "sha256 {model}"

[licences]
"anystyle core, good, gold" = "BSD-2-Clause; Copyright 2011-2024 Sylvester Keil and contributors"
"GROBID citation corpus" = "CC BY 4.0; the GROBID contributors, https://github.com/kermitt2/grobid"
"""
_LABELS = {"volume": "locator", "issue": "locator", "pages": "locator", "publisher": "container", "doi": "id",
           "url": "O", "editor": "O", "citnum": "O", "note": "O", "location": "O"}  # fmt: skip
_KEPT = {"author", "title", "container", "date", "locator", "id"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("--templates", type=Path, nargs="+", default=[TEXTS / "cited.jsonl"])
    parser.add_argument("--more-works", type=Path, nargs="*", default=[TEXTS / "works.jsonl"])
    parser.add_argument("--plain", type=Path, nargs="*", default=[])
    parser.add_argument("--tagged", type=Path)
    parser.add_argument("--copies", type=int, default=6, help="fillings of each template")
    parser.add_argument("--entries", type=int, default=2500, help="tagged references")
    parser.add_argument("--iterations", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--ready", type=int, default=READY)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    rows = [*collect(given, rng)]
    rng.shuffle(rows)
    print(f"{len(rows)} texts, {sum(map(is_plain, rows))} of them plain", flush=True)
    model = train(examples(rows, given.seed), iterations=given.iterations, c1=0.15, c2=0.05, verbose=True)
    model = keep_ready(model, list_keys(rows[:READ]), given.ready)
    save(model, given.out)
    tagged = sum(not one.id.startswith(("made/", "plain/")) for one in rows)
    digest = sha256(given.out.read_bytes()).hexdigest()
    told = PROVENANCE.format(tagged=tagged, made=len(rows) - tagged, model=digest)
    given.out.with_suffix(".toml").write_text(told, "utf-8")
    print(f"{model.labels}, {given.out.stat().st_size:,} bytes")


def is_plain(one: Tagged) -> bool:
    return set(one.labels) <= {"O", ""}


def collect(given: argparse.Namespace, rng: random.Random) -> Iterator[Tagged]:
    """Yield all texts to train on."""
    others = [row for path in given.more_works for row in read_lines(path)]
    maker = ProseMaker([*read_works(given.works, rng), *others], given.seed)
    templates = [row for path in given.templates for row in read_lines(path)]
    cited = [
        maker.fill(row["text"], f"made/{at}/{copy}", row.get("lang", "en"))
        for copy in range(given.copies)
        for at, row in enumerate(templates)
    ]
    plain = [one for path in (TEXTS / "plain.jsonl", *given.plain) for one in read_plain(path)]
    yield from mix(cited, plain, given.seed)
    if given.tagged:
        entries = [*load(given.tagged)]
        for one in rng.sample(entries, min(given.entries, len(entries))):
            labels = tuple(_LABELS.get(label, label if label in _KEPT else "O") for label in one.labels)
            lead = rng.choice(("", "- ", "1. ", "[1] ", "* ", "3) "))
            yield Tagged(one.id, lead + one.text, (*("O" for _ in lead), *labels))


def read_works(path: Path, rng: random.Random) -> list[dict[str, Any]]:
    packed = zstandard.ZstdDecompressor().stream_reader(path.open("rb"))
    lines = io.TextIOWrapper(packed, encoding="utf-8")
    read = (json.loads(line) for line in lines if rng.random() < SHARE)
    return [work for work in read if is_fit(work)]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def read_plain(path: Path) -> Iterator[Tagged]:
    for at, row in enumerate(read_lines(path)):
        yield Tagged(f"plain/{path.name}/{at}", row["text"], ("O",) * len(row["text"]))


def examples(
    rows: Sequence[Tagged], seed: int, dropped: float = 0.25
) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Yield features and labels of each paragraph; some words are left out, so that other features learn."""
    rng = random.Random(seed)
    for row in rows:
        for part in read_parts(mask_prose(row.text).prose):
            gone = frozenset(key for key in dict.fromkeys(part.tokens.keys) if rng.random() < dropped)
            labels = [row.labels[part.start + start] or "O" for start in part.tokens.starts]
            yield features(part.tokens, part.context, gone), labels


def list_keys(rows: Sequence[Tagged]) -> Iterator[dict[str, Sequence[Any]]]:
    for row in rows:
        for part in read_parts(mask_prose(row.text).prose):
            yield list_stream_keys(part.tokens, part.context)


if __name__ == "__main__":
    main()
