"""The local API of Zotero 7 on loopback: a library with collections, read only.

    with World(Shelf(), apis={"zotero": ZoteroApi({"ABCD2345": ("Thesis", ENTRIES)})}) as world:
        world.urls["zotero"]  # what CITEPROOF_ZOTERO_URL is set to

As the real one it sends all works at once unless `limit` says otherwise, states `Total-Results` and links to
the next page, says 403 while the user has not allowed it, and 404 for what is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply

_VERSION = {"Zotero-API-Version": "3", "Zotero-Schema-Version": "32"}
_TEXTS = ("biblatex", "bibtex")  # formats in which it hands over works; both are given as they are


@dataclass(frozen=True, slots=True)
class ZoteroApi:
    """A library: its collections by key, each a name and entries, and works that are in none of them."""

    collections: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)
    others: Sequence[str] = ()
    enabled: bool = True
    page: int = 0  # works in one answer where the call does not say how many; 0: all

    def __call__(self, call: Call, holdings: Holdings) -> Reply:
        """Return what Zotero would say."""
        del holdings  # a library is the user's own
        reply = self._answer(call)
        return replace(reply, headers={**_VERSION, **reply.headers})

    def _answer(self, call: Call) -> Reply:
        if not self.enabled:
            return make_text_reply("Local API is not enabled", 403)
        match call.parts:
            case ("api", "users", "0", "collections"):
                listed = [self._build_collection(key) for key in self.collections]
                return self._cut(call, listed)
            case ("api", "users", "0", "collections", key) if key in self.collections:
                return make_json_reply(self._build_collection(key))
            case ("api", "users", "0", "collections", key, "items", "top"):
                return self._cut(call, self.collections.get(key, ("", ()))[1])
            case ("api", "users", "0", "items", "top"):
                works = (work for _, works in self.collections.values() for work in works)
                return self._cut(call, list(dict.fromkeys([*works, *self.others])))
            case ("api", "users", user, *_) if user != "0":
                text = "Only data for the logged-in user is available locally -- use userID 0"
                return make_text_reply(text, 400)
        return make_text_reply("No endpoint found" if call.parts[:1] != ("api",) else "Not found", 404)

    def _build_collection(self, key: str) -> Mapping[str, object]:
        data = {"key": key, "version": 1, "name": self.collections[key][0], "parentCollection": False}
        return {"key": key, "version": 1, "library": {"type": "user", "id": 0}, "meta": {}, "data": data}

    def _cut(self, call: Call, listed: Sequence[object]) -> Reply:
        """Return the part of a list that is asked for, and where the next one is."""
        start, limit = (_read_count(call.query.get(name, "")) for name in ("start", "limit"))
        limit = limit or self.page or len(listed)
        shown = listed[start : start + limit]
        headers = {"Total-Results": str(len(listed))}
        if start + limit < len(listed):
            query = urlencode({**call.query, "start": start + limit})
            headers["Link"] = f'<{call.base}{call.path}?{query}>; rel="next", <{call.base}/>; rel="alternate"'
        form = call.query.get("format", "json")
        if form in _TEXTS:
            reply = make_text_reply("\n\n".join(str(work) for work in shown))
        elif form == "json":
            reply = make_json_reply(shown)
        else:
            return make_text_reply(f"Invalid 'format' value '{form}'", 400)
        return replace(reply, headers=headers)


def _read_count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
