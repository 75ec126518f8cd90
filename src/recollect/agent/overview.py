"""Answers to questions that ask for no one thing: what is known about me, what was said in June, all of it in short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.agent.answer import Cited
from recollect.agent.choosing import LONG, Quote
from recollect.agent.quoting import excerpt
from recollect.agent.seeking import from_fact
from recollect.chat import Chat
from recollect.engine.asks import asks
from recollect.engine.compile.layout import day
from recollect.engine.dates import TimeRange
from recollect.engine.digest.sentences import sentences
from recollect.engine.pattern import Pattern
from recollect.engine.query import understand, without_times
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.types import Message, Microseconds, Role, Session, microseconds

FACTS = 12
STATEMENTS = 8
CONVERSATIONS = 6
LOOKED_THROUGH = 200
"""Conversations, newest first, among which those of a time are looked for."""
READ = 50
"""Newest messages of each that are read."""
SHORT = 160

ABOUT_YOU = "What I know about you:"
YOU_SAID = "What you told me:"
OF_THAT_TIME = "From that time:"
NOTHING_YET = "I know nothing about you yet."
NOTHING_THEN = "I remember nothing from that time."

_ABOUT_ME = Pattern(
    r"(?:\bwho am i\W*$|\bdescribe me\W*$|\bdo you know (?:me|who i am)\W*$"
    r"|\b(?:know|remember|learned|learnt|recall|tell me|told you|have|say|saved|stored|everything|anything|something|all"
    r"|facts)(?: \w+){0,3}? (?:about|on|of) (?:me|myself)\b)"
)
_BROAD = frozenset(
    terms(
        "tell told say said talk talked talking speak spoke spoken discuss discussed discussion mention mentioned chat chats"
        " chatted conversation conversations message messages list show summarize summarise summary recap recall overview"
        " know remember remind give happened happen memory memories stored saved save far thing things stuff topic topics"
        " subject subjects history wrote write ask asked going learn learned learnt share shared today new latest recent"
    )
)
"""Words that say that something was said, and not what."""
_PAST = Pattern(r"\b(?:did|was|were|had|have|told|said|talked|discussed|mentioned|happened|wrote|tell|say|talk)\b")


class Overview(NamedTuple):
    """What an answer begins with, what it quotes, and conversations that it names."""

    heading: str
    quotes: tuple[Quote, ...] = ()
    lines: tuple[str, ...] = ()


def overview(memory: Memory, chat: Chat, said: Message, reach: str) -> Overview | None:
    """The answer to a broad question; None for one about something in particular."""
    if reach == "off" or len(said.text) > LONG or not asks(said.text):
        return None
    look = _Look(memory, chat, said, reach)
    if _ABOUT_ME.search(said.text):
        return look.about_me()
    meant = understand(said.text, said.created_at.astimezone(), plain=True)
    words = telling(terms(without_times(meant.text, meant.times)))
    if not _BROAD.issuperset(words):
        return None
    if meant.times:
        return look.of(meant.times[0]) if _PAST.search(said.text) else None
    return look.everything() if (len(words) and _PAST.search(said.text)) or _ASKS_ALL.search(said.text) else None


_ASKS_ALL = Pattern(r"\b(?:everything|all|summari[sz]e|summary|recap|overview|conversations|memories|know|remember|list)\b")


class _Look:
    """Looks through one owner's memory as far as a conversation may see."""

    def __init__(self, memory: Memory, chat: Chat, said: Message, reach: str) -> None:
        self._memory = memory
        self._chat = chat
        self._said = said
        self._everywhere = reach == "owner"

    def about_me(self) -> Overview:
        facts = self._facts()[:FACTS]
        if facts:
            return Overview(ABOUT_YOU, tuple(facts))
        told = list(self._statements(None, None))
        return Overview(YOU_SAID, tuple(told[:STATEMENTS])) if told else Overview(NOTHING_YET)

    def everything(self) -> Overview:
        about, lines = self.about_me(), self._conversations(None, None)
        return about._replace(quotes=about.quotes[:STATEMENTS], lines=tuple(lines))

    def of(self, time: TimeRange) -> Overview:
        since = None if time.start is None else microseconds(time.start)
        until = None if time.end is None else microseconds(time.end)
        told = list(self._statements(since, until))
        if not told:
            return Overview(NOTHING_THEN)
        lines = self._conversations(since, until) if len(told) > STATEMENTS else ()
        return Overview(OF_THAT_TIME, tuple(told[:STATEMENTS])[::-1], tuple(lines))

    def _facts(self) -> list[Quote]:
        facts = self._memory.facts(owner=self._chat.owner)
        mine = [fact for fact in facts if self._everywhere or fact.session == self._chat.id]
        once = {fact.text.casefold(): fact for fact in reversed(mine) if self._said.id not in fact.messages}
        return [from_fact(fact, None) for fact in reversed(once.values())]

    def _sessions(self, since: Microseconds | None, until: Microseconds | None) -> Iterator[tuple[Session, Chat]]:
        """The conversation itself, and others that went on in a time, newest first."""
        yield self._chat.info(), self._chat
        others = self._memory.sessions(owner=self._chat.owner, limit=LOOKED_THROUGH) if self._everywhere else ()
        for one in others:
            within = (since is None or one.updated >= since) and (until is None or one.created < until)
            if one.id != self._chat.id and within:
                try:
                    yield one, self._memory.chat(owner=self._chat.owner, session=one.id)
                except NotFound:
                    continue  # it was deleted in this moment

    def _told(self, chat: Chat, since: Microseconds | None, until: Microseconds | None) -> list[Message]:
        """What the user said in a conversation that is no question, newest first."""
        return [
            one
            for one in reversed(chat.messages(last=READ))
            if one.role is Role.USER and one.id != self._said.id and (not one.private or chat.id == self._chat.id)
            if (since is None or one.created >= since) and (until is None or one.created < until)
            if not all(asks(sentence) for sentence in sentences(one.text))
        ]

    def _statements(self, since: Microseconds | None, until: Microseconds | None) -> Iterator[Quote]:
        found: dict[str, Quote] = {}
        for session, chat in self._sessions(since, until):
            for one in self._told(chat, since, until):
                cited = Cited(
                    "message", one.id, session.title or "", one.text, "", None, "said then", one.created_at, one.session
                )  # fmt: skip
                found.setdefault(one.text, Quote(cited))
            if len(found) > STATEMENTS:
                break
        return iter(found.values())

    def _conversations(self, since: Microseconds | None, until: Microseconds | None) -> Sequence[str]:
        lines: list[str] = []
        for session, chat in self._sessions(since, until):
            told = self._told(chat, since, until)
            if told and len(lines) < CONVERSATIONS:
                title = f"“{session.title}”" if session.title else "a conversation"
                short = session.summary or told[-1].text
                lines.append(f"{day(session.updated)}, {title}: {excerpt(short, set(), SHORT)}")
        return lines
