"""Recognize questions: by a question mark in any language, or without one by how they begin."""

from __future__ import annotations

import re

from keepsaid.engine.languages import foreign_language
from keepsaid.engine.languages.questions import is_foreign_question
from keepsaid.engine.text.hash_cache import cache_by_hash
from keepsaid.engine.text.patterns import EnglishPattern

AUXILIARY_VERBS = "is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must"
"""Verbs with which a question begins."""

MAX_CHARACTERS_READ = 300
"""Characters that show whether a sentence begins as a question."""

_MARKS = ("?", "？", "¿", "؟")
_AFTER_MARK = " \n\t\"')]”’»"
_SENTENCE_BEGINS = re.compile(r"[.!…\n]\s|[。！]\s*(?=\S)")
_ENDS = ".!…。！" + "".join(filter(str.isspace, map(chr, range(0x3001))))

_LEAD = r"\W*(?:(?:and|so|but|ok|okay|hey|hi|hello|please|well|then|now|also|by the way|actually|sorry)[,!]? ){0,3}"
_SHORT = r"['’]?(?:s|d|re|ll)"
_HELPS = rf"(?:{AUXILIARY_VERBS})(?:n['’]?t)?"
_SUBJECT = r"(?:i|you|he|she|it|we|they|there|this|that|these|those|any|anyone|anybody|anything|somebody|someone)"
_OWNED = r"(?:my|our|your|his|her|its|their|the|a|an|all|both|everyone|everybody|(?-i:[A-Z]\w*))"
_WITH = r"(?:in|at|on|for|to|from|by|with|about|since|until)"
_NOT_STATEMENT = r"(?! (?:a|an|i|we|you|he|she|they|it|the|is why|was why|means|meant|made)\b)(?= \w|\W*$)"

_QUESTION_START = EnglishPattern(
    _LEAD
    + "(?:"
    + "|".join(
        (
            # "When I was young" and "What a day" are statements; "when was I" and "what day" are questions.
            rf"(?:when|where|why)(?:{_SHORT}\b| {_HELPS}\b| to\b| not\b| else\b| exactly\b)",
            rf"(?:who|whom|whose|what|which)(?:{_SHORT}\b)?{_NOT_STATEMENT}",
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
_QUESTION_START_WITHOUT_PERIOD = EnglishPattern(
    rf"{_LEAD}(?:did|was|were|has|can|could|will|would|should)(?:n['’]?t)? {_OWNED}\b"
)
"""With a period after them, these are statements in the style of a diary: "Did the dishes."""


@cache_by_hash
def is_question_text(text: str) -> bool:
    """Whether a text is a question: it ends with a question mark, or its last sentence begins as a question or request.

    >>> is_question_text("wo wohnt meine Schwester?"), is_question_text("what is the name of my hamster")
    (True, True)
    >>> is_question_text("Tell me about my family.")
    True
    >>> (is_question_text("Emil who is 6 and Saga who is 9."),
    ...  is_question_text("That is why I left."), is_question_text("Don't remember this."))
    (False, False, False)
    """
    return has_question_mark(text) or starts_as_question(text)


def has_question_mark(text: str) -> bool:
    """Whether a text ends with a question mark, or its last sentence has an inverted one, as in Spanish.

    >>> has_question_mark("どこに住んでいますか？"), has_question_mark("¿Dónde vivo"), has_question_mark("Why? Because.")
    (True, True, False)
    """
    return text.rstrip(_AFTER_MARK).endswith(_MARKS) or ("¿" in text and "¿" in find_last_sentence(text))


def find_last_sentence(text: str) -> str:
    """Return the last sentence of a text.

    >>> find_last_sentence("I moved. where do I live")
    'where do I live'
    """
    text = text.strip()
    start, size = 0, MAX_CHARACTERS_READ
    while size < len(text):
        # Most sentences are short. The part that is searched begins within a word, so that no sentence end is cut in two.
        searched_from = len(text[:-size].rstrip(_ENDS))
        if _SENTENCE_BEGINS.search(text, searched_from):
            start = searched_from
            break
        size *= 8
    for begins in _SENTENCE_BEGINS.finditer(text, start):
        start = begins.end()
    return text[start:]


def starts_as_question(text: str) -> bool:
    """Whether the last sentence of a text begins as a question or a request for information.

    >>> starts_as_question("When I was young I lived in Rome"), starts_as_question("when was I in Rome")
    (False, True)
    >>> starts_as_question("wo wohnt meine schwester"), starts_as_question("Wo ich wohne, ist es ruhig.")
    (True, False)
    """
    sentence = find_last_sentence(text)
    begins = sentence[:MAX_CHARACTERS_READ]
    if _QUESTION_START.match(begins) is not None:
        return True
    if not sentence.endswith((".", "!")) and _QUESTION_START_WITHOUT_PERIOD.match(begins) is not None:
        return True
    language = foreign_language(sentence)
    return language is not None and is_foreign_question(sentence, language)
