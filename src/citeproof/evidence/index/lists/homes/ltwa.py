"""LTWA: the ISO 4 list of title word abbreviations. It says how words of titles are shortened."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.evidence.index.lists.list_home import ListForm, ListHome
from citeproof.evidence.index.lists.list_tables import read_table
from citeproof.evidence.index.lists.title_abbreviation import ListedWord
from citeproof.text.title import make_title_key

NEEDED = frozenset({"word", "abbreviations", "languagecodes"})
_PARTS = {(False, False): "word", (False, True): "prefix", (True, False): "suffix", (True, True): "infix"}


def read_ltwa(data: bytes, place: str) -> Iterator[ListedWord]:
    """Yield the words of the file; `n.a.` for one that is not abbreviated."""
    for row in read_table(data, place, "LTWA", NEEDED, "\t"):
        word, short = row["word"].strip(), row["abbreviations"].strip()
        part = _PARTS[word.startswith("-"), word.endswith("-")]
        key = make_title_key(word)
        if key and len(word) <= 100:
            languages = tuple(code.strip() for code in row["languagecodes"].split(",") if code.strip())
            yield ListedWord(key, "" if short == "n.a." else short[:100], part, languages[:40])


LISTS = (
    ListHome(
        name="ltwa",
        title="LTWA (ISO 4 title word abbreviations)",
        url="https://www.issn.org/wp-content/uploads/2021/07/ltwa_20210702.csv",
        licence="of the ISSN International Centre; see its site",
        form=ListForm.WORDS,
        read=read_ltwa,
        recognises=lambda _name, start: start.replace('"', "").startswith("WORD\tABBREVIATIONS"),
        about="how words of titles are abbreviated",
    ),
)
