# ruff: noqa: INP001, S603, T201 - a script, not a package; it runs the commands of our own pages
"""Writes the generated parts of the documentation: real output of real commands, and the tables.

    python docs/generate.py

A part stands between two comments and is replaced whole:

    <!-- run: citeproof check examples/short.txt -->     what the command prints, with its exit code
    <!-- help: check -->                                 the help text of a command
    <!-- live: citeproof verify … -->                    the same, asking the loopback world
    <!-- settings -->                                    the table of settings
    <!-- project settings -->                            what a project's file may set
    <!-- sources: kinds -->                              which live sources count for which type of work
    <!-- sources: identifiers -->                        whose word counts for which identifier
    <!-- sources: all -->                                every live source in a line
    <!-- formats: in -->                                 every kind of document that is read
    <!-- formats: out -->                                every kind of report that is written
    <!-- rules -->                                       every rule of `citeproof corpus`
    <!-- checks -->                                      every integrity check
    <!-- policies -->                                    every shipped policy, rule by rule
    <!-- policy conditions -->                           what a rule of a policy can be about
    <!-- lists -->                                       every list, its home and licence
    <!-- reasons: comparisons -->                        every reason code of a field or a verdict
    <!-- reasons: stops -->                              why some sources were not asked
    <!-- reasons: signs -->                              every sign of an invented reference
    <!-- reasons: citations -->                          every reason code of a corpus document's citation
    <!-- script -->                                      the SHA-256 of the verifier in exports
    <!-- rest -->                                        every route of the REST API
    <!-- architecture: steps -->                         the steps of the path
    <!-- architecture: rooms -->                         every room, and whom it imports
    <!-- architecture: could not be checked -->          every file that writes these words
    <!-- file: tests/new_source/… -->                    a file of the repository
    <!-- end -->

Commands run offline in an empty folder that holds copies of examples/ and docs/tutorials/papers/ and the
small snapshot made of examples/records.bib, so that they print the same on every machine. The pages of
docs/sources/ are made whole from the docstrings and profiles in src/citeproof/evidence/sources/, and the
schema of audit events from its table.
"""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

from click.testing import CliRunner

from citeproof.answers.reporters import base as reporters
from citeproof.corpus import corpus_types
from citeproof.evidence.index.lists.homes import LISTS
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources import base
from citeproof.judgement.checks import list_check_modules
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.proof.audit.verify.export_check import hash_script
from citeproof.reading.extractors import base as extractors
from citeproof.settings import TABLE, Settings
from citeproof.surfaces.cli.main import cli
from citeproof.vocabulary import CitationReason, InventionSign, Reason, StopReason

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
import architecture
import event_schema
from policy_pages import format_conditions, format_policies
from rest_pages import format_rest_reference
from source_pages import (
    format_identifiers_table,
    format_kinds_table,
    format_source_page,
    format_sources_table,
)
from tests.command_here import call_citeproof

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "docs" / "sources"
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/spec").glob("*.md")),
    *sorted((ROOT / "docs/tutorials").glob("*.md")),
    SOURCES / "README.md",
)
PART = re.compile(
    r"(<!-- (run|live|help|settings|project settings|sources|formats|rules|reasons|script|checks|lists|rest"
    r"|policies|policy conditions|file|architecture)"
    r"(?:: ([^\n]+?))? -->\n).*?(<!-- end -->)",
    re.DOTALL,
)
CODES: dict[str, Iterable[StopReason | CitationReason | InventionSign]] = {
    "stops": StopReason, "citations": CitationReason, "signs": InventionSign,
}  # fmt: skip
SNAPSHOT = "examples.snapshot"
COVERS = " ".join(f"--covers venue:{name}=2015-2017" for name in ("CVPR", "ICCV", "ECCV", "ICML", "NeurIPS"))
BUILD = f"citeproof index build --from bibtex examples/records.bib --name examples {COVERS} --out {SNAPSHOT}"
SHELL = re.compile(r"[|<>$`;&]")  # only a shell understands these
IMPORT = "citeproof lists import examples/retractions.csv --date $(date +%F)"
LONGEST = 160  # lines of an example or a help that are shown
WIDEST = 150  # characters of such a line; addresses go on
ORIGIN = "http://127.0.0.1:40123"  # where the loopback world seems to be, whatever port it got

