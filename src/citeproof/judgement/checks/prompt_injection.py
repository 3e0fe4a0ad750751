"""`prompt_injection`: text of the citation or of its record gives orders to a language model.

**What it does:** searches the citation as it is written (with its note and abstract, where the document has
them) and the titles, venues, publisher and very long names in the records of the work. It finds orders such
as "ignore all previous instructions" in a dozen languages, orders to reviewers that are models ("give a
positive review only"), signs that only a chat program uses (`<|im_start|>`, `[INST]`), orders about the
verdict of a citation, and text that no reader sees: Unicode tag characters, long runs of zero-width
characters or variation selectors. Orders that zero-width characters or an HTML comment hide are read too.

**Why it matters:** who lets a language model read references, reviews or reports hands it such text. It is a
warning. citeproof itself takes no orders from what it reads.

**What is not reported:** papers about such attacks, which quote them, and an order that is only the title of
a work ("Ignore Previous Prompt: Attack Techniques For Language Models"). Single invisible characters are
debris of copying, and usual in some scripts. Silence is not reported as `clear`.

**References:** <https://genai.owasp.org/llmrisk/llm01-prompt-injection/>.
"""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.judgement.checks.evidence.work_texts import (
    DOCUMENT,
    MAX_TEXT,
    WordGates,
    WorkText,
    collect_words,
    is_western,
    load_gates,
    quote_excerpt,
    read_work,
)
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Finding, FindingState

NAME = "prompt_injection"
_TABLE = "injection_phrases.toml"
_TAGS = re.compile(
    "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{3,4000}+"
)  # a flag of a region has them too
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,4000}+")
_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{16,4000}+")
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad\U000e0000-\U000e01ef]")
_COMMENT = re.compile(r"<!--(.{0,4000}?)-->", re.DOTALL)
_SPACE = re.compile(r"\s+")
_MARKUP = str.maketrans("", "", "{}\\*")  # the braces of BibTeX, the stress of Markdown
_BEFORE = ' .!?:;>=,(-"'  # what a sentence may begin after
_TITLE = 400  # characters of a title that is put aside
_SHOWN = 3
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{24,4000}={0,2}(?![A-Za-z0-9+/=])")
_LOOK_ALIKES = str.maketrans("аеорсухіѕԁјһԛԝɡ", "aeopcyxisdjhqwg")
_LEET = str.maketrans("013457@$", "oleastas")


class _Phrases(NamedTuple):
    """The patterns of the table."""

    override_gates: WordGates
    order_gates: WordGates
    conclusive_gates: WordGates
    signs: re.Pattern[str]
    override: re.Pattern[str]
    order: tuple[re.Pattern[str], ...]
    conclusive: re.Pattern[str]
    about_verdict: re.Pattern[str]
    study: tuple[str, ...]
    suspected: dict[str, re.Pattern[str]]


@cache
def _load_phrases() -> _Phrases:
    table = load_package_table("citeproof.judgement.checks", _TABLE)
    return _Phrases(
        load_gates(_TABLE, "override_gates"),
        load_gates(_TABLE, "order_gates"),
        load_gates(_TABLE, "conclusive_gates"),
        re.compile(table["signs"]),
        re.compile("|".join(table["override"])),
        tuple(map(re.compile, table["order"])),
        re.compile("|".join(table["conclusive"])),
        re.compile("|".join(table["about_verdict"])),
        tuple(table["study"]),
        {name: re.compile("|".join(rules)) for name, rules in table["suspected"].items()},
    )


@add_check(WORK_CHECKS, 7)
def find_injection(evidence: WorkEvidence) -> Finding | None:
    """Return what orders a language model about; None if nothing does."""
    orders = []
    titles: tuple[str, ...] = ()
    for work_text in read_work(evidence).texts:
        if may_give_orders(work_text):
            titles = titles or _list_titles(evidence)
            orders += [(work_text.source, line) for line in list_orders(work_text.text, titles)]
    return _make_finding(orders)


def find_injection_in(texts: Iterable[tuple[str, str]], titles: Iterable[str] = ()) -> Finding | None:
    """Return what in (who wrote it, text) orders a language model about; `titles` are names of works."""
    names = tuple(_make_plain(_UNSEEN.sub("", title)).strip() for title in titles if len(title) <= _TITLE)
    given = []
    for source, text in texts:
        orders = list_orders(text[:MAX_TEXT], [name for name in names if name])
        if not orders and len(suspected := list_suspected_orders(text)) > 1:
            orders = suspected
        given += [(source, line) for line in orders]
    return _make_finding(given)


def list_suspected_orders(text: str) -> list[str]:
    """Return what in `text` may be an order to a model, one passage of each kind; papers may say so, too."""
    text = text[:MAX_TEXT]
    if hidden := list(_list_hidden(text)):
        return hidden
    passages: dict[str, str] = {}
    for plain in _list_readings(text):
        for kind, pattern in _load_phrases().suspected.items():
            if kind not in passages and (match := pattern.search(plain)):
                passages[kind] = _quote_order(plain, match, text)
    return list(passages.values())


