"""What a language model says in words, as far as a report may show it.

They are shown only if they are ordinary words, or years, acronyms and identifiers of the evidence: whatever
it was told to say or to give away (an instruction, a password, a code word, an address) is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeproof.text import title as titles
from citeproof.text.unicode import show_one_line

LONGEST = 400  # characters of a rationale that are shown
_EDGES = ".,;:!?()[]{}\"'“”‘’«»*_`-–—/"
_ORDINARY = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_])){0,23}")
_ACRONYM = re.compile(r"[A-Z][A-Za-z]{1,7}")
_FIGURE = re.compile(r"\d{1,2}%?")
_READ_NUMBER = re.compile(r"[~<>≈−-]?\d{1,6}(?:[.,]\d{1,4})?%?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_SHOUT = 4  # letters in capitals that are no abbreviation of ours
_RUN = 7  # words in a row that are surely copied


def keep_rationale(
    text: str, evidence: Sequence[tuple[str, str]], instructions: str, *, numbers: bool = False
) -> str:
    """Return the words on one line, or nothing if they hold what the evidence does not.

    `numbers`: also numbers that no text has, because they were read off an image.
    """
    shown = show_one_line(text)[:LONGEST]
    given = frozenset(word.strip(_EDGES) for _, value in evidence for word in value.casefold().split())
    if _repeats_run(shown, instructions) or not all(
        _may_show(word, given) or (numbers and _READ_NUMBER.fullmatch(word.strip(_EDGES)))
        for word in shown.split()
    ):
        return ""
    return shown


def is_in_texts(value: str, texts: Sequence[str]) -> bool:
    """Return whether the letters and figures of `value` occur in one of the texts."""
    key = titles.make_title_key(value)
    return bool(key) and any(key in titles.make_title_key(text) for text in texts)


def _may_show(word: str, given: frozenset[str]) -> bool:
    """Return whether a word is an ordinary one, or a year, an acronym or an identifier of the evidence."""
    bare = word.strip(_EDGES)
    if not bare or _FIGURE.fullmatch(bare):
        return True
    if _ORDINARY.fullmatch(bare) and not (len(bare) >= _SHOUT and bare.isupper()):
        return True
    known = _ACRONYM.fullmatch(bare) or _YEAR.fullmatch(bare) or ":" in bare or "/" in bare
    return bool(known) and bare.casefold() in given


def _repeats_run(text: str, instructions: str) -> bool:
    words, ours = titles.split_words(text), " ".join(titles.split_words(instructions))
    runs = (" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
    return any(run in ours for run in runs)
