"""all-MiniLM-L6-v2 as an ONNX network: from the published weights to a file a quarter of their size.

The network takes one text's token ids and gives one state per token; pooling is left to the caller. It takes one text at a
time on purpose: activations are quantised over the whole input, so in a batch the vector of a text would depend on its
neighbours (cosine 0.98–0.99 to itself), and on one thread a batch is no faster.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.embed.onnx_file import FLOAT, INT64, MICROSOFT, Graph
from recollect.errors import EmbedderError

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]

HEADS = 12
EPSILON = 1e-12
INPUT, OUTPUT = "input_ids", "states"

WEIGHT_STEPS = 64
"""Weights use seven of their eight bits: processors without VNNI add two products in 16 bits, which would saturate."""
WORD_STEPS = 127
"""Word vectors are only looked up, never multiplied as bytes, so they use the whole range."""


def read_safetensors(path: Path) -> Weights:
    """The float tensors of a safetensors file by name, mapped into memory, not read."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > path.stat().st_size:
            raise EmbedderError(f"{path} is not a safetensors file")
        header: dict[str, Any] = json.loads(file.read(length))
    data = np.memmap(path, np.uint8, "r", 8 + length)
    return {
        name: data[slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def onnx_encoder(weights: Weights, *, quantised: bool = True) -> bytes:
    """The network as an ONNX file; with `quantised` off, as exact and as large as the weights."""
    return _Encoder(weights, quantised).file()


def _quantise(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Whole numbers, with a scale for each column."""
    scale = np.maximum(np.abs(weight).max(axis=0), EPSILON) / WEIGHT_STEPS
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


class _Encoder:
    """Walks through the BERT architecture once and writes each step down."""

    def __init__(self, weights: Weights, quantised: bool) -> None:
        self.weights = weights
        self.quantised = quantised
        self.graph = Graph()

    def file(self) -> bytes:
        ids = self.graph.input(INPUT, INT64, [1, "tokens"])
        states = self._embeddings(ids)
        layers = sum(name.endswith("attention.self.query.weight") for name in self.weights)
        for number in range(layers):
            states = self._layer(f"encoder.layer.{number}.", states)
        self.graph.node("Identity", states, name=OUTPUT)
        self.graph.output(OUTPUT, FLOAT, [1, "tokens", self._weight("embeddings.LayerNorm.weight").shape[0]])
        return self.graph.file()

    def _weight(self, name: str) -> Floats:
        try:
            return self.weights[name]
        except KeyError:
            raise EmbedderError(f"the weights have no {name}: they are of another model") from None

    def _constant(self, name: str) -> str:
        return self.graph.constant(self._weight(name))

    def _embeddings(self, ids: str) -> str:
        """A token's vector plus its position's; there is only one kind of segment, so its vector joins the positions."""
        graph = self.graph
        positions = self._weight("embeddings.position_embeddings.weight")
        positions = positions + self._weight("embeddings.token_type_embeddings.weight")[0]
        zero, one, two = (graph.constant(np.array([number], np.int64)) for number in range(3))
        length = graph.node("Slice", graph.node("Shape", ids), one, two)
        places = graph.node("Slice", graph.constant(positions), zero, length)
        return graph.node(
            "LayerNormalization",
            graph.node("Add", self._words(ids), places),
            self._constant("embeddings.LayerNorm.weight"),
            self._constant("embeddings.LayerNorm.bias"),
            epsilon=EPSILON,
        )

    def _words(self, ids: str) -> str:
        """The vectors of the tokens: half of all weights, kept as bytes with a scale for each token."""
        graph = self.graph
        table = self._weight("embeddings.word_embeddings.weight")
        if not self.quantised:
            return graph.node("Gather", graph.constant(table), ids)
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), EPSILON) / WORD_STEPS
        rows = graph.node("Gather", graph.constant(np.rint(table / scale).astype(np.int8)), ids)
        scales = graph.node("Gather", graph.constant(scale.astype(np.float32)), ids)
        return graph.node("Mul", graph.node("Cast", rows, to=FLOAT), scales)

    def _layer(self, prefix: str, states: str) -> str:
        graph = self.graph
        seen = self._attention(prefix + "attention.self.", states)
        states = self._add_and_normalise(prefix + "attention.output.", seen, states)
        wide = self._matmul(states, self._weight(prefix + "intermediate.dense.weight"))
        wide = graph.node("BiasGelu", wide, self._constant(prefix + "intermediate.dense.bias"), domain=MICROSOFT)
        return self._add_and_normalise(prefix + "output.", wide, states)

    def _attention(self, prefix: str, states: str) -> str:
        """All heads at once; query, key and value weights stand side by side, as onnxruntime wants them."""
        graph = self.graph
        parts = ("query", "key", "value")
        weight = np.concatenate([self._weight(f"{prefix}{part}.weight") for part in parts]).T
        bias = graph.constant(np.concatenate([self._weight(f"{prefix}{part}.bias") for part in parts]))
        if not self.quantised:
            inputs = (states, graph.constant(weight), bias)
            return graph.node("Attention", *inputs, domain=MICROSOFT, num_heads=HEADS)
        whole, scale = _quantise(weight)
        rounded, step, zero = graph.nodes("DynamicQuantizeLinear", states, results=3)
        no_mask, centre = "", graph.constant(np.zeros(len(scale), np.int8))
        inputs = (rounded, graph.constant(whole), bias, step, graph.constant(scale), no_mask, zero, centre)
        return graph.node("QAttention", *inputs, domain=MICROSOFT, num_heads=HEADS)

    def _add_and_normalise(self, prefix: str, states: str, before: str) -> str:
        """A dense step, added to what was there before it, and brought back to an even scale."""
        return self.graph.node(
            "SkipLayerNormalization",
            self._matmul(states, self._weight(prefix + "dense.weight")),
            before,
            self._constant(prefix + "LayerNorm.weight"),
            self._constant(prefix + "LayerNorm.bias"),
            self._constant(prefix + "dense.bias"),
            domain=MICROSOFT,
            epsilon=EPSILON,
        )

    def _matmul(self, states: str, weight: Floats) -> str:
        graph = self.graph
        if not self.quantised:
            return graph.node("MatMul", states, graph.constant(weight.T))
        whole, scale = _quantise(weight.T)
        return graph.node("DynamicQuantizeMatMul", states, graph.constant(whole), graph.constant(scale), domain=MICROSOFT)
