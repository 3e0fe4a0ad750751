"""The reference lists a manuscript prints, and their entries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from citeproof.reading.extractors.decoded_text import DecodedText
from citeproof.reading.extractors.office.manuscript import Manuscript, Paragraph, strip_marks
from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY, is_likely_reference, split_segments
from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.raw_references import (
    build_references,
    count_expected,
    find_number_gaps,
)
from citeproof.reading.extractors.prose.text_lines import (
    is_closing_heading,
    is_reference_heading,
    split_lines,
)
from citeproof.text import ids, url
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import YEAR
from citeproof.vocabulary import WORK_IDS, Place, Problem, RawReference
from citeproof.vocabulary.quick_dataclass import dataclass, replace

_ENTRY_STYLE = re.compile(
    r"bibliogra|references$|^reference$|reference[ _-]?(?:item|list|text|entry)|bib[ _-]?(?:entry|item)"
    r"|literaturverzeichnis|works cited",
    re.IGNORECASE,
)
_HEADING_STYLE = re.compile(
    r"head|title|überschrift|caption|footnote|endnote reference|comment", re.IGNORECASE
)
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|scheme|abb(?:ildung|\.)|tabelle)\s{0,2}S?\d{1,3}\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"\s{0,9}(?:\[\d{1,6}\]|\d{1,6}[.)])\s")
_TIGHT = re.compile(r"^\s{0,12}(\[\d{1,6}\])(?=\S)", re.MULTILINE)  # "[1]A. Author": the space is a tab stop

_FEWEST = 3  # references in a row that are a list
_SHARE = 0.6  # of a run must begin with names; the others are works of institutions or without author
_NEARLY_ALL = 0.8
_LONGEST = 700  # characters; a longer paragraph is running text
_NUMBER = re.compile(r"\s{0,9}(?:\[\d{1,6}\]|\(?\d{1,6}[.)])\s{0,9}")
_FULL_NAME = re.compile(
    r"[^\W\d_a-z][\w'’-]{1,30}(?: [^\W\d_a-z][\w'’-]{1,30})?,"
    r" [^\W\d_a-z][^“\".]{1,60}\.?[^“\"]{0,60}\s[“\"]\w"
)  # "Dia, Ibrahima, et al. “Comparisons of …"
_DATED = re.compile(rf"\({YEAR}[a-z]?[,)]|[.,]\s{YEAR}[a-z]?[.,;:]")  # not "(since 2011)"
_MAX_LINKS = 20  # of one entry that are examined
_SEARCHES = (
    "scholar.google", "google.com", "search.crossref.org", "worldcat.org", "sciencedirect.com",
    "web.archive.org",
)  # fmt: skip
# What sites print behind an entry to name their links.
_LABEL = (
    "(?:Google Scholar|Cross[Rr]ef|PubMed(?: Central)?|PMC(?: free article)?|Free PMC article|MEDLINE|Medline"
    "|Web of Science|Scopus|CAS|ADS|MathSciNet|MATH|zbMATH|Full [Tt]ext|View [Aa]rticle|View Record in Scopus"
    "|Article|DOI|doi|PDF|Semantic Scholar|Europe PMC|Open URL|Download|ChemPort|INSPIRE|Abstract)"
)
_BRACKETED = re.compile(
    rf"\s{{0,3}}\[\s{{0,2}}{_LABEL}(?:\s{{0,2}}[,;|·/]?\s{{0,2}}{_LABEL}){{0,6}}\s{{0,2}}\]"
)
_TRAILING = re.compile(
    rf"(?<=[.)\]\d”\"’,;])(?:[\s,;|·/]{{1,6}}{_LABEL}(?=[\s,;|·/.]|$)){{1,12}}[\s.,;|·/]{{0,6}}$"
)


@dataclass(frozen=True, slots=True)
class PrintedLists:
    """The entries of all lists, what was wrong with them, and how many the lists count themselves."""

    entries: tuple[RawReference, ...]
    problems: tuple[Problem, ...]
    expected: int | None
    used: frozenset[int]  # numbers of the paragraphs that are list, not running text


def is_entry_style(name: str) -> bool:
    """Return whether a paragraph style of this name is one for the entries of a bibliography."""
    return bool(_ENTRY_STYLE.search(name[:100])) and not _HEADING_STYLE.search(name[:100])


def read_printed_lists(written: Manuscript) -> PrintedLists:
    """Return the entries of every list of the manuscript."""
    entries: list[RawReference] = []
    problems: list[Problem] = []
    counts: list[int] = []
    used: set[int] = set()
    headed = find_printed_lists(written.paragraphs)
    lists = headed or find_unheaded_lists([block for block in written.paragraphs if not block.note])
    for paragraphs in lists:
        if not headed:
            message = f"these references have no heading; {len(paragraphs)} paragraphs look like a list"
            text, hint = strip_marks(paragraphs[0].text)[:500], "add the heading References above them"
            problems.append(Problem(_make_place(written, paragraphs), message, hint, text, note=True))
        used.update(paragraph.number for paragraph in paragraphs)
        inner = [paragraph for paragraph in paragraphs if not paragraph.level]
        entries += _read_list_entries(inner, written, problems, counts, len(entries))
    return PrintedLists(tuple(entries), tuple(problems), sum(counts) if counts else None, frozenset(used))


def _read_list_entries(
    paragraphs: list[Paragraph], written: Manuscript, problems: list[Problem], counts: list[int], before: int
) -> list[RawReference]:
    """Return the entries of one list, whose paragraphs may hold several or a part of one."""
    starts: list[int] = []
    texts: list[str] = []
    at = 0
    for paragraph in paragraphs:
        words = _join_line_breaks(paragraph, alone=len(paragraphs) == 1)
        text = _TIGHT.sub(r"\1 ", f"[{paragraph.label}] {words}" if paragraph.label else words)
        starts.append(at)
        texts.append(text)
        at += len(text) + 2
    # taken as one byte a character, so that places are offsets in the joined text
    decoded = DecodedText(written.file, "\n\n".join(texts), "utf-8", [], _bytewise=True)
    segments = split_segments(list(split_lines(decoded.text)))
    faults: list[Problem] = []
    references = build_references(decoded, segments, {}, faults, before + 1)
    faults += find_number_gaps(segments, decoded)
    counts.append(count_expected(segments) or len(segments))

    def spot(place: Place) -> list[Paragraph]:
        first, last = (bisect_right(starts, at or 0) - 1 for at in (place.start, place.end))
        return paragraphs[first : last + 1]

    problems += [replace(fault, place=_make_place(written, spot(fault.place))) for fault in faults]
    return [_locate_printed_entry(entry, written, spot(entry.place)) for entry in references]


def _locate_printed_entry(
    reference: RawReference, written: Manuscript, paragraphs: Sequence[Paragraph]
) -> RawReference:
    """Return an entry where its paragraphs stand, with their links, without a number that is still in it."""
    label = paragraphs[0].label if paragraphs else ""
    key, text = reference.key, reference.text
    if label and text.startswith(f"[{label}] "):  # the only one with a number, among others without
        key, text = label, text.removeprefix(f"[{label}] ")
    text = append_links(text, [link for paragraph in paragraphs for link in paragraph.addresses])
    return replace(reference, key=key, text=text, place=_make_place(written, paragraphs))


def _join_line_breaks(paragraph: Paragraph, *, alone: bool) -> str:
    """Return a paragraph's text; breaks of line stay only where they part entries."""
    text = strip_marks(paragraph.text)
    pieces = text.split("\n")
    if len(pieces) == 1 or (alone and not paragraph.label):
        return text
    starts = [bool(_NUMBERED.match(piece)) or has_leading_name(piece) for piece in pieces]
    entries = sum(start and is_likely_reference(piece) for start, piece in zip(starts, pieces, strict=True))
    return text if entries > 1 else " ".join(piece.strip() for piece in pieces)


