"""Recognize words that indicate a change: "now", "no longer", "moved", "ab jetzt", "换"."""

from __future__ import annotations

import re
from functools import cache

from keepsaid.engine.languages.detect import detect_language

UNSPACED = ("zh", "ja", "ko")
"""Languages whose words match anywhere in a text, because endings may be attached to them."""

CHANGE_WORDS = {
    "en": (
        r"now|nowadays|no longer|any ?more|any longer|from now on|these days|as of|moved|moving"
        r"|relocated|changed|switched|swapped|replaced|instead|rescheduled|postponed|shuffled?|sold"
        r"|quit|left|gave up|became|promoted|new|updated?|correction|actually|put up|put my \w+ up"
        r"|no more|not .{1,30} but|turned out|since"
    ),
    "de": (
        r"jetzt|nun|inzwischen|mittlerweile|nicht mehr|ab sofort|seit|neue?[nrs]?|umgezogen"
        r"|gewechselt|geändert|stattdessen|verschoben|künftig|verkauft|gekündigt|gezogen|doch"
    ),
    "fr": (
        r"maintenant|désormais|dorénavant|ne .{1,20} plus|n['’]\w+ plus|depuis|nouve(?:au|lle|l|lles"
        r"|aux)|déménagé|changé|du coup|nouvel ordre|finalement|remplacé|reporté|au lieu|vendu"
        r"|passée? à|quitté"
    ),
    "es": (
        r"ahora|ya no|desde|nuev[oa]s?|mud(?:ado|é|amos|ó|aron)|cambi(?:ado|é|ó|amos|aron)|en vez"
        r"|en lugar|últimamente|finalmente|a partir|dejé|dejó|vendí|vendimos|pas(?:é|ó|amos) a"
    ),
    "it": (
        r"ora|adesso|ormai|non .{1,25} più|nuov[oaie]|trasferit[oaie]|cambiat[oaie]|spostat[oaie]"
        r"|d['’]ora in poi|invece|a partire|dal mese|da quando|venduto|lasciato"
    ),
    "pt": (
        r"agora|não .{1,30} mais|já não|desde|nov[oa]s?|mud(?:ei|ou|amos|aram|ado)|troc(?:ou|ei"
        r"|amos)|a partir|em vez|decidi|vend(?:i|emos)|passou a|parei|larguei"
    ),
    "nl": (
        r"nu|tegenwoordig|niet meer|geen .{1,20} meer|voortaan|sinds|nieuwe?|verhuisd|veranderd"
        r"|gewisseld|vanaf|inmiddels|verzet|verkocht|gestopt"
    ),
    "sv": (
        r"nu|numera|inte längre|från och med|ny[at]?|nytt|flyttat|flyttade|flyttar|bytt|ändrat"
        r"|ändrade|kastat om|istället|i stället|sedan|slutat|sålt|inte .{1,20} längre"
    ),
    "pl": (
        r"teraz|już nie|odtąd|od|now[yaeą]|nowego|nowej|przeprowadz\w*|przenos\w*|przenios\w*"
        r"|zmieni\w*|zamiast|obecnie|sprzeda\w*|rzuci\w*"
    ),
    "ru": (
        r"теперь|больше не|сейчас|отныне|нов(?:ый|ая|ое|ую|ого|ой)|переех\w*|смени\w*|поменя\w*"
        r"|перен[её]с\w*|перев\w+|вместо|продал\w*|уволи\w*|бросил\w*|с \w+ месяца"
    ),
    "tr": (
        r"artık|şimdi|değişti\w*|değiştir\w*|yeni|taşındı\w*|bundan sonra|bundan böyle|yerine"
        r"|sattı\w*|bıraktı\w*|oldu"
    ),
    "zh": r"现在|不再|换|搬|改|新|辞|从今|以后|已经|转到",
    "ja": r"今は|今度|もう|変更|変わ|変え|引っ越|新し|代わり|これから|ついに|やめ|先週から|先月から|になった",
    "ko": r"이제|요즘|바뀌|바뀜|바꿨|변경|이사|옮|새로|더 이상|더는|대신|부터|그만",
    "ar": (
        r"الآن|هلق|هلأ|صار\w*|أصبح\w*|لم يعد|لم أعد|ما عاد|نقل\w*|انتقل\w*|تغي\w*|غي[ّ]?ر\w*|جديد\w*"
        r"|بدل\w*|منذ|خلص"
    ),
    "hi": r"अब|बदल\S*|नया|नई|नए|बजाय|हटा\S*|छोड़\S*|शिफ्ट",
}


@cache
def _change_pattern(language: str) -> re.Pattern[str]:
    words = CHANGE_WORDS[language]
    return re.compile(words if language in UNSPACED else rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def says_changed(text: str) -> bool:
    """Return whether a text has a word that indicates a change.

    >>> says_changed("Choir is now on Thursdays."), says_changed("Choir is on Tuesdays."), says_changed("我换工作了")
    (True, False, True)
    """
    language = detect_language(text)
    likely = ("en", *UNSPACED) if language is None else (language,)
    return any(_change_pattern(code).search(text) for code in likely if code in CHANGE_WORDS)
