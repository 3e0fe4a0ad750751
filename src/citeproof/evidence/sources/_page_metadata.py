"""What a web page says about itself: which pages may be asked for, and a record out of the bytes of one.

A page is described in up to five ways; each fills what those before it leave empty:

1. `citation_*` tags (Highwire; also with the prefix `bepress_`), which publishers and repositories write
2. JSON-LD with schema.org types
3. Dublin Core and EPrints tags
4. Open Graph and the plain `author` and `date` tags
5. `<title>`, the first heading and the byline

All of it is a stranger's text: bounded, scripts never run, entities never resolved from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from urllib.parse import urljoin, urlsplit

from lxml import etree, html

from citeproof.evidence.sources import _jsonld
from citeproof.evidence.sources._jsonld import PageDescription
from citeproof.evidence.sources._source_session import CannotAnswerError
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import HTML, Answer, Request, UnreadableError
from citeproof.text import dates, ids, names, pages, url
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Cause, Ids, Kind, Name, Record, Version

MAX_READ = 2_000_000  # bytes of a page that are read; what describes it is at its beginning
MAX_TAGS = 5000  # <meta> tags read
MAX_TITLES = 8
MIN_TITLE = 8  # characters of a title that is only a part of what the page shows
MAX_SCRIPTS = 20
MAX_BYLINE = 300  # characters; a longer one is no byline

_CHARSET = re.compile(r"charset\s{0,3}=\s{0,3}[\"']?([A-Za-z0-9_.:-]{2,30})", re.IGNORECASE)
_KNOWN_CHARSET = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|iso-?8859-?\d{1,2}|latin-?1|(?:windows|cp)-?\d{3,4}|us-ascii|ascii|gb2312|gbk|"
    r"gb18030|big5(?:-hkscs)?|shift[-_]jis|euc-(?:jp|kr)|iso-2022-jp|koi8-[ru]|macintosh|tis-620",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s+(?:[|·•»–—]|::|-)\s+")
_BYLINE = re.compile(r"^\W*(?:written |posted |published )?by\s+", re.IGNORECASE)
_PREFIX = re.compile(r"^(?:bepress_)?citation_")
MAX_ERROR_TITLE = 80  # characters; a longer title is a page's own

_DENIED = re.compile(
    r"(?:.+\.)?(?:scholar\.google(?:\.[a-z]{2,4}){1,2}|scholar\.googleusercontent\.com|pubpeer\.com)"
)
_WALL = re.compile(
    r"just a moment|attention required|access (?:to this page has been )?denied|robot check|captcha|"
    r"making sure you.{0,3}re not a bot|(?:are you|you are|not) a (?:ro)?bot|security (?:check|verification)|"
    r"verif(?:y|ying) (?:that )?you are|human verification|pardon our interruption|request rejected|"
    r"checking your browser|client challenge|validate user|bot (?:detection|protection)|"
    r"please enable (?:js|javascript|cookies)|(?:sign|log)[ -]?in(?: required)?(?:$| to | \W)|403 forbidden",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"(?:error |http |\()?404(?:\W{0,3}$| ?[-|:–—)]| (?:error|not found|page))|410 gone|"
    r"(?:the |this |requested ){0,3}(?:page|document|file|article|resource|item|content|url|site)?\s?"
    r"(?:was |is |could |can)?not (?:be )?found\b|(?:page|site) (?:does not|doesn.t) exist|"
    r"(?:buy )?(?:this |the )?domain(?: name)? (?:is |may be )?(?:parked|for sale)|\S{4,60} is for sale|"
    r"page (?:has been removed|unavailable)|(?:th(?:e|is) )?(?:page )?(?:is )?(?:no longer|not) available$",
    re.IGNORECASE,
)

Tags = Mapping[str, list[str]]


def read_page_record(body: bytes, address: str, media: str = "text/html") -> Record | None:
    """Return what a page says about the work it shows; None when it has no title."""
    root = _parse_html(body, media)
    if root is None:
        return None
    tags = _read_meta_tags(root)
    cards = (
        _read_citation_tags(tags),
        _read_json_ld(root),
        _read_dublin_core(tags),
        _read_open_graph(tags),
        _read_plain_html(root),
    )
    whole = _join_descriptions(cards)
    titles, marks = json_fields.split_retraction_mark(whole.titles[:MAX_TITLES])
    if not titles:
        return None
    kind = whole.kind if whole.kind is not Kind.UNKNOWN or cards[0].titles else Kind.WEB_PAGE
    site = _get_first(tags, "og:site_name", "application-name") or url.get_host(address)
    venue = whole.venue or (site if kind is Kind.WEB_PAGE else "")
    version = Version(
        whole.year, venue or None, kind, whole.volume or None, whole.issue or None, whole.pages or None
    )
    own = url.normalise(address)
    listed = cards[0].authors or (cards[1].authors if kind is not Kind.WEB_PAGE else ())
    return Record(
        source="",
        id=address[: url.MAX_URL],
        titles=titles,
        authors=whole.authors[: json_fields.MAX_ROWS],
        authors_complete=bool(listed),  # a byline names whom it likes
        versions=(version,),
        kind=kind,
        publisher=whole.publisher or None,
        ids=Ids((*whole.ids, *((("url", own),) if own else ()))),
        marks=("web", *marks),
    )


# --- from an address to a record ----------------------------------------------------------------


def is_denied(address: str) -> bool:
    """Return whether a page may not be read by a program: Google Scholar and PubPeer do not want it."""
    return _DENIED.fullmatch(_get_host(address)) is not None


def _get_host(address: str) -> str:
    return (urlsplit(address).hostname or "").rstrip(".")


def build_page_request(source: str, address: str) -> Request:
    """Return the request for a page whose address came from a document or a search."""
    if is_denied(address):  # net refuses them as well, and also where a redirect leads there
        raise CannotAnswerError(Cause.NOT_COVERED, f"{_get_host(address)} does not allow programs to read it")
    return Request(source, address, accept=HTML, free=True)


def read_page(answer: Answer) -> Record:
    """Return the record of a fetched page; raise when it is a wall or says nothing about itself.

    A page that only says that there is no such page raises `PageGoneError`.
    """
    media = answer.headers.get("content-type", answer.media)
    record = read_page_record(answer.body, answer.url, media)
    if record is None:
        raise UnreadableError("the page has no title")
    if record.kind is Kind.WEB_PAGE and len(record.title) <= MAX_ERROR_TITLE:
        if _WALL.match(record.title):
            raise CannotAnswerError(Cause.BOT_WALL, f"answered with {record.title[:60]!r}")
        if _GONE.match(record.title):
            raise PageGoneError
    return replace(record, read_at=answer.at, content_hash=answer.sha256)


class PageGoneError(Exception):
    """A page that came with status 200 and says "not found", or that its domain is for sale."""


# --- bytes to tree -----------------------------------------------------------------------------


def find_pdf_links(body: bytes, address: str, media: str = "text/html") -> tuple[str, ...]:
    """Return where a page says that the work is as a PDF file: `citation_pdf_url`."""
    root = _parse_html(body, media)
    named = _read_meta_tags(root).get("citation_pdf_url", ()) if root is not None else ()
    return tuple(dict.fromkeys(urljoin(address, link) for link in named[:MAX_TITLES]))


def _parse_html(body: bytes, media: str) -> html.HtmlElement | None:
    text = _decode_page(body[:MAX_READ], media).replace("\0", "")
    parser = html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=False
    )
    try:
        return html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _decode_page(body: bytes, media: str) -> str:
    """Return the page as text: byte order mark, header, <meta>, UTF-8, then what the West used before."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if body.startswith(mark):
            return body.decode(name, "replace")
    for place in (media, body[:4096].decode("latin-1")):
        if (match := _CHARSET.search(place)) and _KNOWN_CHARSET.fullmatch(match[1]):
            return _decode_by_charset(body, match[1].lower())
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        cut = error.start >= len(body) - 4  # the bound may have cut a character in two
        return body.decode("utf-8" if cut else "cp1252", "replace")


