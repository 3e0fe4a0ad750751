"""The APIs of language models on loopback, with a model of the test's own behind them.

with World(Shelf(), apis=make_model_apis(ObedientModel())) as world:
    world.urls["openai"], world.urls["anthropic"], world.urls["google"]
"""

from tests.model_servers.model_calls import LoopbackModel, ModelCall, ModelTurn, WireRules, make_model_error
from tests.model_servers.model_wires import make_model_apis
from tests.model_servers.obedient_model import ObedientModel

__all__ = [
    "LoopbackModel", "ModelCall", "ModelTurn", "ObedientModel", "WireRules", "make_model_apis",
    "make_model_error",
]  # fmt: skip
