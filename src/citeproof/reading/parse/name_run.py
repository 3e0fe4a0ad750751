"""The run of author names at the start of a piece of citation text.

Names are matched one after another in the forms bibliographies use; the run ends where no
further name follows. Every pattern is bounded, so that the walk is linear.
"""

from __future__ import annotations

from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text.names import CUT_LIST, is_given_name
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Name
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_NAMES = 400  # names read from one citation string

_UPPER = "A-ZÀ-ÖØ-Þ" + "".join(chr(c) for c in range(0x100, 0x24F) if chr(c).isupper()) + "Α-ΩЀ-Я"
_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ӿ"  # ranges: long lists of letters make patterns slow to compile
_PARTICLE = (
    r"(?:van|von|der|den|de|del|della|di|da|dos|das|du|la|le|ter|ten|te|zu|zur|al|el|bin|ibn|auf|st\.)"
)
_WORD = rf"[{_UPPER}][{_LETTER}'’ʼ`´\u2010\u2011-]{{1,30}}"
_FAMILY = rf"(?:(?:{_PARTICLE}\s|d['’]|D['’]|O['’]){{0,3}}{_WORD}(?:\s(?:{_PARTICLE}\s)?{_WORD}){{0,2}}?)"
_INITIAL = rf"[{_UPPER}][a-zà-öø-ÿа-я]?\."
_INITIALS = rf"{_INITIAL}(?:\s?[-\u2010\u2011]?\s?{_INITIAL}){{0,4}}(?:\s?[{_UPPER}](?=,))?"
_GLUED = rf"[{_UPPER}](?:-?[{_UPPER}]){{0,3}}"
_GIVEN = rf"{_WORD}(?:\s(?:{_INITIAL}|[{_UPPER}]\b|{_WORD})){{0,2}}?"
_JUNIOR = r"(?:,?\s(?:Jr|Sr|II|III|IV|2nd|3rd)\b\.?)?"
_END = r"(?=\s?[,;.:/&(\[\]\ue000“\"«‘]|\s(?:and|und|et|y|e|a|и|og|och|with)\s|\s?$)"
_CJK = r"[\u3400-\u9fff\uac00-\ud7af]{2,4}"

