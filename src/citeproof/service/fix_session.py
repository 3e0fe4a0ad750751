"""Documents that are checked and then corrected, the same way for every interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from citeproof.answers.fix.corrected_files import (
    CorrectedFile,
    FixOptions,
    find_unwritable,
    has_remaining_problems,
    refuse_unwritable,
)
from citeproof.answers.fix.fix_results import list_corrected_references
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.service.assemble import make_fixer
from citeproof.service.check_session import CheckSession
from citeproof.service.exit_codes import Exit
from citeproof.vocabulary import Checked, Document


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
