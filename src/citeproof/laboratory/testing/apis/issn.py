"""The ISSN Portal: `/resource/ISSN/<issn>?format=json` or `…/<issn>.jsonld`, JSON-LD as a graph of nodes.

A serial is known when a work with that ISSN is; its name is the venue of that work, or the title of a
record marked `journal`. Without `format=json` it answers with a web page.
"""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.text import ids
from citeproof.vocabulary import Record

_PAGE = "<!DOCTYPE html><html><title>ISSN Portal</title><body>{}</body></html>"
_BF = "http://id.loc.gov/ontologies/bibframe/"


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case ("resource", "ISSN", number):
            issn = ids.normalise_id("issn", number.removesuffix(".jsonld"))
            named = _list_journal_names(holdings.by_id("issn", issn)) if issn else []
            if not issn or not named:
                return make_text_reply(_PAGE.format("Not found"), 404, "text/html")
            if call.query.get("format") != "json" and not number.endswith(".jsonld"):
                return make_text_reply(_PAGE.format(named[0]), 200, "text/html")
            return make_json_reply(
                {"@context": {}, "@graph": _build_graph(issn, named, holdings.by_id("issn", issn)[0])}
            )
    return make_text_reply(_PAGE.format("Not found"), 404, "text/html")


def _list_journal_names(works: Sequence[Record]) -> list[str]:
    journals: dict[str, None] = {}
    for work in works:
        journals.update(dict.fromkeys(work.titles if "journal" in work.marks else ()))
        journals.update(dict.fromkeys(version.venue for version in work.versions if version.venue))
    return list(journals)


def _build_graph(issn: str, named: list[str], work: Record) -> list[dict[str, object]]:
    own = f"resource/ISSN/{issn}"
    linking = next(iter(work.ids.all("issn")), issn)
    media = [f"resource/ISSN/{other}" for other in work.ids.all("issn") if other != issn]
    serial: dict[str, object] = {
        "@id": own,
        "@type": ["http://schema.org/Periodical", f"{_BF}Instance", f"{_BF}Work"],
        "format": "vocabularies/medium#Print",
        "http://schema.org/issn": issn,
        "identifiedBy": [f"{own}#ISSN-L", f"{own}#KeyTitle", f"{own}#ISSN"],
        "identifier": issn,
        "isPartOf": f"resource/ISSN-L/{linking}",
        "issn": issn,
        "mainTitle": f"{named[0]}.",
        "name": [f"{named[0]}.", *named] if len(named) > 1 else named[0],
        "title": f"{own}#KeyTitle",
        "type": "http://marc21rdf.info/terms/formofmaterial#a",
    }
    if media:
        serial["isFormatOf"] = media if len(media) > 1 else media[0]
    return [
        {"@id": f"resource/ISSN-L/{linking}", "identifiedBy": f"{own}#ISSN-L"},
        serial,
        {
            "@id": f"{own}#ISSN",
            "@type": f"{_BF}Issn",
            "status": "vocabularies/IdentifierStatus#Valid",
            "value": issn,
        },
        {"@id": f"{own}#ISSN-L", "@type": f"{_BF}IssnL", "value": linking},
        {"@id": f"{own}#KeyTitle", "@type": [f"{_BF}Identifier", f"{_BF}KeyTitle"], "value": named[0]},
        {"@id": f"{own}#Record", "@type": "http://schema.org/CreativeWork", "mainEntity": own},
    ]
