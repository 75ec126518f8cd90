"""Answers to broad questions: what is known about me, what was said in June, a summary of everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from keepsaid.agent.answer import Cited
from keepsaid.agent.offline.candidates import quote_from_fact
from keepsaid.agent.offline.quotes import cut_excerpt
from keepsaid.agent.offline.selection import LONG_MESSAGE, QuoteCandidate
from keepsaid.engine.prompt.block_texts import format_day
from keepsaid.engine.query.query import parse_query, remove_times
from keepsaid.engine.query.question_detection import is_question_text
from keepsaid.engine.summary.sentences import split_sentences
from keepsaid.engine.text.dates import TimeRange
from keepsaid.engine.text.patterns import EnglishPattern
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.types import Message, Microseconds, Role, Session, to_microseconds

MAX_FACTS = 12
MAX_STATEMENTS = 8
MAX_CONVERSATIONS = 6
MAX_SESSIONS_READ = 200
"""Maximum conversations, newest first, that are searched for those of a period."""
MAX_MESSAGES_READ = 50
"""Maximum newest messages that are read of each conversation."""
MAX_EXCERPT_LENGTH = 160

FACTS_HEADING = "What I know about you:"
STATEMENTS_HEADING = "What you told me:"
PERIOD_HEADING = "From that time:"
NOTHING_KNOWN = "I know nothing about you yet."
NOTHING_IN_PERIOD = "I remember nothing from that time."

_ABOUT_ME = EnglishPattern(
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
"""Words that refer to conversations in general, not to a subject."""
_PAST = EnglishPattern(r"\b(?:did|was|were|had|have|told|said|talked|discussed|mentioned|happened|wrote|tell|say|talk)\b")


class MemoryOverview(NamedTuple):
    """The heading of an answer, its quotes, and lines about conversations."""

    heading: str
    quotes: tuple[QuoteCandidate, ...] = ()
    lines: tuple[str, ...] = ()


def build_overview(memory: Memory, chat: Chat, user_message: Message, reach: str) -> MemoryOverview | None:
    """Return the answer to a broad question; None for a specific question."""
    if reach == "off" or len(user_message.text) > LONG_MESSAGE or not is_question_text(user_message.text):
        return None
    look = _OverviewBuilder(memory, chat, user_message, reach)
    if _ABOUT_ME.search(user_message.text):
        return look.about_me()
    meant = parse_query(user_message.text, user_message.created_at.astimezone(), plain=True)
    words = content_words(terms(remove_times(meant.text, meant.times)))
    if not _BROAD.issuperset(words):
        return None
    if meant.times:
        return look.of(meant.times[0]) if _PAST.search(user_message.text) else None
    return (
        look.everything()
        if (len(words) and _PAST.search(user_message.text)) or _ASKS_ALL.search(user_message.text)
        else None
    )


_ASKS_ALL = EnglishPattern(
    r"\b(?:everything|all|summari[sz]e|summary|recap|overview|conversations|memories|know|remember|list)\b"
)


class _OverviewBuilder:
    """Read one owner's memory, as far as it may be used in a conversation."""

    def __init__(self, memory: Memory, chat: Chat, user_message: Message, reach: str) -> None:
        self._memory = memory
        self._chat = chat
        self._user_message = user_message
        self._everywhere = reach == "owner"

    def about_me(self) -> MemoryOverview:
        facts = self._facts()[:MAX_FACTS]
        if facts:
            return MemoryOverview(FACTS_HEADING, tuple(facts))
        statements = list(self._statements(None, None))
        return (
            MemoryOverview(STATEMENTS_HEADING, tuple(statements[:MAX_STATEMENTS]))
            if statements
            else MemoryOverview(NOTHING_KNOWN)
        )

    def everything(self) -> MemoryOverview:
        about, lines = self.about_me(), self._conversations(None, None)
        return about._replace(quotes=about.quotes[:MAX_STATEMENTS], lines=tuple(lines))

    def of(self, time: TimeRange) -> MemoryOverview:
        since = None if time.start is None else to_microseconds(time.start)
        until = None if time.end is None else to_microseconds(time.end)
        statements = list(self._statements(since, until))
        if not statements:
            return MemoryOverview(NOTHING_IN_PERIOD)
        lines = self._conversations(since, until) if len(statements) > MAX_STATEMENTS else ()
        return MemoryOverview(PERIOD_HEADING, tuple(statements[:MAX_STATEMENTS])[::-1], tuple(lines))

    def _facts(self) -> list[QuoteCandidate]:
        facts = self._memory.facts(owner=self._chat.owner)
        mine = [fact for fact in facts if self._everywhere or fact.session == self._chat.id]
        once = {fact.text.casefold(): fact for fact in reversed(mine) if self._user_message.id not in fact.messages}
        return [quote_from_fact(fact, None) for fact in reversed(once.values())]

    def _sessions(self, since: Microseconds | None, until: Microseconds | None) -> Iterator[tuple[Session, Chat]]:
        """Yield this conversation, and then others that were active in a period, newest first."""
        yield self._chat.info(), self._chat
        others = self._memory.sessions(owner=self._chat.owner, limit=MAX_SESSIONS_READ) if self._everywhere else ()
        for one in others:
            within = (since is None or one.updated >= since) and (until is None or one.created < until)
            if one.id != self._chat.id and within:
                try:
                    yield one, self._memory.chat(owner=self._chat.owner, session=one.id)
                except NotFound:
                    continue  # it has just been deleted

    def _user_statements(self, chat: Chat, since: Microseconds | None, until: Microseconds | None) -> list[Message]:
        """Return the user's messages in a conversation that are not just questions, newest first."""
        return [
            one
            for one in reversed(chat.messages(last=MAX_MESSAGES_READ))
            if one.role is Role.USER and one.id != self._user_message.id and (not one.private or chat.id == self._chat.id)
            if (since is None or one.created >= since) and (until is None or one.created < until)
            if not all(is_question_text(sentence) for sentence in split_sentences(one.text))
        ]

    def _statements(self, since: Microseconds | None, until: Microseconds | None) -> Iterator[QuoteCandidate]:
        found: dict[str, QuoteCandidate] = {}
        for session, chat in self._sessions(since, until):
            for one in self._user_statements(chat, since, until):
                cited = Cited(
                    "message", one.id, session.title or "", one.text, "", None, "said then", one.created_at, one.session
                )  # fmt: skip
                found.setdefault(one.text, QuoteCandidate(cited))
            if len(found) > MAX_STATEMENTS:
                break
        return iter(found.values())

    def _conversations(self, since: Microseconds | None, until: Microseconds | None) -> Sequence[str]:
        lines: list[str] = []
        for session, chat in self._sessions(since, until):
            statements = self._user_statements(chat, since, until)
            if statements and len(lines) < MAX_CONVERSATIONS:
                title = f"“{session.title}”" if session.title else "a conversation"
                short = session.summary or statements[-1].text
                lines.append(f"{format_day(session.updated)}, {title}: {cut_excerpt(short, set(), MAX_EXCERPT_LENGTH)}")
        return lines
