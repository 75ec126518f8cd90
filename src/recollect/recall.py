"""Recall: from a question to the messages that answer it.

Words and meaning each name candidates, their neighbours join them, and all that is known of a candidate goes into one score
(`engine.rank`). Without an embedder, or while it fails, words and neighbours do it alone, and the hits say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple, TypeVar

from recollect.asking import Asked, Asker
from recollect.engine.dates import is_from
from recollect.engine.echoes import drop_echoes, put_sources_first
from recollect.engine.evidence import Evidence, is_picky, move_towards, permits
from recollect.engine.outdated import find_newer
from recollect.engine.query import Question, of_documents, understand
from recollect.engine.rank import Ranked, Ranking, is_question
from recollect.engine.ranking_models import DOCUMENTS, MESSAGES
from recollect.engine.reason import as_typed, reason
from recollect.engine.relevance import TurnStatistics, likelihood
from recollect.engine.select import select
from recollect.errors import EmbedderError, InvalidInput, MissingModel, NotFound
from recollect.ports import (
    NO_FILTERS,
    Foreseeing,
    Found,
    Index,
    Passage,
    Probes,
    Probing,
    Reranker,
    Seen,
    Storage,
    Tidied,
    Vectors,
    moment,
    soon,
)
from recollect.types import Filters, Hit, Hits, Scope, microseconds
from recollect.vectorize import embedded

TAKEN = 64
"""Candidates that words and meaning may each name, at the least; twice as many find no more
(docs/decisions/0009-ranking.md)."""

MOST_TAKEN = 2000

IN_TIME = 3
"""For a question about some time, meaning may name so many times as many: most will not be from then."""

BY_ROLE = 4
"""Where only some roles or only the important are wanted, meaning may name so many times as many: it does not know them."""

AROUND = 1
"""Neighbours on either side that are looked at with a candidate."""

WITH_NEIGHBOURS = 24
"""The best candidates of each source whose neighbours are looked at: only a strong one can lift its neighbour."""

TOWARDS_STATEMENTS = 0.5
"""How far a question's vector is moved towards lasting statements when candidates are looked for by meaning
(docs/decisions/0022-relevance.md)."""

UNKNOWN_NEED = 1.5
"""The log-odds of needing memories that a turn is taken to have where the embedder cannot tell."""

FRESH = 8
"""Of the messages that still wait for their vectors, so many of the newest, and so many of those with the most of the
question's words, are embedded for the question itself."""

FRESH_TOKENS = 4000
"""But not more than these take: less than a second's work for the local model."""

Name = TypeVar("Name", bound=str)


class Request(NamedTuple):
    """One search: what is asked, where, and what is wanted back."""

    query: str
    scope: Scope
    now: datetime
    filters: Filters = NO_FILTERS
    limit: int = 10
    min_score: float = 0.0
    mode: str = "full"
    plain: bool = False
    """Whether the query is somebody's own words, in which `-word` or `tag:x` is no instruction."""


