# ruff: noqa: INP001, T201 - a script, not a package
"""Make the pictures of docs/web.md: the web page in light, dark and narrow, in a real browser.

    python docs/web_screenshots.py [--out docs/images] [--snapshot DIR]

Needs Chromium and the development environment. Checks the bundled examples against the snapshot made of
examples/records.bib, or another one.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
LARGEST = 200_000  # bytes of a picture


def main() -> None:
    """Write the pictures."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--out", type=Path, default=ROOT / "docs/images")
    options.add_argument("--snapshot", type=Path)
    chosen = options.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = chosen.snapshot or _build_snapshot(Path(folder) / "snapshot")
        _take_pictures(chosen.out, Path(folder), snapshot)


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


def _list_batch(web: object, batch: str) -> list[str]:
    """Return the runs of a batch in the order of the files."""
    jobs = web.runner.store.list_jobs("local")  # type: ignore[attr-defined] - a server of the tests
    return [job.id for job in sorted(jobs, key=lambda job: job.created)][:2] if batch else []


if __name__ == "__main__":
    main()
