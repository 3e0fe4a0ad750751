"""Crossref's works, real and bent, as records."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given

from citeproof.evidence.upstream_records.crossref import make_record
from citeproof.laboratory.testing.apis import crossref as api
from citeproof.vocabulary import Kind, Name, Record
from tests.evidence.sources.anyjson import objects
from tests.evidence.sources.bending import bent, called
from tests.evidence.sources.inmemory import Shelf
from tests.evidence.sources.shelved import RESNET, WAKEFIELD
from tests.recordings import cassettes, recorded


@cache
def taped() -> list[dict[str, Any]]:
    """The recorded answers about works."""
    found = []
    for tape in cassettes("crossref_habanero", "*/cassettes/*.yaml"):
        if tape.status != 200 or "/works" not in tape.url:
            continue
        body = gzip.decompress(tape.body) if tape.body[:2] == b"\x1f\x8b" else tape.body
        if body.startswith(b'{"status":"ok"') and b'"message-type":"work' in body[:80]:
            found.append(json.loads(body))
    return [body for body in found if body["message-type"] in ("work", "work-list")]


def items() -> list[dict[str, Any]]:
    return [item for b in taped() for item in b["message"].get("items", [b["message"]]) if "type" in item]


@cache
def records() -> dict[str, Record]:
    return {one.id: one for one in map(make_record, items()) if one}


def test_every_recorded_work_with_a_title_is_read() -> None:
    assert len(records()) > 450
    for item in items():
        made = make_record(item)
        assert (made is not None) == bool(item.get("title")), item["DOI"]
        if made:
            assert made.ids.first("doi") == item["DOI"].lower()
            named = [one for one in item.get("author", ()) if one.keys() & {"family", "given", "name"}]
            assert len(made.authors) == len(named) or made.kind is Kind.BOOK
            year = item["issued"]["date-parts"][0][0]
            assert year is None or year in [v.year for v in made.versions]


@pytest.mark.parametrize(
    ("doi", "title", "first", "year", "venue", "kind"),
    [
        ("10.7717/peerj.638", "Fish market prices drive overfishing of the ‘big ones’",
         Name("Tsikliras", "Athanassios C."), 2014, "PeerJ", Kind.ARTICLE),
        ("10.1007/978-1-4302-6389-0_21", "Using the Datepicker Widget", Name("Freeman", "Adam"),
         2013, "Pro jQuery 2.0", Kind.CHAPTER),
        ("10.2172/1763563", "Application Note: Mixed Signal Simulation with Xyce™ 7.1",
         Name("Sholander", "Peter"), 2020, None, Kind.REPORT),
        ("10.1093/mnras/stad1891",
         "Time-series photometry and multiwavelength characterization of the young stellar cluster Mon R2",
         Name("Orcajo", "Santiago"), 2023, "Monthly Notices of the Royal Astronomical Society", Kind.ARTICLE),
    ],
)  # fmt: skip
def test_recorded(doi: str, title: str, first: Name, year: int, venue: str | None, kind: Kind) -> None:
    made = records()[doi]
    assert (made.title, made.authors[0], made.kind) == (title, first, kind)
    assert (made.versions[0].year, made.versions[0].venue) == (year, venue)


def test_recorded_details() -> None:
    known = records()
    assert known["10.1371/journal.pone.0033693"].marks == ("corrected",)
    assert known["10.1371/journal.ppat.1006930"].marks == ()  # a new version is no correction
    herz = known["10.1002/zaac.19271660112"]
    assert [(v.year, v.volume, v.pages) for v in herz.versions] == [
        (1927, "166", "155-160"),
        (2004, "166", "155-160"),
    ]
    assert known["10.7717/peerj.638"].versions[0].pages == "e638"
    widget = next(one for one in known.values() if one.title.startswith("Widget, widget as you lead"))
    assert widget.titles[0] == f"{widget.titles[1]}: {widget.titles[0].split('!: ')[1]}"
    isbns = known["10.1007/978-1-4302-6389-0_21"].ids.all("isbn")
    assert isbns == ("9781430263883", "9781430263890")


def test_title_look_ups_of_others_are_read() -> None:
    pattern = "*/api_cache/crossref/*.json"
    works = [w for _, data in recorded("title_lookups_refchecker", pattern) for w in listed(json.loads(data))]
    made = [one for one in map(make_record, works) if one]
    assert len(made) > 1500
    spie = next(one for one in made if one.id == "10.1117/12.2044685")
    assert [v.venue for v in spie.versions] == ["Biophotonics—Riga 2013", "SPIE Proceedings"]
    assert spie.kind is Kind.ARTICLE


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize(
    ("updates", "marks"),
    [
        ([], ()),
        ([{"type": "erratum"}], ("corrected",)),
        (
            [{"type": "correction"}, {"type": "retraction"}, {"type": "retraction"}],
            ("corrected", "retracted"),
        ),
        ([{"type": "withdrawal"}], ("withdrawn",)),
        ([{"type": "removal"}], ("removed",)),
        ([{"type": "partial_retraction"}], ("partial_retraction",)),
        ([{"type": "expression_of_concern"}], ("expression_of_concern",)),
        ([{"type": "new_version"}, {"type": "clarification"}, {"type": 3}, "x"], ()),
        ({"type": "retraction"}, ()),
    ],
)
def test_updates_count_by_type(updates: object, marks: tuple[str, ...]) -> None:
    made = make_record({"DOI": "10.1234/a", "title": ["A title"], "updated-by": updates})
    assert made is not None
    assert made.marks == marks


@pytest.mark.parametrize(
    ("fields", "titles", "marks"),
    [
        ({"title": ["RETRACTED: Lies"]}, ("Lies",), ("retracted",)),
        ({"title": ["<i>E. coli</i> &amp; <mml:math><mml:mi>β</mml:mi></mml:math>"]}, ("E. coli & β",), ()),
        ({"title": ["T"], "subtitle": ["S"]}, ("T: S", "T"), ()),
        ({"title": ["T", "U"], "original-title": ["Ü"]}, ("T", "U", "Ü"), ()),
        ({"title": "not a list"}, ("not a list",), ()),
    ],
)
def test_titles(fields: dict[str, object], titles: tuple[str, ...], marks: tuple[str, ...]) -> None:
    made = make_record({"DOI": "10.1234/A", **fields})
    assert made is not None
    assert (made.titles, made.marks) == (titles, marks)


@pytest.mark.parametrize(
    ("author", "names", "complete"),
    [
        (
            [{"family": "King", "given": "Martin L.", "suffix": "Jr."}],
            (Name("King", "Martin L.", "Jr."),),
            True,
        ),
        ([{"name": "ATLAS Collaboration"}], (Name("ATLAS Collaboration", collective=True),), True),
        ([{"given": "Madonna"}], (Name("Madonna"),), True),
        ([{"family": "Li", "given": "Wei"}, {"family": "et al."}], (Name("Li", "Wei"),), False),
        ([{"family": 3}, None, {}, {"family": "…"}], (), True),
    ],
)
def test_authors(author: object, names: tuple[Name, ...], complete: bool) -> None:
    made = make_record({"DOI": "10.1234/a", "title": ["T"], "author": author})
    assert made is not None
    assert (made.authors, made.authors_complete) == (names, complete)


@pytest.mark.parametrize(
    ("dates", "years"),
    [
        ({"created": [[2020]], "issued": [[2001]]}, [2001]),
        ({"created": [[2020]], "issued": [[None]]}, [2020]),
        (
            {"published": [[2018, 12]], "published-online": [[2018]], "published-print": [[2019, 1]]},
            [2018, 2019],
        ),
        ({"issued": [["1999"]]}, [1999]),
        ({"issued": [[99999]]}, []),
        ({"issued": []}, []),
    ],
)
def test_years(dates: dict[str, object], years: list[int]) -> None:
    item = {name: {"date-parts": parts} for name, parts in dates.items()}
    made = make_record({"DOI": "10.1234/a", "title": ["T"], **item})
    assert made is not None
    assert [v.year for v in made.versions] == years


def test_a_book_without_authors_is_its_editors() -> None:
    item = {"DOI": "10.1234/a", "title": ["T"], "type": "edited-book", "editor": [{"family": "Ed"}]}
    made = make_record(item)
    assert made is not None
    assert made.authors == (Name("Ed"),)
    chapter = make_record({**item, "type": "book-chapter"})
    assert chapter is not None
    assert chapter.authors == ()


def test_the_loopback_api_has_the_recorded_shape() -> None:
    single = next(body for body in taped() if body["message-type"] == "work")
    listed_ = next(b for b in taped() if b["message-type"] == "work-list" and len(b["message"]["items"]) > 2)
    ours = json.loads(api.answer(called("http://x/works/10.1109/cvpr.2016.90"), Shelf(RESNET)).body)
    assert list(ours) == list(single)
    assert shape(single["message"]).items() >= shape(ours["message"], set(single["message"])).items()
    both = json.loads(api.answer(called("http://x/works?query=deep+residual+learning"), Shelf(RESNET)).body)
    real = {name: type(value) for name, value in listed_["message"].items() if name != "next-cursor"}
    assert {name: type(value) for name, value in both["message"].items()} == real


def shape(item: dict[str, Any], keys: set[str] | None = None) -> dict[str, type]:
    """The keys of a work and the types of their values; numbers alike."""
    kinds = {name: type(value) for name, value in item.items() if keys is None or name in keys}
    return {name: float if kind is int else kind for name, kind in kinds.items()}


def test_fields_of_wrong_types_are_passed_over() -> None:
    for item in bent(api.build_crossref_item(WAKEFIELD)):
        made = make_record(item)
        assert made is None or made.titles


@given(objects(list(api.build_crossref_item(WAKEFIELD)), "date-parts", "family", "name", "type"))
def test_anything_may_stand_in_a_field(item: dict[str, Any]) -> None:
    make_record(item)
    make_record({"DOI": "10.1234/a", "title": ["T"], **item})


@pytest.mark.parametrize(
    "item", [None, 3, "x", [], {}, {"DOI": "10.1234/a"}, {"title": ["T"]}, {"DOI": 1, "title": 2}]
)
def test_what_is_no_work_is_none(item: object) -> None:
    assert make_record(item) is None
