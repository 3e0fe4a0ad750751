"""The files of a release agree, the lock files are whole, and the changelog can be built again."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from release import build_changelog, repository_address

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = sorted(ROOT.glob("requirements*.txt"))
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _read_lock(path: Path) -> dict[str, tuple[Requirement, list[str]]]:
    """Return each pinned package with its hashes."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    parted = [(Requirement(row.split("--hash", 1)[0]), re.findall(r"--hash=(\S+)", row)) for row in rows]
    return {_normalise(one.name): (one, hashes) for one, hashes in parted}


@pytest.fixture
def project(tmp_path):
    """A project with its own fragments and an address."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    repository_address.fill_in("https://github.com/acme/citeproof", tmp_path)
    (tmp_path / "changelog.d").mkdir()
    shutil.copy(ROOT / "changelog.d" / "template.md.jinja", tmp_path / "changelog.d")
    mark = "<!-- towncrier release notes start -->"
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{mark}\n\n## 0.0.9 (2026-01-01)\n\nOld.\n")
    for name, text in {
        "3.feature.md": "One.",
        "3.feature.second.md": "Two.",
        "4.bugfix.x-y.md": "Three.",
    }.items():
        (tmp_path / "changelog.d" / name).write_text(text + "\n")
    return tmp_path


def _build(project, *flags):
    return build_changelog.main(["--version", "1.0.0", "--date", "2026-11-17", *flags], root=project)


def test_the_citation_file_has_the_version_of_the_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(cited["version"]) == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()


def test_our_fragments_can_be_built_or_are_in_the_changelog():
    heading = f"## {PROJECT['version']} ("
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if build_changelog.list_fragments(ROOT / "changelog.d"):
        text = build_changelog.render_changelog(ROOT, PROJECT["version"], "2026-11-17")
    assert text.count(heading) == 1


def test_the_changelog_has_every_fragment_once_however_often_it_is_built(project):
    assert _build(project) == 0
    first = (project / "CHANGELOG.md").read_text()
    assert [first.count(word) for word in ("One.", "Two.", "Three.", "Old.", "## 1.0.0 (2026-11-17)")] == [
        1
    ] * 5
    assert first.index("## 1.0.0") < first.index("## 0.0.9")
    assert _build(project) == 0
    assert (project / "CHANGELOG.md").read_text() == first
    (project / "changelog.d" / "5.feature.late.md").write_text("Four.\n")
    assert _build(project, "--remove") == 0
    again = (project / "CHANGELOG.md").read_text()
    assert [again.count(word) for word in ("One.", "Two.", "Three.", "Four.", "Old.")] == [1] * 5
    assert [path.name for path in (project / "changelog.d").iterdir()] == ["template.md.jinja"]


def test_a_build_without_fragments_leaves_the_changelog_alone(project, capsys):
    _build(project, "--remove")
    before = (project / "CHANGELOG.md").read_text()
    assert _build(project) == 2
    assert "no fragments" in capsys.readouterr().err
    assert (project / "CHANGELOG.md").read_text() == before


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("3.novelty.md", "One.", "3.novelty.md is not a fragment"),
        ("3.misc.e.md", " \n", "3.misc.e.md is empty"),
    ],
)
def test_a_fragment_that_would_be_lost_is_an_error(project, capsys, name, text, told):
    (project / "changelog.d" / name).write_text(text)
    assert _build(project) == 2
    assert told in capsys.readouterr().err


def test_a_release_with_a_placeholder_is_refused_until_its_address_is_filled_in(project, capsys):
    (project / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "ci.md", project / "docs" / "ci.md")
    shutil.copy(ROOT / "pyproject.toml", project)
    left = repository_address.list_placeholders(project)
    assert [row.partition(":")[0] for row in left] == ["pyproject.toml", *["docs/ci.md"] * 3]
    assert _build(project, "--remove") == 2
    assert re.search(r"^docs/ci\.md:\d+: .*example\.org", capsys.readouterr().err, re.MULTILINE)
    assert list((project / "changelog.d").glob("*.md"))
    assert repository_address.main(["http://example.org/x"], project) == 2
    assert repository_address.main(["https://github.com/acme/citations"], project) == 0
    text = (project / "docs" / "ci.md").read_text("utf-8")
    assert "uses: acme/citations@v" in text
    assert "repo: https://github.com/acme/citations " in text
    raw = f"https://raw.githubusercontent.com/acme/citations/v{PROJECT['version']}/templates/citeproof.gitlab"
    assert raw in text
    urls = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert urls == {"Repository": "https://github.com/acme/citations"}
    assert _build(project, "--remove") == 0


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_issue_templates_are_forms(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert isinstance(form["blank_issues_enabled"], bool)
        return
    assert form["name"]
    assert form["description"]
    for part in form["body"]:
        assert part["type"] in {"markdown", "textarea", "input"}
        assert part["type"] == "markdown" or part["attributes"]["label"]
        assert part["type"] == "markdown" or part["id"]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_every_line_of_a_lock_file_has_one_version_and_hashes(path):
    locked = _read_lock(path)
    assert len(locked) > 20
    bad = [
        name
        for name, (one, hashes) in locked.items()
        if not re.fullmatch(r"==[^,*]+", str(one.specifier))
        or not hashes
        or not all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes)
    ]
    assert not bad


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_lock_files_have_what_the_package_and_the_extra_need(path):
    locked = _read_lock(path)
    extra = path.stem.partition("-")[2]
    asked = [
        Requirement(text)
        for text in PROJECT["dependencies"] + PROJECT["optional-dependencies"].get(extra, [])
    ]
    missing = [str(one) for one in asked if not _holds(locked, one)]
    assert not missing, "run: make lock"


def _holds(locked, one) -> bool:
    pinned = locked.get(_normalise(one.name))
    return pinned is not None and one.specifier.contains(str(pinned[0].specifier).removeprefix("=="))


def test_lock_files_agree_with_each_other():
    whole = _read_lock(ROOT / "requirements.txt")
    for path in LOCKS:
        for name, (one, _) in _read_lock(path).items():
            assert name not in whole or one.specifier == whole[name][0].specifier, f"{path.name}: {name}"
