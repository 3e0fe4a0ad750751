"""Front matter in the forms people write it, one table of file ⇒ fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.corpus.corpus_types import CorpusLayout, Grade
from citeproof.corpus.entries import CorpusEntry, load
from citeproof.corpus.entries.entry_drafts import parse_data_file, parse_fenced_yaml, parse_markdown_metadata
from citeproof.corpus.entries.entry_fields import parse_iso_date, resolve_project_path
from citeproof.corpus.entries.ref_ids import find_ref_id, parse_file_ref_id, parse_ref_id, strip_ref_suffix
from citeproof.corpus.project_root import ProjectRoot
from citeproof.vocabulary import Name
from tests.growth import grows_linearly
from tests.soak import choose_cases

SOURCES, FINDINGS = ".aiwg/research/sources", ".aiwg/research/findings"


def entry(tmp_path, text: str, name: str = "smith2020.md") -> CorpusEntry:
    file = tmp_path / SOURCES / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    (one,) = load(ProjectRoot(tmp_path), CorpusLayout()).entries
    return one


FORMS = [
    # front matter, field, value
    ("ref_id: REF-001", "ref", "REF-001"),
    ("ref: ref-001", "ref", "REF-001"),
    ("id: REF-001-fair", "ref", "REF-001-fair"),
    ("reference: '[REF-012]'", "ref", "REF-012"),
    ("Citation ID: REF-003", "ref", "REF-003"),
    ("metadata:\n  ref_id: REF-004", "ref", "REF-004"),
    ("id: smith2020", "ref", ""),
    ("ref_id: REF-XXX", "ref", ""),
    ("title: A *study*", "title", "A *study*"),
    ("citation:\n  title: Nested", "title", "Nested"),
    ("title:\n  - Listed", "title", "Listed"),
    ("authors: [Ann Smith, 'Jones, Bo']", "authors", (Name("Smith", "Ann"), Name("Jones", "Bo"))),
    ("authors:\n  - given: Ann\n    family: Smith", "authors", (Name("Smith", "Ann"),)),
    ("authors:\n  - name: Ann Smith\n    affiliation: X", "authors", (Name("Smith", "Ann"),)),
    ("authors:\n  - first_name: Ann\n    last_name: Smith", "authors", (Name("Smith", "Ann"),)),
    ("author: Ann Smith and Bo Jones", "authors", (Name("Smith", "Ann"), Name("Jones", "Bo"))),
    (
        "authors: 'Smith, A., Jones, B., & Roe, C.'",
        "authors",
        (Name("Smith", "A."), Name("Jones", "B."), Name("Roe", "C.")),
    ),
    ("source:\n  authors: [Ann Smith]\n  year: 1999", "year", 1999),
    ("year: 2020", "year", 2020),
    ("date: 2019-05-03", "year", 2019),
    ("published: May 2018", "year", 2018),
    ("year: unknown\ndate: 2017", "year", 2017),
    ("year: soon", "year", None),
    ("doi: 10.1234/ABC", "doi", "10.1234/abc"),
    ("doi: https://doi.org/10.1234/abc", "doi", "10.1234/abc"),
    ("identifiers:\n  doi: 10.1234/abc", "doi", "10.1234/abc"),
    ("url: https://doi.org/10.1234/abc", "doi", "10.1234/abc"),
    ("doi: N/A (conference paper)", "doi", ""),
    ("pages: 100-120", "pages", (100, 120)),
    ("pages: 1012–20", "pages", (1012, 1020)),
    ("venue:\n  pages: 5--9", "pages", (5, 9)),
    ("first_page: 7\nlast_page: 9", "pages", (7, 9)),
    ("pages: 9-7", "pages", None),
    ("pages: e123", "pages", None),
    ("pages: 24", "total_pages", 24),
    ("total_pages: 300", "total_pages", 300),
    ("Page-Count: 12", "total_pages", 12),
    ("source_type: preprint\ntype: note", "type", "preprint"),
    ("last_verified: 2026-01-05", "verified", "2026-01-05"),
    ("reviewed: 2026-01-05\nassessed: 2026/2/3", "verified", "2026-02-03"),
    ("verified: 2026-01-05T10:00:00Z", "verified", "2026-01-05"),
    ("verified: true", "verified", ""),
    ("next_review_date: 2027-01-01", "verified", ""),
    ("verified: 2026-13-45", "verified", ""),
    ("retracted: true", "retracted", True),
    ("status: Retracted", "retracted", True),
    ("retracted: false", "retracted", False),
    ("status: published", "retracted", False),
    ("pdf: smith2020.pdf", "text", f"{SOURCES}/smith2020.pdf"),
    ("full_text: papers/smith.pdf", "text", "papers/smith.pdf"),
    ("file: ./smith.txt", "text", f"{SOURCES}/smith.txt"),
    ("file: ../../../../etc/passwd", "text", ""),
    ("file: /etc/passwd", "text", ""),
    ("pdf: https://example.org/a.pdf", "text", ""),
    ("file: C:\\x", "text", ""),
]


def test_windows_lines_and_a_byte_order_mark_do_not_matter(tmp_path):
    one = entry(tmp_path, "\ufeff---\r\nref_id: REF-001\r\nauthors: [Ann Smith,\r\n  Bo Roe]\r\n---\r\n")
    assert (one.ref, len(one.authors)) == ("REF-001", 2)


def test_half_characters_do_not_get_through(tmp_path):
    one = entry(tmp_path, '{"title": "a\\ud800b", "authors": ["\\udc00x y"], "type": "\\ud800"}', "a.json")
    assert (one.title, one.authors[0].given, one.type) == ("a?b", "?x", "?")


@pytest.mark.parametrize(("front", "field", "value"), FORMS)
def test_fields_are_found_whatever_they_are_called(tmp_path, front, field, value):
    assert getattr(entry(tmp_path, f"---\n{front}\n---\n\nText.\n"), field) == value


GRADES = [
    ("grade: MODERATE", Grade.MODERATE),
    ("GRADE: very_low", Grade.VERY_LOW),
    ("grade_level: VERY-LOW", Grade.VERY_LOW),
    ("quality: high", Grade.HIGH),
    ("overall: very low", Grade.VERY_LOW),
    ("GRADE:\n  level: Low\n  rationale: none", Grade.LOW),
    ("grade_rating: High", Grade.HIGH),
    ("metadata:\n  grade: low", Grade.LOW),
    ("quality_assessment:\n  grade_baseline: high\n  final_grade: moderate", Grade.MODERATE),
    ("quality_assessment:\n  grade_baseline: moderate\n  downgrade_factors: [imprecision]", Grade.LOW),
    ("source_type: journal\nrisk_of_bias: serious", Grade.MODERATE),
    ("source_type: journal\nrisk_of_bias: serious\nretracted: true", Grade.LOW),
    ("source_type: peer_reviewed_journal", None),
    ("evidence_type: meta-analysis\nsource_type: journal", None),
    ("grade: null", None),
    ("grade: B", None),
    ("quality_score: 87", None),
    ("relevance: HIGH", None),
]


@pytest.mark.parametrize(("front", "grade"), GRADES)
def test_front_matter_may_give_a_level(tmp_path, front, grade):
    one = entry(tmp_path, f"---\n{front}\n---\n")
    assert one.grade is grade
    assert one.grade_from == (one.path if grade else "")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A study of things\n\nText.\n", "A study of things"),
        ("## A study of `things` ##\n", "A study of things"),
        ("Text first.\n\n## Later heading\n", "Later heading"),
        ("A study\n=======\n", "A study"),
        ("---\n\n# After a rule\n", "After a rule"),
        ("---\nyear: 2020\n---\n# Heading\n", "Heading"),
        ("no heading", ""),
        ("", ""),
    ],
)
def test_without_front_matter_the_first_heading_is_the_title(tmp_path, text, title):
    one = entry(tmp_path, text)
    assert one.title == title
    assert (one.ref, one.authors, one.doi, one.grade) == ("", (), "", None)


@pytest.mark.parametrize(
    ("text", "ref", "inside", "stem"),
    [
        ("REF-001", "REF-001", "REF-001", "REF-001"),
        ("REF-001-smith-2020", "REF-001", "REF-001", "REF-001"),
        ("ref-7-a", "REF-7-a", "REF-7", "REF-7"),
        ("see REF-012.", "", "REF-012", ""),
        ("XREF-001", "", "", ""),
        ("REF-XXX", "", "", ""),
        ("REF-", "", "", ""),
    ],
)
def test_ref_ids_have_one_form(text, ref, inside, stem):
    assert (parse_ref_id(text, "REF"), find_ref_id(text, "REF"), parse_file_ref_id(text, "REF")) == (
        ref,
        inside,
        stem,
    )


def test_the_number_is_the_id_without_its_suffix():
    assert [strip_ref_suffix(ref) for ref in ("REF-001-a", "REF-001", "")] == ["REF-001", "REF-001", ""]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("b.md", "docs/a/b.md"),
        ("@docs/a/b.md", "docs/a/b.md"),
        ("docs/a/b.md#part", "docs/a/b.md"),
        ("docs/a/b", "docs/a/b.md"),
        ("../c.md", "docs/c.md"),
        ("../../../x", ""),
        ("~/x", ""),
        ("a\x00b", ""),
        ("", ""),
    ],
)
def test_paths_are_meant_from_the_root_or_the_folder(value, path):
    assert resolve_project_path(value, "docs/a", frozenset(["docs/a/b.md"])) == path


BROKEN = [
    ("a.md", "---\n- just\n- a list\n---\n", "not a list of"),
    ("a.md", "---\na: [1, 2\n---\n", "not closed"),
    ("a.md", "---\n" + "a: b\n" * 60_000 + "---\n", "256 kB"),
    ("a.yaml", "a: {b: c\n", "not closed"),
    ("a.json", '{"a": ', "not JSON"),
    ("a.json", "[1]", "not an object"),
    ("a.json", "[" * 100_000, "not JSON"),
    ("a.yaml", "a: " + "[" * 10_000, "nested too deeply"),
    ("a.yaml", "x: y\n" * 60_000, "256 kB"),
]


@pytest.mark.parametrize(("name", "text", "message"), BROKEN)
def test_what_cannot_be_read_is_a_problem_and_no_exception(tmp_path, name, text, message):
    file = tmp_path / SOURCES / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    library = load(ProjectRoot(tmp_path), CorpusLayout())
    assert len(library.entries) == 1
    (trouble,) = library.problems
    assert trouble.path == f"{SOURCES}/{name}"
    assert message in trouble.message


def test_messages_are_one_line_without_controls(tmp_path):
    entry(tmp_path, "---\nsource_type: journal\nimprecision: a\u202e\x1b[31mb\n---\n")
    (trouble,) = load(ProjectRoot(tmp_path), CorpusLayout()).problems
    assert "imprecision" in trouble.message
    assert trouble.message.isprintable()


def test_a_block_of_yaml_is_read_behind_a_heading():
    assert parse_fenced_yaml("# A\n\n```yaml\n---\ngrade: low\n---\n```\n") == {"grade": "low"}
    assert parse_fenced_yaml("# A\n\n```yaml\ngrade: low\n") == {}


def test_json_is_read_as_yaml_is():
    front = parse_data_file("a.json", b'{"year": 2020, "ok": true, "list": [1, null], "deep": {"a": "b"}}')
    assert front.table == {"year": "2020", "ok": "true", "list": ["1", None], "deep": {"a": "b"}}


@pytest.mark.growth
@pytest.mark.parametrize(
    "make",
    choose_cases(
        [
            lambda size: "a: [\n" + " x\n" * (size // 3),
            lambda size: "a: [\n" + " [x]\n" * (size // 5),
            lambda size: "a: '\n" + " ''\n" * (size // 4),
            lambda size: 'a: "\n' + ' \\"\n' * (size // 4),
            lambda size: "a: [\n" + "]x[\n" * (size // 4),
            lambda size: "a: [\n]\n" * (size // 7),
            lambda size: "# h\n" * (size // 4),
            lambda size: "a" * size + "\n=",
            lambda size: "REF-" * (size // 4),
            lambda size: "quality quality " * (size // 16),
            lambda size: "- " * (size // 2),
            lambda size: "a: 10.1234/" + "(" * size,
        ],
        4,
    ),
)
def test_work_grows_with_the_front_matter(make):
    assert grows_linearly(
        lambda size: parse_markdown_metadata(f"---\n{make(size)}\n---\n{make(size)}".encode()), 20_000, 80_000
    )


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data):
    for front in (
        parse_markdown_metadata(data),
        parse_markdown_metadata(b"---\n" + data + b"\n---\n"),
        parse_data_file("a.yaml", data),
        parse_data_file("a.json", data),
    ):
        assert isinstance(front.table, dict)


@given(st.text(max_size=30))
def test_dates_are_dates_or_nothing(text):
    assert parse_iso_date(text) == "" or len(parse_iso_date(text)) == 10
