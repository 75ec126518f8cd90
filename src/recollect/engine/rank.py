"""Ranking: which of the candidates answer the question, by everything that is known of them.

A candidate's score is a weighted sum of signals, each on a scale of its own that means the same for every question and
every owner, so scores can be compared and added without looking at the other candidates. Some signals look beyond the
message itself, because an answer seldom repeats the words of its question:

- what the message before and after it match counts for it, too (`nearby_…`), and so does its whole conversation (`talk_…`);
- a message that follows a matching question answers it (`answers`).

Who said it counts: what a person stated is the source (`stated`), an assistant's words mostly echo it; and of what a person
says, a lasting statement about themselves tells more than a task they set (`statement`).

The weights are in `engine.ranking_models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from recollect.engine.query import Question
from recollect.engine.terms import terms
from recollect.types import Message, Microseconds, Role, microseconds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float32]
    Matrix = NDArray[np.float32]

DAY = 86_400_000_000

NEARBY_WORDS = 0.5
NEARBY_MEANING = 0.7
"""What a match of the message before or after is worth to this one."""

CHANCE = 0.3
"""How close in meaning any two texts are: below it, a question does not match, and what follows it answers nothing."""

UNRELATED = 0.25
"""Below it, a message that shares no word with the question is no hit at all, however few others there are."""

CLOSE_TOKENS, CLOSE_TEXT = 0.4, 0.3
"""How well tokens or the whole text of a message without any word of a query must match to be found by a search. Made-up
words reach 0.37 and 0.34 at the most in the stores that were tried, but for chess moves and the like."""

RECENT = 7 * DAY
"""After so long, the bonus of a fresh message has shrunk to a third."""

MARGIN = 2 * DAY
"""How far outside the time asked for a message may be before its match fades quickly: people mis-remember dates."""

LONGEST_TIME = 400 * DAY


class Weights(NamedTuple):
    """What each signal adds to a score. The names are those that a hit reports."""

    words: float = 0.0
    nearby_words: float = 0.0
    talk_words: float = 0.0
    meaning: float = 0.0
    nearby_meaning: float = 0.0
    talk_meaning: float = 0.0
    answers: float = 0.0
    is_question: float = 0.0
    time: float = 0.0
    recent: float = 0.0
    user: float = 0.0
    assistant: float = 0.0
    speaker: float = 0.0
    phrase: float = 0.0
    importance: float = 0.0
    closeness: float = 0.0
    stated: float = 0.0
    statement: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidates:
    """Messages to be ranked, ordered by session and seq, and how well each matches the question's parts.

    `words` has a row for each of the question's terms: which share of a perfect match the term contributes. `matches` has a
    row for each of its tokens (or a single one for a plain vector), `tokens` says what those rows weigh. `closeness` is the
    cosine of a message's best passage with the question, `statements` how likely a message states something lasting about
    who wrote it; both are 0 where that is not known.
    """

    messages: Sequence[Message]
    words: Matrix
    matches: Matrix
    tokens: Sequence[float]
    closeness: Column | None = None
    statements: Column | None = None


class Ranked(NamedTuple):
    """A candidate's place in `Candidates`, its score, and the places of others that say the very same."""

    at: int
    score: float
    also: tuple[int, ...] = ()


class Ranking:
    """All candidates that have anything to do with the question, best first; of two equally good ones the newer."""

    def __init__(self, question: Question, candidates: Candidates, weights: Weights, now: Microseconds) -> None:
        self._table = signals(question, candidates, now) if candidates.messages else {}
        self._has_meaning = len(candidates.matches) > 0
        weighed = {name: weight for name, weight in weights._asdict().items() if weight}
        # Whoever reads the signals compares the neighbours' with the message's own, weighed or not.
        self._names = [name for name in Weights._fields if name in weighed or name in self._own_signals()]
        messages = candidates.messages
        self.scores = scores = self._totals(weights, len(messages))

        def newest_best(at: int) -> tuple[float, int, int]:
            return scores[at], messages[at].created, messages[at].seq

        related = self._related() if messages else []
        order = sorted(range(len(scores)), key=newest_best, reverse=True)
        self.best_first = [Ranked(at, scores[at]) for at in order if related[at]]

    def _own_signals(self) -> tuple[str, ...]:
        return ("words", "meaning") if self._has_meaning else ("words",)

    def _totals(self, weights: Weights, count: int) -> list[float]:
        import numpy as np

        total = np.zeros(count, np.float32)
        for name in self._names if count else ():
            total += getattr(weights, name) * self._table[name]
        return total.tolist()

    def _related(self) -> list[bool]:
        """Whether each candidate or its neighbour has a word of the question, or comes close to its meaning."""
        return ((self._table["nearby_words"] > 0) | (self._table["nearby_meaning"] >= UNRELATED)).tolist()

    def is_close(self, at: int) -> bool:
        """Whether a candidate or its neighbour has a word of the query, or is close enough in meaning for somebody who
        searches: for nonsense, nothing is."""
        table = self._table
        return bool(
            table["nearby_words"][at] > 0
            or table["nearby_meaning"][at] >= CLOSE_TOKENS
            or table["closeness"][at] >= CLOSE_TEXT
        )

    def signals(self, at: int) -> dict[str, float]:
        """What speaks for a candidate, by name."""
        return {name: round(float(self._table[name][at]), 3) for name in self._names}


