"""`citeproof extract` and `citeproof parse`: one line a reference, problems apart, exit codes."""

import json

BIB = "@article{k, title = {Deep learning}, year = 2015, doi = {10.1038/nature14539}}\n@article bad\n"


def test_extract_jsonl_is_one_reference_a_line(cli, tmp_path):
    file = tmp_path / "refs.bib"
    file.write_text(BIB)
    ended = cli("extract", str(file), "--format", "jsonl")
    [line] = ended.out.splitlines()
    one = json.loads(line)
    assert (one["key"], one["type"], one["claimed"]["year"]) == ("k", "article", 2015)
    assert one["confidences"]["title"] == {"origin": "structured", "confidence": 1.0}
    assert one["location"]["line"] == 1
    assert one["citing"] == []
    assert ended.code == 0
    assert "refs.bib:2:1" in ended.err
    assert "hint:" in ended.err


def test_extract_json_counts_and_carries_problems(cli, tmp_path):
    file = tmp_path / "refs.bib"
    file.write_text(BIB)
    whole = json.loads(cli("extract", str(file), "--format", "json").out)["documents"][0]
    assert (whole["format"], whole["extracted"], whole["expected"]) == ("bibtex", 1, None)
    assert whole["problems"][0]["location"]["line"] == 2


def test_extract_text_shows_fields_and_certainty(cli, tmp_path):
    file = tmp_path / "refs.txt"
    file.write_text("LeCun, Y. et al. Deep learning. Nature 521, 436–444 (2015).\n")
    out = cli("extract", str(file)).out
    assert "Deep learning  (model " in out
    assert "Y. LeCun; et al." in out


def test_nothing_found_is_exit_3(cli, tmp_path):
    file = tmp_path / "empty.txt"
    file.write_text("")
    ended = cli("extract", str(file), "--format", "jsonl")
    assert (ended.code, ended.out) == (3, "")
    assert "no reference" in ended.err


def test_a_binary_file_is_exit_2_with_the_mend(cli, tmp_path):
    file = tmp_path / "paper.pdf"
    file.write_bytes(b"%PDF-1.7\0")
    ended = cli("extract", str(file))
    assert ended.code == 2
    assert "the PDF is broken" in ended.err
    assert "hint:" in ended.err


def test_one_broken_file_does_not_cost_the_others(cli, tmp_path):
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7\0")
    (tmp_path / "good.bib").write_text("@article{a, title={Deep learning}}", encoding="utf-8")
    ended = cli("extract", tmp_path / "good.bib", tmp_path / "bad.pdf", "--format", "jsonl")
    assert (ended.code, len(ended.out.splitlines())) == (4, 1)
    assert "the PDF is broken" in ended.err


def test_keys_of_two_files_are_told_apart(cli, tmp_path):
    for name in ("one.bib", "two.bib"):
        (tmp_path / name).write_text("@article{a, title={Deep learning}}", encoding="utf-8")
    out = cli("extract", tmp_path / "one.bib", tmp_path / "two.bib", "--format", "bibtex").out
    assert [line for line in out.splitlines() if line.startswith("@")] == ["@article{a,", "@article{a-2,"]


def test_parse_reads_arguments(cli):
    ended = cli(
        "parse", "--format", "jsonl", "LeCun, Y. (2015). Deep learning. Nature.", "doi:10.1038/nature14539"
    )
    first, second = [json.loads(line) for line in ended.out.splitlines()]
    assert (first["claimed"]["title"], first["claimed"]["year"]) == ("Deep learning", 2015)
    assert second["claimed"]["ids"] == {"doi": "10.1038/nature14539"}
    assert ended.code == 0


def test_parse_reads_lines_and_passes_over_empty_ones(cli):
    ended = cli("parse", "--format", "jsonl", stdin=b"Deep learning. 2015.\n\nAdam. 2014.\n")
    assert [json.loads(line)["location"]["line"] for line in ended.out.splitlines()] == [1, 3]


def test_parse_reads_standard_input_by_its_usual_name(cli):
    ended = cli("parse", "-", "--format", "jsonl", stdin=b"Doe, J. (2019). Ice. Nature.\n")
    assert json.loads(ended.out)["location"]["line"] == 1


def test_parse_reads_more_lines_than_a_block_in_their_order(cli):
    lines = [f"Smith, J. {'A long title. ' * 30} {number}. 2001." for number in range(400)]  # 170 kB
    ended = cli("parse", "--format", "jsonl", stdin="\r\n".join(lines).encode())
    found = [json.loads(line) for line in ended.out.splitlines()]
    assert [one["raw"] for one in found] == lines
    assert [(one["key"], one["location"]["line"]) for one in found] == [
        (f"ref-{n}", n) for n in range(1, 401)
    ]


def test_parse_tells_what_stands_before_a_line_that_is_no_text(cli):
    ended = cli("parse", "--format", "jsonl", stdin=b"Adam. 2014.\n\nDeep learning. 2015.\na\0b\nx\n")
    assert [json.loads(line)["location"]["line"] for line in ended.out.splitlines()] == [1, 3]
    assert ended.code == 2
    assert "line 4 holds a NUL" in ended.err


def test_parse_of_a_line_without_end_is_exit_2(cli):
    ended = cli("parse", stdin=b"Adam. 2014.\n" + b"a" * 1_100_000)
    assert ended.code == 2
    assert "line 2 has more than 1,000,000 bytes" in ended.err


def test_parse_of_nothing_is_exit_3(cli):
    assert cli("parse", stdin=b"\n").code == 3


def test_parse_of_a_nul_is_exit_2(cli):
    ended = cli("parse", stdin=b"a\0b\n")
    assert ended.code == 2
    assert "NUL" in ended.err


def test_hostile_text_cannot_move_the_cursor(cli):
    out = cli("parse", "Title \x1b[2J of doom. 2001.").out
    assert "\x1b" not in out