_FORMS: dict[str, re.Pattern[str]] = {
    form: re.compile(pattern)
    for form, pattern in {
        "family_comma_initials": rf"(?P<f>{_FAMILY}),\s?(?P<g>{_INITIALS}(?:\s{_PARTICLE}){{0,2}}){_JUNIOR}",
        "family_comma_glued": rf"(?P<f>{_FAMILY}),\s?(?P<g>{_GLUED}){_JUNIOR}{_END}",
        "initials_family": rf"(?P<g>{_INITIALS})\s?(?P<f>{_FAMILY}){_JUNIOR}{_END}",
        "given_family": (
            rf"(?P<g>{_WORD}(?:\s{_INITIAL}|\s[{_UPPER}]\b){{1,3}})\s"
            rf"(?P<f>{_FAMILY}){_JUNIOR}{_END}"
        ),
        "family_initials": (rf"(?P<f>{_FAMILY})\s(?P<g>{_INITIALS}){_JUNIOR}(?:{_END}|(?<=[а-я]\.)(?=\s))"),
        "family_glued": rf"(?P<f>{_FAMILY})\s(?P<g>{_GLUED}){_JUNIOR}{_END}",
        "family_bracket": rf"(?P<f>{_FAMILY})\s\((?P<g>{_INITIALS}|{_GLUED})\)",
        "glued_family": rf"(?P<g>[{_UPPER}](?:\s?[{_UPPER}]){{0,2}})\s(?P<f>{_FAMILY}){_JUNIOR}{_END}",
        "cjk": rf"(?P<f>{_CJK}){_END}",
        "full": rf"(?P<g>{_GIVEN})\s(?P<f>(?:{_PARTICLE}\s){{0,3}}{_WORD}){_JUNIOR}{_END}",
        "family_given": rf"(?P<f>{_FAMILY}),\s?(?P<g>{_GIVEN}){_JUNIOR}{_END}",
    }.items()
}
_TRIED = load_package_table("citeproof.reading.parse", "name_forms.toml")
_LONE = re.compile(rf"(?P<f>{_FAMILY}){_END}")
_LONE_END = re.compile(rf",?\s?(?:\ue000|(?:&|and)\s{_FAMILY},?\s?\(?\ue000|[“\"«‘'])")
_JOINT = re.compile(
    r"(?:[,;]{1,2}\s?|\s)?(?:\.\.\.|…)\s?[,;]?\s?(?:(?:and|&)\s)?"
    r"|[,;]{1,2}\s?(?:and|und|et|y|и|og|och|&)\s|\s(?:and|und|et|y|и|og|och|&|a)\s|\s?&\s?|[,;]{1,2}\s?|\s?/\s?"
    r"|\.\s(?=[A-Z][\w'-]{1,30},\s[A-Z]{1,3}\.)|\se\s(?=[A-Z]\.|[^\W\d_a-z][^\W\d_]{1,30},\s[A-Z]\.)"
)
_AND = re.compile(r"and|und|et|y|и|og|och|&")
_ET_AL = re.compile(rf"[,;.]?\s?(?:and\s|&\s)?[\[(]?(?:{CUT_LIST}|\bothers\b)[\])]?", re.IGNORECASE)
# Without brackets "Ed" needs its stop: "…, Ed Chi" continues with a name.
_EDITORS = re.compile(
    r"[,.]?\s?(?:[(\[](?:eds?|editors?|hrsg|hg|dir|coord|trans)\b\.?[)\]]?"
    r"|\b(?:ed\b(?!\s[^\W\d_])|eds\b|editors?\b|hrsg\b|hg\b|dir\b|coord\b|trans\b)\.?[)\]]?),?",
    re.IGNORECASE,
)
_COLLECTIVE = re.compile(
    r"(?:the\s)?[^.;:\ue000]{2,80}?\b(?:collaboration|consortium|group|team|committee|organi[sz]ation|network|"
    r"initiative|society|association|institute|investigators)\b(?:\s\([A-Z]{2,8}\))?",
    re.IGNORECASE,
)
_BODIES = (
    "collaboration", "consortium", "group", "team", "committee", "organi", "network", "initiative",
    "society", "association", "institute", "investigators",
)  # fmt: skip
_OFFICE_WORD = rf"(?:U\.S\.|[{_UPPER}][{_LETTER}'’-]{{1,30}}|of|for|and|the|on|in|de|des|y|&)"
_OFFICE = re.compile(
    rf"(?:the\s)?{_OFFICE_WORD}(?:(?:,?\s|/){_OFFICE_WORD}){{2,14}}(?=[.,]?\s?\(?\ue000|\.?$)"
)
_OFFICE_NOUN = re.compile(
    r"\b(?:Institutes?|Agency|Administration|Organi[sz]ation|Ministry|Department|Academ(?:y|ies)|Cent(?:er|re)s?"
    r"|Council|Commission|Bureau|Office|Foundation|Authority|Board|Federation|Nations|Parliament|Association)\b"
)
_COMPANY = re.compile(
    r"(?:OpenAI|(?:Google )?DeepMind|Google(?: Research| Brain)?|Microsoft|Meta AI|Anthropic|NVIDIA)"
    r"(?=[.,:(\s])"
)
_GIVEN_FIRST = frozenset(["initials_family", "given_family", "glued_family", "full"])
_ALONE = frozenset(["cjk", "lone"])  # without a given name
_CAPITALS = re.compile(rf"[{_UPPER}'’-]{{3,30}}(?:\s[{_UPPER}'’-]{{3,30}}){{0,2}}")
_STOP_WORDS = frozenset(
    ["the", "a", "an", "on", "in", "proceedings", "journal", "proc", "international", "advances"]
)


@dataclass(frozen=True, slots=True)
class NameRun:
    """Names found one after another: who, whether the list says it is cut, where it ends."""

    names: tuple[Name, ...]
    end: int
    et_al: bool = False
    editors: bool = False
    sure: bool = True  # False: only full names, which title words can imitate

    def __bool__(self) -> bool:
        return bool(self.names)


def find_name_run(text: str, at: int = 0) -> NameRun:
    """Return the author names that begin at `at`; an empty run if none does."""
    if office := _match_office(text, at):
        return NameRun((Name(family=office[0], collective=True),), office.end())
    persons: list[Name] = []
    forms: list[str] = []
    start = before = end = at
    last = elided = False
    while len(persons) < MAX_NAMES:
        person = _find_name(text, at, forms, last=last)
        if person is None:
            break
        before = end
        name, end, form = person
        persons.append(name)
        forms.append(form)
        joint = _JOINT.match(text, end)
        if joint is None or _ET_AL.match(text, end):
            break
        at, between = joint.end(), joint[0]
        last = between != ", " and bool(_AND.search(between))
        elided |= "..." in between or "…" in between
    if last and person is None and forms[-1:] in (["full"], ["lone"]):
        persons, end = persons[:-1], before  # "William Connolly, Political Theory and Modernity"
    if not persons:
        match = _COMPANY.match(text, start) or _match_collective(text, start)
        if not match or text[match.end() : match.end() + 1] not in (",", ".", ":", " "):
            return NameRun((), start)
        if not all(word[:1].isupper() or word in ("the", "of", "for", "and") for word in match[0].split()):
            return NameRun((), start)
        return NameRun((Name(family=match[0], collective=True),), match.end())
    persons, end = _add_collective(text, end, persons)
    cut = _ET_AL.match(text, end)
    end = cut.end() if cut else end
    marked = _EDITORS.match(text, end)
    sure = bool(cut) or len(persons) > 2 or not {"full", "lone"} >= set(forms)
    return NameRun(
        tuple(persons), marked.end() if marked else end, bool(cut) or elided, marked is not None, sure
    )


