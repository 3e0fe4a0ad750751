"""Reads what a web page says about itself. Pure: bytes in, a record or None out.

A page is described in up to five ways; each fills what those before it leave empty:

1. `citation_*` tags (Highwire; also with the prefix `bepress_`), which publishers and repositories write
2. JSON-LD with schema.org types
3. Dublin Core and EPrints tags
4. Open Graph and the plain `author` and `date` tags
5. `<title>`, the first heading and the byline

All of it is a stranger's text: bounded, scripts never run, entities never resolved from outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from lxml import etree, html

from citeproof.shapes import fields
from citeproof.sources import _jsonld
from citeproof.sources._jsonld import Card
from citeproof.text import dates, ids, names, pages, url
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

MAX_READ = 2_000_000  # bytes of a page that are read; what describes it stands at its beginning
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

Tags = Mapping[str, list[str]]


def page_record(body: bytes, address: str, media: str = "text/html") -> Record | None:
    """Return what a page says about the work it shows; None when it has no title."""
    root = _parsed(body, media)
    if root is None:
        return None
    tags = _tags(root)
    cards = (_citation(tags), _linked(root), _dublin(tags), _graph(tags), _plain(root))
    whole = _joined(cards)
    titles, marks = fields.unmarked(whole.titles[:MAX_TITLES])
    if not titles:
        return None
    kind = whole.kind if whole.kind is not Kind.UNKNOWN or cards[0].titles else Kind.WEB_PAGE
    venue = whole.venue or (_site(tags, address) if kind is Kind.WEB_PAGE else "")
    version = Version(
        whole.year, venue or None, kind, whole.volume or None, whole.issue or None, whole.pages or None
    )
    own = url.normal(address)
    listed = cards[0].authors or (cards[1].authors if kind is not Kind.WEB_PAGE else ())
    return Record(
        source="",
        id=address[: url.MAX_URL],
        titles=titles,
        authors=whole.authors[: fields.MAX_ROWS],
        authors_complete=bool(listed),  # a byline names whom it likes
        versions=(version,),
        kind=kind,
        publisher=whole.publisher or None,
        ids=Ids((*whole.ids, *((("url", own),) if own else ()))),
        marks=("web", *marks),
    )


# --- bytes to tree -----------------------------------------------------------------------------


def _parsed(body: bytes, media: str) -> html.HtmlElement | None:
    text = _decoded(body[:MAX_READ], media).replace("\0", "")
    parser = html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=False
    )
    try:
        return html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _decoded(body: bytes, media: str) -> str:
    """Return the page as text: byte order mark, header, <meta>, UTF-8, then what the West used before."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if body.startswith(mark):
            return body.decode(name, "replace")
    for place in (media, body[:4096].decode("latin-1")):
        if (found := _CHARSET.search(place)) and _KNOWN_CHARSET.fullmatch(found[1]):
            return _by_name(body, found[1].lower())
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        cut = error.start >= len(body) - 4  # the bound may have cut a character in two
        return body.decode("utf-8" if cut else "cp1252", "replace")


