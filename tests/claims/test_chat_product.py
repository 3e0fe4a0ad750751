"""examples/chat_product.py as a program, with a scripted model: what was not verified is not on its page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from citeproof.claims.proposed_answer import PROMPT, TOOL
from citeproof.claims.shown_units import MARK
from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load

ROOT = Path(__file__).parents[2]
CSV = "Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,\n"
CSV += "T,A,1/2/2020 0:00,10.1000/n,10.1000/x,Retraction,+Error;,\n"
GLOVE = {
    "key": "glove",
    "title": "GloVe: Global Vectors for Word Representation",
    "doi": "10.3115/v1/D14-1162",
}
FAKE = {"key": "fake", "title": "Imaginary vectors of nothing", "doi": "10.1234/fake.1"}
TEXT = "Vectors help [[cite:glove]]. <b>Magic</b> does too [[cite:fake]]. See Fabricius et al. (2021)."
REPLIES = {
    "a tool call": {"tool_calls": [{"type": "function", "function": {
        "name": TOOL, "arguments": json.dumps({"text": TEXT, "citations": [GLOVE, FAKE]})}}]},
    "JSON as text": {"content": json.dumps({"text": TEXT, "citations": [GLOVE, FAKE]})},
    "plain text": {"content": TEXT.replace("[[cite:glove]]", "[[cite:10.3115/v1/D14-1162]]")},
    "broken": {"tool_calls": [{"type": "function", "function": {
        "name": TOOL, "arguments": '{"text": "Fabricius'}}]},
}  # fmt: skip


class _Model(BaseHTTPRequestHandler):
    """A model that answers by a script: the question names the reply."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        reply = {"choices": [{"message": REPLIES[asked["messages"][-1]["content"]]}]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(reply).encode())

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def product(tmp_path_factory):
    """The address of the running example, and what its model was asked."""
    folder = tmp_path_factory.mktemp("product")
    homes = {name: str(folder / "home") for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    build([BuildInput("bibtex", (ROOT / "examples" / "records.bib",))], folder / "snapshot", name="made")
    (folder / "rw.csv").write_text(CSV)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in homes.items():
            patch.setenv(name, value)
        import_files(load(), SystemClock(), [folder / "rw.csv"], day=today(SystemClock()))
    model = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    model.asked = []
    threading.Thread(target=model.serve_forever, daemon=True).start()
    command = [
        sys.executable, str(ROOT / "examples" / "chat_product.py"), "--port", "0",
        "--snapshot", str(folder / "snapshot"), "--model-url", f"http://127.0.0.1:{model.server_port}/v1",
    ]  # fmt: skip
    paths = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    environment = os.environ | homes | {"PYTHONPATH": paths}
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        yield running.stdout.readline().strip(), model.asked
        running.terminate()
    model.shutdown()
    model.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("question", REPLIES)
def test_the_page_shows_verified_citations_alone(question, product):
    address, asked = product
    with urlopen(address, urlencode({"question": question}).encode(), timeout=120) as answer:
        page = answer.read().decode()
    assert "Fabricius" not in page
    assert "fake" not in page
    assert "[[cite" not in page
    assert asked[-1]["messages"][0]["content"] == PROMPT
    if question == "broken":
        assert "There is no answer to this." in page
        return
    assert f"Vectors help [1]. &lt;b&gt;Magic&lt;/b&gt; does too {MARK}." in page
    assert "GloVe: Global Vectors" in page