# What is new in every log: times, its own name, roots whole and cut.
STEADY = (
    (r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "2026-05-07T10:14:02.117Z"),
    (r"citeproof\.local/[0-9a-f]{16}", "citeproof.local/9c1f04be77d20a36"),
    (r"(?<=root )[0-9a-f]{64}", "7c8f2a…b41e"),
    (r"\b[0-9a-f]{6}…[0-9a-f]{4}\b", "7c8f2a…b41e"),  # of a run's commit
    (r"\b[0-9a-f]{8}…[0-9a-f]{4}\b", "d40b93e1…5f07"),  # of the whole log, with the line of that commit
    (r"(?<=retraction_watch )20\d\d-\d\d-\d\d", "2026-05-07"),
)

Run = Callable[..., tuple[str, int]]


def workplace(folder: Path) -> Run:
    """Return a function that runs a command in `folder`, made ready with examples and snapshot.

    With `live=True` the command asks the loopback world, which knows what the snapshot holds.
    """
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "docs/tutorials/papers", folder / "docs/tutorials/papers")
    run = partial(run_command, folder)
    output, code = run(BUILD)
    if code:
        raise SystemExit(f"the example snapshot could not be built:\n{output}")
    return run


def current(text: str, run: Run) -> str:
    """Return the text of a page with every generated part made anew."""
    return PART.sub(partial(_part, run=run), text)


def source_pages() -> dict[Path, str]:
    """Return the page of every live source, by its path."""
    return {
        SOURCES / f"{name}.md": format_source_page(base.find_source(name)) for name in base.list_sources()
    }


def _part(found: re.Match[str], run: Run) -> str:
    begin, kind, argument, end = found.groups()
    match kind:
        case "run" | "live":
            output, code = run(argument, live=kind == "live")
            body = _fenced(f"$ {argument}\n{output}\n(exit code {code})")
        case "help":
            body = _fenced(_help(argument))
        case "sources":
            body = {
                "kinds": format_kinds_table,
                "identifiers": format_identifiers_table,
                "all": format_sources_table,
            }[argument]()
        case "reasons":
            body = _reasons() if argument == "comparisons" else _codes(CODES[argument])
        case "architecture":
            body = architecture.PARTS[argument]()
        case "script":
            body = _fenced(f"{hash_script()}  verify.py")
        case "file":
            body = f"```python\n{(ROOT / argument).read_text(encoding='utf-8').strip()}\n```"
        case "formats":
            body = {"in": _documents, "out": _reports}[argument]()
        case _:
            body = _make_whole_parts()[kind]()
    return f"{begin}{body}\n{end}"


def _make_whole_parts() -> dict[str, Callable[[], str]]:
    """Return what writes the parts that take no argument."""
    return {
        "checks": _checks,
        "lists": _lists,
        "policies": format_policies,
        "policy conditions": format_conditions,
        "project settings": _project_settings,
        "rest": format_rest_reference,
        "rules": _rules,
        "settings": _settings,
    }


def run_command(folder: Path, command: str, *, live: bool = False) -> tuple[str, int]:
    """Return what a command prints in `folder`, and its exit code."""
    if not live:
        return run_in_shell(folder, command, {"CITEPROOF_SNAPSHOT": SNAPSHOT, "CITEPROOF_OFFLINE": "1"})
    with (
        tempfile.TemporaryDirectory() as fresh,
        Snapshot.open(folder / SNAPSHOT) as held,
        World(SnapshotHoldings(held)) as world,
    ):
        folders = {"CITEPROOF_CACHE_DIR": f"{fresh}/cache", "CITEPROOF_LIMITS_DIR": f"{fresh}/limits"}
        if command.startswith("citeproof claims"):  # without a list of retractions nothing is verified
            run_in_shell(folder, IMPORT, folders)
        output, code = run_in_shell(folder, command, world.environment() | folders)
    return output.replace(world.origin, ORIGIN).replace(
        world.origin.removeprefix("http://"), ORIGIN[7:]
    ), code


def _help(command: str) -> str:
    """Return the help of one command, asked for in this very process: there are dozens."""
    words = [*command.split(), "--help"]
    return CliRunner().invoke(cli, words, prog_name="citeproof", terminal_width=78).output.strip("\n")


def run_in_shell(folder: Path, command: str, more: dict[str, str]) -> tuple[str, int]:
    """Return what a command prints with these variables, and its exit code.

    A plain `citeproof …` is called in this very process, which saves the second that each start takes.
    """
    binaries = Path(sys.executable).parent
    environment = {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": str(folder),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        **more,
    }
    if command.startswith("citeproof ") and not SHELL.search(command):
        done = call_citeproof(*shlex.split(command)[1:], folder=folder, environment=environment)
    else:
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
    output = (done.stdout + done.stderr).strip("\n").replace(f"{folder}/", "")
    return _steady(output) if re.search("audit|claims|corpus", command) else output, done.returncode


