"""The bridge from plain code to asynchronous code."""

from __future__ import annotations

import asyncio
import threading

import pytest

from citeproof.plumbing.background import BackgroundLoop


async def find_place(add: int) -> tuple[asyncio.AbstractEventLoop, threading.Thread, int]:
    return asyncio.get_running_loop(), threading.current_thread(), add


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("within", [False, True], ids=["without a loop", "inside of a loop"])
def test_one_loop_from_the_first_call_to_the_last(within, alone):
    def use() -> None:
        before = threading.active_count()
        with BackgroundLoop("test", alone=alone) as loop:
            (first, thread, one), (second, _, two) = loop.run(find_place(1)), loop.run(find_place(2))
            assert (first is second, one, two) == (True, 1, 2)
            assert (thread is threading.current_thread()) == (
                alone and not within
            )  # else it cannot be forked
        assert first.is_closed()
        assert threading.active_count() == before

    async def inside() -> None:
        use()

    asyncio.run(inside()) if within else use()


@pytest.mark.parametrize("alone", [False, True])
def test_what_goes_wrong_is_raised_where_it_was_asked_for(alone):
    async def fail() -> None:
        raise OSError("gone")

    with BackgroundLoop("test", alone=alone) as loop, pytest.raises(OSError, match="gone"):
        loop.run(fail())


def test_a_loop_that_nothing_ran_in_is_closed():
    BackgroundLoop("test").close()
    BackgroundLoop("test", alone=True).close()
