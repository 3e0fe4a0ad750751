from __future__ import annotations

from dataclasses import replace

import pytest

from citeproof.laboratory.measure.rendering import load_styles
from tests.laboratory.measure.rendering.works import BY_NAME

STYLES = {style.name: style for style in load_styles("link")}


@pytest.mark.parametrize(
    ("style", "work", "text", "url"),
    [
        ("link:families", "prospect",
         "Kahneman & Tversky, 1979, Prospect Theory: An Analysis of Decision under Risk",
         "https://doi.org/10.2307/1914185"),
        ("link:families", "dbscan", "", ""),
        ("link:families:sentence:old", "prospect",
         "Kahneman & Tversky, 1979, Prospect theory: An analysis of decision under risk",
         "http://dx.doi.org/10.2307/1914185"),
        ("link:families:title", "attention", "Vaswani et al., 2017, Attention Is All You Need",
         "https://arxiv.org/abs/1706.03762"),
        ("link:initials:pdf", "attention", "A. Vaswani et al., 2017, Attention Is All You Need",
         "https://arxiv.org/pdf/1706.03762.pdf"),
        ("link:comma", "mind", "Turing, A. M., 1950, Computing Machinery and Intelligence",
         "https://doi.org/10.1093/mind/lix.236.433"),
        ("link:full", "planar", "Gerard 't Hooft, 1974, A planar diagram theory for strong interactions",
         "https://doi.org/10.1016/0550-3213(74)90154-0"),
        ("link:all", "r", "R Core Team, 2023, R: A Language and Environment for Statistical Computing",
         "https://www.r-project.org/"),
    ],
)  # fmt: skip
def test_links(style, work, text, url):
    assert STYLES[style].render(BY_NAME[work]) == (f"[{text}]({url})" if url else "")


@pytest.mark.parametrize(
    ("style", "url", "expected"),
    [
        ("link:families:pdf", "https://arxiv.org/abs/2105.02667", "https://arxiv.org/pdf/2105.02667.pdf"),
        ("link:families:pdf", "https://researchgate.net/abs/2105.02667",
         "https://researchgate.net/pdf/2105.02667.pdf"),  # a swapped host is to differ in the host alone
        ("link:families:pdf", "https://ui.adsabs.harvard.edu/abs/2016PhRvL.116f1102A",
         "https://ui.adsabs.harvard.edu/abs/2016PhRvL.116f1102A"),
        ("link:families:old", "https://arxiv.org/abs/2105.02667", "https://arxiv.org/abs/2105.02667"),
        ("link:families", "https://example.org/a b)<c>", "https://example.org/a%20b%29%3Cc%3E"),
    ],
)  # fmt: skip
def test_addresses(style, url, expected):
    assert STYLES[style].render(replace(BY_NAME["tsne"], url=url)).endswith(f"]({expected})")


@pytest.mark.parametrize(
    ("title", "expected"),
    [("On [closed] brackets", "On [closed] brackets"), ("On ]open[ ones", r"On \]open\[ ones")],
)
def test_brackets_of_a_title_do_not_end_the_link(title, expected):
    assert f"2005, {expected}](" in STYLES["link:families"].render(
        replace(BY_NAME["mind"], title=title, year=2005)
    )
