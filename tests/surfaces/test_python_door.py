"""The Python door: in scripts, notebooks, threads and running loops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import citeproof
from citeproof.errors import UsageError
from citeproof.laboratory.testing import Shelf, World

ROOT = Path(__file__).parents[2]
BIB = ROOT / "examples" / "references.bib"
RESNET = {"title": "Deep Residual Learning for Image Recognition", "year": 2016}


@pytest.fixture(autouse=True)
def _empty_home(monkeypatch, tmp_path):
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def verifier(snapshot):
    with citeproof.Verifier(offline=True, snapshots=[snapshot]) as made:
        yield made


def test_names_can_be_discovered():
    assert dir(citeproof) == sorted(citeproof.__all__)


def test_a_report_is_a_sequence_of_flat_results(verifier):
    report = verifier.check(BIB)
    assert len(report) == len(list(report)) == len(report.references) > 3
    assert report[0] is report.references[0]
    assert report[:2] == report.references[:2]
    assert {one.label for one in report.problems} <= {citeproof.Label.MINOR, citeproof.Label.MAJOR}
    assert len(report.problems) + len(report.unchecked) < len(report)
    checked = report.problems[0]
    assert checked.verdict is checked.judgement.verdict
    assert (checked.key, checked.explanation) == (checked.reference.key, checked.judgement.explanation)
    assert checked.title
    assert checked.mismatches == checked.judgement.mismatches


def test_rows_fit_a_data_frame(verifier):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(verifier.check(BIB).to_dicts())
    assert {"key", "title", "verdict", "label", "confidence", "explanation"} <= set(frame.columns)
    assert frame["label"].isin(["EXACT", "MINOR", "MAJOR"]).sum() > 3


def test_a_thousand_references_into_a_data_frame(verifier):
    pandas = pytest.importorskip("pandas")
    entry = "@inproceedings{{r{n}, title={{Deep Residual Learning for Image Recognition}}, year={{2016}}}}\n"
    report = verifier.check("".join(entry.format(n=n) for n in range(1000)))
    frame = pandas.DataFrame(report.to_dicts())
    assert len(frame) == 1000
    assert set(frame["label"]) == {"EXACT"}


NAN = float("nan")
HE = "He, K. et al. (2016). Deep Residual Learning for Image Recognition. CVPR."
ENTRY = "@inproceedings{r1, title={Deep Residual Learning for Image Recognition}, year={2016}}"
PEOPLE = ["Kaiming He", "Xiangyu Zhang", "Shaoqing Ren", "Jian Sun"]


FIRST = ("<references>", 1, "ref-1", "EXACT")
JOINED = " and ".join(PEOPLE)


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([HE], [FIRST]),
        ((HE, None, NAN, " ", HE), [FIRST, ("<references>", 5, "ref-5", "EXACT")]),
        ([RESNET], [FIRST]),
        (RESNET, [FIRST]),
        ([{**RESNET, "year": 2016.0, "doi": NAN}], [FIRST]),
        ([{**RESNET, "year": "2016"}], [FIRST]),
        ([{**RESNET, "author": PEOPLE, "journal": None, "id": "he"}], [("<references>", 1, "he", "EXACT")]),
        ([{**RESNET, "author": JOINED, "EntryType": "inproceedings"}], [FIRST]),
        ([{"Title": RESNET["title"], "issued": {"date-parts": [[2016]]}}], [FIRST]),
        ([HE, ENTRY], [FIRST, ("<text> 2", 1, "r1", "EXACT")]),
        ([b"\n" + ENTRY.encode()], [("<text> 1", 2, "r1", "EXACT")]),
        ([{**RESNET, "authors": "Ada Lovelace and Charles Babbage"}], [(*FIRST[:3], "MAJOR")]),
    ],
)  # fmt: skip
def test_a_list_of_references(verifier, items, found):
    report = verifier.check(items)
    places = [(one.reference.place.file, one.reference.place.line, one.key, one.label) for one in report]
    assert places == found


def test_a_list_names_files_and_tells_of_what_is_none(verifier):
    report = verifier.check([HE, BIB, str(BIB), "nofile", {"foo": 1}, None])
    assert len(report) == 1 + 2 * len(verifier.check(BIB))
    told = [(one.place.line, one.message, one.note) for one in report.run.problems if "<" in one.place.file]
    assert told == [
        (4, "nofile: no such file", False),
        (5, "references[4].title: is missing or not a text", False),
        (6, "no reference: the value is missing", True),
    ]


@pytest.mark.parametrize("bad", [5, None, [5], [object()], ["nofile"], [{"foo": 1}]])
def test_what_is_no_list_of_references(verifier, bad):
    with pytest.raises(citeproof.CiteproofError) as error:
        verifier.check(bad)
    assert error.value.hint


def test_columns_and_rows_of_a_data_frame(verifier):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"text": [HE, None, HE], "title": [RESNET["title"]] * 3, "year": [2016, None, 2015]}
    )
    column = verifier.check(frame["text"]).to_frame()
    assert column[["line", "label"]].values.tolist() == [[1, "EXACT"], [3, "EXACT"]]
    rows = verifier.check(frame[["title", "year"]]).to_frame()
    assert rows["year"].tolist()[::2] == [2016, 2015]
    assert len(rows) == 3


COLUMNS = [
    ("title", "author", "year", "doi"),
    ("title", "Author", "Year", "DOI"),
    ("Title", "authors", "year", "Doi"),
    ("Paper title", "Authors", "Published", "Link"),
    ("Titel", "Autor", "Jahr", "doi"),
]


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("people", ["He", "Kaiming He and others"])
def test_columns_may_be_called_otherwise(verifier, columns, people):
    row = dict(zip(columns, (RESNET["title"], people, 2016, "10.1109/CVPR.2016.90"), strict=True))
    claimed = verifier.check([row])[0].reference.claimed
    assert (claimed.title, claimed.authors[0].family, claimed.et_al) == (RESNET["title"], "He", True)
    assert (claimed.year, claimed.ids.first("doi")) == (2016, "10.1109/cvpr.2016.90")


def test_columns_that_nobody_knows_are_told_once(verifier):
    rows = [{"foo": "A title", "who knows": "Roe", "doi": "10.1109/CVPR.2016.90"}] * 2
    problems = verifier.check([*rows, {**rows[0], "title": "T", "abstract": "…"}]).run.problems
    assert [(one.place.line, one.message, one.note) for one in problems] == [
        (1, "not used: foo, who knows", True)
    ]
    assert "title" in problems[0].hint


@pytest.mark.parametrize(
    "names",
    [{}, {"doi": "DOI"}, {"author": "Author"}, {"author": "authors"}, {"year": "Year", "title": "Title"}],
)
def test_a_lone_name_is_the_first_authors_however_columns_are_called(names, verifier):
    row = {"title": RESNET["title"], "author": "He", "year": 2016, "doi": "10.1109/CVPR.2016.90"}
    report = verifier.check([{names.get(name, name): value for name, value in row.items()}])
    assert [checked.label for checked in report] == ["EXACT"]
    assert not report.run.problems


def test_a_folder_is_its_documents(verifier, tmp_path):
    (tmp_path / "refs.bib").write_bytes(BIB.read_bytes())
    assert len(verifier.check(tmp_path)) == len(verifier.check(str(tmp_path))) == len(verifier.check(BIB))


def test_a_citation_without_title_is_an_error_of_ours(verifier):
    with pytest.raises(citeproof.UsageError, match="title: is empty"):
        verifier.verify(doi="10.1109/CVPR.2016.90")


def test_a_list_within_a_running_loop_and_with_a_log(verifier, snapshot, tmp_path):
    assert asyncio.run(verifier.acheck([HE])).references == verifier.check([HE]).references
    log = {"audit_dir": tmp_path / "log", "audit_run": "listed"}
    with citeproof.Verifier(offline=True, snapshots=[snapshot], **log) as made:
        assert made.check([HE, RESNET]).exit_code == 0
        command = [sys.executable, "-m", "citeproof", "audit", "replay", str(log["audit_dir"]), "listed"]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_frame_without_pandas(verifier, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pandas is not installed"):
        verifier.check([HE]).to_frame()


def test_what_is_printed_is_short(verifier):
    report = verifier.check(BIB)
    assert len(repr(report)) < 120
    assert all(len(repr(one)) < 250 for one in report)
    assert "not checked" in repr(report)


def test_inside_a_running_loop_and_twins(verifier, snapshot):
    async def inside() -> list[object]:
        blocking = verifier.check(BIB)  # as a notebook calls it
        waited = await verifier.acheck(BIB)
        one = await verifier.averify(**RESNET)
        alone = citeproof.verify(**RESNET, offline=True, snapshots=[snapshot])
        other = await citeproof.averify(**RESNET, offline=True, snapshots=[snapshot])
        again = await citeproof.acheck(BIB, offline=True, snapshots=[snapshot])
        return [blocking.references == waited.references == again.references, one == alone == other]

    assert asyncio.run(inside()) == [True, True]


def test_two_threads_and_a_running_loop_share_one_verifier(verifier):
    expected = verifier.check(BIB).references
    seen: list[bool] = []

    def work() -> None:
        seen.extend(verifier.check(BIB).references == expected for _ in range(3))

    async def both() -> None:
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        seen.extend([(await verifier.acheck(BIB)).references == expected for _ in range(3)])
        await asyncio.gather(*(asyncio.to_thread(thread.join) for thread in threads))

    asyncio.run(both())
    assert seen == [True] * 9


def test_the_engine_is_opened_once(verifier, monkeypatch):
    from citeproof.surfaces import python

    opened = []
    whole = python.assemble
    monkeypatch.setattr(python, "assemble", lambda *a, **k: opened.append(1) or whole(*a, **k))
    for _ in range(3):
        verifier.verify(**RESNET)
        verifier.check(BIB)
    assert len(opened) == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"authors": ["Edith Marlow"]}, "'authors' is no field"),
        ({"venue": "Nature"}, "container (the journal or conference)"),
        ({"author": ["Edith Marlow"]}, "family name of the first author"),
        ({"year": "2017"}, "as a number"),
    ],
)
def test_a_field_that_nobody_reads_is_an_error(verifier, fields, told):
    with pytest.raises(UsageError) as error:
        verifier.verify("Mask R-CNN", **fields)
    assert told in f"{error.value} {error.value.hint}"


def test_a_misspelt_setting_is_an_error():
    with pytest.raises(UsageError) as error:
        citeproof.Verifier(ofline=True)
    assert error.value.hint == "did you mean 'offline'?"


def test_a_closed_verifier_says_so(snapshot):
    made = citeproof.Verifier(offline=True, snapshots=[snapshot])
    made.close()
    made.close()
    with pytest.raises(UsageError, match="this verifier is closed"):
        made.check(BIB)


def test_options_go_over_the_environment(snapshot, monkeypatch):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(snapshot))
    assert citeproof.check(BIB, offline=True).problems
    with pytest.raises(UsageError, match="both settings and offline"):
        citeproof.Verifier(citeproof.Settings(), offline=True)


def test_live_in_a_running_loop(monkeypatch, tmp_path):
    with World(Shelf()) as world:
        for name, value in world.environment().items():
            monkeypatch.setenv(name, value)

        async def inside() -> citeproof.Report:
            async with citeproof.Verifier(offline=False, sources=["crossref"]) as made:
                return await made.acheck("@article{a, title={Nowhere to be found at all}, year={2016}}\n")

        report = asyncio.run(inside())
    assert report[0].verdict is citeproof.Verdict.UNCHECKED
    assert report.run.overrides[0].setting == "urls.crossref"


def test_each_call_is_a_sealed_run_of_the_audit_log(snapshot, tmp_path):
    with citeproof.Verifier(offline=True, snapshots=[snapshot], audit_dir=tmp_path / "audit") as made:
        made.check(BIB)
        made.verify(**RESNET)
        done = subprocess.run(
            [sys.executable, "-m", "citeproof", "audit", "verify", str(tmp_path / "audit")],
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_public_types(tmp_path):
    """What an editor and mypy know of a user's program."""
    program = tmp_path / "program.py"
    program.write_text((ROOT / "tests" / "typing_of_the_api.py").read_text("utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_notebook_runs_in_a_real_kernel(snapshot, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(snapshot))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(ROOT / "examples")}}
    )
    shown, process = [], client.process_message
    client.process_message = lambda message, *rest: shown.append(message) or process(message, *rest)
    client.execute()
    assert any("<progress" in str(message["content"]) for message in shown)
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert any("EXACT" in str(output) for output in outputs)
    assert not any(one.output_type == "error" for output in outputs for one in output)


@pytest.mark.parametrize(
    "author",
    [
        "Kaiming He, Jane Doe, Edith Marlow",
        "He, K., Doe, J., Marlow, E.",
        "Kaiming He; Jane Doe; Edith Marlow",
    ],
)
def test_several_people_in_the_field_author_are_all_compared(author, verifier):
    title = "Deep Residual Learning for Image Recognition"
    listed = verifier.check([{"title": title, "author": author}])[0]
    single = verifier.verify(title, author=author)
    for checked in (listed, single):
        assert [name.family for name in checked.reference.claimed.authors] == ["He", "Doe", "Marlow"]
        assert checked.label is not citeproof.Label.EXACT
    assert verifier.verify(title, author="He, Kaiming").label is citeproof.Label.EXACT


def test_an_identifier_alone_is_a_row_and_a_row_without_one_is_told(verifier):
    rows = [{"title": None, "doi": "10.1109/CVPR.2016.90"}, {"title": "", "year": 2016}]
    report = verifier.check(rows)
    assert [checked.label for checked in report] == [citeproof.Label.EXACT]
    assert report.lost == 1
    assert repr(report).endswith("0 not checked, 1 not read>")
    (problem,) = report.run.problems
    assert (problem.place.line, problem.message) == (2, "references[1].title: is missing or not a text")
