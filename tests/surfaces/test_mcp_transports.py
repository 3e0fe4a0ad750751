"""The tools with the official client, as a process on standard input and output and over HTTP on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import threading

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from tests.surfaces.mcp_world import (
    BIBLIOGRAPHY,
    MICROGLIA,
    PATIENCE,
    TOPAZ,
    make_command,
    read_answer,
    run_client,
)

from citeproof.settings import load
from citeproof.surfaces.mcp.http_mount import MAX_BODY, mount_mcp
from citeproof.surfaces.mcp.tool_server import TOOLS
from citeproof.surfaces.rest.access_tokens import add_token, read_tokens
from citeproof.surfaces.rest.app import create_app

CALLS = {
    "verifyCitation": TOPAZ,
    "checkRetraction": {"id": "10.1000/gone"},
    "resolveIdentifier": {"text": "10.1038/nature14539"},
    "checkReferences": {"text": "LeCun, Y. (2015). Deep learning. Nature. doi:10.1038/nature14539"},
    "groundClaims": {"text": "It works (LeCun, 2015, doi:10.1038/nature14539)."},
    "renderAnswer": {"text": "It works [[cite:10.1038/nature14539]]."},
    "guardText": {"text": "It works (LeCun, 2015, doi:10.1038/nature14539)."},
    "explainVerdict": {"code": "matched"},
}


async def visit_all(client: Client):
    """Use everything that the door has; return the verdicts of the seed's two citations."""
    listed = [tool.name for tool in (await client.list_tools()).tools]
    assert listed == list(TOOLS) == list(CALLS)
    for name, arguments in CALLS.items():
        result = await client.call_tool(name, arguments)
        assert not result.is_error, (name, result.content[0].text)
        assert result.structured_content
    for resource in (await client.list_resources()).resources:
        read = await client.read_resource(resource.uri)
        assert read.contents[0].text.startswith("# ")
    for prompt in (await client.list_prompts()).prompts:
        given = {one.name: "10.1038/nature14539" for one in prompt.arguments or [] if one.required}
        got = await client.get_prompt(prompt.name, given)
        assert "10.1038/nature14539" in got.messages[0].content.text
    with pytest.raises(Exception, match="unknown tool"):
        await client.call_tool("dropTables", {})
    seed = [await client.call_tool("verifyCitation", one) for one in (TOPAZ, MICROGLIA)]
    return [read_answer(one)["verdict"] for one in seed], client.session.protocol_version


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_standard_input_and_output(mode, version, registries):
    client = Client(make_command(), mode=mode)
    assert run_client(client, visit_all) == (["matched", "mismatch"], version)


@pytest.mark.slow
def test_a_snapshot_and_strict_compatibility_by_flags(snapshot, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    command = make_command(
        "--offline", "--snapshot", snapshot, "--strict-compat", "--audit", tmp_path / "log"
    )

    async def work(client):
        return await client.call_tool("verifyCitation", TOPAZ)

    answer = read_answer(run_client(Client(command), work))
    assert (answer["verdict"], answer["status"]) == (None, "incomplete")
    assert (tmp_path / "log").is_dir()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--allow-llm"], "no language model is set"),
        (["--root", "/nowhere/at/all"], "is not a folder"),
        (["--snapshot", "/nowhere/at/all"], ""),
    ],
)
def test_wrong_flags_are_told_at_the_start(flags, said, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "citeproof", "mcp", "--offline", *flags],
        input=b"", capture_output=True, check=False, timeout=PATIENCE, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout == b""
    assert said in done.stderr.decode()
    assert done.returncode == (2 if said else 0)


