"""Code citations: FRESH, STALE, UN-VERSIONED, MISSING, and lines that are none of the file."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from citeproof.corpus.code import describe_range_problem, judge_code_citation
from citeproof.corpus.corpus_types import Freshness
from citeproof.corpus.project_root import Artefact, ProjectRoot
from tests.corpus.code.marks import mark

DATA = b"export function login() {\n  return true\n}\n"
DIGEST = sha256(DATA).hexdigest()
RIGHT = "a hash has 16 lower-case hex digits, but this one"
LOGIN = Artefact("src/auth/login.ts", there=True, sha256=DIGEST, size=len(DATA), lines=88)


@pytest.mark.parametrize(
    ("cited", "freshness", "reason"),
    [
        (DIGEST[:16], Freshness.FRESH, ""),
        ("a8f9c2d4e5f60718", Freshness.STALE, "hash_mismatch"),
        ("", Freshness.UN_VERSIONED, "no_hash"),
        (DIGEST[:16].upper(), Freshness.STALE, "malformed_hash"),
        (DIGEST[:15], Freshness.STALE, "malformed_hash"),
        (DIGEST[:17], Freshness.STALE, "malformed_hash"),
        (DIGEST[:7], Freshness.STALE, "malformed_hash"),
        (DIGEST, Freshness.STALE, "malformed_hash"),
        ("a8f9c2d4e5f6071", Freshness.STALE, "malformed_hash"),
        ("A8F9C2D4E5F60718", Freshness.STALE, "malformed_hash"),
        (DIGEST[:15] + "g", Freshness.STALE, "malformed_hash"),
        (DIGEST[:15] + "０", Freshness.STALE, "malformed_hash"),
        (DIGEST[:16] + "\n", Freshness.STALE, "malformed_hash"),
    ],
)
def test_a_hash_is_sixteen_lower_case_digits_of_the_file(
    cited: str, freshness: Freshness, reason: str
) -> None:
    found = judge_code_citation(LOGIN, mark("src/auth/login.ts", cited, "L42-58"))
    assert (found.freshness, found.reason, found.current) == (freshness, reason, DIGEST[:16])
    assert found.range_problem == ""


@pytest.mark.parametrize(
    ("cited", "detail"),
    [
        ("a8f9c2d4e5f60718", "File modified since citation emitted"),
        ("", "File exists but no content hash"),
        ("a8f9c2d4", f"{RIGHT} has 8"),
        ("A8F9C2D4E5F60718", f"{RIGHT} does not"),
        (DIGEST.upper(), f"{RIGHT} has 64; it matches the current file: write {DIGEST[:16]}"),
    ],
)
def test_people_are_told_why(cited: str, detail: str) -> None:
    assert judge_code_citation(LOGIN, mark("src/auth/login.ts", cited)).detail == detail


@pytest.mark.parametrize("reason", ["not_found", "outside_root", "unreadable"])
@pytest.mark.parametrize("cited", ["", "a8f9c2d4e5f60718", "bad"])
def test_what_is_not_there_is_missing(reason: str, cited: str) -> None:
    gone = Artefact("src/x.py", there=False, reason=reason, detail="…")
    found = judge_code_citation(gone, mark("src/x.py", cited, "L1"))
    assert (found.freshness, found.reason, found.current) == (Freshness.MISSING, reason, "")
    assert found.range_problem == ""


def test_a_folder_is_missing() -> None:
    found = judge_code_citation(Artefact("src", there=True, folder=True), mark("src", "", "L1"))
    assert (found.freshness, found.reason, found.detail) == (Freshness.MISSING, "not_found", "is a folder")


@pytest.mark.parametrize(
    ("text", "count", "problem"),
    [
        ("", 0, ""),
        ("L1", 1, ""),
        ("L1-88", 88, ""),
        ("L88", 88, ""),
        ("L007", 88, ""),
        ("L90-95", 88, "L90-95 is outside the file, which has 88 lines"),
        ("L89", 88, "L89 is outside the file, which has 88 lines"),
        ("L80-95", 88, "L80-95 goes beyond the end of the file, which has 88 lines"),
        ("L1-2", 1, "L1-2 goes beyond the end of the file, which has 1 line"),
        ("L1", 0, "L1 is outside the file, which has 0 lines"),
        ("L58-42", 88, "L58-42 runs backwards"),
        ("L0", 88, "L0 begins at line 0; lines count from 1"),
        ("L0-5", 88, "L0-5 begins at line 0; lines count from 1"),
        ("L999999999", 88, "L999999999 is outside the file, which has 88 lines"),
        ("42", 88, "42 is not a range of lines: write L42 or L42-58"),
        ("L" + "9" * 5000, 88, f"L{'9' * 39} is not a range of lines: write L42 or L42-58"),
    ],
)
def test_lines_that_are_none_of_the_file_are_told(text: str, count: int, problem: str) -> None:
    assert describe_range_problem(text, count) == problem


def test_a_range_is_judged_whatever_the_hash_says() -> None:
    for cited in (DIGEST[:16], "a8f9c2d4e5f60718", ""):
        assert (
            "88 lines" in judge_code_citation(LOGIN, mark("src/auth/login.ts", cited, "L90-95")).range_problem
        )


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"a\r\nb\r\n", b"\xef\xbb\xbfx\n", "Größe".encode()])
def test_the_hash_is_that_of_the_raw_bytes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    cited = mark("a.bin", sha256(data).hexdigest()[:16])
    assert judge_code_citation(ProjectRoot(tmp_path).artefact("a.bin"), cited).freshness is Freshness.FRESH
