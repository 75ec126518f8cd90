"""Rank candidates by everything that is known of them.

The score of a candidate is a weighted sum of signals. Each signal has a scale that means the same for every question and
every owner, so scores can be compared without looking at the other candidates. Some signals look beyond the message itself,
because an answer seldom repeats the words of its question:

- matches of the messages before and after it count for a message, too (`nearby_…`), and so do those of its whole
  conversation (`conversation_…`);
- a message that follows a matching question answers it (`answers`).

The speaker counts: what a person stated is the source (`stated`), while an assistant mostly repeats it. Of what a person
says, a lasting statement about themselves tells more than a task they set (`statement`).

The weights are in `engine.ranking.models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from keepsaid.engine.query.query import ParsedQuery
from keepsaid.engine.text.phrase_match import join_terms
from keepsaid.engine.text.terms import terms
from keepsaid.types import Message, Microseconds, Role, to_microseconds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float32]
    Matrix = NDArray[np.float32]

DAY = 86_400_000_000

NEARBY_WORDS = 0.5
NEARBY_MEANING = 0.7
"""Share of a match of the message before or after that counts for a message, by words and by meaning."""

CHANCE_CLOSENESS = 0.3
"""Closeness in meaning of any two texts. Below it, a question does not match, and what follows it answers nothing."""

UNRELATED = 0.25
"""Below this, a message that shares no word with the question is no hit, however few others there are."""

CLOSE_TOKENS, CLOSE_TEXT = 0.4, 0.3
"""How well tokens or the whole text of a message without any word of the query must match to be a hit of a search. Made-up
words reach at most 0.37 and 0.34 in the stores that were tried, except for chess moves and similar text."""

RECENT = 7 * DAY
"""Time after which the bonus of a recent message has shrunk to a third."""

MARGIN = 2 * DAY
"""How far outside the requested time a message may be before its match fades quickly: people misremember dates."""

LONGEST_TIME = 400 * DAY


class SignalWeights(NamedTuple):
    """What each signal adds to a score. The names are those that a hit reports."""

    words: float = 0.0
    nearby_words: float = 0.0
    conversation_words: float = 0.0
    meaning: float = 0.0
    nearby_meaning: float = 0.0
    conversation_meaning: float = 0.0
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
    usefulness: float = 0.0
    stated: float = 0.0
    statement: float = 0.0


@dataclass(frozen=True, slots=True)
class RankingCandidates:
    """Messages to rank, ordered by session and seq, and how well each matches the parts of the question.

    `words` has a row for each of the question's terms: the share of a perfect match that the term contributes. `matches` has
    a row for each of its tokens (or a single one for a plain vector), and `tokens` their weights. `closeness` is the cosine
    of a message's best passage with the question, `usefulness` its cosine with what would help with it, if the embedder can
    tell, and `statements` the likelihood that a message states something lasting about its author. Unknown values are 0.
    """

    messages: Sequence[Message]
    words: Matrix
    matches: Matrix
    tokens: Sequence[float]
    closeness: Column | None = None
    usefulness: Column | None = None
    statements: Column | None = None


class RankedCandidate(NamedTuple):
    """A candidate's index in `RankingCandidates`, its score, and the indexes of others with the same text."""

    at: int
    score: float
    also: tuple[int, ...] = ()


