"""Collect what is known of each message that may answer a question, for the ranking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from keepsaid.engine.languages import detect_language
from keepsaid.engine.query.query import ParsedQuery
from keepsaid.engine.query.query_words import best_alternatives, weigh_words
from keepsaid.engine.ranking import bm25
from keepsaid.engine.ranking.late_interaction import best_matches, token_weights
from keepsaid.engine.ranking.signals import RankingCandidates
from keepsaid.engine.text.passages import prefix_speaker
from keepsaid.engine.text.passages import split_passages as pieces_of
from keepsaid.engine.text.terms import index_terms, may_contain_terms, terms
from keepsaid.ports import (
    EmbeddedPassage,
    EmbedderProbes,
    Embedding,
    KeywordMatches,
    LinearProbe,
    QuestionAdapter,
    VisibleMessage,
)
from keepsaid.types import Message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float32]
    Matrix = NDArray[np.float32]
    Places = NDArray[np.int_]

ENGLISH = "en"
"""Assumed language of a question that is too short to detect its language."""

MAYBE_STATEMENT = 0.5
"""Assumed likelihood that a message states something lasting, if the embedder has no probe for it."""

UNKNOWN_CLOSENESS, CLOSENESS_BY_WORDS = 0.15, 0.5
"""Assumed closeness in meaning of a message without vectors that has no word of the question; and the addition for a message
with all of them."""


OTHER_LANGUAGE_FROM = 0.2
"""Closeness of whole texts from which an English question reconsiders a message in another language."""

SAME_WORD = 0.8
"""How well the tokens of the same word match, such as a name, whatever the language around it."""

EXPECTED_MATCH, EXPECTED_PER_CLOSENESS = 0.3, 0.6
"""How well tokens match in texts of one language that say the same, by the closeness of the whole texts. Tokens of two
languages do not match each other, whatever they say."""


@dataclass(frozen=True, slots=True)
class RankingEvidence:
    """Candidates for the ranking, and what a hit shows of them."""

    question: ParsedQuery
    candidates: RankingCandidates
    numbers: Sequence[int]
    spans: Sequence[tuple[int, int] | None]
    """The characters of each message that match best; None if only its words are known."""
    has_meaning: bool
    has_tokens: bool
    allowed: Collection[int] | None = None
    more: bool = False
    """Whether more messages have the words than were fetched."""
    need: float | None = None
    """Log-odds that the turn benefits from memories; None if unknown."""
    vectors: Matrix | None = None
    """A unit vector for each candidate, to compare candidates with each other; zeros for those without vectors."""

    @classmethod
    def of(
        cls,
        question: ParsedQuery,
        seen: Sequence[VisibleMessage],
        found: KeywordMatches,
        by_words: Mapping[int, VisibleMessage],
        asked: Embedding | None,
        passages: Sequence[EmbeddedPassage],
        probes: EmbedderProbes | None = None,
    ) -> RankingEvidence:
        """Combine the results of the keyword search (`found`, `by_words`) and the vectors (`asked`, `passages`) for
        these messages.

        `probes` read more from the vectors, if the embedder has any.
        """
        seen = sorted(seen, key=lambda one: (one.message.session, one.message.seq))
        words = _match_words(question, seen, found, by_words)
        if asked is None:
            matches, tokens, spans = words[:0], [], [None] * len(seen)
            closeness = usefulness = statements = vectors = None
        else:
            tokens = _token_weights(question, asked, found) if asked.tokens else [1.0]
            matches, spans = _match_meaning(seen, asked, tokens, passages, words)
            closeness, usefulness, statements, vectors = _compare_vectors(seen, asked, passages, words, probes)
            if asked.tokens and probes is not None:
                _match_other_languages(question, seen, closeness, matches)
        messages = [one.message for one in seen]
        candidates = RankingCandidates(messages, words, matches, tokens, closeness, usefulness, statements)
        numbers = [one.number for one in seen]
        need = None if asked is None or probes is None else _compute_log_odds(asked.vector, probes.need)
        return cls(
            question, candidates, numbers, spans, asked is not None, bool(asked and asked.tokens), need=need, vectors=vectors
        )

    def among(self, numbers: Collection[int] | None) -> RankingEvidence:
        """Return the same evidence in which only these messages may become hits. The others still support their
        neighbours."""
        return self if numbers is None else replace(self, allowed=frozenset(numbers))

    def without_words(self) -> RankingEvidence:
        """Return the same evidence as if no word had matched."""
        return replace(self, candidates=replace(self.candidates, words=0 * self.candidates.words))

    def find_allowed(self) -> list[bool]:
        """Return whether each candidate may become a hit."""
        allowed, question = self.allowed, self.question
        if allowed is None and not has_restrictions(question):
            return [True] * len(self.numbers)
        return [
            (allowed is None or number in allowed) and meets_restrictions(question, message)
            for number, message in zip(self.numbers, self.candidates.messages, strict=True)
        ]

    def passage(self, at: int) -> str:
        """Return the passage of a message that answers best."""
        text = self.candidates.messages[at].text
        start, end = self.spans[at] or _find_best_piece(text, self.question.terms)
        return text[start:end]


def move_vector_towards(vector: Sequence[float], probe: LinearProbe, step: float) -> Sequence[float]:
    """Return a vector moved by a step in the direction that a probe looks for.

    >>> [round(float(value), 1) for value in move_vector_towards([1.0, 0.0], LinearProbe([0.0, 3.0], -1.0), 0.5)]
    [1.0, 0.5]
    """
    import numpy as np

    direction = np.asarray(probe.weights, np.float32)
    moved = np.asarray(vector, np.float32) + step * direction / np.linalg.norm(direction)
    return cast("Sequence[float]", moved)


def adapt_vector(vector: Matrix, adapter: QuestionAdapter) -> Matrix:
    """Return the vector of a turn moved to where helpful messages lie, with length one.

    >>> import numpy as np
    >>> adapt_vector(np.array([1.0, 0.0]), QuestionAdapter([[1.0], [0.0]], [[-1.0, 0.0]], [0.0, 0.5])).tolist()
    [0.0, 1.0]
    """
    import numpy as np

    down, up = np.asarray(adapter.down, np.float32), np.asarray(adapter.up, np.float32)
    moved = np.asarray(vector + (vector @ down) @ up + np.asarray(adapter.shift, np.float32), np.float32)
    return _normalize(moved)


def build_search_vector(vector: Sequence[float], probes: EmbedderProbes) -> Sequence[float]:
    """Return the vector for finding candidates for a turn: moved by the adapter, with its original length."""
    import numpy as np

    if probes.adapter is None:
        return vector
    own = np.array(vector, np.float32)
    part = own[probes.closeness_from :]
    length = float(np.linalg.norm(part))
    part[:] = length * adapt_vector(part / max(length, 1e-6), probes.adapter)
    return cast("Sequence[float]", own)


def has_restrictions(question: ParsedQuery) -> bool:
    """Whether the question excludes words or requires exact ones, so that a message with its words may still be no hit."""
    return bool(question.excluded or question.exact)


def meets_restrictions(question: ParsedQuery, message: Message) -> bool:
    """Whether a message has nothing that the question excludes, and everything that it requires."""
    if not has_restrictions(question):
        return True
    found = question.matcher.match(message)
    return not found.is_excluded and (found.has_all or not question.exact)


def _match_words(
    question: ParsedQuery, seen: Sequence[VisibleMessage], found: KeywordMatches, by_words: Mapping[int, VisibleMessage]
) -> Matrix:
    """Words × messages: the share of a perfect match that each word of the question contributes."""
    import numpy as np

    asked = question.terms
    nothing = (0.0,) * len(asked)
    rows: list[tuple[float, ...]] = []
    for one in seen:
        if (named := by_words.get(one.number)) is not None:
            rows.append(named.parts)
        elif may_contain_terms(text := prefix_speaker(one.message.name, one.message.text), asked):
            rows.append(bm25.score_terms(index_terms(text), one.message.tokens, found.worth, found.average))
        else:
            rows.append(nothing)
    table = np.array(rows, np.float32).reshape(len(seen), len(asked)).T
    return best_alternatives(table, question.words, found.worth)


def _token_weights(question: ParsedQuery, asked: Embedding, found: KeywordMatches) -> list[float]:
    worth = weigh_words(question.words, found.worth)
    return token_weights(question.text, asked.spans, worth, question.times, question.language)


def _match_meaning(
    seen: Sequence[VisibleMessage],
    asked: Embedding,
    tokens: Sequence[float],
    passages: Sequence[EmbeddedPassage],
    words: Matrix,
) -> tuple[Matrix, list[tuple[int, int] | None]]:
    """Return tokens × messages: how well the best passage of each message matches each token; and the position of that
    passage."""
    import numpy as np

    table = _match_tokens(asked, passages)
    best = _find_best_passages(seen, passages, np.asarray(tokens, np.float32) @ table)
    places: list[int] = best.tolist()
    spans = [(passages[at].start, passages[at].end) if at >= 0 else None for at in places]
    unknown = best < 0
    # Index -1 takes the last column, which is then overwritten.
    matches = table[:, best] if len(passages) else np.zeros((len(tokens), len(seen)), np.float32)
    matches[:, unknown] = _guess_closeness(words)[unknown]
    return matches, spans


def _find_best_passages(seen: Sequence[VisibleMessage], passages: Sequence[EmbeddedPassage], scores: Column) -> Places:
    """Return for each message the index of its passage with the highest score; -1 if it has none."""
    import numpy as np

    columns = {one.number: column for column, one in enumerate(seen)}
    found = np.full(len(seen), -1)
    places = np.array([columns.get(passage.number, -1) for passage in passages], int)
    order = np.argsort(scores, kind="stable")
    order = order[places[order] >= 0]
    found[places[order]] = order  # of equal places the last one counts, which has the highest score
    return found


def _guess_closeness(words: Matrix) -> Column:
    """Return the assumed closeness in meaning of messages without vectors, by the words of the question that they have."""
    import numpy as np

    return UNKNOWN_CLOSENESS + CLOSENESS_BY_WORDS * np.minimum(1, words.sum(0) / bm25.SINGLE_OCCURRENCE_SHARE)


def _match_other_languages(
    question: ParsedQuery, seen: Sequence[VisibleMessage], closeness: Column, matches: Matrix
) -> None:
    """Set the matches of messages in another language than the question's to what is expected of texts of this closeness.

    Only the multilingual model compares across languages. The token vectors are from an English model, to which any two
    other languages look alike.
    """
    import numpy as np

    asked = question.language or ENGLISH
    places = np.flatnonzero(closeness >= OTHER_LANGUAGE_FROM).tolist() if asked == ENGLISH else range(len(seen))
    for at in places:
        language = detect_language(seen[at].message.text)
        if language == asked or (language is None and asked == ENGLISH):
            continue
        expected = EXPECTED_MATCH + EXPECTED_PER_CLOSENESS * closeness[at]
        # If the language of a message is unclear, its own matches may be right.
        known = matches[:, at] >= (expected if language is None else SAME_WORD)
        matches[:, at] = np.where(known, matches[:, at], expected)


def _compare_vectors(
    seen: Sequence[VisibleMessage],
    asked: Embedding,
    passages: Sequence[EmbeddedPassage],
    words: Matrix,
    probes: EmbedderProbes | None,
) -> tuple[Column, Column, Column, Matrix]:
    """Return for each message the cosine of its best passage with the question, the same with the question moved by the
    adapter, the likelihood of being a lasting statement, and the vector of that passage."""
    import numpy as np

    vectors = _decode_vectors(passages, len(asked.vector))
    start = probes.closeness_from if probes else 0
    compared = _normalize(vectors[:, start:])
    wanted = _normalize(np.asarray(asked.vector, np.float32)[start:])
    cosines = compared @ wanted
    adapted = cosines if probes is None or probes.adapter is None else compared @ adapt_vector(wanted, probes.adapter)
    likely = np.full(len(passages), MAYBE_STATEMENT, np.float32)
    if probes is not None and len(passages):
        odds = vectors @ np.asarray(probes.statement.weights, np.float32) + probes.statement.bias
        likely = (1 / (1 + np.exp(-odds))).astype(np.float32)
    best = _find_best_passages(seen, passages, cosines)
    known, unknown = best >= 0, _guess_closeness(words).astype(np.float32)
    closeness, usefulness = unknown, unknown.copy()
    closeness[known], usefulness[known] = cosines[best[known]], adapted[best[known]]
    chosen = np.zeros((len(seen), len(asked.vector) - start), np.float32)
    chosen[known] = compared[best[known]]
    statements = np.full(len(seen), MAYBE_STATEMENT, np.float32)
    statements[known] = likely[_find_best_passages(seen, passages, likely)[known]]
    return closeness, usefulness, statements, chosen


def _decode_vectors(passages: Sequence[EmbeddedPassage], dimensions: int) -> Matrix:
    import numpy as np

    joined = np.frombuffer(b"".join(passage.vector for passage in passages), "<f2")
    return joined.astype(np.float32).reshape(len(passages), dimensions)


def _normalize(vectors: Matrix) -> Matrix:
    import numpy as np

    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)


def _compute_log_odds(vector: Sequence[float], probe: LinearProbe) -> float:
    import numpy as np

    return float(np.asarray(vector, np.float32) @ np.asarray(probe.weights, np.float32)) + probe.bias


def _match_tokens(asked: Embedding, passages: Sequence[EmbeddedPassage]) -> Matrix:
    import numpy as np

    if asked.tokens:
        return best_matches(asked.tokens, [passage.tokens for passage in passages], asked.width)
    return (_decode_vectors(passages, len(asked.vector)) @ np.asarray(asked.vector, np.float32))[None]


def _find_best_piece(text: str, wanted: Sequence[str]) -> tuple[int, int]:
    """Return the piece of a text with most of the terms. Its language is detected from the whole text, since a piece may be
    too short for that."""
    pieces = pieces_of(text) or [(0, len(text))]
    if len(pieces) == 1:
        return pieces[0]
    language = detect_language(text)
    return max(pieces, key=lambda piece: len(set(wanted).intersection(terms(text[piece[0] : piece[1]], language))))
