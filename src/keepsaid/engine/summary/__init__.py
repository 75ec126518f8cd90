"""Rolling summary without a model: extracts what is worth keeping from the previous summary and the messages since.

It consists of the speakers' own words, so no number in it is wrong. Every line keeps the weight it got when it was said, and
lines compete for the limit by weight per token: later small talk does not displace what matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepsaid.engine.summary.clause_weights import MIN_WEIGHT, weigh_clause
from keepsaid.engine.summary.clauses import MessageClause, split_clauses
from keepsaid.engine.summary.lines import ComparableLine, SummaryLine, make_comparable, merge_lines
from keepsaid.engine.summary.render import format_line, render_lines
from keepsaid.engine.summary.sentences import HEAD, has_little_content, split_sentences
from keepsaid.engine.summary.subject import find_subject, is_pronominal
from keepsaid.engine.summary.topics import choose_topics, count_topic_phrases
from keepsaid.engine.text.values import find_values
from keepsaid.types import Message, Role

LIMIT = 400
MAX_MESSAGE_LINES = 4
"""Maximum lines from one message: a message with more was pasted."""
MAX_MESSAGES_READ = 400
"""Maximum messages of one call that are read closely; of more, those with the highest estimated weight. A summary has about
30 lines."""
MAX_QUESTION_WORDS = 12
"""Maximum words of a question that is included with a bare answer."""
POOL = 160
"""Lines that are compared with each other. Those with less weight have no chance of being kept."""
OVERHEAD = 40
"""Assumed tokens of every line beyond its words, so that long values do not lose against short remarks."""
FRESH = 0.2
"""Bonus of the newest line over an old one of the same weight."""
FRESH_MESSAGES = 100
STALE = 0.6
"""Factor for a line whose only values are names that have become familiar."""
SURE = 0.75
"""Share of the limit up to which the lines' own token counts are trusted. Speakers and days are added to them."""
OFTEN = 4
"""Number of messages with a name from which it is familiar."""

TokenCountFunction = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class ExtractiveSummary:
    """A summary: its lines in order of time, its text, and which messages it covers (`upto` is the last one's `seq`)."""

    lines: tuple[SummaryLine, ...] = ()
    topics: tuple[str, ...] = ()
    messages: int = 0
    source_tokens: int = 0
    upto: int = 0
    text: str = ""
    tokens: int = 0
    counts: tuple[tuple[str, int], ...] = ()
    """In how many messages each word was used; the topics are derived from it."""

    @property
    def ratio(self) -> float:
        """Length of the summary in proportion to what it covers.

        >>> ExtractiveSummary(source_tokens=1000, tokens=50).ratio
        0.05
        """
        return self.tokens / self.source_tokens if self.source_tokens else 0.0


def summarize_messages(
    previous: ExtractiveSummary | None, messages: Sequence[Message], count: TokenCountFunction, limit: int = LIMIT
) -> ExtractiveSummary:
    """Return the summary of everything that `previous` covers and of these messages. Messages already covered are skipped.

    >>> said = ["Hi there!", "Please remember that the gate code is 4417.", "I had 2 coffees, haha."]
    >>> messages = [
    ...     Message(f"m{at}", "s1", at, at - 1, Role.USER, text, 9, 0, 0.0, False, {}) for at, text in enumerate(said, 1)
    ... ]
    >>> made = summarize_messages(None, messages, lambda text: len(text.split()))
    >>> made.text, made.upto, made.messages
    ('the gate code is 4417', 3, 3)
    """
    before = previous or ExtractiveSummary()
    new = [message for message in messages if message.seq > before.upto]
    if not new and before.tokens <= limit:
        return before
    spoken = [message for message in new if message.role in (Role.USER, Role.ASSISTANT)]
    counts = count_topic_phrases(dict(before.counts), spoken)
    speakers = _find_speakers(before, new)
    familiar = _find_familiar(speakers, counts, spoken)
    candidates = [*map(make_comparable, before.lines), *_find_candidates(spoken, speakers, familiar)]
    upto = max((message.seq for message in new), default=before.upto)
    lines = _select_lines(merge_lines(_preselect(candidates, upto, familiar)), upto, familiar, count, limit)
    text = render_lines(lines)
    return ExtractiveSummary(
        lines=tuple(lines),
        topics=choose_topics(counts, speakers),
        messages=before.messages + len(new),
        source_tokens=before.source_tokens + sum(message.tokens for message in new),
        upto=upto,
        text=text,
        tokens=count(text) if text else 0,
        counts=tuple(counts.items()),
    )


