"""What is published of a snapshot: a signed note, the manifest that it names, and chunks that this names.

    snapshot.note          which manifest is the current one; signed, and replaced last
    snapshot.vkey          the public key, to compare; never trusted from here
    manifests/<sha256>     zstd of JSON: every file of the snapshot as a list of chunks
    chunks/<hh>/<sha256>   zstd of one chunk, or of what makes it from older chunks (a delta)

A file in `manifests` and `chunks` is called by the SHA-256 of its own bytes, so nothing unsigned is ever
unpacked. The manifest also names the SHA-256 of each chunk unpacked, which is how older copies are used.

A file is cut into chunks by its content, so that what did not change is cut as it was. A gear hash of the
last 32 bytes decides: a place whose hash begins with enough zero bits is a border. Bytes that are inserted
or removed move the borders behind them, and all chunks but one stay the same. The hash is worked out for a
whole stretch at once with numpy, in five steps that each double its window.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from citeproof.errors import SnapshotError
from citeproof.evidence.index.growing_files import Mapped
from citeproof.evidence.index.manifest import is_inner_path
from citeproof.plumbing.signed_note import NoteError, VerifierKey, open_note
from citeproof.plumbing.zstd_frames import unpack_frame
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary.quick_dataclass import dataclass

NOTE, VKEY, MANIFESTS, CHUNKS = "snapshot.note", "snapshot.vkey", "manifests", "chunks"
MAX_NOTE = 10_000  # bytes
MAX_MANIFEST = 400_000_000  # bytes of JSON: about 10^12 bytes of snapshot
LEAST, MOST = 1 << 16, 1 << 20  # bytes of a chunk; the last one of a file may be smaller
MAX_STORED = MOST + 10_000  # bytes of a chunk that zstd could not make smaller
MAX_BASES = 16  # older chunks that one chunk is made from
FORMAT = 1
_FIRST = f"citeproof snapshot {FORMAT}"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LINES = re.compile(
    rf"{_FIRST}\nname ([A-Za-z0-9._-]{{1,64}})\nedition ([0-9]{{1,15}})\n"
    r"manifest ([0-9a-f]{64}) ([0-9]{1,12})\n"
)
BITS = 18  # zero bits at a border: chunks of 256 KiB and the least, on average
WINDOW = 32  # bytes; the hash has 32 bits, so older ones are shifted out
_STRETCH = 1 << 17  # bytes hashed at a time; what numpy makes of it fits a cache
_GEAR = np.frombuffer(b"".join(hashlib.sha256(bytes([n])).digest()[:4] for n in range(256)), "<u4")


class PublishedChunk(msgspec.Struct, frozen=True, array_like=True):
    """One chunk: digest and size of its bytes, and of the file that has them."""

    sha256: str
    bytes: int
    stored: str
    stored_bytes: int


class PublishedFile(msgspec.Struct, frozen=True):
    path: str
    bytes: int
    chunks: tuple[PublishedChunk, ...]


class ChunkDelta(msgspec.Struct, frozen=True, array_like=True):
    """How a chunk is made from older ones: zstd with their bytes, joined, as its dictionary.

    With `skip` it is zstd of 32-bit numbers, which are added to those of the joined bytes from there on: in a
    table of offsets, one that moves moves all behind it by the same.
    """

    sha256: str
    bases: tuple[str, ...]
    stored: str
    stored_bytes: int
    skip: int = -1


class PublishedManifest(msgspec.Struct, frozen=True):
    """One edition of a snapshot. `id`, `records` and `built` are those of the snapshot's own manifest."""

    format: int
    name: str
    edition: int  # seconds since 1970, or one more than the edition before: it only ever grows
    created: str
    id: str
    records: int
    built: str
    files: tuple[PublishedFile, ...]
    deltas: tuple[ChunkDelta, ...] = ()
    previous: str = ""  # the manifest before

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class EditionNote:
    """What is signed: the name of the snapshot, its edition, and which manifest says the rest."""

    name: str
    edition: int
    manifest: str
    manifest_bytes: int

    def text(self) -> str:
        return (
            f"{_FIRST}\nname {self.name}\nedition {self.edition}\n"
            f"manifest {self.manifest} {self.manifest_bytes}\n"
        )


