"""Problems that their owner accepts: what an entry matches, what a baseline knows, what both refuse."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from citeproof.answers.serializers.judgements import identify_finding, identify_judgement, make_fingerprint
from citeproof.errors import UsageError
from citeproof.service.accepted_problems import (
    AcceptedProblems,
    BaselineWriter,
    IgnoreEntry,
    read_baseline,
    read_ignore_list,
)
from citeproof.service.exit_codes import Exit, RunOutcome
from citeproof.vocabulary import FailOn, Finding, FindingState, Ids, Verdict

TODAY = date(2026, 11, 16)
RETRACTED = Finding("retracted", FindingState.FINDING, "It was retracted.", "crossref")


def _outcome(checked, fail_on=("minor", "unchecked")):
    outcome = RunOutcome(fail_on=frozenset(map(FailOn, fail_on)))
    list(outcome.watch(checked))
    return outcome.code()


@pytest.fixture
def problem(made_checked):
    one = made_checked["not_found"]
    ids = Ids((("doi", "10.1234/abc"),))
    claimed = replace(one.reference.claimed, ids=ids)
    place = replace(one.reference.place, file="paper/refs.bib")
    return replace(one, reference=replace(one.reference, key="smith2020", claimed=claimed, place=place))


@pytest.mark.parametrize(
    ("id_", "file", "accepted"),
    [
        ("smith2020", "", True),
        ("https://doi.org/10.1234/ABC", "", True),
        ("10.1234/abc", "refs.bib", True),
        ("smith2020", "paper/refs.bib", True),
        ("smith2020", "efs.bib", False),
        ("smith2020", "other/refs.bib", False),
        ("smith2021", "", False),
        ("10.1234/abcd", "", False),
    ],
)
def test_what_an_entry_matches(id_, file, accepted, problem):
    known = AcceptedProblems([IgnoreEntry(id_, "seen in print", "i.toml:1", file)], today=TODAY)
    (passed,) = known.watch([problem])
    assert [one.reason for one in passed.accepted] == (["seen in print"] if accepted else [])
    assert (passed.verdict, passed.label) == (problem.verdict, problem.label)
    assert _outcome([passed]) is (Exit.CLEAN if accepted else Exit.PROBLEMS)
    assert [note for note in known.list_notices() if "matches no problem" in note] == (
        [] if accepted else [f"note: i.toml:1: the entry for {id_!r} matches no problem; it can be removed"]
    )


def test_a_fingerprint_accepts_one_problem_and_not_the_other(problem):
    both = replace(problem, findings=(RETRACTED,))
    entry = IgnoreEntry(make_fingerprint(identify_finding(both, RETRACTED)), "known", "i.toml:1")
    (passed,) = AcceptedProblems([entry], today=TODAY).watch([both])
    assert len(passed.accepted) == 1
    assert _outcome([passed]) is Exit.PROBLEMS
    assert _outcome([passed], ["findings"]) is Exit.CLEAN
    assert _outcome([both], ["findings"]) is Exit.PROBLEMS


@pytest.mark.parametrize(
    ("expires", "applies"),
    [(None, True), (date(2026, 11, 16), True), (date(2026, 11, 15), False)],
)
def test_an_entry_applies_until_it_expires(expires, applies, problem):
    known = AcceptedProblems([IgnoreEntry("smith2020", "why", "i.toml:1", "", expires)], today=TODAY)
    (passed,) = known.watch([problem])
    assert bool(passed.accepted) == applies
    notices = list(known.list_notices())
    expected = "warning: i.toml:1: the entry for 'smith2020' expired on 2026-11-15 and no longer applies"
    assert notices == ([] if applies else [expected])


@pytest.mark.parametrize(
    ("name", "fail_on", "code"),
    [
        ("minor", ["minor"], Exit.PROBLEMS),
        ("minor", ["major"], Exit.CLEAN),
        ("not_found", ["minor"], Exit.PROBLEMS),
        ("not_found", ["major"], Exit.PROBLEMS),
        ("not_found", ["unchecked"], Exit.CLEAN),
        ("not_found", [], Exit.CLEAN),
        ("unchecked", ["minor"], Exit.UNCHECKED),  # a run that decided nothing
        ("unchecked", [], Exit.UNCHECKED),
        ("unchecked", ["major", "unchecked"], Exit.UNCHECKED),
    ],
)
def test_what_a_run_fails_on(name, fail_on, code, made_checked):
    assert _outcome([made_checked[name]], fail_on) is code


def _write(checked, path, lost=0):
    writer = BaselineWriter()
    list(writer.watch(checked))
    path.write_bytes(writer.encode_baseline(lost))
    return read_baseline(path)


def test_a_baseline_knows_each_problem_as_often_as_it_was_there(problem, made_checked, tmp_path):
    gone = replace(made_checked["minor"], findings=())
    baseline = _write([problem, made_checked["exact"], gone], tmp_path / "b.json", lost=2)
    assert baseline.lost == 2
    known = AcceptedProblems((), baseline, today=TODAY)
    passed = list(known.watch([problem, made_checked["exact"], problem]))
    assert [[one.by for one in each.accepted] for each in passed] == [["baseline"], [], []]
    assert list(known.list_notices()) == [
        "note: 1 problem of the baseline is gone; --write-baseline writes it anew"
    ]


def test_a_known_problem_that_cannot_be_checked_today_is_not_new(problem, made_checked, tmp_path):
    baseline = _write([problem], tmp_path / "b.json")
    judgement = made_checked["unchecked"].judgement
    (passed,) = AcceptedProblems((), baseline, today=TODAY).watch([replace(problem, judgement=judgement)])
    assert passed.verdict is Verdict.UNCHECKED
    assert _outcome([passed]) is Exit.CLEAN
    back = _write([made_checked["unchecked"]], tmp_path / "c.json")  # the other way it is new
    worse = replace(made_checked["unchecked"], judgement=problem.judgement)
    (passed,) = AcceptedProblems((), back, today=TODAY).watch([worse])
    assert _outcome([passed]) is Exit.PROBLEMS


def test_a_baseline_is_the_same_for_the_same_problems(problem, made_checked, tmp_path):
    some = [problem, made_checked["minor"]]
    _write(some, tmp_path / "a.json")
    _write(reversed(some), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_ignored_problems_are_not_written_to_a_baseline(problem, tmp_path):
    known = AcceptedProblems([IgnoreEntry("smith2020", "why", "i.toml:1")], today=TODAY)
    assert not _write(known.watch([problem]), tmp_path / "b.json").times


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "null", "[" * 100_000, '{"schema": "citeproof/baseline/2", "problems": []}',
        '{"schema": "citeproof/baseline/1"}', '{"schema": "citeproof/baseline/1", "problems": [1]}',
        '{"schema": "citeproof/baseline/1", "problems": [{"fingerprint": 1}]}',
        '{"schema": "citeproof/baseline/1", "problems": [{"fingerprint": "a", "times": -1}]}',
        '{"schema": "citeproof/baseline/1", "problems": [], "lost": "many"}',
    ],
)  # fmt: skip
def test_what_is_no_baseline_is_refused(text, tmp_path):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UsageError, match="not a baseline") as caught:
        read_baseline(tmp_path / "b.json")
    assert "--write-baseline" in caught.value.hint


ENTRY = '[[ignore]]\nid = "a"\nreason = "b"\n'


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("[[ignore]]\nid = 'a'\n", "an entry without reason", 1),
        (f"{ENTRY}\n[[ ignore ]]\nreason = 'a'\n", "an entry without id", 5),
        ("[[ignore]]\nid = 'a'\nreason = '  '\n", "an entry without reason", 1),
        ("[[ignore]]\nid = 1\nreason = 'b'\n", "an entry without id", 1),
        (f"{ENTRY}expires = 'soon'\n", "expires is not a date", 1),
        (f"{ENTRY}until = 2027-01-01\n", "unknown key 'until'", 1),
        (f"{ENTRY}file = 3\n", "file is not a path", 1),
    ],
)
def test_a_wrong_entry_is_told_at_its_line(text, message, line, tmp_path):
    (tmp_path / "i.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_ignore_list(tmp_path / "i.toml")
    assert caught.value.message == message
    assert caught.value.place == f"{tmp_path / 'i.toml'}:{line}"
    assert caught.value.hint


@pytest.mark.parametrize("text", ["ignore = 3", "x = 1", "[ignore]\nid = 'a'\n", "not TOML"])
def test_what_is_no_ignore_list_is_refused(text, tmp_path):
    (tmp_path / "i.toml").write_text(text)
    with pytest.raises(UsageError, match="is not"):
        read_ignore_list(tmp_path / "i.toml")


def test_an_ignore_list_is_read_whole(tmp_path):
    text = f"# why\n{ENTRY}file = './refs.bib'\nexpires = 2027-06-30\n\n{ENTRY}expires = '2027-07-01'\n"
    (tmp_path / "i.toml").write_text(text)
    assert [(one.file, one.expires, one.place[-2:]) for one in read_ignore_list(tmp_path / "i.toml")] == [
        ("refs.bib", date(2027, 6, 30), ":2"),
        ("", date(2027, 7, 1), ":8"),
    ]


def test_the_judgement_identity_does_not_depend_on_the_place(problem):
    moved = replace(
        problem, reference=replace(problem.reference, place=replace(problem.reference.place, line=9))
    )
    assert identify_judgement(moved) == identify_judgement(problem)
