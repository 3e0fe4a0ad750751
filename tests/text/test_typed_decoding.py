"""Threads that meet a type for the first time at once, which makes msgspec 0.22 crash."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import citeproof

FIRST_MEETING = """
import sys, threading, types
import msgspec
from citeproof.text.typed_decoding import convert_value, decode_json, decode_msgpack

CLASSES = '''
from __future__ import annotations
import msgspec
class Person(msgspec.Struct):
    name: str
    others: dict[str, int] = {}
class Work(msgspec.Struct):
    first: Person
    people: list[Person]
    year: int | None = None
'''
PLAIN = {"year": 3, "people": [{"name": "a"}], "first": {"name": "b", "others": {"c": 1}}}
JSON, PACKED = msgspec.json.encode(PLAIN), msgspec.msgpack.encode(PLAIN)

def meet(number):
    made = types.ModuleType(f"made{number}")
    sys.modules[made.__name__] = made
    exec(CLASSES, made.__dict__)
    together = threading.Barrier(4)
    ways = (
        lambda: decode_json(JSON, type=made.Work),
        lambda: decode_msgpack(PACKED, type=made.Work),
        lambda: convert_value(PLAIN, made.Work),
        lambda: decode_json(JSON, type=made.Work),
    )
    def go(way):
        together.wait()
        assert way().first.name == "b"
    threads = [threading.Thread(target=go, args=(way,)) for way in ways]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

sys.setswitchinterval(1e-6)
for number in range(300):
    meet(number)
print("met")
"""
UNGUARDED = re.compile(
    r"msgspec\.(?:json|msgpack)\.decode\([^()]*(?:\([^()]*\)[^()]*)*\btype=|msgspec\.convert\("
)


def test_threads_may_meet_a_type_at_once():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_MEETING], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "met\n"), done.stderr[-2000:]


def test_every_module_decodes_that_way():
    root = Path(citeproof.__file__).parent.parent
    files = [path for path in root.rglob("*.py") if path.name != "typed_decoding.py"]
    assert [str(path) for path in files if UNGUARDED.search(path.read_text("utf-8"))] == []