def _match_collective(text: str, at: int) -> re.Match[str] | None:
    low = text[at : at + 120].lower()
    return _COLLECTIVE.match(text, at) if any(map(low.__contains__, _BODIES)) else None


def _match_office(text: str, at: int) -> re.Match[str] | None:
    """Return the office that is alone before the year, or all of the text: "Food and Drug Administration"."""
    match = _OFFICE.match(text, at)
    if match is None or not _OFFICE_NOUN.search(match[0]):
        return None
    words = match[0].split()
    return None if is_given_name(words[0]) and not {"of", "for"} & set(words) else match


def _find_name(text: str, at: int, forms: list[str], *, last: bool) -> tuple[Name, int, str] | None:
    """Return the name at `at`, its end and its form. Full names join a list of initials only by "and"."""
    allowed = _TRIED["next"][forms[0]] if forms else _TRIED["first"]
    for form in (*allowed, "full") if last else allowed:
        match = _FORMS[form].match(text, at) if form != "lone" else None
        if not match or not _is_plausible_family(match["f"]):
            continue
        if form == "family_given" and not (_is_plausible_family(match["g"]) and _is_inverted(text, match)):
            continue
        if form == "full" and not _is_plausible_family(match["g"]):
            continue
        return _build_name(match, form), match.end(), form
    return _find_lone_family(text, at, forms) if set(forms) <= {"lone"} else None


def _find_lone_family(text: str, at: int, forms: list[str]) -> tuple[Name, int, str] | None:
    """Return a family name that is alone, where only "et al.", "&" or the year makes it one."""
    match = _LONE.match(text, at)
    if not match or not _is_plausible_family(match["f"]):
        return None
    if _ET_AL.match(text, match.end()) or _LONE_END.match(text, match.end()):
        return _build_name(match, "lone"), match.end(), "lone"
    if forms and set(forms) == {"lone"} and re.match(r",\s\w", text[match.end() : match.end() + 3]):
        return _build_name(match, "lone"), match.end(), "lone"
    return None


def _is_inverted(text: str, match: re.Match[str]) -> bool:
    """Return whether "Word, Word Word" is "Family, Given" and not two full names or a title."""
    if " " not in match["f"].strip() or match["f"].split()[0].lower() in (
        "van",
        "von",
        "de",
        "der",
        "al",
        "el",
    ):
        return True
    return text[match.end() : match.end() + 1] in ".;(" and not names.are_two_people(match["f"], match["g"])


def _is_plausible_family(word: str) -> bool:
    return strip_marks(word).split(" ", 1)[0].rstrip(".").lower() not in _STOP_WORDS


def _build_name(match: re.Match[str], form: str) -> Name:
    family = match["f"]
    if form in _ALONE:
        return names.parse(family)
    given = _dot_initials(match["g"])
    if form == "full" and _CAPITALS.fullmatch(given) and not family.isupper():
        whole = names.parse(f"{given} {family}")
        return whole if whole.collective else names.parse(f"{given}, {family}")  # "BOURDIEU Pierre"
    if form in _GIVEN_FIRST and not family[0].islower():
        return names.parse(f"{given} {family}")  # "C. Lawrence Zitnick": the last word is the family
    return names.parse(f"{family}, {given}")


def _dot_initials(given: str) -> str:
    """Return glued initials apart, a last one with its stop: "JA" ⇒ "J. A.", "Thomas S" ⇒ "Thomas S."."""
    if given.isupper() and given.replace("-", "").isalpha() and len(given) <= 4:
        return " ".join(f"{letter}." for letter in given.replace("-", ""))
    return f"{given}." if given[-2:-1] == " " and given[-1].isupper() else given


def _add_collective(text: str, end: int, persons: list[Name]) -> tuple[list[Name], int]:
    """Add a group named after the persons: "…; the SMIRA Group"."""
    joint = re.match(r"[,;]\s?(?:and\s|on behalf of\s|for\s)?", text[end : end + 20])
    match = _match_collective(text, end + joint.end()) if joint else None
    if match is None:
        return persons, end
    return [*persons, Name(family=match[0], collective=True)], match.end()
