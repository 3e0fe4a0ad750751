"""The line of a reference held against its case: what the recorder writes follows from it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from citeproof.proof.audit import case as cases
from citeproof.proof.audit.canonical_json import encode_canonical
from citeproof.proof.audit.events import make_events
from citeproof.proof.replay.logged_verdict import compare_line, make_expected_events, pack_line
from citeproof.vocabulary import Absent, Exchange, Finding, FindingState, Name, Reach, Retrieval

pytestmark = pytest.mark.slow


COMMON = {"v": 1, "run": "h_1", "ref": 3, "stage": "check", "case": "ab" * 32}


def lines_of(checked, **options):
    """Return the lines about a reference as they come back out of a log."""
    events = make_events(checked, 3, "check", "ab" * 32, **options)
    return [msgspec.json.decode(encode_canonical({"v": 1, "run": "h_1"} | event)) for event in events]


def line_of(checked, **options):
    return next(line for line in lines_of(checked, **options) if "verdict" in line)


def find_contradictions(line, case, others=()):
    """Return how the verdict and the lines next to it contradict the case."""
    said, judge = msgspec.json.decode(pack_line(line)), line["model"]
    made = make_expected_events(case, said, COMMON, judge)
    [verdict] = [event for event in made if "verdict" in event]
    beside = zip(others, (event for event in made if "verdict" not in event), strict=bool(others))
    told = [*compare_line(pack_line(line), verdict, "the case")]
    return told + [
        why for other, event in beside for why in compare_line(pack_line(other), event, "the case")
    ]


@pytest.mark.parametrize("clear", [False, True])
def test_what_the_recorder_writes_follows_from_its_case(made_checked, clear):
    for checked in made_checked.values():
        case = cases.decode_case(cases.encode_case(checked))
        others = [line for line in lines_of(checked) if "verdict" not in line]
        assert find_contradictions(line_of(checked, clear=clear), case, others) == []


@pytest.mark.parametrize("title", ["lone \ud800 surrogate", "really?", "x" * 5000, "\x1b[31m", ""])
def test_whatever_a_title_holds_follows_too(made_checked, title):
    checked = made_checked["exact"]
    claimed = replace(checked.reference.claimed, title=title)
    checked = replace(checked, reference=replace(checked.reference, claimed=claimed))
    assert list(find_contradictions(line_of(checked), cases.decode_case(cases.encode_case(checked)))) == []


def test_an_event_that_was_cut_follows_too(made_checked):
    checked = made_checked["exact"]
    people = tuple(Name("\x01" * 290) for _ in range(60))
    claimed = replace(checked.reference.claimed, title="\x01" * 3000, authors=people)
    checked = replace(checked, reference=replace(checked.reference, claimed=claimed, raw="\x01" * 4000))
    line = line_of(checked, clear=True)
    assert line["cut"]
    assert list(find_contradictions(line, cases.decode_case(cases.encode_case(checked)))) == []


def test_a_line_is_kept_small_and_every_hash_still_counts(made_checked):
    checked = made_checked["exact"]
    exchange = Exchange(asked="GET https://example.org/")
    heard = tuple(replace(exchange, sha256=f"{number:064x}") for number in range(200))
    checked = replace(checked, retrieved=Retrieval((Absent("crossref", "title", heard=heard),)))
    line, case = line_of(checked), cases.decode_case(cases.encode_case(checked))
    assert len(pack_line(line)) < 2000
    assert find_contradictions(line, case) == []
    line["evidence"][150] = "f" * 64
    (told,) = find_contradictions(line, case)
    assert told.startswith('the log says evidence ["000')


def test_lines_beside_the_verdict_follow_as_they_were_written(made_checked):
    gone = [Absent("crossref", "doi", Reach.COMPLETE, f"10.1234/{n}") for n in range(3)]
    findings = (
        Finding("retracted", FindingState.FINDING, "since\ud800 " + "x" * 500, "crossref"),
        Finding("future_date", FindingState.CLEAR),
    )
    checked = replace(made_checked["exact"], retrieved=Retrieval(tuple(gone)), findings=findings)
    lines = [line for line in lines_of(checked) if "verdict" not in line]
    assert [line["ev"] for line in lines] == ["crossref_miss"] * 3 + ["retracted"]
    line, case = line_of(checked), cases.decode_case(cases.encode_case(checked))
    assert find_contradictions(line, case, lines) == []
    for at, one in enumerate(lines):
        altered = [*lines[:at], one | {"source": "another"}, *lines[at + 1 :]]
        (told,) = find_contradictions(line, case, altered)
        assert told.startswith('the log says source "another"')


def judged_otherwise(case, **fields):
    """Return a case whose judgement has other fields, as another version may write it."""
    judgement, *rest = msgspec.json.decode(bytes(case.judged))
    judged = msgspec.Raw(msgspec.json.encode([judgement | fields, *rest]))
    return msgspec.structs.replace(case, judged=judged)


def test_a_case_of_another_version_is_read_as_far_as_it_goes(made_checked):
    checked = made_checked["exact"]
    case = judged_otherwise(cases.decode_case(cases.encode_case(checked)), matched={"id": "x"}, more=[1])
    line = line_of(checked)
    assert list(find_contradictions(line, case)) == []
    (told,) = find_contradictions(line | {"ev": "not_found"}, case)
    assert told == 'the log says ev "not_found", and the case "verified"'


@pytest.mark.parametrize("fields", [{"verdict": "sure"}, {"mismatches": 3}, {"score": "x"}])
def test_what_is_no_judgement_is_an_error_that_replay_knows(made_checked, fields):
    checked = made_checked["exact"]
    case = judged_otherwise(cases.decode_case(cases.encode_case(checked)), **fields)
    with pytest.raises(msgspec.ValidationError):
        list(find_contradictions(line_of(checked), case))
