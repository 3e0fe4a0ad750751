"""Changes into a BibTeX file: only the bytes of a wrong value change, and its own style stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as make_field
from typing import ClassVar

from citeproof.answers.fix import author_list_edits, title_rewording
from citeproof.answers.fix.bibtex_entry import BibtexField, LocatedEntry
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
from citeproof.answers.fix.text_edits import TextEdit, apply_edits, shift_edits
from citeproof.answers.serializers.bibliography import escape_tex, is_proceedings
from citeproof.text import ids, latex, pages
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_scanner import BibtexEntry, scan_entries
from citeproof.text.bibtex_value import BibtexMacros, find_closing_brace, read_value
from citeproof.text.title import clean, fold_title

VENUES = ("journal", "journaltitle", "booktitle", "eventtitle")
_OWN = {
    "doi": ("doi",), "pmid": ("pmid",), "pmcid": ("pmcid", "pmc"), "ads": ("bibcode",),
    "arxiv": ("eprint", "arxivid", "arxiv"),
}  # fmt: skip
_FREE = ("url", "ee", "link", "adsurl", "biburl", "bdsk-url-1", "howpublished", "note", "journal")
_NEW = {"doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "arxiv": "eprint"}
_STRING = re.compile(
    r"@\s{0,9}string\s{0,9}[{(]\s{0,99}([^\s=,{}()\"#%@]{1,200})\s{0,99}=\s{0,99}", re.IGNORECASE
)
_DASHES = re.compile(r"pages\s{0,99}=\s{0,99}[{\"]?[A-Za-z]?\d{1,9}(-{1,3}|–)", re.IGNORECASE)
_RANGE = re.compile(
    r"\s{0,9}([A-Za-z]{0,4}\d{1,9}[A-Za-z]{0,2})(?:(\s{0,3}(?:-{1,3}|[\u2010-\u2015\u2212])\s{0,3})([A-Za-z]{0,4}\d{1,9}[A-Za-z]{0,2}))?"
)
_MORE = (",", ";", "+")  # what may follow a range of pages and is no part of it
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_UNPRINTED = frozenset(("misc", "online", "unpublished", "electronic", "preprint", "techreport", "report"))
_BRACED = re.compile(r"\{\\['`^\"~=.]\s?\\?[A-Za-z]\}")  # {\"u}
_INNER = re.compile(r"\\['`^\"~=.]\s?\{\\?[A-Za-z]\}")  # \"{u}
_WORDS = re.compile(r"([^\W_]+)")


@dataclass(frozen=True, slots=True)
class LetterHabit:
    """How one file writes what is not ASCII."""

    latex: bool = False
    inner: bool = False  # \"{u} and not {\"u}

    def write_letters(self, text: str) -> str:
        """Return `text` so that TeX prints it, in the file's own letters."""
        safe = escape_tex(text)
        return latex.write_letters(safe, inner=self.inner) if self.latex and not safe.isascii() else safe

    def title(self, text: str, *, protect: bool) -> str:
        """Return words of a title; `protect`: braces around those whose capitals a style must not lower."""
        if not protect:
            return self.write_letters(text)
        return "".join(self._protect_capitals(piece) for piece in _WORDS.split(text))

    def _protect_capitals(self, piece: str) -> str:
        safe = self.write_letters(piece)
        return f"{{{safe}}}" if any(sign.isupper() for sign in piece[1:]) else safe


def detect_letter_habit(text: str) -> LetterHabit:
    """Return how `text` writes its letters."""
    return LetterHabit(text.isascii(), len(_INNER.findall(text)) > len(_BRACED.findall(text)))


@dataclass(frozen=True, slots=True)
class BibtexFile:
    """One file: its entries in order, and the habits that new values follow."""

    text: str
    newline: str
    entries: tuple[BibtexEntry, ...]
    letters: LetterHabit
    dash: str
    macros: BibtexMacros = make_field(default_factory=BibtexMacros)

    @classmethod
    def read(cls, text: str, newline: str = "\n") -> BibtexFile:
        """Return the file that `text` is."""
        entries = tuple(item for item in scan_entries(text) if isinstance(item, BibtexEntry))
        dashes = Counter(match[1] for match in _DASHES.finditer(text))
        dash = dashes.most_common(1)[0][0] if dashes else "--"
        return cls(text, newline, entries, detect_letter_habit(text), dash, _read_macros(text))


