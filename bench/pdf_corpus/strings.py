"""Citation strings as people type them in word processors and web pages; `*` is put around what is italic."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pdf_corpus.works import Work

Person = tuple[str, str]


def citation(work: Work, style: str) -> str:
    """Return `work` as one string of a style, with `*` around italics."""
    text = STYLES[style](work)
    return re.sub(r"([.?!])(\*{0,2})\.(?=\s|$)", r"\1\2", text)  # nobody sets a full stop after another mark


def initials(given: str, dot: str = ".", gap: str = " ") -> str:
    """Return "Jean-Paul Marie" as "J.-P. M."."""
    words = [[part[0] for part in word.split("-") if part] for word in given.replace(".", " ").split()]
    return gap.join(f"{dot}-".join(parts) + dot if dot else "".join(parts) for parts in words if parts)


def _turned(person: Person) -> str:
    return f"{person[0]}, {initials(person[1])}"


def _full(person: Person) -> str:
    return f"{person[0]}, {person[1]}"


def _short(person: Person) -> str:
    return f"{person[0]} {initials(person[1], '', '')}"


def _first(person: Person) -> str:
    return f"{initials(person[1])} {person[0]}"


def _upper(person: Person) -> str:
    return f"{person[0].upper()}, {initials(person[1])}"


def people(
    work: Work, form: Callable[[Person], str], joint: str, last: str, most: int = 20, others: str = " et al."
) -> str:
    """Return the authors in one form, with a word before the last one and a cut after `most`."""
    named = [form(person) for person in work.authors]
    if len(named) > most:
        return joint.join(named[: max(1, most - 2)]) + others
    return named[0] if len(named) == 1 else joint.join(named[:-1]) + last + named[-1]


def _doi(work: Work, form: str) -> str:
    return form % work.doi if work.doi else ""


def _apa(work: Work, joint: str = ", & ", inside: str = "In ", pages: str = "pp. ") -> str:
    head = f"{people(work, _turned, ', ', joint)} ({work.year}). "
    link = _doi(work, " https://doi.org/%s")
    if work.kind == "book":
        return f"{head}*{work.title}*. {work.venue}.{link}"
    if work.kind == "inproceedings":
        return f"{head}{work.title}. {inside}*{work.venue}* ({pages}{work.span}).{link}"
    return f"{head}{work.title}. *{work.venue}*, *{work.volume}*({work.number}), {work.span}.{link}"


def _vancouver(work: Work) -> str:
    head = f"{people(work, _short, ', ', ', ', 6)}. {work.title}. "
    if work.kind == "book":
        return f"{head}{work.place}: {work.venue}; {work.year}."
    if work.kind == "inproceedings":
        return f"{head}In: {work.venue}; {work.year}. p. {work.pages}."
    link = _doi(work, " doi: %s.")
    return f"{head}{work.venue}. {work.year};{work.volume}({work.number}):{work.pages}.{link}"


def _ieee(work: Work) -> str:
    head = f"{people(work, _first, ', ', ', and ' if len(work.authors) > 2 else ' and ', 6)}, "
    if work.kind == "book":
        return f"{head}*{work.title}*. {work.place}: {work.venue}, {work.year}."
    if work.kind == "inproceedings":
        return f"{head}“{work.title},” in *{work.venue}*, {work.year}, pp. {work.span}."
    return (
        f"{head}“{work.title},” *{work.venue}*, vol. {work.volume}, no. {work.number}, pp. {work.span}, "
        f"{work.year}{_doi(work, ', doi: %s')}."
    )


def _mla(work: Work) -> str:
    first = _full(work.authors[0])
    others = ", et al" if len(work.authors) > 2 else "".join(f", and {g} {f}" for f, g in work.authors[1:])
    head = f"{first}{others}. " if not (first + others).endswith(".") else f"{first}{others} "
    if work.kind == "book":
        return f"{head}*{work.title}*. {work.venue}, {work.year}."
    where = f"*{work.venue}*, " + (
        f"vol. {work.volume}, no. {work.number}, " if work.kind == "article" else ""
    )
    return f"{head}“{work.title}.” {where}{work.year}, pp. {work.span}."


def _harvard(work: Work) -> str:
    head = f"{people(work, _turned, ', ', ' and ')} ({work.year}) "
    if work.kind == "book":
        return f"{head}*{work.title}*. {work.place}: {work.venue}."
    where = f"{work.volume}({work.number}), " if work.kind == "article" else ""
    link = _doi(work, " Available at: https://doi.org/%s (Accessed: 4 May 2024).")
    return f"{head}‘{work.title}’, *{work.venue}*, {where}pp. {work.span}.{link}"


def _nature(work: Work) -> str:
    head = people(work, _turned, ", ", " & ", 5)
    if work.kind == "book":
        return f"{head} *{work.title}* ({work.venue}, {work.year})."
    where = f"*{work.venue}* **{work.volume}**, " if work.kind == "article" else f"in *{work.venue}* "
    return f"{head} {work.title}. {where}{work.span} ({work.year})."


def _ama(work: Work) -> str:
    head = f"{people(work, _short, ', ', ', ', 6)}. {work.title}. "
    if work.kind == "book":
        return f"{head}{work.venue}; {work.year}."
    link = _doi(work, " doi:%s")
    return f"{head}*{work.venue}*. {work.year};{work.volume}({work.number}):{work.pages}.{link}"


def _physics(work: Work) -> str:
    head = people(work, _first, ", ", ", and " if len(work.authors) > 2 else " and ")
    if work.kind == "book":
        return f"{head}, *{work.title}* ({work.venue}, {work.place}, {work.year})."
    if work.kind == "inproceedings":
        return f"{head}, in *{work.venue}* ({work.year}), p. {work.first}."
    return f"{head}, {work.venue} **{work.volume}**, {work.first} ({work.year})."


def _german(work: Work) -> str:
    head = f"{people(work, _full, '; ', '; ')} ({work.year}): "
    if work.kind == "book":
        return f"{head}{work.title}. {work.place}: {work.venue}."
    where = f"{work.venue}, " + (f"Jg. {work.volume}, H. {work.number}, " if work.kind == "article" else "")
    return f"{head}{work.title}. In: {where}S. {work.span}."


def _german_slash(work: Work) -> str:
    head = f"{people(work, _full, '/', '/')}: "
    if work.kind == "book":
        return f"{head}{work.title}, {work.place} {work.year}."
    where = f"{work.venue} " + (
        f"{work.volume} ({work.year}), " if work.kind == "article" else f"({work.year}), "
    )
    return f"{head}{work.title}, in: {where}S. {work.span}."


def _french(work: Work) -> str:
    head = f"{people(work, lambda p: f'{p[0].upper()} {p[1]}', ', ', ' et ', 4)}, "
    if work.kind == "book":
        return f"{head}*{work.title}*, {work.place}, {work.venue}, {work.year}."
    where = f"*{work.venue}*, " + (
        f"vol. {work.volume}, n° {work.number}, " if work.kind == "article" else ""
    )
    return f"{head}« {work.title} », {where}{work.year}, p. {work.pages}."


def _abnt(work: Work) -> str:
    head = f"{people(work, _upper, '; ', '; ', 3)} "
    if work.kind == "book":
        return f"{head}**{work.title}**. {work.place}: {work.venue}, {work.year}."
    if work.kind == "inproceedings":
        return f"{head}{work.title}. In: **{work.venue}**. {work.year}. p. {work.pages}."
    link = _doi(work, " Disponível em: https://doi.org/%s. Acesso em: 12 mar. 2024.")
    return (
        f"{head}{work.title}. **{work.venue}**, v. {work.volume}, n. {work.number}, p. {work.pages}, "
        f"{work.year}.{link}"
    )


def _italian(work: Work) -> str:
    head = f"{people(work, _first, ', ', ', ')}, *{work.title}*, "
    if work.kind == "book":
        return f"{head}{work.place}, {work.venue}, {work.year}."
    where = f"«{work.venue}», " + (f"{work.volume}, {work.number} " if work.kind == "article" else "")
    return f"{head}in {where}({work.year}), pp. {work.pages}."


def _chinese(work: Work) -> str:
    head = people(work, lambda p: f"{p[0].upper()} {initials(p[1], '')}", ", ", ", ", 3, ", et al")
    if work.kind == "book":
        return f"{head}. {work.title}[M]. {work.place}: {work.venue}, {work.year}."
    if work.kind == "inproceedings":
        return f"{head}. {work.title}[C]//{work.venue}. {work.year}: {work.pages}."
    return f"{head}. {work.title}[J]. {work.venue}, {work.year}, {work.volume}({work.number}): {work.pages}."


def _author_date(work: Work) -> str:
    others: Sequence[str] = [f"{given} {family}" for family, given in work.authors[1:]]
    tail = f", {', '.join(others[:-1])}{', ' if len(others) > 1 else ''}and {others[-1]}" if others else ""
    head = f"{_full(work.authors[0])}{tail}"
    head += " " if head.endswith(".") else ". "
    if work.kind == "book":
        return f"{head}{work.year}. *{work.title}*. {work.place}: {work.venue}."
    if work.kind == "inproceedings":
        return f"{head}{work.year}. “{work.title}.” In *{work.venue}*, {work.span}."
    return f"{head}{work.year}. “{work.title}.” *{work.venue}* {work.volume} ({work.number}): {work.span}."


STYLES: dict[str, Callable[[Work], str]] = {
    "apa": _apa,
    "apa-es": lambda work: _apa(work, " y ", "En "),
    "vancouver": _vancouver,
    "ieee": _ieee,
    "mla": _mla,
    "harvard": _harvard,
    "nature": _nature,
    "ama": _ama,
    "physics": _physics,
    "german": _german,
    "german-slash": _german_slash,
    "french": _french,
    "abnt": _abnt,
    "italian": _italian,
    "gbt7714": _chinese,
    "chicago-author-date": _author_date,
}
