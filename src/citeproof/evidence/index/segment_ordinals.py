"""Where the records of a full-text segment are in the whole.

text/runs.json     of each segment, where a run of documents begins whose records follow each other, and the
                   number of its first record; snapshots of before 0.2 have none, and tantivy is asked
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

import msgspec

from citeproof.evidence.index.manifest import make_damage_error
from citeproof.text.typed_decoding import decode_json

RUNS = "runs.json"
META = "meta.json"


class SegmentRuns(msgspec.Struct, frozen=True):
    """The runs of one segment: the first document of each, ascending from 0, and the number of its record."""

    documents: tuple[int, ...]
    numbers: tuple[int, ...]

    def locate(self, document: int) -> int:
        at = bisect_right(self.documents, document) - 1
        return self.numbers[at] + document - self.documents[at]


def list_segments(folder: Path) -> list[str]:
    """Return the names of the segments in a folder of full text, in the order that tantivy has them."""
    try:
        segments = msgspec.json.decode((folder / META).read_bytes())["segments"]
        return [str(segment["segment_id"]).replace("-", "") for segment in segments]
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError) as error:
        raise make_damage_error(f"cannot be read: {error}", folder / META) from error


def load_runs(folder: Path) -> dict[str, SegmentRuns]:
    """Return the runs of the segments in a folder of full text, by the names of the segments."""
    path = folder / RUNS
    try:
        runs = decode_json(path.read_bytes(), type=dict[str, SegmentRuns])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise make_damage_error(f"is damaged: {error}", path) from error
    for segment in runs.values():
        if (
            len(segment.documents) != len(segment.numbers)
            or segment.documents[:1] != (0,)
            or min(segment.numbers) < 0
        ):
            raise make_damage_error("is damaged: runs that are none", path)
        if list(segment.documents) != sorted(set(segment.documents)):
            raise make_damage_error("is damaged: runs in no order", path)
    return runs


def write_runs(folder: Path, runs: dict[str, SegmentRuns]) -> None:
    """Write down the runs of the segments in a folder of full text."""
    (folder / RUNS).write_bytes(msgspec.json.encode(runs))
