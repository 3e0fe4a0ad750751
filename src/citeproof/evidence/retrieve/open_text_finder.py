"""The open text of a work that was matched: its full text where a free copy is, else its abstract.

1. Europe PMC's full text, of works that are open access there.
2. arXiv's PDF.
3. The free copies that Unpaywall, then OpenAlex know: a PDF, or a page that is the text or leads to it.
4. The abstract out of the answers so far, then of the other sources that have one.

A text counts only if it is that of the work: its title must be on its first page or in what the file says of
itself. Login pages, walls for robots and pages of something else do not have it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from urllib.parse import quote

from rapidfuzz import fuzz

from citeproof.errors import CiteproofError
from citeproof.evidence.retrieve.text_answers import (
    MAX_DOCUMENT,
    PDF,
    SECONDS,
    TEXT_QUESTIONS,
    TextAnswer,
    TextDownloader,
    TextRefusedError,
)
from citeproof.evidence.sources._page_metadata import PageGoneError, find_pdf_links, read_page
from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceClient, SourceSession
from citeproof.judgement.compare.title import is_known_title
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.message import HTML, XML, Answer, Request, UnreadableError
from citeproof.text.names import make_family_key
from citeproof.text.title import make_title_key, split_words
from citeproof.vocabulary import Document, FoundText, Record, SourceText, TextExtent

DEADLINE = 90.0  # seconds for one work
MAX_KEPT = 64  # works whose texts are held; of others the answers are in the cache
MAX_TRIED = 4  # free copies of one work that are tried
LEAST_TEXT = 8000  # characters of a page that is an article, not a page about one
_PDF_HEAD = 1024  # bytes in which a PDF file says that it is one
HEAD = 6000  # characters in which a title must be; a first page has about 4,000
LONG = 20  # letters of a title that may be spelt a little differently
TELLING = 12  # letters of a title that names a work by itself
ALIKE = 93.0  # of 100

ReadText = Callable[[Document, str], SourceText]


@dataclass(slots=True)
class _TextTrail:
    """One work on its way: what was asked and found so far."""

    record: Record
    visit: SourceSession
    reasons: list[str] = field(default_factory=list)
    abstracts: list[tuple[str, str]] = field(default_factory=list)  # source and text
    tried: set[str] = field(default_factory=set)  # addresses
    pmcid: str = ""


class OpenTextFinder:
    """Finds open texts over the live sources of a run; each work once."""

    def __init__(
        self,
        sources: Iterable[LiveSource],
        client: SourceClient,
        clock: Clock,
        read_text: ReadText,
        *,
        deadline: float = DEADLINE,
    ) -> None:
        self._sources: Mapping[str, LiveSource] = {one.name: one for one in sources}
        self._client = client
        self._read_text = read_text
        self._deadline = deadline
        self._downloader = TextDownloader(client, clock)
        self._found: OrderedDict[object, asyncio.Task[FoundText]] = OrderedDict()

    async def find_open_text(self, record: Record) -> FoundText:
        """Return the open text of a work; a failure on the way is a reason, never an exception."""
        key = record.ids.pairs or record.titles
        if key not in self._found:
            self._found[key] = asyncio.ensure_future(self._find(record))
            while len(self._found) > MAX_KEPT and next(iter(self._found.values())).done():
                self._found.popitem(last=False)
        return await asyncio.shield(self._found[key])

    async def _find(self, record: Record) -> FoundText:
        trail = _TextTrail(record, SourceSession(self._client))
        text = None
        try:
            async with asyncio.timeout(self._deadline):
                text = await self._find_full_text(trail)
                if text is None and not trail.abstracts:
                    await self._ask_for_abstracts(trail)
        except TimeoutError:
            trail.reasons.append(f"the time for one work was over ({self._deadline:g} s)")
        if text is None and trail.abstracts:
            text = _make_abstract(*trail.abstracts[0])
        if text is None and not trail.reasons:
            trail.reasons.append("no source that was asked has an open text of it")
        return FoundText(text, tuple(dict.fromkeys(trail.reasons)), trail.visit.heard)

    async def _find_full_text(self, trail: _TextTrail) -> SourceText | None:
        await self._ask("europe_pmc", trail)
        text = await self._read_europe_pmc(trail) or await self._read_arxiv(trail)
        for name in ("unpaywall", "openalex"):
            if text is None:
                answer = await self._ask(name, trail)
                text = await self._read_links(answer.links if answer else (), trail)
        return text

    async def _ask_for_abstracts(self, trail: _TextTrail) -> None:
        for name in TEXT_QUESTIONS:
            if name not in ("europe_pmc", "unpaywall", "openalex") and not trail.abstracts:
                await self._ask(name, trail)

    # --- what sources say ----------------------------------------------------------------------

    async def _ask(self, name: str, trail: _TextTrail) -> TextAnswer | None:
        """Return what a source says about the work, if it was chosen and knows it."""
        source, question = self._sources.get(name), TEXT_QUESTIONS[name]
        pairs = [(by, value) for by in question.schemes for value in trail.record.ids.all(by)[:1]]
        if source is None or not pairs:
            return None
        try:
            request = replace(question.build(source, *pairs[0]), recorded=False)
            answer = await trail.visit.get(request)
            read = question.read(answer) if answer else []
        except CannotAnswerError as error:
            trail.reasons.append(f"{source.profile.title}: {error.detail}")
            return None
        except UnreadableError as error:
            trail.reasons.append(f"{source.profile.title}: its answer could not be read ({error})")
            return None
        found = next((one for one in read if fits_titles(trail.record, one.titles)), None)
        if answer is not None:
            self._client.keep(request, answer, found=found is not None, notice=False)
        if read and found is None:
            trail.reasons.append(f"{source.profile.title}: its answer is about another work")
        if found is not None and found.abstract:
            trail.abstracts.append((source.profile.title, found.abstract))
        trail.pmcid = trail.pmcid or (found.pmcid if found else "")
        return found

    async def _read_europe_pmc(self, trail: _TextTrail) -> SourceText | None:
        source = self._sources.get("europe_pmc")
        if source is None or not trail.pmcid:
            return None
        url = f"{source.wiring.url.rstrip('/')}/{quote(trail.pmcid, safe='')}/fullTextXML"
        request = Request(
            source.name, url, accept=XML, max_body=MAX_DOCUMENT, timeout=SECONDS, recorded=False
        )
        try:
            answer = await trail.visit.get(request)
        except CannotAnswerError as error:
            trail.reasons.append(f"Europe PMC: {error.detail}")
            return None
        if answer is None:
            trail.reasons.append(f"Europe PMC has no full text of {trail.pmcid}")
            return None
        self._client.keep(request, answer, found=True, notice=False)
        return await self._read_document(answer, trail, f"Europe PMC {trail.pmcid}")

    async def _read_arxiv(self, trail: _TextTrail) -> SourceText | None:
        source, number = self._sources.get("arxiv"), trail.record.ids.first("arxiv")
        if source is None or not number:
            return None
        address = f"{source.wiring.urls['arxiv_pdf'].rstrip('/')}/{quote(number, safe='/')}"
        return await self._fetch_text(address, trail, source="arxiv_pdf")

    # --- documents -----------------------------------------------------------------------------

    async def _read_links(self, links: Sequence[str], trail: _TextTrail) -> SourceText | None:
        for link in links:
            if link in trail.tried or len(trail.tried) >= MAX_TRIED:
                continue
            trail.tried.add(link)
            if text := await self._fetch_text(link, trail):
                return text
        return None

    async def _fetch_text(
        self, address: str, trail: _TextTrail, *, source: str = "", onward: bool = True
    ) -> SourceText | None:
        """Return the text at an address; `onward`: a page may lead to its PDF."""
        try:
            answer = await self._downloader.fetch(address, trail.visit, source=source)
        except TextRefusedError as error:
            trail.reasons.append(str(error))
            return None
        if answer.media in HTML and b"%PDF-" not in answer.body[:_PDF_HEAD]:
            return await self._read_page(answer, trail, onward=onward)
        return await self._read_document(answer, trail, answer.url)

    async def _read_page(self, answer: Answer, trail: _TextTrail, *, onward: bool) -> SourceText | None:
        """Return the text of a page that is the article, or of the PDF to which it leads."""
        media = answer.headers.get("content-type", answer.media)
        try:
            page = read_page(answer)
        except (UnreadableError, CannotAnswerError, PageGoneError) as error:
            trail.reasons.append(f"{answer.url}: {str(error) or 'the page says that it is not there'}")
            return None
        if not fits_titles(trail.record, page.titles):
            trail.reasons.append(f"{answer.url}: the page is not about the work ({page.title[:60]!r})")
            return None
        for link in find_pdf_links(answer.body, answer.url, media)[:1] if onward else ():
            if text := await self._fetch_text(link, trail, onward=False):
                return text
        text = await self._read_document(answer, trail, answer.url, known=True)
        if text is not None and len(text.text) < LEAST_TEXT:
            trail.reasons.append(f"{answer.url}: a page about the work, without its text")
            return None
        return text

    async def _read_document(
        self, answer: Answer, trail: _TextTrail, origin: str, *, known: bool = False
    ) -> SourceText | None:
        """Return the text of a document; `known`: what it says of itself fits the work."""
        name = _name_document(answer)
        if not name:
            trail.reasons.append(f"{origin}: it says that it is a PDF, and is none")
            return None
        try:
            text = await asyncio.to_thread(self._read_text, Document(name, answer.body), origin)
        except CiteproofError as error:
            trail.reasons.append(f"{origin}: {error}")
            return None
        if text.extent is TextExtent.NO_TEXT:
            trail.reasons.append(f"{origin}: there is no text in it")
            return None
        known = known or (name.endswith(".xml") and fits_titles(trail.record, _list_xml_titles(answer)))
        if not known and not is_text_of(trail.record, text.text):
            trail.reasons.append(f"{origin}: its first page does not have the title of the work")
            return None
        return text


def _name_document(answer: Answer) -> str:
    """Return a file name for the kind of document that an answer is; empty if it is not what it says."""
    if b"%PDF-" in answer.body[:_PDF_HEAD]:
        return "text.pdf"
    if answer.media in HTML:
        return "text.html"
    return "" if answer.media in (PDF, "application/octet-stream") else "text.xml"


def _list_xml_titles(answer: Answer) -> list[str]:
    """Return the title of a JATS article, as it says itself."""
    with suppress(UnreadableError):
        found = answer.xml().iterfind(".//{*}article-meta//{*}article-title")
        return [" ".join("".join(one.itertext()).split()) for one in found][:5]
    return []


def _make_abstract(source: str, abstract: str) -> SourceText:
    digest = sha256(abstract.encode("utf-8", "replace")).hexdigest()
    return SourceText(TextExtent.ABSTRACT_ONLY, source, abstract, sha256=digest)


def fits_titles(record: Record, titles: Iterable[str]) -> bool:
    """Return whether one of `titles` is the title of the work."""
    return any(is_known_title(title, record.titles) for title in titles if title)


def is_text_of(record: Record, text: str) -> bool:
    """Return whether a text begins as that of the work does: with its title; a short one with an author."""
    words = split_words_of(text[:HEAD])
    head = "".join(words)
    known = set(words)
    for title in record.titles:
        key = make_title_key(title)
        if len(key) >= TELLING and key in head:
            return True
        if len(key) >= LONG and fuzz.partial_ratio(key, head, score_cutoff=ALIKE) >= ALIKE:
            return True
        if 0 < len(key) < TELLING and key in head:
            families = {make_family_key(name) for name in record.authors[:3]} - {""}
            return any(family in known or family in head for family in families)
    return False


def split_words_of(text: str) -> list[str]:
    """Return the folded words of a longer text, a line at a time: titles are cut at a length."""
    pieces = (line[at : at + 1000] for line in text.split("\n") for at in range(0, len(line), 1000))
    return [word for piece in pieces for word in split_words(piece)]
