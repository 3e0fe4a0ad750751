"""A title to another, word by word: what agrees keeps its letters, braces and line breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from citeproof.answers.fix.text_edits import TextEdit
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.vocabulary.quick_dataclass import dataclass

Write = Callable[[str, int], str]  # new words, and the place where they go

_CHUNK = re.compile(r"(?:\{\\[^{}]{0,20}\}|\\~|[^\s~])++")  # {\ss } is one letter, \~n no space
_NEW = re.compile(r"\S+")
_AND = re.compile(r"\\?&(?:amp;)?")
_OPENING = "([<“‘\"'`„«"
_CLOSING = ")]>”’\"'.,;:!?»"
_LONGEST = 600  # words; a longer title is none


@dataclass(frozen=True, slots=True)
class TitleWord:
    """One word of a text, and the form in which it is compared."""

    start: int
    end: int
    key: str


def reword_title(
    text: str, spans: Sequence[tuple[int, int]], new: str, write: Write
) -> list[TextEdit] | None:
    """Return the edits that make `new` of the words in `spans`; None where braces forbid it.

    `write` turns words of the new title into the letters of the file.
    """
    old = [word for start, end in spans for word in split_words(text, start, end)]
    wanted = [(m[0], key) for m in _NEW.finditer(new) if (key := _make_key(m[0]))]
    if not old or not wanted or len(old) > _LONGEST or len(wanted) > _LONGEST:
        return None
    matcher = SequenceMatcher(None, [w.key for w in old], [key for _, key in wanted], autojunk=False)
    ops = [part for op in matcher.get_opcodes() for part in _split_operation(op, old, spans)]
    case = _choose_case(text, old, [word for word, _ in wanted], ops)
    edits: list[TextEdit] = []
    for op, i1, i2, j1, j2 in ops:
        if op == "equal":
            continue
        new_words = [case(word) if j1 + at else word for at, (word, _) in enumerate(wanted[j1:j2])]
        edit = _edit_words(text, old, i1, i2, new_words, write, spans)
        if edit is None:
            return None
        edits.append(edit)
    return edits


def swap_words(text: str, span: tuple[int, int], old: str, new: str, write: Write) -> list[TextEdit] | None:
    """Return the edits that exchange the words in which two plain titles differ, each found in `span` once.

    For titles whose words cannot be distinguished in the file because a command glues them.
    """
    standing = split_words(text, *span)
    keys = [word.key for word in standing]
    mine = [(m[0], key) for m in _NEW.finditer(old) if (key := _make_key(m[0]))]
    wanted = [(m[0], key) for m in _NEW.finditer(new) if (key := _make_key(m[0]))]
    matcher = SequenceMatcher(None, [key for _, key in mine], [key for _, key in wanted], autojunk=False)
    edits: list[TextEdit] = []
    for op, i1, i2, j1, j2 in matcher.get_opcodes():
        if op == "equal":
            continue
        run = [key for _, key in mine[i1:i2]]
        at = [n for n in range(len(keys) - len(run) + 1) if run and keys[n : n + len(run)] == run]
        core = (
            _trim_marks(text, standing[at[0]].start, standing[at[0] + len(run) - 1].end)
            if len(at) == 1
            else None
        )
        if op != "replace" or core is None:
            return None
        edits.append(
            TextEdit(*core, write(" ".join(word for word, _ in wanted[j1:j2]).rstrip(_CLOSING), core[0]))
        )
    return edits


def has_same_words(text: str, spans: Sequence[tuple[int, int]], plain: str) -> bool:
    """Return whether the words of a file are those of its title read as plain text."""
    standing = [word.key for start, end in spans for word in split_words(text, start, end)]
    return standing == [key for m in _NEW.finditer(plain) if (key := _make_key(m[0]))]


def split_words(text: str, start: int, end: int) -> list[TitleWord]:
    """Return the words of `text` between two places; marks that are alone are none."""
    words = (TitleWord(m.start(), m.end(), _make_key(m[0])) for m in _CHUNK.finditer(text, start, end))
    return [word for word in words if word.key]


def is_same_title(title: str, other: str) -> bool:
    """Return whether two titles have the same letters."""
    return titles.make_title_key(_AND.sub(" and ", title)) == titles.make_title_key(_AND.sub(" and ", other))


def _make_key(chunk: str) -> str:
    return titles.make_title_key(chunk) or ("and" if _AND.fullmatch(chunk) else "")


def _edit_words(
    text: str,
    old: Sequence[TitleWord],
    i1: int,
    i2: int,
    new_words: Sequence[str],
    write: Write,
    spans: Sequence[tuple[int, int]],
) -> TextEdit | None:
    """Return one edit: words replaced, put in or taken out."""
    if i1 == i2:
        return _insert_words(old, i1, " ".join(new_words), write)
    start, end = old[i1].start, old[i2 - 1].end
    if not _is_in_one_span(start, end, spans):
        return None  # it would reach from the title into the subtitle
    if new_words:
        core = _trim_marks(text, start, end)
        plain = " ".join(new_words).lstrip(_OPENING).rstrip(_CLOSING)
        return TextEdit(*core, write(plain, core[0])) if core and plain else None
    if i1 > 0 and old[i1 - 1].end >= spans[0][0] and _is_in_one_span(old[i1 - 1].end, end, spans):
        start = old[i1 - 1].end
    elif i2 < len(old) and _is_in_one_span(start, old[i2].start, spans):
        end = old[i2].start
    return TextEdit(start, end, "") if _is_balanced(text[start:end]) else None


def _split_operation(
    op: tuple[str, int, int, int, int], old: Sequence[TitleWord], spans: Sequence[tuple[int, int]]
) -> list[tuple[str, int, int, int, int]]:
    """Return words exchanged in two steps where they reach from one span into the next, word for word."""
    kind, i1, i2, j1, j2 = op
    border = next(
        (i for i in range(i1 + 1, i2) if not _is_in_one_span(old[i1].start, old[i].end, spans)), None
    )
    if kind != "replace" or i2 - i1 != j2 - j1 or border is None:
        return [op]
    return [(kind, i1, border, j1, j1 + border - i1), (kind, border, i2, j1 + border - i1, j2)]


def _is_in_one_span(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(low <= start and end <= high for low, high in spans)


def _insert_words(old: Sequence[TitleWord], at: int, new_words: str, write: Write) -> TextEdit:
    if at == 0:
        return TextEdit(old[0].start, old[0].start, f"{write(new_words, old[0].start)} ")
    place = old[at - 1].end
    return TextEdit(place, place, f" {write(new_words.rstrip('.') if at == len(old) else new_words, place)}")


def _trim_marks(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the words without the marks and open braces around them; None if braces cut through them."""
    while start < end:
        depth = text.count("{", start, end) - text.count("}", start, end)
        if text[start] in _OPENING or (text[start] == "{" and depth > 0):
            start += 1
        elif text[end - 1] in _CLOSING or (text[end - 1] == "}" and depth < 0):
            end -= 1
        else:
            break
    return (start, end) if start < end and _is_balanced(text[start:end]) else None


def _is_balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def _choose_case(
    text: str, old: Sequence[TitleWord], new: Sequence[str], ops: Sequence[tuple[str, int, int, int, int]]
) -> Callable[[str], str]:
    """Return how capitals are to be written: as the user's other words have them, not as the record's."""
    lowered = raised = 0
    for op, i1, i2, j1, _ in ops:
        if op == "equal":
            for shift in range(max(0, 1 - i1), i2 - i1):  # the first word is a capital in any habit
                mine, theirs = (
                    titles.clean(text[old[i1 + shift].start : old[i1 + shift].end]),
                    new[j1 + shift],
                )
                lowered += mine.islower() and theirs[:1].isupper() and theirs[1:].islower()
                raised += mine[:1].isupper() and theirs.islower()
    if lowered > raised and lowered > 1:
        return lambda word: word.lower() if word[:1].isupper() and word[1:].islower() else word
    if raised > lowered and raised > 1:
        return lambda word: word[:1].upper() + word[1:] if word.islower() and len(word) > 3 else word
    return lambda word: word
