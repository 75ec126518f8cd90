"""The probes of the local model: linear classifiers on its vectors, fitted by `benchmarks/make_probes.py`.

They read two things from a multilingual vector, in any of its languages: whether a message states something lasting about
its author, and whether a turn needs memories. The adapter, fitted by `benchmarks/make_adapter.py`, moves the vector of a
turn toward the messages that help with it.
"""

from __future__ import annotations

import json
from base64 import b64decode
from functools import cache
from importlib import resources
from typing import Any

from keepsaid.ports import EmbedderProbes, LinearProbe, QuestionAdapter

PROBES_FILE = "probes.json"
ADAPTER_FILE = "adapter.json"
MINILM_DIMENSIONS = 384
"""Dimensions of all-MiniLM-L6-v2 at the start of a joint vector, which the probes skip."""


@cache
def load_probes() -> EmbedderProbes | None:
    """Load the probes that are shipped with the package; None if there are none.

    >>> probes = load_probes()
    >>> probes is not None and len(probes.need.weights)
    896
    """
    file = resources.files("keepsaid.embed") / PROBES_FILE
    if not file.is_file():
        return None
    record = json.loads(file.read_text(encoding="utf-8"))
    return EmbedderProbes(_probe(record["statement"]), _probe(record["need"]), MINILM_DIMENSIONS, _adapter())


def _probe(record: dict[str, Any]) -> LinearProbe:
    return LinearProbe((*(0.0,) * MINILM_DIMENSIONS, *record["weights"]), record["bias"])


def _adapter() -> QuestionAdapter:
    """Load the adapter: int8 numbers in base64, each matrix with a scale."""
    import numpy as np

    record = json.loads((resources.files("keepsaid.embed") / ADAPTER_FILE).read_text(encoding="utf-8"))

    def matrix(name: str) -> Any:
        numbers = np.frombuffer(b64decode(record[name]["int8"]), np.int8).astype(np.float32)
        return numbers * record[name]["scale"]

    shift = matrix("shift")
    return QuestionAdapter(matrix("down").reshape(len(shift), -1), matrix("up").reshape(-1, len(shift)), shift)
