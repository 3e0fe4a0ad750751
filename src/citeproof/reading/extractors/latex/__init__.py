r"""LaTeX: a document with its files, or a part of one. What it cites comes out, with the sentences citing it.

Entries come from the `.bib` files it names, else from `thebibliography`, else from the `.bbl` next to it, or
they are typed under a reference heading.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from posixpath import basename, normpath

from citeproof.errors import InputError
from citeproof.reading.extractors.base import read_sample
from citeproof.reading.extractors.decoded_text import DecodedText, make_inner_document
from citeproof.reading.extractors.latex import compiled_bibliography
from citeproof.reading.extractors.latex.cite_commands import CiteCommand, find_cites
from citeproof.reading.extractors.latex.compiled_bibliography import MAX_SOURCE
from citeproof.reading.extractors.latex.latex_source import LatexSource
from citeproof.reading.extractors.latex.latex_words import read_latex_authors, render_entry, render_paragraphs
from citeproof.reading.extractors.prose.citing_sentences import (
    MAX_BODY,
    MAX_SENTENCE,
    MAX_SENTENCES,
    SentenceIndex,
)
from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY, EntrySegment
from citeproof.reading.extractors.prose.loose_references import choose_citations, is_standalone_citation
from citeproof.reading.extractors.prose.text_lines import is_reference_heading
from citeproof.reading.extractors.records.cited_keys import (
    MAX_LIBRARIES,
    CitedKeys,
    KeyedLibrary,
    LibraryList,
    explain_unread_file,
    read_library,
    resolve_citations,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import find_day
from citeproof.text.latex import strip_latex
from citeproof.text.latex_commands import NO_MACROS, Macros
from citeproof.vocabulary import Document, DocumentFacts, Extraction, Extractor, Place, Problem, RawReference

_MAIN = re.compile(r"^\s{0,9}\\(?:documentclass|documentstyle|begin\s{0,3}\{document\})", re.MULTILINE)
_COMPILED = re.compile(
    r"^\s{0,9}\\(?:begin\{(?:(?:mcite)?thebibliography|biblist)\*?\}|refsection\{|entry\{[^{}]{1,99}\}\{|datalist\[)",
    re.MULTILINE,
)
_SIGNS = re.compile(
    r"\\(?:(?:sub)*section\*?|chapter\*?|[A-Za-z]{0,9}cite[a-z]{0,9}\*?|bibitem|input|include|emph|usepackage"
    r"|footnote|caption)(?:\[[^\]\n]{0,99}\])?\{"
)
# Formulas in Markdown have them, too
_WEAK_SIGNS = re.compile(r"\\(?:begin|end|label|ref|textbf|newcommand)\{")
_MARKDOWN = re.compile(r"^(?:#{1,6}\s\S|```)", re.MULTILINE)
_BIBLIOGRAPHY = re.compile(
    r"\\(?:(?:no)?bibliography|addbibresource|add(?:global|section)bib)\s{0,3}(?:\[[^\]\n]{0,300}\])?\s{0,3}\{([^{}]{1,2000})\}"
)
_MARK = re.compile(r"\[(\d{1,7})\ue000\]")
_DATE = re.compile(r"^[^%\n]{0,200}?\\date\s{0,3}(?:\[[^\]\n]{0,100}\])?\{([^{}]{1,100})\}", re.MULTILINE)
_BEGIN = re.compile(r"\\begin\s{0,3}\{document\}")

_RANKS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_SECTION = re.compile(
    rf"\\({'|'.join(_RANKS)})\*?\s{{0,3}}(?:\[[^\]\n]{{0,200}}\])?\s{{0,3}}\{{([^{{}}\n]{{1,100}})\}}"
)
_HEADING = re.compile(rf"{_SECTION.pattern}|\\appendix(?![A-Za-z])")
_BREAK = re.compile(
    r"\n[ \t]{0,99}\n\s*+|\\(?:item|par)(?![A-Za-z])(?:\s{0,3}\[[^\]\n]{0,60}\])?|\\\\(?:\[[^\]\n]{0,20}\])?"
    r"|\\(?:begin|end)\s{0,3}\{[A-Za-z*]{1,40}\}(?:\[[^\]\n]{0,200}\]|\{[^{}\n]{0,100}\})?"
    rf"|{_SECTION.pattern}"
)
_END = re.compile(r"\\end\s{0,3}\{document\}")


def _recognise_latex(document: Document) -> float:
    """Return how sure the content is LaTeX: a class, a compiled bibliography, or several commands."""
    text = read_sample(document)
    if "\\" not in text:
        return 0.0
    head = _MAIN.search(text) or _COMPILED.search(text)
    if head and "```" not in text[: head.start()]:
        return 0.97
    text = text[:50_000]
    signs = len(_SIGNS.findall(text)) + len(_WEAK_SIGNS.findall(text)) / 4
    sure = min(0.8, 0.3 + 0.1 * signs) if signs > 1 else 0.0
    return sure / 2 if _MARKDOWN.search(text) else sure


def _extract_latex(document: Document) -> Extraction:
    """Return the entries that the document cites, in order of first citation."""
    source = LatexSource(document)
    cites, text, words = find_cites(source.text)
    listed = _read_printed_library(source, document.name, source.macros)
    problems = list(source.problems)
    libraries, missing = _read_latex_libraries(source, document, listed, problems, cites)
    cited = _collect_latex_keys(source, cites, text, words)
    resolved = resolve_citations(cited, libraries, missing)
    references, wrong = resolved.references, resolved.problems
    if not references and not cites:
        references = tuple(
            RawReference(f"ref-{number}", entry.text, source.locate_span(entry.start, entry.end))
            for number, entry in enumerate(list_typed_entries(source.text, source.macros), 1)
        )
    expected = len(cited.sentences) if cited.sentences else (len(references) or None)
    if listed.references and not any(not library.printed for library in libraries):
        expected = len(references) + sum("is cited" in problem.message for problem in wrong)
    about = DocumentFacts(read_latex_authors(text), resolved.undefined, resolved.uncited)
    stated = _DATE.search(source.text)
    dated = find_day(stated[1]) if stated else ""
    return Extraction(references, (*problems, *wrong), expected, EXTRACTOR.name, about, dated)


def _read_printed_library(source: LatexSource, name: str, macros: Macros) -> KeyedLibrary:
    references: list[RawReference] = []
    problems: list[Problem] = []
    for start, end, entry in compiled_bibliography.list_bbl_items(source.text, macros):
        place = source.locate_span(start, end)
        if entry is None:
            unread = source.text[start:end][:500]
            problems.append(Problem(place, "an entry without key or words", "complete it", unread))
        else:
            references.append(replace(entry, place=place))
    return KeyedLibrary(name, tuple(references), tuple(problems), printed=True)


def _read_latex_libraries(
    source: LatexSource,
    document: Document,
    listed: KeyedLibrary,
    problems: list[Problem],
    commands: list[CiteCommand],
) -> tuple[list[KeyedLibrary], str]:
    """Return the bibliographies in order of preference, and words on what could not be had."""
    shelf = LibraryList(source.macros, source.stated)
    libraries = shelf.libraries
    absent: list[tuple[str, Place]] = []
    for path, place in _find_named_libraries(source, problems):
        _add_library(source, path, place, shelf, absent, problems)
    if not libraries and not absent and not listed.references and commands:
        _add_unnamed_libraries(source, shelf, problems)
    if listed.references or listed.problems:
        shelf.put(listed)
    have = {reference.key for each in libraries for reference in each.references}
    lacking = [key for cite in commands for key in cite.keys if key != "*" and key not in have]
    wanted = (lacking or absent) and not listed.references
    compiled = _read_compiled_library(source, document) if wanted else None
    if compiled:
        shelf.put(compiled)
        have |= {reference.key for reference in compiled.references}
    covered = compiled is not None and not any(key not in have for key in lacking)
    for name, place in absent:
        message, hint = explain_unread_file("the bibliography", normpath(name), document.beside)
        if covered and compiled:
            message += f"; its compiled form {compiled.name} was read instead"
        problems.append(Problem(place, message, hint, note=covered))
    if absent:
        return libraries, explain_unread_file("the bibliography", normpath(absent[0][0]), document.beside)[0]
    return libraries, "" if libraries else "the document names no bibliography, and its folder has none"


def _find_named_libraries(source: LatexSource, problems: list[Problem]) -> Iterator[tuple[str, Place]]:
    seen: set[str] = set()
    for match in _BIBLIOGRAPHY.finditer(source.text):
        for named in match[1].split(","):
            name = named.strip()
            path = name if name.lower().endswith((".bib", ".ris", ".json", ".xml")) else f"{name}.bib"
            if not name or normpath(path) in seen:
                continue
            seen.add(normpath(path))
            place = source.locate_span(match.start(), match.end())
            if len(seen) > MAX_LIBRARIES:
                message = f"more than {MAX_LIBRARIES} bibliographies are named; the rest are not read"
                problems.append(Problem(place, message, "pass the chapters one by one"))
                return
            yield path, place


def _add_library(
    source: LatexSource,
    path: str,
    place: Place,
    shelf: LibraryList,
    absent: list[tuple[str, Place]],
    problems: list[Problem],
) -> None:
    written = source.written.get(normpath(path))
    at = None if written else source.find(path, "", ("",)) or _find_elsewhere(source, path)
    if not written and not at:
        absent.append((path, place))
        return
    try:
        if written:
            shelf.put(_read_written_library(path, *written, source.macros))
        elif at:
            shelf.add(*at)
    except InputError as error:
        name = at[0] if at else path
        message = f"the bibliography {name!r}: {error.message}"
        problems.append(Problem(place, message, error.hint))


def _read_written_library(
    path: str, decoded: DecodedText, start: int, end: int, macros: Macros
) -> KeyedLibrary:
    """Return the bibliography that a LaTeX file itself contains, with its lines as places."""
    first = decoded.locate_span(start, start)
    inner = read_library(Document(path, decoded.text[start:end].encode()), macros)
    return KeyedLibrary(
        normpath(path), tuple(_shift_reference(entry, first) for entry in inner.references), ()
    )


def _shift_reference(reference: RawReference, first: Place) -> RawReference:
    """Return a reference with its place in the file around its own, which begins at `first`."""
    line, column = reference.place.line or 1, reference.place.column or 1
    shift = (first.line or 1) - 1
    place = replace(
        reference.place,
        file=first.file,
        line=line + shift,
        column=column + (first.column or 1) - 1 if line == 1 else column,
        end_line=(reference.place.end_line or line) + shift,
        start=None,
        end=None,
    )
    return replace(reference, place=place)


def _find_elsewhere(source: LatexSource, path: str) -> tuple[str, bytes] | None:
    """Return the one file of that name in another folder: TeX is often configured to look there."""
    same = source.names_by_base.get(basename(path), [])
    return source.find(same[0], "", ("",)) if len(same) == 1 else None


def _add_unnamed_libraries(source: LatexSource, shelf: LibraryList, problems: list[Problem]) -> None:
    """Add the bibliographies next to a part of a document, which names none itself."""
    names = [name for name in source.names if name.lower().endswith(".bib")]
    for name in names[:20]:
        at = source.find(name, "", ("",))
        if at is None:
            continue
        try:
            shelf.add(*at)
        except InputError as error:
            problems.append(Problem(Place(file=name), error.message, error.hint))
            continue
        message = f"the document names no bibliography; {name} from its folder was used"
        problems.append(Problem(Place(file=name), message, note=True))


def _read_compiled_library(source: LatexSource, document: Document) -> KeyedLibrary | None:
    """Return the compiled bibliography next to the document: the one of its name, or the only one."""
    stem = basename(document.name).rpartition(".")[0] or basename(document.name)
    names = [name for name in source.names if name.lower().endswith(".bbl")]
    at = source.find(f"{stem}.bbl", "", ("",)) or (
        source.find(names[0], "", ("",)) if len(names) == 1 else None
    )
    if at is None:
        return None
    try:
        inner = LatexSource(make_inner_document(*at, source.stated))
    except InputError:
        return None
    return _read_printed_library(inner, at[0], {**source.macros, **inner.macros})


def _collect_latex_keys(
    source: LatexSource, commands: list[CiteCommand], text: str, macros: dict[str, str]
) -> CitedKeys:
    """Return the keys in order of first citation, each with the sentences that cite it."""
    begin = _BEGIN.search(text)
    at = begin.end() if begin else 0
    first: dict[str, CiteCommand] = {}
    for cite in commands:
        for key in cite.keys:
            first.setdefault(key, cite)
    sentences: dict[str, list[str]] = {key: [] for key in first if key != "*"}
    for number, sentence in _find_cite_sentences(text, at, commands, macros):
        for key in commands[number].keys:
            if key in sentences and sentence not in sentences[key] and len(sentences[key]) < MAX_SENTENCES:
                sentences[key].append(sentence)

    def where(key: str) -> Place:
        return source.locate_span(first[key].start, first[key].end)

    return CitedKeys({key: tuple(listed) for key, listed in sentences.items()}, where, "*" in first)


def _find_cite_sentences(
    text: str, at: int, commands: list[CiteCommand], macros: dict[str, str]
) -> list[tuple[int, str]]:
    """Return (number of the citation, its sentence) for all that are in running text."""
    parts: list[str] = []
    hidden = compiled_bibliography.find_bibliographies(text)
    lows = [low for low, _ in hidden]
    stops = [
        (cite.start, cite.end, f"[{number}\ue000]") for number, cite in enumerate(commands) if cite.shown
    ]
    for start, end, mark in sorted([*stops, *((low, high, "\n\n") for low, high in hidden)]):
        inside = bisect_right(lows, start - 1) - 1  # a citation inside the bibliography is none of the text
        if start < at or (inside >= 0 and start < hidden[inside][1]):
            continue
        parts += [text[at:start], mark]
        at = end
    parts.append(text[at:])
    body = "\n\n".join(render_paragraphs("".join(parts)[:MAX_BODY], macros))
    marks = [(match.start(), int(match[1])) for match in _MARK.finditer(body)]
    sentences = SentenceIndex(body) if marks else None
    numbered: list[tuple[int, str]] = []
    worded: dict[str, str] = {}  # many marks may be in one sentence
    for place, number in marks:
        for sentence in sentences.find_sentences([place]) if sentences else ():
            if sentence not in worded:
                words = _MARK.split(sentence)  # every other one is the number of a citation
                words[1::2] = [
                    f"[{', '.join(commands[int(each)].keys[:MAX_SENTENCE])}]" for each in words[1::2]
                ]
                worded[sentence] = "".join(words)[:MAX_SENTENCE]
            numbered.append((number, worded[sentence]))
    return numbered


def list_typed_entries(text: str, macros: Macros = NO_MACROS) -> Iterator[EntrySegment]:
    """Yield the citations under reference headings: the words a reader sees, the span of their source."""
    for start, end in _find_lists(text):
        edges = [start, *(at for match in _BREAK.finditer(text, start, end) for at in match.span()), end]
        pieces = [(low, high) for low, high in list(pairwise(edges))[::2] if text[low:high].strip()]
        entries = [
            EntrySegment(words, low + len(source) - len(source.lstrip()), low + len(source.rstrip()))
            for low, high in pieces
            if (words := render_entry(source := text[low : min(high, low + MAX_SOURCE)], macros)[:MAX_ENTRY])
        ]
        introduced = entries[1:] if entries and not is_standalone_citation(entries[0].text) else entries
        yield from choose_citations(introduced)[0]


def _find_lists(text: str) -> Iterator[tuple[int, int]]:
    """Yield what is between a reference heading and the next one that is not below it."""
    closing = _END.search(text)
    stop = closing.start() if closing else len(text)
    heads = [
        (match.start(), match.end(), _RANKS.index(match[1] or "part"), match[2] or "")
        for match in _HEADING.finditer(text, 0, stop)
    ]
    reached = 0
    for index, (low, high, rank, words) in enumerate(heads):
        if low < reached or not is_reference_heading(strip_latex(words)):
            continue
        reached = next((heads[at][0] for at in range(index + 1, len(heads)) if heads[at][2] <= rank), stop)
        yield high, reached


EXTRACTOR = Extractor("latex", (".tex", ".ltx", ".latex", ".bbl"), _recognise_latex, _extract_latex)
