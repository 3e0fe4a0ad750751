"""Fit the weights of `text/invented_name.json` on real venue names and on invented ones.

    python bench/train_venues.py ../shared/data [--bib FOLDER]… [--held-back 0.2] [-o FILE]

Real names: the venues of the works, the journal abbreviation lists, and what is in `--bib` folders of real
.bib files. Invented: `invented_venues.py`, and `invented_by_hand.txt`, names as language models invent them
in all fields; what the real names know is left out. With `--held-back` that share of the real names is not
used, the same names as in `bench/venues.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from bench import invented_venues, venue_samples
from citeproof.text.invented_name import list_traits
from citeproof.text.venue_key import list_name_keys

HAND = Path(__file__).with_name("invented_by_hand.txt")
HAND_WEIGHT = 10.0  # rows that a name of HAND counts as
LEAST = 12  # hundredths; smaller weights are left out
LIMIT = 1.35
LIMIT_CONTRADICTED = 1.0


def main() -> None:
    """Fit and write the table."""
    args = _read_arguments()
    real = venue_samples.read_real_names(args.data)
    if args.held_back:
        real = [name for name in real if not venue_samples.is_held_back(name, args.held_back)]
    bibs = [n for folder in args.bib for n in venue_samples.read_bib_names(folder)]
    known = {key for name in real for key in list_name_keys(name)}
    print(f"{len(real):,} real names, {len(bibs):,} of bibliographies", file=sys.stderr)
    phrases = invented_venues.TitlePhrases(venue_samples.read_titles(args.data))
    plain = [name for name in real if name.isascii()]
    made: list[str] = []
    shares = {"topics": 1.0, "titles": 0.4}  # the others are for measuring
    for style, names in invented_venues.invent_all(args.seed, args.count, phrases, plain):
        fresh = [name for name in dict.fromkeys(names) if known.isdisjoint(list_name_keys(name))]
        made += fresh[: int(args.count * shares.get(style, 0))]
    hand = [n for n in HAND.read_text("utf-8").splitlines() if known.isdisjoint(list_name_keys(n))]
    rare = [name for name in dict.fromkeys(bibs) if known.isdisjoint(list_name_keys(name))]
    workshops = [name for name in real if "workshop" in name.casefold()]
    negatives = real + rare * 6 + workshops * 4  # few, and the likest to inventions
    random.Random(1).shuffle(negatives)
    counts = CountVectorizer(analyzer=list_traits, min_df=4, binary=True)
    table = counts.fit_transform(made + hand + negatives)
    labels = np.r_[np.ones(len(made) + len(hand)), np.zeros(len(negatives))]
    rows = np.r_[np.ones(len(made)), np.full(len(hand), HAND_WEIGHT), np.ones(len(negatives))]
    model = LogisticRegression(C=0.5, max_iter=300, solver="liblinear").fit(table, labels, rows)
    weights = {t: round(100 * float(model.coef_[0][at])) for t, at in counts.vocabulary_.items()}
    kept = {trait: w for trait, w in sorted(weights.items()) if abs(w) >= LEAST}
    found = {
        "bias": round(float(model.intercept_[0]), 2),
        "limit": args.limit,
        "limit_contradicted": args.limit_contradicted,
        "weights": kept,
    }
    args.output.write_text(
        json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
    )
    print(
        f"{len(made):,} + {len(hand):,} invented, {len(negatives):,} real rows; {len(kept):,} weights",
        file=sys.stderr,
    )


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--bib", type=Path, action="append", default=[])
    parser.add_argument("--held-back", type=float, default=0.0)
    parser.add_argument("--count", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--limit-contradicted", type=float, default=LIMIT_CONTRADICTED)
    default = Path(__file__).parents[1] / "src/citeproof/text/invented_name.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


if __name__ == "__main__":
    main()
