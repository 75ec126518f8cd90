"""The stored form of token vectors: a state's 384 numbers, centered, projected on 128 principal axes, one byte for each.

It also runs in onnxruntime on the caller's thread. numpy would use its own thread pool, which waits by spinning: on a busy
machine that doubles the CPU time of an embedding.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from keepsaid.embed.onnx_file import FLOAT, INT8, OnnxGraph
from keepsaid.embed.runtime import inference_session

Floats = NDArray[np.float32]

PROJECTION_FILE = "projection.npy"
TOKEN_WIDTH = 128
STEPS = 127


@cache
def load_projection() -> tuple[Floats, Floats]:
    """Load the center of token states and their principal axes, fitted once by `docs/make_projection.py`."""
    content = resources.files("keepsaid.embed").joinpath(PROJECTION_FILE).read_bytes()
    table = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return table[0], table[1:]


@cache
def load_projector() -> Callable[[Floats], bytes]:
    """Return a function from the states of tokens to their rows of bytes, concatenated."""
    session = inference_session(_network())

    def rows(states: Floats) -> bytes:
        return session.run(["rows"], {"states": states})[0].tobytes() if len(states) else b""

    return rows


def _network() -> bytes:
    """Build the network: normalize, subtract the center, project on the axes, normalize again, and round."""
    centre, axes = load_projection()
    graph = OnnxGraph()
    states = graph.input("states", FLOAT, ["tokens", axes.shape[1]])
    centred = graph.node("Sub", graph.node("LpNormalization", states), graph.constant(centre))
    reduced = graph.node("MatMul", centred, graph.constant(axes.T))
    scaled = graph.node("Mul", graph.node("LpNormalization", reduced), graph.constant(np.array(STEPS, np.float32)))
    graph.node("Cast", graph.node("Round", scaled), name="rows", to=INT8)
    graph.output("rows", INT8, ["tokens", axes.shape[0]])
    return graph.file()
