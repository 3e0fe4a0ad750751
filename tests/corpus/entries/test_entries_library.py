"""A corpus on disk ⇒ what is found in it, by whom and how it is assessed, and what is wrong with it."""

from __future__ import annotations

import json

import pytest

from citeproof.corpus.corpus_types import CorpusLayout, Grade
from citeproof.corpus.entries import CorpusLibrary, load
from citeproof.corpus.project_root import ProjectRoot

S, F, Q = ".aiwg/research/sources", ".aiwg/research/findings", ".aiwg/research/quality-assessments"


def front(**fields: str) -> str:
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "---\n\n# Heading\n"


@pytest.fixture
def corpus(tmp_path):
    def make(files: dict[str, str], layout: CorpusLayout | None = None) -> CorpusLibrary:
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return load(ProjectRoot(tmp_path), layout or CorpusLayout())

    return make


def paths(entries) -> list[str]:
    return [entry.path for entry in entries]


def said(library: CorpusLibrary) -> list[tuple[str, str]]:
    return [(one.path, one.message) for one in library.problems]


def test_no_corpus_is_not_present(corpus):
    library = corpus({"README.md": "# Nothing\n"})
    assert not library.present
    assert library.entries == ()
    assert corpus({f"{S}/a.md": ""}).present


def test_entries_are_found_by_path_with_and_without_suffix(corpus):
    library = corpus({f"{S}/smith.md": front(title="A"), f"{F}/deep/er.markdown": "# B\n"})
    assert [library.find_entry(path).title for path in (f"{S}/smith.md", f"{S}/smith", f"{F}/deep/er")] == [
        "A",
        "A",
        "B",
    ]
    assert library.find_entry(f"{S}/none") is None
    assert [entry.role for entry in library.entries] == ["finding", "source"]


def test_a_ref_id_means_front_matter_first_and_names_where_there_is_none(corpus):
    library = corpus({
        f"{S}/smith.md": front(ref_id="REF-001"),
        f"{F}/REF-001-notes.md": "# Notes\n",
        f"{F}/REF-002-x.md": front(ref_id="REF-003"),
        f"{F}/REF-004-y.md": front(ref_id="REF-004-fair"),
    })  # fmt: skip
    assert paths(library.ref("REF-001")) == [f"{S}/smith.md", f"{F}/REF-001-notes.md"]
    assert library.ref("REF-002") == ()
    assert paths(library.list_misnamed("REF-002")) == [f"{F}/REF-002-x.md"]
    assert paths(library.ref("REF-003")) == [f"{F}/REF-002-x.md"]
    assert paths(library.ref("REF-004")) == paths(library.ref("REF-004-fair")) == [f"{F}/REF-004-y.md"]
    assert library.ref("REF-001-a") == library.list_misnamed("REF-004") == ()
    assert said(library) == [(f"{F}/REF-002-x.md", "its name says REF-002, but it states REF-003")]


def test_authors_are_found_by_whole_family_name_and_its_parts(corpus):
    library = corpus({
        f"{S}/a.md": front(authors="[Jan van den Berg, María García-López]", doi="10.1234/x"),
        f"{S}/b.md": front(authors="[Ann Berg]"),
    })  # fmt: skip
    found = {
        key: paths(library.family(key)) for key in ("berg", "vandenberg", "garcialopez", "garcia", "doe")
    }
    assert found == {
        "berg": [f"{S}/a.md", f"{S}/b.md"],
        "vandenberg": [f"{S}/a.md"],
        "garcialopez": [f"{S}/a.md"],
        "garcia": [f"{S}/a.md"],
        "doe": [],
    }
    assert paths(library.doi("10.1234/x")) == [f"{S}/a.md"]


