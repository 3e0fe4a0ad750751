"""Works that a text describes in another form than a citation: each is one entry, in a stream too."""

# ruff: noqa: E501, ISC004 - a text a row

from __future__ import annotations

import pytest

from citeproof.claims.text_citations import find_text_citations
from citeproof.claims.text_segments import SegmentReader

TITLE = "Neural Memory Lattices for Graph Compression"
OTHER = "Adaptive Hypergraph Routing under Sparse Supervision"
PEOPLE = "Karen Smithson and Li Wang"
DOI = "10.48123/nml.2022.0991"

RECORDS = [
    f"Title: {TITLE}\nAuthors: {PEOPLE}\nYear: 2022\n",
    f"1. **Title:** {TITLE}\n   - **Authors:** {PEOPLE}\n   - **Year:** 2022\n",
    f"### {TITLE}\n\n- **Authors:** {PEOPLE}\n- **Year:** 2022\n",
    f"The source is Title: {TITLE}; Authors: {PEOPLE}; Year: 2022.\n",
    f"Titel: {TITLE}\nAutoren: {PEOPLE}\nJahr: 2022\n",
    f"标题：{TITLE}\n作者：{PEOPLE}\n年份：2022\n",
    f'```json\n[\n  {{\n    "title": "{TITLE}",\n    "authors": ["Karen Smithson"],\n    "year": 2022\n  }}\n]\n```\n',
    f'{{"title": "{TITLE}", "authors": ["Karen Smithson"], "year": 2022}}\n',
    f"references:\n  - title: {TITLE}\n    authors:\n      - Karen Smithson\n      - Li Wang\n    year: 2022\n",
    f"<records>\n  <record>\n    <title>{TITLE}</title>\n    <creator>Karen Smithson</creator>\n    <date>2022</date>\n"
    "  </record>\n</records>\n",
    f"TY  - JOUR\nTI  - {TITLE}\nAU  - Smithson, Karen\nPY  - 2022\nER  - \n",
    f"Title,Authors,Year\n{TITLE},Karen Smithson,2022\n",
    f"| Paper | Year | Venue |\n|---|---|---|\n| **{TITLE}** | 2022 | NeurIPS |\n",
    f"Paper 1: {TITLE}\nWritten by: {PEOPLE}\nPublished in: Nature (2022)\n",
    f"** {TITLE}\n   :PROPERTIES:\n   :AUTHOR: {PEOPLE}\n   :YEAR: 2022\n   :END:\n",
    f"<dc:title>{TITLE}</dc:title>\n<dc:creator>Smithson, Karen</dc:creator>\n<dc:date>2022</dc:date>\n",
    f"+------+-----+------+\n| Work | Who | When |\n+------+-----+------+\n| {TITLE} | Smithson, Wang | 2022 |\n+------+-----+------+\n",
    f"\\item \\textbf{{{TITLE}}} (Smithson, Wang, 2022)\n",
    f"2/ Smithson and Wang (2022): {TITLE} 👉 https://doi.org/{DOI}\n",
    f'EXPERT: For me that is "{TITLE}", 2022, by {PEOPLE}.\n',
    f"（1）Karen Smithson, Li Wang：“{TITLE}”，Studies in Things，2022。\n",
    f"There is support for this ({TITLE}; Karen Smithson, Li Wang; 2022).\n",
    f"The figure comes from {PEOPLE}, “{TITLE}”, 2022.\n",
    f"📄 **{TITLE}** — Karen Smithson, Li Wang (Studies in Things, 2022)\n",
    f"<table><tr><th>Title</th><th>Authors</th></tr>\n<tr><td>{TITLE}</td><td>Karen Smithson</td></tr></table>\n",
    f"Title                          Authors           Year\n{TITLE}   Karen Smithson    2022\n",
    f"- {TITLE} (Smithson & Wang, 2022)\n- {OTHER} (Okafor, 2021)\n",
    f"- **{TITLE}** – Smithson & Wang, 2022\n",
    f"- {TITLE} by {PEOPLE} (2022)\n",
    f"- **{TITLE}** (2022) by {PEOPLE}. *NeurIPS*.\n",
    f"- [{TITLE}](https://lab.example/nml) (2022) by {PEOPLE}\n",
    f"1. {TITLE}, NeurIPS 2022\n2. {OTHER}, ICML 2021\n",
    f"- 2022: {TITLE} (Smithson & Wang)\n",
    f"- [2022] Smithson, Wang. {TITLE}. NeurIPS.\n",
    f"{TITLE}\nKaren Smithson, Li Wang\nNeurIPS 2022\n",
    f"## 1. {TITLE}\n\n*Karen Smithson, Li Wang* · Nature · 2022\n",
    f"・Karen Smithson, Li Wang「{TITLE}」（Nature、2022年）\n",
    f'Smithson, Karen, and Li Wang. "{TITLE}." Nature 4.2 (2022): 11-20.\n',
    f"See also: {OTHER} (Okafor 2021); {TITLE} (Smithson and Wang 2022).\n",
    f"It is in Smithson, K., & Wang, L. (2022). {TITLE}. Nature, 4(2), 11–20. It says much.\n",
    f"It works.^[Smithson, K. (2022). {TITLE}. Nature.]\n",
    f"\\bibitem{{s}}\nK. Smithson and L. Wang.\n\\newblock {TITLE}.\n\\newblock \\emph{{Nature}}, 2022.\n",
]  # fmt: skip