class Recall:
    """Searches one storage; by meaning, too, if there is an index and somebody who embeds questions."""

    def __init__(
        self,
        storage: Storage,
        index: Index | None = None,
        asker: Asker | None = None,
        reranker: Reranker | None = None,
        reranked: int = 20,
    ) -> None:
        self._storage = storage
        self._index = index
        self._asker = asker
        self._reranker = reranker
        self._reranked = reranked

    @property
    def judges_need(self) -> bool:
        """Whether it is known of a turn that it needs memories."""
        return self._asker is not None and self._asker.judges_need

    def tidy(self) -> None:
        """Removes what was erased from the index, too, where that has a copy of its own."""
        if isinstance(self._index, Tidied):
            self._index.tidy()

    def search(self, request: Request) -> Hits:
        """The best messages, best first."""
        with moment(self._storage, request.scope):
            hits = self.untitled(request)
            self.foresee_titles(request.scope, hits)
            return Hits(self.titled(request.scope, hits), hits.fallbacks)

    def untitled(self, request: Request) -> Hits:
        """The same without the titles of their conversations: for who asks for these together with other things."""
        question = understand(request.query, request.now, plain=request.plain)
        if request.scope.shelf:
            question = of_documents(question)
        filters = both(request.filters, question.filters)
        if filters.since is not None and filters.until is not None and filters.since >= filters.until:
            raise InvalidInput("the dates of the query and of the arguments leave no time between them")
        request = request._replace(filters=filters)
        hits, fallbacks, more = self._best(question, request, taken_for(request.limit))
        if more and len(hits) < request.limit:
            # What was said again and again is one hit, and may have been all that was taken.
            hits, fallbacks, _ = self._best(question, request, MOST_TAKEN)
        if not request.scope.shelf:
            # Who asks what the assistant said wants it, whatever it repeats.
            is_turn = request.plain and question.asks_user is not False
            hits = (drop_echoes if is_turn else put_sources_first)(hits, question.terms)
        if self._reranker and hits:
            hits = self._again(self._reranker, question, hits, fallbacks)
        return Hits([hit for hit in hits if hit.score >= request.min_score][: request.limit], tuple(fallbacks))

    def _best(self, question: Question, request: Request, taken: int) -> tuple[list[Hit], list[str], bool]:
        """The best hits, what had to be done without, and whether there may be more if more candidates are taken."""
        evidence, fallbacks = self.gather(question, request, taken)
        models = DOCUMENTS if request.scope.shelf else MESSAGES
        model = models.for_evidence(has_meaning=evidence.has_meaning, has_tokens=evidence.has_tokens)
        ranking = Ranking(question, evidence.candidates, model.weights, microseconds(request.now))
        need = UNKNOWN_NEED if evidence.need is None else evidence.need
        scores = _scores_of_answers(request.query, evidence, ranking.scores)
        turn = TurnStatistics.of(scores, need, model.relevance.background)
        relevance = model.relevance
        if not request.plain:
            # A search says that something is needed; of a turn, that is to be judged.
            relevance = relevance._replace(turn=None)
        allowed = (one for one in ranking.best_first if evidence.allows(one.at))
        if not request.plain and evidence.has_tokens:
            allowed = (one for one in allowed if ranking.is_close(one.at))
        wanted = max(request.limit, self._reranked) if self._reranker else request.limit
        chosen = select(allowed, evidence.candidates.messages, wanted, several=question.wants_several)
        typed = as_typed(question)
        hits = [
            _hit(typed, evidence, one, ranking.signals(one.at), likelihood(relevance, one.score, turn)) for one in chosen
        ]
        if not request.scope.shelf:
            hits = _with_newer(hits, evidence, chosen)
        return hits, fallbacks, evidence.more and taken < MOST_TAKEN

    # -- candidates

    def gather(self, question: Question, request: Request, taken: int = TAKEN) -> tuple[Evidence, list[str]]:
        """What can be known of every message that may answer the question, and what had to be done without.

        Words and meaning may each name `taken` candidates.
        """
        fallbacks: list[str] = []
        scope, filters = request.scope, request.filters
        asked = self._ask(question, request.mode, fallbacks)
        self._foresee(question, request, asked, taken)
        # Of what has the words, much may be left out again.
        found = self._storage.find(scope, question.terms, filters, MOST_TAKEN if is_picky(question) else taken)
        among = None if filters.are_light else self._storage.numbers(scope, filters)
        by_words = self._by_words(question, request, found, taken)
        wordless = request.mode == "meaning" and asked is not None
        named = [] if wordless else [[seen.number for seen in some] for some in by_words]
        wide = taken if among is not None else _among_roles(filters, taken)
        waits = asked is not None and self._waits(scope, asked.generation)
        near = self._by_meaning(question, scope, asked, wide, among, waits=waits) if asked else []
        likely = self._foresee_passages(scope, asked, [*named, near[:wide]]) if asked else []
        beyond = sorted(set(near[wide:]).difference(*named, near[:wide])) if question.times else []
        if beyond:
            soon(self._storage, "look", scope, beyond, 0, filters)
        seen = self._look(scope, [*named, near[:wide]], filters)
        seen += self._from_then(question, request, beyond, seen)
        known = {one.number: one for some in by_words for one in some}
        passages = self._passages(scope, asked, seen, known, fallbacks, likely=likely, waits=waits) if asked else []
        probes = _probes_of(asked) if asked else None
        evidence = Evidence.of(question, seen, found, known, asked.embedding if asked else None, passages, probes)
        if wordless:
            evidence = evidence.without_words()
        if filters.are_light and filters != NO_FILTERS:
            among = [one.number for one in seen if filters.let_through(one.message.role, one.message.importance)]
        return replace(evidence.among(among), more=len(by_words[0]) == taken), fallbacks

    def _foresee(self, question: Question, request: Request, asked: Asked | None, taken: int) -> None:
        """Tells the storage what is wanted of it whatever has the words."""
        scope, filters = request.scope, request.filters
        for then in _times(question, filters):
            soon(self._storage, "find", scope, question.terms, then, taken)
        if asked is not None:
            wide = _widely(question, _among_roles(filters, taken))
            soon(self._storage, "waiting", scope, asked.generation)
            soon(self._storage, "last_mark", scope)
            if filters.are_light:
                soon(self._storage, "search", scope, asked.generation, _search_vector(scope, asked), wide, None)

    def _by_words(self, question: Question, request: Request, found: Found, taken: int) -> list[list[Seen]]:
        """The best by words, and for each time that the question names the best from then."""
        possible = (seen for seen in found.messages if permits(question, seen.message))
        best = list(islice(possible, taken))
        times = _times(question, request.filters)
        return [best, *(self._storage.find(request.scope, question.terms, then, taken).messages for then in times)]

    def _by_meaning(
        self, question: Question, scope: Scope, asked: Asked, taken: int, among: Sequence[int] | None, *, waits: bool
    ) -> list[int]:
        assert self._index is not None
        near = self._index.search(scope, asked.generation, _search_vector(scope, asked), _widely(question, taken), among)
        fresh = self._newest(scope, among) if waits else set[int]()
        return list(dict.fromkeys([*fresh, *(one.number for one in near)]))

    def _look(self, scope: Scope, named: Sequence[Sequence[int]], filters: Filters) -> list[Seen]:
        """The candidates that each source named, best first, and the neighbours of the best."""
        best = {number for numbers in named for number in numbers[:WITH_NEIGHBOURS]}
        rest = sorted({number for numbers in named for number in numbers} - best)
        if rest:
            soon(self._storage, "look", scope, rest, 0, filters)
        seen = {one.number: one for one in self._storage.look(scope, sorted(best), AROUND, filters)}
        others = self._storage.look(scope, rest, 0, filters) if rest else []
        return [*seen.values(), *(one for one in others if one.number not in seen)]

    def _from_then(self, question: Question, request: Request, numbers: Sequence[int], seen: list[Seen]) -> list[Seen]:
        """Of these, the messages from a time that the question names."""
        looked = self._storage.look(request.scope, numbers, 0, request.filters) if numbers else []
        known = {one.number for one in seen}
        return [one for one in looked if one.number not in known and is_from(question.times, one.message.created)]

    def _waits(self, scope: Scope, generation: str) -> bool:
        """Whether messages have no vectors yet."""
        assert isinstance(self._storage, Vectors)
        return self._storage.waiting(scope, generation) > 0

    def _newest(self, scope: Scope, among: Sequence[int] | None) -> set[int]:
        """The newest messages: those without vectors must be found in the very call after they were saved."""
        last = self._storage.last_mark(scope).messages
        newest = set(range(last - FRESH + 1, last + 1))
        return newest if among is None else newest.intersection(among)

    def _ask(self, question: Question, mode: str, fallbacks: list[str]) -> Asked | None:
        if self._asker is None:
            if mode == "meaning":
                raise MissingModel("this store has no embedder to search by meaning; `recollect model pull` gets one")
            return None
        if mode == "words":
            return None
        try:
            return self._asker.ask(question.text)
        except EmbedderError as error:
            fallbacks.append(f"searched by words alone: {error}")
            return None

    def _foresee_passages(self, scope: Scope, asked: Asked, named: Sequence[Sequence[int]]) -> list[int]:
        """Messages whose passages are asked for along with the candidates, from a storage that is far away: neighbours in a
        conversation mostly have neighbouring numbers."""
        if not isinstance(self._storage, Foreseeing):
            return []
        every = {number for numbers in named for number in numbers}
        best = (number for numbers in named for number in numbers[:WITH_NEIGHBOURS])
        likely = sorted(every.union(number + step for number in best for step in (-AROUND, AROUND)))
        soon(self._storage, "passages", scope, asked.generation, likely)
        return likely

    def _stored(self, scope: Scope, asked: Asked, seen: Sequence[Seen], likely: list[int]) -> list[Passage]:
        assert isinstance(self._storage, Vectors)
        numbers = {one.number for one in seen}
        came = self._storage.passages(scope, asked.generation, likely) if likely else []
        others = sorted(numbers.difference(likely))
        more = self._storage.passages(scope, asked.generation, others) if others else []
        stored = [*(passage for passage in came if passage.number in numbers), *more]
        return sorted(stored, key=lambda passage: (passage.number, passage.part)) if came and more else stored

    def _passages(
        self,
        scope: Scope,
        asked: Asked,
        seen: Sequence[Seen],
        by_words: Mapping[int, Seen],
        fallbacks: list[str],
        *,
        likely: list[int],
        waits: bool,
    ) -> list[Passage]:
        """The passages of these messages; of those that wait for their vectors, some are embedded now."""
        assert self._asker is not None
        stored = self._stored(scope, asked, seen, likely)
        have = {passage.number for passage in stored}
        fresh = _fresh([one for one in seen if one.number not in have and one.message.text], by_words)
        if fresh and waits:
            try:
                stored += self._asker.within_patience(asked.embedder, lambda: embedded(asked.embedder, fresh))
            except EmbedderError as error:
                fallbacks.append(f"new messages were searched by words alone: {error}")
        return stored

    # -- hits

    def _again(self, reranker: Reranker, question: Question, hits: list[Hit], fallbacks: list[str]) -> list[Hit]:
        """The best hits in the order of another judge."""
        best = hits[: self._reranked]
        try:
            scores = [float(score) for score in reranker.rerank(question.text, [hit.passage for hit in best])]
            if len(scores) != len(best) or any(score != score for score in scores):
                raise ValueError(f"{len(scores)} scores for {len(best)} passages, or one that is no number")
        except Exception as error:  # somebody else's code may fail in any way; our own order is there
            fallbacks.append(f"not re-ranked: {getattr(reranker, 'name', 'the reranker')} failed: {error}")
            return hits
        judged = sorted(zip(scores, range(len(best)), strict=True), key=lambda entry: (-entry[0], entry[1]))
        again = [replace(best[at], signals={**best[at].signals, reranker.name: score}) for score, at in judged]
        return again + hits[self._reranked :]

    def foresee_titles(self, scope: Scope, hits: Sequence[Hit]) -> None:
        """Tells the storage that the titles of these hits will be wanted."""
        for session in {hit.session for hit in hits}:
            soon(self._storage, "get_session", scope.of(session))

    def titled(self, scope: Scope, hits: Sequence[Hit]) -> list[Hit]:
        """Hits with the titles of their conversations, without those of conversations that are gone by now."""
        titles: dict[str, str | None] = {}
        for session in {hit.session for hit in hits}:
            # One that was erased since is no hit any more.
            with suppress(NotFound):
                titles[session] = self._storage.get_session(scope.of(session)).title
        return [replace(hit, title=titles[hit.session]) for hit in hits if hit.session in titles]


