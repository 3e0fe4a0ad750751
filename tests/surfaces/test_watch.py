"""`citeproof watch`: only what changed since the last run, online, offline and after a list update."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeproof.laboratory.testing import Faults, Shelf, World
from citeproof.vocabulary import Ids, Kind, Name, Record, Version

BIB = """@article{bad, title={A retracted work}, author={Doe, Jane}, year={2019}, doi={10.1000/X1}}
@article{good, title={A sound work}, author={Roe, Rick}, year={2019}, doi={10.1000/x2}}
"""
HEAD = "Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,\n"
WORRY = "A work in doubt,Pat Poe,1/2/2020 0:00,10.1000/n3,10.1000/x3,Expression of concern,+Doubt;,\n"
RETRACTED = "A retracted work,Jane Doe,1/2/2020 0:00,10.1000/n1,10.1000/x1,Retraction,+Fake Data;,\n"
REINSTATED = "A retracted work,Jane Doe,1/2/2021 0:00,10.1000/n4,10.1000/x1,Reinstatement,+Error;,\n"
DEEP = Record(
    "made", "deep", ("Deep learning",),
    authors=(Name("LeCun", "Yann"), Name("Bengio", "Yoshua"), Name("Hinton", "Geoffrey")),
    versions=(Version(2015, "Nature", Kind.ARTICLE, "521", "7553", "436-444"),), kind=Kind.ARTICLE,
    ids=Ids((("doi", "10.1038/nature14539"), ("pmid", "26017442"))),
)  # fmt: skip
DEEP_BIB = """@article{deep, title={Deep learning},
  author={LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey},
  journal={Nature}, volume={521}, year={2015}, doi={10.1038/nature14539}}