def test_a_document_takes_its_sidecar_in(corpus):
    library = corpus({
        f"{S}/smith.pdf": "%PDF-",
        f"{S}/smith.yaml": "ref_id: REF-001\ntitle: From YAML\nyear: 2020\n",
        f"{S}/jones.txt": "words",
        f"{S}/jones.md": front(title="From Markdown"),
        f"{S}/jones.json": json.dumps({"title": "From JSON", "year": 1999}),
        f"{S}/alone.yaml": "title: A file of its own\n",
    })  # fmt: skip
    assert [(entry.path, entry.title, entry.year) for entry in library.entries] == [
        (f"{S}/alone.yaml", "A file of its own", None),
        (f"{S}/jones.txt", "From Markdown", 1999),
        (f"{S}/smith.pdf", "From YAML", 2020),
    ]
    assert (
        library.find_entry(f"{S}/smith.yaml")
        is library.find_entry(f"{S}/smith.pdf")
        is library.find_entry(f"{S}/smith")
    )
    assert said(library) == []


def test_a_document_that_only_a_finding_describes_has_what_it_says(corpus):
    library = corpus({
        f"{S}/smith.pdf": "%PDF-",
        f"{F}/notes.md": front(id="REF-001", title="T", pdf=f"@{S}/smith.pdf", doi="10.1234/x", grade="low"),
    })  # fmt: skip
    pdf, notes = library.find_entry(f"{S}/smith.pdf"), library.find_entry(f"{F}/notes.md")
    assert (pdf.title, pdf.ref, pdf.doi, pdf.text) == ("T", "REF-001", "10.1234/x", "")
    assert (pdf.grade, pdf.grade_from) == (Grade.LOW, notes.path)
    assert library.find_related(notes) == (pdf,)
    assert library.find_related(pdf) == (notes,)
    assert said(library) == []


def test_related_entries_share_an_id_a_doi_or_a_path(corpus):
    library = corpus({
        f"{S}/a.md": front(ref_id="REF-001"),
        f"{F}/REF-001-a.md": "# A\n",
        f"{S}/b.md": front(doi="10.1234/b"),
        f"{F}/b-notes.md": front(doi="10.1234/B"),
        f"{S}/c.md": front(title="C"),
        f"{F}/c-notes.md": front(source="../sources/c"),
        f"{S}/d.md": front(title="D"),
    })  # fmt: skip
    assert {entry.path: paths(library.find_related(entry)) for entry in library.entries} == {
        f"{S}/a.md": [f"{F}/REF-001-a.md"],
        f"{F}/REF-001-a.md": [f"{S}/a.md"],
        f"{S}/b.md": [f"{F}/b-notes.md"],
        f"{F}/b-notes.md": [f"{S}/b.md"],
        f"{S}/c.md": [f"{F}/c-notes.md"],
        f"{F}/c-notes.md": [f"{S}/c.md"],
        f"{S}/d.md": [],
    }


ASSESSMENTS = [
    # name and text of an assessment of REF-001 = sources/smith.md with DOI 10.1234/x ⇒ level
    ("REF-001-assessment.yaml", "grade: MODERATE", Grade.MODERATE),
    ("any.yaml", "reference_id: REF-001\nfinal_quality:\n  level: LOW", Grade.LOW),
    ("any.yml", "ref: REF-001\nGRADE:\n  overall: Very Low", Grade.VERY_LOW),
    ("any.json", '{"ref_id": "REF-001", "grade": "high"}', Grade.HIGH),
    ("any.yaml", f"source: '@{S}/smith.md'\ngrade: low", Grade.LOW),
    ("any.yaml", "doi: 10.1234/X\ngrade: low", Grade.LOW),
    ("smith.yaml", "grade: low", Grade.LOW),
    ("smith-quality-assessment.md", "---\ngrade: low\n---\n", Grade.LOW),
    ("quality-assessment-REF-001.md", "# Report\n\n**GRADE Rating:** Moderate\n", Grade.MODERATE),
    (
        "report.md",
        "# Assessment of REF-001\n\n| Factor | Level |\n|--|--|\n| **Final Quality** | **High** |\n",
        Grade.HIGH,
    ),
    ("report.md", "# Quality of REF-001\n\n```yaml\ngrade_rating: Low\n```\n", Grade.LOW),
    ("REF-001.yaml", "source_type: preprint\nevidence_type: empirical", Grade.MODERATE),
    (
        "REF-001.yaml",
        "source_type: journal\ndowngrade_assessment:\n  risk_of_bias:\n    severity: very_serious",
        Grade.LOW,
    ),
    (
        "REF-001.yaml",
        "source_classification:\n  type: blog\n  baseline_quality: LOW\nimprecision: serious",
        Grade.VERY_LOW,
    ),
]


