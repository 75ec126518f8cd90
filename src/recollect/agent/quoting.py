"""How something remembered is quoted to a person: when, by whom, where, and the words."""

from __future__ import annotations

from recollect.agent.address import told_to
from recollect.agent.answer import Cited
from recollect.engine.compile.layout import day
from recollect.engine.digest.sentences import sentences
from recollect.engine.terms import terms
from recollect.types import Role, microseconds

LONGEST = 400
"""Characters of one quote: as much as can be read at a glance."""


def quotation(cited: Cited, speaker: Role | None, here: str, wanted: set[str], changed: str = "") -> str:
    """A line for a list of what is remembered; `here` is the conversation it is told in, `wanted` what was asked for, and
    `changed` a fact that has taken its place.

    >>> from datetime import UTC, datetime
    >>> said = Cited("message", "m1", "Family", "My sister moved.", at=datetime(2026, 5, 3, tzinfo=UTC), session="s1")
    >>> quotation(said, Role.USER, "s2", set())
    '3 May 2026, you said in “Family”: “My sister moved.”'
    >>> quotation(Cited("document", "d1", "guide.md", "Run setup.", place="§ Install"), None, "s2", set())
    'guide.md, § Install: “Run setup.”'
    >>> quotation(said, Role.USER, "s1", set(), "User's sister lives in Porto")
    '3 May 2026, you said in this conversation: “My sister moved.” (changed since: your sister lives in Porto)'
    """
    when = "" if cited.at is None else day(microseconds(cited.at))
    words = f"“{excerpt(cited.text, wanted)}”"
    if cited.kind == "document":
        head = [cited.title, cited.place]
    elif cited.kind == "fact":
        head, words = [f"known since {when}" if when else "known"], excerpt(told_to(cited.text), wanted)
    elif cited.kind == "tool":
        head = [cited.title, when]
    else:
        who = {Role.USER: "you said", Role.ASSISTANT: "the assistant said"}.get(speaker or Role.TOOL, "noted")
        where = " in this conversation" if cited.session == here else f" in “{cited.title}”" if cited.title else ""
        head = [when, f"{who}{where}"]
    later = f" (changed since: {told_to(changed)})" if changed else ""
    return f"{', '.join(part for part in head if part)}: {words}{later}"


def excerpt(text: str, wanted: set[str], longest: int = LONGEST) -> str:
    """A text in one line; of a long one, the sentences from the best on.

    >>> excerpt("One. " * 200 + "Two is here. Three.", {"two"})
    '… Two is here. Three.'
    """
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    said = list(sentences(line))
    shared = [len(wanted.intersection(terms(sentence))) for sentence in said]
    best = shared.index(max(shared))
    part = " ".join(said[best:])
    cut = part if len(part) <= longest else f"{part[:longest].rsplit(' ', 1)[0]} …"
    return f"… {cut}" if best else cut
