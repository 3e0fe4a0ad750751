"""Documents through the engine, the same way for every interface; what came of it, as a `Report`.

Places are as the user would write them.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from queue import Queue
from typing import Any, overload

from citeproof.answers import serializers
from citeproof.errors import InputError, UsageError
from citeproof.judgement.checks.evidence.set_evidence import SetMember
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.service.exit_codes import Exit, RunOutcome, gate_reference, gate_set_finding
from citeproof.service.input_documents import Subject
from citeproof.service.listed_references import LISTED, Several, list_documents
from citeproof.settings.policies.policy_reader import read_policy
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, Document, Extraction, Label, Place, Policy, Problem, Run, SetFinding
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

AHEAD = 200  # checked references that wait for a slow caller
_PAUSE = 0.2  # seconds between two pictures


@dataclass(frozen=True, slots=True)
class CheckSession:
    """Documents that were read and wait to be verified."""

    engine: ReferenceVerifier
    run: Run
    extractions: tuple[Extraction, ...]
    documents: tuple[Document, ...]
    set_findings: list[SetFinding] = field(default_factory=list)  # of the documents that are done
    earlier: tuple[Checked, ...] = ()  # the first references, which an earlier attempt has checked
    unordered: bool = False  # references come as they are done, those of a document before the next one's

    @property
    def total(self) -> int:
        """How many references there are to verify."""
        return sum(len(extraction.references) for extraction in self.extractions)

    @property
    def lost(self) -> int:
        """How many places of the documents cost a reference."""
        return sum(_count_lost_references(extraction) for extraction in self.extractions)

    async def verify_references(self) -> AsyncGenerator[Checked]:
        """Yield every checked reference; after the last one of a document, look at all of them."""
        async with aclosing(self.verify_numbered()) as checks:
            async for _, checked in checks:
                yield checked

    async def verify_numbered(self) -> AsyncGenerator[tuple[int, Checked]]:
        """Yield the same, each with its number among all references, from 0."""
        left, before = self.earlier, 0
        for extraction, document in zip(self.extractions, self.documents, strict=True):
            known, left = left[: len(extraction.references)], left[len(extraction.references) :]
            members = dict(enumerate(map(SetMember.of, known)))
            places = {id(reference.place): at for at, reference in enumerate(extraction.references)}
            verified = self.engine.verify(extraction, len(known), unordered=self.unordered)
            async with aclosing(verified) as checks:
                async for checked in checks:
                    number = places[id(checked.reference.place)] if self.unordered else len(members)
                    members[number] = SetMember.of(checked)
                    yield before + number, locate_reference(checked, document)
            before += len(extraction.references)
            ordered = [member for _, member in sorted(members.items())]
            for found in await self.engine.examine_set(document.name, extraction, ordered):
                self.set_findings.append(replace(found, place=locate_place(found.place, document)))

    async def stream(self) -> AsyncGenerator[Checked]:
        """Yield every checked reference, in document order, and close the engine."""
        try:
            async with aclosing(self.verify_references()) as checks:
                async for checked in checks:
                    yield checked
        finally:
            await self.engine.close()

    def __iter__(self) -> Iterator[Checked]:
        """Yield every checked reference, each as soon as it is known, to a caller without a loop.

        The loop has its own thread: while the caller writes or a pager waits, answers come in time.
        """
        done: Queue[Checked | BaseException | None] = Queue()
        wanted = threading.Semaphore(AHEAD)  # no further than this ahead of a caller that takes its time
        begun: Queue[Callable[[], object]] = Queue()  # what ends the checking
        thread = threading.Thread(
            target=lambda: asyncio.run(self._feed(done, wanted, begun)), name="checking", daemon=True
        )
        thread.start()
        stop = begun.get()
        try:
            while (checked := done.get()) is not None:
                if isinstance(checked, BaseException):
                    raise checked
                yield checked
                wanted.release()
        finally:
            stop()
            thread.join()

    async def _feed(
        self,
        done: Queue[Checked | BaseException | None],
        wanted: threading.Semaphore,
        begun: Queue[Callable[[], object]],
    ) -> None:
        """Put what is checked where the caller takes it; what goes wrong too; None at the end."""
        begun.put(_make_canceller())
        try:
            async with aclosing(self.stream()) as stream:
                async for checked in stream:
                    while not wanted.acquire(blocking=False):  # noqa: ASYNC110 - the caller has no loop
                        await asyncio.sleep(0.01)
                    done.put(checked)
        except BaseException as error:  # noqa: BLE001 - it is raised again where the caller is
            done.put(error)
        finally:
            done.put(None)


def _make_canceller() -> Callable[[], object]:
    """Return what ends the task that runs here, from another thread; nothing happens where it has ended."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def cancel() -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(task.cancel if task else int)

    return cancel


