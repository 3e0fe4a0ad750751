"""Made references: values of tagged ones put together anew in many patterns, labelled by construction.

Values come from the training part only. German titles are composed of words (`german.toml`), since
the corpora hold few; journals, publishers and places there are real.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from citeproof.reading.parse.people_list import parse_people
from citeproof.vocabulary import Name
from tagging.corpus import Tagged, value

HERE = Path(__file__).parent
_PART = re.compile(r"<([^<>]*)>")
_SLOT = re.compile(r"\[(\w+)\|([^\[\]]*)\]|\{(\w+)\}")
_END = re.compile(r"[.,;:\s]+$")
_FORMS = (
    "{f}, {i}",
    "{f}, {g}",
    "{i} {f}",
    "{g} {f}",
    "{f} {c}",
    "{F}, {i}",
    "{F}, {g}",
    "{f}, {c}",
    "{F} {g}",
    "{i}{f}",
    "{f} {i}",
)
_JOINTS = (
    (", ", " and "), (", ", ", and "), (", ", " & "), (", ", ", & "), ("; ", "; "), (" / ", " / "),
    ("/", "/"), (", ", " und "), ("; ", " und "), (", ", ", "), (", ", " et "), (", ", " y "),
)  # fmt: skip

_ANY = re.compile(r".{2,400}")
# Values that are taken from tagged references: what was tagged by mistake would be learned many times over.
_SOUND = defaultdict(
    lambda: _ANY,
    volume=re.compile(r"[A-Z]?\d{1,4}[A-Za-z]?|[IVXL]{1,6}"),
    issue=re.compile(r"\d{1,3}(?:[-–/]\d{1,3})?"),
    pages=re.compile(r"[A-Za-z]{0,2}\d{1,7}(?:\s?[-–—]{1,2}\s?[A-Za-z]?\d{1,7})?"),
    date=re.compile(r"(?:[A-Z][a-z]{2,9}\.?,? (?:\d{1,2}, )?)?(?:1[6-9]|20)\d\d[a-z]?"),
    doi=re.compile(r"10\.\d{4,9}/\S{2,100}"),
    url=re.compile(r"(?:https?://|www\.)\S{4,200}"),
)

Pieces = list[tuple[str, str]]
Values = dict[str, str]


class Maker:
    """Makes references out of the values of `rows`; the same seed gives the same references."""

    def __init__(self, rows: list[Tagged], seed: int = 1) -> None:
        self._rng = random.Random(seed)
        self._german = tomllib.loads((HERE / "german.toml").read_text("utf-8"))
        self._templates = tomllib.loads((HERE / "templates.toml").read_text("utf-8"))
        self._pools = _pools(rows)

    def references(self, count: int) -> Iterator[Tagged]:
        """Yield `count` made references."""
        for number in range(count):
            kind = self._rng.choices(("article", "chapter", "book"), (6, 2, 2))[0]
            pattern = self._rng.choice(self._templates[kind])
            pieces = self._filled(pattern, self._values(kind))
            if self._rng.random() < 0.12:
                pieces += self._filled(self._rng.choice(self._templates["accessed"]), self._values(kind))
            yield joined(f"made/{kind}/{number}", pieces)

    def _values(self, kind: str) -> Values:
        """Return values of one reference, drawn from several."""
        draw, pools = self._rng.choice, self._pools
        german = self._rng.random() < (0.45 if kind != "article" else 0.3)
        title, container = draw(pools["titled"])
        found = {"title": title, "container": container}
        if german:
            found = {"title": self._german_title(), "container": self._of("journals")}
        if kind == "chapter":
            found["container"] = self._german_title() if german else draw(pools["title"])
        for label in ("date", "volume", "issue", "pages", "location", "publisher", "url", "doi"):
            found[label] = draw(pools[label])
        if german:
            found |= {"location": self._of("places"), "publisher": self._of("publishers")}
        for label in ("author", "editor"):
            found[label] = self._people()
        found["edition"] = draw(
            ("2. Aufl", "2nd ed", "3rd edition", "3. Auflage", "2., überarb. Aufl", "2e éd")
        )
        return found

    def _of(self, name: str) -> str:
        return self._rng.choice(self._german[name].replace("\n", "|").split("|"))

    def _german_title(self) -> str:
        words, draw = self._german, self._rng.choice
        found = draw(words["patterns"])
        if self._rng.random() < 0.45:
            found += draw((". ", ". ", ": ", " – ", ". ")) + draw(words["subtitles"])
        nouns, adjectives = words["nouns"].split(), words["adjectives"].split()
        found = found.replace("{der}", draw(("der", "einer", "der modernen", "der deutschen")))
        found = re.sub(r"\{N\d?\}", lambda _: draw(nouns), found)
        found = re.sub(r"\{A\d?\}", lambda _: draw(adjectives), found)
        return found[0].upper() + found[1:]

    def _people(self) -> str:
        """Return a list of names in one of the orders bibliographies use."""
        rng = self._rng
        form, (comma, last) = rng.choice(_FORMS), rng.choice(_JOINTS)
        count = rng.choices((1, 2, 3, 4, 6), (40, 28, 16, 10, 6))[0]
        full = "{g}" in form
        names = [rng.choice(self._pools["full" if full else "names"]) for _ in range(count)]
        if rng.random() < 0.06:
            return rng.choice(self._pools["author"])
        shown = [_shown(name, form) for name in names]
        if rng.random() < 0.1:
            return shown[0] + rng.choice((" et al.", " et al", ", et al.", " u. a.", " u.a."))
        if rng.random() < 0.2 and form.startswith("{f}, {g") and count > 1:
            shown[1:] = [_shown(name, "{g} {f}") for name in names[1:]]
        return comma.join(shown[:-1]) + last + shown[-1] if count > 1 else shown[0]

    def _filled(self, pattern: str, values: Values) -> Pieces:
        """Return the pattern as labelled pieces."""
        pattern = _PART.sub(lambda m: m[1] if self._rng.random() < 0.75 else "", pattern)
        pieces: Pieces = []
        at = 0
        for slot in _SLOT.finditer(pattern):
            pieces.append((pattern[at : slot.start()], "O"))
            label = slot[1] or slot[3]
            text = re.sub(r"\{(\w+)\}", lambda m: values[m[1]], slot[2]) if slot[1] else values[slot[3]]
            end = _END.search(text)
            cut = end.start() if end else len(text)
            pieces += [(text[:cut], label), (text[cut:], "O")]
            at = slot.end()
        return [*pieces, (pattern[at:], "O")]


def joined(identity: str, pieces: Pieces) -> Tagged:
    """Return pieces as one labelled text; a full stop or comma that comes twice is kept once."""
    text, labels = "", []
    for piece, label in pieces:
        again = piece[:1] == text[-1:] and piece[:1] in (".", ",", ";")
        part = piece[1:] if again or (piece[:1] == "." and text[-1:] in ("?", "!")) else piece
        text += part
        labels.extend("" if char.isspace() else label for char in part)
    return Tagged(identity, text, tuple(labels))


def _shown(name: Name, form: str) -> str:
    if name.collective or not name.given:
        return name.family
    initials = [word[0] for word in re.findall(r"[^\W\d_]+", name.given)]
    return form.format(
        f=name.family,
        F=name.family.upper(),
        g=name.given,
        i=" ".join(f"{i}." for i in initials),
        c="".join(initials),
    )


def _pools(rows: list[Tagged]) -> dict[str, list[object]]:
    """Return the values of the rows by label, and their names taken apart."""
    pools: dict[str, list[object]] = {key: [] for key in ("titled", "names", "full")}
    for row in rows:
        for label in (
            "title",
            "date",
            "volume",
            "issue",
            "pages",
            "location",
            "publisher",
            "url",
            "doi",
            "author",
        ):
            found = value(row, label)
            if found and _SOUND[label].fullmatch(found):
                pools.setdefault(label, []).append(found)
        if value(row, "title") and value(row, "container"):
            pools["titled"].append((value(row, "title"), value(row, "container")))
        for name in parse_people(value(row, "author")).names[:3]:
            if not name.given or len(name.family) < 2 or len(name.display.split()) > 4 or name.collective:
                continue
            pools["names"].append(name)
            if "." not in name.given and len(name.given) > 3 and not name.given.isupper():
                pools["full"].append(name)
    return pools
