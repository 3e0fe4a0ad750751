"""Lines that describe one work in any order: "Title – People, 2020", "People (2020): Title".

A line is an item, a heading, a cell, a comment of a program or a paragraph of one line. What it says is a
title and who wrote it, or where and when it appeared; what follows behind a dash or a full stop is a remark.
A title that is written like any sentence counts only where most lines of its list are such works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from citeproof.reading.extractors.prose.entry_starts import has_leading_name
from citeproof.reading.extractors.prose.mention_finder import is_known_venue
from citeproof.reading.extractors.prose.mention_reading import load_words
from citeproof.reading.extractors.prose.prose_mask import is_own_voice
from citeproof.reading.extractors.prose.text_lines import TextLine, split_lines
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.names import CUT_LIST
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Claimed

_LONGEST = 700  # characters of a line that is read
_TITLE_WORDS = 3
_BARE_WORDS = 4  # of a title that no sign sets off
_MOST_PEOPLE = 12

_YEAR = r"(?<![\d/.#-])(?P<year>(?:1[5-9]|20)\d\d)(?![\d/]|[.-]\d)[a-z]?"
_BARE_YEAR = _YEAR.replace("<year>", "<bare_year>")
_NAME = (
    r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ter|ten|zu|al|el|bin"
    r"|ibn)\s){0,2}[^\Wa-z_\d][\w.'’-]{0,30}"
)
_PERSON = rf"{_NAME}(?:\s{_NAME}){{0,3}}"
_JOINT = r"(?:,?\s(?:and|und|et|y|e)\s|,?\s?&\s|[,;]\s)"
_PEOPLE = rf"(?P<people>{_PERSON}(?:{_JOINT}{_PERSON}){{0,11}}(?:,?\s(?i:{CUT_LIST}))?)"
_SET_OFF = r"\"(?P<title>[^\"]{6,300})\""
_BARE = r"(?P<title>[^\s()\[\]].{7,300}?)"
_VENUE = r"(?P<venue>[^\Wa-z_\d][^()\[\]\n]{2,120}?)"
_DASH = r"(?:\s?[—–|·•:]\s|\s-{1,3}\s|\s/\s)"
_SIGN = rf"(?:{_DASH}|[,.;]\s|(?<=\")[,.;]?)"
_END = r"(?P<rest>[.;,:。]?\s*$|[.;:,)\]]?\s.*$|[.;:。].*$)"
_DATED = rf"[(\[]?{_YEAR}[)\]]?"


def _compile_shapes(title: str) -> tuple[re.Pattern[str], ...]:
    """Return the orders in which a line may say what it says of a work."""
    people_year = (
        rf"{_PEOPLE}(?:,?\s?[(\[](?:[^()\[\]\d]{{1,40}}[,\s])?{_YEAR}(?:,\s[^()\[\]]{{1,40}})?[)\]]"
        rf"|[.,]?\s{_BARE_YEAR}(?=[.,:]))"
    )
    issued = rf"{_VENUE}(?P<short>\s?['’]\d\d|[,\s(]{{1,2}}(?:1[5-9]|20)\d\d)(?!\d|[-.:/]\d)[)\]]?"
    dated = rf"[(\[]{_YEAR}[)\]]" if title is _BARE else rf"(?:from\s|in\s)?{_DATED}"
    stop = r"(?=[.]\s|\.?$|\s[—–(|→👉]" + (r"|,\s)" if title is _SET_OFF else ")")
    return tuple(
        re.compile(rf"\A{shape}{_END}")
        for shape in (
            # Title (People, Year); Title (Year) by People
            rf"{title}[.,:]?\s?[(\[](?:by\s)?{_PEOPLE},?\s\(?{_YEAR}\)?(?:[,;]\s[^()\[\]]{{1,80}})?[)\]]",
            rf"{title}[.,:]?\s?{dated},?\s?(?:by\s|{_DASH}|,\s){_PEOPLE}(?=$|[.,;—–|-])",
            # People (Year): Title; Year: Title (People); Year. People. Title
            rf"{people_year}[.,:]?\s?(?:[—–:|-]{{1,2}}\s)?{title}{stop}",
            rf"{_YEAR}{_DASH}{title}[.,]?\s?[(\[]{_PEOPLE}(?:,\s[^()\[\]]{{1,200}})?[)\]]",
            rf"{_DATED}[.,:]?\s?(?:[—–|:-]\s)?{_PEOPLE}{_SIGN}{title}{stop}",
            # Title by People, Year; Title – People, Year; Title – People – Venue Year; Title, Venue Year
            rf"{title}(?:,\s|\s|{_DASH})by\s{_PEOPLE}[,.]?\s?[(\[,]?\s?(?:[^()\[\]\d]{{1,80}},\s)?{_YEAR}[)\]]?",
            rf"{title}{_SIGN}{_PEOPLE}[,.]?\s?{_DATED}(?=$|[.;—–|\s])",
            rf"{title}{_SIGN}{_PEOPLE}(?:{_DASH}|[,.(]\s?|\s\()(?:in\s)?{issued}",
            rf"{title}[.,]?(?:(?:{_DASH}|[,.]\s|\s?[(\[])(?:[iI]n\s)?|\s[iI]n\s){issued}",
            # People. Title. Venue, Year
            rf"{_PEOPLE}(?:[,.:]\s?|\s?(?=\")){title}[,.]?\s?.{{0,120}}?{_YEAR}[)\]]?"
            if title is _SET_OFF
            else rf"{_PEOPLE}[.:]\s{title}[.,]\s.{{0,120}}?{_YEAR}[)\]]?",
        )
    )


_SHAPES = _compile_shapes(_SET_OFF), _compile_shapes(_BARE)
_PARSED = (2, 9)  # shapes that are those of reference lists, if names come first
_MARKS = re.compile(
    r"[ \t]{0,16}(?:>[ \t]?){0,4}(?:(?:[-*+](?=[ \t])|[•◦▪●○►▶→⇒✓✔✦★☆·・–—#|/%;:]{1,6}"
    r"|[^\w\s\"“‘'(\[*_\\]{1,3}|\[[ xX✓]?\]"
    r"|\d{1,3}/(?=\s)|\(?(?:\d{1,3}|[a-hA-H]|[ivxIVX]{1,4})[.)\]:）、](?!\d)|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s)"
    r"|\[(?!(?:1[5-9]|20)\d\d\])(?P<label>\^?[\w-]{1,20})\]:?|[①-⑳⑴-⒇]"
    r"|[¹²³⁴-⁹]{1,2})[ \t]{0,4}(?![\w*]*[*][\s.])){0,4}"
)
_NUMBER = re.compile(r"[\s>#*_-]*(?:\[(\^?[\w-]{1,30})\]:?|\(?(\d{1,3})[.)）])\s")
_LEAD = re.compile(
    r"(?:(?:key |main |primary |full |original |suggested |recommended )?(?:citations?|references?"
    r"|sources?|papers?|study|article|based on|see(?: also)?|cf\.?"
    r"|cite[ds]?|см\.|por\.|zob\.|zie|vid\.|véase|bkz\.|siehe|vedi|si veda|cfr\.|ver|vgl\. dazu"
    r"|adapted from|from|further reading|after|ref|book|thesis|preprint|quelle|vgl\.|nach|fuente|voir"
    r"|check out|try|read|start with|there is|(?:for me )?(?:this|that|it) is|(?-i:[A-Z]{3,15}(?=:))"
    r"|also|yes|[AQ]|Assistant|You"
    r"|User)\s?:?(?:\s?:\))?[*_]{0,2}\s{1,3}|\\item\s{1,3})(?=[\"“*_A-Za-z\[\\])",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\s{0,3}(?:[;,.]|[—–|])\s{1,3}(?:(?:and|also|or|there is|then|plus)\s){0,2}(?=[^\Wa-z_]|[\"“*_\[])"
)
_IDENTIFIER_BEHIND = re.compile(
    r"[.,;:)\]]{0,2}(?:\s[*_]{0,2}[^\n;]{0,160}?)?[\s(\[<]{1,3}(?:(?:doi|DOI|arXiv|arxiv|PMID"
    r"|Available at|URL|Link)\s?:?\s{0,2})?[\[<(]?"
    r"(?:https?://\S{6,300}?|10\.\d{4,9}/\S{2,200}?|arXiv:\S{5,30}?)(?=[.,;)>\]]{0,3}(?:\s|$))"
)
_IDENTIFIER = re.compile(r"https?://\S+|10\.\d{4,9}/\S+")
_DRESS = re.compile(
    r"\[(?=[^\[\]\n]{8,300}\]\()|\]\([^()\s]{1,500}\)|\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`|\\(?:emph|textit|textbf|textsc)\{|\\newblock\b|(?:作者|著者|著)[:：]|(?<=\w)\}"
)
_QUOTES = '"“”„«»‘’「」『』《》〈〉'
# Of a line of a change log, a letter, a credit of a film: none of a work.
_OTHER = (  # credits of films and records, rights, addresses of e-mail
    r"\b(?:directed by|dir\. by|starring|soundtrack|[Cc]opyright|All rights reserved|changelog)\b"
    r"|\((?:film|album|song|TV)\b|\b(?:BWV|KV|[Oo]p\.|Hob\.) ?\d"
    r"|\b(?i:novels?|films?|movies?|albums?|songs?|poems?|operas?|paintings?)[:,]?\s[*_\"“]"
    r"|\b(?:[Ss]eason|[Ee]pisode) \d|\w@\w[\w-]*\.\w|<\S+@\S+>"
)
_OTHER_THING = re.compile(_OTHER)
_NO_WORK = re.compile(  # the same, and times, issues and versions, of a line without its identifiers
    rf"{_OTHER}|(?<!\w)@\w|\b\d\d:\d\d(?::\d\d|\s?(?:UTC|GMT|[AP]M|[+-]\d{{4}}))|\bCVE-|#\d{{2,}}|(?<![\d./])v?\d{{1,3}}\.\d{{1,3}}\.\d"
    r"|\s\+0[0-9]00\b|\b(?:[Vv]ersion|[Rr]elease) \d|\b[Rr]eleased (?:in|on)\b"
)
VENUE_WORDS = re.compile(
    r"\b(?:Proc\w*|Journal|J\.|Transactions|Trans\.|Conference|Symposium|Workshop|Letters|Lett\.|Annals|Advances|Review\w*|Press"
    r"|Nature|Science|Cell|Lancet|arXiv|bioRxiv|medRxiv|Universit\w+|Quarterly|Bulletin|Archives|Magazine|Preprint|PhD)\b"
    r"|^[A-Z][A-Za-z]{0,3}[A-Z]{2,}[\w-]*$|^[A-Z]{2,}[A-Za-z]*(?:[ -][A-Z]{2,}\w*)?$",
)


_ABBREVIATED = re.compile(r"[A-Z][a-z]{1,9}\.(?:\s[A-Z]|$)")  # "npj Quantum Mater."
_SENTENCE = re.compile(
    r"[a-z]{3}[.!?]\s[A-Z]|^(?:In|At|On|By|For|From|As|The)\s\w+,|^(?:So|As|See|Thus|Also|But|Hence)\s"
)


@dataclass(frozen=True, slots=True)
class DescribedWork:
    """One line that describes a work: where, and what it claims; None where a parser is to read it."""

    start: int
    end: int
    text: str
    claimed: Claimed | None
    label: str
    sure: bool  # its title is set off, or written as titles are


@dataclass(frozen=True, slots=True)
class _Line:
    line: TextLine
    start: int  # of what is behind the marks, in the text
    marked: bool
    label: str
    works: tuple[DescribedWork, ...]


def find_described_works(text: str) -> list[DescribedWork]:
    """Return the works that lines of the text describe."""
    lines = [_read_line(line) for line in split_lines(text) if line.text.strip()]
    kept = list(_find_titled_blocks(text, lines))
    blocks = SpanSet((one.start, one.end) for one in kept)
    for group in _group_lines(text, [one for one in lines if blocks.is_free(one.start, one.line.end)]):
        works = [one.works[0] for one in group if one.works]
        most = 2 * len(works) > len(group) and len(group) > 1
        sure = sum(work.sure for work in works)
        for one in group:
            if one.works:
                kept += [work for work in one.works if work.sure or (one.marked and most)]
            elif one.marked and len(group) > 2 and 3 * sure >= 2 * len(group) and (whole := _take_whole(one)):
                kept.append(whole)
    return kept


def _group_lines(text: str, lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield the lines that are items of one list together, any other alone."""
    group: list[_Line] = []
    for one in lines:
        near = group and text[group[-1].line.end : one.line.start].count("\n") <= 2
        if group and not (near and one.marked and group[-1].marked and one.line.text.lstrip()[:1] != "#"):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _take_whole(one: _Line) -> DescribedWork | None:
    """Return an item among works as one of them, though nothing in it says so."""
    raw = one.line.text[one.start - one.line.start :].rstrip()
    words = raw.split()
    if not _BARE_WORDS <= len(words) <= 60 or is_own_voice(raw) or raw.endswith((":", "?")) or "](" in raw:
        return None
    return DescribedWork(one.start, one.start + len(raw), raw, None, one.label, sure=False)


