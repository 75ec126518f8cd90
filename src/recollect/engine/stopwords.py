"""English words that say nothing about what is looked for: articles, pronouns, auxiliaries, prepositions, question words.

They are compared as index terms, so `STOP_TERMS` holds their stems. Words that have another, telling meaning stay out of
the list ("won", "may", "last"), and so does anything that is merely frequent: its rarity already says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.engine.terms import terms

STOP_WORDS = """
    a an the this that these those there here
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    one someone somebody something anyone anybody anything everyone everybody everything
    who whom whose which what when where why how whether
    am is are was were be been being do does did doing done have has had having
    can could will would shall should might must ought
    of at by for with about against between into through during to from in on onto off out over under above below up down
    upon within without toward towards among around
    and or but nor if then else so because as than while though although until since
    not no yes any some such both each either neither other another own same
    all only also too very just even ever still yet again already quite rather really
    now once more most much many few
    please let lets ok okay well oh hi hello hey
    s t m d ll ve re don doesn didn isn aren wasn weren hasn haven hadn wouldn couldn shouldn ain mustn needn
    whats wheres whos hows im ive id
"""

STOP_TERMS = frozenset(terms(STOP_WORDS))
"""The stop words as the keyword index would have them."""


def telling(words: list[str]) -> list[str]:
    """The index terms that are not stop words, each once, in order.

    >>> telling(terms("Where does my sister live, and whose sister is she?"))
    ['sister', 'live']
    """
    return list(dict.fromkeys(word for word in words if word not in STOP_TERMS))


_WORD = re.compile(r"\w+")


def telling_spans(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Which of these pieces of a text, given in order, lie in words that are not stop words; all, if none does.

    >>> telling_spans("Where is she?", [(0, 5), (6, 8), (9, 12), (12, 13)])
    [0, 1, 2, 3]
    >>> telling_spans("my sister!", [(0, 2), (3, 6), (6, 9), (9, 10)])
    [1, 2]
    """
    words = [match.span() for match in _WORD.finditer(text) if telling(terms(match[0]))]
    found: list[int] = []
    at = 0
    for place, (start, end) in enumerate(spans):
        while at < len(words) and words[at][1] <= start:
            at += 1
        if at < len(words) and words[at][0] < end:
            found.append(place)
    return found or list(range(len(spans)))
