"""A list of names to another: people who are right keep the name the user gave them.

"Smith, J. and Dole, R."  with Jane Smith, Rita Roe  ⇒ "Smith, J. and Roe, R."
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from citeproof.answers.fix.text_edits import TextEdit
from citeproof.judgement.compare.person import Likeness, make_person, measure_likeness
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.vocabulary import Name

Write = Callable[[str], str]

_AND = re.compile(r"(?<!\s)\s++and\s++", re.IGNORECASE)
_OTHERS = frozenset(("others", "et al", "et al."))
_INITIALS = re.compile(r"(?:[^\W\d_]\.[\s-]?){1,5}|[^\W\d_](?:[\s-]?[^\W\d_]){0,2}")
_SEARCHED = 250_000  # pairs that are compared one by one; beyond it only equal family names


@dataclass(frozen=True, slots=True)
class ListedName:
    """One name of a list where it is."""

    start: int
    end: int
    text: str
    name: Name

    @property
    def others(self) -> bool:
        return self.text.lower() in _OTHERS


@dataclass(frozen=True, slots=True)
class NameForm:
    """How a list writes its names."""

    comma: bool = True  # Family, Given
    initials: bool = False
    dots: bool = True  # J. A. and not J A
    glue: str = " "  # between initials

    def format_given(self, name: Name) -> str:
        """Return the given name as the list has them, full or in initials."""
        if not self.initials or not name.given.isprintable():
            return name.given
        letters = ["-".join(part[:1] for part in word.split("-") if part) for word in name.given.split()]
        dotted = [
            "-".join(f"{letter}." for letter in each.split("-")) if self.dots else each for each in letters
        ]
        return self.glue.join(each for each in dotted if each)


def split_name_list(text: str, start: int, end: int) -> list[ListedName]:
    """Return the names that "and" joins between two places; one inside braces joins nothing."""
    cuts: list[tuple[int, int]] = []
    depth, seen = 0, start
    for match in _AND.finditer(text, start, end):
        depth += text.count("{", seen, match.start()) - text.count("}", seen, match.start())
        seen = match.start()
        if depth <= 0:
            cuts.append((match.start(), match.end()))
    listed: list[ListedName] = []
    for low, high in zip([start, *(b for _, b in cuts)], [*(a for a, _ in cuts), end], strict=True):
        part = text[low:high]
        low, high = low + len(part) - len(part.lstrip()), high - len(part) + len(part.rstrip())  # noqa: PLW2901
        if low < high:
            listed.append(ListedName(low, high, text[low:high], names.parse(text[low:high])))
    return listed


def detect_name_form(listed: Sequence[str]) -> NameForm:
    """Return how most of these names are written."""
    persons = [(text, names.parse(text)) for text in listed]
    persons = [(text, name) for text, name in persons if name.given and not name.collective]
    if not persons:
        return NameForm()
    comma = sum("," in text for text, _ in persons) * 2 >= len(persons)
    short = [name.given for _, name in persons if name.given.isupper() and _INITIALS.fullmatch(name.given)]
    several = [given for given in short if len(given.replace(".", "").replace(" ", "")) > 1]
    glued = bool(several) and not any(" " in given for given in several)
    dots = sum("." in text for text, _ in persons) * 2 >= len(short)
    return NameForm(comma, len(short) * 2 > len(persons), dots, "" if glued else " ")


def spell_name(name: Name, how: NameForm, write: Write) -> str:
    """Return a name in the form of the list it goes into."""
    family = write(name.family)
    if name.collective or not name.given:
        return f"{{{family}}}" if " " in family or "," in family else family
    given, suffix = write(how.format_given(name)), write(name.suffix)
    if re.search(r",|\band\b", family, re.IGNORECASE):
        family = f"{{{family}}}"
    if how.comma or suffix:
        return ", ".join(part for part in (family, suffix, given) if part)
    lowly = family[:1].islower()
    braced = f"{{{family}}}" if " " in family and not lowly and not family.startswith("{") else family
    return f"{given} {braced}"


def pair_people(old: Sequence[Name], new: Sequence[Name]) -> list[tuple[int | None, Likeness]]:
    """Return for each of the new people who of the old ones it is, and how alike the names are."""
    mine, theirs = [make_person(name) for name in old], [make_person(name) for name in new]
    wide = len(mine) * len(theirs) <= _SEARCHED
    scored = sorted(
        (-like, abs(i - j), j, i)
        for j, b in enumerate(theirs)
        for i, a in enumerate(mine)
        if (wide or a.family == b.family) and (like := measure_likeness(a, b))
    )
    pairs: list[tuple[int | None, Likeness]] = [(None, Likeness.OTHER)] * len(theirs)
    taken: set[int] = set()
    for negative, _, j, i in scored:
        if pairs[j][0] is None and i not in taken:
            pairs[j] = (i, Likeness(-negative))
            taken.add(i)
    return pairs


def edit_name_list(
    text: str, start: int, end: int, new: Sequence[Name], write: Write
) -> list[TextEdit] | None:
    """Return the edits that make the list between two places name `new`; None if it cannot be read.

    A list that says it is cut ("and others") stays cut where it was.
    """
    listed = split_name_list(text, start, end)
    cut = bool(listed) and listed[-1].others
    old = listed[:-1] if cut else listed
    if not old or any(piece.others for piece in old) or any(";" in piece.text for piece in old):
        return None
    if any(len(names.split_names(piece.text)[0]) != 1 for piece in old):
        return None  # commas between people: where a name ends is not known
    stays = cut and len(old) < len(new)
    target = _spell_target(old, new[: len(old)] if stays else new, write)
    if stays:
        target.append(listed[-1].text)
    joint = text[listed[0].end : listed[1].start] if len(listed) > 1 else " and "
    edits = _diff_names(listed if stays else old, target, joint)
    if cut and not stays:
        edits.append(TextEdit(old[-1].end, listed[-1].end, ""))
    return edits


def _spell_target(old: Sequence[ListedName], new: Sequence[Name], write: Write) -> list[str]:
    how = detect_name_form([piece.text for piece in old])
    target = []
    for name, (at, like) in zip(new, pair_people([piece.name for piece in old], new), strict=True):
        if at is not None and like >= Likeness.VARIANT:
            target.append(old[at].text)
        elif at is not None and "," in old[at].text and name.given and old[at].text.count(",") == 1:
            family = old[at].text.partition(",")[0]  # the right family name with a wrong given name
            target.append(f"{family}, {write(how.format_given(name))}")
        else:
            target.append(spell_name(name, how, write))
    return target


def _diff_names(old: Sequence[ListedName], target: Sequence[str], joint: str) -> list[TextEdit]:
    """Return the edits between two lists of names; the joints between those that stay are kept."""
    edits: list[TextEdit] = []
    matcher = SequenceMatcher(None, [piece.text for piece in old], list(target), autojunk=False)
    for op, i1, i2, j1, j2 in matcher.get_opcodes():
        new_names = target[j1:j2]
        if op == "replace" and i2 - i1 == j2 - j1:
            edits += [TextEdit(p.start, p.end, name) for p, name in zip(old[i1:i2], new_names, strict=True)]
        elif op == "replace":
            edits.append(TextEdit(old[i1].start, old[i2 - 1].end, joint.join(new_names)))
        elif op == "insert" and i1:
            edits.append(TextEdit(old[i1 - 1].end, old[i1 - 1].end, joint + joint.join(new_names)))
        elif op == "insert":
            edits.append(TextEdit(old[0].start, old[0].start, joint.join(new_names) + joint))
        elif op == "delete" and i1:
            edits.append(TextEdit(old[i1 - 1].end, old[i2 - 1].end, ""))
        elif op == "delete" and i2 < len(old):
            edits.append(TextEdit(old[0].start, old[i2].start, ""))
    return edits
