"""Files of records whose values, tags or items are too many or too deep."""

from __future__ import annotations

import json

from tests.faults.generated_bombs.sizes import COUNTS, DEPTHS, LENGTHS, RECORDS, one_file


def _csl(**fields: object) -> str:
    return json.dumps([{"id": "a", "type": "book", "title": "A title", **fields}])


_RIS = "TY  - JOUR\nTI  - A title\nPY  - 2001\n"
_NBIB = "PMID- 1\nTI  - A title\n"

BOMBS = {
    "ris authors": one_file("bomb.ris", lambda n: _RIS + "AU  - Doe, Jo\n" * n + "ER  - \n", COUNTS),
    "ris open records": one_file("bomb.ris", lambda n: _RIS * n, RECORDS),
    "ris long value": one_file(
        "bomb.ris", lambda n: _RIS + "T2  - " + "a\n" * (n // 2) + "ER  - \n", LENGTHS
    ),
    "nbib authors": one_file("bomb.nbib", lambda n: _NBIB + "FAU - Doe, Jo\n" * n, COUNTS),
    "nbib continued lines": one_file("bomb.nbib", lambda n: _NBIB + "JT  - A\n" + "      b\n" * n, COUNTS),
    "csl nesting": one_file("bomb.json", lambda n: '[{"id":"a","title":' + "[" * n + "]" * n + "}]", DEPTHS),
    "csl open nesting": one_file(
        "bomb.json", lambda n: '[{"id":"a","title":"b","type":"book"},' + '{"a":' * n, DEPTHS
    ),
    "csl authors": one_file("bomb.json", lambda n: _csl(author=[{"family": "Doe"}] * n), COUNTS),
    "csl items": one_file(
        "bomb.json", lambda n: json.dumps([{"id": "a", "type": "book", "title": "A"}] * n), RECORDS
    ),
    "csl long title": one_file("bomb.json", lambda n: _csl(title="learning " * (n // 9)), LENGTHS),
    "csl digits": one_file(
        "bomb.json", lambda n: '[{"id":"a","title":"b","type":"book","volume":' + "9" * n + "}]", LENGTHS
    ),
    "nbib identifiers": one_file(
        "bomb.nbib", lambda n: _NBIB + ("AID - " + "a " * 1000 + "[do\n") * (n // 100), COUNTS
    ),
}
