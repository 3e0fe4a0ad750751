"""Documents whose citations were taken for something that they are not; each row is what is told of it."""

from __future__ import annotations

from hashlib import sha256

import pytest

from citeproof import check_corpus
from citeproof.corpus.corpus_context import CorpusContext
from citeproof.corpus.corpus_types import STAND, CorpusLayout, Freshness, Level, Mode
from citeproof.corpus.examine import examine_document
from citeproof.corpus.project_root import ProjectRoot
from citeproof.vocabulary import Act
from tests.corpus.code.repository import Repository, needs_git

SOURCES = ".aiwg/research/sources"
CODE = "a = 1\nb = 2\nc = 3\n"
H = sha256(CODE.encode()).hexdigest()[:16]
WORDS = "Caching reduces the load of the servers by much. " * 5
FILES = {
    f"{SOURCES}/smith2020.md": "---\nref: REF-001\nauthors: [Jane Smith]\nyear: 2020\ngrade: HIGH\n"
    f"total_pages: 8\n---\n# A\n\n{WORDS}\n",
    f"{SOURCES}/doe2019.md": "---\nref: REF-002\nauthors: [John Doe]\nyear: 2019\ngrade: HIGH\n---\nNotes.\n",
    "src/a.py": CODE,
}


@pytest.fixture
def ground(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return CorpusContext(ProjectRoot(tmp_path), CorpusLayout(dois="format"), "2026-11-15")


def on(ground, text):
    return examine_document(text if isinstance(text, bytes) else text.encode(), "d.md", ground, Mode())


TOLD = [
    # the id must match
    ("It is so [REF-001].", []),
    ("It is so [REF-001-a].", ["unknown-ref"]),
    ("It is so in the REF-001-based method.", []),
    # lines behind a path
    (f"It is so (@{SOURCES}/smith2020.md:12).", []),
    (f"It is so (@{SOURCES}/smith2020.md:L12-15), (@{SOURCES}/smith2020.md#intro).", []),
    # a quotation that is a citation
    (f'It is so: "@{SOURCES}/smith2020.md" and "@{SOURCES}/no-such-file.md".', ["missing-source"]),
    ('See "https://doi.org/10.1038/nature14539" and [REF-001].', []),
    ('It is so: "REF-001, p. 3 and REF-002, p. 4" [REF-001].', []),
    ('It says "caching raises the load of the servers by much" [REF-001, p. 1].', ["misquote"]),
    # notes are not the text
    ('It says "caching raises the load of the servers by much" [REF-002, p. 1].', ["quote-unchecked"]),
    # the signature of a block quotation
    ("> Caching reduces the load of the servers by much.\n> — REF-001, p. 3\n", []),
    ("> Caching reduces the load of the servers by much.\n> — see REF-001, p. 3\n", []),
    ("> Caching reduces the load of the clients by much.\n> — REF-001, p. 3\n", ["misquote"]),
    # pages
    ("It is so on pages 3 and 12 [REF-001].", ["page-range"]),
    ("It is so on pages 3 and 8 [REF-001].", []),
    # participles
    ("Here is the configuration data supported by the list.", []),
    ("Here the data supported it.", ["unsourced-claim"]),
    # DOIs without their registrant
    ("So https://doi.org/nature14539 and doi:nature14539.", ["malformed-doi"] * 2),
    ("So https://doi.org/the-identifier and DOI: pending1 and https://doi.org/resources/h2.", []),
    # code
    (f"It is so [src/a.py@{H}, L1, L3].", ["code-range"]),
    (f"It is so [src/a.py@{H} L1] and [src/a.py@{H}:L1-2].", []),
    (f"It is so [src/a.py@{H} L9].", ["code-range"]),
    (f"It is so [src/b.py@{H}, L1].\n\n## Sources\n\n- src/b.py@{H} (L1)\n", ["missing-code"] * 2),
    (f"It is so [src/a.py@{H}, L1].\n\n## Sources\n\n- src/a.py@{H} (L1)\n", []),
]


@pytest.mark.parametrize(("text", "rules"), TOLD)
def test_what_is_told(ground, text, rules):
    assert [issue.rule for issue in on(ground, text).issues] == rules


def test_lines_that_are_not_understood_are_no_missing_file(ground):
    (citation,) = on(ground, f"[src/a.py@{H}, L1, L3]").citations
    assert (citation.verdict, citation.lines) == (Freshness.FRESH, "L1, L3")


def test_an_id_without_its_suffix_is_offered(ground):
    (issue,) = on(ground, "It is so [REF-001-a].").issues
    assert issue.fix.endswith("The corpus has REF-001.")


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Research and Development (2021) is large.", Level.WARNING),
        ("In Berlin and Paris (2020) it was so.", Level.WARNING),
        ("Smith and Roe (2020) say so.", Level.ERROR),  # one of them is an author
        ("It is so (Microsoft & Google, 2020).", Level.ERROR),
        ("Poe, J., & Roe, K. (2020). A title.", Level.ERROR),
    ],
)
def test_names_that_may_be_none(ground, text, level):
    assert [(one.rule, one.level) for one in on(ground, text).issues] == [("unknown-author", level)]


