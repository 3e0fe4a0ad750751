"""The citations in running text: identifiers, links to works, people with years, titles, marks.

What stands next to each other and says different things of one work (people and year, a title, a journal, an
identifier) is one citation; two of a kind never are, so that each is judged alone. Places are those of the
text that was given.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from urllib.parse import unquote

from citeproof.reading.extractors.prose.citation_marks import LabelMark, find_marks
from citeproof.reading.extractors.prose.cited_spans import (
    MARK,
    DescribedWork,
    find_cited_spans,
    find_stretches,
    is_leisure,
)
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions
from citeproof.reading.extractors.prose.people_with_years import find_people, is_certain, leads_reference
from citeproof.reading.extractors.prose.prose_mask import FILL, MaskedProse, blank_spans
from citeproof.text import doi, ids, url
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Claimed, Ids, Name
from citeproof.vocabulary.quick_dataclass import dataclass

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_PIECE, _LONGEST_ID = 18_000, 500  # characters in which identifiers are searched at a time
_TITLE_WORDS = 4  # of a link that is a title, not "this paper"
_WORKS = ids.SCHEMES - {"url", "issn", "orcid"}

_ADDRESS = re.compile(
    r"(?<![\w@/.])(?:(?:https?|hxxps?):)?//[^\s<>\[\]\"“”|\ufffc\ufdd0]{4,1000}"
    r"|(?<![\w@/.:-])(?:[a-z0-9-]{1,40}\.){1,4}(?:org|com|gov|net|edu|info|pub|press|io|uk|br|fr|science|cc)"
    r"/[^\s<>\[\]\"“”|\ufffc\ufdd0]{2,1000}"
    r"|(?<![\w@/.:-])(?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,10}/10\.\d{4,9}/[^\s<>\[\]\"“”|\ufffc\ufdd0]{2,500}",
    re.IGNORECASE,
)
_BARE_NUMBERS = re.compile(r"\[\^?\d{1,3}(?:,\s?\d{1,3}){0,9}\]")
_DOI_INSIDE = re.compile(r"(?<![\d.])10\.\d{4,9}/[^\s&#\"<>]{2,200}")
_NUMBERED = re.compile(r"10\.\d{4,9}(?:\.\d{1,3}){0,3}/(?:\d{1,4}|[a-z]{1,4})")
_AROUND_ID = re.compile(
    r"\binfo:doi/|\burn:doi:|[`\u3000-\u303f\u3400-\u9fff\uff00-\uffef]|\]\("
)  # no part of an identifier
_GAP = re.compile(  # what may stand between two things that are said of one work
    r"[\s,.;:*_“”\"']{0,4}[(\[]?\s?"
    r"(?:(?:in|by|[dD][oO][iI]|see|from|arXiv|at|[Ll]ink|URL|url|paper|[Aa]vailable at)[\s:.]{1,3}){0,2}"
    r"[(\[“\"*_]{0,3}"
)


@dataclass(frozen=True, slots=True)
class TextCitation:
    """One place of a text that cites something; `text` is what a reader sees there."""

    start: int
    end: int
    text: str
    claimed: Claimed | None = None  # what is said of the work: an identifier, a title, people
    mention: AuthorYearMention | None = None
    labels: tuple[str, ...] = ()  # numbers or keys of entries in a reference list
    entry: bool = False  # it is an entry of a list, a footnote or BibTeX, and all of it describes one work
    label: str = ""  # the number or key of an entry
    doubtful: bool = False  # it is a citation only if the text cites elsewhere, too

    @property
    def year(self) -> int | None:
        """The year that it names, of a work that it names by its authors."""
        if self.labels or self.claimed is not None:
            return None
        stated = _YEAR.search(self.text)
        return self.mention.year if self.mention else int(stated[0]) if stated else None

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class _Part:
    """One thing that a text says of a work."""

    kind: str  # "people", "title", "id", or "target": where a link leads whose text cites by itself
    start: int
    end: int
    mention: AuthorYearMention | None = None
    words: str = ""
    year: int | None = None
    pairs: tuple[tuple[str, str], ...] = ()


def find_inline_citations(
    masked: MaskedProse, listed: Mapping[str, bool], *, scholarly: bool = False
) -> list[TextCitation]:
    """Return the citations in prose, in order.

    `listed`: labels that the text defines, and whether as a work. `scholarly`: the text is known to cite, so
    that what may be a citation is one.
    """
    linked, targets = _read_links(masked)
    taken = SpanSet((one.start, one.end) for one in linked)
    for span in targets:
        taken.take(*span)
    parts = linked + [one for one in _find_identifiers(masked, targets) if taken.take(one.start, one.end)]
    works = list(find_cited_spans(masked.prose))
    printed = (one.claimed for one in works if one.claimed and one.claimed.title)
    scholarly = scholarly or bool(parts) or any(listed.values()) or any(one.venue for one in printed)
    if not scholarly:
        works = [one for one in works if not _is_of_leisure(masked.prose, one)]
    people = [
        _Part("people", start, end, mention, year=mention.year if mention else None)
        for start, end, mention in find_people(masked.prose, scholarly=scholarly)
        if taken.is_free(start, end)
    ]
    parts += [one for one in people if taken.take(one.start, one.end)]
    found = [_make_citation(masked, group) for group in _join_parts(masked, parts, works)]
    taken = SpanSet(one.span for one in found)
    for mark in _choose_marks(masked.prose, listed, scholarly=scholarly or bool(found)):
        if taken.take(mark.start, mark.end):
            text = masked.text[mark.start : mark.end]
            found.append(TextCitation(mark.start, mark.end, text, labels=mark.labels))
    return sorted(_add_cited_spans(masked, found, works), key=lambda one: one.start)


def _is_of_leisure(prose: str, work: DescribedWork) -> bool:
    """Return whether a work of which only title, people and year are told may be a film or a novel."""
    claimed = work.claimed
    if claimed is None or claimed.venue or claimed.pages or claimed.volume or claimed.ids.pairs:
        return False
    return is_leisure(prose, work.start, work.end)


def _choose_marks(prose: str, listed: Mapping[str, bool], *, scholarly: bool) -> Iterator[LabelMark]:
    """Yield the marks that point into a list; where nothing else cites, only numbers that are like marks."""
    marks = [*find_marks(prose, listed)]
    bare = [one for one in marks if _BARE_NUMBERS.fullmatch(prose, one.start, one.end)]
    known = scholarly or len(bare) < len(marks) or any(listed.values())
    likely = SpanSet((one.start, one.end) for one in find_stretches(prose) if one.label == MARK)
    yield from (one for one in marks if known or not likely.is_free(one.start, one.end))


def _add_cited_spans(
    masked: MaskedProse, cited: Sequence[TextCitation], described: Sequence[DescribedWork]
) -> Iterator[TextCitation]:
    """Yield the citations, and the works of which they are only parts in their place."""
    whole = SpanSet(one.span for one in cited if one.labels or _is_whole(one.claimed))
    parts = SpanSet(one.span for one in cited)
    linked = {one.span: one.claimed.ids.pairs if one.claimed else () for one in cited}
    works = SpanSet()
    last = 0
    for work, following in zip_longest(described, described[1:]):
        if not whole.is_free(work.start, work.end):
            continue
        meeting = [*parts.list_meeting(work.start, work.end)]
        if work.claimed is None and any(linked[one] for one in meeting):
            continue  # an identifier says more than people and a year
        start = max(last, min([work.start, *(low for low, _ in meeting)]))
        last = end = max([work.end, *(high for _, high in meeting)])
        if following and work.end <= following.start < end:
            last = end = work.end  # "its title, and Roe (2018)" was read as two people
        if works.take(start, end):
            text, claimed = masked.text[start:end], work.claimed
            if claimed is not None:
                pairs = dict.fromkeys(
                    [*claimed.ids.pairs, *(pair for one in meeting for pair in linked[one])]
                )
                claimed = replace(claimed, ids=Ids(tuple(pairs)))
            mention = None if work.sure else next(find_mentions(text), None)
            yield TextCitation(start, end, text, claimed, mention, entry=mention is None, label=work.label)
    yield from (one for one in cited if works.is_free(*one.span))


def _is_whole(claimed: Claimed | None) -> bool:
    """Return whether a link says of its work what it is."""
    return bool(claimed and claimed.title and (claimed.authors or claimed.ids.pairs))


# --- identifiers and links ---------------------------------------------------------------------------


def identify_work(address: str) -> tuple[tuple[str, str], ...]:
    """Return the identifiers of the work that an address leads to; none for any other address."""
    address = re.sub(r"^(?:(?:https?|hxxps?):)?(?://)?", "https://", address, flags=re.IGNORECASE)
    pairs = ids.identify_url(address)
    if any(scheme in _WORKS for scheme, _ in pairs):
        return pairs
    if inside := _DOI_INSIDE.search(unquote(unquote(address))):  # "?doi=10.1000/x", "10.1000%252Fx"
        return tuple((scheme, value) for scheme, value, *_ in ids.find_ids(f"doi:{inside[0]}"))
    for _, own in pairs:
        host, path = url.get_host(own), "/" + own.partition("://")[2].partition("/")[2]
        for at in range(host.count(".")):
            known = _load_hosts().get(host.split(".", at)[-1])
            if known and known.match(path):
                return pairs
    return ()


@cache
def _load_hosts() -> dict[str, re.Pattern[str]]:
    table = load_package_table("citeproof.reading.extractors.prose", "work_addresses.toml")["hosts"]
    return {host: re.compile(path) for host, path in table.items()}


def _leads_to_no_work(address: str) -> bool:
    table = load_package_table("citeproof.reading.extractors.prose", "work_addresses.toml")[
        "no_works"
    ].split()
    host = url.get_host(address)
    return any(host == known or host.endswith(f".{known}") for known in table)


def _read_links(masked: MaskedProse) -> tuple[list[_Part], list[tuple[int, int]]]:
    """Return the links that lead to works or say which, and the spans of all links' targets."""
    found: list[_Part] = []
    used: list[tuple[int, int]] = []
    for link in masked.links:
        first, last = link.inner
        if _leads_to_no_work(link.url):
            used.append((link.start, link.end))
            continue
        used.append((last, link.end))
        words = "" if link.auto else masked.prose[first:last].strip(f"{FILL} *_\"“”'")
        pairs = identify_work(link.url)
        stated = {(scheme, value) for scheme, value, *_ in ids.find_ids(words) if scheme in _WORKS}
        people = [one for one in find_mentions(words) if one.sure or leads_reference(words, one)]
        if len(people) > 1 or len(stated - set(pairs)) > 0 or words.strip("[]^ ").isdigit():
            if pairs:  # its text cites by itself
                found.append(_Part("target", last, link.end, pairs=pairs))
            continue
        if not pairs and not (people and len(words.split()) > _TITLE_WORDS):
            named = [one for one in find_mentions(words) if is_certain(one)]
            if len(named) == 1 and named[0].start == 0 and not link.auto:  # "[Doe & Roe 2020](notes.html)"
                found.append(_Part("people", first, last, named[0], year=named[0].year))
            continue
        title = words if len(words.split()) >= _TITLE_WORDS and "://" not in words and not people else ""
        mention = people[0] if people else None
        found.append(
            _Part("id", link.start, link.end, mention, title, pairs=pairs or ids.identify_url(link.url))
        )
    return found, used


