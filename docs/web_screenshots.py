# ruff: noqa: INP001, T201 - a script, not a package
"""Make the pictures of docs/web.md: the web page in light, dark and narrow, in a real browser.

    python docs/web_screenshots.py [--out docs/images] [--snapshot DIR] [--all]

Needs Chromium and the development environment. Checks the bundled examples against the snapshot made of
examples/records.bib, or another one. With `--all`: every page and report, whole, in light, dark, narrow, with
letters of twice the size and as it is printed, to be looked at; what is wider than its place is named.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
LARGEST = 200_000  # bytes of a picture
LONG = f"a_long_name_of_a_submission_to_a_conference_as_systems_make_them_{'2026' * 10}.pdf"
WAYS = {  # width of the window, colours, size of a letter in %
    "light": (900, "light", 100), "dark": (900, "dark", 100), "narrow": (390, "light", 100),
    "twice": (900, "light", 200), "print": (700, "light", 100),
}  # fmt: skip
_WHOLE = "article, .paper { content-visibility: visible !important }"  # also what is below the window
# What can be scrolled sideways, or is cut off.
_WIDER = """[...document.querySelectorAll('*')].filter((one) => one.clientWidth > 1
  && one.scrollWidth > one.clientWidth + 1 && (one === document.documentElement
  || !['visible', 'clip'].includes(getComputedStyle(one).overflowX)))
  .map((one) => `${one.tagName.toLowerCase()}.${one.className}: ${one.scrollWidth} > ${one.clientWidth}`)"""


def main() -> None:
    """Write the pictures."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--out", type=Path, default=ROOT / "docs/images")
    options.add_argument("--snapshot", type=Path)
    options.add_argument("--all", action="store_true", help="every page and report, in every way")
    chosen = options.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = chosen.snapshot or _build_snapshot(Path(folder) / "snapshot")
        take = _take_every_picture if chosen.all else _take_pictures
        take(chosen.out, Path(folder), snapshot)


def _build_snapshot(out: Path) -> Path:
    from citeproof.evidence.index.build import BuildInput, build  # noqa: PLC0415 - only where none is given
    from citeproof.evidence.index.coverage import parse_claim  # noqa: PLC0415 - same

    claims = (parse_claim("article=2015-2017"),)
    build([BuildInput("bibtex", (ROOT / "examples/records.bib",))], out, covers=claims, name="examples")
    return out


def _take_pictures(out: Path, folder: Path, snapshot: Path) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not in every environment
    from tests.surfaces.web.web_server import open_web_server  # noqa: PLC0415 - same

    with open_web_server(folder / "jobs", snapshot) as web, sync_playwright() as driver:
        batch = web.upload(
            *((name, (ROOT / "examples" / name).read_bytes()) for name in ("references.bib", "answer.md"))
        )
        for job in web.runner.store.list_jobs("local"):
            web.wait(job.id)
        bib, answer = (f"/runs/{name}" for name in _list_batch(web, batch))
        claims = web.check(
            ("hypothesis.json", (ROOT / "examples/hypothesis.json").read_bytes()), kind="ground"
        )
        pdf = web.check(("paper.pdf", (ROOT / "tests/fixtures/pdf/author_year.pdf").read_bytes()))
        wide, narrow = {"width": 1040, "height": 780}, {"width": 390, "height": 780}
        pictures = (
            ("web-start-light", "/", wide, "light"),
            ("web-run-light", f"{bib}?show=problems", wide, "light"),
            ("web-run-dark", f"{bib}?show=problems", wide, "dark"),
            ("web-run-narrow", f"{bib}?show=problems", narrow, "light"),
            ("web-reference-narrow-dark", f"{bib}/references/4", narrow, "dark"),
            ("web-document-light", f"{answer}/document", wide, "light"),
            ("web-pdf-light", f"{pdf}/document", wide, "light"),
            ("web-claims-dark", claims, wide, "dark"),
        )
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, path, size, theme in pictures:
            page = browser.new_page(base_url=web.address, viewport=size, color_scheme=theme)
            page.goto(path)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=out / f"{name}.png")
            page.close()
            written = (out / f"{name}.png").stat().st_size
            assert written < LARGEST, f"{name}: {written:,} bytes"
            print(f"{name}.png {written:,} bytes")
        browser.close()


