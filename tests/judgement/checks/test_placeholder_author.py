"""Cited authors => those that are no people."""

from __future__ import annotations

import pytest

from citeproof.judgement.checks.placeholder_author import find_placeholder
from citeproof.vocabulary import Name, Verdict
from tests.judgement.checks.work_cases import make_evidence, make_names, make_record

PEOPLE = "Ada Lovelace; Charles Babbage"


@pytest.mark.parametrize(
    ("cited", "recorded", "expected"),
    [
        ("Firstname Lastname", "", ["Firstname Lastname"]),
        ("First Author; Second Author", "", ["First Author", "Second Author"]),
        ("A. Author; Ada Lovelace", "", ["A. Author"]),
        ("Vorname Nachname", "", ["Vorname Nachname"]),
        ("Prénom Nom", "", ["Prénom Nom"]),
        ("Lorem Ipsum", "", ["Lorem Ipsum"]),
        ("John Doe", "", ["John Doe"]),
        ("Max Mustermann", "", ["Max Mustermann"]),
        ("John Doe; Jane Smith", "", ["John Doe", "Jane Smith"]),
        ("John Smith; Alice Johnson", "", ["John Smith", "Alice Johnson"]),
        ("John Doe", PEOPLE, ["John Doe"]),
        ("First Author", PEOPLE, ["First Author"]),
        # People do have these names.
        ("John Smith", "", []),
        ("Juan Pérez; Ada Lovelace", "", []),
        ("Jane Doe", "Jane Doe", []),
        ("John Smith; Alice Johnson", "John Smith; Alice Johnson", []),
        ("John Smith; Alice Johnson", PEOPLE, []),  # its difference is told, and that is all that is known
        ("Isabelle Author", "", []),
        ("Kim Last; Jo First", "", []),
        ("Marc Doe", "", []),
        ("Ada Lovelace", "", []),
        # It may be cited as anonymous where it is.
        ("Anonymous", "", []),
        ("Anonymous", "Anonymous", []),
        ("Unknown", "Unknown", []),
    ],
)
def test_names(cited, recorded, expected):
    record = make_record(authors=make_names(recorded)) if recorded else None
    found = find_placeholder(make_evidence(authors=make_names(cited), record=record))
    told = found.evidence if found else ()
    assert [line.removeprefix("cited: ") for line in told if line.startswith("cited: ")] == expected


def test_an_anonymous_citation_of_a_work_by_people_is_a_note():
    record = make_record(authors=make_names(PEOPLE))
    found = find_placeholder(make_evidence(authors=(Name("Anonymous"),), record=record))
    assert found is not None
    assert (found.kind, found.level.value) == ("unnamed", "note")
    assert "Ada Lovelace, Charles Babbage (crossref)" in found.detail


def test_a_group_is_no_person():
    record = make_record(authors=(Name("ACME Ltd", collective=True),))
    assert find_placeholder(make_evidence(authors=(Name("Anonymous"),), record=record)) is None


def test_the_record_of_another_work_confirms_nothing():
    record = make_record(authors=make_names("John Doe"))
    cited = make_evidence(authors=make_names("John Doe"), record=record, verdict=Verdict.MISMATCH)
    assert find_placeholder(cited)
