"""The phrase tables by language."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from recollect.engine.facts.verbatim.table import PhraseTable

CODES = frozenset("de fr es it pt nl sv pl ru tr zh ja ko ar hi".split())


@cache
def phrase_table(code: str | None) -> PhraseTable | None:
    """Return the table of a language; None if there is none. A table is loaded when it is first needed."""
    if code not in CODES:
        return None
    return import_module(f"recollect.engine.facts.verbatim.{code}").TABLE