def _find_identifiers(masked: MaskedProse, targets: Sequence[tuple[int, int]]) -> Iterator[_Part]:
    """Yield the identifiers of works, and the addresses that lead to works, outside of links."""
    taken = SpanSet()
    text = _AROUND_ID.sub(lambda match: " " * len(match[0]), blank_spans(masked.text, targets))
    for match in _ADDRESS.finditer(text):
        address = doi.trim_tail(match[0])
        pairs = identify_work(address)
        if pairs and taken.take(match.start(), match.start() + len(address)):
            yield _Part("id", match.start(), match.start() + len(address), pairs=pairs)
    for start in range(0, max(1, len(text)), _PIECE):
        spans: dict[tuple[int, int], list[tuple[str, str]]] = {}
        for scheme, value, low, high in ids.find_ids(text[start : start + _PIECE + _LONGEST_ID]):
            if scheme in _WORKS and low < _PIECE:
                spans.setdefault((start + low, start + high), []).append((scheme, value))
        for span, stated in spans.items():
            if _NUMBERED.fullmatch(text[slice(*span)]):
                continue  # "order 10.4711/2023"
            if taken.take(*span):
                yield _Part("id", *span, pairs=tuple(stated))


# --- parts to citations ------------------------------------------------------------------------------


def _join_parts(
    masked: MaskedProse, parts: Iterable[_Part], works: Sequence[DescribedWork]
) -> Iterator[list[_Part]]:
    """Yield the parts next to each other that say different things of one work; `works` part them."""
    starts = [work.start for work in works]
    group: list[_Part] = []
    for part in sorted(parts, key=lambda one: (one.start, -one.end)):
        kinds = {kind for one in group for kind in _list_kinds(one)}
        joins = group and not kinds & {*_list_kinds(part), "target"} and part.kind != "target"
        if joins and bisect_left(starts, part.end) > bisect_left(starts, group[-1].end):
            joins = False  # the next work has begun
        if joins and group[-1].kind == "id" and part.kind == "people":  # "doi:10.1/x. Sun (2025) says"
            joins = "." not in masked.prose[group[-1].end : part.start]
        if joins and _GAP.fullmatch(masked.prose, group[-1].end, part.start):
            group.append(part)
            continue
        if group:
            yield group
        group = [part]
    if group:
        yield group


