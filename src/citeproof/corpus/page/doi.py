"""DOIs as written: in running text, behind `doi:`, and in addresses of resolvers and publishers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from citeproof.corpus.nouns import Mark, Pattern, Span
from citeproof.corpus.page.blocks import Link
from citeproof.corpus.page.prose import Prose
from citeproof.text import doi

_STOPS = r"\s\"“”<>|`\ufdd0，。；：、（）【】《》！？"
_PLAIN = re.compile(rf"10\.[0-9]{{4,9}}(?:\.[0-9]{{1,9}}){{0,4}}/[^{_STOPS}]{{1,2000}}")
_GLUED = re.compile(r"[A-Za-z0-9_./-]")
_LABEL = re.compile(r"(?:\bdoi\s?[:=]?\s{0,3}|(?:\b(?:dx|www)\.)?\bdoi\.org/)\Z", re.IGNORECASE)
# Behind a label, what begins with a digit was meant as a DOI; "DOI: pending" was not.
_LABELLED = re.compile(rf"doi(?:\s?[:=]\s{{0,3}}|\.org/)(?=[0-9])(?!10/)([^{_STOPS}]{{2,2000}})")
_NEXT = re.compile(r"[,;](?=10\.[0-9]{4})")
_RESOLVER = re.compile(r"https?://(?:www\.|dx\.)?doi\.org/(?:doi:)?(?=[0-9])(?!10/)", re.IGNORECASE)
_PUBLISHER = re.compile(
    r"https?://[^/\s]{1,253}/(?:[^?#\s/]{1,100}/){0,6}?doi/(?:[a-z-]{1,20}/){0,3}?(?=10\.[0-9])",
    re.IGNORECASE,
)


def dois(prose: Prose) -> Iterator[Mark]:
    """Yield a mark for each DOI; a link to one and its text that repeats it are one mark."""
    linked = [mark for link in prose.blocks.links if (mark := _linked(prose, link))]
    yield from linked
    starts = [mark.whole.start for mark in linked]
    for mark in (*_addressed(prose), *_written(prose)):
        index = bisect_right(starts, mark.span.start) - 1
        repeated = (
            index >= 0 and linked[index].whole.end > mark.span.start and linked[index].target == mark.target
        )
        if not repeated:
            yield mark


def _linked(prose: Prose, link: Link) -> Mark | None:
    """Return the DOI that a link leads to."""
    cited = _of_address(link.url)
    if cited is None:
        return None
    at = link.start + 1 if link.auto else prose.text.find(link.url, link.inner[1], link.end)
    span = Span(at + cited[0], at + cited[1])
    if at < 0 or prose.text[span.start : span.end] != link.url[cited[0] : cited[1]]:
        span = Span(link.start, link.end)  # it stands in a definition, or with escapes
    raw = prose.text[span.start : span.end]
    return Mark(Pattern.DOI, raw, span, _target(link.url, link.url[cited[0] : cited[1]]), 0,
                prose.around(link.start, link.end))  # fmt: skip


def _addressed(prose: Prose) -> Iterator[Mark]:
    """Yield the DOIs in bare addresses."""
    for span in prose.addresses:
        url = prose.text[span.start : span.end]
        if cited := _of_address(url):
            start, end = span.start + cited[0], span.start + cited[1]
            raw = prose.text[start:end]
            whole = prose.around(span.start, span.end)
            yield Mark(Pattern.DOI, raw, Span(start, end), _target(url, raw), 0, whole)


def _written(prose: Prose) -> Iterator[Mark]:
    """Yield the DOIs in running text, and what stands behind a label and is none."""
    seen = set()
    if "10." in prose.scan:
        for match in _PLAIN.finditer(prose.scan):
            label = _LABEL.search(prose.scan, max(0, match.start() - 20), match.start())
            if label or not _GLUED.match(prose.scan, match.start() - 1, match.start()):
                seen.add(match.start())
                yield _mark(prose, match.start(), match[0], label)
                yield from (_mark(prose, at, piece, None) for at, piece in _listed(match))
    if "doi" in prose.low:
        for match in _LABELLED.finditer(prose.low):
            start = match.start(1)
            if start not in seen and not prose.low[match.start() - 1 : match.start()].isalnum():
                label = _LABEL.search(prose.scan, max(0, start - 20), start)
                yield _mark(prose, start, prose.scan[start : match.end()], label)


def _listed(match: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Yield the further DOIs of a list without blanks: "10.1000/a;10.1000/b"."""
    at = match.start()
    for index, piece in enumerate(_NEXT.split(match[0])):
        if index and _PLAIN.fullmatch(piece):
            yield at, piece
        at += len(piece) + 1


def _mark(prose: Prose, start: int, found: str, label: re.Match[str] | None) -> Mark:
    raw = doi.trim(_NEXT.split(found, maxsplit=1)[0]) or found[:1]
    end = start + len(raw)
    whole = prose.around(label.start() if label else start, end)
    raw = prose.text[start:end]
    return Mark(Pattern.DOI, raw, Span(start, end), _target(raw, raw), 0, whole)


def _of_address(url: str) -> tuple[int, int] | None:
    """Return where a DOI stands in an address of a resolver, or of a publisher that says so."""
    if match := _RESOLVER.match(url):
        return match.end(), match.end() + len(doi.trim(url[match.end() : match.end() + doi.MAX_DOI]))
    if match := _PUBLISHER.match(url):
        rest = re.split(r"[?#]", url[match.end() : match.end() + doi.MAX_DOI], maxsplit=1)[0]
        return match.end(), match.end() + len(doi.trim(rest))
    return None


def _target(written: str, raw: str) -> str:
    return doi.normal(written) or raw
