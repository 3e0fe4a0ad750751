"""The time in which at least one request waits, counted once."""

from citeproof.plumbing.net.rate_limiter import QueueClock


class Hand:
    """A clock that is moved by hand."""

    def __init__(self):
        self.at = 0.0

    def elapsed(self):
        return self.at


def test_two_that_wait_at_a_time_are_counted_once():
    clock = Hand()
    queue = QueueClock(clock)
    first, second = queue.waiting(), queue.waiting()
    first.__enter__()
    clock.at = 1.0
    second.__enter__()
    clock.at = 3.0
    first.__exit__(None, None, None)
    clock.at = 4.0
    assert queue.seconds() == 4.0
    second.__exit__(None, None, None)
    clock.at = 9.0
    assert queue.seconds() == 4.0


def test_nobody_waits_at_first():
    assert QueueClock(Hand()).seconds() == 0.0
