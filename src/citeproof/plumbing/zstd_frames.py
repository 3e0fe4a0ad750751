"""Compressed bytes of our own files, unpacked within a limit: any of them may have been changed by others."""

from __future__ import annotations

import zstandard


def unpack_frame(
    data: bytes, most: int, dictionary: zstandard.ZstdCompressionDict | None = None
) -> bytes | None:
    """Return what a frame of zstd holds; None if it is damaged or holds more than `most` bytes.

    A frame says how much it holds, and zstandard makes room for that whatever limit it is given.
    """
    try:
        if zstandard.frame_content_size(data) > most:
            return None
        # A decompressor is cheap to make and is not safe to share by threads.
        return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(data, max_output_size=most)
    except (zstandard.ZstdError, MemoryError):
        return None
