"""What a snapshot knows about the world around its records: DOI prefixes and venue names.

facts.json        {"dois": n, "singletons": n, "prefixes": {prefix: count}}
venues.bin        n venue keys ascending (u64), then n counts (u32)
venue_names.bin   keys of other spellings of the venues' names, ascending (u64); older snapshots have none
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from citeproof.index.manifest import FileFact, make_damage_error
from citeproof.index.record_filing import make_name_keys, make_venue_key
from citeproof.typed_decoding import decode_json

FILES = ("facts.json", "venues.bin", "venue_names.bin")
ENOUGH_VENUES = 5_000  # fewer say nothing about which venues exist
_VENUE_ROW = 12  # bytes of a key and its count
MAX_ASKED = 10_000  # venue names whose answer is kept
ENOUGH_DOIS = 50_000  # fewer say nothing about which prefixes exist


class CountedFacts(Protocol):
    """What is counted of the records of a snapshot."""

    prefixes: Counter[str]
    venues: Counter[int]
    names: set[int]


def write_facts(folder: Path, tally: CountedFacts) -> None:
    """Write the three files."""
    prefixes = dict(sorted(tally.prefixes.items()))
    summary = {
        "dois": sum(prefixes.values()),
        "singletons": sum(count == 1 for count in prefixes.values()),
        "prefixes": prefixes,
    }
    (folder / "facts.json").write_text(json.dumps(summary, separators=(",", ":")), encoding="utf-8")
    venues = sorted(tally.venues.items())
    keys = np.array([key for key, _ in venues], "<u8")
    counts = np.array([count for _, count in venues], "<u4")
    (folder / "venues.bin").write_bytes(keys.tobytes() + counts.tobytes())
    names = np.sort(np.fromiter(tally.names, "<u8", len(tally.names)))
    (folder / "venue_names.bin").write_bytes(names.tobytes())


class PrefixFacts(msgspec.Struct):
    """What facts.json holds and is asked for."""

    dois: int
    prefixes: dict[str, int]


class KnownFacts:
    """The facts of an open snapshot, read when first asked for, and compared with their digests."""

    def __init__(self, folder: Path, files: Mapping[str, FileFact]) -> None:
        self._folder = folder
        self._files = files
        self._asked: dict[str, bool] = {}  # venue names, which documents repeat

    def _read(self, name: str, row: int = 1) -> bytes:
        """Return a file as it was built, which has rows of so many bytes."""
        path = self._folder / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise make_damage_error(f"cannot be read: {error.strerror}", path) from error
        known = self._files.get(name)
        if known is None or sha256(data).hexdigest() != known.sha256:
            raise make_damage_error("has changed since it was built: it is damaged", path)
        if len(data) % row:
            raise make_damage_error("has half a row at its end: it is damaged", path)
        return data

    @cached_property
    def _summary(self) -> PrefixFacts:
        try:
            return decode_json(self._read("facts.json"), type=PrefixFacts)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            what = f"has an unexpected format: {error}"
            raise make_damage_error(what, self._folder / "facts.json") from error

    @cached_property
    def _venues(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        data = self._read("venues.bin", _VENUE_ROW)
        count = len(data) // _VENUE_ROW
        return np.frombuffer(data, "<u8", count), np.frombuffer(data, "<u4", count, 8 * count)

    @cached_property
    def _names(self) -> npt.NDArray[np.uint64] | None:
        if "venue_names.bin" not in self._files:
            return None
        return np.frombuffer(self._read("venue_names.bin", 8), "<u8")

    def knows_doi_prefix(self, prefix: str) -> bool | None:
        """Return whether some record's DOI has this prefix; None when there are too few to tell."""
        if self._summary.dois < ENOUGH_DOIS:
            return None
        return prefix in self._summary.prefixes

    def knows_venue(self, name: str) -> bool | None:
        """Return whether some record appeared in this venue; None when there are too few to tell."""
        if not name or len(self._venues[0]) < ENOUGH_VENUES:
            return None
        return self.venue_count(name) > 0

    @property
    def tells_venues(self) -> bool:
        """Whether it has enough venues for its silence about one to be worth telling."""
        held = self._files.get("venues.bin")
        return held is not None and held.bytes // _VENUE_ROW >= ENOUGH_VENUES

    @property
    def has_venue_names(self) -> bool:
        """Whether it knows its venues in all their spellings."""
        return "venue_names.bin" in self._files

    def finds_venue_name(self, name: str) -> bool:
        """Return whether some record appeared in a venue of this name, in whatever spelling."""
        known = self._asked.get(name)
        if known is None:
            if len(self._asked) >= MAX_ASKED:
                self._asked.clear()
            known = self._asked[name] = self._search_venue_name(name)
        return known

    def _search_venue_name(self, name: str) -> bool:
        if self.venue_count(name):
            return True
        known = self._names
        if known is None:
            return False
        wanted = np.array(make_name_keys(name), np.uint64)
        at = known.searchsorted(wanted)
        return bool(np.any(known[np.minimum(at, len(known) - 1)] == wanted)) if len(known) else False

    def venue_count(self, name: str) -> int:
        """Return how many records name exactly this venue, case and punctuation aside."""
        keys, counts = self._venues
        wanted = make_venue_key(name)
        at = int(keys.searchsorted(np.uint64(wanted)))
        return int(counts[at]) if at < len(keys) and int(keys[at]) == wanted else 0
