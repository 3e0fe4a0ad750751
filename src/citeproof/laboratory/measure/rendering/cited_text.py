"""The citations of one text and its reference list, written from records in one style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from citeproof.errors import UsageError
from citeproof.laboratory.measure.makers.benchmark_items import CitationFields, cite_record
from citeproof.laboratory.measure.rendering.csl_style import CslMarks, CslStyle, load_csl_style
from citeproof.laboratory.measure.rendering.text_style import TextStyle, load_text_styles
from citeproof.laboratory.measure.rendering.tidy_fields import tidy_citation
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Record

STYLE = "apa"
ALIASES: Mapping[str, str] = {
    "american-medical-association": "ama",
    "american-psychological-association": "apa",
    "author-year": "apa",
    "chicago": "chicago-author-date",
    "chicago-note-bibliography": "chicago-notes",
    "harvard-cite-them-right": "harvard",
    "modern-language-association": "mla",
    "nlm": "vancouver",
    "numeric": "ieee",
}
MAX_ENTRY = 5000  # characters of one printed entry
_MARKUP = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)")
_NUMBERS = re.compile(r"[\s\d\[\](),;–-]+")  # a citation of numbers alone
_SHORT_TITLE = 4  # words


@lru_cache(maxsize=1)
def load_named_styles() -> dict[str, TextStyle]:
    return {style.name: style for style in load_text_styles()}


def choose_style(name: str) -> TextStyle:
    """Return a style; UsageError that names those there are."""
    wanted = ALIASES.get(name.strip().lower(), name.strip().lower())
    style = load_named_styles().get(wanted)
    if style is None:
        hint = f"one of {', '.join(sorted(load_named_styles()))}"
        raise UsageError(f"unknown style {name[:60]!r}", place="style", hint=hint)
    return style


def make_citation_writer(style: str | None = None, csl: Path | None = None) -> TextCitationWriter:
    """Return what writes the citations of one text, in a style of ours or that of a CSL file."""
    if csl is not None and style is not None:
        raise UsageError("a style and a CSL file are given", place="style", hint="give one of them")
    return TextCitationWriter(load_csl_style(csl) if csl is not None else choose_style(style or STYLE))


class TextCitationWriter:
    """Writes the citations of one text, as Markdown: "[1]" or "(Devlin et al., 2019)", and the list."""

    def __init__(self, style: TextStyle | CslStyle) -> None:
        self._style, self.numeric = style, style.numeric
        self._marks = CslMarks(style) if isinstance(style, CslStyle) else None
        self._cited: dict[str, CitationFields] = {}  # by a name of the record, in the order of the text
        self._labels: dict[str, str] = {}  # the record's name that an author-year label stands for

    def cite(self, records: Sequence[Record]) -> str:
        """Return the citation of some works; the first time a work is named it gets its place in the list."""
        named = {f"{record.source}:{record.id}": record for record in records}
        for name, record in named.items():
            self._cited.setdefault(name, cite_record(record))
        if self._marks and (written := self._marks.cite({name: self._cited[name] for name in named})):
            if self.numeric and _NUMBERS.fullmatch(written):
                return written if written[0] in "[(" else f"[{written}]"  # it has no superscripts here
            return escape_record_text(written)
        if self.numeric:
            numbers = sorted([*self._cited].index(name) + 1 for name in named)
            return f"[{', '.join(map(str, numbers))}]"
        return f"({'; '.join(map(self._make_label, named))})"

    def list_entries(self) -> list[str]:
        """Return a line for each work that was cited, as an item of a Markdown list."""
        entries = [escape_record_text(print_entry(cited, self._style)) for cited in self._cited.values()]
        if self.numeric:
            return [f"{number}. {entry}" for number, entry in enumerate(entries, 1)]
        return [f"- {entry}" for entry in sorted(entries, key=str.casefold)]

    def _make_label(self, name: str) -> str:
        """Return people and year of a work; with words of its title if another has the same."""
        cited = tidy_citation(self._cited[name])
        title = " ".join(cited.title.split()[:_SHORT_TITLE])
        people = [person.family or person.given for person in cited.people if person.family or person.given]
        if len(people) > 2:
            people = [f"{people[0]} et al."]
        label = f"{' & '.join(people) or f'“{title}”'}, {cited.year or 'n.d.'}"
        if self._labels.setdefault(label, name) != name:
            label = f"{label}, “{title}”"
        return escape_record_text(label)


def print_entry(cited: CitationFields, style: TextStyle | CslStyle) -> str:
    """Return the entry of a work; what a style cannot print is printed as `plain`, or is title and link."""
    printed = style.render(cited) or choose_style("plain").render(cited)
    return (printed or tidy_citation(cited).title or cited.url)[:MAX_ENTRY]


def escape_record_text(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text).replace("<", "&lt;")
