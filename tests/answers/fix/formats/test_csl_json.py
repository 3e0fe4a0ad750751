"""Edits of CSL-JSON: the bytes of one value."""

from __future__ import annotations

import json

import pytest

from citeproof.answers.fix.formats import csl_json
from citeproof.reading.extractors.records.csl_fields import read_csl_fields
from citeproof.vocabulary import Name
from tests.answers.fix.made import result, wanted

DOE, ROE, UNI = Name("Doe", "Jo"), Name("Roe", "Al"), Name("Müller", "Bo")


def _mended(text, field, value):
    changes = [wanted(field, read_csl_fields(json.loads(text))[0], value)]
    return result(text, csl_json.open_references(text, "\n")(0, len(text), changes))


NAMES = '{"title": "A", "author": [{"family": "Doe", "given": "Jo"}, {"family":"Poe","given":"Ed"}]}'
CASES = (
    ("title", '{ "title" : "Deep  Learnt"}', "title", "Deep Learning", '{ "title" : "Deep  Learning"}'),
    ("escaped title", '{"title": "A \\"B\\" C"}', "title", 'A "B" D', '{"title": "A \\"B\\" D"}'),
    ("hostile title", '{"title": "A B"}', "title", 'A x"},{"y', '{"title": "A x\\"},{\\"y"}'),
    ("year", '{"title":"A","issued":{"date-parts":[["1999",5]]}}', "year", 2001,
     '{"title":"A","issued":{"date-parts":[["2001",5]]}}'),
    ("number", '{"title":"A","volume":3}', "volume", "4", '{"title":"A","volume":4}'),
    ("number to a word", '{"title":"A","volume":3}', "volume", "4B", '{"title":"A","volume":"4B"}'),
    ("more", '{\n  "title": "A",\n  "volume": "3"\n}', "doi", "10.1/x",
     '{\n  "title": "A",\n  "volume": "3",\n  "DOI": "10.1/x"\n}'),
    ("more, one member", '{"title":"A"}', "doi", "10.1/x", '{"title":"A", "DOI":"10.1/x"}'),
    ("type", '{"type":"article", "title":"A"}', "type", "inproceedings",
     '{"type":"paper-conference", "title":"A"}'),
    ("type stays", '{"type":"book", "title":"A"}', "type", "article", ""),
    ("gone", '{"title":"A", "volume":"3", "page":"1"}', "volume", None, '{"title":"A", "page":"1"}'),
    ("venue in a list", '{"title":"A","container-title":["N"]}', "venue", "S",
     '{"title":"A","container-title":["S"]}'),
    ("pages in full", '{"title":"A","page":"1–8"}', "pages", "770-778", '{"title":"A","page":"770–778"}'),
    ("pages", '{"title":"A","page":"3–9"}', "pages", "5-9", '{"title":"A","page":"5–9"}'),
    ("doi", '{"title":"A","DOI":"10.1000/AB.7"}', "doi", "10.1000/ab.9",
     '{"title":"A","DOI":"10.1000/AB.9"}'),
    ("name", NAMES, "authors", (DOE, ROE), NAMES.replace('{"family":"Poe","given":"Ed"}',
     '{"family": "Roe", "given": "Al"}')),
    ("name in ASCII", NAMES, "authors", (DOE, UNI), NAMES.replace('{"family":"Poe","given":"Ed"}',
     '{"family": "M\\u00fcller", "given": "Bo"}')),
    ("name less", NAMES, "authors", (DOE,), NAMES.replace(', {"family":"Poe","given":"Ed"}', "")),
    ("name more", NAMES.replace(', {"family":"Poe","given":"Ed"}', ""), "authors", (DOE, ROE),
     NAMES.replace('{"family":"Poe","given":"Ed"}', '{"family": "Roe", "given": "Al"}')),
    ("names in a string", '{"title":"A","author":"Jo Doe"}', "authors", (ROE,),
     "the names are not in a list"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "field", "value", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_mended(text, field, value, expected):
    assert _mended(text, field, value) == expected


def test_an_item_that_is_not_there_is_left():
    changes = [wanted("volume", read_csl_fields({"title": "A"})[0], "3")]
    [made] = csl_json.open_references('{"title": "A"', "\n")(0, 13, changes)
    assert made.note == "the item could not be read again"
