"""Topics of a conversation in a few words, counted message by message so that counting can be continued."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from keepsaid.engine.summary.sentences import HEAD
from keepsaid.engine.summary.subject import LIGHT_TERMS
from keepsaid.engine.text.stopwords import STOP_TERMS
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message

MAX_TOPICS = 5
COUNTED = 120
"""Words and pairs whose counts are kept; the rarest are dropped first."""

_WORDS = re.compile(r"[^\W\d_](?:[\w-]|['’](?=\w))*")
_VAGUE = frozenset(
    terms(
        """
        hey wow awesome amazing cool yeah okay sound feel love glad happy hope help thank hear let talk chat guy man
        nice care enjoy lol haha morning night weekend question answer idea example option tip thing something anything
        everything fun sorry wonderful fantastic interesting different specific many various several number part point
        case place life world user assistant great best better well far long high low also provide include ensure
        consider share find check found start stop show ask send read write leave change happen seem hard easy able
        ready quick quickly nearly almost definitely absolutely totally probably especially already today's don't it's
        i'm i've that's let's can't didn't
        """
    )
)


def count_topic_phrases(before: Mapping[str, int], messages: Iterable[Message]) -> Counter[str]:
    """Return in how many messages each word and each pair of words was used, including `before`; only the most frequent
    ones."""
    counts = Counter(before)
    for message in messages:
        counts.update(dict.fromkeys(_list_phrases(message), 1))
    if len(counts) <= COUNTED:
        return counts
    return Counter(dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:COUNTED]))


def choose_topics(counts: Mapping[str, int], without: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the words and pairs that describe the conversation, best first, without the names of speakers.

    >>> choose_topics({"tax return": 4, "tax": 5, "return": 4, "garden": 3, "shed": 1})
    ('tax return', 'garden')
    """
    ranked = sorted(counts.items(), key=lambda item: (-item[1] * (1.5 if " " in item[0] else 1.0), item[0]))
    chosen: list[str] = []
    taken = {term for name in without for term in terms(name)}
    for phrase, count in ranked:
        words = set(terms(phrase))
        if count > 1 and words.isdisjoint(taken):
            chosen.append(phrase)
            taken |= words
        if len(chosen) == MAX_TOPICS:
            break
    return tuple(chosen)


def _list_phrases(message: Message) -> Sequence[str]:
    """Return the words that could name a topic, and pairs of adjacent ones."""
    found: list[str] = []
    before, end = "", -1
    for match in _WORDS.finditer(message.text[:HEAD]):
        word = match[0].lower().removesuffix("'s").removesuffix("’s")
        if not _may_name(word):
            before = ""
            continue
        found.append(word)
        if before and match.start() == end + 1:
            found.append(f"{before} {word}")
        before, end = word, match.end()
    return found


@lru_cache(20_000)
def _may_name(word: str) -> bool:
    if len(word) < 3 or len(word) > 24 or word.endswith(("ing", "ly", "ed")):
        return False
    return not _EXCLUDED_TERMS.intersection(terms(word))


_EXCLUDED_TERMS = STOP_TERMS | LIGHT_TERMS | _VAGUE