def _read_line(line: TextLine) -> _Line:
    marks = _MARKS.match(line.text)
    at = marks.end() if marks else 0
    number = _NUMBER.match(line.text)
    label = ((number[1] or number[2]) if number else "").removeprefix("^")
    marked = bool(line.text[:at].strip(" \t>")) and not line.text[at:].startswith("|")
    while lead := _LEAD.match(line.text, at):
        at = lead.end()
    return _Line(line, line.start + at, marked, label, tuple(_read_works(line, at, label)))


def _read_works(line: TextLine, at: int, label: str) -> Iterator[DescribedWork]:
    """Yield the works that a line describes one behind the other."""
    while work := read_described_work(line.text[at:], label):
        yield replace(work, start=line.start + at + work.start, end=line.start + at + work.end)
        behind = _NEXT.match(line.text, at + work.end)
        if behind is None:
            return
        at, label = behind.end(), ""


def read_described_work(raw: str, label: str = "") -> DescribedWork | None:
    """Return what words that describe a work say of it, and how far they do; None if they describe none."""
    return next(_list_described(raw, label), None)


def is_other_thing(text: str) -> bool:
    """Return whether a line speaks of a film, an album, a release or a letter."""
    return _OTHER_THING.search(text) is not None


def list_readings(raw: str) -> list[Claimed]:
    """Return all that words may say of a work, by the orders in which they can be read."""
    return [work.claimed for work in _list_described(" ".join(raw.split())) if work.claimed]