def _take_every_picture(out: Path, folder: Path, snapshot: Path) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not in every environment
    from tests.surfaces.web.web_server import open_web_server  # noqa: PLC0415 - same

    reports = _write_reports(folder / "reports", snapshot)
    with open_web_server(folder / "jobs", snapshot) as web, sync_playwright() as driver:
        bib = web.check(("references.bib", (ROOT / "examples/references.bib").read_bytes()))
        claims = web.check(("h.json", (ROOT / "examples/hypothesis.json").read_bytes()), kind="ground")
        pdf = web.check(("paper.pdf", (ROOT / "tests/fixtures/pdf/author_year.pdf").read_bytes()))
        papers = [
            (path.name, path.read_bytes()) for path in sorted((ROOT / "tests/fixtures/pdf").glob("*.pdf"))
        ]
        batch = web.upload(
            ("records.bib", (ROOT / "examples/records.bib").read_bytes()), (LONG, b"%PDF-1.7"), *papers
        )
        for job in web.runner.store.list_jobs("local"):
            web.wait(job.id)
        pages = {
            "start": "/", "verdicts": "/verdicts", "login": "/login", "nothing": "/nothing", "batch": batch,
            "run": bib, "problems": f"{bib}?show=problems", "reference": f"{bib}/references/4",
            "document": f"{bib}/document", "pdf": f"{pdf}/document", "claims": claims, "guarded": "/",
        }  # fmt: skip
        every = {**{name: web.address + path for name, path in pages.items()}, **reports}
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, address in every.items():
            for way, (width, theme, size) in WAYS.items():
                page = browser.new_page(
                    viewport={"width": width, "height": 780}, color_scheme=theme, bypass_csp=True
                )
                page.goto(address)
                page.wait_for_load_state("networkidle")
                if name == "guarded":
                    page.fill("#text", (ROOT / "examples/answer.md").read_text("utf-8"))
                    page.check("input[value=guard]")
                    page.get_by_role("button", name="Check", exact=True).click()
                    page.wait_for_selector("#held")
                page.add_style_tag(content=_WHOLE + f"html {{ font-size: {size}% }}")
                if way == "print":
                    page.emulate_media(media="print")
                page.screenshot(path=out / f"{name}-{way}.png", full_page=True)
                print(f"{name}-{way}.png", *page.evaluate(_WIDER))
                page.close()
        browser.close()


def _write_reports(out: Path, snapshot: Path) -> dict[str, str]:
    """Write the reports that are one file, and the page about a venue; return their addresses."""
    examples, papers, venue = ROOT / "examples", out / "papers", out / "venue"
    shutil.copytree(ROOT / "tests/fixtures/pdf", papers)
    shutil.copytree(examples, papers / "examples", ignore=shutil.ignore_patterns("project"))
    (papers / LONG).write_bytes(b"%PDF-1.7 broken")
    files = [str(examples / name) for name in ("references.bib", "answer.md", "hypothesis.json")]
    commands = {
        "report": ("check", files[0], "-o"), "several": ("check", *files[:2], "-o"),
        "grounded": ("claims", files[2], "-o"), "venue": ("batch", str(papers), "--out"),
    }  # fmt: skip
    pages = {name: out / f"{name}.html" for name in commands} | {"venue": venue}
    for name, command in commands.items():
        given = (*command, str(pages[name]), "--format", "html", "--offline", "--snapshot", str(snapshot))
        subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "citeproof", *given],
            env=os.environ | {"CITEPROOF_ALLOW_UNCHECKED_RETRACTIONS": "1"},  # noqa: TID251 - a command of its own
            capture_output=True, check=False,
        )  # fmt: skip
    pages |= {"venue": venue / "venue.html", "corpus": ROOT / "tests/corpus/golden/fail.html"}
    return {name: page.as_uri() for name, page in pages.items()}


def _list_batch(web: object, batch: str) -> list[str]:
    """Return the runs of a batch in the order of the files."""
    jobs = web.runner.store.list_jobs("local")  # type: ignore[attr-defined] - a server of the tests
    return [job.id for job in sorted(jobs, key=lambda job: job.created)][:2] if batch else []


if __name__ == "__main__":
    main()
