"""The documents that a command line names, and what is told while they are read."""

from __future__ import annotations

from citeproof.settings import Settings
from citeproof.surfaces.cli.opened_documents import read_named_documents


def test_the_name_of_a_folder_is_shown_without_its_escapes(tmp_path, capsys):
    folder = tmp_path / "a\x1b[2Jb"
    folder.mkdir()
    (folder / "refs.bib").write_text("@book{x, title={T}}")
    (folder / "link.bib").symlink_to("refs.bib")
    assert len(read_named_documents([str(folder)], Settings())) == 1
    told = capsys.readouterr().err
    assert "1 link is not followed" in told
    assert "a\\x1b[2Jb" in told
    assert "\x1b" not in told
