"""Answers of language models, pasted: what each shape of answer gives, against gold written by hand."""

import json
import re
from pathlib import Path

import pytest

from citeproof.reading.extractors.base import extract_here
from citeproof.reading.parse.citation_reader import read_references
from citeproof.vocabulary import Document
from tests.reading.extractors.mutants import mutants, outcome

FOLDER = Path(__file__).parents[2] / "fixtures" / "chat"
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


@pytest.mark.soak
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


PROSE = "1. Vaswani, A., et al. (2017). Attention is all you need. NeurIPS 30, 5998-6008.\n"
SAME = "- LeCun, Y., Bengio, Y. (2015). Deep learning. Nature, 521, 436-444.\n"
BY_DOI = "- LeCun, Y. Nature. https://doi.org/10.1038/nature14539\n"
OTHER = "- Breiman, L. (2001). Deep learning of forests. Machine Learning, 45, 5-32.\n"
WITH_DOI = ENTRY.replace("year", "doi={10.1038/nature14539},\n  year")
MIXED = [
    # what stands before the block, the block, the keys that come out, what the answer counts up to
    ("another work", PROSE, ENTRY, ["1", "a"], 2),
    ("the same work", SAME, ENTRY, ["ref-1"], None),
    ("the same DOI", BY_DOI, WITH_DOI, ["ref-1"], None),
    ("another year", OTHER, ENTRY, ["ref-1", "a"], None),
    ("other code", PROSE, '{"title": "a setting"}\n', ["1"], 1),
]


@pytest.mark.parametrize(
    ("before", "code", "keys", "count"), [row[1:] for row in MIXED], ids=[row[0] for row in MIXED]
)
def test_bibtex_beside_printed_references_counts_once(before, code, keys, count):
    text = f"Here you are:\n\n{before}\nAs code:\n\n```\n{code}```\n"
    extraction = extract_here(Document("answer.md", text.encode()))
    assert ([one.key for one in extraction.references], extraction.expected) == (keys, count)


FIELDS = "Title: Deep learning\nAuthors: Yann LeCun, Yoshua Bengio\nYear: 2015\nJournal: Nature\n"
BOLD = re.sub(r"(?m)^(\w+:)", r"**\1**", FIELDS)
LABELLED = [
    ("plain", f"{FIELDS}\n{FIELDS}"),
    ("bold", f"{BOLD}\n{BOLD}"),
    ("numbered", "".join(f"{n}. " + FIELDS.replace("\n", "\n   ", 3) for n in (1, 2))),
    ("bulleted", "".join("- " + FIELDS.replace("\n", "\n- ", 3) for _ in range(2))),
    ("paper", f"{FIELDS}\n{FIELDS}".replace("Title", "Paper")),
    ("numbered papers", f"{FIELDS}\n{FIELDS}".replace("Title", "Paper 1", 1).replace("Title", "Paper 2")),
    ("quoted", "> " + f"{FIELDS}\n{FIELDS}".replace("\n", "\n> ")),
    (
        "authors first",
        "".join(
            f"- **Authors:** Yann LeCun, Yoshua Bengio\n  - {line}\n"
            for line in ["**Title:** Deep learning **Year:** 2015"] * 2
        ),
    ),
    ("no authors", f"{FIELDS}\n".replace("Authors: Yann LeCun, Yoshua Bengio\n", "") * 2),
]


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@pytest.mark.parametrize("text", [row[1] for row in LABELLED], ids=[row[0] for row in LABELLED])
def test_labelled_fields_are_one_reference_a_work(text, name):
    extraction = extract_here(Document(name, f"Here are two papers:\n\n{text}".encode()))
    assert [(one.claimed.title, one.claimed.year) for one in extraction.references] == [
        ("Deep learning", 2015)
    ] * 2


@pytest.mark.parametrize("said", ["Published: 2015", "Publication Year: 2015", "Published: Nature, 2015"])
def test_an_answer_says_in_many_words_when_a_work_appeared(said):
    text = f"Title: Deep learning\nAuthor(s): Yann LeCun\n{said}\n"
    (one,) = extract_here(Document("a.txt", text.encode())).references
    assert (one.claimed.title, one.claimed.year, len(one.claimed.authors)) == ("Deep learning", 2015, 1)


def test_a_lone_label_is_no_part_of_the_citation():
    text = "References\n\n1. Title: Deep learning. LeCun, Y., 2015, Nature 521.\n"
    (one,) = extract_here(Document("a.txt", text.encode())).references
    assert one.text.startswith("Deep learning")


LISTED = """Key papers:

1. **"Attention Is All You Need"** by Vaswani et al. (2017)
2. Kaplan et al., "Scaling Laws for Neural Language Models" (2020)

Key takeaways:
- Transformers scale well (Kaplan et al., 2020).
- Larger ones know more facts (Roberts et al., 2020).
"""
HEADED = """### 1. Attention Is All You Need
- **Authors:** Ashish Vaswani et al.
- **Year:** 2017

### 2. Language Models are Few-Shot Learners (Brown et al., 2020)
Shows that scaling works.
"""


