"""`--encoding`: every command that reads documents takes it, and a document's own files have it too."""

import json

import pytest

import citeproof

CYRILLIC = "@book{k, author = {Иванов, Пётр}, title = {Основы химии}, year = 1990}\n"


def extract_titles(cli, *args):
    out = cli("extract", *args, "--format", "jsonl").out
    return [json.loads(line)["claimed"]["title"] for line in out.splitlines()]


def test_the_stated_encoding_reads_what_no_guess_would(cli, tmp_path):
    file = tmp_path / "refs.bib"
    file.write_bytes(CYRILLIC.encode("mac-cyrillic"))
    assert extract_titles(cli, file, "--encoding", "mac-cyrillic") == ["Основы химии"]


def test_the_bibliography_of_a_document_has_the_encoding_that_the_document_declares(cli, tmp_path):
    (tmp_path / "refs.bib").write_bytes(CYRILLIC.encode("mac-cyrillic"))
    (tmp_path / "main.tex").write_bytes(
        "\\documentclass{article}\\usepackage[maccyr]{inputenc}\\begin{document}Химия \\cite{k}."
        "\\bibliography{refs}\\end{document}".encode("mac-cyrillic")
    )
    assert extract_titles(cli, tmp_path / "main.tex") == ["Основы химии"]


@pytest.mark.parametrize("command", ["check", "extract", "fix", "claims"])
def test_an_unknown_encoding_is_wrong_usage_with_a_hint(cli, tmp_path, command):
    file = tmp_path / "refs.bib"
    file.write_text(CYRILLIC, encoding="utf-8")
    ended = cli(command, file, "--encoding", "cp12511")
    assert ended.code == 2
    assert "not a known encoding" in ended.err
    assert "cp1251" in ended.err.partition("hint:")[2]


def test_a_misread_file_is_reported_with_the_guess_and_accuses_nobody(cli, tmp_path, monkeypatch):
    file = tmp_path / "refs.bib"
    file.write_bytes("@article{k, author={Šimek, Jan}, title={Of Nothing at All}}".encode("iso8859-2"))
    ended = cli("extract", file, "--format", "json")
    [problem] = json.loads(ended.out)["documents"][0]["problems"]
    assert "read as" in problem["message"]
    assert "a guess" in problem["message"]
    assert problem["location"]["line"] == 1


def test_python_takes_the_encoding(tmp_path):
    file = tmp_path / "refs.bib"
    file.write_bytes(CYRILLIC.encode("mac-cyrillic"))
    with citeproof.Verifier(offline=True, encoding="mac-cyrillic") as verifier:
        [one] = verifier.check(file)
    assert one.reference.claimed.title == "Основы химии"
