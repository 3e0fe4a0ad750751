"""Damage as documents do it, to marked strings: the marks stay in place.

Each kind has its probability; the names of those that struck go into the reference's id.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from bench.styles.marks import CLOSE, MARKS, mark

Damage = Callable[[str, random.Random], str]
_WORD = re.compile(r"[^\W\d_]{6,}")
_LIGATURES = (("ffi", "ﬃ"), ("fi", "ﬁ"), ("fl", "ﬂ"), ("ff", "ﬀ"), ("fi", "f i"), ("ff", "↵"), ("fi", ""))
_CONFUSED = {
    "l": "1",
    "O": "0",
    "rn": "m",
    "I": "l",
    "e": "c",
    "S": "5",
    "m": "rn",
    "o": "0",
    "h": "li",
    "1": "l",
}
_AUTHOR, _TITLE = "\ue001", "\ue002"
_SPAN = "{}([^\ue000-\ue0ff]*)" + CLOSE
_TAILS = (
    "⟦note:in German⟧", "⟦note:in Chinese with English abstract⟧", "⟦note:in press⟧",
    "⟦note:Epub ahead of print⟧",
    "⟦note:Accessed May 3, 2019⟧", "⟦note:Google Scholar⟧", "⟦note:Russian⟧", "⟦note:review⟧",
    "⟦note:cited by 45⟧",
)  # fmt: skip


def label(marked: str, rng: random.Random) -> str:
    """A number in front, as numbered lists have it."""
    number = mark("citnum", str(min(rng.randint(1, 60) * rng.choice((1, 1, 1, 3)), 250)))
    form = rng.choice(("[{}] ", "[{}] ", "[{}]", "{}. ", "{}. ", "{} ", "({}) ", "{}) ", "{}.", "[{}]. "))
    return form.replace("{}", number) + marked


def upper_names(marked: str, _: random.Random) -> str:
    """Authors in capitals."""
    return re.sub(_SPAN.format(_AUTHOR), lambda m: m[0].upper(), marked)


def upper_title(marked: str, _: random.Random) -> str:
    """The title in capitals."""
    return re.sub(_SPAN.format(_TITLE), lambda m: m[0].upper(), marked)


def small_caps(marked: str, _: random.Random) -> str:
    """Names as small capitals come out of some PDFs: `S MITH`."""
    return re.sub(
        _SPAN.format(_AUTHOR),
        lambda m: re.sub(r"\b([A-Z])([a-z]{3,})", lambda n: f"{n[1]} {n[2].upper()}", m[0]),
        marked,
    )


def hyphens(marked: str, rng: random.Random) -> str:
    """Words broken at a line's end, the hyphen left in, with or without a space."""
    words = list(_WORD.finditer(marked))
    gap = rng.choice(("-", "- ", "- "))
    for found in sorted(rng.sample(words, min(len(words), rng.randint(1, 3))), key=lambda m: -m.start()):
        at = found.start() + rng.randint(2, len(found.group()) - 3)
        marked = marked[:at] + gap + marked[at:]
    return marked


def ligatures(marked: str, rng: random.Random) -> str:
    """Ligature signs, and what is left of them."""
    for plain, sign in rng.sample(_LIGATURES, 2):
        marked = marked.replace(plain, sign)
    return marked


def lost_spaces(marked: str, rng: random.Random) -> str:
    """Some spaces gone, or all after punctuation."""
    if rng.random() < 0.4:
        return re.sub(rf"([.,;:])([{MARKS}]*) ([{MARKS}]*)(?=\w)", r"\1\2\3", marked)
    return "".join("" if sign == " " and rng.random() < 0.06 else sign for sign in marked)


def more_spaces(marked: str, rng: random.Random) -> str:
    """A space before punctuation here and there."""
    return re.sub(
        rf"(?<=[\w{CLOSE}])([,.:;)])", lambda m: " " + m[0] if rng.random() < 0.25 else m[0], marked
    )


def lost_points(marked: str, rng: random.Random) -> str:
    """Some or all full stops and commas gone, or commas for full stops."""
    way = rng.random()
    if way < 0.3:
        return re.sub(rf"\.([{MARKS}]*)(?= |\Z)", r"\1", marked)
    if way < 0.6:
        return re.sub(rf"([{MARKS}])[.]([{MARKS}]*) ", r"\1,\2 ", marked)
    return re.sub(r"[.,](?= )", lambda m: "" if rng.random() < 0.3 else m[0], marked)


def confused(marked: str, rng: random.Random) -> str:
    """Letters read wrong by OCR."""
    for good, bad in rng.sample(list(_CONFUSED.items()), 3):
        pieces = marked.split(good)
        marked = pieces[0] + "".join((bad if rng.random() < 0.06 else good) + piece for piece in pieces[1:])
    return marked


def dashed(marked: str, rng: random.Random) -> str:
    """A dash for the author of the entry above."""
    dash = rng.choice(("———", "–––", "---", "______", "—", "— — —", "____"))
    return re.sub("\\A" + _SPAN.format(_AUTHOR), dash, marked, count=1)


def quotes(marked: str, rng: random.Random) -> str:
    """Other quotation marks."""
    opened, closed = rng.choice((('"', '"'), ("``", "''"), ("'", "'"), ("‘", "’"), ("„", "“"), ("«", "»")))
    return marked.replace("“", opened).replace("”", closed)


def tail(marked: str, rng: random.Random) -> str:
    """A remark at the end, for references in Latin letters."""
    if re.search("[\u0400-\u04ff\u3040-\u9fff]", marked):
        return marked
    note = re.sub("⟦note:(.*)⟧", lambda m: mark("note", m[1]), rng.choice(_TAILS))
    return f"{marked.rstrip()} " + rng.choice(("({}).", "[{}]", "({})", "{}.")).replace("{}", note)


def unstopped(marked: str, _: random.Random) -> str:
    """No full stop at the end."""
    return re.sub(rf"[.]([{MARKS}]*)\Z", r"\1", marked)


def markup(marked: str, rng: random.Random) -> str:
    """Italics left in as Markdown or HTML around title or container."""
    opened, closed = rng.choice((("*", "*"), ("_", "_"), ("<i>", "</i>"), ("<em>", "</em>")))
    span = _SPAN.format(rng.choice((_TITLE, "\ue003")))
    return re.sub(span, lambda m: opened + m[0] + closed, marked)


KINDS: tuple[tuple[str, float, Damage], ...] = (
    ("upper-names", 0.05, upper_names),
    ("upper-title", 0.02, upper_title),
    ("small-caps", 0.01, small_caps),
    ("dashed", 0.015, dashed),
    ("quotes", 0.12, quotes),
    ("markup", 0.015, markup),
    ("tail", 0.025, tail),
    ("unstopped", 0.12, unstopped),
    ("hyphens", 0.06, hyphens),
    ("ligatures", 0.015, ligatures),
    ("confused", 0.015, confused),
    ("lost-points", 0.035, lost_points),
    ("lost-spaces", 0.05, lost_spaces),
    ("more-spaces", 0.015, more_spaces),
)
LABELLED = 0.22


def damaged(marked: str, rng: random.Random) -> tuple[str, list[str]]:
    """The string after chance had its way, and the names of what struck."""
    struck = []
    for name, chance, damage in KINDS:
        if rng.random() < chance:
            marked = damage(marked, rng)
            struck.append(name)
    if "\ue00e" not in marked and rng.random() < LABELLED:
        marked = label(marked, rng)
        struck.append("label")
    return marked, struck
