"""The tagger: probabilities that add up, no memory of what came before, bounded work."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.reading.parse import tagger as tagging
from citeproof.reading.parse.citation_reader import inspect_citation
from citeproof.reading.parse.label_stretches import LabelledTokens, find_stretches
from citeproof.reading.parse.tagger import LabelChains, Tagger, load_shipped_weights, load_tagger
from citeproof.reading.parse.token_context import MAX_TOKENS, split_tokens

TEXTS = [
    "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521(7553), 436-444.",
    "Beck, Ulrich (1986): Risikogesellschaft. Frankfurt am Main: Suhrkamp.",
    "李明, 王伟. 深度学习综述[J]. 计算机学报, 2018, 41(3): 1-23.",
    "x",
]


def marginals(text, model=None):
    return together([text], model)[0]


def together(texts, model=None):
    sights = [inspect_citation(text) for text in texts]
    labelled = (model or load_tagger()).label([(sight.tokens, sight.context) for sight in sights])
    return [one.shares for one in labelled]


@given(
    st.lists(st.sampled_from([*"Aa.,:;()[]“”\"'*&-–0129 李é", "and ", "In ", "vol. "]), min_size=1).map(
        "".join
    )
)
def test_probabilities_add_up(text):
    if not split_tokens(text).words:
        return
    found = marginals(text)
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1)


def test_a_string_is_tagged_the_same_whatever_came_before(monkeypatch):
    monkeypatch.setattr(tagging, "MAX_ROWS", 50)  # rows are thrown away all the time
    small = Tagger(load_shipped_weights())
    first = [marginals(text, small) for text in TEXTS]
    again = [marginals(text, small) for text in reversed(TEXTS)][::-1]
    assert all(np.allclose(one, two, atol=1e-3) for one, two in zip(first, again, strict=True))


@pytest.mark.parametrize(("kept", "at_once"), [(tagging.MAX_ROWS, tagging.AT_ONCE), (50, 100), (50, 1)])
def test_strings_tagged_together_are_tagged_as_if_alone(monkeypatch, kept, at_once):
    monkeypatch.setattr(tagging, "MAX_ROWS", kept)
    monkeypatch.setattr(tagging, "AT_ONCE", at_once)
    model = Tagger(load_shipped_weights())
    texts = [*TEXTS, *(text[::-1] for text in TEXTS), " ".join(TEXTS), *TEXTS]
    for one, text in zip(together(texts, model), texts, strict=True):
        assert np.allclose(one, marginals(text), rtol=0, atol=1e-9)


def test_chains_are_walked_as_all_paths_added_up():
    rng = np.random.default_rng(7)
    transitions, sizes = rng.normal(size=(3, 3)), np.array([2, 4, 1, 4])
    emission = np.exp(rng.normal(size=(sizes.sum(), 3)))
    wanted = []
    for rows in np.split(emission, np.cumsum(sizes)[:-1]):
        total = np.zeros_like(rows)
        for path in product(range(3), repeat=len(rows)):
            weight = np.prod([rows[at, label] for at, label in enumerate(path)])
            weight *= np.exp(sum(transitions[pair] for pair in pairwise(path)))
            total[range(len(rows)), path] += weight
        wanted.append(total / total.sum(axis=1, keepdims=True))
    assert np.allclose(LabelChains(transitions).shares(emission, sizes), np.concatenate(wanted))


def test_long_strings_are_cut_and_stay_finite():
    text = "A. B. Smith, Phys. Rev. 12 (1999) 345; " * 300
    assert len(split_tokens(text).words) == MAX_TOKENS
    assert np.isfinite(marginals(text)).all()


def test_tokens_stand_where_they_say():
    text = "  Müller/Schmidt 2nd ed.,\tpp.12–13_x "
    found = split_tokens(text)
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
    found = find_stretches(split_tokens(text), LabelledTokens(chosen, [0.9] * 9, sure), labels)
    assert text[found["container"].start : found["container"].end] == "one two three x four five six"
    assert 0 < found["container"].confidence < 0.9
