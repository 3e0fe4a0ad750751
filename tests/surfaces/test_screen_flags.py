"""Which references a report on a terminal shows: --only, --quiet, --summary, -v."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

BIB = Path(__file__).parents[2] / "examples" / "references.bib"
PROBLEMS, UNCHECKED, EXACT = "marlow2017mask", "knuth1984texbook", "vaswani2017attention"


@pytest.mark.parametrize(
    ("flags", "blocks", "absent"),
    [
        ([], {PROBLEMS}, {EXACT}),
        (["--only", "problems"], {PROBLEMS}, {EXACT, UNCHECKED}),
        (["--only", "unchecked"], {UNCHECKED}, {EXACT, PROBLEMS}),
        (["--only", "all"], {PROBLEMS, UNCHECKED, EXACT}, set()),
        (["-v"], {PROBLEMS, UNCHECKED, EXACT}, set()),
        (["--quiet"], {PROBLEMS}, {EXACT, UNCHECKED, "references:"}),
        (["--summary"], set(), {PROBLEMS, EXACT, UNCHECKED}),
    ],
)
def test_what_is_shown(cli, snapshot, flags, blocks, absent):
    ended = cli("check", BIB, "--snapshot", snapshot, *flags)
    shown = set(re.findall(r"^[✓~✗?] .*?  (\S+)  ", ended.out, re.MULTILINE))
    assert blocks <= shown
    assert not [word for word in absent if word in ended.out]
    assert ended.code == 1  # whatever is shown


def test_what_could_not_be_checked_is_one_line_a_cause_with_its_keys(cli, snapshot):
    ended = cli("check", BIB, "--snapshot", snapshot)
    causes = [line for line in ended.out.splitlines() if line.startswith("? ")]
    assert len(causes) == 1
    assert causes[0].startswith("? 2 could not be checked: ")
    assert "\n    knuth1984texbook  The TeXbook\n    ref-11            @article{ title" in ended.out


def test_ids_of_records_are_for_those_who_ask(cli, snapshot):
    plain, full = (cli("check", BIB, "--snapshot", snapshot, *flags).out for flags in ([], ["-v"]))
    assert "record: Finn et al. 2017; snapshot\n" in plain
    assert re.search(r"record: Finn et al\. 2017; snapshot:\S+ \S+\n", full)
    assert "confidence" not in plain
    assert "confidence" in full


def test_clean_and_quiet_is_silent(cli, snapshot, tmp_path):
    entry = BIB.read_text("utf-8").partition("@")[2].partition("\n@")[0]
    (tmp_path / "one.bib").write_text(f"@{entry}", encoding="utf-8")
    ended = cli("check", tmp_path / "one.bib", "--snapshot", snapshot, "--quiet")
    assert (ended.out, ended.code) == ("", 0)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--quiet", "--summary"], "--quiet and --summary: cannot be given together"),
        (["--only", "all", "--quiet"], "--only and --quiet: cannot be given together"),
        (["--summary", "--format", "md"], "needs --format text"),
    ],
)
def test_flags_that_contradict_each_other(cli, snapshot, flags, told):
    ended = cli("check", BIB, "--snapshot", snapshot, *flags)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err


def test_keys_of_two_documents_say_which_document(cli, snapshot, tmp_path):
    for name in ("a.bib", "b.bib"):
        entries = (f"@book{{k{n}, title={{Nobody Has Book {n} of {name}}}}}\n" for n in range(4))
        (tmp_path / name).write_text("".join(entries), encoding="utf-8")
    ended = cli("check", "a.bib", "b.bib", "--snapshot", snapshot)
    assert "\n    a.bib: k0, k1, k2, k3; b.bib: k0, k1, k2, k3\n" in ended.out
    assert "-v shows each of them; without --offline, registries are asked too\n" in ended.out


def test_hint_that_problems_share_is_told_once(cli, snapshot, tmp_path):
    entry = BIB.read_text("utf-8").partition("@")[2].partition("\n@")[0]
    (tmp_path / "one.bib").write_text(f"@{entry}\n" * 14, encoding="utf-8")
    ended = cli("check", "one.bib", "--snapshot", snapshot)
    assert ended.out.count("the key was already used") == 10
    assert ended.out.count("hint: change one of the two keys") == 1
    assert "! 3 more problems on reading: -v shows them\n" in ended.out


@pytest.mark.parametrize("flags", [[], ["--quiet"], ["--summary"]])
def test_unreadable_file_stands_at_the_top(cli, snapshot, tmp_path, flags):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    ended = cli("check", BIB, "broken.pdf", "--snapshot", snapshot, *flags)
    assert ended.out.startswith("! broken.pdf: ")
    assert ended.code == 1


RETRACTED = "@article{bad, title = {RETRACTED: Rotating lattices}, author = {Nowak, Jan}, journal = {Acta}}"


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ([], "1 could not be checked; 1 retracted"),
        (["--quiet"], "finding: retracted"),
        (["--summary"], "1 could not be checked; 1 retracted"),
        (["--format", "md"], "| could not check, retracted |"),
        (["--format", "html"], '<article class="open"><details open>'),
    ],
)
def test_what_fails_the_run_is_in_sight_though_it_could_not_be_checked(cli, snapshot, tmp_path, flags, shown):
    (tmp_path / "refs.bib").write_text(RETRACTED, encoding="utf-8")
    ended = cli("check", tmp_path / "refs.bib", "--snapshot", snapshot, *flags)
    assert shown in ended.out
    assert ended.code == 1
