"""all-MiniLM-L6-v2 as an ONNX network, made from the published weights in a quarter of their size.

The network takes one text's token ids and returns one state per token; the caller does the pooling. It takes one text at a
time on purpose. Activations are quantized over the whole input, so in a batch the vector of a text would depend on its
neighbors (cosine 0.98–0.99 to itself), and on one thread a batch is no faster.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from keepsaid.embed.onnx_file import FLOAT, INT64, MICROSOFT, OnnxGraph
from keepsaid.errors import EmbedderError

Floats = NDArray[np.float32]
EncoderWeights = Mapping[str, Floats]

HEADS = 12
EPSILON = 1e-12
INPUT, OUTPUT = "input_ids", "states"

WEIGHT_STEPS = 64
"""Weights use seven of their eight bits, because processors without VNNI add two products in 16 bits, which could
saturate."""
WORD_STEPS = 127
"""Word vectors are only looked up, never multiplied as bytes, so they use the whole range."""


def read_safetensors(path: Path) -> EncoderWeights:
    """Map the float tensors of a safetensors file into memory, by name."""
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


def onnx_encoder(weights: EncoderWeights, *, quantised: bool = True) -> bytes:
    """Return the network as an ONNX file. With `quantised` off, it is as exact and as large as the weights."""
    return _EncoderBuilder(weights, quantised).file()


def _quantise(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return the weights as integers, with a scale for each column."""
    scale = np.maximum(np.abs(weight).max(axis=0), EPSILON) / WEIGHT_STEPS
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


class _EncoderBuilder:
    """Builds the ONNX graph of the BERT architecture."""

    def __init__(self, weights: EncoderWeights, quantised: bool) -> None:
        self.weights = weights
        self.quantised = quantised
        self.graph = OnnxGraph()

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
            raise EmbedderError(f"the weights have no {name}: they belong to another model") from None

    def _constant(self, name: str) -> str:
        return self.graph.constant(self._weight(name))

    def _embeddings(self, ids: str) -> str:
        """Add each token's vector and its position's. There is only one segment, so its vector is added to the positions."""
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
        """Look up the token vectors: half of all weights, stored as bytes with a scale for each token."""
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
        """Compute all heads at once. Query, key and value weights are concatenated, as onnxruntime expects."""
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
        """Apply a dense layer, add the residual, and normalize."""
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
