"""What left the machine during a run, told on standard error: `--explain-network`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citeproof.reporters.words import line
from citeproof.vocabulary import Asked, Retrieved, Step

if TYPE_CHECKING:
    from citeproof.net.client import Sent
    from citeproof.verifier import Verifier

LONGEST = 20_000  # characters of an address; it is shown whole


class Watch:
    """An observer that counts how lookups were answered."""

    def __init__(self) -> None:
        self.kept: Counter[str] = Counter()  # lookups answered by an earlier answer, by source
        self.at_hand = 0  # references about which nobody had to be asked

    def saw(self, step: Step) -> None:
        """Note one step of the path."""
        if isinstance(step.value, Asked) and step.value.kept:
            self.kept[step.value.source] += 1
        elif isinstance(step.value, Retrieved):
            self.at_hand += any(stop.reason == "decided_at_hand" for stop in step.value.stops)


def warn(trouble: Iterable[str]) -> None:
    """Print what a user has set or made and a run does not use, and why."""
    for text in trouble:
        print(f"warning: {line(text, LONGEST)}", file=sys.stderr)


def tell(verifier: Verifier, watch: Watch, *, explain: bool) -> None:
    """Print what left the machine, if that is wanted, and what kept answers from being kept."""
    sent, trouble = _traffic(verifier)
    sys.stdout.flush()  # the report comes first, wherever both go
    if trouble:
        print(f"warning: {line(trouble)}", file=sys.stderr)
    if sent and not any(one.outcome.isdecimal() for one in sent):
        print("warning: no registry could be reached; is this machine online?", file=sys.stderr)
        print("  hint: check the connection, or use --offline with a snapshot", file=sys.stderr)
    for text in _explained(sent, watch, offline=verifier.offline) if explain else ():
        print(text, file=sys.stderr)


def _traffic(verifier: Verifier) -> tuple[Sequence[Sent], str]:
    if verifier.client is None:
        return (), ""
    from citeproof.net.client import Client  # noqa: PLC0415 - an offline run need not load it

    client = verifier.client
    return (client.sent, client.trouble) if isinstance(client, Client) else ((), "")


def _explained(sent: Sequence[Sent], watch: Watch, *, offline: bool) -> Iterator[str]:
    """Yield the lines: a sum, then each source with host, size and every address."""
    if not sent:
        yield f"network: nothing left the machine{' (offline)' if offline else ''}"
    else:
        total = sum(one.sent_bytes for one in sent)
        yield f"network: {_requests(len(sent))} left the machine, {total:,} bytes of addresses and bodies"
    for source, host in sorted({(one.source, _host(one)) for one in sent}):
        own = [one for one in sent if (one.source, _host(one)) == (source, host)]
        size = sum(one.sent_bytes for one in own)
        yield f"  {line(source)}  {line(host)}  {_requests(len(own))}, {size:,} bytes"
        yield from (f"    {_address(one)}" for one in own)
    if watch.kept:
        each = ", ".join(f"{source} {count}" for source, count in sorted(watch.kept.items()))
        yield f"  answered from kept answers: {_counted(watch.kept.total(), 'lookup')} ({each})"
    if watch.at_hand:
        yield f"  decided by snapshots alone: {_counted(watch.at_hand, 'reference')}"


def _address(one: Sent) -> str:
    body = f" with {line(one.body, LONGEST)}" if one.body else ""
    return f"{one.method} {line(one.url, LONGEST)}{body}  {line(one.outcome)}"


def _host(one: Sent) -> str:
    try:
        return urlsplit(one.url).netloc
    except ValueError:  # an address out of a document, such as http://[x
        return "no valid host"


def _requests(count: int) -> str:
    return _counted(count, "request")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
