"""The reader with an answer of a chatbot: from a file, from a pipe, pasted into the terminal."""

from __future__ import annotations

import pytest

from tests.journeys.conftest import compare_screen

PASTED = "1. He, K., Zhang, X., Ren, S., & Sun, J. (2016). Deep residual learning for image recognition."


@pytest.mark.parametrize("command", ["citeproof check - < answer.md", "cat answer.md | citeproof check -"])
def test_answer_on_standard_input(open_terminal, command):
    ended = open_terminal().run(command)
    assert ended.code == 1
    compare_screen("chat_reader", ended.lines)


def test_pasted_answer(open_terminal):
    terminal = open_terminal(100)
    terminal.start("citeproof check -")
    terminal.wait_for(lambda lines: "Ctrl-D" in lines[-1])
    terminal.write(f"References\n\n{PASTED}\n")
    terminal.press("C-d")
    ended = terminal.wait_for_prompt()
    assert ended.code == 0
    compare_screen("chat_reader_pasted", ended.lines)


def test_nothing_is_no_reference(open_terminal):
    ended = open_terminal().run("echo | citeproof check -")
    assert ended.code == 3
    compare_screen("chat_reader_nothing", ended.lines)
