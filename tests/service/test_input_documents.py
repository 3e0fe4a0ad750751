"""Documents in: every way in which a file can be wrong."""

from __future__ import annotations

import os
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Thread

import pytest

from citeproof.errors import InputError, UsageError
from citeproof.service import input_documents
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
