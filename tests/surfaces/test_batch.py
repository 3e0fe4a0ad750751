"""`citeproof batch` end to end: many documents, one folder of results, however often it is stopped."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
import zstandard
from tests.surfaces.batch_runs import count_done, list_children, read_results

from citeproof.service.batch import batch_session
from citeproof.service.batch.executors import LocalProcesses

EXAMPLES = Path(__file__).parents[2] / "examples"


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def papers(tmp_path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("references.bib", "answer.md"):
        shutil.copy(EXAMPLES / name, folder)
    return folder


@pytest.fixture
def batch(cli, snapshot, tmp_path):
    def run(*arguments, out="out"):
        return cli("batch", *arguments, "--out", tmp_path / out, "--snapshot", snapshot)

    return run


def test_results_are_those_of_check_with_the_document_they_are_in(batch, cli, snapshot, papers, tmp_path):
    ended = batch("papers")
    assert ended.code == 1
    assert "2 files: 2 checked\n" in ended.out
    rows = lines(tmp_path / "out/documents.jsonl")
    assert [row["id"] for row in rows] == ["papers/answer.md", "papers/references.bib"]
    alone = cli("check", *(row["id"] for row in rows), "--snapshot", snapshot, "--format", "jsonl")
    expected = [json.loads(line) for line in alone.out.splitlines()]
    got = lines(tmp_path / "out/results.jsonl")
    assert {one.pop("document") for one in got} == {row["id"] for row in rows}
    assert got == expected
    summary = json.loads((tmp_path / "out/summary.json").read_bytes())
    assert summary["references"] == len(got) == sum(row["references"] for row in rows)
    assert {name: count for name, count in summary["documents"].items() if count} == {
        "total": 2,
        "checked": 2,
    }


def test_a_second_run_does_nothing_again_and_a_changed_document_is_done_anew(
    batch, papers, tmp_path, monkeypatch
):
    first = batch("papers", "--format", "html")
    before = read_results(tmp_path / "out")
    made: list[object] = []
    monkeypatch.setattr(
        batch_session, "LocalProcesses", lambda *given: made.append(1) or LocalProcesses(*given)
    )
    assert batch("papers", "--format", "html") == first
    assert not made
    assert read_results(tmp_path / "out") == before
    (papers / "answer.md").write_text("no reference at all\n")
    batch("papers", "--format", "html")
    assert made
    assert lines(tmp_path / "out/documents.jsonl")[0]["references"] == 0


def test_changed_settings_are_other_results_and_going_back_costs_nothing(
    batch, papers, tmp_path, monkeypatch
):
    batch("papers", "--format", "html")
    assert len(list((tmp_path / "out/reports").iterdir())) == 2
    before = read_results(tmp_path / "out")
    batch("papers", "--max-false-accusations", "0.5", "--format", "md")
    after = read_results(tmp_path / "out")
    assert after.keys() != before.keys()  # reports of the former run are gone
    assert all(name.endswith(".md") for name in after if name.startswith("reports"))
    monkeypatch.setattr(batch_session, "LocalProcesses", None)
    batch("papers", "--format", "html")
    assert read_results(tmp_path / "out") == before


def test_a_document_that_uses_another_file_is_done_anew_when_that_changes(batch, tmp_path):
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "main.tex").write_text(
        "\\documentclass{article}\\begin{document}\\cite{he2016deep}\\bibliography{refs}\\end{document}"
    )
    shutil.copy(EXAMPLES / "references.bib", folder / "refs.bib")
    batch("paper")
    (row,) = lines(tmp_path / "out/documents.jsonl")
    assert (row["id"], row["references"]) == ("paper/main.tex", 1)
    (folder / "refs.bib").write_text("@article{he2016deep, title={Another title}, year={2016}}")
    batch("paper")
    (one,) = lines(tmp_path / "out/results.jsonl")
    assert one["claimed"]["title"] == "Another title"


def test_what_cannot_be_read_is_a_row_with_its_error(batch, papers, tmp_path):
    (papers / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (papers / "empty.docx").write_bytes(b"PK\x03\x04")
    (papers / "locked.bib").write_text("@article{a, title={A}}")
    (papers / "locked.bib").chmod(0)
    (papers / "twice.bib").write_bytes((papers / "references.bib").read_bytes())
    ended = batch("papers", "papers/answer.md", "papers/./answer.md")
    assert ended.code == 1
    rows = {row["id"]: row for row in lines(tmp_path / "out/documents.jsonl")}
    assert len(rows) == 6  # what is named twice is done once
    assert "say which documents could not be checked" in ended.out
    for name in ("papers/broken.pdf", "papers/empty.docx"):
        assert rows[name]["status"] == "unreadable"
        assert rows[name]["error"]["message"]
        assert rows[name]["error"]["hint"]
    if os.geteuid():
        assert rows["papers/locked.bib"]["error"]["message"] == "no permission to read it"
    summary = json.loads((tmp_path / "out/summary.json").read_bytes())
    assert summary["same_content"] == [["papers/references.bib", "papers/twice.bib"]]


def test_empty_papers_and_pipes_are_told_and_nothing_waits_for_them(batch, papers, tmp_path):
    (papers / "empty.pdf").touch()
    (papers / "empty.txt").touch()  # no document by its name alone
    os.mkfifo(tmp_path / "pipe.bib")
    assert batch("papers", "pipe.bib").code in (1, 4)
    rows = [json.loads(line) for line in (tmp_path / "out" / "documents.jsonl").read_text().splitlines()]
    told = {row["id"]: row["error"]["message"] for row in rows if row["status"] == "unreadable"}
    assert told == {"papers/empty.pdf": "the file is empty", "pipe.bib": "not a regular file"}


def test_hostile_names_of_files_stay_text(batch, tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    names = [
        b"\xff\xfe.bib",
        b"a\nb\x1b[31m.bib",
        b"a..bib",
        b"<script>.bib",
        b"\\udcff\\udcfe.bib",
        b"=cmd.bib",
        b"x" * 240 + b".bib",
    ]
    for name in names:
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("@article{a, title={On tests}}")
    ended = batch("odd", "--format", "html")
    assert "\x1b" not in ended.out + ended.err
    rows = lines(tmp_path / "out/documents.jsonl")
    assert sorted(row["status"] for row in rows) == ["undecided"] * len(names)
    reports = [path.name for path in (tmp_path / "out/reports").iterdir()]
    assert len(reports) == len(names)
    assert all(name.isascii() and name.isprintable() and not name.startswith(".") for name in reports)


def test_nothing_to_check_ends_with_3(batch, tmp_path):
    (tmp_path / "empty").mkdir()
    ended = batch("empty")
    assert ended.code == 3
    assert "no document" in ended.err
    assert batch("none/*.pdf").code == 3
    wrong = batch("missing.pdf")
    assert wrong.code == 2
    assert "no such file or folder" in wrong.err


def test_archives_are_documents_each_and_bombs_are_refused(batch, papers, tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("references.bib", "answer.md"):
            archive.write(papers / name, f"in/{name}")
        archive.writestr("../out.bib", "@article{a, title={Outside}}")
        archive.writestr("bomb.bib", b"@comment{" + b" " * 5_000_000)
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        archive.add(papers / "references.bib", "references.bib")
        archive.add(papers / "answer.md", "answer.md")
    batch("papers", out="plain")
    batch("all.zip", "all.tar.gz")
    rows = lines(tmp_path / "out/documents.jsonl")
    assert [(row["id"], row["status"]) for row in rows] == [
        ("all.zip!/bomb.bib", "unreadable"),
        ("all.zip!/in/answer.md", "checked"),
        ("all.zip!/in/references.bib", "checked"),
        ("all.tar.gz!/references.bib", "checked"),
        ("all.tar.gz!/answer.md", "checked"),
    ]
    assert "unpack to" in rows[0]["error"]["message"]
    plain = [one["verdict"] for one in lines(tmp_path / "plain/results.jsonl")]
    assert [one["verdict"] for one in lines(tmp_path / "out/results.jsonl")][: len(plain)] == plain


def test_a_tar_with_zstd_gives_what_any_tar_gives(batch, papers, tmp_path):
    with tarfile.open(tmp_path / "all.tar", "w") as archive:
        for name in ("references.bib", "answer.md"):
            archive.add(papers / name, name)
    plain = (tmp_path / "all.tar").read_bytes()
    half = len(plain) // 2
    frames = [zstandard.compress(part) for part in (plain[:half], plain[half:])]  # `zstd -T` makes several
    (tmp_path / "all.tar.zst").write_bytes(b"".join(frames))
    (tmp_path / "cut.tar.zst").write_bytes(zstandard.compress(plain)[:-40])
    with tarfile.open(tmp_path / "bomb.tar", "w") as archive:
        (tmp_path / "bomb.bib").write_bytes(b"@comment{" + b" " * 30_000_000)
        archive.add(tmp_path / "bomb.bib", "bomb.bib")
        archive.add(papers / "answer.md", "answer.md")
    (tmp_path / "bomb.tar.zst").write_bytes(zstandard.compress((tmp_path / "bomb.tar").read_bytes()))
    batch("all.tar", out="plain")
    batch("all.tar.zst", "cut.tar.zst", "bomb.tar.zst")
    rows = {row["id"]: row["status"] for row in lines(tmp_path / "out/documents.jsonl")}
    assert rows["all.tar.zst!/references.bib"] == rows["all.tar.zst!/answer.md"] == "checked"
    assert any(name.startswith("cut.tar.zst") for name in rows)
    expected = [one["verdict"] for one in lines(tmp_path / "plain/results.jsonl")]
    assert [one["verdict"] for one in lines(tmp_path / "out/results.jsonl")][: len(expected)] == expected
    assert "bomb.tar.zst!/answer.md" not in rows
    assert "checked" not in {status for name, status in rows.items() if name.startswith("bomb")}


def test_the_folder_belongs_to_one_run_and_is_no_input_of_its_own(batch, papers, tmp_path, monkeypatch):
    first = batch("papers", out="papers/out")
    again = batch("papers", out="papers/out")
    assert again == first
    assert len(lines(papers / "out/documents.jsonl")) == 2
    from citeproof.plumbing.disk_files import take_lock

    monkeypatch.setattr(batch_session, "_PAUSE", 0)
    handle = take_lock(papers / "out/.lock")
    held = batch("papers", out="papers/out")
    os.close(handle)
    assert held.code == 2
    assert "another run is using this folder" in held.err


def write_many(folder: Path, count: int) -> None:
    folder.mkdir()
    text = (EXAMPLES / "references.bib").read_text(encoding="utf-8")
    for number in range(count):
        (folder / f"{number:03}.bib").write_text(f"@comment{{{number}}}\n{text}")


def start(snapshot: Path, tmp_path: Path, *more: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "citeproof", "batch", "many", "--snapshot", str(snapshot), *more]
    with (tmp_path / "err.txt").open("wb") as told:
        return subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=told)


def wait_until(true, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_stopped_goes_on_and_ends_with_the_same_bytes(batch, snapshot, tmp_path, how):
    write_many(tmp_path / "many", 40)
    whole = start(snapshot, tmp_path, "--out", "whole", "--jobs", "2", "--format", "html")
    assert whole.wait(120) == 1
    out = tmp_path / "out"
    for stop_at in (3, 20):
        stopped = start(snapshot, tmp_path, "--out", "out", "--jobs", "2", "--format", "html")
        wait_until(lambda: count_done(out) >= stop_at)  # noqa: B023 - called at once
        stopped.send_signal(how)
        assert stopped.wait(60) in (-how, 130)
        assert count_done(out) < 40
        if how == signal.SIGINT:
            assert "run the same command again to continue" in (tmp_path / "err.txt").read_text()
    last = start(snapshot, tmp_path, "--out", "out", "--jobs", "1", "--format", "html")
    assert last.wait(120) == 1
    assert read_results(out) == read_results(tmp_path / "whole")


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_and_its_document_done(snapshot, cli, tmp_path):
    write_many(tmp_path / "many", 60)
    whole = start(snapshot, tmp_path, "--out", "whole", "--jobs", "1")
    assert whole.wait(120) == 1
    run = start(snapshot, tmp_path, "--out", "out", "--jobs", "2")
    for done in (2, 15, 30):
        wait_until(lambda: count_done(tmp_path / "out") >= done)  # noqa: B023 - called at once
        os.kill(list_children(run.pid)[0], signal.SIGKILL)
    assert run.wait(120) == 1
    assert read_results(tmp_path / "out") == read_results(tmp_path / "whole")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.txt", "# papers\npapers/references.bib\n\npapers/gone.pdf\n"),
        ("list.csv", "id,title,path\np1,x,papers/references.bib\np2,y,papers/gone.pdf\n"),
        ("list.jsonl", '{"path":"papers/references.bib","id":"p1"}\n{"file":"papers/gone.pdf","id":"p2"}\n'),
    ],
)
def test_lists_name_documents_and_their_ids(batch, papers, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert batch("--manifest", name).code == 1
    rows = lines(tmp_path / "out/documents.jsonl")
    ids = ["papers/references.bib", "papers/gone.pdf"] if name == "list.txt" else ["p1", "p2"]
    assert [row["id"] for row in rows] == ids
    assert [row["status"] for row in rows] == ["checked", "unreadable"]
    assert rows[1]["error"]["message"] == "no such file"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "name,id\nx.bib,1\n", "a.csv:1: has no column named path"),
        ("a.csv", "path,id\nx.bib,1\ny.bib,1\n", "a.csv:3: the id '1' is there twice"),
        ("a.csv", "path,id\n,1\n", "a.csv:2: has no path"),
        ("a.csv", f"path,{'x' * 200_000}\nx.bib,1\n", "a.csv:1: is no CSV: field larger"),
        ("a.csv", f"path,id\n{'x' * 200_000},1\n", "a.csv:2: is no CSV: field larger"),
        ("a.jsonl", '{"path": "x"}\n[1]\n', "a.jsonl:2: is no JSON object"),
        ("a.jsonl", '{"path":' + "[" * 100_000, "a.jsonl:1: is no JSON object"),
        ("a.txt", "x\0y\n", "a.txt:1: has no path"),
    ],
    ids=range(8),  # the texts are long
)
def test_a_wrong_list_is_told_at_its_line(batch, tmp_path, name, text, told):
    csv.field_size_limit(1 << 24)  # as a reader of other lists left it
    (tmp_path / name).write_text(text)
    ended = batch("--manifest", name)
    assert ended.code == 2
    assert told in ended.err
    assert "hint: " in ended.err


def test_offline_reads_no_bucket(batch):
    ended = batch("s3://papers/2026")
    assert ended.code == 2
    assert "is on the network" in ended.err


def test_a_table_for_data_frames_has_every_reference(batch, papers, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    batch("papers")
    table = parquet.read_table(tmp_path / "out/results.parquet")
    rows = lines(tmp_path / "out/results.jsonl")
    assert table.column("document").to_pylist() == [row["document"] for row in rows]
    assert table.column("label").to_pylist() == [row["label"] for row in rows]
    assert table.column("year").to_pylist() == [row["claimed"]["year"] for row in rows]
    (tmp_path / "none").mkdir()
    (tmp_path / "none/empty.bib").write_text("@comment{nothing}")
    assert batch("none", out="empty").code == 3
    assert parquet.read_table(tmp_path / "empty/results.parquet").num_rows == 0


def test_the_page_of_the_venue_names_what_papers_share_and_leads_to_their_reports(batch, papers, tmp_path):
    text = (papers / "references.bib").read_text(encoding="utf-8")
    (papers / "more.bib").write_text(f"@comment{{x}}\n{text}")
    batch("papers", "--format", "html")
    data = json.loads((tmp_path / "out/venue.json").read_bytes())
    assert data["papers"]["total"] == 3
    assert {one["papers"] for one in data["shared_major"]} == {2}
    page = (tmp_path / "out/venue.html").read_text(encoding="utf-8")
    for row in lines(tmp_path / "out/documents.jsonl"):
        assert f'href="{row["reports"]["html"]}"' in page
        assert (tmp_path / "out" / row["reports"]["html"]).is_file()


@pytest.mark.slow
def test_workers_share_answers_and_a_second_run_asks_nobody(tmp_path):
    from citeproof.laboratory.testing import Shelf, World
    from citeproof.vocabulary import Ids, Kind, Name, Record, Version

    resnet = Record(
        source="mine",
        id="1",
        titles=("Deep Residual Learning for Image Recognition",),
        authors=(
            Name("He", "Kaiming"),
            Name("Zhang", "Xiangyu"),
            Name("Ren", "Shaoqing"),
            Name("Sun", "Jian"),
        ),
        versions=(Version(2016, "CVPR", Kind.ARTICLE, pages="770-778"),),
        kind=Kind.ARTICLE,
        ids=Ids((("doi", "10.1109/cvpr.2016.90"),)),
    )
    entry = "@inproceedings{he, title={Deep Residual Learning for Image Recognition}, year={2016}, "
    entry += (
        "author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, doi={10.1109/cvpr.2016.90}}"
    )
    (tmp_path / "many").mkdir()
    for number in range(8):
        (tmp_path / f"many/{number}.bib").write_text(f"@comment{{{number}}}\n{entry}\n")
    with World(Shelf(resnet)) as world:
        home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        more = {"CITEPROOF_LIMITS_DIR": str(tmp_path / "limits"), "CITEPROOF_SOURCES": "crossref,doi"}
        environment = os.environ | world.environment() | home | more
        environment.pop("CITEPROOF_OFFLINE", None)

        def run(*words):
            command = [sys.executable, "-m", "citeproof", "batch", *words]
            return subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, timeout=120, check=False
            )

        ended = run("many/0.bib", "--out", "one", "--jobs", "1")
        assert ended.returncode == 0, ended.stderr
        for_one = len(world.log)
        assert for_one > 0
        shutil.rmtree(tmp_path / "home")
        ended = run("many", "--out", "out", "--jobs", "2")
        assert ended.returncode == 0, ended.stderr
        assert len(world.log) <= 3 * for_one  # the two workers may ask at the same moment
        asked = len(world.log)
        before = read_results(tmp_path / "out")
        assert run("many", "--out", "out").returncode == 0
        assert len(world.log) == asked
    assert read_results(tmp_path / "out") == before
    assert {one["label"] for one in lines(tmp_path / "out/results.jsonl")} == {"EXACT"}


def test_the_totals_and_the_page_say_what_the_policy_fails(batch, papers, tmp_path):
    ended = batch(papers, "--policy", "strict")
    failing = json.loads((tmp_path / "out/summary.json").read_bytes())["failing"]
    rows = [json.loads(line) for line in (tmp_path / "out/documents.jsonl").read_bytes().splitlines()]
    counts = [row["failing"] for row in rows if row.get("failing")]
    assert failing == {"references": sum(counts), "documents": len(counts)}
    words = f"policy strict fails {sum(counts)} references in {len(counts)} documents"
    assert words in ended.out.splitlines()
    assert words in (tmp_path / "out/venue.html").read_text("utf-8")
