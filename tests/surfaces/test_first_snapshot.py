"""What a run without a snapshot offers: the starter, once, and only to a person."""

from __future__ import annotations

import pytest

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.surfaces.cli import first_snapshot, index


class _Terminal:
    def __init__(self, answer: str, *, watched: bool = True) -> None:
        self._answer, self._watched, self.written = [*answer], watched, ""

    def isatty(self) -> bool:
        return self._watched

    def readline(self, *_: object) -> str:
        return self._answer.pop(0) + "\n"

    def write(self, text: str) -> int:
        self.written += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.fixture
def offer(monkeypatch, tmp_path):
    """Return what offers the starter; it says what was asked, and how often it was built."""
    built = []
    monkeypatch.setattr(index, "build_own_starter", built.append)

    def run(answer: str, *, watched: bool = True, offline: bool = False) -> tuple[bool, int]:
        chosen = settings.load({"cache_dir": tmp_path / "cache", "offline": offline})
        terminal = _Terminal(answer, watched=watched)
        monkeypatch.setattr("sys.stdin", terminal)
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setattr("click.termui.visible_prompt_func", lambda text: terminal.write(text) and answer)
        first_snapshot.offer_starter(chosen)
        return "Build the starter" in terminal.written, len(built)

    return run


def test_yes_builds_it(offer):
    assert offer("y") == (True, 1)


@pytest.mark.parametrize("answer", ["n", ""])
def test_no_is_remembered(offer, answer):
    assert offer(answer) == (True, 0)
    assert offer("y") == (False, 0)


def test_a_pipe_is_not_asked(offer):
    assert offer("y", watched=False) == (False, 0)


def test_offline_nothing_is_offered_that_needs_the_network(offer):
    assert offer("y", offline=True) == (False, 0)
    assert offer("y") == (True, 1)


def test_offline_the_starter_is_not_downloaded(tmp_path):
    chosen = settings.load({"cache_dir": tmp_path / "cache", "offline": True})
    with pytest.raises(UsageError, match="offline, the starter cannot be downloaded"):
        index.build_own_starter(chosen, quiet=True)


def test_who_has_a_snapshot_is_not_asked(offer, tmp_path):
    (tmp_path / "cache/snapshots/starter").mkdir(parents=True)
    assert offer("y") == (False, 0)


@pytest.mark.parametrize(
    ("unchecked", "offline", "told", "printed"),
    [
        (1, False, True, True),
        (1, True, True, False),  # the report says it
        (1, True, False, True),  # that of a batch does not
        (0, False, True, False),
    ],
)
def test_a_pipe_gets_a_hint_where_references_were_not_checked(
    capsys, tmp_path, unchecked, offline, told, printed
):
    chosen = settings.load({"cache_dir": tmp_path / "cache", "offline": offline})
    first_snapshot.print_starter_hint(chosen, unchecked, told=told)
    assert ("citeproof index starter" in capsys.readouterr().err) is printed
