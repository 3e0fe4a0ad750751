"""`citeproof check --policy` and `citeproof policy`: evidence once, many gates."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import citeproof

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/spec/report.schema.json").read_text(encoding="utf-8"))
EXACT = """@inproceedings{he2016deep,
  title     = {Deep Residual Learning for Image Recognition},
  author    = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian},
  booktitle = {CVPR},
  year      = {2016},
  doi       = {10.1109/CVPR.2016.90},
}
"""
MINOR = EXACT.replace("{2016}", "{2012}")
MAJOR = """@inproceedings{huang2017sparsely,
  title     = {Sparsely Gated Residual Lattices for Weather Prediction},
  author    = {Huang, Gao and Liu, Zhuang},
  booktitle = {CVPR},
  year      = {2017},
  doi       = {10.1109/CVPR.2017.243},
}
"""
UNCHECKED = """@misc{diary,
  title  = {A diary that no source has},
  author = {Nobody, Anna},
  year   = {1999},
}
"""
NAMES = ("author", "journal", "conference-neurips-2026", "arxiv", "strict", "strict-fields")
TO_THE_LETTER = EXACT.replace("  booktitle = {CVPR},\n", "")


@pytest.fixture
def check(cli, snapshot, tmp_path):
    def run(text, *flags):
        (tmp_path / "refs.bib").write_text(text)
        return cli("check", "refs.bib", "--snapshot", snapshot, "--offline", *flags)

    return run


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (MINOR, {"author": 1, "journal": 0, "conference-neurips-2026": 0, "arxiv": 0, "strict": 1}),
        (MAJOR, {"author": 1, "journal": 1, "conference-neurips-2026": 1, "arxiv": 1, "strict": 1}),
        (UNCHECKED, dict.fromkeys(NAMES, 4)),  # nothing was checked, whatever the rules say
        (TO_THE_LETTER, {"author": 0, "strict": 4, "strict-fields": 4}),  # 4: no list of retractions
        (TO_THE_LETTER.replace("Image", "image"), {"author": 0, "strict": 4, "strict-fields": 1}),
        (EXACT + UNCHECKED, {"author": 4, "journal": 4, "conference-neurips-2026": 0, "strict": 4}),
        (EXACT, {"author": 0, "journal": 0, "conference-neurips-2026": 0, "arxiv": 0, "strict": 4}),
        (EXACT + "@article{broken, x", {"author": 4, "conference-neurips-2026": 0, "strict": 4}),
        ("@comment{nothing}", dict.fromkeys(NAMES, 3)),
    ],
)  # fmt: skip
def test_each_policy_over_the_same_evidence(text, codes, check):
    for name, code in codes.items():
        assert check(text, "--policy", name).code == code, name


def test_the_evidence_stays_and_each_decision_names_its_rule(check):
    plain = json.loads(check(MINOR + MAJOR, "--format", "json").out)
    gated = json.loads(check(MINOR + MAJOR, "--format", "json", "--policy", "journal").out)
    jsonschema.validate(gated, SCHEMA)
    assert gated["policy"]["name"] == "journal"
    rules = [
        [(one["rule"], one["gate"], one["about"]) for one in each["gates"]] for each in gated["references"]
    ]
    assert ("small-errors", "warn", "") in rules[0]
    assert ("wrong-work", "fail", "") in rules[1]
    for before, after in zip(plain["references"], gated["references"], strict=True):
        kept = ("verdict", "label", "score", "confidence", "mismatches", "reasons", "fingerprint")
        assert [before[name] for name in kept] == [after[name] for name in kept]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("text", "wrong-work fails huang2017sparsely"),
        ("md", "## Policy"),
        ("html", "<strong>policy: fails it (wrong-work)"),
        ("sarif", '"policy_rule": "wrong-work"'),
        ("junit", "policy journal fails it (wrong-work)"),
        ("github", "[policy journal: wrong-work fails] huang2017sparsely"),
        ("summary", "[policy journal: wrong-work fails] huang2017sparsely"),
    ],
)
def test_every_report_names_the_rule(form, said, check):
    told = check(MINOR + MAJOR, "--format", form, "--policy", "journal").out
    assert said in told.replace("\\", "").replace("\n", " ").replace("  ", " ")


def test_your_own_policy(check, tmp_path):
    own = """extends = "strict"
