"""Personal names in the orders and scripts that bibliographies use.

    parse("van den Berg, J. A.")    ⇒ Name(family="van den Berg", given="J. A.")
    parse("Jan van den Berg")       ⇒ Name(family="van den Berg", given="Jan")
    parse("Smith JA")               ⇒ Name(family="Smith", given="J. A.")
    parse("King, Jr., Martin L.")   ⇒ Name(family="King", given="Martin L.", suffix="Jr.")
    parse("ATLAS Collaboration")    ⇒ Name(family="ATLAS Collaboration", collective=True)
    split("Wu, Fei and others")     ⇒ ((Name(family="Wu", given="Fei"),), True)

Own code: the usual library reads "Smith JA" as given name "Smith" and loses 王伟 altogether.
"""

from __future__ import annotations

import html
from functools import lru_cache

from citeproof.text import lazy_patterns as re
from citeproof.text.latex import strip_latex
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Name

MAX_NAME = 200  # characters of one name that are read
_SEVERAL = 3  # words that may be a list of family names; of two the second is a given name
MAX_NAMES = 5000  # names of one list that are read; the largest collaborations have some 5,000
PARTICLES = frozenset((
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "du", "la", "le", "ter",
    "ten", "te", "zu", "zur", "vom", "af", "av", "al", "el", "bin", "ibn", "ben", "op", "'t", "y", "e",
    "do", "dello", "degli", "dal", "dalla", "lo", "los", "las", "san", "mac", "st",
))  # fmt: skip
_SUFFIX = re.compile(r"(?:jr|sr|i{2,3}|iv|phd|md|esq|filho|junior|neto)\.?", re.IGNORECASE)
_DEGREE = re.compile(r"(?:BS|BSc|BA|MS|MSc|MA|MPH|MBA|MD|PhD|DPhil|DO|DDS|DVM|RN|PharmD|EdD|JD|FRCP)\.?")
_COLLECTIVE = re.compile(
    r"\b(?:collaborations?|consortium|group|team|workshop|committee|society|association|organi[sz]ation|institute|"
    r"university|center|centre|council|ministry|department|network|initiative|project|foundation|agency|"
    r"commission|authors?|investigators|openai|deepmind|inc|ltd|llc|gmbh|corporation|laborator(?:y|ies)|"
    r"research|bureau|office|union|academy|federation|program(?:me)?|study|trial|working|community|"
    r"nations|administration|authority|parliament|world bank|core team|task force|bundesamt|"
    r"\w{0,30}ministerium|institut|instituto|istituto|ministère|ministerio|ministério|ministero|universität|"
    r"université|universidad|universidade|università|gesellschaft|stiftung|akademie|kommission|commissione|organización|organização)\b"
    r"|(?-i:[a-z\d][-.]AI$)|\b(?:министерств|комитет|институт|университет|академи|управлени|федеральн)\w{0,12}\b"
    r"|[\u4e00-\u9fff]{2,20}(?:局|省|庁|政府|大学|研究所|研究院|委员会|委員会|学会|协会|協会|中心|公司|组织|集团)$",
    re.IGNORECASE,
)
_BODIES = ("collaboration", "consortium", "group", "team", "workshop", ", inc", ", ltd", ", llc", ", gmbh")
# where programs that take every last word for a family name put such a body: "Team, R Core"
_INVERTED = re.compile(
    r"(?P<body>collaboration|consortium|workshop|(?:working |study |task )?group|(?:core |development )?team|"
    r"committee|(?:core )?developers|contributors|foundation|initiative|organi[sz]ation|association|"
    r"institute|society), (?P<name>[^,]{1,99})",
    re.IGNORECASE,
)
_NO_FAMILY = ("collaboration", "consortium", "contributors", "team", "workshop")  # "Group" is one
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){1,4}")
_INITIAL = re.compile(r"[^\W\d_]\.?(?:-[^\W\d_]\.?)?")
_VANCOUVER = re.compile(r"(.{2,120}?) ([^\W\d_](?:[ -]?[^\W\d_]){0,3})(?: (Jr|Sr|2nd|3rd|II|III))?")
_DOTTED = re.compile(r"([^.]{2,120}?) ((?:[^\W\d_]\.[ -]?){1,4})")
_FOUR = 4  # initials that may be glued together; a given name in capitals looks the same
_VOWEL = re.compile(r"[AEIOUY]|NG\Z")
# These patterns read text whose white space is squeezed, and every repetition in them is bounded:
# an unbounded one before a word that may not come takes quadratic time.
_HOMONYM = re.compile(r" ?\b0\d{3}\b,? ?")
# What stands in a text for the rest of a list of people; to be searched in any case of letters.
OTHERS = (
    r"(?:others|colleagues|co-?workers|co-?authors|collaborators|kollegen|mitarbeiter|andere|otros|colaboradores"
    r"|outros|altri|autres|collègues)\b"
)
CUT_LIST = (
    r"(?:\bet\.?[\s~]{0,2}al(?:ii|ia)?\b\.?|\bu\.\s?a\b\.?|\bи\sдр\b\.?|等人?"
    rf"|(?:\band\b|&|\bund\b|\by\b|\be\b|\bet\b)\s{{1,2}}(?:(?:his|her|their)\s)?(?:{OTHERS}|cols?\b\.?))"
)
_ET_AL = re.compile(
    r"[ ,;~]{0,8}(?:\band\b[ ~]?|& ?)?(?:\{? ?\\[a-z]{2,12} ?)?[\[({]{0,2}"
    rf"(?:{CUT_LIST}|\bothers\b)[.\])}}]{{0,8}}[ ,;]{{0,8}}\Z| ?(?:…|\.\.\.) ?\Z",
    re.IGNORECASE,
)
_CUT_SIGN = re.compile(rf"{CUT_LIST}|\bothers|…|\.\.\.", re.IGNORECASE)  # what every match of `_ET_AL` holds
_WORD_OF_NAME = r"[^\W\d_][\w'’‐-]{1,40}"
_SHORT = r"(?:[^\W\d_]{1,2}\.|[^\W\d_](?![^\W\d_]))[ -]?"
_LISTED = re.compile(
    rf"(?:{_SHORT}){{0,4}}(?:{_WORD_OF_NAME}(?: {_WORD_OF_NAME}){{0,3}}(?: (?:{_SHORT}){{1,4}})?)?"
)
_BETWEEN = re.compile(r"[,;，、]|(?:^| )(?:and|und|et|y|e|og|och|и|i|a|&)(?= )")
_ROLE = re.compile(
    r"(?: ?[(\[](?:eds?|editors?|hrsg|hg|trans|dir|coord)\b\.?[)\]]|, ?(?:eds\.?|editors?))\Z", re.IGNORECASE
)
_FULL_AND_ROLE = re.compile(r"([^, ]{1,99} [^,]{1,99}), [Ee]d\.")  # "Jane Doe, Ed."; "Chi, Ed" is a person
_STATED = re.compile(r"\b(family|given|prefix|suffix) ?= ?\{?([^,={}]{1,99})\}?", re.IGNORECASE)
_AND = re.compile(r" and ", re.IGNORECASE)
_AMPERSAND = re.compile(r",? \\?& ")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"([^\W\d_]+)(\.?)")
_DOUBLE_FAMILIES = (
    "欧阳", "歐陽", "司马", "司馬", "上官", "诸葛", "諸葛", "皇甫", "令狐", "东方", "夏侯", "尉迟",
)  # fmt: skip
MIDDLE_DOT = r"(?<![ァ-ヺー])[・･]"  # between two people; between the names of one it is in katakana
_MIDDLE_DOT = re.compile(MIDDLE_DOT)
_CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30fa\u30fc-\u30ff\uac00-\ud7af]{2,8}")
_HEAD = 1_000  # characters of a citation in which its list of names ends
_LENGTH = 2_000  # characters that are read
_MOST = 100  # people


