"""Search messages that answer a question.

Keyword and vector search each name candidates, whose neighbours are added. All that is known of a candidate goes into one
score (`engine.ranking.signals`). Without an embedder, or while it fails, keywords and neighbours are used alone, and the
hits say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple, TypeVar

from keepsaid.engine.query.query import ParsedQuery, adapt_to_documents, parse_query
from keepsaid.engine.ranking.echoes import drop_echoes, put_sources_first
from keepsaid.engine.ranking.evidence import (
    RankingEvidence,
    build_search_vector,
    has_restrictions,
    meets_restrictions,
    move_vector_towards,
)
from keepsaid.engine.ranking.models import DOCUMENTS, MESSAGES
from keepsaid.engine.ranking.outdated import find_newer
from keepsaid.engine.ranking.reason import explain_match, list_typed_words
from keepsaid.engine.ranking.relevance import TurnStatistics, compute_likelihoods
from keepsaid.engine.ranking.selection import select_candidates
from keepsaid.engine.ranking.signals import CandidateRanking, RankedCandidate
from keepsaid.engine.text.dates import is_within_times
from keepsaid.errors import EmbedderError, InvalidInput, MissingModel
from keepsaid.ports import (
    NO_FILTERS,
    EmbeddedPassage,
    Index,
    KeywordMatches,
    PrunableIndex,
    Reranker,
    Storage,
    VisibleMessage,
    pause_reads,
    prefetch,
    read_session,
)
from keepsaid.services.search.question_embedding import EmbeddedQuestion, QuestionEmbedder
from keepsaid.types import Scope, SearchFilters, SearchHit, SearchHits, to_microseconds

MIN_CANDIDATES = 64
"""Minimum number of candidates that keyword and vector search may each name. Twice as many find no more
(docs/decisions/0009-ranking.md)."""

MAX_CANDIDATES = 2000

TIME_OVERSAMPLING = 3
"""For a question about a time, vector search may name this many times more, since most will be from other times."""

MAX_TIMES_SEARCHED = 4
"""Maximum number of times in a question for which a keyword search of its own is made."""

FILTER_OVERSAMPLING = 4
"""If only some roles or important messages are wanted, vector search may name this many times more, since it ignores
both."""

NEIGHBOUR_RADIUS = 1
"""Neighbours on either side that are read with a candidate."""

CANDIDATES_WITH_NEIGHBOURS = 24
"""The best candidates of each source whose neighbours are read: only a strong candidate can lift its neighbour."""

STATEMENT_STEP = 0.5
"""How far a question's vector is moved towards lasting statements for the vector search
(docs/decisions/0022-relevance.md)."""

UNKNOWN_NEED = 1.5
"""Assumed log-odds that a turn needs memories, if the embedder cannot tell."""

MAX_FRESH_MESSAGES = 8
"""Of the messages without vectors, this many of the newest, and this many of those with most of the question's words, are
embedded during the search."""

MAX_FRESH_TOKENS = 4000
"""Maximum tokens of those messages: less than a second's work for the local model."""

FRESH_BY_WORDS = "new messages were searched by words alone"

Name = TypeVar("Name", bound=str)


class SearchRequest(NamedTuple):
    """One search: the question, where to search, and what to return."""

    query: str
    scope: Scope
    now: datetime
    filters: SearchFilters = NO_FILTERS
    limit: int = 10
    min_score: float = 0.0
    mode: str = "full"
    plain: bool = False
    """Whether the query is plain text, in which `-word` or `tag:x` is not an operator."""


