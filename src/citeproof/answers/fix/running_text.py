"""Changes into running text: the one wrong span of a reference, where it can be found without doubt.

Nothing is added but a DOI, and that only as the reference's neighbours have theirs: where a volume or an
author belongs in a style, only its writer knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from citeproof.answers.fix import title_rewording
from citeproof.answers.fix.author_list_edits import pair_people
from citeproof.answers.fix.formats.base import (
    ChangeResult,
    ReferenceEditor,
    WantedChange,
    find_identifier,
    leave_change,
    make_change,
    replace_identifier,
)
from citeproof.answers.fix.text_edits import TextEdit
from citeproof.judgement.compare.person import Likeness
from citeproof.text import ids, pages
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_controls, show_one_line
from citeproof.vocabulary import WORK_IDS, Name

_DASHES = "\\-\u2010\u2011\u2012\u2013\u2014\u2212"
_HABIT = re.compile(r"(https?://(?:dx\.)?doi\.org/|doi:\s?)10\.\d{4,9}/", re.IGNORECASE)
_ENDED = re.compile(r"(?<![.\s])[.\s]*+\Z")
_MARKUP = re.compile(r"[<>\[\]`|\\]|javascript:", re.IGNORECASE)
_LONGEST = 2000
_UNFOUND = "it is not in one piece"


def open_references(text: str, newline: str) -> ReferenceEditor:  # noqa: ARG001 - no line is ever added
    """Return what turns changes of the references of `text` into edits."""
    match = _HABIT.search(text)
    lead = match[1] if match else ""

    def edit_running_text(start: int, end: int, wanted: Sequence[WantedChange]) -> list[ChangeResult]:
        work = _RunningTextEditor(text, start, end, lead)
        return [work.apply_change(change) for change in wanted]

    return edit_running_text


@dataclass(frozen=True, slots=True)
class _RunningTextEditor:
    text: str
    start: int
    end: int
    lead: str  # what comes before the DOIs of the text, as the first of them has it

    def apply_change(self, wanted: WantedChange) -> ChangeResult:
        """Return what becomes of one change."""
        name = wanted.change.field
        if name in (*WORK_IDS, "url"):
            return self._identifier(wanted)
        if name == "type":
            return ChangeResult()
        if not wanted.change.claimed:
            return leave_change("where it belongs depends on the style; add it by hand")
        if not wanted.change.resolved:
            return leave_change("remove it by hand")
        if _MARKUP.search(wanted.change.resolved) or len(wanted.change.resolved) > _LONGEST:
            return leave_change("the record's value would be markup here; write it by hand")
        match name:
            case "title":
                return self._title(wanted)
            case "authors":
                return self._authors(wanted)
            case "year":
                return self._year(wanted)
            case "pages":
                return self._pages(wanted)
            case _:
                return self._replace_raw(wanted)

    def _year(self, wanted: WantedChange) -> ChangeResult:
        """Exchange the year: the only one, or the only one in brackets or at the end of the names."""
        old = str(wanted.claimed.year)
        places = [m.start() for m in self._matches(rf"(?<![\d.\-–/]){old}(?=[a-z]?(?![\d\-–/]))")]
        bracketed = [at for at in places if self.text[at - 1] in "(["]
        at = places if len(places) == 1 else bracketed
        if len(at) != 1:
            return leave_change(_UNFOUND)
        return make_change(TextEdit(at[0], at[0] + len(old), wanted.value()))

    def _pages(self, wanted: WantedChange) -> ChangeResult:
        """Exchange the pages for the record's, in full; the dash stays."""
        first, last = pages.split_range(wanted.claimed.pages or "") or ("", "")
        new_first, new_last = pages.split_range(wanted.value()) or ("", "")
        if not first or not new_first:
            return leave_change(_UNFOUND)
        if first == last:
            matches = list(self._matches(rf"(?<![\w.]){re.escape(first)}(?![\w{_DASHES}])"))
            written = new_first if new_first == new_last else f"{new_first}–{new_last}"
            return (
                make_change(TextEdit(*matches[0].span(), written))
                if len(matches) == 1
                else leave_change(_UNFOUND)
            )
        matches = [
            m
            for m in self._matches(
                rf"(?<!\w){re.escape(first)}(\s?[{_DASHES}]{{1,3}}\s?)([A-Za-z]{{0,4}}\d{{1,9}})"
            )
            if pages.normalise(f"{first}-{m[2]}") == wanted.claimed.pages
        ]
        if len(matches) != 1:
            return leave_change(_UNFOUND)
        written = new_first if new_first == new_last else f"{new_first}{matches[0][1]}{new_last}"
        return make_change(TextEdit(*matches[0].span(), written))

    def _title(self, wanted: WantedChange) -> ChangeResult:
        """Exchange the wrong words of the title where all of its words are in a row, once."""
        standing = title_rewording.split_words(self.text, self.start, self.end)
        keys = [
            word.key
            for word in title_rewording.split_words(
                wanted.claimed.title or "", 0, len(wanted.claimed.title or "")
            )
        ]
        at = [
            n
            for n in range(len(standing) - len(keys) + 1)
            if [w.key for w in standing[n : n + len(keys)]] == keys
        ]
        if len(at) != 1 or not keys:
            return leave_change(_UNFOUND)
        span = (standing[at[0]].start, standing[at[0] + len(keys) - 1].end)
        edits = title_rewording.reword_title(
            self.text, [span], wanted.value(), lambda words, _: show_one_line(words)
        )
        return ChangeResult(tuple(edits)) if edits else leave_change(_UNFOUND)

    def _authors(self, wanted: WantedChange) -> ChangeResult:
        """Exchange names one for one; who is to be added or left out is the writer's to place."""
        old, new = wanted.claimed.authors, wanted.fixed.authors
        if wanted.claimed.et_al:
            new = new[: len(old)]
        if len(old) != len(new):
            return leave_change("the number of names differs; write the list by hand")
        edits: list[TextEdit] = []
        for name, (at, like), mine in zip(new, pair_people(old, new), old, strict=True):
            if at is not None and like >= Likeness.VARIANT:
                if old[at] != mine:
                    return leave_change("the names are in another order; write the list by hand")
                continue
            span = self._name(mine)
            if span is None:
                return leave_change(f"{mine.display} is not in one piece")
            low, high, form = span
            edits.append(
                TextEdit(
                    low,
                    high,
                    show_one_line(form.format(**_make_name_parts(name, initials=_has_only_initials(mine)))),
                )
            )
        return ChangeResult(tuple(edits)) if edits else leave_change(_UNFOUND)

    def _name(self, name: Name) -> tuple[int, int, str] | None:
        """Return where a name is, and in which form."""
        for form, short in product(_FORMS, (False, True)):
            parts = _make_name_parts(name, initials=short)
            if not parts["given"] and "given" in form:
                continue
            pattern = re.escape(form.format(**parts)).replace(r"\ ", r"\s+")
            matches = list(self._matches(rf"(?<!\w){pattern}(?!\w)"))
            if len(matches) == 1:
                return *matches[0].span(), form
        return None

    def _replace_raw(self, wanted: WantedChange) -> ChangeResult:
        """Exchange a venue, volume or issue where the string it was read from stands once."""
        name = wanted.change.field
        raw = next((o.raw for o in wanted.claimed.origins if o.field == name and o.raw), "")
        value = str(getattr(wanted.claimed, name))
        for written in dict.fromkeys((raw, value)):
            if value not in written:
                continue
            pattern = re.escape(written).replace(r"\ ", r"\s+")
            matches = list(self._matches(rf"(?<!\w){pattern}(?!\w)"))
            if len(matches) == 1:
                low = matches[0].start() + matches[0][0].index(value) if value in matches[0][0] else -1
                if low >= 0:
                    return make_change(TextEdit(low, low + len(value), show_one_line(wanted.value())))
        return leave_change(_UNFOUND)

    def _identifier(self, wanted: WantedChange) -> ChangeResult:
        scheme, bad, good = wanted.change.field, wanted.list_wrong_ids(), wanted.list_new_ids()
        if not good:
            return leave_change(f"take the {scheme} out by hand")
        if not bad:
            return self._doi_added(good[0]) if scheme == "doi" else leave_change("add it by hand")
        edits = []
        for value in bad:
            span = find_identifier(scheme, self.text, value, self.start, self.end)
            if span is None:
                return leave_change(_UNFOUND)
            edits.append(replace_identifier(self.text, *span, _escape_markup(good[0])))
        return ChangeResult(tuple(edits))

    def _doi_added(self, value: str) -> ChangeResult:
        """Put the DOI behind the reference, as other references of the document have theirs."""
        here = self.text[self.start : self.end]
        if not self.lead or "](" in here or here.lstrip().startswith("|"):
            return leave_change("no other reference here has a DOI to show where it belongs; add it by hand")
        end = _ENDED.search(here)
        at = self.start + (end.start() if end else len(here))
        stop = "." if here.rstrip().endswith(".") else ""
        return make_change(
            TextEdit(at, self.start + len(here.rstrip()), f"{stop} {self.lead}{_escape_markup(value)}")
        )

    def _matches(self, pattern: str) -> Iterator[re.Match[str]]:
        """Yield what fits outside identifiers and addresses."""
        here = self.text[self.start : self.end]
        taken = [(self.start + a, self.start + b) for _, _, a, b in ids.find_ids(here)]
        for match in re.compile(pattern).finditer(self.text, self.start, self.end):
            if not any(a < match.end() and match.start() < b for a, b in taken):
                yield match


_FORMS = (
    "{family}, {given}", "{given} {family}", "{family} {given}", "{family} {glued}", "{family}, {glued}",
    "{family}",
)  # fmt: skip


def _make_name_parts(name: Name, *, initials: bool) -> dict[str, str]:
    words = [word for word in re.split(r"[\s.]+", name.given) if word]
    letters = [word[:1] for word in words]
    given = " ".join(f"{letter}." for letter in letters) if initials else name.given
    return {"family": name.family, "given": given, "glued": "".join(letters)}


def _has_only_initials(name: Name) -> bool:
    words = [word for word in re.split(r"[\s.\-]+", name.given) if word]
    return bool(words) and all(len(word) == 1 for word in words)


def _escape_markup(value: str) -> str:
    """Return an identifier that is not markup and does not end an address."""
    return re.sub(r"[<>\[\]`|\\\s]", lambda sign: f"%{ord(sign[0]):02X}", show_controls(value))
