"""The evidence: what is known of each message that may answer a question, ready to be ranked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recollect.engine import bm25
from recollect.engine.late import best_matches, token_weights
from recollect.engine.passages import passages as pieces_of
from recollect.engine.passages import spoken
from recollect.engine.query import Question
from recollect.engine.rank import Candidates, has_run
from recollect.engine.terms import may_have, terms
from recollect.ports import Embedding, Found, Passage, Seen
from recollect.types import Message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

UNKNOWN, BY_WORDS = 0.15, 0.5
"""How close in meaning a message is taken to be that has no vectors yet, without any word of the question; and how much
closer with all of them."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Candidates, and what a hit shows of them."""

    question: Question
    candidates: Candidates
    numbers: Sequence[int]
    spans: Sequence[tuple[int, int] | None]
    """Which characters of each message match best; None where only its words are known."""
    has_meaning: bool
    has_tokens: bool
    allowed: Collection[int] | None = None
    more: bool = False
    """Whether more messages have the words than were taken."""

    @classmethod
    def of(
        cls,
        question: Question,
        seen: Sequence[Seen],
        found: Found,
        by_words: Mapping[int, Seen],
        asked: Embedding | None,
        passages: Sequence[Passage],
    ) -> Evidence:
        """Puts together what words (`found`, `by_words`) and vectors (`asked`, `passages`) say of the messages seen."""
        seen = sorted(seen, key=lambda one: (one.message.session, one.message.seq))
        words = _words(question, seen, found, by_words)
        if asked is None:
            matches, tokens, spans = words[:0], [], [None] * len(seen)
        else:
            tokens = token_weights(question.text, asked.spans, found.worth, question.times) if asked.tokens else [1.0]
            matches, spans = _meaning(seen, asked, tokens, passages, words)
        candidates = Candidates([one.message for one in seen], words, matches, tokens)
        numbers = [one.number for one in seen]
        return cls(question, candidates, numbers, spans, asked is not None, bool(asked and asked.tokens))

    def among(self, numbers: Collection[int] | None) -> Evidence:
        """The same, where only these messages may become hits; the others still speak for their neighbours."""
        return self if numbers is None else replace(self, allowed=frozenset(numbers))

    def without_words(self) -> Evidence:
        """The same, as if no word had matched."""
        return replace(self, candidates=replace(self.candidates, words=0 * self.candidates.words))

    def allows(self, at: int) -> bool:
        """Whether a candidate may become a hit."""
        if self.allowed is not None and self.numbers[at] not in self.allowed:
            return False
        return permits(self.question, self.candidates.messages[at])

    def passage(self, at: int) -> str:
        """The piece of a message that answers best."""
        text = self.candidates.messages[at].text
        start, end = self.spans[at] or _best_piece(text, self.question.terms)
        return text[start:end]


def is_picky(question: Question) -> bool:
    """Whether a message may have the question's words and still be none of its hits."""
    return bool(question.excluded or question.exact)


def permits(question: Question, message: Message) -> bool:
    """Whether a message has nothing that the question leaves out, and what it insists on."""
    if not is_picky(question):
        return True
    words = terms(spoken(message.name, message.text))
    if any(has_run(words, run) for run in question.excluded):
        return False
    return not question.exact or all(has_run(words, run) for run in question.phrases)


def _words(question: Question, seen: Sequence[Seen], found: Found, by_words: Mapping[int, Seen]) -> Matrix:
    """Terms × messages: the share of a perfect match that each term contributes."""
    import numpy as np

    nothing = (0.0,) * len(question.terms)
    rows: list[tuple[float, ...]] = []
    for one in seen:
        if (named := by_words.get(one.number)) is not None:
            rows.append(named.parts)
        elif may_have(text := spoken(one.message.name, one.message.text), question.terms):
            rows.append(bm25.parts(terms(text), one.message.tokens, found.worth, found.average))
        else:
            rows.append(nothing)
    table = np.array(rows, np.float32).reshape(len(seen), len(question.terms))
    return table.T / max(bm25.perfect(found.worth), 1e-9)


def _meaning(
    seen: Sequence[Seen], asked: Embedding, tokens: Sequence[float], passages: Sequence[Passage], words: Matrix
) -> tuple[Matrix, list[tuple[int, int] | None]]:
    """Tokens × messages: how well the best passage of each message matches each token; and where that passage is."""
    import numpy as np

    table = _matches(asked, passages)
    totals = np.asarray(tokens, np.float32) @ table
    best: dict[int, int] = {}
    for at, (passage, total) in enumerate(zip(passages, totals.tolist(), strict=True)):
        if passage.number not in best or total > totals[best[passage.number]]:
            best[passage.number] = at
    places = [best.get(one.number, -1) for one in seen]
    spans = [(passages[at].start, passages[at].end) if at >= 0 else None for at in places]
    unknown = [column for column, at in enumerate(places) if at < 0]
    # A place of -1 takes the last column, which is then overwritten.
    matches = table[:, places] if len(passages) else np.zeros((len(tokens), len(seen)), np.float32)
    matches[:, unknown] = UNKNOWN + BY_WORDS * np.minimum(1, words.sum(0)[unknown] / bm25.ONCE)
    return matches, spans


def _matches(asked: Embedding, passages: Sequence[Passage]) -> Matrix:
    import numpy as np

    if asked.tokens:
        return best_matches(asked.tokens, [passage.tokens for passage in passages], asked.width)
    vectors = np.frombuffer(b"".join(passage.vector for passage in passages), "<f2").astype(np.float32)
    return (vectors.reshape(len(passages), len(asked.vector)) @ np.asarray(asked.vector, np.float32))[None]


def _best_piece(text: str, wanted: Sequence[str]) -> tuple[int, int]:
    """The piece of a text with most of the terms."""
    pieces = pieces_of(text) or [(0, len(text))]
    if len(pieces) == 1:
        return pieces[0]
    return max(pieces, key=lambda piece: len(set(wanted).intersection(terms(text[piece[0] : piece[1]]))))
