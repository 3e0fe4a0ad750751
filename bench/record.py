"""Write down what real registries answer, so that our loopback world can be compared with them.

    python bench/record.py OUT [--references bench/recorded_references.bib] [--sources A,B]

The references (300 of all types by default) are checked online with an empty cache, and OUT becomes a file
of the form of `upstreams.jsonl.zst`, one answer a line: `upstream`, `url`, `method`, `status`, `headers`,
`accept`, `sha256` and `body`. A body that came before is named by its hash alone. Keys and the contact
address are removed; of the headers only those are kept that say what an answer is and what the registry
allows. Printed: answers by registry and status. Of a folder with OUT under that name,
`python bench/recorded_works.py` judges each work by its own record.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TextIO
from unittest.mock import patch

import zstandard

from citeproof import settings
from citeproof.plumbing.clock import SystemClock, format_timestamp
from citeproof.plumbing.net.http_transport import HttpTransport, RawResponse
from citeproof.plumbing.net.message import KEPT_HEADERS, Request, redact_url
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.settings import Settings
from citeproof.vocabulary import Document

REFERENCES = Path(__file__).with_name("recorded_references.bib")
LIMITS = ("x-rate", "x-ratelimit", "ratelimit", "retry-after", "x-concurrency")  # what a header begins with
REMOVED = "REMOVED"


class AnswerRecorder:
    """Writes each answer to a file of recordings, without what says who asked."""

    def __init__(self, out: TextIO, hidden: Iterable[str]) -> None:
        self._out, self._hidden = out, sorted(filter(None, hidden), key=len, reverse=True)
        self._clock, self._written = SystemClock(), set[str]()
        self.statuses: Counter[tuple[str, int]] = Counter()

    def write_answer(self, request: Request, answer: RawResponse) -> None:
        hidden = [*request.list_secrets(), *self._hidden]
        body = _hide(answer.body.decode("utf-8", "replace"), hidden)
        digest = sha256(body.encode()).hexdigest()
        kept = {
            name: _hide(value, hidden)
            for name, value in sorted(answer.headers.items())
            if name in KEPT_HEADERS or name.startswith(LIMITS)
        }
        row = {
            "upstream": request.source,
            "url": _hide(redact_url(request.url), hidden),
            "method": request.method,
            "status": answer.status,
            "headers": kept,
            "accept": ", ".join(request.accept),
            "body": "" if digest in self._written else body,
            "sha256": digest,
            "at": format_timestamp(self._clock),
        }
        self._written.add(digest)
        self.statuses[request.source, answer.status] += 1
        self._out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _hide(text: str, hidden: Iterable[str]) -> str:
    for secret in hidden:
        text = text.replace(secret, REMOVED)
    return text


def list_hidden(chosen: Settings) -> list[str]:
    """Return the keys and the contact address of these settings, also as they stand in an address."""
    address = chosen.contact or ""
    return [address, address.replace("@", "%40"), *(key.reveal() for key in chosen.keys.values())]


def record_answers(document: Document, out: Path, chosen: Settings) -> Counter[tuple[str, int]]:
    """Check the references of `document` online; return how many answers had which status, by registry."""
    send = HttpTransport.send

    async def send_and_record(wire: HttpTransport, request: Request) -> RawResponse:
        answer = await send(wire, request)
        recorder.write_answer(request, answer)
        return answer

    with (
        zstandard.open(out, "wt", encoding="utf-8") as lines,
        patch.object(HttpTransport, "send", send_and_record),
    ):
        recorder = AnswerRecorder(lines, list_hidden(chosen))
        checked = list(begin_check(assemble(chosen), [document]))
    print(f"{len(checked)} references")
    return recorder.statuses


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="the file to write, such as upstreams.jsonl.zst")
    parser.add_argument("--references", type=Path, default=REFERENCES)
    parser.add_argument("--sources", default=None, help="ask only these, separated by commas")
    options = parser.parse_args()
    given = {"sources": tuple(options.sources.split(","))} if options.sources else {}
    with tempfile.TemporaryDirectory() as folder:
        chosen = settings.load({**given, "cache_dir": Path(folder), "offline": False, "snapshots": ()})
        document = Document(options.references.name, options.references.read_bytes())
        statuses = record_answers(document, options.out, chosen)
    for (upstream, status), count in sorted(statuses.items()):
        print(f"{upstream:20} {status}  {count}")
    print(f"{sum(statuses.values())} answers in {options.out}")


if __name__ == "__main__":
    main()
