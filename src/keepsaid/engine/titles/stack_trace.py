"""Find the error at the end of a pasted stack trace, which is the title of a conversation about it."""

from __future__ import annotations

import re

from keepsaid.engine.titles.topics import has_personal_value

MAX_CHARACTERS_READ = 50_000
"""Characters of a message that are searched for a stack trace."""
_FRAME = re.compile(
    r"^Traceback \(most recent call last\)|^[ \t]{1,12}File \"[^\"\n]{1,300}\", line \d|^[ \t]{1,12}at [^\n]{1,300}[:(]",
    re.MULTILINE,
)
_ERROR = re.compile(
    r"^(?:Exception in thread \"[^\"\n]{0,80}\" |Caused by: |Uncaught |Unhandled )?"
    r"(?:\w{1,80}[.$]){0,10}(?P<name>\w{0,80}(?:Error|Exception|Warning|Interrupt|Exit|Panic))"
    r"(?::[ \t]{1,4}(?P<said>[^\n]{1,300}))?[ \t\r]{0,20}$",
    re.MULTILINE,
)
_ASIDE = re.compile(r"\s\([^)\n]{0,80}\)|\[[^\]\n]{0,80}\]|[\"“”'‘’`<>]")


def find_trace_error(text: str, longest: int, most_words: int) -> str:
    """Return the last error of a stack trace, without the values in it; empty if the text has no trace.

    >>> trace = "Traceback (most recent call last):\\n  File \\"a.py\\", line 1\\nKeyError: 'colour' of 4711"
    >>> find_trace_error(trace, 60, 7), find_trace_error("I got a KeyError: why?", 60, 7)
    ('KeyError: colour of', '')
    """
    text = text[:MAX_CHARACTERS_READ]
    if _FRAME.search(text) is None:
        return ""
    found = list(_ERROR.finditer(text))
    if not found:
        return ""
    words = [found[-1]["name"]]
    for word in _ASIDE.sub("", found[-1]["said"] or "").split():
        if has_personal_value(word) or len(words) == most_words or len(" ".join([*words, word])) >= longest:
            break
        words.append(word)
    return f"{words[0]}: {' '.join(words[1:])}" if words[1:] else f"{words[0]} in a stack trace"
