"""OpenAlex's works, real and bent, as records."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given

from citeproof.evidence.upstream_records.openalex import make_record
from citeproof.laboratory.testing.apis import openalex as api
from citeproof.vocabulary import Kind, Name, Record
from tests.evidence.sources.anyjson import objects
from tests.evidence.sources.bending import bent
from tests.evidence.sources.shelved import RESNET
from tests.recordings import recorded


@cache
def works() -> list[dict[str, Any]]:
    """Recorded answers to title look-ups."""
    found: list[dict[str, Any]] = []
    for _, data in recorded("title_lookups_refchecker", "*/api_cache/openalex/*.json"):
        value = json.loads(data)
        found += value if isinstance(value, list) else [value]
    return found


@cache
def records() -> dict[str, Record]:
    return {one.id: one for one in map(make_record, works()) if one}


def test_every_recorded_work_with_a_title_is_read() -> None:
    assert len(works()) > 1800
    for work in works():
        made = make_record(work)
        assert (made is not None) == bool(work["title"])
        if made:
            assert made.versions[0].year == work["publication_year"]
            assert made.authors_complete == (len(work["authorships"]) < 100)
            assert (made.ids.first("doi") is None) == (work["doi"] is None)


@pytest.mark.parametrize(
    ("own", "title", "first", "versions", "kind", "arxiv"),
    [
        (
            "W2099265531",
            "Quantum computation and quantum-state engineering driven by dissipation",
            Name("Verstraete", "Frank"),
            [(2009, "Nature Physics")],
            Kind.ARTICLE,
            None,
        ),
        (
            "W3212386989",
            "Attention mechanisms in computer vision: A survey",
            Name("Guo", "Meng-Hao"),
            [(2022, "Computational Visual Media"), (2021, "arXiv")],
            Kind.ARTICLE,
            "2111.07624",
        ),
        (
            "W1836465849",
            "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift",
            Name("Ioffe", "Sergey"),
            [(2015, "arXiv")],
            Kind.PREPRINT,
            "1502.03167",
        ),
        (
            "W2180612164",
            "The Limitations of Deep Learning in Adversarial Settings",
            Name("Papernot", "Nicolas"),
            [(2016, "2016 IEEE European Symposium on Security and Privacy (EuroS&P)")],
            Kind.ARTICLE,
            None,
        ),
    ],
)
def test_recorded(
    own: str, title: str, first: Name, versions: list[tuple[int, str]], kind: Kind, arxiv: str | None
) -> None:
    made = records()[own]
    assert (made.title, made.authors[0], made.kind) == (title, first, kind)
    assert [(v.year, v.venue) for v in made.versions[: len(versions)]] == versions
    assert made.ids.first("arxiv") == arxiv


def test_no_library_and_no_harvest_is_a_venue() -> None:
    venues = {v.venue for one in records().values() for v in one.versions if v.venue}
    strange = ("PubMed", "PubMed Central", "SHILAP Revista de lepidopterología", "Zenodo", "RePEc")
    assert not [venue for venue in venues if venue.startswith(strange)]
    assert {"arXiv", "bioRxiv", "Nature", "Neural Information Processing Systems"} <= venues


def test_two_people_in_the_place_of_one() -> None:
    adult = records()["W6888840370"]
    assert adult.authors == (Name("Becker", "Barry"), Name("Kohavi", "Ronny"))


@pytest.mark.parametrize(
    ("printed", "shown", "name"),
    [
        ("Zhu, Yukun", "Yukun Zhu", Name("Zhu", "Yukun")),
        ("Lee, Kyoung Mu", "Kyoung Mu Lee", Name("Lee", "Kyoung Mu")),
        ("Gordon,  Karl D.", "David Grant", Name("Gordon", "Karl D.")),
        ("Chan Lu", "Changli Lü", Name("Lu", "Chan")),
        ("WEI LI", "Wei Li", Name("Li", "Wei")),
        ("Wei LI", "Wei Li", Name("Li", "Wei")),
        ("", "Max Planck", Name("Planck", "Max")),
        (None, "Max Planck", Name("Planck", "Max")),
        ("Max Planck", None, Name("Planck", "Max")),
        ("ATLAS Collaboration", "ATLAS Collaboration", Name("ATLAS Collaboration", collective=True)),
    ],
)
def test_the_printed_name_counts(printed: str | None, shown: str | None, name: Name) -> None:
    people = [
        {"raw_author_name": printed, "author": {"display_name": shown}},
        {"raw_author_name": "A. Other"},
    ]
    made = make_record({"id": "W1", "title": "T", "authorships": people})
    assert made is not None
    assert made.authors[0] == name


def test_retractions_are_hints() -> None:
    made = make_record({"id": "W1", "title": "T", "is_retracted": True})
    assert made is not None
    assert made.marks == ("retraction_hint",)
    told = make_record({"id": "W1", "title": "RETRACTED: T", "is_retracted": "yes"})
    assert told is not None
    assert (told.titles, told.marks) == (("T",), ("retracted",))


def test_a_preprint_in_proceedings_is_an_article() -> None:
    place = {"raw_type": "proceedings-article", "raw_source_name": "Proc. of X", "source": None}
    made = make_record({"id": "W1", "title": "T", "type": "preprint", "primary_location": place})
    assert made is not None
    assert (made.kind, made.versions[0].venue) == (Kind.ARTICLE, "Proc. of X")


def test_identifiers_of_all_schemes() -> None:
    made = make_record(
        {
            "id": "https://openalex.org/W1",
            "title": "T",
            "doi": "https://doi.org/10.18653/V1/N19-1423",
            "ids": {
                "pmid": "https://pubmed.ncbi.nlm.nih.gov/9500320",
                "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/3531190",
                "mag": 5,
            },
            "locations": [{"id": "pmh:oai:arXiv.org:hep-th/9711200", "landing_page_url": None}],
        }
    )
    assert made is not None
    assert set(made.ids.pairs) == {
        ("doi", "10.18653/v1/n19-1423"),
        ("acl", "N19-1423"),
        ("arxiv", "hep-th/9711200"),
        ("pmid", "9500320"),
        ("pmcid", "PMC3531190"),
    }


def test_the_loopback_api_has_the_recorded_shape() -> None:
    ours, real = api.build_openalex_work(RESNET), works()[2]
    for name, value in ours.items():
        if name in real and value is not None:
            assert isinstance(value, type(real[name])), name
    for name in ("primary_location", "locations", "authorships"):
        one = [value[0] if isinstance(value, list) else value for value in (ours[name], real[name])]
        missing = set(one[0]) - set(one[1]) if one[0] else set()
        assert not missing, (name, missing)
    assert set(ours["ids"]) <= {"openalex", "doi", "mag", "pmid", "pmcid"}


def test_fields_of_wrong_types_are_passed_over() -> None:
    for item in bent(api.build_openalex_work(RESNET)):
        made = make_record(item)
        assert made is None or made.titles


@given(
    objects(
        list(api.build_openalex_work(RESNET)),
        "source",
        "display_name",
        "author",
        "raw_author_name",
        "raw_type",
        "id",
    )
)
def test_anything_may_stand_in_a_field(item: dict[str, Any]) -> None:
    make_record(item)
    make_record({"id": "W1", "title": "T", **item})


@pytest.mark.parametrize("item", [None, 3, [], {}, {"id": "W1"}, {"title": "T"}, {"id": "A1", "title": "T"}])
def test_what_is_no_work_is_none(item: object) -> None:
    assert make_record(item) is None
