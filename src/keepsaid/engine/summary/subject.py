"""What a clause is about: its words apart from its values, and whether it only refers back with an "it"."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.engine.text.values import ExactValue


def find_subject(text: str, within: Sequence[ExactValue]) -> frozenset[str]:
    """Return what a clause is about: its content words apart from its values and from words that fit anything.

    >>> from keepsaid.engine.text.values import find_values
    >>> text = "we should set the upload limit to 64 MB"
    >>> sorted(find_subject(text, find_values(text)))
    ['limit', 'upload']
    """
    for value in within:
        if value.kind != "name":
            text = text.replace(value.text, " ", 1)
    return frozenset(content_words(terms(text))) - LIGHT_TERMS


LIGHT_TERMS = frozenset(
    terms(
        """
        run use go set call get put make take need want thing first second new old good great nice bit lot way say said tell
        told think know guess believe mean see look come give keep try work do done went got made took sure right maybe
        actually basically currently finally exactly about today tomorrow yesterday tonight week month year day time hour
        minute next last always never often usually later soon earlier ago back here everyone people stuff kind sort like
        really pretty little big remember forget note reminder important please thanks thank decided decide agreed agree
        settled chose pick picked instead plan going gonna start end would could should name take
        """
    )
)
"""Index terms that say nothing about the subject."""

_PRONOUN = EnglishPattern(
    r"(?!it(?:['’]s| is| was|['’]ll be) (?:after|before|past|almost|nearly|been|raining|snowing|cold|hot|one of|like"
    r"|time|just"
    r"|so|not|too|such|a (?:bit|lot|shame|pity)|more|really|hard|nice|great|good|fun|ok|okay|fine)\b)"
    r"(?:it|they|he|she)(?:['’](?:s|re|ll|d|ve))? \S|(?:that|this|these|those)['’]\w+ \S"
    r"|(?:that|this|these|those) (?:is|are|was|were|has|had|have|will|would|should|can|must|needs?|takes?|means?|goes"
    r"|costs?) "
)


def is_pronominal(text: str) -> bool:
    """Whether a clause begins with a word that stands for something said before.

    >>> is_pronominal("It hangs behind the shed"), is_pronominal("the key hangs behind the shed")
    (True, False)
    """
    return _PRONOUN.match(text) is not None
