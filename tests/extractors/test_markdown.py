import json
from pathlib import Path

import pytest

from citeproof.extractors.markdown import Markdown
from citeproof.vocabulary import Document
from tests.growth import grows_linearly

A = "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. *Nature*, 521, 436-444."
B = "Kingma, D. P., & Ba, J. (2014). Adam. https://arxiv.org/abs/1412.6980"
LINK = "[Bean & Melchiorri, 2009, Current constraints on the dark energy](https://arxiv.org/pdf/astro-ph/0110472.pdf)"


def extract(text):
    return Markdown().extract(Document("a.md", text.encode()))


def texts(text):
    return [reference.text for reference in extract(text).references]


FOUND = {
    "numbered": (f"# T\n\n## References\n\n1. {A}\n2. {B}\n", [A, B]),
    "bracketed": (f"## 7. References\n[1] {A}\n[2] {B}\n", [A, B]),
    "bulleted": (f"# Bibliography\n\n* {A}\n* {B}", [A, B]),
    "paragraphs": (f"**Works cited**\n\n{A}\n\n{B}\n", [A, B]),
    "underlined heading": (f"Literatur\n=========\n\n- {A}\n- {B}", [A, B]),
    "other languages": (f"## Références\n\n- {A}\n\n## Annexe\n\n- Not, A. (2001). Here.", [A]),
    "ends at the next heading": (f"## References\n\n- {A}\n\n## Appendix\n\n- Not, A. (2001). Here.", [A]),
    "continuation lines": (
        "## References\n\n1. LeCun, Y. (2015). Deep\n   learning. Nature.\n",
        ["LeCun, Y. (2015). Deep learning. Nature."],
    ),
    "fence": (f"## References\n\n```\n1. Not, A. (2001). Here.\n```\n\n1. {A}", [A]),
    "link in a sentence": (f"As {LINK} shows, things are dark.", [LINK]),
    "links one per line": (f"{LINK}\n{LINK}", [LINK, LINK]),
    "a mention is no reference": (
        "See [Smith, 2020](https://example.org) and [the page](https://example.org).",
        [],
    ),
    "footnote": (f"Text.[^a]\n\n[^a]: {A}\n", [A]),
    "footnote over two lines": (
        "Text.[^1]\n\n[^1]: LeCun, Y. (2015). Deep\n    learning. Nature.\n",
        ["LeCun, Y. (2015). Deep learning. Nature."],
    ),
    "footnote that only explains": ("Text.[^1]\n\n[^1]: This is only a remark.\n", []),
    "prose with years": ("# T\n\n- In 2017 we launched it\n- In 2018 we sold it\n", []),
    "nothing": ("# T\n\nWords.\n", []),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_counts_as_a_reference(name):
    text, expected = FOUND[name]
    assert texts(text) == expected


ANSWER = """Here are three papers:

1. **Attention Is All You Need** (Vaswani et al., 2017)
   This paper introduced the Transformer.
2. **Deep Residual Learning for Image Recognition** — He, K., Zhang, X. (2016). CVPR.
3. **Some Invented Paper on Nothing** by J. Smith

I hope this helps! In 2024 there will be more.
"""


def test_a_language_models_answer_is_read_item_by_item():
    extraction = extract(ANSWER)
    assert [reference.key for reference in extraction.references] == ["1", "2", "3"]
    assert extraction.expected == 3
    assert extraction.references[0].text == "**Attention Is All You Need** (Vaswani et al., 2017)"
    assert extraction.references[2].place.line == 6


def test_labelled_lines_become_fields():
    labels = ("**Authors:** Ashish Vaswani, Noam Shazeer", "**Year:** 2017", "**Published in:** NeurIPS")
    text = "1. **Attention Is All You Need**\n" + "".join(f"   - {label}\n" for label in labels)
    text += "   - **Summary:** Good.\n"
    [reference] = extract(text).references
    claimed = reference.claimed
    assert (claimed.title, claimed.year, claimed.venue) == ("Attention Is All You Need", 2017, "NeurIPS")
    assert [name.display for name in claimed.authors] == ["Ashish Vaswani", "Noam Shazeer"]
    assert reference.place.end_line == 4


def test_citing_sentences_are_kept():
    text = "First claim [1]. Second claim [1-2]! None here.\n\nA note.[^n]\n\n"
    text += f"[^n]: {B}\n\n# References\n\n1. {A}\n2. {B}\n"
    by_key = {reference.key: reference.citing for reference in extract(text).references}
    assert by_key["1"] == ("First claim [1].", "Second claim [1-2]!")
    assert by_key["2"] == ("Second claim [1-2]!",)
    assert by_key["^n"] == ("A note.[^n]",)


def test_a_gap_in_the_numbers_is_told():
    extraction = extract(f"# References\n\n1. {A}\n3. {B}\n")
    assert extraction.expected == 3
    [problem] = extraction.problems
    assert (problem.place.line, "reference 2 is missing" in problem.message) == (4, True)


def test_places_point_at_the_words():
    data = f"# Über\n\n## References\n\n1. {A}\n".encode()
    [reference] = Markdown().extract(Document("a.md", data)).references
    assert data[reference.place.start : reference.place.end].decode() == A
    assert (reference.place.line, reference.place.column) == (5, 4)


HOSTILE = [
    "[^1]: a 2001\n",
    "- a\n",
    "1. A (2001)\n",
    "[a, 2001](",
    "**",
    "```\n",
    "# References\n",
    "  - b\n",
    "[1] ",
    "\n",
    "> ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_extraction_is_linear(unit):
    assert grows_linearly(lambda size: extract((unit * size)[:size]))


CITED_LINKS = [
    "[Bean & Melchiorri, 2009, Current constraints on it](https://arxiv.org/pdf/astro-ph/0110472.pdf)",
    "[Said et al., 2013, New Constraints On The Equation](https://arxiv.org/pdf/1303.4353.pdf)",
    "[Virey, J. 2008, A test of the parameterization](https://researchgate.net/pdf/0804.0389.pdf)",
    "[Lee (2014) Optimal strategies and theory](https://arxiv.org/abs/1105.0993)",
    "[Chávez et al., 2016, Constraining it with HII Galaxies](https://example.org/a_(b).pdf)",
    "[Müller; Roe 2019a: On the state of things](http://example.org/x)",
]


@pytest.mark.parametrize("link", CITED_LINKS)
def test_each_form_of_a_cited_link_is_found(link):
    assert texts(f"Words before {link}, and after. {link}") == [link, link]


@pytest.mark.data
def test_every_citation_of_the_citecheck_sample_is_found():
    sample = Path(__file__).parents[3] / "shared" / "data" / "bench" / "citecheck_sample.jsonl"
    if not sample.exists():
        pytest.skip("the shared data folder is not here")
    citations = [json.loads(line)["citation"] for line in sample.read_text("utf-8").splitlines()]
    assert texts("\n".join(citations)) == citations