[[rule]]
id = "years-later"
gate = "warn"
labels = ["MINOR"]
only_fields = ["year"]
why = "Years are checked by the publisher."
"""
    (tmp_path / "ours.toml").write_text(
        own + '[[rule]]\nid = "no-list"\ngate = "allow"\nstates = ["unchecked"]\nwhy = "x"\n'
    )
    told = check(MINOR, "--policy", "ours.toml")
    assert told.code == 0
    assert "years-later warns of he2016deep" in " ".join(told.out.split())
    assert check(MAJOR, "--policy", "ours.toml").code == 1


def test_what_could_not_be_read_has_its_rule(check):
    told = " ".join(check(EXACT + "@article{broken, x", "--policy", "author").out.split())
    assert "unreadable-entry fails 1 place that could not be read" in told


def test_accepted_problems_pass_every_policy(check, tmp_path):
    (tmp_path / "ignore.toml").write_text('[[ignore]]\nid = "huang2017sparsely"\nreason = "Seen in print."\n')
    assert check(MAJOR + EXACT, "--policy", "author").code == 1
    assert check(MAJOR + EXACT, "--policy", "author", "--ignore", "ignore.toml").code == 0


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--policy", "strickt"], "did you mean 'strict'"),
        (["--policy", "none.toml"], "no such policy"),
        (["--policy", "strict", "--fail-on", "none"], "cannot be given together"),
    ],
)
def test_wrong_usage(flags, said, check):
    told = check(EXACT, *flags)
    assert told.code == 2
    assert said in told.err


def test_the_nearer_of_policy_and_fail_on_decides(check, monkeypatch):
    monkeypatch.setenv("CITEPROOF_POLICY", "strict")
    assert check(MINOR).code == 1
    assert check(MINOR, "--fail-on", "none").code == 0
    monkeypatch.setenv("CITEPROOF_FAIL_ON", "none")
    assert check(MINOR).code == 1


def test_policies_are_listed_and_shown(cli):
    listed = cli("policy", "list").out
    assert [line.split()[0] for line in listed.splitlines()] == list(NAMES)
    assert "not-checked" in cli("policy", "show", "strict").out
    assert json.loads(cli("policy", "show", "strict", "--format", "json").out)["name"] == "strict"
    assert "[[rule]]" in cli("policy", "show", "strict", "--toml").out


def test_batch(cli, snapshot, tmp_path):
    (tmp_path / "papers").mkdir()
    for name, text in (("a", EXACT), ("b", MINOR), ("c", UNCHECKED)):
        (tmp_path / "papers" / f"{name}.bib").write_text(text)
    told = {}
    for name in ("strict", "journal", "arxiv"):
        flags = ("--snapshot", snapshot, "--offline", "--jobs", "1", "--quiet", "--policy", name)
        told[name] = cli("batch", "papers", "--out", "out", *flags).code
        summary = json.loads((tmp_path / "out" / "summary.json").read_text())
        assert summary["policy"]["name"] == name
    assert told == {"strict": 1, "journal": 4, "arxiv": 0}
    rows = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    assert {one["gates"][0]["rule"] for one in rows if "gates" in one} >= {"small-errors", "not-checked"}


def test_python(snapshot, tmp_path):
    (tmp_path / "refs.bib").write_text(EXACT + MINOR.replace("he2016deep", "other") + "@article{broken, x")
    report = citeproof.check(tmp_path / "refs.bib", offline=True, snapshots=[snapshot])
    codes = {name: report.apply_policy(name).exit_code for name in NAMES}
    assert codes == {
        "author": 1,
        "journal": 4,
        "conference-neurips-2026": 0,
        "arxiv": 4,
        "strict": 1,
        "strict-fields": 1,
    }
    gated = report.apply_policy("journal")
    assert [one.verdict for one in gated] == [one.verdict for one in report]
    assert gated[1].gates[0].rule == "small-errors"
    assert gated.json()["policy"]["name"] == "journal"
    assert "policy" not in report.json()
