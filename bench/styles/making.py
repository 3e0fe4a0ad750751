"""Works put together: a real title with people and year, and plausible locators, venue and identifiers."""

from __future__ import annotations

import random
from dataclasses import replace

from bench.styles.bank import Bank, Work
from bench.styles.items import Item
from bench.styles.kinds import MAKERS
from bench.styles.people import Person

# What reference lists cite, and in which languages.
KINDS = {
    "article": 45,
    "paper": 20,
    "book": 12,
    "chapter": 10,
    "thesis": 3,
    "report": 3,
    "web": 3,
    "preprint": 2,
    "news": 2,
}
LANGUAGES = {"en": 70, "de": 12, "fr": 4, "es": 2.5, "it": 1.5, "pt": 2, "ru": 2.5, "zh": 4, "ja": 1.5}
# Small words of a title, not capitalised.
_SMALL = frozenset("a an and as at but by for from in into nor of on or over the to via with vs".split())  # noqa: SIM905  a list of 21 quoted words is harder to read


def chosen(weights: dict[str, float] | dict[str, int], rng: random.Random) -> str:
    """One key, by weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


def make(bank: Bank, rng: random.Random, kind: str = "", language: str = "") -> Item:
    """A work of that kind in that language, or as the shares have it."""
    language = language or chosen(LANGUAGES, rng)
    kind = kind or chosen(KINDS, rng)
    if kind == "preprint" and language != "en":
        kind = "article"
    source = _source(bank, kind, language, rng)
    item = Item(kind, language, _title(source.title, language, rng), source.people, _year(source, kind, rng))
    made = MAKERS[kind](bank, item, source, rng)
    return _identified(made, source, rng)


def _source(bank: Bank, kind: str, language: str, rng: random.Random) -> Work:
    works = bank.works[language]
    found = rng.choice(works)
    if language == "en":
        if kind in {"book", "chapter"} and (len(found.title) > 90 or len(found.people) > 4):
            found = rng.choice(works)
        if kind in {"book", "thesis"}:
            found = replace(
                found, people=found.people[: rng.choice((1, 1, 1, 2, 3)) if kind == "book" else 1]
            )
        if kind in {"web", "report"} and rng.random() < 0.5:
            body = bank.pick(language, "institutions", rng).split("|")[0]
            found = replace(found, people=(Person(body),))
        return found
    if rng.random() < 0.65 and bank.foreign[language]:
        found = rng.choice(bank.foreign[language])
        found = replace(found, year=found.year or rng.randint(1965, 2023))
    if not found.people or rng.random() < 0.5:
        people = rng.choices(bank.people[language], k=rng.choice((1, 1, 1, 2, 2, 3, 4)))
        found = replace(found, people=tuple(dict.fromkeys(people)))
    if kind in {"thesis", "news"}:
        found = replace(found, people=found.people[:1])
    return found


def _year(source: Work, kind: str, rng: random.Random) -> int:
    if kind in {"web", "preprint"}:
        return max(source.year, rng.randint(1997, 2024))
    return source.year


def _title(title: str, language: str, rng: random.Random) -> str:
    if language != "en" or rng.random() < 0.35:
        return title
    words = title.split()
    lower = sum(word.islower() for word in words)
    if rng.random() < 0.5:
        return " ".join(
            word if at and (word in _SMALL or not word.islower()) else word[:1].upper() + word[1:]
            for at, word in enumerate(words)
        )
    if lower * 3 > len(words):
        return title
    return " ".join(
        word.lower() if at and word.istitle() and not words[at - 1].endswith((":", ".", "?")) else word
        for at, word in enumerate(words)
    )


def _identified(item: Item, source: Work, rng: random.Random) -> Item:
    doi = source.doi if item.kind in {"article", "paper", "chapter"} else ""
    if not doi and item.kind in {"article", "paper"} and rng.random() < 0.3:
        doi = f"10.{rng.randint(1000, 9999)}/{rng.choice('abcdejmnprst')}{rng.choice(('', '.'))}"
        doi += f"{rng.randint(100, 99999)}.{item.year}.{rng.randint(1, 99):02d}.{rng.randint(1, 999):03d}"
    if rng.random() > (0.45 if item.language == "en" else 0.12):
        doi = ""
    arxiv = item.arxiv or (source.arxiv if rng.random() < 0.3 else "")
    return replace(item, doi=doi, arxiv=arxiv, pmid=source.pmid if rng.random() < 0.08 else "")
