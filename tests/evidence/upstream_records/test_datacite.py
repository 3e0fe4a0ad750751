"""DataCite's DOIs, real and bent, as records."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest
import yaml
from hypothesis import given

from citeproof.evidence.upstream_records.datacite import make_record
from citeproof.laboratory.testing.apis import datacite as api
from citeproof.vocabulary import Kind, Name, Record
from tests.evidence.sources.anyjson import objects
from tests.evidence.sources.bending import bent
from tests.evidence.sources.shelved import ATTENTION, HIGGS, MALARIA
from tests.recordings import recorded


class _Loader(yaml.SafeLoader):
    """Reads also the binaries that Ruby writes."""


_Loader.add_constructor("!binary", yaml.SafeLoader.construct_yaml_binary)


@cache
def answers() -> dict[str, dict[str, Any]]:
    """The recorded answers of api.datacite.org, by address."""
    found = {}
    for _, data in recorded("datacite_bolognese", "*.yml"):
        if b"https://api.datacite.org/dois/" not in data:
            continue
        for turn in yaml.load(data, _Loader)["http_interactions"]:
            body = turn["response"]["body"].get("string") or b""
            raw = body if isinstance(body, bytes) else body.encode()
            if turn["request"]["uri"].startswith("https://api.datacite.org/dois/"):
                unpacked = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
                found[turn["request"]["uri"]] = json.loads(unpacked)
    return found


@cache
def records() -> dict[str, Record]:
    made = [make_record(body["data"]) for body in answers().values() if "data" in body]
    return {one.id: one for one in made if one}


def test_every_recorded_doi_is_read() -> None:
    found = [body["data"] for body in answers().values() if "data" in body]
    assert len(found) > 45
    assert len(records()) == len(found)
    missing = [body for body in answers().values() if "data" not in body]
    assert missing[0] == {
        "errors": [{"status": "404", "title": "The resource you are looking for doesn't exist."}]
    }


@pytest.mark.parametrize(
    ("doi", "title", "first", "year", "venue", "kind"),
    [
        ("10.5061/dryad.8515", "Data from: A new malaria agent in African hominids",
         Name("Ollomo", "Benjamin"), 2011, "Dryad", Kind.DATASET),
        ("10.5281/zenodo.48440", "Analysis Tools For Crossover Experiment Of Ui Using Choice Architecture",
         Name("Garza", "Kristian"), 2016, "Zenodo", Kind.SOFTWARE),
        ("10.25491/8kmc-g314",
         "Covariates used in eQTL analysis. Includes genotyping principal components and PEER factors",
         Name("The GTEx Consortium", collective=True), 2017, "GTEx", Kind.DATASET),
        ("10.25318/3410014001-fra", None, Name("Statistique Canada", collective=True), 2018,
         "Gouvernement du Canada", Kind.DATASET),
        ("10.3204/desy-2014-01645",
         None, Name("Conrad", "Heiko"), 2014, "University of Hamburg", Kind.THESIS),
        ("10.5438/4k3m-nyvg", "Eating your own Dog Food", Name("Fenner", "Martin"), 2016, "DataCite",
         Kind.WEB_PAGE),
        ("10.12763/ona1045", None, Name("Heiliges Römisches Reich Deutscher Nation", collective=True), 1734,
         "de l'imprimerie de Claude Simon (A Paris)", Kind.BOOK),
    ],
)  # fmt: skip
def test_recorded(doi: str, title: str | None, first: Name, year: int, venue: str, kind: Kind) -> None:
    made = records()[doi]
    assert title is None or made.title == title
    assert (made.authors[0], made.kind) == (first, kind)
    assert (made.versions[0].year, made.versions[0].venue) == (year, venue)


def test_recorded_details() -> None:
    known = records()
    enos = known["10.7910/dvn/eqtqyo"].authors
    assert enos == (Name("Enos", "Ryan"), Name("Fowler", "Anthony"), Name("Vavreck", "Lynn"))
    assert len(known["10.5063/f1m61h5x"].authors) == 9  # all in one name
    assert (
        known["10.26102/2310-6018/2019.24.1.006"].titles[1]
        == "MODEL OF SYSTEM DYNAMICS OF PROCESS OF TRAINING"
    )
    assert known["10.4232/1.2745"].titles == (
        "Flash Eurobarometer 54 (Madrid Summit): The Common European Currency",
        "Flash Eurobarometer 54 (Madrid Summit)",
    )
    assert ("doi", "10.6084/m9.figshare.4906367") in known["10.6084/m9.figshare.4906367.v1"].ids.pairs
    assert [v.year for v in known["10.6084/m9.figshare.1449060"].versions] == [2020, 2015]


@pytest.mark.parametrize(
    ("creator", "names", "complete"),
    [
        ({"name": "(:unkn) unknown"}, (), False),
        ({"name": ":unav"}, (), False),
        ({"name": "Planck, Max"}, (Name("Planck", "Max"),), True),
        ({"name": "Max Planck"}, (Name("Planck", "Max"),), True),
        ({"name": "Planck, Max", "nameType": "Organizational"}, (Name("Planck", "Max"),), True),
        ({"name": "CyArk", "nameType": "Organizational"}, (Name("CyArk", collective=True),), True),
        ({"name": "x", "familyName": "Planck", "givenName": "Max"}, (Name("Planck", "Max"),), True),
        ({"name": None}, (), True),
        ({"name": ["x"]}, (), True),
    ],
)
def test_creators(creator: object, names: tuple[Name, ...], complete: bool) -> None:
    made = make_record(
        {"attributes": {"doi": "10.5061/x", "titles": [{"title": "T"}], "creators": [creator]}}
    )
    assert made is not None
    assert (made.authors, made.authors_complete) == (names, complete)


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        ({"resourceTypeGeneral": "JournalArticle"}, Kind.ARTICLE),
        ({"resourceTypeGeneral": "Text", "resourceType": "Doctoral thesis"}, Kind.THESIS),
        ({"resourceTypeGeneral": "Text", "resourceType": "ConferencePaper"}, Kind.ARTICLE),
        ({"resourceTypeGeneral": "Text", "resourceType": "Book chapter"}, Kind.CHAPTER),
        ({"resourceTypeGeneral": "Text", "bibtex": "article"}, Kind.UNKNOWN),
        ({"resourceTypeGeneral": "Image", "resourceType": "Report"}, Kind.UNKNOWN),
        ({"resourceTypeGeneral": ["Text"]}, Kind.UNKNOWN),
        (None, Kind.UNKNOWN),
    ],
)
def test_kinds(types: object, kind: Kind) -> None:
    made = make_record({"attributes": {"doi": "10.5061/x", "titles": [{"title": "T"}], "types": types}})
    assert made is not None
    assert made.kind is kind


def test_arxiv_is_a_preprint_in_whatever_form() -> None:
    item = {
        "doi": "10.48550/ARXIV.1706.03762",
        "titles": [{"title": "Attention Is All You Need"}],
        "publisher": {"name": "arXiv"},
        "publicationYear": "2017",
        "types": {"resourceTypeGeneral": "Text", "resourceType": "Article"},
        "identifiers": [{"identifierType": "arXiv", "identifier": "1706.03762"}],
    }
    made = make_record({"id": "x", "attributes": item})
    assert made is not None
    assert (made.kind, made.publisher, made.versions[0].year) == (Kind.PREPRINT, "arXiv", 2017)
    assert made.ids.pairs == (("doi", "10.48550/arxiv.1706.03762"), ("arxiv", "1706.03762"))


def test_the_loopback_api_has_the_recorded_shape() -> None:
    real = answers()["https://api.datacite.org/dois/10.5061/dryad.8515?include=media,client"]["data"]
    for held in (MALARIA, ATTENTION, HIGGS):
        ours = api.build_datacite_item(held)
        assert set(ours) <= set(real)
        attributes: Any = ours["attributes"]
        assert set(attributes) <= set(real["attributes"])
        for name, value in attributes.items():
            if value is not None and real["attributes"][name] is not None:
                assert isinstance(value, type(real["attributes"][name])), name
        assert set(attributes["types"]) == set(real["attributes"]["types"])


def test_fields_of_wrong_types_are_passed_over() -> None:
    for held in (MALARIA, HIGGS):
        for item in bent(api.build_datacite_item(held)):
            made = make_record(item)
            assert made is None or made.titles


@given(
    objects(
        [*api.build_datacite_item(MALARIA)["attributes"]], "title", "name", "date", "dateType", "titleType"
    )
)  # type: ignore[misc]
def test_anything_may_stand_in_a_field(item: dict[str, Any]) -> None:
    make_record({"attributes": item})
    make_record({"attributes": {"doi": "10.5061/x", "titles": [{"title": "T"}], **item}})


@pytest.mark.parametrize("item", [None, 3, [], {}, {"id": "10.5061/x"}, {"attributes": {"doi": "10.5061/x"}}])
def test_what_is_no_work_is_none(item: object) -> None:
    assert make_record(item) is None
