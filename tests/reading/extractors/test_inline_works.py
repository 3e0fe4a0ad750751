"""Works that running text cites with their titles, and numbers that nobody lists."""

from __future__ import annotations

import pytest

from citeproof.reading.extractors.base import detect_extractor
from citeproof.vocabulary import Document

CITED = 'Smithson & Wang (2022), "Neural Memory Lattices" (NeurIPS 2022)'
ENTRY = "Smith, J. (2020). A title of it. Nature 5, 3-4."


def read(name: str, text: str) -> tuple[list[str], list[tuple[int | None, str]]]:
    document = Document(name, text.encode())
    found = detect_extractor(document).extract(document)
    return [one.text for one in found.references], [(one.place.line, one.message) for one in found.problems]


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@pytest.mark.parametrize(
    ("text", "references"),
    [
        (f"As shown by {CITED}, memory helps.\n", [CITED]),
        (f"As shown by {CITED}, memory helps. And so do others, such as {CITED}.\n", [CITED]),
        ("just prose\n", []),
    ],
)
def test_a_title_with_people_in_a_sentence_is_a_reference(name, text, references):
    assert read(name, text)[0] == references


def test_what_is_claimed_of_it_is_read():
    document = Document("a.md", f"So {CITED} says.\n".encode())
    [one] = detect_extractor(document).extract(document).references
    assert one.claimed is not None
    assert (one.claimed.title, one.claimed.year, one.claimed.venue) == (
        "Neural Memory Lattices",
        2022,
        "NeurIPS",
    )
    assert (one.place.line, one.place.column) == (1, 4)


def test_a_title_that_the_list_has_is_a_citing_sentence():
    text = f'The paper "A title of it" (Smith, 2020) says so.\n\n## References\n\n[1] {ENTRY}\n'
    assert read("a.md", text) == ([ENTRY], [])


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.md", f"So it is [1].\n\nAnd so [7].\n\n## References\n\n[1] {ENTRY}\n", 3),
        ("a.md", "**So** it is.\n\nAnd so [7].\n", 3),
        ("a.md", f"So it is [^1].\n\nAnd so [7], and [7].\n\n[^1]: {ENTRY}\n", 3),
    ],
)
def test_a_number_without_an_entry_is_a_problem(name, text, line):
    assert read(name, text)[1] == [(line, "[7] is cited, but no entry has this number")]


@pytest.mark.parametrize(
    "text",
    [
        "# Use\n\nThe value `a[7]`, in [0, 1], of x[7].\n\n```\na[7]\n```\n",
        "# Use\n\nSee the manual [7].\n\n[7]: https://github.com/a/b\n",
        f"# Use\n\nSo (Smith, 2020). Step [7] follows.\n\n## References\n\n- {ENTRY}\n",
    ],
)
def test_other_numbers_in_brackets_are_no_problem(text):
    assert read("a.md", text)[1] == []


def test_bibtex_in_code_is_the_reference_and_the_sentence_cites_it():
    entry = "@article{s, title={Neural Memory Lattices}, author={Smithson, A. and Wang, B.}, year={2022}}"
    [one] = read("a.md", f"As {CITED} shows.\n\n```bibtex\n{entry}\n```\n")[0]
    assert one.startswith("@article")
