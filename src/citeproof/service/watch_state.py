"""The earlier reports on watched libraries: one file, signed, replaced whole.

    {"schema": "citeproof/watch/1", "report": {"libraries": {NAME: …}}, "signed": "<a signed note>"}

The note (see `audit.signed_note`) has the SHA-256 of the report's bytes. The key that signs it is `watch.key`
next to the keys of audit logs, made when there is none. A file that was changed, cut or signed by another key
is an error: it is neither believed nor replaced until its user says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from citeproof.answers.serializers import dumps
from citeproof.errors import UsageError
from citeproof.plumbing.disk_files import read_plain_file, replace_durably, take_lock
from citeproof.plumbing.output_files import find_target, replace_file
from citeproof.plumbing.own_files import check_own_file, make_private_folder
from citeproof.plumbing.signed_note import NoteError, open_note, sign_note
from citeproof.proof.audit.key_store import KeyStore, take_own_key
from citeproof.service.library_changes import WatchedLibrary
from citeproof.settings import Settings
from citeproof.settings.config_files import find_state_folder
from citeproof.text.typed_decoding import decode_json

SCHEMA = "citeproof/watch/1"
LARGEST = 256_000_000  # bytes of a state file
KEY = "watch.key"
_ANEW = "restore it from a backup, or store a first report anew with --reset"


class WatchedReport(msgspec.Struct, frozen=True):
    libraries: dict[str, WatchedLibrary] = {}


class _StateFile(msgspec.Struct, frozen=True):
    schema: str
    report: msgspec.Raw
    signed: str


class WatchState:
    """The file that holds the earlier reports of some libraries."""

    def __init__(self, settings: Settings, path: Path | None, library: str) -> None:
        """Take the file that the user named; without one, `library` has a file in the state folder."""
        self._own = path is None
        name = sha256(os.fsencode(locate_library(library))).hexdigest()[:32]
        self.path = find_state_folder("watch") / f"{name}.json" if path is None else path
        self._keys = KeyStore(KeyStore(settings.audit_keys).folder / KEY)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep other runs from the file; UsageError where one is under way."""
        folder = find_state_folder("watch")
        make_private_folder(folder)
        name = sha256(os.fsencode(self.path.resolve())).hexdigest()[:32]
        lock = folder / f"{name}.lock"
        try:
            handle = take_lock(lock)
        except BlockingIOError as error:
            hint = "wait until it has ended"
            raise UsageError("another run watches this library", place=str(self.path), hint=hint) from error
        try:
            yield
        finally:
            with suppress(OSError):
                lock.unlink()
            os.close(handle)

    def read(self) -> WatchedReport | None:
        """Return the earlier reports; None: there are none. UsageError for a file that cannot be trusted."""
        if self._own and not check_own_file(self.path):
            return None
        try:
            data = read_plain_file(self.path if self._own else self.path.resolve(), LARGEST)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"cannot be read: {error.strerror}", place=str(self.path), hint=_ANEW) from error
        try:
            stored = decode_json(data, type=_StateFile)
            if stored.schema != SCHEMA:
                raise self._refuse(f"is of another version ({stored.schema[:40]!r})")
            self._check_signature(stored)
            return decode_json(stored.report, type=WatchedReport)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._refuse("is damaged") from error

    def write(self, report: WatchedReport) -> None:
        """Sign the reports and put them in the place of the earlier ones, at once."""
        body = dumps(report)
        signed = sign_note(_make_note(body), take_own_key(self._keys)).decode()
        data = dumps(_StateFile(SCHEMA, msgspec.Raw(body), signed)) + b"\n"
        if self._own:
            make_private_folder(self.path.parent)
            check_own_file(self.path)
            replace_durably(self.path, data)
        else:
            target = find_target(self.path)
            replace_file(target, data, like=target if target.exists() else None, copies=False)

    def _check_signature(self, stored: _StateFile) -> None:
        key = self._keys.find_unused()
        if key is None:
            raise self._refuse(f"cannot be verified: its key is not in {self._keys.place}")
        try:
            note = open_note(stored.signed.encode("utf-8", "replace"), [key.verifier])
        except NoteError as error:
            raise self._refuse(f"cannot be trusted: {error.message}") from error
        if note.text != _make_note(bytes(stored.report)):
            raise self._refuse("was changed after it was signed")

    def _refuse(self, why: str) -> UsageError:
        return UsageError(f"the earlier report {why}", place=str(self.path), hint=_ANEW)


def locate_library(name: str) -> str:
    """Return the name under which a library is known: a file's whole path, anything else as it is."""
    return os.path.realpath(name) if os.path.lexists(name) else name


def name_library(name: str, state: Path | None) -> str:
    """Return the name of a library in its file: from the folder of a named one, so that both may move."""
    whole = locate_library(name)
    if state is None or not os.path.lexists(name):
        return whole
    return Path(os.path.relpath(whole, state.resolve().parent)).as_posix()


def _make_note(body: bytes) -> str:
    return f"{SCHEMA}\n{sha256(body).hexdigest()}\n{len(body)}\n"


def merge_reports(former: WatchedReport | None, news: Mapping[str, WatchedLibrary]) -> WatchedReport:
    return WatchedReport({**(former.libraries if former else {}), **news})
