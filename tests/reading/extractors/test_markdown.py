import json
from pathlib import Path

import pytest

from citeproof.reading.extractors.markdown import EXTRACTOR
from citeproof.vocabulary import Document
from tests.growth import grows_linearly
from tests.reading.extractors.folder import Files, folder, project
from tests.reading.extractors.mutants import mutants, outcome
from tests.soak import choose_cases

A = "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. *Nature*, 521, 436-444."
B = "Kingma, D. P., & Ba, J. (2014). Adam. https://arxiv.org/abs/1412.6980"
LINK = "[Bean & Melchiorri, 2009, Current constraints on the dark energy](https://arxiv.org/pdf/astro-ph/0110472.pdf)"


def extract(text):
    return EXTRACTOR.extract(Document("a.md", text.encode()))


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
    "headings below it part the list": (
        f"## Literatur\n\nOur books.\n\n### Old\n\n- {A}\n\n**Papers**\n\n1. {B}\n\n## E\n\n- Not, A. 2001.",
        [A, B],
    ),
    "most of a part are citations, so all are": (
        f"# References\n\n## Books\n\n- {A}\n- {B}\n- Boyd, S. Convex Optimization.\n",
        [A, B, "Boyd, S. Convex Optimization."],
    ),
    "a part of links and remarks": (
        f"# References\n\n1. {A}\n\n## Tools\n\n- Docs: https://gleam.run/docs/\n\nWe began in 2017.\n",
        [A],
    ),
    "a reference heading below another": (
        f"# Bibliography\n\n- {A}\n\n## References\n\n- Adam.\n\n## Web\n\n- {B}",
        [A, "Adam.", B],
    ),
    "points made below an entry": (
        f"## References\n\n[LBH15] {A}\n- Used for: ideas\n- URL: https://a.org/d\n\n[KB] {B}\n- Cite it",
        [f"{A} - URL: https://a.org/d", B],
    ),
    "a point that is a citation": (f"## References\n\n- {A}\n  - {B}\n", [f"{A} - {B}"]),
    "points further in": (f"## References\n\n- {A}\n  - Key finding: depth matters\n- {B}\n", [A, B]),
    "a remark behind the end": (
        f"## References\n\n- {A} — Where it began.\n- {B} → the *optimizer*\n",
        [A, B],
    ),
    "a dash before the title": (
        "## References\n\n- **Breiman (2001)** — *Random Forests for everyone*. Machine Learning.\n",
        ["**Breiman (2001)** — *Random Forests for everyone*. Machine Learning."],
    ),
    "items that are broken into lines, without a heading": (
        '# To\n\n1. **Breiman (2001)** — "Random forests for\n   everyone". *Machine Learning*.\n  — Ok.\n',
        ['**Breiman (2001)** — "Random forests for everyone". *Machine Learning*.'],
    ),
    "comments": (
        f"## References\n\n- {A}\n<!-- - Not, A. (2001). Here.\n### Or\n- B. --> \n- {B} <!-- x -->\n",
        [A, B],
    ),
    "a comment that is only shown": (f"## References\n\nWrite `<!--` before it.\n\n1. {A}\n2. {B}\n", [A, B]),
    "a comment that stays open": (f"## References\n\n- {A}\n<!-- - Not, A. (2001). Here.\n", [A]),
    "an introduction that cites": (
        f"# Bibliography\n\nThe best is **Rubin (1976)**, which all refine.\n\n## Theory\n\n- {A}\n- {B}\n",
        [A, B],
    ),
    "an entry over two items": (
        "## References\n\n- LeCun, Y.\n  - Deep learning (2015). Nature.\n",
        ["LeCun, Y. - Deep learning (2015). Nature."],
    ),
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
    "a table of results behind the list": (
        f"## References\n\n1. {A}\n2. {B}\n\n| Study | Year |\n|---|---|\n| Smith et al. | 2010 |\n",
        [A, B],
    ),
    "a disclaimer behind the list": (
        f"## References\n\n- {A}\n\n---\n**Disclaimer**: information up to July 2024.\n",
        [A],
    ),
    "the life of a person": ("# CV\n\n**Education** 1978 PhD, University of Edinburgh.\n", []),
    "titles in italics": (
        "Read:\n\n* *Long Short-Term Memory* (Hochreiter & Schmidhuber, 1997), Neural Computation 9(8)\n",
        ["*Long Short-Term Memory* (Hochreiter & Schmidhuber, 1997), Neural Computation 9(8)"],
    ),
    "what pandoc prints, keys left as they are": (
        f"Nets [@lecun2015].\n\n# References {{#references .unnumbered}}\n\n::: {{#refs}}\n{A}\n:::\n",
        [A],
    ),
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


