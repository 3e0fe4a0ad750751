"""Markdown: pandoc keys, reference lists, `[Author, Year, Title](url)` links, footnotes, tables, answers.

Inside code fences only BibTeX counts, and JSON where there is nothing else (`fenced_references.py`). Under a
reference heading every entry counts, elsewhere only what by itself looks like a reference
(`loose_references.py`). Keys are read as pandoc does (`pandoc.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile

from citeproof.reading.extractors.base import load_format_signs, read_sample
from citeproof.reading.extractors.decoded_text import MAX_RUNNING, DecodedText, decode, refuse_flood
from citeproof.reading.extractors.plain_text import find_unspaced_works, split_entries
from citeproof.reading.extractors.prose.citing_sentences import attach_sentences
from citeproof.reading.extractors.prose.entry_segments import (
    MAX_ENTRY,
    EntrySegment,
    is_likely_reference,
)
from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.fenced_references import read_fenced_references
from citeproof.reading.extractors.prose.field_records import load_field_names
from citeproof.reading.extractors.prose.headed_works import find_headed_works
from citeproof.reading.extractors.prose.line_furniture import blank_small_talk, strip_quote_mark
from citeproof.reading.extractors.prose.loose_references import (
    SET_OFF,
    InlineWorks,
    blank_remarks,
    choose_citations,
    cut_remark,
    find_bare_list,
    find_footnotes,
    find_link_definitions,
    find_listed_works,
    is_standalone_citation,
    strip_item_mark,
)
from citeproof.reading.extractors.prose.prose_mask import blank_spans, strip_markdown
from citeproof.reading.extractors.prose.raw_references import (
    build_references,
    count_expected,
    find_number_gaps,
    find_overlong_lines,
    join_unused_lines,
)
from citeproof.reading.extractors.prose.text_lines import TextLine, is_reference_heading, split_lines
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.reading.extractors.records.pandoc import read_front_matter, resolve_pandoc_keys
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document, DocumentFacts, Extraction, Extractor, Place, Problem, RawReference
from citeproof.vocabulary.quick_dataclass import dataclass, replace

_SIGNS = load_format_signs("markdown")
_EMPHASIS = re.compile(r"(?<![\w*])\*[^\s*][^*\n]{2,200}\*(?![\w*])")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*]{1,60}\*\*:?\s{0,9}$")
_NO_ENTRY = re.compile(r"\s{0,3}(?:={3,}|-{3,}|\*{3,}|_{3,}|:{3,}.*|</?div.*)\s{0,9}$")
_MENTION_WORDS = 9  # words that names, a year and a remark may have
_COMMENT = re.compile(r"\s{0,3}<!--")
_QUOTED = re.compile(r"\s{0,3}(?:`{3,}|~{3,})\s?(?:text|txt|plaintext|markdown|md)?\s{0,9}", re.IGNORECASE)
_CODE = re.compile(
    r"[{};=]\s{0,9}$|^\s{0,99}(?:[@{}<$]|(?:def|import|from|class|return|cite)\s|//|/\*)|\w\(\)|=="
)
_INLINE_COMMENT = re.compile(r"<!--[^\n]{0,2000}?-->")
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s{0,9}$")
_RULE = re.compile(r"\s{0,3}\|?(?:\s{0,9}:?-{2,200}:?\s{0,9}\|){1,40}(?:\s{0,9}:?-{2,200}:?\s{0,9})?$")
_CELL = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"\[([^\[\]\n]{1,1000})\]\(([^\s()]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)\)")
_MENTION = re.compile(
    r"[^\W\d_][\w'’-]{1,30}(?:\set al\.?|\s(?:and|&)\s[^\W\d_][\w'’-]{1,30})?,?"
    r"(?:\s?\(?(?:1[5-9]|20)\d\d[a-z]?\)?)?"
)
_BULLETS = ("-", "*", "+", "•")
_MOST_CELLS = 40


@dataclass(frozen=True, slots=True)
class _ListPart:
    """Lines [start, end) of a reference list up to the next heading; announced: its own says "references"."""

    start: int
    end: int
    announced: bool


def _recognise_markdown(document: Document) -> float:
    """Return how many of Markdown's signs the content shows."""
    text = read_sample(document)
    signs = sum(bool(sign.search(text)) for sign in _SIGNS)
    weak = 0.1 * bool(_EMPHASIS.search(text))
    return min(0.9, 0.25 + 0.2 * signs + weak) if text.strip() else 0.0


def _extract_markdown(document: Document) -> Extraction:
    """Return the references: those cited by key first, then the others in the document's order."""
    return read_markdown(document, decode(document, MAX_RUNNING))


