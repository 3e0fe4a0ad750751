"""A document in an editor, checked: which references stand where in its text, and how each can be fixed.

Nothing is written and nothing is shown here. Offsets are in characters of the text that was checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path

from citeproof.answers.fix.corrected_files import CorrectedFile, FixOptions
from citeproof.answers.fix.text_edits import TextEdit
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import ReportRow, RowLevel
from citeproof.reading.extractors.latex.cite_commands import find_cites
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.service.accepted_problems import AcceptedProblems, IgnoreEntry
from citeproof.service.check_session import CheckSession, begin_check
from citeproof.service.engine_pool import EnginePool
from citeproof.service.exit_codes import set_finding_level, set_reference_levels
from citeproof.service.fix_session import FixSession
from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import map_byte_offsets
from citeproof.vocabulary import Checked, Document, Place, Policy
from citeproof.vocabulary.quick_dataclass import dataclass

Tell = Callable[["EditorCheck"], None]
_FIRST = 50  # references after which what is known so far is reported; then after twice as many
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_PANDOC = re.compile(r"(?<![\w@\\])@\{?([A-Za-z0-9_][\w:.#$%&+?<>~/-]{0,200})")
_RST_MARK = re.compile(r"``[^`]{1,2000}``|(?<!\\)\[#?([^\]\s]{1,60})\]_(?!\w)")  # not in literals
_LATEX = (".tex", ".ltx", ".latex")
_RST = (".rst", ".rest")
_BIBLIOGRAPHIES = (".bib", ".bibtex", ".bbl", ".ris", ".nbib", ".json")  # in which nothing is cited


@dataclass(frozen=True, slots=True)
class EditorMark:
    """A stretch of the text that a checked reference is about: its entry, or a citation of it."""

    start: int
    end: int
    checked: Checked
    rows: tuple[ReportRow, ...]  # its problems


@dataclass(frozen=True, slots=True)
class EditorNote:
    """A problem at a line of the text that belongs to no reference alone."""

    start: int
    end: int
    row: ReportRow


@dataclass(frozen=True, slots=True)
class EntryFix:
    """What `citeproof fix` would change in the entry of one reference."""

    path: str  # of the file in which the entry is
    text: str  # of that file, to which the edits belong
    edits: tuple[TextEdit, ...]
    words: tuple[str, ...]  # the changes, in words
    unsafe: bool


@dataclass(frozen=True, slots=True)
class GateChoice:
    """What decides how loud a problem is: a policy, or what the user fails on, and what is accepted."""

    policy: Policy | None
    fail_on: frozenset[str]
    ignored: Sequence[IgnoreEntry]
    today: date


@dataclass(frozen=True)
class EditorCheck:
    """The references of one text, as far as they are checked."""

    document: Document
    text: str
    session: CheckSession
    references: tuple[Checked, ...]
    whole: bool  # every reference is checked

    def list_marks(self, gate: GateChoice) -> list[EditorMark]:
        """Return the entries and citations of the text, each with the problems that are not accepted."""
        accepted = AcceptedProblems(tuple(gate.ignored), None, today=gate.today)
        marks: list[EditorMark] = []
        by_key: dict[str, tuple[Checked, tuple[ReportRow, ...]]] = {}
        for checked in accepted.watch(self.references):
            gated = set_reference_levels(checked, gate.policy, gate.fail_on)
            report = ReferenceReport(self.session.run, (gated,), fail_on=gate.fail_on, policy=gate.policy)
            rows = tuple(filter(_is_problem, next(report.generate_documents()).rows))
            place = gated.reference.place
            if place.file == self.document.name:
                marks.append(EditorMark(*self._find_entry(place), gated, rows))
            by_key.setdefault(gated.reference.key, (gated, rows))
        for start, end, key in find_cite_marks(self.text, self.document.name, frozenset(by_key)):
            marks.append(EditorMark(start, end, *by_key[key]))
        return sorted(marks, key=lambda mark: (mark.start, mark.end))

    def list_notes(self, gate: GateChoice) -> list[EditorNote]:
        """Return what was found about the references together, and what could not be read, in this text."""
        accepted = AcceptedProblems(tuple(gate.ignored), None, today=gate.today)
        levels = (gate.policy, gate.fail_on)
        marked = map(accepted.accept_set_finding, self.session.set_findings)
        findings = tuple(set_finding_level(found, *levels) for found in marked)
        report = ReferenceReport(
            self.session.run, (), fail_on=gate.fail_on, policy=gate.policy, set_findings=lambda: findings
        )
        return [
            EditorNote(*self.find_line(row.place.line or 1), row)
            for row in report.generate_rows()
            if row.place.file in ("", self.document.name) and _is_problem(row)
        ]

    def list_fixes(self, checked: Checked) -> list[EntryFix]:
        """Return what can be changed in the entry of a reference: safely, then all. Slow at first."""
        if not self.whole:
            return []
        where = _locate_entry(checked)
        safe, every = (self._fixes[unsafe].get(where) for unsafe in (False, True))
        if every and safe and every.edits == safe.edits:
            every = None
        return [fix for fix in (safe, every) if fix]

    def find_line(self, line: int) -> tuple[int, int]:
        """Return where a line of the text begins and ends, without spaces around it."""
        return self._line_spans[min(max(line, 1), len(self._line_spans)) - 1]

    def _find_entry(self, place: Place) -> tuple[int, int]:
        if place.start is None or place.end is None:
            start, end = self.find_line(place.line or 1)
            before = self.text.rfind("\n", 0, start) + 1
            return max(start, min(before + (place.column or 1) - 1, end)), end
        return self._find_character(place.start), self._find_character(place.end)

    @cached_property
    def _find_character(self) -> Callable[[int], int]:
        """What finds the character that begins at a byte of the document."""
        return map_byte_offsets(self.document.data.decode())

    @cached_property
    def _fixes(self) -> dict[bool, dict[tuple[Place, str], EntryFix]]:
        """What can be changed in each entry: by safe changes, and by all."""
        fixing = FixSession([self.document], self.session, writes=False)
        for _ in fixing.watch(self.references):
            pass
        return {
            unsafe: {
                where: fix
                for file in fixing.correct_files(FixOptions(unsafe=unsafe))
                for where, fix in _group_fixes(file)
            }
            for unsafe in (False, True)
        }

    @cached_property
    def _line_spans(self) -> list[tuple[int, int]]:
        bodies = [line.rstrip() for line in self.text.split("\n")]
        starts = accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0)
        return [
            (start + len(body) - len(body.lstrip()), start + len(body))
            for start, body in zip(starts, bodies, strict=False)
        ]


def _locate_entry(checked: Checked) -> tuple[Place, str]:
    return checked.reference.place, checked.reference.raw


def _group_fixes(file: CorrectedFile) -> Iterator[tuple[tuple[Place, str], EntryFix]]:
    """Yield the changes of a file that can be made, together for each entry."""
    done = [step for step in file.steps if step.done]
    for where, group in groupby(done, key=lambda step: _locate_entry(step.checked)):
        steps = list(group)
        words = tuple(
            f"{step.change.field}: {step.change.claimed or '(nothing)'} → "
            f"{step.change.resolved or '(removed)'}"
            for step in steps
            if step.counts
        )
        edits = tuple(edit for step in steps for edit in step.made.edits)
        yield where, EntryFix(file.name, file.text, edits, words, not all(step.change.safe for step in steps))


def make_editor_document(path: Path | None, name: str, text: str, root: Path | None) -> Document:
    """Return the text of an editor as a document; what is in its folder or below `root` it may use."""
    data = text.encode("utf-8", "replace")
    if path is None:
        return Document(name, data)
    inside = root if root is not None and path.is_relative_to(root) else None
    return Document(str(path), data, FolderFiles(path.parent, inside))


async def check_in_editor(pool: EnginePool, document: Document, text: str, tell: Tell) -> EditorCheck:
    """Return a document with all references checked; `tell` hears of some before. In the pool's loop."""
    engine = await pool.take_quickly("check")
    try:
        session = await asyncio.to_thread(begin_check, engine, [document])
        done: list[Checked] = []
        next_report = _FIRST
        async for checked in session.verify_references():
            done.append(checked)
            if len(done) == next_report:
                next_report *= 2
                tell(EditorCheck(document, text, session, tuple(done), whole=False))
        return EditorCheck(document, text, session, tuple(done), whole=True)
    finally:
        await pool.give_back(engine)


