"""Made-up venues, by five generators; "topics" and "titles" are also for training."""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

_WORDS = {
    name: text.split("|")
    for name, text in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
_LITTLE = frozenset(_WORDS["little"])
_TOPIC_FORMS = {
    "{t}": 20,
    "{t} and {t}": 17,
    "{t} and {e}": 12,
    "{m} {t}": 18,
    "{m} {e}": 10,
    "{m} {t} {e}": 8,
    "{m} and {m} {t}": 6,
    "{t} {e}": 6,
    "{m} {m} {e}": 3,
    "{t} for {t}": 3,
    "{t}, {t}, and {t}": 2,
}
_FIXED = frozenset(
    (
        "journal",
        "proceedings",
        "conference",
        "international",
        "workshop",
        "symposium",
        "transactions",
        "review",
    )
)


class TitlePhrases:
    """Runs of one to three words of the titles of works: what a field talks about."""

    def __init__(self, titles: Iterable[str]) -> None:
        counts: Counter[tuple[str, ...]] = Counter()
        for title in titles:
            words = re.findall(r"[a-z][a-z-]*[a-z]|[.:;,?!]", title.lower())
            for size in (1, 2, 3):
                runs = zip(*(words[at:] for at in range(size)), strict=False)
                counts.update({run for run in runs if all(w[0].isalpha() and w not in _LITTLE for w in run)})
        least = {1: 30, 2: 15, 3: 8}
        self.by_size = {
            size: [(run, n**0.6) for run, n in counts.items() if len(run) == size and n >= least[size]]
            for size in (1, 2, 3)
        }

    def draw(self, chance: random.Random) -> str:
        """Return a phrase, in capitals as in a name."""
        size = chance.choices((1, 2, 3), (20, 62, 18))[0]
        rows = self.by_size[size]
        run = _pick(rows, chance)
        return " ".join("-".join(part.capitalize() for part in word.split("-")) for word in run)


def _pick(rows: list[tuple[tuple[str, ...], float]], chance: random.Random) -> tuple[str, ...]:
    """Return a row by weight, without summing all weights each time."""
    while True:
        run, weight = chance.choice(rows)
        if chance.random() * 40 < weight:
            return run


def invent_from_topics(chance: random.Random) -> str:
    """Return a form and a topic that sound well together, as a language model would."""
    return _fill(chance, lambda: chance.choice(_WORDS["topics"]))


def invent_from_both(chance: random.Random, phrases: TitlePhrases) -> str:
    """Return a form with fashionable topics and phrases from titles, mixed."""
    topics = _WORDS["topics"]
    return _fill(chance, lambda: chance.choice(topics) if chance.random() < 0.5 else phrases.draw(chance))


def invent_from_titles(chance: random.Random, phrases: TitlePhrases) -> str:
    """Return a form and phrases from titles of works."""
    return _fill(chance, lambda: phrases.draw(chance))


def _fill(chance: random.Random, topic: Callable[[], str]) -> str:
    pattern = chance.choices(list(_TOPIC_FORMS), list(_TOPIC_FORMS.values()))[0]
    while "{t}" in pattern:
        pattern = pattern.replace("{t}", topic(), 1)
    while "{m}" in pattern:
        pattern = pattern.replace("{m}", chance.choice(_WORDS["modifiers"]), 1)
    pattern = pattern.replace("{e}", chance.choice(_WORDS["tails"]))
    form = chance.choice(_WORDS["journals" if chance.random() < 0.5 else "events"])
    letters = "".join(word[0] for word in pattern.replace("-", " ").split() if word[0].isupper())
    return (
        form.replace("{n}", chance.choice(_WORDS["numbers"])).replace("{A}", letters).replace("{}", pattern)
    )


def recombine_names(chance: random.Random, names: list[str]) -> str:
    """Return the first half of one real name and the second of another."""
    while True:
        first, second = (chance.choice(names).split() for _ in range(2))
        if not (3 <= len(first) <= 9 and 3 <= len(second) <= 9):
            continue
        head, tail = _find_joint(first, chance), _find_joint(second, chance)
        made = first[:head] + second[tail:]
        if len(made) >= 3 and made not in (first, second):
            return " ".join(made)


def _find_joint(words: list[str], chance: random.Random) -> int:
    joints = [
        at + 1
        for at, word in enumerate(words[:-1])
        if at and word.lower() in {"of", "on", "in", "for", "and"}
    ]
    return chance.choice(joints) if joints else len(words) // 2


def alter_name(chance: random.Random, names: list[str], vocabulary: list[str]) -> str:
    """Return a real name with one of its telling words replaced."""
    while True:
        words = chance.choice(names).split()
        places = [at for at, w in enumerate(words) if len(w) > 4 and w.isalpha() and w.lower() not in _FIXED]
        if 3 <= len(words) <= 10 and places:
            at, other = chance.choice(places), chance.choice(vocabulary)
            words[at] = other.capitalize() if words[at][0].isupper() else other
            return " ".join(words)


def invent_all(
    seed: int, count: int, phrases: TitlePhrases, names: list[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each generator's name with `count` of its inventions."""
    chance = random.Random(seed)
    vocabulary = [run[0] for run, _ in phrases.by_size[1] if len(run[0]) > 4]
    yield "topics", [invent_from_topics(chance) for _ in range(count)]
    yield "titles", [invent_from_titles(chance, phrases) for _ in range(count)]
    yield "both", [invent_from_both(chance, phrases) for _ in range(count)]
    yield "recombined", [recombine_names(chance, names) for _ in range(count)]
    yield "altered", [alter_name(chance, names, vocabulary) for _ in range(count)]
