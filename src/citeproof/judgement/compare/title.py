"""Titles: `same`, `variant` with the reason, or `differs` with the changed words.

Spelling, markup and punctuation may vary; words may not. One changed content word is `differs`
even at similarity 0.97 ("…All You Want"), because that is how invented references differ from
real ones. Some differences are a veto: they make it another work whatever the similarity.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.package_tables import load_package_table, read_pairs
from citeproof.text.title import spell_american
from citeproof.text.unicode import are_in_other_scripts, fits_unreadable
from citeproof.vocabulary import Comparison, Outcome, Reason

ARTICLES = frozenset({"a", "an", "the"})
PART = re.compile(
    r"(?:part\s+|vol(?:ume|\.)?\s+)?(?:[ivx]{1,5}|\d{1,3})\b", re.IGNORECASE
)  # "II. Applications"
RETRACTED = re.compile(
    r"(?:RETRACTED|WITHDRAWN|REMOVED)(?:\s+(?:ARTICLE|CHAPTER|PAPER))?\s*[:.]\s*", re.IGNORECASE
)
FIGURE = re.compile(r"\d+(?:[.,]\d+)*|\b[cf](?:\+\+|#)")  # C, C++ and C# have the same letter
ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
NUMBERED = re.compile(r"([^\W\d]*)(\d+)([^\W\d]*)")  # "3d", "yolov4"
THOUSANDS = re.compile(r"(?<=\d),?\s(?=\d{3}(?!\d))")  # "15, 000"
UNIT = re.compile(r"(\d[\d.]{0,9})\s?([A-Za-z]{1,3})(?=(?:,|,? and| or|,? to) \d[\d.]{0,9}\s?\2\b)")
QUOTED_END = re.compile(r"\s[\"“][^\"“”]{3,40}[\"”]?['’]?\s*$")  # records made from BibTeX lose it
ELLIPSIS = re.compile(r"(?:\.\.\.|…)\s*$")
ASIDE = re.compile(
    r"\s*[(\[](?!art[ie]facts?[)\]])[^()\[\]]{3,80}[)\]]\s*$", re.IGNORECASE
)  # "(Information Science and Statistics)", "(Student Abstract)"; an artifact has a DOI of its own
TRANSLATED = re.compile(
    r"[^\x00-\u024f]\s?[(（]([\x20-\u024f]{20,300})[)）]\s*$"
)  # behind a title in Chinese
PARALLEL = re.compile(r"([^\[\]]{4,300}?)\s[=\[]\s?([^\[\]]{4,300})\]?\.?")
EDITION = re.compile(
    r"(?<![\s,.:;(])[\s,.:;(]++"
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|revised|international|global)"
    r"\s++ed(?:ition|n?\.?)?\)?(?=\s*[:,.]|\s*$)",
    re.IGNORECASE,
)
SUPPLEMENT = re.compile(
    r"^supplement(?:al|ary)?(?:\s+(?:material|information|data)s?)?\s*(?:for|to|:)\s*", re.IGNORECASE
)
TRADEMARK = re.compile(r"[™℠®]|\((?:tm|sm|r)\)", re.IGNORECASE)
_REPLACED = 3  # words on both sides from which it is no longer a title with a changed word
_REORDERED = 0.9  # how alike two titles of the same words are, whatever their order
_RESPELLED = 8  # characters by which two spellings of the same words may differ
_FAR = 0.5  # similarity below which nobody asks which words were changed
_ENOUGH_WORDS = 3  # a main title of fewer words does not represent the whole
_ENOUGH_LETTERS = 15


@dataclass(frozen=True, slots=True)
class TitleRules:
    numbers: dict[str, str]
    notices: frozenset[str]
    subtitles: frozenset[str]
    parts: frozenset[str]
    polarity: frozenset[str]
    antonyms: frozenset[frozenset[str]]


@lru_cache(maxsize=1)
def load_title_rules() -> TitleRules:
    """Return the table of `title.toml`."""
    data = load_package_table(__package__, "title.toml")
    veto = data["veto"]
    rows = {name: words.split() for name, words in data["numbers"].items()}
    numbers = {word: str(10 * count) for count, word in enumerate(rows["tens"], 1)}
    numbers |= {word: str(n) for name in ("counted", "roman") for n, word in enumerate(rows[name], 1)}
    numbers |= read_pairs(data["numbers"]["ordinals"])

    def unify(word: str) -> str:
        return numbers.get(american := spell_american(word), american)

    return TitleRules(
        numbers,
        notices=frozenset(map(unify, veto["notices"])),
        subtitles=frozenset(map(unify, veto["subtitles"])),
        parts=frozenset(map(unify, veto["parts"])),
        polarity=frozenset(map(unify, veto["polarity"])),
        antonyms=frozenset(frozenset(map(unify, pair)) for pair in veto["antonyms"]),
    )


def compare_title(claimed: str | None, known: tuple[str, ...], *, named: bool = False) -> Comparison:
    """Return how the claimed title agrees with the best of all known titles of a work.

    `named`: an identifier leads to the work, or all else agrees, so that even a short title may be one
    without its subtitle.
    """
    if not claimed:
        return Comparison("title", Outcome.ABSENT, Reason.NOT_CITED, "", known[0] if known else "")
    if not known:
        return Comparison("title", Outcome.UNKNOWN, Reason.RECORD_HAS_NONE, claimed)
    every = (*known, *_strip_retraction(known))
    best = max(
        (_compare_pair(claimed, title, named=named) for title in every),
        key=lambda one: (one.outcome is Outcome.SAME, one.outcome.agrees, one.similarity),
    )
    if not best.outcome.agrees and any(is_known_title(part, known) for part in _split_parallel(claimed)):
        return Comparison("title", Outcome.VARIANT, Reason.TRANSLATED, claimed, best.resolved, 1.0)
    return best


def _split_parallel(title: str) -> tuple[str, ...]:
    """Return both titles of one with its translation: "Tiefes Lernen für … [Deep learning for …]"."""
    found = PARALLEL.fullmatch(title)
    return found.groups() if found and are_in_other_languages(*found.groups()) else ()


def are_in_other_languages(title: str, other: str) -> bool:
    """Return whether one title may be a translation of the other, by its script or its small words."""
    return are_in_other_scripts(title, other) or _is_foreign(title) is not _is_foreign(other)


@lru_cache(maxsize=1024)
def _is_foreign(title: str) -> bool:
    """Return whether small words or letters with marks say that a title is not English."""
    words, small = titles.split_words(title), load_package_table(__package__, "title.toml")["small"]
    if not {*small["english"]}.isdisjoint(words) or (title.isascii() and {*small["other"]}.isdisjoint(words)):
        return False
    tables = load_package_table("citeproof.text", "title_words.toml").values()
    return 2 * len({*words} & {word for table in tables for word in table.split()}) <= len(words)


def _strip_retraction(known: tuple[str, ...]) -> list[str]:
    """Return the titles that were marked as retracted, as they were before, and translations in brackets."""
    plain = [RETRACTED.sub("", title) for title in known if RETRACTED.match(title)]
    foreign = [title for title in known if not title.isascii()]
    return plain + [found[1] for title in foreign if (found := TRANSLATED.search(title))]


def measure_similarity(claimed: str, known: str) -> float:
    """Return `max(0, 1 − lev/max(len))` over the cleaned titles, 0..1."""
    return Levenshtein.normalized_similarity(titles.make_title_key(claimed), titles.make_title_key(known))


def _compare_pair(claimed: str, known: str, *, named: bool) -> Comparison:
    if claimed == known:
        return Comparison("title", Outcome.SAME, Reason.SAME, claimed, known, 1.0)
    alike = measure_similarity(claimed, known)
    near = abs(len(claimed) - len(known)) <= _RESPELLED
    if near and alike < _REORDERED and sorted(standardise_title(claimed)) == sorted(standardise_title(known)):
        alike = _REORDERED
    outcome, reason = _judge_pair(claimed, known, alike)
    if named and outcome is Outcome.DIFFERS and is_main_title(claimed, known):
        outcome, reason = Outcome.VARIANT, Reason.SUBTITLE_DROPPED
    return Comparison("title", outcome, reason, claimed, known, alike)


def is_known_title(claimed: str | None, known: tuple[str, ...]) -> bool:
    """Return whether the claimed title is one of the known ones, spelling aside."""
    if not claimed:
        return False
    every = (*known, *_strip_retraction(known))
    return any(claimed == title or _find_variant(claimed, title) is not None for title in every)


def _judge_pair(claimed: str, known: str, alike: float) -> tuple[Outcome, Reason]:
    if not titles.make_title_key(claimed) or not titles.make_title_key(known):
        return Outcome.UNKNOWN, Reason.NO_LETTERS
    if (found := _find_variant(claimed, known)) is not None:
        return found
    if are_in_other_scripts(claimed, known):
        return Outcome.UNKNOWN, Reason.OTHER_SCRIPT
    if alike < _FAR:
        return Outcome.DIFFERS, Reason.OTHER_TITLE
    reason = classify_change(standardise_title(claimed), standardise_title(known), alike)
    if reason is Reason.VETO_NUMBER and titles.has_main_title(claimed, known) and not FIGURE.search(claimed):
        reason = Reason.WORD_ADDED  # "…: Seven Sketches in Compositionality"
    return Outcome.DIFFERS, reason


@lru_cache(maxsize=1024)
def _find_variant(claimed: str, known: str) -> tuple[Outcome, Reason] | None:
    """Return what kind of acceptable variation it is, None if it is not one."""
    if titles.make_title_key(claimed) == titles.make_title_key(known):
        same = bool(titles.make_title_key(known)) and extract_figures(claimed) == extract_figures(known)
        return _classify_spelling(claimed, known) if same else None
    if fits_unreadable(claimed, known, titles.make_title_key) or _is_same_with_units(claimed, known):
        return Outcome.VARIANT, Reason.SPELLING
    mine, theirs = standardise_title(claimed), standardise_title(known)
    if "".join(mine) == "".join(theirs) or respell_letters(mine) & respell_letters(theirs):
        return Outcome.VARIANT, Reason.SPELLING
    if "".join(_drop_article(mine)) == "".join(_drop_article(theirs)):
        return Outcome.VARIANT, Reason.ARTICLE  # at the start only, where catalogues leave it off
    if (plain := _strip_trademarks(claimed)) and plain == _strip_trademarks(known):
        return Outcome.VARIANT, Reason.PUNCTUATION
    if (
        (bare := _strip_additions(claimed))
        and bare == _strip_additions(known)
        and len(bare) >= _ENOUGH_LETTERS
        and not _have_other_endings(claimed, known)
    ):
        return Outcome.VARIANT, Reason.EDITION
    if _is_abbreviated(mine, theirs):
        return Outcome.VARIANT, Reason.ABBREVIATION
    shortened = _explain_shortening(claimed, known)
    return (Outcome.VARIANT, shortened) if shortened else None


def _have_other_endings(claimed: str, known: str) -> bool:
    """Return whether both end in brackets or a quotation with other words: "(Volume 1: Long Papers)"."""
    ends = [
        [
            standardise_title(found[0])
            for one in (claimed, known)
            if (found := ending.search(titles.clean(one)))
        ]
        for ending in (ASIDE, QUOTED_END)
    ]
    return any(len(pair) == 2 and pair[0] != pair[1] for pair in ends)


def _is_same_with_units(claimed: str, known: str) -> bool:
    """Return whether two titles differ only in how often a unit is written: "7 TeV and 8 TeV"."""
    mine, theirs = UNIT.sub(r"\1", claimed), UNIT.sub(r"\1", known)
    if (mine, theirs) == (claimed, known) or extract_figures(claimed) != extract_figures(known):
        return False
    return titles.make_title_key(mine) == titles.make_title_key(theirs)


def _strip_trademarks(title: str) -> str:
    """Return the key of a title without the signs behind names of products: "Xeon Phi™"."""
    signed = not title.isascii() or "(" in title or "\\" in title
    return titles.make_title_key(TRADEMARK.sub(" ", titles.clean(title)) if signed else title)


def _classify_spelling(claimed: str, known: str) -> tuple[Outcome, Reason]:
    mine, theirs = titles.clean(claimed), titles.clean(known)
    if mine == theirs:
        return (Outcome.SAME, Reason.SAME) if claimed == mine else (Outcome.VARIANT, Reason.MARKUP)
    return Outcome.VARIANT, Reason.CASE if mine.casefold() == theirs.casefold() else Reason.PUNCTUATION


@lru_cache(maxsize=8192)
def standardise_title(title: str) -> tuple[str, ...]:
    """Return the words of a title in one spelling: American, figures for numbers, no "and"."""
    # "s" is what is left of a possessive: Parkinson's disease is also written Parkinson disease
    return tuple([_standardise_word(word) for word in titles.split_words(title) if word not in {"and", "s"}])


@lru_cache(maxsize=8192)
def _standardise_word(word: str) -> str:
    american = spell_american(word)
    return load_title_rules().numbers.get(american, american)


def extract_figures(title: str) -> list[str]:
    """Return the numbers of a title: "1.3 TeV" and "13 TeV" have the same letters, not the same number."""
    whole = THOUSANDS.sub("", titles.fold_title(title))
    return [figure.replace(",", "") for figure in FIGURE.findall(whole)]


def respell_letters(words: tuple[str, ...]) -> set[str]:
    """Return the letters of a title with ae and oe as e ("haemo-"), and as umlauts ("Ueber")."""
    letters = "".join(words)
    medical = letters.replace("ae", "e").replace("oe", "e")
    return {medical, letters.replace("ae", "a").replace("oe", "o").replace("ue", "u")}


def _drop_article(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if words[:1] and words[0] in ARTICLES else words


@lru_cache(maxsize=1024)
def _strip_additions(title: str) -> str:
    """Return a title without its edition, a bracket or quotation at its end, or that it is a supplement."""
    bare = SUPPLEMENT.sub("", EDITION.sub("", ASIDE.sub("", titles.clean(title))))
    return titles.make_title_key(QUOTED_END.sub("", bare))


def _is_abbreviated(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Return whether one title has the initials of words that the other spells: "SVM"."""
    if not _has_initials(mine, theirs) and not _has_initials(theirs, mine):
        return False  # soon told, where most titles differ
    gone, come = _diff_words(mine, theirs)
    for short, long in ((come, gone), (gone, come)):
        if len(short) == 1 and len(long) > 1 and short[0].rstrip("s") == "".join(word[0] for word in long):
            return True
    return False


