"""The private keys of logs, outside the logs, and the last checkpoint each key ever signed.

    <folder>/<key id>.key       Go's note form, mode 0600
    <folder>/<key id>.signed    replaced before a checkpoint is published: anyone who restores an older copy
                                of a log finds it refused, since this file knows better

One file may be in the place of the folder: then a log takes that key, and `.signed` and the keys of later
logs are next to it. A key is found under any name that ends with `.key`.
"""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

from citeproof.errors import AuditError, UsageError
from citeproof.plumbing.disk_files import NEW, replace_durably, sync_folder, write_synced
from citeproof.plumbing.signed_note import ED25519, NoteError, SignerKey, VerifierKey
from citeproof.proof.audit.log_state import convert_disk_errors, make_folder, read_small_file
from citeproof.text import lazy_patterns as re

_LONGEST = 16_384  # bytes of a key file
_MOST = 1000  # key files examined
_ORIGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~/:@-]{0,199}")


def make_origin() -> str:
    """Return a name for a log that no other log has."""
    return f"citeproof.local/{secrets.token_hex(8)}"


def check_origin(origin: str) -> str:
    """Return the origin, a URL-like name without schema."""
    if not _ORIGIN.fullmatch(origin):
        hint = "use a name like example.org/logs/main, at most 200 letters"
        raise UsageError("not a valid log name", place=origin[:80], hint=hint)
    return origin


class KeyStore:
    """Keys in a folder, or in a file and next to it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._single = place.is_file() or (place.suffix == ".key" and not place.is_dir())
        self.folder = place.parent if self._single else place

    def path(self, key: VerifierKey) -> Path:
        """Return where a new key goes: to the file that was named, or next to it once one is there."""
        if self._single and not self.place.exists():
            return self.place
        return self.folder / f"{key.id.hex()}.key"

    def find(self, vkey: str | VerifierKey) -> SignerKey:
        """Return the private key whose public half is `vkey`, whatever the name of its file."""
        wanted = VerifierKey.parse(vkey) if isinstance(vkey, str) else vkey
        by_id = self.folder / f"{wanted.id.hex()}.key"
        likely = [self.place, by_id] if self._single else [by_id]
        faults: list[AuditError] = []
        for path in chain(likely, self._list_other_keys(likely)):
            try:
                key = _load_key(wanted, path)
            except AuditError as fault:
                faults.append(fault)
            else:
                check_private(path)
                return key
        raise faults[0]

    def _list_other_keys(self, likely: list[Path]) -> Iterator[Path]:
        """Yield the other key files of the folder."""
        with suppress(OSError):
            paths = (path for path in self.folder.iterdir() if path.suffix == ".key" and path not in likely)
            yield from sorted(islice(paths, _MOST))

    def find_unused(self) -> SignerKey | None:
        """Return the key of the one file, if there is one and it has signed nothing yet: for a new log."""
        with convert_disk_errors(self.place, "the key of the log cannot be read"):
            data = read_small_file(self.place, _LONGEST) if self._single else None
        if data is None:
            return None
        check_private(self.place)
        key = _parse_key(data, self.place)
        if key.kind != ED25519 or self.last_signed(key) is not None:
            message = f"is the key of {'a witness' if key.kind != ED25519 else 'another log'}"
            hint = "make a key with `citeproof audit keygen`, or name a folder"
            raise AuditError(message, place=str(self.place), hint=hint)
        return key

    def make(self, origin: str) -> SignerKey:
        """Return a new key, which is on the disk; what is there is never overwritten."""
        check_origin(origin)
        with convert_disk_errors(self.folder, "the key cannot be written"):
            make_folder(self.folder)
        while True:
            key = SignerKey.generate(origin)
            if not self.path(key.verifier).exists():  # four bytes of a hash may coincide
                store_key(self.path(key.verifier), key)
                return key

    def last_signed(self, key: SignerKey | VerifierKey) -> bytes | None:
        return read_small_file(self.locate_signed(key))

    def keep_signed(self, key: SignerKey | VerifierKey, note: bytes) -> None:
        """Keep `note` as the last one signed, before anybody sees it."""
        replace_durably(self.locate_signed(key), note)

    def locate_signed(self, key: SignerKey | VerifierKey) -> Path:
        """Return where the last checkpoint stands that the key signed."""
        public = key.verifier if isinstance(key, SignerKey) else key
        return self.folder / f"{public.id.hex()}.signed"


def take_own_key(keys: KeyStore) -> SignerKey:
    """Return the key of a store for one; the first run makes it, and of two first runs one does."""
    if key := keys.find_unused():
        return key
    try:
        return keys.make(make_origin())
    except UsageError:
        check_private(keys.place)
        if key := keys.find_unused():
            return key
        raise


def store_key(path: Path, key: SignerKey) -> None:
    """Write a private key where nothing stands yet, for this user only."""
    with convert_disk_errors(path, "the key cannot be written"):
        try:
            write_synced(path, f"{key.text}\n".encode(), NEW)
        except FileExistsError:
            raise UsageError("already exists", place=str(path), hint="name another file") from None
        sync_folder(path.parent)


def check_private(path: Path) -> None:
    """Raise an AuditError for a private key that others can read, as ssh does."""
    with convert_disk_errors(path, "the key cannot be read"):
        known = path.stat()
    mine = known.st_uid == os.geteuid()  # a key that an administrator hands out may be for our group
    if known.st_mode & (0o077 if mine else 0o007):
        message = f"others can read this private key (mode {known.st_mode & 0o777:o}), so it is not used"
        hint = f"chmod 600 {shlex.quote(str(path))}; if others may have read it, log with a new key"
        raise AuditError(message, place=str(path), hint=hint)


def _load_key(wanted: VerifierKey, path: Path) -> SignerKey:
    with convert_disk_errors(path, "the key of the log cannot be read"):
        data = read_small_file(path, _LONGEST)
    if data is None:
        hint = "put the key file back, name its place with CITEPROOF_AUDIT_KEY, or log to a new folder"
        raise AuditError(f"the private key of the log {wanted.name} is not here", place=str(path), hint=hint)
    key = _parse_key(data, path)
    if key.verifier != wanted:
        message = f"is not the key of the log {wanted.name}, but of {key.verifier.name}"
        hint = f"name the file that holds the key {wanted.id.hex()}"
        raise AuditError(message, place=str(path), hint=hint)
    return key


def _parse_key(data: bytes, path: Path) -> SignerKey:
    try:
        return SignerKey.parse(data.decode("ascii").strip())
    except (NoteError, ValueError) as error:
        raise AuditError(
            "not a private key file", place=str(path), hint="restore the file from a backup of your keys"
        ) from error
