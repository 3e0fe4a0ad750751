"""The certificates of a timestamp, in the order that DER asks for.

OpenSSL, and authorities built on it, send them in the order of the chain; rfc3161-client refuses that. They
are not signed over, and their order means nothing, so they are put in order before the answer is read. What
is kept on disk is the answer as it came.
"""

from __future__ import annotations

from collections.abc import Iterator

_CERTIFICATES = 0xA0  # [0] in SignedData
_WAY = (0, 1, 1, 0, 3)  # TimeStampResp, its token, the content of that, SignedData, its certificates (if any)


def sort_certificates(answer: bytes) -> bytes:
    """Return the answer with its certificates in order; anything unexpected as it is."""
    try:
        head, start, end = 0, 0, len(answer)
        for step in _WAY:
            head, start, end = list(_scan_values(answer, start, end))[step]
        found = [answer[first:last] for first, _, last in _scan_values(answer, start, end)]
    except (IndexError, ValueError):
        return answer
    if answer[head] != _CERTIFICATES:
        return answer
    return answer[:start] + b"".join(sorted(found)) + answer[end:]


def _scan_values(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield where each value between `start` and `end` begins, where its content does, and where both end."""
    while start < end:
        content, length = start + 2, data[start + 1]
        if length & 0x80:
            content += length & 0x7F
            length = int.from_bytes(data[start + 2 : content], "big")
        if content + length > end:
            raise ValueError("cut off")
        yield start, content, content + length
        start = content + length
