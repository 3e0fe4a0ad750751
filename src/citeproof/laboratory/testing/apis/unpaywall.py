"""The Unpaywall API: `/v2/<doi>?email=`.

It knows works with a DOI of Crossref. A work with the mark `open_access` has a free copy at its `url`.
Quirks: no or an unusable address is 422; an unknown DOI is 404 with JSON; a field reads "deprecated".
"""

from __future__ import annotations

from citeproof.laboratory.testing.apis.publisher import find_copy_address
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record

_EMAIL = re.compile(r"[^@\s]{1,100}@[^@\s]{1,100}\.[a-z]{2,20}")
_ELSEWHERE = ("10.48550/", "10.5281/", "10.6084/", "10.17605/")
_GENRES: dict[str, str] = load_package_table(__package__, "names.toml")["unpaywall"]["genres"]


def answer(call: Call, holdings: Holdings) -> Reply:
    email = call.query.get("email", "")
    if not _EMAIL.fullmatch(email) or email.endswith("@example.com"):
        return _make_error_reply(
            422, "Please use your own email address in API calls. See https://unpaywall.org/products/api"
        )
    asked = "/".join(call.parts).removeprefix("v2/")
    doi = ids.normalise_id("doi", asked)
    if not doi:
        return _make_error_reply(404, f"'{asked}' is an invalid doi. See https://doi.org/{asked}")
    known = None if doi.startswith(_ELSEWHERE) else next(iter(holdings.by_id("doi", doi)), None)
    return (
        make_json_reply(_build_work(known, doi, find_copy_address(known, call.base)))
        if known
        else _make_error_reply(404, f"'{doi}' isn't in Unpaywall. See https://doi.org/{doi}")
    )


def _build_work(record: Record, doi: str, copy: str) -> dict[str, object]:
    version = record.versions[0] if record.versions else None
    free = "open_access" in record.marks
    link = copy or record.ids.first("url") or f"https://doi.org/{doi}"
    best: dict[str, object] = {
        "url": link,
        "url_for_pdf": link if link.endswith(".pdf") or "/pdf/" in link else None,
        "url_for_landing_page": link,
    }
    best |= {"host_type": "publisher", "license": "cc-by", "version": "publishedVersion", "is_best": True}
    return {
        "doi": doi,
        "doi_url": f"https://doi.org/{doi}",
        "title": record.title,
        "genre": _GENRES.get(record.kind, "other"),
        "is_paratext": False,
        "year": version.year if version else None,
        "journal_name": version.venue if version else None,
        "journal_issns": ",".join(record.ids.all("issn")) or None,
        "journal_is_in_doaj": False,
        "publisher": record.publisher,
        "is_oa": free,
        "oa_status": "gold" if free else "closed",
        "best_oa_location": best if free else None,
        "oa_locations": [best] if free else [],
        "has_repository_copy": False,
        "data_standard": 2,
        "updated": "deprecated",
        "z_authors": [
            {"author_position": "first" if not n else "middle", "raw_author_name": name.display}
            for n, name in enumerate(record.authors)
        ],
    }


def _make_error_reply(status: int, message: str) -> Reply:
    return make_json_reply({"HTTP_status_code": status, "error": True, "message": message}, status)
