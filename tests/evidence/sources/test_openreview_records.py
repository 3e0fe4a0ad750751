"""OpenReview's notes: papers whose facts were recorded, venues of all sorts, and any JSON."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from citeproof.evidence.sources import openreview
from citeproof.text import names
from citeproof.vocabulary import Kind, Name, Version
from tests.evidence.sources.anyjson import objects, values
from tests.recordings import recorded

MID_2023 = 1_690_000_000_000  # milliseconds


def wrapped(content: dict[str, object]) -> dict[str, object]:
    return {name: {"value": value} for name, value in content.items()}


def test_recorded_papers_read_alike_in_both_versions_of_the_api():
    papers = [msgspec.json.decode(data) for _, data in recorded("title_lookups_refchecker", "*/openreview/*")]
    assert len(papers) == 28
    for paper in papers:
        content = {name: paper[name] for name in ("title", "authors", "venue", "venueid", "abstract")}
        old = openreview.make_record({"id": paper["id"], "forum": paper["id"], "content": content})
        new = openreview.make_record({"id": paper["id"], "forum": paper["id"], "content": wrapped(content)})
        assert new is not None
        assert new == old
        assert new.title == paper["title"].rstrip(".")
        assert new.authors == tuple(map(names.parse, paper["authors"]))
        venue = paper["venue"] or "Submitted"
        assert (new.kind is Kind.PREPRINT) is venue.startswith(("CoRR", "Submitted"))
        if year := new.versions[0].year:
            assert str(year) in venue
            assert year - paper["year"] in (0, 1)


@pytest.mark.parametrize(
    ("venue", "venue_id", "version", "kind", "marks"),
    [
        ("ICLR 2024 poster", "ICLR.cc/2024/Conference", "ICLR 2024", Kind.ARTICLE, ()),
        ("ICLR 2023 notable top 5%", "ICLR.cc/2023/Conference", "ICLR 2023", Kind.ARTICLE, ()),
        ("NeurIPS 2022 Datasets and Benchmarks", "NeurIPS.cc/2022/Track/Datasets_and_Benchmarks",
         "NeurIPS 2022 Datasets and Benchmarks", Kind.ARTICLE, ()),
        ("Accepted by TMLR", "TMLR", "TMLR", Kind.ARTICLE, ()),
        ("Submitted to ICLR 2024", "ICLR.cc/2024/Conference/Rejected_Submission",
         "ICLR 2024", Kind.PREPRINT, ()),
        ("ICLR 2024 Conference Withdrawn Submission", "ICLR.cc/2024/Conference/Withdrawn_Submission",
         "ICLR 2024", Kind.PREPRINT, ("withdrawn",)),
        ("CoRR2018", "dblp.org/journals/CORR/2018", "CoRR 2018", Kind.PREPRINT, ()),
        ("", "", "OpenReview", Kind.PREPRINT, ()),
    ],
)  # fmt: skip
def test_venues(venue, venue_id, version, kind, marks):
    content = wrapped({"title": "A title", "venue": venue, "venueid": venue_id})
    record = openreview.make_record({"id": "ZGkfoufDaU", "cdate": MID_2023, "content": content})
    assert record is not None
    assert (record.versions[0].venue, record.kind, record.marks) == (version, kind, marks)
    if record.versions[0].year != 2023:
        assert record.versions[1] == Version(2023, "OpenReview", Kind.PREPRINT)


def test_authors_of_all_forms():
    listed = [
        "Ada Lovelace",
        {"fullname": "Alan Turing", "username": "~Alan_Turing1"},
        "Anonymous",
        None,
        7,
        "",
    ]
    record = openreview.make_record({"id": "ZGkfoufDaU", "content": {"title": "A title", "authors": listed}})
    assert record is not None
    assert record.authors == (Name("Lovelace", "Ada"), Name("Turing", "Alan"))


@given(objects(["forum", "replyto", "cdate", "pdate", "tcdate"], "value"), values("value", "fullname"))
def test_fields_of_any_type_are_skipped(note, value):
    content = dict.fromkeys(("authors", "venue", "venueid", "doi"), value)
    record = openreview.make_record({**note, "id": "ZGkfoufDaU", "content": {**content, "title": "A title"}})
    assert record is not None
    assert record.title == "A title"
    assert isinstance(openreview.is_work(note), bool)


@given(values("title", "value"))
def test_any_content(content):
    assert openreview.make_record({"id": "ZGkfoufDaU", "content": content}) is None or "title" in content
