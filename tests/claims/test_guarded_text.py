"""`claims --clean-text`: the text of a document with verified citations only."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from citeproof.surfaces.cli import main as door

MARK = "[citation not verified]"
ENTRY = (
    "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training of deep bidirectional "
    "transformers for language understanding. https://doi.org/10.18653/v1/N19-1423"
)
INVENTED = "10.18653/v1/2024.acl-long.9999"
PLAIN = f"It works [1]. It is magic ({INVENTED}). So says Sun (2025).\n\nReferences\n\n[1] {ENTRY}\n"
BIBLIOGRAPHY = f"""@inproceedings{{devlin19, doi={{10.18653/v1/N19-1423}}, year={{2019}},
title={{BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding}},
author={{Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova, Kristina}}}}
@article{{ghost20, title={{Recursive shadow pyramids}}, author={{Halloran, Petra}}, doi={{{INVENTED}}}}}
"""


@pytest.fixture
def run(offline_world, capfd, monkeypatch):
    """Run `citeproof claims` in a folder of its own; return the exit code and what was printed."""
    monkeypatch.chdir(offline_world)

    def call(*words, command="claims"):
        with pytest.raises(SystemExit) as ended:
            door.main([command, *map(str, words)])
        return int(ended.value.code or 0), capfd.readouterr()

    return call


@pytest.mark.parametrize(
    ("name", "removal", "wanted"),
    [
        ("a.txt", "bracket", f"It works [1]. It is magic ({MARK}). So says {MARK}.\n"),
        ("a.md", "remove", "It works [1]. It is magic. So says.\n"),
    ],
)
def test_only_verified_citations_are_left(name, removal, wanted, run, offline_world):
    (offline_world / name).write_text(PLAIN)
    code, printed = run(name, "--clean-text", "clean.txt", "--removal", removal)
    clean = (offline_world / "clean.txt").read_text()
    assert clean.startswith(wanted)
    assert ENTRY in clean
    assert code == 1
    assert "2 of 4 citations not verified" in printed.err
    assert "citations verified" in printed.out  # the report is about the references


def test_keys_of_a_bibliography_beside_it(run, offline_world):
    (offline_world / "refs.bib").write_text(BIBLIOGRAPHY)
    (offline_world / "a.md").write_text(
        "---\nbibliography: refs.bib\n---\nIt works [@devlin19]. It is magic [@ghost20]. Again [@devlin19].\n"
    )
    code, _ = run("a.md", "--clean-text", "clean.md")
    clean = (offline_world / "clean.md").read_text()
    assert f"It works [@devlin19]. It is magic {MARK}. Again [@devlin19].\n" in clean
    assert code == 4  # an open snapshot cannot say that a DOI does not exist


def test_standard_output_has_the_text_alone(run, offline_world, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(PLAIN.encode()), isatty=lambda: False))
    code, printed = run("-", "--clean-text", "-", "--output", "report.json", "--format", "json")
    assert printed.out.startswith(f"It works [1]. It is magic ({MARK}).")
    assert printed.out.endswith(f"[1] {ENTRY}\n")
    assert (offline_world / "report.json").read_text().startswith("{")
    assert code == 1


def test_nothing_is_left_out_and_all_is_verified(run, offline_world):
    text = f"It works [1].\n\n## References\n\n1. {ENTRY}\n"
    (offline_world / "a.md").write_text(text)
    assert run("a.md", "--clean-text", "clean.md")[0] == 0
    assert (offline_world / "clean.md").read_text() == text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.bib", BIBLIOGRAPHY, "format bibtex"),
        ("h.json", '{"claims": ["So."]}', "format hypothesis"),
        ("a.tex", "\\documentclass{article}\\begin{document}\\cite{a}\\end{document}", "format latex"),
    ],
)
def test_what_is_no_text_is_refused(name, content, told, run, offline_world):
    (offline_world / name).write_text(content)
    code, printed = run(name, "--clean-text", "clean.md")
    assert code == 2
    assert told in printed.err
    assert "hint: " in printed.err
    assert not (offline_world / "clean.md").exists()


def test_report_and_clean_text_say_the_same(run, offline_world):
    """One entry hides a second work; the text leaves it out, so the report may not call it verified."""
    hiding = f"{ENTRY} https://doi.org/{INVENTED}"
    (offline_world / "a.md").write_text(
        f"It works [1]. It is magic [2]. So says Sun (2025).\n\n## References\n\n1. {ENTRY}\n2. {hiding}\n"
    )
    run("a.md", "--clean-text", "clean.md", "--format", "json", "-o", "report.json")
    report = json.loads((offline_world / "report.json").read_text())
    clean = (offline_world / "clean.md").read_text()
    assert f"It works [1]. It is magic {MARK}. So says {MARK}." in clean
    verified = [one for one in report["claims"] if one["status"] == "verified"]
    others = [one["text"] for one in report["claims"] if one["status"] != "verified"]
    assert len(verified) == 1
    assert any("magic" in text for text in others)
    assert any("Sun (2025)" in text for text in others)


def test_the_guard_says_what_was_held_back_and_what_was_corrected(run, offline_world):
    work = '1. **"BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"** – {}\n'
    (offline_world / "a.md").write_text(
        work.format("Devlin et al. (2019), *CVPR*.") + f"\nMagic ({INVENTED}).\n"
    )
    code, printed = run("a.md", command="guard")
    lines = printed.err.splitlines()
    assert "1 of 2 citations not verified, 1 corrected" in lines
    assert f"  not verified: {INVENTED}" in lines
    assert lines[lines.index(f"  not verified: {INVENTED}") + 1].startswith("    ")  # and why
    assert any(line.startswith("  corrected: **") and "*CVPR*" in line for line in lines)
    assert "CVPR" not in printed.out
    assert code in (1, 4)


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        (b"", 3, "the file is empty"),
        (b"Just prose.\n", 3, "no citation found"),
        ("Как показал Иванов, это верно. См. [1].\n".encode("cp1251"), 1, "it was read as cp1251"),
        (b"So \0\0 (Smith & Doe, 2020)", 2, "looks like a binary file"),
    ],
)
def test_the_guard_says_what_is_wrong_with_a_file(content, code, told, run, offline_world):
    (offline_world / "a.md").write_bytes(content)
    ended, printed = run("a.md", command="guard")
    assert ended == code
    assert told in printed.err


@pytest.mark.parametrize(
    ("command", "flags"), [("guard", ()), ("guard", ("--render",)), ("claims", ("--clean-text", "-"))]
)
def test_a_terminal_never_gets_the_escapes_of_a_text(command, flags, run, offline_world, monkeypatch):
    (offline_world / "a.md").write_text("So \x1b]0;owned\x07 and \x1b[2J it is (Smith & Doe, 2020).\n")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    _, printed = run("a.md", *flags, command=command)
    assert "it is" in printed.out
    assert "\x1b" not in printed.out
