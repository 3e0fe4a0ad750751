"""How many commands and how much time eight kinds of users need until they have something of use.

    python -m bench.first_value SNAPSHOT [NAME…] [--rounds 3]

Each journey begins with citeproof installed and a folder of examples: in a real shell (tmux), a real kernel
of Jupyter, or with a page in Chromium. Time runs from the Enter of the first command until the text stands
there that is worth having, which is searched for. Users have SNAPSHOT and no network; the newcomer has no
snapshot, is asked about the starter, says no, and gets answers of registries, which are on loopback and take
half a second each. Time to read and to type is not in it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from tests.browser.chrome import BrowserPage
from tests.journeys.tmux_terminal import TmuxTerminal

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import Latency, SnapshotHoldings, World

ROOT = Path(__file__).parents[1]
REGISTRIES = ("crossref", "openalex", "semantic_scholar", "arxiv", "dblp", "datacite", "doi")
PATIENCE = 60.0  # seconds for a page
LATENCY = 0.5  # seconds of a registry
PAPERS = ("journal", "two_columns", "author_year", "web", "locked")  # the last one cannot be read
LATEX = r"""\documentclass{article}\begin{document}
Networks \cite{he2016deep,huang2017sparsely} attend \cite{vaswani2017attention}.
\bibliographystyle{plain}\bibliography{references}
\end{document}
"""
RETRACTED = """TY  - JOUR
TI  - Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and pervasive developmental disorder
AU  - Wakefield, A. J.
PY  - 1998
DO  - 10.1016/S0140-6736(97)11096-0
ER  -
"""
CELLS = ("import citeproof", 'citeproof.check("references.bib")')


@dataclass
class Visit:
    """One user in a folder of examples: what was typed, which pages were opened, how long it took."""

    folder: Path
    environment: Mapping[str, str]
    commands: int = 0
    pages: int = 0
    seconds: float = 0.0
    terminals: list[TmuxTerminal] = field(default_factory=list)

    def open_terminal(self) -> TmuxTerminal:
        self.terminals.append(TmuxTerminal(self.folder, self.environment, width=100))
        return self.terminals[-1]

    def run(self, command: str, worth: str) -> None:
        """Type a command and wait for its end; the screen must show what is worth having."""
        terminal = self.open_terminal()
        terminal.start(command)
        start = time.perf_counter()
        ended = terminal.wait_for_prompt()
        self.note(start, commands=1)
        expect(worth, ended.text)

    def show(self, page: Path | str, worth: str, *, click: str = "") -> None:
        """Open a page, follow its button `click`, and wait until it shows what is worth having."""
        with BrowserPage(self.folder) as browser:
            start = time.perf_counter()
            browser.open(page)
            if click:
                browser.run(f"document.querySelector({click!r}).click()")
            end = time.monotonic() + PATIENCE
            while not re.search(worth, text := browser.run("document.body?.innerText ?? ''")):
                if time.monotonic() > end:
                    expect(worth, text)
                time.sleep(0.05)
            self.note(start, pages=1)

    def note(self, start: float, *, commands: int = 0, pages: int = 0) -> None:
        self.seconds += time.perf_counter() - start
        self.commands += commands
        self.pages += pages


def expect(worth: str, text: str) -> None:
    """Fail if a text does not show what is worth having."""
    assert re.search(worth, text), f"{worth!r} is not in:\n{text}"


def walk_chair(visit: Visit) -> None:
    """A table of all papers, the suspicious ones first."""
    visit.run("citeproof batch papers --out results", "5 files: .*1 unreadable")
    visit.show(visit.folder / "results" / "venue.html", r"Papers\n(?s:.*)journal\.pdf")


def walk_author(visit: Visit) -> None:
    """The wrong entries of the bibliography, each with its line."""
    visit.run("citeproof check paper.tex", r"MAJOR mismatch  huang2017sparsely  references\.bib:\d+")


def walk_reader(visit: Visit) -> None:
    """Which works in a pasted answer do not exist."""
    terminal = visit.open_terminal()
    terminal.start("citeproof check -")
    start = time.perf_counter()
    terminal.wait_for(lambda lines: "Ctrl-D" in lines[-1])
    terminal.write((visit.folder / "answer.md").read_text("utf-8"))
    terminal.press("C-d")
    ended = terminal.wait_for_prompt()
    visit.note(start, commands=1)
    expect("MAJOR not found  4", ended.text)


def walk_engineer(visit: Visit) -> None:
    """Annotations on the lines of a pull request, and a failed job."""
    visit.run(
        "citeproof check references.bib --format github --output sarif=out.sarif || echo failed with $?",
        r"(?s)::error file=references\.bib,line=33.*failed with 1",
    )
    assert (visit.folder / "out.sarif").stat().st_size


def walk_scientist(visit: Visit) -> None:
    """A table in the notebook with colours and what differs, out of a real kernel."""
    shell = f"import os; os.environ.update({dict(visit.environment)!r})"  # what the shell would have set
    book = new_notebook(cells=[new_code_cell(source) for source in (shell, *CELLS)])
    start = time.perf_counter()
    NotebookClient(book, resources={"metadata": {"path": str(visit.folder)}}).execute()
    visit.note(start, commands=len(CELLS))
    shown = [output["data"].get("text/html", "") for output in book.cells[-1].outputs if "data" in output]
    expect(r"✗ MAJOR(?s:.*)<del>", shown[-1])


def walk_librarian(visit: Visit) -> None:
    """A spreadsheet of a library from a reference manager, with what was retracted."""
    visit.run("citeproof lists import retractions.csv", "retraction_watch")
    visit.run("citeproof check library.ris --format csv -o library.csv", "report: library.csv")
    expect("Ileal.*retracted", (visit.folder / "library.csv").read_text("utf-8"))


def walk_newcomer(visit: Visit) -> None:
    """What is wrong with a bibliography, without a snapshot and without a line of documentation."""
    terminal = visit.open_terminal()
    terminal.start("citeproof check references.bib")
    start = time.perf_counter()
    terminal.wait_for(lambda lines: "[y/N]" in lines[-1])
    terminal.press("Enter")
    ended = terminal.wait_for_prompt()
    visit.note(start, commands=1)
    expect("MAJOR mismatch  huang2017sparsely", ended.text)


def walk_operator(visit: Visit) -> None:
    """A page on which colleagues check their files, tried with its example."""
    terminal = visit.open_terminal()
    terminal.start("citeproof serve --port 0")
    start = time.perf_counter()
    screen = terminal.wait_for(lambda lines: re.search(r"http://127\.0\.0\.1:\d+", "\n".join(lines)))
    visit.note(start, commands=1)
    address = re.search(r"http://127\.0\.0\.1:\d+", "\n".join(screen))
    assert address
    visit.show(address[0], r"\d+ references: \d+ exact", click="button[name=example]")
    terminal.press("C-c")
    terminal.wait_for_prompt()


@dataclass(frozen=True)
class Target:
    """The most that a journey may take; None: no limit is set."""

    commands: int | None = None
    pages: int | None = None
    seconds: float | None = None


JOURNEYS: dict[str, tuple[str, Callable[[Visit], None], Target]] = {
    "chair": ("conference chair", walk_chair, Target(commands=1, pages=1)),
    "author": ("LaTeX author", walk_author, Target()),
    "reader": ("reader of a chat answer", walk_reader, Target(seconds=10)),
    "engineer": ("CI engineer", walk_engineer, Target()),
    "scientist": ("data scientist", walk_scientist, Target()),
    "librarian": ("librarian", walk_librarian, Target()),
    "newcomer": ("newcomer", walk_newcomer, Target(commands=2)),
    "operator": ("server operator", walk_operator, Target()),
}


def take(name: str, snapshot: Path) -> Visit:
    """Walk one journey in a folder of its own, and return what it took."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        folder = Path(made)
        _lay_out(folder)
        own = {f"XDG_{kind}_HOME": str(folder / "home" / kind) for kind in ("STATE", "DATA", "CACHE")}
        if name != "newcomer":
            offline = {"CITEPROOF_OFFLINE": "1", "CITEPROOF_SNAPSHOT": str(snapshot.resolve())}
            return _walk(name, Visit(folder, own | offline))
        with Snapshot.open(snapshot) as opened:
            latency = {registry: Latency(LATENCY) for registry in REGISTRIES}
            with World(SnapshotHoldings(opened), latency=latency) as world:
                return _walk(name, Visit(folder, own | world.environment()))