class MessageSearcher:
    """Searches one storage, also by meaning if there is an index and an embedder for questions."""

    def __init__(
        self,
        storage: Storage,
        index: Index | None = None,
        question_embedder: QuestionEmbedder | None = None,
        reranker: Reranker | None = None,
        reranked: int = 20,
    ) -> None:
        self._storage = storage
        self._index = index
        self._question_embedder = question_embedder
        self._reranker = reranker
        self._reranked = reranked

    @property
    def judges_need(self) -> bool:
        """Whether the embedder can tell which turns need memories."""
        return self._question_embedder is not None and self._question_embedder.judges_need

    def tidy(self) -> None:
        """Remove erased messages from an index that has its own copy of the vectors."""
        if isinstance(self._index, PrunableIndex):
            self._index.tidy()

    def search(self, request: SearchRequest) -> SearchHits:
        """Return the best messages, best first."""
        with read_session(self._storage, request.scope):
            hits = self.search_without_titles(request)
            self.prefetch_titles(request.scope, hits)
            return SearchHits(self.add_titles(request.scope, hits), hits.fallbacks)

    def search_without_titles(self, request: SearchRequest) -> SearchHits:
        """Return the best messages without the titles of their conversations, for callers that read those with other
        things."""
        question = parse_query(request.query, request.now, plain=request.plain)
        if request.scope.documents:
            question = adapt_to_documents(question)
        filters = intersect_filters(request.filters, question.filters)
        if filters.since is not None and filters.until is not None and filters.since >= filters.until:
            raise InvalidInput("the dates in the query and in the arguments leave no time between them")
        request = request._replace(filters=filters)
        hits, fallbacks, more = self._rank_hits(question, request, compute_candidate_limit(request.limit))
        if more and len(hits) < request.limit:
            # Repeated messages are one hit, and may have been all that was taken.
            hits, fallbacks, _ = self._rank_hits(question, request, MAX_CANDIDATES)
        if not request.scope.documents:
            # A question about what the assistant said wants its messages, even if they repeat others.
            is_turn = request.plain and question.asks_user is not False
            hits = (drop_echoes if is_turn else put_sources_first)(hits, question.terms)
        if self._reranker and hits:
            hits = self._rerank(self._reranker, question, hits, fallbacks)
        return SearchHits([hit for hit in hits if hit.score >= request.min_score][: request.limit], tuple(fallbacks))

    def _rank_hits(
        self, question: ParsedQuery, request: SearchRequest, taken: int
    ) -> tuple[list[SearchHit], list[str], bool]:
        """Return the best hits, what had to be left out, and whether more candidates may give more hits."""
        evidence, fallbacks = self.gather_evidence(question, request, taken)
        models = DOCUMENTS if request.scope.documents else MESSAGES
        model = models.for_evidence(has_meaning=evidence.has_meaning, has_tokens=evidence.has_tokens)
        ranking = CandidateRanking(question, evidence.candidates, model.weights, to_microseconds(request.now))
        need = UNKNOWN_NEED if evidence.need is None else evidence.need
        allowed = evidence.find_allowed()
        scores = _scores_of_answers(request.query, evidence, ranking, allowed)
        turn = TurnStatistics.of(scores, need, model.relevance.background)
        relevance = model.relevance
        if not request.plain:
            # A search needs results by definition; whether a turn needs memories is estimated.
            relevance = relevance._replace(turn=None)
        if not request.plain and evidence.has_tokens:
            allowed = [one and close for one, close in zip(allowed, ranking.find_close(), strict=True)]
        wanted = max(request.limit, self._reranked) if self._reranker else request.limit
        ranked = (one for one in ranking.best_first if allowed[one.at])
        chosen = select_candidates(ranked, evidence.candidates.messages, wanted, several=question.wants_several)
        typed = list_typed_words(question)
        hits = [
            _to_hit(typed, evidence, one, signals, score)
            for one, signals, score in zip(
                chosen,
                ranking.list_signals([one.at for one in chosen]),
                compute_likelihoods(relevance, [one.score for one in chosen], turn),
                strict=True,
            )
        ]
        if not request.scope.documents:
            hits = _link_newer(hits, evidence, chosen)
        return hits, fallbacks, evidence.more and taken < MAX_CANDIDATES

    # -- candidates

    def gather_evidence(
        self, question: ParsedQuery, request: SearchRequest, taken: int = MIN_CANDIDATES
    ) -> tuple[RankingEvidence, list[str]]:
        """Return what is known of every message that may answer the question, and what had to be left out.

        Keyword and vector search may each name `taken` candidates.
        """
        fallbacks: list[str] = []
        scope, filters = request.scope, request.filters
        asked = self._embed_question(question, request, fallbacks)
        self._prefetch(question, request, asked, taken)
        # Many messages with the words may be filtered out again.
        found = self._storage.find(scope, question.terms, filters, MAX_CANDIDATES if has_restrictions(question) else taken)
        among = None if filters.are_light else self._storage.numbers(scope, filters)
        by_words = self._search_words(question, request, found, taken)
        wordless = request.mode == "meaning" and asked is not None
        named = [] if wordless else [[seen.number for seen in some] for some in by_words]
        wide = taken if among is not None else _widen_for_roles(filters, taken)
        waits = asked is not None and self._has_unembedded(scope, asked.generation)
        near = self._search_meaning(question, scope, asked, wide, among, waits=waits) if asked else []
        likely = self._prefetch_passages(scope, asked, [*named, near[:wide]]) if asked else []
        beyond = sorted(set(near[wide:]).difference(*named, near[:wide])) if question.times else []
        if beyond:
            prefetch(self._storage, "look", scope, beyond, 0, filters)
        known = {one.number: one for some in by_words for one in some}
        seen = self._read_candidates(scope, [*named, near[:wide]], known, filters)
        seen += self._select_from_times(question, request, beyond, seen)
        passages = self._collect_passages(scope, asked, seen, known, fallbacks, likely=likely, waits=waits) if asked else []
        evidence = RankingEvidence.of(
            question, seen, found, known, asked.embedding if asked else None, passages, asked.probes if asked else None
        )
        if wordless:
            evidence = evidence.without_words()
        if filters.are_light and filters != NO_FILTERS:
            among = [one.number for one in seen if filters.let_through(one.message.role, one.message.importance)]
        return replace(evidence.among(among), more=len(by_words[0]) == taken), fallbacks

    def _prefetch(self, question: ParsedQuery, request: SearchRequest, asked: EmbeddedQuestion | None, taken: int) -> None:
        """Prefetch what is needed whatever messages have the words."""
        scope, filters = request.scope, request.filters
        for then in _time_filters(question, filters):
            prefetch(self._storage, "find", scope, question.terms, then, taken)
        if asked is not None:
            wide = _widen_for_times(question, _widen_for_roles(filters, taken))
            prefetch(self._storage, "waiting", scope, asked.generation)
            prefetch(self._storage, "last_position", scope)
            if filters.are_light:
                prefetch(self._storage, "search", scope, asked.generation, asked.search_vector, wide, None)

    def _search_words(
        self, question: ParsedQuery, request: SearchRequest, found: KeywordMatches, taken: int
    ) -> list[list[VisibleMessage]]:
        """Return the best messages by words and, for each time that the question names, the best from that time."""
        possible = (seen for seen in found.messages if meets_restrictions(question, seen.message))
        best = list(islice(possible, taken))
        times = _time_filters(question, request.filters)
        return [best, *(self._storage.find(request.scope, question.terms, then, taken).messages for then in times)]

    def _search_meaning(
        self,
        question: ParsedQuery,
        scope: Scope,
        asked: EmbeddedQuestion,
        taken: int,
        among: Sequence[int] | None,
        *,
        waits: bool,
    ) -> list[int]:
        assert self._index is not None
        near = self._index.search(scope, asked.generation, asked.search_vector, _widen_for_times(question, taken), among)
        fresh = self._newest_numbers(scope, among) if waits else set[int]()
        return list(dict.fromkeys([*fresh, *(one.number for one in near)]))

    def _read_candidates(
        self,
        scope: Scope,
        named: Sequence[Sequence[int]],
        known: Mapping[int, VisibleMessage],
        filters: SearchFilters,
    ) -> list[VisibleMessage]:
        """Return the candidates that each source named, best first, and the neighbours of the best. `known` are those that
        were read already."""
        every = {number for numbers in named for number in numbers}
        best = {number for numbers in named for number in numbers[:CANDIDATES_WITH_NEIGHBOURS]}
        rest = sorted(every - best - known.keys())
        if rest:
            prefetch(self._storage, "look", scope, rest, 0, filters)
        seen = {number: known[number] for number in sorted(every.intersection(known))}
        seen |= {one.number: one for one in self._storage.look(scope, sorted(best), NEIGHBOUR_RADIUS, filters)}
        others = self._storage.look(scope, rest, 0, filters) if rest else []
        return [*seen.values(), *(one for one in others if one.number not in seen)]

    def _select_from_times(
        self, question: ParsedQuery, request: SearchRequest, numbers: Sequence[int], seen: list[VisibleMessage]
    ) -> list[VisibleMessage]:
        """Return those of the messages that are from a time which the question names."""
        looked = self._storage.look(request.scope, numbers, 0, request.filters) if numbers else []
        known = {one.number for one in seen}
        return [one for one in looked if one.number not in known and is_within_times(question.times, one.message.created)]

    def _has_unembedded(self, scope: Scope, generation: str) -> bool:
        """Whether there are messages without vectors."""
        return self._storage.waiting(scope, generation) > 0

    def _newest_numbers(self, scope: Scope, among: Sequence[int] | None) -> set[int]:
        """Return the numbers of the newest messages. They must be found right after they were saved, even without
        vectors."""
        last = self._storage.last_position(scope).messages
        newest = set(range(last - MAX_FRESH_MESSAGES + 1, last + 1))
        return newest if among is None else newest.intersection(among)

    def _embed_question(
        self, question: ParsedQuery, request: SearchRequest, fallbacks: list[str]
    ) -> EmbeddedQuestion | None:
        if self._question_embedder is None:
            if request.mode == "meaning":
                raise MissingModel("this store has no embedder to search by meaning; `keepsaid model pull` gets one")
            return None
        if request.mode == "words":
            return None
        pause_reads(self._storage)
        try:
            asked = self._question_embedder.embed_question(question.text)
        except EmbedderError as error:
            fallbacks.append(f"searched by words alone: {error}")
            return None
        return asked if request.scope.documents else asked._replace(search_vector=_move_to_helpful_messages(asked))

    def _prefetch_passages(self, scope: Scope, asked: EmbeddedQuestion, named: Sequence[Sequence[int]]) -> list[int]:
        """Prefetch the passages of candidates and their likely neighbours from a remote storage, and return these numbers.

        Neighbours in a conversation mostly have consecutive numbers.
        """
        if self._storage.capabilities.prefetch is None:
            return []
        every = {number for numbers in named for number in numbers}
        best = (number for numbers in named for number in numbers[:CANDIDATES_WITH_NEIGHBOURS])
        likely = sorted(every.union(number + step for number in best for step in (-NEIGHBOUR_RADIUS, NEIGHBOUR_RADIUS)))
        prefetch(self._storage, "passages", scope, asked.generation, likely)
        return likely

    def _read_passages(
        self, scope: Scope, asked: EmbeddedQuestion, seen: Sequence[VisibleMessage], likely: list[int]
    ) -> list[EmbeddedPassage]:
        numbers = {one.number for one in seen}
        came = self._storage.passages(scope, asked.generation, likely) if likely else []
        others = sorted(numbers.difference(likely))
        more = self._storage.passages(scope, asked.generation, others) if others else []
        stored = [*(passage for passage in came if passage.number in numbers), *more]
        return sorted(stored, key=lambda passage: (passage.number, passage.part)) if came and more else stored

    def _collect_passages(
        self,
        scope: Scope,
        asked: EmbeddedQuestion,
        seen: Sequence[VisibleMessage],
        by_words: Mapping[int, VisibleMessage],
        fallbacks: list[str],
        *,
        likely: list[int],
        waits: bool,
    ) -> list[EmbeddedPassage]:
        """Return the passages of these messages. Some of those without vectors are embedded now."""
        assert self._question_embedder is not None
        stored = self._read_passages(scope, asked, seen, likely)
        have = {passage.number for passage in stored}
        fresh = _select_unembedded([one for one in seen if one.number not in have and one.message.text], by_words)
        if fresh and waits:
            try:
                made = self._question_embedder.embed_new_messages(scope, asked.embedder, fresh)
                if {one.number for one in fresh} > {passage.number for passage in made}:
                    fallbacks.append(f"{FRESH_BY_WORDS}: another search is embedding some")
                stored += made
            except EmbedderError as error:
                fallbacks.append(f"{FRESH_BY_WORDS}: {error}")
        return stored

    # -- hits

    def _rerank(
        self, reranker: Reranker, question: ParsedQuery, hits: list[SearchHit], fallbacks: list[str]
    ) -> list[SearchHit]:
        """Return the best hits in the order of the reranker."""
        best = hits[: self._reranked]
        pause_reads(self._storage)
        try:
            scores = [float(score) for score in reranker.rerank(question.text, [hit.passage for hit in best])]
            if len(scores) != len(best) or any(score != score for score in scores):
                raise ValueError(f"{len(scores)} scores for {len(best)} passages, or one that is not a number")
        except Exception as error:  # external code may fail in any way; keep our own order
            fallbacks.append(f"not re-ranked: {getattr(reranker, 'name', 'the reranker')} failed: {error}")
            return hits
        judged = sorted(zip(scores, range(len(best)), strict=True), key=lambda entry: (-entry[0], entry[1]))
        again = [replace(best[at], signals={**best[at].signals, reranker.name: score}) for score, at in judged]
        return again + hits[self._reranked :]

    def prefetch_titles(self, scope: Scope, hits: Sequence[SearchHit]) -> None:
        """Prefetch the titles of these hits."""
        if sessions := _list_sessions(hits):
            prefetch(self._storage, "titles", scope, sessions)

    def add_titles(self, scope: Scope, hits: Sequence[SearchHit]) -> list[SearchHit]:
        """Return the hits with the titles of their conversations, without hits whose conversation no longer exists."""
        sessions = _list_sessions(hits)
        titles = self._storage.titles(scope, sessions) if sessions else {}
        return [replace(hit, title=titles[hit.session]) for hit in hits if hit.session in titles]


