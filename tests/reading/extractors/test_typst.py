"""Typst: a document that typst itself compiles, Hayagriva files, and tables of marks and traps."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.records import yaml_text
from citeproof.reading.extractors.typst import EXTRACTOR
from citeproof.vocabulary import Document, Extraction, Kind
from tests.growth import grows_linearly
from tests.reading.extractors.folder import folder, project
from tests.reading.extractors.mutants import mutants, outcome
from tests.soak import choose_cases

FIXTURES = Path(__file__).parents[2] / "fixtures" / "typst"

BIB = """@book{a, title={Deep Learning}, year=2016}
@book{b.c:d, title={Random}, year=2001}
@book{z, title={Z}}
"""


def typ(body, **files):
    return project("main.typ", main_typ=body + '\n#bibliography("refs.bib")\n', **{"refs_bib": BIB, **files})


def keys(document):
    return [one.key for one in EXTRACTOR.extract(document).references]


def test_a_document_that_typst_compiles():
    document = folder(FIXTURES / "main.typ")
    assert detect_extractor(document).name == "typst"
    extraction = EXTRACTOR.extract(document)
    seen = json.loads((FIXTURES / "cited.json").read_text("utf-8"))
    assert [one.key for one in extraction.references] == seen["cite"]
    assert extraction.expected == 4
    assert [problem.note for problem in extraction.problems] == [True, True]  # unused entries of both files
    lecun, _, shannon, vaswani = extraction.references
    assert lecun.citing == (
        "Deep learning was reviewed by [lecun2015].",
        "Networks of this kind [lecun2015] are deep.",
    )
    assert (shannon.place.file, shannon.place.line, shannon.kind) == ("works.yml", 2, Kind.ARTICLE)
    assert (shannon.claimed.venue, shannon.claimed.volume, shannon.claimed.issue, shannon.claimed.pages) == (
        *("Bell System Technical Journal", "27", "3"),
        "379-423",
    )
    assert shannon.claimed.ids.first("doi") == "10.1002/j.1538-7305.1948.tb01338.x"
    assert vaswani.claimed.ids.first("arxiv") == "1706.03762"
    assert [name.family for name in vaswani.claimed.authors] == ["Vaswani", "Shazeer", "Parmar"]


MARKS = {
    "As @a says.": ["a"],
    "As @a. Next": ["a"],
    "As @a[p. 3], and @b.c:d.": ["a", "b.c:d"],
    "#cite(<a>)": ["a"],
    '#cite(<a>, supplement: [p. 3], form: "prose")': ["a"],
    '#cite(label("b.c:d"))': ["b.c:d"],
    "\\@a": [],
    "`@a`": [],
    "```\n@a\n``` @z": ["z"],
    "// @a\n@z": ["z"],
    "/* @a\n */ @z": ["z"],
    "https://example.org/@x @z": ["z"],
    "me@example.org @z": ["z"],
    "= Head <sec> \nSee @sec and @z": ["z"],
    "(@a)(@a)": ["a"],
}


@pytest.mark.parametrize("body", MARKS)
def test_what_a_mark_cites(body):
    assert keys(typ(body)) == MARKS[body]


def test_undefined_keys_and_missing_files_are_told():
    extraction = EXTRACTOR.extract(typ('Words @a.\n\nMore @nowhere.\n#include "gone.typ"'))
    told = [(p.place.line, p.message) for p in extraction.problems if not p.note]
    assert told == [
        (4, "the file 'gone.typ' does not exist"),
        (3, "the key 'nowhere' is cited but not defined"),
    ]
    lacking = EXTRACTOR.extract(Document("a.typ", b'@a #bibliography("x.yml")'))
    assert [p.message for p in lacking.problems] == [
        "the bibliography 'x.yml' does not exist",
        "the key 'a' is cited, but the bibliography 'x.yml' does not exist",
    ]


def test_a_full_bibliography_is_taken_whole():
    document = project("main.typ", main_typ='@z #bibliography("refs.bib", full: true)', refs_bib=BIB)
    assert keys(document) == ["z", "a", "b.c:d"]


def test_a_bibliography_handed_to_a_template():
    source = '#show: paper.with(\n  bibliography: bibliography("refs.bib"),\n)\nWords @a.'
    assert keys(project("main.typ", main_typ=source, refs_bib=BIB)) == ["a"]


HAYAGRIVA = {
    "type: Book\n  title: T\n  author: Knuth, Donald E.": (Kind.BOOK, "T", ["Knuth"]),
    "type: article\n  title: {value: T, verbatim: true}\n  author: [A B, C D]": (
        Kind.ARTICLE,
        "T",
        ["B", "D"],
    ),
    "type: Article\n  title: T\n  parent: {type: Anthology, title: P}": (Kind.CHAPTER, "T", []),
    "type: Web\n  title: >\n    Long\n    title\n  author:\n    - name: WHO": (
        Kind.WEB_PAGE,
        "Long title",
        ["WHO"],
    ),
    "type: Thesis\n  title: 'It''s'": (Kind.THESIS, "It's", []),
    "type: Foo\n  title: T": (Kind.UNKNOWN, "T", []),
}


@pytest.mark.parametrize("entry", HAYAGRIVA)
def test_hayagriva_entries(entry):
    kind, title, families = HAYAGRIVA[entry]
    document = project("main.typ", main_typ='@k #bibliography("w.yml")', w_yml=f"k:\n  {entry}\n")
    [one] = EXTRACTOR.extract(document).references
    assert (one.kind, one.claimed.title) == (kind, title)
    assert [name.family for name in one.claimed.authors] == families


def test_one_broken_entry_does_not_cost_the_others():
    works = "a:\n  title: [open\n\nb:\n  type: Book\n  title: T\nc: word\n"
    document = project("main.typ", main_typ='@a @b @c #bibliography("w.yml")', w_yml=works)
    extraction = EXTRACTOR.extract(document)
    assert [one.key for one in extraction.references] == ["b"]
    told = [(p.place.file, p.place.line) for p in extraction.problems if p.place.file == "w.yml"]
    assert told == [("w.yml", 1), ("w.yml", 7)]


YAML = [
    "a: 1\nb: two words\n",
    "a:\n  b:\n    - c\n    - d: e\n      f: g\n",
    "a: [1, 'x, y', {b: c}]\nd: {}\ne: []\n",
    'a: "q # \\"x\\" \\u00e9"  # comment\n',
    "a:\n- b\n- c\n",
    "a: https://example.org/x:y\n",
    "a: 'b: c'\n",
    "- a: 1\n  b: 2\n- a: 3\n",
    "a: many\n  lines of\n  words\n",
    "a: null\nb: ~\nc:\n",
]


def _words(value):
    if isinstance(value, dict):
        return {key: _words(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_words(inner) for inner in value]
    return None if value is None else str(value)


@pytest.mark.parametrize("text", YAML)
def test_yaml_is_read_as_a_full_reader_does(text):
    assert yaml_text.parse_yaml(text) == _words(yaml.safe_load(text))


@given(st.text(max_size=200))
def test_no_yaml_stops_the_reader(text):
    for source in (text, f"a: {text}", f"a:\n  - {text}", f"a: [{text}", f'a: "{text}'):
        try:
            yaml_text.parse_yaml(source)
        except yaml_text.YamlError as error:
            line = error.line
        else:
            line = 1
        assert line >= 1


def test_deep_yaml_is_refused():
    for source in ("a: " + "[" * 500, "".join(" " * n + "a:\n" for n in range(500)), "- " * 500):
        with pytest.raises(yaml_text.YamlError):
            yaml_text.parse_yaml(source)


UNITS = ["@a ", "#cite(<a>", "`", "```", "/*", "//\n", "<a>", "= h\n", "[", "#bibliography("]
YAML_UNITS = ["a: [", "a: {b: ", "- ", "a:\n", "a: 'x\n", " a: b\n", "a: >\n  b\n", "#\n", '"']


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(UNITS))
def test_extraction_is_linear(unit):
    assert grows_linearly(lambda size: EXTRACTOR.extract(typ((unit * size)[:size])))


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(YAML_UNITS, 4))
def test_yaml_is_linear(unit):
    def work(size):
        return EXTRACTOR.extract(
            project("m.typ", m_typ='@a #bibliography("w.yml")', w_yml=(unit * size)[:size])
        )

    assert grows_linearly(work)


@pytest.mark.soak
def test_no_damage_stops_it():
    whole = folder(FIXTURES / "main.typ")
    for data in mutants(whole.data, 300, seed=3):
        assert outcome(EXTRACTOR.extract, Document(whole.name, data, whole.beside))
    works = whole.beside.held["works.yml"]
    for data in mutants(works, 300, seed=4):
        whole.beside.held["works.yml"] = data
        assert isinstance(EXTRACTOR.extract(whole), Extraction)
