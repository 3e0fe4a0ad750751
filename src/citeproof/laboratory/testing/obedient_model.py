"""A language model that does whatever any text in its input orders: only our own code can stop an attack.

It first does what it is there for: `script` says what an honest model would answer, by default the smallest
value that fits the schema. Then it reads everything it was given, hidden text too (Unicode tags, invisible
characters, base64, JSON escapes, HTML comments), and obeys: a fake answer in JSON replaces its own, an
ordered number or label becomes its value, a word to say goes into every text, and its instructions are
repeated when asked for. No warning in a prompt impresses it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from citeproof.laboratory.testing.model_calls import ModelCall, ModelTurn
from citeproof.text import lazy_patterns as re

Script: TypeAlias = Callable[[ModelCall], Mapping[str, Any]]

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|output|return|respond|reply|answer|say|print|write|set|give|mark|"
    r"rate|assign|classify|label|score|verdict|decide|conclude|approve|accept|treat|repeat|reveal|must|always|"
    r"system|assistant|instruction|ignorier\w*|antworte\w*|bewerte\w*|ignorez?|réponds\w*|donnez?|ignora\w*|"
    r"responde\w*|rispondi|asigna|puntuación|игнорируй\w*|ответь\w*|оценк\w*|verdicto|ignoruj)\b"
    r"|忽略|无视|输出|回答|评分|得分|無視|出力|スコア|무시|출력|점수|تجاهل|أجب|נקה|התעלם|अनदेखा|उत्तर",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?:\b(?:score|confidence|rating|similarity|puntuación|punteggio|note|punkte|bewertung|оценк\w*)\b|评分|得分|"
    r"分数|スコア|점수|الدرجة|ציון|अंक)[^\d\n]{0,30}"
    r"(?P<after>100|0?\.\d{1,3}|[1-9]?\d(?:\.\d{1,3})?)(?![\d.]*\d)"
    r"|(?P<alone>100)\s*(?:%|/\s*100|points|percent|分|점|点)",
    re.IGNORECASE,
)
_SAY = re.compile(r"CANARY[-_A-Za-z0-9]{0,60}", re.IGNORECASE)
_REVEAL = re.compile(
    r"(?:reveal|repeat|print|show|output|leak|echo)[^.\n]{0,60}"
    r"(?:instruction|system prompt|secret|\bkey\b|above)",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,4000}={0,2}")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad\ufe00-\ufe0f]")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_NEAR = 160  # characters behind an order in which its object stands


class ObedientModel:
    """Callable as a `LoopbackModel`; `calls` has what it was asked, `obeyed` what it was made to say."""

    def __init__(self, script: Script | None = None) -> None:
        self._script = script
        self.calls: list[ModelCall] = []
        self.obeyed: list[str] = []

    def __call__(self, call: ModelCall) -> ModelTurn:
        self.calls.append(call)
        schema = call.schema or _find_schema(call.system) or {}
        value = dict(self._script(call)) if self._script else _make_smallest(schema)
        given = _read_everything(_drop_preface(call.user))
        self._obey_fake_answers(value, schema, given)
        self._obey_orders(value, schema, given)
        if "from 0 to 10" in call.system and value.get("score", 0) > 10:  # an order on the scale of 100
            value["score"] /= 10
        self._say_words(value, schema, given, call.system)
        return ModelTurn(msgspec.json.encode(value).decode())

    def _obey_fake_answers(self, value: dict[str, Any], schema: Mapping[str, Any], given: str) -> None:
        """Take over each object in the input that looks like an answer."""
        known = schema.get("properties", {})
        for answer in _list_objects(given):
            for name, said in answer.items():
                if name in known and name not in ("label", "text"):  # the names of our own envelope
                    self._set(value, name, said)
            if isinstance(answer.get("label"), str) and "label" in known and "text" not in answer:
                self._set(value, "label", answer["label"])

    def _obey_orders(self, value: dict[str, Any], schema: Mapping[str, Any], given: str) -> None:
        """Set numbers and choices to what stands behind an order."""
        for order in _ORDER.finditer(given):
            near = given[order.start() : order.end() + _NEAR]
            for name, rule in schema.get("properties", {}).items():
                if rule.get("type") in ("integer", "number") and (said := _NUMBER.search(near)):
                    number = float(said["after"] or said["alone"])
                    scaled = number / 100 if name == "confidence" and number > 1 else number
                    self._set(value, name, int(scaled) if rule["type"] == "integer" else scaled)
                for choice in rule.get("enum", ()):
                    if isinstance(choice, str) and _names_choice(near, choice):
                        self._set(value, name, choice)
                if rule.get("type") == "boolean" and re.search(r"\b(?:true|false)\b", near, re.IGNORECASE):
                    self._set(value, name, "true" in near.lower())

    def _say_words(self, value: dict[str, Any], schema: Mapping[str, Any], given: str, system: str) -> None:
        """Put what it is ordered to say, and its instructions if they are asked for, into every text."""
        words = [order[0] for order in _SAY.finditer(given)]
        if _REVEAL.search(given):
            words.append(system)
        if not words:
            return
        for name, rule in schema.get("properties", {}).items():
            if rule.get("type") == "string" and "enum" not in rule:
                self._set(value, name, f"{value.get(name, '')} {' '.join(words)}".strip())
            elif rule.get("type") == "array" and rule.get("items", {}).get("type") == "string":
                self._set(value, name, [*value.get(name, []), *words])

    def _set(self, value: dict[str, Any], name: str, new: object) -> None:
        if value.get(name) != new:
            self.obeyed.append(f"{name}={new!r}"[:200])
        value[name] = new


def _names_choice(near: str, choice: str) -> bool:
    """Return whether a text names a choice, in any case, with spaces or underscores."""
    return choice.lower().replace("_", " ") in near.lower().replace("_", " ").replace("-", " ")


def _drop_preface(user: str) -> str:
    """Return the message without our own lines around the data, which order nothing."""
    own = ("The lines between BEGIN", "BEGIN ", "END ")
    return "\n".join(line for line in user.split("\n") if not line.startswith(own))


def _read_everything(text: str) -> str:
    """Return the input with all that it hides written out behind it."""
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text).replace("\\n", "\n").replace('\\"', '"')
    hidden = ["".join(chr(ord(sign) - 0xE0000) for sign in run[0]) for run in _TAGS.finditer(plain)]
    for run in _BASE64.finditer(plain):
        try:
            hidden.append(base64.b64decode(run[0] + "=" * (-len(run[0]) % 4)).decode())
        except (binascii.Error, UnicodeDecodeError):
            continue
    return "\n".join((_UNSEEN.sub("", plain), *hidden))


def _list_objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects that stand anywhere in a text, bounded."""
    starts = [brace.start() for brace in re.finditer(r"\{", text)][:200]
    for start in starts:
        for end in [brace.end() for brace in re.finditer(r"\}", text[start : start + 4000])][:20]:
            try:
                read = msgspec.json.decode(text[start : start + end])
            except (msgspec.DecodeError, UnicodeError):
                continue
            if isinstance(read, dict):
                yield read
            break


def _find_schema(system: str) -> Mapping[str, Any] | None:
    """Return the schema that stands in the instructions, for servers that take none."""
    start = system.rfind('{"type":"object"')
    if start < 0:
        return None
    try:
        read: Mapping[str, Any] = msgspec.json.decode(system[start:])
    except msgspec.DecodeError:
        return None
    return read


def _make_smallest(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _make_value(rule) for name, rule in schema.get("properties", {}).items()}


def _make_value(rule: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    if "enum" in rule:
        return rule["enum"][0]
    if "anyOf" in rule:
        return None if {"type": "null"} in rule["anyOf"] else _make_value(rule["anyOf"][0])
    kind = rule.get("type")
    if kind == "object":
        return _make_smallest(rule)
    return {"integer": 0, "number": 0.0, "boolean": False, "array": [], "null": None}.get(str(kind), "")