def _decode_by_charset(body: bytes, name: str) -> str:
    western = ("ascii", "us-ascii", "latin1", "latin-1", "iso-8859-1", "iso8859-1")
    try:
        return body.decode("cp1252" if name in western else name, "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


# --- tree to cards -----------------------------------------------------------------------------


def _read_meta_tags(root: html.HtmlElement) -> Tags:
    contents: dict[str, list[str]] = {}
    for tag in islice(root.iter("meta"), MAX_TAGS):
        name = (tag.get("name") or tag.get("property") or "")[:100].strip().lower()
        content = json_fields.read_text(tag.get("content"))
        if name and content:
            contents.setdefault(_PREFIX.sub("citation_", name), []).append(content)
    return contents


def _get_first(tags: Tags, *wanted: str) -> str:
    return next((tags[name][0] for name in wanted if name in tags), "")


def _get_all(tags: Tags, *wanted: str) -> list[str]:
    """Return every content of the first of the names that occurs."""
    return next((tags[name] for name in wanted if name in tags), [])


def _read_citation_tags(tags: Tags) -> PageDescription:
    first, last = _get_first(tags, "citation_firstpage"), _get_first(tags, "citation_lastpage")
    listed = _get_all(tags, "citation_author")
    authors = (
        json_fields.parse_people(listed) if listed else _split_authors(_get_all(tags, "citation_authors"))
    )
    schemes = {"doi": "doi", "isbn": "isbn", "pmid": "pmid", "arxiv_id": "arxiv"}
    known = ((scheme, tags.get(f"citation_{name}", ())) for name, scheme in schemes.items())
    dated = ("citation_publication_date", "citation_date", "citation_year", "citation_online_date")
    return PageDescription(
        titles=json_fields.list_titles(_get_first(tags, "citation_title")),
        authors=authors,
        year=dates.find_year(_get_first(tags, *dated)),
        venue=_get_first(
            tags, "citation_journal_title", "citation_conference_title", "citation_inbook_title"
        ),
        volume=_get_first(tags, "citation_volume")[:50],
        issue=_get_first(tags, "citation_issue")[:50],
        pages=pages.normalise(f"{first}-{last}" if last else first) or "",
        publisher=_get_first(tags, "citation_publisher", "citation_dissertation_institution"),
        ids=json_fields.collect_ids(*known),
        kind=next((kind for name, kind in _BY_TAG.items() if name in tags), Kind.UNKNOWN),
    )


_BY_TAG = {  # the tag that tells the type, most telling first
    "citation_dissertation_institution": Kind.THESIS,
    "citation_technical_report_institution": Kind.REPORT,
    "citation_technical_report_number": Kind.REPORT,
    "citation_inbook_title": Kind.CHAPTER,
    "citation_journal_title": Kind.ARTICLE,
    "citation_conference_title": Kind.ARTICLE,
    "citation_conference": Kind.ARTICLE,
    "citation_arxiv_id": Kind.PREPRINT,
    "citation_isbn": Kind.BOOK,
}


def _split_authors(texts: list[str]) -> tuple[Name, ...]:
    """Return the authors that are in one tag, with semicolons or "and" between them."""
    return tuple(name for text in texts[:10] for name in names.split_names(text)[0])


def _read_json_ld(root: html.HtmlElement) -> PageDescription:
    """Return the most telling work of the page's JSON-LD."""
    scripts = (s for s in root.iter("script") if "ld+json" in (s.get("type") or "").lower())
    cards = (_jsonld.find_described_work(script.text or "") for script in islice(scripts, MAX_SCRIPTS))
    described = [card for card in cards if card]
    return min(described, key=lambda row: row[0])[1] if described else PageDescription()


def _read_dublin_core(tags: Tags) -> PageDescription:
    named = _get_all(tags, "dc.creator", "dcterms.creator", "dc.contributor.author", "eprints.creators_name")
    identifiers = [*tags.get("dc.identifier", ()), *tags.get("dcterms.identifier", ())][:20]
    known = [
        pair
        for identifier in identifiers
        if identifier.startswith("http")
        for pair in ids.identify_url(identifier)
    ]
    return PageDescription(
        titles=json_fields.list_titles(_get_first(tags, "dc.title", "dcterms.title", "eprints.title")),
        authors=json_fields.parse_people(named),
        year=dates.find_year(_get_first(tags, "dc.date.issued", "dcterms.issued", "dc.date", "eprints.date")),
        publisher=_get_first(tags, "dc.publisher", "dcterms.publisher", "eprints.publisher"),
        ids=(*json_fields.make_id_pairs("doi", identifiers), *(pair for pair in known if pair[0] != "url")),
    )


_GRAPH_DATES = ("article:published_time", "og:published_time", "date", "pubdate")


def _read_open_graph(tags: Tags) -> PageDescription:
    named = [n for n in _get_all(tags, "author", "article:author", "parsely-author") if "://" not in n]
    return PageDescription(
        titles=json_fields.list_titles(_get_first(tags, "og:title"), "", _get_first(tags, "twitter:title")),
        authors=_split_authors(named[:50]) if named else (),
        year=dates.find_year(_get_first(tags, *_GRAPH_DATES)),
    )


def _read_plain_html(root: html.HtmlElement) -> PageDescription:
    titles = [_read_shown_text(tag) for name in ("title", "h1") for tag in islice(root.iter(name), 1)]
    cut = [piece for title in titles[:1] for piece in _strip_site_name(title)]
    byline = next(
        (text for tag in _find_bylines(root) if 3 <= len(text := _read_shown_text(tag)) <= MAX_BYLINE), ""
    )
    return PageDescription(
        titles=json_fields.list_titles(titles[0] if titles else "", "", *titles[1:], *cut),
        authors=_split_authors([_BYLINE.sub("", byline)]) if byline else (),
    )


def _find_bylines(root: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Yield the elements that are marked as naming the author, at most a few."""
    marked = root.xpath(
        "(//*[@itemprop='author' or @rel='author' or contains(concat(' ', @class, ' '), ' byline ')"
        " or contains(concat(' ', @class, ' '), ' author ')])[position() <= 5]"
    )
    yield from (tag for tag in marked if tag.tag not in ("meta", "script", "link"))


def _read_shown_text(tag: html.HtmlElement) -> str:
    """Return the text of an element, white space squeezed, bounded while it is collected."""
    parts: list[str] = []
    size = 0
    for text in tag.itertext():
        parts.append(text[: json_fields.MAX_TEXT])
        size += len(parts[-1])
        if size > json_fields.MAX_TEXT:
            break
    return " ".join("".join(parts).split())


def _strip_site_name(title: str) -> Iterable[str]:
    """Return a page's title without the site's name before or behind it, both ways."""
    title = title[: json_fields.MAX_TEXT]
    bars = [(match.start(), match.end()) for match in _SEPARATOR.finditer(title)]
    if not bars:
        return ()
    ends = [title[: bars[0][0]], title[: bars[-1][0]]]
    if 2 * len(behind := title[bars[0][1] :]) > len(title):  # else it is rather the site's name
        ends.append(behind)
    return [end for end in dict.fromkeys(ends) if len(end) >= MIN_TITLE]


# --- cards to one ------------------------------------------------------------------------------


def _join_descriptions(cards: Iterable[PageDescription]) -> PageDescription:
    """Return one card: each field from the first that has it, titles and identifiers from all."""
    every = tuple(cards)

    def first(name: str) -> str:
        return next((value for card in every if (value := getattr(card, name))), "")

    return PageDescription(
        titles=tuple(dict.fromkeys(title for card in every for title in card.titles)),
        authors=next((card.authors for card in every if card.authors), ()),
        year=next((card.year for card in every if card.year), None),
        venue=first("venue"),
        volume=first("volume"),
        issue=first("issue"),
        pages=first("pages"),
        publisher=first("publisher"),
        ids=tuple(dict.fromkeys(pair for card in every for pair in card.ids)),
        kind=next((card.kind for card in every if card.kind is not Kind.UNKNOWN), Kind.UNKNOWN),
    )
