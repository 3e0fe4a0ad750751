"""Archives and packed files that were made to do harm."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib

import zstandard

from tests.faults.bombs.basis import BIB, MB, deflated
from tests.faults.bombs.xml import ROOTS, xml_laughs


def zipped(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def zip_entry(name: bytes, packed: bytes, size: int, offset: int, crc: int = 0) -> tuple[bytes, bytes]:
    """The head of a member where it stands, and its row in the list at the end."""
    facts = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, crc, len(packed), size, len(name), 0)
    row = b"PK\x01\x02\x14\x00" + facts + struct.pack("<HHHII", 0, 0, 0, 0, offset) + name
    return b"PK\x03\x04" + facts + name, row


def zip_file(body: bytes, rows: list[bytes]) -> bytes:
    listed = b"".join(rows)
    return (
        body
        + listed
        + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(rows), len(rows), len(listed), len(body), 0)
    )


def zip_ratio() -> bytes:
    """Two gigabytes in one member, told as they are."""
    packed = deflated(2048)
    head, row = zip_entry(b"refs.bib", packed, 2048 * MB, 0)
    return zip_file(head + packed, [row])


def zip_lie() -> bytes:
    """A member of a hundred megabytes that says it has ten bytes, and nothing else."""
    packed = deflated(100)
    head, row = zip_entry(b"refs.bib", packed, 10, 0)
    return zip_file(head + packed, [row])


def zip_promise() -> bytes:
    """A member of a few bytes that says it has two gigabytes."""
    packed = zlib.compress(BIB)[2:-4]
    head, row = zip_entry(b"refs.bib", packed, 2 << 30, 0, zlib.crc32(BIB))
    return zip_file(head + packed, [row])


def zip_overlap() -> bytes:
    """A thousand members that are all the same bytes."""
    packed = deflated(1)
    head, _ = zip_entry(b"0.bib", packed, MB, 0)
    rows = [zip_entry(b"%d.bib" % number, packed, MB, 0)[1] for number in range(1000)]
    return zip_file(head + packed, rows)


def zip_quoted_overlap() -> bytes:
    """Members each of which holds the head of the next one and all that follows."""
    kernel = deflated(8)
    body, rows = b"", []
    for number in range(200, 0, -1):
        packed = (
            struct.pack("<BHH", 0, len(body), 0xFFFF ^ len(body)) + body
            if body and len(body) < 65_000
            else b""
        ) + kernel
        head, _ = zip_entry(b"%04d.bib" % number, packed, 8 * MB + len(body), 0)
        body = head + (packed[: 5 if len(packed) > len(kernel) else 0]) + (body or kernel)
        rows.append((len(body), number, packed))
    made = [zip_entry(b"%04d.bib" % n, p, 8 * MB, len(body) - at)[1] for at, n, p in rows]
    return zip_file(body, made)


def zip_nested() -> bytes:
    """Archives in archives, sixteen each, four levels: the shape of the old forty-two kilobytes."""
    inner = zipped({"0.txt": b"0" * MB})
    for _ in range(4):
        inner = zipped({f"{number:x}.zip": inner for number in range(16)})
    return inner


def zip_climb() -> bytes:
    return zipped({"../../refs.bib": BIB})


def zip_link() -> bytes:
    info = zipfile.ZipInfo("refs.bib")
    info.external_attr = 0o120777 << 16
    return zipped({info: b"/etc/passwd"})  # type: ignore[dict-item]


def zip_many() -> bytes:
    """Twenty thousand members, all empty."""
    rows, body = [], b""
    for number in range(20_000):
        head, row = zip_entry(b"%d.bib" % number, b"\x03\0", 0, len(body))
        rows.append(row)
        body += head + b"\x03\0"
    return zip_file(body, rows)


def zip_of_laughs() -> bytes:
    return zipped({"paper.xml": xml_laughs(*ROOTS["jats"])})


def tar_sparse() -> bytes:
    """A member of a terabyte, nearly all of it holes."""
    info = tarfile.TarInfo("GNUSparseFile.0/refs.bib")
    table = b"1\n1099511627775\n1\n".ljust(512, b"\0")
    data = table + b"x"
    info.size = len(data)
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "refs.bib",
        "GNU.sparse.realsize": str(1 << 40),
    }
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(data))
    return held.getvalue()


def tar_many() -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for number in range(5000):
            archive.addfile(tarfile.TarInfo(f"{number}.bib"))
    return held.getvalue()


def gzip_bomb() -> bytes:
    """Ten gigabytes of blanks."""
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflated(10_240) + b"\0" * 8


def gzip_twice() -> bytes:
    return gzip.compress(gzip_bomb())


def bzip2_bomb() -> bytes:
    return bz2.compress(bytes(9 * MB)) * 250


def xz_bomb() -> bytes:
    return lzma.compress(bytes(10 * MB)) * 250


def zstd_bomb() -> bytes:
    return zstandard.compress(bytes(100 * MB)) * 50
