"""The evidence: what is known of each message that may answer a question, ready to be ranked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from recollect.engine import bm25
from recollect.engine.languages import detect_language
from recollect.engine.late import best_matches, token_weights
from recollect.engine.passages import passages as pieces_of
from recollect.engine.passages import spoken
from recollect.engine.query import Question
from recollect.engine.query_words import best_alternatives, word_worth
from recollect.engine.rank import Candidates, has_run
from recollect.engine.terms import index_terms, may_have, terms
from recollect.ports import Embedding, Found, LinearProbe, Passage, Probes, Seen
from recollect.types import Message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float32]
    Matrix = NDArray[np.float32]

ENGLISH = "en"
"""What a question is taken for that is too short to tell its language."""

MAYBE_STATEMENT = 0.5
"""How likely a message states something lasting, where the embedder has no probe for it."""

UNKNOWN, BY_WORDS = 0.15, 0.5
"""How close in meaning a message is taken to be that has no vectors yet, without any word of the question; and how much
closer with all of them."""


OTHER_LANGUAGE_FROM = 0.2
"""How close whole texts must be for an English question to look at a message in another language again."""

SAME_WORD = 0.8
"""How well the tokens of the same word match, such as a name, whatever the language around it."""

EXPECTED_MATCH, EXPECTED_PER_CLOSENESS = 0.3, 0.6
"""How well tokens match that say the same in one language, by how close the whole texts are. The tokens of two languages do
not match each other, whatever they say."""


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
    need: float | None = None
    """Log-odds that the turn can do with memories; None where nothing is known of that."""
    vectors: Matrix | None = None
    """A vector of length one for each candidate, to compare them with each other; zeros where it has none yet."""

    @classmethod
    def of(
        cls,
        question: Question,
        seen: Sequence[Seen],
        found: Found,
        by_words: Mapping[int, Seen],
        asked: Embedding | None,
        passages: Sequence[Passage],
        probes: Probes | None = None,
    ) -> Evidence:
        """Puts together what words (`found`, `by_words`) and vectors (`asked`, `passages`) say of the messages seen.

        `probes` read more out of the vectors, where the embedder has any.
        """
        seen = sorted(seen, key=lambda one: (one.message.session, one.message.seq))
        words = _words(question, seen, found, by_words)
        if asked is None:
            matches, tokens, spans = words[:0], [], [None] * len(seen)
            closeness = statements = vectors = None
        else:
            tokens = _token_weights(question, asked, found) if asked.tokens else [1.0]
            matches, spans = _meaning(seen, asked, tokens, passages, words)
            closeness, statements, vectors = _by_vectors(seen, asked, passages, words, probes)
            if asked.tokens and probes is not None:
                _match_other_languages(question, seen, closeness, matches)
        candidates = Candidates([one.message for one in seen], words, matches, tokens, closeness, statements)
        numbers = [one.number for one in seen]
        need = None if asked is None or probes is None else _log_odds(asked.vector, probes.need)
        return cls(
            question, candidates, numbers, spans, asked is not None, bool(asked and asked.tokens), need=need, vectors=vectors
        )

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


def move_towards(vector: Sequence[float], probe: LinearProbe, step: float) -> Sequence[float]:
    """A vector moved by a step in the direction of what a probe looks for.

    >>> [round(float(value), 1) for value in move_towards([1.0, 0.0], LinearProbe([0.0, 3.0], -1.0), 0.5)]
    [1.0, 0.5]
    """
    import numpy as np

    direction = np.asarray(probe.weights, np.float32)
    moved = np.asarray(vector, np.float32) + step * direction / np.linalg.norm(direction)
    return cast("Sequence[float]", moved)


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
    """Words × messages: the share of a perfect match that each word of the question contributes."""
    import numpy as np

    asked = question.terms
    nothing = (0.0,) * len(asked)
    rows: list[tuple[float, ...]] = []
    for one in seen:
        if (named := by_words.get(one.number)) is not None:
            rows.append(named.parts)
        elif may_have(text := spoken(one.message.name, one.message.text), asked):
            rows.append(bm25.parts(index_terms(text), one.message.tokens, found.worth, found.average))
        else:
            rows.append(nothing)
    table = np.array(rows, np.float32).reshape(len(seen), len(asked)).T
    return best_alternatives(table, question.words, found.worth)


def _token_weights(question: Question, asked: Embedding, found: Found) -> list[float]:
    worth = word_worth(question.words, found.worth)
    return token_weights(question.text, asked.spans, worth, question.times, question.language)


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


def _match_other_languages(question: Question, seen: Sequence[Seen], closeness: Column, matches: Matrix) -> None:
    """Gives the tokens of messages in another language than the question's the match that is expected of texts as close as
    these are. Only the multilingual model compares across languages. The tokens are those of an English model, to which any
    two other languages look alike."""
    import numpy as np

    asked = question.language or ENGLISH
    places = np.flatnonzero(closeness >= OTHER_LANGUAGE_FROM).tolist() if asked == ENGLISH else range(len(seen))
    for at in places:
        language = detect_language(seen[at].message.text)
        if language == asked or (language is None and asked == ENGLISH):
            continue
        expected = EXPECTED_MATCH + EXPECTED_PER_CLOSENESS * closeness[at]
        # Where the language of a message is not clear, its own tokens may be right.
        known = matches[:, at] >= (expected if language is None else SAME_WORD)
        matches[:, at] = np.where(known, matches[:, at], expected)


def _by_vectors(
    seen: Sequence[Seen], asked: Embedding, passages: Sequence[Passage], words: Matrix, probes: Probes | None
) -> tuple[Column, Column, Matrix]:
    """For each message the cosine of its best passage with the question, how likely it is a lasting statement, and the
    vector of that passage."""
    import numpy as np

    places: dict[int, list[int]] = {}
    for at, passage in enumerate(passages):
        places.setdefault(passage.number, []).append(at)
    vectors = _vectors(passages, len(asked.vector))
    start = probes.closeness_from if probes else 0
    compared = _of_length_one(vectors[:, start:])
    cosines = compared @ _of_length_one(np.asarray(asked.vector, np.float32)[start:])
    likely = np.full(len(passages), MAYBE_STATEMENT, np.float32)
    if probes is not None and len(passages):
        odds = vectors @ np.asarray(probes.statement.weights, np.float32) + probes.statement.bias
        likely = 1 / (1 + np.exp(-odds))
    unknown = UNKNOWN + BY_WORDS * np.minimum(1, words.sum(0) / bm25.ONCE)
    best = [max(places.get(one.number, (-1,)), key=lambda at: cosines[at] if at >= 0 else 0.0) for one in seen]
    closeness = [cosines[at] if at >= 0 else unknown[place] for place, at in enumerate(best)]
    chosen = np.zeros((len(seen), len(asked.vector) - start), np.float32)
    if known := [place for place, at in enumerate(best) if at >= 0]:
        chosen[known] = compared[[best[place] for place in known]]
    statements = [max(likely[at] for at in own) if (own := places.get(one.number)) else MAYBE_STATEMENT
                  for one in seen]  # fmt: skip
    return np.array(closeness, np.float32), np.array(statements, np.float32), chosen


def _vectors(passages: Sequence[Passage], dimensions: int) -> Matrix:
    import numpy as np

    joined = np.frombuffer(b"".join(passage.vector for passage in passages), "<f2")
    return joined.astype(np.float32).reshape(len(passages), dimensions)


def _of_length_one(vectors: Matrix) -> Matrix:
    import numpy as np

    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)


def _log_odds(vector: Sequence[float], probe: LinearProbe) -> float:
    import numpy as np

    return float(np.asarray(vector, np.float32) @ np.asarray(probe.weights, np.float32)) + probe.bias


def _matches(asked: Embedding, passages: Sequence[Passage]) -> Matrix:
    import numpy as np

    if asked.tokens:
        return best_matches(asked.tokens, [passage.tokens for passage in passages], asked.width)
    return (_vectors(passages, len(asked.vector)) @ np.asarray(asked.vector, np.float32))[None]


def _best_piece(text: str, wanted: Sequence[str]) -> tuple[int, int]:
    """The piece of a text with most of the terms; a piece may be too short to tell the language of the text by."""
    pieces = pieces_of(text) or [(0, len(text))]
    if len(pieces) == 1:
        return pieces[0]
    language = detect_language(text)
    return max(pieces, key=lambda piece: len(set(wanted).intersection(terms(text[piece[0] : piece[1]], language))))
