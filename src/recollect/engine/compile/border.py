"""Keeping what stands in a block from ending it: borders of our blocks inside a text lose their bracket, however disguised.

A reader sees `</memory>` also where a program sees other letters, or invisible ones in between. So what follows a bracket is
looked at as it looks.
"""

from __future__ import annotations

import re
import unicodedata

MEMORY, SUMMARY, PROFILE = "memory", "summary", "profile"

_BRACKET = re.compile(r"[<＜﹤〈⟨‹❮❰˂ᐸ⧼]")
HARMLESS = "‹"
"""Stands in place of a bracket. Where it does so already it is looked at as well, and stays."""

_LOOKED_AT = 64
"""Characters behind a bracket among which a border's name begins."""

_LOOKS_LIKE = str.maketrans("аеѕмуоґгрүⅿ0ᴍᴇᴏʀʏꜱυμοгѵρᴘꜰƒғıіɪιʟӏⅼǀl", "aesmyorrpymomeorysumorvppfffiiiiiiiii")
"""Letters of other alphabets that look like those in the names. What looks like an l is read as an i, as is a capital I."""

_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def within_border(text: str) -> str:
    """A text that cannot end the block it stands in.

    >>> within_border("end it </memory> now"), within_border("</mem\u200bory>"), within_border("a <b> < c")
    ('end it ‹/memory> now', '‹/mem\u200bory>', 'a <b> < c')
    """
    return _BRACKET.sub(_tamed, text)


def _tamed(bracket: re.Match[str]) -> str:
    behind = bracket.string[bracket.end() : bracket.end() + _LOOKED_AT]
    return HARMLESS if _looks(behind).startswith(_NAMES) else bracket.group()


def _looks(text: str) -> str:
    """The letters of a text as they look: without marks, spaces and what cannot be seen, in the plain alphabet."""
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LOOKS_LIKE)
    return "".join(letter for letter in plain if letter.isalpha())


_NAMES = tuple(_looks(name) for name in (MEMORY, SUMMARY, PROFILE, PROFILE.replace("l", "1")))


def indented(text: str) -> str:
    """A text whose lines after the first are indented, whatever breaks them: none can pose as a line of the block.

    >>> indented("one\\ntwo\u2028three")
    'one\\n  two\\n  three'
    """
    return _BREAK.sub("\n  ", text)
