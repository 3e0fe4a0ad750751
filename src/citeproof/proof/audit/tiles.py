"""The tree as files (c2sp.org/tlog-tiles): 256 hashes or entries a file, read and extended at the right edge.

    tile/<level>/<number>[.p/<width>]      hashes of the complete subtrees of 256**level leaves, 32 bytes each
    tile/entries/<number>[.p/<width>]      entries, each behind its length (two bytes, big-endian)

A file is written once: a tile that is not full yet has a file of its own for each width. So nothing that a
signed checkpoint covers is ever written again, and `extend_tree` after a crash finds its own files or writes
them.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from errno import EFBIG, EINVAL, ELOOP
from itertools import chain, islice
from pathlib import Path

from citeproof.errors import AuditError
from citeproof.plumbing.disk_files import NOFOLLOW, read_plain_file, sync_folder, write_all
from citeproof.proof.audit import merkle
from citeproof.proof.audit.log_state import make_folder
from citeproof.proof.audit.merkle import Hashes
from citeproof.text import lazy_patterns as re

WIDTH = 256  # hashes in a tile, entries in a bundle
LARGEST = 65_535  # bytes of an entry: its length is in two bytes

_LEVELS = 8  # 256**8 leaves: more than any checkpoint can state
_KEPT = 64  # tiles stored in memory by a reader
_AT_ONCE = 128  # files written before they are synced together: far fewer syncs of the disk, few open files
_THREADS = 16
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NOFOLLOW
_PARTIAL = re.compile(r"[1-9][0-9]{0,2}(\.tmp)?", re.ASCII)
_HINT = "restore the folder from a copy, or run `citeproof audit verify` to see what can still be proved"

File = tuple[str, bytes]  # a place in the log's folder, and what is there


def make_tile_path(level: int | None, number: int, width: int = WIDTH) -> str:
    """Where a tile (None: a bundle of entries) is in the folder of the log."""
    if number < 0 or not 1 <= width <= WIDTH or not (level is None or 0 <= level <= 63):
        raise ValueError(f"the tree has no tile {number} of width {width} on level {level}")
    groups = f"{number % 1000:03d}"
    while number := number // 1000:
        groups = f"x{number % 1000:03d}/{groups}"
    partial = "" if width == WIDTH else f".p/{width}"
    return f"tile/{'entries' if level is None else level}/{groups}{partial}"


def pack_bundle(entries: Iterable[bytes]) -> bytes:
    """The entries as the bytes of a bundle; ValueError when one is too long."""
    try:
        return b"".join([len(entry).to_bytes(2, "big") + entry for entry in entries])
    except OverflowError:
        raise ValueError(f"an entry has more than {LARGEST} bytes") from None


def unpack_bundle(data: bytes) -> list[bytes]:
    """The entries of a bundle; ValueError when it is cut off."""
    entries = []
    at, end = 0, len(data)
    while at < end:
        start = at + 2
        at = start + (data[at] << 8) + data[start - 1] if start <= end else end + 1
        entries.append(data[start:at])
    if at != end:
        raise ValueError("a bundle of entries is cut off")
    return entries


class Tiles:
    """A log's tiles, read: hashes, entries and bundles of every size the tree ever had.

    What is missing or has a wrong shape is an AuditError that names the file. No link is followed. The hashes
    are not checked against each other here: that is for anyone who has a signed root.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tiles: OrderedDict[tuple[int, int, int], list[list[bytes]]] = OrderedDict()
        self._bundle: tuple[int, int, list[bytes]] = (-1, 0, [])
        self._safe: set[str] = set()

    def hashes(self, size: int) -> Hashes:
        """How to read the tree of the first `size` leaves: (level, index) -> hash."""

        def read(level: int, index: int) -> bytes:
            if not 0 <= level < 64 or index < 0 or (index + 1) << level > size:
                raise ValueError(f"subtree {index} of level {level} is not complete in a tree of {size}")
            above, rows = divmod(level, 8)
            number, place = divmod(index << rows, WIDTH)
            return self._rows(above, number, _compute_width(size, above, number))[rows][place >> rows]

        return read

    def leaf(self, index: int, size: int) -> bytes:
        return self.hashes(size)(0, index)

    def entry(self, index: int, size: int) -> bytes:
        """Entry `index`, not checked against its hash."""
        if not 0 <= index < size:
            raise ValueError(f"entry {index} is not in a log of {size}")
        number, place = divmod(index, WIDTH)
        width = _compute_width(size, 0, number)
        if self._bundle[:2] != (number, width):
            self._bundle = (number, width, self.bundle(number, width))
        return self._bundle[2][place]

    def bundles(self, size: int, start: int = 0) -> Iterator[list[bytes]]:
        """The entries from `start` to `size`, a list for each bundle."""
        for number in range(start // WIDTH, -(-size // WIDTH)):
            entries = self.bundle(number, _compute_width(size, 0, number))
            skipped = start - number * WIDTH
            yield entries[skipped:] if skipped > 0 else entries

    def bundle(self, number: int, width: int = WIDTH) -> list[bytes]:
        """The first `width` entries of a bundle."""
        data, wide = self._read(None, number, width)
        try:
            entries = unpack_bundle(data)
        except ValueError:
            entries = []
        if len(entries) != wide:
            place = make_tile_path(None, number, wide)
            raise AuditError(f"it does not have the expected {wide} entries", place=place, hint=_HINT)
        return entries[:width] if wide > width else entries

    def tile(self, level: int, number: int, width: int = WIDTH) -> list[bytes]:
        """The first `width` hashes of a tile."""
        data, wide = self._read(level, number, width)
        if len(data) != wide * merkle.SIZE:
            place = make_tile_path(level, number, wide)
            raise AuditError(f"it does not have the expected {wide} hashes", place=place, hint=_HINT)
        return [data[at : at + merkle.SIZE] for at in range(0, width * merkle.SIZE, merkle.SIZE)]

    def _rows(self, level: int, number: int, width: int) -> list[list[bytes]]:
        """A tile and the rows above it, up to the one hash of a full tile."""
        key = (level, number, width)
        if key in self._tiles:
            self._tiles.move_to_end(key)
            return self._tiles[key]
        rows = [self.tile(level, number, width)]
        while len(rows) < 8:
            rows.append(merkle.hash_row_above(rows[-1][: len(rows[-1]) & ~1]))
        self._tiles[key] = rows
        if len(self._tiles) > _KEPT:
            self._tiles.popitem(last=False)
        return rows

    def _read(self, level: int | None, number: int, width: int) -> tuple[bytes, int]:
        """The bytes of the narrowest file that has `width`, and how wide that is."""
        for wide in chain([width], self._list_wider(level, number, width)):
            data = self._bytes(make_tile_path(level, number, wide), level)
            if data is not None:
                return data, wide
        raise AuditError(
            "this part of the tree is missing", place=make_tile_path(level, number, width), hint=_HINT
        )

    def _list_wider(self, level: int | None, number: int, width: int) -> Iterator[int]:
        """The widths of what took the place of a partial tile: of wider ones, then of the full one."""
        if width == WIDTH:
            return
        with suppress(OSError):
            names = [file.name for file in (self._folder / f"{make_tile_path(level, number)}.p").iterdir()]
            widths = sorted(_parse_width(name) for name in names if not name.endswith(".tmp"))
            yield from (wide for wide in widths if width < wide < WIDTH)
        yield WIDTH

    def _bytes(self, place: str, level: int | None) -> bytes | None:
        """What is in our own file, None when there is none."""
        self._check_inside(place.rpartition("/")[0])
        most = WIDTH * (LARGEST + 2 if level is None else merkle.SIZE)
        try:
            return read_plain_file(self._folder / place, most)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise AuditError(f"it cannot be read: {error.strerror}", place=place, hint=_HINT) from error

    def _check_inside(self, parent: str) -> None:
        """Nothing, when the folder `parent` is reached without leaving the log by a link."""
        if parent in self._safe:
            return
        base = os.path.realpath(self._folder)
        if os.path.realpath(self._folder / parent) != os.path.join(base, parent):  # noqa: PTH118 - strings only
            raise AuditError("a link leads out of the log", place=parent, hint="remove the link")
        self._safe.add(parent)


def extend_tree(folder: Path, size: int, new: Sequence[bytes]) -> bytes:
    """The root of the tree of `size` entries grown by `new`, whose files are all on disk by then.

    Reads at most one tile a level. Files that are there already must be the same, byte for byte.
    """
    if size < 0 or max(map(len, new), default=0) > LARGEST:
        raise ValueError(f"a tree of {size}, or an entry of more than {LARGEST} bytes")
    tiles = Tiles(folder)
    number, width = divmod(size, WIDTH)
    old = _read_last_bundle(tiles, number, width) if width else []
    levels = list(_make_hash_files(tiles, size, merkle.hash_leaves(new)))
    try:
        _write_files(folder, chain(_make_entry_files(number, old, new), *(files for files, _ in levels)))
    except OSError as error:
        message = f"the tree cannot be written: {error.strerror}"
        hint = "free some disk space or make the folder writable, then try again: nothing is lost"
        raise AuditError(message, place=str(error.filename or folder), hint=hint) from error
    root = None
    for _, edge in levels:
        row = edge if root is None else [*edge, root]
        root = merkle.compute_root(row) if row else None
    return merkle.EMPTY if root is None else root


def _read_last_bundle(tiles: Tiles, number: int, width: int) -> list[bytes]:
    """The entries of the last bundle, copied into the next one: only if they are those of the tree."""
    entries = tiles.bundle(number, width)
    if merkle.hash_leaves(entries) != tiles.tile(0, number, width):
        raise AuditError(
            "its entries do not match the tree", place=make_tile_path(None, number, width), hint=_HINT
        )
    return entries


def _make_entry_files(number: int, old: list[bytes], new: Sequence[bytes]) -> Iterator[File]:
    """The bundles that `new` fills or begins, behind the `old` entries of the first."""
    for start in range(-len(old), len(new), WIDTH):
        entries = new[start : start + WIDTH] if start >= 0 else [*old, *new[: start + WIDTH]]
        if new:
            yield make_tile_path(None, number, len(entries)), pack_bundle(entries)
        number += 1


def _make_hash_files(
    tiles: Tiles, size: int, leaves: list[bytes]
) -> Iterator[tuple[list[File], list[bytes]]]:
    """For each level: the files to write, and the hashes of its last tile when that is not full."""
    row = leaves
    for level in range(_LEVELS):
        count = size >> (8 * level)
        if not count and not row:
            return
        number, width = divmod(count, WIDTH)
        edge = tiles.tile(level, number, width) if width else []
        hashes = edge + row if row else edge
        files = []
        above = []
        for start in range(0, len(hashes) if row else 0, WIDTH):
            tile = hashes[start : start + WIDTH]
            files.append((make_tile_path(level, number + start // WIDTH, len(tile)), b"".join(tile)))
            if len(tile) == WIDTH:
                above.append(merkle.compute_root(tile))
        yield files, hashes[len(hashes) // WIDTH * WIDTH :]
        row = above


def remove_partial_tiles(folder: Path, old_size: int, new_size: int) -> None:
    """Remove the partial tiles that the tree of `new_size` has wider or full, where those are there."""
    for level in (None, *range(_LEVELS)):
        old, new = (size >> (8 * (level or 0)) for size in (old_size, new_size))
        for number in range(old // WIDTH, -(-new // WIDTH)):
            _remove_narrower(folder, level, number, min(WIDTH, new - number * WIDTH))


def _remove_narrower(folder: Path, level: int | None, number: int, width: int) -> None:
    """Remove what the file of `width` took the place of, and what a crash left next to it."""
    with suppress(OSError):
        partial = folder / f"{make_tile_path(level, number)}.p"
        narrower = [file for file in partial.iterdir() if _parse_width(file.name) < width]
        if narrower and (folder / make_tile_path(level, number, width)).is_file():
            for file in narrower:
                file.unlink()
        if width == WIDTH:
            partial.rmdir()


def _parse_width(name: str) -> int:
    """The width a file of a partial tile has (or would have had, before a crash) by its name."""
    return int(name.removesuffix(".tmp")) if _PARTIAL.fullmatch(name) else WIDTH


def _compute_width(size: int, level: int, number: int) -> int:
    """How many hashes tile `number` has in the tree of `size`."""
    return min(WIDTH, (size >> (8 * level)) - number * WIDTH)


def _write_files(folder: Path, files: Iterable[File]) -> None:
    """Put every file under its name, whole and on disk, never over other bytes."""
    parents: dict[Path, None] = {}
    waiting = iter(files)
    with ThreadPoolExecutor(_THREADS) as pool:
        while batch := list(islice(waiting, _AT_ONCE)):
            for place, _ in batch:
                _make_parent(folder, (folder / place).parent, parents)
            missing = [
                (folder / place, data) for place, data in batch if not _has_content(folder, place, data)
            ]
            _write_batch(pool, missing)
        list(pool.map(sync_folder, parents))


def _write_batch(pool: ThreadPoolExecutor, files: list[tuple[Path, bytes]]) -> None:
    """Write temporary files, sync them, then rename them; a failure leaves no half-written file."""
    sources = [target.with_name(f"{target.name}.tmp") for target, _ in files]  # one name: a crash leaves one
    handles: list[int] = []
    try:
        for source, (_, data) in zip(sources, files, strict=True):
            handles.append(os.open(source, _NEW, 0o600))
            write_all(handles[-1], data)
        for done in wait([pool.submit(os.fsync, handle) for handle in handles]).done:
            done.result()
        for source, (target, _) in zip(sources, files, strict=True):
            source.rename(target)
    except OSError:
        for source in sources:
            with suppress(OSError):
                source.unlink()  # a full disk gets its room back
        raise
    finally:
        for handle in handles:
            os.close(handle)


def _make_parent(folder: Path, parent: Path, parents: dict[Path, None]) -> None:
    """Make `parent`, and note it and all above it in the log for syncing."""
    if parent in parents:
        return
    make_folder(parent)
    while parent != folder:
        parents[parent] = None
        parent = parent.parent
    parents[folder] = None


def _has_content(folder: Path, place: str, data: bytes) -> bool:
    """Whether the file is there with these bytes; AuditError when it is there with others."""
    try:
        if read_plain_file(folder / place, len(data)) == data:
            return True
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno not in {EFBIG, EINVAL, ELOOP}:
            raise
    raise AuditError("it is there already with other content", place=place, hint=_HINT)
