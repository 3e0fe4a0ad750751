"""Typst: the entries that a document cites by `@key` or `#cite(<key>)`, from BibTeX or Hayagriva files."""

from __future__ import annotations

from posixpath import dirname, join, normpath

from citeproof.errors import InputError
from citeproof.reading.extractors.base import load_format_signs, read_sample
from citeproof.reading.extractors.decoded_text import MAX_RUNNING, DecodedText, decode, make_inner_document
from citeproof.reading.extractors.prose.citing_sentences import MAX_BODY, MAX_SENTENCES, SentenceIndex
from citeproof.reading.extractors.records.cited_keys import (
    MAX_LIBRARIES,
    CitedKeys,
    KeyedLibrary,
    LibraryList,
    explain_unread_file,
    resolve_citations,
)
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document, DocumentFacts, Extraction, Extractor, Place, Problem

_MAX_FILES = 200
_SIGNS = load_format_signs("typst")
_HIDDEN = re.compile(
    r"(?P<raw>`{3,}(?:[^`]|(?>`{1,2})(?!`)){0,200000}?`{3,}|`[^`\n]{0,2000}`)"
    r"|(?P<comment>(?<!:)//[^\n]*+|/\*.*?(?:\*/|\Z))"  # Typst, too, lets an open one reach to the end
    r"|(?P<escaped>\\.)",
    re.DOTALL,
)
_INCLUDE = re.compile(r"#include\s{1,3}\"([^\"\n]{1,300})\"")
_CALL = re.compile(r"\bbibliography(?:-file|-files|_file)?\s{0,3}[(:]")
_FILE = re.compile(r"\"([^\"\n]{1,300}\.(?:bib|ya?ml))\"", re.IGNORECASE)
_FULL = re.compile(r"\bfull\s{0,3}:\s{0,3}true\b")
_AT = re.compile(r"(?<!\\)@([^\W_][\w.:-]{0,200})(\[[^\]\n]{0,200}\])?")
_CITE = re.compile(
    r"#?\bcite\s?\(\s{0,9}(?:<([^<>\s]{1,200})>|(?:label\s?\(\s{0,3})?\"([^\"\n]{1,200})\"\)?)[^()\n]{0,300}(?:\([^()]{0,200}\)[^()\n]{0,300})?\)"
)
_LABEL = re.compile(r"<([^\W_][\w.:-]{0,200})>")
_HEADING = re.compile(r"^={1,5}[ \t]([^\n]{0,500})\n", re.MULTILINE)
_MARKUP = re.compile(
    r"^[ \t]{0,9}[-+=]{1,5}[ \t]|#\w{1,30}(?:\([^()\n]{0,300}\))?(?=\[)|[*_](?=\w)|(?<=[\w.,])[*_]",
    re.MULTILINE,
)


def _recognise_typst(document: Document) -> float:
    """Return how many of Typst's signs the content shows."""
    text = read_sample(document)[:50_000]
    if "#" not in text and "@" not in text:
        return 0.0
    signs = sum(bool(sign.search(text)) for sign in _SIGNS)
    return min(0.95, 0.35 + 0.25 * signs) if signs > 1 else 0.2 * signs


def _extract_typst(document: Document) -> Extraction:
    """Return the entries that the document cites, in order of first citation."""
    files = [(decode(document, MAX_RUNNING), document.name, "")]
    problems = list(files[0][0].problems)
    _add_included_files(document, files, problems)
    shown = [_blank_hidden(decoded.text) for decoded, _, _ in files]
    libraries, missing, full = _read_typst_libraries(document, files, shown, problems)
    cited = _collect_typst_keys(files, shown, libraries, full)
    resolved = resolve_citations(cited, libraries, missing)
    expected = len(cited.sentences) or (len(resolved.references) or None)
    about = DocumentFacts((), resolved.undefined, resolved.uncited)
    return Extraction(resolved.references, (*problems, *resolved.problems), expected, EXTRACTOR.name, about)


def _blank_hidden(text: str) -> str:
    """Return the text with raw blocks and comments blanked; offsets stay."""
    return _HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m.lastgroup != "escaped" else "  ", text)


