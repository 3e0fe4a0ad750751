"""A saved report is whole, and inside the project."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
from pathlib import Path

import pytest

from citeproof.corpus.corpus_types import CorpusLayout
from citeproof.corpus.reports.report_file import save_report
from citeproof.errors import UsageError

HEAD = "## Citation Verification Report"


@pytest.fixture
def root(tmp_path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    return folder


def _everything(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("path", [CorpusLayout().report, "report.md", "./a//b.md", "a b/ä.md", "…/`x`.md"])
def test_it_is_written_with_its_folders(root, path):
    made = save_report(root, path, f"{HEAD} first")
    assert made == root / Path(path)
    assert save_report(root, path, f"{HEAD} second ✓").read_text("utf-8") == f"{HEAD} second ✓"
    assert [one for one in _everything(root) if one.endswith(".part")] == []


def test_half_a_character_is_spelled_out(root):
    assert save_report(root, "r.md", "a\ud800b").read_bytes() == b"a\\ud800b"


def test_it_has_the_permissions_of_any_new_file(root):
    mask = os.umask(0o027)
    try:
        assert save_report(root, "r.md", "x").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(mask)


@pytest.mark.parametrize(
    "path",
    [
        "../outside/r.md", "a/../../outside/r.md", "a/../r.md", "/tmp/r.md", "~/r.md", "C:\\r.md", "C:/r.md",
        "a\\..\\r.md", "a\0b.md", "", ".", "..", "x" * 2_000,
    ],
)  # fmt: skip
def test_outside_is_refused(root, path):
    with pytest.raises(UsageError, match="outside the project") as raised:
        save_report(root, path, "x")
    assert "inside the project" in raised.value.hint
    assert "\0" not in str(raised.value)
    assert _everything(root.parent) == ["outside", "project"]


@pytest.mark.parametrize("path", ["\x1b[2J.md", "a\n::error::b/r.md", "\u202edm.exe.md", "a\x9bb.md"])
def test_a_name_that_cannot_be_shown_is_refused(root, path):
    with pytest.raises(UsageError, match="cannot be shown") as raised:
        save_report(root, path, HEAD)
    assert raised.value.place.isprintable()
    assert _everything(root) == []


@pytest.mark.parametrize("link", ["folder", "deep", "file", "dangling"])
def test_a_link_out_is_refused(root, link):
    outside = root.parent / "outside"
    match link:
        case "folder":
            (root / "reports").symlink_to(outside)
        case "deep":
            (root / "reports").symlink_to(outside / "new" / "folder")
        case "file":
            (root / "reports").mkdir()
            (outside / "theirs.md").write_text("theirs")
            (root / "reports" / "r.md").symlink_to(outside / "theirs.md")
        case "dangling":
            (root / "reports").mkdir()
            (root / "reports" / "r.md").symlink_to(outside / "none.md")
    before = _everything(outside)
    with pytest.raises(UsageError, match="outside the project"):
        save_report(root, "reports/r.md", "x")
    assert _everything(outside) == before
    assert all(path.read_text() == "theirs" for path in outside.iterdir())


def test_a_link_that_stays_inside_is_followed(root):
    (root / "real").mkdir()
    (root / "reports").symlink_to("real")
    assert save_report(root, "reports/r.md", HEAD) == root / "real" / "r.md"
    (root / "latest.md").symlink_to("real/r.md")
    assert save_report(root, "latest.md", "y") == root / "real" / "r.md"
    assert (root / "latest.md").is_symlink()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".git/config", "below .git"), (".git/hooks/r.md", "below .git"), ("a/.GIT/r.md", "below .git"),
        ("linked/r.md", "below .git"), ("src/a.py", "is Markdown"), ("Makefile", "is Markdown"),
        ("r.md.py", "is Markdown"), (".md", "is Markdown"), ("alias.md", "is Markdown"),
        ("README.md", "is not a report"), ("deep.md", "is not a report"),
    ],
)  # fmt: skip
def test_no_file_but_a_report_is_written_over(root, path, message):
    for name in (".git/config", "src/a.py", "Makefile", "README.md", "real/r.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("theirs")
    (root / "linked").symlink_to(".git")
    (root / "alias.md").symlink_to("src/a.py")
    (root / "deep.md").symlink_to("real/r.md")
    before = _everything(root)
    with pytest.raises(UsageError, match=message) as raised:
        save_report(root, path, HEAD)
    assert (raised.value.place, bool(raised.value.hint)) == (path, True)
    assert _everything(root) == before
    assert all(one.read_text() == "theirs" for one in root.rglob("*") if one.is_file())


@pytest.mark.parametrize("held", ["", HEAD, f"{HEAD}\n\nold\n"])
def test_an_empty_file_and_a_report_are_replaced(root, held):
    (root / "r.md").write_text(held)
    assert save_report(root, "r.md", f"{HEAD} new").read_text() == f"{HEAD} new"


def test_a_root_that_is_a_link_itself(root):
    other = root.parent / "alias"
    other.symlink_to(root)
    assert save_report(other, "r.md", "x") == root / "r.md"


def _folder(root: Path) -> str:
    (root / "r.md").mkdir()
    return "it is a folder"


def _pipe(root: Path) -> str:
    os.mkfifo(root / "r.md")
    return "not a regular file"


def _circle(root: Path) -> str:
    (root / "r.md").symlink_to("r.md")
    return "cannot write"


def _file_for_folder(root: Path) -> str:
    (root / "a").write_text("x")
    return "cannot write"


@pytest.mark.parametrize(
    ("prepare", "path"),
    [(_folder, "r.md"), (_pipe, "r.md"), (_circle, "r.md"), (_file_for_folder, "a/r.md"), (_folder, "r.md/")],
)
def test_what_cannot_be_written_is_an_error_with_a_mend(root, prepare, path):
    message = prepare(root)
    before = _everything(root)
    with pytest.raises(UsageError, match=message) as raised:
        save_report(root, path, "x")
    assert raised.value.hint
    assert raised.value.place
    assert _everything(root) == before


def test_a_name_too_long_is_an_error_with_a_mend(root):
    with pytest.raises(UsageError, match="cannot write: File name too long"):
        save_report(root, "x" * 300 + ".md", "x")


def test_a_root_that_is_not_there(root):
    with pytest.raises(UsageError, match="cannot write"):
        save_report(root / "none", "r.md", "x")


def test_a_folder_without_permission(root):
    """Root may write everywhere: it becomes nobody for a moment."""
    ours = os.geteuid()
    for folder in (root, *root.parents):  # nobody must get there, and may not write
        if folder.stat().st_uid == ours and str(folder).startswith(tempfile.gettempdir() + "/"):
            folder.chmod(0o555)
    os.seteuid(ours or 65_534)
    try:
        with pytest.raises(UsageError, match="Permission denied"):
            save_report(root, "r.md", "x")
    finally:
        os.seteuid(ours)
        for folder in (root, *root.parents):
            if folder.stat().st_uid == ours and str(folder).startswith(tempfile.gettempdir() + "/"):
                folder.chmod(0o700)


def test_a_full_disk_leaves_the_old_report(root):
    save_report(root, "r.md", f"{HEAD} old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(UsageError, match="cannot write"):
            save_report(root, "r.md", "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, kept)
    assert (root / "r.md").read_text() == f"{HEAD} old"
    assert _everything(root) == ["r.md"]
