"""What is unpacked has a limit, whatever the bytes say of themselves."""

from __future__ import annotations

import pytest
import zstandard

from citeproof.plumbing.zstd_frames import unpack_frame

TEXT = b"Deep Residual Learning for Image Recognition" * 100
UNSIZED = zstandard.ZstdCompressor(write_content_size=False).compress(TEXT)


@pytest.mark.parametrize("frame", [zstandard.compress(TEXT), UNSIZED], ids=["sized", "unsized"])
def test_a_frame_is_unpacked_up_to_its_limit(frame):
    assert unpack_frame(frame, len(TEXT)) == TEXT
    assert unpack_frame(frame, len(TEXT) - 1) is None


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"junk",
        zstandard.compress(TEXT)[:-3],
        b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + bytes(20),  # it claims an exabyte
    ],
)
def test_a_frame_that_is_damaged_or_lies_is_none(frame):
    assert unpack_frame(frame, 1_000_000) is None


def test_a_frame_made_with_a_dictionary():
    words = zstandard.ZstdCompressionDict(TEXT[:200])
    frame = zstandard.ZstdCompressor(dict_data=words).compress(TEXT)
    assert unpack_frame(frame, len(TEXT), words) == TEXT
