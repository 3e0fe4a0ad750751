"""How fast the HTML report of many references opens, filters and searches in a real Chromium.

    python bench/report_page.py --snapshot DIR FILE… [--references 20000] [--rounds 5] [--keep PAGE.html]

The references of FILE… are checked once, then repeated as papers of thirty until there are enough.
"open" ends with the first frame after the page has loaded; "filter" and "search" end with the next frame.
The baseline is a page of the same references without style, script and folds (one paragraph each).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.chrome import BrowserPage

import citeproof
from citeproof.answers.reporters.base import get_reporter
from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.vocabulary import Checked

A_PAPER = 30
_FRAME = (
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
)
_FILTER = f"""(async () => {{ const from = performance.now();
document.getElementById("show-NAME").click(); return await {_FRAME} - from; }})()"""
_SEARCH = """(() => { const box = document.getElementById("search"), found = document.getElementById("found");
const from = performance.now(); box.value = "WORDS"; box.dispatchEvent(new Event("input"));
return new Promise(done => { new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(
() => done(performance.now() - from)))).observe(found, {childList: true}); }); })()"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--references", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="write the page here")
    wanted = parser.parse_args()
    with citeproof.Verifier(offline=True, snapshots=[wanted.snapshot]) as verifier:
        reports = [verifier.check(path) for path in wanted.files]
    checked = [one for report in reports for one in report]
    many = [_move(one, number) for number, one in enumerate(islice(cycle(checked), wanted.references))]
    names = tuple(dict.fromkeys(one.reference.place.file for one in many))
    run = replace(reports[0].run, documents=names, problems=())
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        page, plain = folder / "page.html", folder / "plain.html"
        start = time.process_time()
        page.write_text("".join(get_reporter("html").report(ReferenceReport(run, many))), encoding="utf-8")
        print(
            f"{len(many):,} references, {len(names):,} papers: {page.stat().st_size / 1e6:.1f} MB, ", end=""
        )
        print(f"made in {time.process_time() - start:.1f} s of CPU")
        plain.write_text(
            "".join(f"<p>{escape_text(one.reference.raw)}</p>\n" for one in many), encoding="utf-8"
        )
        if wanted.keep:
            wanted.keep.write_bytes(page.read_bytes())
        _measure(folder, page, plain, wanted.rounds)


def _move(one: Checked, number: int) -> Checked:
    place = replace(one.reference.place, file=f"papers/{number // A_PAPER + 1:05}.pdf")
    return replace(one, reference=replace(one.reference, place=place))


def _measure(folder: Path, page: Path, plain: Path, rounds: int) -> None:
    times: dict[str, list[float]] = {}
    with BrowserPage(folder) as browser:
        browser.resize(1200, 900)
        for _ in range(rounds):
            for name, path in (("open a page without anything", plain), ("open", page)):
                start = time.perf_counter()
                browser.open(path)
                browser.run(_FRAME)
                times.setdefault(name, []).append((time.perf_counter() - start) * 1000)
            for name in ("problems", "exact", "open", "all"):
                times.setdefault(f"filter: {name}", []).append(browser.run(_FILTER.replace("NAME", name)))
            for words in ("learning", "neural network", "zzz", ""):
                told = browser.run(_SEARCH.replace("WORDS", words))
                times.setdefault(f"search: {words or '(nothing)'}", []).append(told)
    base = statistics.median(times["open a page without anything"])
    for name, each in times.items():
        middle = statistics.median(each)
        print(f"{name:30} {middle:7.0f} ms  (worst {max(each):.0f})  {middle / base:5.2f} of the plain page")


if __name__ == "__main__":
    main()