def _search_vector(scope: Scope, asked: Asked) -> Sequence[float]:
    """The vector that candidates are looked for with: the question's own, moved towards what people state about themselves.
    A request or a remark is seldom close to what it needs; of equally distant messages, a lasting statement is likelier."""
    probes = _probes_of(asked)
    if probes is None or scope.shelf:
        return asked.embedding.vector
    return move_towards(asked.embedding.vector, probes.statement, TOWARDS_STATEMENTS)


def _probes_of(asked: Asked) -> Probes | None:
    return asked.embedder.probes if isinstance(asked.embedder, Probing) else None


def _scores_of_answers(query: str, evidence: Evidence, scores: Sequence[float]) -> list[float]:
    """The scores that candidates are compared with: not those of what may not be found, nor of the turn's own words, which
    may be saved already, nor of questions that were asked before. The last two match better than any answer."""
    asked, messages = query.strip(), evidence.candidates.messages
    others = [
        (messages[at], score)
        for at, score in enumerate(scores)
        if messages[at].text.strip() != asked and evidence.allows(at)
    ]
    answers = [score for message, score in others if not is_question(message.text)]
    return answers or [score for _, score in others]


def _fresh(waiting: Sequence[Seen], by_words: Mapping[int, Seen]) -> list[Seen]:
    """Which of the messages without vectors are embedded for the question itself."""
    newest = sorted(waiting, key=lambda one: one.number, reverse=True)[:FRESH]
    named = [one for one in waiting if one.number in by_words]
    likely = sorted(named, key=lambda one: by_words[one.number].score, reverse=True)[:FRESH]
    chosen: dict[int, Seen] = {}
    room = FRESH_TOKENS
    for one in (*newest, *likely):
        if one.number not in chosen and one.message.tokens <= room:
            chosen[one.number] = one
            room -= one.message.tokens
    return list(chosen.values())


