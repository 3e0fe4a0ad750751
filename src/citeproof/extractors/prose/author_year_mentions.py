"""Author and year of references, and where a text names them: `(Smith, 2020; Doe et al., 2019a)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeproof.extractors.prose.sentence_spans import load_words
from citeproof.text import names
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import RawReference

_REACH = 120  # characters before a year in which its author must stand
_HEAD = 160  # characters of a citation string in which its first author stands
_LISTED = 20  # references of one author and year that one mark may mean

_YEAR = re.compile(
    r"(?<![\d./:-])((?:1[5-9]|20)\d\d)(?:([a-z])(?![a-z]))?((?:\s?[,/&]\s?[a-z]\b(?!['’.])){0,4})(?!\d)"
)
_STATED = re.compile(r"\((?:[A-Za-z.]{0,12}\s)?((?:1[5-9]|20)\d\d)([a-z])?[,)\s/]")
_POINTED = re.compile(r"[.,;]\s((?:1[5-9]|20)\d\d)([a-z])?\s?(?=[.,:;(]|$)")
_ANY = re.compile(r"(?<![\d./:-])((?:1[5-9]|20)\d\d)([a-z])?(?![\d\w])")
_ADDRESS = re.compile(r"https?://\S{1,300}|10\.\d{4,9}/\S{1,200}")
_WORD = re.compile(r"[^\W\d_][^\W\d_'’ʼ\u2010\u2011-]*+(?:['’ʼ\u2010\u2011-][^\W\d_]++)*+")
_NAME_END = re.compile(r"[,(:;“\"]|\set\sal|\s(?:and|und|&|et)\s|(?<=[^\W\d_]{3})\.")
_TOKEN = re.compile(r"['’]s\b|[^\W_]+|[^\w\s]")
_BEFORE = re.compile(r"[^\W\d_]{2}[.,]?\s(?:and|und|&|et|y)\s(?:the\s)?$")


@dataclass(frozen=True, slots=True)
class AuthorYear:
    """Who wrote a reference and when, folded: the words its first author may be called by."""

    words: frozenset[str]
    year: str
    suffix: str
    others: frozenset[str]  # the family names of the co-authors, where the document states them


def read_author_year(reference: RawReference) -> AuthorYear | None:
    """Return who wrote `reference` and when; None if one of the two is not known."""
    year, suffix = _read_year(reference)
    words, others = _read_author_words(reference)
    return AuthorYear(words, year, suffix, others) if year and words else None


def find_mentions(body: str, listed: Sequence[AuthorYear | None]) -> Iterator[tuple[int, int]]:
    """Yield (where the year is, index in `listed`) for each place in `body` that names one of them."""
    by_year: dict[str, dict[str, list[int]]] = {}
    for index, one in enumerate(listed):
        for word in one.words if one else ():
            called = by_year.setdefault(one.year if one else "", {}).setdefault(word, [])
            if len(called) < _LISTED:
                called.append(index)
    if not by_year:
        return
    for match in _YEAR.finditer(body):
        if not (named := by_year.get(match[1])):
            continue
        meant = _match_names(body, match.start(), named, listed)
        letters = (match[2] or "") + match[3]
        exact = [index for index in meant if (one := listed[index]) and one.suffix and one.suffix in letters]
        yield from ((match.start(), index) for index in (exact or meant))


def _match_names(
    body: str, at: int, named: dict[str, list[int]], listed: Sequence[AuthorYear | None]
) -> list[int]:
    """Return which of the references of one year the names before `at` mean: the leftmost name decides."""
    low = max(0, at - _REACH)
    window = body[low:at]
    words = list(_WORD.finditer(window))
    found: list[int] = []
    for word in reversed(words):
        if not _is_connected(window[word.end() :]):
            break  # running text begins: no name further left belongs to this year
        called = (i for key in _fold_word_forms(word[0]) for i in named.get(key, ()))
        found = [i for i in called if _is_compatible(window, word, listed[i])] or found
    return list(dict.fromkeys(found))


def _fold_word_forms(word: str) -> tuple[str, ...]:
    """Return the folded forms one printed word may represent: "Smith's" ⇒ smith's, smith."""
    whole = _fold_word(word)
    own = _fold_word(re.sub(r"['’]s$|['’]$", "", word))
    return (own,) if own == whole else (own, whole)