SPELLED = [
    "10&amp;#46;48123/nml.2022.0991", "10.48123/<!-- x -->nml.2022.0991", "10[.]48123/nml[.]2022[.]0991",
    "10 dot 48123 slash nml dot 2022 dot 0991", "10 . 48123/nml.2022.0991", "10·48123/nml·2022·0991",
    "\\u0031\\u0030.48123/nml.2022.0991", "١٠.٤٨١٢٣/nml.٢٠٢٢.٠٩٩١", "1̶0̶.48123/nml.2022.0991",
    "10{.}48123{/}nml{.}2022{.}0991", "doi(dot)org/10.48123/nml.2022.0991", "mirror.se/10.48123/nml.2022.0991",
    "Smith<!-- a -->son and Wang (20<!-- b -->22)", "Smithson and Wang {2022}", "(Smithson and Wang: 2022)",
    "(Smithson & Wang, '22)", "(Smithson; Wang; 2022)", "Smithson and Wang (2 0 2 2)", "Smithson and Wang (MMXXII)",
    "Smithson and Wang (forthcoming)", "Smithson and Wang (c. 2022)", "Smithson and Wang<sup>2022</sup>",
    "a study by Smithson and Wang", "`Smithson and Wang (2022)`", "==Smithson and Wang (2022)==",
    "Smithson and\n> Wang (2022)", "\ue200cite\ue202turn0search1\ue201", "shown^1^", "shown [[1]]", "shown ⟦1⟧",
    "Ⓢⓜⓘⓣⓗⓢⓞⓝ and Wang (2022)",
]  # fmt: skip

OTHER_RECORDS = [
    "Title: Alien\nDirector: Ridley Scott\nYear: 1979\n",
    "---\ntitle: My notes on a long weekend\nauthor: Jane Doe\ndate: 2020-01-02\n---\n\nHello.\n",
    '{"name": "a-package", "version": "1.2.0", "author": "Jane Doe", "license": "MIT"}\n',
    "| Film | Year | Director |\n|---|---|---|\n| Alien | 1979 | Ridley Scott |\n",
    "Date:   Thu Oct 30 12:01:06 2008 +0100\n\n    Fix the build of the second part.\n",
    " -- Jane Doe <jane@example.org>  Sun, 10 Jul 2011 21:49:27 +0200\n",
    "1. Parasite (2019), directed by Bong Joon-ho\n2. The Lighthouse (2019), directed by Robert Eggers\n",
    "Weber, K., room 214, ext. 2019\nHansen, L., room 310, ext. 2021\n",
    "On [0, 1] it grows, on [1, 3] it falls, on (3, 5] it is constant.\n",
    "See linkgit:git-config[1] and /dev/hda[1-8].\n",
    "Reply with [1] for yes or [2] for no.\n",
]


def show(text: str) -> str:
    """Return what is left of a text without its citations, read segment by segment."""
    reader = SegmentReader()
    segments = [*(one for sign in text for one in reader.feed(sign)), *reader.finish()]
    assert "".join(one.text for one in segments) == text
    left = ""
    for segment in segments:
        before, at = len(segment.context), 0
        for one in find_text_citations(segment.context + segment.text):
            if one.end > before:
                left += segment.text[at : max(at, one.start - before)]
                at = one.end - before
        left += segment.text[at:]
    return left


@pytest.mark.parametrize("text", RECORDS, ids=range(len(RECORDS)))
def test_a_described_work_is_held_whole(text):
    left = show(f"Here is what I know.\n\n{text}\nThat is all.\n")
    assert not [words for words in (TITLE, "Smithson", OTHER, "Okafor") if words in left], left


@pytest.mark.parametrize("spelled", SPELLED)
def test_an_odd_spelling_hides_no_citation(spelled):
    assert find_text_citations(f"It is known that {spelled} showed it.\n")


@pytest.mark.parametrize("text", OTHER_RECORDS, ids=range(len(OTHER_RECORDS)))
def test_what_describes_no_work_stays(text):
    assert show(text) == text
