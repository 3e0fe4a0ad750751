"""What was taken for a title and is none, by its place: the venue behind "in", an identifier, a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeproof.reading.parse.citation_anchors import MASK
from citeproof.reading.parse.label_stretches import Stretch, Stretches
from citeproof.reading.parse.name_run import NameRun, find_name_run
from citeproof.text import lazy_patterns as re
from citeproof.text.dates import LIKELY_YEAR, YEAR
from citeproof.text.names import is_given_name
from citeproof.text.unicode import find_script, strip_marks
from citeproof.text.venue_name import parse_venue

_RULED = 0.8
_IN = re.compile(r"[\s,.;:]{0,4}[Ii]n:?\s[“\"]?")
_PAGES_OF = re.compile(
    rf"[\s,.:]{{0,4}}(?:{YEAR}[a-z]?[.,:]\s)?([^.]{{8,300}})\.\sPages?\s[\d–-]{{1,15}}\sof:?\s"
)
_IN_BEHIND_YEAR = re.compile(rf"[\s,.;:]{{0,4}}(?:\(?{YEAR}[a-z]?\)?[\s,.:]{{0,3}})?[Ii]n:?\s[“‘\"]?")
_IN_CAPITAL = re.compile(rf"[\s.;:]{{0,4}}(?:\(?{YEAR}[a-z]?\)?[\s.:]{{0,3}})?(?P<first>In\s)")
_IN_FIRST = re.compile(r"In:?\s(?=[^\W\d_a-z])")
_PROCEEDINGS = re.compile(
    r"(?:the\s)?(?:Proc(?:\.|eedings\b)|Advances in|Workshop"
    r"|\d{1,4}(?:st|nd|rd|th)\s(?:[A-Z]{2,9}\b|Annual|Conf|Int|Symp|Work|Meet|European|World))"
)
_EDITED = re.compile(
    r"[(,]\s?eds?\.|\beds\.|\bedited by|\beditors?\b|\bhrsg\.", re.IGNORECASE
)  # not "2nd ed."
_PART_OF_BOOK = re.compile(r";|\bpp?\.?\s?\d|\bpages?\b|\bvol\b|\bchap", re.IGNORECASE)
_CHAPTER = re.compile(r"; [^;]{3,80}; pp?\s?\d")  # chemists: "In Handbook; Springer: Berlin, 1978; pp 1-7"
_INITIALS = re.compile(r"[^\W\d_]\.")
_INITIAL_BEFORE = re.compile(r"(?<![^\W\d_])[^\W\d_]\.\s?\Z")
_QUOTATION = re.compile(r"[\s,.:;()\d]{0,12}“([^“”]{4,300})”")
SURE = 0.9
_MARK = re.compile(
    r"\s?[\[［](?:[JMCDNRPSAZGK]|EB|DB|DS|CP|CM)(?:/(?:OL|CD|DK))?[\]］](?=\s?(?:[.．。,，:：;；/(（]|$))"
)
_EDGE = " .,:;．。，：、"
_CUT = re.compile(r"(?:,\s?et al\.?|[,，]?\s?等)[.．]?\s?|[.．]\s?")
_ONE = r"(?:(?i:de|del|la|van|von|der|den|di|da|du|el)\s){0,2}[^\W\d_][\w'’-]{1,30}(?:\s[^\W\d_a-z]){1,4}"
_NAMES = re.compile(rf"{_ONE}(?:,\s{_ONE}){{0,60}}(?:,\set al)?(?=\.\s)")
# Behind the names in author-year lists
_YEAR = re.compile(rf"(?:,\s?et al\.?|[,，]?\s?等)?[.,，]{{1,2}}\s?{YEAR}[a-z]?[.．]\s?")
_VENUE = re.compile(r"[\s.．。/]{1,4}([^\d,，.．:：][^,，:：]{1,120}?)\s?[,，]\s?(?=\d{4})")
_WORD_BEHIND = re.compile(r"(.{4,80}\b[^\W\d_a-z]\.) ([^\W\d_a-z][^\W\d_]{3,30})")
_HOUSE = re.compile(r"\s?[:：]\s?([^,，:：.]{2,60}?)\s?[,，]\s?(?=\d{4})")
_ISSUE = re.compile(rf"\s?\((?!{LIKELY_YEAR}\))(\d{{1,4}}(?:[-–/]\d{{1,4}})?)\)")
_FORM_SURE = 0.9
_FORM_EDGE = " .,:;"
_PERSON = r"[^\W\d_a-z][\w'’.-]{0,30}(?:\s(?:v[ao]n\s|de\s|der\s){0,2}[^\W\d_a-z][\w'’.-]{0,30}){0,3}"
_PEOPLE = rf"{_PERSON}(?:,\s{_PERSON}){{0,20}}(?:,?\s(?:&|and)\s{_PERSON}|,?\set\sal\b\.?)"
# "“Adam: A Method …” – Kingma & Ba, ICLR 2015", "Attention Is All You Need – Vaswani et al., 2017",
# "Generative Adversarial Nets – Goodfellow, Mirza, Xu (NeurIPS 2014)"
_TITLE_FIRST = re.compile(
    r"(?:[“\"](?P<quoted>[^“”\"]{4,300}?)[.,]?[”\"],?\s(?:[–—|-]\s|by\s)|(?P<plain>[^.,“”()\ue000]{12,300}?)\s[–—|-]\s)"
    rf"(?P<author>{_PERSON}(?:,\s{_PERSON}){{0,20}}"
    rf"(?:,?\s(?:&|and)\s{_PERSON}(?:,\s(?:[A-Z]\.[\s-]?){{1,3}})?|,?\set\sal\b\.?|(?=,\s[A-Z]\w*[A-Z]\w*\s\d)"
    rf"|(?<=\w)(?=\s(?:\([A-Z]\w*[A-Z]\w*\s\d|[–—|-]\s(?:arXiv|[A-Z]\w*[A-Z]\w*\s\d)))))"
    rf"(?:[,\s(.|–—-]{{1,4}}(?P<container>[^\d,()“”.\s:][^\d()“”:]{{0,100}}?)?[,\s(|–—-]{{0,4}}(?P<date>{YEAR})(?!\d)"
    r"|\s[–—|-]\s(?=arXiv)|\Z)"
)
# "周志华《机器学习》, 清华大学出版社, 2016年", "佐藤一郎「機械学習と図書館」『情報管理』第61巻第4号, 2018年"
_CORNERS = re.compile(
    r"(?P<author>[^\d《『「“(\[.:]{2,80}?)\s?(?:编著|編著|主编|编|編|著|訳|译)?[:,]?\s?"
    r"(?:(?:「(?P<part>[^「」]{2,200})」|《(?P<work>[^《》]{2,200})》),?\s?(?:『(?P<container>[^『』]{2,100})』|《(?P<in>[^《》]{2,100})》)"
    r"|[《『「](?P<title>[^《》『』「」]{2,200})[》』」](?:,?\s?(?:(?P<location>[^\d,:]{2,10}):\s?)?"
    rf"(?P<publisher>[^\d,:]{{2,30}}?),?\s(?=(?P<date>{YEAR})))?)"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_TITLE_AND_SOURCE = re.compile(
    r"(?:[“\"](?P<quoted>[^“”\"]{2,300}?)[.,]?[”\"],?|(?P<plain>[^.,“”()\ue000]{3,300}?))\s"
    rf"\((?:(?P<author>{_PEOPLE})|(?P<source>[^\d(),]{{2,80}}?)(?P<month>,?\s{_MONTH})?),?\s(?P<date>{YEAR})[a-z]?\)"
)
_PLAIN = re.compile(
    rf"(?:(?<=\.)|\.)\s(?P<title>[^.?!\ue000]{{2,250}}[?!]?)(?:(?<=[?!])|\.)\s(?P<date>{YEAR})[a-z]?(?=\.|$)"
)
_VOLUME = re.compile(r"\d{1,4}\s?\(\d{1,4}\)|\bpp\.\s?\d|\bvol\b", re.IGNORECASE)
_LINKED = re.compile(r"\.\s(?:URL|url):\s")  # biblatex's web pages
_VISITED = re.compile(
    r"\b(?:arxiv|doi|url|isbn|issn|eprint)\b|\[[a-z-]{2,10}(?:\.[A-Za-z-]{2,5})?\]"
    r"|\(?\b(?:visited|accessed)\b(?:\son)?[^a-z]{0,30}\)?|[:\s]",
    re.IGNORECASE,
)
_SLASH = re.compile(r"\s/\s")
_BEHIND = re.compile(r"\.?\s?(?://|[—–\[;]|et al|и др|$)|\.\s")
_DOUBTFUL = 0.5
_FEWEST_WORDS = 3  # of a title behind a name that may be words


def has_people_behind_title(text: str, lead: int) -> bool:
    """Return whether a citation begins like "Attention Is All You Need – Vaswani et al."."""
    return _TITLE_FIRST.match(text, lead) is not None


def settle_title(
    text: str, stretches: Stretches, run: NameRun, ids: Sequence[tuple[str, int, int]]
) -> Stretches:
    """Return the stretches with a title that is one, or with none; `ids` are where identifiers are."""
    if (settled := _take_sentence_before_pages(text, stretches)) is not None:
        return settled
    title = stretches.get("title")
    if title is None:
        return _take_sentence_with_in(text, stretches) or stretches
    if any(start <= title.start and title.end <= end + 1 for _, start, end in ids):
        return {name: stretch for name, stretch in stretches.items() if name != "title"}
    return (
        _take_first_quotation(text, stretches, title)
        or _give_name_back(text, stretches, title, run)
        or _move_to_venue(text, stretches, title)
        or stretches
    )


def _take_sentence_with_in(text: str, stretches: Stretches) -> Stretches | None:
    """Return "Kandel, E. In Search of Memory. 2006." with a title: what is behind "In" is no venue."""
    names, venue = stretches.get("author"), stretches.get("container")
    begin = _IN_CAPITAL.fullmatch(text, names.end, venue.start) if names and venue else None
    if (
        begin is None
        or venue is None
        or _PROCEEDINGS.match(text, venue.start)
        or _EDITED.search(text, venue.end)
    ):
        return None
    if parse_venue(text[venue.start : venue.end]).kind or _PART_OF_BOOK.search(text, venue.end):
        return None
    rest = {name: stretch for name, stretch in stretches.items() if name != "container"}
    return rest | {"title": replace(venue, start=begin.start("first"), ruled=True)}


def _take_first_quotation(text: str, stretches: Stretches, title: Stretch) -> Stretches | None:
    """Return “Deep residual learning,” in “Proceedings of …” with the first as its title."""
    names = stretches.get("author")
    first = _QUOTATION.match(text, names.end) if names else None
    if first is None or title.start < first.end() or _IN.fullmatch(text[first.end() : title.start]) is None:
        return None
    venue = {} if "container" in stretches else {"container": title}
    return stretches | venue | {"title": Stretch(*first.span(1), _RULED, ruled=True)}


def _take_sentence_before_pages(text: str, stretches: Stretches) -> Stretches | None:
    """Return "Deep residual learning. Pages 770–778 of: Proceedings of …" with the first as its title."""
    names, venue = stretches.get("author"), stretches.get("container") or stretches.get("title")
    if names is None or venue is None or " of" not in text[venue.start - 6 : venue.start]:
        return None
    before = _PAGES_OF.fullmatch(text, names.end, venue.start)
    if before is None:
        return None
    return stretches | {"container": venue, "title": Stretch(*before.span(1), _RULED, ruled=True)}


def _give_name_back(text: str, stretches: Stretches, title: Stretch, run: NameRun) -> Stretches | None:
    """Return "Claude E. Shannon: A Mathematical Theory" with the whole name as its author."""
    names = stretches.get("author")
    if names is None or not names.start < title.start < run.end < title.end or text[run.end] != ":":
        return None
    before = text[names.start : title.start]
    given_first = _INITIALS.match(before) or is_given_name(before.partition(" ")[0])
    if not given_first or _INITIAL_BEFORE.search(before) is None:  # "J. Ba. Adam: …", "Pearl J. Causality: …"
        return None
    rest = text[run.end : title.end]
    start = title.end - len(rest.lstrip(": "))
    return stretches | {
        "author": Stretch(names.start, run.end, _RULED, ruled=True),
        "title": replace(title, start=start),
    }


def _move_to_venue(text: str, stretches: Stretches, title: Stretch) -> Stretches | None:
    """Return "J. Sun, in Proceedings of … (IEEE, 2016)" without a title: physicists print none."""
    names = stretches.get("author")
    if names is None or names.end > title.start:
        return None
    words = text[title.start : title.end]
    between, inside = _IN_BEHIND_YEAR.fullmatch(text, names.end, title.start), _IN_FIRST.match(words)
    if between is None and inside is None:
        return None
    begin = title.start + (inside.end() if inside else 0)
    small = between is not None and " in" in between[0]
    if "container" in stretches and not (small and _PROCEEDINGS.match(text, begin)):
        return None
    venue = (
        _PROCEEDINGS.match(text, begin) or _EDITED.search(text, title.end) or _CHAPTER.match(text, title.end)
    )
    if not (small or venue):
        return None  # "In Search of Memory" is a title
    rest = {name: stretch for name, stretch in stretches.items() if name != "title"}
    return rest | {"container": replace(title, start=begin)}


def apply_style_marks(text: str, stretches: Stretches, run: NameRun) -> Stretches:
    """Return the stretches with the title before the mark, the journal behind it, an issue in brackets."""
    stretches = _find_publisher(text, _split_title_word(text, _find_issue(text, stretches)))
    mark = _MARK.search(text) if "[" in text or "［" in text else None
    if mark is None:
        return stretches
    names = stretches.get("author")
    if names:  # "Shannon C E. A Mathematical …" is no name
        listed = _NAMES.match(text, names.start, mark.start())
        end = listed.end() if listed else run.end if run.sure else names.end
        before = names.start < end < names.end and not _CUT.fullmatch(text, end, names.end)
        if before or (listed and end > names.end):
            stretches = stretches | {"author": replace(names, end=end)}
    start = _find_title_start(text, stretches, mark.start())
    title = Stretch(start, mark.start(), SURE, ruled=True)
    if not text[start : mark.start()].strip(_EDGE):
        return stretches
    rest = {name: s for name, s in stretches.items() if s.end <= start or s.start >= mark.end()}
    if "author" not in rest and (names := stretches.get("author")):
        rest["author"] = replace(names, end=min(names.end, start))
    if "J" in mark[0] and "container" not in rest and (venue := _VENUE.match(text, mark.end())):
        rest["container"] = Stretch(*venue.span(1), SURE, ruled=True)
    return rest | {"title": title}


def has_type_mark(text: str) -> bool:
    """Return whether an entry says by a mark such as `[J]` that it is in the style GB/T 7714."""
    return ("[" in text or "［" in text) and _MARK.search(text) is not None


def _find_title_start(text: str, stretches: Stretches, end: int) -> int:
    """Return where the title before `end` begins: behind the names and what cuts their list."""
    at = min(stretches["author"].end, end) if "author" in stretches else 0
    cut = (_YEAR.match(text, at) if at else None) or _CUT.match(text, at)
    cut = cut or (_CUT.search(text, at, end) if not at else None)
    at = cut.end() if cut and cut.end() < end else at
    return at + len(text[at:end]) - len(text[at:end].lstrip(_EDGE))


def _find_issue(text: str, stretches: Stretches) -> Stretches:
    """Return the stretches with the issue that is in brackets right behind the volume: "9(8)"."""
    volume = stretches.get("volume")
    match = _ISSUE.match(text, volume.end) if volume and "issue" not in stretches else None
    return stretches | {"issue": Stretch(*match.span(1), SURE, ruled=True)} if match else stretches


def _split_title_word(text: str, stretches: Stretches) -> Stretches:
    """Return the stretches with a title of one word parted from initials: "Said, Edward W. Orientalism"."""
    names = stretches.get("author")
    if names is None or "title" in stretches or "container" in stretches or "publisher" not in stretches:
        return stretches
    match = _WORD_BEHIND.fullmatch(text[names.start : names.end])
    if match is None:
        return stretches
    start = names.start + match.start(2)
    title = Stretch(start, names.end, names.confidence, ruled=True)
    return stretches | {"author": replace(names, end=names.start + match.end(1)), "title": title}


def _find_publisher(text: str, stretches: Stretches) -> Stretches:
    """Return the stretches with the publisher between its place and the year: "서울: 일조각, 1981"."""
    place = stretches.get("location")
    match = _HOUSE.match(text, place.end) if place and "publisher" not in stretches else None
    if match is None or any(s.start < match.end(1) and match.start(1) < s.end for s in stretches.values()):
        return stretches
    return stretches | {"publisher": Stretch(*match.span(1), SURE, ruled=True)}


def apply_forms(text: str, masked: str, stretches: Stretches, run: NameRun, lead: int) -> Stretches:
    """Return the stretches, those of such a form by rule.

    `masked` hides identifiers and years; the words begin at `lead`.
    """
    titled = _read_corner_brackets(text, stretches, lead) or _read_title_first(text, stretches, lead)
    if titled is not None:
        return titled
    if not run:
        return _read_gost(text, masked, stretches, run, lead) or stretches
    if run.editors:
        return stretches
    return (
        _read_plain_work(text, masked, stretches, run, lead)
        or _read_gost(text, masked, stretches, run, run.end)
        or _read_title_as_venue(text, stretches, run)
        or stretches
    )


def _read_corner_brackets(text: str, stretches: Stretches, lead: int) -> Stretches | None:
    """Return a Chinese or Japanese citation whose brackets say what is a title, a part or a periodical."""
    form = _CORNERS.match(text, lead)
    if form is None or find_script(form["author"]) != "CJK":
        return None
    names = {"part": "title", "work": "title", "in": "container"}
    spans = {names.get(name, name): form.span(name) for name, words in form.groupdict().items() if words}
    behind = {name: stretch for name, stretch in stretches.items() if stretch.start >= form.end()}
    return behind | {name: Stretch(*span, _FORM_SURE, ruled=True) for name, span in spans.items()}


def _read_title_first(text: str, stretches: Stretches, lead: int) -> Stretches | None:
    """Return "“Adam” – Kingma & Ba, ICLR 2015": the title, a stroke, people, and where it appeared.

    "“Adam” (ICLR 2015)" and "“Adam” (Kingma & Ba, 2015)" have one of both in brackets.
    """
    names = {"quoted": "title", "plain": "title", "source": "container"}
    form = _TITLE_FIRST.match(text, lead) or _TITLE_AND_SOURCE.match(text, lead)
    if form is None:
        return None
    spans = {name: form.span(name) for name, words in form.groupdict().items() if words}
    dated = spans.pop("month", None)  # "(The Verge, March 2022)": of a title in quotation marks it is enough
    over = not text[form.end() :].strip(" .")
    if "source" in spans:
        known = bool(parse_venue(form["source"]).kind)
        if not (known or dated if "quoted" in spans else known and over and _are_words(form["plain"])):
            return None
    elif "plain" in spans:
        bracketed = text[form.start("author") - 1] == "("
        listed = "et al" in form["author"] or form["author"].count(", ") > 1
        if not over if bracketed else not listed:
            return None
    behind = {name: stretch for name, stretch in stretches.items() if stretch.start >= form.end()}
    ruled = {names.get(name, name): Stretch(*span, _FORM_SURE, ruled=True) for name, span in spans.items()}
    return behind | ruled


def _are_words(plain: str) -> bool:
    """Return whether what stands before a venue in brackets is a title, not people or a name."""
    words = plain.split()
    return len(words) > 1 and "et al" not in plain and (len(words) > 3 or not is_given_name(words[0]))


def _read_plain_work(
    text: str, masked: str, stretches: Stretches, run: NameRun, lead: int
) -> Stretches | None:
    """Return "Tom Leinster. Basic Category Theory. 2016. arXiv: …", with nothing else in it."""
    plain = None if run.sure else _PLAIN.match(text, run.end)
    if plain is None:
        return None
    rest = masked[plain.end() :]
    linked = _LINKED.match(text, plain.end()) is not None and _VOLUME.search(rest) is None
    if not linked and _VISITED.sub("", rest).strip(_FORM_EDGE + "()[]" + MASK):
        return None
    title = stretches.get("title")
    lost = title is None or title.start >= plain.end("date")
    known = is_given_name(run.names[0].given.split(" ")[0])
    if not (lost or known) or (len(plain["title"].split()) < _FEWEST_WORDS and not linked):
        return None
    return {
        "author": Stretch(lead, run.end, _FORM_SURE, ruled=True),
        "title": Stretch(*plain.span("title"), _FORM_SURE, ruled=True),
        "date": Stretch(*plain.span("date"), _FORM_SURE, ruled=True),
    }


def _read_gost(text: str, masked: str, stretches: Stretches, run: NameRun, begin: int) -> Stretches | None:
    """Return "Gropp, William. Using MPI-2 / William Gropp, Ewing Lusk. — …" with all its people.

    A work of four and more begins with its title.
    """
    slash = _SLASH.search(text, begin)
    if slash is None:
        return None
    people = find_name_run(masked, slash.end())
    first = strip_marks(run.names[0].family).lower() if run else ""
    same = any(strip_marks(name.family).lower() == first for name in people.names) if run else people.sure
    if not same or not _BEHIND.match(text, people.end):
        return None
    words = text[begin : slash.start()].lstrip(_FORM_EDGE)
    if not words:
        return None
    rest = {name: stretch for name, stretch in stretches.items() if stretch.start >= people.end}
    author = Stretch(slash.end(), people.end, _FORM_SURE, ruled=True)
    return rest | {
        "author": author,
        "title": Stretch(slash.start() - len(words), slash.start(), _FORM_SURE, ruled=True),
    }


def _read_title_as_venue(text: str, stretches: Stretches, run: NameRun) -> Stretches | None:
    """Return "Nigel P. Smart, Cryptography Made Simple, 2016": what has no volume or pages is no journal."""
    venue = stretches.get("container")
    if (
        venue is None
        or venue.confidence > _DOUBTFUL
        or stretches.keys() & {"title", "volume", "issue", "pages"}
    ):
        return None
    head, comma, rest = text[venue.start : venue.end].partition(", ")
    if text[run.end : venue.start].strip(_FORM_EDGE) or len(head.split()) < _FEWEST_WORDS:
        return None
    title = Stretch(venue.start, venue.start + len(head), venue.confidence, ruled=True)
    others = {name: stretch for name, stretch in stretches.items() if name != "container"}
    if comma and rest:
        others["container"] = Stretch(venue.end - len(rest), venue.end, venue.confidence, ruled=True)
    return others | {"title": title}