# -- candidates


def _find_speakers(before: ExtractiveSummary, messages: Sequence[Message]) -> frozenset[str]:
    """Return the names of the speakers, and how they may be shortened."""
    names = {line.name for line in before.lines if line.name} | {message.name for message in messages if message.name}
    return frozenset(name[:length] for name in names for length in (len(name), 2, 3, 4, 5))


def _find_familiar(speakers: frozenset[str], counts: Mapping[str, int], messages: Sequence[Message]) -> frozenset[str]:
    """Return words that are no news as names: the speakers, words mentioned often, and words also written in lower case."""
    often = {word for word, times in counts.items() if times >= OFTEN}
    small = {word for message in messages for word in message.text[:HEAD].split() if word.islower()}
    return frozenset(map(str.lower, speakers)) | often | small


def _find_candidates(
    messages: Sequence[Message], speakers: frozenset[str], familiar: frozenset[str]
) -> Iterator[ComparableLine]:
    asked = ""
    called = _address_pattern(speakers)
    closely = _choose_close_reading(messages, familiar)
    for message in messages:
        if message.seq not in closely:
            asked = ""
            continue
        found = split_clauses(called.sub("", message.text) if called else message.text)
        if asked and found:
            found[0] = _add_question(asked, found[0])
        yield from _select_from_message(message, found, familiar)
        asked = _find_closing_question(message.text)


def _choose_close_reading(messages: Sequence[Message], familiar: frozenset[str]) -> frozenset[int]:
    """Return which messages are read closely: all, unless there are very many."""
    if len(messages) > MAX_MESSAGES_READ:
        messages = sorted(messages, key=lambda one: (-_estimate_weight(one, familiar), -one.seq))[:MAX_MESSAGES_READ]
    return frozenset(message.seq for message in messages)


def _estimate_weight(message: Message, familiar: frozenset[str]) -> float:
    """Return the weight of a message's best sentence as it stands, which takes a quarter of the time of analyzing its
    clauses."""
    informative = (sentence for sentence in split_sentences(message.text) if not has_little_content(sentence))
    seen = (
        MessageClause(sentence, tuple(find_values(sentence)), frozenset(sentence.split()), sentence)
        for sentence in informative
    )
    return max((weigh_clause(clause, message, familiar).weight for clause in seen), default=0.0)


def _address_pattern(names: frozenset[str]) -> re.Pattern[str] | None:
    """Return a pattern for addressing a speaker by name ("Thanks, Ana!"): that is no mention of Ana."""
    if not names:
        return None
    either = "|".join(sorted(map(re.escape, names), reverse=True))
    return re.compile(rf",\s+(?:{either})(?=\s?[,.!?])|(?:^|(?<=[.!?]\s))(?:\w+\s)?(?:{either})\s?[,.!?]+\s?")


def _select_from_message(message: Message, found: Sequence[MessageClause], familiar: frozenset[str]) -> list[ComparableLine]:
    made: list[ComparableLine] = []
    for clause in found:
        kind, weight = weigh_clause(clause, message, familiar)
        if weight >= MIN_WEIGHT:
            line = SummaryLine(
                clause.text, kind, weight, message.seq, message.created, message.role, message.name, clause.about
            )
            made.append(make_comparable(line, clause.values))
    if len(made) > MAX_MESSAGE_LINES:
        least = sorted((-one.line.weight, at) for at, one in enumerate(made))[:MAX_MESSAGE_LINES]
        made = [made[at] for at in sorted(at for _, at in least)]
    return made


