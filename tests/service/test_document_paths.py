"""Paths in a report, from the working folder and from the root of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.service.check_session import RepositoryPaths, locate_place
from citeproof.vocabulary import Document, Place


@pytest.mark.parametrize(
    ("document", "file", "shown"),
    [
        ("main.tex", "refs.bib", "refs.bib"),
        ("paper/main.tex", "refs.bib", "paper/refs.bib"),
        ("paper/main.tex", "bib/refs.bib", "paper/bib/refs.bib"),
        ("paper/tex/main.tex", "../refs.bib", "paper/refs.bib"),
        ("/abs/paper/main.tex", "refs.bib", "/abs/paper/refs.bib"),
        ("paper/main.tex", "paper/main.tex", "paper/main.tex"),
        ("paper/main.zip", "paper/main.zip!/refs.bib", "paper/main.zip!/refs.bib"),
        ("paper/main.tex", "", ""),
    ],
)
def test_a_file_beside_a_document_is_named_from_the_working_folder(document, file, shown):
    given = Document(document, b"", FolderFiles(Path(document).parent))
    assert locate_place(Place(file, 3), given) == Place(shown, 3)


def test_text_without_a_folder_keeps_its_names():
    assert locate_place(Place("refs.bib", 3), Document("<text>", b"")) == Place("refs.bib", 3)


@pytest.mark.parametrize(
    ("folder", "file", "shown"),
    [
        (".", "paper/refs.bib", "paper/refs.bib"),
        (".", "./paper/../refs.bib", "refs.bib"),
        ("paper", "refs.bib", "paper/refs.bib"),
        ("paper", "../refs.bib", "refs.bib"),
        ("paper", "../../outside.bib", "../../outside.bib"),
        ("paper", "<stdin>", "<stdin>"),
        ("paper", "a.zip!/refs.bib", "paper/a.zip!/refs.bib"),
    ],
)
@pytest.mark.parametrize("mark", ["folder", "file"])
def test_paths_start_at_the_root_of_the_repository(folder, file, shown, mark, tmp_path):
    root = tmp_path / "repository"
    (root / "paper").mkdir(parents=True)
    (root / ".git").mkdir() if mark == "folder" else (root / ".git").write_text("gitdir: elsewhere\n")
    assert RepositoryPaths(root / folder).locate_file(file) == shown
    if file == "paper/refs.bib":
        assert RepositoryPaths(root / folder).locate_file(str(root / file)) == shown


def test_without_a_repository_paths_start_at_the_working_folder(tmp_path):
    assert RepositoryPaths(tmp_path).locate_file(str(tmp_path / "a" / "refs.bib")) == "a/refs.bib"
