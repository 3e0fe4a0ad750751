"""Files of thresholds and calibrations: what they may hold, and how the judge's name tells of them."""

import msgspec
import pytest

from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.model import Promise
from citeproof.judgement.judge.user_calibration import (
    Calibration,
    Thresholds,
    apply_calibration,
    apply_thresholds,
)

MODEL = models.load_model()
PAIR = {
    "judge": MODEL.name,
    "exact_at": 8.25,
    "minor_at": 3.5,
    "data": {},
    "figures": {},
    "date": "2026-01-02",
}
FITTED = {
    "judge": MODEL.name, "confidence": msgspec.to_builtins(MODEL.confidence), "base_rate": 0.4,
    "stated_rate": None, "promise": msgspec.to_builtins(Promise(MODEL.name, (), {})), "method": "platt",
    "data": {}, "figures": {}, "date": "2026-01-02",
}  # fmt: skip


def test_the_name_tells_the_thresholds():
    told = apply_thresholds(MODEL, msgspec.convert(PAIR, Thresholds))
    assert (told.name, told.exact_at, told.minor_at) == (f"{MODEL.name}+t8.25/3.5", 8.25, 3.5)


def test_the_name_tells_the_calibration_and_the_promise_goes_with_it():
    one = msgspec.convert(FITTED, Calibration)
    told, promise = apply_calibration(MODEL, one)
    assert told.name.startswith(f"{MODEL.name}+c")
    assert promise.judge == told.name
    assert (told.base_rate, told.stated_rate) == (0.4, None)
    stated, _ = apply_calibration(MODEL, msgspec.structs.replace(one, stated_rate=0.05))
    assert stated.stated_rate == 0.05
    other, _ = apply_calibration(MODEL, msgspec.structs.replace(one, base_rate=0.5))
    assert other.name != told.name


@pytest.mark.parametrize(
    ("kind", "made", "change"),
    [
        (Thresholds, PAIR, {"exact_at": 3.0}),
        (Thresholds, PAIR, {"exact_at": 10.5}),
        (Thresholds, PAIR, {"minor_at": -1.0}),
        (Thresholds, PAIR, {"judge": None}),
        (Calibration, FITTED, {"base_rate": 0.0}),
        (Calibration, FITTED, {"base_rate": 1.0}),
        (Calibration, FITTED, {"stated_rate": 1.5}),
        (Calibration, FITTED, {"stated_rate": 0.0}),
        (Calibration, FITTED, {"confidence": {}}),
        (Calibration, FITTED, {"promise": {}}),
    ],
)
def test_what_makes_no_sense_is_not_read(kind, made, change):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode({**made, **change}), type=kind)
