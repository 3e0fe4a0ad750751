"""Pandoc's citations in Markdown: front matter, the bibliographies it names, and the keys the text cites."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from citeproof.reading.extractors.decoded_text import DecodedText
from citeproof.reading.extractors.prose.citing_sentences import MAX_BODY, MAX_SENTENCES, SentenceIndex
from citeproof.reading.extractors.records import yaml_bibliography, yaml_text
from citeproof.reading.extractors.records.cited_keys import (
    MAX_LIBRARIES,
    CitedKeys,
    KeyedLibrary,
    LibraryList,
    ResolvedCitations,
    resolve_citations,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import find_day
from citeproof.text.names import split_names
from citeproof.vocabulary import Document, Name, Place, Problem, RawReference
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

_FRONT = re.compile(r"\ufeff?---[ \t]*+\r?\n")
_FRONT_END = re.compile(r"^(?:---|\.\.\.)[ \t]*+\r?$", re.MULTILINE)
_MAX_FRONT = 2_000_000
_BIBLIOGRAPHY = ("bibliography", "bibliographies")
_AUTHORS = ("author", "authors")
_MOST_AUTHORS = 100

_KEY = r"@(?:\{([^{}\s]{1,200})\}|([\w](?:[\w]|[:.#$%&+?<>~/-](?=[\w])|--(?=\w)){0,200}+))"
_BARE = re.compile(rf"(?<![\w@\\/.+`-])-?{_KEY}")
_GROUP = re.compile(
    r"(?<!!)\[((?:[^\[\]\n]|\n(?!\s{0,9}\n)|\[[^\[\]\n]{0,200}\]){0,1000}?@[^\[\]]{1,2000}?)\](?![(\[:])"
)
_IN_GROUP = re.compile(rf"(?<![\w\\.])-?{_KEY}")
_QUARTO = re.compile(r"(?:fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem)-")
# Code, formulas, addresses and links whose text is a mention: no key is in them.
_CODE = re.compile(
    r"`{1,3}[^`\n]{1,1000}`{1,3}|\$[^$\n]{1,500}\$|https?://\S{1,500}"
    r"|!?\[@[^\[\]\n]{0,300}\]\([^()\n]{1,1000}\)",
    re.DOTALL,
)


@dataclass(slots=True)
class PandocFrontMatter:
    """The front matter: its end, its authors, the bibliographies it names, its own entries, `nocite`."""

    end: int = 0
    bibliographies: list[str] = field(default_factory=list)
    inline: list[RawReference] = field(default_factory=list)
    nocite: str = ""
    authors: tuple[Name, ...] = ()
    dated: str = ""  # the document's own date
    problems: list[Problem] = field(default_factory=list)


def read_front_matter(decoded: DecodedText) -> PandocFrontMatter:
    """Return the front matter of a document; an empty one if it has none."""
    front = PandocFrontMatter()
    opening = _FRONT.match(decoded.text)
    closing = _FRONT_END.search(decoded.text, opening.end(), _MAX_FRONT) if opening else None
    if opening is None or closing is None:
        return front
    front.end = closing.end()
    block = decoded.text[opening.end() : closing.start()]
    for key, start, end in yaml_text.split_yaml_entries(block):
        at = opening.end() + start
        if key == "references":
            inline, problems = yaml_bibliography.read_csl_yaml(decoded, at, opening.end() + end)
            front.inline += inline
            front.problems += problems
        elif key in _AUTHORS:
            front.authors = front.authors or _read_authors(block[start:end])
        elif key == "date":
            front.dated = find_day(block[start:end].partition(":")[2])
        elif key in _BIBLIOGRAPHY or key == "nocite":
            _read_setting(front, key, block[start:end], decoded.locate_span(at, opening.end() + end))
    return front


def _read_setting(front: PandocFrontMatter, key: str, source: str, place: Place) -> None:
    try:
        value = yaml_text.parse_yaml(source)
    except yaml_text.YamlError as error:
        front.problems.append(
            Problem(place, f"{key}: {error}; it is not read", "write it as plain YAML", source[:200])
        )
        return
    setting = value.get(key) if isinstance(value, dict) else None
    listed = setting if isinstance(setting, list) else [setting]
    words = [entry for entry in listed if isinstance(entry, str)]
    if key == "nocite":
        front.nocite = " ".join(words)
    else:
        front.bibliographies += words


def _read_authors(source: str) -> tuple[Name, ...]:
    try:
        value = yaml_text.parse_yaml(source)
    except yaml_text.YamlError:
        return ()
    named = next(iter(value.values()), None) if isinstance(value, dict) else None
    authors: list[Name] = []
    for author in (named if isinstance(named, list) else [named])[:_MOST_AUTHORS]:
        text = author.get("name", author.get("literal")) if isinstance(author, dict) else author
        if isinstance(author, dict) and isinstance(author.get("family"), str):
            authors.append(Name(str(author["family"]), str(author.get("given", ""))))
        elif isinstance(text, str) and text.strip():
            authors += split_names(text[: _MOST_AUTHORS * 100])[0]
    return tuple(authors[:_MOST_AUTHORS])


def resolve_pandoc_keys(
    document: Document, decoded: DecodedText, matter: PandocFrontMatter, body: str
) -> tuple[ResolvedCitations, int]:
    """Return the entries that `body` cites by key with what was wrong, and how many keys it cites.

    `body` is the text with code and front matter blanked, so that its offsets are those of the document.
    """
    masked = _CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), _blank_comments(body)) if "@" in body else ""
    groups = [m for m in _GROUP.finditer(masked) if _IN_GROUP.search(m[1])] if masked else []
    problems = list(matter.problems)
    stated = bool(matter.bibliographies or matter.inline)
    if not groups and not stated:
        return ResolvedCitations((), problems), 0
    libraries, missing = _read_pandoc_libraries(document, matter, problems)
    defined = {reference.key for each in libraries for reference in each.references}
    marks = list(_find_key_marks(masked, groups, defined))
    everything = "@*" in matter.nocite
    silent = [m[1] or m[2] for m in _IN_GROUP.finditer(matter.nocite) if (m[1] or m[2]) in defined]
    cited = _collect_pandoc_keys(decoded, body, marks, silent, everything=everything)
    if not cited.sentences and not everything and not stated:
        return ResolvedCitations((), problems), 0
    resolved = resolve_citations(cited, libraries, missing)
    return replace(resolved, problems=[*problems, *resolved.problems]), len(cited.sentences)


def _blank_comments(text: str) -> str:
    """Return the text with its comments blanked; one that is never closed is not one."""
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[at:start], re.sub(r"[^\n]", " ", text[start : end + 3])]
        at = end + 3
    return "".join([*parts, text[at:]])


def _read_pandoc_libraries(
    document: Document, matter: PandocFrontMatter, problems: list[Problem]
) -> tuple[list[KeyedLibrary], str]:
    """Return the bibliographies of the document, and words on what could not be had."""
    shelf = LibraryList(encoding=document.encoding)
    missing = ""
    if matter.inline:
        shelf.put(KeyedLibrary("the front matter", tuple(matter.inline)))
    named = matter.bibliographies or ([] if matter.inline else _find_unnamed_library(document))
    paths = list(dict.fromkeys(normpath(name) for name in named))  # each once
    if len(paths) > MAX_LIBRARIES:
        message = f"more than {MAX_LIBRARIES} bibliographies are named; the rest are not read"
        place = Place(file=document.name, line=1)
        problems.append(Problem(place, message, "name fewer, or merge them into one file"))
    for path in paths[:MAX_LIBRARIES]:
        lacking = shelf.add_named(path, document.beside, Place(file=document.name, line=1), problems)
        missing = missing or lacking
    if not named and not matter.inline:
        missing = "the document names no bibliography, and its folder has none"
    elif not matter.bibliographies and not matter.inline:
        message = f"the document names no bibliography; {', '.join(named)} from its folder was used"
        problems.append(Problem(Place(file=document.name, line=1), message, note=True))
    return shelf.libraries, missing


def _find_unnamed_library(document: Document) -> list[str]:
    """Return the bibliography of a document that names none: its project's, else the only one next to it."""
    if document.beside is None:
        return []
    project = document.beside.read("_quarto.yml") or b""
    for key, start, end in yaml_text.split_yaml_entries(
        text := project[:_MAX_FRONT].decode("utf-8", "replace")
    ):
        if key in _BIBLIOGRAPHY:
            front = PandocFrontMatter()
            _read_setting(front, key, text[start:end], Place())
            return front.bibliographies
    listed = [name for name in document.beside.names() if name.lower().endswith((".bib", ".bibtex"))]
    return listed if len(listed) == 1 else []