@lru_cache(maxsize=65536)
def parse(text: str) -> Name:
    """Return the one name that `text` spells."""
    whole = text.strip()[:MAX_NAME]
    if "=" in whole and (
        stated := dict(_STATED.findall(whole))
    ):  # as biblatex allows: family=Vinci, prefix=da
        parts = {part.lower(): tidy_name(value) for part, value in stated.items()}
        family = " ".join(filter(None, (parts.get("prefix"), parts.get("family"))))
        return Name(family, parts.get("given", ""), parts.get("suffix", ""))
    braced = whole.startswith("{") and whole.endswith("}") and whole.count("{") == 1
    plain = tidy_name(whole)
    if (braced and " " in plain) or (_COLLECTIVE.search(plain) and not _is_personal(plain)):
        return Name(family=plain, collective=True)
    if "," in plain:
        return _parse_inverted(plain) or _parse_commas(plain)
    if _CJK.fullmatch(plain):
        cut = 1 if len(plain) <= 3 and not plain.startswith(_DOUBLE_FAMILIES) else 2
        return Name(plain[:cut], plain[cut:])
    return _parse_initials(plain) or _parse_words(plain.split())


def spell_et_al(text: str) -> str:
    """Return a citation or list of names with "et al." for the same in another language: "Silva J. i in."."""
    clues, forms = _load_cut_forms()
    head = text[:_HEAD].lower()
    found = forms.search(text[:_HEAD]) if any(clue in head for clue in clues) else None
    before = text[: found.start()].lstrip("[(0123456789]). ") if found else ""
    if not found or not before or not all(map(_LISTED.fullmatch, map(str.strip, _BETWEEN.split(before)))):
        return text
    return f"{text[: found.start()]}{found['lead'] or ''} et al.{text[found.end() :]}"


