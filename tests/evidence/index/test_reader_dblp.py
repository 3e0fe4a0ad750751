"""The reader of `dblp.xml`."""

from __future__ import annotations

import gzip
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from citeproof.evidence.index.readers.base import BadRecord
from citeproof.evidence.index.readers.dblp import READER
from citeproof.laboratory.testing.apis.dblp import build_dblp_element
from citeproof.vocabulary import Ids, Kind, Name, Record, Version
from tests.evidence.index.dumps import build_dblp_dump

WORKS = [
    Record(
        "dblp",
        "dblp:conf/nips/VaswaniSPUJGKP17",
        ("Attention is All you Need",),
        (Name("Vaswani", "Ashish"), Name("Shazeer", "Noam"), Name("Kaiser", "Lukasz")),
        versions=(Version(2017, "NIPS", pages="5998-6008"),),
        kind=Kind.ARTICLE,
        ids=Ids((("dblp", "conf/nips/VaswaniSPUJGKP17"),)),
    ),
    Record(
        "dblp",
        "dblp:journals/corr/abs-1807-04271",
        ("Über größere Ñandús & <Æpfel> — 深度",),
        (Name("Müller", "Jörg"), Name("Łukasiewicz", "Jan")),
        versions=(Version(2018, "CoRR", Kind.PREPRINT),),
        kind=Kind.PREPRINT,
        ids=Ids((("dblp", "journals/corr/abs-1807-04271"), ("arxiv", "1807.04271"))),
        marks=("withdrawn",),
    ),
    Record(
        "dblp",
        "dblp:books/daglib/0023376",
        ("Introduction to Algorithms",),
        (Name("Cormen", "Thomas H."),),
        versions=(Version(2009),),
        kind=Kind.BOOK,
        publisher="MIT Press",
        ids=Ids((("dblp", "books/daglib/0023376"), ("isbn", "9780262033848"))),
    ),
]
HEAD = b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n'


def read(tmp_path: Path, data: bytes) -> list[Record | BadRecord]:
    path = tmp_path / "dblp.xml"
    path.write_bytes(data)
    return list(READER.read([path]))


@pytest.mark.parametrize("kind", ["", ".gz", ".zip"])
def test_what_was_written_is_read_back(kind, tmp_path):
    path = tmp_path / f"dblp.xml{kind}"
    data = build_dblp_dump(WORKS)
    assert data.isascii()
    assert b"&uuml;" in data
    if kind == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("dblp.xml.gz", gzip.compress(data))
    else:
        path.write_bytes(gzip.compress(data) if kind else data)
    assert list(READER.read([path])) == WORKS


def test_homepages_and_volumes_are_no_works(tmp_path):
    others = (
        b'<www key="homepages/1/2"><author>Jane Doe</author><title>Home Page</title></www>'
        b'<proceedings key="conf/nips/2017"><editor>Jane Doe</editor><title>Advances.</title></proceedings>'
        b'<person key="x"><title>x</title></person>'
    )
    data = build_dblp_dump(WORKS).replace(b"<dblp>", b"<dblp>" + others)
    assert read(tmp_path, data) == WORKS


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b'<article key="journals/x/Y"></article>', "publication journals/x/Y has no usable title"),
        (b"<article><title>T</title></article>", "publication None has no usable title"),
        (b'<article key="&#1234;"><title>T</title></article>', "has no usable title or key"),
        (b'<article key="journals/x/Y"><title>...</title></article>', "has no usable title"),
    ],
)
def test_a_bad_publication_costs_only_itself(bad, message, tmp_path):
    first, *rest = read(tmp_path, build_dblp_dump(WORKS).replace(b"<dblp>", b"<dblp>" + bad))
    assert isinstance(first, BadRecord)
    assert message in first.message
    assert first.place.line == 3
    assert rest == WORKS


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (HEAD + b"<dblp></dblp>", "holds no publications"),
        (HEAD + b"<dblp><article", "breaks off"),
        (b"", "breaks off"),
        (b"not XML", "breaks off"),
        (
            HEAD.replace(b'dtd">', b'dtd" [<!ENTITY x "y">]>') + build_dblp_dump(WORKS)[len(HEAD) :],
            "declares its own",
        ),
    ],
)
def test_a_file_that_is_none(data, message, tmp_path):
    (bad,) = read(tmp_path, data)
    assert message in bad.message
    assert bad.place.file.endswith("dblp.xml")


def test_no_file_beside_the_dump_is_read(tmp_path):
    (tmp_path / "dblp.dtd").write_text('<!ENTITY uuml "SPOILT">')
    assert read(tmp_path, build_dblp_dump(WORKS)) == WORKS


def test_letters_come_in_every_form(tmp_path):
    title = b"<title>&Uuml;&#252;&#xfc;\xfc &micro;&times;&reg; &amp;lt; &nosuch; x</title>"
    (record,) = read(tmp_path, HEAD + b'<dblp><article key="journals/x/Y">' + title + b"</article></dblp>")
    assert record.title == "Üüüü µ×® < &nosuch; x"


def test_an_entity_may_lie_across_two_pieces(tmp_path):
    names = "".join(f"<author>J{'x' * n} M&uuml;ller</author>" for n in range(1, 12))
    for pad in range(65_490, 65_536):
        body = f"<!--{'x' * pad}--><article key='journals/x/Y'>{names}<title>T</title></article>"
        (record,) = read(tmp_path, HEAD + f"<dblp>{body}</dblp>".encode())
        assert {name.family for name in record.authors} == {"Müller"}


def test_memory_stays_flat(tmp_path):
    path = tmp_path / "dblp.xml"
    inner = (
        build_dblp_element(WORKS[0]).encode()
        + b"\n"
        + b'<www key="homepages/1/2"><title>Home</title></www>\n'
    )
    path.write_bytes(HEAD + b"<dblp>\n" + inner * 6000 + b"</dblp>")
    peaks = []
    tracemalloc.start()
    try:
        for at, _ in enumerate(READER.read([path])):
            if at % 2000 == 1999:
                peaks.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert len(peaks) == 3
    assert peaks[2] < peaks[0] + 1_000_000
