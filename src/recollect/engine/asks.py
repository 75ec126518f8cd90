"""Whether words ask for something: by a question mark in any language, and without one by how they begin."""

from __future__ import annotations

import re

from recollect.engine.languages import foreign_language
from recollect.engine.languages.questions import asks_in_language
from recollect.engine.pattern import Pattern

AUXILIARY = "is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must"
"""Verbs with which a question begins."""

LOOKED_AT = 300
"""Characters from which it can be told whether a sentence begins to ask."""

_MARKS = ("?", "？", "¿", "؟")
_AFTER_MARK = " \n\t\"')]”’»"
_SENTENCE_BEGINS = re.compile(r"[.!…\n]\s|[。！]\s*(?=\S)")

_LEAD = r"\W*(?:(?:and|so|but|ok|okay|hey|hi|hello|please|well|then|now|also|by the way|actually|sorry)[,!]? ){0,3}"
_SHORT = r"['’]?(?:s|d|re|ll)"
_HELPS = rf"(?:{AUXILIARY})(?:n['’]?t)?"
_SUBJECT = r"(?:i|you|he|she|it|we|they|there|this|that|these|those|any|anyone|anybody|anything|somebody|someone)"
_OWNED = r"(?:my|our|your|his|her|its|their|the|a|an|all|both|everyone|everybody|(?-i:[A-Z]\w*))"
_WITH = r"(?:in|at|on|for|to|from|by|with|about|since|until)"
_NOT_TOLD = r"(?! (?:a|an|i|we|you|he|she|they|it|the|is why|was why|means|meant|made)\b)(?= \w|\W*$)"

_OPENS = Pattern(
    _LEAD
    + "(?:"
    + "|".join(
        (
            # "When I was young" and "What a day" tell; "when was I" and "what day" ask.
            rf"(?:when|where|why)(?:{_SHORT}\b| {_HELPS}\b| to\b| not\b| else\b| exactly\b)",
            rf"(?:who|whom|whose|what|which)(?:{_SHORT}\b)?{_NOT_TOLD}",
            rf"how(?:{_SHORT}\b| (?:many|much|often|long|old|far|tall|big|frequently|to|about|come)\b| (?:\w+ )?{_HELPS}\b)",
            rf"{_WITH} (?:what|which|whom|whose|when|where)\b(?=.{{0,120}} {_HELPS}\b)",
            rf"{_HELPS} {_SUBJECT}\b",
            r"(?:does|doesn['’]?t|is|isn['’]?t|are|aren['’]?t) (?!not\b|\w+ing\b)\w",
            r"(?:tell|show|give) (?:me|us)\b",
            r"remind (?:me|us)\b(?! (?:to|that|at|in|on|tomorrow|today|tonight|later|next|every)\b)",
            r"list (?!of\b)\w",
            r"(?:summari[sz]e|describe|recap|recall)\b(?= \w)",
            r"do(?:n['’]t)? you\b",
        )
    )
    + ")"
)
_OPENS_UNENDED = Pattern(rf"{_LEAD}(?:did|was|were|has|can|could|will|would|should)(?:n['’]?t)? {_OWNED}\b")
"""With a full stop behind them they tell in the manner of a diary: "Did the dishes."""


def asks(text: str) -> bool:
    """Whether a text asks: it ends with a question mark, or its last sentence begins as questions and requests do.

    >>> asks("wo wohnt meine Schwester?"), asks("what is the name of my hamster"), asks("Tell me about my family.")
    (True, True, True)
    >>> asks("Emil who is 6 and Saga who is 9."), asks("That is why I left."), asks("Don't remember this: I smoke.")
    (False, False, False)
    """
    return has_mark(text) or opens_question(text)


def has_mark(text: str) -> bool:
    """Whether a text ends with a question mark, or begins a question with one as Spanish does.

    >>> has_mark("どこに住んでいますか？"), has_mark("¿Dónde vivo"), has_mark("Why? Because.")
    (True, True, False)
    """
    return text.rstrip(_AFTER_MARK).endswith(_MARKS) or "¿" in last_sentence(text)


def last_sentence(text: str) -> str:
    """What stands behind the last full stop.

    >>> last_sentence("I moved. where do I live")
    'where do I live'
    """
    return _SENTENCE_BEGINS.split(text.strip())[-1]


def opens_question(text: str) -> bool:
    """Whether the last sentence of a text begins as a question or a request for something known does.

    >>> opens_question("When I was young I lived in Rome"), opens_question("when was I in Rome")
    (False, True)
    >>> opens_question("wo wohnt meine schwester"), opens_question("Wo ich wohne, ist es ruhig.")
    (True, False)
    """
    said = last_sentence(text)
    begins = said[:LOOKED_AT]
    if _OPENS.match(begins) is not None:
        return True
    if not said.endswith((".", "!")) and _OPENS_UNENDED.match(begins) is not None:
        return True
    language = foreign_language(said)
    return language is not None and asks_in_language(said, language)