def _is_compatible(window: str, word: re.Match[str], one: AuthorYear | None) -> bool:
    """Return whether the words around a family name do not speak against this reference."""
    if one is None or not (word[0][0].isupper() or not word[0].isascii()):
        return False
    if _BEFORE.search(window[max(0, word.start() - 30) : word.start()]):
        return False  # "Doe and Smith (2020)" is not Smith's own paper
    second = re.match(r"['’]?\s?(?:and|und|&|et|y|/)\s?([^\W\d_][\w'’-]{1,30})", window[word.end() :])
    if second and one.others and second[1][0].isupper():
        return _fold_word(second[1]) in one.others
    return True


def _is_connected(gap: str) -> bool:
    """Return whether only names, joints, years and punctuation are between a name and its year."""
    dated = False
    for token in _TOKEN.findall(gap):
        if token[0].isdigit():
            dated = True
        elif token[0].isalpha():
            capital = not token[0].islower()
            if (capital and dated) or not (capital or token in load_words("joints") or len(token) == 1):
                return False
    return True


def _fold_word(word: str) -> str:
    return "".join(re.findall(r"[^\W\d_]+", strip_marks(word).casefold()))


def _read_author_words(reference: RawReference) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words the first author may be called by, and the co-authors if they are stated."""
    claimed = reference.claimed
    stated = (claimed.authors or claimed.editors) if claimed else ()
    if stated:
        first = stated[0]
        words = {_fold_word(first.family), *([names.make_family_key(first)] if not first.collective else [])}
        if first.collective:
            words |= {_fold_word(first.family.split()[0]), _make_acronym(first.family)}
        words |= {_fold_word(word) for word in re.split(r"[\s-]", first.family) if len(word) > 3}
        others = frozenset(
            f for name in stated[1:40] for f in (_fold_word(name.family), names.make_family_key(name))
        )
        return frozenset(words - {""}), others
    return frozenset(_find_leading_names(reference.text[:_HEAD]) - {""}), frozenset()


def _find_leading_names(text: str) -> set[str]:
    """Return the capitalised words at the head of a citation string, up to its first name's end."""
    head = _NAME_END.split(text.lstrip('*_[“" '), maxsplit=1)[0]
    if re.fullmatch(r"\s{0,3}(?:[^\W\d_]\.?[\s-]?){1,3}", head):  # initials alone: "A., Smith"
        head = text[:60]
    found = [word[0] for word in _WORD.finditer(head) if word[0][0].isupper() or not word[0].isascii()]
    kept = {_fold_word(word) for word in found[:4] if len(word) > 1} - load_words("stops")
    return kept | ({_make_acronym(head)} if len(found) > 2 else set())


def _make_acronym(name: str) -> str:
    letters = "".join(word[0][0] for word in _WORD.finditer(name) if word[0][0].isupper())
    return letters.casefold() if len(letters) > 2 else ""


def _read_year(reference: RawReference) -> tuple[str, str]:
    """Return year and letter of a reference: as its text prints them, else as it claims the year."""
    text = _ADDRESS.sub(" ", reference.text[:2000])
    stated = str(reference.claimed.year) if reference.claimed and reference.claimed.year else ""
    if stated:
        letter = re.search(rf"(?<!\d){stated}([a-z])(?![a-z\d])", text)
        return stated, letter[1] if letter else ""
    match = _STATED.search(text) or _POINTED.search(text)
    if match is None:
        *_, match = [None, *_ANY.finditer(text)]
    return (match[1], match[2] or "") if match else ("", "")
