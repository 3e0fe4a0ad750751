"""The end of `make coverage`: prints the least covered modules and writes the total into CONTRIBUTING.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

REPORT = Path(".cache/coverage/report.json")
PAGE = Path("CONTRIBUTING.md")
SENTENCE = re.compile(r"<!-- coverage -->.*?<!-- end -->", re.DOTALL)
LEAST, FEWEST = 10, 20  # modules that are named; statements of one that is worth naming


def describe_total(totals: dict[str, Any]) -> str:
    """Return the sentence with the figures of the whole package."""
    lines = 100 * totals["covered_lines"] / totals["num_statements"]
    branches = 100 * totals["covered_branches"] / totals["num_branches"]
    return f"At its last run, tests ran {lines:.1f} % of the statements and {branches:.1f} % of the branches."


def list_least_covered(files: dict[str, Any]) -> list[tuple[float, str, int, int]]:
    """Return (percent, module, missing statements, missing branches) of the least covered modules."""
    found = {name: one["summary"] for name, one in files.items()}
    rows = [
        (one["percent_covered"], name, one["missing_lines"], one["missing_branches"])
        for name, one in found.items()
        if one["num_statements"] >= FEWEST
    ]
    return sorted(rows)[:LEAST]


def main() -> None:
    report = json.loads(REPORT.read_bytes())
    said = describe_total(report["totals"])
    print(said)  # noqa: T201 - a command
    for percent, name, lines, branches in list_least_covered(report["files"]):
        print(f"{percent:5.1f} %  {name}  ({lines} statements, {branches} branches not run)")  # noqa: T201
    page = PAGE.read_text("utf-8")
    PAGE.write_text(SENTENCE.sub(f"<!-- coverage -->{said}<!-- end -->", page), "utf-8")


if __name__ == "__main__":
    main()
