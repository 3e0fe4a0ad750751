"""What `citeproof corpus --fix` never writes to, and what --undo puts back."""

import json
import os
import re
from types import SimpleNamespace

import pytest
from tests.surfaces.test_corpus import CLEAN, ERROR, corpus, project, write

from citeproof.service.corpus_project import Project, find_corpus_fixes
from citeproof.settings import Settings
from citeproof.surfaces.cli import corpus as verify

__all__ = ["project"]  # the fixture

SOURCE = ".aiwg/research/sources/proof.md"
WANTING = SimpleNamespace(remedy="something to fix")
MENDED = ".aiwg/research/findings/found.md"


@pytest.mark.parametrize(
    ("given", "linked"), [([SOURCE], False), (["-r"], False), (["."], False), (["link.md"], True)]
)
def test_evidence_is_never_mended(project, given, linked):
    text = "So says [REF-999].\n"
    evidence = [write(project, text, SOURCE), write(project, text, ".aiwg/research/quality-assessments/q.md")]
    others = [write(project, text), write(project, text, MENDED)]
    (project / "link.md").symlink_to(SOURCE)
    _, _, err = corpus(*given, "--fix", "--format", "json", "-o", "report.json")
    assert [path.read_text() for path in evidence] == [text, text]
    assert err.count("not fixed: ") == 1
    whole = given in (["-r"], ["."])
    below = (
        "files are evidence, below .aiwg/research/quality-assessments, "
        if whole
        else "file is evidence, below "
    )
    assert f"{below}.aiwg/research/sources\n" in err
    assert [path.read_text() != text for path in others] == [whole, whole]
    name = "link.md" if linked else SOURCE
    assert name in [file["file"] for file in json.loads((project / "report.json").read_text())["files"]]


@pytest.mark.parametrize("given", ["link.md", "folder/o.md", "inside.md"])
def test_fix_follows_no_link_out_of_the_root(project, given):
    outside = write(project.parent / "outside", ERROR + "[REF-999]\n", "o.md")
    before = outside.read_text()
    (project / "link.md").symlink_to(outside)
    (project / "folder").symlink_to(outside.parent)
    (project / "inside.md").symlink_to(write(project, before, "real.md"))
    code, out, err = corpus(given, "--fix")
    inside = given == "inside.md"
    assert (code, "[REF-999]" in out) == (1, True)
    assert (f"{given}: a link points outside the root; it is not fixed" in err) is not inside
    assert ((project / "real.md").read_text() != before) is inside
    assert [outside.read_text(), *outside.parent.iterdir()] == [before, outside]


def test_a_document_that_is_gone_or_hangs_is_told_of_and_the_others_go_on(project, capsys):
    opened = Project(Settings(offline=True, max_document_bytes=100), project)
    (project / "large.md").write_text("x" * 101)
    os.mkfifo(project / "pipe.md")
    for name, said in (("gone.md", "No such file"), ("pipe.md", "regular file"), ("large.md", "larger than")):
        found = find_corpus_fixes(opened, [project / name], [SimpleNamespace(issues=[WANTING])])
        assert found.files == []
        verify._print_unfixed(found)
        assert re.match(f"{name}: .*{said}.*; it was not changed", capsys.readouterr().err)
    opened.close()


def test_undo_of_a_folder(project):
    """Two were mended, one of them edited since; another never was."""
    names = [write(project, text, f"u/{n}.md") for n, text in enumerate([CLEAN, *["[REF-999] is it.\n"] * 2])]
    corpus("u", "--fix")
    mended = names[2].read_text()
    names[1].write_text("mine\n")
    code, out, err = corpus("u", "--undo")
    assert code == 2
    assert out.count("restored from") == out.count("2.md: restored from") == 1
    assert "was changed since it was fixed" in err
    assert [path.read_text() for path in names[1:]] == ["mine\n", "[REF-999] is it.\n"] != mended
    assert corpus("u", "--undo", "--force")[0] == 0
    (backup,) = (project / "u").glob("*backup*")  # of what was overwritten
    backup.unlink()
    code, out, err = corpus("u", "--undo")
    assert (code, out) == (3, "")
    assert "nothing to restore" in err


def test_a_read_only_document_names_no_flag_that_is_not_there(project):
    path = write(project, "[REF-999] is it.\n")
    path.chmod(0o444)
    code, _, err = corpus(path, "--fix")
    assert (code, "chmod u+w" in err, " -o" in err) == (2, True, False)


def test_another_name_of_a_document_keeps_the_old_text_and_that_is_said(project):
    path = write(project, "[REF-999] is it.\n")
    other = project / "other.txt"
    other.hardlink_to(path)
    _, _, err = corpus(path, "--fix")
    assert f"{path.name}: was one file with another name (a hard link); the other keeps the old text\n" in err
    assert path.read_text() != other.read_text() == "[REF-999] is it.\n"


def test_a_document_that_is_not_utf_8_is_left_alone_with_a_word(project):
    path = project / "latin.md"
    path.write_bytes(b"One\nGr\xf6\xdfe [REF-999].\n")
    _, _, err = corpus(path, "--fix")
    assert "latin.md:2: is not UTF-8; it was not changed\n  hint: save the file as UTF-8\n" in err
    assert path.read_bytes() == b"One\nGr\xf6\xdfe [REF-999].\n"
