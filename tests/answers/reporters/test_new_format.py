"""A report format is one file: dropped into the room, every interface and the documentation know it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GENERATE = Path(__file__).parents[3] / "docs" / "generate.py"
OUTLINE = '''"""One line a row, for tests."""

from citeproof.answers.reporters.base import Reporter


class Outline(Reporter):
    name = "outline"
    media_type = "text/x-outline"
    suffixes = ("outl", "otl")

    def report(self, report):
        for row in report.generate_rows():
            yield f"{row.place.file}:{row.place.line}: {row.level}: {row.rule}: {row.message}\\n"


make = Outline
'''
BEGIN = "import sys; from citeproof.answers import reporters; reporters.__path__.append(sys.argv.pop(1)); "
DOOR = BEGIN + "from citeproof.surfaces.cli.main import main; main(sys.argv[1:])"
WEB = BEGIN + (
    "from citeproof.surfaces.rest import api_description as api; "
    "from citeproof.surfaces.web import run_pages; "
    "print(api.ReportFormat, list(api.describe_route('run')['responses'][200]['content'])); "
    "print(run_pages.CHECK_FORMATS, run_pages.CLAIM_FORMATS)"
)
DOCS = BEGIN + "import runpy; print(runpy.run_path(sys.argv[1])['_reports']())"


@pytest.fixture
def run(tmp_path):
    """Run Python code with one more file in the room; returns what it printed."""
    room = tmp_path / "room"
    room.mkdir()
    (room / "outline.py").write_text(OUTLINE, encoding="utf-8")
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"), str(tmp_path / "home"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITEPROOF_")}

    def start(code: str, *arguments: object) -> str:
        command = [sys.executable, "-c", code, room, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, env={**kept, **homes, "CITEPROOF_OFFLINE": "1"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    return start


@pytest.mark.parametrize("command", ["check", "corpus", "batch", "claims"])
def test_help_lists_it(run, command):
    assert "|outline|" in "".join(run(DOOR, command, "--help").split())


def test_the_documentation_lists_it(run):
    assert "| `outline` | One line a row, for tests. |" in run(DOCS, GENERATE)


def test_check_writes_it(run, tmp_path):
    (tmp_path / "refs.bib").write_text("@article{doe, title={Recursive Glaciers}, year={2016}}\n{", "utf-8")
    first, *_ = run(DOOR, "check", "refs.bib", "--format", "outline").splitlines()
    assert first.startswith("refs.bib:1: note: citation-unchecked: doe: could not check.")


@pytest.mark.parametrize("name", ["report.outline", "report.outl", "report.OTL"])
def test_the_end_of_a_file_name_tells_the_format(run, tmp_path, name):
    (tmp_path / "refs.bib").write_text("@article{doe, title={Recursive Glaciers}, year={2016}}\n", "utf-8")
    run(DOOR, "check", "refs.bib", "-o", name)
    assert (tmp_path / name).read_text("utf-8").startswith("refs.bib:1: note: citation-unchecked: ")


def test_batch_ends_its_file_names_as_the_reporter_says(run, tmp_path):
    (tmp_path / "refs.bib").write_text("@article{doe, title={Recursive Glaciers}, year={2016}}\n", "utf-8")
    run(DOOR, "batch", "refs.bib", "--out", "out", "--format", "outline", "--jobs", "1")
    (report,) = (tmp_path / "out" / "reports").iterdir()
    assert report.suffix == ".outl"


def test_servers_offer_it_with_its_media_type(run):
    rest, web = run(WEB).splitlines()
    assert "'outline'" in rest
    assert "'text/x-outline'" in rest
    assert web.count("'outline'") == 2


def test_corpus_writes_it(run, tmp_path):
    (tmp_path / "a.md").write_text("It is so [src/none.py@0123456789abcdef, L1-2].\n", "utf-8")
    (told,) = run(DOOR, "corpus", "a.md", "--format", "outline").splitlines()
    assert told.startswith("a.md:1: error: missing-code: ")