def _read_macros(text: str) -> BibtexMacros:
    """Return the @string definitions of a file; what it defines twice is left out, as it means two things."""
    macros, seen = BibtexMacros.of_file(text), set[str]()
    for match in _STRING.finditer(text):
        read = read_value(text, match.end(), len(text), macros)
        name = match[1].lower()
        if read is not None and macros.known.get(name, read[0]) == read[0]:
            macros.known[name] = read[0]
        elif name in seen:
            macros.known.pop(name, None)
        seen.add(name)
    return macros


def open_references(text: str, newline: str) -> ReferenceEditor:
    """Return what turns changes of the entries of `text` into edits."""
    library = BibtexFile.read(text, newline)
    entries = {(entry.start, entry.end): entry for entry in library.entries}

    def edit_entry(start: int, end: int, wanted: Sequence[WantedChange]) -> list[ChangeResult]:
        entry = entries.get((start, end))
        if entry is None:
            return [leave_change("the entry was not found again")] * len(wanted)
        located = LocatedEntry(text, entry, library.macros)
        if not located.sound:
            return [leave_change("the entry is damaged; fix it by hand first")] * len(wanted)
        work = _EntryEditor(library, located)
        return work.write_changes(wanted)

    return edit_entry


@dataclass(frozen=True, slots=True)
class _EntryEditor(FieldWriter):
    library: BibtexFile
    located: LocatedEntry

    WHERE: ClassVar[str] = "field of BibTeX"
    VALUES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "volume": ("volume",), "issue": ("number", "issue"), "pages": ("pages",),
    }  # fmt: skip

    def write_title(self, wanted: WantedChange) -> ChangeResult:
        own = [title for name in ("title", "subtitle") if (title := self.located.field(name))]
        if not own or own[0].name.lower() != "title":
            return leave_change("the entry has no title field")
        macro = next((field for field in own if field.bare), None)
        if macro is not None:
            if len(own) > 1:
                return leave_change("the title is a macro with a subtitle")
            return self._replace_value(macro, self._write_title(wanted.value(), braced=False))
        spans = [(field.low, field.high) for field in own]
        doubled = self._is_double_braced(own[0])

        def write(words: str, at: int) -> str:
            before = self.library.text[max(low for low, _ in spans if low <= at) : at]
            deep = before.count("{") > before.count("}")  # what is in braces needs no further ones
            return self.library.letters.title(words, protect=not deep)

        text, old, new = self.library.text, wanted.claimed.title or "", wanted.value()
        glued = len(own) == 1 and not title_rewording.has_same_words(text, spans, old)
        edits = title_rewording.swap_words(text, spans[0], old, new, write) if glued else None
        if not edits or not self._reads(own, edits, new):
            edits = title_rewording.reword_title(text, spans, new, write)
        if edits is not None and self._reads(own, edits, new):
            return ChangeResult(tuple(edits))
        if len(own) > 1:
            return leave_change("the record's title cannot be split into title and subtitle")
        return self._replace_value(own[0], self._write_title(wanted.value(), braced=doubled))

    def _reads(self, own: Sequence[BibtexField], edits: Iterable[TextEdit], new: str) -> bool:
        """Return whether the title with these edits has the letters of the new one."""
        held = [_apply_within(self.library.text, field.low, field.high, edits) for field in own]
        return title_rewording.is_same_title(clean(": ".join(held)), new)

    def _is_double_braced(self, field: BibtexField) -> bool:
        text = self.located.read_value(field)
        return text.startswith("{") and find_closing_brace(text, 0, len(text)) == len(text) - 1

    def _write_title(self, new: str, *, braced: bool) -> str:
        whole = self.library.letters.title(new, protect=not braced)
        return f"{{{whole}}}" if braced else whole

    def write_authors(self, wanted: WantedChange) -> ChangeResult:
        field = self.located.field("author")
        if field is None:
            return leave_change("the entry has no author field")
        write = self.library.letters.write_letters
        new = wanted.fixed.authors
        edits = (
            None
            if field.bare
            else author_list_edits.edit_name_list(self.library.text, field.low, field.high, new, write)
        )
        if edits is not None:
            return ChangeResult(tuple(edits))
        how = author_list_edits.detect_name_form(
            [
                piece.text
                for piece in author_list_edits.split_name_list(self.library.text, field.low, field.high)
            ]
        )
        return self._replace_value(
            field, " and ".join(author_list_edits.spell_name(name, how, write) for name in new)
        )

    def write_year(self, wanted: WantedChange) -> ChangeResult:
        field = self._find_filled("year", "date")
        if field is None:
            return self._leave_inherited("the year", ("year", "date"))
        held, old = self.located.read_value(field), str(wanted.claimed.year)
        at = [m for m in _YEAR.finditer(held) if m[0] == old]
        if len(at) == 1 and (not field.bare or held == old):
            return make_change(TextEdit(field.low + at[0].start(), field.low + at[0].end(), wanted.value()))
        return self._replace_value(field, wanted.value())

    def write_venue(self, wanted: WantedChange) -> ChangeResult:
        field = self._find_filled(*VENUES)
        if field is None:
            return self._new_venue(wanted)
        return self._replace_value(
            field, self.library.letters.write_letters(wanted.value()), self._macro(wanted.value(), field)
        )

    def _new_venue(self, wanted: WantedChange) -> ChangeResult:
        """Add the venue to an entry that names none, or only a preprint server in a remark."""
        if self.located.entry.fields.get("crossref"):
            return self._leave_inherited("the venue", VENUES)
        name = "booktitle" if is_proceedings(wanted.fixed) else "journal"
        added = self._add_field(name, self.library.letters.write_letters(wanted.value()))
        remark = self._find_filled("howpublished")
        if remark and clean(self.located.read_value(remark)) == wanted.claimed.venue:
            return make_change(self.located.remove_field(remark), added)
        return make_change(added)

    def _macro(self, value: str, field: BibtexField) -> str:
        """Return the macro that represents a value, in a file that writes this field by macros."""
        if not field.bare:
            return ""
        named = (
            n for n, known in self.library.macros.known.items() if fold_title(known) == fold_title(value)
        )
        return next(named, "")

    def write_value(self, names: tuple[str, ...], wanted: WantedChange) -> ChangeResult:
        field, value = self._find_filled(*names), wanted.value()
        if field is None and wanted.change.claimed:
            return self._leave_inherited(f"the {wanted.change.field}", names)
        if not value:
            return make_change(self.located.remove_field(field)) if field else leave_change("it is not there")
        if wanted.change.field == "pages":
            return (
                self._pages(value, field)
                if field
                else make_change(self._add_field(names[0], self._range(value)))
            )
        safe = self.library.letters.write_letters(value)
        return self._replace_value(field, safe) if field else make_change(self._add_field(names[0], safe))

    def _pages(self, value: str, field: BibtexField) -> ChangeResult:
        """Return pages exchanged for the record's, in full; the dash and more pages after a range stay."""
        held = self.located.read_value(field)
        old = _RANGE.match(held) if not field.bare else None
        more = held[old.end() :].strip() if old else ""
        if old is None or (more and more[0] not in _MORE):  # 14:1--14:20 is no 14 with something after it
            return self._replace_value(field, self._range(value))
        if more and not old[2]:
            return leave_change("the pages are a list; write them by hand")
        first, last = pages.split_range(value) or (value, value)
        new = f"{first}{old[2] or self.library.dash}{last}" if first != last else first
        return make_change(
            TextEdit(field.low + old.start(1), field.low + old.end(), self.library.letters.write_letters(new))
        )

    def _range(self, value: str) -> str:
        first, last = (
            self.library.letters.write_letters(part) for part in pages.split_range(value) or (value, value)
        )
        return first if first == last else f"{first}{self.library.dash}{last}"

    def write_type(self, wanted: WantedChange) -> ChangeResult:
        """Change the type of an entry that would not print where it was published."""
        if self.located.entry.type not in _UNPRINTED:
            return ChangeResult()
        written = self.library.text[slice(*self.located.type)]
        new = wanted.change.resolved.upper() if written.isupper() else wanted.change.resolved
        return make_change(
            TextEdit(
                *self.located.type,
                new.capitalize() if written[:1].isupper() and not written.isupper() else new,
            )
        )

    def write_ids(self, wanted: WantedChange) -> ChangeResult:
        scheme, bad, good = wanted.change.field, wanted.list_wrong_ids(), wanted.list_new_ids()
        if not bad:
            if scheme not in _NEW or not good:
                return leave_change("BibTeX has no field for it")
            return make_change(self._add_field(_NEW[scheme], _escape_identifier(good[0])))
        edits: list[TextEdit] = []
        new = "".join(good[:1]) if scheme == "url" else _escape_identifier("".join(good[:1]))
        for value in bad:
            places = self._find_identifiers(scheme, value)
            if not places:
                return leave_change(f"{scheme} {value} has no field of its own")
            for field, low, high, alone in places:
                if good:
                    edits.append(replace_identifier(self.library.text, low, high, new))
                elif alone:
                    edits.append(self.located.remove_field(field))
                else:
                    return leave_change(f"{scheme} {value} is in {field.name}; remove it by hand")
        return ChangeResult(tuple(edits))

    def _find_identifiers(self, scheme: str, value: str) -> list[tuple[BibtexField, int, int, bool]]:
        """Return every field that holds an identifier, where in it, and whether it is all that it holds."""
        places = []
        for name in dict.fromkeys((*_OWN.get(scheme, ()), *_FREE)):
            field = self.located.field(name)
            span = find_identifier(scheme, self.library.text, value, field.low, field.high) if field else None
            if field and span and not field.bare:
                own = name in _OWN.get(scheme, ())
                places.append((field, *span, own or self._address_alone(field)))
        return places

    def _address_alone(self, field: BibtexField) -> bool:
        """Return whether a field holds an address that leads to the identifier, and nothing else."""
        held = self.located.read_value(field).strip()
        return held.startswith("http") and any(held == held[a:b] for _, _, a, b in ids.find_ids(held))

    def _find_filled(self, *names: str) -> BibtexField | None:
        fields = (self.located.field(name) for name in names)
        return next((field for field in fields if field and self.located.read_value(field).strip()), None)

    def _leave_inherited(self, what: str, names: tuple[str, ...]) -> ChangeResult:
        parent = self.located.entry.fields.get("crossref")
        if parent:
            return leave_change(f"{what} comes from the entry {parent!r} (crossref); fix that one")
        return leave_change(f"{what} has no field of its own ({', '.join(names)})")

    def _replace_value(self, field: BibtexField, value: str, macro: str = "") -> ChangeResult:
        """Return a value exchanged; a macro or a joined value becomes a plain one, and that is said."""
        if not field.bare:
            quoted = self.library.text[field.value] == '"' and '"' in value
            if quoted:
                return make_change(TextEdit(field.value, field.end, f"{{{value}}}"))
            return make_change(TextEdit(field.low, field.high, value))
        old = self.located.read_value(field)
        if old.isdecimal() and value.isdecimal():
            return make_change(TextEdit(field.low, field.high, value))
        opened, closed = self.located.delimiters()
        new = macro or f"{opened}{value}{closed}"
        return make_change(
            TextEdit(field.value, field.end, new), note="" if macro or old.isdecimal() else f"it was {old}"
        )

    def _add_field(self, name: str, value: str) -> TextEdit:
        return self.located.add_field(name, value, self.library.newline)


def _apply_within(text: str, low: int, high: int, edits: Iterable[TextEdit]) -> str:
    inside = [edit for edit in edits if low <= edit.start and edit.end <= high]
    return apply_edits(text[low:high], shift_edits(inside, -low))


def _escape_identifier(value: str) -> str:
    """Return an identifier that cannot end the field it is in."""
    safe = re.sub(r"[\\{}^~\s]", lambda sign: f"%{ord(sign[0]):02X}", value)
    return safe.replace("%", r"\%")
