"""All language tables, by code."""

from __future__ import annotations

from functools import cache

from recollect.engine.languages.table import LanguageTable

LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "tr")
"""Languages in Latin letters, which only their words tell apart."""
LANGUAGES = (*LATIN, "ru", "zh", "ja", "ko", "ar", "hi")


@cache
def language_tables() -> dict[str, LanguageTable]:
    """The table of every language. They are imported at the first call: a program that only reads needs none.

    >>> language_tables()["de"].stemmer
    'german'
    """
    from recollect.engine.languages.ar import ARABIC
    from recollect.engine.languages.de import GERMAN
    from recollect.engine.languages.en import ENGLISH
    from recollect.engine.languages.es import SPANISH
    from recollect.engine.languages.fr import FRENCH
    from recollect.engine.languages.hi import HINDI
    from recollect.engine.languages.it import ITALIAN
    from recollect.engine.languages.ja import JAPANESE
    from recollect.engine.languages.ko import KOREAN
    from recollect.engine.languages.nl import DUTCH
    from recollect.engine.languages.pl import POLISH
    from recollect.engine.languages.pt import PORTUGUESE
    from recollect.engine.languages.ru import RUSSIAN
    from recollect.engine.languages.sv import SWEDISH
    from recollect.engine.languages.tr import TURKISH
    from recollect.engine.languages.zh import CHINESE

    tables = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, SWEDISH, POLISH, TURKISH,
              RUSSIAN, CHINESE, JAPANESE, KOREAN, ARABIC, HINDI)  # fmt: skip
    return {table.code: table for table in tables}