def _walk(name: str, visit: Visit) -> Visit:
    try:
        JOURNEYS[name][1](visit)
    finally:
        for terminal in visit.terminals:
            terminal.close()
    return visit


def _lay_out(folder: Path) -> None:
    """Copy the documents that users bring."""
    for name in ("references.bib", "answer.md", "retractions.csv"):
        shutil.copy(ROOT / "examples" / name, folder)
    exported = (ROOT / "tests/fixtures/ris/zotero.ris").read_text("utf-8")
    (folder / "library.ris").write_text(f"{exported}\n{RETRACTED}", encoding="utf-8")
    (folder / "paper.tex").write_text(LATEX, encoding="utf-8")
    (folder / "papers").mkdir()
    for name in PAPERS:
        shutil.copy(ROOT / f"tests/fixtures/pdf/{name}.pdf", folder / "papers")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(JOURNEYS))
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    missed = False
    for name in chosen.names or JOURNEYS:
        who, walk, target = JOURNEYS[name]
        visits = [take(name, chosen.snapshot) for _ in range(chosen.rounds)]
        last, seconds = visits[-1], statistics.median(visit.seconds for visit in visits)
        counted = {"commands": last.commands, "pages": last.pages, "seconds": seconds}
        over = [key for key, most in vars(target).items() if most is not None and counted[key] > most]
        missed = missed or bool(over)
        worst = max(visit.seconds for visit in visits)
        print(
            f"{who:24} {last.commands} commands  {last.pages} pages  {seconds:5.1f} s (worst {worst:.1f})",
            end="",
        )
        print(f"  {(walk.__doc__ or '').strip()}", "MISSED: " + ", ".join(over) if over else "")
    sys.exit(missed)


if __name__ == "__main__":
    main()
