"""Where a text names people with a year as a citation does, and not as "Alien (1979)" does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citeproof.reading.extractors.prose.cited_spans import VENUE_WORDS, is_leisure
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions, is_known_venue
from citeproof.reading.extractors.prose.mention_reading import JOINTS, load_words
from citeproof.reading.extractors.prose.prose_mask import WALL
from citeproof.text import lazy_patterns as re
from citeproof.text.names import CUT_LIST
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Name

_ET_AL = re.compile(
    r"(?<![\w-])[^\Wa-z_\d][^\W_\d]{0,3}[^\WA-Z_\d][^\W_\d’'-]{0,30}\s"
    rf"(?i:{CUT_LIST})(?!\s?[,(]?\s?\()"
    r"|(?<![\w-])[^\W\d_]{3,30}(?:\set\s+al\b\.?,?\s\(?|\s?等人?\s?\()(?:1[5-9]|20)\d\d[a-z]?\)?"
)
# "Sun (2025)", "He and Nguyen, 2016)": who is named may be a word as well; a reader takes it for a citation
_DATED_NAME = re.compile(
    r"(?<![\w-])[^\Wa-z_\d][\w'’-]{0,40}(?:\s(?:and|&|und|et|y|e)\s[^\Wa-z_\d][\w'’-]{0,40})?"
    r"(?:,?\s\((?:1[5-9]|20)\d\d[a-z]?(?:,[^()\n]{0,40})?\)|,\s(?:1[5-9]|20)\d\d[a-z]?(?=[);])"
    r")"
)
_PARTICLE = r"(?:(?:van|von|de|der|den|di|da|del|la|le|el|al|bin)\s){0,2}"
_PERSON = rf"{_PARTICLE}[^\Wa-z_\d][\w.'’-]{{0,30}}(?:\s{_PARTICLE}[^\Wa-z_\d][\w.'’-]{{0,30}}){{0,3}}"
_PEOPLE_LIST = re.compile(
    rf"(?<=\()(?P<who>{_PERSON}(?:,\s(?:(?:and|&)\s)?{_PERSON}){{1,11}}),?\s(?P<year>(?:1[5-9]|20)\d\d)[a-z]?(?=\))"
)
_FULL_NAME = r"(?<![\w.'’-])[^\Wa-z_\d][\w.'’-]{0,30}(?:\s[^\Wa-z_\d][\w.'’-]{0,30}){1,3}"
_NAMED_IN_FULL = re.compile(
    rf"(?P<who>{_FULL_NAME}(?:,\s{_FULL_NAME}){{1,14}},?\s(?:and|&)\s{_FULL_NAME}),?\s"
    r"\(?(?P<year>(?:1[5-9]|20)\d\d)[a-z]?\)?"
)
_SCHOLARLY = re.compile(
    r"\b(?:evidence|shown|studies|study|results?|findings?|literature|measured|demonstrated|reported|observed|hypothesis"
    r"|experiments?|procedure|analysis|proved|according|methods?|theor(?:y|ies|ems?)|concepts?|estimators?|algorithms?"
    r"|étude|méthode|théorie|modèle|estudio|método|teoría|modelo|concepto|estudo|conceito|studio|metodo|teoria"
    r"|concetto|Studie|Theorie|Methode|Modell|Begriff|Ansatz)\b",
    re.IGNORECASE,
)
_LONG_PLACES = re.compile(
    r"new (?:york|delhi|orleans)|los angeles|san (?:francisco|diego)|hong kong|tel aviv", re.IGNORECASE
)
_DATED_CELL = re.compile(
    r"(?:^|[\n\ufdd0])[^\n\ufdd0]{0,200}?[ \t]{3,}"
    r"(?P<title>[^\s\d][^\n\ufdd0()]{0,120}?\s\((?:1[89]|20)\d\d\))"
    r"(?=[ \t]{3,}|[ \t]*(?:[\n\ufdd0]|\Z))"
)
_DATED_ITEM = re.compile(
    r"(?:^|[\n\ufdd0])[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]+"
    r"(?P<title>[^\n\ufdd0()]{1,120}\s\((?:1[89]|20)\d\d\))"
    r"(?:,?\s(?:directed|dir\.|starring|written|with)\b[^\n\ufdd0]{1,200})?[ \t]*(?=[\n\ufdd0]|\Z)"
)
_PLAIN_NAME = r"[^\Wa-z_\d](?=[^\W\d_]{0,3}[^\WA-Z_\d])[^\W_\d][^\W_\d’'-]{0,33}+"
_WHO = rf"(?:[^\Wa-z_]\.\s){{0,3}}{_PLAIN_NAME}(?:\s[^\Wa-z_]\.)?(?:\s{_PLAIN_NAME}){{0,2}}"
_SEVERAL = rf"{_WHO}(?:,\s{_WHO}){{0,6}},?\s(?:(?:{JOINTS}|&)\s{_WHO}|et\sal\b\.?)"
# people without a year, or with one far from them, who are said to have written something
_WROTE = re.compile(
    r"\b(?:stud(?:y|ies)|papers?|articles?|preprint|thesis|monograph|reviews?|meta-analysis|works?|research|trial)\s(?:by|from|of)\s"
    rf"(?P<wrote>{_SEVERAL})"
    rf"|(?P<titled>{_SEVERAL})(?=,\s[“\"][^“”\"\n]{{15,250}}[”\"],?\s\(?(?:1[5-9]|20)\d\d)"
    r"|(?P<undated>,?\s[(\[]?(?:forthcoming|in press|n\.\s?d\.|to appear|submitted|in preparation"
    r"|under review|in prep\.?"
    r"|unpublished|preprint)[)\]]|\s[–—]\s(?:1[5-9]|20)\d\d(?=\s[–—])|;\s(?:1[5-9]|20)\d\d(?=[)\]]))"
)
_WORK = (
    r"(?:[a-z-]{3,20}\s|[^\Wa-z_][\w.]{1,20}\s){0,3}(?:papers?|stud(?:y|ies)|articles?|preprint|thesis|dissertation|book|chapter|review|report|essay"
    r"|monograph|meta-analysis|experiments?|trial|survey|replication|follow-up)\b(?!\s(?:cards?|tours?|club|deal|fair|shop))"
)
_DATED = r"(?P<year>(?:1[5-9]|20)\d\d)"
# "Lee, Roe and Lund's 2019 survey", "Roe's replication (2014)"; "in her 2004 article on it, Ann Lee says"
_DATED_WORK = re.compile(
    rf"(?P<who>{_SEVERAL}|{_WHO}(?=['’]))(?:['’]s?)?\s(?:[a-z-]{{3,20}}\s){{0,2}}{_DATED}\s{_WORK}"
)
_WORK_DATED = re.compile(
    rf"(?P<who>{_SEVERAL}|{_WHO}(?=['’]))(?:['’]s?)?\s(?:[“\"*][^“”\"*\n]{{3,90}}[”\"*]\s)?{_WORK}\s"
    rf"(?:\((?:[^()\d]{{2,40}}\s?)?|of\s|from\s){_DATED}"
)
_THEIR_WORK = re.compile(rf"\b(?:[Hh]is|[Hh]er|[Tt]heir)\s(?:[a-z-]{{3,20}}\s){{0,2}}{_DATED}\s{_WORK}")
_WORK_BY = re.compile(  # "a 2013 Neuron paper by Roe and Lund", "Ann Lee showed in her 2009 paper"
    rf"{_DATED}\s{_WORK}\s(?:by|of|from)\s(?P<who>{_SEVERAL}|{_WHO})"
)
_IN_OWN_WORK = re.compile(
    rf"(?P<who>{_SEVERAL}|{_WHO})\s(?:[a-z]{{3,14}}\s){{1,4}}in\s(?:his|her|their)\s(?:[a-z-]{{3,20}}\s){{0,2}}"
    rf"{_DATED}\s{_WORK}"
)
# "Lee (1998: 44)", "Lee (1748/2000)", "Roe (1951, §14)", "Roe's (2004)", "Lee and Roe (eds., 2012)"
_POINTED = re.compile(
    rf"(?<!\w)(?P<who>{_SEVERAL}|{_WHO})(?:['’]s?)?\s\((?:(?:eds?\.?|Hrsg\.|dirs?\.),\s)?{_DATED}[a-z]?"
    r"(?:\s?:\s?\d[\d–-]*(?:\s?ff?\.?)?|/(?:1[5-9]|20)\d\d|,\s(?:pp?\.?\s?\d|S\.\s?\d|s\.\s?\d|§|ch(?:ap)?\.|Kap\.|fig\.|eq\.|n\.\s?\d"
    r"|(?:as\s)?(?:cited|quoted)\sin|с\.\s?\d|стр\.|str\.|sid\.)[^()\n]{0,60})?\)"
)
_BARE_PAIR = re.compile(
    rf"\b(?:from|by|see|pace|per|cf\.|of|in)\s(?P<who>{_SEVERAL}|{_PLAIN_NAME})\s{_DATED}(?![\w-])"
)
_IN_VENUE = re.compile(  # "(Lee & Roe, IROS 2011)", "(Lee, Trends Cogn Sci 2011)"
    rf"(?<=[(\[;])\s?(?:(?:see|e\.g\.|cf\.|in)[:,]?\s)?(?P<who>{_SEVERAL}|{_WHO}),\s"
    rf"(?P<venue>[^\Wa-z_][^()\[\];\n\ufdd0]{{1,60}}?),?\s{_DATED}[a-z]?(?=[)\];])"
)
_WITH_VENUE = re.compile(rf"(?P<who>{_SEVERAL}|{_WHO})\s\({_DATED}[a-z]?,\s[^()\d\n]{{2,40}}\)")
_ABBREVIATED = re.compile(r"[A-Z]{3,8}\b|(?:[A-Z][a-z]{0,8}\.?\s){1,4}[A-Z][a-z]{1,6}\.?$")
_CHINESE = re.compile(
    rf"(?P<who>[A-Z][a-z]{{1,20}}(?:(?:[和与及、][A-Z][a-z]{{1,20}}){{1,5}}等?|等))\s?[（(]{_DATED}[)）]"
)
_IN_SENTENCE = re.compile(
    rf"[^.!?\n\ufdd0]{{0,120}}?(?<!\w)(?P<who>{_SEVERAL}|{_PLAIN_NAME}\s(?:[^\Wa-z_]\.\s)?{_PLAIN_NAME})"
)
_BARE_NEXT = re.compile(
    rf"(?:,\s|;\s|,?\sand\s|\s&\s)(?P<who>{_PLAIN_NAME})\s(?P<year>(?:1[5-9]|20)\d\d)[a-z]?(?!\w)"
)
_BARE_BEFORE = re.compile(
    rf"(?<!\w)(?P<who>{_PLAIN_NAME})\s(?P<year>(?:1[5-9]|20)\d\d)[a-z]?(?:,\s|;\s|,?\sand\s|\s&\s)$"
)
_OPENING = re.compile(r"(?:Of|In|As|By|From|See|And|But|While|Since|The|For)\s")
_LAST_PEOPLE = re.compile(
    rf"(?:(?<=;\s){_WHO}(?:,\s{_WHO}){{0,11}}|{_SEVERAL}|(?<=[(\[]){_PLAIN_NAME}(?:[;/+]\s?{_PLAIN_NAME}){{0,5}}|(?<![\w.]){_PLAIN_NAME})$"
)
_PAIRED = re.compile(
    r"\bet\s+al\b|^[*_]*[^\Wa-z_][\w.'’-]*(?:\s[^\Wa-z_][\w.'’-]*){0,2}\s(?:&|and)\s[^\Wa-z_]|,"
)
_NAMES_LISTED = re.compile(  # "Miller, Ryan, Dolence (2019)"
    rf"(?<![\w.])(?P<who>(?:{_PLAIN_NAME},\s){{2,8}}{_PLAIN_NAME})\s\({_DATED}[a-z]?\)"
)
_SHORTEST = 5  # letters of a name in capitals that is no abbreviation
_PRINTER = re.compile(
    r"[^(\d]{0,60}\b(?:Press|Verlag|Publish\w+|Books|Éditions|Biology|Review|Letters|Quarterly)\b"
)
_REPORTS = re.compile(r"['’]?s?[*_]{0,3}\s?(?:\[[\d,\s–-]{1,20}\]\s?)?([a-z]{3,20})\b")
_ARTICLE = re.compile(r"\b(?:the|a|an|our|this|its|their|der|die|das|la|le|el)\s$", re.IGNORECASE)
_CREDITS = re.compile(
    r"\b(?:by|see|see also|(?:read|found|described|discussed|shown|reported|proposed|introduced"
    r"|reviewed|given|stated|more|as|details?) in|cf\.?|following|according to|per|says?|e\.g\.,?"
    r"|vgl\.?|siehe|nach|laut|selon"
    r"|sostiene|afferma|osserva|scrive|secondo|segundo|afirma|escribe|d'après|s['’]appuie sur|chez|gemäß"
    r"|montre|souligne|soutient|argumentiert|anders|schreibt|zeigt|zdaniem|według|podle|enligt|ifølge|volgens|zoals|som"
    r"|sources?:|quelle:|fuente:|data:|как (?:показал|писал|отмечал)а?|по мнению|согласно"
    r"|según|véase(?: también)?|vid\.|ver también|voir(?: aussi)?|montré|se även|siehe auch"
    r"|srov\.|zob\.|см\.|cfr\.|par"
    r"|authors?|work of|stud(?:y|ies) (?:of|by)|papers? (?:of|by)|results? of|Dr\.?"
    r"|Prof\.?|Professor|(?:comes|stems|taken|follows) from|look at|is all in)\s?[*_]{0,3}$",
    re.IGNORECASE,
)


_PICTURE = re.compile(r"\b(?:photos?|images?|pictures?|drawings?|fotos?|covers?)\sby\s$", re.IGNORECASE)
_SAID_BEHIND = re.compile(  # in scripts without spaces, or with endings: "山田(2008)によれば"
    r"\s?(?:によ[れる]|[はが]|らは|认为|指出|提出|发现|表明|은|는|이\s|가\s|에\s?(?:따르면|의하면))"
)


class CitedPeople(NamedTuple):
    """Where people are cited, and who, if that can be read."""

    start: int
    end: int
    mention: AuthorYearMention | None = None


def find_people(prose: str, *, scholarly: bool) -> list[CitedPeople]:
    """Return where people and years are named as in a citation.

    "Alien (1979)" and "Smith (1979)" have one form. Where nothing else in the block is a citation, one name
    before a year is one only if it is said to have written something.
    """
    found = _find_people(prose, scholarly=scholarly)
    if scholarly or not found:
        return found
    blocks = {prose.count(WALL, 0, one.start) for one in found}
    every = _find_people(prose, scholarly=True)  # "See Abel (2001), Baker (2002)"
    own = [one for one in every if prose.count(WALL, 0, one.start) in blocks]  # "Berlin (2004)" is a place
    return [
        one
        for one in own
        if not (one.mention and one.mention.names[0].family.lower() in load_words("places"))
    ]


def _find_people(prose: str, *, scholarly: bool) -> list[CitedPeople]:
    """Return the same of a text that is known to cite (`scholarly`), or where each stands for itself."""
    titles = SpanSet(match.span("title") for match in _find_dated_titles(prose))
    mentions = [one for one in find_mentions(prose) if one.sure]
    mentions = [one for one in mentions if one.et_al or titles.is_free(one.start, one.end)]
    shaped = [match for pattern in (_ET_AL, _DATED_NAME) for match in pattern.finditer(prose)]
    shaped = [match for match in shaped if titles.is_free(*match.span())]
    scholarly = scholarly or any(map(is_certain, mentions)) or bool(_ET_AL.search(prose))
    found = _choose_cited(prose, mentions, scholarly=scholarly)
    patterns = (_PEOPLE_LIST, _NAMED_IN_FULL, _NAMES_LISTED)
    listed = (match for pattern in patterns for match in pattern.finditer(prose))
    lists = [one for match in listed for one in _cite_people(prose, match, *match.span())]
    longer = SpanSet((one.start, one.end) for one in lists)
    found = [*(one for one in found if longer.is_free(one.start, one.end)), *lists]
    taken = SpanSet((one.start, one.end) for one in found)
    credited = [one for one in shaped if _is_credited(prose, one) and taken.take(*one.span())]
    more = (*_find_undated(prose), *_find_dated_works(prose), *_find_next_ones(prose, found))
    found += [one for one in more if taken.take(one.start, one.end)]
    return found + [CitedPeople(*one.span()) for one in credited]


def _choose_cited(prose: str, mentions: Sequence[AuthorYearMention], *, scholarly: bool) -> list[CitedPeople]:
    found: list[CitedPeople] = []
    for one in mentions:
        owned = re.search(r"['’]s\s[^\Wa-z_]", one.text)  # "Tolstoy's War and Peace (1869)"
        cited = not owned and (is_certain(one) or _is_cited(prose, one, scholarly=scholarly))
        if one.text[0].isdigit():  # "Smith (2018, 2019)": a further year of the people before
            cited = any(each.mention and each.mention.names is one.names for each in found[-1:])
        found += [CitedPeople(one.start, one.end, one)] if cited else []
    return found


def _find_undated(prose: str) -> Iterator[CitedPeople]:
    """Yield people without a year who are said to have written something: "a study by Doe and Roe"."""
    for match in _WROTE.finditer(prose):
        start, end = match.span("wrote") if match["wrote"] else match.span()
        if match["undated"]:
            low = max(0, start - 200)
            low = prose.rfind("\n", low, start) + 1 or low
            people = _LAST_PEOPLE.search(prose[low:start])
            if people is None:
                continue
            start = low + people.start()
        if _could_be_people(prose[start:end]):
            yield CitedPeople(start, end)


def _find_dated_works(prose: str) -> Iterator[CitedPeople]:
    """Yield people whose work of a year is spoken of: "Roe's 2019 survey", "in his 2004 paper, Ann Lee"."""
    for match in _POINTED.finditer(prose):
        simple = re.search(
            r"\w \(\d{4}[a-z]?\)$", match[0]
        )  # "Lee (2004)" alone: others say whether it is cited
        if not simple or re.search(r"['’]s? \(", match[0]):
            yield from _cite_people(prose, match, *match.span())
    for match in _BARE_PAIR.finditer(prose):
        if re.search(r"\s(?:and|&)\s|\bet al", match["who"]) or match[0].startswith(("pace", "cf.", "see")):
            yield from _cite_people(prose, match, match.start("who"), match.end())
    for pattern in (_DATED_WORK, _WORK_DATED, _CHINESE, _WITH_VENUE):
        for match in pattern.finditer(prose):
            end = match.end("year")
            yield from _cite_people(
                prose, match, match.start(), end + (prose[end : end + 1] in ")）" and end < len(prose))
            )
    for match in (*_WORK_BY.finditer(prose), *_IN_OWN_WORK.finditer(prose)):
        yield from _cite_people(prose, match, match.start(), match.end())
    for match in _IN_VENUE.finditer(prose):
        several = not re.fullmatch(_WHO, match["who"])
        if several or VENUE_WORDS.search(match["venue"]) or _ABBREVIATED.match(match["venue"]):
            yield from _cite_people(prose, match, match.start("who"), match.end())
    for match in _THEIR_WORK.finditer(prose):
        if people := _IN_SENTENCE.match(prose, match.end(), match.end() + 250):
            yield from _cite_people(prose, people, match.start(), people.end("who"), int(match["year"]))


def _find_next_ones(prose: str, found: Sequence[CitedPeople]) -> Iterator[CitedPeople]:
    """Yield the names with a year that are listed next to others: "Lee 2018, Alvarez & Cho 2020"."""
    for one in found:
        if prose[one.end - 1].isalnum():
            at = one.end
            while match := _BARE_NEXT.match(prose, at):
                yield from _cite_people(prose, match, match.start("who"), match.end())
                at = match.end()
            at = one.start
            while match := _BARE_BEFORE.search(prose, max(0, at - 60), at):
                yield from _cite_people(prose, match, match.start(), match.end("year"))
                at = match.start()


def _cite_people(
    prose: str, match: re.Match[str], start: int, end: int, year: int | None = None
) -> Iterator[CitedPeople]:
    who = _OPENING.sub("", match["who"])
    if _could_be_people(who):
        printed = re.split(rf",\s(?:(?:and|&)\s)?|\s(?:{JOINTS})\s|[和与及、等]", who)
        names = tuple(
            Name(*reversed(one.rpartition(" ")[::2])) for one in printed if one.strip(".") not in ("", "al")
        )
        stated, et_al = year or int(match["year"]), who.rstrip(".").endswith("et al")
        yield CitedPeople(
            start, end, AuthorYearMention(prose[start:end], start, end, names, et_al=et_al, year=stated)
        )


def _could_be_people(text: str) -> bool:
    words = {word.lower() for word in re.findall(r"[^\W\d_]+", text)} - load_words("undated_words")
    known = load_words("no_people") | load_words("not_names") | load_words("places")
    return not words & known and not VENUE_WORDS.search(text)


def _find_dated_titles(prose: str) -> list[re.Match[str]]:
    """Return the cells of printed tables, and the items of lists, that are a title and a year.

    Items count as titles if most of their list cannot be people: "The Matrix (1999)", "Alien (1979)".
    """
    cells = list(_DATED_CELL.finditer(prose))
    lists: list[list[re.Match[str]]] = []
    for match in _DATED_ITEM.finditer(prose):
        near = lists and not prose[lists[-1][-1].end() : match.start()].strip(" \t\r\n\ufdd0")
        lists[-1].append(match) if near else lists.append([match])
    for items in lists:
        if len(items) > 1 and 2 * sum(_PAIRED.search(item["title"]) is None for item in items) >= len(items):
            cells += items
    return cells


def leads_reference(text: str, mention: AuthorYearMention) -> bool:
    """Return whether people and a year begin a text as they do a reference: "Virey, J. 2008, A test of"."""
    family = mention.names[0].family.lower()
    known = family in load_words("places") or family in load_words("no_people")
    first = re.fullmatch(r"(?:[^\Wa-z_\d][\w.'’-]{0,30}[;,]\s?){0,9}", text[: mention.start])
    return bool(first and not known and re.search("[,;]", text[: mention.end])) and mention.end < len(text)


def is_led_by_people(text: str) -> bool:
    """Return whether a text begins with people and a year as a reference does, and goes on."""
    found = find_people(text, scholarly=True)
    whole = len(found) == 1 and any(map(str.isalpha, text[found[0].end :]))
    return whole and not text[: found[0].start].strip(' *_"“') and not is_report(text)


def is_report(text: str) -> bool:
    """Return whether a text says what those whom it cites did: "Shiller (2017) argues" is no reference."""
    verbs = (_REPORTS.match(text, one.end, one.end + 40) for one in find_people(text, scholarly=True))
    return any(verb[1] in load_words("reports") for verb in verbs if verb)


def is_certain(mention: AuthorYearMention) -> bool:
    """Return whether people with a year are cited whatever the text is about: "et al.", or two by name."""
    return mention.et_al or _is_pair(mention)


def _is_pair(mention: AuthorYearMention) -> bool:
    words = [word for one in mention.names for word in one.family.split()]
    return len(mention.names) > 1 and not any(
        (word.isupper() and len(word) < _SHORTEST) or word.lower() in load_words("no_people")
        for word in words
    )


def _is_cited(prose: str, mention: AuthorYearMention, *, scholarly: bool) -> bool:
    """Return whether one name before a year is cited."""
    before, after = prose[max(0, mention.start - 40) : mention.start], prose[mention.end : mention.end + 1]
    word = mention.names[0].family.lower()
    if _PRINTER.match(mention.text):  # "Title (MIT Press, 1986)"
        return False
    if re.search(r"[^\W\d_]-?\d", mention.text):  # "DeWalt DCD796 (2016)", "X-300 (2023)"
        return False
    if re.search(r"\b(?:TODO|FIXME|XXX|HACK|NOTE)\s?\($", before):
        return False
    if not scholarly and prose[mention.start - 1 : mention.start] in ("*", "_") and mention.text[0].isalpha():
        return False  # "was followed by *Kid A* (2000)"
    article = _ARTICLE.search(before)
    article = article if article and not _CREDITS.search(before[: article.start()]) else None
    if word in load_words("no_people") or (not scholarly and (word in load_words("places") or article)):
        return False
    if mention.pages:
        return True
    if re.match(r"[^\W\d_]{2,},\s", mention.text) and mention.names[0].given.endswith("."):
        return True  # "Thiele, A. (2003)"
    if mention.venue and is_known_venue(mention.venue):
        return True
    near = prose[max(0, mention.start - 80) : mention.end + 60]
    researched = bool(_SCHOLARLY.search(near)) and not is_leisure(near, len(near), len(near))
    given = mention.names[0].given
    if _LONG_PLACES.fullmatch(f"{given} {mention.names[0].family}"):
        return False
    if (
        "(" not in mention.text
        and re.search(r"[(\[;][^()\[\]]{0,30}$", before)
        and after in (")", "]", ";", ",", ":")
    ):
        if len(given) > 2 and given.isalpha():  # "Kind of Blue (Miles Davis, 1959)"
            return scholarly or researched
        return scholarly or "," in mention.text or (not given or given.endswith("."))
    return scholarly or researched or _is_said_to_write(prose, mention.start, mention.end)


def _is_said_to_write(prose: str, start: int, end: int) -> bool:
    verb, before = _REPORTS.match(prose, end, end + 40), prose[max(0, start - 40) : start]
    said = (verb and verb[1] in load_words("reports")) or _SAID_BEHIND.match(prose, end)
    return bool(said) or (_CREDITS.search(before) is not None and not _PICTURE.search(before))


def _is_credited(prose: str, match: re.Match[str]) -> bool:
    """Return whether a word that may be a name or none ("Sun", "He") is one: two are joined, or it wrote."""
    joined = re.search(rf"(?i:{CUT_LIST})|\s(?:and|&|und|et|y|e)\s", match[0])
    first = re.split(r"[\s,]", match[0])[0].lower()
    if re.search(r"[^\W\d_]-?\d", first):
        return False
    if first in load_words("no_people") or _ARTICLE.search(prose[max(0, match.start() - 9) : match.start()]):
        return False
    if first in load_words("not_names") and not joined:
        return bool(_CREDITS.search(prose[max(0, match.start() - 40) : match.start()]))
    return bool(joined) or _is_said_to_write(prose, match.start(), match.end())
