# ruff: noqa: E501 - tokens in rows
"""Small and large damage to a document, drawn from a seeded generator: the same seed, the same damage."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable, Sequence

MOST = 40_000  # bytes of a damaged document
MOST_PACKED = 400_000  # of one that is an archive or a PDF

# Signs of the formats, and letters that have hurt programs: what a flip of bits does not find.
TOKENS = (
    b"{", b"}", b"[", b"]", b"(", b")", b'"', b"'", b"\\", b"%", b"$", b"&", b"<", b">", b"/", b"@", b"#", b",", b"=",
    b"\\cite{", b"\\bibitem{", b"\\begin{thebibliography}", b"\\end{", b"@article{", b"@string{", b"@comment{",
    b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"&#0;", b"&#x110000;", b"</",
    b"TY  - JOUR\n", b"ER  - \n", b"PMID- ", b"```", b"---\n", b"[@", b"[^1]: ", b"![](", b"{\\rtf1", b"\\'ff", b"\\u-1?",
    b"%PDF-1.7", b"endobj", b"stream", b"/Kids [1 0 R]", b"\x00", b"\x1b", b"\r", b"\n\n", b"\t", b"\xff\xfe", b"\xc0\x80",
    b"null", b"true", b"-1", b"1e999", b"NaN", b"99999999999999999999", b'{"a":', b"[[[[", b"0",
    b"10.1000/", b"https://doi.org/", b"http://[", b"http://[::1", b"arXiv:", b"isbn:", b"978", b"et al.", b" and ", b"(2020)",
    "\u202e".encode(), "\u200b".encode(), "\ufeff".encode(), "\u0130".encode(), "\u1e9e".encode(), "\ud7ff".encode(),
    "\u0301".encode() * 30, "\u2028".encode(), "\U000e0041".encode(), "\u3002".encode(), "\uff11".encode(), "²".encode(),
    b"\xed\xa0\x80", b"\x80",
)  # fmt: skip


def damage(data: bytes, others: Sequence[bytes], draw: random.Random) -> bytes:
    """Return `data` with one to eight changes; a member of an archive is changed in its place."""
    if data.startswith(b"PK\x03\x04") and draw.random() < 0.8:
        return _damage_member(data, draw)[:MOST_PACKED]
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        data = draw.choice(CHANGES)(data, others, draw)
    return data[: MOST_PACKED if data.startswith((b"PK\x03\x04", b"%PDF")) else MOST]


def _damage_member(data: bytes, draw: random.Random) -> bytes:
    made = io.BytesIO()
    try:
        with (
            zipfile.ZipFile(io.BytesIO(data)) as packed,
            zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            members = packed.infolist()
            chosen = draw.randrange(len(members)) if members else -1
            for number, member in enumerate(members):
                body = packed.read(member)
                if number == chosen:
                    body = damage(body, [packed.read(one) for one in members[:3]], draw)
                new.writestr(member.filename, body)
    except (
        zipfile.BadZipFile,
        OSError,
        ValueError,
        EOFError,
        NotImplementedError,
        RuntimeError,
        UnicodeError,
    ):
        return _flip_bits(data, (), draw)
    except Exception:  # noqa: BLE001 - zlib's and lzma's own; what zipfile cannot read is not ours to damage
        return _flip_bits(data, (), draw)
    return made.getvalue()


def _cut_stretch(data: bytes, draw: random.Random, most: int = 400) -> tuple[int, int]:
    at = draw.randrange(len(data) + 1)
    return at, min(len(data), at + draw.randrange(1, most))


def _flip_bits(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(draw.choice((1, 2, 10))):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _delete_stretch(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    start, end = _cut_stretch(data, draw)
    return data[:start] + data[end:]


def _repeat_stretch(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    start, end = _cut_stretch(data, draw, 40)
    return data[:end] + data[start:end] * draw.choice((1, 3, 50, 1000)) + data[end:]


def _move_stretch(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    start, end = _cut_stretch(data, draw)
    rest = data[:start] + data[end:]
    at = draw.randrange(len(rest) + 1)
    return rest[:at] + data[start:end] + rest[at:]


def _insert_token(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(TOKENS) * draw.choice((1, 1, 1, 2, 200)) + data[at:]


def _overwrite_token(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    token = draw.choice(TOKENS)
    at = draw.randrange(len(data) + 1)
    return data[:at] + token + data[at + len(token) :]


def _splice_other(data: bytes, others: Sequence[bytes], draw: random.Random) -> bytes:
    other = draw.choice(others) if others else data
    start, end = _cut_stretch(other, draw, 2000)
    at = draw.randrange(len(data) + 1)
    return data[:at] + other[start:end] + data[at:]


def _truncate_end(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _change_case(data: bytes, _: Sequence[bytes], draw: random.Random) -> bytes:
    start, end = _cut_stretch(data, draw)
    return data[:start] + data[start:end].swapcase() + data[end:]


Change = Callable[[bytes, Sequence[bytes], random.Random], bytes]
CHANGES: tuple[Change, ...] = (
    _flip_bits,
    _delete_stretch,
    _repeat_stretch,
    _move_stretch,
    _insert_token,
    _insert_token,
    _overwrite_token,
    _splice_other,
    _truncate_end,
    _change_case,
)
