"""The words of `language.toml`, read once: verbs by form, phrases by first word, small sets of grammar."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from citeproof.corpus.corpus_types import Grade
from citeproof.text.package_tables import load_package_table

BASE, THIRD, PAST, PARTICIPLE, GERUND = range(5)  # where a form is in the list of a verb's forms


@dataclass(frozen=True, slots=True)
class GradedVerb:
    """A verb that says how sure something is."""

    lemma: str
    of: Grade  # HIGH or MODERATE
    forms: tuple[str, ...]
    moderate: str = ""  # lemma that a MODERATE source may have instead
    clause: str = ""  # the same before "that" or "to"


@dataclass(frozen=True, slots=True)
class HedgePhrase:
    """Words that hedge; `*` represents any one word."""

    words: tuple[str, ...]
    of: Grade  # LOW or VERY_LOW


@dataclass(frozen=True, slots=True)
class GradeLexicon:
    """Everything the rules look up."""

    verbs: dict[str, GradedVerb]  # by each form
    forms: dict[str, tuple[str, ...]]  # of each lemma, also those only put in place
    phrases: dict[str, tuple[HedgePhrase, ...]]  # by first word, longest first
    weaker: dict[str, str]
    allowed: dict[Grade, tuple[str, ...]]
    advice: dict[Grade, str]
    generic: dict[Grade, str]
    overclaim: str  # advice where the level is not known, or is HIGH
    stems: dict[Grade, tuple[str, ...]]  # a sentence with none of these and of the pairs says nothing amiss
    pairs: tuple[tuple[str, str], ...]  # first and last word of phrases, for HIGH and VERY LOW
    noted: frozenset[str]  # every word that begins something or ends a clause
    sets: dict[str, frozenset[str]]  # "grammar.modals", "own.nouns", …; "helpers": what governs a verb


@cache
def load_lexicon() -> GradeLexicon:
    table = load_package_table("citeproof.corpus.grade", "language.toml")
    strong = [
        GradedVerb(lemma, Grade.HIGH, tuple(row["forms"]), row["moderate"], row["clause"])
        for lemma, row in table["strong"].items()
    ]
    medium = [GradedVerb(lemma, Grade.MODERATE, tuple(forms)) for lemma, forms in table["medium"].items()]
    verbs = [*strong, *medium]
    phrases, sets = _group_phrases(table["phrases"]), _collect_sets(table)
    return GradeLexicon(
        verbs={form: verb for verb in verbs for form in verb.forms},
        forms={verb.lemma: verb.forms for verb in verbs} | {"appear": tuple(table["other"]["appear"])},
        phrases=phrases,
        weaker=table["weaker"],
        allowed={Grade(name): tuple(words) for name, words in table["allowed"].items()},
        advice={Grade(name): words for name, words in table["advice"].items()},
        generic={Grade(name): words for name, words in table["generic"].items()},
        overclaim=table["texts"]["overclaim"],
        stems=_collect_triggers(strong, medium, phrases),
        pairs=_collect_pairs(phrases, {form for verb in verbs for form in verb.forms}),
        noted=frozenset({form for verb in verbs for form in verb.forms}) | set(phrases) | sets["ends"],
        sets=sets,
    )


def _group_phrases(table: dict[str, list[str]]) -> dict[str, tuple[HedgePhrase, ...]]:
    groups: dict[str, list[HedgePhrase]] = {}
    for name, grade in (("low", Grade.LOW), ("very_low", Grade.VERY_LOW)):
        for words in table[name]:
            phrase = HedgePhrase(tuple(words.split()), grade)
            groups.setdefault(phrase.words[0], []).append(phrase)
    return {
        word: tuple(sorted(listed, key=lambda hedge: len(hedge.words), reverse=True))
        for word, listed in groups.items()
    }


def _collect_triggers(
    strong: list[GradedVerb], medium: list[GradedVerb], phrases: dict[str, tuple[HedgePhrase, ...]]
) -> dict[Grade, tuple[str, ...]]:
    """Return what a sentence must hold for each level to have something to say about it."""
    high = [form for verb in strong for form in verb.forms]
    other = [form for verb in medium for form in verb.forms]
    single = [phrase.words[0] for listed in phrases.values() for phrase in listed if len(phrase.words) == 1]
    low = [form for form in other if form.startswith("suggest")]
    every = _find_stems([*high, *other, *single])
    return {
        Grade.HIGH: every,
        Grade.MODERATE: _find_stems(high),
        Grade.LOW: _find_stems([*high, *low]),
        Grade.VERY_LOW: every,
    }


def _collect_pairs(
    phrases: dict[str, tuple[HedgePhrase, ...]], verbs: set[str]
) -> tuple[tuple[str, str], ...]:
    """Return first and last word of the phrases that hold no verb: a verb is searched for anyway."""
    many = (phrase.words for listed in phrases.values() for phrase in listed if len(phrase.words) > 1)
    return tuple(dict.fromkeys((words[0], words[-1]) for words in many if words[-1] not in verbs))


def _find_stems(words: list[str]) -> tuple[str, ...]:
    """Return the shortest beginnings that all `words` share: looking for few strings is quick."""
    stems: list[str] = []
    for word in sorted(words, key=len):
        if not any(stem in word for stem in stems):
            stems.append(word)
    return tuple(stems)


def _collect_sets(table: dict[str, Any]) -> dict[str, frozenset[str]]:
    sets = {}
    for room in ("subjects", "grammar", "own", "nouns", "overclaims", "other"):
        for name, words in table[room].items():
            sets[f"{room}.{name}"] = frozenset(words.split() if isinstance(words, str) else words)
    sets["ends"] = sets["grammar.breaks"] | frozenset(";.!?")
    sets["between"] = sets["grammar.negations"] | sets["grammar.breaks"] | {"whether"}
    sets["bounds"] = sets["ends"] | frozenset((",", ":", "(", "that", "which", "who", "and", "or"))
    sets["helpers"] = sets["grammar.be"] | sets["grammar.have"] | sets["grammar.modals"]
    return sets
