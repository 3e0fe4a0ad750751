"""What the tagger leaves open, closed by rule: each rule says which slip it is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from citeproof.reading.parse.label_stretches import Stretch, Stretches
from citeproof.reading.parse.name_run import NameRun
from citeproof.reading.parse.people_list import has_editors
from citeproof.reading.parse.publication_year import release_months
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import LIKELY_YEAR
from citeproof.text.names import parse
from citeproof.text.unicode import find_script
from citeproof.text.venue_match import parse_venue

DOUBTFUL = 0.4  # how sure a title is that a rule had to guess
RULED = 0.8  # how sure a stretch is that a rule found or moved


_INITIALS = re.compile(r"[\s.]{0,3}(?:[^\W\d_a-z]\.[\s-]?){1,4}")
_JOURNAL = re.compile(r"J\.\s?$")
_YEAR_LAST = re.compile(rf"[\s,('’]{{1,3}}({LIKELY_YEAR})\)?$")
_PAGES = re.compile(
    r"\)?\s?[:,]\s?(?:pp?\.\s?)?([A-Za-z]{0,2}\d{1,7}(?:\s?[-–]\s?[A-Za-z]?\d{1,7})?)(?![\w(]|\.\d)"
)
_YEAR_FIRST = re.compile(rf"({LIKELY_YEAR})\s?[;,]\s?(?=\d)")
_ISSUE_PAGES = re.compile(r"(?:\((\d{1,4})\)\s?)?:\s?([A-Za-z]?\d{1,7}\s?[-–]\s?[A-Za-z]?\d{1,7})")
_WORD = re.compile(r"[\s.,]{1,3}([^\Wa-z_][\w-]{2,30})")
_BRACKETED = re.compile(r"\s\(([^\Wa-z_][^()]{1,60})\)?\Z")  # "A Title (CVPR)"
_NUMBER_LAST = re.compile(r"\s(\d{1,3})$")
_LITTLE = frozenset(("author", "date", "idno", "url", "doi", "note", "citnum"))
_SENTENCE = re.compile(r"[\s.,:;()]{1,6}(?:\d{4}[a-z]?[\s.,:;)]{1,4})?([^\W\d_][^.]{7,300})(?=\.|$)")
_WEAK = frozenset(("title", "note", "idno", "location", "pages", "volume", "series"))
_NEAR = 3  # characters between two stretches that touch
_YEARS = re.compile(r"(?:,\s[^.,]{2,40})?,?\s(?:1[0-9]|20)\d\d\s?[-–]\s?\d{2,4}(?=\.)")
_PART = re.compile(r"(?:-\w|,\s(?:Volume|Vol\.|Part|Band|Bd\.|Teil|Tome)\s\w{1,6}:\s)[^.]{0,200}(?=\.)")
_VOLUME_ALONE = re.compile(
    rf"\b{LIKELY_YEAR}(?:\s[A-Z][a-z]{{2}}(?:\s\d{{1,2}})?)?;\s?(\d{{1,4}})"
    r"(?=\.?\s?(?:\(|(?i:doi|https?:)|\Z))"
)
_IDENTIFIED = re.compile(r"\bISBN(?:-1[03])?[:\s]{0,3}\Z", re.IGNORECASE)
_PLACE = re.compile(r"(?P<location>[^\d:]{2,25}):\s(?P<publisher>[^\d:]{2,60})")
_SHORT_TITLE = 8
_CHAPTER = re.compile(r"[\s.,]{1,3}([^.?!]{8,250}[?!]?)\.?\sIn:\s")
_YEAR_BETWEEN = re.compile(rf"\s?\({LIKELY_YEAR}[a-z]?\)[.:]?\s?")
_ET_AL = re.compile(r",?\s(?:et\.?\s?al\b|u\.\s?a\b|and\sothers\b)|[,，]?\s?等(?=[.．\s]|$)")
_LETTERS = re.compile(r"[A-Z][A-Za-z]{0,6}[A-Z]s?\.?")
_TAIL = re.compile(
    r"[\s.,;:“”\"'’)]{1,5}(?:In\s)?([A-Z][\w&-]{1,30}(?:\s[\w&-]{1,30}){0,7})"
    r"(?:[\s,]{1,2}\(?(?:19|20)\d\d\)?)?[\s.”)]{0,3}"
)
_LETTER = re.compile(r"[^\W\d_]")
_TITLE_VENUE = re.compile(
    r"(?!Proc|Adv|Int|Trans|In\b)([^\W\d_][^.]{2,80}\s[^.\s]{2,40})\.\s(?:In\s)?([A-Z][^.]{2,80})"
)
_QUOTES = (("„", "“"), ("«", "»"), ("“", "”"), ("‘", "’"))
_QUOTED_HEAD = re.compile(
    rf"[\s.,:;]{{0,3}}(?:\(?{LIKELY_YEAR}[a-z]?\)?[\s.,:;]{{1,3}})?([^\W\d_a-z][\w'’-]{{0,30}}(?:\s[\w'’-]{{1,30}}){{0,8}})\s[\"“„«‘']"
)
_IN_BEHIND = re.compile(r"[.,]?\s(?:[Ii]n|En|Dans)\b:?\s")
_HALF = re.compile(r"(?:^|[\s(\[])([\"'])(?=\w)(?!.*\1)")  # a straight quotation that is not closed


def repair_stretches(text: str, stretches: Stretches, run: NameRun) -> Stretches:
    """Return the stretches with slips put right."""
    for rule in RULES:
        stretches = rule(text, stretches, run)
    return stretches


def end_quoted_title(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A title in quotation marks ends with them, and "In:" begins the venue: "„Title“. In: Book"."""
    title = stretches.get("title")
    opened = text[title.start - 1 : title.start].strip() or text[title.start] if title else ""
    closed = dict(_QUOTES).get(opened)
    end = text.find(closed, title.start + 1, title.end) if title and closed else -1
    behind = _IN_BEHIND.match(text, end + 1) if end > 0 else None
    if title is None or behind is None or behind.end() >= title.end:
        return stretches
    rest = {} if "container" in stretches else {"container": replace(title, start=behind.end())}
    return stretches | rest | {"title": replace(title, end=end + 1)}


