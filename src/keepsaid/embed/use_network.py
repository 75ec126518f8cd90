"""USE-multilingual v3 as an ONNX network: from a text's embedded pieces to its vector of length one.

The network, as published: each piece is embedded (512 numbers, stored as bytes with a scale and an offset for every 17th
id). Three branches look at two, three and five consecutive pieces: a projection to 256, a shared layer norm, and two
convolutions with a residual connection. Their results and the embedding itself (1,280 numbers) are normalized, summed over
the text, divided by the square root of its length, and passed through five dense layers.

It has no attention, so its time is linear in the text's length. Everything is computed in float32. It runs in onnxruntime on
the caller's thread: numpy would use its own thread pool, which waits by spinning and ignores `embedder_threads` (measured on
three texts and a busy machine: 1.0 to 2.0 times the CPU time).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from keepsaid.embed.onnx_file import FLOAT, INT64, UINT8, OnnxGraph
from keepsaid.errors import EmbedderError

Floats = NDArray[np.float32]
NetworkWeights = Mapping[str, NDArray[Any]]

ROWS, IDS, VECTOR = "rows", "ids", "vector"
"""The names of the inputs (a row of bytes for each piece, and its id) and of the output."""

DIMENSIONS = 512
BRANCH = 256
CHUNKS = 17
"""Ids that are equal modulo this share a scale."""

WINDOWS = ((2, 0), (3, 1), (5, 2))
"""For each branch: the number of consecutive pieces, and how many of them precede the piece itself."""

EPSILON = 1e-12
TO_THE_END = 2**62


def embedding_table(weights: NetworkWeights) -> NDArray[np.uint8]:
    """Return the embeddings of all pieces as bytes, a row for each id."""
    chunks = [_weight(weights, f"q{number + 1}") for number in range(CHUNKS)]
    table = np.empty((CHUNKS * len(chunks[0]), DIMENSIONS), np.uint8)
    for number, chunk in enumerate(chunks):
        table[number::CHUNKS] = chunk
    return table


def onnx_network(weights: NetworkWeights) -> bytes:
    """Return the network as an ONNX file."""
    return _NetworkBuilder(weights).file()


def _weight(weights: NetworkWeights, name: str) -> NDArray[Any]:
    try:
        return weights[name]
    except KeyError:
        raise EmbedderError(f"there is no {name} in these weights: they are not of USE-multilingual v3") from None


class _NetworkBuilder:
    def __init__(self, weights: NetworkWeights) -> None:
        self._weights = weights
        self._graph = OnnxGraph()

    def file(self) -> bytes:
        graph = self._graph
        graph.input(ROWS, UINT8, ["pieces", DIMENSIONS])
        graph.input(IDS, INT64, ["pieces"])
        embedded = self._dequantize()
        branches = self._project(embedded)
        features = graph.node("Concat", embedded, *map(self._branch, branches, WINDOWS), axis=1)
        pooled = self._pool(self._layer_norm(features, [""]))
        self._unit(self._dense_layers(pooled))
        graph.output(VECTOR, FLOAT, [1, DIMENSIONS])
        return graph.file()

    def _dequantize(self) -> str:
        graph = self._graph
        chunk = graph.node("Mod", IDS, self._integers(CHUNKS))
        scale, low = (
            graph.node("Gather", graph.constant(self._float(name).reshape(-1, 1)), chunk, axis=0) for name in ("scale", "lo")
        )
        return graph.node("Add", graph.node("Mul", graph.node("Cast", ROWS, to=FLOAT), scale), low)

    def _project(self, embedded: str) -> list[str]:
        """Return the input of each branch. All three are computed in one product and one layer norm."""
        graph, sizes = self._graph, [size for size, _ in WINDOWS]
        weight = np.concatenate([self._float(f"proj{size}") for size in sizes], axis=1)
        bias = np.concatenate([self._float(f"proj_b{size}") for size in sizes])
        projected = graph.node("Add", graph.node("MatMul", embedded, graph.constant(weight)), graph.constant(bias))
        normal = self._layer_norm(projected, [str(size) for size in sizes])
        return [self._slice(normal, BRANCH * at, BRANCH * (at + 1), axis=1) for at in range(len(WINDOWS))]

    def _branch(self, start: str, window: tuple[int, int]) -> str:
        return self._convolve(self._convolve(start, window, 1), window, 2)

    def _convolve(self, values: str, window: tuple[int, int], layer: int) -> str:
        """Convolve consecutive pieces, with zero padding, and add the result to the input."""
        graph, (size, before) = self._graph, window
        padded = graph.node("Pad", values, self._integers(before, 0, size - 1 - before, 0))
        shifted = [self._slice(padded, at, at - size + 1 or TO_THE_END, axis=0) for at in range(size)]
        rows = graph.node("Concat", *shifted, axis=1)
        product = graph.node("MatMul", rows, self._constant(f"w{layer}_{size}"))
        seen = graph.node("Relu", graph.node("Add", product, self._constant(f"b{layer}_{size}")))
        return graph.node("Add", seen, values)

    def _pool(self, features: str) -> str:
        """Sum over the text and divide by the square root of its length. The sum is projected once, because projection is
        linear."""
        graph = self._graph
        count = graph.node("Cast", graph.node("Shape", IDS), to=FLOAT)
        total = graph.node("MatMul", graph.node("ReduceSum", features, self._integers(0)), self._constant("cnn_W"))
        biased = graph.node("Add", total, graph.node("Mul", count, self._constant("cnn_b")))
        return graph.node("Div", biased, graph.node("Sqrt", count))

    def _dense_layers(self, pooled: str) -> str:
        graph = self._graph
        first = graph.node("Relu", self._product(pooled, "d0"))
        second = graph.node("Relu", graph.node("Add", self._product(pooled, "p1"), self._product(first, "d1")))
        third = graph.node("Relu", self._product(second, "d2"))
        return graph.node("Tanh", graph.node("Add", self._product(second, "p3"), self._product(third, "d3")))

    def _unit(self, values: str) -> None:
        self._graph.node("LpNormalization", values, name=VECTOR)

    def _layer_norm(self, values: str, parts: list[str]) -> str:
        gain, bias = (
            self._graph.constant(np.concatenate([self._float(f"ln_{kind}{part}") for part in parts])) for kind in "gb"
        )
        return self._graph.node("LayerNormalization", values, gain, bias, axis=-1, epsilon=EPSILON)

    def _product(self, values: str, name: str) -> str:
        return self._graph.node("MatMul", values, self._constant(name))

    def _slice(self, values: str, start: int, end: int, *, axis: int) -> str:
        return self._graph.node("Slice", values, self._integers(start), self._integers(end), self._integers(axis))

    def _constant(self, name: str) -> str:
        return self._graph.constant(self._float(name))

    def _integers(self, *values: int) -> str:
        return self._graph.constant(np.array(values, np.int64))

    def _float(self, name: str) -> Floats:
        return np.asarray(_weight(self._weights, name), np.float32)
