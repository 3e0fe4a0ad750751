"""PyPI's JSON API: `/pypi/<name>/json` and `/pypi/<name>/<version>/json`.

A package is known when a work with its address (`/project/name`) is. Quirks: names
are equal whatever their case and joints; an unknown one is 404 with JSON.
"""

from __future__ import annotations

import re

from citeproof.evidence.sources.pypi import PyPI
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply, make_text_reply
from citeproof.text import url
from citeproof.vocabulary import Record

_PROJECTS = f"{PyPI.profile.url}/project"
_PLACE = re.compile(re.escape(_PROJECTS) + r"/([^/?#]+)/?.*")


def answer(call: Call, holdings: Holdings) -> Reply:
    match call.parts:
        case ("pypi", name, "json") | ("pypi", name, _, "json"):
            known = _find_package(holdings, name)
            return (
                make_json_reply(_build_package(known, name))
                if known
                else make_json_reply({"message": "Not Found"}, 404)
            )
    return make_text_reply("<!DOCTYPE html><title>Page Not Found (404)</title>", 404, "text/html")


def _find_package(holdings: Holdings, name: str) -> Record | None:
    for form in dict.fromkeys((name, _normalise_name(name), _normalise_name(name).replace("-", "_"))):
        for end in ("", "/"):
            if known := holdings.by_id("url", url.normalise(f"{_PROJECTS}/{form}{end}") or ""):
                return known[0]
    return None


def _normalise_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _build_package(record: Record, asked: str) -> dict[str, object]:
    spelt = next((match[1] for place in record.ids.all("url") if (match := _PLACE.fullmatch(place))), asked)
    years = sorted(version.year for version in record.versions if version.year)
    releases = {f"{n}.0": [_build_file(spelt, n, year)] for n, year in enumerate(years, 1)}
    people = ", ".join(name.display for name in record.authors)
    info = {
        "author": people or None,
        "author_email": None,
        "maintainer": None,
        "maintainer_email": None,
        "name": spelt,
        "package_url": f"{_PROJECTS}/{spelt}/",
        "project_url": f"{_PROJECTS}/{spelt}/",
        "project_urls": None,
        "release_url": f"{_PROJECTS}/{spelt}/{len(years) or 1}.0/",
        "summary": record.title.partition(": ")[2] or None,
        "version": f"{len(years) or 1}.0",
        "yanked": False,
        "yanked_reason": None,
    }
    last = list(releases.values())[-1] if releases else []
    return {"info": info, "last_serial": 1, "releases": releases, "urls": last, "vulnerabilities": []}


def _build_file(name: str, number: int, year: int) -> dict[str, object]:
    when = f"{year}-06-01T12:00:00"
    return {
        "filename": f"{name}-{number}.0.tar.gz",
        "packagetype": "sdist",
        "upload_time": when,
        "upload_time_iso_8601": f"{when}.000000Z",
        "yanked": False,
    }
