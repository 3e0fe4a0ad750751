"""Claims and the text of the work that each cites: quotations, numbers, directions, negations.

    {"claim": …, "source": {"text": …} | {"passages": […]} | {"file": …, "sha256": …}, "label": …, "kind": …}

`verbatim`, `agree` and `agrees` mean that the text says it so; `altered` and `differs` that it says something
else; `absent` that it does not say it. A file is plain text in UTF-8, in the folder of the benchmark or below
it. `places` are the offsets of the passage, if they are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters.row_file import RowOf, get_text, load_rows, read_file_bytes
from citeproof.vocabulary import SourceText, TextExtent


class ClaimLabel(StrEnum):
    """What a source's text says about a claim, as far as a benchmark can know it."""

    AGREES = "agrees"  # the words, numbers, direction and negation of the text; no word on whether it is true
    DIFFERS = "differs"  # one of them is another
    ABSENT = "absent"  # it is not in the text


LABELS = {
    "verbatim": ClaimLabel.AGREES, "agree": ClaimLabel.AGREES, "agrees": ClaimLabel.AGREES,
    "altered": ClaimLabel.DIFFERS, "differs": ClaimLabel.DIFFERS, "differ": ClaimLabel.DIFFERS,
    "absent": ClaimLabel.ABSENT,
}  # fmt: skip
_BREAK = "\n\n"  # between passages


@dataclass(frozen=True, slots=True)
class SourcedClaim:
    """One claim, the text that it is about, and what is known of it."""

    claim: str
    source: SourceText
    label: ClaimLabel
    kind: str
    places: tuple[tuple[int, int], ...]


def read_sourced_claims(path: Path) -> list[SourcedClaim]:
    """Return the claims of a file; InputError with the line of one that cannot be read."""
    reader = ClaimRowReader(path.parent)
    claims: list[SourcedClaim] = []
    for number, row in enumerate(load_rows(path).rows, 1):
        claim = reader.read_row(row)
        if isinstance(claim, str):
            hint = "docs/benchmarks.md shows what a line has"
            raise InputError(claim, place=f"{path}:{number}", hint=hint)
        claims.append(claim)
    return claims


class ClaimRowReader:
    """Reads claims; the text of a file is read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[tuple[str, str], SourceText | str] = {}

    def read_row(self, row: RowOf) -> SourcedClaim | str:
        """Return one claim, or what of it was not understood."""
        claim, word = get_text(row, "claim"), get_text(row, "label").lower()
        if not claim or word not in LABELS:
            return f"label is {word[:40]!r}, none of {', '.join(LABELS)}" if claim else "has no claim"
        source = self._read_source(row.get("source"))
        if isinstance(source, str):
            return source
        kind = ": ".join(filter(None, (get_text(row, "kind") or "claim", get_text(row, "damage"))))
        return SourcedClaim(claim, source, LABELS[word], kind, read_places(row.get("places")))

    def _read_source(self, stated: object) -> SourceText | str:
        """Return the text of a row's source, or what is wrong with it."""
        if isinstance(stated, str):
            stated = {"text": stated}
        if not isinstance(stated, dict):
            return "source is no object with text, passages or file"
        name, digest = get_text(stated, "file"), get_text(stated, "sha256")
        if name:
            if (name, digest) not in self._texts:
                self._texts[name, digest] = self._read_file(name, digest)
            return self._texts[name, digest]
        passages = stated.get("passages")
        text = stated.get("text") if passages is None else passages
        if isinstance(text, list) and all(isinstance(passage, str) for passage in text):
            text = _BREAK.join(text)
        if not isinstance(text, str) or not text.strip():
            return "source has no text, passages or file"
        return SourceText(TextExtent.FULL_TEXT, sha256(text.encode()).hexdigest()[:16], text)

    def _read_file(self, name: str, digest: str) -> SourceText | str:
        path = self._folder / name
        if not path.resolve().is_relative_to(self._folder.resolve()):
            return "source file is outside the folder of the benchmark"
        try:
            data = read_file_bytes(path)
        except InputError as error:
            return f"source file {error.message}"
        actual = sha256(data).hexdigest()
        if digest and digest != actual:
            return "source file is another than the one that the benchmark was made from (sha256)"
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return "source file is not plain text in UTF-8"
        return SourceText(TextExtent.FULL_TEXT, name, text, sha256=actual)


def read_places(stated: object) -> tuple[tuple[int, int], ...]:
    """Return pairs of offsets; what is none is left out."""
    pairs = stated if isinstance(stated, list) else ()
    whole = (pair for pair in pairs if isinstance(pair, list) and len(pair) == 2)
    return tuple((a, b) for a, b in whole if isinstance(a, int) and isinstance(b, int))
