"""The clipboard, by programs that stand in for those of a desktop."""

from __future__ import annotations

import pytest

from citeproof.errors import InputError
from citeproof.service.input_documents import read_clipboard, read_documents
from citeproof.vocabulary import Document

ANSWER = "Here are three papers:\n1. Vaswani et al. (2017). Attention is all you need.\n"


@pytest.fixture
def desktop(tmp_path, monkeypatch):
    """Put programs of these names, each with its script, into an otherwise empty PATH."""

    def install(**scripts):
        for name, script in scripts.items():
            path = tmp_path / "bin" / name.replace("_", "-").replace("-exe", ".exe")
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    return install


_SHOW = 'printf "$WAYLAND_DISPLAY$DISPLAY: $*"'
PROGRAMS = [
    # programs that are installed, what the one that is used gets
    ({"wl_paste": _SHOW}, "way-0:7: --no-newline --type text"),
    ({"xclip": _SHOW}, "way-0:7: -selection clipboard -out"),
    ({"xsel": _SHOW}, "way-0:7: --clipboard --output"),
    ({"wl_paste": "echo no display >&2; exit 1", "xclip": _SHOW}, "way-0:7: -selection clipboard -out"),
]


@pytest.mark.parametrize(("programs", "said"), PROGRAMS)
def test_the_first_program_that_answers_is_used(programs, said, desktop, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.setenv("WAYLAND_DISPLAY", "way-0")
    desktop(**programs)
    assert read_clipboard(1000).decode() == said


def test_only_what_a_desktop_needs_is_handed_on(desktop, monkeypatch):
    monkeypatch.setenv("CITEPROOF_ADS_KEY", "secret")
    monkeypatch.setenv("PYTHONSTARTUP", "x.py")
    desktop(pbpaste="export -p")
    said = read_clipboard(100_000)
    assert b"LC_CTYPE" in said
    assert not any(name in said for name in (b"secret", b"PYTHONSTARTUP"))


def test_the_text_is_a_document(desktop, tmp_path):
    (tmp_path / "answer").write_text(ANSWER)
    desktop(xclip=f"while IFS= read -r line; do echo \"$line\"; done < '{tmp_path}/answer'")
    assert read_documents(["<clipboard>"], 1000) == [Document("<clipboard>", ANSWER.encode())]


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ({}, "no program here can read the clipboard"),
        ({"xclip": "echo 'Error: target STRING not available' >&2; exit 1"}, "target STRING not available"),
        ({"xclip": "exit 3"}, "exit code 3"),
        ({"xclip": "printf ' '"}, "is empty"),
        ({"xclip": "printf 12345678901"}, "larger than 10 bytes"),
    ],
)
def test_a_clipboard_that_cannot_be_read_says_why(programs, said, desktop):
    desktop(**programs)
    with pytest.raises(InputError, match=said) as caught:
        read_clipboard(10)
    assert caught.value.hint