def read_markdown(document: Document, decoded: DecodedText) -> Extraction:
    """Return the references of a document whose text is Markdown."""
    problems = list(decoded.problems)
    matter = read_front_matter(decoded)
    lines = _list_lines(decoded, matter.end)
    problems += find_overlong_lines(decoded, lines)
    masked = _mask_emptied_lines(decoded, lines)
    cited, keys = resolve_pandoc_keys(document, decoded, matter, masked)
    by_key, wrong = cited.references, cited.problems
    used: set[int] = set()
    known, numbered = find_entries(lines, used)
    if not known:  # an answer, or how a work is cited, may be quoted between fences
        lines, used = _list_lines(decoded, matter.end, quotes=True), set()
        known, numbered = find_entries(lines, used)
        masked = _mask_emptied_lines(decoded, lines)
    text = blank_spans(masked, [(lines[at].start, lines[at].end) for at in used])
    inline = InlineWorks(text, known)
    references = sorted([*known, *inline.list_identified(known)], key=lambda segment: segment.start)
    if keys and not by_key and numbered and not matter.bibliographies and _find_markdown_sections(lines):
        message = "keys are cited, but no bibliography is named; the printed list was read"
        wrong, keys = [Problem(Place(file=document.name, line=1), message, note=True)], 0
        cited = replace(cited, undefined=(), uncited=())
    problems += wrong
    printed = build_references(decoded, references, {}, problems)
    fenced: list[RawReference] = []
    if not by_key:
        fenced, notes = read_fenced_references(decoded, printed)
        problems += notes
        printed = sorted([*printed, *fenced], key=lambda reference: reference.place.start or 0)
    if not keys:  # what has an entry, in code as well, is cited from there
        known = [*references, *(EntrySegment(entry.text, 0, 0, entry.key) for entry in fenced)]
        problems += inline.list_missing(decoded, known)
        printed += build_references(decoded, [*inline.list_titled(known)], {}, problems, len(printed) + 1)
        printed.sort(key=lambda reference: reference.place.start or 0)
    refuse_flood(len(by_key) + len(printed), document.name)
    body = join_unused_lines(decoded, lines, used)
    problems += find_number_gaps(numbered, decoded)
    listed_to = count_expected(numbered)
    counted = listed_to + len(fenced) if listed_to else None
    counted = keys + max(counted or 0, len(printed)) if keys else counted
    kept = (
        *(replace(one, citing=tuple(dict.fromkeys(map(strip_markdown, one.citing)))) for one in by_key),
        *attach_sentences(printed, strip_markdown(body)),
    )
    about = DocumentFacts(matter.authors, cited.undefined, cited.uncited)
    return Extraction(kept, tuple(problems), counted or None, EXTRACTOR.name, about, matter.dated)


def find_markdown_body(decoded: DecodedText) -> str:
    """Return the text without front matter, code, and what is reference list."""
    lines = _list_lines(decoded, read_front_matter(decoded).end)
    used: set[int] = set()
    find_entries(lines, used)
    return join_unused_lines(decoded, lines, used)


def _list_lines(decoded: DecodedText, begin: int, *, quotes: bool = False) -> list[TextLine]:
    """Return the lines without the marks of quotations, those of code and before `begin` emptied."""
    lines = (strip_quote_mark(line) for line in split_lines(decoded.text))
    shown = [replace(line, text="") if line.start < begin else line for line in lines]
    return blank_fences(shown, quotes=quotes)


def find_entries(lines: list[TextLine], used: set[int]) -> tuple[list[EntrySegment], list[EntrySegment]]:
    """Return the entries of lists, footnotes and tables, and those of them that are one numbered list.

    The lines that were read go into `used`.
    """
    notes = [*find_footnotes(lines, used), *find_link_definitions(lines, used)]
    in_tables = read_table_rows(lines, used)
    sections = _find_markdown_sections(lines)
    below = {index for parts in sections for part in parts[1:] for index in range(part.start - 1, part.end)}
    taken = (set(range(len(lines))) - below) | used
    headed = find_headed_works(lines, taken)
    used.update(below & taken)
    no_entries = used | find_table_lines(lines)
    read = [entry for parts in sections for entry in _read_section(lines, parts, no_entries)]
    if headed:
        read = [(part, entries if part.announced else _drop_mentions(entries)) for part, entries in read]
    under = [*headed, *(entry for _, entries in read for entry in entries)]
    listed = [part for part, entries in read if entries or part.announced]
    used.update(index for part in listed for index in range(part.start - 1, part.end))
    announced = under or [entry for entry in in_tables if _is_inside(entry, lines, listed)]
    loose = [] if announced else _find_loose_works(lines, used)
    known = [*under, *notes, *in_tables, *loose]
    items = [line if line.text.lstrip()[:1] in _BULLETS else replace(line, text="") for line in lines]
    taken = {entry.start for entry in known}
    known += [work for work in find_unspaced_works(items, set()) if work.start not in taken]
    known = known or find_bare_list(lines, used)
    return known, under or loose or in_tables


