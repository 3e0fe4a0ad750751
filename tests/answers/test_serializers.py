"""The shape of what every door prints: the contract's keys and order, the schema, the projection."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from citeproof.answers import serializers
from citeproof.plumbing.json_bytes import DIGITS
from citeproof.vocabulary import (
    Absent,
    Cause,
    Comparison,
    Finding,
    FindingState,
    Found,
    Ids,
    Mismatch,
    Name,
    Outcome,
    Reach,
    Reason,
    Unchecked,
    Verdict,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/spec/report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

CONTRACT = [
    "key", "raw", "type", "location", "claimed", "verdict", "label", "score", "confidence", "band", "matched",
    "mismatches", "findings", "candidates", "provenance", "correction", "explanation",
]  # fmt: skip
CLAIMED = ["title", "authors", "year", "venue", "volume", "issue", "pages", "publisher", "ids"]
PROVENANCE = ["stages_run", "resolved_via", "registries_searched", "unchecked", "llm_screen", "snapshot"]
MADE = ("exact", "minor", "mismatch", "not_found", "unchecked", "hostile")


@pytest.mark.parametrize("name", MADE)
def test_keys_stand_in_the_order_of_the_contract(name, made_checked):
    shape = serializers.build_checked_json(made_checked[name])
    assert list(shape)[: len(CONTRACT)] == CONTRACT
    added = ["reasons", "comparisons", "splices", "origins", "notes", "strict_match", "signs", "fingerprint"]
    assert list(shape)[len(CONTRACT) :] == added
    assert list(shape["claimed"])[: len(CLAIMED)] == CLAIMED
    assert list(shape["provenance"])[: len(PROVENANCE)] == PROVENANCE


def test_report_fits_the_schema(made_run, made_checked):
    report = json.loads(serializers.dumps(serializers.build_report_json(made_run, made_checked.values())))
    assert list(report) == ["schema", "citeproof", "run", "summary", "references", "findings"]
    VALIDATOR.validate(report)


@pytest.mark.parametrize(
    ("key", "value"),
    [("verdict", "fake"), ("score", 11), ("extra", 1), ("label", None), ("matched", {"title": "x"})],
)
def test_schema_refuses_what_is_not_in_it(key, value, made_run, made_checked):
    report = serializers.build_report_json(made_run, [made_checked["exact"]])
    report["references"][0][key] = value
    assert not VALIDATOR.is_valid(report)


def test_schema_refuses_a_score_without_evidence(made_run, made_checked):
    report = serializers.build_report_json(made_run, [made_checked["unchecked"]])
    report["references"][0]["score"] = 0.0
    assert not VALIDATOR.is_valid(report)


def test_schema_itself_is_sound():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema"]["const"] == serializers.SCHEMA


def test_summary_counts_everything(made_run, made_checked):
    summary = serializers.build_report_json(made_run, made_checked.values())["summary"]
    assert summary == {
        "references": 6,
        "verdicts": {"matched": 2, "ambiguous": 0, "mismatch": 1, "not_found": 1, "unchecked": 2},
        "labels": {"EXACT": 1, "NOTED": 0, "MINOR": 1, "MAJOR": 2, "none": 2},
        "problems": 1,
        "expected": 7,
        "extracted": 6,
        "accepted": 0,
        "signs": {
            "any": 2,
            "wrong_identifier": 1,
            "invented_author": 0,
            "chimera": 0,
            "found_nowhere": 1,
            "slips": 1,
        },
    }


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (Name("Turing", "Alan"), {"family": "Turing", "given": "Alan"}),
        (Name("King", "Martin", "Jr."), {"family": "King", "given": "Martin", "suffix": "Jr."}),
        (Name("ATLAS", collective=True), {"family": "ATLAS", "given": "", "literal": "ATLAS"}),
    ],
)
def test_name(name, shape):
    assert serializers.build_name_json(name) == shape


def test_second_identifier_of_a_scheme_is_kept_apart(made_checked):
    claimed = serializers.build_checked_json(made_checked["exact"])["claimed"]
    assert claimed["ids"] == {"doi": "10.18653/v1/n19-1423", "arxiv": "1810.04805"}
    assert claimed["other_ids"] == {"doi": ["10.48550/arxiv.1810.04805"]}


@pytest.mark.parametrize(
    ("lookup", "said"),
    [
        (Found("s", "doi", (), Reach.COVERS), (True, 0, "covers", None)),
        (Absent("s", "doi", Reach.COMPLETE), (True, 0, "complete", None)),
        (Unchecked("s", "doi", Cause.TIMEOUT), (False, 0, None, "timeout")),
    ],
)
def test_lookup(lookup, said):
    shape = serializers.build_lookup_json(lookup)
    assert (shape["ok"], shape["count"], shape["reach"], shape["reason"]) == said


def test_floats_are_rounded(made_checked):
    shape = serializers.build_checked_json(made_checked["exact"])
    assert shape["confidence"] == 0.9877
    assert DIGITS == 4


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1, "a": [1.5, None]}, b'{"b":1,"a":[1.5,null]}'),
        ("é\u202e", '"é\u202e"'.encode()),
        ({"k\ud800": ["\udfff", 1]}, b'{"k?":["?",1]}'),
    ],
)
def test_dumps(value, written):
    assert serializers.dumps(value) == written


# --- the projection ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said", "fields", "searched"),
    [
        ("exact", ("matched", "high"), [], False),
        ("minor", ("matched", "low"), ["first_author", "year"], True),
        ("mismatch", ("mismatch", "low"), ["title"], False),
        ("not_found", ("not_found", "high"), [], True),
        ("unchecked", ("unchecked", None), [], True),
    ],
)
def test_projection(name, said, fields, searched, made_checked):
    answer = serializers.build_verify_json(made_checked[name])
    assert (answer["verdict"], answer["confidence"]) == said
    assert [m["field"] for m in answer["mismatches"]] == fields
    assert ("candidates" in answer) is searched
    assert answer["provenance"] == answer["_provenance"]
    assert answer["citeproof"] == serializers.build_checked_json(made_checked[name])


@pytest.mark.parametrize(
    ("claimed", "resolved", "confidence"),
    [
        ("2021", "2019", "low"),
        ("2017", "2019", "low"),
        ("2020", "2019", "medium"),
        ("2021", "2019, 2020", "medium"),
        ("", "2019", "medium"),
        ("in press", "", "medium"),
    ],
)
def test_wide_gap_of_years_lowers_only_the_confidence(claimed, resolved, confidence, made_checked):
    made = made_checked["minor"]
    year = Mismatch("year", claimed, resolved, 0.0, "off")
    checked = replace(made, judgement=replace(made.judgement, mismatches=(year,)))
    answer = serializers.build_verify_json(checked)
    assert (answer["verdict"], answer["confidence"]) == ("matched", confidence)


def test_strict_compatibility_has_only_the_keys_it_knows(made_checked):
    answer = serializers.build_verify_json(made_checked["minor"], compat=True)
    assert list(answer) == [
        "verdict",
        "confidence",
        "matched",
        "mismatches",
        "candidates",
        "provenance",
        "_provenance",
    ]
    assert list(answer["candidates"][0]) == ["item", "registries", "score"]
    assert list(answer["mismatches"][0]) == ["field", "claimed", "resolved", "similarity"]
    assert answer["_provenance"] == {
        "stages_run": ["compare", "search"],
        "resolved_via": "title",
        "registries_searched": [{"registry": "snapshot:made", "ok": True, "count": 1}],
        "llm_screen": {"applied": False, "reason": "verdict_not_eligible"},
    }


@pytest.mark.parametrize(
    ("mismatch", "told"),
    [
        (Mismatch("doi", "10.1/x", "10.1/y", 0.0, "not_registered"), ("doi", "10.1/x", None)),
        (
            Mismatch("pmid", "12", "Another Work", 0.0, "identifier_of_other_work"),
            ("pmid", "12", "Another Work"),
        ),
        (Mismatch("who_iris", "https://x", "", 0.0, "not_registered"), ("whoIrisUrl", "https://x", None)),
    ],
)
def test_every_wrong_identifier_is_told(mismatch, told, made_checked):
    made = made_checked["exact"]
    checked = replace(made, judgement=replace(made.judgement, mismatches=(mismatch,)))
    answer = serializers.build_verify_json(checked, compat=True)
    assert (answer["verdict"], answer["confidence"]) == ("matched", "medium")
    assert [(m["field"], m["claimed"], m["resolved"]) for m in answer["mismatches"]] == [told]


def test_a_mismatch_names_what_differs_also_where_the_record_is_weak(made_checked):
    made = made_checked["mismatch"]
    judgement = replace(made.judgement, mismatches=(), notes=made.judgement.mismatches)
    answer = serializers.build_verify_json(replace(made, judgement=judgement), compat=True)
    assert [m["field"] for m in answer["mismatches"]] == ["title"]


@pytest.mark.parametrize(
    ("mismatch", "said"),
    [
        (Mismatch("doi", "10.1/x", "", 0.0, Reason.NOT_REGISTERED), "DOI 10.1/x does not exist."),
        (Mismatch("arxiv", "9913.1", "", 0.0, Reason.MALFORMED), "arXiv number 9913.1 is malformed."),
        (
            Mismatch("pmid", "7", "Another", 0.0, Reason.IDENTIFIER_OF_OTHER_WORK),
            "PMID 7 belongs to “Another”, not to this title.",
        ),
        (
            Mismatch("doi", "10.1/x", "10.1/y", 0.0, Reason.OTHER_IDENTIFIER),
            "DOI 10.1/x is wrong; the record has 10.1/y.",
        ),
    ],
)
def test_caveats_tell_of_a_wrong_identifier(mismatch, said, made_checked):
    made = made_checked["exact"]
    checked = replace(made, judgement=replace(made.judgement, mismatches=(mismatch,)))
    assert serializers.list_caveats(checked)[0] == said


def test_caveats_tell_of_another_title_that_is_only_a_note(made_checked):
    made = made_checked["exact"]
    note = Mismatch("title", "Cited", "Recorded", 0.6, Reason.WORD_CHANGED)
    checked = replace(made, judgement=replace(made.judgement, notes=(note,)))
    (told,) = serializers.list_caveats(checked)
    assert "“Recorded”" in told


def test_caveats_tell_of_findings_and_of_what_could_not_be_checked(made_checked):
    found = Finding("retracted", FindingState.FINDING, "the work was retracted", "list")
    assert serializers.list_caveats(replace(made_checked["exact"], findings=(found,))) == [
        "retracted: the work was retracted"
    ]
    unknown = Finding("retracted", FindingState.UNCHECKED, "the list is missing", "list")
    assert serializers.list_caveats(replace(made_checked["exact"], findings=(unknown,))) == [
        "Retractions could not be checked."
    ]
    assert "Could not be checked" in serializers.list_caveats(made_checked["unchecked"])[-1]


def test_ambiguous_names_both_works(made_checked):
    made = made_checked["exact"]
    judgement = replace(made.judgement, verdict=Verdict.AMBIGUOUS, candidates=(made.judgement.matched,))
    assert (
        len(serializers.build_verify_json(replace(made, judgement=judgement), compat=True)["candidates"]) == 1
    )


def test_first_author_is_compared_with_the_first_author(made_checked):
    answer = serializers.build_verify_json(made_checked["minor"])
    assert answer["mismatches"][0]["resolved"] == "Devlin"


def test_could_not_check_is_no_verdict_in_strict_compatibility(made_checked):
    answer = serializers.build_verify_json(made_checked["unchecked"], compat=True)
    assert (answer["verdict"], answer["status"], answer["confidence"]) == (None, "incomplete", None)
    assert answer["_provenance"]["registries_searched"][0]["reason"] == "not_covered"


@pytest.mark.parametrize(
    ("title", "reason"),
    [("ResNet", "no_gateway"), ("A wholly different study of bees in gardens", "verdict_not_eligible")],
)
def test_screen_says_why_it_did_not_run(title, reason, made_checked):
    made = made_checked["mismatch"]
    compared = (
        Comparison("title", Outcome.DIFFERS, Reason.OTHER_TITLE, title, "Deep Residual Learning"),
        Comparison("authors", Outcome.ABSENT, Reason.NOT_CITED),
    )
    matched = replace(made.judgement.matched, comparisons=compared)
    checked = replace(made, judgement=replace(made.judgement, matched=matched))
    answer = serializers.build_verify_json(checked, compat=True, screen=True)
    assert answer["_provenance"]["llm_screen"] == {"applied": False, "reason": reason}
    ours = serializers.build_verify_json(checked, screen=True)["_provenance"]["llm_screen"]
    assert ours.get("code") == ("LLM_SCREEN_FORBIDDEN" if reason == "no_gateway" else None)
    unasked = serializers.build_verify_json(checked)["_provenance"]["llm_screen"]
    assert unasked.get("reason") == (None if reason == "no_gateway" else reason)


def test_ids_keep_their_order():
    ids = Ids((("arxiv", "1"), ("doi", "2")))
    assert list(serializers.references.pick_first_ids(ids)) == ["arxiv", "doi"]


# what steers a terminal or turns text around: C1 controls, marks of direction, separators, nothing to see
HIDDEN = [
    *(chr(code) for code in range(0x7F, 0xA0)), "\u061c", "\u200b", "\u200d", "\u200e", "\u200f", "\u2028",
    "\u2029", *(chr(code) for code in range(0x202A, 0x202F)), "\u2060",
    *(chr(code) for code in range(0x2066, 0x206A)), "\ufeff", "\U000e0041",
]  # fmt: skip


@pytest.mark.parametrize("char", HIDDEN, ids=ascii)
def test_hidden_characters_are_escaped_and_the_value_stays(char):
    value = {f"a{char}é": [f"x{char}y", "ä 漢 😀", 1.5, None]}
    for text in (serializers.dump_pretty(value), serializers.dump_printable(value)):
        assert (char in text, "ä 漢 😀" in text, json.loads(text)) == (False, True, value)
    assert char in serializers.dumps(value).decode()  # bytes that are hashed stay as they are
