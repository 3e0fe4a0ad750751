"""A user's program, read by mypy in strict mode (tests/surfaces/test_python_door.py)."""

from pathlib import Path
from typing import assert_type

import citeproof


def main() -> None:
    with citeproof.Verifier(offline=True, snapshots=[Path("a"), "b"]) as verifier:
        report = verifier.check("refs.bib")
        assert_type(report, citeproof.Report)
        assert_type(report[0], citeproof.Checked)
        assert_type(len(report), int)
        assert_type(report.problems, tuple[citeproof.Checked, ...])
        checked = verifier.verify(title="Deep learning", doi="10.1038/nature14539", year=2015)
        assert_type(checked.verdict, citeproof.Verdict)
        assert_type(checked.label, citeproof.Label | None)
        assert_type(checked.title, str)
        assert_type(checked.record, citeproof.Record | None)
    assert_type(citeproof.check(Path("refs.bib"), offline=True), citeproof.Report)
    assert_type(citeproof.verify("Deep learning", author="LeCun", sources=["crossref"]), citeproof.Checked)


async def twin() -> None:
    async with citeproof.Verifier() as verifier:
        assert_type(await verifier.acheck(b"text"), citeproof.Report)
        assert_type(await verifier.averify("Deep learning"), citeproof.Checked)
    assert_type(await citeproof.acheck("refs.bib"), citeproof.Report)
