"""Works that prose describes, in whatever order and form: what a trained tagger sees of each.

1. The tagger labels words: people, title, venue, year, place in it, identifier (`prose_tagger.py`).
2. Stretches of different labels with little between them are of one work.
3. A work is cited if the tagger is sure of its title and of something else, or very sure of the title alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, zip_longest

from citeproof.reading.extractors.prose.mention_reading import load_words
from citeproof.reading.extractors.prose.prose_mask import FILL, WALL
from citeproof.reading.extractors.prose.prose_tagger import load_prose_tagger, read_parts, tag_parts
from citeproof.reading.extractors.prose.titles_and_people import find_set_off, is_title_case
from citeproof.reading.extractors.records.labelled_fields import build_claimed_fields
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Claimed, FieldOrigin, Origin
from citeproof.vocabulary.quick_dataclass import dataclass

OTHER_THINGS = (  # credits of films and records, rights, addresses of e-mail
    r"\b(?:directed by|dir\. by|starring|soundtrack|[Cc]opyright|All rights reserved|changelog)\b"
    r"|\((?:film|album|song|TV)\b|\b(?:BWV|KV|[Oo]p\.|Hob\.) ?\d"
    r"|\b(?i:novels?|films?|movies?|albums?|songs?|poems?|operas?|paintings?)[:,]?\s[*_\"“]"
    r"|\b(?:[Ss]eason|[Ee]pisode) \d|\w@\w[\w-]*\.\w|<\S+@\S+>"
)
_OTHER_THING = re.compile(OTHER_THINGS)
_LEISURE = re.compile(
    r"\b(?:films?|movies?|albums?|watch\w*|games?|novels?|novellas?|director|songs?|singles?|series|season|vintage"
    r"|cars?|tour|band|soundtrack|playlists?|setlist|encore|paintings?|painted|painter|museum|gallery|comics?|manga|podcasts?|episodes?"
    r"|operas?|poems?|poet|book club|bookshop|bedtime|cinema|actors?|starring|vinyl|LP|concert|premiered"
    r"|Romane?|Filme?|Kino|Gemälde|Lied(?:er)?|Spiele?|romans?|tableaux?|chansons?|cinéma|película|novela|filme"
    r"|canci(?:ón|ones)|romance|romanzo|dipinto|canzone|фильм\w*|роман\w*|альбом\w*|картин\w*|песн\w*)\b"
    r"|电影|小说|专辑|绘画|映画|小説|アルバム|漫画",
    re.IGNORECASE,
)
VENUE_WORDS = re.compile(
    r"\b(?:Proc\w*|Journal|J\.|Transactions|Trans\.|Conference|Symposium|Workshop|Letters|Lett\.|Annals|Advances|Review\w*|Press"
    r"|Nature|Science|Cell|Lancet|arXiv|bioRxiv|medRxiv|Universit\w+|Quarterly|Bulletin|Archives|Magazine|Preprint|PhD)\b"
    r"|^[A-Z][A-Za-z]{0,3}[A-Z]{2,}[\w-]*$|^[A-Z]{2,}[A-Za-z]*(?:[ -][A-Z]{2,}\w*)?$"
)
_BRIDGED = 2  # tokens of another label that do not break a stretch of a title or of people
_LIFE = re.compile(r"(?:1\d|20)\d\d\s?[–—-]\s?(?:(?:1\d|20)\d\d|present|heute|now)\b")  # no year of a work
_AROUND = 600  # characters that tell whether a text speaks of films and novels
_PAPER = re.compile(
    r"\b(?:papers?|stud(?:y|ies)|articles?|research\w*|journals?|thesis|proceedings)\b", re.IGNORECASE
)
_FEWEST_BEHIND = 5  # words behind a bracket that are another title
_GAP = 90  # characters between two stretches of one work
_NEAR = 12  # characters between what is set off and another stretch that make it a title
_MOST_WORDS = 40  # of a title
_LONGEST = 1200  # characters of a work
_TITLED, _ALONE = 0.45, 0.9  # how sure of a title; of one that has nothing else
_OTHER = 0.3  # what the probability counts that a word is of no work
_STATED = 0.4  # how sure of what else is said
_HEADED = re.compile(  # "### 2.3 Cars for All (Doe, 2025)", "Cars for All (Doe; ICML 2025)"
    rf"(?:^|[\n{WALL}])[ \t]{{0,3}}(?P<sign>#{{1,6}}\s(?:\d[\d.]{{0,9}}\s)?)?"
    rf"(?P<title>[^\W_][^\n(){WALL}{FILL}]{{12,250}}?)"
    rf"(?=\s\((?(sign)|[^()\d\n{WALL}]{{4,100}}"
    rf";\s[^()\d,\n{WALL}]{{2,40}}\s(?:19|20)\d\d\)\.?[ \t]*(?:[\n{WALL}]|$)))"
)
_INITIALS = re.compile(r"(?<!\w)[^\Wa-z_\d](?:\.|$)")
_SENTENCE = re.compile(rf"[)\].,:]{{1,3}}\s(?P<title>[^\Wa-z_][^.?!\n(){WALL}{FILL}]{{12,200}})(?=[.?!])")
_BESIDE_TITLES = {"author": 0.4, "container": 0.4, "date": 0.97}  # how sure of what makes a title next to it
_WORK_BEFORE = re.compile(
    r"\b(?:papers?|study|article|preprint|thesis|dissertation|monograph|manuscript|Aufsatz|Studie|Artikel|artículo"
    r"|estudio|étude|artigo|articolo)\s(?:(?:called|titled|entitled|named)\s)?$"
)
_NEXT_ITEM = re.compile(
    rf"[\n{WALL}][ \t]*(?:[-*+•–][ \t]|\(?\d{{1,4}}[.)]|\(?[a-z]\)|#{{1,6}}[ \t]|\[\^?[\w-]{{1,30}}\]|{WALL})"
)

_APART = re.compile(rf"[^\W\d_]{{3}}[.!?][)”\"’*_]{{0,3}}\s+[^\Wa-z_]|\n[ \t]*\n|{WALL}[ \t]*\n")
_NEXT_SENTENCE = re.compile(r"^[^.]{0,12}\)[.!?]\s+[^\Wa-z_]\w*(?:\s[^\W\d_]+){3}")
_NUMBER = re.compile(r"[\s>#*_-]*(?:\[(\^?[\w-]{1,30})\]:?|\(?(\d{1,3})[.)）])\s$")
_OTHERS = re.compile(r",?\s(?:and|&)\s(?:co-?workers|colleagues|others|coauthors|co-authors)\b\.?$")
MARK = "mark"  # the label of a number that points into a list of references
_OWN = re.compile(r"['’]s?$")
_EDGE = " \t\n,;:*_|`\"“”«»„‘’'()[]" + WALL + FILL


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
class TaggedStretch:
    """Words of one label: where, and how sure the tagger is of them."""

    label: str
    start: int
    end: int
    sure: float


def is_other_thing(text: str) -> bool:
    """Return whether a line speaks of a film, an album, a release or a letter."""
    return _OTHER_THING.search(text) is not None


def is_leisure(prose: str, start: int, end: int) -> bool:
    """Return whether the text around a place speaks of films, novels, music or games, and not of research."""
    around = prose[max(0, start - _AROUND) : start] + prose[end : end + _AROUND]
    return _LEISURE.search(around) is not None and not _PAPER.search(around)


def find_cited_spans(prose: str) -> Iterator[DescribedWork]:
    """Yield the works that masked prose describes, in order."""
    for group in group_stretches(prose):
        if is_cited(whole := _add_title_behind(prose, group)):
            yield _describe_work(prose, whole)


def _add_title_behind(prose: str, group: list[TaggedStretch]) -> list[TaggedStretch]:
    """Return the stretches with the title that is behind people with initials and a year, as in a list."""
    last = group[-1]
    people = [prose[one.start : one.end] for one in group if one.label == "author"]
    listed = last.label == "date" and len(group) > 1 and any(_INITIALS.search(words) for words in people)
    behind = _SENTENCE.match(prose, last.end) if listed else None
    return [*group, TaggedStretch("title", *behind.span("title"), _TITLED + 0.01)] if behind else group


def is_cited(group: Sequence[TaggedStretch]) -> bool:
    """Return whether stretches say enough of a work to cite it."""
    titles = [one.sure for one in group if one.label == "title"]
    rest = [one.sure for one in group if one.label != "title"]
    if not titles:
        labels = {one.label for one in group if one.sure > _STATED}
        return {"author", "date"} < labels and bool(labels & {"container", "locator"})
    return max(titles) > (_TITLED if max(rest, default=0.0) > _STATED else _ALONE)


def group_stretches(prose: str) -> Iterator[list[TaggedStretch]]:
    """Yield the stretches of each work."""
    group: list[TaggedStretch] = []
    stretches = [one for one in find_stretches(prose) if one.label != MARK]
    for one, following in zip_longest(stretches, stretches[1:]):
        led = following is not None and _is_led_by_title(prose, group, one, following)
        if group and (led or not _is_of_same_work(prose, group, one)):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _is_led_by_title(
    prose: str, group: Sequence[TaggedStretch], one: TaggedStretch, following: TaggedStretch
) -> bool:
    """Return whether a title is of the people right behind it: "(Doe, 2016) did it, and “A title” by Roe"."""
    if not group or (one.label, following.label) != ("title", "author"):
        return False
    return following.start - one.end <= _NEAR and len(prose[group[-1].end : one.start].split()) > 2


def _is_of_same_work(prose: str, group: Sequence[TaggedStretch], one: TaggedStretch) -> bool:
    """Return whether a stretch is of the same work as those before it."""
    last, labels = group[-1], {each.label for each in group}
    gap = prose[last.end : one.start]
    if len(gap) > _GAP or one.end - group[0].start > _LONGEST or _NEXT_ITEM.search(gap):
        return False
    if _NEXT_SENTENCE.search(gap):
        return False
    if one.label in ("title", "author") and one.label in labels:
        return False
    apart = _APART.search(gap) is not None  # the next sentence or paragraph
    if apart and labels & {"author", "date", "container"} and len(labels) > 1:
        return False
    repeated = one.label == "date" and "date" in labels and labels & {"title", "author"}
    return not repeated or last.label in ("container", "locator", "id")


@lru_cache(maxsize=64)
def find_stretches(prose: str) -> tuple[TaggedStretch, ...]:
    """Return the stretches of masked prose in order."""
    parts = list(read_parts(prose))
    names = load_prose_tagger().labels
    found: list[TaggedStretch] = []
    weights = [_OTHER if name == "O" else 1.0 for name in names]
    for part, labelled in zip(parts, tag_parts(parts), strict=True):
        at = 0
        chosen = (labelled.shares * weights).argmax(axis=1).tolist()
        for low, high in part.ids:
            chosen[low:high] = [names.index("id")] * (high - low)
        for label, run in groupby(chosen):
            count = len(list(run))
            first, at = at, at + count
            if (name := names[label]) == "O":
                continue
            sure = float(labelled.shares[first:at, label].mean())
            if name == "author":
                words = part.tokens.words
                while (
                    first < at - 1
                    and words[first].lower() in load_words("not_names")
                    and words[first + 1][0].isupper()
                ):
                    first += 1  # "So Smithson (2022)"
            start, end = part.start + part.tokens.starts[first], part.start + part.tokens.end(at - 1)
            before = found[-1] if found else None
            bridged = part.tokens.starts[max(0, first - _BRIDGED)] + part.start
            if before and before.label == name and name in ("title", "author") and before.end >= bridged:
                start, sure = found.pop().start, min(before.sure, sure)
            if name == "date" and _LIFE.search(prose, start, end + 8):
                continue
            closed = _find_bracket(prose, start, end)
            if prose[start:closed].strip():
                found.append(TaggedStretch(name, start, closed, sure))
            if (
                name == "title" and len(prose[closed:end].split()) > _FEWEST_BEHIND
            ):  # the next title, and what leads to it
                found.append(TaggedStretch(name, closed + 1, end, sure))
    return tuple(_add_set_off(prose, found))


def _find_bracket(prose: str, start: int, end: int) -> int:
    """Return where a bracket closes that was opened before these words, or else their end."""
    opened = 0
    for at in range(start, end):
        opened += (prose[at] in "([（") - (prose[at] in ")]）")
        if opened < 0 and not prose[at + 1 : at + 2].isalnum():  # "(Un)decidable"
            return at
    return end


def _add_set_off(prose: str, found: Sequence[TaggedStretch]) -> list[TaggedStretch]:
    """Return the stretches, titles as quotation marks bound them; what is set off next to others is one."""
    starts, ends = [one.start for one in found], [one.end for one in found]
    bounded: dict[int, TaggedStretch] = {}  # by the number of the stretch that they replace
    more: list[TaggedStretch] = []
    headed = ((*match.span("title"), match["title"]) for match in _HEADED.finditer(prose))
    for start, end, words in (*find_set_off(prose), *headed):
        headline = prose[start] in "*_" and words[-1:] in (".", "!")
        if FILL in words or not 1 < len(words.split()) < _MOST_WORDS or words[-1] == ":" or headline:
            continue
        near = range(bisect_right(ends, start - _NEAR), bisect_left(starts, end + _NEAR))
        inside = [at for at in near if found[at].start < end and start < found[at].end]
        called = _WORK_BEFORE.search(prose, max(0, start - 40), start) is not None
        beside = any(found[at].sure > _BESIDE_TITLES.get(found[at].label, 1.0) for at in near)
        sure = _ALONE + 0.01 if called else _TITLED + 0.01 if beside else 0.0
        within = all(found[at].label == "title" and start <= found[at].start for at in inside)
        if len(inside) == 1 and within and found[inside[0]].end <= end:
            bounded[inside[0]] = TaggedStretch("title", start, end, max(sure, found[inside[0]].sure))
        elif sure and not inside and (words[-1] not in ".!?," or is_title_case(words)):
            more.append(TaggedStretch("title", start, end, sure))
    kept = [bounded.get(at, one) for at, one in enumerate(found)]
    return sorted([*kept, *more], key=lambda one: one.start)


def _describe_work(prose: str, group: Sequence[TaggedStretch]) -> DescribedWork:
    """Return what stretches say of their work."""
    start, end = group[0].start, _find_closed_end(prose, group[0].start, group[-1].end)
    raw = prose[start:end]

    def read(label: str) -> str:
        words = max((one for one in group if one.label == label), key=lambda one: one.sure, default=None)
        return " ".join(prose[words.start : words.end].split()).strip(_EDGE) if words else ""

    title = read("title")
    claimed = None
    if title:
        stated = {
            "title": title.rstrip("."),
            "authors": _OTHERS.sub(" et al.", _OWN.sub("", read("author"))),
            "year": read("date"),
            "journal": read("container"),
        }
        claimed = build_claimed_fields(stated, raw)
        sure = max(one.sure for one in group if one.label == "title")
        read_by = [FieldOrigin(one.field, Origin.MODEL, sure) for one in claimed.origins]
        claimed = replace(claimed, origins=tuple(read_by))
    line = max(prose.rfind(sign, 0, start) for sign in ("\n", WALL)) + 1
    number = _NUMBER.match(prose, line, start)
    label = (number[1] or number[2]) if number else ""
    whole = bool(title) or any(one.label == "locator" for one in group)
    return DescribedWork(start, end, raw, claimed, label.removeprefix("^"), sure=whole)


def _find_closed_end(prose: str, start: int, end: int) -> int:
    """Return the end with the brackets that close behind it what was opened in it."""
    for sign in prose[end : end + 3]:
        inside = prose[start:end]
        opened = sum(map(inside.count, "([（")) > sum(map(inside.count, ")]）"))
        if sign not in ")]）" or not opened:
            break
        end += 1
    return end