def _add_included_files(
    document: Document, files: list[tuple[DecodedText, str, str]], problems: list[Problem]
) -> None:
    """Add the files that `#include` names, each once."""
    seen = {document.name}
    for decoded, _, folder in files:  # grows while it is walked
        for match in _INCLUDE.finditer(_blank_hidden(decoded.text)):
            path = normpath(match[1][1:] if match[1].startswith("/") else join(folder, match[1]))
            if path in seen:
                continue
            seen.add(path)
            place = decoded.locate_span(match.start(), match.end())
            data = document.beside.read(path) if document.beside else None
            if data is None or len(files) >= _MAX_FILES:
                problems.append(Problem(place, *explain_unread_file("the file", path, document.beside)))
                continue
            try:
                files.append(
                    (decode(make_inner_document(path, data, document.encoding)), path, dirname(path))
                )
            except InputError as error:
                problems.append(Problem(place, f"the file {path!r}: {error.message}", error.hint))


def _read_typst_libraries(
    document: Document, files: list[tuple[DecodedText, str, str]], shown: list[str], problems: list[Problem]
) -> tuple[list[KeyedLibrary], str, bool]:
    """Return the bibliographies, words on what could not be had, and whether all of them is printed."""
    shelf = LibraryList(encoding=document.encoding)
    missing, full = "", False
    named: set[str] = set()
    for (decoded, _, folder), text in zip(files, shown, strict=True):
        for call in _CALL.finditer(text):
            arguments = text[call.end() : call.end() + 1000].split("\n\n", 1)[0]
            full |= bool(_FULL.search(arguments.split(")", 1)[0]))
            for match in _FILE.finditer(arguments):
                path = normpath(match[1][1:] if match[1].startswith("/") else join(folder, match[1]))
                if path in named:
                    continue
                named.add(path)
                place = decoded.locate_span(call.end() + match.start(), call.end() + match.end())
                if len(named) > MAX_LIBRARIES:
                    message = f"more than {MAX_LIBRARIES} bibliographies are named; the rest are not read"
                    problems.append(Problem(place, message, "merge them into one file"))
                    return shelf.libraries, missing or message, full
                lacking = shelf.add_named(path, document.beside, place, problems)
                missing = missing or lacking
    return shelf.libraries, missing or ("" if named else "the document names no bibliography"), full


def _collect_typst_keys(
    files: list[tuple[DecodedText, str, str]], shown: list[str], libraries: list[KeyedLibrary], full: bool
) -> CitedKeys:
    """Return the keys in order of first citation: `@fig` that names a label of the document is not one."""
    labels = {match[1] for text in shown for match in _LABEL.finditer(_CITE.sub("", text))}
    defined = {reference.key for each in libraries for reference in each.references}
    first: dict[str, Place] = {}
    sentences: dict[str, list[str]] = {}
    for (decoded, _, _), text in zip(files, shown, strict=True):
        marks = _find_typst_marks(text, labels - defined, defined)
        by_mark = _find_mark_sentences(text, marks) if marks else []
        for (start, end, key), sentence in zip(marks, by_mark, strict=True):
            first.setdefault(key, decoded.locate_span(start, end))
            listed = sentences.setdefault(key, [])
            if sentence and sentence not in listed and len(listed) < MAX_SENTENCES:
                listed.append(sentence)
    return CitedKeys({key: tuple(listed) for key, listed in sentences.items()}, first.__getitem__, full)


def _find_typst_marks(text: str, labels: set[str], defined: set[str]) -> list[tuple[int, int, str]]:
    marks = [(m.start(), m.end(), m[1] or m[2]) for m in _CITE.finditer(text)]
    for match in _AT.finditer(text):
        key = match[1].rstrip(".:-")
        end = match.end() if match[2] and key == match[1] else match.start() + 1 + len(key)
        glued = match.start() > 0 and (text[match.start() - 1].isalnum() or text[match.start() - 1] in "./")
        if key not in labels and (key in defined or not glued):  # a mail address is more likely
            marks.append((match.start(), end, key))
    return sorted(marks)


def _find_mark_sentences(text: str, marks: list[tuple[int, int, str]]) -> list[str]:
    """Return the sentence of each mark in the words a reader sees, the mark as [key]."""
    parts: list[str] = []
    places: list[int] = []
    length = at = 0
    for start, end, key in marks:
        before = _render_typst(text[at:start])
        places.append(length + len(before))
        parts += [before, f"[{key}]"]
        length += len(before) + len(key) + 2
        at = max(at, end)
    body = "".join([*parts, _render_typst(text[at:])])[:MAX_BODY]
    sentences = SentenceIndex(body)
    return [
        next(iter(sentences.find_sentences([place])), "") if place < len(body) else "" for place in places
    ]


def _render_typst(text: str) -> str:
    return _MARKUP.sub("", _LABEL.sub("", _HEADING.sub("\\1\\n\\n", text)))


EXTRACTOR = Extractor("typst", (".typ",), _recognise_typst, _extract_typst)
