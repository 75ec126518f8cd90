"""Escape text so that it cannot end the block it is in: tags of our blocks inside a text lose their bracket.

A model also reads `</memory>` where a program sees other letters, or invisible ones in between. So the characters after a
bracket are compared by their appearance.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MEMORY, SUMMARY, PROFILE = "memory", "summary", "profile"

_BRACKET = re.compile(r"[<＜﹤〈\u2329⟨‹❬❮❰˂ᐸᚲ⧼\U0001d236]")
HARMLESS = "‹"
"""Replaces a bracket. Where a text already has this character, it is checked as well, and stays."""

_LOOKAHEAD = 64
"""Visible characters after a bracket in which the name of a tag is looked for."""

_LOOK_ALIKES = {
    "a": "аɑαⱥɐꭺᎪꓮⲁ",
    "e": "еεєɛɇеᴇꬲᎬꓰⲉեℯ",
    "f": "ꜰƒғꝼẝꓝϝք",
    "i": "ıіɪιɩʟӏⅼǀlłɫɭᏆᏞᛁꓲꓡⲓⲗլւוןاـ",
    "m": "мᴍμӎɱᵯᎷꓟⲙⅿᛖ",
    "o": "о0ᴏᴑοөøɵσօჿסهہەഠဝᎾᎤꓳⲟ०০੦૦୦௦౦೦൦๐໐၀٥۵sѕꜱȿʂꞅꓢᏚᏕտ𐐬𐓪",
    "p": "рᴘρᵽꝑᏢꓑⲣþ",
    "r": "гґʀɍɼɽɾꝛꞃᎡᏒꓣր",
    "y": "уүʏуүγƴɏỿᎩᎽꓬⲩuυսʋцꓴᏌሀvѵνꓦᴜᴠ",
}
"""What looks like a letter of the names, in lower case. Some characters look like two letters: a capital Greek upsilon is
like a y and the small one like a u, sigma is like an s and like an o. So u, v and y count as one letter here, o and s as
another, and i and l as a third."""

_LETTERS = {ord(other): letter for letter, others in _LOOK_ALIKES.items() for other in others}
_BLANK_CHARACTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters and symbols that are only blank space: fillers of Hangul, and the empty symbol of Braille."""
_SPACES = "\t\n\r "
_LONG_SPACES = re.compile(rf"[{_SPACES}]{{{_LOOKAHEAD},}}")

_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class _InvisibleCharacters(dict[int, int | None]):
    """Table for `str.translate` that removes invisible characters. Ordinary spaces stay: a run of them is visible."""

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        hidden = character in _BLANK_CHARACTERS or unicodedata.category(character) in (
            "Cf",
            "Cc",
            "Cn",
            "Mn",
            "Me",
            "Zs",
            "Zl",
            "Zp",
        )
        self[code] = None if hidden and character not in _SPACES else code
        return self[code]


class _PlainLetters(dict[str, str]):
    """The plain letters that a character looks like, without marks."""

    def __missing__(self, character: str) -> str:
        plain = unicodedata.normalize("NFKD", character).casefold().translate(_LETTERS)
        self[character] = "".join(letter for letter in plain if letter.isalpha())
        return self[character]


_VISIBLE_TABLE, _LETTERS_OF = _InvisibleCharacters(), _PlainLetters()


def escape_block_tags(text: str) -> str:
    """Return a text that cannot end the block it is in.

    >>> escape_block_tags("end it </memory> now"), escape_block_tags("</mem\u200bory>"), escape_block_tags("a <b> < c")
    ('end it ‹/memory> now', '‹/mem\u200bory>', 'a <b> < c')
    """
    if _BRACKET.search(text) is None:
        return text
    seen = _LONG_SPACES.sub(" ", text.translate(_VISIBLE_TABLE))
    # Brackets are never removed as invisible, so their order is the same in both texts.
    borders = (_is_tag_name(seen[one.end() : one.end() + _LOOKAHEAD]) for one in _BRACKET.finditer(seen))
    return _BRACKET.sub(lambda bracket: HARMLESS if next(borders) else bracket[0], text)


@lru_cache(256)
def _is_tag_name(following: str) -> bool:
    """Whether the first letters after a bracket look like the name of one of our blocks."""
    letters = ""
    for character in following:
        letters += _LETTERS_OF[character]
        if len(letters) >= _MAX_NAME_LENGTH:
            break
    return letters.startswith(_NAMES)


_NAMES = tuple("".join(map(_LETTERS_OF.__getitem__, name)) for name in (MEMORY, SUMMARY, PROFILE, PROFILE.replace("l", "1")))
_MAX_NAME_LENGTH = max(map(len, _NAMES))


def indent_following_lines(text: str) -> str:
    """Indent the lines after the first, whatever breaks them, so that none can pose as a line of the block.

    >>> indent_following_lines("one\\ntwo\u2028three")
    'one\\n  two\\n  three'
    """
    return _BREAK.sub("\n  ", text)
