"""What the body of a file says of its work, one table of text ⇒ field."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.corpus.corpus_types import CorpusLayout, Grade
from citeproof.corpus.entries import CorpusEntry, load
from citeproof.corpus.entries.body_metadata import (
    MAX_LINES,
    find_link_address,
    read_body_metadata,
    strip_markup,
)
from citeproof.corpus.entries.ref_ids import split_ref_heading
from citeproof.corpus.project_root import ProjectRoot
from citeproof.vocabulary import Name
from tests.growth import grows_linearly
from tests.soak import choose_cases

SOURCES, FINDINGS = ".aiwg/research/sources", ".aiwg/research/findings"
TWO = (Name("Smith", "Ann"), Name("Jones", "Bo"))
WEI = (Name("Wei", "J."), Name("Wang", "X."))
CITED = "Wei, J., & Wang, X. (2022). Chain-of-thought prompting elicits reasoning. *Advances*, *35*, 24–37."
BIBTEX = """```bibtex
@article{smith2020,
  author = {Smith, Ann and Jones, Bo}, title = {A study},
  year = 2020, doi = {10.1234/abc},
}
```"""


def entry(tmp_path, text: str, name: str = "a.md") -> CorpusEntry:
    file = tmp_path / SOURCES / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    (one,) = load(ProjectRoot(tmp_path), CorpusLayout()).entries
    return one


BODIES = [
    # text of a file, field, value
    ("# REF-001: A study", "ref", "REF-001"),
    ("# REF-001: A study", "title", "A study"),
    ("# A study (REF-001)", "ref", "REF-001"),
    ("# A study (REF-001)", "title", "A study"),
    ("# [REF-001] A *study*", "title", "A study"),
    ("# REF-001 – A study (2020)", "title", "A study (2020)"),
    ("# REF-001 Analysis: A study: parts", "title", "A study: parts"),
    ("# REF-001 Analysis: A study", "ref", "REF-001"),
    ("REF-001: A study\n================", "ref", "REF-001"),
    ("# REF-001-fair: A study", "ref", "REF-001-fair"),
    ("# REF-001", "title", ""),
    ("# A study\n\n**REF:** REF-001", "ref", "REF-001"),
    ("# A study\n\n- **ID**: `REF-001`", "ref", "REF-001"),
    ("# A study\n\n**Reference:** [REF-001](x.md)", "ref", "REF-001"),
    # a mention is no statement
    ("# Notes on REF-001", "ref", ""),
    ("# REF-001 and REF-002", "ref", ""),
    ("# REF-001 – REF-009: a list", "ref", ""),
    ("# REF-001's claims", "ref", ""),
    ("# A study\n\nSee REF-001.", "ref", ""),
    ("# A study\n\n**REF:** as in REF-001, but not quite", "ref", ""),
    ("# A study\n\n**Related:** REF-001", "ref", ""),
    ("# List\n\n## REF-001: A study", "ref", ""),
    ("## REF-001: A study\n\n## REF-002: Another", "ref", ""),
    ("```\n# REF-001: A study\n```", "ref", ""),
    # labels
    ("# T\n\n**Authors:** Ann Smith, Bo Jones", "authors", TWO),
    ("**Author(s)**: Ann Smith¹ (MIT) and Bo Jones²", "authors", TWO),
    ("**Authors:**\n\n- Ann Smith\n- Bo Jones\n\nText.", "authors", TWO),
    ("**Authors:** Ann Smith,\nBo Jones\n**Year:** 2020", "authors", TWO),
    ("**Authors:** Ann Smith\n- A point", "authors", (Name("Smith", "Ann"),)),
    ("**Author:** Garcia Lopez, Juan Carlos", "authors", (Name("Garcia Lopez", "Juan Carlos"),)),
    ("**Authors:** He, K.; Roe, A.", "authors", (Name("He", "K."), Name("Roe", "A."))),
    ("* Author: *Smith, Ann*", "authors", (Name("Smith", "Ann"),)),
    ("**Authors:** —", "authors", ()),
    ("* Year: 2020", "year", 2020),
    ("__Year:__ 2020", "year", 2020),
    ("Published: May 2018", "year", 2018),
    ("> **Year:** 2020", "year", 2020),
    ("1. **Publication year**: 2020 (online 2019)", "year", 2020),
    ("**Year:** unknown\n\n**Published:** 2019", "year", 2019),
    ("**Date:** 2026-01-05", "year", None),
    ("**Year:** 2020 | **DOI:** 10.1234/abc", "doi", "10.1234/abc"),
    ("- **DOI**: 10.1234/ABC  ", "doi", "10.1234/abc"),
    ("**DOI:** [10.1234/a_b_c](https://doi.org/10.1234/a_b_c)", "doi", "10.1234/a_b_c"),
    ("**DOI:** [open](https://doi.org/10.1234/abc)", "doi", "10.1234/abc"),
    ("**Link**: <https://doi.org/10.1234/abc>", "doi", "10.1234/abc"),
    ("**Link**: <https://example.org/10>", "doi", ""),
    ("**Title:** *A `study`* of things\nText.", "title", "A study of things"),
    ("**Title:**\n\nA study\n\nText.", "title", "A study"),
    ("**Authors:** Ann Smith\nThe paper says much.", "authors", (Name("Smith", "Ann"),)),
    ("**Authors:** Ann Smith,\n**Venue:** A journal", "authors", (Name("Smith", "Ann"),)),
    ("Authors: Ann Smith,\nVenue: A journal", "authors", (Name("Smith", "Ann"),)),
    ("**Pages:** 100–120", "pages", (100, 120)),
    ("**Page count:** 12", "total_pages", 12),
    ("**Source type:** Preprint", "type", "Preprint"),
    ("**GRADE:** MODERATE", "grade", Grade.MODERATE),
    ("**GRADE**: **VERY LOW** — few instances", "grade", Grade.VERY_LOW),
    ("| Attribute | Value |\n|---|---|\n| GRADE / Quality | low |", "grade", Grade.LOW),
    ("**GRADE:** A", "grade", None),
    ("**Relevance:** HIGH", "grade", None),
    ("**Accessed:** 2025-01-02\n**Last verified:** 2026-01-05\n**Reviewed:** 2025", "verified", "2026-01-05"),
    ("**Status:** Draft\n**Retracted:** Yes (2021)", "retracted", True),
    ("| Status | Retracted |", "retracted", True),
    ("**Status:** not retracted", "retracted", False),
    ("**PDF:** [open](papers/a.pdf)", "text", "papers/a.pdf"),
    ("**PDF:** ../../../../etc/passwd", "text", ""),
    ("**PDF:** https://example.org/a.pdf", "text", ""),
    # tables
    ("| Field | Value |\n|--|--|\n| **Authors** | Ann Smith |", "authors", (Name("Smith", "Ann"),)),
    ("| Title | A study |\n|---|---|\n| Year | 2020 |", "title", "A study"),
    ("| Author | Share |\n|---|---|\n| Ann | 3 |", "authors", ()),
    ("| Year | Author | Change |\n|---|---|---|\n| 2020 | Ann | x |", "year", None),
    # citations
    (f"# REF-001: Notes\n\n## Citation\n\n{CITED}", "authors", WEI),
    (f"# REF-001: Notes\n\n## Citation\n\n{CITED}", "year", 2022),
    (f"# REF-001: Notes\n\n## Citation\n\n{CITED}", "title", "Chain-of-thought prompting elicits reasoning"),
    (f"## Full citation\n- {CITED}\n- Other, A. (1999). Another.", "authors", WEI),
    (f"## Reference\n\n> {CITED.replace('(2022). ', '(2022).' + chr(10) + '> ')}", "year", 2022),
    (f"**Citation:** {CITED}", "authors", WEI),
    (f"**Paper**: {CITED.replace('). ', ').' + chr(10))}\n**GRADE**: LOW", "authors", WEI),
    (f"**Citation:**\n{CITED}", "year", 2022),
    (f"**Citation:** {CITED} https://doi.org/10.1234/abc", "doi", "10.1234/abc"),
    (f"Author: Roe\nYear: 1999\n**Paper:** {CITED} [x](https://doi.org/10.1234/a)", "doi", "10.1234/a"),
    (f"**Authors:** A. Roe\n**Citation:** {CITED}", "authors", (Name("Roe", "A."),)),
    (f"**Source:** {CITED}", "authors", WEI),
    (f"## Citation\n\n```\n{CITED}\n```\n", "year", 2022),
    (f"## Citation\n\n{BIBTEX}", "authors", (Name("Smith", "Ann"), Name("Jones", "Bo"))),
    (f"## Citation\n\n{BIBTEX}", "doi", "10.1234/abc"),
    (f"## Citation\n\n{BIBTEX}", "title", "A study"),
    ("## Citation\n\n```bibtex\n@misc{broken\n```", "authors", ()),
    ("## Reference\n\nThis section says how the paper was found in 2020.", "year", None),
    ("## Citation\n\nTBD", "authors", ()),
    ("## Citation\n\n## Summary\n\nAnn Smith (2020). A study. Journal.", "authors", ()),
    # other works
    ("# T\n\n## Related work\n\n**Authors:** Ann Smith\n\n### More\n\n**Year:** 2020", "authors", ()),
    ("# T\n\n## Related work\n\n### More\n\n**Year:** 2020", "year", None),
    ("# T\n\n## Related work\n\n## Details\n\n**Year:** 2020", "year", 2020),
    ("# REF-001: T\n\n## REF-002: Another\n\n**Year:** 2020", "year", None),
    ("# T\n\n```\n**Year:** 2020\n```", "year", None),
    ("# T\n" + "\n" * MAX_LINES + "**Year:** 2020", "year", None),
    # front matter wins
    ("---\nyear: 1999\n---\n**Year:** 2020", "year", 1999),
    ("---\nref_id: REF-002\n---\n# REF-001: T", "ref", "REF-002"),
    ("---\ntitle: A\n---\n**Title:** B", "title", "A"),
    ("---\ngrade: HIGH\n---\n**GRADE:** LOW", "grade", Grade.HIGH),
    ("---\nverified: 2025-01-01\n---\n**Verified:** 2026-01-01", "verified", "2025-01-01"),
    ("---\nretracted: false\n---\n**Retracted:** yes", "retracted", False),
    ("---\nstatus: published\n---\n**Retracted:** yes", "retracted", True),
    ("---\npages: 24\n---\n**Pages:** 1-9", "pages", None),
    (f"---\ntitle: A\n---\n## Citation\n{CITED}", "title", "A"),
    (f"---\nyear: 1999\n---\n## Citation\n{CITED}", "year", 1999),
    (f"---\nyear: 1999\n---\n## Citation\n{CITED}", "authors", WEI),
]  # fmt: skip


@pytest.mark.parametrize(("text", "field", "value"), BODIES)
def test_a_body_states_what_front_matter_lacks(tmp_path, text, field, value):
    assert getattr(entry(tmp_path, text + "\n"), field) == value


def test_windows_lines_do_not_matter(tmp_path):
    one = entry(tmp_path, f"# REF-001: T\r\n\r\n**Year:** 2020  \r\n\r\n## Citation\r\n\r\n{CITED}\r\n")
    assert (one.ref, one.year, one.authors) == ("REF-001", 2020, WEI)


def test_a_level_of_the_body_names_its_file(tmp_path):
    one = entry(tmp_path, "**GRADE:** LOW\n")
    assert (one.grade, one.grade_from) == (Grade.LOW, one.path)


def test_a_ref_id_in_the_heading_counts_like_front_matter(tmp_path):
    folder = tmp_path / SOURCES
    folder.mkdir(parents=True)
    (folder / "smith.md").write_text("# REF-001: A study\n")
    (folder / "REF-002-x.md").write_text("# REF-003: Another\n")
    library = load(ProjectRoot(tmp_path), CorpusLayout())
    assert [one.path for one in library.ref("REF-001")] == [f"{SOURCES}/smith.md"]
    assert [one.path for one in library.list_misnamed("REF-002")] == [f"{SOURCES}/REF-002-x.md"]
    assert [one.message for one in library.problems] == ["its name says REF-002, but it states REF-003"]


def test_a_document_takes_the_body_of_its_sidecar_in(tmp_path):
    folder = tmp_path / SOURCES
    folder.mkdir(parents=True)
    (folder / "a.pdf").write_text("%PDF-")
    (folder / "a.md").write_text(f"# REF-001: A study\n\n## Citation\n{CITED}\n")
    (one,) = load(ProjectRoot(tmp_path), CorpusLayout()).entries
    assert (one.path, one.ref, one.authors) == (f"{SOURCES}/a.pdf", "REF-001", WEI)


@pytest.mark.parametrize(
    "value", [f"@{SOURCES}/a.pdf", "[the paper](../sources/a.pdf)", "`../sources/a.pdf`"]
)
@pytest.mark.parametrize("label", ["Source", "PDF"])
def test_a_finding_names_its_source_in_its_body(tmp_path, label, value):
    for folder, name, text in (
        (SOURCES, "a.pdf", "%PDF-"),
        (FINDINGS, "n.md", f"# REF-001: T\n\n**{label}**: {value}\n"),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(text)
    library = load(ProjectRoot(tmp_path), CorpusLayout())
    pdf, note = library.find_entry(f"{SOURCES}/a.pdf"), library.find_entry(f"{FINDINGS}/n.md")
    assert (library.find_related(note), pdf.ref) == ((pdf,), "REF-001")


@pytest.mark.parametrize(
    ("text", "plain", "link"),
    [
        ("**a** *b* _c_ `d` ~~e~~", "a b c d e", ""),
        ("snake_case_name 10.1/a_b", "snake_case_name 10.1/a_b", ""),
        ("[a](http://x/y_(z))", "a", "http://x/y_(z)"),
        ('[a](<http://x> "t") [b][1] c[^2] ![i](j)', "a b c", "http://x"),
        ("<https://x> <b>a</b><sup>1</sup><!-- c -->", "https://x a", ""),
        (r"a\_b \*c\*", "a_b *c*", ""),
        ("  a \t b ", "a b", ""),
    ],
)
def test_marks_are_taken_off(text, plain, link):
    assert (strip_markup(text), find_link_address(text)) == (plain, link)


@given(st.text(alphabet="#*_:|-[]()<>`~= \nRF-01ayeh.", max_size=300))
def test_any_body_is_read(text):
    found = read_body_metadata(text, "REF")
    assert all(isinstance(value, str | list) and value for value in found.table.values())


@given(st.text(max_size=60))
def test_any_heading_is_read(text):
    ref, title = split_ref_heading(text, "REF")
    assert len(ref) <= 60
    assert title in text


@pytest.mark.growth
@pytest.mark.parametrize(
    "make",
    choose_cases(
        [
            lambda size: "**Authors:**\n" * (size // 13),
            lambda size: "**Authors:** —\n\n- a\n" * (size // 20),
            lambda size: "**Authors:** " + "(" * size,
            lambda size: "**Title:** " + "[a](b" * (size // 5),
            lambda size: "**Title:** [a](" + "b" * size,
            lambda size: "**Title:** " + "<!--" * (size // 4),
            lambda size: "# " + "_a" * (size // 2),
            lambda size: "# REF-001 " * (size // 10),
            lambda size: "## Citation\n" * (size // 12),
            lambda size: "## Citation\n" + "a. " * (size // 3),
            lambda size: "|" * size,
            lambda size: "| Year | 1 |\n|--|--|\n" * (size // 21),
            lambda size: "**a** " * (size // 6),
            lambda size: "```\n" * (size // 4),
            lambda size: "**Source:** " + "a/" * (size // 2) + ":",
            lambda size: "## Citation\n```\n" + "@a{b,\n" * (size // 6),
        ],
        4,
    ),
)
def test_work_grows_with_the_body(make):
    assert grows_linearly(
        lambda size: [read_body_metadata(make(size // 4), "REF") for _ in range(4)], 20_000, 80_000
    )
