"""The web page in a real browser: with mouse, keyboard, a small screen, no scripts, a hostile document."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from citeproof.surfaces.web.run_pages import PER_PAGE
from citeproof.verifier import ReferenceVerifier
from tests.browser.chrome import CHROMIUM
from tests.surfaces.web.web_server import WebServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]
ROOT = Path(__file__).parents[2]
BIB = ROOT / "examples/references.bib"
PDF = ROOT / "tests/fixtures/pdf/author_year.pdf"
EVIL = (
    '</script></title></textarea><script>owned=1</script><img src=x onerror="owned=2">'
    '<svg onload="owned=3"><a href="javascript:owned=4">x</a>'
)
_LOW_CONTRAST = (Path(__file__).parent / "low_contrast.js").read_text(encoding="utf-8")
_OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def make_references(count: int) -> bytes:
    """Return a bibliography with one real work, and many that nobody has heard of."""
    entry = "@article{{k{0}, title={{Study number {0} of the series}}, author={{Writer, A.}}, year=2001}}\n"
    real = (
        "@inproceedings{real, title={Deep Residual Learning for Image Recognition}, booktitle={CVPR}, "
        "author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, year=2016}\n"
    )
    return (real + "".join(entry.format(number) for number in range(1, count))).encode()


def test_from_upload_to_report(web, open_page):
    page = open_page(web, viewport={"width": 1100, "height": 900})
    page.goto("/")
    page.set_input_files("#files", BIB)
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("article")
    page.locator("#progress").wait_for(state="detached")
    expect(page.locator("article")).to_have_count(12)
    first = page.locator("article").first
    assert "MAJOR" in first.inner_text()
    assert first.locator("table.fields del").count() > 0
    page.get_by_role("link", name="EXACT").click()
    page.wait_for_url("**show=exact*")
    article = page.locator("article").first
    article.locator("summary").first.click()
    expect(article.get_by_role("heading", name="Look for yourself")).to_be_visible()
    with page.expect_download() as loading:
        page.get_by_role("link", name="json", exact=True).click()
    assert len(json.loads(Path(loading.value.path()).read_text())["references"]) == 12
    page.get_by_label("Sort").select_option("document")  # submits by itself
    page.wait_for_url("**sort=document*")


def test_a_file_can_be_dropped(web, open_page):
    page = open_page(web)
    page.goto("/")
    expect(page.get_by_text("You can drop them here.")).to_be_visible()
    page.evaluate(
        """([name, text]) => { const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], name));
        const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
        document.getElementById("drop").dispatchEvent(drop); }""",
        ["dropped.bib", BIB.read_text()],
    )
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("article")
    expect(page.locator("h1")).to_have_text("dropped.bib")


def test_with_the_keyboard_alone(web, open_page):
    page = open_page(web)
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.locator("main:focus").wait_for()
    press_until(page, "document.activeElement.id === 'text'")
    page.keyboard.insert_text("He, K. (2016). Deep residual learning for image recognition. CVPR.\n\n" * 2)
    press_until(page, "document.activeElement.type === 'submit'")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector("article")
    page.locator("#progress").wait_for(state="detached")
    press_until(page, "document.activeElement.matches('article > details > summary')")
    opened = page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Enter")
    page.locator(f"details{':not([open])' if opened else '[open]'} > summary:focus").wait_for()
    if opened:
        page.keyboard.press("Enter")
    press_until(page, "document.activeElement.textContent === 'Your decision'")
    page.keyboard.press("Enter")
    press_until(page, "document.activeElement.name === 'choice'")
    page.keyboard.press("ArrowDown")
    press_until(page, "document.activeElement.name === 'note'")
    page.keyboard.insert_text("seen in print")
    press_until(page, "document.activeElement.name === 'save'")
    page.keyboard.press("Enter")
    page.wait_for_selector(".decision")
    assert page.locator(".decision").inner_text().startswith("Disputed by a person: seen in print")


def press_until(page, reached: str) -> None:
    """Press Tab until the focus is where it should be; every stop on the way can be seen."""
    for _ in range(80):
        if page.evaluate(reached):
            return
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.checkVisibility()")
    pytest.fail(f"the keyboard does not reach {reached}")


def test_a_thousand_references(web, open_page):
    run = web.check(("many.bib", make_references(1000)))
    page = open_page(web)
    page.goto(run)
    expect(page.locator("main")).to_contain_text("1,000 references")
    expect(page.locator("article")).to_have_count(PER_PAGE)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="20", exact=True).click()
    page.wait_for_url("**page=20*")
    expect(page.locator("article")).to_have_count(PER_PAGE)
    page.get_by_label("Search").fill("study number 777")
    page.get_by_label("Search").press("Enter")
    page.wait_for_url("**q=study*")
    expect(page.locator("article")).to_have_count(1)
    page.goto(f"{run}/document#r1000")
    expect(page.locator("#r1000")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_narrow_and_wide_in_both_themes(web, open_page, theme):
    run = web.check(("refs.bib", BIB.read_bytes()))
    claims = web.check(("h.json", (ROOT / "examples/hypothesis.json").read_bytes()), kind="ground")
    pdf = web.check(("paper.pdf", PDF.read_bytes()))
    web.post(f"{run}/references/3/decision", data={"choice": "accept", "note": "fine"})
    page = open_page(web, viewport={"width": 360, "height": 700}, color_scheme=theme)
    for path in ("/", run, f"{run}/references/3", f"{run}/document", claims, f"{pdf}/document", "/verdicts"):
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate(_OVERFLOW) <= 0, path
        assert page.evaluate(_LOW_CONTRAST) == [], path
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
        assert dark is (theme == "dark")


def test_without_scripts(web, open_page):
    page = open_page(web, java_script_enabled=False)
    page.goto("/")
    page.set_input_files("#files", [BIB, PDF])
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("table.tallies")
    for job in web.runner.store.list_jobs("local"):
        web.wait(job.id)
    page.reload()
    page.get_by_role("link", name="references.bib").click()
    page.wait_for_selector("article")
    expect(page.locator("article")).to_have_count(12)
    page.get_by_role("link", name=re.compile("^MINOR")).click()
    page.wait_for_url("**show=minor*")
    article = page.locator("article").first
    if not article.locator(".inside").first.is_visible():
        article.locator("summary").first.click()
    article.get_by_text("Your decision").click()
    article.get_by_label("Dispute").check()
    article.get_by_label("Reason or note").fill("no script here")
    article.get_by_role("button", name="Save").click()
    page.wait_for_selector(".decision")
    expect(page.locator(".decision")).to_contain_text("no script here")


def test_a_slow_reference_hides_no_other(web, open_page, monkeypatch):
    released, check = threading.Event(), ReferenceVerifier._check

    async def check_slowly(self, reference, **more):
        while reference.key == "k3" and not released.is_set():  # noqa: ASYNC110 - set by another thread
            await asyncio.sleep(0.02)
        return await check(self, reference, **more)

    monkeypatch.setattr(ReferenceVerifier, "_check", check_slowly)
    try:
        page = open_page(web)
        page.goto(web.upload(("slow.bib", make_references(6))))
        expect(page.locator("article")).to_have_count(5)
        expect(page.locator("#told")).to_have_text("running: 5 of 6")
        shown = page.locator("article").evaluate_all("all => all.map((each) => each.id).sort()")
        assert shown == ["r1", "r2", "r3", "r5", "r6"]  # its place is kept free
        article = page.locator("#r1")
        article.locator("summary").first.click()
        article.get_by_text("Your decision").click()
        article.locator("textarea").fill("seen in print")
        page.get_by_label("Search").fill("study")
        released.set()
        page.locator("#progress").wait_for(state="detached")
        expect(page.locator("article")).to_have_count(6)
        expect(article.locator("textarea")).to_be_visible()
        assert article.locator("textarea").input_value() == "seen in print"
        assert page.get_by_label("Search").input_value() == "study"
        assert page.evaluate("document.activeElement.name") == "q"
        expect(page.get_by_role("button", name="Copy the corrected BibTeX")).to_be_visible()
    finally:
        released.set()


def test_a_running_page_without_scripts_asks_again(web, open_page):
    page = open_page(web, java_script_enabled=False)
    page.goto("/")
    page.get_by_label("Or paste").fill("He, K. (2016). Deep residual learning for image recognition. CVPR.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector("article")  # the page has come again by itself, if it had to


def test_nothing_of_a_hostile_document_runs(web, open_page):
    bib = (
        f"@article{{x{EVIL[:20]}, title={{{EVIL}}}, author={{{EVIL}, A. and He, K.}}, journal={{{EVIL}}}, "
        f"year={{2016}}, url={{javascript:owned=5}}}}\n"
        f"@inproceedings{{he, title={{Deep Residual Learning for Image Recognition}}, author={{{EVIL}}}, "
        f"booktitle={{CVPR {EVIL}}}, year={{2016}}, doi={{10.1109/CVPR.2016.90}}}}\n"
    )
    run = web.check((f"{EVIL.replace('/', '')}.bib", bib.encode()))
    web.post(f"{run}/references/1/decision", data={"choice": "note", "note": EVIL})
    web.post(f"{run}/share")
    page = open_page(web)
    shared = f"/shared/{shared_address(web, run)}"
    for path in (run, f"{run}/references/1", f"{run}/document", "/", f"{run}?q={EVIL}&file={EVIL}", shared):
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("typeof owned") == "undefined", path
        expect(page.locator("img, iframe, [onerror], [onload], a[href^='javascript']")).to_have_count(0)
        expect(page.locator("script")).to_have_count(1)
    assert "<script>owned=1</script>" in page.locator("main").inner_text()


def shared_address(web: WebServer, run: str) -> str:
    return re.search(r'href="/shared/([\w-]+)"', web.get(run).text)[1]


def test_a_shared_report_cannot_be_changed(web, open_page):
    run = web.check(("refs.bib", BIB.read_bytes()))
    web.post(f"{run}/share")
    page = open_page(web)
    page.goto(f"/shared/{shared_address(web, run)}")
    expect(page.locator("article")).to_have_count(12)
    changing = "form[method=post], button:not(.sorting button, [data-copy-from])"
    expect(page.locator(changing)).to_have_count(0)


def test_the_boxes_of_a_pdf_lead_to_the_references(web, open_page):
    run = web.check(("paper.pdf", PDF.read_bytes()))
    page = open_page(web)
    page.goto(f"{run}/document")
    page.locator("svg image").wait_for()
    page.locator("svg a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/references/*")


@contextmanager
def serve_in_process(folder: Path, snapshot: Path, port: int = 0):
    """Yield a server that is a process of its own, and what kills it as a power cut would."""
    command = [sys.executable, "-m", "citeproof", "serve", "--quiet", "--offline", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--snapshot", str(snapshot), "--store", str(folder)],
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        told = process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", told)
        assert address, told
        yield SimpleNamespace(address=address[0], kill=lambda: os.killpg(process.pid, signal.SIGKILL))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()


def test_a_server_that_is_killed_goes_on_where_it_was(tmp_path, snapshot, open_page):
    (tmp_path / "many.bib").write_bytes(make_references(600))
    with serve_in_process(tmp_path / "jobs", snapshot) as first:
        page = open_page(first)
        page.goto("/")
        page.set_input_files("#files", tmp_path / "many.bib")
        page.get_by_role("button", name="Check", exact=True).click()
        # It is under way, or has been done sooner than we could look: the end must be the same.
        page.locator("main", has_text=re.compile(r"\d of 600|600 references")).wait_for()
        first.kill()
    port = int(first.address.rpartition(":")[2])
    with serve_in_process(tmp_path / "jobs", snapshot, port):
        page.locator("main", has_text="600 references:").wait_for()
        expect(page.locator("article")).to_have_count(PER_PAGE)
