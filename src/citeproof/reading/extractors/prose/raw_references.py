"""Segments of running text to raw references, with keys, places and what is missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from citeproof.reading.extractors.decoded_text import DecodedText, refuse_flood
from citeproof.reading.extractors.prose.entry_segments import MAX_ENTRY, EntrySegment
from citeproof.reading.extractors.prose.text_lines import MAX_LINE, TextLine
from citeproof.reading.extractors.records.labelled_fields import read_labelled_fields, strip_title_label
from citeproof.text import dates, ids
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import is_suspicious
from citeproof.vocabulary import Place, Problem, RawReference

_FEWEST_LETTERS = 3
_LONGEST_BACK, _BACK_WITHIN = 100, 50  # characters of a note that only refers back, and of what is before it
BACK = re.compile(
    r"\b(?:ibid(?:em)?|ibíd|ebd|ebenda|a\.\s?a\.\s?o|op\.\s?cit|loc\.\s?cit|там же|(?:указ|цит)\. ?соч)\b"
    r"|同上|同前|前掲|(?:المرجع|المصدر) (?:نفسه|السابق)|\A\W*שם,",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def build_references(
    decoded: DecodedText,
    found: Sequence[EntrySegment],
    cited: dict[str, tuple[str, ...]],
    problems: list[Problem],
    first: int = 1,
) -> list[RawReference]:
    """Return one raw reference per segment; what is not a reference at all becomes a problem."""
    refuse_flood(len(found), decoded.name)
    kept: list[RawReference] = []
    for segment in found:
        place = decoded.locate_span(segment.start, segment.end)
        if problem := _find_entry_problem(segment, place):
            problems.append(problem)
            continue
        key = segment.label or f"ref-{first + len(kept)}"
        claimed = segment.claimed or read_labelled_fields(segment.text)
        kept.append(
            RawReference(
                key=key,
                text=segment.text if claimed else strip_title_label(segment.text),
                place=place,
                claimed=claimed,
                citing=segment.citing or cited.get(segment.label, ()),
                suspicious=flag_suspicious_text(segment.text),
            )
        )
    return kept


def count_expected(found: Sequence[EntrySegment]) -> int | None:
    """Return the highest printed number and the entries without one, None when the list is not numbered."""
    numbers = [int(segment.label) for segment in found if segment.label.isdecimal()]
    shared = len(numbers) - len(set(numbers))  # one number may represent several works
    without = sum(not segment.label for segment in found)
    back = sum(_refers_back(segment.text) for segment in found)
    return max(numbers) + shared + without - back if len(numbers) > 1 or numbers == [1] else None


def find_number_gaps(found: Sequence[EntrySegment], decoded: DecodedText) -> list[Problem]:
    """Return a problem for each stretch of printed numbers that is missing."""
    problems = []
    last = 0
    for segment in found:
        if not segment.label.isdecimal():
            continue
        number = int(segment.label)
        if last and number > last + 1:
            missing = str(last + 1) if number == last + 2 else f"{last + 1} to {number - 1}"
            place = decoded.locate_span(segment.start, segment.end)
            problems.append(
                Problem(place, f"reference {missing} is missing before {number}", "check the numbering")
            )
        last = number
    return problems


def find_overlong_lines(decoded: DecodedText, lines: Sequence[TextLine]) -> list[Problem]:
    """Return a problem for each line that is too long to be examined whole."""
    message = f"a line of more than {MAX_LINE} characters; the rest is not read"
    hint = "put each reference on its own line"
    return [
        Problem(decoded.locate_span(line.start, line.end), message, hint, line.text[:500])
        for line in lines
        if line.end - line.start > MAX_LINE
    ]


def join_unused_lines(decoded: DecodedText, lines: Sequence[TextLine], used: Collection[int]) -> str:
    """Return the text of the lines that are not `used`, long lines whole."""
    return "\n".join(
        decoded.text[line.start : line.end] if line.text else ""
        for index, line in enumerate(lines)
        if index not in used
    )


def _find_entry_problem(segment: EntrySegment, place: Place) -> Problem | None:
    if _refers_back(segment.text):
        message = f"refers back to another entry: {segment.text.strip()}"
        return Problem(place, message, "check the entry that it means", segment.text, note=True)
    few = len(_LETTER.findall(segment.text[:200])) < _FEWEST_LETTERS
    if few and not ids.find_ids(segment.text):
        return Problem(place, "an entry without words", "delete it, or complete it", segment.text[:500])
    if segment.end - segment.start > 2 * MAX_ENTRY:
        message = f"an entry of {segment.end - segment.start} characters is too long for a reference"
        return Problem(place, message, "put each reference on its own line", segment.text[:500])
    return None


def _refers_back(text: str) -> bool:
    """Return whether an entry is only "Ibid., p. 12": it names no work of its own."""
    back = BACK.search(text, 0, _BACK_WITHIN) if len(text) <= _LONGEST_BACK else None
    return back is not None and not (dates.find_years(text) or ids.find_ids(text))


def flag_suspicious_text(text: str) -> tuple[str, ...]:
    """Return what is suspicious about an entry: a DOI in which signs only look like the right ones."""
    # a DOI has a slash in it, and most parts of a text with a slash are plain
    if text.isprintable() and not any("/" in part and not part.isascii() for part in text.split()):
        return ()
    odd = any(scheme == "doi" and is_suspicious(value) for scheme, value, _, _ in ids.find_ids(text))
    return ("suspicious_characters",) if odd else ()
