"""onnxruntime, configured to run on the caller's thread."""

from __future__ import annotations

from typing import Any, cast

import onnxruntime  # pyright: ignore[reportMissingTypeStubs]


def inference_session(model: bytes | str, threads: int = 1) -> Any:
    """Return a session for a model (the file's content or its path) that uses this many threads and logs only errors."""
    runtime = cast("Any", onnxruntime)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
