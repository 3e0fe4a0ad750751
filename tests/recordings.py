"""The recorded answers of the development data, read from their archives; skips where they are absent."""

from __future__ import annotations

import base64
import fnmatch
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
import zstandard

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "recordings"


class Taped(NamedTuple):
    """One recorded exchange."""

    name: str
    url: str
    status: int
    headers: dict[str, str]
    body: bytes


def recorded(archive: str, pattern: str = "*") -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of the files of an archive whose names fit `pattern`."""
    path = FOLDER / f"{archive}.tar.zst"
    if not path.exists():
        pytest.skip("the development data with recorded answers is not here")
    data = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            if member.isfile() and fnmatch.fnmatch(member.name, pattern):
                file = tar.extractfile(member)
                assert file is not None
                yield member.name, file.read()


def cassettes(archive: str, pattern: str = "*.y*ml") -> Iterator[Taped]:
    """Yield the exchanges of VCR cassettes (vcrpy's and VCR's form)."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for name, data in recorded(archive, pattern):
        tape = yaml.load(data, Loader=loader)
        for turn in tape.get("interactions") or tape.get("http_interactions") or ():
            response = turn["response"]
            status = response["status"]
            headers = {
                k.lower(): v[0] if isinstance(v, list) else str(v) for k, v in response["headers"].items()
            }
            yield Taped(
                name, turn["request"]["uri"], int(status["code"]), headers, _bytes(response.get("body"))
            )


def _bytes(body: object) -> bytes:
    if isinstance(body, dict):
        if "base64_string" in body:
            return base64.b64decode(body["base64_string"])
        body = body.get("string", "")
    return body if isinstance(body, bytes) else str(body or "").encode()
