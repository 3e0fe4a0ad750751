"""Compressed bytes of our own files, unpacked within a limit: any of them may have been changed by others."""

from __future__ import annotations

import threading

import zstandard

_KEPT = threading.local()  # each thread's last decompressor, which is not safe to share, and its dictionary


def unpack_frame(
    data: bytes, most: int, dictionary: zstandard.ZstdCompressionDict | None = None
) -> bytes | None:
    """Return what a frame of zstd holds; None if it is damaged or holds more than `most` bytes.

    A frame says how much it holds, and zstandard makes room for that whatever limit it is given.
    """
    try:
        if zstandard.frame_content_size(data) > most:
            return None
        if dictionary is None or getattr(_KEPT, "dictionary", None) is not dictionary:
            _KEPT.decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)
            _KEPT.dictionary = dictionary
        unpacked: bytes = _KEPT.decompressor.decompress(data, max_output_size=most)
    except (zstandard.ZstdError, MemoryError):
        return None
    return unpacked
