"""What a run may spend on language models: the worst case is reserved before a request leaves.

Money is counted in whole micro-dollars, rounded up for each request. What a request may cost at most is its
bytes as input tokens (no tokenizer makes two tokens of one byte), the most that an image takes for each
image, an allowance for what providers add, and all the output it is allowed. It leaves only if that still
fits under the ceiling; then the real cost takes the place of the reserve. Where nobody says what a request
cost (no answer came), the worst is taken as spent. Prices are the user's, or of a dated table.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from threading import Lock

from citeproof.judgement.models.base import TokenUsage
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table

ADDED_TOKENS = 2_000  # that a provider may add: its template, its words on the schema
IMAGE_TOKENS = 50_000  # the most of one image: 8 tiles of gpt-4o-mini are 48,169, the others take far fewer
_DATED = re.compile(r"-(?:latest|[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}|00[0-9])$")
LONG_INPUT = 100_000  # tokens; above, some providers have other prices, so that no such request is sent


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Dollars for a million tokens, which is micro-dollars for one."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None  # None: as other input
    written: Decimal | None = None  # to the prompt cache; None: as other input

    def compute_cost(self, usage: TokenUsage) -> int:
        """Return the micro-dollars of a request, rounded up."""
        plain = usage.input - usage.cached - usage.written
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        total = (
            max(plain, 0) * self.input
            + usage.cached * cached
            + usage.written * written
            + usage.output * self.output
        )
        return int(total.to_integral_value(ROUND_CEILING))

    def compute_worst_cost(self, input_tokens: int, output_tokens: int) -> int:
        """Return the most that a request with so many tokens may cost."""
        dearest = max(self.input, self.cached or self.input, self.written or self.input)
        total = input_tokens * dearest + output_tokens * self.output
        return int(total.to_integral_value(ROUND_CEILING))


class Spending:
    """Counts requests, tokens and money of one run, and says no before a ceiling is passed."""

    def __init__(self, price: TokenPrice | None, *, ceiling: int | None, max_requests: int) -> None:
        """Take a ceiling in micro-dollars; None: money is only counted. With one, a price is needed."""
        if ceiling is not None and price is None:
            raise ValueError("a ceiling on money needs a price")
        self._price = price
        self._ceiling = ceiling
        self._max_requests = max_requests
        self._lock = Lock()
        self._reserved = 0
        self._spent = 0
        self._assumed = 0
        self.requests = 0
        self.usage = TokenUsage()

    @property
    def spent(self) -> int | None:
        """Micro-dollars so far, at most; None if the price is unknown."""
        return None if self._price is None else self._spent

    @property
    def assumed(self) -> int:
        """The part of `spent` that nobody reported: requests without an answer, at their worst."""
        return self._assumed

    def reserve(
        self, body_bytes: int, output_tokens: int, *, images: int = 0, further: int = 0, fee: int = 0
    ) -> int | str:
        """Return the micro-dollars put aside for one request, or why it must not be sent.

        `body_bytes` are those of the text; each of the `images` has its own bound. `further` tokens are what
        a tool of the provider may add to the input, `fee` its price in micro-dollars.
        """
        tokens = body_bytes + ADDED_TOKENS + images * IMAGE_TOKENS
        if tokens > LONG_INPUT:
            return f"the question is too long ({body_bytes:,} bytes)"
        worst = self._price.compute_worst_cost(tokens + further, output_tokens) + fee if self._price else 0
        with self._lock:
            if self.requests >= self._max_requests:
                return f"{self._max_requests:,} requests were sent, the most that are allowed"
            if self._ceiling is not None and self._spent + self._reserved + worst > self._ceiling:
                left = self._ceiling - self._spent - self._reserved
                return (
                    f"it could cost ${format_dollars(worst)}, and ${format_dollars(max(left, 0))} is left of "
                    f"${format_dollars(self._ceiling)}"
                )
            self.requests += 1
            self._reserved += worst
        return worst

    def settle(self, reserved: int, usage: TokenUsage | None, *, fee: int = 0) -> int | None:
        """Return what a request cost, in place of what was reserved; None as `usage`: the worst.

        `fee`: what a tool of the provider cost beside the tokens, in micro-dollars.

        Counts below zero are no counts: they would make room for more than the ceiling.
        """
        if usage is not None and min(usage.input, usage.output, usage.cached, usage.written) < 0:
            usage = None
        with self._lock:
            self._reserved -= reserved
            cost = self._price.compute_cost(usage) + fee if self._price and usage else reserved
            self._spent += cost
            if usage is None:
                self._assumed += reserved
            else:
                self.usage = self.usage.add(usage)
        return None if self._price is None else cost

    def release(self, reserved: int, *, sent: bool) -> None:
        """Give the reserve back: the server refused the request, which costs nothing, or never saw it."""
        with self._lock:
            self._reserved -= reserved
            self.requests -= not sent


def is_free_status(status: int) -> bool:
    """Return whether a provider charges nothing for this status; what a gateway reports may be charged."""
    return (400 <= status < 500 and status != 408) or status in (500, 503, 529)


def format_dollars(micro: int) -> str:
    """Return micro-dollars as dollars."""
    return f"{Decimal(micro) / 1_000_000:.6f}".rstrip("0").rstrip(".") or "0"


def parse_price(text: str) -> TokenPrice:
    """Return a price written as dollars for a million tokens: input/output[/cached[/written]]."""
    return TokenPrice(*(Decimal(part) for part in text.split("/")))


def find_price(provider: str, model: str) -> TokenPrice | None:
    """Return what a provider charges for a model; a date at the end of its name does not count."""
    table = load_package_table("citeproof.judgement.models", "prices.toml").get(provider, {})
    known = {_DATED.sub("", name): text for name, text in table.items()} | table
    text = known.get(model) or known.get(_DATED.sub("", model))
    return parse_price(text) if text else None