class CandidateRanking:
    """All candidates that are related to the question, best first; of two equally good ones the newer."""

    def __init__(
        self, question: ParsedQuery, candidates: RankingCandidates, weights: SignalWeights, now: Microseconds
    ) -> None:
        self._table = compute_signals(question, candidates, now) if candidates.messages else {}
        self._has_meaning = len(candidates.matches) > 0
        self._has_closeness = candidates.closeness is not None
        weighed = {name: weight for name, weight in weights._asdict().items() if weight}
        # The reason of a hit compares the signals of neighbours with the message's own, weighted or not.
        self._names = [name for name in SignalWeights._fields if name in weighed or name in self._own_signals()]
        messages = candidates.messages
        self.scores = scores = self._sum_signals(weights, len(messages))

        def newest_best(at: int) -> tuple[float, int, int]:
            return scores[at], messages[at].created, messages[at].seq

        related = self._find_related() if messages else []
        order = sorted(range(len(scores)), key=newest_best, reverse=True)
        self.best_first = [RankedCandidate(at, scores[at]) for at in order if related[at]]
        self.questions: list[bool] = (self._table["is_question"] > 0).tolist() if messages else []
        """Whether each candidate ends with a question."""

    def _own_signals(self) -> tuple[str, ...]:
        meaning = ("meaning",) if self._has_meaning else ()
        return ("words", *meaning, *(("closeness",) if self._has_closeness else ()))

    def _sum_signals(self, weights: SignalWeights, count: int) -> list[float]:
        import numpy as np

        total = np.zeros(count, np.float32)
        for name in self._names if count else ():
            total += getattr(weights, name) * self._table[name]
        return total.tolist()

    def _find_related(self) -> list[bool]:
        """Return whether each candidate or its neighbour has a word of the question, or comes close to its meaning."""
        return ((self._table["nearby_words"] > 0) | (self._table["nearby_meaning"] >= UNRELATED)).tolist()

    def find_close(self) -> list[bool]:
        """Return whether each candidate or its neighbour has a word of the query, or is close enough in meaning to be a hit
        of a search. For nonsense, none is."""
        if not self._table:
            return []
        words, meaning, closeness = (self._table[name] for name in ("nearby_words", "nearby_meaning", "closeness"))
        return ((words > 0) | (meaning >= CLOSE_TOKENS) | (closeness >= CLOSE_TEXT)).tolist()

    def list_signals(self, places: Sequence[int]) -> list[dict[str, float]]:
        """Return the signals of these candidates by name."""
        import numpy as np

        if not places:
            return []
        columns = [np.round(self._table[name][places].astype(np.float64), 3).tolist() for name in self._names]
        return [dict(zip(self._names, values, strict=True)) for values in zip(*columns, strict=True)]


def compute_signals(question: ParsedQuery, candidates: RankingCandidates, now: Microseconds) -> dict[str, Column]:
    """Return every signal of every candidate."""
    import numpy as np

    messages, words, matches = candidates.messages, candidates.words, candidates.matches
    tokens = np.asarray(candidates.tokens, np.float32)
    before, after = _find_neighbours(messages)
    conversations = _CandidateConversations(messages)
    meaning = tokens @ matches
    own_words = words.sum(0)
    asked = np.array([is_question(message.text) for message in messages], np.float32)
    relevance = np.maximum(meaning - CHANCE_CLOSENESS, 0) if len(matches) else own_words
    created = np.array([message.created for message in messages], np.float64)
    stated = np.array([is_from_person(message) for message in messages], np.float32)
    return {
        "words": own_words,
        "nearby_words": _with_nearby(words, before, after, NEARBY_WORDS).sum(0),
        "conversation_words": conversations.best(words).sum(0),
        "meaning": meaning,
        "nearby_meaning": tokens @ _with_nearby(matches, before, after, NEARBY_MEANING),
        "conversation_meaning": tokens @ conversations.best(matches),
        "answers": _take_at(relevance * asked, before),
        "is_question": asked,
        "time": _match_time(question, created),
        "recent": np.exp(-np.abs(now - created) / RECENT).astype(np.float32),
        "user": _match_role(messages, Role.USER, question.asks_user is True),
        "assistant": _match_role(messages, Role.ASSISTANT, question.asks_user is False),
        "speaker": _match_speaker(messages, question),
        "phrase": _match_phrases(messages, question),
        "importance": np.array([message.importance for message in messages], np.float32),
        "closeness": _or_zeros(candidates.closeness, len(messages)),
        "usefulness": _or_zeros(candidates.usefulness, len(messages)),
        "stated": stated,
        "statement": stated * _or_zeros(candidates.statements, len(messages)),
    }