def _list_described(raw: str, label: str = "") -> Iterator[DescribedWork]:
    raw = raw.rstrip()
    if not 20 <= len(raw) <= _LONGEST or not any(map(str.isdigit, raw)) or is_own_voice(raw):
        return
    low = len(raw) - len(raw.lstrip(' *_`"'))
    for set_off, shapes in zip((True, False), _SHAPES, strict=True):
        sign = '"' if set_off else " "
        plain = _DRESS.sub(lambda match, sign=sign: sign.ljust(len(match[0])), raw)  # type: ignore[misc]
        squeezed, places = _squeeze_spaces(plain, set_off=set_off)
        if set_off and '"' not in squeezed:
            continue
        for number, shape in enumerate(shapes):
            match = shape.match(squeezed)
            if match is not None and _is_report(match):
                return  # "Doe & Roe (2020) show it."
            if match is None or not _is_work(match, raw, set_off=set_off):
                continue
            end = places[match.start("rest") - 1] + 1
            while end < len(raw) and raw[end] in '*_”")].`}」』》':
                end += 1
            end = _with_identifier(raw, end)
            parsed = has_leading_name(raw) and number in _PARSED
            text = " ".join(raw[low:end].split())
            claimed = None if parsed else build_claimed_fields(_name_fields(match), raw[low:end])
            sure = set_off or parsed or _has_title_case(match["title"])
            yield DescribedWork(low, end, text, claimed, label, sure=sure)