def begin_check(engine: ReferenceVerifier, documents: Sequence[Document]) -> CheckSession:
    """Return the documents, read. One that cannot be read is a problem next to the others."""
    extractions = extract_documents(engine.extract, documents)
    run = engine.run(documents, locate_problems(extractions, documents))
    return CheckSession(engine, run, tuple(extractions), tuple(documents))


def begin_list_check(
    engine: ReferenceVerifier, items: Several, read: Callable[[Subject], Document]
) -> CheckSession:
    """Return a list of references and documents, read; its references are one document."""
    listed = list_documents(items, read)
    known = {id(document): extraction for document, extraction in listed if document.name == LISTED}
    extract = engine.extract_with
    listing = replace(engine, extract_with=lambda given: known.get(id(given)) or extract(given))
    return begin_check(listing, [document for document, _ in listed])


def extract_documents(
    read: Callable[[Document], Extraction], documents: Sequence[Document]
) -> list[Extraction]:
    """Return what `read` makes of each document; InputError only if it can read none of them."""
    extractions: list[Extraction] = []
    failed: list[InputError] = []
    for document in documents:
        try:
            extractions.append(read(document))
        except InputError as error:
            failed.append(error)
            # Line 1, because a whole document that cannot be read has cost its references.
            problem = Problem(Place(document.name, 1), error.message, error.hint, whole=True)
            extractions.append(Extraction((), (problem,)))
    if failed and len(failed) == len(documents):
        raise failed[0]
    return extractions


def _count_lost_references(extraction: Extraction) -> int:
    """Count problems outside all references; the others are only warnings."""
    standing = [reference.place for reference in extraction.references]
    lines = _SpanLookup([(p.line or 0, (p.end_line or p.line or 0) + 1) for p in standing])
    # One line may hold a whole document, so that bytes tell more than lines where both sides have them.
    exact = all(p.start is not None and p.end is not None for p in standing)
    spans = _SpanLookup([(p.start or 0, p.end or 0) for p in standing]) if exact else None
    missing = (extraction.expected or 0) - len(standing)
    costs = 0
    for place in (problem.place for problem in extraction.problems if not problem.note):
        if spans is not None and place.start is not None:
            costs += not spans.hold(place.start)
        else:
            costs += place.line is not None and not lines.hold(place.line)
    return max(0, missing, costs)