def _times(question: Question, filters: Filters) -> list[Filters]:
    """The filters narrowed to each time that a question names."""
    return [
        both(
            filters,
            Filters(
                since=None if time.start is None else microseconds(time.start),
                until=None if time.end is None else microseconds(time.end),
            ),
        )
        for time in question.times
    ]


def _among_roles(filters: Filters, taken: int) -> int:
    """How many near ones are wanted if light filters leave some out afterwards."""
    return taken if filters == NO_FILTERS else taken * BY_ROLE


def _widely(question: Question, taken: int) -> int:
    """How many passages near to a question are wanted; of those from a time that it names, only some will be."""
    return taken * IN_TIME if question.times else taken


def taken_for(limit: int) -> int:
    """How many candidates words and meaning may each name for so many hits.

    >>> taken_for(10), taken_for(50), taken_for(1_000_000)
    (64, 100, 2000)
    """
    return min(max(TAKEN, 2 * limit), MOST_TAKEN)


def _hit(typed: Sequence[str], evidence: Evidence, one: Ranked, signals: Mapping[str, float], score: float) -> Hit:
    message = evidence.candidates.messages[one.at]
    also = tuple(evidence.candidates.messages[at] for at in one.also)
    why = reason(typed, message, evidence.candidates.words[:, one.at].tolist(), signals)
    return Hit(message, score, evidence.passage(one.at), signals, why, None, also, evidence.numbers[one.at])