def _list_sessions(hits: Sequence[SearchHit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hit.session for hit in hits))


def _move_to_helpful_messages(asked: EmbeddedQuestion) -> Sequence[float]:
    """Return the question's vector moved by the adapter to where helpful messages lie, and towards what people state about
    themselves. A request or a remark is seldom close to what it needs."""
    if asked.probes is None:
        return asked.embedding.vector
    vector = build_search_vector(asked.embedding.vector, asked.probes)
    return move_vector_towards(vector, asked.probes.statement, STATEMENT_STEP)


def _scores_of_answers(
    query: str, evidence: RankingEvidence, ranking: CandidateRanking, allowed: Sequence[bool]
) -> list[float]:
    """Return the scores that candidates are compared with.

    Left out are messages that are not allowed, the turn's own text, which may be saved already, and earlier questions. The
    last two match better than any answer.
    """
    asked, messages = query.strip(), evidence.candidates.messages
    others = [at for at in range(len(allowed)) if allowed[at] and messages[at].text.strip() != asked]
    answers = [at for at in others if not ranking.questions[at]]
    return [ranking.scores[at] for at in answers or others]


def _select_unembedded(waiting: Sequence[VisibleMessage], by_words: Mapping[int, VisibleMessage]) -> list[VisibleMessage]:
    """Return those messages without vectors that are embedded during the search."""
    newest = sorted(waiting, key=lambda one: one.number, reverse=True)[:MAX_FRESH_MESSAGES]
    named = [one for one in waiting if one.number in by_words]
    likely = sorted(named, key=lambda one: by_words[one.number].score, reverse=True)[:MAX_FRESH_MESSAGES]
    chosen: dict[int, VisibleMessage] = {}
    room = MAX_FRESH_TOKENS
    for one in (*newest, *likely):
        if one.number not in chosen and one.message.tokens <= room:
            chosen[one.number] = one
            room -= one.message.tokens
    return list(chosen.values())