def _steady(output: str) -> str:
    """Return what a log's command printed with the same times, names and roots each time."""
    for pattern, same in STEADY:
        output = re.sub(pattern, same, output)
    return output


def _fenced(text: str) -> str:
    lines = text.splitlines()
    shown = lines if len(lines) <= LONGEST else [*lines[:LONGEST], "…"]
    cut = [line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in shown]
    return "\n".join(["```text", *cut, "```"])


def _settings() -> str:
    plain = Settings()
    rows = ["| name | variable | flag | default | meaning |", "| --- | --- | --- | --- | --- |"]
    for row in TABLE:
        value = getattr(plain, row.name)
        folders = {
            "cache_dir": "the user's cache folder",
            "limits_dir": "`limits` in the user's state folder",
        }
        default = folders.get(row.name) or _shown(value)
        flag = f"`{row.flag}`" if row.flag else ""
        rows.append(f"| `{row.name}` | `{row.env}` | {flag} | {default} | {row.help} |")
    return "\n".join(rows)


def _project_settings() -> str:
    rows = [f"| `{row.name}` | {row.project.help} |" for row in TABLE if row.project]
    return "\n".join(["| name | what a project's file may set |", "| --- | --- |", *rows])


def _shown(value: object) -> str:
    return "none" if not value and not isinstance(value, bool) else f"`{str(value).lower()}`"


# --- rules of corpus documents ------------------------------------------------------------------


def _lists() -> str:
    """Return the table of the lists that are known."""
    rows = ["| list | what it lists | home | licence | limit of age |", "| --- | --- | --- | --- | --- |"]
    for home in LISTS.values():
        limit = (
            f"{home.days} days"
            if home.days
            else f"none; edition of {home.edition[:4]}"
            if home.edition
            else "none"
        )
        rows.append(f"| `{home.name}` | {home.about} | <{home.url}> | {home.licence} | {limit} |")
    return "\n".join(rows) + "\n"


def _checks() -> str:
    """Return the pages of the integrity checks: their docstrings."""
    modules = [import_module(name) for name in list_check_modules()]
    return "".join(f"### {inspect.cleandoc(module.__doc__ or '')}\n\n" for module in modules)


def _rules() -> str:
    rows = [
        f"| `{rule.name}` | {rule.severity} | {rule.level} | {rule.help} |"
        for rule in corpus_types.load_rules().values()
    ]
    return "\n".join(["| rule | severity | level | what it tells |", "| --- | --- | --- | --- |", *rows])


def _reasons() -> str:
    rows = [f"| `{reason}` | {reason.field} | {reason.meaning} |" for reason in Reason]
    return "\n".join(["| code | of | meaning |", "| --- | --- | --- |", *rows])


def _codes(codes: Iterable[StopReason | CitationReason | InventionSign]) -> str:
    rows = [f"| `{code}` | {code.meaning} |" for code in codes]
    return "\n".join(["| code | meaning |", "| --- | --- |", *rows])


# --- formats -----------------------------------------------------------------------------------


def _documents() -> str:
    """Return a table: every extractor, the file names it is known by, and what it reads."""
    rows = ["| format | file names | what is read |", "| --- | --- | --- |"]
    for name, one in extractors.load_extractors().items():
        known = ", ".join(f"`{suffix}`" for suffix in one.suffixes)
        rows.append(f"| `{name}` | {known} | {_first(sys.modules[one.extract.__module__])} |")
    return "\n".join(rows)


def _reports() -> str:
    """Return a table: every reporter by its word on the command line, and what it writes."""
    rows = ["| `--format` | what is written |", "| --- | --- |"]
    rows += [
        f"| `{word}` | {_first(sys.modules[type(reporters.get_reporter(word)).__module__])} |"
        for word in reporters.list_formats()
    ]
    return "\n".join(rows)


def _first(module: ModuleType) -> str:
    """Return the first sentence of a module's docstring on one line."""
    whole = " ".join((module.__doc__ or "").split("\n\n", maxsplit=1)[0].split())
    return whole.replace("|", "\\|")


def main() -> None:
    """Rewrite every page whose generated parts have changed."""
    pages = {event_schema.FILE: event_schema.format_event_schema(), **source_pages()}
    with tempfile.TemporaryDirectory() as folder:
        run = workplace(Path(folder))
        pages |= {path: current(path.read_text(encoding="utf-8"), run) for path in PAGES}
    for gone in {*SOURCES.glob("*.md")} - {*pages}:
        gone.unlink()
        print(f"removed: {gone.relative_to(ROOT)}")
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
