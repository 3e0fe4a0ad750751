"""DOIs as written: in running text, behind `doi:`, and in addresses of resolvers and publishers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import chain

from citeproof.corpus.corpus_types import CitationMark, Pattern, Span
from citeproof.corpus.page.prose import Prose
from citeproof.text import doi
from citeproof.text import lazy_patterns as re
from citeproof.text.markdown_reader import PageLink

_STOPS = r"\s\"“”<>|`\ufdd0，。；：、（）【】《》！？…—"
_PLAIN = re.compile(rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{1,9}}){{0,4}}/[^{_STOPS}]{{1,2000}}")
_GLUED = re.compile(r"[A-Za-z0-9_./-]")
_LABEL = re.compile(r"(?:\bdoi\s?[:=]?\s{0,3}|(?:\b(?:dx|www)\.)?\bdoi\.org/)\Z", re.IGNORECASE)
# Behind a label, what begins with a digit was meant as a DOI; "DOI: pending" was not.
_LABELLED = re.compile(rf"doi(?:\s?[:=]\s{{0,3}}|\.org/)(?=[0-9])(?!10/)([^{_STOPS}]{{2,2000}})")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_NEXT = re.compile(r"[,;](?=10\.[0-9]{4})")
_ODD = r"[a-z][a-z.-]{0,40}[0-9][\w.-]{0,60}"  # "nature14539": the number of a work without its registrant
_BARE = re.compile(rf"doi:({_ODD})(?![\w/:@-])")
_RESOLVER = re.compile(
    rf"https?://(?:www\.|dx\.)?doi\.org/(?:doi:)?(?=[0-9]|{_ODD}(?:[?#]|\Z))(?!10/)", re.IGNORECASE
)
# What comes behind a DOI and is never part of it: "’s", a note's number, a slash, what an address asks for.
_BEHIND = re.compile(r"(?:['’]s|\[\^?\d{1,3}\]|/|\?[\w-]{1,40}=[^?]{0,300}|#[A-Za-z][\w-]{0,60})\Z")
# What comes behind a DOI and may be part of it: a few end like this themselves.
_TAIL = re.compile(
    r"(?:\.(?:pdf|html?|full|abstract)|/(?:full|abstract|pdf|epdf|meta|html|summary)|[?#].*)\Z", re.DOTALL
)
_PUBLISHER = re.compile(
    r"https?://[^/\s]{1,253}/(?:[^?#\s/]{1,100}/){0,6}?doi/(?:[a-z-]{1,20}/){0,3}?(?=10\.[0-9])",
    re.IGNORECASE,
)


def find_doi_marks(prose: Prose) -> Iterator[CitationMark]:
    """Yield a mark for each DOI; a link to one and its text that repeats it are one mark."""
    linked = [mark for link in prose.blocks.links if (mark := _make_link_mark(prose, link))]
    yield from linked
    starts = [mark.whole.start for mark in linked]
    for mark in chain(_find_address_dois(prose), _find_written_dois(prose)):
        index = bisect_right(starts, mark.span.start) - 1
        repeated = (
            index >= 0 and linked[index].whole.end > mark.span.start and linked[index].target == mark.target
        )
        if not repeated:
            yield mark


def _make_link_mark(prose: Prose, link: PageLink) -> CitationMark | None:
    """Return the DOI that a link leads to."""
    cited = _locate_address_doi(link.url)
    if cited is None:
        return None
    at = link.start + 1 if link.auto else prose.text.find(link.url, link.inner[1], link.end)
    span = Span(at + cited[0], at + cited[1])
    if at < 0 or prose.text[span.start : span.end] != link.url[cited[0] : cited[1]]:
        span = Span(link.start, link.end)  # it is in a definition, or with escapes
    raw = prose.text[span.start : span.end]
    target = _normalise_target(link.url[: cited[1]], link.url[cited[0] : cited[1]])
    kept = _find_kept_text(prose, link, target)
    end = prose.find_citation_end(link.end)
    whole = Span(link.start, end) if kept else prose.find_surroundings(link.start, link.end)
    return CitationMark(Pattern.DOI, raw, span, target, 0, whole, kept=kept)


def _find_kept_text(prose: Prose, link: PageLink, target: str) -> Span | None:
    """Return the text of a link that says more than where it leads; None if it does not."""
    first, last = link.inner
    words = _WORDS.findall(doi.trim_tail(prose.masked[first:last]).lower())
    if link.auto or not words or all(word in ("doi", "link", "here", "paper") for word in words):
        return None
    if any(mark in words for mark in ("http", "https")) or target in prose.low[first:last]:
        return None
    return Span(first, last)


def _find_address_dois(prose: Prose) -> Iterator[CitationMark]:
    for span in prose.addresses:
        url = prose.text[span.start : span.end]
        if cited := _locate_address_doi(url):
            start, end = span.start + cited[0], span.start + cited[1]
            raw = prose.text[start:end]
            whole = prose.find_surroundings(span.start, span.end)
            yield CitationMark(
                Pattern.DOI, raw, Span(start, end), _normalise_target(url[: cited[1]], raw), 0, whole
            )


def _find_written_dois(prose: Prose) -> Iterator[CitationMark]:
    """Yield the DOIs in running text, and what comes after a label and is not one."""
    seen = set()
    if "10." in prose.scan:
        for match in _PLAIN.finditer(prose.scan):
            label = _LABEL.search(prose.scan, max(0, match.start() - 20), match.start())
            if label or not _GLUED.match(prose.scan, match.start() - 1, match.start()):
                seen.add(match.start())
                yield _make_doi_mark(prose, match.start(), match[0], label)
                yield from (_make_doi_mark(prose, at, piece, None) for at, piece in _split_doi_list(match))
    if "doi" in prose.low:
        for match in _LABELLED.finditer(prose.low):
            start = match.start(1)
            if start not in seen and not prose.low[match.start() - 1 : match.start()].isalnum():
                label = _LABEL.search(prose.scan, max(0, start - 20), start)
                yield _make_doi_mark(prose, start, prose.scan[start : match.end()], label)
        for match in _BARE.finditer(prose.low):
            if not _GLUED.match(prose.low, match.start() - 1, match.start()):
                label = _LABEL.search(prose.scan, match.start(), match.start(1))
                yield _make_doi_mark(prose, match.start(1), prose.scan[match.start(1) : match.end(1)], label)


def _split_doi_list(match: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Yield the further DOIs of a list without blanks: "10.1000/a;10.1000/b"."""
    at = match.start()
    for index, piece in enumerate(_NEXT.split(match[0])):
        if index and _PLAIN.fullmatch(piece):
            yield at, piece
        at += len(piece) + 1


