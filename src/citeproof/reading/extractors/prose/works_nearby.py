"""Works that a text tells of in no fixed order: a title and people near each other, with a sign of a work.

"In *A Title of It*, which A. Lee and B. Roe wrote for NeurIPS 2019": no pattern knows the order, but what is
said of a work is there. Where none of the other readers has made one citation of it, this one does.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from citeproof.reading.extractors.prose.described_works import DescribedWork, is_other_thing
from citeproof.reading.extractors.prose.mention_reading import JOINTS, load_words
from citeproof.reading.extractors.prose.prose_mask import WALL
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.span_set import SpanSet

_NEAR = 110  # characters between a title and the people who wrote it
_AROUND = 160  # characters around both in which a sign of a work counts
_TITLE_WORDS = 4
_SHARE = 0.34  # of the words of people that are hardly ever names
_GIVEN_WORDS = 4  # of one person
_LONGEST = 600  # characters of a title

_PARTICLE = (
    r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ter|ten|zu|al|el|bin|ibn|af)\s|[dO]['’]){0,2}+"
)
_WORD = r"[^\Wa-z_\d](?:[^\W_\d]|[’'-](?=[^\W_\d])){1,34}+"
_INITIALS = r"(?:[^\Wa-z_\d]\.[-\s]?){1,4}+"
_MORE = rf"{_PARTICLE}{_WORD}|(?:[^\Wa-z_\d]\.-?){{1,4}}+(?![^\W_])|[A-Z]{{1,3}}(?![\w.])"
_PERSON = rf"{_PARTICLE}(?:{_INITIALS})?{_WORD}(?:\s(?:{_MORE})){{0,3}}+"
_LATE_INITIALS = r"(?:[^\Wa-z_\d]\.(?:[-\s]?(?=[^\Wa-z_\d]\.))?){1,4}+"
_PERSON_LAST_FIRST = rf"{_PARTICLE}{_WORD}(?:\s{_WORD})?,\s{_LATE_INITIALS}(?![^\W\d_])"
_ONE = rf"(?:{_PERSON_LAST_FIRST}|{_PERSON})"
_LAST_INITIALS = rf"{_PARTICLE}{_WORD}(?:\s{_WORD})?\s[A-Z]{{1,3}}(?!\w)"
_JOINT = rf"(?:,?\s(?:{JOINTS})\s|,?\s?&\s|[,;]\s)"
_CUT = r"\set\sal\b\.?|\su\.?\s?(?:a\.|Mitarb\b\.?)|\sdkk\.?|\sm\.?\s?fl\b\.?|\sand\s(?:others|colleagues)\b"
_PEOPLE = re.compile(
    rf"(?<![\w’'-])(?>{_LAST_INITIALS}(?:,\s{_LAST_INITIALS}){{1,30}}+|{_ONE}(?:{_JOINT}{_ONE}){{0,30}}+)"
    rf"(?:,?(?:{_CUT}))?"
)
_PARTS = re.compile(_JOINT)
_INITIALED = re.compile(r"(?<![\w.])[^\Wa-z_\d]\.|(?<=[^\W\d_]{2}\s)[A-Z]{1,3}(?=[,.;\s]|$)|" + _CUT)
_FIRST_WORD = re.compile(r"([^\W\d_]{2,})\s(?![A-Z]{1,3}[,.]\s)")
_SHORT = re.compile(r"[^\Wa-z_\d]{1,3}\b\.?$")
_CREDIT = re.compile(r"(?:\b(?:by|authors?:?|team of|von|par|por|di|from)|[Aa]utor(?:es|en)?:)\s[*_]{0,3}$")

_SORT = re.compile(r"\b(?:dissertation|thesis|paper|article|book|monograph|study|essay|chapter),?\s$")
_VENUE = re.compile(
    r"\b(?:Proc\w*|Journal|Transactions|Conference|Symposium|Workshop|Annals|Letters|Review of"
    r"|Association for)\b"
)
_SMALL = (
    r"(?:of|for|and|the|in|on|with|to|a|an|by|from|under|via|as|at|through|over|into|or|vs\.?|is|are|not|be|do|after"
    r"|during|across|among|between|against|without|within|its|their)"
)
_SMALL_WORD = re.compile(_SMALL)
_CASED = r"[^\Wa-z_](?:[\w’'/+.-]{0,40}\w)?"
_TITLE = re.compile(rf"(?<![\w’'.-])(?>{_CASED}(?:[:,?]?\s(?:{_SMALL}\s){{0,3}}{_CASED}){{1,30}}+)")
_QUOTED = re.compile(
    r"“([^“”\ufdd0]{8,250})”|(?<![\w\"])\"([^\"\ufdd0]{8,250})\"(?!\w)|«([^«»\ufdd0]{8,250})»"
    r"|„([^„“”\ufdd0]{8,250})[“”]|‘([A-Z][^‘’\ufdd0]{8,250})’(?!\w)|``([^`\ufdd0]{8,250}?)''"
    r"|《([^《》\ufdd0]{4,250})》|(?<![\w'])'([^\Wa-z_](?:[^'\n\ufdd0]|(?<=\w)'(?=\w)){8,250})'(?!\w)"
)
_EMPHASISED = re.compile(
    r"(?<![\w*\\])(?P<sign>\*{1,3})(?![\s*])([^*\ufdd0]{8,250}?)(?<![\s*])(?P=sign)(?![\w*])"
    r"|(?<![\w_\\])(?P<under>_{1,2})(?![\s_])([^_\ufdd0]{8,250}?)(?<![\s_])(?P=under)(?![\w_])"
)
_QUOTES = "“\"«„‘`'*_《"
_SIGN = 3  # characters of the marks around emphasised words
_TIGHT = re.compile(
    r"(?:[^\w\[\]]|_){1,12}+(?:(?:by|from|in|of|titled|entitled|called|the|paper|study|work|article|their|his|her"
    r"|seminal|written|wrote|dissertation|thesis|book|monograph|chapter|essay|report|with|and|on|authors?|first|lead|title|year|who|when|where|venue|journal|name|cites?|which|that"
    r"|(?:[^\W\d_][\w.-]{1,12}\s)?(?:1[5-9]|20)\d\d[a-z]?)(?:[^\w\[\]]|_){1,12}+){0,5}|\s(?:[a-z]{3,15}\s){1,3}in\s",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"(?!.*[.!?]\s[^\Wa-z_].*[.!?]\s[^\Wa-z_])[^\[\]{}<>]*", re.DOTALL
)  # at most one sentence end
_YEAR = re.compile(r"(?<![\d/.#-])(?:1[5-9]|20)\d\d(?![\d/]|[.-]\d)")
_BEHIND = re.compile(r"[\s,.:;–—-]{0,3}\(?(?:1[5-9]|20)\d\d[a-z]?\)?")
_FOREIGN_NAMES = (
    r"[\u0590-\u10ff\u3040-\ud7af]{2,20}(?:[\s·・、،,]{1,2}[\u0590-\u10ff\u3040-\ud7af]{2,20}){0,5}"
)
_FOREIGN = re.compile(  # in scripts without capitals: people, a year and a title in quotes
    rf"(?<!\w){_FOREIGN_NAMES}(?:\s?ら)?,?\s?[(（](?P<year>\d{{4}})[)）]的?[，、,،:：]?\s?"
    r"[\"“「『《«](?P<title>[^\"”」』》»\n]{4,200})[\"”」』》»]"
)
_FOREIGN_ITEM = re.compile(  # "2. 林佩蓉（2020），臺語數字串，"
    r"(?:(?<=\n)|\A)[ \t]*(?:\d{1,3}[.)、]|[-*•]|\[\d{1,3}\])\s*"
    rf"(?:{_FOREIGN_NAMES}|[A-Z][\w、,\s.]{{1,80}})\s?[(（](?P<year>\d{{4}})[)）]"
    r"[，、：:.,]\s?(?P<title>[\u3040-\ud7af][^，。,.\n]{5,80})(?=[，。,.])"
)
_FOREIGN_LATE = re.compile(  # "انظر: سامي الدوسري، «…»، مجلة الهندسة المدنية، 2013"
    rf"(?<!\w){_FOREIGN_NAMES}(?:[،,，：:]\s?|(?=「[^」\n]{{4,200}}」『))[\"“「『《«](?P<title>[^\"”」』》»\n]{{6,200}})[\"”」』》»]"
    r"[^\n]{0,80}?(?P<year>(?:1[5-9]|20)\d\d)"
)
_TYPED = re.compile(  # "王小明.递归网格[J].神经通讯,2021,12(3):44-58": the sign of its kind behind the title
    r"(?:(?<=\n)|\A|(?<=[\s。]))(?:\[\d{1,3}\]\s?)?[^\W\d_][^\n.。\[\]]{1,120}[.．]\s?"
    r"(?P<title>[^\n\[\]]{4,200}?)\s?\[[JMCDRNPS](?:/OL)?\][^\n]{0,120}?(?P<year>(?:19|20)\d\d)[^\n。]{0,40}"
)
_FOREIGN_SHAPES = _FOREIGN, _FOREIGN_ITEM, _FOREIGN_LATE, _TYPED
_LETTER = (
    r"(?:(?:[^\Wa-z_][a-z]{0,12}\.\s?){1,5}(?:[A-Z]\s)?|[A-Z]{3,6}\s)"
    r"\d{1,4},\s[A-Za-z]?\d{1,7}[a-z]?\s?\((?:1[5-9]|20)\d\d\)"
)
_ISSUED = (  # ". ICLR 2021", ", Safety Sci. 2007", ". Acta Phys. Helv. 1774"
    r"[.,?!]\s(?:[A-Z][\w.&-]{1,20}\s){0,5}?(?:[A-Z]{3,8}|[A-Z][a-z]{1,9}\.)\s(?:\d{1,4},?\s)?(?:1[5-9]|20)\d\d"
    r"(?=[\"”'.;,)\]\s\\]|$)"
)
_CITIES = "|".join(sorted((word.title() for word in load_words("places")), key=len, reverse=True))
_PRINTED = re.compile(  # "2014;15(3):211-29", "53(1), 77-102", "Cognition 112: 45–61", "vol. 3, pp. 4"
    r"(?:1[5-9]|20)\d\d[a-z]?;\s?\d{1,4}(?:\s?\([\w ]{1,9}\))?\s?:\s?[a-zA-Z]{0,3}\d{1,6}"
    r"(?:\s?[-–—]\s?\d{1,6})?|(?<![\d.,/-])\d{1,4}[*_]{0,2}\s?\(\d{1,4}(?:\s?[-–/]\s?\d{1,3})?\)[*_]{0,2}\s?[,:]\s?(?:pp?\.?\s?|S\.\s?)?[a-zA-Z]?\d{1,6}(?:\s?[-–—]\s?\d{1,6})?"
    r"|[^\W\d_]{3,30}[.,*_]{0,3}\s[*_]{0,2}\d{1,4}[*_]{0,2}(?:,|\s?:)\s(?:pp?\.\s?)?\d{1,6}\s?[-–—]\s?\d{1,6}"
    r"|\b(?:[Vv]ol(?:ume)?\.?|Bd\.)\s?\d{1,4}[^\n\ufdd0]{0,40}?\b(?:pp?\.|pages|S\.|Seiten)\s?\d{1,6}(?:\s?[-–—]\s?\d{1,6})?"
    r"|[^\W\d_]{3,30}\.?[*_]{0,3}\s\d{1,4}[*_]{0,3}\s\((?:1[5-9]|20)\d\d\)[,:]?\s(?:pp?\.\s)?[a-zA-Z]?\d{1,6}"
    r"|(?:1[5-9]|20)\d\d,?\s(?:n[°ºr]\.?|no\.|núm\.|č\.|№)\s?\d{1,4},?\s(?:s|S|pp?|str|c)\.\s?\d{1,6}(?:\s?[-–—]\s?\d{1,6})?"
    rf"|\b(?:{_CITIES}):\s[^\W_][^\n\ufdd0:;]{{2,60}}?,\s(?:1[5-9]|20)\d\d(?!\d)"
    rf"|\b(?:{_CITIES})\s(?:1[5-9]|20)\d\d,\s(?:S|pp?)\.\s?\d{{1,4}}|//\s[^\n/]{{3,150}}?\.\s?(?:1[5-9]|20)\d\d\.\s?[–—-]?\s?(?:[ТC]\.|№|Вып\.|Vol\.|С\.)"
    rf"|,\s(?:{_CITIES}),\s[^\Wa-z_][\w'’&. -]{{2,40}}?,\s(?:1[5-9]|20)\d\d(?!\d)"
    r"|\b\d{1,3}\s(?:[A-Z][\w.&]*\s){0,5}(?:L\.\s?J\.|L\.\s?Rev\.|J\.|Q\.|Rev\.)\s\d{1,5}"
    r"|(?<=[(\[])(?:see:?\s|e\.g\.,?\s|cf\.?\s)?[^()\[\];\n\ufdd0]{30,400}(?<=[\w.,]\s)(?:1[5-9]|20)\d\d[.;]?(?=[)\]])"
    rf"|(?P<letter>{_LETTER})|{_ISSUED}"
)
_TITLE_LATER = re.compile(  # "PRL 19, 288 (1967): A title of it", 'PRL 61, 1403 (1988), "A title"'
    r"[:,]\s[“\"«„](?:[^“”\"«»\n\ufdd0]{8,250})[”\"»“]|:\s[^\Wa-z_][^.\n\ufdd0()]{15,200}(?=\.(?:\s|$)|\n|\ufdd0|$)"
)
_LED_BY_ONE = re.compile(  # "cf. Doe, A title of it, Journal 6 (2013) 118"
    rf"\b(?:cf\.|[Ss]ee|[Vv]gl\.|[Pp]or\.|[Vv]oir|[Ss]iehe|[Vv]id\.|[Cc]fr\.)\s(?P<who>{_PARTICLE}{_WORD}),\s"
)
_TITLE_BY = re.compile(r"[*_“\"«„]{1,3}[^*“”\"«»\n\ufdd0]{8,250}[*_”\"»“]{1,3},?\s(?:by|von|par|por|di)\s$")
_CALLED = re.compile(
    r"\b(?:heading|title|titled|called|entitled|named|in press|forthcoming|to appear"
    r"|(?:1[5-9]|20)\d\d(?:\W{1,3}(?:in|trong|dans|en|im|nel|em|i|в|у|w|dalam|med))?)\W{1,5}$"
)
_LED_BY_YEAR = re.compile(rf"(?:\S{{2,12}}\s)?{_YEAR.pattern}[:,.]?\s")
_CLOSES = re.compile(r"[^()\[\]]*[)\]]")  # the brackets in which people are
_NEXT_WORD = re.compile(r",?\s([a-z]{3,20})\b")
_OWN_TITLE = re.compile(r"['’]s\s(?=(?P<led>(?:The|An?|On|Some|Towards?|From|How|What|Why)\s)?)")
_OWN = re.compile(r"['’]s\b")
_DATED_TITLE = re.compile(  # behind people and a year
    r"(?:\((?:1[5-9]|20)\d\d[a-z]?\)|(?:1[5-9]|20)\d\d[a-z]?\??(?![)\]])) ?[:,.—–-] "
    r"(?P<title>[^\Wa-z_][^\n\ufdd0.;()\[\]“”\"]{15,200}?)"
    r"(?=\.(?:\s|$)|,\s|\s?[(\[)]|\s*(?:\n|$)|[\ufdd0\"”])"
)
BRACKETED_YEAR = re.compile(
    r"[^\W_]\.?,?\s?[(（\[](?P<year>(?:1[5-9]\d|20[0-3])\d)[a-z]?(?:[,–-][^()]{0,40})?[)）\]]"
)
_REFERENCE = 400  # characters of one, before where it was printed
_ENDS = re.compile(r"[.?!][”\"]?\s[^\Wa-z_][^\s.]")  # of its parts
_MOST_ENDS = 3
_WORK = re.compile(
    r"\b(?:(?i:papers?|stud(?:y|ies)|articles?|preprint|thesis|dissertation|monograph|authors?|et al"
    r"|published|journal|proceedings|doi|arxiv|isbn|vol|pp)\b|Proc\.|Transactions|Trans\.|Conference|Symposium|Workshop|Lett\."
    r"|Annals|Nature\b|Science\b|Phys\.|Lancet|bioRxiv|medRxiv|Press\b|Publishing|Routledge|Springer|Wiley|Elsevier|Palgrave|Suhrkamp|Verlag|期刊|学报|论文"
    r"|(?!Prof|Dr|Mr|St)[A-Z][a-z]{1,9}\.\s(?:[A-Z][a-z]{1,9}\.\s?)+|[A-Z][a-z]{2,12}\s[A-Z][a-z]{1,8}\.[,)\s]"
    r"|[A-Z][a-z]{1,8}\.\s(?:[A-Z][a-z.]{2,14}\s){1,4}\d|[A-Z]{3,7}\s['’]?\d{2,4}\b|\b\d{1,4}\s?\(\d{1,4}\)|(?:n[°ºr]\.?|no\.|núm\.|№)\s?\d{1,4},)"
)
_CITED_IN = re.compile(rf"\([^\Wa-z_][^()]{{2,60}},?\s{_YEAR.pattern}\)")
_CITED_YEAR = re.compile(
    rf"\([^()]{{0,40}}{_YEAR.pattern}|\bpp?\.\s?\d|\b(?:in press|forthcoming|to appear|n\.d\.)"
)


class NamedSpan(NamedTuple):
    """People or a title in a text."""

    start: int
    end: int
    words: str
    sure: bool  # people with initials; a title that is set off
    weak: bool = False  # one person, or two by their last names


def find_works_nearby(prose: str) -> Iterator[DescribedWork]:
    """Yield the works of which masked prose has a title and people near each other, with a sign of a work."""
    printed = [*_find_printed_works(prose), *_find_foreign_works(prose)]
    works = SpanSet((one.start, one.end) for one in printed)
    found = printed
    for pair in sorted(_find_pairs(prose), key=_NearPair.rank):
        if pair.is_work(prose) and works.take(pair.start, pair.end):
            found.append(pair.describe(prose))
    yield from sorted(found, key=lambda one: one.start)


@dataclass(frozen=True, slots=True)
class _NearPair:
    """People and a title near each other."""

    people: NamedSpan
    title: NamedSpan
    between: str
    tight: bool  # nothing else is between them

    @property
    def start(self) -> int:
        return min(self.people.start, self.title.start)

    @property
    def end(self) -> int:
        return max(self.people.end, self.title.end)

    def rank(self) -> tuple[bool, bool, int]:
        return not self.tight, not self.title.sure, len(self.between)

    def is_work(self, prose: str) -> bool:
        """Return whether there is a sign of a work."""
        around = _read_around(prose, self.start, self.end)
        several_dated = all(_YEAR_NEXT.match(prose, one.end) for one in (self.people, self.title))
        if is_other_thing(around) or several_dated:
            return False
        dated = self.people.end < self.title.start and _YEAR.search(self.between) is not None
        several = not self.people.weak or len(split_people(self.people.words)) > 1
        quoted = prose[self.title.start] in _QUOTES
        ended = self.between.rstrip().endswith(".") and not self.people.sure  # a sentence, no reference
        if dated and (quoted or (several and not ended)):
            return True
        if (
            several and quoted and self.between == ", " and _YEAR.search(around)
        ):  # 'Lee & Roe, "A title", 1985'
            return True
        verb = _NEXT_WORD.match(prose, self.people.end)
        if (
            several and self.title.sure and verb and verb[1] in load_words("reports")
        ):  # "in *A Title*, X and Y show"
            return True
        own = self.people.words.endswith(("'s", "’s"))
        credited = own or re.search(r"\bby\b", self.between) is not None
        return _is_signed(around, self.people, self.title, credited=credited)

    def describe(self, prose: str) -> DescribedWork:
        behind = _BEHIND.match(prose, self.end)
        end = behind.end() if behind else self.end
        raw = prose[self.start : end]
        year = _YEAR.search(raw) or _YEAR.search(_read_around(prose, self.start, end))
        stated = {
            "title": self.title.words,
            "authors": _OWN.sub("", self.people.words),
            "year": year[0] if year else "",
        }
        return DescribedWork(self.start, end, raw, build_claimed_fields(stated, raw), "", sure=True)


def _find_pairs(prose: str) -> Iterator[_NearPair]:
    titles = sorted(find_titles(prose))
    starts = [title.start for title in titles]
    for people in find_people_named(prose, weak=True):
        low = bisect_left(starts, people.start - _NEAR - _LONGEST)
        near = titles[low : bisect_right(starts, people.end + _NEAR)]
        inside = any(one.start <= people.start and people.end <= one.end for one in near)
        for title in near:
            if people.start < title.start < people.end < title.end:  # "Ann Lee, Commands and Norms: Austin"
                before = prose[people.start : title.start].rstrip(" ,")
                yield from _pair_spans(
                    prose,
                    NamedSpan(people.start, people.start + len(before), before, sure=False, weak=True),
                    title,
                )
            elif not inside or prose[title.start] in _QUOTES or _YEAR_NEXT.match(prose, people.end):
                yield from _pair_spans(prose, people, title)


def _pair_spans(prose: str, people: NamedSpan, title: NamedSpan) -> Iterator[_NearPair]:
    """Yield people and a title next to each other: directly, or a sentence away if it is set off."""
    low, high = (title.end, people.start) if title.start < people.start else (people.end, title.start)
    if not 0 < high - low <= _NEAR:
        return
    between = prose[low:high]
    tight = _TIGHT.fullmatch(between) is not None
    called = prose[title.start] in _QUOTES and _CALLED.search(between) is not None
    loose = (
        ((title.sure and len(title.words.split()) >= _TITLE_WORDS) or called)
        and _LOOSE.fullmatch(between) is not None
        and WALL not in between
    )
    if tight or (loose and not _CLOSES.match(between)):
        yield _NearPair(people, title, between, tight)


def _find_printed_works(prose: str) -> Iterator[DescribedWork]:
    """Yield the references in sentences that say where they were printed, from their people on."""
    last = 0
    for match in _PRINTED.finditer(prose):
        inside = prose[match.start() - 1 : match.start()] in ("(", "[")
        block = max(prose.rfind(WALL, 0, match.start()), prose.rfind("\n\n", 0, match.start())) + 1
        low = match.start() if inside else max(last, match.start() - _REFERENCE, block)
        named = list(find_people_named(prose[low : match.end()], weak=not inside))
        strong = [people for people in named if not people.weak]
        if not named and (led := _LED_BY_ONE.search(prose[low : match.start()])):
            named = [NamedSpan(*led.span("who"), led["who"], sure=False, weak=True)]
        for people in [*reversed(strong), *named[:1]]:
            start, end = low + people.start, low + people.end
            between = prose[end : match.end() if inside else max(end, match.start())]
            said = prose[start : match.end() + len("  (2020)")]
            if inside and people.start > len("see e.g., "):
                continue
            titled = len(between.split()) > 2 or match["letter"] is not None
            several = len(list(find_set_off(between, emphasised=False))) > 1 or _CLOSES.match(between)
            if titled and not several and len(_ENDS.findall(between)) <= _MOST_ENDS and _YEAR.search(said):
                later = _TITLE_LATER.match(prose, match.end(), match.end() + _REFERENCE)
                last = later.end() if later else match.end()
                led = _TITLE_BY.search(prose[low:start])
                start = low + led.start() if led else start
                yield DescribedWork(start, last, prose[start:last], None, "", sure=True)
                break


def _find_foreign_works(prose: str) -> Iterator[DescribedWork]:
    for match in (found for one in _FOREIGN_SHAPES for found in one.finditer(prose)):
        stated = {"title": match["title"], "year": match["year"]}
        yield DescribedWork(*match.span(), match[0], build_claimed_fields(stated, match[0]), "", sure=True)


def find_set_off(prose: str, *, emphasised: bool = True) -> Iterator[tuple[int, int, str]]:
    """Yield what is quoted or emphasised in masked prose: where, with its signs, and the words inside."""
    for match in (*_QUOTED.finditer(prose), *(_EMPHASISED.finditer(prose) if emphasised else ())):
        yield *match.span(), next(words for words in match.groups() if words and len(words) > _SIGN).strip()


_YEAR_NEXT = re.compile(r",?\s[(\[]?(?:1[5-9]|20)\d\d")


def find_titles(prose: str) -> Iterator[NamedSpan]:
    """Yield what may be titles: set off, behind people and a year, or written as titles are."""
    for start, end, inside in find_set_off(prose):
        words = " ".join(inside.split()).strip(" ,.*_")
        titled = prose[start] in "*_《" or is_title_case(words)
        whole = len(words.split()) >= _TITLE_WORDS - 1 or prose[start] == "《"
        said = not titled and (words[:1].islower() or inside[-1:] in ".!?")
        if whole and not said and words[-1:] != ":":
            yield NamedSpan(start, end, words, sure=titled)
    for match in _DATED_TITLE.finditer(prose):
        words = match["title"].rstrip(" ,")
        cut = prose[match.end() : match.end() + 3].lstrip(", ")[:1].islower() and prose[match.end()] == ","
        if len(words.split()) >= _TITLE_WORDS and (not cut or is_title_case(words)):
            yield NamedSpan(match.start("title"), match.start("title") + len(words), words, sure=False)
    yield from find_bare_titles(prose)


def find_bare_titles(prose: str) -> Iterator[NamedSpan]:
    """Yield what is written as titles are, and that no sign sets off."""
    for match in _TITLE.finditer(prose):
        start, end = _trim_names(match)
        if dated := _LED_BY_YEAR.match(prose, start, end):  # "CVPR 2024: Rethinking the Objectives"
            start = dated.end()
        words = prose[start:end].split()
        small = [word for word in words if word.islower() or _SMALL_WORD.fullmatch(word.lower())]
        usual = [word for word in words if word.strip(",:?.").lower() in _load_title_words()]
        fewest = _TITLE_WORDS - bool(_SORT.search(prose, max(0, start - 20), start))
        if (
            len(words) >= fewest
            and not _VENUE.search(prose, start, end)
            and (small or len(usual) > 1 or fewest < _TITLE_WORDS)
            and len(usual) + len(small) > (fewest == _TITLE_WORDS)
        ):
            yield NamedSpan(start, end, " ".join(words), sure=False)


def _trim_names(match: re.Match[str]) -> tuple[int, int]:
    """Return where a title begins and ends that was read with the names next to it: "A Title, Ann Lee"."""
    start = match.start()
    owned = (own for own in _OWN_TITLE.finditer(match[0]) if own["led"] or _is_name(match[0][: own.start()]))
    start += max((own.end() for own in owned), default=0)  # "Ann Lee's A Title of It"
    parts = list(re.finditer(r"[^,]+", match.string[start : match.end()]))
    while len(parts) > 1 and _is_name(parts[-1][0]):
        parts.pop()
    while len(parts) > 1 and _is_name(parts[0][0]):
        parts.pop(0)
    low = start + parts[0].start() + len(parts[0][0]) - len(parts[0][0].lstrip())
    return low, start + parts[-1].end()


def _is_name(words: str) -> bool:
    alone = words.split()
    return (
        1 < len(alone) <= _GIVEN_WORDS
        and not any(word.islower() or word.strip(".").lower() in _load_other_words() for word in alone)
        and ":" not in words
    )


def find_people_named(prose: str, *, weak: bool = False) -> Iterator[NamedSpan]:
    """Yield names that are people's by their form: initials, several in full, one who is credited.

    `weak`: yield one person in full too, and two last names that "and" joins.
    """
    for match in _PEOPLE.finditer(prose):
        start, end = _trim_people(match)
        text = " ".join(prose[start:end].split())
        parts = split_people(text)
        words = [
            word.strip(".,").lower() for part in parts for word in part.split() if not _SHORT.match(word)
        ]
        others = sum(word in _load_other_words() for word in words)
        signs = len(_INITIALED.findall(text))
        if others > len(words) * (0.5 if signs else _SHARE):
            continue
        full = [part for part in parts if 1 < len(part.split()) <= _GIVEN_WORDS]
        credited = bool(full) and _CREDIT.search(prose, max(0, start - 30), start)
        if re.search(_CUT, text) or len(full) > 1 or (signs and 2 * signs >= len(parts)) or credited:
            yield NamedSpan(start, end, text, sure=bool(signs))
        elif (
            weak
            and not others
            and (full or len(parts) == 2 or (_YEAR_NEXT.match(prose, end) and not text.isupper()))
        ):
            yield NamedSpan(start, end, text, sure=False, weak=True)


def _trim_people(match: re.Match[str]) -> tuple[int, int]:
    """Return where the people of a match are, without words around them: "See Lee & Roe, Phys. Rev."."""
    start, end = match.span()
    while (first := _FIRST_WORD.match(match.string, start, end)) and first[1].lower() in _load_other_words():
        start = first.end()
    own = _OWN.search(match.string, start, end)
    end = own.end() if own else end
    joints = list(_PARTS.finditer(match.string, start, end))
    capitals = match.string[start:end].isupper()
    while joints and _is_no_person(match.string[joints[-1].end() : end], capitals=capitals):
        end = joints.pop().start()
    return start, end


def _is_no_person(words: str, *, capitals: bool) -> bool:
    """Return whether words are no person: "PRL" behind "Adler & Roe"; `capitals`: all are written so."""
    journal = not capitals and words.isupper() and words.isalpha() and len(words) >= _SIGN
    return journal or words.lower() in _load_other_words() or words.startswith(("The ", "A ", "An ", "On "))


def split_people(words: str) -> list[str]:
    """Return the people of a list of names, each as printed."""
    return [part for part in _PARTS.split(words) if part]


def _read_around(prose: str, start: int, end: int) -> str:
    """Return a stretch and what stands around it in the same block."""
    low = max(prose.rfind(WALL, max(0, start - _AROUND), start) + 1, start - _AROUND, 0)
    high = prose.find(WALL, end, end + _AROUND)
    return prose[low : high if high >= 0 else end + _AROUND]


def _is_signed(around: str, people: NamedSpan, title: NamedSpan, *, credited: bool) -> bool:
    if people.weak and not (credited and title.sure and _CITED_IN.search(around)):
        dated = _YEAR.search(around) or _CITED_YEAR.search(around)
        return bool(dated and (_VENUE.search(around) or _WORK.search(around)))
    year = _YEAR if people.sure or credited else _CITED_YEAR
    return bool(_WORK.search(around) or (year.search(around) and (title.sure or people.sure)))


def is_title_case(words: str) -> bool:
    """Return whether most long words begin with a capital."""
    long = [word for word in words.split() if len(word) > 3]
    return 2 * sum(not word[0].islower() for word in long) > len(long)


@cache
def _load_other_words() -> frozenset[str]:
    """Return the words that are hardly ever names."""
    tables = ("no_people", "not_names", "places")
    return _load_title_words().union(*map(load_words, tables)) - {"al", "et"}


@cache
def _load_title_words() -> frozenset[str]:
    tables = load_package_table("citeproof.text", "title_words.toml")
    return frozenset(word for words in tables.values() for word in words.split())
