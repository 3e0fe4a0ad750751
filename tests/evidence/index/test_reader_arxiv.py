"""The reader of arXiv's metadata dump."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from citeproof.evidence.index.readers.arxiv import READER
from citeproof.evidence.index.readers.base import BadRecord
from citeproof.laboratory.testing.apis.arxiv import build_dump_line
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

PAPERS = [
    Record(
        "arxiv",
        "arxiv:1706.03762",
        ("Attention Is All You Need",),
        (Name("Vaswani", "Ashish"), Name("Shazeer", "Noam"), Name("van den Berg", "Jan", "Jr.")),
        versions=(
            Version(2017, "arXiv", Kind.PREPRINT),
            Version(2023, "arXiv", Kind.PREPRINT),
            Version(2017, "Advances in Neural Information Processing Systems", Kind.ARTICLE),
        ),
        kind=Kind.PREPRINT,
        ids=Ids((("arxiv", "1706.03762"),)),
    ),
    Record(
        "arxiv",
        "arxiv:math/0309136",
        ("Über die Riemannsche Vermutung",),
        (Name("Müller", "Jörg"), Name("LIGO Collaboration", collective=True)),
        versions=(Version(2003, "arXiv", Kind.PREPRINT),),
        kind=Kind.PREPRINT,
        ids=Ids((("arxiv", "math/0309136"), ("doi", "10.1007/s00220-003-0001-1"))),
        marks=("withdrawn",),
    ),
]
LINES = b"".join(json.dumps(build_dump_line(paper)).encode() + b"\n" for paper in PAPERS)


def written(folder: Path, kind: str) -> Path:
    path = folder / f"dump.json{kind}"
    if kind == ".gz":
        path.write_bytes(gzip.compress(LINES))
    elif kind == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("arxiv-metadata-oai-snapshot.json", LINES)
    else:
        path.write_bytes(LINES)
    return path


@pytest.mark.parametrize("kind", ["", ".gz", ".zip"])
def test_what_was_written_is_read_back(kind, tmp_path):
    assert list(READER.read([written(tmp_path, kind)])) == PAPERS


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"null",
        b'{"id": 5, "title": "x"}',
        b'{"id": "0704.0001"}',
        b'{"id": "0704.0001", "title": "x", "versions": "v1"}',
        b'{"id": "0704.0001", "title": "x", "authors_parsed": [["a", 5]]}',
        b'{"id": "nonsense", "title": "x"}',
        b'{"id": "0704.0001", "title": "..."}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_bad_line_costs_only_itself(line, tmp_path):
    path = tmp_path / "dump.json"
    path.write_bytes(line + b"\n\n" + LINES)
    bad, *rest = READER.read([path])
    assert isinstance(bad, BadRecord)
    assert bad.place.line == 1
    assert bad.place.file == str(path)
    assert rest == PAPERS


def test_every_version_is_dated(tmp_path):
    line = {
        "id": "0704.0001",
        "title": "A title",
        "versions": [
            {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
            {"version": "v2", "created": "Tue, 24 Jul 2007 20:10:27 GMT"},
            {"version": "v3", "created": "Wed, 1 Jan 2014 00:00:00 GMT"},
            {"version": "v4", "created": None},
        ],
        "update_date": "2014-01-02",
    }
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(line))
    (record,) = READER.read([path])
    assert [version.year for version in record.versions] == [2007, 2014]
