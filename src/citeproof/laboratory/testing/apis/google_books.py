"""The Google Books API: `/volumes?q=` with `isbn:`, `intitle:`, `inauthor:`, and `/volumes/<id>`.

It holds books. Quirks: without a key every answer is 429 `RESOURCE_EXHAUSTED`; `items` is missing
when nothing was found; the subtitle comes apart from the title.
"""

from __future__ import annotations

from hashlib import sha256

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, read_count
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Kind, Record

_TERM = re.compile(r'(isbn|intitle|inauthor|inpublisher):(?:"([^"]*)"|(\S+))')


def answer(call: Call, holdings: Holdings) -> Reply:
    if not (call.headers.get("x-goog-api-key") or call.query.get("key")):
        return _make_error_reply(
            429,
            "Quota exceeded for quota metric 'Queries' of service 'books.googleapis.com'.",
            "RESOURCE_EXHAUSTED",
        )
    match call.parts:
        case (*_, "volumes"):
            return _answer_search(call, holdings)
        case (*_, "volumes", _):
            return _make_error_reply(404, "The volume ID could not be found.", "NOT_FOUND")
    return _make_error_reply(404, "Requested entity was not found.", "NOT_FOUND")


def _answer_search(call: Call, holdings: Holdings) -> Reply:
    query = call.query.get("q", "")
    if not query:
        return _make_error_reply(400, "Missing query.", "INVALID_ARGUMENT")
    terms = {m[1]: m[2] if m[2] is not None else m[3] for m in _TERM.finditer(query)}
    if "isbn" in terms:
        records = list(holdings.by_id("isbn", ids.normalise_id("isbn", terms["isbn"]) or ""))
    else:
        records = list(holdings.search(terms.get("intitle") or _TERM.sub("", query), 40))
    books = [record for record in records if record.kind is Kind.BOOK]
    head: dict[str, object] = {"kind": "books#volumes", "totalItems": len(books)}
    items = [_build_volume(record, call) for record in books[: read_count(call, "maxResults", 10)]]
    return make_json_reply(head | {"items": items} if items else head)


def _build_volume(record: Record, call: Call) -> dict[str, object]:
    name = sha256(record.id.encode()).hexdigest()[:12]
    title, _, subtitle = record.title.partition(": ")
    year = next((version.year for version in record.versions if version.year), None)
    info: dict[str, object] = {
        "title": title,
        "authors": [name.display for name in record.authors],
        "industryIdentifiers": [{"type": "ISBN_13", "identifier": isbn} for isbn in record.ids.all("isbn")],
        "printType": "BOOK",
        "language": "en",
    }
    known = {"subtitle": subtitle, "publisher": record.publisher, "publishedDate": year and f"{year}-11-18"}
    info |= {field: value for field, value in known.items() if value}
    link = f"{call.base}/volumes/{name}"
    return {"kind": "books#volume", "id": name, "etag": name[:11], "selfLink": link, "volumeInfo": info}


def _make_error_reply(code: int, message: str, status: str) -> Reply:
    inner = [
        {"message": message, "domain": "global", "reason": "rateLimitExceeded" if code == 429 else "invalid"}
    ]
    return make_json_reply(
        {"error": {"code": code, "message": message, "errors": inner, "status": status}}, code
    )
