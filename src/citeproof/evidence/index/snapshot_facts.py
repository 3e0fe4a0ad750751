"""What a snapshot knows about the world around its records: DOI prefixes and venue names.

facts.json        {"dois": n, "singletons": n, "prefixes": {prefix: count}}
venues.bin        n venue keys ascending (u64), then n counts (u32)
venue_names.bin   keys of other spellings of the venues' names, ascending (u64); older snapshots have none

While a build reads, what is counted also is in three files, `prefixes` (one per line), `venues` and `names`
(one key, u64, after another). They are how a build that was stopped knows its counts: they grow with the
records, where the counters would have to be written whole each time.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import msgspec

from citeproof.evidence.index.growing_files import GrowingFiles
from citeproof.evidence.index.manifest import FileFact, make_damage_error
from citeproof.evidence.index.signature_keys import VENUE, hash_text
from citeproof.text.title import make_title_key
from citeproof.text.typed_decoding import decode_json
from citeproof.text.venue_key import list_name_keys

FILES = ("facts.json", "venues.bin", "venue_names.bin")
ENOUGH_VENUES = 5_000  # fewer say nothing about which venues exist
_VENUE_ROW = 12  # bytes of a key and its count
MAX_ASKED = 10_000  # venue names whose answer is in memory
ENOUGH_DOIS = 50_000  # fewer say nothing about which prefixes exist
NAMES = ("prefixes", "venues", "names")
_AT_ONCE = 1 << 23  # bytes of keys recounted at a time


def make_venue_key(venue: str) -> int:
    """Return the key under which a venue's name is counted."""
    return hash_text(VENUE, make_title_key(venue))


def make_name_keys(venue: str) -> list[int]:
    """Return the keys under which other spellings of a venue's name are known."""
    return [hash_text(VENUE, f"~{key}") for key in list_name_keys(venue)]  # no title has a tilde in its key


def write_facts(folder: Path, tally: FactTally) -> None:
    prefixes = dict(sorted(tally.prefixes.items()))
    summary = {
        "dois": sum(prefixes.values()),
        "singletons": sum(count == 1 for count in prefixes.values()),
        "prefixes": prefixes,
    }
    (folder / "facts.json").write_text(json.dumps(summary, separators=(",", ":")), encoding="utf-8")
    venues = sorted(tally.venues.items())
    keys, counts = array("Q", [key for key, _ in venues]), array("I", [count for _, count in venues])
    (folder / "venues.bin").write_bytes(keys.tobytes() + counts.tobytes())
    (folder / "venue_names.bin").write_bytes(array("Q", sorted(tally.names)).tobytes())


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
            problem = f"has an unexpected format: {error}"
            raise make_damage_error(problem, self._folder / "facts.json") from error

    @cached_property
    def _venues(self) -> tuple[memoryview[int], memoryview[int]]:
        data = memoryview(self._read("venues.bin", _VENUE_ROW))
        end = len(data) // _VENUE_ROW * 8
        return data[:end].cast("Q"), data[end:].cast("I")

    @cached_property
    def _names(self) -> memoryview[int] | None:
        if "venue_names.bin" not in self._files:
            return None
        return memoryview(self._read("venue_names.bin", 8)).cast("Q")

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
        """Whether it has enough venues for its silence about one to be worth something."""
        fact = self._files.get("venues.bin")
        return fact is not None and fact.bytes // _VENUE_ROW >= ENOUGH_VENUES

    @property
    def has_venue_names(self) -> bool:
        """Whether it knows its venues in all their spellings."""
        return "venue_names.bin" in self._files

    @property
    def tells_names(self) -> bool:
        """Whether its silence about a venue's name, in whatever spelling, means something."""
        return self.tells_venues and self.has_venue_names

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
        return any(_find_key(known, key) is not None for key in make_name_keys(name))

    def venue_count(self, name: str) -> int:
        """Return how many records name exactly this venue, case and punctuation aside."""
        keys, counts = self._venues
        at = _find_key(keys, make_venue_key(name))
        return 0 if at is None else counts[at]


def _find_key(keys: memoryview[int], wanted: int) -> int | None:
    """Return where a key is among those ascending; None if it is not."""
    at = bisect_left(keys, wanted)
    return at if at < len(keys) and keys[at] == wanted else None


class FactTally:
    """Counts DOI prefixes and venue keys, collects venue names; continues from `lengths` of its files."""

    def __init__(self, folder: Path, lengths: Sequence[int] = ()) -> None:
        folder.mkdir(exist_ok=True)
        self.file = GrowingFiles(list_tally_files(folder), lengths)
        self.prefixes: Counter[str] = Counter()
        self.venues: Counter[int] = Counter()
        self.names: set[int] = set()
        if any(lengths):
            self._recount()

    def add(self, prefixes: Sequence[str], venues: Sequence[int], names: Sequence[int] = ()) -> None:
        """Count what a batch of records names."""
        self.prefixes.update(prefixes)
        self.venues.update(venues)
        self.names.update(names)
        first, second, third = self.file.files
        first.write("".join([f"{prefix}\n" for prefix in prefixes]).encode())
        second.write(array("Q", venues).tobytes())
        third.write(array("Q", names).tobytes())

    def _recount(self) -> None:
        first, second, third = self.file.paths
        with first.open("rb") as lines:
            counted = Counter(lines)
        self.prefixes = Counter({line[:-1].decode(): count for line, count in counted.items()})
        self.venues.update(_read_keys(second))
        self.names.update(_read_keys(third))


def _read_keys(path: Path) -> Iterator[int]:
    with path.open("rb") as keys:
        while some := keys.read(_AT_ONCE):
            yield from memoryview(some).cast("Q")


def list_tally_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of a tally in `folder`."""
    return tuple(folder / name for name in NAMES)
