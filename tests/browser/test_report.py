"""The HTML report in a real browser: it shows, and nothing in it runs or asks for anything."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.reporters import base
from citeproof.reporters.reference_report import ReferenceReport

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]
EVIL = (
    '<img src=x onerror="document.title=1"><script>document.title="owned"</script>'
    '<svg onload="document.title=2"><a href="javascript:alert(1)">x</a>'
)


def _browser(folder: Path, page: Path, *flags: str) -> str:
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=2000", *flags, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.fixture
def page(tmp_path, made_run, made_checked) -> Path:
    every = [
        replace(one, judgement=replace(one.judgement, explanation=EVIL)) for one in made_checked.values()
    ]
    path = tmp_path / "report.html"
    path.write_text(
        "".join(base.get_reporter("html").report(ReferenceReport(made_run, every))), encoding="utf-8"
    )
    return path


def test_nothing_in_it_runs(tmp_path, page):
    shown = _browser(tmp_path, page, "--dump-dom")
    assert re.search(r"<title>Citation report: refs\.bib</title>", shown)
    assert "<img" not in shown
    assert "<script" not in shown
    assert shown.count("<article") == 6
    assert "&lt;script&gt;document.title" in shown


def test_the_style_is_allowed_by_the_policy(tmp_path, page):
    shot = tmp_path / "shot.png"
    _browser(tmp_path, page, "--window-size=1000,800", f"--screenshot={shot}")
    assert shot.stat().st_size > 20_000  # a page without its style is a fraction of that