@lru_cache(maxsize=1)
def _load_cut_forms() -> tuple[list[str], re.Pattern[str]]:
    """Return the forms of `cut_lists.toml`, and their pattern: behind a name, where a list may end."""
    table = load_package_table("citeproof.text", "cut_lists.toml")
    spaced = [
        "|".join(re.escape(form).replace(r"\ ", r"\s") for form in table[key]) for key in ("open", "stopped")
    ]
    behind = r"(?=[ ,;:.)\]]?(?:$|[ (\[:,;.)\]“\"«「『《]))"
    pattern = re.compile(
        rf"(?:(?P<lead>[,;،])?[\s~](?:(?:{spaced[0]})(?!\w)\.?|(?-i:{spaced[1]})\.)"
        rf"|(?<=[^\W\d_.])\.?(?:{'|'.join(table['glued'])})){behind}",
        re.IGNORECASE,
    )
    return [
        *"他らほ외外",
        *(f" {form.lower()}" for key in ("open", "stopped") for form in table[key]),
    ], pattern


def tidy_name(text: str) -> str:
    """Return a name as plain text: no LaTeX, HTML entities, homonym numbers or doubled spaces."""
    if "&" in text:
        text = html.unescape(text)
    text = _SPACE.sub(" ", strip_latex(text))
    if "0" in text:
        text = _SPACE.sub(" ", _HOMONYM.sub(" ", text))
    return text.strip(" ;")


def split_names(text: str) -> tuple[tuple[Name, ...], bool]:
    """Return the names of a list joined by "and", and whether the list says that it is cut."""
    text = spell_et_al(_SPACE.sub(" ", html.unescape(text) if "&" in text else text))
    text = text if text.isascii() else _MIDDLE_DOT.sub(" and ", text)
    parts = [part.strip(" ,;") for part in split_outside_braces(text)[:MAX_NAMES]]
    whole = [_ET_AL.sub("", part) for part in parts] if _CUT_SIGN.search(text) else parts
    pieces = [
        piece[:MAX_NAME] for part in _split_ampersands(list(map(_strip_role, whole))) for piece in part
    ][:MAX_NAMES]
    people = [name for name in map(parse, pieces) if any(map(str.isalnum, name.family))]
    if len(people) > 1 and len(people[-1].family) == 1 and not people[-1].given:
        # a single letter is what a damaged field leaves of a name; the list was cut there
        return tuple(people[:-1]), True
    return tuple(people), whole != parts


def _strip_role(part: str) -> str:
    if len(part) <= MAX_NAME and part.rstrip("{}").endswith("."):
        full = _FULL_AND_ROLE.fullmatch(part.replace("{", "").replace("}", ""))
        if full:
            return full[1]
    return _ROLE.sub("", part)