@pytest.mark.parametrize(
    ("link", "year"),
    [("[ICLR 2017](https://arxiv.org/abs/1706.03762)", 2017), ("https://arxiv.org/abs/1706.03762", None)],
)
def test_a_paper_that_is_linked_below_its_title(link, year):
    points = f"* Authors: *A. Vaswani, N. Shazeer*\n* Paper: {link}.\n"
    text = f"# References\n\n## Layers\n\nCite:\n\n**Attention Is All You Need**\n\n{points}"
    [reference] = extract(text).references
    told = reference.claimed
    assert (told.title, told.year, told.ids.first("arxiv")) == (
        "Attention Is All You Need",
        year,
        "1706.03762",
    )
    assert [name.family for name in told.authors] == ["Vaswani", "Shazeer"]


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
    [reference] = EXTRACTOR.extract(Document("a.md", data)).references
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
    "## References\n- a\n### b\n",
    "# References\n- Smith, A. (2001). B.\n",
    "  - b\n",
    "[1] ",
    "\n",
    "> ",
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", choose_cases(HOSTILE))
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
    sample = Path(__file__).parents[4] / "shared" / "data" / "bench" / "citecheck_sample.jsonl"
    if not sample.exists():
        pytest.skip("the shared data folder is not here")
    citations = [json.loads(line)["citation"] for line in sample.read_text("utf-8").splitlines()]
    assert texts("\n".join(citations)) == citations


FIXTURES = Path(__file__).parents[2] / "fixtures" / "markdown"
SEEN = json.loads((FIXTURES / "cited.json").read_text("utf-8"))  # by pandoc itself


@pytest.mark.parametrize("name", SEEN)
def test_keys_are_those_that_pandoc_sees(name):
    document = folder(FIXTURES / name)
    extraction = EXTRACTOR.extract(document)
    found = [one.key for one in extraction.references if not one.key.startswith("^")]
    undefined = [p.text for p in extraction.problems if "is cited" in p.message]
    assert sorted([*found, *undefined]) == sorted(set(SEEN[name]) - {"nobody"})  # a bare mention is no key


def test_a_paper_with_two_bibliographies():
    extraction = EXTRACTOR.extract(folder(FIXTURES / "paper.md"))
    found = {one.key: one for one in extraction.references}
    assert found["lecun2015"].place.file == "refs.bib"
    assert found["shannon1948"].place.file == "items.json"
    assert found["shannon1948"].citing == (
        "As @shannon1948 [p. 3] says, information has a measure.",
        "It was said before [-@shannon1948].",
    )
    assert found["turing1937"].citing == ()  # nocite
    assert found["^1"].text.startswith("Watson, J. D.")
    told = [(p.place.file, p.place.line, p.place.column, p.note) for p in extraction.problems]
    assert told == [("paper.md", 22, 19, False), ("refs.bib", None, None, True)]
    assert extraction.expected == 8


def test_references_in_the_front_matter_have_their_lines():
    first, second = EXTRACTOR.extract(folder(FIXTURES / "inline.md")).references
    assert (first.key, first.place.line, first.claimed.year) == ("einstein1905", 4, 1905)
    assert (second.key, second.place.line, second.claimed.year) == ("kahneman1979", 17, 1979)


REFS = """@book{a, title={Deep Learning}, year=2016}
@book{b:c.d, title={B}, year=2001}
@book{fig-x, title={C}}
"""
FRONT = "---\nbibliography: refs.bib\n---\n\n"
KEYS = {
    "[@a]": ["a"],
    "[@a; @b:c.d, p. 3]": ["a", "b:c.d"],
    "[see @a, chap. 2, and -@b:c.d]": ["a", "b:c.d"],
    "@a says.": ["a"],
    "As @a. Next": ["a"],
    "@{b:c.d} says": ["b:c.d"],
    "[-@a]": ["a"],
    "text\n[over\nlines @a]": ["a"],
    "`[@a]`": [],
    "```\n[@a]\n```": [],
    "<!-- [@a] -->": [],
    "x@a.org and me@a": [],
    "[@a](https://example.org)": [],
    "![@a](x.png)": [],
    "\\@a": [],
    "@b, @nobody": [],
    "[@fig-x]": ["fig-x"],
    "*[@a]*, **@a**": ["a"],
    "^[A note @a.]": ["a"],
}


