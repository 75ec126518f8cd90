"""onnxruntime, set up so that it stays on the caller's thread."""

from __future__ import annotations

from typing import Any, cast

import onnxruntime  # pyright: ignore[reportMissingTypeStubs]


def session_of(model: bytes | str, threads: int = 1) -> Any:
    """A session that runs this model (the file's content or its path) with so many threads, and does not chat."""
    runtime = cast("Any", onnxruntime)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