def split_outside_braces(text: str, joint: re.Pattern[str] = _AND) -> list[str]:
    """Return the parts of `text` between the joints ("and") that are outside braces."""
    if "{" not in text:
        return joint.split(text)
    parts, last, seen, depth = [], 0, 0, 0
    for match in joint.finditer(text):
        depth += text.count("{", seen, match.start()) - text.count("}", seen, match.start())
        seen = match.start()
        if depth <= 0:
            parts.append(text[last:seen])
            last, depth = match.end(), 0
    return [*parts, text[last:]]


def make_family_key(name: Name) -> str:
    """Return the folded letters of the family name, particles and marks aside: "van den Bérg" ⇒ "berg"."""
    return "".join(_fold_family(name.family))


def fold_family_words(name: Name) -> tuple[str, ...]:
    """Return the folded words of the family name without particles, unless it has only those."""
    return _fold_family(name.family)


@lru_cache(maxsize=65536)
def _fold_family(family: str) -> tuple[str, ...]:
    words = _fold_words(family)
    return tuple([w for w in words if w not in PARTICLES]) or words


@lru_cache(maxsize=65536)
def _fold_words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W\d_]+", strip_marks(text).casefold().replace("'", "")))


def fold_whole_family(name: Name) -> str:
    """Return the folded letters of the family name with its particles: "van den Bérg" ⇒ "vandenberg"."""
    return "".join(_fold_words(name.family))


def is_group(name: Name) -> bool:
    """Return whether a name is an organisation's: braces alone also hold a person's name.

    Registries take the last word of every name for a family name: family "Workshop", given "BigScience".
    """
    if not name.collective:
        return name.family.casefold() in _NO_FAMILY
    words = name.family.split()
    return _COLLECTIVE.search(name.family) is not None or len(words) != 2 or any(map(str.isupper, words))


@lru_cache(maxsize=65536)
def fold_given_words(name: Name) -> tuple[str, ...]:
    """Return the folded words of the given name; glued initials come apart: "JA" ⇒ ("j", "a").

    An initial of two letters keeps its dot, which tells it from a short name: "Yu. I." ⇒ ("yu.", "i").
    """
    given = strip_marks(name.given)
    found: list[str] = []
    for word, dot in _WORD.findall(given.replace("'", "")):
        glued = len(word) <= 3 or (
            len(word) == _FOUR and not name.family.isupper() and not is_given_name(word)
        )
        if glued and word.isupper() and len(given) <= len(word) + 1:
            found.extend(word.casefold())
        else:
            found.append(word.casefold() + (dot if len(word) == 2 and word[1].islower() else ""))
    return tuple(found)


def _is_personal(plain: str) -> bool:
    """Two or three capitalised words of which only one sounds collective are a person ("Jan Group").

    "Gemini Team, Google" is none: what is before the comma names a body, and what is behind it whose it is.
    """
    body, comma, _ = plain.lower().partition(",")
    named = " " in body and body.endswith(_BODIES) and not _INVERTED.fullmatch(plain)
    return bool(comma) and not named and not plain.lower().rstrip(".").endswith(_BODIES)


def _parse_inverted(plain: str) -> Name | None:
    """Return the body that "Team, R Core" is; None for "Group, Jan" and "Team, J."."""
    match = _INVERTED.fullmatch(plain)
    if not match or is_given_name(match["name"].split()[0]):
        return None
    if " " not in match["body"] and _INITIALS.fullmatch(match["name"]):
        return None
    return Name(family=f"{match['name']} {match['body']}", collective=True)


def _split_ampersands(parts: list[str]) -> list[list[str]]:
    """Split each part at its "&", which organisations have in their names, then at commas."""
    cut: list[str] = []
    for part in parts:
        joined = "& " in part and not _COLLECTIVE.search(part)
        cut.extend(p.strip(" ,;") for p in (split_outside_braces(part, _AMPERSAND) if joined else [part]))
    # "… and Lee Brown": the last name has no comma, so commas before it may be between names
    plain = len(cut) > 1 and "," not in cut[-1] and " " in cut[-1]
    if len(cut) == 2 and "," not in cut[1] and _are_families([*_split_commas(cut[0]), cut[1]]):
        return [_split_commas(cut[0]), [cut[1]]]  # "Pennington, Socher and Manning"
    return [_split_listed(part, alone=len(cut) == 1, plain=plain) for part in cut]


