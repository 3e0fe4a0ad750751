"""Documents in, reports out: every way in which a file can be wrong."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest

from citeproof.errors import InputError, UsageError
from citeproof.surfaces import input_documents
from citeproof.surfaces.cli import report_output
from citeproof.vocabulary import Document


def test_files_come_in_the_order_of_their_names(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"A")
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"in")))
    name = str(tmp_path / "a")
    assert input_documents.read_documents(["-", name], 10) == [
        Document("<stdin>", b"in"),
        Document(name, b"A"),
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.bib", "no such file"),
        ("", "is a folder"),
        ("big", "is larger than 4 bytes"),
        ("a\0b", "cannot be read"),
    ],
)
def test_what_cannot_be_read_says_why(name, message, tmp_path):
    (tmp_path / "big").write_bytes(b"12345")
    with pytest.raises(InputError) as caught:
        input_documents.read_documents([str(tmp_path / name) if name else str(tmp_path)], 4)
    assert caught.value.message.startswith(message)
    assert caught.value.hint
    assert caught.value.place.startswith(str(tmp_path))


def test_no_permission(tmp_path, as_nobody):
    path = tmp_path / "secret"
    path.touch(mode=0)
    with as_nobody(), pytest.raises(InputError, match="no permission"):
        input_documents.read_document(path, 10)


def test_stdin_can_be_read_once():
    with pytest.raises(UsageError, match="once"):
        input_documents.read_documents(["-", "-"], 10)


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_not_waited_for(linked, tmp_path):
    pipe = tmp_path / "refs.bib"
    os.mkfifo(tmp_path / "pipe" if linked else pipe)
    if linked:
        pipe.symlink_to("pipe")
    with pytest.raises(InputError, match="not a regular file") as caught:
        input_documents.read_document(pipe, 100)
    assert caught.value.hint


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_what_a_shell_hands_over_can_be_read(folder):
    ours, theirs = os.pipe()
    writer = Thread(target=lambda: (os.write(theirs, b"through a pipe"), os.close(theirs)))
    writer.start()
    assert input_documents.read_document(Path(folder, str(ours)), 100).data == b"through a pipe"
    writer.join()
    os.close(ours)


def test_the_name_of_a_folder_is_shown_without_its_escapes(tmp_path, capsys):
    folder = tmp_path / "a\x1b[2Jb"
    folder.mkdir()
    (folder / "refs.bib").write_text("@book{x, title={T}}")
    (folder / "link.bib").symlink_to("refs.bib")
    assert len(input_documents.read_documents([str(folder)], 100)) == 1
    told = capsys.readouterr().err
    assert "1 link is not followed" in told
    assert "a\\x1b[2Jb" in told
    assert "\x1b" not in told


# --- writing -----------------------------------------------------------------------------------


def test_output_appears_only_when_complete(tmp_path):
    out = tmp_path / "report.md"
    out.write_text("old", encoding="utf-8")
    with report_output.open_destination(out, text=False) as write:
        write("né")
        assert out.read_text(encoding="utf-8") == "old"
    assert out.read_text(encoding="utf-8") == "né"
    assert [p.name for p in tmp_path.iterdir()] == ["report.md"]
    assert stat.S_IMODE(out.stat().st_mode) & 0o400


def test_error_leaves_the_old_output_and_nothing_else(tmp_path):
    out = tmp_path / "report.md"
    out.write_text("old", encoding="utf-8")
    with suppress(ZeroDivisionError), report_output.open_destination(out, text=False) as write:
        write("new")
        raise ZeroDivisionError
    assert [(p.name, p.read_text(encoding="utf-8")) for p in tmp_path.iterdir()] == [("report.md", "old")]


def test_link_is_followed_and_stays_a_link(tmp_path):
    target, out = tmp_path / "target", tmp_path / "out"
    out.symlink_to(target)
    with report_output.open_destination(out, text=False) as write:
        write("x")
    assert out.is_symlink()
    assert target.read_text(encoding="utf-8") == "x"


def test_device_is_written_and_not_replaced():
    device = Path("/dev/null")
    with report_output.open_destination(device, text=False) as write:
        write("x")
    assert device.is_char_device()


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no folder in memory")
def test_a_link_in_a_folder_in_memory_is_as_suspicious_as_any_other(tmp_path):
    with TemporaryDirectory(dir="/dev/shm") as folder:
        out = Path(folder, "report.md")
        out.symlink_to(tmp_path / "elsewhere")
        with (
            pytest.raises(UsageError, match="points outside"),
            report_output.open_destination(out, text=False),
        ):
            pass


def test_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(UsageError) as caught,
        report_output.open_destination(tmp_path / "no" / "x", text=False),
    ):
        pass
    assert caught.value.place == str(tmp_path / "no")


def test_folder_for_a_file_is_named(tmp_path):
    with (
        pytest.raises(UsageError, match="is a folder") as caught,
        report_output.open_destination(tmp_path, text=False),
    ):
        pass
    assert caught.value.place == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_terminal_without_the_letters_gets_them_spelled_out(monkeypatch):
    screen = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(screen, encoding="ascii"))
    with report_output.open_destination(None, text=True) as write:
        write("✓ é")
    assert screen.getvalue() == b"\\u2713 \\xe9"
