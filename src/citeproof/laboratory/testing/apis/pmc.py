"""PubMed Central's `esummary` (JSON) in NCBI's E-utilities: the works that have a PMCID.

Asked by address or by form. Named quirks: names with initials only, numbers without "PMC", an entry with
an `error` for an unknown number, a top-level `error` for what is not a number, rate headers on every answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from citeproof.laboratory.testing.apis.pubmed import build_limit_headers, read_params
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import names
from citeproof.vocabulary import Name, Record, Version

_HEAD = {"type": "esummary", "version": "0.3"}


def answer(call: Call, holdings: Holdings) -> Reply:
    asked = read_params(call)
    headers = build_limit_headers(asked)
    if call.parts[-1:] != ("esummary.fcgi",) or asked.get("db") != "pmc":
        return Reply(400, b'{"error":"Unsupported tool or database"}', headers=headers)
    return make_json_reply(_build_summaries(asked, holdings), headers=headers)


def _build_summaries(asked: Mapping[str, str], holdings: Holdings) -> dict[str, object]:
    uids: list[str] = []
    result: dict[str, object] = {"uids": uids}
    whole: dict[str, object] = {"header": _HEAD, "result": result}
    for at, number in enumerate(asked.get("id", "").split(",")):
        if not number.isdecimal():
            whole["error"] = f"Invalid uid {number} at position={at}"
            continue
        uids.append(number)
        known = holdings.by_id("pmcid", f"PMC{number}")
        none = {"uid": number, "error": "cannot get document summary"}
        result[number] = build_pmc_summary(known[0], number) if known else none
    return whole


def build_pmc_summary(record: Record, number: str) -> dict[str, object]:
    """Return a record as one entry of the real answer."""
    version = record.versions[0] if record.versions else Version()
    year = str(version.year or "")
    known = (("pmid", record.ids.first("pmid") or "0"), ("doi", record.ids.first("doi")))
    return {
        "uid": number,
        "pubdate": year,
        "epubdate": "",
        "printpubdate": year,
        "source": version.venue or "",
        "authors": [
            {"name": _format_author_name(name), "authtype": "CollectiveName" if name.collective else "Author"}
            for name in record.authors
        ],
        "title": record.title,
        "volume": version.volume or "",
        "issue": version.issue or "",
        "pages": version.pages or "",
        "articleids": [
            *({"idtype": scheme, "value": value} for scheme, value in known if value),
            {"idtype": "pmcid", "value": f"PMC{number}"},
        ],
        "fulljournalname": version.venue or "",
        "sortdate": f"{year or '1900'}/01/01 00:00",
        "pmclivedate": f"{year or '1900'}/01/01",
    }


def _format_author_name(name: Name) -> str:
    initials = "".join(word[0].upper() for word in names.fold_given_words(name))
    return " ".join(part for part in (name.family, initials, name.suffix) if part)
