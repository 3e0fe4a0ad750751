"""The HTML page in a real browser: it shows, and nothing in it runs or asks for anything."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.answers.reporters import base
from tests.corpus.reports.making import CLEAN, CODE, CORPUS, HEAD, hostile, told

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]
EVIL = (
    '<img src=x onerror="document.title=1"><script>document.title="owned"</script>'
    '<svg onload="document.title=2"><a href="javascript:alert(1)">x</a>'
)


@pytest.fixture
def page(tmp_path) -> Path:
    path = tmp_path / "report.html"
    results = (CORPUS, CODE, CLEAN, hostile(EVIL))
    head = replace(HEAD, files=len(results), root=EVIL, troubles=(EVIL,))
    path.write_text("".join(base.get_reporter("html").report(told(head, iter(results)))), encoding="utf-8")
    return path


def _browser(page: Path, *flags: str) -> str:
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += [
        f"--user-data-dir={page.parent / 'profile'}",
        "--virtual-time-budget=2000",
        *flags,
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def test_nothing_in_it_runs(page):
    shown = _browser(page, "--dump-dom")
    assert re.search(r"<title>Citation Verification Report: FAIL \(6 issues\)</title>", shown)
    assert "<img" not in shown
    assert "<script" not in shown
    assert shown.count("<article") == sum(len(one.issues) for one in (CORPUS, CODE, hostile(EVIL)))
    assert "&lt;script&gt;document.title" in shown


def test_the_style_is_allowed_by_the_policy(page):
    shot = page.with_name("shot.png")
    _browser(page, "--window-size=1000,800", f"--screenshot={shot}")
    assert shot.stat().st_size > 20_000  # a page without its style is a fraction of that
