"""An exported archive, verified with the code of this installation: nothing out of it is executed.

The steps are those of `standalone/verify.py` as it is installed here, which also goes into every export.
"""

from __future__ import annotations

import importlib.util
import os
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from citeproof.errors import UsageError
from citeproof.plumbing.signed_note import ED25519, NoteError, VerifierKey, open_note
from citeproof.proof.audit.export_archive import TOP
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.log_check import NoLogError
from citeproof.proof.audit.verify.log_files import KeptCheckpoint
from citeproof.proof.audit.verify.log_problems import MOST, LogProblem, LogVerification

SCRIPT = "verify.py"
_LARGEST_SCRIPT = 1_000_000
_MOST_MEMBERS = 1_000_000
_NOTE = 1_000_000
_HINT = "name a log's folder, or an archive that `citeproof audit export` wrote"


def hash_script() -> str:
    """Return the SHA-256 of the script that goes into exports."""
    return sha256(
        resources.files("citeproof.proof.audit.standalone").joinpath(SCRIPT).read_bytes()
    ).hexdigest()


def is_export(place: Path) -> bool:
    """Return whether `place` is a file, which may be an archive, or an unpacked export."""
    if place.is_file():
        return True
    with suppress(UnreadableFileError), UntrustedFolder(place) as files:
        names = files.names()
        return "export.json" in names and not any(name.startswith("journal-") for name in names)
    return False


def verify_export(
    place: Path, keys: Sequence[VerifierKey] = (), kept: Sequence[KeptCheckpoint] = ()
) -> LogVerification:
    """Return what can be said about an export, packed or unpacked; NoLog where there is no log in it."""
    with _open_export(place) as folder:
        checker = _load_checker(folder)
        logs = [key for key in keys if key.kind == ED25519]
        if len(logs) > 1:
            raise UsageError("an export has one key", place="--key", hint="name the log's key once")
        outcome = checker.check(logs[0].text if logs else "", [(held.place, held.note) for held in kept])
        if outcome is None:
            raise NoLogError(f"no log in {place}")
        origin, size, root = outcome
        problems = [LogProblem("export", str(where), str(what)) for where, what in checker.problems]
        notes = ["this is an exported archive; nothing in it was executed", *checker.notes]
        names = ("events", "runs", "checkpoints", "commits", "bodies", "rows")
        return LogVerification(
            origin, size, root.hex(), logs[0].text if logs else "",
            tuple(problems[:MOST]), max(0, len(problems) - MOST), (*notes, *_compare_script(folder)), (),
            {name: checker.counts[name] for name in names}, _read_cosignatures(folder, keys),
        )  # fmt: skip


def _load_checker(folder: Path) -> Any:  # noqa: ANN401 - a module
    """Return our own script for the files in `folder`; made again, since it keeps what it finds."""
    spec = importlib.util.find_spec("citeproof.proof.audit.standalone.verify")
    assert spec is not None
    assert spec.loader is not None
    checker: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    checker.HERE = os.fspath(folder.absolute())
    return checker


def _compare_script(folder: Path) -> list[str]:
    """Return a warning when the script in an export is not the one that this citeproof would put there."""
    try:
        with UntrustedFolder(folder) as files:
            held = sha256(files.read(SCRIPT, _LARGEST_SCRIPT)).hexdigest()
    except UnreadableFileError:
        return []
    if held == hash_script():
        return []
    return [f"its {SCRIPT} is not that of this citeproof (SHA-256 {held}): do not run it unless you trust it"]


def _read_cosignatures(folder: Path, keys: Sequence[VerifierKey]) -> tuple[tuple[str, int], ...]:
    """Return which of the witnesses among `keys` signed the checkpoint, and when."""
    with suppress(UnreadableFileError, NoteError), UntrustedFolder(folder) as files:
        times = open_note(files.read("checkpoint", _NOTE), keys).times
        return tuple((key.name, when) for key, when in times.items())
    return ()


@contextmanager
def _open_export(place: Path) -> Iterator[Path]:
    """Yield the folder of an export; an archive is unpacked into a folder of ours that goes afterwards."""
    if not place.is_file():
        yield place
        return
    with TemporaryDirectory(prefix="citeproof-export-") as made:
        folder = Path(made)
        try:
            with tarfile.open(place, "r:") as archive:  # plain only: a packed one could unpack to anything
                _unpack_members(archive, folder, place)
        except OSError as error:
            what = f"cannot be unpacked: {error.strerror or 'it is cut off'}"
            raise UsageError(what, place=str(place), hint="check the file and the free disk space") from error
        except (tarfile.TarError, ValueError, EOFError, OverflowError, RecursionError) as error:
            raise UsageError("not an exported archive", place=str(place), hint=_HINT) from error
        yield folder / TOP


def _unpack_members(archive: tarfile.TarFile, folder: Path, place: Path) -> None:
    """Write the plain files of an export; anything else in it, or a name twice, is an error."""
    hint = "ask for another copy; an export contains only plain files, each once"
    for number, member in enumerate(archive):
        parts = member.name.split("/")
        plain = member.isreg() and not member.issparse()
        if (
            number >= _MOST_MEMBERS
            or not plain
            or parts[0] != TOP
            or not all(_is_safe(part) for part in parts)
        ):
            what = f"contains a file that does not belong in an export: {member.name[:100]!r}"
            raise UsageError(what, place=str(place), hint=hint)
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        held = archive.extractfile(member)
        try:
            with target.open("xb") as file:
                while held and (piece := held.read(1 << 20)):
                    file.write(piece)
        except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
            what = f"contains a name twice: {member.name[:100]!r}"
            raise UsageError(what, place=str(place), hint=hint) from error


def _is_safe(part: str) -> bool:
    """Return whether a part of a name stays inside the folder."""
    return part not in {"", ".", ".."} and "\\" not in part and "\0" not in part and len(part.encode()) <= 255
