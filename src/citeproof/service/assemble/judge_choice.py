"""The judge of a run: the shipped model with the user's thresholds, calibration and promise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from citeproof.errors import UsageError
from citeproof.judgement.judge import false_alarm_limit, model, user_calibration
from citeproof.judgement.judge.model import Model
from citeproof.settings import Settings
from citeproof.text.typed_decoding import decode_json

MAX_BYTES = 10_000_000  # bytes of thresholds or calibration; nothing real is longer
_Made = TypeVar("_Made", user_calibration.Thresholds, user_calibration.Calibration)


@dataclass(frozen=True, slots=True)
class ChosenJudge:
    """The judge of a run, and what was made for another judge and therefore left aside."""

    model: Model
    trouble: tuple[str, ...] = ()
    thresholds: user_calibration.Thresholds | None = None  # the user's own


def choose_judge(settings: Settings) -> ChosenJudge:
    """Return the judge with the thresholds, the calibration and the promise that `settings` ask for."""
    cut = choose_cut_judge(settings)
    judge = cut.model
    calibration, why = _load_tuning(
        user_calibration.Calibration, settings.calibration_file, judge, settings.judge_calibration
    )
    measured = None
    if calibration is not None:
        judge, measured = user_calibration.apply_calibration(judge, calibration)
    if settings.base_rate is not None:
        judge = msgspec.structs.replace(judge, stated_rate=settings.base_rate)
    if settings.max_false_accusations is not None:
        judge = false_alarm_limit.bind_model(judge, settings.max_false_accusations, measured)
    trouble, pair = [*cut.trouble, why], cut.thresholds
    if pair is not None and pair.language_model and settings.llm:  # last: no promise rests on this pair
        if pair.language_model == settings.llm:
            judge = user_calibration.apply_model_thresholds(judge, pair)
        else:
            used = f"the thresholds of {pair.language_model} are not used for {settings.llm}"
            trouble.append(f"{settings.thresholds_file}: {used}")
    return ChosenJudge(judge, tuple(filter(None, trouble)), pair)


def choose_cut_judge(settings: Settings) -> ChosenJudge:
    """Return the shipped judge with the thresholds that `settings` ask for, and nothing else."""
    judge = model.load_model()
    chosen, why = _load_tuning(
        user_calibration.Thresholds, settings.thresholds_file, judge, settings.judge_thresholds
    )
    if chosen is not None:
        judge = user_calibration.apply_thresholds(judge, chosen)
    return ChosenJudge(judge, (why,) if why else (), chosen)


def _load_tuning(kind: type[_Made], path: Path, judge: Model, asked: Path | None) -> tuple[_Made | None, str]:
    """Return what is at `path` if it was made for `judge`; else why not. If `asked`, it must be there."""
    if asked is None and not path.is_file():
        return None, ""
    try:
        with path.open("rb") as file:
            made = decode_json(file.read(MAX_BYTES), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        why = f"cannot be read: {error}"
        if asked is not None:
            raise UsageError(why, place=str(path), hint=f"create it again with `{kind.BY}`") from error
        return None, f"{path} {why}; create it again with `{kind.BY}`, or remove it with `{kind.BY} --forget`"
    if made.judge != judge.name:
        return None, (
            f"{path} is not used: it was made for the judge {made.judge}, and this is {judge.name}; "
            f"create it again with `{kind.BY}`, or remove it with `{kind.BY} --forget`"
        )
    return made, ""
