"""Claims and the text of the work that each cites: quotations, numbers, directions, negations.

    {"claim": …, "source": {"text": …} | {"passages": […]} | {"file": …, "sha256": …}, "label": …, "kind": …}

`verbatim`, `agree` and `agrees` mean that the text says it so; `altered` and `differs` that it says something
else; `absent` that it does not say it. A file is plain text in UTF-8, in the folder of the benchmark or below
it. `places` are the offsets of the passage, if they are known. Intervals go by `collection`, else by source.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text, read_file_bytes
from citeproof.laboratory.measure.benchmark_rows import (
    BenchmarkCase,
    BenchmarkQuestion,
    BenchmarkTruth,
    ClaimLabel,
)
from citeproof.vocabulary import SourceText, TextExtent

LABELS = {
    "verbatim": ClaimLabel.AGREES, "agree": ClaimLabel.AGREES, "agrees": ClaimLabel.AGREES,
    "altered": ClaimLabel.DIFFERS, "differs": ClaimLabel.DIFFERS, "differ": ClaimLabel.DIFFERS,
    "absent": ClaimLabel.ABSENT,
}  # fmt: skip
_BREAK = "\n\n"  # between passages


def recognises(loaded: LoadedRows) -> bool:
    return loaded.has("claim", "source", "label")


def make_reader(loaded: LoadedRows) -> ClaimRowReader:
    return ClaimRowReader(loaded.path.parent)


class ClaimRowReader:
    """Reads claims; the text of a file is read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[tuple[str, str], SourceText | str] = {}

    def __call__(self, row: RowOf, at: int) -> BenchmarkCase | str:
        """Return one claim as a question, or what of it was not understood."""
        claim, word = get_text(row, "claim"), get_text(row, "label").lower()
        if not claim or word not in LABELS:
            return f"label is {word[:40]!r}, none of {', '.join(LABELS)}" if claim else "has no claim"
        source = self._read_source(row.get("source"))
        if isinstance(source, str):
            return source
        label, kind = LABELS[word], get_text(row, "kind") or "claim"
        if damage := get_text(row, "damage"):
            kind = f"{kind}: {damage}"
        key = get_text(row, "index", "id", "key") or str(at)
        group = get_text(row, "collection") or source.origin
        return BenchmarkCase(
            BenchmarkQuestion(key, "text", claim, group, source),
            BenchmarkTruth(
                label is not ClaimLabel.AGREES, label, kind, split=get_text(row, "split"),
                places=read_places(row.get("places")),
            ),
        )  # fmt: skip

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
