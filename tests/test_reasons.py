"""Reason codes are stable, documented, and given somewhere."""

import re
from pathlib import Path

import pytest

import citeproof
from citeproof.vocabulary import Reason, StopReason

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "spec" / "reasons.md").read_text("utf-8")


@pytest.mark.parametrize("reason", [*Reason, *StopReason])
def test_reason_is_documented(reason):
    assert f"| `{reason.value}` |" in PAGE, "run `make docs`"
    assert reason.meaning[0].isupper()
    assert reason.meaning.endswith(".")


@pytest.mark.parametrize("reason", Reason)
def test_words_of_a_reason_name_what_differs(reason):
    words = reason.words.format(field="<a>", claimed="<b>", resolved="<c>", detail="<d>")
    assert not words.endswith(".")
    assert "<" in words or reason.field == "verdict"


def test_reason_is_its_code():
    assert Reason.TYPO == "typo"
    assert f"title:{Reason.TYPO}" == "title:typo"
    assert type(str(Reason.TYPO)) is str
    assert {"typo": 1}[Reason.TYPO] == 1
    assert citeproof.serial.dumps([Reason.TYPO]) == b'["typo"]'


def test_case_tables_know_only_documented_reasons():
    tables = [ROOT / "tests" / "cases" / f"{name}.csv" for name in ("authors", "title", "venue")]
    rows = [line for path in tables for line in path.read_text("utf-8").splitlines()[1:] if line.strip()]
    assert not {re.split(r"[;|]", row)[3] for row in rows if not row.startswith("#")} - set(Reason)
