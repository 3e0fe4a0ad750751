"""A chat page whose answers cite only verified works: any server of OpenAI's API, and render mode.

python examples/chat_product.py --model-url http://127.0.0.1:8080/v1 --model NAME --snapshot works.snapshot
"""

from __future__ import annotations

import argparse
import html
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs
from urllib.request import Request, urlopen

import citeproof
from citeproof.claims.proposed_answer import PROMPT, TOOL, build_answer_tool

PAGE = """<!doctype html><meta charset="utf-8"><title>Ask</title>
<form method="post"><input name="question" size="80" autofocus><button>Ask</button></form><pre>{}</pre>"""


def ask_model(url: str, model: str, question: str) -> object:
    """Return the whole reply of the model: it is told to answer with the tool."""
    body = {
        "model": model,
        "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": question}],
        "tools": [build_answer_tool("openai")],
        "tool_choice": {"type": "function", "function": {"name": TOOL}},
    }
    head = {"Content-Type": "application/json"}
    with urlopen(Request(f"{url}/chat/completions", json.dumps(body).encode(), head), timeout=300) as reply:
        return json.load(reply)


def make_handler(verifier: citeproof.Verifier, url: str, model: str) -> type[BaseHTTPRequestHandler]:
    """Return what answers the page's requests; nothing but `rendered.text` is ever shown."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.show("")

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            try:
                reply = ask_model(url, model, form["question"][0])
                self.show(verifier.render(reply, style="ieee").text)
            except (OSError, KeyError, ValueError, citeproof.CiteproofError):
                self.show("There is no answer to this.")

        def show(self, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(PAGE.format(html.escape(text)).encode())

    return Handler


if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    for name, default in (("--model-url", "http://127.0.0.1:8080/v1"), ("--model", "default")):
        flags.add_argument(name, default=default)
    flags.add_argument("--snapshot", action="append", default=[])
    flags.add_argument("--port", type=int, default=8765)
    given = flags.parse_args()
    offline = {"offline": True, "snapshots": given.snapshot} if given.snapshot else {}
    with citeproof.Verifier(**offline) as made:
        server = ThreadingHTTPServer(
            ("127.0.0.1", given.port), make_handler(made, given.model_url, given.model)
        )
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()