def _time_filters(question: ParsedQuery, filters: SearchFilters) -> list[SearchFilters]:
    """Return the filters narrowed to each of the first different times that a question names."""
    ranges = dict.fromkeys((time.start, time.end) for time in question.times)
    return [
        intersect_filters(
            filters,
            SearchFilters(
                since=None if start is None else to_microseconds(start),
                until=None if end is None else to_microseconds(end),
            ),
        )
        for start, end in islice(ranges, MAX_TIMES_SEARCHED)
    ]


def _widen_for_roles(filters: SearchFilters, taken: int) -> int:
    """Return how many near messages to fetch if light filters reject some of them afterwards."""
    return taken if filters == NO_FILTERS else taken * FILTER_OVERSAMPLING


def _widen_for_times(question: ParsedQuery, taken: int) -> int:
    """Return how many near passages to fetch. If the question names a time, only some will be from it."""
    return taken * TIME_OVERSAMPLING if question.times else taken


def compute_candidate_limit(limit: int) -> int:
    """Return how many candidates keyword and vector search may each name for this many hits.

    >>> compute_candidate_limit(10), compute_candidate_limit(50), compute_candidate_limit(1_000_000)
    (64, 100, 2000)
    """
    return min(max(MIN_CANDIDATES, 2 * limit), MAX_CANDIDATES)


