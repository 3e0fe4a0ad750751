"""Answers about DOIs, kept between runs."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import timedelta

import pytest

from tests.corpus.examiner import NOON, keeping_at


def test_a_fork_has_a_connection_of_its_own(tmp_path) -> None:
    until = NOON + timedelta(hours=1)
    with closing(keeping_at(tmp_path, NOON)) as keeping:
        keeping.put_doi("10.1/x", "s", "exists", until)
        child = os.fork()
        if not child:
            ok = keeping.doi("10.1/x", "s") == "exists"
            keeping.put_doi("10.1/y", "s", "absent", until)
            keeping.close()
            os._exit(0 if ok else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert keeping.doi("10.1/y", "s") == "absent"


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
