"""A whole PDF to its references, in order: pages, lists, entries, sentences that cite them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from citeproof.extractors.citing import attach
from citeproof.extractors.decode import refuse_flood
from citeproof.extractors.pdf import footnotes, places, reading, section, signs
from citeproof.extractors.pdf.body import running_text
from citeproof.extractors.pdf.joining import Vocabulary, closed
from citeproof.extractors.pdf.section import List
from citeproof.extractors.pdf.shape import Line, Page
from citeproof.vocabulary import Document, Extraction, Place, Problem, RawReference

_NAME = re.compile(r"[^\W\d_]{4,}")


def extraction(document: Document) -> Extraction:
    """Return the references of a PDF and what could not be read in it."""
    pdf = reading.opened(document)
    try:
        pages, problems = reading.pages(pdf, document.name)
    finally:
        pdf.close()
    name = document.name
    lines = [line for page in pages for line in page.lines]
    words = Vocabulary(lines)
    notes = footnotes.notes(pages)
    found = section.lists(lines)
    cited = footnotes.citations(notes, words)
    if not found and not cited:
        cited = footnotes.citations(footnotes.endnotes(lines), words)
    if not found:
        spread = len({one.entry.lines[0].page for one in cited}) > 2  # footnotes, not a list in small print
        loose = [] if spread else section.unannounced(lines)
        if sum(len(one.entries) for one in loose) >= len(cited):
            found, cited = loose, []
    refuse_flood(sum(len(one.entries) for one in found) + len(cited), name)
    problems += _prose(found, name)
    listed = _listed(found, lines, words, name)
    noted = _noted(_beyond(cited, listed), lines, words, name)
    problems += [*_missing(found, name), *_nothing([*listed, *noted], pages, name)]
    numbers = [int(entry.label) for one in found for entry in one.entries if entry.label.isdecimal()]
    return Extraction((*listed, *noted), tuple(problems), max(numbers, default=None), "pdf")


def _prose(found: Sequence[List], name: str) -> list[Problem]:
    """Take what is plainly no reference out of the lists, and say so."""
    problems: list[Problem] = []
    for one in found:
        prose = [entry for entry in one.entries if signs.is_prose(entry.rough)]
        one.entries = [entry for entry in one.entries if not signs.is_prose(entry.rough)]
        problems += [
            Problem(places.place(entry, name), "a note, not a reference", text=entry.rough[:500], note=True)
            for entry in prose
        ]
    return problems


def _beyond(cited: Sequence[footnotes.Cited], listed: Sequence[RawReference]) -> list[footnotes.Cited]:
    """Return the citations of footnotes that no list holds: by the first long word and the year."""
    known = {(word, year) for one in listed for word, year in _marks(one.text)}
    return [one for one in cited if not known.intersection(_marks(one.text))]


def _marks(text: str) -> list[tuple[str, str]]:
    years = {match[0][:4] for match in signs.YEAR.finditer(text)}
    names = _NAME.findall(text.lower()[:80])[:3]
    return [(name, year) for name in names for year in years]


def _listed(
    found: Sequence[List], lines: Sequence[Line], words: Vocabulary, name: str
) -> tuple[RawReference, ...]:
    """Return the entries of all lists with the sentences that cite them.

    Where several lists count from one each, a list is cited by the text before it.
    """
    taken = {index for one in found for index in one.lines}
    apart = _count_anew(found)
    kept: list[RawReference] = []
    start = 0
    for number, one in enumerate(found, 1):
        mine = [
            places.reference(entry, entry.label or f"ref-{len(kept) + i}", name, words)
            for i, entry in enumerate(one.entries, 1)
        ]
        end = min(one.lines) if apart else len(lines)
        body = [line for index, line in enumerate(lines[start:end], start) if index not in taken]
        if apart:
            start = end
        text = running_text(body, words, raised=any(entry.label.isdecimal() for entry in one.entries))
        mine = list(attach(mine, text))
        if apart and number > 1:
            mine = [replace(one, key=f"{number}.{one.key}") for one in mine]
        kept += mine
    return tuple(kept)


def _count_anew(found: Sequence[List]) -> bool:
    labels = [entry.label for one in found for entry in one.entries if entry.label]
    return len(found) > 1 and len(set(labels)) < len(labels)


def _noted(
    cited: Sequence[footnotes.Cited], lines: Sequence[Line], words: Vocabulary, name: str
) -> tuple[RawReference, ...]:
    """Return the citations of the footnotes; a note is cited where its raised number stands."""
    if not cited:
        return ()
    body = running_text([line for line in lines if not line.note], words, raised=True)
    kept = [RawReference(one.entry.label, closed(one.text), places.place(one.entry, name)) for one in cited]
    return tuple(replace(one, key=f"note-{one.key}") for one in attach(kept, body))


def _missing(found: Sequence[List], name: str) -> list[Problem]:
    """Return a problem for each printed number that was left out between two others."""
    problems: list[Problem] = []
    for one in found:
        last = 0
        for entry in one.entries:
            if not entry.label.isdecimal():
                continue
            number = int(entry.label)
            if last and number > last + 1:
                missing = str(last + 1) if number == last + 2 else f"{last + 1} to {number - 1}"
                message = f"reference {missing} is missing before {number}"
                problems.append(Problem(places.place(entry, name), message, "check the numbering"))
            last = number
    return problems


def _nothing(kept: Sequence[RawReference], pages: Sequence[Page], name: str) -> list[Problem]:
    if kept or not any(page.lines for page in pages):
        return []
    mend = "put the references under a heading such as References, or give them as a text file"
    return [Problem(Place(file=name, page=1), "no reference list was found", mend)]