def _list_readings(text: str) -> Iterator[str]:
    """Yield the text as a model may read it: without what is invisible, look-alikes and codes resolved."""
    plain = _make_plain(_UNSEEN.sub("", text))
    yield plain
    folded = plain.translate(_LOOK_ALIKES)
    yield from dict.fromkeys(reading for reading in (folded, folded.translate(_LEET)) if reading != plain)
    for coded in _BASE64.findall(text):
        try:
            decoded = base64.b64decode(coded + "=" * (-len(coded) % 4)).decode("utf-8")
        except (ValueError, UnicodeDecodeError):
            continue
        if decoded.isprintable():
            yield _make_plain(decoded)


def _make_finding(orders: Sequence[tuple[str, str]]) -> Finding | None:
    if not orders:
        return None
    sources = ", ".join(dict.fromkeys(source for source, _ in orders))
    where = "the citation" if orders[0][0] == DOCUMENT else f"the record of {orders[0][0]}"
    lines = tuple(dict.fromkeys(f"{source}: {line}" for source, line in orders))[:_SHOWN]
    detail = f"text in {where} gives orders to a language model ({orders[0][1]})"
    return Finding(NAME, FindingState.FINDING, detail, sources, evidence=lines)


def may_give_orders(work_text: WorkText) -> bool:
    """Return whether a closer look is worth its time."""
    phrases, text = _load_phrases(), work_text.text
    if "|" in text and "<|" in text:
        return True
    gates = (phrases.override_gates, phrases.order_gates, phrases.conclusive_gates)
    if work_text.words and any(each.admit(work_text.words) for each in gates):
        return True
    return not is_western(text) and phrases.signs.search(text) is not None


def list_orders(text: str, titles: Sequence[str] = ()) -> list[str]:
    """Return what in `text` gives orders to a model, each in words; `titles` are names, not orders."""
    hidden = list(_list_hidden(text))
    plain = _make_plain(_UNSEEN.sub("", text))
    phrases = _load_phrases()
    if hidden:
        return hidden
    if any(map(plain.__contains__, phrases.study)):  # of the orders that it quotes, none is about a citation
        return [_quote_order(plain, match, text) for match in phrases.about_verdict.finditer(plain)][:1]
    return list(dict.fromkeys(_list_visible(plain, titles, phrases, text)))


def _list_hidden(text: str) -> Iterator[str]:
    if text.isascii():
        return
    for match in _TAGS.finditer(text):
        said = "".join(chr(ord(sign) - 0xE0000) for sign in match[0][:200])
        yield f"hidden in Unicode tag characters: “{show_one_line(said)[:120]}”"
    for pattern, what in ((_SELECTORS, "variation selectors"), (_ZERO_WIDTH, "zero-width characters")):
        if run := pattern.search(text):
            yield f"{len(run[0])} {what} in a row, which hide text"


def _list_visible(plain: str, titles: Sequence[str], phrases: _Phrases, text: str) -> Iterator[str]:
    words = collect_words(plain)
    for conclusion in phrases.conclusive.finditer(plain):
        yield _quote_order(plain, conclusion, text)
    overridden = phrases.override_gates.admit(words) or not is_western(text)
    if not overridden and not phrases.order_gates.admit(words):
        return
    orders = [match for pattern in phrases.order if (match := pattern.search(plain))]
    untitled = plain
    for title in titles if not orders else ():
        untitled = untitled.replace(title, "\n" * len(title))
    if overridden and (match := phrases.override.search(untitled)):
        yield _quote_order(plain, match, text)
    elif len(orders) > 1:
        yield from (_quote_order(plain, order, text) for order in orders)


def _make_plain(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _SPACE.sub(" ", text.translate(_MARKUP)).lower()


def _quote_order(plain: str, match: re.Match[str], text: str) -> str:
    """Return the passage in quotes, and how it was hidden."""
    shown = quote_excerpt(plain, match.start(), match.end())
    core = match[0].strip(_BEFORE)
    if any(core in _make_plain(comment[1]) for comment in _COMMENT.finditer(text)):
        return f"in an HTML comment: “{shown}”"
    return f"“{shown}”" if core in _make_plain(text) else f"between invisible characters: “{shown}”"


def _list_titles(evidence: WorkEvidence) -> tuple[str, ...]:
    """Return the titles of the work as it is cited and recorded, as `list_orders` has them."""
    matched = evidence.judgement.matched
    known = (evidence.reference.claimed.title or "", *(matched.record.titles if matched else ()))
    plain = (_make_plain(_UNSEEN.sub("", title)).strip() for title in known if title)
    return tuple(title for title in plain if len(title) <= _TITLE)