def _list_kinds(part: _Part) -> list[str]:
    kinds = [part.kind]
    kinds += ["people"] if part.mention and part.kind != "people" else []
    return kinds + (["title"] if part.words and part.kind == "id" else [])


def _make_citation(masked: MaskedProse, group: Sequence[_Part]) -> TextCitation:
    start, end = group[0].start, group[-1].end
    start, end = _add_brackets(masked.text, start, end) if len(group) > 1 else (start, end)
    text = masked.text[start:end]
    mention = next((one.mention for one in group if one.mention), None)
    if len(group) == 1 and group[0].kind == "people":
        return TextCitation(start, end, text, mention=mention)
    titled = next((one for one in group if one.words and one.kind in ("title", "id")), None)
    pairs = tuple(pair for one in group for pair in one.pairs if pair[0] != "venue")
    venue = next((value for one in group for scheme, value in one.pairs if scheme == "venue"), None)
    years = [one.year for one in group if one.year] or ([mention.year] if mention else [])
    names: tuple[Name, ...] = mention.names if mention else ()
    claimed = Claimed(
        title=titled.words if titled else None,
        authors=names,
        et_al=mention.et_al if mention else True,
        year=years[0] if years else None,
        venue=venue or (mention.venue if mention else None),
        ids=Ids(pairs),
    )
    return TextCitation(start, end, text, claimed)


def _add_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span with the bracket that closes behind it what was opened in it."""
    inside = text[start:end]
    for opens, closes in ("()", "[]"):
        if inside.count(opens) == inside.count(closes) + 1 and text[end : end + 1] == closes:
            end += 1
    return start, end
