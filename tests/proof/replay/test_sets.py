"""What was found about references together: in the log, and found again from it."""

from __future__ import annotations

from collections import Counter

import pytest

from citeproof.evidence.index.build import BuildInput, build
from citeproof.judgement import checks
from citeproof.proof.audit import log_reader
from citeproof.proof.replay import Replay, ReplayState
from citeproof.vocabulary import Finding, FindingState, Place, SetFinding
from tests.proof.replay.made import EXAMPLES, RUN, checked, offline_variables, sql

BIBTEX = b"""@article{one, title={On one thing}, author={Doe, Ada}, year=2001}
@article{two, title={On one thing}, author={Doe, Ada}, year=2001}
@article{three, title={On another thing}, author={Doe, Ada}, year=2002}
"""


def find_equal_titles(evidence):
    """A check of the set: titles that occur twice."""
    times = Counter(member.title for member in evidence.members)
    for title, count in times.items():
        if count > 1:
            keys = tuple(member.key for member in evidence.members if member.title == title)
            yield SetFinding(
                Finding("equal_titles", FindingState.FINDING, title, "document"),
                Place(evidence.document),
                keys,
            )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(checks, "SET_CHECKS", (find_equal_titles,))
    build([BuildInput("bibtex", (EXAMPLES / "records.bib",))], tmp_path / "snapshot", name="examples")
    checked(
        offline_variables(tmp_path / "snapshot", tmp_path),
        tmp_path,
        ("a.bib", BIBTEX),
        ("b.bib", BIBTEX.splitlines()[2]),
    )
    return tmp_path


def _replay(folder):
    with Replay.open(folder / "audit", RUN) as replay:
        references = list(replay.references())
        return references, list(replay.sets())


def test_found_again(folder):
    events = [one for one in log_reader.read_entries(folder / "audit", RUN) if one["ev"] == "equal_titles"]
    assert [(one["references"], one["about"]) for one in events] == [(3, 2)]
    assert "two" not in str(events)  # keys are the user's words
    references, sets = _replay(folder)
    assert len(references) == 4
    assert [(one.key, one.state) for one in sets] == [("a.bib", ReplayState.IDENTICAL)]


def test_another_check_is_drift(folder, monkeypatch):
    monkeypatch.setattr(checks, "SET_CHECKS", ())
    _, (one,) = _replay(folder)
    assert one.state is ReplayState.DRIFTED
    assert one.differences


def test_a_changed_sidecar_is_tampering(folder):
    sql(
        folder / "audit" / "private.sqlite",
        "UPDATE rows SET salt = randomblob(length(salt)) WHERE kind = 'set'",
    )
    _, (one,) = _replay(folder)
    assert one.state is ReplayState.TAMPERED
