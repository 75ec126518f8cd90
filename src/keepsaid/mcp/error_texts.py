"""Error texts for models: only those about the request. Details about the system go to the log."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from keepsaid.errors import Conflict, InvalidInput, KeepsaidError, NotFound
from keepsaid.mcp.limits import MAX_ERROR_LENGTH, MAX_NAME_LENGTH, MAX_NAMED_ITEMS, truncate

MEMORY_UNAVAILABLE = "the memory cannot be used at the moment; its log has the reason"

_FOR_MODELS = (InvalidInput, NotFound, Conflict)
"""Errors about the request. The others are about stores, models and settings, and name hosts, files and users."""
_log = logging.getLogger(__name__)


def error_text(error: KeepsaidError) -> str:
    """Return the text of an error for a model. An error that is not about the request gets a general text, and is logged.

    >>> error_text(NotFound("no such session"))
    'no such session'
    """
    if isinstance(error, _FOR_MODELS):
        return truncate(str(error), MAX_ERROR_LENGTH)[0]
    _log.error("%s: %s", type(error).__name__, error, exc_info=error)
    return MEMORY_UNAVAILABLE


def fallback_texts(fallbacks: Iterable[str]) -> list[str]:
    """Return the fallbacks without their reasons. A reason, after the colon, is an error text and goes to the log.

    >>> fallback_texts(["searched by words alone: no route to 10.0.0.7"])
    ['searched by words alone']
    """
    reasons = list(fallbacks)
    for reason in reasons:
        _log.warning("%s", reason)
    return [truncate(reason.partition(":")[0], MAX_NAME_LENGTH)[0] for reason in reasons[:MAX_NAMED_ITEMS]]
