"""OpenAlex's snapshot, as JSON lines and as Parquet: what is written comes back."""

from __future__ import annotations

import builtins
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from citeproof.errors import InputError
from citeproof.evidence.index.readers.base import BadRecord, find_reader
from citeproof.evidence.index.readers.openalex import READER
from citeproof.evidence.upstream_records.openalex import make_record
from citeproof.laboratory.testing.apis.openalex import build_openalex_work
from citeproof.vocabulary import Record
from tests.evidence.sources.bending import bent
from tests.evidence.sources.shelved import ALL, RESNET

WORKS: list[dict[str, Any]] = [{**build_openalex_work(one), "abstract_inverted_index": None} for one in ALL]


def same(found: list[Record | BadRecord]) -> bool:
    records = [one for one in found if isinstance(one, Record)]
    return records == [make_record(work) for work in WORKS]


def test_lines(tmp_path: Path) -> None:
    path = tmp_path / "part_0000.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(work) + "\n" for work in WORKS).encode()))
    found = list(READER.read([path]))
    assert same(found)
    for made, wanted in zip(found, ALL, strict=True):
        assert isinstance(made, Record)
        assert (made.title, made.authors, made.kind) == (wanted.title, wanted.authors, wanted.kind)
        assert made.versions[0].year == wanted.versions[0].year
    assert find_reader("openalex") is READER
    assert "arXiv" in READER.covers_note


@pytest.mark.parametrize("nested", [True, False])
def test_parquet(tmp_path: Path, nested: bool) -> None:
    path = tmp_path / "part_0000.parquet"
    texts = ("authorships", "primary_location", "locations", "biblio", "ids")
    rows = [w if nested else {k: json.dumps(v) if k in texts else v for k, v in w.items()} for w in WORKS]
    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=3)
    assert same(list(READER.read([path])))


def test_parquet_reads_only_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.Table.from_pylist(WORKS), path)
    asked: list[str] = []
    real = parquet.ParquetFile.iter_batches

    def watched(self: Any, *args: Any, columns: list[str], **kwargs: Any) -> Any:
        asked.extend(columns)
        return real(self, *args, columns=columns, **kwargs)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", watched)
    assert same(list(READER.read([path])))
    assert not [name for name in asked if "affiliation" in name or "countries" in name or "cited_by" in name]


def test_a_parquet_row_without_a_title_is_a_bad_record(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = [{"id": "W1", "title": "A title"}, {"id": "W2", "title": None}, {"id": None, "title": "x"}]
    parquet.write_table(pa.Table.from_pylist(rows), path)
    found = list(READER.read([path]))
    assert [one.place.line for one in found if isinstance(one, BadRecord)] == [2, 3]
    assert isinstance(found[0], Record)


def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(InputError, match="is damaged"):
        list(READER.read([path]))
    with pytest.raises(InputError, match="no such file"):
        list(READER.read([tmp_path / "b.parquet"]))


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError) as caught:
        list(READER.read([tmp_path / "a.parquet"]))
    assert 'pip install "citeproof[parquet]"' in caught.value.hint


def test_fields_of_wrong_types_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    works = list(bent(build_openalex_work(RESNET)))
    path.write_text("".join(json.dumps(work) + "\n" for work in works))
    found = list(READER.read([path]))
    assert len(found) == len(works)
    for made, work in zip(found, works, strict=True):
        assert isinstance(made, BadRecord) if make_record(work) is None else made == make_record(work)
