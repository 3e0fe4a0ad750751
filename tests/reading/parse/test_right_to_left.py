"""Arabic and Hebrew citations: their commas, their words for volume, issue and page, their initials."""

from __future__ import annotations

import pytest

from citeproof.reading.parse import parse
from citeproof.vocabulary import Place, RawReference

ARABIC = (
    'محمد أحمد، علي حسن. "التعلم العميق في معالجة اللغة العربية". '
    "مجلة الحاسوب العربية، المجلد 12، العدد 3، ص 45-60، 2019."
)
OWN_DIGITS = ARABIC.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
DATED = "خالد العلي (2020). نظم استرجاع المعلومات العربية. مجلة علوم المعلومات، 8(2)، 101-118."
HEBREW = "כהן, ד' ולוי, מ' (2018). למידה עמוקה בעברית. כתב העת למדעי המחשב, 5(2), 33-48."

PEOPLE, DEEP = ["כהן", "לוי"], "למידה עמוקה בעברית"
PLACE = ("כתב העת למדעי המחשב", "5", "2", "33-48")
NETS, JOURNAL = "التعلم العميق في معالجة اللغة العربية", ("مجلة الحاسوب العربية", "12", "3", "45-60")


@pytest.mark.parametrize(
    ("text", "families", "title", "rest"),
    [
        (ARABIC, ["أحمد", "حسن"], NETS, JOURNAL),
        (DATED, ["العلي"], "نظم استرجاع المعلومات العربية", ("مجلة علوم المعلومات", "8", "2", "101-118")),
        (OWN_DIGITS, ["أحمد", "حسن"], NETS, JOURNAL),
        (HEBREW, PEOPLE, DEEP, PLACE),
        (HEBREW.replace("'", "׳"), PEOPLE, DEEP, PLACE),
    ],
    ids=["arabic", "dated", "digits", "hebrew", "geresh"],
)  # fmt: skip
def test_a_title_does_not_swallow_the_journal(text, families, title, rest):
    claimed = parse(RawReference("a", text, Place())).claimed
    assert [name.family for name in claimed.authors] == families
    assert claimed.title == title
    assert (claimed.venue, claimed.volume, claimed.issue, claimed.pages) == rest
