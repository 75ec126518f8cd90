"""Keeps message text out of other libraries' logs."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_asking = ContextVar("_asking", default=False)


def _is_fit_for_logs(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG or not _asking.get()


@contextmanager
def suppress_debug_logs(logger: str) -> Generator[None]:
    """Suppress debug records of this logger inside the block, in this context only. Versions of the OpenAI library before 3
    log whole requests, including messages."""
    # A logger does not add the same filter twice.
    logging.getLogger(logger).addFilter(_is_fit_for_logs)
    before = _asking.set(True)
    try:
        yield
    finally:
        _asking.reset(before)
