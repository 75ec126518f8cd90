"""Format quotes from memory for the user: date, speaker, source and text."""

from __future__ import annotations

from keepsaid.agent.answer import Cited
from keepsaid.agent.offline.second_person import to_second_person
from keepsaid.engine.prompt.block_texts import format_day
from keepsaid.engine.summary.sentences import split_sentences
from keepsaid.engine.text.terms import terms
from keepsaid.types import Role, to_microseconds

MAX_QUOTE_LENGTH = 400
"""Maximum characters of one quote."""


def format_quote(cited: Cited, speaker: Role | None, here: str, wanted: set[str], changed: str = "") -> str:
    """Format a quote as one line. `here` is the current conversation, `wanted` the terms of the question, and `changed` a
    fact that has replaced this one.

    >>> from datetime import UTC, datetime
    >>> source = Cited("message", "m1", "Family", "My sister moved.", at=datetime(2026, 5, 3, tzinfo=UTC), session="s1")
    >>> format_quote(source, Role.USER, "s2", set())
    '3 May 2026, you said in “Family”: “My sister moved.”'
    >>> format_quote(Cited("document", "d1", "guide.md", "Run setup.", place="§ Install"), None, "s2", set())
    'guide.md, § Install: “Run setup.”'
    >>> format_quote(source, Role.USER, "s1", set(), "User's sister lives in Porto")
    '3 May 2026, you said in this conversation: “My sister moved.” (changed since: your sister lives in Porto)'
    """
    when = "" if cited.at is None else format_day(to_microseconds(cited.at))
    words = f"“{cut_excerpt(cited.text, wanted)}”"
    if cited.kind == "document":
        head = [cited.title, cited.place]
    elif cited.kind == "fact":
        head, words = [f"known since {when}" if when else "known"], cut_excerpt(to_second_person(cited.text), wanted)
    elif cited.kind == "tool":
        head = [cited.title, when]
    else:
        who = {Role.USER: "you said", Role.ASSISTANT: "the assistant said"}.get(speaker or Role.TOOL, "noted")
        where = " in this conversation" if cited.session == here else f" in “{cited.title}”" if cited.title else ""
        head = [when, f"{who}{where}"]
    later = f" (changed since: {to_second_person(changed)})" if changed else ""
    return f"{', '.join(part for part in head if part)}: {words}{later}"


def cut_excerpt(text: str, wanted: set[str], longest: int = MAX_QUOTE_LENGTH) -> str:
    """Return a text in one line; for a long one, an excerpt that starts with its best matching sentence.

    >>> cut_excerpt("One. " * 200 + "Two is here. Three.", {"two"})
    '… Two is here. Three.'
    """
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    sentences = list(split_sentences(line))
    shared = [len(wanted.intersection(terms(sentence))) for sentence in sentences]
    best = shared.index(max(shared))
    part = " ".join(sentences[best:])
    cut = part if len(part) <= longest else f"{part[:longest].rsplit(' ', 1)[0]} …"
    return f"… {cut}" if best else cut
