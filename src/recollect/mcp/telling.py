"""What a model is told of what went wrong: words about what it asked. Those about the machine are for the log."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from recollect.errors import Conflict, InvalidInput, NotFound, RecollectError
from recollect.mcp.limits import LONGEST_ERROR, LONGEST_NAME, MOST_NAMED, cut

UNUSABLE = "the memory cannot be used at the moment; whoever runs it finds the reason in its log"

_FOR_MODELS = (InvalidInput, NotFound, Conflict)
"""Errors about what was asked. The others are about stores, models and settings, and name hosts, files and users."""
_log = logging.getLogger(__name__)


def told(error: RecollectError) -> str:
    """The words for a model; of an error that is not about what it asked only that it happened, and the log has the rest.

    >>> told(NotFound("no such session"))
    'no such session'
    """
    if isinstance(error, _FOR_MODELS):
        return cut(str(error), LONGEST_ERROR)[0]
    _log.error("%s: %s", type(error).__name__, error, exc_info=error)
    return UNUSABLE


def without(fallbacks: Iterable[str]) -> list[str]:
    """What had to be done without. Why, behind the colon, are an error's own words: they go to the log.

    >>> without(["searched by words alone: no route to 10.0.0.7"])
    ['searched by words alone']
    """
    reasons = list(fallbacks)
    for reason in reasons:
        _log.warning("%s", reason)
    return [cut(reason.partition(":")[0], LONGEST_NAME)[0] for reason in reasons[:MOST_NAMED]]