def _with_identifier(raw: str, end: int) -> int:
    """Return the end of a citation with the venue and the identifier that follow in the same breath."""
    behind = _IDENTIFIER_BEHIND.match(raw, end)
    return behind.end() if behind else end


def _name_fields(match: re.Match[str]) -> dict[str, str]:
    groups = {name: value for name, value in match.groupdict().items() if value}
    year = groups.get("year") or groups.get("bare_year") or groups.get("short", "")
    named = {"title": "title", "people": "authors", "venue": "journal"}
    stated = {field: groups[name].strip(f" ,.{_QUOTES}") for name, field in named.items() if name in groups}
    return {**stated, "year": year.strip(" ,('’")}


def _squeeze_spaces(plain: str, *, set_off: bool) -> tuple[str, list[int]]:
    """Return a text with single spaces, and where each character of it stands."""
    signs: list[str] = []
    places: list[int] = []
    for at, sign in enumerate(plain):
        shown = (
            " "
            if sign.isspace()
            else ('"' if set_off else " ")
            if sign in _QUOTES and sign not in "‘’"
            else {"、": ",", "，": ","}.get(sign, sign)
        )
        shown = " " if sign == "年" and signs and signs[-1].isdigit() else shown
        if shown == " " and (not signs or signs[-1] == " "):
            continue
        signs.append(shown)
        places.append(at)
    return "".join(signs), places


