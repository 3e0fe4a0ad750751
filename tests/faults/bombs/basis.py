"""What bombs of several formats are made of."""

from __future__ import annotations

import struct
import zlib

MB = 1 << 20
BIB = b"@article{lecun2015, title={Deep learning}, author={Yann LeCun}, journal={Nature}, year={2015}}\n"
CITED = "[1] Y. LeCun, Y. Bengio, G. Hinton. Deep learning. Nature 521, 436-444 (2015)."


def deflated(count: int, unit: bytes = b" ") -> bytes:
    """A raw deflate stream of `count` times a megabyte of `unit`, made without compressing it all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(unit * (MB // len(unit))) + packer.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, zlib.DEFLATED, -15)
    return block * count + end.flush()


def zlibbed(count: int, unit: bytes = b" ") -> bytes:
    return b"\x78\xda" + deflated(count, unit) + struct.pack(">I", zlib.adler32(unit))