def _by_name(body: bytes, name: str) -> str:
    western = ("ascii", "us-ascii", "latin1", "latin-1", "iso-8859-1", "iso8859-1")
    try:
        return body.decode("cp1252" if name in western else name, "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


# --- tree to cards -----------------------------------------------------------------------------


def _tags(root: html.HtmlElement) -> Tags:
    """Return the contents of the <meta> tags by name, in lower case."""
    found: dict[str, list[str]] = {}
    for number, tag in enumerate(root.iter("meta")):
        if number >= MAX_TAGS:
            break
        name = (tag.get("name") or tag.get("property") or "")[:100].strip().lower()
        content = fields.text(tag.get("content"))
        if name and content:
            found.setdefault(_PREFIX.sub("citation_", name), []).append(content)
    return found


def _first(tags: Tags, *wanted: str) -> str:
    return next((tags[name][0] for name in wanted if name in tags), "")


def _all(tags: Tags, *wanted: str) -> list[str]:
    """Return every content of the first of the names that occurs."""
    return next((tags[name] for name in wanted if name in tags), [])


def _citation(tags: Tags) -> Card:
    first, last = _first(tags, "citation_firstpage"), _first(tags, "citation_lastpage")
    listed = _all(tags, "citation_author")
    authors = fields.people(listed) if listed else _split(_all(tags, "citation_authors"))
    schemes = {"doi": "doi", "isbn": "isbn", "pmid": "pmid", "arxiv_id": "arxiv"}
    known = [fields.pairs(scheme, tags.get(f"citation_{name}", ())) for name, scheme in schemes.items()]
    dated = ("citation_publication_date", "citation_date", "citation_year", "citation_online_date")
    return Card(
        titles=fields.titles(_first(tags, "citation_title")),
        authors=authors,
        year=dates.year(_first(tags, *dated)),
        venue=_first(tags, "citation_journal_title", "citation_conference_title", "citation_inbook_title"),
        volume=_first(tags, "citation_volume")[:50],
        issue=_first(tags, "citation_issue")[:50],
        pages=pages.normal(f"{first}-{last}" if last else first) or "",
        publisher=_first(tags, "citation_publisher", "citation_dissertation_institution"),
        ids=tuple(dict.fromkeys(pair for pairs in known for pair in pairs)),
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


def _split(texts: list[str]) -> tuple[Name, ...]:
    """Return the authors that stand in one tag, with semicolons or "and" between them."""
    return tuple(name for text in texts[:10] for name in names.split(text)[0])


def _linked(root: html.HtmlElement) -> Card:
    """Return the most telling work of the page's JSON-LD."""
    scripts = (s for s in root.iter("script") if "ld+json" in (s.get("type") or "").lower())
    found = [card for _, s in zip(range(MAX_SCRIPTS), scripts) if (card := _jsonld.card(s.text or ""))]  # noqa: B905 - the shorter one ends it
    return min(found, key=lambda row: row[0])[1] if found else Card()


def _dublin(tags: Tags) -> Card:
    named = _all(tags, "dc.creator", "dcterms.creator", "dc.contributor.author", "eprints.creators_name")
    identifiers = [*tags.get("dc.identifier", ()), *tags.get("dcterms.identifier", ())][:20]
    known = [pair for one in identifiers if one.startswith("http") for pair in ids.of_url(one)]
    return Card(
        titles=fields.titles(_first(tags, "dc.title", "dcterms.title", "eprints.title")),
        authors=fields.people(named),
        year=dates.year(_first(tags, "dc.date.issued", "dcterms.issued", "dc.date", "eprints.date")),
        publisher=_first(tags, "dc.publisher", "dcterms.publisher", "eprints.publisher"),
        ids=(*fields.pairs("doi", identifiers), *(pair for pair in known if pair[0] != "url")),
    )


def _graph(tags: Tags) -> Card:
    named = [n for n in _all(tags, "author", "article:author", "parsely-author") if "://" not in n]
    return Card(
        titles=fields.titles(_first(tags, "og:title"), "", _first(tags, "twitter:title")),
        authors=_split(named[:50]) if named else (),
        year=dates.year(_first(tags, "article:published_time", "og:published_time", "date", "pubdate")),
    )


def _plain(root: html.HtmlElement) -> Card:
    titles = [_shown(tag) for name in ("title", "h1") for tag in _some(root.iter(name), 1)]
    cut = [piece for title in titles[:1] for piece in _without_site(title)]
    byline = next((text for tag in _bylines(root) if 3 <= len(text := _shown(tag)) <= MAX_BYLINE), "")
    return Card(
        titles=fields.titles(titles[0] if titles else "", "", *titles[1:], *cut),
        authors=_split([_BYLINE.sub("", byline)]) if byline else (),
    )


def _bylines(root: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Yield the elements that are marked as naming the author, at most a few."""
    marked = root.xpath(
        "(//*[@itemprop='author' or @rel='author' or contains(concat(' ', @class, ' '), ' byline ')"
        " or contains(concat(' ', @class, ' '), ' author ')])[position() <= 5]"
    )
    yield from (tag for tag in marked if tag.tag not in ("meta", "script", "link"))


def _some(tags: Iterator[html.HtmlElement], most: int) -> Iterator[html.HtmlElement]:
    return (tag for _, tag in zip(range(most), tags))  # noqa: B905 - the shorter one ends it


def _shown(tag: html.HtmlElement) -> str:
    """Return the text of an element, white space squeezed, bounded while it is collected."""
    parts: list[str] = []
    size = 0
    for text in tag.itertext():
        parts.append(text[: fields.MAX_TEXT])
        size += len(parts[-1])
        if size > fields.MAX_TEXT:
            break
    return " ".join("".join(parts).split())


def _without_site(title: str) -> Iterable[str]:
    """Return a page's title without the site's name before or behind it, both ways."""
    title = title[: fields.MAX_TEXT]
    bars = [(found.start(), found.end()) for found in _SEPARATOR.finditer(title)]
    if not bars:
        return ()
    ends = [title[: bars[0][0]], title[: bars[-1][0]]]
    if 2 * len(behind := title[bars[0][1] :]) > len(title):  # else it is rather the site's name
        ends.append(behind)
    return [end for end in dict.fromkeys(ends) if len(end) >= MIN_TITLE]


def _site(tags: Tags, address: str) -> str:
    return _first(tags, "og:site_name", "application-name") or url.host(address)


# --- cards to one ------------------------------------------------------------------------------


def _joined(cards: Iterable[Card]) -> Card:
    """Return one card: each field from the first that has it, titles and identifiers from all."""
    every = tuple(cards)

    def first(name: str) -> str:
        return next((value for card in every if (value := getattr(card, name))), "")

    return Card(
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
