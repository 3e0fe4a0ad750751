"""Running text to sentences, past abbreviations, initials, decimals and marks behind the full stop."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

MAX_SENTENCE = 500  # characters of a sentence that are kept

# An end: a full stop with its closing quotes and the marks set behind it ("shown.[3]"), or a blank line,
# or the line before a list item or a heading.
_END = re.compile(
    r"(?P<stop>[.!?…][\])\"”’»*_]{0,4}(?:\[[^\]\[\n]{1,60}\]){0,5}[⁰¹²³⁴-⁹⁻,–]{0,12}\s+(?=[^\Wa-z_]|[\[(“\"„«¿¡*_‘'\\]))"
    r"|[。！？](?:\[[^\]\[\n]{1,60}\]){0,5}"
    r"|\n[ \t\r\f]{0,99}\n\s*+"
    r"|\n(?=[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t])"
)
# "… is so. [3] Next": the mark belongs to what comes before it; "[3] shows that" begins a sentence.
_LATE_MARKS = re.compile(r"(?:\[[\d\s,;^–-][^\]\[\n]{0,60}\]\s{0,3}){1,5}(?=[^\Wa-z_\d]|$)")
# "CheckThat! [3], Verify [4]" continues.
_GOES_ON = re.compile(r"(?:\[[^\]\[\n]{1,60}\]\s?){1,5}[,;]")
_LAST_WORD = re.compile(r"[^\s(\[“\"„«‘/]{1,30}$")
_INITIAL = re.compile(r"(?:[^\W\d_]\.-?){0,4}[^\W\d_]")
_WRAPPED = re.compile(r"(?<![-\w])([^\W\d_]{2,30})-\r?\n[ \t]{0,40}(?=[^\WA-Z\d_])")


@cache
def load_words(table: str) -> frozenset[str]:
    """Return the words of one table of `citing_words.toml`."""
    return frozenset(load_package_table(__package__, "citing_words.toml")[table].split())


def find_sentence_spans(body: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of `body`, in order; together they cover it."""
    at, skipped = 0, 0
    for match in _END.finditer(body):
        if match.start() < skipped or (match["stop"] and _is_abbreviation_stop(body, at, match)):
            continue
        end = match.end()
        if match["stop"] and (late := _LATE_MARKS.match(body, end, end + 300)):
            end = skipped = late.end()
        if end > at:
            yield at, end
        at = end
    if at < len(body):
        yield at, len(body)


def render_sentence(body: str, start: int, end: int, at: int | None = None) -> str:
    """Return one sentence on one line; of a long one the part that holds the mark at `at`."""
    if end - start > 4 * MAX_SENTENCE:  # a table or a text without full stops: only the surroundings count
        near = start if at is None else at
        start, end = max(start, near - MAX_SENTENCE), min(end, near + MAX_SENTENCE)
    text = body[start:end]
    if "-\n" in text or "-\r" in text:  # most have none, and the pattern costs more than all the rest
        text = _WRAPPED.sub(r"\1", text)
    text = " ".join(text.split())
    if len(text) <= MAX_SENTENCE:
        return text
    before = len(" ".join(body[start:at].split())) if at is not None else 0
    first = min(max(0, before - MAX_SENTENCE + 100), len(text) - MAX_SENTENCE)
    first = text.find(" ", first) + 1 if first else 0
    return text[first : first + MAX_SENTENCE].strip()


def _is_abbreviation_stop(body: str, start: int, end: re.Match[str]) -> bool:
    """Return whether the full stop of `end` belongs to an abbreviation or an initial."""
    stop = end.start()
    if _GOES_ON.match(body, end.end(), end.end() + 300):
        return True
    if body[stop] != ".":
        return False
    window = body[max(start, stop - 60) : stop]
    word = _LAST_WORD.search(window)
    if word is None:
        return False
    if word[0].lower().rstrip("*_") in load_words("abbreviations"):
        return True
    if not _INITIAL.fullmatch(word[0]) or word[0].islower():
        return word[0].isdecimal() and not window[: word.start()].strip()  # "3. Results"
    words = window[: word.start()].split()
    return not (words and words[-1].lower() in load_words("lettered"))
