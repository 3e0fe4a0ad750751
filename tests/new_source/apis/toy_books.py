"""Toy Books as a server: `/books?isbn=…` or `/books?title=…`, a list of books."""

from __future__ import annotations

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply


def answer(call: Call, holdings: Holdings) -> Reply:
    if "isbn" in call.query:
        held = holdings.by_id("isbn", call.query["isbn"])
    else:
        held = holdings.search(call.query.get("title", ""), 5)
    books = [
        {
            "isbn": record.ids.all("isbn")[0],
            "title": record.title,
            "authors": [f"{name.family}, {name.given}" for name in record.authors],
            "year": record.versions[0].year,
        }
        for record in held
        if record.ids.all("isbn")
    ]
    return make_json_reply({"books": books})
