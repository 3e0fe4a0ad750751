"""Checked documents to corrected files: what would change, made so that the rest stays byte for byte.

1 each reference to the file it is in · 2 each change to edits · 3 the edited file is read again, and a
change that does not arrive is taken back · 4 the new bytes. Nothing is written here (`backups.py`).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from citeproof.answers.fix import title_rewording, upgrade
from citeproof.answers.fix.fixed_file import FixedFile
from citeproof.answers.fix.formats.base import ChangeResult, ReferenceEditor, WantedChange, load_formats
from citeproof.answers.fix.text_edits import EncodedText, TextEdit, find_overlaps, has_clash, sort_edits
from citeproof.errors import InputError
from citeproof.judgement.compare.person import Likeness, make_person, measure_likeness
from citeproof.text import pages
from citeproof.text.character_encoding import decode_strictly
from citeproof.text.title import fold_title
from citeproof.vocabulary import (
    Change,
    Checked,
    Claimed,
    Correction,
    Document,
    Extraction,
    Extractor,
    Label,
    Name,
    RawReference,
    Reference,
)
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

BY_KEY = frozenset(("latex", "markdown", "typst"))  # documents whose references may be in a file next to them
_STDIN = "<stdin>"
_ENCODED = "it is a quoted-printable mail, or in an encoding without fixed letters; save it as UTF-8"
_CROWDED = "it conflicts with other changes"
_SHARED = "another work is cited in the same place; fix it by hand"
_ROUNDS = 4  # times that changes are taken back before a file is left alone

Ask = Callable[[Checked, WantedChange], str]


@dataclass(frozen=True, slots=True)
class FixOptions:
    """Which changes are to be made, and where."""

    unsafe: bool = False
    upgrade_preprints: bool = False
    ask: Ask | None = None  # gives the reason why a change is not to be made; empty: it is
    bibliography: bool = False  # the changes go to a new bibliography, and the files stay as they are


@dataclass(slots=True)
class FixStep:
    """One change of one reference: made, or left for the reason that `note` gives."""

    checked: Checked
    wanted: WantedChange
    made: ChangeResult = field(default_factory=ChangeResult)
    why: str = ""  # why it is not made
    listed: bool = False  # it is made in a new bibliography

    @property
    def change(self) -> Change:
        return self.wanted.change

    @property
    def counts(self) -> bool:
        """Whether it is a change of its own: the type goes with the venue, an arXiv number with its DOI."""
        return self.change.field != "type" and (self.done or not self.wanted.is_implied())

    @property
    def done(self) -> bool:
        return (self.listed or bool(self.made.edits)) and not self.why


@dataclass(slots=True)
class CorrectedFile(FixedFile):
    """A file with references: every change that was examined."""

    checked: list[Checked] = field(default_factory=list)  # its references, each once
    steps: list[FixStep] = field(default_factory=list)
    problem: str = ""  # why nothing of it can be changed
    encoding: str = ""  # of its text, where the user states it


def find_unwritable(documents: Sequence[Document], extractions: Sequence[Extraction]) -> dict[str, str]:
    """Return the documents with references that cannot be written back, each with its format."""
    known = load_formats().keys() | BY_KEY
    return {
        document.name: extraction.format or "this format"
        for document, extraction in zip(documents, extractions, strict=True)
        if extraction.references and extraction.format not in known
    }


def refuse_unwritable(documents: Sequence[Document], extractions: Sequence[Extraction]) -> None:
    """Raise an InputError for a document that cannot be written back."""
    for name, form in find_unwritable(documents, extractions).items():
        raise InputError(
            f"references in {form} are not written back",
            place=name,
            hint=f"write a corrected bibliography instead: {suggest_bibliography(name)}",
        )


def suggest_bibliography(name: str) -> str:
    """Return the flag that writes the references of a document to a bibliography of its own."""
    stem = Path(name).stem if name != _STDIN else "references"
    return shlex.join(["--bibliography", f"{stem}-corrected.bib"])


class ReferenceFixer:
    """Corrects documents; what reads them comes by constructor."""

    def __init__(
        self, detect: Callable[[Document], Extractor], decode: Callable[[Document], EncodedText]
    ) -> None:
        self._detect, self._decode = detect, decode

    def fix_files(
        self,
        documents: Sequence[Document],
        extractions: Sequence[Extraction],
        checked: Iterable[Checked],
        options: FixOptions,
    ) -> list[CorrectedFile]:
        """Return every file in which a reference stands that was checked, with what is to change in it.

        `checked` has every reference of the extractions, in order.
        """
        files: dict[str, CorrectedFile] = {}
        by_file: dict[str, dict[tuple[int, str], Checked]] = {}
        keys: dict[tuple[int, str], str] = {}
        standing = ((n, raw.place.file) for n, read in enumerate(extractions) for raw in read.references)
        for named, reference in zip(standing, checked, strict=True):
            if named not in keys:
                keys[named], file = _make_corrected_file(documents[named[0]], named[1])
                files.setdefault(keys[named], file)
            listed = by_file.setdefault(keys[named], {})
            listed.setdefault(_locate_reference(reference), reference)  # two documents may cite one entry
        for key, listed in by_file.items():
            files[key].checked = [listed[where] for where in sorted(listed, key=itemgetter(0))]
            self._fix_file(files[key], options)
        return list(files.values())

    def _fix_file(self, file: CorrectedFile, options: FixOptions) -> None:
        file.steps = [step for checked in file.checked for step in _plan_steps(checked, options)]
        if options.bibliography:
            for step in file.steps:
                step.listed = True
            return
        if not file.steps or file.problem:
            return
        document = Document(file.name, file.data, encoding=file.encoding)
        extractor, encoded = self._detect(document), self._decode(document)
        file.text = encoded.text
        form = load_formats().get(extractor.name)
        if form is None or not encoded.is_exact():
            file.problem = _ENCODED if form else f"references in {extractor.name} are not written back"
            for step in file.steps:
                step.why = step.why or file.problem
            return
        before = extractor.extract(document).references
        shared = find_overlaps(map(_get_byte_span, before))  # what in them is whose is not known
        for step in file.steps:
            if _get_byte_span(step.checked.reference) in shared:
                step.why = _SHARED
        _make_edits(file.steps, form.open_references(encoded.text, encoded.detect_newline()), encoded)
        for _ in range(_ROUNDS):
            file.edits = tuple(
                sort_edits(edit for step in file.steps if step.done for edit in step.made.edits)
            )
            file.new = encoded.edit_bytes(file.edits)
            after = extractor.extract(replace(document, data=file.new)).references
            lost = list(_find_lost_steps(file, before, after, guessed=form.guessed))
            if not lost:
                return
            for step in lost:
                step.why = "it would not be read back correctly"
        file.edits, file.new = (), file.data
        for step in file.steps:
            step.why = step.why or "it would change how the rest of the file is read"


def _locate_reference(checked: Checked) -> tuple[int, str]:
    """Return what distinguishes one reference of a file from the others, whatever name the file goes by."""
    return checked.reference.place.start or 0, checked.reference.raw


def has_remaining_problems(files: Sequence[CorrectedFile], *, written: bool) -> bool:
    """Return whether a problem is left that was found: not to be fixed, or not fixed."""
    done: dict[int, set[str]] = {}
    for step in (step for file in files for step in file.steps if step.done):
        done.setdefault(id(step.checked), set()).add(step.change.field)
    if not written and done:
        return True
    for checked in (checked for file in files for checked in file.checked):
        label, fixed_fields = checked.judgement.label, done.get(id(checked), set())
        fixed_fields |= {"arxiv"} if "doi" in fixed_fields else set()  # a DOI of arXiv takes its number along
        if label is Label.MAJOR:
            return True
        if label is Label.MINOR and {m.field for m in checked.judgement.mismatches} - fixed_fields:
            return True
    left = (step for file in files for step in file.steps if step.counts and not step.done)
    return any(step.change.safe or step.checked.label is not Label.NOTED for step in left)


def _make_corrected_file(document: Document, standing: str) -> tuple[str, CorrectedFile]:
    """Return a file in which references of a document stand, with its real name as the key.

    It is the document itself, or a bibliography next to it.
    """
    if document.name == _STDIN or (document.beside is None and not Path(document.name).exists()):
        data, stated = document.data, document.encoding
        return document.name, CorrectedFile(document.name, None, data, data, encoding=stated)
    if document.name == standing:
        path, data = Path(document.name), document.data
    else:
        path = Path(document.name).parent / standing
        data = (document.beside.read(standing) if document.beside else None) or b""
    problem = "" if data else "it cannot be read again"
    file = CorrectedFile(str(path), path, data, data, problem=problem)
    file.encoding = document.encoding if decode_strictly(data, document.encoding or "utf-8") else ""
    return os.path.realpath(path), file


def _plan_steps(checked: Checked, options: FixOptions) -> Iterator[FixStep]:
    """Yield the changes of one reference, each with why it is not to be made, if it is not."""
    moved = upgrade(checked.reference, checked.judgement) if options.upgrade_preprints else None
    wanted: dict[str, tuple[Change, Correction, bool]] = {}
    if checked.correction is not None:
        wanted |= {
            c.field: (c, checked.correction, c.safe or options.unsafe) for c in checked.correction.changes
        }
    if moved is not None:
        wanted |= {c.field: (c, moved, True) for c in moved.changes}
    unmoved = ""  # why the venue stays
    for change, correction, allowed in wanted.values():
        held = correction.get_record(change.field)
        asked = WantedChange(change, checked.reference.claimed, correction.claimed, held)
        step = FixStep(checked, asked)
        if change.field == "type":  # it comes last, and goes with the venue
            step.why = unmoved
        elif options.ask is not None:
            step.why = options.ask(checked, asked)
        elif not allowed:
            noted = "please check; " if checked.label is Label.NOTED else ""
            step.why = f"unsafe: {noted}--unsafe makes it"
        unmoved = step.why if change.field == "venue" else unmoved
        yield step


def _get_byte_span(reference: Reference | RawReference) -> tuple[int, int]:
    return reference.place.start or 0, reference.place.end or 0


def _make_edits(steps: Sequence[FixStep], make: ReferenceEditor, encoded: EncodedText) -> None:
    """Fill in the edits of every step that is to be made; no two edits meet."""
    by_reference: dict[int, list[FixStep]] = {}
    for step in steps:
        if not step.why:
            by_reference.setdefault(id(step.checked), []).append(step)
    for group in by_reference.values():
        place = group[0].checked.reference.place
        if place.start is None or place.end is None:
            results = [ChangeResult((), "its location in the file is unknown")] * len(group)
        else:
            span = encoded.find_characters(place.start, place.end)
            results = make(*span, [step.wanted for step in group])
        near: list[TextEdit] = []
        for step, made in zip(group, results, strict=True):
            step.made = made
            if has_clash(near, made.edits):
                step.why = _CROWDED
            elif not encoded.can_encode(made.edits):
                step.why = f"the file is in {encoded.encoding}, which cannot encode these letters"
            elif made.edits:
                near += made.edits
            else:
                step.why = made.note or ("not needed" if step.change.field == "type" else "nothing to change")
    done = [(step, edit.span) for step in steps if step.done for edit in step.made.edits]
    crowded = find_overlaps(span for _, span in done)
    for step, span in done:
        if span in crowded:
            step.why = _CROWDED


def _find_lost_steps(
    file: CorrectedFile, before: Sequence[RawReference], after: Sequence[RawReference], *, guessed: bool
) -> Iterator[FixStep]:
    """Yield the steps that must be taken back, because the file does not read as meant with them."""
    done = [step for step in file.steps if step.done]
    if [reference.key for reference in before] != [reference.key for reference in after]:
        yield from done
        return
    numbers = {
        (reference.place.start or 0, reference.text): number for number, reference in enumerate(before)
    }
    touched: dict[int, list[FixStep]] = {}
    for step in done:
        number = numbers.get(_locate_reference(step.checked))
        if number is None:
            yield step
        else:
            touched.setdefault(number, []).append(step)
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if number in touched:
            here = () if guessed else touched[number]
            yield from (step for step in here if not _is_change_applied(step.wanted, new))
        elif (old.claimed or old.text) != (new.claimed or new.text) and "crossref" not in old.text.lower():
            yield from done  # a neighbour changed: nothing of it can be trusted
            return


def _is_change_applied(wanted: WantedChange, after: RawReference) -> bool:
    """Return whether the reference says after the change what it should."""
    if after.claimed is None:
        return True
    name, claimed = wanted.change.field, after.claimed
    match name:
        case "type":
            return True
        case "title":
            return title_rewording.is_same_title(claimed.title or "", wanted.value())
        case "authors":
            return _has_same_people(claimed, wanted.fixed.authors)
        case "venue":
            return fold_title(claimed.venue or "") == fold_title(wanted.value())
        case "pages":
            return (claimed.pages or "") == (pages.normalise(wanted.value()) or "")
        case "year" | "volume" | "issue":
            return str(getattr(claimed, name) or "") == wanted.value()
        case _:
            now = claimed.ids.all(name)
            return not set(now) & set(wanted.list_wrong_ids()) and set(wanted.list_new_ids()) <= set(now)


def _has_same_people(claimed: Claimed, wanted: tuple[Name, ...]) -> bool:
    """Return whether the people are those wanted, in order; a list that says it is cut may have fewer."""
    names = claimed.authors
    if len(names) > len(wanted) or (len(names) < len(wanted) and not claimed.et_al):
        return False
    return all(
        measure_likeness(make_person(a), make_person(b)) >= Likeness.VARIANT
        for a, b in zip(names, wanted, strict=False)
    )
