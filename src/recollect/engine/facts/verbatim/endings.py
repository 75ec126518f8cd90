"""Which older facts a sentence in another language than English ends: "Ich rauche nicht mehr", "ya no trabajo aquí"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from recollect.engine.facts.verbatim.clues import guess_language
from recollect.engine.facts.verbatim.registry import phrase_table
from recollect.engine.facts.verbatim.spelling import UNSPACED, normalize
from recollect.engine.facts.verbatim.table import PhraseTable
from recollect.engine.languages import detect_language
from recollect.engine.languages.registry import language_tables

ENOUGH = 2
"""Content words that two sentences about the same thing share, unless one has no others."""
STEM = {"ko": 2, "ar": 4, "hi": 4}
"""Letters by which two forms of a word are taken for one; 5 in other languages."""

_WORDS = re.compile(r"[^\W_]+(?:[\u0900-\u0903\u093a-\u094f\u0962\u0963][^\W_]*)*")
_CLAUSE = re.compile(
    r"[,;，；、،。:：—–]| (?:und|y|e|et|en|och|i|и|ve|و|और|aber|pero|ma|mais|mas|maar|men|ale|но|ama|لكن|लेकिन) "
)


@lru_cache(maxsize=512)
def says_over(text: str) -> bool:
    """Return whether a text says, in another language than English, that something is over.

    >>> says_over("Ich rauche nicht mehr"), says_over("Ich rauche"), says_over("I no longer smoke")
    (True, False, False)
    """
    code = _language(text)
    table = phrase_table(code)
    return table is not None and "over" in table.sentence_phrases.find(normalize(text, table.code))


def ends_older(newer: str, older: str, about_person: bool) -> bool:
    """Return whether a sentence that says something is over is about what the older one states.

    They must share two content words, or all that the clause with the end has. Of people they must share the first one,
    which names who it is.

    >>> ends_older("Ich arbeite nicht mehr bei Bosch, jetzt bin ich frei", "Ich arbeite bei Bosch", False)
    True
    >>> ends_older("Ich arbeite nicht mehr bei Bosch", "Ich arbeite bei Siemens", False)
    False
    """
    code = _language(newer)
    table = phrase_table(code)
    if table is None:
        return False
    ended = [word for clause in _ended_clauses(newer, table) for word in content_words(clause, table.code)]
    known = set(content_words(older, table.code))
    shared = known.intersection(ended)
    if not shared or (about_person and ended[0] not in known):
        return False
    return len(shared) >= ENOUGH or shared == set(ended)


def says_what_instead(text: str) -> bool:
    """Return whether a sentence that says something is over also says what came instead.

    >>> says_what_instead("Ich hab den Golf verkauft und fahre einen Mazda"), says_what_instead("Ich rauche nicht mehr")
    (True, False)
    """
    code = _language(text)
    table = phrase_table(code)
    if table is None:
        return False
    clauses = _CLAUSE.split(normalize(text, table.code))
    return any(content_words(clause, table.code) for clause in clauses if "over" not in table.sentence_phrases.find(clause))


def content_words(text: str, code: str) -> list[str]:
    """Return the stems of a text's words that are no stop words, in order; pairs of characters for Chinese and Japanese.

    >>> content_words("Ich arbeite bei der Post", "de")
    ['arbei', 'post']
    """
    normal = normalize(text, code)
    if code in ("zh", "ja"):
        stops = _stop_words(code)
        runs = re.findall(r"[\u30a1-\u30fa\u30fc]{2,}|[a-z0-9]{2,}|[\u4e00-\u9fff]+", normal)
        pairs = (run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
        return [pair for pair in pairs if pair not in stops and not stops.issuperset(pair)]
    size, stops = STEM.get(code, 5), _stop_words(code)
    return [word[:size] for word in _WORDS.findall(normal) if word not in stops and len(word) > 1]


def _ended_clauses(text: str, table: PhraseTable) -> list[str]:
    """The clauses that say something is over, without the words that say so."""
    found: list[str] = []
    for clause in _CLAUSE.split(normalize(text, table.code)):
        cues = table.sentence_phrases.find(clause).get("over", [])
        if cues:
            found.append(clause if table.code in UNSPACED else _without_cues(clause, cues))
    return found


def _without_cues(clause: str, cues: Sequence[re.Match[str]]) -> str:
    """A one-word cue ("sold") is no content; a longer one may span some ("no … más")."""
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
"""Words that say only that something has changed."""
