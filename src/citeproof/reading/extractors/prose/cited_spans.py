"""Spans of prose that say enough of a work to be a citation, in whatever order and form.

1. Signals: people, a year, what may be a title, a venue, a place in it, an identifier, words such as "paper".
2. Signals with little between them are a chain; a run of words between two of them may be a title.
3. A chain is described by features, and a sum of weights decides whether it cites (`span_weights.toml`,
   fitted by `bench/fit_span_weights.py`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from citeproof.reading.extractors.prose.mention_finder import is_known_venue
from citeproof.reading.extractors.prose.mention_reading import load_words
from citeproof.reading.extractors.prose.prose_mask import FILL, WALL
from citeproof.reading.extractors.prose.titles_and_people import (
    find_bare_titles,
    find_people_named,
    find_set_off,
    is_title_case,
    load_title_words,
    split_people,
)
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Claimed

OTHER_THINGS = (  # credits of films and records, rights, addresses of e-mail
    r"\b(?:directed by|dir\. by|starring|soundtrack|[Cc]opyright|All rights reserved|changelog)\b"
    r"|\((?:film|album|song|TV)\b|\b(?:BWV|KV|[Oo]p\.|Hob\.) ?\d"
    r"|\b(?i:novels?|films?|movies?|albums?|songs?|poems?|operas?|paintings?)[:,]?\s[*_\"“]"
    r"|\b(?:[Ss]eason|[Ee]pisode) \d|\w@\w[\w-]*\.\w|<\S+@\S+>"
)
_OTHER_THING = re.compile(OTHER_THINGS)
VENUE_WORDS = re.compile(
    r"\b(?:Proc\w*|Journal|J\.|Transactions|Trans\.|Conference|Symposium|Workshop|Letters|Lett\.|Annals|Advances|Review\w*|Press"
    r"|Nature|Science|Cell|Lancet|arXiv|bioRxiv|medRxiv|Universit\w+|Quarterly|Bulletin|Archives|Magazine|Preprint|PhD)\b"
    r"|^[A-Z][A-Za-z]{0,3}[A-Z]{2,}[\w-]*$|^[A-Z]{2,}[A-Za-z]*(?:[ -][A-Z]{2,}\w*)?$",
)
_FEWEST, _MOST = 3, 40  # words of a title
_LETTERS = 6  # same, of one in a script without spaces
_GAP, _LONG_GAP = 5, 12  # words between two signals of one chain; before a title that is set off
_LONGEST = 900  # characters of a chain
_WHOLE = 0.8  # share of a line
_MANY, _SCALE = 12, 4  # words of a title, or between signals, that count, and how many are one unit
_AROUND = 60  # characters around a chain that are read

_DATE = r"(?<![\d/.#:-])(?:1[5-9]\d|20[0-3])\d[a-z]?(?![\d/]|[.:-]\d|[a-z])(?:\s?年)?"
_YEAR = re.compile(rf"[(（\[]{_DATE}[)）\]]|{_DATE}")
_LOCATOR = re.compile(
    r"(?<![\d.])\d{1,4}\s?\(\d{1,4}\)|\b(?:[Vv]ol(?:ume)?|[Nn]o|pp?|Bd|S|Nr|Heft|issue|n[°º]|№|с|т)\.?\s?\d{1,5}\b"
    r"|[;,:]\s?\d{1,4}[,:]\s?[eA-Z]?\d{1,6}(?:\s?[-–—]\s?\d{1,6})?|[,:]\s?\d{1,5}\s?[-–—]{1,2}\s?\d{1,5}(?![\d:])"
    r"|\d{1,4}\s?[卷巻]|\d{1,4}\s?[期号]|\b(?!(?:1[5-9]|20)\d\d,)\d{1,4},\s(?!(?:1[5-9]|20)\d\d\b)\d{3,6}\b"
)
_IDENTIFIER = re.compile(r"\b10\.\d{4,9}/\S{2,200}|\b(?i:arxiv)[:\s]\s?\d{4}\.\d{4,5}|\bPMID:?\s?\d{5,8}")
_LONE = r"[^\Wa-z_\d][^\W\d_][\w'’-]{1,30}"
_CREDITED = re.compile(  # one last name: "by Doe", "(Doe 2020"
    rf"\b(?:by|von|par|por|di)\s(?P<who>{_LONE})(?=[,.(\s])|(?<=[(\[])(?P<dated>{_LONE})(?=,?\s(?:1[5-9]|20)\d\d)"
)
_WORK = re.compile(
    r"\b(?:papers?|stud(?:y|ies)|articles?|preprint|thesis|dissertation|monograph|chapter|book|essay|meta-analysis"
    r"|survey|review|trial|experiment|replication|report|note|letter|Studie|Aufsatz|Buch|Artikel|Beitrag|Arbeit|artículo|estudio|libro|étude"
    r"|ouvrage|livre|artigo|estudo|livro|articolo|saggio|стать[яеи]|работ[аеы]|книг[аеи])\b|论文|一文|論文|文章"
)
_CREDIT = re.compile(
    r"\b(?:by|see|cf\.?|according to|von|par|por|di|nach|selon|según|secondo|from|авторы?|authors?|in)\s"
    r"[*_“\"«„]{0,2}$",
    re.IGNORECASE,
)
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CJK_TITLE = re.compile(rf"[「『《〈“\"]([^」』》〉”\"\n{WALL}]{{4,100}})[」』》〉”\"]")
_CJK_PEOPLE = re.compile(
    rf"(?<![{_CJK}])(?!年)(?:[{_CJK}]{{2,6}}(?:[、・·，,]\s?|と|和|与|與)){{0,5}}[{_CJK}]{{2,6}}(?:ら|等)?(?=\s?(?:[（(]\d{{4}}[)）]|[「『《〈“]))"
)
_VENUE_BEFORE_YEAR = re.compile(
    r"(?<![\w.])(?:[^\Wa-z_\d][\w.&*’'-]{1,24}\s(?:(?:of|and|the|in|for|on)\s){0,2}){1,7}$|(?<![\w.])[^\Wa-z_\d][\w.&*-]{2,24},?\s$"
)
_VENUE_BEHIND = re.compile(
    r"[)\]]{0,2}[.,]?\s\(?(?P<whole>[*_]{1,2}(?P<name>[^\Wa-z_][\w.&-]{2,30}"
    r"(?:\s(?:of|and|the|for|on|in|&|[^\Wa-z_][\w.&-]{0,30})){0,7})[*_]{1,2})"
)
_RUN = re.compile(  # words between two signs: what may be a title
    rf"(?!\)[.!?;])[\s)\]*_”\"»“]{{0,3}}(?:[.,:;?!—–|→·-]{{1,2}}\s?|[，：、。]|(?<=[)\]])\s|\s[—–-]{{1,2}}\s)[\s*_(]{{0,3}}"
    rf"(?P<run>[^\W_a-z](?:[^.?!;\n{WALL}{FILL}]|\.(?=\w)|[?!](?=\s?[^\W\d_])){{7,260}}?)"
    r"(?P<stop>[.?!]?[\s)(\[*_]{0,3}|\s?[,:;—–|，。]\s?\(?)(?:[A-Z][\w.]{0,9}\s){0,3}$"
)
_SENTENCE_END = re.compile(
    r"[^\WA-Z_]{2}[”\")*_]{0,3}[.!?][”\")*_]{0,3}\s[^\Wa-z_]|\n\s*\n|\n\s{0,9}(?:[-*+•]|\d{1,3}[.)])\s"
)
_LETTERED = re.compile(r"[^\W\d_]+")
_TAIL = re.compile(
    rf"(?!\)[.!?])[)\]]?(?:(?:[,:.—–|→-]{{1,2}}|\s[—–→-]{{1,2}})(?:\s|(?=[{_CJK}]))|[，：、]|\s\()[*_]{{0,2}}"
    rf"(?P<run>[^\W_a-z][^.?!;()\[\]\n{WALL}{FILL}“\"。]{{7,200}})(?=[.?!;)\]\n{WALL}。]|$)"
)
_OTHERS = re.compile(r",?\s(?:and|&)\s(?:co-?workers|colleagues|others|coauthors|co-authors)\b\.?$")
_NUMBER = re.compile(r"[\s>#*_-]*(?:\[(\^?[\w-]{1,30})\]:?|\(?(\d{1,3})[.)）])\s$")
_OWN = re.compile(r"['’]s$")
_SPEAKERS = frozenset(("your", "my", "our", "i", "i'd", "i'll", "i'm", "but"))
_NEXT_WORD = re.compile(r"[\s,*_”\")]{0,4}([a-z]{3,20})\b")
_MARK = re.compile(r"[\s>*_#+•–\d.()\[\]-]{0,16}$")
_NAMES_BEFORE = re.compile(
    r"(?<![\w.])(?:[^\W\d_][\w'’.-]{1,30}(?:\s(?:&|and|und|y|et)\s|,\s|\s)){0,4}[^\W\d_][\w'’.-]{1,30}"
    r"(?:['’]s)?(?:\set\sal\.?)?,?\s{0,2}(?:[*_(]{1,2})?$"
)


@dataclass(frozen=True, slots=True)
class DescribedWork:
    """What describes a work: where, and what it claims; None where a parser is to read it."""

    start: int
    end: int
    text: str
    claimed: Claimed | None
    label: str
    sure: bool  # it has a title, or says where the work was printed


@dataclass(frozen=True, slots=True)
class Signal:
    """One sign of a work: people, year, title, run, venue, locator, identifier or work (a word for one)."""

    kind: str
    start: int
    end: int
    words: str = ""
    sort: str = ""  # of a title: quoted, emphasised, cased; of people: sure, several, weak


@dataclass(frozen=True, slots=True)
class Chain:
    """Signals that may be of one work."""

    prose: str
    signals: tuple[Signal, ...]

    @property
    def start(self) -> int:
        return self.signals[0].start

    @property
    def end(self) -> int:
        return self.signals[-1].end

    def list_kind(self, kind: str) -> list[Signal]:
        return [one for one in self.signals if one.kind == kind]

    @property
    def title(self) -> Signal | None:
        """What is likeliest its title."""
        titles = self.list_kind("title") + self.list_kind("run")
        return min(titles, key=lambda one: (one.sort == "cased", one.kind == "run", one.start), default=None)

    def measure(self) -> dict[str, float]:
        """Return the features by which it is judged."""
        people, found = self.list_kind("people"), {one.kind for one in self.signals} - {"title", "run"}
        values = dict.fromkeys(found, 1.0)
        values |= _measure_title(self.title) if self.title else {"untitled": 1.0}
        values |= self._measure_place() | self._measure_joints()
        years = {one.words.strip("()[]") for one in self.list_kind("year")}
        values["only_dated"] = float(found <= {"year", "work"})
        values["years"] = float(len(years) > 2)
        values["bracketed_year"] = float(any(one.words[0] in "([（" for one in self.list_kind("year")))
        values["sure_people"] = float(any(one.sort == "sure" for one in people))
        values["several_people"] = float(any(one.sort == "several" for one in people))
        values["owned"] = float(any(one.words.endswith(("'s", "’s")) for one in people))
        values["credit"] = float(
            any(_CREDIT.search(self.prose, max(0, one.start - 15), one.start) for one in people)
        )
        return {name: value for name, value in values.items() if value}

    def _measure_place(self) -> dict[str, float]:
        """Return what its line and the words around it say."""
        start = self._find_line_start()
        ends = [self.prose.find(sign, self.end) for sign in ("\n", WALL)]
        end = min((at for at in ends if at >= 0), default=len(self.prose))
        around = self.prose[max(start, self.start - _AROUND) : min(end, self.end + _AROUND)]
        law = self.title is not None and self.title.words.split()[-1].lower() in load_words("no_people")
        verb = _NEXT_WORD.match(self.prose, self.end)
        return {
            "first": float(_MARK.fullmatch(self.prose, start, self.start) is not None),
            "whole": float((self.end - self.start) > _WHOLE * (end - start)),
            "other_thing": float(is_other_thing(around) or law),
            "reports": float(verb is not None and verb[1] in load_words("reports")),
        }

    def _measure_joints(self) -> dict[str, float]:
        """Return which signals are next to each other, and how many words are between all of them."""
        joints, words = set(), 0
        for one, other in pairwise(self.signals):
            between = len(_LETTERED.findall(self.prose[one.end : other.start]))
            words += between
            kinds = {one.kind, other.kind} if between < _FEWEST - 1 else set()
            if kinds & {"title", "run"}:
                joints |= {f"next_{kind}" for kind in kinds & {"people", "year"}}
            if kinds == {"people", "year"}:
                joints.add("dated_people")
                opened, closed = self.prose[one.start - 1 : one.start], self.prose[other.end : other.end + 1]
                joints |= (
                    {"bracketed_people"} if opened in {"(", "["} and closed in {")", "]", ","} else set()
                )
        return {**dict.fromkeys(joints, 1.0), "words_between": min(words, _MANY) / _SCALE}

    def weigh(self, weights: Mapping[str, float]) -> float:
        """Return how much says that it cites; above 0 it does."""
        values = self.measure()
        return weights["bias"] + math.fsum(weights.get(name, 0.0) * value for name, value in values.items())

    def describe(self) -> DescribedWork:
        """Return what it says of its work."""
        title, years = self.title, self.list_kind("year")
        people = min(self.list_kind("people"), key=lambda one: one.sort == "weak", default=None)
        end = self._find_closed_end()
        raw = self.prose[self.start : end]
        claimed = None
        if title is not None and title.kind == "title":
            venue = next((one.words for one in self.list_kind("venue") if one.sort == "named"), "")
            stated = {
                "journal": venue,
                "title": title.words,
                "authors": _OTHERS.sub(" et al.", _OWN.sub("", people.words)) if people else "",
                "year": years[0].words.strip("()[]（）") if years else "",
            }
            claimed = build_claimed_fields(stated, raw)
        whole = title is not None or bool(self.list_kind("locator"))
        number = _NUMBER.match(self.prose, self._find_line_start(), self.start)
        label = (number[1] or number[2]) if number else ""
        return DescribedWork(self.start, end, raw, claimed, label.removeprefix("^"), sure=whole)

    def _find_line_start(self) -> int:
        return max(self.prose.rfind(sign, 0, self.start) for sign in ("\n", WALL)) + 1

    def _find_closed_end(self) -> int:
        """Return its end with the brackets that close behind it what was opened in it."""
        end = self.end
        for sign in self.prose[end : end + 3]:
            inside = self.prose[self.start : end]
            opened = sum(map(inside.count, "([（")) > sum(map(inside.count, ")]）"))
            if sign not in ")]）" or not opened:
                break
            end += 1
        return end


def _count_words(words: str) -> int:
    """Return how many words there are; in scripts without spaces two letters count as one."""
    return len(words.split()) + len(re.findall(f"[{_CJK}]", words)) // 2


def _measure_title(title: Signal) -> dict[str, float]:
    words = title.words.split()
    long = [word for word in words if len(word) > 3]
    topical = sum(word.strip(",:?.()").lower() in load_title_words() for word in long)
    small = {word.strip(",.") for word in words if word.islower()} | {words[0].lower()}
    capitals = sum(not word[0].islower() for word in long) / max(len(long), 1)
    said = bool(small & (load_words("verbs") | _SPEAKERS))
    return {
        title.sort or title.kind: 1.0,
        "short": float(_count_words(title.words) <= _FEWEST),
        "title_words": min(_count_words(title.words), _MANY) / _SCALE,
        "topical": topical / max(len(long), 1),
        "capitals": capitals,
        "quotation": float(
            title.sort == "quoted" and capitals < 0.5 and (said or title.words[-1:] in ".!?,")
        ),
        "shouted": float(title.words.isupper()),
        "colon": float(": " in title.words),
        "said": float(said),
        "ended": float(title.words[-1:] in ".!"),
        "small_start": float(title.words[:1].islower()),
    }


@cache
def load_weights() -> Mapping[str, float]:
    table = load_package_table("citeproof.reading.extractors.prose", "span_weights.toml")
    return {name: float(value) for name, value in table["weights"].items()}


def is_other_thing(text: str) -> bool:
    """Return whether a line speaks of a film, an album, a release or a letter."""
    return _OTHER_THING.search(text) is not None


def find_cited_spans(prose: str) -> Iterator[DescribedWork]:
    """Yield the works that masked prose describes, in order."""
    for chain in find_chains(prose):
        if chain.weigh(load_weights()) > 0:
            yield chain.describe()


def find_chains(prose: str) -> Iterator[Chain]:
    """Yield the chains of signals that may be of a work."""
    chain: list[Signal] = []
    for signal in find_signals(prose):
        link = _read_gap(prose, chain, signal) if chain else None
        if link is None and chain:
            yield from _complete_chain(prose, chain)
            chain = []
        chain += [*(link or ()), signal]
    if chain:
        yield from _complete_chain(prose, chain)


def _read_gap(prose: str, chain: Sequence[Signal], signal: Signal) -> list[Signal] | None:
    """Return what is between a chain and the next signal, if both may be of one work; None if not."""
    at, last = max(one.end for one in chain), chain[-1].kind
    gap, kinds = prose[at : signal.start], {one.kind for one in chain}
    set_off = signal.kind == "title" and signal.sort != "cased"
    linked = FILL in gap and "identifier" in (signal.kind, last)  # what a link leads to is another one
    apart = linked or WALL in gap or "quotation" in (signal.kind, last)
    if apart or signal.end - chain[0].start > _LONGEST:
        return None
    gap = gap.replace(FILL, " ")
    if "\n" in gap and signal.kind in kinds - {"people", "venue"}:
        return None  # the next line says the same of another work
    if set_off and any(one.kind == "title" and one.sort != "cased" for one in chain):
        return None
    complete = "year" in kinds and kinds & {"title", "run"}
    if complete and (
        (signal.kind == "people" and "people" in kinds) or (";" in gap and signal.kind == "title")
    ):
        return None  # the next reference
    led = last in ("people", "identifier") or (last == "year" and kinds & {"people", "identifier"})
    if led and (run := _RUN.match(gap)) and _count_words(run["run"]) >= _FEWEST:
        return [_make_run(run, at)]
    words = _LETTERED.findall(gap)
    ended = _SENTENCE_END.search(prose, max(0, at - 4), signal.start + 1)
    named = all(not word[0].islower() for word in words) and gap.count("\n") < 2  # ", Phys. Rev. Lett. "
    return [] if len(words) <= (_LONG_GAP if set_off else _GAP) and (named or not ended) else None


def _make_run(match: re.Match[str], at: int = 0) -> Signal:
    start = at + match.start("run")
    return Signal("run", start, start + len(match["run"].rstrip()), match["run"].strip())


def _complete_chain(prose: str, chain: Sequence[Signal]) -> Iterator[Chain]:
    """Yield a chain, with the title or names that it ends or begins with, if it says enough of a work."""
    works = any(one.kind == "work" for one in (chain[0], chain[-1]))
    while chain and chain[0].kind == "work":
        chain = chain[1:]
    while chain and chain[-1].kind == "work":
        chain = chain[:-1]
    if not chain:
        return
    kinds = {one.kind for one in chain}
    if not kinds & {"title", "run"} and kinds & {"year", "identifier"}:
        tail = _TAIL.match(prose, chain[-1].end)
        chain = [*chain, _make_run(tail)] if tail and _count_words(tail["run"]) >= _FEWEST else chain
    if chain[0].kind == "title" or (chain[0].kind == "year" and "people" not in kinds):
        chain = [*_find_names_before(prose, chain[0].start), *chain]
    kinds = {one.kind for one in chain}
    told = kinds & {"people", "year", "locator", "identifier", "venue"}
    placed = works or kinds & {"venue", "locator"}
    if (kinds & {"title", "run"} and told) or (placed and {"people", "year"} <= kinds):
        yield Chain(prose, tuple(chain))


def _find_names_before(prose: str, end: int) -> Iterator[Signal]:
    """Yield the names right before a title or a year that only their place shows: "Doe, “A title”"."""
    before = _NAMES_BEFORE.search(prose, max(0, end - 80), end)
    words = before[0].strip(" ,*_(") if before else ""
    no_names = load_words("not_names") | load_words("no_people")
    if before is None or words.split()[0].lower() in no_names or not any(map(str.isupper, words)):
        return
    if re.search(r"\s(?:&|and|et|y|und)\s|['’]", words) or before[0].rstrip(" *_(").endswith(","):
        start = before.start()
        yield Signal("people", start, start + len(before[0].rstrip(" ,*_(")), words, "weak")


# --- signals -----------------------------------------------------------------------------------------


def find_signals(prose: str) -> list[Signal]:
    """Return the signals of a text in order; none is over another."""
    titles = [*_find_titles(prose)]
    people = [
        Signal("people", one.start, one.end, one.words, _sort_people(one.words, sure=one.sure, weak=one.weak))
        for one in find_people_named(prose, weak=True)
    ]
    people += [
        Signal("people", *match.span(match.lastgroup or 0), match[match.lastgroup or 0], "weak")
        for match in _CREDITED.finditer(prose)
    ]
    people += [Signal("people", *match.span(), match[0], "several") for match in _CJK_PEOPLE.finditer(prose)]
    years = [Signal("year", *match.span(), match[0]) for match in _YEAR.finditer(prose)]
    venues = [Signal("venue", *match.span(), match[0]) for match in VENUE_WORDS.finditer(prose)]
    venues = [*_find_venues_behind(prose, [*titles, *years]), *venues, *_find_venues(prose, years)]
    led = {one.start for one in people if one.sort != "weak"}
    titles = [one for one in titles if one.kind == "title" or led.isdisjoint(range(one.start, one.start + 4))]
    rest = [
        Signal(kind, *match.span(), match[0])
        for kind, pattern in (("identifier", _IDENTIFIER), ("locator", _LOCATOR), ("work", _WORK))
        for match in pattern.finditer(prose)
    ]
    bare = [Signal("title", one.start, one.end, one.words, "cased") for one in find_bare_titles(prose)]
    kept: list[Signal] = []
    for group in (
        titles,
        rest[:],
        [one for one in people if one.sort != "weak"],
        bare,
        years,
        venues,
        people,
    ):
        starts = [one.start for one in kept]
        fresh = [one for one in sorted(group, key=lambda one: one.start) if _is_free(kept, starts, one)]
        kept = sorted([*kept, *_drop_overlaps(fresh)], key=lambda one: one.start)
    return kept


def _is_free(kept: Sequence[Signal], starts: Sequence[int], one: Signal) -> bool:
    at = bisect_right(starts, one.start)
    return (at == 0 or kept[at - 1].end <= one.start) and (at == len(kept) or kept[at].start >= one.end)


def _drop_overlaps(signals: Sequence[Signal]) -> Iterator[Signal]:
    end = -1
    for one in signals:
        if one.start >= end:
            end = one.end
            yield one


def _find_titles(prose: str) -> Iterator[Signal]:
    for start, end, words in find_set_off(prose):
        count = len(words.split())
        fewest = 1 if prose[start] in "*_" else 0
        if FILL in words or words[-1] == ":" or not fewest < count <= _MOST:
            continue
        sort = "emphasised" if prose[start] in "*_" else "quoted"
        if words[-1] in ".!" and (sort == "emphasised" or not is_title_case(words)):
            yield Signal("quotation", start, end)  # or the head of a paragraph
            continue
        yield Signal("title", start, end, " ".join(words.split()).strip(" ,*_"), sort)
    for match in _CJK_TITLE.finditer(prose):
        if len(re.findall(f"[{_CJK}]", match[1])) >= _LETTERS:
            yield Signal("title", *match.span(), match[1], "quoted")


def _find_venues(prose: str, years: Sequence[Signal]) -> Iterator[Signal]:
    for year in years:
        low = max(0, year.start - 120)
        if match := _VENUE_BEFORE_YEAR.search(prose[low : year.start].rstrip(" ,(") + " "):
            name = match[0].strip(" ,*_")
            if is_known_venue(name):
                yield Signal("venue", low + match.start(), low + match.start() + len(match[0].rstrip()), name)


def _find_venues_behind(prose: str, signals: Sequence[Signal]) -> Iterator[Signal]:
    for one in signals:
        behind = _VENUE_BEHIND.match(prose, one.end)
        if behind and (is_known_venue(behind["name"]) or VENUE_WORDS.search(behind["name"])):
            yield Signal("venue", behind.start("whole"), behind.end(), behind["name"], "named")


def _sort_people(words: str, *, sure: bool, weak: bool) -> str:
    if sure or " et al" in words:
        return "sure"
    return "weak" if weak and len(split_people(words)) < 2 else "several"