def _is_problem(row: ReportRow) -> bool:
    return row.level is not RowLevel.NONE and row.accepted is None


def list_marks_at(marks: Iterable[EditorMark], offset: int) -> list[EditorMark]:
    """Return the marks that hold a character, the narrowest first; one that ends there comes last."""
    around = [mark for mark in marks if mark.start <= offset <= mark.end]
    return sorted(around, key=lambda mark: (mark.end == offset, mark.end - mark.start))


def move_marks(marks: Iterable[EditorMark], before: str, now: str) -> list[EditorMark]:
    """Return the marks before and after the stretch of a text that was changed since."""
    same = _count_common(before, now)
    most = min(len(before), len(now)) - same
    after = min(_count_common(before[::-1], now[::-1]), most)
    moved, left = len(now) - len(before), len(before) - after
    return [mark for mark in marks if mark.end <= same] + [
        EditorMark(mark.start + moved, mark.end + moved, mark.checked, mark.rows)
        for mark in marks
        if mark.start >= left and mark.end > same
    ]


def _count_common(text: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def find_cite_marks(text: str, name: str, keys: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and key of each citation of one of `keys` in a document called `name`."""
    if name.lower().endswith(_BIBLIOGRAPHIES):
        return
    if name.lower().endswith(_LATEX):
        commands, _, _ = find_cites(_COMMENT.sub(lambda comment: " " * len(comment[0]), text))
        for command in commands:
            body, at = text[command.start : command.end], 0
            for key in command.keys:
                start = body.find(key, at)
                if key in keys and start >= 0:
                    yield command.start + start, command.start + start + len(key), key
                    at = start + len(key)
        return
    if name.lower().endswith(_RST):
        yield from ((*mark.span(1), mark[1]) for mark in _RST_MARK.finditer(text) if mark[1] in keys)
        return
    for mark in _PANDOC.finditer(text):
        key = mark[1]
        while key not in keys and key and not key[-1].isalnum():  # the end of a sentence is no part of it
            key = key[:-1]
        if key in keys:
            yield mark.start(1), mark.start(1) + len(key), key
