"""`citeproof check` end to end, on the bundled examples and a small snapshot of their facts."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

BIB = {
    "vaswani2017attention": ("matched", "EXACT"),
    "devlin2019bert": ("matched", "EXACT"),
    "he2016deep": ("ambiguous", "MINOR"),
    "huang2017sparsely": ("mismatch", "MAJOR"),
    "marlow2017mask": ("mismatch", "MAJOR"),
    "socher2014glove": ("matched", "MINOR"),
    "finn2017model": ("matched", "MINOR"),
    "goodfellow2017generative": ("matched", "MINOR"),
    "halloran2016recursive": ("not_found", "MAJOR"),
    "knuth1984texbook": ("unchecked", None),
    "dennerstein1979hormone": ("matched", "EXACT"),
}
ANSWER = [
    ("matched", "EXACT"),
    ("ambiguous", "MINOR"),
    ("matched", "EXACT"),
    ("not_found", "MAJOR"),
    ("matched", "EXACT"),
    ("unchecked", None),
]


def _lines(ended):
    return [json.loads(line) for line in ended.out.splitlines()]


def test_bibliography(cli, snapshot):
    ended = cli("check", EXAMPLES / "references.bib", "--snapshot", snapshot, "--format", "jsonl")
    got = {one["key"]: (one["verdict"], one["label"]) for one in _lines(ended)}
    assert {key: got.get(key) for key in BIB} == BIB
    assert ended.code == 1
    assert "references.bib:9" in ended.err  # the broken entry, at its line
    assert "hint: " in ended.err


def test_answer_of_a_language_model(cli, snapshot):
    ended = cli("check", EXAMPLES / "answer.md", "--snapshot", snapshot, "--format", "jsonl")
    assert [(one["verdict"], one["label"]) for one in _lines(ended)] == ANSWER


def test_json_fits_the_schema(cli, snapshot):
    files = (EXAMPLES / "references.bib", EXAMPLES / "answer.md")
    ended = cli("check", *files, "--snapshot", snapshot, "--format", "json")
    report = json.loads(ended.out)
    schema = json.loads((ROOT / "docs/spec/report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(report)
    assert report["run"]["documents"] == [str(file) for file in files]
    assert report["summary"]["verdicts"].keys() == {v for v, _ in BIB.values()}
    assert min(report["summary"]["verdicts"].values()) >= 1  # the demo shows each verdict


@pytest.mark.parametrize("word", ["text", "md"])
def test_reports_for_people(word, cli, snapshot):
    ended = cli("check", EXAMPLES / "references.bib", "--snapshot", snapshot, "--format", word)
    assert "could not be checked" in ended.out
    assert "knuth1984texbook" in ended.out
    assert ended.err == ""


AUTHORS = (
    b"author={He, Kaiming and Gkioxari, Georgia and Doll{\\'a}r, Piotr and Girshick, Ross B.}, year=2017"
)
RIGHT = b"@inproceedings{a, title={Mask {R-CNN}}, " + AUTHORS + b"}\n"
WRONG = b"@inproceedings{b, title={Mask {Q-CNN}}, " + AUTHORS + b"}\n"
BOOK = b"@book{c, title={The Art of Computer Programming}, author={Knuth, Donald E.}, year=1968}\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (RIGHT, 0),
        (RIGHT + WRONG, 1),
        (RIGHT + WRONG + BOOK, 1),
        (RIGHT + BOOK, 4),
        (b"", 3),
        (b" \r\n\n \t\n", 3),
        (b"\x00\x01\x02%PDF-1.7 binary\x00\xff", 2),
    ],
    ids=["right", "wrong", "wrong+book", "book", "empty", "blank", "binary"],
)
def test_exit_codes(text, code, cli, snapshot):
    assert cli("check", "-", "--snapshot", snapshot, stdin=text).code == code


@pytest.mark.parametrize("flags", [("-v",), ("--summary",)])
def test_what_only_text_has_is_refused_for_a_file_of_another_format(cli, snapshot, tmp_path, flags):
    out = tmp_path / "report.json"
    assert cli("check", EXAMPLES / "short.txt", "--snapshot", snapshot, "-o", out).code == 1
    assert out.read_text("utf-8").startswith("{")
    refused = cli("check", EXAMPLES / "short.txt", "--snapshot", snapshot, *flags, "-o", out)
    assert (refused.code, "use --format text instead of json" in refused.err) == (2, True)


def test_output_file_is_the_report(cli, snapshot, tmp_path):
    printed = cli("check", EXAMPLES / "short.txt", "--snapshot", snapshot, "--format", "md")
    written = cli(
        "check", EXAMPLES / "short.txt", "--snapshot", snapshot, "--format", "md", "-o", tmp_path / "r.md"
    )
    report = (tmp_path / "r.md").read_text(encoding="utf-8")
    drop_time = [line for line in report.splitlines() if not line.startswith("Started")]
    assert drop_time == [line for line in printed.out.splitlines() if not line.startswith("Started")]
    assert (written.out, written.err) == ("", "")


def test_one_binary_file_does_not_cost_the_others(cli, snapshot, tmp_path):
    (tmp_path / "a.bib").write_bytes(RIGHT)
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7\x00\x00\xff")
    ended = cli("check", tmp_path / "b.pdf", tmp_path / "a.bib", "--snapshot", snapshot)
    assert ended.out.splitlines()[0].startswith(f"! {tmp_path}")  # what could not be read stands on top
    assert "1 reference: 1 exact" in ended.out
    assert "b.pdf" in ended.out
    assert ended.code == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("check", "missing.bib"), "no such file"),
        (("check", "missing"), "no such file"),
        (("check",), "Missing argument"),
        (("check",), "for example: citeproof check refs.bib;"),
        (("verify",), "for example: citeproof verify --title"),
        (("batch", "x"), "for example: citeproof batch papers --out"),
        (("check", "-", "--format", "xml"), "xml"),
        (("check", "-", "--snapshot", "nowhere"), "nowhere"),
        (("check", "-", "--sources", "oracle"), "oracle"),
        (("check", "-", "-o", "no/such/folder/x"), "no/such/folder"),
        (("--nope",), "--nope"),
        (("verify", "--doi", "10.1/x"), "--title"),
        (("verify", "--title", "T", "--pmid", "abc"), "'abc' is not a well-formed pmid"),
    ],
)
def test_wrong_usage_names_it_and_exits_2(arguments, told, cli, monkeypatch, snapshot):
    monkeypatch.setenv("CITEPROOF_SNAPSHOT", str(snapshot))
    ended = cli(*arguments, stdin=RIGHT)
    assert ended.code == 2
    assert told in ended.err
    assert "Traceback" not in ended.err


def test_without_a_snapshot_nothing_is_decided(cli):
    ended = cli("check", "-", stdin=RIGHT)
    assert "could not be checked" in ended.out
    assert ended.code == 4


def test_snapshots_come_from_a_trusted_project_file(cli, snapshot, tmp_path):
    (tmp_path / "citeproof.toml").write_text(
        f'snapshots = ["{snapshot}"]\nformat = "jsonl"', encoding="utf-8"
    )
    refused = cli("check", "-", stdin=RIGHT)
    assert refused.code == 2
    assert "may not set snapshots" in refused.err
    assert cli("trust").code == 0
    ended = cli("check", "-", stdin=RIGHT)
    assert _lines(ended)[0]["verdict"] == "matched"


@pytest.mark.parametrize("command", ["check", "extract"])
@pytest.mark.parametrize(("made", "code"), [(True, 3), (False, 2)])
def test_a_file_name_cannot_move_the_cursor_or_add_a_line(command, made, code, cli, tmp_path):
    name = "odd\x1b[31m\r\nerror: forged.bib"
    if made:
        (tmp_path / name).write_bytes(b"")
    ended = cli(command, name)
    assert ended.code == code
    assert "odd\\x1b[31m error: forged.bib" in ended.err
    assert not any(line.startswith("error: forged") for line in ended.err.splitlines())
    assert "\x1b" not in ended.err


def test_a_broken_item_on_the_line_of_a_good_one_is_not_clean(cli, snapshot, tmp_path):
    good = '{"title": "Mask R-CNN", "author": [{"family": "He", "given": "Kaiming"}, {"literal": "others"}]}'
    (tmp_path / "one.json").write_text(f"[{good}]")
    (tmp_path / "two.json").write_text(f"[{good}, {{broken}}]")
    assert cli("check", "one.json", "--snapshot", snapshot).code == 0
    assert cli("check", "two.json", "--snapshot", snapshot).code == 4


def test_a_damaged_memory_is_told_and_kept_aside(cli, snapshot, tmp_path):
    words = ("check", EXAMPLES / "records.bib", "--snapshot", snapshot, "--memory", "memory", "--summary")
    assert "memory.sqlite" not in cli(*words).err
    (tmp_path / "memory" / "memory.sqlite").write_bytes(b"no database at all" * 300)
    damaged = cli(*words)
    assert "memory.sqlite: nothing is remembered: file is not a database" in damaged.err
    assert "the old one is renamed to memory.damaged" in damaged.err
    assert (tmp_path / "memory" / "memory.damaged").read_bytes().startswith(b"no database")
    assert "memory.sqlite" not in cli(*words).err


@pytest.mark.parametrize("command", ["check", "claims"])
def test_a_language_model_offline_is_told_once(cli, snapshot, tmp_path, command):
    allowed = ("--allow-unchecked-retractions",) if command == "claims" else ()
    words = (command, EXAMPLES / "records.bib", *allowed, "--snapshot", snapshot, "--llm", "openai:m-1")
    told = cli(*words).err
    assert told.count("language model") == 1
    assert (
        "warning: the language model was not asked: the run is offline\n  hint: run without --offline" in told
    )
    assert "language model" not in cli(*words[:-2]).err


def test_unordered_a_slow_reference_keeps_no_other_waiting(cli, registries):
    registries.set("arxiv", latency=2.0)
    slow = b"@misc{slow, eprint={1706.99999}, archiveprefix={arXiv}, year=2017}\n"
    quick = b"title={Deep learning}, author={LeCun, Yann}, year=2015, doi={10.1038/nature14539}"
    both = slow + b"@article{quick, " + quick + b"}\n"
    asked = ("check", "-", "--sources", "crossref,arxiv", "--format", "jsonl")
    lists = [cli(*asked, *flags, stdin=both) for flags in (("--unordered",), ())]
    found = [[json.loads(line) for line in ended.out.splitlines()] for ended in lists]
    assert [row["key"] for row in found[0]] == ["quick", "slow"]
    assert [row["key"] for row in found[1]] == ["slow", "quick"]
    assert [ended.code for ended in lists] == [lists[0].code] * 2


@pytest.mark.parametrize("flags", [("--format", "json"), ("--output", "html=r.html"), ("--audit", "log")])
def test_unordered_is_refused_where_the_order_counts(cli, snapshot, flags):
    ended = cli("check", "-", "--snapshot", snapshot, "--unordered", *flags, stdin=RIGHT)
    assert ended.code == 2
    assert "--unordered" in ended.err