class _SpanLookup:
    """Half-open spans, asked again and again whether one of them holds a point."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))

    def hold(self, point: int) -> bool:
        """Return whether some span holds `point`: one of those that begin before it reaches so far."""
        before = bisect_right(self._starts, point)
        return before > 0 and point < self._reach[before - 1]


def locate_place(place: Place, document: Document) -> Place:
    """Return a place with its file as seen from the working folder.

    Extractors name the files next to a document, such as its bibliography, from the document's folder.
    """
    own = not place.file or place.file == document.name or place.file.startswith(f"{document.name}!/")
    if own or not isinstance(document.beside, FolderFiles):
        return place
    return replace(place, file=document.beside.show_path(place.file))


def locate_reference(checked: Checked, document: Document) -> Checked:
    """Return a checked reference with its place as seen from the working folder."""
    place = locate_place(checked.reference.place, document)
    if place is checked.reference.place:
        return checked
    return replace(checked, reference=replace(checked.reference, place=place))


def locate_problems(extractions: Iterable[Extraction], documents: Sequence[Document]) -> list[Extraction]:
    """Return what was read, with the places of the problems as seen from the working folder."""
    return [
        replace(
            read, problems=tuple(replace(p, place=locate_place(p.place, document)) for p in read.problems)
        )
        for read, document in zip(extractions, documents, strict=True)
    ]


class RepositoryPaths:
    """Makes paths of a report into paths from the root of the repository, as code scanning wants them."""

    def __init__(self, folder: Path | None = None) -> None:
        """Find the root above `folder`, the working folder; without a repository it is the folder itself."""
        self._folder = folder or Path.cwd()
        above = (self._folder, *self._folder.parents)
        self._root = next((parent for parent in above if os.path.lexists(parent / ".git")), self._folder)

    def locate_file(self, file: str) -> str:
        """Return the path from the root; one outside of it, or no path such as `<stdin>`, stays as it is."""
        if not file or file.startswith("<") or "\0" in file:
            return file
        whole = Path(os.path.normpath(self._folder / file))
        return whole.relative_to(self._root).as_posix() if whole.is_relative_to(self._root) else file


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What `check` found out: the run, and every checked reference in document order.

    A sequence: `len(report)`, `report[0]`, `for checked in report`.
    """

    run: Run
    references: tuple[Checked, ...]
    exit_code: Exit  # what the command line would have ended with
    findings: tuple[SetFinding, ...] = ()  # about the references together; those of one work are with it
    lost: int = 0  # places of the documents that cost a reference
    policy: Policy | None = None  # what decided `exit_code`; None: any problem

    def __len__(self) -> int:
        return len(self.references)

    def __iter__(self) -> Iterator[Checked]:
        return iter(self.references)

    @overload
    def __getitem__(self, at: int) -> Checked: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Checked, ...]: ...
    def __getitem__(self, at: int | slice) -> Checked | tuple[Checked, ...]:
        return self.references[at]

    def __bool__(self) -> bool:
        return True  # a report without references is still a report

    @property
    def problems(self) -> tuple[Checked, ...]:
        """The references that are MINOR or MAJOR."""
        return tuple(checked for checked in self.references if checked.label in (Label.MINOR, Label.MAJOR))

    @property
    def unchecked(self) -> tuple[Checked, ...]:
        """The references that could not be checked."""
        return tuple(checked for checked in self.references if checked.label is None)

    def apply_policy(self, policy: str | Path) -> Report:
        """Return the same evidence under a policy: a shipped one by name, or your own TOML file.

        Each reference has `gates`, the rules that decided, and `exit_code` is that of the command line.
        """
        chosen = read_policy(str(policy))
        references = tuple(gate_reference(checked, chosen) for checked in self.references)
        findings = tuple(gate_set_finding(found, chosen) for found in self.findings)
        code = RunOutcome.of(references, self.lost, findings, chosen).code()
        return Report(self.run, references, code, findings, self.lost, chosen)

    def to_dicts(self) -> list[dict[str, serializers.Cell]]:
        """Return one flat dictionary a reference."""
        return list(map(serializers.build_flat_row, self.references))

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is not needed but here
        """Return a pandas data frame, one row a reference; `line` is the number in a list."""
        try:
            return import_module("pandas").DataFrame(self.to_dicts())
        except ModuleNotFoundError as error:
            hint = "pip install pandas, or use report.to_dicts()"
            raise UsageError("pandas is not installed", place="to_frame", hint=hint) from error

    def json(self) -> serializers.Json:
        """Return the report as `citeproof check --format json` prints it."""
        return serializers.build_report_json(self.run, self.references, lambda: self.findings, self.policy)

    def _repr_html_(self) -> str:
        from citeproof.answers.reporters.html.reference_page import format_notebook_view  # noqa: PLC0415 - templates, for notebooks

        return format_notebook_view(self.run, self.references)

    def __repr__(self) -> str:
        labels = Counter(checked.label for checked in self.references)
        counts = ", ".join(f"{labels[label]} {label.value}" for label in Label)
        many = "" if len(self) == 1 else "s"
        lost = f", {self.lost} not read" if self.lost else ""
        return f"<Report of {len(self)} reference{many}: {counts}, {labels[None]} not checked{lost}>"


async def collect_report(checking: CheckSession, tell: Callable[[int], None] = lambda _: None) -> Report:
    """Return the report on documents that were read; `tell` hears how many are done; no engine ends."""
    done: list[Checked] = []
    async for checked in checking.verify_references():
        done.append(checked)
        tell(len(done))
    references = tuple(done)
    findings = tuple(checking.set_findings)
    code = RunOutcome.of(references, checking.lost, findings).code()
    return Report(checking.run, references, code, findings, checking.lost)


@contextmanager
def show_notebook_bar(total: int) -> Iterator[Callable[[int], None]]:
    """Yield what hears how many references are checked; it draws only where a notebook runs."""
    display: Any = sys.modules.get("IPython.display")
    shell = sys.modules["IPython"].get_ipython() if display else None
    if not total or getattr(shell, "kernel", None) is None:
        yield lambda _: None
        return
    drawn = time.monotonic()

    def draw(done: int) -> Any:  # noqa: ANN401 - HTML of IPython
        words = f"{done:,} of {total:,} references checked"
        bar = f'<progress value="{done}" max="{total}" aria-label="references checked"></progress>'
        return display.HTML(f"{bar} {words}")

    def tell(done: int) -> None:
        nonlocal drawn
        if time.monotonic() - drawn > _PAUSE:
            drawn = time.monotonic()
            handle.update(draw(done))

    handle = display.display(draw(0), display_id=True)
    try:
        yield tell
    finally:
        handle.update(display.HTML(""))  # the report follows
