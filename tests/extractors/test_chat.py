"""Answers of language models, pasted: what each shape of answer gives, against gold written by hand."""

import json
from pathlib import Path

import pytest

from citeproof.extractors.base import extract_here
from citeproof.vocabulary import Document
from tests.extractors.mutants import mutants, outcome

FOLDER = Path(__file__).parents[1] / "fixtures" / "chat"
GOLD = json.loads((FOLDER / "gold.json").read_text("utf-8"))


def answer(name):
    return Document(name, (FOLDER / name).read_bytes())


@pytest.mark.parametrize("name", GOLD)
def test_each_shape_of_answer_gives_its_references(name):
    references = extract_here(answer(name)).references
    said = [(one.key, (one.claimed.title if one.claimed else "") or "", one.text) for one in references]
    assert [key for key, _, _ in said] == [key for key, _, _ in GOLD[name]]
    for (_, title, text), (_, words, _) in zip(said, GOLD[name], strict=True):
        assert words in title or words in text


@pytest.mark.parametrize("name", GOLD)
def test_the_sentences_that_cite_come_along(name):
    references = extract_here(answer(name)).references
    assert [len(one.citing) for one in references] == [count for _, _, count in GOLD[name]]


@pytest.mark.parametrize("name", [name for name, listed in GOLD.items() if listed])
def test_places_point_into_the_answer(name):
    document = answer(name)
    for one in extract_here(document).references:
        assert document.data[one.place.start : one.place.end].strip()


def test_labels_headings_tables_and_json_state_their_fields():
    for name in ("02-labelled-bullets.md", "07-table.md", "08-json-fence.md", "10-headings.md"):
        for one in extract_here(answer(name)).references:
            assert one.claimed.title
            assert one.claimed.authors
            assert one.claimed.year


def test_a_full_table_row_keeps_its_identifier():
    first, _, third = extract_here(answer("07-table.md")).references
    assert first.claimed.ids.first("doi") == "10.1023/a:1010933404324"
    assert third.claimed.ids.first("doi") == "10.2307/1914185"


NOT_TABLES = [
    "| Title | Description |\n|---|---|\n| A | B |\n",
    "| Name | Year |\n|---|---|\n| A | 2001 |\n",
    "| a | b |\n|---|\n",
    "|---|---|\n| Title | Year |\n",
]


@pytest.mark.parametrize("text", NOT_TABLES)
def test_other_tables_are_left_alone(text):
    assert extract_here(Document("a.md", f"# T\n\n{text}".encode())).references == ()


BROKEN_JSON = '# T\n\n```json\n[{"title": "Random Forests", "year": 2001}, {"title": oops}]\n```\n'


def test_broken_json_is_told():
    extraction = extract_here(Document("a.md", BROKEN_JSON.encode()))
    assert [one.claimed.title for one in extraction.references] == ["Random Forests"]
    assert any("JSON" in problem.message for problem in extraction.problems)


@pytest.mark.parametrize("name", GOLD)
def test_no_damage_stops_it(name):
    document = answer(name)
    for data in mutants(document.data, 20, seed=len(name)):
        assert outcome(extract_here, Document(name, data))


ENTRY = "@article{a,\n  title={Deep learning},\n  year={2015}\n}\n"
FENCED = f"Sure! Here it is:\n\n```bibtex\n{ENTRY}```\n"


@pytest.mark.parametrize(("text", "form"), [(FENCED, "markdown"), (ENTRY, "bibtex")])
def test_an_answer_with_bibtex_in_it_is_no_bibtex_file(text, form):
    extraction = extract_here(Document("answer.txt", text.encode()))
    assert (extraction.format, [one.key for one in extraction.references]) == (form, ["a"])
