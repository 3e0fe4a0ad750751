"""The tagger: probabilities that add up, no memory of what came before, bounded work."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citeproof.parse import tagger as tagging
from citeproof.parse.reading import look
from citeproof.parse.stretches import stretches
from citeproof.parse.tagger import Tagger, tagger
from citeproof.parse.tokens import MAX_TOKENS, tokens
from citeproof.parse.weights import shipped

TEXTS = [
    "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521(7553), 436-444.",
    "Beck, Ulrich (1986): Risikogesellschaft. Frankfurt am Main: Suhrkamp.",
    "李明, 王伟. 深度学习综述[J]. 计算机学报, 2018, 41(3): 1-23.",
    "x",
]


def marginals(text, model=None):
    sight = look(text)
    return (model or tagger()).marginals(sight.tokens, sight.context)


@given(
    st.lists(st.sampled_from([*"Aa.,:;()[]“”\"'*&-–0129 李é", "and ", "In ", "vol. "]), min_size=1).map(
        "".join
    )
)
def test_probabilities_add_up(text):
    if not tokens(text).words:
        return
    found = marginals(text)
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1)


def test_a_string_is_tagged_the_same_whatever_came_before(monkeypatch):
    monkeypatch.setattr(tagging, "KEPT", 50)  # rows are thrown away all the time
    small = Tagger(shipped())
    first = [marginals(text, small) for text in TEXTS]
    again = [marginals(text, small) for text in reversed(TEXTS)][::-1]
    assert all(np.allclose(one, two, atol=1e-3) for one, two in zip(first, again, strict=True))


def test_long_strings_are_cut_and_stay_finite():
    text = "A. B. Smith, Phys. Rev. 12 (1999) 345; " * 300
    assert len(tokens(text).words) == MAX_TOKENS
    assert np.isfinite(marginals(text)).all()


def test_tokens_stand_where_they_say():
    text = "  Müller/Schmidt 2nd ed.,\tpp.12–13_x "
    found = tokens(text)
    assert found.words == [
        "Müller",
        "/",
        "Schmidt",
        "2",
        "nd",
        "ed",
        ".",
        ",",
        "pp",
        ".",
        "12",
        "–",
        "13",
        "_",
        "x",
    ]
    assert all(
        text[start : start + len(word)] == word for word, start in zip(found.words, found.starts, strict=True)
    )


def test_stretches_close_a_slip_and_take_the_longest():
    labels = ["O", "container", "author"]
    text = "one two three x four five six y seven"
    chosen = [1, 1, 1, 0, 1, 1, 1, 2, 1]
    sure = np.full((9, 3), 0.05)
    sure[range(9), chosen] = 0.9
    found = stretches(tokens(text), sure, labels)
    assert text[found["container"].start : found["container"].end] == "one two three x four five six"
    assert 0 < found["container"].confidence < 0.9