def _split_commas(part: str) -> list[str]:
    return [piece.strip() for piece in part.split(",")]


def _split_listed(part: str, *, alone: bool, plain: bool) -> list[str]:
    """Split "Sophia Wong, Alex Martinez, Junpei Yamamoto": full names joined by commas alone."""
    if ";" in part:
        return [p.strip() for p in part.split(";")]
    pieces = _split_commas(part)
    if len(pieces) < 2 or (len(pieces) == 2 and not alone and not plain):
        return [part]
    full = [len(p.split()) >= 2 and not _are_initials(p) and not _SUFFIX.fullmatch(p) for p in pieces]
    if len(pieces) >= 3 and all(full):
        return pieces
    if len(pieces) >= 4 and len(pieces) % 2 == 0 and all(map(_are_initials, pieces[1::2])):
        return [f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)]
    if alone and (_are_families(pieces) or _are_pairs(pieces)):
        step = 1 if _are_families(pieces) else 2
        return [", ".join(pieces[at : at + step]) for at in range(0, len(pieces), step)]
    if len(pieces) == 2 and all(full) and (alone or plain) and are_two_people(*pieces, sure=plain):
        return pieces
    return [part]


def _are_families(pieces: list[str]) -> bool:
    """Return whether "Pennington, Socher, Manning" is three people: single words, no given name."""
    return (
        len(pieces) >= _SEVERAL and all(map(_is_family, pieces)) and not any(map(is_given_name, pieces[1:]))
    )


def _is_family(piece: str) -> bool:
    alone = piece.isalpha() and piece[:1].isupper() and not piece.isupper()
    return alone and len(piece) > 2 and not _SUFFIX.fullmatch(piece)


def _are_pairs(pieces: list[str]) -> bool:
    """Return whether "Liu, Zhenfeng, Hu, Sarah K, Caron, David" is three people: every other a given name."""
    if len(pieces) <= _SEVERAL or len(pieces) % 2 or not all(map(str.isalpha, pieces[::2])):
        return False
    given = [_are_initials(piece) or is_given_name(piece.split(" ")[0]) for piece in pieces[1::2]]
    return 2 * sum(given) > len(given) and not any(map(is_given_name, pieces[::2]))


def are_two_people(first: str, second: str, *, sure: bool = False) -> bool:
    """Tell "Jane Doe, Rick Roe" from "Garcia Lopez, Juan Carlos"; in doubt it is one person.

    Each must begin as a given name does (the first alone if it is `sure` that the list has names in
    this order), and the second may not end in a given name.
    """
    first_name, two = tidy_name(first[:MAX_NAME]), tidy_name(second[:MAX_NAME])
    if _parse_initials(first_name) and _parse_initials(two):
        return not is_given_name(two.split()[0])  # "Smith JA, Doe AB", but not "Henríquez Q., Carlos A."
    words = [first_name.split(), two.split()]
    if not all(2 <= len(w) <= 4 and all(x[0].isupper() for x in w) for w in words):
        return False
    if any(_INITIAL.fullmatch(w[-1]) or _SUFFIX.fullmatch(w[-1]) for w in words) or is_given_name(
        two.split()[-1]
    ):
        return False
    if any(all(is_chinese_family(w[at]) for w in words) for at in (0, -1)):
        return True  # "Wei Wang, Na Li", "Wang Wei, Li Na"
    begins = [_INITIAL.fullmatch(w[0]) is not None or is_given_name(w[0]) for w in words]
    return begins[0] and (sure or begins[1])


def _are_initials(piece: str) -> bool:
    return piece.isupper() and _INITIALS.fullmatch(piece) is not None


