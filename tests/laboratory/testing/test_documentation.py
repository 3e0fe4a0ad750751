"""The examples of the page about testing run, and its table names every fault."""

import re
from pathlib import Path

from citeproof.laboratory.testing import ALL_FAULTS

PAGE = (Path(__file__).parents[3] / "docs" / "testing.md").read_text("utf-8")


def test_the_examples_run():
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/testing.md", "exec"), names)


def test_every_fault_is_in_the_table():
    rows = "".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", rows)) == set(ALL_FAULTS)
