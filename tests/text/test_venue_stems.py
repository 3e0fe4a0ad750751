"""Two spellings of a venue meet in a key; two venues do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.text.venue_key import list_name_keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Proceedings of the 3rd Workshop on Trust Management", "Workshop on Trust Management, Crete, 2005"),
        ("International Conference on Data Mining", "Proc. 12th Int. Conf. on Data Mining (ICDM), Brussels"),
        ("American Journal of Preventative Medicine", "American Journal of Preventive Medicine"),
        ("Revista Española de Cardiología", "Revista Espanola de Cardiologia"),
        ("Symposium on Eye Tracking", "ETRA '08: Proceedings of the 2008 Symposium on Eye Tracking"),
        ("IEEE Transactions on Automatic Control, in review", "Transactions on Automatic Control"),
        ("Conference on Widgets (WIDGETCON)", "WIDGETCON 2019"),
        ("Nature", "NATURE"),
    ],
)
def test_spellings_meet(one, other):
    assert set(list_name_keys(one)) & set(list_name_keys(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Workshop on Trust Management", "Symposium on Trust Management"),
        ("Journal of Machine Learning", "Conference on Machine Learning"),
        ("Symposium on Neural Scaling Laws", "Symposium on Neural Networks"),
        ("International Journal of Data", "Transactions on Data"),
        ("Physics, Berlin", "Chemistry, Berlin"),  # a place is no name
        ("2019 IEEE 3rd", "2020 IEEE 4th"),
    ],
)
def test_other_venues_do_not(one, other):
    assert not set(list_name_keys(one)) & set(list_name_keys(other))


@given(st.text(max_size=600))
def test_any_text_has_few_keys(text):
    assert len(list_name_keys(text)) < 300
