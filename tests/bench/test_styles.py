import random
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from bench.styles import csl, forms, law, making, noise
from bench.styles.__main__ import Maker, Tally, rows, shared_styles
from bench.styles.bank import HERE, Bank, load
from bench.styles.items import Item
from bench.styles.marks import LostMarkError, labelled, mark, plain
from bench.styles.people import Person, listed, person
from bench.styles.strings import STYLES, citations

DATA = Path(__file__).parents[3] / "shared" / "data"
HINTON = (Person("LeCun", "Yann"), Person("Bengio", "Yoshua"), Person("Hinton", "Geoffrey E."))
DEEP = Item(
    "article", "en", "Deep learning", HINTON, 2015, container="Nature", short="Nature", volume="521",
    issue="7553", pages=("436", "444"), doi="10.1038/nature14539",
)  # fmt: skip
RECORD = {
    "t": "Deep learning", "a": ["Yann LeCun", "Yoshua Bengio", "Geoffrey E. Hinton"], "p": [[2015, "Nature"]],
    "d": "10.1038/nature14539",
}  # fmt: skip


def shown(marked):
    out, before = "", "O"
    found = labelled(marked)
    for token, space, label in zip(found.tokens, found.space, found.labels, strict=True):
        out += ("}" if label != before != "O" else "") + (" " if space == "1" else "")
        out += ("{" + label + ":" if label not in {before, "O"} else "") + token
        before = label
    return (out + ("}" if before != "O" else "")).strip()


M = mark
CONVENTIONS = {
    "outer points": (M("author", "Ba, J.") + " " + M("title", "Adam."), "{author:Ba, J}. {title:Adam}."),
    "question": (M("title", "What is it?") + ".", "{title:What is it?}."),
    "closing bracket with its partner": (M("title", "Ions (II)") + ".", "{title:Ions (II)}."),
    "bracket without": ("(" + M("date", "1999)"), "({date:1999})"),
    "editors and their word": (M("editor", "Kay") + " (" + M("editor", "Eds.") + ")", "{editor:Kay (Eds}.)"),
    "month and year": (M("date", "2015") + ", " + M("date", "June"), "{date:2015, June}"),
    "two dates": (M("date", "1990") + ") (" + M("date", "2000"), "{date:1990}) ({date:2000}"),
    "inner wins": (M("container", "Nature " + M("volume", "521")), "{container:Nature} {volume:521}"),
    "letters, digits": (M("pages", "e12–e15") + M("title", "中文A1"), "{pages:e12–e15}{title:中文A1}"),
    "seen": ("Accessed " + M("access", "3 May 2019") + ". x", "{note:Accessed 3 May 2019}. x"),
}  # fmt: skip


@pytest.mark.parametrize(("marked", "expected"), CONVENTIONS.values(), ids=CONVENTIONS)
def test_labels_follow_the_training_data(marked, expected):
    assert shown(marked) == expected


def test_tokens_split_letters_from_digits():
    assert labelled("e12 中文 ab_1").tokens == ("e", "12", "中", "文", "ab", "_", "1")


@pytest.mark.parametrize("broken", [M("title", "x")[:-1], "x" + M("title", "x")[-1]])
def test_lost_marks_are_noticed(broken):
    with pytest.raises(LostMarkError):
        labelled(broken)


NAMES = {
    "Family, I. I.|, |, & ": "LeCun, Y., Bengio, Y., & Hinton, G. E.",
    "Family II|, |, ": "LeCun Y, Bengio Y, Hinton GE",
    "Given Family|, | and ": "Yann LeCun, Yoshua Bengio and Geoffrey E. Hinton",
    "Family, Given/Given Family|, |, and ": "LeCun, Yann, Yoshua Bengio, and Geoffrey E. Hinton",
    "FAMILY I I|, |, ": "LECUN Y, BENGIO Y, HINTON G E",
    "I.I. Family|; |; ": "Y. LeCun; Y. Bengio; G.E. Hinton",
}


@pytest.mark.parametrize(("spec", "expected"), NAMES.items())
def test_names_are_written(spec, expected):
    assert listed(HINTON, spec + "|9", "en", random.Random(1)) == expected