def _is_report(match: re.Match[str]) -> bool:
    verb = _VERB_BEHIND.match(match["rest"])
    return verb is not None and verb[1] in load_words("reports")


def _is_work(match: re.Match[str], raw: str, *, set_off: bool) -> bool:
    title, people = match["title"].strip(), match.groupdict().get("people")
    words = title.strip(_QUOTES + " ,.").split()
    if len(words) < (_TITLE_WORDS if set_off else _BARE_WORDS) or _NO_WORK.search(_IDENTIFIER.sub("", raw)):
        return False
    if not set_off and (_INITIALS.match(title) or _ALL_PEOPLE.fullmatch(title)):
        return False
    said = ": " in match[0][: match.start("title")] or (people and _ONE_PERSON.fullmatch(people))
    if set_off and title[-1:] in ".!?" and said and not _has_title_case(title):
        return False  # a quotation
    if re.search(r"[=<>{}@|\\]|\d:\d\d\b", title) or (not set_off and _BRACKETED_NUMBER.search(title)):
        return False
    small = {word.strip(",.") for word in words if word.islower()}
    prose = small & load_words("verbs") and not set_off and not _has_title_case(title)
    if prose or _SENTENCE.search(title) or (not title[0].isalnum() and title[0] not in _QUOTES):
        return False
    venue = match.groupdict().get("venue")
    if venue is not None and (_INITIALS.match(venue) or ". " in venue.replace("Proc. ", "")[12:]):
        return False
    several = set_off and people is not None and len(re.split(_JOINT, people)) > 1
    if venue is not None and not (
        several
        or VENUE_WORDS.search(venue.strip())
        or _ABBREVIATED.search(venue.strip())
        or is_known_venue(venue.strip())
    ):
        return False
    if people is not None and venue is None and len(words) <= _BARE_WORDS and _ONE_PERSON.fullmatch(people):
        return False  # "Kind of Blue (Miles Davis, 1959)"
    return people is None or _are_people(people)


_INITIALS = re.compile(
    rf"{_NAME}(?:,\s|\s)(?:[^\Wa-z_]\.?[\s-]?){{1,4}}(?:[,.;&]|and\b|$)|(?:[^\Wa-z_]\.\s?){{1,4}}[^\Wa-z_]"
)
_ALL_PEOPLE = re.compile(rf"(?:{_NAME}\s){{1,2}}{_NAME}(?:,\s(?:{_NAME}\s){{1,2}}{_NAME})+,?")
_BRACKETED_NUMBER = re.compile(r"\([^()]*\d[^()]*\)")  # of something else that the line tells of
_VERB_BEHIND = re.compile(r"[\s,]{0,3}([a-z]{3,20})\b")
_ONE_PERSON = re.compile(r"[^\W\d_]{2,}(?:\s[^\W\d_][\w.'’-]*)+")


def _are_people(people: str) -> bool:
    """Return whether names are people's: no words that are never names, no long phrases."""
    parts = re.split(r",?\s(?:and|und|et|y|e)\s|,?\s?&\s|[,;]\s", people)
    words = [word.strip(".,").lower() for part in parts for word in part.split()]
    first = words[0] if words else ""
    if (
        first in load_words("openings")
        or (len(parts) == 1 and first in load_words("not_names"))
        or (len(parts) == 1 and first in load_words("places"))
    ):
        return False
    named = any(
        re.search(r"[^\W\d_A-Z]{2}", word) or len(word) > 5 for part in parts for word in part.split()
    )
    return named and not set(words) & (load_words("no_people") - {"al"}) and len(words) <= 4 * _MOST_PEOPLE


