"""Determine which older facts a sentence in a language other than English ends: "Ich rauche nicht mehr"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from keepsaid.engine.facts.other_languages.language_clues import guess_language
from keepsaid.engine.facts.other_languages.registry import load_phrase_table
from keepsaid.engine.facts.other_languages.spelling import UNSPACED, normalize
from keepsaid.engine.facts.other_languages.table import PhraseTable
from keepsaid.engine.languages import detect_language
from keepsaid.engine.languages.registry import language_tables

MIN_SHARED_WORDS = 2
"""Content words that two sentences must share to be about the same thing, unless one has no others."""
STEM_LENGTHS = {"ko": 2, "ar": 4, "hi": 4}
"""Number of first letters that two forms of a word share; 5 in other languages."""

_WORDS = re.compile(r"[^\W_]+(?:[\u0900-\u0903\u093a-\u094f\u0962\u0963][^\W_]*)*")
_CLAUSE = re.compile(
    r"[,;，；、،。:：—–]| (?:und|y|e|et|en|och|i|и|ve|و|और|aber|pero|ma|mais|mas|maar|men|ale|но|ama|لكن|लेकिन) "
)


@lru_cache(maxsize=512)
def says_ended(text: str) -> bool:
    """Return whether a text in a language other than English says that something ended.

    >>> says_ended("Ich rauche nicht mehr"), says_ended("Ich rauche"), says_ended("I no longer smoke")
    (True, False, False)
    """
    code = _language(text)
    table = load_phrase_table(code)
    return table is not None and "over" in table.sentence_phrases.find(normalize(text, table.code))


def ends_older_fact(newer: str, older: str, about_person: bool) -> bool:
    """Return whether a sentence that says something ended is about what the older sentence states.

    They must share two content words, or all content words of the clause that says so. If they are about a person, they must
    share the first word, which names the person.

    >>> ends_older_fact("Ich arbeite nicht mehr bei Bosch, jetzt bin ich frei", "Ich arbeite bei Bosch", False)
    True
    >>> ends_older_fact("Ich arbeite nicht mehr bei Bosch", "Ich arbeite bei Siemens", False)
    False
    """
    code = _language(newer)
    table = load_phrase_table(code)
    if table is None:
        return False
    ended = [word for clause in _ended_clauses(newer, table) for word in stem_content_words(clause, table.code)]
    known = set(stem_content_words(older, table.code))
    shared = known.intersection(ended)
    if not shared or (about_person and ended[0] not in known):
        return False
    return len(shared) >= MIN_SHARED_WORDS or shared == set(ended)


def names_replacement(text: str) -> bool:
    """Return whether a sentence that says something ended also says what replaced it.

    >>> names_replacement("Ich hab den Golf verkauft und fahre einen Mazda"), names_replacement("Ich rauche nicht mehr")
    (True, False)
    """
    code = _language(text)
    table = load_phrase_table(code)
    if table is None:
        return False
    clauses = _CLAUSE.split(normalize(text, table.code))
    return any(
        stem_content_words(clause, table.code) for clause in clauses if "over" not in table.sentence_phrases.find(clause)
    )


def stem_content_words(text: str, code: str) -> list[str]:
    """Return the stems of the words of a text that are not stop words, in order; character pairs for Chinese and Japanese.

    >>> stem_content_words("Ich arbeite bei der Post", "de")
    ['arbei', 'post']
    """
    normal = normalize(text, code)
    if code in ("zh", "ja"):
        stops = _stop_words(code)
        runs = re.findall(r"[\u30a1-\u30fa\u30fc]{2,}|[a-z0-9]{2,}|[\u4e00-\u9fff]+", normal)
        pairs = (run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
        return [pair for pair in pairs if pair not in stops and not stops.issuperset(pair)]
    size, stops = STEM_LENGTHS.get(code, 5), _stop_words(code)
    return [word[:size] for word in _WORDS.findall(normal) if word not in stops and len(word) > 1]


def _ended_clauses(text: str, table: PhraseTable) -> list[str]:
    """Return the clauses that say something ended, without the words that say so."""
    found: list[str] = []
    for clause in _CLAUSE.split(normalize(text, table.code)):
        cues = table.sentence_phrases.find(clause).get("over", [])
        if cues:
            found.append(clause if table.code in UNSPACED else _without_cues(clause, cues))
    return found


def _without_cues(clause: str, cues: Sequence[re.Match[str]]) -> str:
    """Remove one-word cues ("sold"), which are not content. A longer one may span content ("no … más")."""
    for cue in cues:
        if " " not in cue[0]:
            clause = f"{clause[: cue.start()]}{' ' * len(cue[0])}{clause[cue.end() :]}"
    return clause


def _language(text: str) -> str | None:
    return detect_language(text) or guess_language(text)


@cache
def _stop_words(code: str) -> frozenset[str]:
    words = language_tables()[code].stop_words
    return frozenset(normalize(words, code).split()) | frozenset(normalize(_MORE_STOPS.get(code, ""), code).split())


_MORE_STOPS = {
    "de": "mehr längst verkauft jetzt nun inzwischen seit",
    "fr": "plus maintenant vendu arrêté",
    "es": "ya ahora dejado dejé",
    "it": "più adesso ora smesso",
    "pt": "mais agora parei deixei",
    "nl": "meer nu gestopt",
    "sv": "längre kvar slutat nu",
    "pl": "już teraz przestałem przestałam",
    "ru": "больше уже теперь бросил бросила перестал перестала",
    "tr": "artık şimdi bıraktım",
    "hi": "अब नहीं हूँ है",
    "ar": "أعد عدت لم بعد",
    "ko": "이제 더 이상 더는 안 나는 저는 나 저",
    "zh": "不再 已经 现在 我现 我已 经不",
    "ja": "",
}
"""Words that only say that something has changed."""