@pytest.mark.parametrize("body", KEYS)
def test_what_counts_as_a_key(body):
    document = project("a.md", a_md=f"{FRONT}{body}\n", refs_bib=REFS)
    assert [one.key for one in EXTRACTOR.extract(document).references] == KEYS[body]


SETTINGS = {
    "bibliography: refs.bib": True,
    "bibliography: [refs.bib]": True,
    'bibliography: "refs.bib"  # mine': True,
    "bibliography:\n  - refs.bib": True,
    "title: x\nbibliography: ./refs.bib\ncsl: x.csl": True,
    "bibliography: gone.bib": False,
    "bibliography: [open": False,
}


@pytest.mark.parametrize("front", SETTINGS)
def test_where_the_bibliography_is_named(front):
    document = project("a.md", a_md=f"---\n{front}\n---\n\nWords [@a].\n", refs_bib=REFS, x_bib="")
    extraction = EXTRACTOR.extract(document)
    assert bool(extraction.references) is SETTINGS[front]
    assert SETTINGS[front] or all(p.hint for p in extraction.problems)


def test_the_only_bibliography_beside_is_used_and_told():
    extraction = EXTRACTOR.extract(project("a.md", a_md="Words [@a].", refs_bib=REFS))
    assert [one.key for one in extraction.references] == ["a"]
    assert any("from its folder was used" in one.message and one.note for one in extraction.problems)


def test_a_quarto_project_names_it_for_all():
    document = Document(
        "a.qmd",
        b"Words [@a] and [@tbl-x].",
        Files({"_quarto.yml": b"bibliography: r.bib\n", "r.bib": REFS.encode()}),
    )
    extraction = EXTRACTOR.extract(document)
    assert [one.key for one in extraction.references] == ["a"]
    assert not [problem for problem in extraction.problems if "tbl-x" in problem.message]


def test_bracketed_keys_without_bibliography_are_problems():
    extraction = extract("Words [@a; @b], and @c.")
    assert extraction.references == ()
    assert [(p.text, p.place.line, p.place.column) for p in extraction.problems] == [
        ("a", 1, 8),
        ("b", 1, 12),
    ]


def test_everything_can_be_asked_for():
    front = "---\nbibliography: refs.bib\nnocite: '@*'\n---\n\nWords.\n"
    document = project("a.md", a_md=front, refs_bib=REFS)
    assert [one.key for one in EXTRACTOR.extract(document).references] == ["a", "b:c.d", "fig-x"]


FOUND_ELSEWHERE = {
    "a list without any mark": (f"{A}\n\n{B}\n", 2),
    "prose is no list": ("In 2001 it began. It went on until 2003.\n\nThen it ended in 2005.\n", 0),
    "a doi in prose": ("It is known (doi:10.1038/nature14539). Again doi:10.1038/nature14539.", 1),
    "a badge is no reference": (
        "[![DOI](https://img.example/x.svg)](https://doi.org/10.5281/zenodo.1234567)",
        0,
    ),
    "a link that says nothing": (
        "It is known [[1]](https://doi.org/10.1038/nature14539), [link](https://doi.org/10.1023/A:1010933404324).",
        2,
    ),
    "a link in the list is not found again": (
        f"## References\n\n1. {B}\n\nSee https://arxiv.org/abs/1412.6980.",
        1,
    ),
    "talk under the heading": (f"## Sources\n\n- {A}\n\nI hope this helps!\n", 1),
    "talk between entries": (f"## Sources\n\n1. {A}\n\nPlease note this one:\n\n2. {B}\n", 2),
}


@pytest.mark.parametrize("name", FOUND_ELSEWHERE)
def test_references_outside_lists(name):
    text, count = FOUND_ELSEWHERE[name]
    assert len(texts(text)) == count


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit",
    choose_cases(["[@a", "[@a] ", "@a ", "| a | b |\n", "|---|\n", "[1]: https://x.org\n", "- a: b\n"], 3),
)
def test_keys_and_tables_are_linear(unit):
    def work(size):
        body = (unit * size)[:size]
        EXTRACTOR.extract(project("a.md", a_md=FRONT + body, refs_bib=REFS))
        extract("| Title | Year |\n|---|---|\n" + body)
        extract("---\nreferences:\n" + body)

    assert grows_linearly(work)


@pytest.mark.soak
@pytest.mark.parametrize("name", SEEN)
def test_no_damage_stops_it(name):
    whole = folder(FIXTURES / name)
    for data in mutants(whole.data, 150, seed=5):
        assert outcome(EXTRACTOR.extract, Document(whole.name, data, whole.beside))