def _find_closing_question(text: str) -> str:
    """Return the question at the end of a message, if there is one."""
    if not text.rstrip().endswith(("?", "？")):
        return ""
    return list(split_sentences(text[-400:]))[-1]


def _add_question(asked: str, clause: MessageClause) -> MessageClause:
    """Return a bare answer ("5433", "it was Ana") with the question that it answers."""
    if clause.about or not clause.values or (clause.subject and not is_pronominal(clause.text)):
        return clause
    return clause._replace(
        about=" ".join(asked.split()[-MAX_QUESTION_WORDS:]), subject=clause.subject | find_subject(asked, ())
    )


# -- selection


def _preselect(candidates: Sequence[ComparableLine], upto: int, familiar: frozenset[str]) -> list[ComparableLine]:
    """Return the candidates that have a chance, in order of time."""
    if len(candidates) > POOL:
        candidates = sorted(candidates, key=lambda one: _rank(one, upto, familiar, len(one.line.text) // 4))[:POOL]
    return sorted(candidates, key=lambda one: one.line.seq)


def _rank(one: ComparableLine, upto: int, familiar: frozenset[str], tokens: int) -> tuple[float, int]:
    """Return the sort key of a candidate; the smallest is the best. A name may have become familiar since its line was
    written."""
    line = one.line
    fresh = 1 + FRESH / (1 + (upto - line.seq) / FRESH_MESSAGES)
    stale = STALE if one.kinds and one.kinds <= {"name", "day"} and not one.names - familiar else 1.0
    return -line.weight * fresh * stale / (tokens + OVERHEAD), -line.seq


def _select_lines(
    entries: Sequence[ComparableLine], upto: int, familiar: frozenset[str], count: TokenCountFunction, limit: int
) -> list[SummaryLine]:
    """Return the lines that fit, in order of time. Counting the whole text is slow, so it is done only when space gets
    scarce."""
    counted = [
        one._replace(line=one.line._replace(tokens=one.line.tokens or _count_line_tokens(one.line, count)))
        for one in entries
    ]
    chosen: list[SummaryLine] = []
    used = 0
    for one in sorted(counted, key=lambda one: _rank(one, upto, familiar, one.line.tokens)):
        if used + one.line.tokens > limit:
            continue
        more = sorted([*chosen, one.line], key=lambda line: line.seq)
        if used + one.line.tokens > SURE * limit and count(render_lines(more)) > limit:
            continue
        chosen = more
        used += one.line.tokens
    while chosen and count(render_lines(chosen)) > limit:
        chosen.remove(min(chosen, key=lambda line: (line.weight, line.seq)))
    return chosen


def _count_line_tokens(line: SummaryLine, count: TokenCountFunction) -> int:
    return count(format_line(line)) + 1


# -- serialization


def pack_summary(digest: ExtractiveSummary) -> dict[str, Any]:
    """Return a summary as plain JSON values.

    >>> unpack_summary(pack_summary(ExtractiveSummary(messages=3))) == ExtractiveSummary(messages=3)
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


def unpack_summary(packed: Mapping[str, Any]) -> ExtractiveSummary:
    """Return the summary that was packed.

    >>> unpack_summary({"lines": [["a", "fact", 1.0, 1, 0, "user", None, "", 2]], "messages": 1}).lines[0].role
    <Role.USER: 'user'>
    """
    return ExtractiveSummary(
        lines=tuple(_unpack_line(row) for row in packed["lines"]),
        topics=tuple(packed.get("topics", ())),
        messages=packed["messages"],
        source_tokens=packed.get("source_tokens", 0),
        upto=packed.get("upto", 0),
        text=packed.get("text", ""),
        tokens=packed.get("tokens", 0),
        counts=tuple((word, number) for word, number in packed.get("counts", ())),
    )


def _unpack_line(row: Sequence[Any]) -> SummaryLine:
    line = SummaryLine(*row)
    return line._replace(role=Role(line.role))
