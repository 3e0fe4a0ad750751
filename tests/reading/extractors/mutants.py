"""Damaged copies of a document: cut short, bytes flipped, put in or taken out. The same ones every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from citeproof.errors import InputError
from citeproof.vocabulary import Document, Extraction
from tests.soak import scale_rounds

PIECES = (
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\n\n",
    b"@",
    b"%",
    b"\xff",
    b"\xe2\x80",
    b"```",
    b"---\n",
    b'"',
    b"  - ",
)


def mutants(data: bytes, number: int, seed: int) -> Iterator[bytes]:
    """Yield `number` damaged copies of `data` under `make soak`, else a fifth of that."""
    dice = random.Random(seed)
    for _ in range(scale_rounds(number)):
        at = dice.randrange(len(data) + 1)
        end = min(len(data), at + dice.randrange(1, 60))
        yield dice.choice(
            (
                data[:at],
                data[at:],
                data[:at] + data[end:],
                data[:at] + bytes([dice.randrange(1, 256)]) + data[at + 1 :],
                data[:at] + dice.choice(PIECES) * dice.randrange(1, 4) + data[at:],
                data[:at] + data[at:end] * 3 + data[end:],
            )
        )


def outcome(extract: Callable[[Document], Extraction], document: Document) -> Extraction | str:
    """Return what came out, or the mend of the one error that may be raised."""
    try:
        return extract(document)
    except InputError as error:
        return error.hint