def is_question(text: str) -> bool:
    """Whether a message ends with a question.

    >>> is_question("How is the store going?"), is_question("Why? Because I said so.")
    (True, False)
    """
    return text.rstrip(" \n\t\"')]”’").endswith(("?", "？", "؟"))


def is_from_person(message: Message) -> bool:
    """Whether a person said it: the user, or a participant with a name; not an assistant, a tool or a system prompt."""
    return message.role is Role.USER or (message.role is Role.ASSISTANT and bool(message.name))


def _or_zeros(values: Column | None, count: int) -> Column:
    import numpy as np

    return np.zeros(count, np.float32) if values is None else values


def _find_neighbours(messages: Sequence[Message]) -> tuple[list[int], list[int]]:
    """Return for each message the index of the one it follows, and of the one that follows it; -1 if it is not a
    candidate."""
    places = {(message.session, message.seq): at for at, message in enumerate(messages)}
    before = [places.get((message.session, message.parent), -1) for message in messages]
    after = [-1] * len(messages)
    for at, follows in enumerate(before):
        if follows >= 0:
            after[follows] = at
    return before, after


def _take_at(values: Matrix, places: Sequence[int]) -> Matrix:
    """Return the values at these indexes of the last dimension, and 0 for negative ones."""
    import numpy as np

    found = values[..., places]
    found[..., np.asarray(places) < 0] = 0
    return found


def _with_nearby(matches: Matrix, before: Sequence[int], after: Sequence[int], share: float) -> Matrix:
    """Return how well the message or, for a share of it, one of its neighbours matches each part of the question."""
    import numpy as np

    return np.maximum(matches, share * np.maximum(_take_at(matches, before), _take_at(matches, after)))


class _CandidateConversations:
    """The conversations among the candidates, whose messages are adjacent."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._starts = [at for at, m in enumerate(messages) if at == 0 or m.session != messages[at - 1].session]
        self._lengths = [end - at for at, end in zip(self._starts, [*self._starts[1:], len(messages)], strict=True)]

    def best(self, matches: Matrix) -> Matrix:
        """Return for each message how well its conversation matches each part of the question."""
        import numpy as np

        if not len(matches):
            return matches
        return np.repeat(np.maximum.reduceat(matches, self._starts, axis=1), self._lengths, axis=1)


def _match_time(question: ParsedQuery, created: NDArray[np.float64]) -> Column:
    """Return 1 within a time that the question names, and less and less outside it."""
    import numpy as np

    match = np.zeros(len(created), np.float32)
    for time in question.times:
        start = -np.inf if time.start is None else float(to_microseconds(time.start))
        end = np.inf if time.end is None else float(to_microseconds(time.end))
        outside = np.maximum(np.maximum(start - created, created - end), 0)
        width = min(max(end - start, DAY), LONGEST_TIME) + MARGIN
        match = np.maximum(match, np.exp(-outside / width).astype(np.float32))
    return match


def _match_role(messages: Sequence[Message], role: Role, asked_for: bool) -> Column:
    import numpy as np

    if not asked_for:
        return np.zeros(len(messages), np.float32)
    return np.array([message.role is role for message in messages], np.float32)


def _match_phrases(messages: Sequence[Message], question: ParsedQuery) -> Column:
    """Return the share of the question's quoted phrases that each message has."""
    import numpy as np

    if not question.phrases:
        return np.zeros(len(messages), np.float32)
    return np.array([question.matcher.match(message).share for message in messages], np.float32)


def _match_speaker(messages: Sequence[Message], question: ParsedQuery) -> Column:
    """Return whether the question names the speaker of each message. Names are compared as whole words: "Sam" is not in "the
    same"."""
    import numpy as np

    asked = join_terms(terms(question.text))
    names = {message.name: join_terms(terms(message.name)) for message in messages if message.name}
    named = {name for name, run in names.items() if run and run in asked}
    return np.array([message.name in named for message in messages], np.float32)
