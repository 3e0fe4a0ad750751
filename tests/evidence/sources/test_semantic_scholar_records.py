"""Semantic Scholar's papers: 587 recorded ones, and objects that only look like papers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from citeproof.evidence.sources.semantic_scholar import LISTED, make_record
from citeproof.vocabulary import Kind, Name, Version
from tests.evidence.sources.anyjson import objects
from tests.recordings import cassettes, recorded

CACHE = "*api_cache/semantic_scholar/*.json"


@pytest.fixture(scope="module")
def papers():
    found = {}
    for _, data in recorded("title_lookups_refchecker", CACHE):
        body = json.loads(data)
        for paper in body if isinstance(body, list) else [body]:
            found[paper["paperId"]] = paper
    return found


def test_every_recorded_paper_is_read(papers):
    assert len(papers) > 400
    for paper in papers.values():
        made = make_record(paper)
        assert made is not None
        assert made.id == paper["paperId"]
        assert len(made.authors) == len(paper["authors"])
        assert paper["year"] is None or paper["year"] in [version.year for version in made.versions]
        assert "DOI" not in paper["externalIds"] or made.ids.first("doi")


def test_lists_end_at_five_hundred(papers):
    longest = [p for p in papers.values() if len(p["authors"]) >= LISTED]
    assert {len(p["authors"]) for p in longest} == {LISTED}
    assert "The Llama 3 Herd of Models" in {p["title"] for p in longest}
    assert not any(make_record(p).authors_complete for p in longest)


def by_title(papers, title):
    return next(make_record(p) for p in papers.values() if p["title"].startswith(title))


def test_a_preprint(papers):
    made = by_title(papers, "Seq2SQL")
    assert made.authors == (Name("Zhong", "Victor"), Name("Xiong", "Caiming"), Name("Socher", "R."))
    assert made.versions == (Version(2017, "arXiv", Kind.PREPRINT),)
    assert made.kind is Kind.PREPRINT
    assert set(made.ids.pairs) == {
        ("dblp", "journals/corr/abs-1709-00103"),
        ("arxiv", "1709.00103"),
        ("doi", "10.48550/arxiv.1709.00103"),
    }


def test_a_cassette():
    tape = next(cassettes("semantic_scholar", "*test_get_papers_return_not_found.yaml"))
    made = [make_record(paper) for paper in json.loads(tape.body)]
    assert made[0] is None  # null: not known
    titles = [one.title for one in made if one]
    assert "How Much Should We Trust Differences-in-Differences Estimates?" in titles


ARXIV_AND_ACL = {
    "year": 2021,
    "venue": "ACL",
    "journal": {"name": "ArXiv", "volume": "abs/2004.1"},
    "externalIds": {"ArXiv": "2004.12345"},
}
MIND = {
    "year": 1950,
    "venue": "The Philosophy of Artificial Intelligence",
    "journal": {"name": "Mind"},
    "publicationTypes": ["JournalArticle", "Review"],
}


@pytest.mark.parametrize(
    ("extra", "versions", "kind"),
    [
        ({"year": 2024, "venue": "bioRxiv"}, [(2024, "bioRxiv", Kind.PREPRINT)], Kind.PREPRINT),
        (
            MIND,
            [(1950, "The Philosophy of Artificial Intelligence", Kind.UNKNOWN), (1950, "Mind", Kind.UNKNOWN)],
            Kind.ARTICLE,
        ),
        (
            {"year": 2020, "publicationDate": "2019-12-30", "venue": "X", "publicationTypes": ["Book"]},
            [(2020, "X", Kind.UNKNOWN), (2019, "X", Kind.UNKNOWN)],
            Kind.BOOK,
        ),
        ({"year": None, "publicationDate": "2019-12-30"}, [(2019, None, Kind.UNKNOWN)], Kind.UNKNOWN),
        (ARXIV_AND_ACL, [(2021, "ACL", Kind.UNKNOWN), (2020, "arXiv", Kind.PREPRINT)], Kind.UNKNOWN),
    ],
)
def test_versions(extra, versions, kind):
    made = make_record({"paperId": "p", "title": "A title", **extra})
    assert [(v.year, v.venue, v.kind) for v in made.versions] == versions
    assert made.kind is kind
    assert all(v.volume is None for v in made.versions)


def test_a_notice_becomes_a_mark():
    made = make_record({"paperId": "p", "title": "RETRACTED ARTICLE: A title"})
    assert (made.titles, made.marks) == (("A title",), ("retracted",))


@pytest.mark.parametrize(
    "item", [None, 5, "x", [], {}, {"paperId": "p"}, {"title": "A title"}, {"paperId": "p", "title": "—"}]
)
def test_what_is_no_paper(item):
    assert make_record(item) is None


FIELDS = (
    "paperId title year venue journal authors externalIds publicationVenue publicationTypes publicationDate"
)


@given(objects(FIELDS.split(), "name", "DOI", "ArXiv", "volume", "pages"))
def test_any_types_are_read(item):
    make_record({"paperId": "p", "title": "A title", **item})
