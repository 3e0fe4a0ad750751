"""Zenodo's records."""

from __future__ import annotations

import pytest

from citeproof.evidence.upstream_records import zenodo
from citeproof.vocabulary import Kind, Name, Version
from tests.evidence.sources.bending import bent

TURING = {
    "id": 3233986,
    "conceptrecid": "3233853",
    "doi": "10.5281/zenodo.3233986",
    "conceptdoi": "10.5281/zenodo.3233853",
    "metadata": {
        "title": "The Turing Way: A Handbook for Reproducible Data Science",
        "doi": "10.5281/zenodo.3233986",
        "publication_date": "2019-03-25",
        "creators": [
            {"name": "The Turing Way Community"},
            {"name": "Arnold, Becky"},
            {"name": "O'Reilly, Martin"},
        ],
        "resource_type": {"title": "Software", "type": "software"},
        "related_identifiers": [
            {"identifier": "10.5281/zenodo.3233853", "relation": "isVersionOf", "scheme": "doi"},
            {"identifier": "10.1000/other", "relation": "cites", "scheme": "doi"},
        ],
    },
}


def test_a_release_of_software():
    record = zenodo.make_record(TURING)
    assert record.title == "The Turing Way: A Handbook for Reproducible Data Science"
    assert record.authors == (
        Name("The Turing Way Community", collective=True),
        Name("Arnold", "Becky"),
        Name("O'Reilly", "Martin"),
    )
    assert record.versions == (Version(2019, "Zenodo", Kind.SOFTWARE),)
    assert record.ids.all("doi") == ("10.5281/zenodo.3233986", "10.5281/zenodo.3233853")
    assert record.ids.first("url") == "https://zenodo.org/records/3233986"


@pytest.mark.parametrize(
    ("title", "given", "titles", "kind"),
    [
        ("scikit-learn/scikit-learn: v1.0", ("software", ""),
         ("scikit-learn/scikit-learn: v1.0", "scikit-learn: v1.0", "scikit-learn"), Kind.SOFTWARE),
        ("Input/output and either/or", ("dataset", ""), ("Input/output and either/or",), Kind.DATASET),
        ("A and B/C", ("publication", "thesis"), ("A and B/C",), Kind.THESIS),
        ("RETRACTED: Data", ("poster", ""), ("Data",), Kind.UNKNOWN),
    ],
)  # fmt: skip
def test_titles_and_kinds(title, given, titles, kind):
    sort = {"type": given[0], "subtype": given[1]}
    record = zenodo.make_record({"id": 1, "metadata": {"title": title, "resource_type": sort}})
    assert record.titles == titles
    assert record.kind is kind


def test_a_paper_has_its_journal_first():
    metadata = {
        "title": "T",
        "publication_date": "2020-01-02",
        "journal": {"title": "JOSS", "volume": "5", "issue": "1", "pages": "10-12"},
    }
    versions = zenodo.make_record({"id": 1, "metadata": metadata}).versions
    assert versions[0] == Version(2020, "JOSS", Kind.UNKNOWN, "5", "1", "10-12")
    assert versions[1].venue == "Zenodo"


def test_wrong_types_do_no_harm():
    for item in bent(TURING):
        record = zenodo.make_record(item)
        assert record is None or record.title
    assert zenodo.make_record({"metadata": {"title": "—"}}) is None
