"""What libraries cite: standards, bodies, chapters, Arabic and Hebrew books, ISBNs, names between strokes."""

import pytest

from citeproof.reading.parse import parse
from citeproof.vocabulary import Kind, Place, RawReference

CASES = {
    "standard": (
        "DIN EN ISO 9001:2015-11, Qualitätsmanagementsysteme – Anforderungen.",
        {"title": "DIN EN ISO 9001:2015-11, Qualitätsmanagementsysteme – Anforderungen", "year": 2015},
        [],
    ),
    "body": (
        "World Health Organization. WHO guidelines on hand hygiene in health care. Geneva: WHO; 2009.",
        {"title": "WHO guidelines on hand hygiene in health care", "publisher": "WHO", "year": 2009},
        ["World Health Organization"],
    ),
    "body before the year": (
        "Statistisches Bundesamt (2020): Statistisches Jahrbuch. Wiesbaden.",
        {"title": "Statistisches Jahrbuch", "venue": None, "year": 2020},
        ["Statistisches Bundesamt"],
    ),
    "ministry": (
        "厚生労働省. 令和2年版厚生労働白書. 東京: 日経印刷; 2020.",
        {"title": "令和2年版厚生労働白書", "publisher": "日経印刷"},
        ["厚生労働省"],
    ),
    "Russian ministry": (
        "Министерство здравоохранения РФ. Клинические рекомендации. Москва, 2018.",
        {"title": "Клинические рекомендации", "year": 2018},
        ["Министерство здравоохранения РФ"],
    ),
    "chapter": (
        "Doe J. Chapter title. In: Smith J, Roe R, editors. Handbook of things. Springer; 2015. p. 12-34.",
        {"title": "Chapter title", "venue": "Handbook of things", "pages": "12-34"},
        ["J. Doe"],
    ),
    "Arabic book": (
        "علي، أحمد (2018). مقدمة في الذكاء الاصطناعي. القاهرة: دار الفكر.",
        {"title": "مقدمة في الذكاء الاصطناعي", "venue": None, "publisher": "دار الفكر"},
        ["أحمد علي"],
    ),
    "Hebrew book": (
        "לוי, י' (2015). מבוא ללמידת מכונה. תל אביב: האוניברסיטה הפתוחה.",
        {"title": "מבוא ללמידת מכונה", "venue": None, "publisher": "האוניברסיטה הפתוחה"},
        ["י לוי"],
    ),
    "Hebrew and": (
        'כהן, דוד, ולוי, שרה. "למידה עמוקה ועיבוד שפה טבעית". מחשבים וחברה, כרך 8, גיליון 2, 2018.',
        {"venue": "מחשבים וחברה", "volume": "8"},
        ["דוד כהן", "שרה לוי"],
    ),
    "ISBN with a wrong digit": (
        "Novák, Jan. Strojové učení v knihovnách. Praha: Karolinum, 2017. ISBN 978-80-246-3456-7.",
        {"pages": None, "publisher": "Karolinum"},
        ["Jan Novák"],
    ),
    "strokes": (
        "Devlin/Chang/Lee/Toutanova: BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019.",
        {"title": "BERT: Pre-training of Deep Bidirectional Transformers", "venue": "NAACL", "year": 2019},
        ["Devlin", "Chang", "Lee", "Toutanova"],
    ),
    "initials of two letters": (
        "Кингма Д., Ба Дж. Adam: A method for stochastic optimization // ICLR. 2015.",
        {"title": "Adam: A method for stochastic optimization", "venue": "ICLR"},
        ["Д. Кингма", "Дж. Ба"],
    ),
    "Korean names": (
        "카이밍 허, 샹위 장. (2016). Deep residual learning for image recognition. CVPR.",
        {"title": "Deep residual learning for image recognition", "venue": "CVPR"},
        ["허카이밍", "장샹위"],
    ),
}
BOOKS = ("body", "ministry", "Arabic book", "Hebrew book", "ISBN with a wrong digit")


@pytest.mark.parametrize("name", CASES)
def test_fields(name):
    text, expected, people = CASES[name]
    found = parse(RawReference("a", text, Place()))
    claimed = found.claimed
    assert {field: getattr(claimed, field) for field in expected} == expected
    assert [person.display.replace("  ", " ") for person in claimed.authors] == people
    assert (found.kind is Kind.BOOK) is (name in BOOKS)
    assert (found.kind is Kind.STANDARD) is (name == "standard")