def _make_doi_mark(prose: Prose, start: int, written: str, label: re.Match[str] | None) -> CitationMark:
    raw = _strip_doi_tail(_NEXT.split(written, maxsplit=1)[0]) or written[:1]
    end = start + len(raw)
    whole = prose.find_surroundings(label.start() if label else start, end)
    raw = prose.text[start:end]
    return CitationMark(Pattern.DOI, raw, Span(start, end), _normalise_target(raw, raw), 0, whole)


def _locate_address_doi(url: str) -> tuple[int, int] | None:
    """Return where a DOI is in an address of a resolver, or of a publisher that says so."""
    if match := _RESOLVER.match(url) or _PUBLISHER.match(url):
        return match.end(), match.end() + len(_extract_address_doi(url, match.end()))
    return None


def _extract_address_doi(url: str, start: int) -> str:
    """Return what of an address is a DOI from `start` on: nothing that it asks for, nothing of the text."""
    return _strip_doi_tail(re.split(r"[?#…—]", url[start : start + doi.MAX_DOI], maxsplit=1)[0])


def _strip_doi_tail(written: str) -> str:
    """Return a DOI without what came behind it in its sentence."""
    written = doi.trim_tail(written)
    for _ in range(4):
        short = doi.trim_tail(_BEHIND.sub("", written, count=1))
        if short == written or not short:
            break
        written = short
    return written


def shorten_doi(normal: str) -> str:
    """Return a normal DOI without what may have come behind it; empty if there is no other form of it."""
    short = _TAIL.sub("", normal, count=1)
    return short if short != normal and doi.normalise(short) == short else ""


def _normalise_target(written: str, raw: str) -> str:
    return doi.normalise(written) or raw