def _make_place(written: Manuscript, paragraphs: Sequence[Paragraph]) -> Place:
    if not paragraphs:
        return written.locate_paragraph(1)
    return replace(written.locate_paragraph(paragraphs[0].number), end_line=paragraphs[-1].number)


def find_printed_lists(paragraphs: Sequence[Paragraph]) -> list[list[Paragraph]]:
    """Return the reference lists: those a program made or styled, and what is under a heading."""
    taken: list[list[Paragraph]] = []
    opened: list[Paragraph] | None = None
    level = 0
    made = any(paragraph.listed for paragraph in paragraphs)
    body = [paragraph for paragraph in paragraphs if not paragraph.note]
    for index, paragraph in enumerate(body):
        announced = _is_announcing(body, index)
        if announced:
            opened, level = [], paragraph.level or 1
            taken.append(opened)
        elif opened is not None and not paragraph.listed and _is_list_end(paragraph, level, opened):
            opened = None
        if paragraph.listed and opened is None:
            opened, level = [], 9
            taken.append(opened)
        if opened is not None and not announced:
            opened.append(paragraph)
    trimmed = [_trim_numbered_list(_drop_unmarked(listed)) for listed in taken if listed]
    if made:  # a heading elsewhere is only believed when entries are under it
        trimmed = [
            listed
            for listed in trimmed
            if any(p.listed for p in listed)
            or sum(is_likely_reference(p.text) for p in listed) * 2 > len(listed)
        ]
    return [listed for listed in trimmed if listed]


