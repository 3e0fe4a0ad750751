"""Where the records of a full-text segment are in the whole.

text/runs.json     of each segment, where a run of documents begins whose records follow each other, and the
                   number of its first record; snapshots of before 0.2 have none, and tantivy is asked
text/shards.json   of a snapshot that version 0.2 built by several processes: the segments of each shard,
                   which count from 0, and its runs: where each begins in the shard, and in the snapshot
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

import msgspec

from citeproof.evidence.index.manifest import make_damage_error
from citeproof.text.typed_decoding import decode_json

FILE = "shards.json"
RUNS = "runs.json"
META = "meta.json"


class SegmentRuns(msgspec.Struct, frozen=True):
    """The runs of one segment: the first document of each, ascending from 0, and the number of its record."""

    documents: tuple[int, ...]
    numbers: tuple[int, ...]

    def locate(self, document: int) -> int:
        at = bisect_right(self.documents, document) - 1
        return self.numbers[at] + document - self.documents[at]


class ShardText(msgspec.Struct, frozen=True):
    """The words of one shard: its segments, and where its runs of records begin here and there."""

    segments: tuple[str, ...]
    starts: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SegmentPlace:
    """How the numbers of a segment become ordinals of the snapshot."""

    shard: ShardText | None = None
    runs: SegmentRuns | None = None

    def locate(self, number: int) -> int:
        """Return the ordinal of the record that the segment calls `number`."""
        if self.shard is None:
            return number
        at = bisect_right(self.shard.starts, number) - 1
        return self.shard.places[at] + number - self.shard.starts[at]


def list_segments(folder: Path) -> list[str]:
    """Return the names of the segments in a folder of full text, in the order that tantivy has them."""
    try:
        segments = msgspec.json.decode((folder / META).read_bytes())["segments"]
        return [str(segment["segment_id"]).replace("-", "") for segment in segments]
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError) as error:
        raise make_damage_error(f"cannot be read: {error}", folder / META) from error


def place_segments(folder: Path) -> list[SegmentPlace]:
    shards: dict[str, ShardText] = {}
    path = folder / FILE
    if path.is_file():
        try:
            for shard in decode_json(path.read_bytes(), type=list[ShardText]):
                if not 0 < len(shard.starts) == len(shard.places):
                    raise make_damage_error("is damaged: runs without places", path)
                shards.update(dict.fromkeys(shard.segments, shard))
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise make_damage_error(f"is damaged: {error}", path) from error
    runs = load_runs(folder)
    return [SegmentPlace(shards.get(name), runs.get(name)) for name in list_segments(folder)]


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
