"""What models cost: by the user's setting, else by the dated table beside this file."""

from __future__ import annotations

import re
from decimal import Decimal

from citeproof.models.spending import TokenPrice
from citeproof.text.package_tables import load_package_table

_DATED = re.compile(r"-(?:latest|[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}|00[0-9])$")


def parse_price(text: str) -> TokenPrice:
    """Return a price written as dollars for a million tokens: input/output[/cached[/written]]."""
    return TokenPrice(*(Decimal(part) for part in text.split("/")))


def find_price(provider: str, model: str) -> TokenPrice | None:
    """Return what a provider charges for a model; a date at the end of its name does not count."""
    table = load_package_table("citeproof.models", "prices.toml").get(provider, {})
    known = {_DATED.sub("", name): text for name, text in table.items()} | table
    text = known.get(model) or known.get(_DATED.sub("", model))
    return parse_price(text) if text else None
