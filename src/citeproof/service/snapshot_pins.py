"""Which key signs the snapshot at an address, and the newest edition that was seen there.

The key comes from the user, never from the server. Pins are in the user's own configuration folder: a
project cannot bring one.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from citeproof.errors import SnapshotError
from citeproof.evidence.index.manifest import FILE as MANIFEST
from citeproof.evidence.index.published_manifest import EditionNote
from citeproof.plumbing.disk_files import read_plain_file, replace_durably
from citeproof.plumbing.own_files import make_private_folder
from citeproof.plumbing.signed_note import NoteError, VerifierKey
from citeproof.settings.config_files import find_user_file
from citeproof.text.typed_decoding import decode_json

_LONGEST = 10_000  # bytes of a pin
_MOST_MADE = 30  # folders that are remembered


class SnapshotPin(msgspec.Struct, frozen=True):
    url: str
    key: str
    name: str
    edition: int
    manifest: str
    made: dict[str, str] = {}  # what this user's pulls put together, by a hash of its place


class SnapshotPins:
    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or find_user_file().with_name("snapshot-pins")

    def load(self, url: str) -> SnapshotPin | None:
        """Return the pin of an address; None if there is none."""
        path = self.locate(url)
        with suppress(FileNotFoundError):
            try:
                return decode_json(read_plain_file(path, _LONGEST), type=SnapshotPin)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                hint = "remove it, and name the key with --key"
                raise SnapshotError("is not a pin", place=str(path), hint=hint) from error
        return None

    def locate(self, url: str) -> Path:
        return self._folder / f"{_hash_text(url)}.json"

    def choose_key(self, url: str, given: VerifierKey | None, *, replace: bool) -> VerifierKey | None:
        """Return the key to trust: the given one or the pinned one; None if there is neither."""
        pin = self.load(url)
        if pin is None:
            return given
        try:
            pinned = VerifierKey.parse(pin.key)
        except NoteError as error:
            raise SnapshotError("has no valid key", place=str(self.locate(url)), hint="remove it") from error
        if given is None or given == pinned:
            return pinned
        if not replace:
            hint = "if the publisher says elsewhere that the key changed, add --replace-key"
            what = f"the key of this address is pinned to {pinned.text}, not to the key given"
            raise SnapshotError(what, place=url, hint=hint)
        return given

    def check_edition(self, url: str, key: VerifierKey, note: EditionNote, *, allow_older: bool) -> None:
        """Raise for an edition that is older than one that was seen, or another one of the same number."""
        pin = self.load(url)
        if pin is None or pin.key != key.text or allow_older:
            return
        if pin.name != note.name:
            hint = "pull it under another address, or remove the pin " + str(self.locate(url))
            raise SnapshotError(f"is {note.name!r} now, and was {pin.name!r}", place=url, hint=hint)
        if note.edition < pin.edition:
            newer = f"but edition {pin.edition} was seen here before: a rollback"
            hint = "the mirror is out of date or hides something; try later, or add --allow-older"
            raise SnapshotError(f"offers edition {note.edition}, {newer}", place=url, hint=hint)
        if note.edition == pin.edition and note.manifest != pin.manifest:
            hint = "ask the publisher; --allow-older takes it all the same"
            raise SnapshotError(f"signed two different editions {note.edition}", place=url, hint=hint)

    def store(self, url: str, key: VerifierKey, note: EditionNote) -> None:
        pin = self.load(url)
        made = pin.made if pin else {}
        self._write(SnapshotPin(url, key.text, note.name, note.edition, note.manifest, made))

    def vouches(self, url: str, edition: Path) -> bool:
        """Return whether a pull of this user made the folder of an edition, which was not replaced since."""
        pin = self.load(url)
        with suppress(OSError):
            return pin is not None and pin.made.get(_hash_text(str(edition))) == _identify_folder(edition)
        return False

    def vouch(self, url: str, edition: Path) -> None:
        """Remember that a folder has the bytes of its edition."""
        pin = self.load(url)
        assert pin is not None
        made = {**pin.made, _hash_text(str(edition)): _identify_folder(edition)}
        self._write(msgspec.structs.replace(pin, made=dict(list(made.items())[-_MOST_MADE:])))

    def _write(self, pin: SnapshotPin) -> None:
        make_private_folder(self._folder)
        replace_durably(self.locate(pin.url), msgspec.json.format(msgspec.json.encode(pin), indent=2))


def _hash_text(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _identify_folder(snapshot: Path) -> str:
    """Return what no other folder in its place has: a time that no program can set."""
    status = (snapshot / MANIFEST).stat()
    return f"{status.st_dev}-{status.st_ino}-{status.st_ctime_ns}"
