"""What an editor can open shows there the references, labels, reasons and counts of all other doors."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from tests.conftest import USER_STATE
from tests.surfaces.editor_client import editor as editor  # noqa: PLC0414 - the same fixture
from tests.surfaces.test_doors_agree import list_inputs

import citeproof
from citeproof.answers.reporters import base, wording
from citeproof.answers.reporters.reference_report import ReferenceReport

pytestmark = pytest.mark.slow
FIXTURES = Path(__file__).parents[1] / "fixtures"
AT_ONCE = 8


def choose_suffix(text: str) -> str:
    """Return how a file with this text is called."""
    begin = text.lstrip()
    signs = (("@", ".bib"), ("TY  -", ".ris"), ("[{", ".json"), ("# ", ".md"))
    latex = ".tex" if "\\begin{thebibliography}" in text else ".txt"
    return next((suffix for sign, suffix in signs if begin.startswith(sign)), latex)


def list_fixtures() -> list[Path]:
    """Return the documents of the readers' own tests that an editor opens."""
    latex = ("latex/*/main.tex", "latex/*/*.bbl", "latex/listed/*.tex")
    chat = ("chat/*.md", "chat/*.txt", "markdown/*.*md", "markdown/*.bib", "markdown/items.json")
    names = (*latex, *chat, "ris/*.ris", "nbib/*.nbib", "typst/*.typ", "fix/*.*")
    return sorted(path for name in names for path in FIXTURES.glob(name))


def describe_reference(checked: citeproof.Checked) -> tuple[object, ...]:
    """Return what must be the same wherever a reference is read; an identifier may be written otherwise."""
    judgement = checked.judgement
    return judgement.verdict, judgement.label, judgement.reasons, judgement.mismatches, judgement.notes


def list_problems(report: citeproof.Report) -> list[tuple[str, tuple[str, str]]]:
    """Return file, rule and message of each problem, as a program reads them in SARIF."""
    model = ReferenceReport(report.run, report.references, set_findings=lambda: report.findings)
    results = json.loads("".join(base.get_reporter("sarif").report(model)))["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    told = [(result["ruleId"], result["message"]["text"]) for result in results]
    return list(zip((Path(place).name for place in places), told, strict=True))


async def look_at(client, path, report) -> list[str]:
    """Return in what an editor differs from a report: problems that it shows or lacks, other hovers."""
    shown = [(problem.code.split(":")[0], problem.message) for problem in await client.open(path)]
    problems = list_problems(report)
    wanted = Counter(told for file, told in problems if file == path.name)
    elsewhere = {told for _, told in problems}  # shown at each citation of an entry
    wrong = [f"more: {told}" for told in shown if told not in elsewhere]
    wrong += [f"less: {told}" for told in wanted - Counter(shown)]
    for checked in report.references:
        place = checked.reference.place
        if Path(place.file or path.name).name != path.name:
            continue
        hover = await client.hover(path, (place.line or 1) - 1, max((place.column or 1) - 1, 0))
        told = hover.contents.value if hover else ""
        head = (
            f"{checked.reference.key}: {wording.format_headline(checked)}\n{wording.format_summary(checked)}"
        )
        if not told.startswith(head):
            wrong.append(f"hover at {place.line}:{place.column}: {told[:200]!r}, not {head[:200]!r}")
    return wrong


def test_an_editor_shows_what_all_other_doors_report(editor, tmp_path, snapshot, monkeypatch):
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(USER_STATE))
    paths, disagree, reports = list_fixtures(), {}, {}
    with citeproof.Verifier(offline=True, snapshots=[snapshot], allow_unchecked_retractions=True) as verifier:
        for number, text in enumerate(list_inputs()):
            paths.append(path := tmp_path / f"{number}{choose_suffix(text)}")
            path.write_text(text, encoding="utf-8")
            try:
                pasted = [describe_reference(checked) for checked in verifier.check(text)]
            except citeproof.CiteproofError:
                pasted = []
            reports[path] = verifier.check(path)
            if pasted != [describe_reference(checked) for checked in reports[path]]:
                disagree[text[:80]] = f"{len(pasted)} references, {len(reports[path])} in a file"
        reports |= {path: verifier.check(path) for path in paths if path not in reports}

    async def edit() -> None:
        gate = asyncio.Semaphore(AT_ONCE)
        async with editor(formats=("plaintext",)) as client:

            async def look(path: Path) -> None:
                async with gate:
                    if wrong := await look_at(client, path, reports[path]):
                        disagree[str(path)] = wrong

            settings = tmp_path / "package.json"  # says an author and a type, as a work does
            settings.write_text(
                '{"name": "x", "title": "A package of ours", "author": "J. Doe"}', encoding="utf-8"
            )
            client.show_document(settings)
            await asyncio.gather(*map(look, paths))
            assert settings.as_uri() not in client.told
            assert not client.messages
        assert len(client.told) == len(paths)

    asyncio.run(edit())
    assert not disagree