CITED = "See REF-999. It is so [REF-998].\n"


@pytest.mark.parametrize(
    ("data", "citations"),
    [
        (CITED.encode(), 2),
        (CITED.encode("utf-8-sig"), 2),
        (CITED.encode("utf-16"), 2),
        (b"\xfe\xff" + CITED.encode("utf-16-be"), 2),
        (CITED.encode("utf-32"), 2),
        ("Größe, naïveté: ".encode("cp1252") + CITED.encode(), 2),
        (b"One \0 in " + CITED.encode(), 2),
        (CITED.encode("utf-16-le"), None),
        ("Это так и есть [REF-998].\n".encode("utf-16-le"), None),
        ("Это так и есть [REF-998].\n".encode("koi8-r") * 3, None),
        (bytes(range(256)) * 9, None),
    ],
)
def test_bytes_that_are_no_text_are_told_of(ground, data, citations):
    result = on(ground, data)
    assert bool(result.trouble) == (citations is None)
    assert len(result.citations) == (citations or 0)


def test_a_document_that_is_no_text_does_not_pass(project):
    path = project / "document.md"
    path.write_bytes(CITED.encode("utf-16-le"))
    report = check_corpus(path, strict=True)
    assert report.exit_code == 4
    assert report.results[0].trouble.startswith("is not UTF-8 text")


N = "10.1038/nature14539"


@pytest.mark.parametrize(
    "text",
    [
        f"https://doi.org/{N}?utm=1", f"https://doi.org/{N}#abs", f"[a](https://doi.org/{N}?utm=1#abs)",
        f"{N}’s", f"{N}'s", f"{N}… so", f"{N}—and", f"{N}[1]", f"{N}/", f"{N}.pdf", f"{N}#abs",
        f"doi:{N}?a=b",
        f"https://example.org/doi/pdf/{N}.pdf", f"{N}/full", f"**{N}**’s",
    ],
)  # fmt: skip
def test_what_stands_behind_a_doi_makes_it_no_other(project, monkeypatch, doi_snapshot, text):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(doi_snapshot))
    path = project / "document.md"
    path.write_text(f"It is so: {text}\n", encoding="utf-8")
    report = check_corpus(path)
    assert [(one.pattern, one.status) for one in report.results[0].citations] == [("doi", "verified")]


