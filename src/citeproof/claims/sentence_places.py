"""Where the sentences of a document stand in its text: by the words that only one place of it has.

Sentences come without markup and line ends, so that they are not found letter by letter. Three words in a
row that stand once in the text, with others of the sentence behind them, tell the place. What is not sure
has none.
"""

from __future__ import annotations

from collections.abc import Collection

from citeproof.text import lazy_patterns as re

MAX_TEXT = 2_000_000  # characters that are searched
_WORD = re.compile(r"[^\W_]{1,200}")
_RUN = 3  # words in a row
_SHARE = 0.3  # of the runs of a sentence that must stand at its place
_TRIED = 20  # runs that are tried as the beginning
_TWICE = -1  # a run that stands in several places

Run = tuple[str, ...]


def find_sentence_starts(text: str, sentences: Collection[str]) -> dict[str, int]:
    """Return the offset of each sentence whose place in `text` is sure."""
    runs = {one: _list_runs(_WORD.findall(one.lower())) for one in sentences}
    matches = list(_WORD.finditer(text[:MAX_TEXT]))
    words = [match[0].lower() for match in matches]
    known = _index_runs(words, {run for each in runs.values() for run in each})
    found = {one: _find_first_word(each, known, words) for one, each in runs.items()}
    return {one: matches[at].start() for one, at in found.items() if at is not None}


def _list_runs(words: list[str]) -> list[Run]:
    """Return the runs of words of a sentence, in order; a sentence of one or two words is one run."""
    return [tuple(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1))] if words else []


def _index_runs(words: list[str], wanted: Collection[Run]) -> dict[Run, int]:
    """Return where each wanted run stands, counted in words."""
    known: dict[Run, int] = {}
    for size in {len(run) for run in wanted}:
        for at in range(len(words) - size + 1):
            run = tuple(words[at : at + size])
            if run in wanted:
                known[run] = _TWICE if run in known else at
    return known


def _find_first_word(runs: list[Run], known: dict[Run, int], words: list[str]) -> int | None:
    """Return where a sentence begins, counted in words; None if too little of it stands in one place."""
    hits = [(number, at) for number, run in enumerate(runs) if (at := known.get(run, _TWICE)) != _TWICE]
    reach = 2 * (len(runs) + _RUN) + 10  # words: markup stands between those of the sentence
    for number, at in hits[:_TRIED]:
        near = sum(at <= other <= at + reach for _, other in hits)
        if near >= _SHARE * len(runs):
            start = at - number
            return start if start >= 0 and words[start] == runs[0][0] else at
    return None
