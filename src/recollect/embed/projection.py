"""Token vectors as they are stored: a state's 384 numbers, centred, on the 128 axes that tell most, one byte for each.

It runs in onnxruntime on the caller's thread, too. numpy would hand the product to its own pool of threads, which wait by
spinning: on a busy machine that doubles the processor time of an embedding.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from recollect.embed.onnx_file import FLOAT, INT8, Graph
from recollect.embed.runtime import session_of

Floats = NDArray[np.float32]

FILE = "projection.npy"
TOKEN_WIDTH = 128
STEPS = 127


@cache
def projection() -> tuple[Floats, Floats]:
    """The centre of token states and the axes on which they differ most, fitted once by `docs/make_projection.py`."""
    content = resources.files("recollect.embed").joinpath(FILE).read_bytes()
    table = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float32)
    return table[0], table[1:]


@cache
def projector() -> Callable[[Floats], bytes]:
    """A function from the states of tokens to their rows of bytes, one below the other."""
    session = session_of(_network())

    def rows(states: Floats) -> bytes:
        return session.run(["rows"], {"states": states})[0].tobytes() if len(states) else b""

    return rows


def _network() -> bytes:
    """Length one, minus the centre, onto the axes, length one again, and rounded."""
    centre, axes = projection()
    graph = Graph()
    states = graph.input("states", FLOAT, ["tokens", axes.shape[1]])
    centred = graph.node("Sub", graph.node("LpNormalization", states), graph.constant(centre))
    reduced = graph.node("MatMul", centred, graph.constant(axes.T))
    scaled = graph.node("Mul", graph.node("LpNormalization", reduced), graph.constant(np.array(STEPS, np.float32)))
    graph.node("Cast", graph.node("Round", scaled), name="rows", to=INT8)
    graph.output("rows", INT8, ["tokens", axes.shape[0]])
    return graph.file()
