"""Checked documents to corrected files: what would change, made so that the rest stays byte for byte.

1 each reference to the file it stands in · 2 each change to edits · 3 the edited file is read again, and a
change that does not arrive is taken back · 4 the new bytes. Nothing is written here (`backups.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeproof.correct import upgrade
from citeproof.correct.edits import Edit, Made, Wanted, clash, meeting, ordered
from citeproof.errors import InputError
from citeproof.extractors.base import detect
from citeproof.extractors.decode import Decoded, decode
from citeproof.surfaces.arrival import arrived
from citeproof.surfaces.bytespans import Cursor, newline, rebuilt, whole, writable
from citeproof.surfaces.mending import FORMATS, Mender, mender
from citeproof.vocabulary import (
    Change,
    Checked,
    Correction,
    Document,
    Extraction,
    Label,
    RawReference,
    Reference,
)

BY_KEY = frozenset(("latex", "markdown", "typst"))  # documents whose references may stand in a file beside
_STDIN = "<stdin>"
_ENCODED = "it is a mail in quoted-printable; save its text as a file"
_CROWDED = "it cannot be written beside the others"
_SHARED = "another work is cited in the same place; mend it by hand"
_ROUNDS = 4  # times that changes are taken back before a file is left alone

Ask = Callable[[Checked, Wanted], bool]


@dataclass(frozen=True, slots=True)
class Options:
    """Which changes are to be made."""

    unsafe: bool = False
    upgrade_preprints: bool = False
    ask: Ask | None = None


@dataclass(slots=True)
class Step:
    """One change of one reference: made, or left for the reason that `note` gives."""

    checked: Checked
    wanted: Wanted
    made: Made = field(default_factory=Made)
    why: str = ""  # why it is not made

    @property
    def change(self) -> Change:
        return self.wanted.change

    @property
    def counts(self) -> bool:
        """Whether it is a change of its own: the type goes with the venue, an arXiv number with its DOI."""
        return self.change.field != "type" and (self.done or not self.wanted.along())

    @property
    def done(self) -> bool:
        return bool(self.made.edits) and not self.why


@dataclass(slots=True)
class Fixed:
    """One file: the bytes it has, those it should have, and every change that was looked at."""

    name: str
    path: Path | None  # None: standard input
    data: bytes
    text: str = ""
    new: bytes = b""
    edits: tuple[Edit, ...] = ()
    checked: list[Checked] = field(default_factory=list)  # its references, each once
    steps: list[Step] = field(default_factory=list)
    problem: str = ""  # why nothing of it can be changed


def refuse(documents: Sequence[Document], extractions: Sequence[Extraction]) -> None:
    """Raise an InputError for a document that cannot be written back."""
    for document, extraction in zip(documents, extractions, strict=True):
        if extraction.references and extraction.format not in FORMATS | BY_KEY:
            raise InputError(
                f"references in {extraction.format or 'this format'} are not written back",
                place=document.name,
                mend="`citeproof check FILE --format bibtex -o fixed.bib` gives the corrected entries",
            )


def fixed(
    documents: Sequence[Document], checked: Iterable[tuple[int, Checked]], options: Options
) -> list[Fixed]:
    """Return every file in which a reference stands that was checked, with what is to change in it.

    `checked` gives the number of the document that cites it beside each reference.
    """
    files: dict[str, Fixed] = {}
    found: dict[str, dict[tuple[int, str], Checked]] = {}
    keys: dict[tuple[int, str], str] = {}
    for number, one in checked:
        named = (number, one.reference.place.file)
        if named not in keys:
            keys[named], file = _file_of(documents[number], named[1])
            files.setdefault(keys[named], file)
        key = keys[named]
        found.setdefault(key, {}).setdefault(_standing(one), one)  # two documents may cite one entry
    for key, listed in found.items():
        files[key].checked = [listed[where] for where in sorted(listed)]
        _mend(files[key], options)
    return list(files.values())


def _standing(one: Checked) -> tuple[int, str]:
    """Return by what one reference of one file is told from the others, whatever name the file goes by."""
    return one.reference.place.start or 0, one.reference.raw


def remaining(files: Sequence[Fixed], *, written: bool) -> bool:
    """Return whether a problem is left that was found: not to be mended, or not mended."""
    done: dict[int, set[str]] = {}
    for step in (step for file in files for step in file.steps if step.done):
        done.setdefault(id(step.checked), set()).add(step.change.field)
    if not written and done:
        return True
    for one in (one for file in files for one in file.checked):
        label, mended = one.judgement.label, done.get(id(one), set())
        mended |= {"arxiv"} if "doi" in mended else set()  # a DOI of arXiv takes its number along
        if label is Label.MAJOR:
            return True
        if label is Label.MINOR and {m.field for m in one.judgement.mismatches} - mended:
            return True
    return any(not step.done for file in files for step in file.steps if step.counts)


def _file_of(document: Document, standing: str) -> tuple[str, Fixed]:
    """Return a file in which references of a document stand, with its real name as the key.

    It is the document itself, or a bibliography beside it.
    """
    if document.name == _STDIN:
        return _STDIN, Fixed(_STDIN, None, document.data, new=document.data)
    if document.name == standing:
        path, data = Path(document.name), document.data
    else:
        path = Path(document.name).parent / standing
        data = (document.beside.read(standing) if document.beside else None) or b""
    problem = "" if data else "it cannot be read again"
    return os.path.realpath(path), Fixed(str(path), path, data, new=data, problem=problem)


def _mend(file: Fixed, options: Options) -> None:
    file.steps = [step for one in file.checked for step in _steps(one, options)]
    if not file.steps or file.problem:
        return
    document = Document(file.name, file.data)
    one = detect(document)
    decoded = decode(document)
    file.text = decoded.text
    make = mender(one.name, decoded.text, newline(file.data, decoded.encoding))
    if make is None or not whole(decoded, file.data):
        file.problem = f"references in {one.name} are not written back" if make is None else _ENCODED
        for step in file.steps:
            step.why = step.why or file.problem
        return
    before = one.extract(document).references
    shared = meeting(_span(one) for one in before)  # nobody knows what in them is whose
    for step in file.steps:
        if _span(step.checked.reference) in shared:
            step.why = _SHARED
    _make(file.steps, make, decoded, file.data)
    for _ in range(_ROUNDS):
        file.edits = tuple(ordered(edit for step in file.steps if step.done for edit in step.made.edits))
        file.new = rebuilt(file.data, decoded, file.edits)
        lost = list(_lost(file, before, one.extract(Document(file.name, file.new)).references, one.name))
        if not lost:
            return
        for step in lost:
            step.why = "it could not be written so that it reads as meant"
    file.edits, file.new = (), file.data
    for step in file.steps:
        step.why = step.why or "the file does not read as before with it"


def _steps(one: Checked, options: Options) -> Iterator[Step]:
    """Yield the changes of one reference, each with why it is not to be made, if it is not."""
    moved = upgrade(one.reference, one.judgement) if options.upgrade_preprints else None
    wanted: dict[str, tuple[Change, Correction, bool]] = {}
    if one.correction is not None:
        wanted |= {c.field: (c, one.correction, c.safe or options.unsafe) for c in one.correction.changes}
    if moved is not None:
        wanted |= {c.field: (c, moved, True) for c in moved.changes}
    unmoved = ""  # why the venue stays
    for change, correction, allowed in wanted.values():
        asked = Wanted(change, one.reference.claimed, correction.claimed, correction.record)
        step = Step(one, asked)
        if change.field == "type":  # it comes last, and goes with the venue
            step.why = unmoved
        elif options.ask is not None:
            step.why = "" if options.ask(one, asked) else "not wanted"
        elif not allowed:
            step.why = "unsafe: --unsafe makes it"
        unmoved = step.why if change.field == "venue" else unmoved
        yield step


def _span(one: Reference | RawReference) -> tuple[int, int]:
    return one.place.start or 0, one.place.end or 0


def _make(steps: Sequence[Step], make: Mender, decoded: Decoded, data: bytes) -> None:
    """Fill in the edits of every step that is to be made; no two edits meet."""
    cursor = Cursor(decoded, data)
    by_reference: dict[int, list[Step]] = {}
    for step in steps:
        if not step.why:
            by_reference.setdefault(id(step.checked), []).append(step)
    for group in by_reference.values():
        place = group[0].checked.reference.place
        if place.start is None or place.end is None:
            results = [Made((), "nobody knows where in the file it stands")] * len(group)
        else:
            span = cursor.span(place.start, place.end)
            results = make(*span, [step.wanted for step in group])
        near: list[Edit] = []
        for step, made in zip(group, results, strict=True):
            step.made = made
            if clash(near, made.edits):
                step.why = _CROWDED
            elif not writable(made.edits, decoded.encoding):
                step.why = f"the file is in {decoded.encoding}, which does not have these letters"
            elif made.edits:
                near += made.edits
            else:
                step.why = made.note or ("not needed" if step.change.field == "type" else "nothing to change")
    done = [(step, edit.span) for step in steps if step.done for edit in step.made.edits]
    crowded = meeting(span for _, span in done)
    for step, span in done:
        if span in crowded:
            step.why = _CROWDED


def _lost(
    file: Fixed, before: Sequence[RawReference], after: Sequence[RawReference], form: str
) -> Iterator[Step]:
    """Yield the steps that must be taken back, because the file does not read as meant with them."""
    done = [step for step in file.steps if step.done]
    if [one.key for one in before] != [one.key for one in after]:
        yield from done
        return
    numbers = {(one.place.start or 0, one.text): number for number, one in enumerate(before)}
    touched: dict[int, list[Step]] = {}
    for step in done:
        number = numbers.get(_standing(step.checked))
        if number is None:
            yield step
        else:
            touched.setdefault(number, []).append(step)
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if number in touched:
            yield from (step for step in touched[number] if not arrived(step.wanted, new, form))
        elif (old.claimed or old.text) != (new.claimed or new.text) and "crossref" not in old.text.lower():
            yield from done  # a neighbour changed: nothing of it can be trusted
            return
