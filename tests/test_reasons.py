"""Reason codes are stable, documented, and given somewhere."""

import re
from pathlib import Path
from typing import get_type_hints

import pytest

import citeproof
from citeproof.vocabulary import CitationReason, Comparison, Mismatch, Reason, Stop, StopReason

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "citeproof"
ROOMS = ("answers", "corpus", "evidence/retrieve", "judgement", "text")
CODE = "\n".join(path.read_text("utf-8") for room in ROOMS for path in (SRC / room).rglob("*.py"))
GIVEN = set(re.findall(r"\b(?:Stop|Citation)?Reason\.[A-Z_]+", CODE))
# A reason that is written as a string where the enum should stand.
BARE = re.compile(
    r'Outcome\.[A-Z]+, "|VenueSameness\(\w+, "|\breason (?:==|!=) "|\breason="[a-z]|Stop\("|\.stop\("'
    r'|"[a-z_]+" (?:not )?in \w+\.reasons|Ruling\([^()]*\("'
)
PAGE = (ROOT / "docs" / "spec" / "reasons.md").read_text("utf-8")


@pytest.mark.parametrize("reason", [*Reason, *StopReason, *CitationReason])
def test_reason_is_documented(reason):
    assert f"| `{reason.value}` |" in PAGE, "run `make docs`"
    assert reason.meaning[0].isupper()
    assert reason.meaning.endswith(".")


@pytest.mark.parametrize("reason", Reason)
def test_words_of_a_reason_name_what_differs(reason):
    words = reason.words.format(field="<a>", differs="differs", claimed="<b>", resolved="<c>", detail="<d>")
    assert not words.endswith(".")
    assert "<" in words or reason.field == "verdict"


def test_reason_is_its_code():
    assert Reason.TYPO == "typo"
    assert f"title:{Reason.TYPO}" == "title:typo"
    assert type(str(Reason.TYPO)) is str
    assert {"typo": 1}[Reason.TYPO] == 1
    assert citeproof.answers.serializers.dumps([Reason.TYPO]) == b'["typo"]'


def test_case_tables_know_only_documented_reasons():
    tables = [ROOT / "tests" / "cases" / f"{name}.csv" for name in ("authors", "title", "venue")]
    rows = [line for path in tables for line in path.read_text("utf-8").splitlines()[1:] if line.strip()]
    assert not {re.split(r"[;|]", row)[3] for row in rows if not row.startswith("#")} - set(Reason)


def test_every_reason_is_given_somewhere():
    assert (
        not {f"{type(reason).__name__}.{reason.name}" for reason in (*Reason, *StopReason, *CitationReason)}
        - GIVEN
    )


def test_no_reason_is_a_bare_string():
    assert not BARE.findall(CODE)


def test_comparisons_and_stops_take_nothing_else():
    hints = [get_type_hints(kind)["reason"] for kind in (Comparison, Mismatch, Stop)]
    assert hints == [Reason, Reason, StopReason]
