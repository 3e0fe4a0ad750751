"""`ai_generated_suspect`: obvious traces of a program that wrote or paraphrased the cited work.

**What it does:** looks for facts, each with its evidence: words that chat programs say to their users ("as an
AI language model, I", "Certainly, here is a", "regenerate response", "as of my last knowledge update") in the
text of the citation, with its abstract or note where the document has them; tortured phrases, which are set
terms after each word was replaced by a synonym ("counterfeit consciousness" for artificial intelligence);
dates that cannot be (accepted before received, as PubMed states them).

**Why it matters:** no one read such text before it was published. It is a warning about the text, not about
its authors.

**What counts:** the words of a chat program outside the title, or two other facts, or two tortured phrases.
One of them alone is not reported, nor is style. Papers that study such texts quote them: where the text is
about language models, paraphrasing or paper mills, nothing is said.

**Kinds:** `chatbot`, `tortured_phrases`, `dates`: the first fact, or the one that is enough.

**What is not known:** the full text of cited works and their reference lists are not read; missing methods,
references that do not exist and closed rings of citations are therefore not asserted. Silence is not reported
as `clear`.

**References:** Cabanac, Labbé, Magazinov: Tortured phrases (2021), <https://arxiv.org/abs/2107.06751>.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.judgement.checks.evidence.work_texts import WordGates, load_gates, quote_excerpt, read_work
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import DATES_CLASH, Finding, FindingState, Record

NAME = "ai_generated_suspect"
ENOUGH = 2  # facts that are not conclusive alone
_SPACE = re.compile(r"\s+")
_MARKUP = str.maketrans("’", "'", "{}\\*")
_QUOTES = "\"“”'‘’«»`"
_SHOWN = 5


class TextFact(NamedTuple):
    """One fact, in words, and whether it is enough."""

    kind: str
    line: str
    source: str
    conclusive: bool = False


class _Traces(NamedTuple):
    """The patterns of the table."""

    residue_gates: WordGates
    residue: re.Pattern[str]
    study: tuple[str, ...]
    tortured_gates: WordGates
    tortured: tuple[
        tuple[frozenset[bytes], re.Pattern[str], str], ...
    ]  # two words, the phrase, what is meant


@cache
def _load_traces() -> _Traces:
    table = load_package_table("citeproof.judgement.checks", "generated_text.toml")
    return _Traces(
        load_gates("generated_text.toml", "residue_gates"),
        re.compile("|".join(table["residue"])),
        tuple(table["study"]),
        load_gates("generated_text.toml", "tortured_gates"),
        tuple(_compile_phrase(phrase, meant) for phrase, meant in table["tortured"].items()),
    )


def _compile_phrase(phrase: str, meant: str) -> tuple[frozenset[bytes], re.Pattern[str], str]:
    """Return a phrase with the words that may be in it: a text that has it has two of them."""
    plain = phrase.replace("organi[sz]ation", "organization organisation").replace("s?", "s ")
    words = re.findall(r"[a-z]{3,}", plain)
    known = frozenset(form.encode() for word in words for form in (word, word.removesuffix("s")))
    return known | {b"to"}, re.compile(rf"\b(?:{phrase})\b"), meant


@add_check(WORK_CHECKS, 14)
def find_generated(evidence: WorkEvidence) -> Finding | None:
    """Return the traces of a program in what is known of the work; None if there are not enough."""
    facts = list_facts(evidence)
    if not any(fact.conclusive for fact in facts) and len(facts) < ENOUGH:
        return None
    sources = ", ".join(dict.fromkeys(fact.source for fact in facts))
    lines = tuple(f"{fact.source}: {fact.line}" for fact in facts[:_SHOWN])
    first = next((fact for fact in facts if fact.conclusive), facts[0])
    detail = f"obvious traces of a program that wrote or paraphrased text: {first.line}"
    return Finding(NAME, FindingState.FINDING, detail, sources, first.kind, evidence=lines)


def list_facts(evidence: WorkEvidence) -> list[TextFact]:
    """Return every fact that is known, each once."""
    traces = _load_traces()
    facts: dict[str, TextFact] = {}
    titles: list[str] | None = None
    reading = read_work(evidence)
    for text, source, words in reading.texts:
        if not words:
            continue
        chatty, twisted = traces.residue_gates.admit(words), traces.tortured_gates.admit(words)
        if not chatty and not twisted:
            continue
        plain = _make_plain(text)
        titles = _list_titles(evidence) if titles is None else titles
        traces_seen = [
            *(_find_residue(plain, titles) if chatty else ()),
            *(_find_tortured(plain, words) if twisted else ()),
        ]
        if traces_seen and not is_study(plain):
            facts.update((line, TextFact(kind, line, source, sure)) for kind, line, sure in traces_seen)
    for record in reading.records:
        facts.update((fact.line, fact) for fact in find_clashing_dates(record))
    return list(facts.values())


def is_study(plain: str) -> bool:
    """Return whether a text is about such traces, and so may quote them."""
    return any(map(plain.__contains__, _load_traces().study))


def find_clashing_dates(record: Record) -> list[TextFact]:
    """Return the dates of the work that cannot all be right."""
    clashes = [mark.removeprefix(DATES_CLASH) for mark in record.marks if mark.startswith(DATES_CLASH)]
    return [TextFact("dates", show_one_line(clash[:100]), record.source) for clash in clashes[:1]]


def _find_residue(plain: str, titles: list[str]) -> list[tuple[str, str, bool]]:
    """Return what a chat program said; in a title, or in quotes, it may be a quotation."""
    outside = plain
    for title in titles:
        outside = outside.replace(title, " " * len(title))
    for match in _load_traces().residue.finditer(plain):
        if plain[match.start() - 1 : match.start()] not in _QUOTES or not match.start():
            sure = outside[match.start() : match.end()] == match[0]
            shown = quote_excerpt(plain, match.start(), match.end())
            return [("chatbot", f"words of a chat program: “{shown}”", sure)]
    return []


def _find_tortured(plain: str, words: frozenset[bytes]) -> list[tuple[str, str, bool]]:
    likely = (row for row in _load_traces().tortured if len(row[0] & words) > 1)
    phrases = [(m[0], meant) for _, pattern, meant in likely if (m := pattern.search(plain))]
    return [("tortured_phrases", f"“{phrase}” for “{meant}”", False) for phrase, meant in phrases]


def _make_plain(text: str) -> str:
    return _SPACE.sub(" ", text.translate(_MARKUP)).lower()


def _list_titles(evidence: WorkEvidence) -> list[str]:
    matched = evidence.judgement.matched
    known = [evidence.reference.claimed.title or "", *(matched.record.titles if matched else ())]
    return [plain for title in known if (plain := _make_plain(title).strip())]
