"""Unify spelling variants, so that each phrase is written only once."""

from __future__ import annotations

import re
import unicodedata

UNSPACED = frozenset(("zh", "ja", "ko"))
"""Languages whose phrases match anywhere in a text, not only as whole words."""

_COMMON = {"’": "'", "ʼ": "'", "‘": "'", "İ": "i", "\u00a0": " ", "\u202f": " ", "\t": " "}
_OTHER: dict[str, dict[str, str]] = {
    "tr": {"I": "ı"},
    "ru": {"ё": "е", "Ё": "е"},
    "zh": dict(zip(
        "們個麼說電話還會沒過這應該東車買賣開關對與從養貓機愛歡討厭歲媽兒來給讓請問學業職員記時後見長"
        "寫論婦麩質馬魚鳥龜飛鋼腦筆書畫碼為顧飯館醫師護藥糧壓憂鬱紀錄錢頭額體廚畢結離辭換現總經歷節點",
        "们个么说电话还会没过这应该东车买卖开关对与从养猫机爱欢讨厌岁妈儿来给让请问学业职员记时后见长"
        "写论妇麸质马鱼鸟龟飞钢脑笔书画码为顾饭馆医师护药粮压忧郁纪录钱头额体厨毕结离辞换现总经历节点",
        strict=True)),
    "ar": {"ى": "ي", "ة": "ه", "ـ": "", "\u0670": "",
           **{chr(code): "" for code in range(0x064B, 0x0653)}},
    "hi": {"\u0901": "\u0902", "\u093c": "", "\u200c": "", "\u200d": "",
           **dict(zip(map(chr, range(0x0958, 0x0960)), "\u0915\u0916\u0917\u091c\u0921\u0922\u092b\u092f", strict=True))},
}  # fmt: skip
_TABLES = {code: str.maketrans({**_COMMON, **letters}) for code, letters in _OTHER.items()}
_PLAIN_TABLE = str.maketrans(_COMMON)
_ACCENTED = "à-öø-ÿąćęłńśźżğışœ"
_WITH_ACCENT = re.compile(rf"(?P<set>\[[^\]]*\])|(?<=\w)[{_ACCENTED}]|[{_ACCENTED}](?=\w)|[أإآ]")


def normalize(text: str, code: str) -> str:
    """Return a text in lower case and with one spelling for variants of a letter.

    >>> normalize("J’habite À Lyon", "fr"), normalize("أُخْتِي", "ar")
    ("j'habite à lyon", 'أختي')
    """
    return unify_letters(text, code).lower()


def unify_letters(text: str, code: str) -> str:
    """Return a text with one spelling for variants of a letter.

    >>> unify_letters("Ещё", "ru")
    'Еще'
    """
    return text.translate(_TABLES.get(code, _PLAIN_TABLE))


def accept_plain_letters(expression: str) -> str:
    """Let a letter with an accent in a regular expression match without it too, if it is not a word by itself.

    >>> accept_plain_letters("été à")
    '[ée]t[ée] à'
    """
    if expression.isascii():
        return expression
    return _WITH_ACCENT.sub(_with_plain_letters, expression)


def _with_plain_letters(match: re.Match[str]) -> str:
    letters = match["set"][1:-1] if match["set"] else match[0]
    plain = "".join(_plain(letter) for letter in letters if not letter.isascii())
    return f"[{letters}{plain}]"


def _plain(letter: str) -> str:
    if letter in "łıœß":
        return {"ł": "l", "ı": "i", "œ": "o", "ß": "s"}[letter]
    return unicodedata.normalize("NFD", letter)[0]
