"""Print how far the promise about false accusations holds on citations that no fit has seen.

    python bench/promise.py --hallmark FILE --items FILE… --snapshot DIR [--closed DIR]

Five folds by work. For each, weights and calibration sets are made from the other four; the promise is
then asked for on the fold. `rate` is the share of real, judged references that were accused in spite of
it, with Wilson's 95 % interval; `kept` the share of true accusations that it leaves standing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

from citeproof.laboratory.measure.promise_measurement import (
    LEVELS,
    HeldOutCitation,
    judge_held_out,
    measure_promise,
)
from citeproof.vocabulary import THREE_CLASSES
from fitting import plain
from samples import arguments, gathered

SMALL = 20  # real references from which a field's rate is worth a line


def table(name: str, rows: Sequence[HeldOutCitation]) -> None:
    for level in LEVELS:
        h = measure_promise(rows, level)
        low, high = h.interval
        print(
            f"{name:24} α {level:<6} real {h.real:5}  accused {h.false:4}  rate {h.rate:.4f}"
            f" [{low:.4f}, {high:.4f}]  {'holds' if h.holds else 'BROKEN'}"
            f"  kept {h.kept:5}/{h.bad:<5} {h.coverage:.3f}"
        )


def fields(rows: Sequence[HeldOutCitation], level: float = 0.01) -> None:
    """Print the fields that broke the promise, and how many held it."""
    parts = [
        (name, measure_promise(part, level)) for name, part in group_by_key(rows, lambda row: row.one.field)
    ]
    known = [(name, h) for name, h in parts if h.real >= SMALL]
    broken = [(name, h) for name, h in known if not h.holds]
    print(f"by field, α {level}: {len(known) - len(broken)} of {len(known)} fields hold it")
    for name, h in broken:
        print(f"  {name:40} accused {h.false} of {h.real}")


def group_by_key(
    rows: Sequence[HeldOutCitation], key: Callable[[HeldOutCitation], str]
) -> Iterator[tuple[str, list[HeldOutCitation]]]:
    """Yield the rows in parts, by name."""
    for name in sorted({key(row) for row in rows}):
        yield name, [row for row in rows if key(row) == name]


def measure_coverage(rows: Sequence[HeldOutCitation], level: float) -> dict[str, float]:
    """Return for each true label the share of citations whose set holds it, and the sets' mean size."""
    found: dict[str, float] = {}
    for at, label in enumerate(THREE_CLASSES):
        own = [row for row in rows if row.one.truth == label.value]
        if own:
            found[label.value] = sum(row.labels[at] > level for row in own) / len(own)
    sizes = [sum(value > level for value in row.labels) for row in rows]
    found["size"] = sum(sizes) / len(sizes) if sizes else 0.0
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments(parser)
    known, told = gathered(parser.parse_args())
    for population, text in told.items():
        print(f"{population}: {text}")
    rows = judge_held_out(known, plain, refits=True)
    table("all", rows)
    for name, part in group_by_key(rows, lambda row: row.one.population):
        table(name, part)
    fields(rows)
    for level in LEVELS:
        sets = measure_coverage(rows, level)
        size = sets.pop("size")
        shown = ", ".join(f"{label} {share:.3f}" for label, share in sets.items())
        print(f"label sets, α {level:<6} hold the true label: {shown}; mean size {size:.2f}")


if __name__ == "__main__":
    main()
