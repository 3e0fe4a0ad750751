"""Which files of a folder are documents: in it and below, and what is left out."""

from __future__ import annotations

import subprocess

import pytest

from citeproof.errors import InputError
from citeproof.service import folder_documents
from citeproof.service.folder_documents import FolderLimits, list_folder_documents

BIB = "@book{k, title={The TeXbook}, author={Knuth, Donald}, year={1984}}\n"
MAIN = "\\documentclass{article}\\begin{document}\\cite{k}\\bibliography{refs}\\end{document}\n"
PART = "\\section{One} Text \\cite{k}.\n"
TEXT = "References\n\nKnuth, D. (1984). The TeXbook.\n"
FOLDERS = [
    # files, documents
    (["b.bib", "a.bib"], ["a.bib", "b.bib"]),
    (["12/paper.txt", "3/paper.txt", "3/notes.bib"], ["12/paper.txt", "3/notes.bib", "3/paper.txt"]),
    (["a/main.tex", "a/refs.bib", "b/refs.bib"], ["a/main.tex", "b/refs.bib"]),
    (["refs.bib", "a/main.tex", "a/sections/one.tex"], ["a/main.tex"]),
    (["main.tex", "refs.bib", "b/refs.bib"], ["main.tex"]),
    ([".hidden.bib", ".git/x.bib", "a/.cache/x.bib", "x.bib"], ["x.bib"]),
    (["node_modules/x.bib", "__pycache__/x.bib", "x.bib", "x.png", "setup.py"], ["x.bib"]),
    (["1/2/3/4/5/x.bib", "1/2/3/4/5/6/x.bib"], ["1/2/3/4/5/x.bib"]),
    (["odd\nname.bib", "\x1b[31m.bib", "ä ö.bib"], ["\x1b[31m.bib", "odd\nname.bib", "ä ö.bib"]),
]


def write(folder, names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        ending = name.rpartition(".")[2]
        path.write_text(MAIN if name.endswith("main.tex") else {"tex": PART, "txt": TEXT}.get(ending, BIB))


def names_of(folder, told=None):
    found = list_folder_documents(folder, (told if told is not None else []).append)
    return [path.relative_to(folder).as_posix() for path in found]


@pytest.mark.parametrize(("files", "names"), FOLDERS)
def test_a_folder_is_the_documents_in_it_and_below(files, names, tmp_path):
    write(tmp_path, files)
    assert names_of(tmp_path) == names


def test_what_git_ignores_is_left_out(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path, ["x.bib", "build/x.bib", "y.txt", "a/y.txt"])
    (tmp_path / ".gitignore").write_text("build/\n/y.txt\n")
    assert names_of(tmp_path) == ["a/y.txt", "x.bib"]
    assert names_of(tmp_path / "build") == ["x.bib"]  # somebody named it


def test_links_out_of_a_folder_are_not_followed(tmp_path):
    write(tmp_path, ["in/x.bib", "out/y.bib"])
    (tmp_path / "in" / "y.bib").symlink_to(tmp_path / "out" / "y.bib")
    (tmp_path / "in" / "all").symlink_to(tmp_path / "out")
    told: list[str] = []
    assert names_of(tmp_path / "in", told) == ["x.bib"]
    assert "2 links are not followed" in told[0]


def test_a_large_folder_is_announced_and_bounded(tmp_path, monkeypatch):
    write(tmp_path, [f"{n:03}.bib" for n in range(30)])
    told: list[str] = []
    assert len(names_of(tmp_path, told)) == 30
    assert told == [f"{tmp_path}: reading 30 documents"]
    monkeypatch.setattr(folder_documents, "_MANY", 30)
    told.clear()
    names_of(tmp_path, told)
    assert told[0] == f"{tmp_path}: looking for documents among 30 files"
    with pytest.raises(InputError, match="more than 29 documents"):
        folder_documents.list_folder_documents(tmp_path, told.append, FolderLimits(documents=29))
    told.clear()
    few = FolderLimits(documents=29, files=10)
    assert len(folder_documents.list_folder_documents(tmp_path, told.append, few)) == 10
    assert "only the first 10 files" in told[0]
