"""Every page and report under axe-core, in light and dark: nothing serious, as it says.

The package axe-core (MPL-2.0) is no part of this repository: npm fetches it into the cache of the checkout.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.answers.reporters import base
from citeproof.answers.reporters.html.reference_page import format_notebook_view
from citeproof.answers.reporters.html.venue_page import VenuePaper, VenueSummary, format_venue_page
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.vocabulary import DocumentState
from tests.browser.chrome import CHROMIUM

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]
ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "axe"
PACKAGE = "axe-core@4.14.0"
_RUN = "axe.run(document, {resultTypes: ['violations']})"
_OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the script of axe-core; npm fetches it once."""
    script = CACHE / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not script.is_file():
        if npm is None:
            pytest.skip("needs npm")
        command = [
            npm,
            "install",
            "--silent",
            "--no-save",
            "--ignore-scripts",
            "--prefix",
            str(CACHE),
            PACKAGE,
        ]
        if subprocess.run(command, capture_output=True, check=False).returncode or not script.is_file():
            pytest.skip("npm could not fetch axe-core")
    return script.read_text(encoding="utf-8")


def list_serious(page, axe: str) -> list[str]:
    """Return what is serious on a page, everything unfolded."""
    page.evaluate(_OPEN)
    page.evaluate(axe)
    found = page.evaluate(_RUN)["violations"]
    worst = [each for each in found if each["impact"] in ("serious", "critical")]
    return [f"{each['id']}: {node['html'][:200]}" for each in worst for node in each["nodes"][:3]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_web_pages(web, chromium, axe, theme):
    run = web.check(("refs.bib", (ROOT / "examples/references.bib").read_bytes()))
    claims = web.check(("h.json", (ROOT / "examples/hypothesis.json").read_bytes()), kind="ground")
    pdf = web.check(("paper.pdf", (ROOT / "tests/fixtures/pdf/author_year.pdf").read_bytes()))
    batch = web.upload(("a.bib", (ROOT / "examples/records.bib").read_bytes()), ("b.pdf", b"%PDF-1.7 broken"))
    for job in web.runner.store.list_jobs("local"):
        web.wait(job.id)
    context = chromium.new_context(base_url=web.address, color_scheme=theme, bypass_csp=True)
    page = context.new_page()
    shared = ("/", "/verdicts", "/login", "/runs/none", "/nothing")
    troubles = {}
    for path in (*shared, batch, run, f"{run}/references/3", f"{run}/document", claims, f"{pdf}/document"):
        page.goto(path)
        troubles[path] = list_serious(page, axe)
    context.close()
    assert not {path: told for path, told in troubles.items() if told}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_reports(chromium, axe, theme, tmp_path, made_run, made_checked):
    every = list(made_checked.values())
    labels = {"EXACT": 3, "NOTED": 1, "MINOR": 1, "MAJOR": 1, None: 1}
    papers = [
        VenuePaper("a.pdf", major=1, exact=2, total=3, signs=1, report="a.html"),
        VenuePaper("b.pdf", state=DocumentState.UNREADABLE, why="is no PDF"),
    ]
    venue = VenueSummary("2026-01-01", "a snapshot", "2 files", "3 references", labels, papers, [], [])
    several = replace(made_run, documents=("a.bib", "b.bib"))
    shell = "<!doctype html><html lang=en><title>x</title><main><h1>x</h1>"
    pages = {
        "report": "".join(base.get_reporter("html").report(ReferenceReport(made_run, every))),
        "several": "".join(base.get_reporter("html").report(ReferenceReport(several, every))),
        "venue": "".join(format_venue_page(venue)),
        "notebook": f"{shell}{format_notebook_view(made_run, every)}</main></html>",
    }
    context = chromium.new_context(color_scheme=theme, bypass_csp=True)
    page = context.new_page()
    troubles = {}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        page.goto((tmp_path / f"{name}.html").as_uri())
        troubles[name] = list_serious(page, axe)
    context.close()
    assert not {name: told for name, told in troubles.items() if told}
