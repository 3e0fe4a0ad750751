import json

import pytest

from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.csl_json import EXTRACTOR, MAX_PROBLEMS
from citeproof.vocabulary import Document, Kind, Name
from tests.growth import grows_linearly
from tests.soak import choose_cases

ITEM = {
    "id": "lecun2015",
    "type": "article-journal",
    "title": "Deep <i>learning</i>",
    "author": [
        {"family": "LeCun", "given": "Yann"},
        {"literal": "The Group"},
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"},
    ],
    "issued": {"date-parts": [[2015, 5]]},
    "container-title": "Nature",
    "volume": 521,
    "issue": "7553",
    "page": "436-44",
    "DOI": "https://doi.org/10.1038/NATURE14539",
}


def extract(text):
    return EXTRACTOR.extract(Document("refs.json", text.encode()))


SHAPES = {
    "array": json.dumps([ITEM]),
    "items": json.dumps({"items": [ITEM]}),
    "references": json.dumps({"meta": "x", "references": [ITEM]}),
    "one object": json.dumps(ITEM),
    "one a line": json.dumps(ITEM) + "\n" + json.dumps({**ITEM, "id": "again"}),
    "indented": "\ufeff" + json.dumps([ITEM], indent=2),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_read(shape):
    reference = extract(SHAPES[shape]).references[0]
    claimed = reference.claimed
    assert (reference.key, reference.kind) == ("lecun2015", Kind.ARTICLE)
    assert (claimed.title, claimed.year, claimed.venue) == ("Deep learning", 2015, "Nature")
    assert (claimed.volume, claimed.issue, claimed.pages) == ("521", "7553", "436-444")
    assert claimed.authors == (
        Name("LeCun", "Yann"),
        Name("The Group", collective=True),
        Name("van den Berg", "Jan"),
    )
    assert claimed.ids.first("doi") == "10.1038/nature14539"


def test_places_are_those_of_the_items():
    text = '[\n  {"title": "A"},\n  {"title": "B",\n   "volume": 1}\n]'
    first, second = extract(text).references
    assert (first.place.line, first.place.column) == (2, 3)
    assert (second.place.line, second.place.end_line) == (3, 4)
    assert text.encode()[second.place.start : second.place.end] == b'{"title": "B",\n   "volume": 1}'


def test_a_broken_item_costs_no_other():
    extraction = extract('[\n{"title": "A"},\n{"title": "broken},\n{"title": "C"}\n]')
    assert [r.claimed.title for r in extraction.references] == ["A", "C"]
    [problem] = extraction.problems
    assert problem.place.line == 3
    assert problem.hint


ODD = [
    ('[{"title": ["In a list"]}]', "title", "In a list"),
    ('[{"title": "T", "issued": "2015-05"}]', "year", 2015),
    ('[{"title": "T", "issued": {"raw": "May 2015"}}]', "year", 2015),
    ('[{"title": "T", "issued": {"date-parts": [[null]]}}]', "year", None),
    ('[{"title": "T", "author": "Fei Wu and others"}]', "et_al", True),
    ('[{"title": "T", "author": [{"family": "Wu"}, {"literal": "others"}]}]', "authors", (Name("Wu"),)),
    ('[{"title": true, "DOI": "10.1038/x"}]', "title", None),
    ('[{"title": "T", "author": {"family": "Wu"}}]', "authors", ()),
]


@pytest.mark.parametrize(("text", "name", "value"), ODD)
def test_odd_values_are_read_or_left_out(text, name, value):
    assert getattr(extract(text).references[0].claimed, name) == value


def test_a_malformed_identifier_is_flagged():
    assert extract('[{"title": "T", "DOI": "junk"}]').references[0].suspicious == ("malformed_doi",)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 50_000, '[{"title": ' + "[" * 100_000, '[1, 2, "x"]', "[", "{", "[]"]
)
def test_floods_and_strangers_become_problems(text):
    extraction = extract(text)
    assert extraction.references == ()
    assert bool(extraction.problems) is (text not in ("[", "[]"))


STRANGERS = [
    # text, titles, the text of each problem
    ('[null,1,"x",{"title":"A"},{"title":"B"}]', ["A", "B"], ['null,1,"x"']),
    ('[{"title":"A"} 1-1-1- {"title":"B"}, 7]', ["A", "B"], ["1-1-1-", "7"]),
    ('["{not an item}", {"title":"A"}]', ["A"], ['"{not an item}"']),
    ('[[{"title":"A"}], {"title":"B"}]', ["A", "B"], ["["]),
    ('[[1, 2], {"title":"B"}]', ["B"], ["[1, 2]"]),
]


@pytest.mark.parametrize(("text", "titles", "told"), STRANGERS)
def test_a_run_of_what_is_no_object_is_one_problem(text, titles, told):
    extraction = extract(text)
    assert detect_extractor(Document("refs.txt", text.encode())).name == "csl_json"
    assert [reference.claimed.title for reference in extraction.references] == titles
    assert [problem.text for problem in extraction.problems] == told


@pytest.mark.parametrize(
    "text",
    [
        "[1] Smith, J. (2001). A title. Nature.",
        "[[Page]] and words",
        '[1, 2, "x"]',
        "[Smith, 2001](http://a.org)",
    ],
)
def test_brackets_alone_are_no_csl_json(text):
    assert detect_extractor(Document("refs.txt", text.encode())).name != "csl_json"


@pytest.mark.parametrize("unit", ['{"b":0},', '{"title":},', "1 {},"])
def test_a_flood_of_problems_is_counted_and_not_listed(unit):
    extraction = extract("[" + unit * 3000 + '{"title": "last"}]')
    assert len(extraction.problems) <= MAX_PROBLEMS + 1
    assert extraction.problems[-1].message.endswith(("more problems from here on", "the rest is not read"))


UNITS = [
    "1-",
    '"',
    '\\"',
    "[",
    "{",
    '{"a":',
    '{"a":[{"b":0},',
    '{"b":0},',
    '{"title":},',
    '{"title":"a"},',
    "] {",
    "} ",
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(UNITS))
def test_extraction_is_linear(unit):
    assert grows_linearly(lambda size: extract('[{"title":"a"} ' + (unit * size)[:size]))


@pytest.mark.growth
def test_an_author_list_of_spaces_is_read_at_once():
    assert grows_linearly(lambda size: extract('[{"title":"T","author":"Smith' + " " * size + 'x"}]'))


STRANGERS = [{"cells": [{"title": "a"}]}, {"metadata": {"author": "a"}}, {"nbformat": 4, "type_": "a"}]


@pytest.mark.parametrize("item", STRANGERS)
def test_fields_inside_of_an_item_make_it_no_reference(item):
    extraction = EXTRACTOR.extract(Document("a.json", json.dumps(item).encode()))
    assert extraction.references == ()
    assert "not a bibliographic item" in extraction.problems[0].message
