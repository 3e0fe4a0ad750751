"""How archives begin: cheap to look at, nothing is unpacked."""

from __future__ import annotations

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_COMPRESSED = {b"\x1f\x8b\x08": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_HEAD = 512


def detect_compression(data: bytes) -> str:
    """Return what `data` is compressed with, empty if with nothing that is known."""
    return next((name for start, name in _COMPRESSED.items() if data.startswith(start)), "")


def is_tar(data: bytes) -> bool:
    """Return whether `data` begins with the head of a tar member, whose sum must be right."""
    head = data[:_HEAD]
    if len(head) < _HEAD or not head[0]:
        return False
    try:
        checksum = int(head[148:156].strip(b" \0"), 8)
    except ValueError:
        return False
    return checksum == sum(head[:148]) + sum(head[156:]) + 8 * ord(" ")
