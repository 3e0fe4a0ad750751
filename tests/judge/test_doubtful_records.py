"""A record with clearly another title stands for a citation only where something else speaks for it."""

from dataclasses import replace

import pytest

from citeproof.vocabulary import Label, Reason, Verdict
from tests.judge.conftest import a_record, a_reference, found, judged

HELD = "Strategic explanations for a diagnostic consultation system"
CITED = "Strategic Explanations in Consultation: Duplicate"
JOURNAL = "International Journal of Man-Machine Studies"


def make_listed_record(title=HELD, authors="D. W. Hasling and W. J. Clancey and G. Rennels", year=1984):
    return replace(a_record(title, authors, year, JOURNAL), marks=("list:jgrey",))


@pytest.mark.parametrize("authors", ["Hasling and others", "Diane W. Hasling and others"])
def test_a_poor_record_with_another_title_is_no_match(authors):
    j = judged(a_reference(CITED, authors, 1983, f"The {JOURNAL}"), found(make_listed_record()))
    assert (j.verdict, j.label, j.reasons) == (Verdict.UNCHECKED, None, (Reason.NEAR_VARIANT,))
    assert j.candidates[0].weak  # it is still shown


def test_words_left_out_are_allowed_where_all_else_agrees():
    title = "Survey article: inter-coder agreement for computational linguistics"
    record = make_listed_record(title, "Ron Artstein and Massimo Poesio", 2008)
    wanted = a_reference(title.partition(": ")[2], "Ron Artstein and Massimo Poesio", 2008, JOURNAL)
    assert judged(wanted, found(record)).label is Label.EXACT


def test_an_identifier_speaks_for_a_poor_record():
    doi = ("doi", "10.1016/s0020-7373(84)80003-6")
    record = replace(make_listed_record(), ids=a_record(ids=(doi,)).ids)
    wanted = a_reference(CITED, "Hasling and others", 1983, f"The {JOURNAL}", ids=(doi,))
    assert judged(wanted, found(record, by="doi")).verdict is Verdict.MATCHED
