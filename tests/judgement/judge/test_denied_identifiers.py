"""Identifiers that do not exist: always told, and evidence against a work that no source has."""

from dataclasses import replace

import msgspec
import pytest

from citeproof.judgement.compare import compare
from citeproof.judgement.judge import judge
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.absence import find_denied_identifiers
from citeproof.vocabulary import Absent, Cause, Kind, Label, Outcome, Reach, Retrieval, Unchecked, Verdict

from .conftest import TODAY, a_record, a_reference, found, judged

FAKE = ("doi", "10.1234/fake")
DENIED = Absent("doi", "doi", Reach.COMPLETE, "10.1234/fake")
NOWHERE = (Absent("crossref", "title", Reach.PARTIAL), Absent("openalex", "title", Reach.PARTIAL))
DOWN = Unchecked("crossref", "title", Cause.TIMEOUT)
SAID = "DOI 10.1234/fake does not exist (doi.org: 404)"


def cited(kind, **more):
    return replace(a_reference(ids=(FAKE,)), kind=kind, **more)


@pytest.mark.parametrize("kind", list(Kind))
def test_denied_with_a_title_that_nobody_has_is_not_found_whatever_the_type(kind):
    j = judged(cited(kind), DENIED, *NOWHERE)
    assert (j.verdict, j.label) == (Verdict.NOT_FOUND, Label.MAJOR)
    assert j.explanation == f"Not found in any source that answered (asked: crossref, openalex). {SAID}."
    assert [(m.field, m.claimed, m.reason) for m in j.mismatches] == [(*FAKE, "not_registered")]


@pytest.mark.parametrize(
    ("lookups", "why"),
    [
        ((DENIED,), "no search was answered"),
        ((DENIED, DOWN), "the only search was not answered"),
        ((DENIED, DOWN, NOWHERE[1]), "one source alone"),
        ((DENIED, *NOWHERE, Unchecked("pubmed", "pmid", Cause.TIMEOUT, reach=Reach.COMPLETE)), "open id"),
    ],
)
def test_denied_is_told_though_it_decides_nothing_alone(lookups, why):
    j = judged(cited(Kind.UNKNOWN), *lookups)
    assert (j.verdict, j.label) == (Verdict.UNCHECKED, None), why
    assert SAID in j.explanation


def test_denied_beside_a_real_work_is_told_with_what_the_record_has():
    j = judged(cited(Kind.ARTICLE), DENIED, found(a_record(ids=(("doi", "10.1109/cvpr.2016.90"),))))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.MINOR)
    assert j.explanation.endswith(f"{SAID}; the record has 10.1109/cvpr.2016.90.")


def test_denied_never_passes_whatever_the_weights_say():
    weightless = msgspec.structs.replace(models.load_model(), weights={})
    wanted, lookups = cited(Kind.ARTICLE), (DENIED, found(a_record()))
    retrieved = Retrieval(lookups, (), None)
    assert judge(wanted, retrieved, compare(wanted, retrieved, TODAY), weightless).label is Label.MINOR


ARXIV = ("arxiv", "1512.03385")


@pytest.mark.parametrize(
    ("source", "known", "label"),
    [
        ("snapshot:s", (), Label.EXACT),  # it holds the work, not every preprint of it
        ("snapshot:s", (("arxiv", "1512.04444"),), Label.MINOR),
        ("arxiv", (), Label.MINOR),
    ],
)
def test_a_snapshot_that_lacks_a_preprints_number_denies_it_only_next_to_another_one(source, known, label):
    denied = Absent(source, "arxiv", Reach.COMPLETE, ARXIV[1])
    j = judged(a_reference(ids=(ARXIV,)), denied, found(a_record(ids=known), reach=Reach.COMPLETE))
    assert (j.verdict, j.label) == (Verdict.MATCHED, label)


def test_a_journal_that_does_not_exist_is_told():
    wanted = a_reference(ids=(("issn", "5719-8241"),))
    j = judged(wanted, Absent("issn", "issn", Reach.COMPLETE, "5719-8241"), found(a_record()))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.MINOR)
    assert "ISSN 5719-8241 does not exist (ISSN Portal)." in j.explanation


