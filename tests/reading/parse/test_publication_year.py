import pytest

from citeproof.reading.parse import parse
from citeproof.vocabulary import Place, RawReference

PEOPLE = "Kong, D.; Ding, C. H. Q.; Huang, H."
TITLE = "Robust Nonnegative Matrix Factorization Using L21-Norm."
EVENT = "ACM Conference on Information and Knowledge Management, CIKM 2011, Glasgow, October 24-28, 2011"

CASES = [
    # an event's date is not the work's year where the work has one of its own
    (f"{PEOPLE} {TITLE} In {EVENT}, 2010. DOI: 10.1145/2063576.2063676.", 2010),
    (f"{PEOPLE} {TITLE} In {EVENT}, 2010. https://doi.org/10.1145/2063576.2063676", 2010),
    (f"D. Kong, C. Ding, and H. Huang. 2013. {TITLE} In {EVENT}.", 2013),
    (f"{PEOPLE} {TITLE} In {EVENT}.", 2011),
    (f"{PEOPLE} {TITLE} In {EVENT}, 2011.", 2011),
    ("He K, Zhang X, Ren S, Sun J. Deep Residual Learning for Image Recognition. In: CVPR 2016.", 2016),
]


@pytest.mark.parametrize(("text", "year"), CASES)
def test_the_year_of_a_work_is_its_own(text, year):
    assert parse(RawReference("k", text, Place())).claimed.year == year
