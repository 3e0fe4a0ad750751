"""The world from the command line, and the APIs of the web in it."""

import json
import signal
import subprocess
import sys
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from citeproof.evidence.index.build import BuildInput, build
from citeproof.laboratory.testing import World
from citeproof.laboratory.testing.apis import url
from citeproof.laboratory.testing.serve import serve
from tests.evidence.index.conftest import write_works
from tests.laboratory.testing.conftest import RESNET, SHELF
from tests.laboratory.testing.test_world import get


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    base = tmp_path_factory.mktemp("serve")
    build([BuildInput("works", (write_works(base / "works.jsonl"),))], base / "snapshot", name="small")
    return base / "snapshot"


def test_it_prints_the_variables_and_serves_until_it_is_told_to_stop(snapshot):
    command = [sys.executable, "-m", "citeproof.laboratory.testing.serve", "--snapshot", str(snapshot)]
    command += ["--latency", "url=0.01/0.02", "--fault", "url=status_503*1", "--rate", "wayback=1/3600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            told = {}
            while "CITEPROOF_PRIVATE_HOSTS" not in told:  # the last one
                name, _, value = running.stdout.readline().strip().partition("=")
                told[name] = value
            page = told["CITEPROOF_URL_URL"] + "/page/doi/" + quote("10.1109/cvpr.2016.90", safe="")
            assert [get(page)[0] for _ in range(2)] == [503, 200]
            asked = told["CITEPROOF_WAYBACK_URL"] + "/web/20200615120000/" + page
            assert [get(asked)[0] for _ in range(2)] == [200, 429]
        finally:
            running.send_signal(signal.SIGTERM)
            assert running.wait(60) == 0


WRONG = [
    ["--fault", "nobody=status_503"],
    ["--fault", "url"],
    ["--fault", "url=explosion"],
    ["--fault", "url=status_503*x"],
    ["--latency", "url=fast"],
    ["--latency", "url=-1"],
    ["--rate", "url=/"],
]


@pytest.mark.parametrize("flags", WRONG, ids=" ".join)
def test_wrong_flags_are_refused(snapshot, flags):
    before = signal.getsignal(signal.SIGINT)
    done = CliRunner().invoke(serve, ["--snapshot", str(snapshot), *flags])
    assert signal.getsignal(signal.SIGINT) is before
    assert done.exit_code == 2
    assert "Error" in done.output


def test_the_web_of_the_world_leads_from_search_to_page_to_copy():
    with World(SHELF) as world:
        _, _, body = get(world.urls["searxng"] + "/search?format=json&q=" + quote(RESNET.title))
        (result,) = json.loads(body)["results"]
        assert result["url"] == world.urls["url"] + url.build_page_path(RESNET)
        status, headers, body = get(result["url"])
        assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert b'citation_author" content="He, Kaiming"' in body
        gone = result["url"].replace("/page/", "/gone/")
        assert get(gone)[0] == 410
        status, headers, _ = get(world.urls["wayback"] + "/web/2020/" + gone)
        assert (status, "/web/20200615120000/" in headers["Location"]) == (302, True)
        assert get(headers["Location"])[2] == body


def test_brave_wants_its_token_and_says_so_in_its_own_words():
    with World(SHELF, rates={"brave": (2, 60)}) as world:
        asked = world.urls["brave"] + "/res/v1/web/search?q=deep+residual+learning+for+image+recognition"
        status, _, body = get(asked)
        assert (status, json.loads(body)["error"]["code"]) == (422, "SUBSCRIPTION_TOKEN_INVALID")
        status, headers, body = get(asked, headers={"X-Subscription-Token": "t"})
        assert (status, len(json.loads(body)["web"]["results"])) == (200, 1)
        assert headers["X-RateLimit-Policy"] == "1;w=1, 2000;w=2592000"
        status, _, body = get(asked, headers={"X-Subscription-Token": "t"})
        assert (status, json.loads(body)["error"]["code"]) == (429, "RATE_LIMITED")


STATUSES = [
    ("searxng", "/", 404),
    ("searxng", "/search?q=x", 200),
    ("searxng", "/search?format=json", 400),
    ("brave", "/", 404),
    ("wayback", "/web/2020/http://nowhere.example/", 404),
    ("url", "/", 200),
    ("url", "/page/doi/10.9999%2Fnothing", 404),
]


def test_statuses():
    with World(SHELF) as world:
        assert [(a, p, get(world.urls[a] + p)[0]) for a, p, _ in STATUSES] == STATUSES