def test_what_is_said_about_a_listed_work_is_no_reference():
    texts = [one.text for one in extract_here(Document("a.md", LISTED.encode())).references]
    assert [text[:9] for text in texts] == ['**"Attent', "Kaplan et", "Larger on"]


def test_one_heading_that_cites_is_a_work_next_to_those_with_fields():
    found = extract_here(Document("a.md", HEADED.encode())).references
    assert ["Attention" in one.text or "Few-Shot" in one.text for one in found] == [True, True]


DATED = (
    "1. Batch Normalization (ICML 2015)\n2. Group Normalization (ECCV 2018)\n3. Sparse Mixers (ICLR 2020)\n"
)
LISTS = {
    "titles and venues": (f"Here are papers:\n\n{DATED}", 3),
    "the first in bold": (f"Papers:\n\n{DATED.replace('Batch Normalization', '**Batch Normalization**')}", 3),
    "what somebody did": ("Activities:\n\n- Keynote talk (ICML 2019)\n- Area chair (NeurIPS 2020)\n", 0),
    "films": ("Films:\n\n- Toy Story (Pixar 1995)\n- Finding Nemo (Pixar 2003)\n", 0),
}


@pytest.mark.parametrize("suffix", ["md", "txt"])
@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_titles_with_a_known_venue_and_year_is_read(name, suffix):
    text, count = LISTS[name]
    if suffix == "txt" and not count:
        pytest.skip("a plain text is read as a list of references")
    assert len(extract_here(Document(f"a.{suffix}", text.encode())).references) == count


CITED = "1. Sahin, U., & Karikó, K. (2014). mRNA-based therapeutics. Nature Reviews, 13(10), 759-780.\n"
FENCED = {
    "an answer that is quoted": (f"ChatGPT:\n```\nSure! Here they are:\n\n{CITED}```\n", 1),
    "a program": (f"```python\n# {CITED[3:]}print(1)\n```\n", 0),
    "a program without its language": (f"```\nimport os\n# {CITED[3:]}run();\n```\n", 0),
    "next to a list": (f"## References\n\n{CITED}\n```\n{CITED}```\n", 1),
    "output": ("```\nBuild 2014-03-01 finished in 12.3 s\n```\n", 0),
}


@pytest.mark.parametrize("name", FENCED)
def test_a_fence_that_holds_citations_and_no_code_is_read(name):
    text, count = FENCED[name]
    assert len(extract_here(Document("a.md", text.encode())).references) == count


PLAIN = """Yes — three studies are often cited:

Vaswani et al., 2017 — Attention Is All You Need. ([arxiv.org](https://arxiv.org/abs/1706.03762?utm_source=x))
Peters et al., 2018 — Deep contextualized word representations. ([host](https://aclanthology.org/N18-1202/#x))
Marlowe & Singh, 2018 — Recursive Shadow Pyramids. ([doi.org](https://doi.org/10.1109/CVPR.2018.00745?ref=x))

In short, yes.
"""
WORDS = "Attention changed how machines translate.\n\nWord vectors came before that in time.\n\n"


def _read(text):
    return read_references(extract_here(Document("a.txt", text.encode())).references)


@pytest.mark.parametrize("text", [PLAIN, WORDS * 3 + PLAIN, PLAIN.replace("— ", ": ", 4)])
def test_plain_lines_of_an_answer_keep_titles_and_people_next_to_their_links(text):
    claimed = [one.claimed for one in _read(text)]
    assert [(one.title, one.authors[0].family, one.year, one.ids.pairs[0]) for one in claimed] == [
        ("Attention Is All You Need", "Vaswani", 2017, ("arxiv", "1706.03762")),
        ("Deep contextualized word representations", "Peters", 2018, ("acl", "N18-1202")),
        ("Recursive Shadow Pyramids", "Marlowe", 2018, ("doi", "10.1109/cvpr.2018.00745")),
    ]


@pytest.mark.parametrize(
    "before", ["Yes, two studies are often cited:\n\n", "In short, these are often cited:\n\n"]
)
def test_the_sentence_before_a_plain_list_is_no_reference(before):
    listed = PLAIN.partition("\n\n")[2].rpartition("\n\n")[0].replace("[arxiv.org](", "").replace("))", ")")
    listed = listed.replace("[host](", "").replace("[doi.org](", "")
    assert [one.claimed.year for one in _read(before + listed)] == [2017, 2018, 2018]


SHADOW = "Recursive Shadow Pyramids for Segmentation"


@pytest.mark.parametrize(
    ("item", "title", "venue"),
    [
        ("**Prefix-Tuning of Prompts** – Li & Liang (2021), ACL.", "Prefix-Tuning of Prompts", "ACL"),
        (f"Doe & Singh, 2018 — {SHADOW} (CVPR). https://doi.org/10.1109/a.1", SHADOW, "CVPR"),
        (f"Doe & Singh, 2018 — {SHADOW} (RSPS). https://doi.org/10.1109/a.1", f"{SHADOW} (RSPS)", None),
    ],
)  # fmt: skip
def test_a_known_venue_behind_people_or_in_brackets_is_neither_pages_nor_title(item, title, venue):
    (one,) = _read(f"Key papers:\n\n1. {item}\n")
    assert (one.claimed.title, one.claimed.venue, one.claimed.pages) == (title, venue, None)