def _find_key_marks(
    masked: str, groups: list[re.Match[str]], defined: set[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, key): in brackets every key counts, in running text only a defined one."""
    inside: list[tuple[int, int]] = []
    for group in groups:
        inside.append((group.start(), group.end()))
        for match in _IN_GROUP.finditer(masked, group.start(1), group.end(1)):
            key = match[1] or match[2]
            if key in defined or not _QUARTO.match(key):
                yield match.start(), match.end(), key
    at = 0
    for match in _BARE.finditer(masked):
        while at < len(inside) and inside[at][1] <= match.start():
            at += 1
        if at < len(inside) and inside[at][0] <= match.start():
            continue
        if (key := match[1] or match[2]) in defined:
            yield match.start(), match.end(), key


def _collect_pandoc_keys(
    decoded: DecodedText, body: str, marks: list[tuple[int, int, str]], silent: list[str], *, everything: bool
) -> CitedKeys:
    marks = sorted(marks)
    sentences = SentenceIndex(body[:MAX_BODY]) if marks else None
    by_key: dict[str, list[str]] = {}
    first: dict[str, tuple[int, int]] = {}
    for start, end, key in marks:
        first.setdefault(key, (start, end))
        listed = by_key.setdefault(key, [])
        if sentences and start < MAX_BODY and len(listed) < MAX_SENTENCES:
            listed += [sentence for sentence in sentences.find_sentences([start]) if sentence not in listed]
    for key in silent:
        by_key.setdefault(key, [])

    def where(key: str) -> Place:
        return decoded.locate_span(*first.get(key, (0, 0)))

    return CitedKeys({key: tuple(listed) for key, listed in by_key.items()}, where, everything)
