"""`not_found` only if the sources that it needs have answered; and its words say no more than that."""

import re
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeproof.vocabulary import Absent, Cause, Found, Ids, Reach, Reason, Unchecked, Verdict

from .conftest import a_record, a_reference, judged

DOI = ("doi", "10.1109/cvpr.2016.90")
SNAPSHOT, CROSSREF, OPENALEX, DBLP = "snapshot:works", "crossref", "openalex", "dblp"
SEARCHES = ("title", "raw")
OTHER = a_record("Cooking with Gas in Small Kitchens", "Anna Berg", source=CROSSREF)
COVERED = "covers this kind of work"


def absent(source, by="title", reach=Reach.COVERS):
    return Absent(source, by, reach, value=DOI[1] if by == "doi" else "")


def silent(source, cause=Cause.TIMEOUT, by="title", reach=Reach.COVERS):
    return Unchecked(source, by, cause, reach=reach)


@st.composite
def make_lookups(draw):
    """Any set of answers and failures, with one lookup for each source and question."""
    asked = draw(
        st.lists(
            st.sampled_from([*product((SNAPSHOT, CROSSREF, OPENALEX, DBLP), SEARCHES), ("doi", "doi")]),
            max_size=7,
            unique=True,
        )
    )
    found = []
    for source, by in asked:
        reach = Reach.COMPLETE if by == "doi" else draw(st.sampled_from(list(Reach)))
        match draw(st.sampled_from(("absent", "unchecked", "found"))):
            case "absent":
                found.append(absent(source, by, reach))
            case "unchecked":
                found.append(silent(source, draw(st.sampled_from(list(Cause))), by, reach))
            case _:
                records = () if by == "doi" else (OTHER,)
                found.append(
                    Found(source, by, records, reach, note="it is registered" if by == "doi" else "")
                )
    return found


def has_answers_it_needs(lookups):
    """The rule of the contract, written a second time."""
    searches = [x for x in lookups if x.by in SEARCHES]
    answered = [x for x in searches if not isinstance(x, Unchecked)]
    required = [x for x in searches if isinstance(x, Unchecked) and x.reach is not Reach.PARTIAL]
    authority = [x for x in lookups if x.by == "doi"]
    if any(not isinstance(x, Absent) for x in authority):
        return False  # the identifier's own registry did not answer, or knows it
    if authority and len({x.source for x in answered}) >= 2:
        return True
    if any(x.reach is Reach.COMPLETE for x in answered):
        return True
    return not required and len({x.source for x in answered if x.reach is Reach.COVERS}) >= 2


@settings(max_examples=600)
@given(lookups=make_lookups(), cites_doi=st.booleans())
def test_not_found_needs_answers_and_never_speaks_for_a_source_that_gave_none(lookups, cites_doi):
    if not cites_doi:
        lookups = [x for x in lookups if x.by != "doi"]
    j = judged(a_reference(ids=(DOI,) if cites_doi else ()), *lookups)
    assert j.verdict in (Verdict.NOT_FOUND, Verdict.UNCHECKED)
    answered = {x.source for x in lookups if not isinstance(x, Unchecked) and x.by in SEARCHES}
    failed = {
        x.source for x in lookups if isinstance(x, Unchecked) and x.by in SEARCHES and x.cause.was_asked
    }
    for text in (j.explanation, j.summary or ""):
        if j.verdict is Verdict.UNCHECKED:
            assert "Not found" not in text
        elif failed - answered:
            assert COVERED not in text
    if j.verdict is Verdict.NOT_FOUND:
        assert has_answers_it_needs(lookups)
        named = re.search(r"\(asked: ([^;)]*)(?:; no answer: ([^)]*))?\)", j.explanation)
        assert set(named[1].split(", ")) <= answered
        assert failed - answered <= set((named[2] or "").split(", "))


@pytest.mark.parametrize(
    ("lookups", "told"),
    [
        (
            [absent(CROSSREF), absent(OPENALEX)],
            "Not found in any source that covers this kind of work (asked: crossref, openalex).",
        ),
        (
            [absent(SNAPSHOT, reach=Reach.COMPLETE), silent(CROSSREF), silent(OPENALEX, Cause.RATE_LIMITED)],
            "Not found in any source that answered (asked: snapshot:works; no answer: crossref, openalex).",
        ),
        (
            [absent(CROSSREF), absent(OPENALEX), silent(DBLP, reach=Reach.PARTIAL)],
            "Not found in any source that answered (asked: crossref, openalex; no answer: dblp).",
        ),
        (
            [absent(CROSSREF), absent(OPENALEX), silent(DBLP, Cause.NEEDS_KEY, reach=Reach.PARTIAL)],
            "Not found in any source that covers this kind of work (asked: crossref, openalex).",
        ),
    ],
)
def test_the_words_name_who_answered_and_who_did_not(lookups, told):
    j = judged(a_reference(), *lookups)
    assert (j.verdict, j.explanation) == (Verdict.NOT_FOUND, told)
    assert j.summary == f"{told.partition(' (')[0]}."


@pytest.mark.parametrize(
    ("lookups", "verdict", "told"),
    [
        ([Absent("doi", "doi", Reach.COMPLETE, DOI[1])], Verdict.NOT_FOUND, "(asked: doi)"),
        ([], Verdict.UNCHECKED, "no source was asked"),
    ],
)
def test_an_identifier_alone_is_not_found_only_if_its_registry_said_so(lookups, verdict, told):
    wanted = a_reference(None, "", None, None, ids=Ids((DOI,)).pairs)
    j = judged(wanted, *lookups)
    assert j.verdict is verdict
    assert told in j.explanation


def test_a_malformed_number_alone_is_no_answer():
    wanted = replace(a_reference(None, "", None, None), raw="arXiv:2103.123")
    assert judged(wanted).verdict is Verdict.UNCHECKED


LIST, OTHER_LIST = absent(SNAPSHOT), absent("snapshot:another")


@pytest.mark.parametrize(
    ("lookups", "verdict", "reason"),
    [
        ([LIST], Verdict.UNCHECKED, Reason.NOT_IN_PROCEEDINGS),
        ([LIST, OTHER_LIST], Verdict.UNCHECKED, Reason.NOT_IN_PROCEEDINGS),  # lists are one witness
        (
            [LIST, absent("snapshot:another", reach=Reach.COMPLETE)],
            Verdict.NOT_FOUND,
            Reason.NO_SOURCE_HAS_IT,
        ),
        ([LIST, absent(DBLP)], Verdict.NOT_FOUND, Reason.NO_SOURCE_HAS_IT),
        ([LIST, absent(DBLP, reach=Reach.PARTIAL)], Verdict.UNCHECKED, Reason.NOT_IN_PROCEEDINGS),
        ([LIST, silent(DBLP)], Verdict.UNCHECKED, Reason.TOO_FEW_ANSWERS),  # ask it again
        ([LIST, silent("doi", by="doi", reach=Reach.COMPLETE)], Verdict.UNCHECKED, Reason.TOO_FEW_ANSWERS),
        ([absent(DBLP)], Verdict.UNCHECKED, Reason.TOO_FEW_ANSWERS),
    ],
)
def test_a_list_of_proceedings_convicts_only_with_a_registry(lookups, verdict, reason):
    judgement = judged(a_reference(venue="NIPS", year=2017), *lookups)
    assert (judgement.verdict, judgement.reasons) == (verdict, (reason,))
    words = "not among the papers of NIPS 2017: a workshop paper, or invented"
    assert (words in judgement.explanation) is (reason is Reason.NOT_IN_PROCEEDINGS)
