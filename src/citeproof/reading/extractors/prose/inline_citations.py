"""The citations in running text: identifiers, links to works, people with years, titles, marks.

What stands next to each other and says different things of one work (people and year, a title, a journal, an
identifier) is one citation; two of a kind never are, so that each is judged alone. Places are those of the
text that was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote

from citeproof.reading.extractors.prose.citation_marks import find_marks
from citeproof.reading.extractors.prose.cited_spans import VENUE_WORDS
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention, find_mentions, is_known_venue
from citeproof.reading.extractors.prose.people_with_years import find_people, is_certain, leads_reference
from citeproof.reading.extractors.prose.prose_mask import FILL, MaskedProse, blank_spans
from citeproof.reading.extractors.prose.titles_and_people import find_bare_titles, find_set_off, is_title_case
from citeproof.text import doi, ids, url
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.span_set import SpanSet
from citeproof.vocabulary import Claimed, Ids, Name

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_PIECE, _LONGEST_ID = 18_000, 500  # characters in which identifiers are searched at a time
_TITLE_WORDS = 4  # of a link that is a title, not "this paper"
_WORKS = ids.SCHEMES - {"url", "issn", "orcid"}
_SHORTEST, _LONGEST = 2, 40  # words of a title
_SIGN = 3  # characters of a short word
_NEAR = 30  # characters between two things that are said of one work

_ADDRESS = re.compile(
    r"(?<![\w@/.])(?:(?:https?|hxxps?):)?//[^\s<>\[\]\"“”|\ufffc\ufdd0]{4,1000}"
    r"|(?<![\w@/.:-])(?:[a-z0-9-]{1,40}\.){1,4}(?:org|com|gov|net|edu|info|pub|press|io|uk|br|fr|science|cc)"
    r"/[^\s<>\[\]\"“”|\ufffc\ufdd0]{2,1000}"
    r"|(?<![\w@/.:-])(?:[a-z0-9-]{1,40}\.){1,4}[a-z]{2,10}/10\.\d{4,9}/[^\s<>\[\]\"“”|\ufffc\ufdd0]{2,500}",
    re.IGNORECASE,
)
_DOI_INSIDE = re.compile(r"(?<![\d.])10\.\d{4,9}/[^\s&#\"<>]{2,200}")
_NUMBERED = re.compile(r"10\.\d{4,9}(?:\.\d{1,3}){0,3}/\d{1,4}")
_AROUND_ID = re.compile(
    r"\binfo:doi/|\burn:doi:|[`\u3000-\u303f\u3400-\u9fff\uff00-\uffef]|\]\("
)  # no part of an identifier
_WORK_BEFORE = re.compile(
    r"\b(?i:papers?|study|studies|article|preprint|thesis|dissertation|monograph|manuscript|pre-print|aufsatz|chapter"
    r"|studie|artikel|artículo|estudio|étude|artigo|стать[яеи]|работ[аеы]|(?:technical|research)\sreport|meta-analysis"
    r"|systematic review|publication)\b"
    r"(?P<told>[^.!?;“”\"\n\ufdd0]{0,70})\s?$"
)
_NAMED = re.compile(
    r"(?:\b(?:as|in|is|was|titre|title|título|titled|entitled|called|named|intitulé|titulado|Titel)|^|,|:)\s?$"
)
_VENUE_AFTER = re.compile(
    r"[\s,.]{0,3}(?P<issued>(?:published|appeared|printed|presented)\s)?(?:\(|(?:in|at)\s(?:the\s)?|,\s?)?\s?[*_]{0,2}"
    r"(?P<name>(?:Proc(?:eedings|\.)|Journal|J\.|Transactions|Trans\.|Annals|Advances|Lecture\sNotes)[^()\n\ufdd0]{2,100}?"
    r"|[^\Wa-z_][\w.&'’-]{1,40}(?:\s(?:of|on|and|the|in|for|&|[^\Wa-z_][\w.&'’-]{0,30})){0,8}?)"
    r"[*_]{0,2}(?:[\s,(]{1,3}|\sin\s)'?(?P<year>(?:1[5-9]|20)\d\d)\)?"
)
_ISSUE_BEHIND = re.compile(  # "“A title” (Weather 3, 1992)": a volume says that it is a journal
    r"\s\((?P<name>[^\Wa-z_][^()\d\n]{2,60}?)\s\d{1,4}(?:[(:/.]\d{1,4}\)?)?,\s(?P<year>(?:1[5-9]|20)\d\d)\)(?P<issued>)"
)
_DATED_BEHIND = re.compile(r",?\s?\((?:1[5-9]|20)\d\d[a-z]?[,)]")
_SAID_OF_WORK = re.compile(  # 'Design Note 16-41, "A title"', "her letter, 'A title'"
    r"(?<!\w)(?:[A-Z\d(][\w./)-]*(?:['’]s)?"
    r"|letter|essay|report|note|memo|talk|lecture|book|monograph|tract|rapport|livre|ouvrage|mémoire|thèse|Bericht|Buch"
    r"|Arbeit|Beitrag|Vortrag|libro|informe|tesis|ensayo|relatório|livro|tese|rapporto|tesi|saggio|отч[её]т|книг[аеиу])"
    r",?\s$"
)
_NUMBERED_REPORT = re.compile(  # 'Design Note TRI-16-41, "A title"', 'US Patent 7,918,442 B2, "A title"'
    r"(?<!\w)(?:[A-Z][\w.-]*\s){1,5}(?=[\w./,-]*\d)[\w./,-]{2,20}(?:\s[A-Z]\d)?,\s$"
)
_SUBTITLED = re.compile(r"\w: [^\Wa-z_]")
_TITLE_SAID = re.compile(r"\b(?:as|titre|title|titled|entitled|called|named|intitulé|titulado|Titel)\s$")
_IN_VENUE = re.compile(
    r"[\s,]{1,3}in\s(?:the\s)?[*_]{0,2}([^\Wa-z_][\w.&-]{1,30}(?:\s(?:(?:of|and|the|for|on|in)\s)?[^\Wa-z_][\w.&-]{1,30}){1,6})"
)
_QUOTE_NEXT = re.compile(r",?\s[“\"«„‘*_]")
_LISTED_PEOPLE = re.compile(
    r"[^\W\d_]{2},\s(?:[^\Wa-z_]\.\s?){1,3}|[^\W\d_]{2}\s[^\Wa-z_]{1,2}[,.(]"
)  # "Doe, J.", "Doe J,"
_REFERENCE_TITLE = re.compile(
    r"[)\].,:]{0,2}\s([*_“\"]{0,2}[^\Wa-z_][^\n\ufdd0\ufffc()]{14,250}?[*_”\"]{0,2})(?:[.?!]|$)"
    r"(?:\s(?=[^.\n\ufdd0]{0,120}\d)[^.\n\ufdd0]{3,120}(?:\.(?=\s|$))?)?"
)
_GAP = re.compile(  # what may stand between two things that are said of one work
    r"[\s,.;:*_“”\"']{0,4}[(\[]?\s?"
    r"(?:(?:in|by|[dD][oO][iI]|see|from|arXiv|at|[Ll]ink|URL|url|paper|[Aa]vailable at)[\s:.]{1,3}){0,2}"
    r"[(\[“\"*_]{0,3}"
)
_BARE_TITLE = r"([^\Wa-z_][^()\[\];\n\ufdd0\ufffc]{15,250}?)"
_TITLE_AFTER_ID = re.compile(rf"[,;:]\s{_BARE_TITLE}(?=[)\]])")
_NAME = r"[^\Wa-z_\d][\w.'’-]{1,30}"
_TOLD_BEHIND_ID = re.compile(  # "arXiv:2209.1 (Doe, Roe: A title)", "doi:10.1/x — Doe & Roe, A title."
    rf"\s{{0,2}}(?:[—–:-]|\()\s?(?P<all>{_NAME}(?:(?:,?\s(?:and|&)\s|,\s|\s){_NAME}){{0,4}}(?:\set\sal\.?)?[,:.]\s"
    r"(?P<title>[^\Wa-z_][^()\n\ufdd0\ufffc]{14,250}?))(?:\)|[.](?:\s|$)|\n|$)"
)
_TITLE_BEFORE_ID = re.compile(rf"[(\[]{_BARE_TITLE}[,;:]\s(?:[A-Za-z]{{3,6}}[:\s]{{1,2}})?\Z")
_HEADED = re.compile(
    r"(?:^|[\n\ufdd0])[ \t]{0,12}(?:#{1,6}|[-*+•](?=\s)|\d{1,3}[.)])\s{1,3}"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s)?"
    r"((?:[^\Wa-z_]|[a-z]\w{1,20}:\s)(?:[^\n\ufdd0\ufffc()\[\]]|\([^()\n\ufdd0]{1,40}\)(?!$)){12,250}?)[\s,:–—-]{0,3}\(?$"
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
    scholarly = scholarly or bool(parts) or any(listed.values())
    people = [
        _Part("people", start, end, mention, year=mention.year if mention else None)
        for start, end, mention in find_people(masked.prose, scholarly=scholarly)
        if taken.is_free(start, end)
    ]
    people = list(_read_dated_titles(masked.prose, people))
    scholarly = scholarly or any(one.mention and is_certain(one.mention) for one in people)
    titles = [*_find_titles(masked.prose, [*parts, *people])]
    titles = [*_find_titles(masked.prose, [*parts, *people], scholarly=True)] if scholarly or titles else []
    titles += _find_headings(masked.prose, people)
    titles += _find_bracketed_titles(masked.prose, [*parts, *people])
    titles += _find_titles_behind(masked.prose, people)
    parts += [one for one in (*titles, *people) if taken.take(one.start, one.end)]
    found = [_make_citation(masked, group) for group in _join_parts(masked, parts)]
    taken = SpanSet(one.span for one in found)
    for mark in find_marks(masked.prose, listed):
        if taken.take(mark.start, mark.end):
            text = masked.text[mark.start : mark.end]
            found.append(TextCitation(mark.start, mark.end, text, labels=mark.labels))
    return sorted(found, key=lambda one: one.start)


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


# --- titles ------------------------------------------------------------------------------------------


def _find_titles(prose: str, others: Sequence[_Part], *, scholarly: bool = False) -> Iterator[_Part]:
    """Yield quoted and emphasised titles with a sign of a work next to them, with the journal behind.

    What is quoted before people and a year is a quotation, unless it is written as titles are. In a text
    that cites, what is quoted or in italics and written as titles are needs no other sign.
    """
    starts, ends = {one.start: one.kind for one in others}, {one.end for one in others}
    yield from _find_called(prose)
    for start, end, words in find_set_off(prose):
        count = len(words.split())
        if not _SHORTEST <= count <= _LONGEST or not (words[0].isupper() or words[0].isdigit()):
            continue
        venue = _VENUE_AFTER.match(prose, end, end + 200)
        venue = venue if venue and (venue["issued"] or _is_venue(venue["name"].strip())) else None
        venue = venue or _ISSUE_BEHIND.match(prose, end, end + 200)
        titled = prose[start] in "*_" or is_title_case(words)
        before = any(
            at in ends and _GAP.fullmatch(prose, at, start) for at in range(start - _NEAR, start + 1)
        )
        behind = {
            starts[at]
            for at in range(end + 1, end + _NEAR)  # a heading in bold has nothing between it and its sentence
            if at in starts and prose[end:at].strip() and _GAP.fullmatch(prose, end, at)
        }
        cited = before and (titled or not (words[-1] in ".!?" or prose[start - 2] in ":："))
        work = _WORK_BEFORE.search(prose, max(0, start - 100), start) if count >= _SHORTEST else None
        printed = _IN_VENUE.match(prose, end, end + 200) if count > _SHORTEST else None
        signed = printed is not None and (_is_venue(printed[1]) or bool(VENUE_WORDS.search(printed[1])))
        signed = signed or (
            work is not None
            and (
                not work["told"].strip()
                or (count > _SHORTEST and bool(titled or _NAMED.search(work["told"])))
            )
        )
        if (
            FILL not in words
            and words[-1] != ":"
            and (
                venue
                or cited
                or signed
                or (scholarly and _is_written_as_title(prose, start, end, words))
                or (
                    behind
                    and (titled or "id" in behind or _TITLE_SAID.search(prose, max(0, start - 20), start))
                )
            )
        ):
            title = " ".join(words.split()).strip(" ,.*_")
            last, year = (venue.end(), int(venue["year"])) if venue else (end, None)
            pairs = (("venue", venue["name"].strip()),) if venue else ()
            report = _NUMBERED_REPORT.search(prose, max(0, start - 80), start)
            yield _Part(
                "title", report.start() if report else start, last, words=title, year=year, pairs=pairs
            )


def _find_called(prose: str) -> Iterator[_Part]:
    """Yield the titles that no sign sets off, of works that are called so: "a paper entitled Sparse …"."""
    for title in find_bare_titles(prose):
        before = prose[max(0, title.start - 100) : title.start]
        if (named := _TITLE_SAID.search(before)) and (
            _WORK_BEFORE.search(before[: named.start()] + " ") or VENUE_WORDS.search(before)
        ):
            yield _Part("title", title.start, title.end, words=title.words)


def _is_written_as_title(prose: str, start: int, end: int, words: str) -> bool:
    """Return whether words are quoted or in italics as a title is, in a sentence or as an item."""
    if prose[start : start + 2] in ("**", "__") or words[-1] in ".!?" or prose[end : end + 1] == ":":
        return False
    count = len(words.split())
    if _DATED_BEHIND.match(prose, end):
        return True
    if count >= _TITLE_WORDS and _SAID_OF_WORK.search(prose, max(0, start - 60), start):
        return True
    return count >= _TITLE_WORDS and (
        is_title_case(words) or (count > _TITLE_WORDS and _SUBTITLED.search(words) is not None)
    )


def _find_bracketed_titles(prose: str, identifiers: Sequence[_Part]) -> Iterator[_Part]:
    """Yield the titles that are in brackets with an identifier: "(PMID: 123; Sleep Predicts Levels)"."""
    named = SpanSet((part.start, part.end) for part in identifiers)
    for part in identifiers:
        low = max(0, part.start - _LONGEST_ID)
        before = _TITLE_BEFORE_ID.search(prose, low, part.start)
        for match in (before, _TITLE_AFTER_ID.match(prose, part.end, part.end + _LONGEST_ID)):
            titled = match and len(match[1].split()) >= _TITLE_WORDS and is_title_case(match[1])
            if match and titled and named.is_free(*match.span(1)):
                yield _Part("title", *match.span(1), words=match[1])
        about = _TOLD_BEHIND_ID.match(prose, part.end, part.end + _LONGEST_ID) if part.kind == "id" else None
        if about and len(about["title"].split()) >= _TITLE_WORDS and named.is_free(*about.span("all")):
            yield _Part("title", *about.span("all"), words=about["title"])


def _find_titles_behind(prose: str, people: Sequence[_Part]) -> Iterator[_Part]:
    """Yield titles with the venue of references in a sentence: "by Doe, J. (2020). A title. Nature, 3"."""
    for part in people:
        if not _LISTED_PEOPLE.search(prose, part.start, part.end):
            continue
        match = _REFERENCE_TITLE.match(prose, part.end, part.end + 600)
        if match and len(match[1].split()) >= _TITLE_WORDS - 1:
            yield _Part("title", match.start(1), match.end(), words=match[1].strip('*_ "“”'))


def _find_headings(prose: str, people: Sequence[_Part]) -> Iterator[_Part]:
    """Yield the titles of headings and items that end with people and a year: "## Title (Smith, 2020)"."""
    for part in people:
        low = max(0, part.start - 300)
        match = _HEADED.search(prose[low : part.start])
        words = [word for word in match[1].split() if len(word) > _SIGN] if match else []
        heading = match is not None and "#" in match[0][: match.start(1) - match.start()]
        if (
            match
            and not _QUOTE_NEXT.match(prose, part.end)
            and (heading or 2 * sum(word[0].isupper() for word in words) > len(words))
            and len(words) > 1
        ):
            yield _Part("title", low + match.start(1), low + match.end(1), words=match[1].strip())


def _read_dated_titles(prose: str, people: Sequence[_Part]) -> Iterator[_Part]:
    """Yield parts, as titles those whose names are a title's last words: "Theory of Law and State (1945)"."""
    titles = {one.end: one for one in find_bare_titles(prose) if len(one.words.split()) >= _TITLE_WORDS}
    for part in people:
        names = prose[part.start : part.end].partition("(")[0].rstrip()
        title = titles.get(part.start + len(names))
        if title is None or title.start >= part.start:
            yield part
        else:
            yield _Part("title", title.start, part.end, words=title.words, year=part.year)


def _is_venue(name: str) -> bool:
    return name.startswith(("Proc", "Journal", "Trans", "Annals")) or is_known_venue(name)


# --- parts to citations ------------------------------------------------------------------------------


def _join_parts(masked: MaskedProse, parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    """Yield the parts that say different things of one work next to each other."""
    group: list[_Part] = []
    for part in sorted(parts, key=lambda one: (one.start, -one.end)):
        kinds = {kind for one in group for kind in _list_kinds(one)}
        joins = group and not kinds & {*_list_kinds(part), "target"} and part.kind != "target"
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