def signals(question: Question, candidates: Candidates, now: Microseconds) -> dict[str, Column]:
    """Every signal of every candidate."""
    import numpy as np

    messages, words, matches = candidates.messages, candidates.words, candidates.matches
    tokens = np.asarray(candidates.tokens, np.float32)
    before, after = _neighbours(messages)
    talks = _Talks(messages)
    meaning = tokens @ matches
    own_words = words.sum(0)
    asked = np.array([is_question(message.text) for message in messages], np.float32)
    relevance = np.maximum(meaning - CHANCE, 0) if len(matches) else own_words
    created = np.array([message.created for message in messages], np.float64)
    stated = np.array([is_person(message) for message in messages], np.float32)
    return {
        "words": own_words,
        "nearby_words": _with_nearby(words, before, after, NEARBY_WORDS).sum(0),
        "talk_words": talks.best(words).sum(0),
        "meaning": meaning,
        "nearby_meaning": tokens @ _with_nearby(matches, before, after, NEARBY_MEANING),
        "talk_meaning": tokens @ talks.best(matches),
        "answers": _at(relevance * asked, before),
        "is_question": asked,
        "time": _time_match(question, created),
        "recent": np.exp(-np.abs(now - created) / RECENT).astype(np.float32),
        "user": _said_by(messages, Role.USER, question.asks_user is True),
        "assistant": _said_by(messages, Role.ASSISTANT, question.asks_user is False),
        "speaker": _speaks(messages, question),
        "phrase": _phrases(messages, question.phrases),
        "importance": np.array([message.importance for message in messages], np.float32),
        "closeness": _known(candidates.closeness, len(messages)),
        "stated": stated,
        "statement": stated * _known(candidates.statements, len(messages)),
    }


def is_question(text: str) -> bool:
    """Whether a message ends by asking something.

    >>> is_question("How is the store going?"), is_question("Why? Because I said so.")
    (True, False)
    """
    return text.rstrip(" \n\t\"')]”’").endswith(("?", "？", "؟"))


def is_person(message: Message) -> bool:
    """Whether a person said it: the user, or a participant with a name; not an assistant, a tool or a system prompt."""
    return message.role is Role.USER or (message.role is Role.ASSISTANT and bool(message.name))


def _known(values: Column | None, count: int) -> Column:
    import numpy as np

    return np.zeros(count, np.float32) if values is None else values


def _neighbours(messages: Sequence[Message]) -> tuple[list[int], list[int]]:
    """For each message the place of the one it follows, and of the one that follows it; -1 for none among them."""
    places = {(message.session, message.seq): at for at, message in enumerate(messages)}
    before = [places.get((message.session, message.parent), -1) for message in messages]
    after = [-1] * len(messages)
    for at, follows in enumerate(before):
        if follows >= 0:
            after[follows] = at
    return before, after


def _at(values: Matrix, places: Sequence[int]) -> Matrix:
    """The values at these places (in the last dimension), and 0 where there is none."""
    import numpy as np

    found = values[..., places]
    found[..., np.asarray(places) < 0] = 0
    return found


def _with_nearby(matches: Matrix, before: Sequence[int], after: Sequence[int], share: float) -> Matrix:
    """Each part of the question matched by the message or, for a share of it, by one of its neighbours."""
    import numpy as np

    return np.maximum(matches, share * np.maximum(_at(matches, before), _at(matches, after)))


class _Talks:
    """The conversations among the candidates, which lie together."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._starts = [at for at, m in enumerate(messages) if at == 0 or m.session != messages[at - 1].session]
        self._lengths = [end - at for at, end in zip(self._starts, [*self._starts[1:], len(messages)], strict=True)]

    def best(self, matches: Matrix) -> Matrix:
        """For each message, how well its conversation matches each part of the question."""
        import numpy as np

        if not len(matches):
            return matches
        return np.repeat(np.maximum.reduceat(matches, self._starts, axis=1), self._lengths, axis=1)


def _time_match(question: Question, created: NDArray[np.float64]) -> Column:
    """1 within a time that the question names, less and less outside it."""
    import numpy as np

    match = np.zeros(len(created), np.float32)
    for time in question.times:
        start = -np.inf if time.start is None else float(microseconds(time.start))
        end = np.inf if time.end is None else float(microseconds(time.end))
        outside = np.maximum(np.maximum(start - created, created - end), 0)
        width = min(max(end - start, DAY), LONGEST_TIME) + MARGIN
        match = np.maximum(match, np.exp(-outside / width).astype(np.float32))
    return match


def _said_by(messages: Sequence[Message], role: Role, asked_for: bool) -> Column:
    import numpy as np

    if not asked_for:
        return np.zeros(len(messages), np.float32)
    return np.array([message.role is role for message in messages], np.float32)


def _phrases(messages: Sequence[Message], phrases: Sequence[tuple[str, ...]]) -> Column:
    """Which share of the question's quoted phrases each message has."""
    import numpy as np

    if not phrases:
        return np.zeros(len(messages), np.float32)
    found = [sum(has_run(terms(message.text), phrase) for phrase in phrases) / len(phrases) for message in messages]
    return np.array(found, np.float32)


def has_run(words: Sequence[str], run: Sequence[str]) -> bool:
    """Whether these terms follow one another in a text.

    >>> has_run(["my", "big", "sister"], ["big", "sister"]), has_run(["my", "big", "sister"], ["my", "sister"])
    (True, False)
    """
    length = len(run)
    return any(words[at] == run[0] and tuple(words[at : at + length]) == tuple(run) for at in range(len(words) - length + 1))


def _speaks(messages: Sequence[Message], question: Question) -> Column:
    """Whether the question names who said it: as words of its own, because "Sam" is not in "the same"."""
    import numpy as np

    asked = terms(question.text)
    names = {message.name: terms(message.name) for message in messages if message.name}
    named = {name for name, run in names.items() if run and has_run(asked, run)}
    return np.array([message.name in named for message in messages], np.float32)