def _parse_initials(plain: str) -> Name | None:
    """Return who "Smith JA", "Smith J. A." or "DOE J" is; None if it does not end in initials."""
    dotted = _DOTTED.fullmatch(plain)
    if dotted:
        return Name(dotted[1], dotted[2].strip())
    match = _VANCOUVER.fullmatch(plain)
    if not match or "." in match[1] or not match[2].isupper():
        return None
    if match[2] in {"II", "III", "IV"} and " " in match[1]:
        return None  # "John Smith III"
    if len(match[2]) == _FOUR and match[2].isalpha() and (match[1].isupper() or is_given_name(match[2])):
        return None  # "Smith JOHN"
    if (
        match[1].isupper()
        and len(match[2]) > 1
        and " " not in match[2]
        and _VOWEL.search(strip_marks(match[2]))
    ):
        return None  # "WEI LI": in capitals a short family name looks like initials
    initials = " ".join(f"{c}." for c in match[2] if c not in "- ")
    return Name(match[1], initials, match[3] or "")


def _parse_commas(plain: str) -> Name:
    parts = [p.strip() for p in plain.split(",") if p.strip()]
    if (
        len(parts) == 2
        and _DEGREE.fullmatch(parts[1])
        and " " in parts[0]
        and is_given_name(parts[0].split()[0])
    ):
        parts = parts[:1]  # "Nicolas Hulscher, BS"
    if len(parts) <= 1:
        return _parse_words(" ".join(parts).split())
    if _SUFFIX.fullmatch(parts[1]):
        if len(parts) == 2:
            bare = _parse_words(parts[0].split())
            return Name(bare.family, bare.given, parts[1])
        return Name(parts[0], " ".join(parts[2:]), parts[1])
    if len(parts) > 2 and _SUFFIX.fullmatch(parts[-1]):
        return Name(parts[0], " ".join(parts[1:-1]), parts[-1])
    return _move_particles(parts[0], " ".join(parts[1:]))


def _move_particles(family: str, given: str) -> Name:
    """ "Berg, Jan van den" ⇒ family "van den Berg"."""
    words = given.split()
    cut = len(words)
    while cut > 1 and words[cut - 1] in PARTICLES:
        cut -= 1
    if cut < len(words):
        family, given = f"{' '.join(words[cut:])} {family}", " ".join(words[:cut])
    return Name(family, given)


def _parse_words(words: list[str]) -> Name:
    suffix = ""
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        suffix = words.pop()
    if len(words) <= 1:
        return Name(" ".join(words), suffix=suffix)
    cut = len(words) - 1
    while cut > 1 and words[cut - 1].lower() in PARTICLES and not words[cut - 1][0].isupper():
        cut -= 1
    # "De Luca": a capitalised particle belongs to the family when a given name is left over
    if (
        cut == len(words) - 1
        and cut > 1
        and words[cut - 1] in {"De", "Van", "Von", "Di", "La", "Le", "Del", "El"}
    ):
        cut -= 1
    return Name(" ".join(words[cut:]), " ".join(words[:cut]), suffix)


@lru_cache(maxsize=1)
def load_given_names() -> frozenset[str]:
    """Return the given names of `given_names.toml`, folded."""
    table = load_package_table("citeproof.text", "given_names.toml")
    return frozenset(word for words in table.values() for word in words.split())


def is_given_name(word: str) -> bool:
    """Return whether a word, or each part of one with hyphens, is a frequent given name."""
    parts = strip_marks(word).casefold().split("-")
    return all(part in load_given_names() for part in parts)


@lru_cache(maxsize=1)
def _load_asian_families() -> dict[str, frozenset[str]]:
    table = load_package_table("citeproof.text", "asian_families.toml")
    return {name: frozenset(words.split()) for name, words in table.items()}


def is_chinese_family(word: str) -> bool:
    """Return whether a word in Latin letters is a frequent Chinese family name."""
    tables, folded = _load_asian_families(), strip_marks(word).casefold()
    return folded in tables["pinyin"] or folded in tables["older"]


def is_asian_family(word: str) -> bool:
    """Return whether it is a frequent family name of China, Korea or Vietnam."""
    folded = strip_marks(word).casefold()
    return any(folded in families for families in _load_asian_families().values())


def read_saved_by(text: str | None) -> tuple[Name, ...]:
    """Return the people of a property such as "Jane Doe; Rick Roe"; a login name is no person."""
    parts = (text or "")[:_LENGTH].split(";")
    people = [name for part in parts for name in split_names(part.strip())[0]]
    return tuple(name for name in people if name.given and not is_group(name))[:_MOST]
