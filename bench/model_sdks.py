"""Ask the loopback APIs of language models with the providers' own clients: the shapes must be the real ones.

    pip install openai anthropic google-genai
    python bench/model_sdks.py

Each client is told the base URL of the loopback world and decodes what comes back into its own types: an
answer, a refusal, an answer cut at the limit, and an error with status 429.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.model_servers import ModelCall, ModelTurn, make_model_apis, make_model_error

from citeproof.laboratory.testing import Faults, World
from citeproof.laboratory.testing.holdings import Shelf

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": SCHEMA}}


def say(call: ModelCall) -> ModelTurn:
    """Return what the last word of the question wants."""
    if "refuse" in call.user:
        return ModelTurn(refusal="I cannot")
    return ModelTurn('{"score": 7}' + (" " * 9000 if "long" in call.user else ""))


def ask_openai(url: str, word: str) -> tuple[Any, ...]:
    client = import_module("openai").OpenAI(base_url=url, api_key="k", max_retries=0)
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": word}]
    said = client.chat.completions.create(
        model="m", messages=messages, response_format=FORMAT, max_completion_tokens=50, temperature=0
    )
    first, usage = said.choices[0], said.usage
    type(said).model_validate(said.to_dict())
    return first.finish_reason, first.message.refusal or first.message.content[:12], usage.prompt_tokens > 0


def ask_anthropic(url: str, word: str) -> tuple[Any, ...]:
    client = import_module("anthropic").Anthropic(base_url=url, api_key="k", max_retries=0)
    said = client.messages.create(
        model="m",
        max_tokens=50,
        system=[{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        messages=[{"role": "user", "content": [{"type": "text", "text": word}]}],
        output_config={"format": {"type": "json_schema", "schema": SCHEMA}},
    )
    type(said).model_validate(said.to_dict())
    text = said.content[0].text[:12] if said.content else said.stop_details.explanation
    return said.stop_reason, text, said.usage.input_tokens > 0


def ask_google(url: str, word: str) -> tuple[Any, ...]:
    genai = import_module("google.genai")
    client = genai.Client(api_key="k", http_options={"base_url": url})
    config = {
        "system_instruction": "s",
        "max_output_tokens": 50,
        "temperature": 0,
        "response_mime_type": "application/json",
        "response_json_schema": SCHEMA,
    }
    said = client.models.generate_content(model="m", contents=word, config=config)
    type(said).model_validate(said.model_dump())
    if not said.candidates:
        return said.prompt_feedback.block_reason.value, "", said.usage_metadata.prompt_token_count > 0
    return said.candidates[0].finish_reason.value, said.text[:12], said.usage_metadata.prompt_token_count > 0


CLIENTS: dict[str, tuple[str, Callable[[str, str], tuple[Any, ...]]]] = {
    "openai": ("openai", ask_openai),
    "anthropic": ("anthropic", ask_anthropic),
    "google": ("google-genai", ask_google),
}


def main() -> int:
    wrong = 0
    with World(Shelf(), apis=make_model_apis(say)) as world:
        for provider, (package, ask) in CLIENTS.items():
            for word in ("plain", "refuse", "long", "busy"):
                body = make_model_error(provider, 429)
                busy = Faults.status(429, body=body, media="application/json", retry_after=0)
                world.set(provider, faults=busy if word == "busy" else ())
                try:
                    told = repr(ask(world.urls[provider], word))
                except Exception as error:  # noqa: BLE001 - what the client makes of it is what we want to see
                    told = f"{type(error).__name__}: {str(error)[:100]}"
                    wrong += word != "busy"
                print(f"{package} {metadata.version(package)}  {word:7} {told}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