def restore_initials(text: str, stretches: Stretches, run: NameRun) -> Stretches:
    """Initials that went to the venue go back to the name: "Hirsch, J. E. Phys Rev Lett"."""
    names, venue = stretches.get("author"), stretches.get("container")
    if not (names and venue and run.sure and names.end < run.end <= venue.end):
        return stretches
    if venue.start > run.end or not _INITIALS.fullmatch(text[names.end : run.end]):
        return stretches
    end = run.end
    if (journal := _JOURNAL.search(text, names.end, end)) and journal.start() > names.end + 1:
        end = journal.start()  # "Becke, A. D. J. Chem. Phys."
    start = end + len(text[end:]) - len(text[end:].lstrip(" .,"))
    return stretches | {
        "author": Stretch(names.start, len(text[:end].rstrip(" .")), RULED),
        "container": replace(venue, start=start, confidence=RULED),
    }


def restore_title_word(text: str, stretches: Stretches, run: NameRun) -> Stretches:
    """The title's first word that went to the last name comes back: "Ba, J. Adam: A method"."""
    names, title = stretches.get("author"), stretches.get("title")
    if not (names and title and run.sure and run.names and names.start < run.end < names.end):
        return stretches
    between = _WORD.fullmatch(text[run.end : names.end])
    if between is None or not 0 <= title.start - names.end <= _NEAR or text[names.end] not in ":-–":
        return stretches
    return stretches | {
        "author": Stretch(names.start, run.end, RULED),
        "title": replace(title, start=run.end + between.start(1)),
    }


def add_et_al(text: str, stretches: Stretches, run: NameRun) -> Stretches:
    """ "et al." belongs to the names before it, as do more names in Cyrillic: "Кингма Д., Ба Дж. Adam"."""
    names = stretches.get("author")
    if names and run.sure and names.end < run.end and find_script(text[: run.end]) == "CYRILLIC":
        others = [s.start for s in stretches.values() if s is not names]
        names = replace(names, end=run.end) if run.end <= min(others, default=0) else names
        stretches = stretches | {"author": names}
    match = _ET_AL.match(text, names.end) if names else None
    return stretches | {"author": replace(names, end=match.end())} if names and match else stretches


