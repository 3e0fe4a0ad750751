"""Real documents out of the shared data; a test that needs them is skipped where they are not there."""

from __future__ import annotations

import io
import tarfile
from functools import cache
from pathlib import Path

import pytest
import zstandard

from citeproof.vocabulary import Document

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "documents"


@cache
def real(archive: str, suffix: str) -> tuple[Document, ...]:
    """Return the documents of an archive whose names end in `suffix`."""
    path = FOLDER / f"{archive}.tar.zst"
    if not path.exists():
        pytest.skip(f"no {path}")
    with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
        unpacked = io.BytesIO(stream.read())
    with tarfile.open(fileobj=unpacked) as archived:
        members = [one for one in archived if one.isfile() and one.name.endswith(suffix)]
        return tuple(Document(one.name, archived.extractfile(one).read()) for one in members)
