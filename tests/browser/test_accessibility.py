"""Every page and report under axe-core, in light and dark: nothing serious, as it says.

None is wider than its window, neither on a telephone nor at twice the size.

The package axe-core (MPL-2.0) is no part of this repository: npm fetches it into the cache of the checkout.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import citeproof
from citeproof.answers.reporters import base
from citeproof.answers.reporters.html.reference_page import format_notebook_view
from citeproof.answers.reporters.html.venue_page import VenuePaper, VenueSummary, format_venue_page
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.claims.claims_html import format_claims_page
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
LONG = f"a_long_name_of_a_submission_to_a_conference_as_systems_make_them_{'2026' * 20}.pdf"
_RUN = "axe.run(document, {resultTypes: ['violations']})"
_OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def axe(tmp_path_factory) -> str:
    """Return the script of axe-core; npm fetches it once."""
    script = CACHE / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not script.is_file():
        if npm is None:
            pytest.skip("needs npm")
        own = tmp_path_factory.mktemp("axe")  # two workers may fetch it at once
        install = [npm, "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", str(own), PACKAGE]
        if subprocess.run(install, capture_output=True, check=False).returncode:
            pytest.skip("npm could not fetch axe-core")
        shutil.copytree(own, CACHE, dirs_exist_ok=True)
    return script.read_text(encoding="utf-8")


def list_serious(page, axe: str) -> list[str]:
    """Return what is serious on a page, everything unfolded."""
    page.evaluate(_OPEN)
    page.evaluate(axe)
    found = page.evaluate(_RUN)["violations"]
    worst = [each for each in found if each["impact"] in ("serious", "critical")]
    return [f"{each['id']}: {node['html'][:200]}" for each in worst for node in each["nodes"][:3]]


def list_overflows(page) -> list[str]:
    """Return the widths at which a page scrolls sideways, also with letters of twice the size."""
    wider = []
    for width, size in ((360, 100), (550, 100), (900, 100), (1100, 100), (900, 200)):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(f"document.documentElement.style.fontSize = '{size}%'")
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wider.append(f"scrolls sideways at {width} px with letters of {size} %")
    return wider


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_web_pages(web, chromium, axe, theme):
    run = web.check(("refs.bib", (ROOT / "examples/references.bib").read_bytes()))
    claims = web.check(("h.json", (ROOT / "examples/hypothesis.json").read_bytes()), kind="ground")
    pdf = web.check(("paper.pdf", (ROOT / "tests/fixtures/pdf/author_year.pdf").read_bytes()))
    batch = web.upload(("a.bib", (ROOT / "examples/records.bib").read_bytes()), (LONG, b"%PDF-1.7 broken"))
    for job in web.runner.store.list_jobs("local"):
        web.wait(job.id)
    context = chromium.new_context(base_url=web.address, color_scheme=theme, bypass_csp=True)
    page = context.new_page()
    shared = ("/", "/verdicts", "/login", "/runs/none", "/nothing")
    troubles = {}
    for path in (*shared, batch, run, f"{run}/references/3", f"{run}/document", claims, f"{pdf}/document"):
        page.goto(path)
        troubles[path] = list_serious(page, axe) + list_overflows(page)
    page.goto("/")
    page.fill(
        "#text", f"{(ROOT / 'examples/answer.md').read_text('utf-8')}\nhttps://doi.org/10.1000/{LONG * 3}\n"
    )
    page.check("input[value=guard]")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("#held")
    troubles["guarded"] = list_serious(page, axe) + list_overflows(page)
    context.close()
    assert not {path: told for path, told in troubles.items() if told}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_reports(chromium, axe, theme, tmp_path, made_run, made_checked, snapshot):
    every = list(made_checked.values())
    labels = {"EXACT": 3, "NOTED": 1, "MINOR": 1, "MAJOR": 1, None: 1}
    papers = [
        VenuePaper("a.pdf", major=1, exact=2, total=3, signs=1, report="a.html"),
        VenuePaper(LONG, state=DocumentState.UNREADABLE, why="is no PDF"),
    ]
    venue = VenueSummary("2026-01-01", "a snapshot", "2 files", "3 references", labels, papers, [], [])
    several = replace(made_run, documents=("a.bib", "b.bib"))
    with citeproof.Verifier(offline=True, snapshots=[snapshot], allow_unchecked_retractions=True) as verifier:
        grounded = verifier.ground(ROOT / "examples/hypothesis.json")
    head = "<meta name=viewport content=width=device-width><title>x</title>"
    shell = f"<!doctype html><html lang=en>{head}<main><h1>x</h1>"
    pages = {
        "report": "".join(base.get_reporter("html").report(ReferenceReport(made_run, every))),
        "several": "".join(base.get_reporter("html").report(ReferenceReport(several, every))),
        "venue": "".join(format_venue_page(venue)),
        "claims": "".join(format_claims_page(grounded)),
        "corpus": (ROOT / "tests/corpus/golden/fail.html").read_text("utf-8"),
        "notebook": f"{shell}{format_notebook_view(made_run, every)}</main></html>",
    }
    context = chromium.new_context(color_scheme=theme, bypass_csp=True)
    page = context.new_page()
    troubles = {}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        page.goto((tmp_path / f"{name}.html").as_uri())
        troubles[name] = list_serious(page, axe) + list_overflows(page)
    context.close()
    assert not {name: told for name, told in troubles.items() if told}
