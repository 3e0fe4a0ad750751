"""Figures that claims cite, through the command line: caption, page, image; and those that do not exist."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

import citeproof
from citeproof.claims.support.exhibit_files import ImageFolder, list_file_names
from citeproof.errors import UsageError
from citeproof.vocabulary import ClaimSupport, SupportOutcome, TextExtent
from citeproof.vocabulary.claim_support import ExhibitEvidence, ImageState
from citeproof.vocabulary.source_texts import ExhibitKind
from tests.claims.test_claim_texts import _run, _validate
from tests.reading.extractors.exhibits.drawn_pages import draw_box, draw_prose, draw_text, make_pdf

BERT, ELMO = "10.18653/v1/N19-1423", "10.18653/v1/N18-1202"
PEOPLE = {BERT: "Devlin", ELMO: "Peters"}
SIGN = b"\x89PNG\r\n\x1a\n"
PNG = SIGN + b"\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10"
CAPTION = "Figure 1: Accuracy over the days of training."
PDF = make_pdf(
    draw_text("BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", 60, 50, 12)
    + draw_text("Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova", 60, 70)
    + draw_text(f"https://doi.org/{BERT}", 60, 85)
    + draw_prose(120, 40),
    draw_prose(60, 5)
    + draw_box(150, 140, 450, 300)
    + draw_text(CAPTION, 150, 330, 9)
    + draw_prose(
        370, 20, first="Figure 1 shows the accuracy over the days as it was measured in the first run"
    ),
)
PROSE = "<p>" + "The words of a sentence were read in both directions by the network. " * 60 + "</p>"
BODY = f"""<body><sec><title>Results</title><p>Layers differ, as Figure 1 shows.</p>{PROSE}
<fig><label>Figure 1</label><caption><p>Weights of the layers.</p></caption>
<graphic xlink:href="layers"/></fig>
<fig><label>Figure 2</label><caption><p>Errors by task.</p></caption><graphic xlink:href="../errors"/></fig>
<fig><label>Figure 3</label><caption><p>Memory.</p></caption><graphic xlink:href="memory"/></fig>
</sec></body>"""
JATS = f"""<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>
<article-id pub-id-type="doi">{ELMO}</article-id>
<title-group><article-title>Deep Contextualized Word Representations</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Peters</surname>
<given-names>Matthew E.</given-names></name></contrib></contrib-group>
<abstract><p>We introduce a new type of deep contextualized word representation.</p></abstract>
</article-meta></front>BODY</article>"""


@pytest.fixture
def world(offline_world, monkeypatch):
    monkeypatch.chdir(offline_world)
    texts = offline_world / "texts"
    (texts / "other").mkdir(parents=True)
    (texts / "bert.pdf").write_bytes(PDF)
    (texts / "elmo.xml").write_text(JATS.replace("BODY", BODY))
    (texts / "layers.png").write_bytes(PNG)
    (texts / "other" / "memory.png").write_bytes(PNG)  # of another work: it is not searched for
    (offline_world / "errors.png").write_bytes(PNG)  # outside the folder of the work
    return offline_world


def _ask(world, capfd, *claims, flags=("--images", "figures"), form="json"):
    given = [{"text": text, "references": [{"doi": doi, "authors": [PEOPLE[doi]]}]} for text, doi in claims]
    (world / "h.json").write_text(json.dumps({"claims": given}))
    code, out = _run(capfd, "h.json", "--texts", "texts", "--format", form, *flags)
    assert code == int('"held": true' in out)
    return out


def _ask_json(world, capfd, *claims, flags=("--images", "figures")):
    told = json.loads(_ask(world, capfd, *claims, flags=flags))
    _validate(told)
    return told["claims"]


def test_a_figure_of_a_pdf(world, capfd):
    (claim,) = _ask_json(world, capfd, ("Accuracy rises over the days (Fig. 1).", BERT))
    (figure,) = claim["support"]["exhibits"]
    image = Path("figures", f"doi_{BERT.lower().replace('/', '_')}-figure-1.png")
    assert figure["exists"]
    assert (figure["caption"]["text"], figure["caption"]["page"]) == (CAPTION, 2)
    assert (figure["image_state"], figure["image_type"]) == ("shown", "image/png")
    assert figure["image_file"] == image.as_posix()
    data = image.read_bytes()
    assert data.startswith(SIGN)
    assert (figure["image_bytes"], figure["image_sha256"]) == (len(data), sha256(data).hexdigest())
    lines = [line for line in claim["trace"] if line.startswith("figure 1")]
    assert lines[0] == f"figure 1, page 2, image: shown ({image.as_posix()}): {CAPTION}"
    assert "page 2): Figure 1 shows the accuracy over the days" in lines[1]


def test_without_a_folder_nothing_is_written_and_the_hash_is_told(world, capfd):
    before = sorted(world.rglob("*.png"))
    (claim,) = _ask_json(world, capfd, ("Accuracy rises over the days (Fig. 1).", BERT), flags=())
    (figure,) = claim["support"]["exhibits"]
    assert (figure["image_state"], figure["image_file"]) == ("shown", None)
    assert len(figure["image_sha256"]) == 64
    assert sorted(world.rglob("*.png")) == before


def test_figures_of_jats_come_from_the_folder_of_the_work_and_nowhere_else(world, capfd):
    (claim,) = _ask_json(world, capfd, ("Layers, errors and memory differ (Figs. 1, 2 and 3).", ELMO))
    found = claim["support"]["exhibits"]
    assert [one["image_state"] for one in found] == ["shown", "no_image", "no_image"]
    assert [one["image_sha256"] for one in found] == [sha256(PNG).hexdigest(), None, None]
    assert [file.read_bytes() for file in Path("figures").iterdir()] == [PNG]
    assert "figure 2, image: no image: Figure 2 Errors by task." in claim["trace"]


def test_an_image_is_searched_for_below_a_work_that_is_alone(world, capfd):
    (world / "texts" / "bert.pdf").unlink()
    (claim,) = _ask_json(world, capfd, ("Memory grows (Fig. 3).", ELMO))
    assert claim["support"]["exhibits"][0]["image_state"] == "shown"


def test_a_figure_that_does_not_exist_is_an_alarm(world, capfd):
    (claim,) = _ask_json(world, capfd, ("Layers differ (Fig. 7).", ELMO))
    assert claim["status"] == "verified"
    assert claim["support"]["outcome"] == "alarm"
    (alarm,) = claim["support"]["alarms"]
    assert (alarm["kind"], alarm["claimed"]) == ("exhibit", "figure 7")
    assert any("the work has no figure 7: its last one is 3" in line for line in claim["trace"])
    assert not list(Path("figures").iterdir())


def test_of_an_abstract_no_figure_is_said_to_be_missing(world, capfd):
    (world / "texts" / "elmo.xml").write_text(JATS.replace("BODY", ""))
    (claim,) = _ask_json(world, capfd, ("A deep contextualized word representation is new (Fig. 7).", ELMO))
    assert claim["support"]["extent"] == "abstract_only"
    assert claim["support"]["alarms"] == []
    assert "figure 7: not seen in the text that was read, image: no image" in claim["trace"]


def test_the_figures_of_a_document_are_its_own(world, capfd):
    entry = f"[1] Devlin, J. et al. BERT: Pre-training of Deep Bidirectional Transformers. doi:{BERT}"
    (world / "a.md").write_text(
        "# Notes\n\nFig. 7 shows our results with the model [1]. Accuracy rises over days [1, Fig. 1].\n\n"
        f"## References\n\n{entry}\n"
    )
    _, out = _run(capfd, "a.md", "--texts", "texts", "--format", "json", "--images", "figures")
    claims = json.loads(out)["claims"]
    named = {one["text"][:6]: [each["number"] for each in one["support"]["exhibits"]] for one in claims}
    assert named == {"Fig. 7": [], "Accura": ["1"]}


def test_markdown_shows_the_image_from_where_the_report_is(world, capfd):
    (world / "out").mkdir()
    flags = ("--images", "figures of (it)", "-o", "out/report.md")
    _ask(world, capfd, ("Accuracy rises over the days (Fig. 1).", BERT), flags=flags, form="md")
    report = (world / "out" / "report.md").read_text()
    assert "\n![figure 1](../figures%20of%20%28it%29/doi_10.18653_v1_n19-1423-figure-1.png)\n" in report


def test_images_need_texts_and_a_folder(world, capfd):
    (world / "h.json").write_text(json.dumps({"claims": ["A claim."]}))
    (world / "file").write_text("")
    assert _run(capfd, "h.json", "--images", "figures")[0] == 2
    assert _run(capfd, "h.json", "--texts", "texts", "--images", "file")[0] == 2


def test_python_has_the_image(world):
    claim = {"text": "Accuracy rises (Fig. 1).", "references": [{"doi": BERT, "authors": ["Devlin"]}]}
    grounded = citeproof.ground({"claims": [claim]}, texts=[world / "texts"])
    assert grounded.claims[0].support.exhibits[0].image.startswith(SIGN)


def _make_evidence(number="1", image=PNG, media_type="image/png"):
    kind, state = ExhibitKind.FIGURE, ImageState.SHOWN
    return ExhibitEvidence(kind, number, True, image_state=state, image=image, media_type=media_type)


@pytest.mark.parametrize(
    "work", ["../../etc/passwd", "", "..", "a\0b", "x" * 500, "doi:10.1/ä\n|<>", "/root"]
)
def test_no_name_leads_out_of_the_folder(work):
    for name in list_file_names(work, _make_evidence("../" * 50)):
        assert name == Path(name).name
        assert not name.startswith(".")
        assert len(name) < 150


def test_two_works_of_one_name_have_two_files_and_a_link_is_not_followed(tmp_path):
    folder = tmp_path / "figures"
    folder.mkdir()
    (tmp_path / "secret").write_text("kept")
    (folder / "a_b-figure-1.png").symlink_to(tmp_path / "secret")
    images = ImageFolder(folder)
    paths = []
    for work, image in (("a/b", PNG), ("A?b", PNG + b"x"), ("a/b", PNG)):
        support = ClaimSupport(
            SupportOutcome.EVIDENCE_LOCATED, TextExtent.FULL_TEXT, exhibits=(_make_evidence(image=image),)
        )
        paths.append(Path(images.add_support(work, support).exhibits[0].image_file))
    assert [path.read_bytes() for path in paths] == [PNG, PNG + b"x", PNG]
    assert paths[0] == paths[2]
    assert len(list(folder.iterdir())) == 2
    assert (tmp_path / "secret").read_text() == "kept"


def test_what_no_browser_shows_is_not_written(tmp_path):
    assert not list(list_file_names("a", _make_evidence(media_type="image/svg+xml")))
    (tmp_path / "a-figure-1.png").mkdir()
    support = ClaimSupport(SupportOutcome.ALARM, TextExtent.FULL_TEXT, exhibits=(_make_evidence(),))
    with pytest.raises(UsageError):
        ImageFolder(tmp_path).add_support("a", support)