REMEDIES = [
    ("According to REF-999, it works.", STAND, "REF-999"),
    ("REF-999 shows it.", STAND, "REF-999"),
    ("So REF-999 shows it.", STAND, "REF-999"),
    ("REF-999 <!-- TODO: a remark that --fix left --> shows it.", STAND, "REF-999"),
    ("According to <!-- a remark --> REF-999, so.", STAND, "REF-999"),
    ("So it is: REF-999.\n\nshows it", "", "REF-999"),
    ("It works according to\n\nREF-999.", "", "REF-999"),
    ("| according to | REF-999 | shows |\n|---|---|---|\n", "", "REF-999"),
    (f"As @{SOURCES}/no.md says, it works.", STAND, f"@{SOURCES}/no.md"),
    ("It works [REF-999].", "", "[REF-999]"),
    ("It works (see REF-999 and others).", "", "REF-999"),
    (f"It works @{SOURCES}/no.md.", "", f"@{SOURCES}/no.md"),
    ("Y [REF-999, pp. 3-4; REF-001]", "", "REF-999, pp. 3-4"),
    ("It works (REF-999, p. 5).", "", "(REF-999, p. 5)"),
    ("It works [REF-999], p. 5.", "", "[REF-999], p. 5"),
    (f"So[^2].\n\n[^2]: @{SOURCES}/nope.md, p. 3", "", f"@{SOURCES}/nope.md, p. 3"),
    ("It works [REF-999], page 5 shows.", "", "[REF-999]"),
    ("It works [REF-999, section 5; REF-001].", "", "REF-999, section 5"),
    ("It works [REF-999], 5 times.", "", "[REF-999]"),
]


@pytest.mark.parametrize(("text", "stand", "whole"), REMEDIES)
def test_what_is_done_about_it(ground, text, stand, whole):
    (remedy,) = [issue.remedy for issue in on(ground, text).issues]
    assert (remedy.act, remedy.stand) == (Act.REMOVE, stand)
    assert text[remedy.start : remedy.end] == whole


FAKE = "https://doi.org/10.1038/fakefake"


@pytest.mark.parametrize(
    ("text", "stand", "whole", "kept"),
    [
        (f"As [the study]({FAKE}) explains, so.", "", f"[the study]({FAKE})", "the study"),
        (f"So it is ([the study]({FAKE}), p. 3).", "", f"[the study]({FAKE}), p. 3", "the study"),
        (f"So [the study][q].\n\n[q]: {FAKE}\n", "", "[the study][q]", "the study"),
        (f"So it is ([doi]({FAKE})).", "", f"([doi]({FAKE}))", None),
        (f"So it is [{FAKE}]({FAKE}).", "", f"[{FAKE}]({FAKE})", None),
        (f"According to {FAKE}, so.", STAND, FAKE, None),
    ],
)
def test_the_text_of_a_link_stays(project, monkeypatch, doi_snapshot, text, stand, whole, kept):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(doi_snapshot))
    path = project / "document.md"
    path.write_text(text, encoding="utf-8")
    (issue,) = check_corpus(path).results[0].issues
    remedy = issue.remedy
    assert (remedy.act, remedy.stand) == (Act.REMOVE, stand)
    assert text[remedy.start : remedy.end] == whole
    assert (text[slice(*remedy.kept)] if remedy.kept else None) == kept
    assert "10.1038/fakefake" in issue.message + issue.source


BEFORE = "def a():\n    return 1\n\ndef b():\n    x = 2\n    return x\n\ndef c():\n    return 3\n"
WITHOUT = BEFORE.replace("def b():\n    x = 2\n    return x\n", "")


@needs_git
@pytest.mark.parametrize(
    ("after", "says", "offers"),
    [
        (WITHOUT, "The cited lines are gone", False),
        ("x = 1\n" + BEFORE, "The cited lines say the same", True),
        (BEFORE.replace("    return x", "  return x"), "Only white space changed", True),
        (BEFORE.replace("x = 2", "x = 5"), "Read the file again", True),
    ],
)
def test_what_is_offered_for_a_stale_citation(ground, tmp_path, after, says, offers):
    repository = Repository(tmp_path)
    cited, _ = repository.commit("src/b.py", BEFORE)
    repository.commit("src/b.py", after)
    (issue,) = on(ground, f"So it is [src/b.py@{cited}, L4-6].").issues
    assert issue.fix.startswith(says)
    assert ("cite [src/b.py@" in issue.fix) == offers
