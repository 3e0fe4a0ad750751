"""Changes into a RIS file: lines whose value is wrong, a line more, a line less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from citeproof.answers.fix import title_rewording
from citeproof.answers.fix.author_list_edits import NameForm, detect_name_form, pair_people
from citeproof.answers.fix.formats.base import (
    ChangeResult,
    FieldWriter,
    ReferenceEditor,
    WantedChange,
    find_identifier,
    leave_change,
    make_change,
    replace_identifier,
)
from citeproof.answers.fix.text_edits import TextEdit
from citeproof.judgement.compare.person import Likeness
from citeproof.text import lazy_patterns as re
from citeproof.text import names, pages
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Name

_LINE = re.compile(r"^([ \t\ufeff]{0,9})([A-Za-z][A-Za-z0-9])([ \t]{1,3}-)([ \t]?)([^\r\n]*)", re.MULTILINE)
_TITLES = ("TI", "T1", "CT", "BT")
_VENUES = ("JF", "T2", "JO", "BT", "JA", "J2", "J1", "C3")
_YEARS = ("PY", "Y1", "DA", "Y2")
_IDS = ("DO", "DI", "M3", "L3", "N1", "UR", "L2", "LK", "L1", "M1", "AN", "PM", "C2")
_NEW = {"doi": "DO"}
_UNPUBLISHED = ("UNPB", "GEN", "ELEC", "MANSCPT")
_DASH = re.compile(r"[-\u2010-\u2015\u2212]{1,3}")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


@dataclass(frozen=True, slots=True)
class RisLine:
    """One tag with its value: where the line begins, where the value is, where the line ends."""

    tag: str
    start: int
    value: int
    end: int
    text: str


def open_references(text: str, newline: str) -> ReferenceEditor:
    """Return what turns changes of the records of `text` into edits."""

    def edit_record(start: int, end: int, wanted: Sequence[WantedChange]) -> list[ChangeResult]:
        lines = [
            RisLine(m[2].upper(), m.start(), m.start(5), m.start(5) + len(m[5].rstrip()), m[5].rstrip())
            for m in _LINE.finditer(text, start, end)
        ]
        work = _RecordEditor(text, lines, newline)
        return work.write_changes(wanted)

    return edit_record


@dataclass(frozen=True, slots=True)
class _RecordEditor(FieldWriter):
    text: str
    lines: Sequence[RisLine]
    newline: str

    WHERE: ClassVar[str] = "tag of RIS"
    VALUES: ClassVar[Mapping[str, tuple[str, ...]]] = {"volume": ("VL", "VO"), "issue": ("IS", "CP")}

    def write_type(self, wanted: WantedChange) -> ChangeResult:
        """Change the type of a record that says it was never published."""
        line = self._find_first_line(("TY",))
        if line is None or line.text.upper() not in _UNPUBLISHED:
            return ChangeResult()
        return self._replace_line(line, "CPAPER" if wanted.change.resolved == "inproceedings" else "JOUR")

    def write_title(self, wanted: WantedChange) -> ChangeResult:
        line = self._find_first_line(_TITLES)
        if line is None:
            return leave_change("the record has no title")
        edits = title_rewording.reword_title(
            self.text, [(line.value, line.end)], wanted.value(), lambda w, _: show_one_line(w)
        )
        if edits is None:
            return self._replace_line(line, wanted.value())
        return ChangeResult(tuple(edits))

    def write_authors(self, wanted: WantedChange) -> ChangeResult:
        listed = [line for line in self.lines if line.tag in ("AU", "A1") and line.text]
        if not listed or len(listed) != len(wanted.claimed.authors):
            return leave_change("its names are not on separate lines")
        how = detect_name_form([line.text for line in listed])
        new = wanted.fixed.authors
        kept = pair_people([names.parse(line.text) for line in listed], new)
        target = [
            listed[at].text if at is not None and like >= Likeness.VARIANT else _spell_ris_name(name, how)
            for name, (at, like) in zip(new, kept, strict=True)
        ]
        common = min(len(listed), len(target))
        edits = [
            TextEdit(line.value, line.end, name)
            for line, name in zip(listed[:common], target[:common], strict=True)
            if line.text != name
        ]
        last = listed[-1]
        lead = self.text[last.start : last.value]
        more = "".join(f"{self.newline}{lead}{name}" for name in target[common:])
        edits += [TextEdit(last.end, last.end, more)] if more else []
        return ChangeResult((*edits, *(self._remove_line(line) for line in listed[common:])))

    def write_year(self, wanted: WantedChange) -> ChangeResult:
        line = self._find_first_line(_YEARS)
        at = [m for m in _YEAR.finditer(line.text) if m[0] == str(wanted.claimed.year)] if line else []
        if line is None or len(at) != 1:
            return leave_change("the year has no tag of its own")
        return make_change(TextEdit(line.value + at[0].start(), line.value + at[0].end(), wanted.value()))

    def write_venue(self, wanted: WantedChange) -> ChangeResult:
        """Exchange the venue in every tag that has it; an abbreviation of the wrong one goes as well."""
        old = wanted.claimed.venue or ""
        standing = [
            line
            for line in self.lines
            if line.tag in _VENUES and line.text and title_rewording.is_same_title(line.text, old)
        ]
        if not standing:
            return (
                leave_change("the venue has no tag of its own")
                if old
                else self._add_lines("T2", wanted.value())
            )
        edits = [TextEdit(line.value, line.end, show_one_line(wanted.value())) for line in standing]
        short = [line for line in self.lines if line.tag in ("JA", "J2", "J1") and line not in standing]
        return ChangeResult((*edits, *(self._remove_line(line) for line in short)))

    def write_pages(self, wanted: WantedChange) -> ChangeResult:
        first, last = self._find_first_line(("SP",)), self._find_first_line(("EP",))
        if not wanted.value():
            return ChangeResult(tuple(self._remove_line(line) for line in (first, last) if line))
        low, high = pages.split_range(wanted.value()) or (wanted.value(), wanted.value())
        if first is None:
            if wanted.change.claimed:
                return leave_change("the pages have no tags of their own")
            return self._add_lines("SP", low, *(("EP", high) if high != low else ()))
        if last is None:
            if low == high:
                return self._replace_line(first, low)
            if dash := _DASH.search(first.text):
                return self._replace_line(first, f"{low}{dash[0]}{high}")
            ended = self._add_lines("EP", high)
            return (
                ChangeResult((TextEdit(first.value, first.end, show_one_line(low)), *ended.edits))
                if ended.edits
                else ended
            )
        return ChangeResult(
            tuple(TextEdit(o.value, o.end, v) for o, v in ((first, low), (last, high)) if o.text != v)
        )

    def write_value(self, tags: tuple[str, ...], wanted: WantedChange) -> ChangeResult:
        line, value = self._find_first_line(tags), wanted.value()
        if line is None:
            return self._add_lines(tags[0], value)
        return self._replace_line(line, value) if value else make_change(self._remove_line(line))

    def write_ids(self, wanted: WantedChange) -> ChangeResult:
        scheme, bad, good = wanted.change.field, wanted.list_wrong_ids(), wanted.list_new_ids()
        if not bad:
            return (
                self._add_lines(_NEW[scheme], good[0])
                if scheme in _NEW and good
                else leave_change("RIS has no tag for it")
            )
        edits: list[TextEdit] = []
        for value in bad:
            for line in self.lines:
                span = find_identifier(scheme, self.text, value, line.value, line.end)
                if line.tag not in _IDS or span is None:
                    continue
                if not good and line.text != self.text[slice(*span)]:
                    return leave_change(f"{scheme} {value} is in {line.tag}; remove it by hand")
                whole = self._remove_line(line)
                edits.append(replace_identifier(self.text, *span, good[0]) if good else whole)
        return ChangeResult(tuple(edits)) if edits else leave_change(f"{scheme} has no tag of its own")

    def _find_first_line(self, tags: Sequence[str]) -> RisLine | None:
        return next((line for tag in tags for line in self.lines if line.tag == tag and line.text), None)

    def _replace_line(self, line: RisLine, value: str) -> ChangeResult:
        return make_change(TextEdit(line.value, line.end, show_one_line(value)))

    def _remove_line(self, line: RisLine) -> TextEdit:
        after = self.text.find("\n", line.end)
        return TextEdit(line.start, len(self.text) if after < 0 else after + 1, "")

    def _add_lines(self, *rows: str) -> ChangeResult:
        """Return lines put in before the end of the record: tag, value, tag, value."""
        close = next((line for line in self.lines if line.tag == "ER"), None)
        behind = [line for line in self.lines if line is not close]
        if not behind:
            return leave_change("the record has no lines")
        last = behind[-1]
        stop = self.text.find("\n", last.end)
        if stop < 0 or (close is None and self.text[last.end : stop].strip()):
            stop = last.end
        elif self.text[stop - 1] == "\r":
            stop -= 1
        lead = self.text[last.start + 2 : last.value]
        if close is not None and self.text[stop : close.start].strip():
            return leave_change("its last value spans several lines")
        pairs = zip(rows[::2], rows[1::2], strict=True)
        added = "".join(f"{self.newline}{tag}{lead}{show_one_line(value)}" for tag, value in pairs)
        return make_change(TextEdit(stop, stop, added))


def _spell_ris_name(name: Name, how: NameForm) -> str:
    if name.collective:
        return show_one_line(f"{name.family},") if " " in name.family else show_one_line(name.family)
    return show_one_line(
        ", ".join(part for part in (name.family, how.format_given(name), name.suffix) if part)
    )
