"""How often a folder of texts gives the right file for a work, a wrong one, or none.

    python bench/text_matching.py FOLDER WORKS.jsonl

Each line of WORKS.jsonl is a work whose text is in FOLDER: `file`, `title`, `authors` (with "and"), `doi`.
It is asked for with its DOI and without, then with its own file taken away: whatever is found then is wrong.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from citeproof.claims import text_library
from citeproof.claims.text_match import make_wanted_work
from citeproof.text.names import split_names


def main() -> None:
    """Print the shares."""
    folder, works = Path(sys.argv[1]), Path(sys.argv[2])
    rows = [json.loads(line) for line in works.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as cache:
        library = text_library.TextLibrary([folder], Path(cache))
        for with_doi in (True, False):
            right, wrong, none = 0, [], []
            for row in rows:
                found = library.find_file(_make_work(row, with_doi=with_doi))
                right += found is not None and found.path.name == row["file"]
                if found is None:
                    none.append(row["file"])
                elif found.path.name != row["file"]:
                    wrong.append((row["file"], found.path.name))
            how = "with" if with_doi else "without"
            print(f"{how} DOI: {len(rows)} works, right {right}, wrong {wrong}, none {none}")
        every = library._files  # noqa: SLF001 - to take one away
        away = []
        for row in rows:
            kept = [one for one in every if one.path.name != row["file"]]
            library._files, library._letters = kept, [library.fold_file(one) for one in kept]  # noqa: SLF001
            found = [library.find_file(_make_work(row, with_doi=yes)) for yes in (True, False)]
            away += [(row["file"], one.path.name) for one in found if one is not None]
        print(f"with its file taken away: {2 * len(rows)} questions, wrong {away}")


def _make_work(row: dict[str, str], *, with_doi: bool):  # noqa: ANN202 - a script
    pairs = [("doi", row["doi"].lower())] if with_doi and row["doi"] else []
    return make_wanted_work([row["title"]], split_names(row["authors"])[0], pairs)


if __name__ == "__main__":
    main()
