"""ISSN Portal: the international register of serials.

**Covers** every ISSN ever given to a journal, newspaper, book series or web site: some 2.5 million. It is
the authority for ISSNs: **silence** means that there is no such ISSN.

**Asked by** ISSN only; it offers no free search. A well-formed ISSN whose check digit is wrong is never
asked: it cannot exist.

**What comes back** is a record of the *journal*, not of the cited work: its titles are the names of the
journal (key title, main title, variants, and earlier or later names where the answer spells them), its
mark is `journal`. An ISSN therefore confirms where a work appeared, never the work.

**Costs** nothing for this subset of the data (JSON-LD), needs no key. No limit is published; one request
a second is polite. Answers change rarely and are worth keeping for months.

**Known quirks**

- The portal has served three shapes under the same address: a graph of nodes (`@graph`), a compact
  object (`identifiedBy` with `#KeyTitle`), and a schema.org `Periodical`. All three are read.
- Leading articles are framed by the control characters U+0098 and U+009C; titles end in a full stop.
- Key titles carry a qualifier in brackets, e.g. "Nature (London)": given with and without it.
- Renamed journals have a new ISSN; the answer names predecessors and successors by address only.
- Its clients ask for `…?format=json` or for `….jsonld`; an unknown form of address gets a 404 as an unknown
  number does. A number is taken not to exist only if both are answered so.

**Licence:** essential metadata free to use; the full register is licensed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from citeproof.evidence.sources.base import LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import Answer, Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Ids, Question, Record

_NAMES = ("mainTitle", "name", "alternateName", "keyTitle", "abbreviatedTitle")
_SAME = ("isFormatOf", "otherPhysicalFormat", "issn", "identifier", "isPartOf", "exampleOfWork")
_RENAMED = ("precededBy", "succeededBy", "continues", "continuedBy", "predecessorOf", "successorOf")
_ISSN = re.compile(r"(?<![0-9])[0-9]{4}-[0-9]{3}[0-9Xx](?![0-9])")
_QUALIFIER = re.compile(r"\s\((?:[^()]{1,60})\)$")

_ACCEPT = (("Accept", "application/ld+json, application/json"),)

Node = dict[str, object]


class Issn(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("issn",))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="ISSN Portal",
        url="https://portal.issn.org",
        rate=Rate(1, at_once=1),
        probe=("issn", "0028-0836"),
        turns={"issn": 1},
        authority=frozenset(("issn",)),
        says_no_with_pages=True,
        licence="essential metadata free; full register licensed",
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        answer = await self._answer(question.value, visit)
        if answer is None:
            return ()
        body = answer.json()
        if not isinstance(body, dict):
            raise UnreadableError("no JSON-LD object in the answer")
        nodes = json_fields.read_rows(body["@graph"]) if "@graph" in body else [body]
        own = _find_own_node(nodes, question.value)
        if own is None:
            raise UnreadableError("no node of the asked ISSN in the answer")
        titles = tuple(dict.fromkeys(_list_names(own, nodes, question.value)))
        if not titles:
            raise UnreadableError("the serial has no name in the answer")
        return [
            Record(
                source=self.name,
                id=question.value,
                titles=titles,
                publisher=next(_list_publishers(own, nodes), None),
                ids=Ids(json_fields.make_id_pairs("issn", [question.value, *_list_issns(own)])),
                marks=("journal",),
            )
        ]

    async def _answer(self, issn: str, visit: SourceSession) -> Answer | None:
        """Return the description of a serial; None only if neither of its two addresses is known.

        The portal may not know the form of an address, and says so as it says that there is no such ISSN.
        """
        path = f"/resource/ISSN/{quote_segment(issn)}"
        for url in (
            build_url(self.wiring.url, path, format="json"),
            build_url(self.wiring.url, f"{path}.jsonld"),
        ):
            answer = await visit.get(Request(self.name, url, headers=_ACCEPT))
            if answer is not None:
                return answer
        return None


def _find_own_node(nodes: list[Node], issn: str) -> Node | None:
    ending = f"resource/ISSN/{issn}"
    named = next((node for node in nodes if str(node.get("@id", "")).endswith(ending)), None)
    if named or len(nodes) != 1:
        return named
    only = nodes[0]
    described = {"identifiedBy", "mainTitle", "name"} & only.keys()
    return only if described and issn in _ISSN.findall(_flatten_texts(only)) else None


def _list_names(own: Node, nodes: list[Node], issn: str) -> Iterator[str]:
    """Yield the key title, the main title, variants, then the names of predecessors and successors."""
    keyed = [n.get("value") for n in nodes if str(n.get("@id", "")).endswith(f"/{issn}#KeyTitle")]
    keyed.append(json_fields.read_path(own, "identifiedBy", "#KeyTitle", "value"))
    for value in (*keyed, *(own.get(name) for name in _NAMES)):
        for name in json_fields.read_texts(value):
            yield from (name, _QUALIFIER.sub("", name))
    renamed = {number for key in _RENAMED for number in _ISSN.findall(_flatten_texts(own.get(key)))}
    for node in nodes:
        if str(node.get("@id", "")).rpartition("/")[2] in renamed:
            yield from (name for key in _NAMES for name in json_fields.read_texts(node.get(key)))


def _list_publishers(own: Node, nodes: list[Node]) -> Iterator[str]:
    for node in (own, *nodes):
        for value in (node.get("publisher"), json_fields.read_path(node, "publisher", "name")):
            yield from json_fields.read_texts(value)


def _list_issns(own: Node) -> list[str]:
    """Return the ISSNs of the same serial: other media and the linking ISSN."""
    linked = json_fields.read_path(own, "identifiedBy", "#ISSN-L", "value")
    numbers = [number for key in _SAME for number in _ISSN.findall(_flatten_texts(own.get(key)))]
    return [*_ISSN.findall(_flatten_texts(linked)), *numbers]


def _flatten_texts(value: object, depth: int = 4) -> str:
    """Return all texts inside `value`, joined; deep or long values are cut."""
    if isinstance(value, str):
        return value[: json_fields.MAX_TEXT]
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return " ".join(_flatten_texts(each, depth - 1) for each in inner[:100]) if depth else ""