@pytest.mark.parametrize(("name", "text", "grade"), ASSESSMENTS)
def test_assessments_are_found_and_read(corpus, name, text, grade):
    library = corpus({f"{S}/smith.md": front(ref_id="REF-001", doi="10.1234/x"), f"{Q}/{name}": text})
    (one,) = library.entries
    assert (one.grade, one.grade_from) == (grade, f"{Q}/{name}")
    assert said(library) == []


WHOLE = """# Quality of REF-001
reference_id: "REF-001"
authors: "Smith, A., Jones, B., & Roe, C."
doi: "N/A (conference paper)"

source_classification:
  type: "peer_reviewed_conference"
  baseline_quality: "HIGH"
  rationale: |
    A venue with strict review.

    Why:
    - Rate of acceptance: 24% (low)
    "A quote that is not closed

downgrade_assessment:
  risk_of_bias:
    severity: "none"
    impact: 0
    rationale: |
      ✓ Several baselines (A, B, C)
  imprecision:
    severity: "serious"
    impact: -1

upgrade_assessment:
  large_magnitude_effect:
    applies: true
    impact: +1

final_quality:
  level: "MODERATE"
  symbol: "⊕⊕⊕○"

assessment_metadata:
  assessment_date: "2026-01-25"
  next_review_date: "2027-01-25"
"""


def test_an_assessment_in_full_is_read_and_agrees_with_itself(corpus):
    library = corpus({f"{F}/REF-001-x.md": "# REF-001: X\n", f"{Q}/REF-001-x-assessment.yaml": WHOLE})
    (one,) = library.entries
    assert (one.grade, one.verified, one.title) == (Grade.MODERATE, "2026-01-25", "X")
    assert said(library) == []


def test_an_assessment_is_of_every_file_of_its_id(corpus):
    library = corpus({
        f"{S}/smith.md": front(ref_id="REF-001"),
        f"{F}/REF-001-notes.md": "# Notes\n",
        f"{Q}/REF-001.yaml": "grade: LOW\nmetadata:\n  assessment_date: 2026-03-01\nretracted: yes\n",
    })  # fmt: skip
    assert {(entry.grade, entry.verified, entry.retracted) for entry in library.entries} == {
        (Grade.LOW, "2026-03-01", True)
    }


PROBLEMS = [
    (
        {f"{S}/a.md": front(ref_id="REF-001"), f"{S}/b.md": front(ref_id="REF-001")},
        (f"{S}/b.md", f"REF-001 is also the id of {S}/a.md"),
    ),
    (
        {f"{F}/REF-003-a.md": "# A\n", f"{F}/REF-003-b.md": "# B\n"},
        (f"{F}/REF-003-b.md", f"REF-003 is also the id of {F}/REF-003-a.md"),
    ),
    (
        {f"{S}/a.md": "", f"{Q}/REF-009.yaml": "grade: LOW"},
        (f"{Q}/REF-009.yaml", "it assesses REF-009, which the corpus does not have"),
    ),
    (
        {f"{S}/a.md": front(ref_id="REF-001"), f"{Q}/REF-002-x.yaml": "ref_id: REF-001\ngrade: LOW"},
        (f"{Q}/REF-002-x.yaml", "it is named REF-002, but assesses REF-001"),
    ),
    (
        {f"{S}/a.md": front(ref_id="REF-001"), f"{Q}/x.yaml": "ref_id: REF-001\nnotes: none"},
        (f"{Q}/x.yaml", "it assesses REF-001, but has neither a level nor factors"),
    ),
    (
        {f"{S}/a.md": front(id="REF-001", grade="HIGH"), f"{Q}/x.yaml": "ref_id: REF-001\ngrade: LOW"},
        (f"{Q}/x.yaml", f"it gives LOW, but {S}/a.md gives HIGH; LOW counts"),
    ),
    (
        {f"{S}/a.md": front(grade="HIGH", source_type="journal", imprecision="serious")},
        (f"{S}/a.md", "it states HIGH, but its factors give MODERATE; HIGH counts"),
    ),
    (
        {f"{S}/a.md": front(source_type="journal", imprecision="serious", inconsistency="perhaps")},
        (f"{S}/a.md", "“inconsistency: perhaps” was not understood and is ignored"),
    ),
]


