"""Load phrase tables by language."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from keepsaid.engine.facts.other_languages.table import PhraseTable

PHRASE_LANGUAGES = frozenset("de fr es it pt nl sv pl ru tr zh ja ko ar hi".split())


@cache
def load_phrase_table(code: str | None) -> PhraseTable | None:
    """Return the table of a language; None if there is none. A table is imported at its first use."""
    if code not in PHRASE_LANGUAGES:
        return None
    return import_module(f"keepsaid.engine.facts.other_languages.languages.{code}").TABLE
