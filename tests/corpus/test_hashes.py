"""Hashes of cited files and answers about DOIs, kept between runs."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from citeproof.plumbing.clock import FixedClock
from tests.corpus.examiner import NOON, SHA, SIGNED, keeping_at


@pytest.mark.parametrize(
    ("path", "signed", "put_at", "expected"),
    [
        ("x", SIGNED, NOON, (SHA, 7)),
        ("y", SIGNED, NOON, None),
        ("x", (11, *SIGNED[1:]), NOON, None),
        ("x", (*SIGNED[:3], 5), NOON, None),
        ("x", (10, 1_001, *SIGNED[2:]), NOON, None),
        ("x", (10, 1_000, 2_001, SIGNED[3]), NOON, None),
        ("x", SIGNED, datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), None),  # the file had just been changed
    ],
)
def test_hashes_of_files_by_signature(tmp_path, path, signed, put_at, expected) -> None:
    with closing(keeping_at(tmp_path, put_at)) as keeping:
        assert keeping.hashes.get("x", SIGNED) is None
        keeping.hashes.put("x", SIGNED, SHA, 7)
    with closing(keeping_at(tmp_path, NOON)) as keeping:
        assert keeping.hashes.get(path, signed) == expected


def test_a_hash_counts_from_when_the_reading_began(tmp_path) -> None:
    changed = (1, int(NOON.timestamp() * 1e9), 0, 1)
    with closing(keeping_at(tmp_path, NOON)) as keeping:
        assert keeping.hashes.get("x", changed) is None
        keeping._clock = FixedClock(NOON + timedelta(minutes=1))  # it was large
        keeping.hashes.put("x", changed, SHA, 7)
        keeping.hashes.flush()
        assert keeping.hashes.get("x", changed) is None


@pytest.mark.parametrize(
    ("column", "value"), [("sha256", "ab"), ("sha256", None), ("lines", "x"), ("at", None)]
)
def test_a_damaged_hash_is_no_hash(tmp_path, column, value) -> None:
    with closing(keeping_at(tmp_path, NOON)) as keeping:
        keeping.hashes.put("x", SIGNED, SHA, 7)
        keeping.hashes.flush()
        assert keeping.hashes.get("x", SIGNED) == (SHA, 7)
        keeping.database.write((f"UPDATE files SET {column} = ?", [(value,)]))
        assert keeping.hashes.get("x", SIGNED) is None


def test_a_fork_has_a_connection_of_its_own(tmp_path) -> None:
    with closing(keeping_at(tmp_path, NOON)) as keeping:
        keeping.hashes.put("x", SIGNED, SHA, 7)
        keeping.hashes.flush()
        child = os.fork()
        if not child:
            ok = keeping.hashes.get("x", SIGNED) == (SHA, 7)
            keeping.hashes.put("y", SIGNED, SHA, 8)
            keeping.close()
            os._exit(0 if ok else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert keeping.hashes.get("y", SIGNED) == (SHA, 8)


@pytest.mark.parametrize(
    ("doi", "scope", "at", "expected"),
    [
        ("10.1/x", "s", NOON, "exists"),
        ("10.1/x", "s", NOON + timedelta(days=1), None),
        ("10.1/x", "s", NOON - timedelta(days=1), "exists"),
        ("10.1/x", "t", NOON, None),
        ("10.1/y", "s", NOON, None),
        ("10.1/\ud800", "s", NOON, None),
    ],
)
def test_answers_about_dois_have_a_lifetime(tmp_path, doi, scope, at, expected) -> None:
    with closing(keeping_at(tmp_path, NOON)) as keeping:
        keeping.put_doi("10.1/x", "s", "exists", NOON + timedelta(hours=1))
    with closing(keeping_at(tmp_path, at)) as keeping:
        assert keeping.doi(doi, scope) == expected
