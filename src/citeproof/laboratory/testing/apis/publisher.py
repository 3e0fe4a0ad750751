"""A publisher's site, with the ways in which an open copy can be had or not.

    /article/<doi>     a page about the work that leads to its PDF (`citation_pdf_url`)
    /html/<doi>        the article itself as a page
    /pdf/<doi>         the PDF file
    /closed/<doi>      the same, where this world's robots.txt lets no program in
    /landing/<doi>     a page about the work that leads nowhere
    /login/<doi>       a login page, with status 200
    /wall/<doi>        a wall for robots, with status 200
    /other/<doi>       the PDF of another work
    /fake/<doi>        a page that says it is a PDF
    /data/<doi>        a spreadsheet
    /moved/<n>/<doi>   n redirects, then the PDF
    /private/<doi>     a redirect into a private network
    /endless/<doi>     a file that is larger than anybody reads

A record's mark `at:<word>` says at which of them Unpaywall and OpenAlex find its free copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape
from urllib.parse import quote

from citeproof.laboratory.testing import article_texts
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_text_reply
from citeproof.laboratory.testing.faults import BOT_WALL
from citeproof.vocabulary import Record

PDF, PAGE = "application/pdf", "text/html; charset=utf-8"
AT = "at:"  # begins the mark that says where the copy is
ENDLESS = 40_000_000  # bytes
_LOGIN = "<html><head><title>Sign in to continue</title></head><body><form>Password</form></body></html>"


def find_copy_address(record: Record, base: str) -> str:
    """Return where the free copy of a work is; "" if the record does not say. `base`: any API's base URL."""
    word = next((mark.removeprefix(AT) for mark in record.marks if mark.startswith(AT)), "")
    doi = record.ids.first("doi") or ""
    return f"{base.rpartition('/')[0]}/publisher/{word}/{quote(doi, safe='')}" if word else ""


def answer(call: Call, holdings: Holdings) -> Reply:
    if not call.parts:
        return make_text_reply("<html><head><title>404 Not Found</title></head></html>", 404, PAGE)
    word, *more = call.parts
    record = next(iter(holdings.by_id("doi", more[-1])), None) if more else None
    if record is None or word not in _COPIES:
        return make_text_reply("<html><head><title>404 Not Found</title></head></html>", 404, PAGE)
    return _COPIES[word](call, record)


def _answer_article(call: Call, record: Record) -> Reply:
    link = f"{call.base}/pdf/{quote(call.parts[-1], safe='')}"
    return _build_landing(record, f'<meta name="citation_pdf_url" content="{escape(link)}">')


def _build_landing(record: Record, head: str = "") -> Reply:
    title = escape(record.title)
    about = f'<title>{title}</title><meta name="citation_title" content="{title}">{head}'
    text = escape(article_texts.build_abstract(record))
    body = f"<body><h1>{title}</h1><p>{text}</p></body>"
    return make_text_reply(f"<html><head>{about}</head>{body}</html>", media=PAGE)


def _answer_other(_: Call, record: Record) -> Reply:
    other = replace(record, titles=("A field guide to the lichens of northern shores",), authors=())
    return Reply(200, article_texts.build_pdf(other), PDF)


def _answer_moved(call: Call, record: Record) -> Reply:
    left = int(call.parts[1]) if len(call.parts) > 2 and call.parts[1].isdigit() else 0
    if not left:
        return Reply(200, article_texts.build_pdf(record), PDF)
    onward = f"{call.base}/moved/{left - 1}/{quote(call.parts[-1], safe='')}"
    return Reply(302, b"", PAGE, {"Location": onward})


_COPIES: Mapping[str, Callable[[Call, Record], Reply]] = {
    "article": _answer_article,
    "html": lambda _, record: make_text_reply(article_texts.build_article_page(record), media=PAGE),
    "pdf": lambda _, record: Reply(200, article_texts.build_pdf(record), PDF),
    "closed": lambda _, record: Reply(200, article_texts.build_pdf(record), PDF),
    "landing": lambda _, record: _build_landing(record),
    "login": lambda _, __: make_text_reply(_LOGIN, media=PAGE),
    "wall": lambda _, __: Reply(200, BOT_WALL, PAGE),
    "other": _answer_other,
    "fake": lambda _, __: make_text_reply("this is no such file", media=PDF),
    "data": lambda _, __: Reply(200, b"PK\x03\x04", "application/vnd.ms-excel"),
    "moved": _answer_moved,
    "private": lambda _, __: Reply(302, b"", PAGE, {"Location": "http://10.0.0.1/secret.pdf"}),
    "endless": lambda _, __: Reply(200, b"%PDF-1.4\n" + bytes(ENDLESS), PDF),
}
