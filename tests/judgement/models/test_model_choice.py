"""Which model the settings choose, where it is, and what is refused before anything is sent."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from decimal import Decimal

import pytest

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.judgement.models.base import ModelAnswer, ModelFailure, ModelFault, OfflineModel
from citeproof.judgement.models.spending import find_price, parse_price
from citeproof.laboratory.testing import Faults, Reply, World
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import model_choice
from citeproof.service.assemble.model_choice import PROVIDERS, choose_model, describe_server
from citeproof.service.assemble.source_choice import connect_sources
from citeproof.service.installation_check import examine_installation
from citeproof.text.package_tables import load_package_table
from tests.evidence.sources.inmemory import Shelf
from tests.judgement.models.conftest import GOOD, make_question
from tests.model_servers import ModelTurn, make_model_apis


def load(tmp_path, **variables):
    told = {"CITEPROOF_CACHE_DIR": str(tmp_path / "c"), "CITEPROOF_LIMITS_DIR": str(tmp_path / "l")}
    return settings.load(
        environment=told | {f"CITEPROOF_{k}": v for k, v in variables.items()}, folder=tmp_path
    )


def ask_chosen(chosen, question):
    async def go():
        online = connect_sources(chosen, SystemClock(), ())
        try:
            model = choose_model(chosen, online.client)
            return await model.ask(question), model, online.client.sent
        finally:
            await online.client.close()

    return asyncio.run(go())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_model_of_the_settings_answers(tmp_path, provider):
    with World(Shelf(), apis=make_model_apis(lambda _: ModelTurn(GOOD))) as world:
        chosen = load(
            tmp_path, LLM=f"{provider}:m", LLM_URL=world.urls[provider], LLM_KEY="k123", LLM_PRICE="1/2"
        )
        answer, model, sent = ask_chosen(chosen, make_question())
    assert isinstance(answer, ModelAnswer)
    assert model.name == f"{provider}:m"
    assert answer.cost == answer.usage.input + 2 * answer.usage.output
    assert [(one.source, one.outcome) for one in sent] == [("llm", "200")]
    assert "k123" not in repr(sent)


WRONG = (
    ({"LLM": "opnai:gpt-5"}, "did you mean 'openai'"),
    ({"LLM": "openai:gpt-5"}, "CITEPROOF_OPENAI_KEY"),
    ({"LLM": "openai:m", "LLM_KEY": "k", "LLM_URL": "http://h.test", "LLM_MAX_DOLLARS": "1"}, "LLM_PRICE"),
    ({"LLM": "openai:gpt-99", "OPENAI_KEY": "k", "LLM_MAX_DOLLARS": "0.5"}, "LLM_PRICE"),
)  # fmt: skip


@pytest.mark.parametrize(("variables", "hint"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_work_is_an_error_with_a_hint(tmp_path, variables, hint):
    chosen = load(tmp_path, **variables)
    with pytest.raises(UsageError) as caught:
        ask_chosen(chosen, make_question())
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("LLM", "gpt-5"),
        ("LLM", "openai:"),
        ("LLM_PRICE", "3"),
        ("LLM_PRICE", "a/b"),
        ("LLM_MAX_DOLLARS", "-1"),
    ],
)
def test_wrong_values_are_refused(tmp_path, variable, text):
    with pytest.raises(UsageError, match=f"CITEPROOF_{variable}"):
        load(tmp_path, **{variable: text})


def test_the_key_of_a_provider_goes_to_no_other_server(tmp_path):
    chosen = load(tmp_path, LLM="openai:m", OPENAI_KEY="k-secret", LLM_URL="http://127.0.0.1:9/v1")
    assert describe_server(chosen).key is None
    own = load(tmp_path, LLM="openai:m", OPENAI_KEY="k-secret")
    assert describe_server(own).key.reveal() == "k-secret"


def test_a_project_chooses_no_model_and_no_address(tmp_path):
    (tmp_path / "citeproof.toml").write_text('llm = "openai:m"\n')
    with pytest.raises(UsageError, match="may not set llm"):
        load(tmp_path)
    (tmp_path / "citeproof.toml").write_text('[urls]\nllm = "http://127.0.0.1:9"\n')
    with pytest.raises(UsageError, match="may not set urls"):
        load(tmp_path, LLM="openai:m")


def test_offline_no_model_is_asked(tmp_path):
    chosen = load(tmp_path, LLM="openai:m", OFFLINE="yes")
    model = choose_model(chosen, None)
    assert isinstance(model, OfflineModel)
    assert asyncio.run(model.ask(make_question())).cause is ModelFault.OFFLINE


LOCAL = (
    ("http://127.0.0.1:8080/v1", True),
    ("http://[::1]:8080/v1", True),
    ("http://LOCALHOST:8080/v1", True),
    ("http://127.0.0.1.example.org/v1", False),
    ("http://localhost.example.org/v1", False),
    ("http://192.168.0.2/v1", False),
    ("http://0.0.0.0/v1", False),
)


@pytest.mark.parametrize(("url", "local"), LOCAL, ids=[row[0] for row in LOCAL])
def test_offline_only_a_model_on_loopback_is_asked(tmp_path, url, local):
    chosen = load(tmp_path, LLM="openai:m", OFFLINE="yes", LLM_URL=url, PROXY="http://proxy.test:3128")
    model = choose_model(chosen, connect_sources(chosen, SystemClock(), ()).client)
    assert isinstance(model, OfflineModel) is not local
    assert "localhost:" not in describe_server(chosen).url.lower()  # no name is looked up


def test_a_model_on_loopback_answers_offline_and_leads_nowhere_else(tmp_path):
    away = Faults.reply("away", lambda *_: Reply(307, b"", "", {"Location": "http://example.org/v1"}))
    told = {"LLM": "openai:m", "OFFLINE": "yes", "LLM_KEY": "k123", "PROXY": "http://127.0.0.1:9"}
    with World(Shelf(), apis=make_model_apis(lambda _: ModelTurn(GOOD))) as world:
        chosen = load(tmp_path, LLM_URL=world.urls["openai"].replace("127.0.0.1", "localhost"), **told)
        answer, _, sent = ask_chosen(chosen, make_question())
    assert isinstance(answer, ModelAnswer)
    assert [one.url.startswith("http://127.0.0.1:") for one in sent] == [True]
    with World(Shelf(), apis=make_model_apis(lambda _: ModelTurn(GOOD)), faults={"openai": away}) as world:
        chosen = load(tmp_path, LLM_URL=world.urls["openai"], **told)
        failure, _, sent = ask_chosen(chosen, make_question(task="other"))
    assert isinstance(failure, ModelFailure)
    assert not any("example.org" in one.url for one in sent)


PRICES = (
    ("openai", "gpt-4o-mini", "0.15/0.6/0.075"),
    ("openai", "gpt-4o-mini-2024-07-18", "0.15/0.6/0.075"),
    ("openai", "gpt-4o-2024-05-13", "5/15"),  # dearer than its successors
    ("anthropic", "claude-3-5-haiku-20241022", "0.8/4/0.08/1"),
    ("google", "gemini-2.5-flash", "0.3/2.5/0.03"),
    ("openai", "gpt-4o-minimal", None),
    ("openai", "claude-sonnet-5", None),
)


@pytest.mark.parametrize(("provider", "model", "price"), PRICES, ids=[row[1] for row in PRICES])
def test_prices_are_found_by_the_whole_name(provider, model, price):
    assert find_price(provider, model) == (parse_price(price) if price else None)


def test_all_prices_of_the_table_are_read():
    table = load_package_table("citeproof.judgement.models", "prices.toml")
    for provider in PROVIDERS:
        for model in table[provider]:
            assert find_price(provider, model).output > Decimal(0)


def test_doctor_tells_the_model_and_sends_nothing(tmp_path):
    told = {"LLM": "anthropic:claude-sonnet-5", "ANTHROPIC_KEY": "k-secret", "LLM_MAX_DOLLARS": "2"}
    rows = {row.name: row for row in examine_installation(load(tmp_path, **told))}
    line = rows["language model"].value
    assert line.startswith(
        "anthropic:claude-sonnet-5 at https://api.anthropic.com, with a key; $2 in, $10 out"
    )
    assert "at most $2 a run" in line
    assert "k-secret" not in repr(rows)
    assert not any("not a source" in row.value for row in rows.values())
    missing = {row.name: row for row in examine_installation(load(tmp_path, LLM="google:gemini-2.5-flash"))}
    assert "CITEPROOF_GOOGLE_KEY" in missing["language model"].hint


def test_a_check_without_a_model_imports_nothing_of_it(tmp_path):
    (tmp_path / "refs.bib").write_text("@article{a, title={A title of some length}, year={2001}}\n")
    script = (
        "import sys\nfrom citeproof.surfaces.cli.main import main\n"
        "try:\n    main(['check', '--offline', 'refs.bib'])\nexcept SystemExit:\n    pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('citeproof.judgement.models')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stdout.strip().endswith("[]"), done.stderr


AMOUNTS = (("0.29", 290_000), ("1", 1_000_000), ("1.001", 1_001_000), ("1.003", 1_003_000), ("0", 0))


@pytest.mark.parametrize(("text", "micro"), AMOUNTS)
def test_a_ceiling_is_never_rounded_up(text, micro, monkeypatch):
    monkeypatch.setenv("CITEPROOF_OPENAI_KEY", "k")
    chosen = settings.load({"llm": "openai:m", "llm_price": "1/5", "llm_max_dollars": float(text)})
    assert model_choice.make_spending(chosen)._ceiling == micro
