"""What each kind of work has besides title, people and year: one maker a kind."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from bench.styles.bank import Bank, Work
from bench.styles.items import Item
from bench.styles.marks import mark
from bench.styles.people import Person

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_SITE_WORDS = ("health", "climate", "policy", "data", "research", "education", "energy", "report", "index",
               "statistics", "science", "trends", "survey", "media", "culture")  # fmt: skip


def _pages(rng: random.Random) -> tuple[str, str]:
    first = rng.choice((rng.randint(1, 99), rng.randint(1, 700), rng.randint(1, 700), rng.randint(1, 9999)))
    last = first + rng.choice((rng.randint(1, 9), rng.randint(5, 30), rng.randint(5, 30)))
    prefix = rng.choices(("", "e", "S", "R", "L"), (93, 2, 2, 1.5, 1.5))[0]
    return f"{prefix}{first}", f"{prefix}{last}"


def _article(bank: Bank, item: Item, source: Work, rng: random.Random) -> Item:
    full, short = _journal(bank, item.language, source, rng)
    volume = str(rng.choice((rng.randint(1, 60), rng.randint(1, 60), rng.randint(60, 500))))
    issue = (
        str(rng.choice((rng.randint(1, 6), rng.randint(1, 12), rng.randint(1, 24))))
        if rng.random() < 0.68
        else ""
    )
    pages = (
        _pages(rng)
        if rng.random() < 0.9
        else (
            rng.choice(
                (
                    f"{rng.randint(1, 999999):06d}",
                    f"e{rng.randint(10000, 299999)}",
                    str(rng.randint(1000, 99999)),
                )
            ),
            "",
        )
    )
    if rng.random() < 0.04:
        issue = rng.choice(("1-2", "3–4", "Suppl 1", "Suppl. 2", "Pt 1", "S1", "Special Issue"))
    return replace(
        item,
        container=full,
        short=short,
        volume=volume,
        issue=issue,
        pages=pages,
        month=rng.choice((0, 0, 0, rng.randint(1, 12))),
    )


def _journal(bank: Bank, language: str, source: Work, rng: random.Random) -> tuple[str, str]:
    if source.kind == "article":
        return source.venue, source.venue
    if language != "en":
        name = bank.pick(language, "journals", rng)
        return name, name
    venue = source.venue
    known = (
        venue
        and len(venue) < 70
        and not re.search(r"(?i)proceedings|conference|workshop|\d|arxiv|corr", venue)
    )
    if known and rng.random() < 0.5:
        return venue, venue
    return rng.choice(bank.journals)


def _physics(bank: Bank, item: Item, _: Work, rng: random.Random) -> Item:
    journal = bank.pick("en", "physics", rng)
    pages = _pages(rng) if rng.random() < 0.6 else (f"{rng.randint(1, 999999):06d}", "")
    group = bank.pick("en", "collaborations", rng)
    return replace(
        item,
        container=journal,
        short=journal,
        volume=str(rng.randint(1, 900)),
        pages=pages,
        year=max(item.year, 1950),
        extras={"x": mark("author", group)} if rng.random() < 0.2 else {},
    )


def _paper(bank: Bank, item: Item, _: Work, rng: random.Random) -> Item:
    if item.language == "en" or rng.random() < 0.4:
        name, place, when = rng.choice(bank.events)
    else:
        name, place, when = (
            rng.choice(bank.books[item.language] or [bank.pick(item.language, "journals", rng)]),
            "",
            "",
        )
    if rng.random() < 0.25 and name.startswith("Proceedings of"):
        name = (
            name.replace("Proceedings of", "Proc.", 1)
            .replace("International", "Int.")
            .replace("Conference", "Conf.")
        )
    if not place and rng.random() < 0.35:
        place = bank.pick(item.language, "publishers", rng).split("|")[1]
    month = next((at for at, month in enumerate(_MONTHS, 1) if when.startswith(month)), 0)
    publisher = bank.pick("en", "conference_publishers", rng) if rng.random() < 0.45 else ""
    series = bank.pick("en", "series", rng) if rng.random() < 0.12 else ""
    return replace(
        item,
        container=name,
        short=name,
        place=place,
        publisher=publisher,
        pages=_pages(rng) if rng.random() < 0.8 else ("", ""),
        month=month if rng.random() < 0.5 else 0,
        series=series,
        series_number=str(rng.randint(12, 9999)) if series and rng.random() < 0.8 else "",
        editors=_editors(bank, item, rng) if rng.random() < 0.13 else (),
    )


def _editors(bank: Bank, item: Item, rng: random.Random) -> tuple[Person, ...]:
    pool = bank.people[item.language] or rng.choice(bank.works[item.language]).people
    unique = tuple(dict.fromkeys(rng.choices(pool, k=rng.choice((1, 1, 2, 2, 2, 3, 4)))))
    return tuple(who for who in unique if who not in item.authors) or unique[:1]


def _imprint(bank: Bank, item: Item, source: Work, rng: random.Random) -> Item:
    publisher, place = source.publisher, source.place
    if not publisher or rng.random() < 0.5:
        publisher, place = bank.pick(item.language, "publishers", rng).split("|")
    if rng.random() < 0.12:
        place = ""
    elif rng.random() < 0.07:
        publisher = ""
    return replace(item, publisher=publisher, place=place)


def _book(bank: Bank, item: Item, source: Work, rng: random.Random) -> Item:
    item = _imprint(bank, item, source, rng)
    series = bank.pick(item.language, "series", rng) if rng.random() < 0.12 else ""
    item = replace(
        item,
        series=series,
        series_number=str(rng.randint(2, 400)) if series and rng.random() < 0.6 else "",
        edition=bank.pick(item.language, "editions", rng) if rng.random() < 0.16 else "",
        volume=str(rng.randint(1, 5)) if rng.random() < 0.07 else "",
        count=rng.randint(90, 760),
        isbn=_isbn(rng) if rng.random() < 0.05 else "",
    )
    if rng.random() < 0.17:
        return replace(item, authors=(), editors=item.authors)
    return item


def _isbn(rng: random.Random) -> str:
    return f"978-{rng.randint(0, 9)}-{rng.randint(10, 999)}-{rng.randint(10000, 99999)}-{rng.randint(0, 9)}"


def _chapter(bank: Bank, item: Item, source: Work, rng: random.Random) -> Item:
    item = _imprint(bank, item, source, rng)
    book = source.venue if source.kind == "chapter" else _edited_book(bank, item.language, rng)
    return replace(
        item,
        container=book,
        short=book,
        editors=_editors(bank, item, rng) if rng.random() < 0.88 else (),
        pages=_pages(rng) if rng.random() < 0.9 else ("", ""),
        edition=bank.pick(item.language, "editions", rng) if rng.random() < 0.05 else "",
        volume=str(rng.randint(1, 12)) if rng.random() < 0.08 else "",
        series=bank.pick(item.language, "series", rng) if rng.random() < 0.06 else "",
    )


def _edited_book(bank: Bank, language: str, rng: random.Random) -> str:
    books = bank.books[language]
    if books and rng.random() < 0.6:
        return rng.choice(books)
    for _ in range(6):
        title = rng.choice(bank.works[language]).title
        if len(title) < 75:
            return title
    return title


def _thesis(bank: Bank, item: Item, _: Work, rng: random.Random) -> Item:
    university, place = bank.pick(item.language, "universities", rng).split("|")
    return replace(
        item,
        genre=bank.pick(item.language, "theses", rng),
        publisher=university,
        place=place if rng.random() < 0.4 else "",
        month=rng.choice((0, 0, rng.randint(1, 12))),
        count=rng.randint(90, 460),
    )


def _report(bank: Bank, item: Item, _: Work, rng: random.Random) -> Item:
    which = "institutions" if rng.random() < 0.6 else "universities"
    body, place = bank.pick(item.language, which, rng).split("|")
    number = bank.pick(item.language, "report_numbers", rng).format(
        n=rng.randint(100, 9999), s=rng.randint(1, 99), y=item.year, yy=f"{item.year % 100:02d}"
    )
    return replace(
        item,
        genre=bank.pick(item.language, "reports", rng),
        publisher=body,
        number=number if rng.random() < 0.75 else "",
        place=place if rng.random() < 0.5 else "",
        month=rng.choice((0, 0, rng.randint(1, 12))),
        url=_site(bank, item, rng) if item.year > 1996 and rng.random() < 0.3 else "",
        accessed=_accessed(item, rng),
    )


def _site(bank: Bank, item: Item, rng: random.Random) -> str:
    pattern = bank.pick(item.language, "sites", rng)
    pattern = re.sub(r"\{w\}", lambda _: rng.choice(_SITE_WORDS), pattern)
    return pattern.format(
        W=rng.choice(_SITE_WORDS).title(), n=rng.randint(1000, 99999999), s=rng.randint(10, 52), y=item.year
    )


def _accessed(item: Item, rng: random.Random) -> tuple[int, int, int]:
    if rng.random() < 0.35:
        return (0, 0, 0)
    return (min(item.year + rng.randint(0, 4), 2025), rng.randint(1, 12), rng.randint(1, 28))


def _web(bank: Bank, item: Item, _: Work, rng: random.Random) -> Item:
    name = rng.choice(
        (
            bank.pick(item.language, "institutions", rng).split("|")[0],
            bank.pick(item.language, "newspapers", rng),
            "",
        )
    )
    return replace(
        item,
        container=name,
        short=name,
        url=_site(bank, item, rng),
        accessed=_accessed(item, rng),
        month=rng.choice((0, rng.randint(1, 12))),
    )


def _news(bank: Bank, item: Item, _: Work, rng: random.Random) -> Item:
    paper = bank.pick(item.language, "newspapers", rng)
    page = rng.choice(("", str(rng.randint(1, 48)), f"{rng.choice('ABCD')}{rng.randint(1, 22)}"))
    return replace(
        item,
        container=paper,
        short=paper,
        month=rng.randint(1, 12),
        day=rng.randint(1, 28),
        pages=(page, ""),
        url=_site(bank, item, rng) if item.year > 1996 and rng.random() < 0.3 else "",
        accessed=_accessed(item, rng),
    )


def _preprint(_: Bank, item: Item, source: Work, rng: random.Random) -> Item:
    number = source.arxiv or f"{item.year % 100:02d}{rng.randint(1, 12):02d}.{rng.randint(1, 99999):05d}"
    return replace(
        item,
        container=rng.choice(("arXiv", "arXiv preprint", "CoRR", "bioRxiv", "arXiv e-prints")),
        arxiv=number,
        short="arXiv",
        url=f"https://arxiv.org/abs/{number}" if rng.random() < 0.3 else "",
    )


MAKERS: dict[str, Callable[[Bank, Item, Work, random.Random], Item]] = {
    "article": _article,
    "paper": _paper,
    "book": _book,
    "chapter": _chapter,
    "thesis": _thesis,
    "physics": _physics,
    "report": _report,
    "web": _web,
    "news": _news,
    "preprint": _preprint,
}
