"""Commitments: what the log says about a user's own words without saying them.

HMAC-SHA256 under a fresh random salt: who has the salt and the words can show that they were meant; who
has the log alone learns nothing, not even whether two are equal. Erase the salt, and no one can.
"""

from __future__ import annotations

import hmac
import secrets

SALT = 32  # bytes


def make_commitment(data: bytes) -> tuple[bytes, str]:
    """Return a new salt and the commitment to `data` under it, in hexadecimal."""
    salt = secrets.token_bytes(SALT)
    return salt, hmac.digest(salt, data, "sha256").hex()


def is_commitment_to(commitment: str, salt: bytes, data: bytes) -> bool:
    """Return whether `salt` and `data` are what the commitment was made of."""
    made = hmac.digest(salt, data, "sha256").hex()
    return len(salt) == SALT and hmac.compare_digest(made.encode(), commitment.encode())
