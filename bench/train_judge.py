"""Fit the shipped score model and its promise; write `judge/model.json` and `judge/promise.json`.

    python bench/train_judge.py --hallmark FILE --items FILE… --snapshot DIR [--closed DIR] [--wild DIR]

Weights and confidence are fitted on every citation given, HALLMARK and made items with equal weight; the
promise on scores that were made without the citation's own work, and on real bibliographies. The figures
to report come from `bench/hallmark.py --model oof`, `bench/promise.py` and `bench/wild.py`, which never
judge a citation with a model that has seen its work.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from citeproof.judgement.judge import false_alarm_limit
from citeproof.judgement.judge.model import Model, Promise, load_model
from citeproof.laboratory.measure import metrics
from citeproof.laboratory.measure.benchmark_rows import LabelledCitation
from citeproof.laboratory.measure.calibration import METHODS, Method
from citeproof.laboratory.measure.promise_measurement import build_populations, cross_fit_populations
from fitting import fit_known, plain, rated
from samples import WILD, arguments, digest, gathered, gathered_wild

JUDGE = Path(__file__).parents[1] / "src" / "citeproof" / "judgement" / "judge"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments(parser)
    parser.add_argument("--method", choices=METHODS, default="platt")
    parser.add_argument("--out", type=Path, default=JUDGE, metavar="DIR")
    parser.add_argument("--keep", action="store_true", help="add --wild to the shipped promise, fit nothing")
    wanted = parser.parse_args()
    if wanted.keep:
        add_wild(wanted)
        return
    known, told = gathered(wanted)
    provenance = {"made_by": "bench/train_judge.py", "method": wanted.method, **told}
    model = fit_known(known, name="", provenance=provenance, method=wanted.method)
    named = msgspec.structs.replace(model, name=f"faults-3-{digest(told, msgspec.json.encode(model))}")
    wild, told_wild = gathered_wild(wanted)
    sets = cross_fit_populations([*known, *wild], plain)
    told |= told_wild
    write(wanted.out / "model.json", named)
    write(wanted.out / "promise.json", Promise(named.name, sets, {"made_by": "bench/train_judge.py", **told}))
    print((wanted.out / "model.json").read_text("utf-8"))
    figures(known, wanted.method)
    for one in sets:
        counts = ", ".join(f"{one.count(label)} {label}" for label in one.strange)
        print(f"promise, {one.name}: {counts} checked citations")


def add_wild(wanted: argparse.Namespace) -> None:
    """Write the shipped promise with real bibliographies beside what it was measured on."""
    model, before = load_model(), false_alarm_limit.load_promise()
    wild, told = gathered_wild(wanted)
    others = tuple(one for one in before.populations if one.name != WILD)
    sets = (*others, *build_populations((one, model) for one in wild))
    write(wanted.out / "promise.json", Promise(model.name, sets, {**before.provenance, **told}))
    print({one.name: {label: one.count(label) for label in one.strange} for one in sets})


def figures(known: Sequence[LabelledCitation], method: Method) -> None:
    """Print how good the fit is out of fold: by population, over what could be judged."""
    rows = rated(known, method)
    for population in dict.fromkeys(one.population for one in known):
        part = [row for row in rows if row[0].population == population]
        bad = [not label.passes for one, label, _ in part if one.bad]
        good = [not label.passes for one, label, _ in part if not one.bad]
        sure = metrics.compute_reliability([(c, label.passes != one.bad) for one, label, c in part])
        shown = "  ".join(f"{name} {value:.4f}" for name, value in sure.items())
        print(
            f"out of fold, {population}: DR {sum(bad) / max(1, len(bad)):.4f} of {len(bad)}"
            f"  FPR {sum(good) / max(1, len(good)):.4f} of {len(good)}  {shown}"
        )


def write(path: Path, made: Model | Promise) -> None:
    """Write the model to be read by people, the many numbers of the promise on few lines."""
    data = msgspec.json.encode(made)
    path.write_bytes((msgspec.json.format(data, indent=2) if isinstance(made, Model) else data) + b"\n")


if __name__ == "__main__":
    main()
