"""Items through hand-written patterns, for styles that no renderer has (`data/forms.toml`).

A pattern is text with fields in braces: `{A}. {T}. <In {E} (Hrsg.), >{C}, S. {P}.`

- `{X}`         the field, marked; the pattern does not fit an item that lacks it;
- `<…>`         a part that is left out when a field in it is missing;
- `‹a¦b¦c›`     one of several wordings, at random (an empty one is allowed);
- `⟦label:…⟧`   a mark of its own around more than one field or fixed words.
"""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bench.styles.bank import Bank
from bench.styles.fields import Fields, NoFieldError
from bench.styles.items import Item
from bench.styles.marks import mark

_CHOICE = re.compile("‹([^‹›]*)›")
_PART = re.compile("<([^<>]*)>")
_FIELD = re.compile(r"\{(\w+)\}")
_OWN = re.compile("⟦(\\w+):([^⟦⟧]*)⟧")
_SEAM = re.compile("([.,;:])([\ue000-\ue0ff]*)\\1")
_QUESTION = re.compile('([?!])([\ue000-\ue0ff”"»“\'’]*)[.,](?=[ ”"])')
# GB/T 7714 says the kind in brackets.
_SIGN_KINDS = {"J": {"article"}, "M": {"book", "chapter"}, "C": {"paper"}, "D": {"thesis"}, "R": {"report"},
               "N": {"news"}, "EB": {"web"}}  # fmt: skip
_SIGNS = re.compile(r"\[(J|M|C|D|R|N|EB)(?:/OL)?\]")
_INSIDE = re.compile(r"(?i)\b(?:in|en|em|dans|в)\b:? ?(?:⟦editor:|\{C\}|\{E\})|\{E\}")


@dataclass(frozen=True, slots=True)
class Form:
    """One style's way to print one kind of work."""

    style: str
    kinds: frozenset[str]
    languages: frozenset[str]
    names: tuple[str, ...]
    editors: tuple[str, ...]
    patterns: tuple[str, ...]
    weight: float = 1.0
    shares: dict[str, float] = field(default_factory=dict)
    dash: str = ""

    def weight_for(self, language: str) -> float:
        """How often the form is taken for works in that language."""
        return self.weight * self.shares.get(language, 1.0)


@cache
def forms() -> tuple[Form, ...]:
    """All patterns of the table."""
    table = tomllib.loads((Path(__file__).parent / "data" / "forms.toml").read_text(encoding="utf-8"))
    out = []
    for style, body in table.items():
        base = {key: value for key, value in body.items() if key != "form"}
        for row in body["form"]:
            full = base | row
            names = tuple(full["names"])
            out.append(
                Form(
                    style, frozenset(full["kinds"]), frozenset(full["languages"]), names,
                    tuple(full.get("editors", names)), tuple(full["patterns"]), float(full.get("weight", 1)),
                    dict(full.get("shares", {})),
                )
            )  # fmt: skip
    return tuple(out)


def fitting(item: Item, style: str = "") -> list[Form]:
    """The forms that print this kind of work in its language."""
    return [
        form
        for form in forms()
        if item.kind in form.kinds and item.language in form.languages and style in {"", form.style}
    ]


def printed(form: Form, item: Item, bank: Bank, rng: random.Random) -> str | None:
    """The marked reference; None when no pattern of the form fits the item."""
    patterns = [pattern for pattern in form.patterns if suits(pattern, item.kind)]
    rng.shuffle(patterns)
    names, editors = rng.choice(form.names), rng.choice(form.editors)
    fields = Fields(item, bank, rng, names, editors, form.dash)
    for pattern in patterns:
        try:
            return _filled(pattern, fields, rng)
        except NoFieldError:
            continue
    return None


def suits(pattern: str, kind: str) -> bool:
    """Whether a pattern says what this kind of work needs: one row of the table serves several kinds."""
    signs = _SIGNS.findall(pattern)
    if signs:
        return any(kind in _SIGN_KINDS[sign] for sign in signs)
    if (
        kind in {"article", "news"}
        and _INSIDE.search(pattern)
        and not re.search(r"\{(?:V|VR|I|D|MY)\}", pattern)
    ):
        return False
    whole = not re.search(r"\{(?:C|CA|U|AX|G)\}", pattern)
    return not (whole and kind in {"article", "paper", "chapter", "news"})


def _filled(pattern: str, fields: Fields, rng: random.Random) -> str:
    text = pattern
    while _CHOICE.search(text):
        text = _CHOICE.sub(lambda m: rng.choice(m[1].split("¦")), text)
    while _PART.search(text):
        text = _PART.sub(lambda m: _part(m[1], fields), text)
    text = _FIELD.sub(lambda m: fields.get(m[1]), text)
    while _OWN.search(text):
        text = _OWN.sub(lambda m: mark(m[1], m[2]), text)
    text = _SEAM.sub(r"\1\2", text)
    text = _QUESTION.sub(r"\1\2", text)
    return re.sub("  +", " ", text).strip()


def _part(part: str, fields: Fields) -> str:
    try:
        for name in _FIELD.findall(part):
            fields.get(name)
    except NoFieldError:
        return ""
    return part