def _with_newer(hits: Sequence[Hit], evidence: Evidence, chosen: Sequence[Ranked]) -> list[Hit]:
    """The hits, where those that seem to be outdated name the newer one."""
    vectors = None if evidence.vectors is None else evidence.vectors[[one.at for one in chosen]]
    newer = find_newer([hit.message for hit in hits], vectors)
    return [hit if at is None else replace(hit, newer=hits[at].message) for hit, at in zip(hits, newer, strict=True)]


def both(one: Filters, other: Filters) -> Filters:
    """Filters that let through what both do. Two lists of the same kind must have something in common."""
    if other == NO_FILTERS:
        return one
    since = max((moment for moment in (one.since, other.since) if moment is not None), default=None)
    until = min((moment for moment in (one.until, other.until) if moment is not None), default=None)
    return Filters(
        _common(one.sessions, other.sessions, "sessions"),
        _common(one.roles, other.roles, "roles"),
        _common(one.tags, other.tags, "tags"),
        since,
        until,
        max(one.importance, other.importance),
        (*one.besides, *other.besides),
    )


def _common(one: tuple[Name, ...], other: tuple[Name, ...], what: str) -> tuple[Name, ...]:
    if not one or not other:
        return one or other
    shared = tuple(name for name in one if name in other)
    if not shared:
        raise InvalidInput(f"the query and the arguments name different {what}: nothing can be in both")
    return shared
