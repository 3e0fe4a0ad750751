"""DBLP's three shapes of a publication: recorded hits, rows, elements; and what only looks like one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from citeproof.evidence.upstream_records import dblp
from citeproof.laboratory.testing.apis.dblp import build_hit_info as built
from citeproof.vocabulary import Ids, Kind, Name, Record, Version
from tests.evidence.sources.anyjson import objects, values
from tests.recordings import recorded


@pytest.fixture(scope="module")
def hits():
    found = recorded("title_lookups_refchecker", "*api_cache/dblp/*.json")
    return {hit["info"]["key"]: hit["info"] for _, data in found for hit in json.loads(data)}


def test_every_recorded_hit_is_read(hits):
    assert len(hits) > 400
    for key, info in hits.items():
        record = dblp.make_record(info)
        assert record is not None, key
        assert record.versions[0].year == int(info["year"])
        authors = info["authors"]["author"] if "authors" in info else []
        assert len(record.authors) == (len(authors) if isinstance(authors, list) else 1)
        assert not any(name.family.isdecimal() for name in record.authors)
        assert "doi" not in info or record.ids.first("doi")
        assert record.kind is not Kind.UNKNOWN


@pytest.mark.parametrize(
    ("key", "title", "first", "version", "kind", "ids"),
    [
        (
            "journals/corr/HeZRS15",
            "Deep Residual Learning for Image Recognition",
            Name("He", "Kaiming"),
            Version(2015, "CoRR", Kind.PREPRINT),
            Kind.PREPRINT,
            {("arxiv", "1512.03385")},
        ),
        (
            "journals/natmi/JobinIV19",
            "The global landscape of AI ethics guidelines",
            Name("Jobin", "Anna"),
            Version(2019, "Nat. Mach. Intell", Kind.UNKNOWN, "1", "9", "389-399"),
            Kind.ARTICLE,
            {("doi", "10.1038/s42256-019-0088-2")},
        ),
        (
            "conf/iclr/HazanKY18",
            "Hyperparameter optimization: a spectral approach",
            Name("Hazan", "Elad"),
            Version(2018, "ICLR"),
            Kind.ARTICLE,
            {("openreview", "H1zriGeCZ")},
        ),
        (
            "series/lncs/KindermansHAASDEK19",
            "The (Un)reliability of Saliency Methods",
            Name("Kindermans", "Pieter-Jan"),
            Version(2019, "Explainable AI", pages="267-280"),
            Kind.CHAPTER,
            {("doi", "10.1007/978-3-030-28954-6_14")},
        ),
    ],
)
def test_a_recorded_hit(hits, key, title, first, version, kind, ids):
    record = dblp.make_record(hits[key])
    assert record.title == title
    assert record.authors[0] == first
    assert record.versions == (version,)
    assert record.kind is kind
    assert set(record.ids.pairs) == {("dblp", key), *ids}


def test_a_recorded_volume_is_known_as_one(hits):
    volumes = [info for info in hits.values() if dblp.is_volume(info)]
    assert [info["type"] for info in volumes] == ["Editorship"]


def test_the_loopback_has_the_shape_of_recorded_hits(hits):
    record = Record(
        "",
        "x",
        ("A title",),
        (Name("Doe", "Jane"), Name("Roe", "Rick")),
        versions=(Version(2019, "Neural Comput.", Kind.UNKNOWN, "1", "2", "3-4"),),
        kind=Kind.ARTICLE,
        ids=Ids((("dblp", "journals/neco/DoeR19"), ("doi", "10.1000/x"))),
    )
    ours = built(record)
    real = [info for info in hits.values() if set(info) >= set(ours)]
    assert real
    for name, value in ours.items():
        assert type(value) in {type(info[name]) for info in real}, name
    person = ours["authors"]["author"][0]
    assert set(person) == set(real[0]["authors"]["author"][0])


CACM = """<article key="journals/cacm/Szalay08" mdate="2008-11-03"><author>Alexander S. Szalay</author>
<title>Jim Gray, astronomer.</title><pages>58-65</pages><year>2008</year><volume>51</volume>
<journal>Commun. ACM</journal><number>11</number><ee>http://doi.acm.org/10.1145/1400214.1400231</ee></article>"""
CORR = """<article publtype="informal withdrawn" key="journals/corr/abs-1807-04271">
<author>Jian Sun 0001</author><title>H<sub>2</sub>O, <i>n</i>-grams &amp; co.</title><year>2018</year>
<volume>abs/1807.04271</volume><journal>CoRR</journal></article>"""
BOOK = """<book key="books/daglib/0023376"><editor>Jane Doe</editor><title>A book.</title><year>2009</year>
<publisher>MIT Press</publisher><isbn>978-0-262-03384-8</isbn></book>"""
THESIS = """<phdthesis key="phd/de/Doe2001"><author>Jane Doe</author><title>A thesis.</title><year>2001</year>
<school>University of Nowhere</school></phdthesis>"""
TOOL = (
    """<data publtype="software" key="data/10/Doe20"><author>Jane Doe</author><title>A tool.</title></data>"""
)
DOE = (Name("Doe", "Jane"),)
ELEMENTS = [
    (
        CACM,
        "Jim Gray, astronomer",
        (Name("Szalay", "Alexander S."),),
        Version(2008, "Commun. ACM", Kind.UNKNOWN, "51", "11", "58-65"),
        Kind.ARTICLE,
        (),
    ),
    (
        CORR,
        "H2O, n-grams & co",
        (Name("Sun", "Jian"),),
        Version(2018, "CoRR", Kind.PREPRINT),
        Kind.PREPRINT,
        ("withdrawn",),
    ),
    (BOOK, "A book", DOE, Version(2009), Kind.BOOK, ()),
    (THESIS, "A thesis", DOE, Version(2001, "University of Nowhere"), Kind.THESIS, ()),
    (TOOL, "A tool", DOE, Version(), Kind.SOFTWARE, ()),
]