ISBN, OWN_ISBN = ("isbn", "9783822559697"), ("isbn", "9780262035613")
NO_BOOK = tuple(Absent(name, "isbn", Reach.PARTIAL, ISBN[1]) for name in ("open_library", "k10plus"))


@pytest.mark.parametrize(
    ("record", "label"),
    [
        (replace(a_record(ids=(OWN_ISBN,)), kind=Kind.BOOK), Label.MINOR),
        (replace(a_record(), kind=Kind.BOOK), Label.EXACT),  # it may be an edition that catalogues lack
        (a_record(ids=(OWN_ISBN,)), Label.EXACT),  # a paper is cited with the ISBN of its volume
    ],
)
def test_an_isbn_in_no_catalogue_counts_only_against_a_book_with_others(record, label):
    j = judged(a_reference(ids=(ISBN,)), *NO_BOOK, found(record))
    assert j.label is label
    assert ("ISBN 9783822559697 does not exist (Open Library, K10plus)" in j.explanation) == (
        label is Label.MINOR
    )


def test_one_catalogue_denies_no_isbn():
    assert find_denied_identifiers(a_reference(ids=(ISBN,)), NO_BOOK[:1]) == ()


def test_a_malformed_arxiv_number_is_told_and_counts():
    raw = "Farnsworth, 2016, Temporal Dynamics. https://arxiv.org/pdf/astro-ph/1602.8745.pdf"
    j = judged(replace(a_reference(), raw=raw), *NOWHERE)
    assert (j.verdict, j.label) == (Verdict.NOT_FOUND, Label.MAJOR)
    assert "arXiv number astro-ph/1602.8745 is malformed." in j.explanation


def test_a_wrong_check_digit_is_told_and_convicts_nobody():
    j = judged(replace(a_reference(), raw="He et al. ISBN 978-0-262-03561-4", kind=Kind.UNKNOWN), *NOWHERE)
    assert j.verdict is Verdict.UNCHECKED
    assert "ISBN 978-0-262-03561-4 is malformed." in j.explanation


def test_a_snapshot_denies_no_journal():
    wanted = a_reference(ids=(("issn", "5719-8241"),))
    assert (
        find_denied_identifiers(wanted, [Absent("snapshot:all", "issn", Reach.COMPLETE, "5719-8241")]) == ()
    )


def test_what_differs_is_not_said_twice():
    j = judged(cited(Kind.ARTICLE), DENIED, found(a_record(ids=(("doi", "10.1109/cvpr.2016.90"),))))
    assert [m.reason for m in j.mismatches] == ["not_registered"]
    assert j.matched.of("doi").outcome is Outcome.DIFFERS


def test_a_bibcode_that_nobody_could_check_is_told():
    why = "set CITEPROOF_ADS_KEY to ask NASA ADS"
    asked = Unchecked("ads", "ads", Cause.NEEDS_KEY, why, Reach.COMPLETE)
    j = judged(a_reference(ids=(("ads", "2016PhRvL.116f1102A"),)), asked, found(a_record()))
    assert (j.verdict, j.label) == (Verdict.MATCHED, Label.EXACT)
    assert j.explanation.endswith(f"ADS bibcode 2016PhRvL.116f1102A could not be checked ({why}).")


@pytest.mark.parametrize(
    ("cited", "denied", "verdict"),
    [
        ("10.1109/cvpr.2016.91", True, (Verdict.MATCHED, Label.MINOR)),  # a slip, and nobody else's
        ("10.1109/cvpr.2016.91", False, (Verdict.UNCHECKED, None)),  # it may be another work's
        ("10.1234/fake", True, (Verdict.NOT_FOUND, Label.MAJOR)),
    ],
)
def test_a_slip_that_led_nowhere_is_no_invention(cited, denied, verdict):
    title = "Deep Residual Learning for Picture Recognition"
    wanted = a_reference(title, "Jane Roe and Richard Miles", year=2013, ids=(("doi", cited),))
    record = a_record(ids=(("doi", "10.1109/cvpr.2016.90"),))
    asked = (Absent("doi", "doi", Reach.COMPLETE, cited),) if denied else ()
    j = judged(wanted, *asked, found(record), *NOWHERE)
    assert (j.verdict, j.label) == verdict
