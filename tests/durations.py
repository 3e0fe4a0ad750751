"""CPU time of each test, with the processes it started: `make durations` writes tests/long_tests.txt from it.

A test function whose cases take more than LONG seconds on average is long: tests/conftest.py marks it `slow`,
and `make test` leaves it to `make test-all`.
"""

from __future__ import annotations

import os
import resource
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tables import count_cases

LONG = 0.7
FOLDER = Path(os.environ.get("CITEPROOF_DURATIONS", ".cache/durations"))
LIST = Path(__file__).with_name("long_tests.txt")


def read_long_tests() -> frozenset[str]:
    """Return the ids of the functions that are long, without their parameters."""
    return frozenset(line for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#"))


def _measure_cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Append the CPU seconds, the number of cases and the id of a test to the file of this worker."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    began = _measure_cpu()
    try:
        return (yield)
    finally:
        with (FOLDER / f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.tsv").open("a") as file:
            file.write(f"{_measure_cpu() - began:.3f}\t{count_cases(item)}\t{item.nodeid}\n")


def main() -> None:
    """Write the list of long functions anew, and print what all tests took."""
    seconds: defaultdict[str, float] = defaultdict(float)
    cases: Counter[str] = Counter()
    for path in FOLDER.glob("*.tsv"):
        for line in path.read_text("utf-8").splitlines():
            taken, number, name = line.split("\t", 2)
            function = name.partition("[")[0]
            seconds[function] += float(taken)
            cases[function] += int(number)
    long = sorted(name for name, taken in seconds.items() if taken > LONG * cases[name])
    head = f"# Test functions that take more than {LONG} CPU-seconds; written by `make durations`.\n"
    LIST.write_text(head + "".join(f"{name}\n" for name in long), "utf-8")
    every = sum(seconds.values()) / 60
    sys.stdout.write(f"{every:.1f} CPU-minutes in {len(seconds)} functions, {len(long)} of them long\n")


if __name__ == "__main__":
    main()
