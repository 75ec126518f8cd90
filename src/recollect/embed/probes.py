"""The probes of the local model: linear judgements on its vectors, fitted by `docs/make_probes.py`.

They read two things out of a vector of the multilingual model, in any of its languages: whether a message states something
lasting about who wrote it, and whether a turn can do with memories.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from recollect.ports import LinearProbe, Probes

FILE = "probes.json"
BEFORE = 384
"""Dimensions of the first model in a joint vector, which the probes pass over."""


@cache
def load_probes() -> Probes | None:
    """The probes that came with the package; None if there are none.

    >>> probes = load_probes()
    >>> probes is not None and len(probes.need.weights)
    896
    """
    file = resources.files("recollect.embed") / FILE
    if not file.is_file():
        return None
    record = json.loads(file.read_text(encoding="utf-8"))
    return Probes(_probe(record["statement"]), _probe(record["need"]), BEFORE)


def _probe(record: dict[str, Any]) -> LinearProbe:
    return LinearProbe((*(0.0,) * BEFORE, *record["weights"]), record["bias"])
