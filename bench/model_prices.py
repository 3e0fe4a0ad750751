"""Write the table of prices of language models anew, from the package genai-prices (MIT).

    pip install genai-prices
    python bench/model_prices.py > src/citeproof/judgement/models/prices.toml

A price that is announced for later counts now if it is higher, so that a ceiling holds on that day too.
Prices of long inputs are left out: no such request is sent (`spending.LONG_INPUT`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from importlib import import_module, metadata
from typing import Any

from citeproof.plumbing.clock import SystemClock

LONG_INPUT = 100_000
PROVIDERS = {"openai": ("gpt-", "o1", "o3", "o4"), "anthropic": ("claude-",), "google": ("gemini-",)}
LEFT_OUT = (
    "image", "audio", "realtime", "tts", "transcribe", "search", "research", "live", "embedding", "computer",
    "vision", "robotics", "omni", "banana", "instruct", "oss", "translate", "whisper", ":", ".ft-",
)  # fmt: skip
FIELDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")


def list_current(prices: Any, today: date) -> list[Any]:
    """Return the price that holds today and all that come later."""
    if not isinstance(prices, list):
        return [prices]
    dated = [(getattr(one.constraint, "start_date", date.min), one.prices) for one in prices]
    held = max((start for start, _ in dated if start <= today), default=date.min)
    return [each for start, each in dated if start >= held]


def take_amount(price: Any, name: str) -> Decimal | None:
    """Return the amount for short inputs, or of the last tier that such an input may reach."""
    amount = getattr(price, name, None)
    if hasattr(amount, "tiers"):
        reached = [tier.price for tier in amount.tiers if tier.start < LONG_INPUT]
        return max([amount.base, *reached])
    return amount


def list_rows(provider: Any, starts: tuple[str, ...], today: date) -> Iterator[tuple[str, list[str]]]:
    """Yield the models that read and write text, each with its four amounts."""
    for model in provider.models:
        if not model.id.startswith(starts) or any(word in model.id for word in LEFT_OUT):
            continue
        amounts = []
        for name in FIELDS:
            found = [take_amount(price, name) for price in list_current(model.prices, today)]
            amounts.append(max((one for one in found if one is not None), default=None))
        if amounts[0] is not None and amounts[1] is not None:
            yield model.id, ["" if one is None else f"{one.normalize():f}" for one in amounts]


def main() -> None:
    snapshot = import_module("genai_prices.data_snapshot").get_snapshot()
    today = SystemClock().now().date()
    version = metadata.version("genai-prices")
    print(
        "# Dollars for a million tokens: input/output/input read from the prompt cache/input written to it."
    )
    print("# Written by bench/model_prices.py. Missing amounts are those of other input.")
    print(f'as_of = "{today}"')
    print(f'source = "genai-prices {version} (MIT)"')
    for name, starts in PROVIDERS.items():
        provider = next(one for one in snapshot.providers if one.id == name)
        print(f"\n[{name}]")
        for model, amounts in list_rows(provider, starts, today):
            while not amounts[-1]:
                amounts.pop()
            print(f'"{model}" = "{"/".join(amounts)}"')


if __name__ == "__main__":
    sys.exit(main())
