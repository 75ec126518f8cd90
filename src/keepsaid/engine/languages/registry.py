"""All language tables, by code."""

from __future__ import annotations

from functools import cache

from keepsaid.engine.languages.table import LanguageTable

LATIN_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "tr")
"""Languages in Latin letters, which only their words distinguish."""
LANGUAGES = (*LATIN_LANGUAGES, "ru", "zh", "ja", "ko", "ar", "hi")


@cache
def language_tables() -> dict[str, LanguageTable]:
    """Return the table of every language. They are imported at the first call, because many programs need none.

    >>> language_tables()["de"].stemmer
    'german'
    """
    from keepsaid.engine.languages.ar import ARABIC
    from keepsaid.engine.languages.de import GERMAN
    from keepsaid.engine.languages.en import ENGLISH
    from keepsaid.engine.languages.es import SPANISH
    from keepsaid.engine.languages.fr import FRENCH
    from keepsaid.engine.languages.hi import HINDI
    from keepsaid.engine.languages.it import ITALIAN
    from keepsaid.engine.languages.ja import JAPANESE
    from keepsaid.engine.languages.ko import KOREAN
    from keepsaid.engine.languages.nl import DUTCH
    from keepsaid.engine.languages.pl import POLISH
    from keepsaid.engine.languages.pt import PORTUGUESE
    from keepsaid.engine.languages.ru import RUSSIAN
    from keepsaid.engine.languages.sv import SWEDISH
    from keepsaid.engine.languages.tr import TURKISH
    from keepsaid.engine.languages.zh import CHINESE

    tables = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, SWEDISH, POLISH, TURKISH,
              RUSSIAN, CHINESE, JAPANESE, KOREAN, ARABIC, HINDI)  # fmt: skip
    return {table.code: table for table in tables}
