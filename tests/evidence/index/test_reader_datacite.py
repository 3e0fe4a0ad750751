"""DataCite's data file: what is written comes back, fields of wrong types do no harm."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from citeproof.evidence.index.readers.base import BadRecord, find_reader
from citeproof.evidence.index.readers.datacite import READER
from citeproof.evidence.upstream_records.datacite import make_record
from citeproof.laboratory.testing.apis.datacite import build_datacite_item
from citeproof.vocabulary import Kind, Record
from tests.evidence.sources.bending import bent
from tests.evidence.sources.shelved import ATTENTION, HIGGS, MALARIA


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    held = (MALARIA, ATTENTION, HIGGS)
    path = tmp_path / "part_0000.jsonl.gz"
    path.write_bytes(
        gzip.compress("".join(json.dumps(build_datacite_item(one)) + "\n" for one in held).encode())
    )
    found = [one for one in READER.read([path]) if isinstance(one, Record)]
    assert [(one.titles, one.authors) for one in found] == [(one.titles, one.authors) for one in held]
    assert [one.kind for one in found] == [Kind.DATASET, Kind.PREPRINT, Kind.PREPRINT]
    assert [one.versions[0].year for one in found] == [2011, 2017, 2012]
    assert [one.versions[0].venue for one in found] == ["Dryad", "arXiv", "arXiv"]
    assert found[1].ids.first("arxiv") == "1706.03762"
    assert find_reader("datacite") is READER
    assert "data sets" in READER.covers_note


def test_fields_of_wrong_types_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl"
    works = list(bent(build_datacite_item(HIGGS)))
    path.write_text("".join(json.dumps(work) + "\n" for work in works))
    found = list(READER.read([path]))
    assert len(found) == len(works)
    for made, work in zip(found, works, strict=True):
        assert isinstance(made, BadRecord) if make_record(work) is None else made == make_record(work)