def test_help_does_not_load_the_library():
    code = (
        "import sys\nfrom citeproof.surfaces.cli.main import cli\n"
        "from click.testing import CliRunner\n"
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0\n"
        "assert CliRunner().invoke(cli, ['mcp', '--help']).exit_code == 0\n"
        "assert not {'mcp', 'mcp_types', 'pydantic', 'starlette'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)


def test_a_missing_extra_is_told():
    code = (
        "import sys; sys.modules['mcp'] = None\nfrom citeproof.surfaces.cli.main import main; main(['mcp'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode == 2
    assert b"pip install 'citeproof[mcp]'" in done.stderr


# --- HTTP ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def serve(app):
    """Serve an application on a free port of loopback until the block ends; yields its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        config = uvicorn.Config(app, log_level="error", lifespan="on", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


async def _say_hello(_):
    return PlainTextResponse("hello")


def make_app(settings=None, **options) -> Starlette:
    app = Starlette(routes=[Route("/hello", _say_hello)])
    mount_mcp(app, settings or load(), **options)
    return app


def post(address, body=b"{}", **headers):
    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    given = usual | {name.replace("_", "-"): value for name, value in headers.items()}
    with httpx2.Client(timeout=PATIENCE, trust_env=False) as client:
        return client.post(f"{address}/mcp", content=body, headers=given)


LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_http(mode, version, registries):
    with serve(make_app()) as address:
        assert run_client(Client(f"{address}/mcp", mode=mode), visit_all) == (
            ["matched", "mismatch"],
            version,
        )
        with httpx2.Client(trust_env=False) as client:
            assert client.get(f"{address}/hello").text == "hello"  # the application has its own routes still


def test_foreign_hosts_and_origins_are_refused(snapshot):
    app = make_app(load({"offline": True, "snapshots": [snapshot]}), hosts=["cite.example.org"])
    with serve(app) as address:
        port = address.rpartition(":")[2]
        good = {
            "host": [
                "127.0.0.1",
                f"localhost:{port}",
                f"[::1]:{port}",
                "cite.example.org",
                "cite.example.org:1",
            ],
            "origin": [f"http://localhost:{port}", "https://cite.example.org", "http://127.0.0.1"],
        }
        bad = {
            "host": [
                "evil.example",
                f"evil.example:{port}",
                "127.0.0.1.evil.example",
                "localhost.evil:80",
                "x",
            ],
            "origin": ["https://evil.example", "null", "http://localhost.evil.example", "file://"],
        }
        for header, values in good.items():
            for value in values:
                assert post(address, LIST, **{header: value}).status_code == 200, value
        for header, values in bad.items():
            for value in values:
                refused = post(address, LIST, **{header: value})
                assert refused.status_code == {"host": 421, "origin": 403}[header], value


def test_hosts_are_checked_whatever_the_server_listens_on():
    from citeproof.surfaces.mcp.http_mount import make_transport_rules

    rules = make_transport_rules()
    assert rules.enable_dns_rebinding_protection
    assert not {"*", "*:*", "0.0.0.0:*"} & {*rules.allowed_hosts, *rules.allowed_origins}


@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25"])
def test_a_body_that_is_too_large_is_refused(version, snapshot):
    with serve(make_app(load({"offline": True, "snapshots": [snapshot]}))) as address:
        padding = b" " * (MAX_BODY - len(LIST))
        header = {"mcp_protocol_version": version}
        assert post(address, LIST + padding + b" ", **header).status_code == 413
        if version == "2025-11-25":
            assert post(address, LIST + padding, **header).status_code == 200

        def send_parts():
            for _ in range(5):
                yield b" " * 1024 * 1024

        headers = {"content-type": "application/json"}  # no length is stated
        with (
            httpx2.Client(timeout=PATIENCE, trust_env=False) as client,
            contextlib.suppress(httpx2.TransportError),  # the server may hang up before the end
        ):
            sent = client.post(f"{address}/mcp", content=send_parts(), headers=headers)
            assert sent.status_code == 413


def test_nonsense_costs_nothing(snapshot):
    with serve(make_app(load({"offline": True, "snapshots": [snapshot]}))) as address:
        for body in (b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b"\xff", b"[" * 100_000):
            assert 400 <= post(address, body).status_code < 500
        assert post(address, LIST).status_code == 200


async def _check_token(request):
    if request.headers.get("authorization") in ("Bearer good", "Bearer llm"):
        return None
    return JSONResponse({"error": {"code": "unauthorised"}}, status_code=401)


def test_tokens_of_the_application_hold_here_too(snapshot):
    settings = load({"offline": True, "snapshots": [snapshot], "llm": "openai:some-model"})
    app = make_app(
        settings,
        authorise=_check_token,
        may_screen=lambda request: request.headers.get("authorization") == "Bearer llm",
    )

    async def screen(client):
        citation = {"title": "Deep Residual Learning for Image Recognition", "screenWithLlm": True}
        return await client.call_tool("verifyCitation", citation)

    async def call_with_token(address, token):
        headers = {"authorization": f"Bearer {token}"}
        async with (
            asyncio.timeout(PATIENCE),
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            return await screen(client)

    def call(address, token):
        return asyncio.run(call_with_token(address, token))

    with serve(app) as address:
        assert post(address, LIST).status_code == 401
        assert post(address, LIST, authorization="Bearer bad").status_code == 401
        refused = call(address, "good")
        assert refused.is_error
        assert refused.structured_content["error"]["code"] == "LLM_SCREEN_FORBIDDEN"
        assert read_answer(call(address, "llm"))["verdict"] == "matched"


def test_many_clients_at_once(snapshot):
    async def visit(address):
        async with Client(f"{address}/mcp") as client:
            result = await client.call_tool("checkReferences", {"text": BIBLIOGRAPHY, "only": "all"})
            return [one["verdict"] for one in read_answer(result)["references"]]

    async def visit_together(address):
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*(visit(address) for _ in range(5)))

    with serve(make_app(load({"offline": True, "snapshots": [snapshot]}))) as address:
        answers = asyncio.run(visit_together(address))
    assert answers[0]
    assert all(one == answers[0] for one in answers)


# --- on the REST server --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_rest_server_has_the_door_and_its_tokens_hold(snapshot, tmp_path):
    tokens = tmp_path / "tokens.txt"
    plain, llm = add_token(tokens, "ann", ()), add_token(tokens, "bob", ("llm",))
    given = {"offline": True, "snapshots": [snapshot], "cache_dir": tmp_path / "cache", "llm": "openai:x"}
    app = create_app(load(given), folder=tmp_path / "jobs", tokens=read_tokens(tokens))
    citation = {"title": "Deep Residual Learning for Image Recognition"}

    async def visit(address, token):
        headers = {"authorization": f"Bearer {token}"}
        async with (
            asyncio.timeout(PATIENCE),
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            usual = await client.call_tool("verifyCitation", citation)
            return usual, await client.call_tool("verifyCitation", citation | {"screenWithLlm": True})

    with serve(app) as address:
        assert post(address, LIST).status_code == 401
        usual, refused = asyncio.run(visit(address, plain))
        assert read_answer(usual)["verdict"] == "matched"
        assert refused.structured_content["error"]["code"] == "LLM_SCREEN_FORBIDDEN"
        assert read_answer(asyncio.run(visit(address, llm))[1])["verdict"] == "matched"
        right = {"authorization": f"Bearer {plain}"}
        assert post(address, LIST, **right, host="evil.example").status_code == 421
        assert post(address, LIST, **right, origin="https://evil.example").status_code == 403
        assert post(address, LIST + b" " * 2_000_000, **right).status_code == 200
        assert post(address, LIST + b" " * MAX_BODY, **right).status_code == 413
        with httpx2.Client(trust_env=False, headers=right) as client:
            assert client.get(f"{address}/mcp").status_code == 405
            paths = client.get(f"{address}/v1/openapi.json").json()["paths"]
            assert "/v1/verify" in paths
            same = client.post(f"{address}/v1/verify", json=citation).json()
        assert same == read_answer(usual)
