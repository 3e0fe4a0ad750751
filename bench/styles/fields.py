"""The fields a pattern can name, each as a marked string."""

from __future__ import annotations

import random
from collections.abc import Callable

from bench.styles.bank import Bank
from bench.styles.items import Item
from bench.styles.marks import mark
from bench.styles.people import listed

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


class NoFieldError(KeyError):
    """The item has no such field."""


class Fields:
    """The marked values of one item, each made once."""

    def __init__(
        self, item: Item, bank: Bank, rng: random.Random, names: str, editors: str, dash: str
    ) -> None:
        self.item, self.bank, self.rng, self.names, self.editors = item, bank, rng, names, editors
        dashes = ("-", "–") if item.language in {"zh", "ja"} else ("-", "-", "–", "–", " - ", "--")
        self.dash = dash or rng.choice(dashes)
        self._made: dict[str, str] = {}

    def get(self, name: str) -> str:
        """The marked field; raises NoFieldError when the item has none."""
        if name not in self._made:
            self._made[name] = _MAKERS[name](self)
        if not self._made[name]:
            raise NoFieldError(name)
        return self._made[name]

    def date(self, *, day: bool) -> str:
        """Month and year, or the whole date; empty when the item has no month."""
        item = self.item
        if not item.month:
            return ""
        if item.language in {"zh", "ja"}:
            return f"{item.year}年{item.month}月" + (f"{item.day}日" if day and item.day else "")
        if item.language == "ru" and not item.day:
            return ""
        months = self.bank.words[item.language].get("months", _MONTHS)
        month = months[item.month - 1]
        if item.language == "en" and self.rng.random() < 0.4:
            month = month[:3] + self.rng.choice((".", ""))
        if not day or not item.day:
            return f"{month} {item.year}"
        return dated((item.year, item.month, item.day), item.language, month, self.rng)

    def access(self) -> str:
        """The words that say when a page was seen; empty when the item does not know."""
        item, rng = self.item, self.rng
        if not item.accessed[0]:
            return ""
        months = self.bank.words[item.language].get("months", _MONTHS)
        when = dated(item.accessed, item.language, months[item.accessed[1] - 1], rng)
        return self.bank.pick(item.language, "access", rng).format(d=when)

    def pages(self) -> str:
        """First and last page with the dash of this reference."""
        first, last = self.item.pages
        return self.dash.join(part for part in (first, last) if part)


def dated(day: tuple[int, int, int], language: str, month: str, rng: random.Random) -> str:
    """A full date as that language writes it."""
    y, m, d = day
    if language in {"zh", "ja"}:
        return rng.choice((f"{y}-{m:02d}-{d:02d}", f"{y}年{m}月{d}日", f"{y}.{m}.{d}"))
    numeric = rng.choice((f"{d:02d}.{m:02d}.{y}", f"{y}-{m:02d}-{d:02d}", f"{d}/{m}/{y}", f"{d}.{m}.{y}"))
    if language == "ru":
        return f"{d:02d}.{m:02d}.{y}"
    if rng.random() < 0.4:
        return numeric
    patterns = {
        "en": (f"{month} {d}, {y}", f"{d} {month} {y}", f"{month} {d}, {y}"), "de": (f"{d}. {month} {y}",),
        "es": (f"{d} de {month} de {y}",), "pt": (f"{d} {month} {y}", f"{d} de {month} de {y}"),
    }  # fmt: skip
    return rng.choice(patterns.get(language, (f"{d} {month} {y}",)))


def _people(label: str) -> Callable[[Fields], str]:
    def make(own: Fields) -> str:
        people = own.item.authors if label == "author" else own.item.editors
        spec = own.names if label == "author" else own.editors
        return mark(label, listed(people, spec, own.item.language, own.rng)) if people else ""

    return make


def _field(label: str, name: str) -> Callable[[Fields], str]:
    return lambda own: mark(label, str(getattr(own.item, name) or ""))


def _suffixed(own: Fields) -> str:
    return mark("date", f"{own.item.year}{own.rng.choices(('', 'a', 'b', 'c'), (88, 7, 4, 1))[0]}")


def _class(own: Fields) -> str:
    return mark(
        "note", own.rng.choice(("hep-th", "hep-ph", "astro-ph.CO", "gr-qc", "hep-lat", "quant-ph", "cs.CL"))
    )


def _old_arxiv(own: Fields) -> str:
    rng = own.rng
    if not 1991 < own.item.year < 2008:
        return ""
    number = f"{own.item.year % 100:02d}{rng.randint(1, 12):02d}{rng.randint(1, 999):03d}"
    return mark(
        "idno",
        rng.choice(("", "", "arXiv:")) + rng.choice(("hep-th", "hep-ph", "astro-ph", "gr-qc")) + "/" + number,
    )


def _new_arxiv(own: Fields) -> str:
    if own.item.year < 2007:
        return ""
    rng = own.rng
    number = own.item.arxiv or f"{own.item.year % 100:02d}{rng.randint(1, 12):02d}.{rng.randint(1, 9999):04d}"
    return mark("idno", f"arXiv:{number}" + rng.choice(("", "", "v1", "v2")))


def _note(own: Fields) -> str:
    return mark(
        "note",
        own.bank.pick(own.item.language, "notes", own.rng).format(old=own.item.year - own.rng.randint(5, 90)),
    )


def _roman(own: Fields) -> str:
    if not own.item.volume or int(own.item.volume) > 39:
        return ""
    tens, ones = divmod(int(own.item.volume), 10)
    units = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return mark("volume", "X" * tens + units[ones])


_MAKERS: dict[str, Callable[[Fields], str]] = {
    "A": _people("author"),
    "E": _people("editor"),
    "T": _field("title", "title"),
    "C": _field("container", "container"),
    "CA": _field("container", "short"),
    "Y": _field("date", "year"),
    "YS": _suffixed,
    "YY": lambda own: mark("date", f"{own.item.year % 100:02d}"),
    "MY": lambda own: mark("date", own.date(day=False)),
    "D": lambda own: mark("date", own.date(day=True)),
    "V": _field("volume", "volume"),
    "VR": _roman,
    "I": _field("issue", "issue"),
    "P": lambda own: mark("pages", own.pages()),
    "P1": lambda own: mark("pages", own.item.pages[0]),
    "PN": _field("pages", "count"),
    "Pub": _field("publisher", "publisher"),
    "L": _field("location", "place"),
    "S": _field("series", "series"),
    "SV": _field("volume", "series_number"),
    "ED": _field("edition", "edition"),
    "G": _field("note", "genre"),
    "RN": _field("idno", "number"),
    "N": _note,
    "DOI": _field("doi", "doi"),
    "DL": lambda own: mark("url", f"https://doi.org/{own.item.doi}" if own.item.doi else ""),
    "U": _field("url", "url"),
    "ACC": lambda own: mark("note", own.access()),
    "AX": _new_arxiv,
    "AXO": _old_arxiv,
    "AC": _class,
    "ISBN": lambda own: mark("idno", f"ISBN {own.item.isbn}" if own.item.isbn else ""),
    "PMID": lambda own: mark("idno", f"PMID: {own.item.pmid}" if own.item.pmid else ""),
    "X": lambda own: own.item.extras.get("x", ""),
}