def check_name(name: str) -> str:
    """Return a name that a snapshot may have in a signed note and as a folder."""
    if not _NAME.fullmatch(name):
        hint = "use letters, digits, dots and hyphens, at most 64"
        raise SnapshotError(f"{name[:80]!r} is not a name for a snapshot", place="--name", hint=hint)
    return name


def read_note(note: bytes, key: VerifierKey, place: str) -> EditionNote:
    """Return what a note says that `key` signed; SnapshotError for anything else."""
    try:
        text = open_note(note, [key]).text
    except NoteError as error:
        hint = "ask the publisher which key is right; nothing of it was used"
        raise SnapshotError(
            f"is not signed by {key.name}: {error.message}", place=place, hint=hint
        ) from error
    match = _LINES.fullmatch(text)
    if not match or not _NAME.fullmatch(match[1]):
        hint = "update citeproof, or ask the publisher"
        raise SnapshotError("is signed, but is not the note of a snapshot", place=place, hint=hint)
    return EditionNote(match[1], int(match[2]), match[3], int(match[4]))


def pack_manifest(manifest: PublishedManifest) -> bytes:
    return zstandard.ZstdCompressor(level=10, write_checksum=True).compress(msgspec.json.encode(manifest))


def unpack_manifest(stored: bytes, note: EditionNote, place: str) -> PublishedManifest:
    """Return the manifest that `note` names, with everything in it checked; SnapshotError otherwise."""
    if hashlib.sha256(stored).hexdigest() != note.manifest:
        hint = "another copy may be sound; nothing of it was used"
        raise SnapshotError("the manifest is not the one that was signed", place=place, hint=hint)
    data = unpack_frame(stored, MAX_MANIFEST)
    try:
        manifest = decode_json(data or b"", type=PublishedManifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _make_signed_error(f"cannot be read: {error}", place) from error
    if manifest.format != FORMAT:
        raise _make_signed_error(f"has format {manifest.format}; this citeproof reads {FORMAT}", place)
    if (manifest.name, manifest.edition) != (note.name, note.edition):
        raise _make_signed_error("is of another edition than its note says", place)
    _check_files(manifest, place)
    return manifest


def _make_signed_error(problem: str, place: str) -> SnapshotError:
    return SnapshotError(
        f"the signed manifest {problem}", place=place, hint="update citeproof, or ask the publisher"
    )


def _check_files(manifest: PublishedManifest, place: str) -> None:
    """Raise unless every path stays in its folder and every size and digest is one."""
    paths = [file.path for file in manifest.files]
    if len(set(paths)) != len(paths) or not all(map(is_inner_path, paths)):
        raise _make_signed_error("names a file outside the snapshot, or one twice", place)
    chunks = [chunk for file in manifest.files for chunk in file.chunks]
    sized = all(0 < chunk.bytes <= MOST for chunk in chunks)
    summed = all(file.bytes == sum(chunk.bytes for chunk in file.chunks) for file in manifest.files)
    sizes = [part.stored_bytes for part in chunks] + [part.stored_bytes for part in manifest.deltas]
    stored = all(0 < size <= MAX_STORED for size in sizes)
    based = all(0 < len(delta.bases) <= MAX_BASES for delta in manifest.deltas)
    digests = [text for chunk in chunks for text in (chunk.sha256, chunk.stored)]
    digests += [text for change in manifest.deltas for text in (change.sha256, change.stored, *change.bases)]
    if not (sized and summed and stored and based and all(map(_SHA256.fullmatch, digests))):
        raise _make_signed_error("has sizes or digests that cannot be", place)


def locate_chunk(stored: str) -> str:
    """Return the path of a chunk's file below the published folder."""
    return f"{CHUNKS}/{stored[:2]}/{stored}"


def locate_manifest(sha256: str) -> str:
    """Return the path of a manifest below the published folder."""
    return f"{MANIFESTS}/{sha256}"


def unpack_chunk(stored: bytes, chunk: PublishedChunk) -> bytes | None:
    """Return the bytes of a chunk; None if its file is not the one that was signed."""
    if len(stored) != chunk.stored_bytes or hashlib.sha256(stored).hexdigest() != chunk.stored:
        return None
    return check_bytes(unpack_frame(stored, chunk.bytes), chunk.sha256)


def unpack_delta(
    stored: bytes, delta: ChunkDelta, size: int, read_base: Callable[[str], bytes | None]
) -> bytes | None:
    """Return the chunk that a delta makes from older ones; None if it or one of them is not as signed."""
    if len(stored) != delta.stored_bytes or hashlib.sha256(stored).hexdigest() != delta.stored:
        return None
    bases = [read_base(sha256) for sha256 in delta.bases]
    if any(base is None for base in bases):
        return None
    older = [base for base in bases if base is not None]
    if delta.skip < 0:
        return check_bytes(unpack_frame(stored, size, make_base_dictionary(older)), delta.sha256)
    difference = unpack_frame(stored, size)
    if difference is None or len(difference) != size or size % 4:
        return None
    numbers = np.frombuffer(difference, "<u4") + cut_numbers(older, delta.skip, size)
    return check_bytes(numbers.astype("<u4").tobytes(), delta.sha256)


def cut_numbers(bases: list[bytes], skip: int, size: int) -> npt.NDArray[np.uint32]:
    """Return older chunks, joined, as 32-bit numbers from a place on; zeros where there is nothing."""
    return np.frombuffer(b"".join(bases)[skip : skip + size].ljust(size, b"\0"), "<u4")


def make_base_dictionary(bases: list[bytes]) -> zstandard.ZstdCompressionDict:
    """Return older chunks, joined, as what zstd may copy from."""
    return zstandard.ZstdCompressionDict(b"".join(bases), dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def check_bytes(data: bytes | None, sha256: str) -> bytes | None:
    """Return `data` if it has this digest, else None."""
    return data if data is not None and hashlib.sha256(data).hexdigest() == sha256 else None


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A stretch of a file, and the SHA-256 of its bytes."""

    start: int
    end: int
    sha256: str


def cut_chunks(data: Mapped) -> Iterator[ChunkSpan]:
    """Yield the chunks of a file in order; none of an empty one."""
    start = 0
    for end in _find_ends(data):
        yield ChunkSpan(start, end, hashlib.sha256(data[start:end]).hexdigest())
        start = end


def _find_ends(data: Mapped) -> Iterator[int]:
    start, size = 0, len(data)
    for border in _find_borders(data):
        while border - start > MOST:
            start += MOST
            yield start
        if border - start >= LEAST and border < size:
            start = border
            yield start
    while size - start > MOST:
        start += MOST
        yield start
    if start < size:
        yield size


def _find_borders(data: Mapped) -> Iterator[int]:
    """Yield the places behind bytes whose hash begins with zeros, ascending."""
    for begin in range(0, len(data), _STRETCH):
        lead = min(begin, WINDOW - 1)  # bytes of the stretch before that the first hashes need
        piece = np.frombuffer(data[begin - lead : begin + _STRETCH], np.uint8)
        hashes = _hash_windows(piece)[lead:]
        yield from (np.flatnonzero(hashes >> np.uint32(32 - BITS) == 0) + begin + 1).tolist()


def _hash_windows(piece: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return for each byte the gear hash of the 32 bytes that end with it."""
    hashes = _GEAR[piece]
    width = 1
    while width < WINDOW:
        wider = hashes.copy()
        wider[width:] += hashes[:-width] << np.uint32(width)
        hashes = wider
        width *= 2
    return hashes