def _drop_unmarked(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """Return a list without what is between its marked entries and cannot be one: "Books", "We cite:"."""
    if not any(paragraph.listed for paragraph in paragraphs):
        return paragraphs
    return [p for p in paragraphs if p.listed or p.label or p.level or is_likely_reference(p.text)]


def _is_announcing(body: Sequence[Paragraph], index: int) -> bool:
    """Return whether a paragraph heads a reference list, by style, by weight or by what follows."""
    paragraph = body[index]
    if len(paragraph.text) > 80 or not is_reference_heading(strip_marks(paragraph.text)):
        return False
    following = body[index + 1] if index + 1 < len(body) else None
    if following is None:
        return False
    stands_out = bool(paragraph.level or paragraph.bold or following.listed or following.label)
    return stands_out or is_likely_reference(following.text)


def _is_list_end(following: Paragraph, level: int, opened: list[Paragraph]) -> bool:
    if following.level:
        return following.level <= level
    if any(paragraph.listed for paragraph in opened):
        return not is_entry_paragraph(following)  # one typed by hand behind those a program made
    short = len(following.text) < 100 and not following.label and not is_likely_reference(following.text)
    return (short and (is_closing_heading(following.text) or (following.bold and bool(opened)))) or (
        not following.label and bool(_CAPTION.match(following.text))
    )


def _trim_numbered_list(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """Return a list without the paragraphs that follow the last of its automatic numbers."""
    numbered = [index for index, paragraph in enumerate(paragraphs) if paragraph.label]
    return paragraphs[: numbered[-1] + 1] if len(numbered) * 2 > len(paragraphs) else paragraphs


def find_unheaded_lists(paragraphs: Sequence[Paragraph]) -> list[list[Paragraph]]:
    """Return the runs of paragraphs that each look like a reference."""
    runs: list[list[Paragraph]] = [[]]
    for paragraph in paragraphs:
        if _is_possible_entry(paragraph):
            runs[-1].append(paragraph)
        elif runs[-1]:
            runs.append([])
    trimmed = [_trim_run(run) for run in runs]
    return [run for run in trimmed if _is_reference_run(run) or _is_whole_document(run, paragraphs)]


def is_entry_paragraph(paragraph: Paragraph) -> bool:
    """Return whether a paragraph looks like a reference by itself: names, a year or identifier, not long."""
    return _is_possible_entry(paragraph) and _has_name_start(paragraph)


def _is_possible_entry(paragraph: Paragraph) -> bool:
    text = strip_marks(paragraph.text[: 2 * _LONGEST])
    return (
        not (paragraph.level or paragraph.note or paragraph.bold)
        and len(text) <= _LONGEST
        and is_likely_reference(text)
    )


def _has_name_start(paragraph: Paragraph) -> bool:
    text = _NUMBER.sub("", strip_marks(paragraph.text[:_LONGEST]), count=1)
    return has_leading_name(text) or _FULL_NAME.match(text) is not None


def _has_date_sign(text: str) -> bool:
    """Return whether a year stands as it does in a reference, or an identifier."""
    return bool(_DATED.search(text) or ids.find_ids(text))


def _trim_run(run: list[Paragraph]) -> list[Paragraph]:
    """Return a run without what is at its ends and is not an entry: "Grant 123, 2011-2014"."""
    sure = [
        index
        for index, paragraph in enumerate(run)
        if _has_name_start(paragraph) or _has_date_sign(strip_marks(paragraph.text))
    ]
    return run[sure[0] : sure[-1] + 1] if sure else []


def _is_whole_document(run: Sequence[Paragraph], paragraphs: Sequence[Paragraph]) -> bool:
    """Return whether a document is nothing but a list: what reference managers save as a bibliography."""
    dated = sum(_has_date_sign(strip_marks(paragraph.text)) for paragraph in run)
    return len(run) >= max(_FEWEST, _NEARLY_ALL * len(paragraphs)) and dated >= _NEARLY_ALL * len(run)


def _is_reference_run(run: Sequence[Paragraph]) -> bool:
    named = sum(_has_name_start(entry) and _has_date_sign(strip_marks(entry.text)) for entry in run)
    return named >= _FEWEST and named >= _SHARE * len(run)


def strip_link_names(text: str) -> str:
    """Return an entry without the names of the links behind it: "… (2015). Article CAS" ⇒ "… (2015)."."""
    text = _BRACKETED.sub("", text)
    end = len(text) - 250
    return (text[:end] if end > 0 else "") + _TRAILING.sub("", text[max(0, end) :])


def append_links(text: str, addresses: Sequence[str]) -> str:
    """Return `text` followed by the links that identify the work and are not printed in it.

    A link that is only an address counts where nothing else identifies the work; one to a search
    does not.
    """
    text = strip_link_names(text) if addresses or "[" in text else text
    known = {(scheme, value) for scheme, value, _, _ in ids.find_ids(text)}
    plain: list[str] = []
    added: list[str] = []
    for address in dict.fromkeys(addresses[:_MAX_LINKS]):
        pairs = set(ids.identify_url(address))
        named = {pair for pair in pairs if pair[0] in WORK_IDS}
        if named and not named & known and not {s for s, _ in named} & {s for s, _ in known}:
            added.append(address)
            known |= named
        elif not named and pairs and not pairs & known:
            plain.append(address)
    if not added and not any(scheme in WORK_IDS or scheme == "url" for scheme, _ in known):
        added = [one for one in plain if not any(search in url.get_host(one) for search in _SEARCHES)][:1]
    return " ".join([text, *added])[:MAX_ENTRY]
