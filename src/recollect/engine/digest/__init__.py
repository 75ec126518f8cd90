"""A rolling summary without a model: what was worth keeping of the last one, and of the messages since.

It is made of what people said, word for word, so no number in it is wrong. Every line keeps the weight it got when it was
said, and lines compete for the limit by weight per token: small talk that comes later does not push out what matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.engine.digest.clauses import Clause, clauses
from recollect.engine.digest.lines import Entry, Line, entry, merged
from recollect.engine.digest.render import render, words_of
from recollect.engine.digest.sentences import HEAD, says_little, sentences
from recollect.engine.digest.subject import is_pronominal, subject
from recollect.engine.digest.topics import counted, topics
from recollect.engine.digest.weight import LEAST, worth
from recollect.engine.values import values
from recollect.types import Message, Role

LIMIT = 400
MOST_OF_MESSAGE = 4
"""Lines that one message can give: who has more to say has pasted it."""
MOST_READ = 400
"""Messages of one call that are read closely; of more, those worth most at a glance. A summary has some 30 lines."""
LONGEST_QUESTION = 12
"""Words of a question that come along with a bare answer."""
POOL = 160
"""Lines that are compared with one another; those that weigh less have no chance of being kept."""
OVERHEAD = 40
"""Tokens that every line is taken to cost beyond its words, so that long values do not lose against short remarks."""
FRESH = 0.2
"""By how much the newest line outweighs an old one of the same weight."""
FRESH_MESSAGES = 100
STALE = 0.6
"""What a line is still worth of which nothing is news but names that have become familiar."""
SURE = 0.75
"""Up to this share of the limit the lines' own tokens are trusted; who speaks and when comes on top of them."""
OFTEN = 4
"""Messages that use a name before it is a familiar one."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Digest:
    """A summary: its lines in order of time, its text, and which messages it covers (`upto` is the last one's `seq`)."""

    lines: tuple[Line, ...] = ()
    topics: tuple[str, ...] = ()
    messages: int = 0
    source_tokens: int = 0
    upto: int = 0
    text: str = ""
    tokens: int = 0
    counts: tuple[tuple[str, int], ...] = ()
    """In how many messages a word was used: where the topics come from."""

    @property
    def ratio(self) -> float:
        """How long the summary is in proportion to what it covers.

        >>> Digest(source_tokens=1000, tokens=50).ratio
        0.05
        """
        return self.tokens / self.source_tokens if self.source_tokens else 0.0


def digest(previous: Digest | None, messages: Sequence[Message], count: Count, limit: int = LIMIT) -> Digest:
    """The summary of all that `previous` covers and of these messages. Messages that it covers already are passed over.

    >>> said = ["Hi there!", "Please remember that the gate code is 4417.", "I had 2 coffees, haha."]
    >>> messages = [
    ...     Message(f"m{at}", "s1", at, at - 1, Role.USER, text, 9, 0, 0.0, False, {}) for at, text in enumerate(said, 1)
    ... ]
    >>> made = digest(None, messages, lambda text: len(text.split()))
    >>> made.text, made.upto, made.messages
    ('the gate code is 4417', 3, 3)
    """
    before = previous or Digest()
    new = [message for message in messages if message.seq > before.upto]
    if not new and before.tokens <= limit:
        return before
    spoken = [message for message in new if message.role in (Role.USER, Role.ASSISTANT)]
    counts = counted(dict(before.counts), spoken)
    speakers = _speakers(before, new)
    familiar = _familiar(speakers, counts, spoken)
    candidates = [*map(entry, before.lines), *_candidates(spoken, speakers, familiar)]
    upto = max((message.seq for message in new), default=before.upto)
    lines = _selected(merged(_best(candidates, upto, familiar)), upto, familiar, count, limit)
    text = render(lines)
    return Digest(
        lines=tuple(lines),
        topics=topics(counts, speakers),
        messages=before.messages + len(new),
        source_tokens=before.source_tokens + sum(message.tokens for message in new),
        upto=upto,
        text=text,
        tokens=count(text) if text else 0,
        counts=tuple(counts.items()),
    )


# -- candidates


def _speakers(before: Digest, messages: Sequence[Message]) -> frozenset[str]:
    """The names of those who speak, and how they may be shortened."""
    names = {line.name for line in before.lines if line.name} | {message.name for message in messages if message.name}
    return frozenset(name[:length] for name in names for length in (len(name), 2, 3, 4, 5))


def _familiar(speakers: frozenset[str], counts: Mapping[str, int], messages: Sequence[Message]) -> frozenset[str]:
    """Words that are no news as names: those who speak, what is mentioned all the time, and words also written small."""
    often = {word for word, times in counts.items() if times >= OFTEN}
    small = {word for message in messages for word in message.text[:HEAD].split() if word.islower()}
    return frozenset(map(str.lower, speakers)) | often | small


def _candidates(messages: Sequence[Message], speakers: frozenset[str], familiar: frozenset[str]) -> Iterator[Entry]:
    asked = ""
    called = _called(speakers)
    closely = _worth_reading(messages, familiar)
    for message in messages:
        if message.seq not in closely:
            asked = ""
            continue
        found = clauses(called.sub("", message.text) if called else message.text)
        if asked and found:
            found[0] = _answering(asked, found[0])
        yield from _of_message(message, found, familiar)
        asked = _question(message.text)


def _worth_reading(messages: Sequence[Message], familiar: frozenset[str]) -> frozenset[int]:
    """Which messages are read closely: all, unless there are very many."""
    if len(messages) > MOST_READ:
        messages = sorted(messages, key=lambda one: (-_glance(one, familiar), -one.seq))[:MOST_READ]
    return frozenset(message.seq for message in messages)


def _glance(message: Message, familiar: frozenset[str]) -> float:
    """What the best sentence of a message is worth as it stands, a quarter of the work of looking at its clauses."""
    told = (sentence for sentence in sentences(message.text) if not says_little(sentence))
    seen = (Clause(sentence, tuple(values(sentence)), frozenset(sentence.split()), sentence) for sentence in told)
    return max((worth(clause, message, familiar).weight for clause in seen), default=0.0)


def _called(names: frozenset[str]) -> re.Pattern[str] | None:
    """Finds where somebody is called by name ("Thanks, Ana!"): that is no mention of Ana."""
    if not names:
        return None
    either = "|".join(sorted(map(re.escape, names), reverse=True))
    return re.compile(rf",\s+(?:{either})(?=\s?[,.!?])|(?:^|(?<=[.!?]\s))(?:\w+\s)?(?:{either})\s?[,.!?]+\s?")


def _of_message(message: Message, found: Sequence[Clause], familiar: frozenset[str]) -> list[Entry]:
    made: list[Entry] = []
    for clause in found:
        kind, weight = worth(clause, message, familiar)
        if weight >= LEAST:
            line = Line(clause.text, kind, weight, message.seq, message.created, message.role, message.name, clause.about)
            made.append(entry(line, clause.values))
    if len(made) > MOST_OF_MESSAGE:
        least = sorted((-one.line.weight, at) for at, one in enumerate(made))[:MOST_OF_MESSAGE]
        made = [made[at] for at in sorted(at for _, at in least)]
    return made


def _question(text: str) -> str:
    """What a message asks at its end, if it does."""
    if not text.rstrip().endswith(("?", "？")):
        return ""
    return list(sentences(text[-400:]))[-1]


def _answering(asked: str, clause: Clause) -> Clause:
    """A bare answer ("5433", "it was Ana") with the question that it answers."""
    if clause.about or not clause.values or (clause.subject and not is_pronominal(clause.text)):
        return clause
    return clause._replace(about=" ".join(asked.split()[-LONGEST_QUESTION:]), subject=clause.subject | subject(asked, ()))


# -- choosing


def _best(candidates: Sequence[Entry], upto: int, familiar: frozenset[str]) -> list[Entry]:
    """The candidates that have a chance, in order of time."""
    if len(candidates) > POOL:
        candidates = sorted(candidates, key=lambda one: _rank(one, upto, familiar, len(one.line.text) // 4))[:POOL]
    return sorted(candidates, key=lambda one: one.line.seq)


def _rank(one: Entry, upto: int, familiar: frozenset[str], tokens: int) -> tuple[float, int]:
    """What decides who is kept; the smallest is the best. A name can have become familiar since its line was written."""
    line = one.line
    fresh = 1 + FRESH / (1 + (upto - line.seq) / FRESH_MESSAGES)
    stale = STALE if one.kinds and one.kinds <= {"name", "day"} and not one.names - familiar else 1.0
    return -line.weight * fresh * stale / (tokens + OVERHEAD), -line.seq


def _selected(entries: Sequence[Entry], upto: int, familiar: frozenset[str], count: Count, limit: int) -> list[Line]:
    """The lines that fit, in order of time. Counting the whole text is dear: it is done when the room gets scarce."""
    counted = [one._replace(line=one.line._replace(tokens=one.line.tokens or _cost(one.line, count))) for one in entries]
    chosen: list[Line] = []
    used = 0
    for one in sorted(counted, key=lambda one: _rank(one, upto, familiar, one.line.tokens)):
        if used + one.line.tokens > limit:
            continue
        more = sorted([*chosen, one.line], key=lambda line: line.seq)
        if used + one.line.tokens > SURE * limit and count(render(more)) > limit:
            continue
        chosen = more
        used += one.line.tokens
    while chosen and count(render(chosen)) > limit:
        chosen.remove(min(chosen, key=lambda line: (line.weight, line.seq)))
    return chosen


def _cost(line: Line, count: Count) -> int:
    return count(words_of(line)) + 1


# -- keeping


def pack(digest: Digest) -> dict[str, Any]:
    """A summary as plain JSON values.

    >>> unpack(pack(Digest(messages=3))) == Digest(messages=3)
    True
    """
    return {
        "lines": [list(line) for line in digest.lines],
        "topics": list(digest.topics),
        "messages": digest.messages,
        "source_tokens": digest.source_tokens,
        "upto": digest.upto,
        "text": digest.text,
        "tokens": digest.tokens,
        "counts": [list(pair) for pair in digest.counts],
    }


def unpack(packed: Mapping[str, Any]) -> Digest:
    """The summary that was packed.

    >>> unpack({"lines": [["a", "fact", 1.0, 1, 0, "user", None, "", 2]], "messages": 1}).lines[0].role
    <Role.USER: 'user'>
    """
    return Digest(
        lines=tuple(_line(row) for row in packed["lines"]),
        topics=tuple(packed.get("topics", ())),
        messages=packed["messages"],
        source_tokens=packed.get("source_tokens", 0),
        upto=packed.get("upto", 0),
        text=packed.get("text", ""),
        tokens=packed.get("tokens", 0),
        counts=tuple((word, number) for word, number in packed.get("counts", ())),
    )


def _line(row: Sequence[Any]) -> Line:
    line = Line(*row)
    return line._replace(role=Role(line.role))
