"""What pages say about themselves, in every way they say it; and what hostile ones try."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.evidence.sources import _page_metadata
from citeproof.evidence.sources._page_metadata import read_page_record
from citeproof.evidence.sources.base import CannotAnswerError
from citeproof.laboratory.testing.apis import url as pages
from citeproof.plumbing.net.message import Answer
from citeproof.vocabulary import Cause, Kind
from tests.laboratory.testing.conftest import PLANCK, RESNET

AT = "https://www.example.org/a/page"
FAMILIES = ["He", "Zhang", "Ren", "Sun"]


def read(text, media="text/html; charset=utf-8"):
    return read_page_record(text.encode() if isinstance(text, str) else text, AT, media)


STYLES = [
    ("citation", Kind.ARTICLE, FAMILIES, 2016, "CVPR", True),
    ("jsonld", Kind.ARTICLE, FAMILIES, 2016, "CVPR", True),
    ("dublin", Kind.WEB_PAGE, FAMILIES, 2016, "example.org", False),
    ("graph", Kind.WEB_PAGE, FAMILIES[:1], 2016, "Reading Room", False),
    ("byline", Kind.WEB_PAGE, FAMILIES, None, "example.org", False),
    ("plain", Kind.WEB_PAGE, [], None, "example.org", False),
]


@pytest.mark.parametrize(("style", "kind", "families", "year", "venue", "complete"), STYLES)
def test_every_way_of_describing_a_page(style, kind, families, year, venue, complete):
    record = read(pages.build_page(RESNET, style).body)
    assert RESNET.title in record.titles
    assert [name.family for name in record.authors] == families
    (version,) = record.versions
    assert (record.kind, version.year, version.venue) == (kind, year, venue)
    assert record.authors_complete is complete
    assert record.marks == ("web",)
    assert ("url", AT) in record.ids.pairs
    if style in ("citation", "jsonld", "dublin"):
        assert record.title == RESNET.title
        assert record.ids.first("doi") == "10.1109/cvpr.2016.90"


def test_volume_issue_and_pages():
    cited, linked = (
        read(pages.build_page(PLANCK, style).body).versions[0] for style in ("citation", "jsonld")
    )
    assert (cited.volume, cited.issue, cited.pages) == ("309", "3", "553-563")
    assert (linked.volume, linked.pages, linked.venue) == ("309", "553-563", "Annalen der Physik")


META = '<meta name="{}" content="{}">'
KINDS = [
    ("citation_dissertation_institution", "ETH", Kind.THESIS),
    ("citation_technical_report_institution", "CERN", Kind.REPORT),
    ("citation_inbook_title", "A Handbook", Kind.CHAPTER),
    ("citation_conference_title", "NIPS", Kind.ARTICLE),
    ("bepress_citation_journal_title", "Law Review", Kind.ARTICLE),
    ("citation_arxiv_id", "1706.03762", Kind.PREPRINT),
    ("citation_isbn", "9780262035613", Kind.BOOK),
    ("citation_language", "en", Kind.UNKNOWN),
]


@pytest.mark.parametrize(("tag", "content", "kind"), KINDS)
def test_the_kind_that_citation_tags_tell(tag, content, kind):
    assert read(META.format("citation_title", "A title") + META.format(tag, content)).kind is kind


TITLES = [
    ("<title>Just this</title>", ["Just this"]),
    ("<title> Two\n  lines </title><h1>Other <i>words</i></h1>", ["Two lines", "Other words"]),
    ("<title>A long article - The Site</title>", ["A long article - The Site", "A long article"]),
    (
        "<title>The Paper | Journal | Publisher</title>",
        ["The Paper | Journal | Publisher", "The Paper", "The Paper | Journal", "Journal | Publisher"],
    ),
    (
        "<title>Blog » The whole story of it</title>",
        ["Blog » The whole story of it", "The whole story of it"],
    ),
    ("<title>Caf&eacute; &amp; &#x4e2d;&#25991;</title>", ["Café & 中文"]),
    ("<title>RETRACTED: Ileal hyperplasia</title>", ["Ileal hyperplasia"]),
    (META.format("citation_title", "Effect of &lt;i&gt;H. pylori&lt;/i&gt;"), ["Effect of H. pylori"]),
    ('<meta property="og:title" content="From the graph">', ["From the graph"]),
]


@pytest.mark.parametrize(("text", "expected"), TITLES)
def test_titles(text, expected):
    assert list(read(text).titles) == expected


def test_a_retraction_in_the_title_is_a_mark():
    assert read("<title>RETRACTED: Ileal hyperplasia</title>").marks == ("web", "retracted")


NOTHING = ["", " ", "<html></html>", "<title></title>", "<title> - </title>", "\0\0", "<!--", "<p>text</p>"]


@pytest.mark.parametrize("text", NOTHING)
def test_a_page_without_a_title_is_none(text):
    assert read(text) is None


TITLE = "Über die Lösung von Gödel"
CHARSETS = [
    (f"<title>{TITLE}</title>".encode(), "text/html"),
    (f"<title>{TITLE}</title>".encode("cp1252"), "text/html"),
    (f"<title>{TITLE}</title>".encode("cp1252"), "text/html; charset=ISO-8859-1"),
    (f"<title>{TITLE}</title>".encode("utf-16"), "text/html"),
    (b"\xef\xbb\xbf" + f"<title>{TITLE}</title>".encode(), "text/html; charset=latin-1"),
    (f'<meta charset="iso-8859-1"><title>{TITLE}</title>'.encode("latin-1"), "text/html"),
    (f"<title>{TITLE}</title>".encode(), "text/html; charset=unicode_escape"),
    (f"<title>{TITLE}</title>".encode(), "text/html; charset=utf-7"),
    (f"<title>{TITLE}</title>".encode(), "text/html; charset=nonsense"),
]


@pytest.mark.parametrize(("body", "media"), CHARSETS)
def test_charsets(body, media):
    assert read_page_record(body, AT, media).title == TITLE


def test_japanese_charsets():
    body = (
        '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><title>日本語の題名</title>'
    )
    assert read_page_record(body.encode("shift_jis"), AT, "text/html").title == "日本語の題名"


LD = '<title>T x</title><script type="application/ld+json">'
HOSTILE = {
    "deep": "<title>T x</title>" + "<div>" * 200_000,
    "deep title": "<title>T x" + "<b>" * 100_000,
    "many tags": "<title>T x</title>" + '<meta name="citation_author" content="A, B">' * 100_000,
    "long attribute": f'<title>T x</title><meta name="citation_title" content="{"x" * 3_000_000}">',
    "long title": f"<title>T x{'y' * 3_000_000}</title>",
    "entities": '<!DOCTYPE x [<!ENTITY a "aaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><title>T x&b;&b;</title>',
    "external entity": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><title>T x &e;</title>',
    "script": "<script>document.title='evil'</script><title>T x</title><script>alert(1)</script>",
    "deep json": f'<title>T x</title><script type="application/ld+json">{"[" * 100_000}</script>',
    "nested json": '<title>T x</title><script type="application/ld+json">'
    + '{"@graph":' * 500
    + "1"
    + "}" * 500,
    "wide json": '<title>T x</title><script type="application/ld+json">['
    + '{"a":1},' * 50_000
    + "1]</script>",
    "surrogates": LD + '{"@type":"Book","name":"\\ud800"}</script>',
    "nul": "<title>T\0 x\0</title>",
    "many headings": "<title>T x</title>" + "<h1>h h</h1>" * 100_000,
    "many bylines": "<title>T x</title>" + "<p class='author'>A. Author</p>" * 50_000,
    "separators": f"<title>T x{' | a' * 100_000}</title>",
    "spaces": f"<title>T x{' ' * 1_000_000}|</title>",
    "bidi": "<title>T x\u202etxt.exe\u2066</title>",
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_bounded(name):
    record = read(HOSTILE[name])
    assert record is not None
    assert all(len(title) <= 2000 for title in record.titles)
    assert len(record.authors) <= 3000
    assert "root:" not in record.title
    assert "evil" not in record.title


LINKED = [
    ('{"@type": "WebSite", "name": "The site"}', "Fallback title", Kind.WEB_PAGE),
    ('{"@type": ["Thing", "ScholarlyArticle"], "name": "In a list"}', "In a list", Kind.ARTICLE),
    ('[{"@type": "WebPage", "name": "Page"}, {"@type": "Book", "name": "The book"}]', "The book", Kind.BOOK),
    ('{"@type": "http://schema.org/Dataset", "name": "Data"}', "Data", Kind.DATASET),
    ('{"@type": "Thesis", "headline": 5, "name": [{"x": 1}]}', "Fallback title", Kind.WEB_PAGE),
    ('{"@type": "NewsArticle", "headline": "News", "author": "Jane Roe"}', "News", Kind.WEB_PAGE),
    ("{not json}", "Fallback title", Kind.WEB_PAGE),
    ("null", "Fallback title", Kind.WEB_PAGE),
]


@pytest.mark.parametrize(("script", "title", "kind"), LINKED)
def test_json_ld(script, title, kind):
    record = read(f"<title>Fallback title</title><script type='application/ld+json'>{script}</script>")
    assert (record.title, record.kind) == (title, kind)


def test_json_ld_people_and_identifiers():
    script = (
        '{"@type": "ScholarlyArticle", "headline": "T x", "author": ["Ada Roe", 5, null,'
        ' {"@type": "Person", "familyName": "Planck", "givenName": "Max"},'
        ' {"@type": "Organization", "name": "ATLAS"}, {"name": "https://x.example/me"}],'
        ' "identifier": [{"propertyID": "doi", "value": "10.1000/X"}, 7],'
        ' "isPartOf": [{"@type": "PublicationIssue", "issueNumber": 4,'
        ' "isPartOf": {"@type": "PublicationVolume", "volumeNumber": "12", "isPartOf": {"name": "J"}}}],'
        ' "pageStart": "5", "pageEnd": "9", "datePublished": "1999-02", "publisher": {"name": "P"}}'
    )
    record = read(f"<script type='application/ld+json'>{script}</script>")
    assert [(n.family, n.given, n.collective) for n in record.authors] == [
        ("Roe", "Ada", False), ("Planck", "Max", False), ("ATLAS", "", True),
    ]  # fmt: skip
    assert record.ids.first("doi") == "10.1000/x"
    (version,) = record.versions
    assert (version.venue, version.volume, version.issue, version.pages) == ("J", "12", "4", "5-9")
    assert (version.year, record.publisher) == (1999, "P")


@given(st.binary(max_size=400), st.sampled_from(["text/html", "text/html; charset=utf-16", "", "x" * 300]))
def test_no_bytes_crash_it(body, media):
    record = read_page_record(body, AT, media)
    assert record is None or record.titles


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["@type", "@graph", "name", "headline", "author", "isPartOf", "identifier", "sameAs",
                         "publisher", "pagination", "datePublished", "isbn", "volumeNumber"]),
        inner | st.sampled_from(["ScholarlyArticle", "Book"]), max_size=6,
    ),
    max_leaves=25,
)  # fmt: skip


@given(JSON)
def test_no_json_ld_crashes_it(value):
    import json

    script = json.dumps(value).replace("</", "<\\/")
    assert read(f"<title>A title</title><script type='application/ld+json'>{script}</script>").titles


NAMES = ("title", "author", "date", "doi", "firstpage", "isbn", "authors")
OTHERS = ("dc.title", "dc.creator", "dc.identifier", "og:title", "author", "date")
TAG = st.sampled_from([*(f"citation_{name}" for name in NAMES), *OTHERS])


@given(st.lists(st.tuples(TAG, st.text(max_size=30)), max_size=12))
def test_no_tags_crash_it(tags):
    from html import escape

    read("<title>A title</title>" + "".join(META.format(n, escape(v)) for n, v in tags))


DENIED = [
    "https://scholar.google.com/scholar?q=x",
    "https://scholar.google.co.uk/citations",
    "https://scholar.google.de/",
    "http://SCHOLAR.google.com:443/x",
    "https://scholar.google.com?q=x",
    "https://scholar.google.com./x",
    "https://www.pubpeer.com/publications/1",
    "https://pubpeer.com/",
]


@pytest.mark.parametrize("address", DENIED)
def test_some_hosts_are_never_fetched(address):
    assert _page_metadata.is_denied(address)
    with pytest.raises(CannotAnswerError, match=r"does not allow"):
        _page_metadata.build_page_request("url", address)


@pytest.mark.parametrize(
    "address",
    ["https://scholar.archive.org/", "https://pubpeer.com.example.org/", "https://www.google.com/scholar"],
)
def test_others_are(address):
    assert _page_metadata.build_page_request("url", address).free


def answered(title):
    return Answer(200, f"<title>{title}</title>".encode(), "text/html", "ab", AT, "2026-11-15T00:00:00.000Z")


WALLS = [
    "Just a moment...",
    "Attention Required! | Cloudflare",
    "Making sure you&#39;re not a bot!",
    "Log in",
    "Sign in to GitHub · GitHub",
    "Access Denied",
    "403 Forbidden",
    "Client Challenge",
]
GONE = [
    "404",
    "404 Not Found",
    "Page not found | WHO",
    "Error 404 - Page",
    "The requested page could not be found",
    "Not Found",
    "This page is no longer available",
]
PAGES = [
    "404 Media",
    "Login-free access to journals",
    "Not a moment too soon",
    "Access to medicines",
    "Not found: a study of missing pages across twenty years of the web, with many examples",
]


@pytest.mark.parametrize("title", WALLS)
def test_walls_are_noticed(title):
    with pytest.raises(CannotAnswerError) as caught:
        _page_metadata.read_page(answered(title))
    assert caught.value.cause is Cause.BOT_WALL


@pytest.mark.parametrize("title", GONE)
def test_pages_that_say_not_found_are_gone(title):
    with pytest.raises(_page_metadata.PageGoneError):
        _page_metadata.read_page(answered(title))


@pytest.mark.parametrize("title", PAGES)
def test_other_pages_are_neither(title):
    assert _page_metadata.read_page(answered(title)).title == title