def _has_title_case(words: str) -> bool:
    long = [word for word in re.findall(r"[^\W\d_][\w'’-]*", words) if len(word) > 3]
    return len(long) > 1 and 3 * sum(not word[0].islower() for word in long) > 2 * len(long)


# --- a title in one line, people and venue in the next -------------------------------------------------

_BELOW = re.compile(rf"(?:by\s)?{_PEOPLE}(?:{_SIGN}|\s[(\[]|$)(?:[^\n]{{0,150}}?{_YEAR}.{{0,80}})?$")
_VENUE_LINE = re.compile(rf"(?:in\s)?{_VENUE}[,\s(]{{1,2}}(?:['’]\d\d|(?:1[5-9]|20)\d\d)\)?[.,\s]?.{{0,60}}$")
_LONGEST_LINE = 250


def _find_titled_blocks(text: str, lines: Sequence[_Line]) -> Iterator[DescribedWork]:
    """Yield the works of which a line has the title, and the next one or two the people and the venue."""
    used = -1
    for number, (head, below) in enumerate(pairwise(lines)):
        gap = text[head.line.end : below.line.start]
        raw = head.line.text[head.start - head.line.start :].rstrip(" \t")
        if number <= used or gap.count("\n") > 2 or len(raw) > _LONGEST_LINE or head.works:
            continue
        words = raw.strip('*_#" “”').split()
        siblings = head.marked and below.marked and head.line.indent >= below.line.indent
        if (
            siblings
            or has_leading_name(raw)
            or _NO_WORK.search(_IDENTIFIER.sub("", f"{raw} {below.line.text}"))
        ):
            continue
        if not _TITLE_WORDS <= len(words) <= 30 or raw.rstrip("*_ ")[-1:] in ".:,;!" or is_own_voice(raw):
            continue
        last = _match_people_below(text, lines, number)
        if last is None:
            continue
        used = last
        end = lines[last].line.end
        end -= len(text[head.start : end]) - len(text[head.start : end].rstrip(" \t*_"))
        people = _DRESS.sub(
            "", lines[number + 1].line.text[lines[number + 1].start - lines[number + 1].line.start :]
        )
        match = _BELOW.match(" ".join(people.split()))
        stated = {
            "title": re.sub(r"\s?\((?:1[5-9]|20)\d\d\)$", "", raw.strip('*_#" “”')),
            "authors": match["people"] if match else "",
        }
        whole = " ".join(text[head.start : end].split())
        yield DescribedWork(
            head.start, end, whole, build_claimed_fields(stated, whole), head.label, sure=True
        )


def _match_people_below(text: str, lines: Sequence[_Line], number: int) -> int | None:
    """Return the last line of a block that begins with a title; None if no people and year are below."""
    head, last = lines[number], number
    dated, several, people = bool(re.search(_YEAR, head.line.text)), False, False
    for at in range(number + 1, min(number + 5, len(lines))):
        one = lines[at]
        words = " ".join(_DRESS.sub("", one.line.text[one.start - one.line.start :]).split())
        apart = text[lines[at - 1].line.end : one.line.start].count("\n") > (2 if at == number + 1 else 1)
        if (
            apart
            or len(words) > _LONGEST_LINE
            or (at > number + 1 and one.marked and one.line.indent <= head.line.indent)
        ):
            break
        match = _BELOW.match(words)
        if match and not people and _are_people(match["people"]) and len(match["people"].split()) > 1:
            people, several = True, len(re.split(_JOINT, match["people"])) > 1 or "et al" in words
        elif not people or not (re.search(_YEAR, words) or _VENUE_LINE.match(words) or ids.find_ids(words)):
            break
        dated = dated or bool(re.search(_YEAR, words) or _VENUE_LINE.match(words) or ids.find_ids(words))
        last = at
    headed = re.match(r"\s*(?:#|\*\*|\d{1,3}[.)]\s)", head.line.text) or last > number + 1
    return last if people and dated and (several or headed) else None
