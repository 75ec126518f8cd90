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
def quiet(logger: str) -> Generator[None]:
    """No debug lines of this logger from what is done inside; others' are left alone. Versions of the OpenAI library before
    3 write whole requests there, messages included."""
    # The same filter again is not added twice.
    logging.getLogger(logger).addFilter(_is_fit_for_logs)
    before = _asking.set(True)
    try:
        yield
    finally:
        _asking.reset(before)
