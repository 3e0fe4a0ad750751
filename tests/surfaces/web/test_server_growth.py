"""What one caller can take of a server: numbers without end, streams, the disk; bodies that do not fit."""

from contextlib import ExitStack

import pytest

from citeproof.clock import SystemClock
from citeproof.service import job_runner
from citeproof.surfaces.rest.caller import Caller
from citeproof.surfaces.rest.door_guard import CALLER, MOST_FOLLOWERS, DoorGuard
from citeproof.surfaces.rest.error_answers import ApiError
from citeproof.surfaces.rest.server_options import ServerOptions

BIB = b"@article{he, title={Mask R-CNN}, author={Kaiming He}, year={2017}}\n"


def test_a_number_with_thousands_of_digits_is_not_found(web):
    run = web.check(("refs.bib", BIB))
    for path in ("references/{}", "pages/{}.png"):
        for number in ("9" * 5000, "-1", "x", "%00", "٣"):
            assert web.client.get(f"{run}/{path.format(number)}").status_code == 404


def test_one_caller_follows_a_bounded_number_of_runs():
    def ignore(*_args, **_fields):
        """Take what nobody asks for here."""

    guard = DoorGuard(
        ignore, options=ServerOptions(), tokens=None, clock=SystemClock(), metrics=ignore, gate=ignore,
        log=ignore, local=True,
    )  # fmt: skip
    ann, bob = ({CALLER: Caller(name, frozenset(), "127.0.0.1")} for name in ("ann", "bob"))
    with ExitStack() as streams:
        for _ in range(MOST_FOLLOWERS):
            streams.enter_context(guard.follow(ann))
        with pytest.raises(ApiError) as refused, guard.follow(ann):
            pass
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "10"})
        with guard.follow(bob):
            pass
    with guard.follow(ann):
        pass


def test_no_job_is_taken_when_the_disk_is_almost_full(web, monkeypatch):
    monkeypatch.setattr(job_runner, "LEAST_FREE", 1 << 60)
    answer = web.client.post("/v1/check", files={"file": ("refs.bib", BIB)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "STORE_FULL")
    assert web.client.post("/v1/verify", json={"title": "Mask R-CNN"}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/check", "/v1/fix"])
def test_a_hypothesis_can_only_be_grounded(web, path):
    answer = web.client.post(path, json={"hypothesis": {"claims": ["The sky is blue."]}})
    told = answer.json()["error"]
    assert (answer.status_code, told["place"], told["hint"]) == (400, "hypothesis", "send it to /v1/ground")
    assert web.client.post("/v1/ground", json={"hypothesis": {"claims": ["Blue."]}}).status_code == 200
