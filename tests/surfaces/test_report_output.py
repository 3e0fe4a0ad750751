"""Reports out: to a file that appears only when complete, or to a terminal."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from citeproof.errors import UsageError
from citeproof.surfaces.cli import report_output


def test_output_appears_only_when_complete(tmp_path):
    out = tmp_path / "report.md"
    out.write_text("old", encoding="utf-8")
    with report_output.open_destination(out, text=False) as write:
        write("né")
        assert out.read_text(encoding="utf-8") == "old"
    assert out.read_text(encoding="utf-8") == "né"
    assert [p.name for p in tmp_path.iterdir()] == ["report.md"]
    assert stat.S_IMODE(out.stat().st_mode) & 0o400


@pytest.mark.parametrize(
    ("name", "chosen", "form"),
    [
        ("report.html", None, "html"),
        ("report.HTM", None, "html"),
        ("report.bib", None, "bibtex"),
        ("report.xml", None, "junit"),
        ("report.txt", None, "text"),
        ("report", None, "text"),
        ("report.html", "json", "json"),
        ("report.html", "text", "text"),
    ],
)
def test_a_file_has_the_format_that_its_name_ends_in(name, chosen, form):
    assert report_output.parse_targets([name], chosen) == [report_output.ReportTarget(form, Path(name))]


@pytest.mark.parametrize("name", ["html", "sarif", "report.pdf", "Report.DOCX"])
def test_a_name_that_promises_another_file_is_refused(name):
    with pytest.raises(UsageError) as raised:
        report_output.parse_targets([name], None)
    assert f"text={name}" in str(raised.value.hint)
    assert report_output.parse_targets([f"text={name}"], None)[-1].path == Path(name)


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