def _find_loose_works(lines: list[TextLine], used: set[int]) -> list[EntrySegment]:
    """Return the works that are under no reference heading: with a heading each, or in lists."""
    headed = find_headed_works(lines, used)
    listed = find_listed_works(lines, used)
    return [*headed, *(_drop_mentions(listed) if headed else listed)]


def _drop_mentions(segments: list[EntrySegment]) -> list[EntrySegment]:
    """Return a list next to works with headings without what is about these: "Ray and Ziegler (1977)"."""
    return [segment for segment in segments if len(segment.text.split()) > _MENTION_WORDS]


def _is_inside(segment: EntrySegment, lines: list[TextLine], parts: list[_ListPart]) -> bool:
    return any(
        lines[part.start].start <= segment.start < lines[part.end - 1].end
        for part in parts
        if part.start < part.end
    )


def _mask_emptied_lines(decoded: DecodedText, lines: list[TextLine]) -> str:
    parts: list[str] = []
    at = 0
    for line in lines:
        if line.text or line.end == line.start:
            continue
        parts += [decoded.text[at : line.start], " " * (line.end - line.start)]
        at = line.end
    return "".join([*parts, decoded.text[at:]])


def blank_fences(lines: list[TextLine], *, quotes: bool = False) -> list[TextLine]:
    """Return the lines with fences and comments emptied; `quotes`: not those that hold citations."""
    shown: list[TextLine] = []
    fence, quoted = "", False
    hidden = False  # in a comment
    for index, line in enumerate(lines):
        mark = None if hidden else _FENCE.match(line.text)
        if fence:
            closes = mark is not None and mark[1].startswith(fence)
            fence = "" if closes else fence
            shown.append(line if quoted and fence else replace(line, text=""))
        elif mark:
            fence = mark[1]
            quoted = (
                quotes and bool(_QUOTED.fullmatch(line.text)) and _quotes_citations(lines, index + 1, fence)
            )
            shown.append(replace(line, text=""))
        elif hidden or "<!--" in line.text:
            text, hidden = _blank_comments(line.text, hidden=hidden)
            shown.append(replace(line, text=text))
        else:
            shown.append(line)
    return shown


def _quotes_citations(lines: list[TextLine], start: int, fence: str) -> bool:
    """Return whether a fence holds an answer or a list, not code: a line is a citation, none is code."""
    inside = takewhile(lambda line: not line.text.lstrip().startswith(fence), islice(lines, start, None))
    texts = [strip_item_mark(line.text) for line in inside if not line.blank]
    return any(map(is_standalone_citation, texts)) and not any(map(_CODE.search, texts))


def _blank_comments(text: str, *, hidden: bool) -> tuple[str, bool]:
    """Return a line without what is in comments, its length kept, and whether one is still open.

    Only one that begins a line may stay open, as in a browser: "`<!--` opens a comment" opens none.
    """
    if not hidden and (comment := _COMMENT.match(text)):
        text, hidden = " " * comment.end() + text[comment.end() :], True
    if hidden:
        end = text.find("-->")
        if end < 0:
            return "", True
        text = " " * (end + 3) + text[end + 3 :]
    return _INLINE_COMMENT.sub(lambda match: " " * len(match[0]), text).rstrip(), False


def _find_markdown_sections(lines: list[TextLine]) -> list[list[_ListPart]]:
    """Return what is under each reference heading, in parts: headings below it part a long list."""
    sections: list[list[_ListPart]] = []
    level: int | None = None  # of the reference heading that is open
    for index, line in enumerate(lines):
        underlined = (
            index + 1 < len(lines) and bool(_UNDERLINE.match(lines[index + 1].text)) and not line.blank
        )
        heading = bool(_HEADING.match(line.text)) or underlined
        announced = is_reference_heading(line.text)
        if not heading and not announced:
            continue
        underline = lines[index + 1].text if underlined else ""
        marks = len(line.text.lstrip()) - len(line.text.lstrip().lstrip("#"))
        rank = marks or (1 if "=" in underline else 2 if underline else 7)
        start = index + (2 if underlined else 1)
        if level is not None:
            sections[-1][-1] = replace(sections[-1][-1], end=index)
            if rank > level:
                sections[-1].append(_ListPart(start, start, announced))
                continue
        level = rank if announced else None
        if announced:
            sections.append([_ListPart(start, start, announced=True)])
    if level is not None:
        sections[-1][-1] = replace(sections[-1][-1], end=len(lines))
    return sections


