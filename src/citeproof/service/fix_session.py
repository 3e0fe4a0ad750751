"""Documents that are checked and then corrected, the same way for every interface.

What a person answered about changes is stored, so that an interrupted `citeproof fix -i` can go on: one small
file for each content of a document, in the cache folder, named by its SHA-256. A line is `y` or `n` and the
digest of one change: the key of the reference, the field, the old and the new value. So nothing of the
document itself is stored, and a change that differs is asked about again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from citeproof.answers.fix.corrected_files import (
    CorrectedFile,
    FixOptions,
    find_unwritable,
    has_remaining_problems,
    refuse_unwritable,
)
from citeproof.answers.fix.fix_results import list_corrected_references
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.plumbing.own_files import make_private_folder, open_own_file
from citeproof.service.assemble import make_fixer
from citeproof.service.check_session import CheckSession
from citeproof.service.exit_codes import Exit
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Change, Checked, Document

FOLDER = "fix-answers"
_LINE = re.compile(r"([yn]) ([0-9a-f]{32})")
_LARGEST = 10_000_000  # bytes of a file that are read: some 300,000 answers
_MOST_FILES = 500  # of which the oldest are removed


def identify_change(checked: Checked, change: Change) -> str:
    """Return the digest by which one change of one reference is known again."""
    parts = (checked.reference.key, change.field, change.claimed, change.resolved)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class FixDecisions:
    """The answers about one file. Where they cannot be stored, they last as long as this object."""

    def __init__(self, cache: Path, data: bytes) -> None:
        self._folder = cache / FOLDER
        self._path = self._locate_file(data)
        self.answers: dict[str, bool] = dict(_read_answers(self._path))

    def keep(self, change: str, *, wanted: bool) -> None:
        """Keep one answer, at once: what follows may be Ctrl-C."""
        self.answers[change] = wanted
        self._append({change: wanted})

    def forget(self) -> None:
        self.answers.clear()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def move_refusals(self, data: bytes) -> None:
        """Keep what was refused for the content that the file has now; what was accepted is done."""
        refused = {change: False for change, wanted in self.answers.items() if not wanted}
        self.forget()
        self._path = self._locate_file(data)
        self.forget()
        self.answers |= refused
        self._append(refused)

    def _locate_file(self, data: bytes) -> Path:
        return self._folder / sha256(data).hexdigest()

    def _append(self, answers: Mapping[str, bool]) -> None:
        if not answers:
            return
        lines = "".join(f"{'y' if wanted else 'n'} {change}\n" for change, wanted in answers.items())
        with suppress(OSError):  # a cache that cannot be written costs the resumption and nothing else
            make_private_folder(self._folder)
            if not self._path.exists():
                files = sorted(self._folder.iterdir(), key=lambda path: path.lstat().st_mtime)
                for path in files[: max(0, len(files) - _MOST_FILES + 1)]:
                    path.unlink(missing_ok=True)
            handle = open_own_file(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            with os.fdopen(handle, "ab") as file:
                file.write(lines.encode())


def _read_answers(path: Path) -> Iterable[tuple[str, bool]]:
    """Return the answers of a file; none where it is not there or not ours. A torn line is passed over."""
    try:
        with os.fdopen(open_own_file(path, os.O_RDONLY), "rb") as file:
            text = file.read(_LARGEST).decode("ascii", "replace")
    except OSError:
        return []
    return [(m[2], m[1] == "y") for line in text.splitlines() if (m := _LINE.fullmatch(line))]


class FixSession:
    """Collects the checked references of documents until all are known, then corrects the files."""

    def __init__(self, documents: Sequence[Document], checking: CheckSession, *, writes: bool = True) -> None:
        """Take documents that were read; `writes`: InputError for one that cannot be written back."""
        if writes:
            refuse_unwritable(documents, checking.extractions)
        self.documents, self._checking = documents, checking
        self._checked: list[Checked] = []

    def watch(self, checked: Iterable[Checked]) -> Iterator[Checked]:
        """Yield what comes, unchanged, and keep it."""
        for each in checked:
            self._checked.append(each)
            yield each

    @property
    def unwritable(self) -> dict[str, str]:
        """The documents that cannot be written back, each with its format."""
        return find_unwritable(self.documents, self._checking.extractions)

    @property
    def empty(self) -> bool:
        """Whether no reference was found, and none was lost."""
        return not self._checked and not self._checking.lost

    def correct_files(self, options: FixOptions) -> list[CorrectedFile]:
        """Return every file in which a reference stands, with what is to change in it. Writes nothing."""
        return make_fixer().fix_files(self.documents, self._checking.extractions, self._checked, options)

    def make_bibliography(self, files: Sequence[CorrectedFile]) -> ReferenceReport:
        """Return every reference of the files as a reporter takes it, with the changes that are made."""
        return ReferenceReport(self._checking.run, list_corrected_references(files))

    def find_exit_code(self, files: Sequence[CorrectedFile], *, written: bool) -> Exit:
        """Return what the run ends with, once the files are written or shown."""
        if self.empty:
            return Exit.NOTHING
        if has_remaining_problems(files, written=written):
            return Exit.PROBLEMS
        unchecked = any(checked.label is None for checked in self._checked)
        return Exit.UNCHECKED if unchecked or self._checking.lost else Exit.CLEAN
