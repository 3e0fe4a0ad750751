"""Relations and titles => what was published about the cited work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.judgement.checks.contested import classify_title, find_contest
from citeproof.vocabulary import Verdict
from tests.judgement.checks.work_cases import make_evidence, make_record

TITLE = "Feeling the future: experimental evidence"


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        (f"Comment on “{TITLE}”", "comment"),
        (f"Comments on the paper: {TITLE}", "comment"),
        (f"Reply to: {TITLE}", "reply"),
        (f"Authors' response to comments on '{TITLE}'", "reply"),
        (f"A failed replication of {TITLE}", "replication_failed"),
        (f"Failure to replicate “{TITLE}”", "replication_failed"),
        (f"A successful replication of {TITLE}", "replicated"),
        (f"A replication of {TITLE}", "replication"),
        (f"[Re] {TITLE}", "replication"),
        (f"[¬Re] {TITLE}", "replication_failed"),
        (f"A reproducibility study of “{TITLE}”", "replication"),
        (TITLE, ""),
        (f"{TITLE}: part two", ""),
        (f"Comment on “{TITLE}” and on three other studies", ""),
        (f"Beyond {TITLE}", ""),
        ("Comment on another work about the future", ""),
        ("Comment on Time", ""),
    ],
)
def test_titles(title, kind):
    assert classify_title(title, TITLE) == kind


def test_a_subject_is_no_title():
    assert (
        classify_title("A Note on Statistical Machine Translation", "Statistical machine translation") == ""
    )
    assert classify_title("Comment on “Statistical Machine Translation”", "Statistical machine translation")


def test_a_short_title_is_part_of_others_by_chance():
    assert classify_title("Comment on Time", "Time") == ""


@pytest.mark.parametrize(
    ("marks", "kind", "told"),
    [
        (
            ("related:comment doi 10.1000/c",),
            "comment",
            "a comment on the work was published (doi 10.1000/c)",
        ),
        (("related:reply_to doi 10.1000/c",), "reply_to", "the work is itself a reply to another"),
        (("related:update pmid 12",), "update", "an update of the work was published (pmid 12)"),
        (
            ("related:reply doi 10.1000/r", "related:comment doi 10.1000/c"),
            "comment",
            "; a reply to the work",
        ),
        (("corrected",), None, ""),
        (("related:review doi 10.1000/r",), None, ""),
    ],
)
def test_relations(marks, kind, told):
    found = find_contest(make_evidence(record=make_record(marks=marks)))
    assert (found.kind if found else None) == kind
    assert not found or (told in found.detail and found.level.value == "note")


def test_a_comment_among_the_candidates():
    other = replace(make_record(f"Comment on “{TITLE}”"), id="10.1000/c", work="v")
    found = find_contest(make_evidence(title=TITLE, record=make_record(TITLE), others=(other,)))
    assert found is not None
    assert found.evidence == (f"crossref: comment: Comment on “{TITLE}” (10.1000/c)",)


def test_another_work_is_not_contested():
    record = make_record(marks=("related:comment doi 10.1000/c",))
    assert find_contest(make_evidence(record=record, verdict=Verdict.MISMATCH)) is None
    assert find_contest(make_evidence()) is None