"""


@pytest.fixture
def watch(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / "state"))
    (tmp_path / "refs.bib").write_text(BIB)
    return lambda *flags: cli("watch", "refs.bib", *flags)


@pytest.fixture
def take_list(cli, tmp_path):
    def install(*rows):
        (tmp_path / "list.csv").write_text(HEAD + WORRY + "".join(rows))
        assert cli("lists", "import", "list.csv", "--date", datetime.now(UTC).date().isoformat()).code == 0

    return install


def find_state(tmp_path) -> Path:
    (found,) = (tmp_path / "home/state/citeproof/watch").glob("*.json")
    return found


def test_a_retraction_lands_with_a_list_update(watch, take_list):
    take_list()
    first = watch()
    assert first.code == 0
    assert "refs.bib: first report stored: 2 references (2 unchecked)" in first.out
    assert (watch().out, watch().code) == ("", 0)
    take_list(RETRACTED)
    news = watch()
    assert news.code == 1
    assert "1 change since" in news.out
    assert "bad  A retracted work" in news.out
    assert "retracted: the work was retracted on 2020-01-02" in news.out
    assert "good" not in news.out
    assert (watch().out, watch().code) == ("", 0)
    take_list(RETRACTED, REINSTATED)
    lifted = watch("--format", "json")
    (change,) = json.loads(lifted.out)["libraries"][0]["changes"]
    assert (change["kind"], change["check"], change["fails"]) == ("finding", "reinstated", False)
    assert lifted.code == 0


def test_what_a_stale_list_does_not_say_is_no_news(watch, take_list, tmp_path):
    take_list(RETRACTED)
    watch()
    for file in (tmp_path / "home/citeproof/lists").iterdir():
        file.unlink()
    assert (watch().out, watch().code) == ("", 0)
    take_list(RETRACTED)
    assert (watch().out, watch().code) == ("", 0)


def test_policy_and_ignore_list_apply(watch, take_list, tmp_path):
    take_list()
    watch()
    take_list(RETRACTED)
    (tmp_path / "i.toml").write_text('[[ignore]]\nid = "bad"\ncheck = "retracted"\nreason = "an example"\n')
    assert (watch("--ignore", "i.toml").out, watch("--ignore", "i.toml").code) == ("", 0)
    told = watch("--fail-on", "major,no-retracted")
    assert (told.code, "• bad" in told.out) == (0, True)


def test_entries_are_known_by_their_work(watch, take_list, tmp_path):
    take_list()
    watch()
    changed = (
        BIB.replace("{good,", "{roe2019,").splitlines()[1] + "\n@misc{new, title={Another}, year=2001}\n"
    )
    (tmp_path / "refs.bib").write_text(changed)
    ended = watch("--format", "json")
    changes = json.loads(ended.out)["libraries"][0]["changes"]
    assert [(one["kind"], one["key"]) for one in changes] == [("added", "new"), ("removed", "bad")]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace("A sound work", "A found work"), "was changed after it was signed"),
        (lambda text: text[: len(text) // 2], "is damaged"),
        (lambda _: "", "is damaged"),
        (lambda text: text.replace("watch/1", "watch/9"), "is of another version"),
        (
            lambda text: text.replace("\\u2014 citeproof", "— other").replace("— citeproof", "— other"),
            "trusted",
        ),
    ],
)
def test_an_earlier_report_that_was_changed_is_not_trusted(damage, said, watch, tmp_path):
    watch()
    path = find_state(tmp_path)
    path.write_text(damaged := damage(path.read_text()))
    ended = watch()
    assert ended.code == 2
    assert said in ended.err
    assert "--reset" in ended.err
    assert path.read_text() == damaged
    assert "first report stored" in watch("--reset").out
    assert (watch().out, watch().code) == ("", 0)


def test_without_its_key_a_report_is_not_trusted(watch, tmp_path):
    watch()
    (key,) = (tmp_path / "home").rglob("watch.key")
    assert key.stat().st_mode & 0o077 == 0
    key.unlink()
    ended = watch()
    assert (ended.code, "cannot be verified: its key is not in" in ended.err) == (2, True)


@pytest.mark.parametrize("at", ["citeproof.service.watch_state.WatchState.write", "pathlib.Path.replace"])
def test_a_killed_run_loses_nothing(at, watch, take_list, tmp_path):
    take_list()
    watch()
    take_list(RETRACTED)
    module, _, name = at.rpartition(".")
    owner, _, kind = module.rpartition(".")
    code = (
        f"import os, signal, sys\nfrom {owner} import {kind}\nfrom citeproof.surfaces.cli.main import main\n"
        f"{kind}.{name} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "main(['watch', 'refs.bib'])"
    )
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert "retracted" in killed.stdout
    again = watch()
    assert (again.code, "retracted" in again.out) == (1, True)
    assert (watch().out, watch().code) == ("", 0)


def test_several_libraries_in_one_state_file(cli, watch, take_list, tmp_path):
    take_list()
    (tmp_path / "other.bib").write_text(DEEP_BIB)
    both = ("watch", "refs.bib", "other.bib", "--state", "state/watch.json")
    (tmp_path / "state").mkdir()
    first = cli(*both)
    assert first.out.count("first report stored") == 2
    take_list(RETRACTED)
    (tmp_path / "moved").mkdir()
    for name in ("refs.bib", "other.bib", "state"):
        (tmp_path / name).rename(tmp_path / "moved" / name)
    os.chdir(tmp_path / "moved")
    news = cli(*both)
    assert (news.code, news.out.count("since")) == (1, 1)
    (tmp_path / "moved/other.bib").unlink()
    gone = cli(*both)
    assert (gone.code, "other.bib" in gone.err) == (2, True)


def test_what_is_not_there(cli, watch, tmp_path):
    assert cli("watch", "none.bib").code == 2
    (tmp_path / "refs.bib").write_text("")
    assert watch().code == 3


def test_markdown_escapes_what_documents_say(watch, tmp_path):
    watch()
    (tmp_path / "refs.bib").write_text(
        BIB + "@misc{evil, title={<img src=x> | [a](http://e.example)}, year=2001}\n"
    )
    out = watch("--format", "md", "-o", "out.md").out
    text = (tmp_path / "out.md").read_text()
    assert (out, "<img" in text, "[a]" in text) == ("", False, False)
    assert "added: not checked" in text


# --- online --------------------------------------------------------------------------------------


@pytest.fixture
def online(cli, monkeypatch, tmp_path):
    """Run `watch` against a loopback world that knows these records; each world has its own cache."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / "state"))
    for name in [name for name in os.environ if name.startswith("CITEPROOF_")]:
        monkeypatch.delenv(name)
    runs = iter(range(100))

    def run(*records, faults=None):
        with World(Shelf(*records), faults=faults or {}) as world:
            folders = {"CACHE_DIR": f"cache{next(runs)}", "LIMITS_DIR": "limits", "PACE": 1000, "DEADLINE": 2}
            for name, value in {**folders, "SOURCES": "doi,crossref,openalex,pubmed"}.items():
                monkeypatch.setenv(f"CITEPROOF_{name}", str(value))
            for name, value in world.environment().items():
                monkeypatch.setenv(name, value)
            return cli("watch", "refs.bib", "--format", "json")

    return run


def list_changes(ended):
    return [
        (one["kind"], one["before"], one["after"], one["fails"])
        for one in json.loads(ended.out)["libraries"][0]["changes"]
    ]


def test_a_retraction_lands_at_a_registry(online, tmp_path):
    (tmp_path / "refs.bib").write_text(DEEP_BIB)
    assert list_changes(online(DEEP)) == []
    assert list_changes(online(DEEP)) == []
    news = online(replace(DEEP, marks=("retracted",)))
    assert (news.code, list_changes(news)) == (1, [("finding", "", "retracted", True)])
    assert list_changes(online(replace(DEEP, marks=("retracted",)))) == []
    lifted = online(DEEP)
    assert (lifted.code, [one[0] for one in list_changes(lifted)]) == (0, [])  # no list says that it is clear


def test_a_work_is_found_at_last(online, tmp_path):
    (tmp_path / "refs.bib").write_text(DEEP_BIB)
    first = online()
    assert json.loads(first.out)["libraries"][0]["labels"]["MAJOR"] == 1
    news = online(DEEP)
    assert (news.code, list_changes(news)) == (0, [("found", "MAJOR not_found", "EXACT", False)])


def test_an_outage_is_no_news(online, tmp_path):
    (tmp_path / "refs.bib").write_text(DEEP_BIB)
    online(DEEP)
    down = online(DEEP, faults=dict.fromkeys(("doi", "crossref", "openalex", "pubmed"), Faults.status(503)))
    assert (down.code, list_changes(down)) == (4, [])
    assert "1 reference could be checked before and not today" in down.err
    assert list_changes(online(DEEP)) == []
