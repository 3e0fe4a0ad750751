"""Files damaged at random, the same way every time: cut off, bytes flipped, pieces put in or doubled."""

from __future__ import annotations

import random
from collections.abc import Iterator

from citeproof.errors import InputError
from citeproof.vocabulary import Document, Extraction, Extractor
from tests.soak import scale_rounds

_PIECES = (
    b"\0", b"\xff\xfe", b"<", b">", b"&", b"&nbsp;", b"<!ENTITY x 'y'>", b"]]>", b"<!--", b"\r", b"\n\n",
    b"  - ", "\u202e\ufeff".encode(), b"9" * 400, b"(" * 300, b"<a>" * 300,
)  # fmt: skip


def damaged(data: bytes, number: int = 300, seed: int = 4) -> Iterator[bytes]:
    """Yield `number` damaged copies of `data` under `make soak`, else a fifth of that."""
    chance = random.Random(seed)
    for _ in range(scale_rounds(number)):
        at, to = sorted((chance.randrange(len(data)), chance.randrange(len(data))))
        match chance.randrange(5):
            case 0:
                yield data[:at]
            case 1:
                yield data[:at] + bytes((chance.randrange(256),)) + data[at + 1 :]
            case 2:
                yield data[:at] + chance.choice(_PIECES) + data[at:]
            case 3:
                yield data[:at] + data[to:]
            case _:
                yield data[:to] + data[at:]


def survives(one: Extractor, data: bytes, number: int = 300) -> int:
    """Return how many damaged copies still gave references."""
    return sum(has_references(one, copy) for copy in damaged(data, number))


def has_references(one: Extractor, data: bytes) -> bool:
    """Return whether a damaged file gave references; nothing but an InputError with a hint may be raised."""
    document = Document("damaged", data)
    assert 0 <= one.recognises(document) <= 1
    try:
        extraction = one.extract(document)
    except InputError as error:
        assert error.message and error.hint  # noqa: PT017, PT018 - either is right
        return False
    assert isinstance(extraction, Extraction)
    assert all(reference.key and len(reference.text) <= 20_000 for reference in extraction.references)
    return bool(extraction.references)