def _to_hit(
    typed: Sequence[str], evidence: RankingEvidence, one: RankedCandidate, signals: Mapping[str, float], score: float
) -> SearchHit:
    message = evidence.candidates.messages[one.at]
    also = tuple(evidence.candidates.messages[at] for at in one.also)
    why = explain_match(typed, message, evidence.candidates.words[:, one.at].tolist(), signals)
    return SearchHit(message, score, evidence.passage(one.at), signals, why, None, also, evidence.numbers[one.at])


def _link_newer(hits: Sequence[SearchHit], evidence: RankingEvidence, chosen: Sequence[RankedCandidate]) -> list[SearchHit]:
    """Return the hits; those that seem to be outdated refer to the newer one."""
    vectors = None if evidence.vectors is None else evidence.vectors[[one.at for one in chosen]]
    newer = find_newer([hit.message for hit in hits], vectors)
    return [hit if at is None else replace(hit, newer=hits[at].message) for hit, at in zip(hits, newer, strict=True)]


def intersect_filters(one: SearchFilters, other: SearchFilters) -> SearchFilters:
    """Return filters that match what both match. Raise `InvalidInput` if two lists of the same kind have nothing in
    common."""
    if other == NO_FILTERS:
        return one
    since = max((moment for moment in (one.since, other.since) if moment is not None), default=None)
    until = min((moment for moment in (one.until, other.until) if moment is not None), default=None)
    return SearchFilters(
        _intersect(one.sessions, other.sessions, "sessions"),
        _intersect(one.roles, other.roles, "roles"),
        _intersect(one.tags, other.tags, "tags"),
        since,
        until,
        max(one.importance, other.importance),
        (*one.excluded_sessions, *other.excluded_sessions),
    )


def _intersect(one: tuple[Name, ...], other: tuple[Name, ...], what: str) -> tuple[Name, ...]:
    if not one or not other:
        return one or other
    shared = tuple(name for name in one if name in other)
    if not shared:
        raise InvalidInput(f"the query and the arguments name different {what}: nothing can match both")
    return shared