def _read_section(
    lines: list[TextLine], parts: list[_ListPart], noted: set[int]
) -> list[tuple[_ListPart, list[EntrySegment]]]:
    """Return the entries of each part of a list; under a heading of another name only citations are entries.

    What introduces a list whose entries are all further below is none.
    """
    read = [(part, _read_part_entries(lines, range(part.start, part.end), noted)) for part in parts]
    chosen = [(part, entries if part.announced else choose_citations(entries)[0]) for part, entries in read]
    if any(entries for _, entries in chosen[1:]):
        chosen[0] = (
            parts[0],
            [entry for entry in chosen[0][1] if entry.label or _is_titled_citation(entry.text)],
        )
    return chosen


def _is_titled_citation(text: str) -> bool:
    return is_standalone_citation(text) and bool(has_leading_name(text) or SET_OFF.search(text))


def _read_part_entries(lines: list[TextLine], span: range, noted: set[int]) -> list[EntrySegment]:
    """Return the entries of one part; rules, divisions, footnotes and an answer's remarks are none."""
    emptied = [
        replace(lines[i], text="") if i in noted or _NO_ENTRY.match(lines[i].text) else lines[i] for i in span
    ]
    segments = split_entries(blank_remarks(blank_small_talk(emptied)))
    return [replace(segment, text=cut_remark(segment.text)) for segment in segments]


EXTRACTOR = Extractor(
    "markdown", (".md", ".markdown", ".rmd", ".qmd"), _recognise_markdown, _extract_markdown
)


def read_table_rows(lines: list[TextLine], used: set[int]) -> list[EntrySegment]:
    """Return the references of tables that have a column for them; their lines go into `used`."""
    found: list[EntrySegment] = []
    for rule, last in _find_tables(lines, used):
        columns = _read_columns(lines[rule - 1].text)
        if columns is not None:
            used.update(range(rule - 1, last + 1))
            found += [one for line in lines[rule + 1 : last + 1] if (one := _read_table_row(line, columns))]
    return found


def find_table_lines(lines: list[TextLine]) -> set[int]:
    """Return the lines of all tables: a rule, the line above it, and the rows below."""
    return {line for rule, last in _find_tables(lines, set()) for line in range(rule - 1, last + 1)}


def _find_tables(lines: list[TextLine], used: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the rule and the last row of each table whose rule nothing else has used."""
    last = 0
    for rule in range(1, len(lines)):
        if rule > last and rule not in used and "|" in lines[rule].text and _RULE.match(lines[rule].text):
            last = rule
            while last + 1 < len(lines) and "|" in lines[last + 1].text:
                last += 1
            yield rule, last


def _read_columns(header: str) -> dict[int, str] | None:
    """Return which column holds which field; None if the table lists no references."""
    columns: dict[int, str] = {}
    for index, cell in _split_cells(header):
        field = load_field_names().get(cell.strip("*_ ").lower())
        if field and field not in columns.values():
            columns[index] = field
    fields = set(columns.values())
    described = "title" in fields and bool(fields & {"authors", "doi", "year"})
    return columns if described or "citation" in fields else None


def _split_cells(row: str) -> Iterator[tuple[int, str]]:
    cells = _CELL.split(row.strip().removeprefix("|").removesuffix("|"))
    for index, cell in enumerate(cells[:_MOST_CELLS]):
        yield index, cell.replace("\\|", "|").strip()


def _read_table_row(line: TextLine, columns: dict[int, str]) -> EntrySegment | None:
    fields = {columns[index]: cell for index, cell in _split_cells(line.text) if index in columns and cell}
    number = fields.pop("number", "").strip("[]. ")
    label = number if number.isdecimal() else ""
    start = line.start + line.indent
    if citation := fields.get("citation"):
        return EntrySegment(citation[:MAX_ENTRY], start, line.end, label)
    link = _LINK.search(fields.get("title", ""))
    if link:
        fields["title"], fields["doi"] = link[1], f"{link[2]} {fields.get('doi', '')}"
    title = strip_markdown(fields.get("title", "")).strip('*_"“” ')
    if not any(sign.isalpha() for sign in title):
        return None
    if _MENTION.fullmatch(title) and not fields.keys() & {"authors", "journal", "doi"}:
        return None  # a table of results: "Smith et al. | 2010 | 20" names a study of the text
    text = line.text.strip().strip("|").strip()[:MAX_ENTRY]
    if "authors" not in fields and is_likely_reference(title) and "et al" in title:
        return EntrySegment(title, start, line.end, label)
    return EntrySegment(text, start, line.end, label, build_claimed_fields({**fields, "title": title}, text))
