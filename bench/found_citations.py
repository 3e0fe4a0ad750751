"""Does the finder of citations find those of real text, and none in text that cites nothing?

    python bench/found_citations.py plain.jsonl citing.jsonl [evasions.jsonl …] [--show 5]

One JSON object a line: `kind` and `text`, with `citations` ([start, end] of each citation), or
`must_not_show` (what must be inside of a citation), or neither: then the text cites nothing. Printed are, by
kind and with Wilson's 95 % interval, plain texts in which something was found, and citations that were not.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from citeproof.claims.text_citations import find_text_citations
from citeproof.laboratory.measure.metrics import compute_wilson_interval


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=0, help="mistakes of each file that are shown")
    given = parser.parse_args()
    for path in given.files:
        report_file(path, given.show)


def report_file(path: Path, show: int) -> None:
    """Print what was found of one file."""
    asked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    shown: list[str] = []
    what = ""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        for mistake, what in judge_row(row):  # noqa: B007 - the same for all rows of a file
            asked[row["kind"]] += 1
            wrong[row["kind"]] += bool(mistake)
            shown += [f"    {row['kind']}: {mistake}"] if mistake else []
    print(f"{path.name}: {what}")
    for kind in sorted(asked):
        print(f"  {kind:40} {format_share(wrong[kind], asked[kind])}")
    print(f"  {'all':40} {format_share(wrong.total(), asked.total())}")
    print("\n".join(shown[:show]))


def judge_row(row: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Yield for each thing that was asked the mistake, empty if there is none, and what it is."""
    text = str(row["text"])
    found = find_text_citations(text)
    if isinstance(citations := row.get("citations"), list):
        for start, end in citations:
            met = any(one.start < end and start < one.end for one in found)
            yield ("" if met else repr(text[max(0, start - 60) : end])), "citations not found"
    elif isinstance(hidden := row.get("must_not_show"), list):
        left = text
        for one in reversed(found):
            left = left[: one.start] + left[one.end :]
        missed = [words for words in hidden if words in left]
        yield (repr(missed) if missed else ""), "texts with a citation that was not found"
    else:
        yield ", ".join(repr(one.text[:80]) for one in found), "plain texts in which something was found"


def format_share(part: int, whole: int) -> str:
    low, high = compute_wilson_interval(part, whole)
    return f"{part:5} of {whole:5}   {100 * part / whole:5.1f} %   {100 * low:.1f} to {100 * high:.1f} %"


if __name__ == "__main__":
    main()