def convert_editors_to_authors(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """Names before the title that nothing says edited are authors: "…, Fei Xia, Ed Chi, Quoc Le. Title"."""
    title, editors = stretches.get("title"), stretches.get("editor")
    if title is None or editors is None or editors.end > title.start or has_editors(text[: title.start]):
        return stretches
    other = [s for name, s in stretches.items() if name not in ("author", "editor")]
    start = max((s.end for s in other if s.end <= editors.start), default=0)
    end = min(s.start for s in other if s.start >= editors.end)
    first = _LETTER.search(text, start, end)
    names = Stretch(first.start(), start + len(text[start:end].rstrip(" .,;:(")), RULED) if first else editors
    return {name: s for name, s in stretches.items() if name != "editor"} | {"author": names}


def extend_title(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A title does not end within a word, before its part or the years it is about: "…, 1760-1830."."""
    title = stretches.get("title")
    if title is None:
        return stretches
    end = title.end - (text[title.end - 1] == "-")
    match = _YEARS.match(text, end) or _PART.match(text, end)
    if match is None:
        return stretches
    rest = {name: s for name, s in stretches.items() if s.end <= title.start or match.end() <= s.start}
    if not stretches.keys() - rest.keys() <= _WEAK:
        return stretches
    return rest | {"title": replace(title, end=match.end())}


def add_body_author(text: str, stretches: Stretches, run: NameRun) -> Stretches:
    """A body at the start is the author where no other is: "OpenAI. GPT-4 Technical Report"."""
    if "author" in stretches or "editor" in stretches or not run.names or not run.names[0].collective:
        return stretches
    start = text.find(run.names[0].family, 0, run.end)
    if start < 0 or any(s.start < run.end and run.end + 1 < s.end for s in stretches.values()):
        return stretches
    rest = {label: stretch for label, stretch in stretches.items() if stretch.start >= run.end}
    return rest | {"author": Stretch(start, run.end, RULED, ruled=True)}


def convert_publisher_to_venue(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """Where no title stands, letters taken for a publisher are the venue: "Hu et al. (2022), ICLR."."""
    house = stretches.get("publisher")
    if house is None or not stretches.keys().isdisjoint({"title", "container", "location"}):
        return stretches
    if not _LETTERS.fullmatch(text[house.start : house.end]):
        return stretches
    rest = {name: stretch for name, stretch in stretches.items() if name != "publisher"}
    return rest | {"container": house}


def add_known_venue(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A conference or journal that ends an entry is its venue: "… Title. ICLR.", "… “Title.” ACL 2020."."""
    title = stretches.get("title")
    if title is None or "container" in stretches:
        return stretches
    for label in ("publisher", "pages"):  # "…, ACL."
        house = stretches.get(label)
        if house and title.end <= house.start and parse_venue(text[house.start : house.end]).series:
            return {name: s for name, s in stretches.items() if name != label} | {"container": house}
    inside = _BRACKETED.search(text, title.start, title.end)
    if inside and parse_venue(inside[1]).series:
        container = Stretch(*inside.span(1), RULED, ruled=True)
        return stretches | {"title": replace(title, end=inside.start()), "container": container}
    tail = _TAIL.fullmatch(text, title.end)
    behind = {name for name, s in stretches.items() if s.end > title.end and name != "date"}
    if tail is None or not behind <= _WEAK:
        return stretches
    venue = parse_venue(tail[1])
    if not venue.series and venue.kind != "journal":
        return stretches
    rest = {name: s for name, s in stretches.items() if name not in behind}
    return rest | {"container": Stretch(*tail.span(1), RULED, ruled=True)}


def split_venue_year(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """The only year comes after a conference's name: "NeurIPS 2017"."""
    venue = stretches.get("container")
    if venue is None or "date" in stretches:
        return stretches
    match = _YEAR_LAST.search(text[venue.start : venue.end])
    if match is None or not match.start():
        return stretches
    start, end = (venue.start + at for at in match.span(1))
    return stretches | {
        "date": Stretch(start, end, RULED, ruled=True),
        "container": replace(venue, end=venue.start + match.start()),
    }


def split_title_venue(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A short title went to the conference behind it: "Mask R-CNN. ICCV"."""
    venue = stretches.get("container")
    if venue is None or "title" in stretches:
        return stretches
    match = _TITLE_VENUE.fullmatch(text, venue.start, venue.end)
    if match is None or not parse_venue(match[2]).series or parse_venue(match[1]).kind:
        return stretches
    return stretches | {
        "title": Stretch(*match.span(1), DOUBTFUL, ruled=True),
        "container": replace(venue, start=match.start(2)),
    }


def add_pages(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A number right behind volume and issue is a page: "2(8):e124"."""
    if "pages" in stretches or "volume" not in stretches:
        return stretches
    end = max(stretches[label].end for label in ("volume", "issue") if label in stretches)
    match = _PAGES.match(text, end)
    if match is None or any(s.start < match.end(1) and match.start(1) < s.end for s in stretches.values()):
        return stretches
    return stretches | {"pages": Stretch(*match.span(1), RULED, ruled=True)}


def split_venue_volume(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A number at the end of the venue is the volume, where there is none but pages: "JMLR 12, pp. 2825"."""
    venue = stretches.get("container")
    match = _NUMBER_LAST.search(text[venue.start : venue.end]) if venue else None
    if venue is None or match is None or "volume" in stretches or "pages" not in stretches:
        return stretches
    start, end = (venue.start + at for at in match.span(1))
    return stretches | {
        "volume": Stretch(start, end, RULED, ruled=True),
        "container": replace(venue, end=venue.start + match.start()),
    }


def split_volume_year(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A year that was taken into the volume comes out of it: "Nature. 1953;171(4356)"."""
    volume = stretches.get("volume")
    match = _YEAR_FIRST.match(text, volume.start, volume.end) if volume else None
    if volume is None or match is None:
        return stretches
    date = {} if "date" in stretches else {"date": Stretch(*match.span(1), RULED, ruled=True)}
    return stretches | date | {"volume": replace(volume, start=match.end(), confidence=RULED)}


def split_issue_pages(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """Pages that were taken for the issue are the pages: "21(7):558–565"."""
    issue = stretches.get("issue")
    match = _ISSUE_PAGES.search(text, max(0, issue.start - 8), issue.end) if issue else None
    if issue is None or "pages" in stretches or match is None or match.end() != issue.end:
        return stretches
    rest = {label: stretch for label, stretch in stretches.items() if label != "issue"}
    if match[1]:
        rest["issue"] = Stretch(*match.span(1), RULED, ruled=True)
    return rest | {"pages": Stretch(*match.span(2), RULED, ruled=True)}


def add_title_sentence(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """The sentence behind the author is the title, where nothing was found but identifier and year."""
    names = stretches.get("author")
    if names is None or not stretches.keys() <= _LITTLE:
        return stretches
    match = _SENTENCE.match(text, names.end)
    if match is None:
        return stretches
    apart = {name: s for name, s in stretches.items() if s.end <= match.start(1) or match.end(1) <= s.start}
    if stretches.keys() - apart.keys() - {"note", "idno"}:
        return stretches  # an address or a date is in it
    return apart | {"title": Stretch(*match.span(1), DOUBTFUL, ruled=True)}


def add_words_before_quotation(text: str, stretches: Stretches, run: NameRun) -> Stretches:
    """Words between the names and a quotation begin the title: "Smith J. Comment on "Dynamics of …"."""
    title = stretches.get("title")
    if title is None or not run.sure or not run.names or title.start <= run.end:
        return stretches
    head = _QUOTED_HEAD.match(text, run.end, title.start + 1)
    if head is None or title.start - head.end() not in (-1, 0):
        return stretches
    start = head.start(1)
    rest = {label: s for label, s in stretches.items() if s.end <= start or s.start >= title.start}
    if "author" not in rest and (names := stretches.get("author")):
        rest["author"] = Stretch(names.start, run.end, RULED)
    return rest | {"title": replace(title, start=start)}


def close_title_quotation(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A title that holds half a quotation takes the other half: "понятия «количество информации" »."""
    title = stretches.get("title")
    if title is None:
        return stretches
    start, end = title.start, title.end
    within = text[start:end]
    for opened, closed in _QUOTES:
        if opened not in within and closed not in within:
            continue
        depth = lowest = 0
        for at, char in enumerate(within):
            inner = char == "’" and within[at + 1 : at + 2].isalpha()  # an apostrophe
            depth += (char == opened) - (char == closed and not inner)
            lowest = min(lowest, depth)
        if lowest < 0 and text[start - 1 : start] == opened:
            start -= 1
        if depth > lowest:
            end += _measure_closing(text, end, closed)
    if half := _HALF.search(text[start:end]):
        end += _measure_closing(text, end, half[1])
    return (
        stretches | {"title": replace(title, start=start, end=end)}
        if (start, end) != (title.start, title.end)
        else stretches
    )


def _measure_closing(text: str, end: int, closed: str) -> int:
    """Return how many characters close a quotation behind a title: the mark, or a stop and the mark."""
    marks = (closed, f".{closed}", f",{closed}", f" {closed}", f"\u00a0{closed}", f"\u202f{closed}")
    return next((len(mark) for mark in marks if text.startswith(mark, end)), 0)


def read_volume_behind_year(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """What is alone between "2017;" and the end is the volume, in styles as NLM's: "… Syst. 2017;30."."""
    match = _VOLUME_ALONE.search(text)
    if match is None:
        return stretches
    rest = {name: s for name, s in stretches.items() if not s.start <= match.start(1) < s.end}
    if stretches.keys() - rest.keys() - {"pages", "volume", "issue", "date"}:
        return stretches
    return rest | {"volume": Stretch(*match.span(1), RULED, ruled=True)}


def release_identifier(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """Return the stretches without the pages that are an ISBN: "ISBN 978-80-246-3456-7"."""
    pages = stretches.get("pages")
    marked = pages is not None and _IDENTIFIED.search(text, 0, pages.start)
    return {name: s for name, s in stretches.items() if name != "pages"} if marked else stretches


def split_place_publisher(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """What stands alone behind a title is place and publisher in Arabic and Hebrew, too."""
    venue = stretches.get("container")
    if venue is None or not stretches.keys().isdisjoint({"volume", "issue", "pages", "publisher"}):
        return stretches
    match = _PLACE.fullmatch(text, venue.start, venue.end)
    if match is None or find_script(match[0]) not in ("ARABIC", "HEBREW") or text[venue.end :].strip(" ."):
        return stretches
    rest = {name: s for name, s in stretches.items() if name != "container"}
    return rest | {name: Stretch(*match.span(name), RULED, ruled=True) for name in ("location", "publisher")}


def split_title_body(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A body before a full stop is the author: "World Health Organization. WHO guidelines on …"."""
    title = stretches.get("title")
    if title is None or "author" in stretches or "editor" in stretches:
        return stretches
    head, stop, rest = text[title.start : title.end].partition(". ")
    if not stop or len(rest) < _SHORT_TITLE or not parse(head).collective:
        return stretches
    author = Stretch(title.start, title.start + len(head), RULED, ruled=True)
    return stretches | {"author": author, "title": replace(title, start=author.end + len(stop))}


def take_title_for_venue(text: str, stretches: Stretches, _run: NameRun) -> Stretches:
    """A title stands before "In:", or behind the year where nothing else could be one."""
    names, venue = stretches.get("author"), stretches.get("container")
    if names is None or venue is None or "title" in stretches:
        return stretches
    if chapter := _CHAPTER.match(text, names.end, venue.start):
        rest = {n: s for n, s in stretches.items() if s.end <= chapter.start(1) or s.start >= chapter.end(1)}
        return rest | {"title": Stretch(*chapter.span(1), RULED, ruled=True)}
    alone = stretches.keys().isdisjoint({"volume", "issue", "pages", "editor"})
    if not alone or not _YEAR_BETWEEN.fullmatch(text, names.end, venue.start):
        return stretches
    return {n: s for n, s in stretches.items() if n != "container"} | {"title": venue}


# The rules in the order they are applied.
RULES: tuple[Callable[[str, Stretches, NameRun], Stretches], ...] = (
    end_quoted_title,
    release_months,
    restore_initials,
    restore_title_word,
    add_et_al,
    convert_editors_to_authors,
    add_body_author,
    extend_title,
    convert_publisher_to_venue,
    add_known_venue,
    split_venue_year,
    split_title_venue,
    split_venue_volume,
    split_volume_year,
    split_issue_pages,
    add_pages,
    read_volume_behind_year,
    release_identifier,
    split_place_publisher,
    split_title_body,
    take_title_for_venue,
    add_title_sentence,
    add_words_before_quotation,
    close_title_quotation,
)
