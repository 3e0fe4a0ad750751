"""A text as a reader sees it: what is written ⇒ what is read, and every place leads back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import grows_linearly

from citeproof.text.readable_text import read_as_shown

SHOWN = [
    ("10&#46;1038/x", "10.1038/x"),
    ("10&amp;#46;1038&sol;x", "10.1038/x"),
    (r"10\.1038\/x", "10.1038/x"),
    ("10.1<b>038</b>/x", "10.1038/x"),
    ("10.1**038**/x", "10.1038/x"),
    ("10.1\u200b038\u00ad/x", "10.1038/x"),
    ("10\u20241038\u2044x", "10.1038/x"),
    ("https://doi.org/\n> 10.1038/x", "https://doi.org/10.1038/x"),
    ("Smith &amp; Wang", "Smith & Wang"),
    (r"Smith \& Wang", "Smith & Wang"),
    ("\u0405mith \u0430nd W\u0430ng (\uff12\uff10\uff12\uff10)", "Smith and Wang (2020)"),
    ("𝐒𝐦𝐢𝐭𝐡 (𝟐𝟎𝟐𝟎)", "Smith (2020)"),
    (r"Schr\"odinger, M\"{u}ller", "Schrödinger, Müller"),
    ("so<sup>1</sup>, so<sup>[2]</sup>", "so[1], so[2]"),
    (r"\[1\] and &#91;1&#93;", "[1] and [1]"),
    ('<a href="https://doi.org/10.1/x">text</a>', "[text](https://doi.org/10.1/x)"),
    ('<a href="https://doi.org/10.1/x"><img src="b.svg"></a>', "<https://doi.org/10.1/x>"),
    ("`Temme (2013) <https://arxiv.org/abs/1306.2865>`_", "[Temme (2013)](https://arxiv.org/abs/1306.2865)"),
    ("> quoted\n> twice", "quoted\ntwice"),
    ("10.1002&#47ajie.33116 and Q&#117;ery", "10.1002/ajie.33116 and Query"),
    ("10.1145$/$6367118 and 10.114~~~~5/49", "10.1145/6367118 and 10.1145/49"),
    (r"Sch{\'e}rer et~al.~(2017)", "Schérer et al. (2017)"),
    (r"M.~Dvo\v{r}\'{a}kov\'{a}, S{\o}rensen", "M. Dvořáková, Sørensen"),
    (r"\textsc{Brandt}, K. \textit{A title}", "Brandt, K. *A title*"),
    ("<b>CO<sub>2</sub> plumes</b>, <i>Geology</i>", "*CO2 plumes*, *Geology*"),
    ("doi dot org slash 10 dot 1016 slash j dot socmed dot 2017", "doi.org/10.1016/j.socmed.2017"),
    ("doi:\n10.10\n02/kr\nsp.99\n975\n", "doi:\n10.1002/krsp.99975\n"),
    ("\u2067Smith\u2069 (Wang\u20142013; p. 12)", "Smith (Wang, 2013; p. 12)"),
    (
        '<meta name="citation_title" content="Bakery Scheduling in Coastal Cohorts">',
        "title: Bakery Scheduling in Coastal Cohorts",
    ),
    ("  :PROPERTIES:\n  :AUTHOR: Li Wang\n  :END:\n", "AUTHOR: Li Wang\n"),
    ("an `inner' word and `another' one", "an inner' word and another' one"),
]
KEPT = [
    "Plain text, nothing else.",
    "`a<b>&amp;\\.`",
    "```\n<b>&amp;</b> \\[x\\]\n```",
    ">>> print(1)",
    "Скорость и время",
    "a < b and c > d",
    "C:\\new\\table",
    "\\cite{key} and \\(x\\)",
]


@pytest.mark.parametrize(("written", "read"), SHOWN)
def test_a_text_is_read_as_it_is_shown(written, read):
    assert read_as_shown(written).text == read


@pytest.mark.parametrize("text", KEPT)
def test_code_and_what_has_no_second_form_stay(text):
    assert read_as_shown(text).text == text


@pytest.mark.parametrize("sign", ["`", "$", "<", ">", "|"])
def test_an_escaped_sign_makes_no_code_or_mathematics(sign):
    assert sign not in read_as_shown(f"\\{sign}Smith (2020)\\{sign}").text
    assert sign not in read_as_shown(f"&#{ord(sign)};Smith (2020)&#{ord(sign)};").text


@pytest.mark.parametrize(("written", "read"), SHOWN)
def test_every_place_leads_back(written, read):
    framed = read_as_shown(f"Before. {written} behind.")
    at = framed.text.index("behind")
    assert framed.locate(at, at + 6) == (len(f"Before. {written} "), len(f"Before. {written} behind"))
    start, end = framed.locate(len("Before. "), len("Before. ") + len(read))
    assert len("Before. ") <= start < end <= len(f"Before. {written}")


@settings(deadline=None, max_examples=200)
@given(st.text("ab1.\\&#46;<>/`[]()*\n\u200b\u0430 $|>", max_size=60))
def test_places_stay_in_order(text):
    shown = read_as_shown(text)
    spans = [shown.locate(at, at + 1) for at in range(len(shown.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@pytest.mark.growth
@pytest.mark.parametrize("unit", ["&amp;", "<a href=x>", "\\[", "`", "```\n", "\u200b", "> ", "<!--", "*a"])
def test_the_work_of_reading_grows_with_the_text_and_no_faster(unit):
    assert grows_linearly(lambda size: read_as_shown((unit * size)[:size]))
