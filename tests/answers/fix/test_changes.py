"""Corrections: only from a full match, only what differs or is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.answers.fix import correct, upgrade
from citeproof.answers.fix.formats.base import WantedChange
from citeproof.vocabulary import (
    Band,
    Change,
    Claimed,
    Compared,
    Comparison,
    Ids,
    Judgement,
    Kind,
    Label,
    Mismatch,
    Name,
    Outcome,
    Record,
    Reference,
    Verdict,
    Version,
)

RECORD = Record(
    "crossref",
    "10.1038/nature14539",
    ("Deep learning",),
    (Name("LeCun", "Yann"), Name("Bengio", "Yoshua"), Name("Hinton", "Geoffrey")),
    versions=(Version(2015, "Nature", Kind.ARTICLE, "521", "7553", "436-444"),),
    ids=Ids((("doi", "10.1038/nature14539"),)),
)
RIGHT = Claimed(
    "Deep learning", RECORD.authors, year=2015, venue="Nature", volume="521", issue="7553", pages="436-444",
    ids=RECORD.ids,
)  # fmt: skip


def _judged(
    claimed: Claimed, wrong: dict[str, tuple[str, str]], verdict=Verdict.MATCHED, weak=False, *,
    record=RECORD, others=(), alike=0.8, label=Label.MINOR, venue=None, more=(),
):  # fmt: skip
    outcome = venue or (Outcome.DIFFERS if "venue" in wrong else Outcome.SAME)
    place = Comparison("venue", outcome, "", claimed.venue or "", "Nature")
    title = Comparison("title", Outcome.DIFFERS if "title" in wrong else Outcome.SAME, "", "", "", 0.8)
    year = Comparison("year", Outcome.DIFFERS if "year" in wrong else Outcome.SAME, "", "", "")
    matched = Compared(record, (place, title, year, *more), ("doi",), ("crossref",), weak=weak)
    rivals = tuple(
        Compared(other, (place, replace(title, similarity=alike, resolved=other.title)), ("title",), ())
        for other in others
    )
    rows = tuple(Mismatch(field, a, b, 0.5, "differs") for field, (a, b) in wrong.items())
    judgement = Judgement(verdict, label, 6.0, 0.9, Band.HIGH, (), "", matched, rows, (matched, *rivals))
    return correct(Reference("k", "raw", Kind.ARTICLE, claimed), judgement)


CASES = (
    ("pages", replace(RIGHT, pages="1-2"), {"pages": ("1-2", "436-444")},
     [("pages", "1-2", "436-444", True)]),
    ("title", replace(RIGHT, title="Deep earning"), {"title": ("Deep earning", "Deep learning")},
     [("title", "Deep earning", "Deep learning", False)]),
    ("year", replace(RIGHT, year=2016), {"year": ("2016", "2015")}, [("year", "2016", "2015", False)]),
    ("no doi", replace(RIGHT, ids=Ids()), {}, [("doi", "", "10.1038/nature14539", True)]),
    ("no doi, other year", replace(RIGHT, ids=Ids(), year=2016), {"year": ("2016", "2015")},
     [("year", "2016", "2015", False), ("doi", "", "10.1038/nature14539", False)]),
    ("wrong doi", replace(RIGHT, ids=Ids((("doi", "10.1000/other"),))), {"doi": ("10.1000/other", "x")},
     [("doi", "10.1000/other", "10.1038/nature14539", False)]),
    ("dead arxiv id", replace(RIGHT, ids=Ids((*RECORD.ids.pairs, ("arxiv", "9999.99999")))),
     {"arxiv": ("9999.99999", "")}, [("arxiv", "9999.99999", "", False)]),
    ("missing volume", replace(RIGHT, volume=None), {}, [("volume", "", "521", True)]),
    ("invented author", replace(RIGHT, authors=(Name("LeCun", "Y."), Name("Nobody", "N."))),
     {"authors": ("a", "b")},
     [("authors", "Y. LeCun; N. Nobody", "Yann LeCun; Yoshua Bengio; Geoffrey Hinton", False)]),
)  # fmt: skip


@pytest.mark.parametrize(("claimed", "wrong", "changes"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_changes(claimed, wrong, changes):
    correction = _judged(claimed, wrong)
    assert [(c.field, c.claimed, c.resolved, c.safe) for c in correction.changes] == changes
    fixed = correction.claimed
    assert (fixed.title, fixed.year, fixed.pages, fixed.volume, fixed.ids.first("doi")) == (
        "Deep learning", 2015, "436-444", "521", "10.1038/nature14539",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "added"),
    [
        ("10.1101/gr.078212.108", True),  # Genome Research: the press that began bioRxiv has journals as well
        ("10.1101/cshperspect.a001057", True),
        ("10.1101/2020.03.22.002386", False),
        ("10.1101/060012", False),
        ("10.64898/2025.12.01.123456", False),
        ("10.48550/arxiv.1502.00001", False),
        ("10.2139/ssrn.2147000", False),
    ],
)
def test_a_published_work_gets_no_doi_of_a_preprint(value, added):
    record = replace(RECORD, ids=Ids((("doi", value),)))
    correction = _judged(replace(RIGHT, ids=Ids()), {}, record=record)
    assert [(c.field, c.resolved) for c in (correction.changes if correction else ())] == (
        [("doi", value)] if added else []
    )


def test_nothing_to_change_is_no_correction():
    assert _judged(RIGHT, {}) is None


@pytest.mark.parametrize("verdict", [Verdict.MISMATCH, Verdict.NOT_FOUND, Verdict.UNCHECKED])
def test_no_correction_without_a_match(verdict):
    assert _judged(replace(RIGHT, year=1999), {"year": ("1999", "2015")}, verdict) is None


def test_no_correction_from_a_weak_candidate():
    assert _judged(replace(RIGHT, year=1999), {"year": ("1999", "2015")}, weak=True) is None


def test_another_venue_brings_its_own_locators():
    claimed = replace(RIGHT, venue="Nature Methods", volume="7", issue=None, pages="1-9")
    correction = _judged(claimed, {"venue": ("Nature Methods", "Nature")})
    fixed = correction.claimed
    assert (fixed.venue, fixed.volume, fixed.issue, fixed.pages) == ("Nature", "521", "7553", "436-444")
    assert not any(change.safe for change in correction.changes)


def test_another_venue_brings_its_own_year():
    claimed = replace(RIGHT, venue="Nature Methods", year=2014)
    changes = _judged(claimed, {"venue": ("Nature Methods", "Nature")}).changes
    assert [(c.field, c.resolved) for c in changes] == [("year", "2015"), ("venue", "Nature")]


def test_locators_of_two_venues_are_not_mixed():
    both = (Version(2015, "Nature", Kind.ARTICLE), Version(2016, "Science", Kind.ARTICLE, "7", "1", "1-9"))
    claimed = replace(RIGHT, venue="Cell", year=2010)
    wrong = {"venue": ("Cell", "Nature"), "year": ("2010", "2015")}
    fixed = _judged(claimed, wrong, record=replace(RECORD, versions=both)).claimed
    assert (fixed.venue, fixed.year, fixed.volume, fixed.pages) == ("Nature", 2015, None, None)


@pytest.mark.parametrize(
    ("ids", "fixed", "along"),
    [
        ((("doi", "10.48550/arxiv.1502.00001"), ("arxiv", "1502.00001")), (), True),
        ((("doi", "10.1000/x"), ("arxiv", "1502.00001")), (), False),
        ((("doi", "10.48550/arxiv.1502.00001"), ("arxiv", "1502.00002")), (), False),
    ],
    ids=["implied", "another DOI", "another number"],
)
def test_an_arxiv_number_goes_with_its_doi(ids, fixed, along):
    change = Change("arxiv", ids[1][1], "", safe=False)
    assert WantedChange(change, Claimed(ids=Ids(ids)), Claimed(ids=Ids(fixed)), RECORD).is_implied() is along


def test_a_cited_preprint_gets_no_doi_of_the_published_work():
    claimed = replace(RIGHT, venue="arXiv", ids=Ids((("arxiv", "1502.00001"),)), volume=None, issue=None)
    assert "doi" not in [c.field for c in _judged(claimed, {"venue": ("arXiv", "Nature")}).changes]


@pytest.mark.parametrize(("venue", "filled"), [("arXiv preprint arXiv:1502.00001", False), ("Nature", True)])
def test_a_cited_preprint_gets_no_pages_of_the_published_work(venue, filled):
    claimed = replace(RIGHT, venue=venue, volume=None, issue=None, pages=None, ids=Ids())
    correction = _judged(claimed, {}, label=Label.EXACT, venue=Outcome.VARIANT)
    changed = {c.field for c in correction.changes} if correction else set()
    assert ("pages" in changed, "volume" in changed) == (filled, filled)


def test_no_doi_of_the_preprint_for_a_published_work():
    record = replace(RECORD, ids=Ids((("doi", "10.48550/arxiv.1502.00001"),)))
    assert _judged(replace(RIGHT, ids=Ids()), {}, record=record) is None


EDITORIAL = replace(RECORD, id="e1", titles=("Editorial",), ids=Ids())
ANOTHER = replace(EDITORIAL, id="e2", versions=(Version(1999, "Nature", Kind.ARTICLE, "400", "1", "1-2"),))


@pytest.mark.parametrize(
    ("claimed", "changed"),
    [
        ({"pages": "7-8"}, [("pages", "436-444")]),  # volume, issue and year tell which one it is
        ({"year": 1980, "volume": "9", "issue": "2", "pages": "7-8"}, None),
        ({"year": 1999, "volume": "400", "issue": "1", "pages": "7-8"}, None),  # the other one is meant
    ],
    ids=["one locator wrong", "nothing agrees", "the other agrees"],
)
def test_one_of_several_works_of_one_title(claimed, changed):
    cited = replace(RIGHT, title="Editorial", ids=Ids(), **claimed)
    wrong = {name: (str(value), "x") for name, value in claimed.items()}
    correction = _judged(cited, wrong, record=EDITORIAL, others=(ANOTHER,))
    assert (correction and [(c.field, c.resolved) for c in correction.changes]) == changed


def test_what_another_record_has_is_no_mistake():
    other = replace(
        RECORD,
        id="o",
        work="",
        ids=Ids(),
        versions=(Version(2015, "Nature", Kind.ARTICLE, "521", "7553", "1-2"),),
    )
    wrong = {"pages": ("1-2", "436-444")}
    assert _judged(replace(RIGHT, pages="1-2"), wrong, others=(other,)) is None
    assert (
        _judged(replace(RIGHT, pages="1-3"), {"pages": ("1-3", "436-444")}, others=(other,)) is None
    )  # which?
    assert _judged(replace(RIGHT, pages="1-2"), wrong) is not None


def test_a_title_comes_from_the_record_that_is_nearest():
    apart = replace(RECORD, id="o", work="w", titles=("Deep learning of nets",), ids=Ids())
    cited = replace(RIGHT, title="Deep leaning of nets")
    wrong = {"title": ("Deep leaning of nets", "Deep learning")}
    record = replace(RECORD, work="w")
    correction = _judged(cited, wrong, record=record, others=(apart,), alike=0.95)
    assert correction.claimed.title == "Deep learning of nets"


REPORT = "Deep drilling of the western margin, report {}"


@pytest.mark.parametrize("work", ["", "w"])
def test_a_numbered_sibling_lends_neither_title_nor_locators(work):
    own = replace(RECORD, work=work, titles=(REPORT.format(2),))
    twin = replace(own, id="t", titles=(REPORT.format(3),), versions=(Version(2016, "Nature", pages="1-2"),))
    cited = replace(RIGHT, title=REPORT.format(13), pages="1-2")
    wrong = {"title": (REPORT.format(13), REPORT.format(2)), "pages": ("1-2", "436-444")}
    led = Comparison("doi", Outcome.SAME, "", "", "")
    correction = _judged(cited, wrong, record=own, others=(twin,), alike=0.95, more=(led,))
    assert [(c.field, c.resolved) for c in correction.changes] == [
        ("title", REPORT.format(2)),
        ("pages", "436-444"),  # the twin's pages do not vouch for the citation
    ]
    assert {correction.get_record(c.field).id for c in correction.changes} == {own.id}


def test_a_change_names_the_record_that_has_this_very_value():
    bare = replace(RECORD, work="w", versions=(Version(2015, "Nature"),))
    other = replace(RECORD, id="k", work="w", titles=("Deep learning of nets",), ids=Ids())
    cited = replace(RIGHT, title="Deep leaning of nets", volume=None, issue=None, pages=None, ids=Ids())
    wrong = {"title": ("Deep leaning of nets", "Deep learning")}
    led = Comparison("doi", Outcome.SAME, "", "", "")
    correction = _judged(cited, wrong, record=bare, others=(other,), alike=0.95, more=(led,))
    assert [(c.field, correction.get_record(c.field).id) for c in correction.changes] == [
        ("title", "k"), ("volume", "k"), ("issue", "k"), ("pages", "k"), ("doi", bare.id),
    ]  # fmt: skip


def test_what_only_another_work_of_that_title_has_is_not_offered():
    bare = replace(RECORD, titles=("Editorial",), ids=Ids(), versions=(Version(2015, "Nature"),))
    rival = replace(bare, id="r", versions=(Version(2015, "Nature", Kind.ARTICLE, "9", "9", "9-10"),))
    cited = Claimed("Editorial", RECORD.authors, year=2015, venue="Nature")
    assert _judged(cited, {}, record=bare, others=(rival,)) is None


def test_nothing_is_safe_where_two_works_may_be_meant():
    changes = _judged(replace(RIGHT, pages="1-2"), {"pages": ("1-2", "x")}, Verdict.AMBIGUOUS).changes
    assert [(c.field, c.safe) for c in changes] == [("pages", False)]


WRONG = [
    ("title", replace(RIGHT, title="Deep earning", pages=None), ("Deep earning", "Deep learning")),
    ("authors", replace(RIGHT, authors=(Name("Nobody", "N."),), pages=None), ("a", "b")),
    ("year", replace(RIGHT, year=2016, pages=None), ("2016", "2015")),
]


@pytest.mark.parametrize(("field", "claimed", "values"), WRONG)
def test_nothing_is_safely_added_to_an_entry_whose_title_authors_or_year_differ(field, claimed, values):
    changes = _judged(claimed, {field: values}).changes
    assert {c.field: c.safe for c in changes} == {field: False, "pages": False}


@pytest.mark.parametrize(
    "value", ["Proceedings of something that nobody would write there", "x" * 200, "1; 2"]
)
def test_long_junk_in_volume_or_number_is_never_offered(value):
    junk = replace(RECORD, versions=(Version(2015, "Nature", Kind.ARTICLE, value, value, "436-444"),))
    lacking = replace(RIGHT, volume=None, issue=None)
    assert _judged(lacking, {}, record=junk) is None
    wrong = {"volume": ("521", value), "issue": ("7553", value)}
    assert _judged(RIGHT, wrong, record=junk) is None
    preprint = Claimed("Deep learning", RECORD.authors, year=2014, venue="arXiv preprint arXiv:1502.00001")
    matched = Compared(junk, (), ("title",), ("crossref",))
    judgement = Judgement(Verdict.MATCHED, Label.EXACT, 9.0, 0.9, Band.HIGH, (), "", matched)
    moved = upgrade(Reference("k", "raw", Kind.PREPRINT, preprint), judgement)
    assert {"volume", "issue"}.isdisjoint(c.field for c in moved.changes)


def test_odd_pages_of_a_record_correct_nobody():
    odd = replace(RECORD, versions=(Version(2015, "Nature", Kind.ARTICLE, "521", "7553", "436-444 (or?)"),))
    assert _judged(replace(RIGHT, pages="1-2"), {"pages": ("1-2", "x")}, record=odd) is None
    elsewhere = replace(RIGHT, venue="Cell", pages="1-2")
    assert _judged(elsewhere, {"venue": ("Cell", "Nature")}, record=odd).claimed.pages == "1-2"


def test_no_correction_between_two_near_titles():
    cited = replace(RIGHT, title="Deep burning", year=2011)
    near = replace(RECORD, id="n", titles=("Deep turning",), ids=Ids())
    wrong = {"title": ("Deep burning", "Deep learning"), "year": ("2011", "2015")}
    assert _judged(cited, wrong, others=(near,), alike=0.8) is None
    assert _judged(cited, wrong, others=(near,), alike=0.5) is not None


def test_another_record_of_the_work_fills_in():
    bare = replace(RECORD, work="w", versions=(Version(None, "Nature"),))
    whole = replace(RECORD, id="k", work="w")
    correction = _judged(replace(RIGHT, year=1999), {"year": ("1999", "2015")}, record=bare, others=(whole,))
    assert [(c.field, c.resolved) for c in correction.changes] == [("year", "2015")]


def test_a_wrong_page_of_what_is_exact_may_be_mended():
    claimed = replace(RIGHT, venue=None, pages="1-2")
    correction = _judged(claimed, {"pages": ("1-2", "436-444")}, label=Label.EXACT, venue=Outcome.ABSENT)
    assert [(c.field, c.safe) for c in correction.changes] == [("pages", False)]
    wrong = {"pages": ("1-2", "436-444"), "venue": ("x", "Nature")}
    assert _judged(replace(claimed, venue="x"), wrong, label=Label.EXACT, venue=Outcome.DIFFERS) is None


PREPRINT = Version(2014, "arXiv preprint", Kind.PREPRINT)


@pytest.mark.parametrize(
    ("claimed", "versions", "fields"),
    [
        ({"venue": "arXiv preprint arXiv:1502.00001"}, (*RECORD.versions, PREPRINT),
         ["venue", "year", "volume", "issue", "pages", "doi", "type"]),
        ({"venue": "Nature"}, (*RECORD.versions, PREPRINT), None),
        ({"venue": "arXiv preprint arXiv:1502.00001"}, (PREPRINT,), None),
    ],
    ids=["preprint", "published", "never published"],
)  # fmt: skip
def test_upgrade(claimed, versions, fields):
    cited = Claimed("Deep learning", RECORD.authors, year=2014, **claimed)
    matched = Compared(replace(RECORD, versions=versions), (), ("title",), ("crossref",))
    judgement = Judgement(Verdict.MATCHED, Label.EXACT, 9.0, 0.9, Band.HIGH, (), "", matched)
    correction = upgrade(Reference("k", "raw", Kind.PREPRINT, cited), judgement)
    assert (correction and [c.field for c in correction.changes]) == fields
    weak = replace(judgement, matched=replace(matched, weak=True))
    assert upgrade(Reference("k", "raw", Kind.PREPRINT, cited), weak) is None


def test_only_the_named_identifier_goes():
    both = Ids((("doi", "10.1038/nature14539"), ("pmid", "1"), ("pmid", "26017442")))
    correction = _judged(replace(RIGHT, ids=both), {"pmid": ("1", "")})
    assert correction.claimed.ids.all("pmid") == ("26017442",)