READ = {
    "Fei Wu 0001": Person("Wu", "Fei"),
    "Gaddy, David": Person("Gaddy", "David"),
    "Ludwig van der Rohe": Person("van der Rohe", "Ludwig"),
    "Anonymous": None,
    "A, B, C": None,
}


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_names_are_read(text, expected):
    assert person(text) == expected


FULL = {
    "volume": "12", "issue": "3", "pages": ("4", "9"), "count": 99, "publisher": "Springer",
    "place": "Berlin", "editors": HINTON, "series": "LNCS", "series_number": "77", "edition": "2nd ed.",
    "genre": "Report", "number": "TR-1", "doi": "10.1/x", "url": "http://a.org/b", "accessed": (2019, 5, 3),
    "month": 5, "day": 6, "pmid": "1", "isbn": "0", "extras": {"x": mark("author", "ATLAS Collaboration")},
    "container": "Nature", "short": "Nature",
}  # fmt: skip


@pytest.mark.parametrize(
    "form", forms.forms(), ids=lambda form: f"{form.style}-{'-'.join(sorted(form.kinds))}"
)
def test_patterns_fill_and_keep_their_marks(form):
    bank = Bank(words=tomllib.loads((HERE / "bank.toml").read_text(encoding="utf-8")))
    rng = random.Random(3)
    for pattern in form.patterns:
        one = replace(form, patterns=(pattern,))
        for kind in sorted(kind for kind in form.kinds if forms.suits(pattern, kind)):
            item = Item(kind, min(form.languages), "A title of it", HINTON, 2001, **FULL)
            marked = forms.printed(one, item, bank, rng)
            assert marked is not None or "AX" in pattern, pattern  # an arXiv number depends on the year
            if marked is not None:
                assert set("‹›⟦⟧¦{}<>") & set(plain(marked)) == set()
                assert set(labelled(marked).labels) - {"O"}


@pytest.mark.parametrize("style", STYLES)
def test_named_styles_carry_their_gold(style):
    [text] = citations([RECORD, {"t": "No year at all", "a": ["A Person"], "p": []}], style, seed=1)
    assert "2015" in text
    assert text.gold["authors"] == ["LeCun, Yann", "Bengio, Yoshua", "Hinton, Geoffrey E."]
    assert (text.gold["title"] in text) == (style != "physics")


def test_law_and_noise_keep_their_marks():
    rng = random.Random(5)
    for _ in range(300):
        _, marked = law.legal(rng)
        for _, _, damage in noise.KINDS:
            labelled(damage(marked, rng))


@pytest.mark.data
def test_a_sample_is_made(tmp_path):
    if not DATA.exists():
        pytest.skip(f"no development data at {DATA}")
    rng = random.Random(1)
    maker = Maker(load(DATA, rng, most=2000, read=20_000), shared_styles(DATA, tmp_path), rng)
    tally = Tally()
    made = list(rows(maker, 300, tally))
    assert len(made) == 300
    assert tally.dropped.total() < 60
    for row in made:
        assert len(row["tokens"]) == len(row["labels"]) == len(row["space"])
    seen = {label for row in made for label in row["labels"]}
    assert seen >= {"author", "title", "container", "date", "volume", "issue", "pages", "publisher", "editor"}


@pytest.mark.data
def test_a_csl_style_is_labelled(tmp_path):
    if not DATA.exists():
        pytest.skip(f"no development data at {DATA}")
    folder = shared_styles(DATA, tmp_path)
    [path] = folder.rglob("apa.csl")
    assert shown(csl.rendered(path, DEEP, "en-US")) == (
        "{author:LeCun, Y., Bengio, Y., & Hinton, G. E}. ({date:2015}). {title:Deep learning}. "
        "{container:Nature}, {volume:521}({issue:7553}), {pages:436–444}. {url:https://doi.org/10.1038/nature14539}"
    )


def test_shares_add_up_to_the_brief():
    assert sum(making.KINDS.values()) == sum(making.LANGUAGES.values()) == 100