def _has_initials(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Return whether a word of one title is made of initials of the other's words, in their order."""
    initials = "".join([word[0] for word in long])
    letters = {*initials, "s"}
    return any(letters.issuperset(word) and _is_spelled_in(word.rstrip("s"), initials) for word in short)


def _is_spelled_in(letters: str, initials: str) -> bool:
    at = -1
    for letter in letters:
        at = initials.find(letter, at + 1)
        if at < 0:
            return False
    return len(letters) > 1


def _explain_shortening(claimed: str, known: str) -> Reason | None:
    """Return the reason when the cited title is the record's with its subtitle or tail left off.

    The other way round is no variant: a subtitle that the record has not is words added.
    """
    if ELLIPSIS.search(claimed):
        stem = titles.make_title_key(ELLIPSIS.sub("", claimed))
        if len(stem) >= _ENOUGH_LETTERS and titles.make_title_key(known).startswith(stem):
            return Reason.TRUNCATED
    words, letters = titles.split_words(claimed), titles.make_title_key(claimed)
    standalone = len(words) >= _ENOUGH_WORDS and len(letters) >= _ENOUGH_LETTERS
    return Reason.SUBTITLE_DROPPED if standalone and is_main_title(claimed, known) else None


def is_main_title(claimed: str, known: str) -> bool:
    """Return whether the cited title is the record's without a subtitle that makes it no other work."""
    if not titles.make_title_key(known).startswith(titles.make_title_key(claimed)):
        return False
    whole = titles.clean(known)
    return any(
        titles.make_title_key(whole[: cut.start()]) == titles.make_title_key(claimed)
        and not _makes_other_work(whole[cut.end() :])
        for cut in titles.SUBTITLE.finditer(whole)
    )


def _makes_other_work(subtitle: str) -> bool:
    """Return whether a subtitle makes it another work: a part, or a notice about the first."""
    table = load_title_rules()
    words = set(standardise_title(subtitle))
    return PART.match(subtitle) is not None or not words.isdisjoint(table.subtitles | table.parts)


def classify_change(mine: tuple[str, ...], theirs: tuple[str, ...], alike: float) -> Reason:
    """Return the reason code of a real difference between two lists of words."""
    gone, come = _diff_words(mine, theirs)
    if not gone and not come:
        return Reason.VETO_NUMBER  # the same words: only the decimal point of a figure moved
    edges = {*mine[:2], *mine[-5:], *theirs[:2], *theirs[-5:]}
    veto = _find_veto(set(gone), set(come), edges)
    if veto:
        return veto
    if sorted(mine) == sorted(theirs):
        return Reason.WORDS_REORDERED
    if (
        alike < 0.6
        or len(gone) + len(come) > max(4, len(theirs))
        or all(sum(word not in titles.STOPWORDS for word in side) >= _REPLACED for side in (gone, come))
    ):
        return Reason.OTHER_TITLE
    if gone and come:
        near = all(any(Levenshtein.distance(a, b) <= 2 and len(a) > 3 for b in gone) for a in come)
        return Reason.TYPO if near and len(come) == len(gone) else Reason.WORD_CHANGED
    return Reason.WORD_ADDED if come else Reason.WORD_MISSING


@lru_cache(maxsize=64)
def _diff_words(mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return (words only in the record, words only in the claim), aligned in order."""
    gone: list[str] = []
    come: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, theirs, mine, autojunk=False).get_opcodes():
        if tag != "equal" and "".join(theirs[a:b]) != "".join(mine[c:d]):
            gone.extend(theirs[a:b])
            come.extend(mine[c:d])
    return gone, come


def _find_veto(gone: set[str], come: set[str], edges: set[str]) -> Reason | None:
    """Return the veto that a change of words sets off, if any.

    A figure that only one side has, or two different figures, name another part or another year.
    A notice is at the edge of a title: "Response to …", but "the number of response regions".
    """
    table = load_title_rules()
    figures_gone, figures_come = ({w for w in side if w.isdigit()} for side in (gone, come))
    if figures_gone != figures_come:
        return Reason.VETO_NUMBER
    if _are_numbered_apart(gone, come):
        return Reason.VETO_NUMBER
    if (gone ^ come) & table.notices & edges:
        return Reason.VETO_NOTICE
    if (gone ^ come) & table.parts:
        return Reason.VETO_PART
    if any(ORDINAL.fullmatch(word) for word in gone) and any(ORDINAL.fullmatch(word) for word in come):
        return Reason.VETO_NUMBER  # events of a series: the second and the third challenge
    if any(len(pair & gone) == 1 and len(pair & come) == 1 for pair in table.antonyms):
        return Reason.VETO_ANTONYM
    if (gone ^ come) & table.polarity:
        return Reason.VETO_POLARITY
    return None


def _are_numbered_apart(gone: set[str], come: set[str]) -> bool:
    """Return whether a word only has another number: "3D" and "4D", "YOLOv3" and "YOLOv4"."""
    mine, theirs = (
        {(m[1], m[3]): m[2] for w in side if (m := NUMBERED.fullmatch(w))} for side in (come, gone)
    )
    return any(stem in theirs and theirs[stem] != number for stem, number in mine.items())