@pytest.mark.parametrize(("files", "problem"), PROBLEMS)
def test_what_does_not_fit_is_told(corpus, files, problem):
    assert said(corpus(files)) == [problem]


NO_PROBLEM = [
    {f"{S}/a.md": front(ref_id="REF-001"), f"{F}/a.md": front(ref_id="REF-001")},
    {f"{F}/REF-001-a.md": "# A\n", ".aiwg/research/paper-analysis/REF-001-a.md": "# A\n"},
    {f"{S}/REF-001.pdf": "%PDF-", f"{S}/REF-001-smith.md": front(ref_id="REF-001")},
    {
        f"{S}/a.md": "",
        f"{Q}/README.md": "# How to assess\n",
        f"{Q}/REF-XXX-template.yaml": "grade: null\nref_id: REF-XXX",
    },
    {f"{S}/a.md": front(ref_id="REF-001-fair"), f"{F}/REF-001-fair-notes.md": front(ref_id="REF-001-fair")},
]


@pytest.mark.parametrize("files", NO_PROBLEM)
def test_what_is_usual_is_not_told(corpus, files):
    assert said(corpus(files)) == []


def test_of_two_assessments_the_newer_counts(corpus):
    library = corpus({
        f"{S}/a.md": front(ref_id="REF-001"),
        f"{Q}/a.yaml": "ref_id: REF-001\ngrade: HIGH\nassessed: 2026-05-01",
        f"{Q}/b.yaml": "ref_id: REF-001\ngrade: LOW\nassessed: 2025-05-01",
    })  # fmt: skip
    assert library.entries[0].grade is Grade.HIGH
    assert len(library.problems) == 1


def test_the_digest_follows_every_file_an_entry_rests_on(corpus):
    files = {
        f"{S}/a.pdf": "%PDF-",
        f"{S}/a.yaml": "ref_id: REF-001",
        f"{Q}/REF-001.yaml": "grade: LOW",
        f"{S}/other.md": "# Other\n",
    }
    first = corpus(files)
    again = corpus(files)
    assert [entry.digest for entry in first.entries] == [entry.digest for entry in again.entries]
    for name, text in ((f"{S}/a.yaml", "ref_id: REF-001\nyear: 2000"), (f"{Q}/REF-001.yaml", "grade: HIGH")):
        changed = corpus({name: text})
        assert changed.find_entry(f"{S}/a").digest != first.find_entry(f"{S}/a").digest
        assert changed.find_entry(f"{S}/other").digest == first.find_entry(f"{S}/other").digest
        first = changed


def test_folders_and_word_are_those_of_the_layout(corpus):
    layout = CorpusLayout(sources=("lib",), findings=("lib/notes",), assessments=("lib/grades",), ref="SRC")
    library = corpus(
        {
            "lib/a.md": front(id="SRC-1"),
            "lib/notes/n.md": front(ref="SRC-1"),
            "lib/grades/SRC-1.yaml": "grade: low",
        },
        layout,
    )
    assert [(entry.path, entry.role, entry.grade) for entry in library.ref("SRC-1")] == [
        ("lib/a.md", "source", Grade.LOW),
        ("lib/notes/n.md", "finding", Grade.LOW),
    ]


def test_a_link_out_of_the_root_is_not_read(corpus, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.md"
    outside.write_text(front(ref_id="REF-666"))
    (tmp_path / S).mkdir(parents=True)
    (tmp_path / S / "out.md").symlink_to(outside)
    library = corpus({f"{S}/in.md": front(ref_id="REF-001")})
    assert library.ref("REF-666") == ()
    assert paths(library.entries) == [f"{S}/in.md"]