@pytest.mark.parametrize(("xml", "title", "authors", "version", "kind", "marks"), ELEMENTS)
def test_an_element(xml, title, authors, version, kind, marks):
    record = dblp.make_element_record(etree.fromstring(xml))
    assert record.titles == (title,)
    assert record.authors == authors
    assert record.versions == (version,)
    assert record.kind is kind
    assert record.marks == marks


@pytest.mark.parametrize(
    ("xml", "pair"),
    [
        (CACM, ("doi", "10.1145/1400214.1400231")),
        (CORR, ("arxiv", "1807.04271")),
        (BOOK, ("isbn", "9780262033848")),
    ],
)
def test_identifiers_of_an_element(xml, pair):
    assert pair in dblp.make_element_record(etree.fromstring(xml)).ids.pairs


def row(**cells: str) -> dict[str, dict[str, str]]:
    return {name.rstrip("_"): {"type": "literal", "value": value} for name, value in cells.items()}


PUB = "https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17"
SCHEMA = "https://dblp.org/rdf/schema#"


def test_rows_are_folded():
    base = {"pub": PUB, "title": "Attention is All you Need.", "year": "2017", "venue": "NIPS"}
    found = dblp.make_row_records(
        [
            row(**base, class_=f"{SCHEMA}Inproceedings", ord="10", name="Illia Polosukhin"),
            row(**base, class_=f"{SCHEMA}Inproceedings", ord="2", name="Noam Shazeer"),
            row(**base, class_=f"{SCHEMA}Inproceedings", ord="1", name="Ashish Vaswani"),
            row(pub="https://dblp.org/rec/phd/us/Doe01", title="Another.", type="http://x/bibtex#Phdthesis"),
        ]
    )
    assert [record.title for record in found] == ["Attention is All you Need", "Another"]
    assert [name.family for name in found[0].authors] == ["Vaswani", "Shazeer", "Polosukhin"]
    assert found[0].versions == (Version(2017, "NIPS"),)
    assert [record.kind for record in found] == [Kind.ARTICLE, Kind.THESIS]


def test_a_withdrawn_row():
    base = {"pub": PUB, "title": "T.", "ord": "1", "name": "A B"}
    rows = [row(**base, class_=f"{SCHEMA}Withdrawn"), row(**base, class_=f"{SCHEMA}Article")]
    (record,) = dblp.make_row_records(rows)
    assert (record.kind, record.marks) == (Kind.ARTICLE, ("withdrawn",))


@pytest.mark.parametrize(
    "info", [None, 5, [], {}, {"key": "conf/x/Y"}, {"title": "T"}, {"key": "nonsense", "title": "T"}]
)
def test_what_is_no_publication(info):
    assert dblp.make_record(info) is None


FIELDS = "key title authors venue year type doi ee volume number pages publisher"


@given(objects(FIELDS.split(), "author", "text"))
def test_any_types_in_a_hit(item):
    dblp.make_record({"key": "conf/x/Y", "title": "A title", **item})


@given(st.lists(values("pub", "title", "value", "ord", "name", "class"), max_size=4))
def test_any_types_in_rows(bindings):
    dblp.make_row_records(bindings)
    dblp.make_row_records([{**row(pub=PUB, title="T"), **one} for one in bindings if isinstance(one, dict)])


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_in_rows(one, other):
    dblp.make_row_records(
        [row(pub=PUB, title=one, ord=other, name=one, doi=other, page=one, year=other, pages=one)]
    )
