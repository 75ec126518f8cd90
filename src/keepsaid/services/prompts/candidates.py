"""Find what an owner's memory has on a question: passages, facts, tool notes and document chunks.

Each is returned as it would appear in the prompt, best first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from keepsaid.config import Settings
from keepsaid.engine.follow_up import complete_question
from keepsaid.engine.languages import detect_language
from keepsaid.engine.prompt import PromptCandidate
from keepsaid.engine.prompt.block_texts import (
    DOCUMENTS,
    RECALLED,
    MemoryBlockEntry,
    document_line,
    message_line,
)
from keepsaid.engine.query.query import ParsedQuery, parse_query
from keepsaid.engine.ranking.relevance import compute_lowest_likelihood
from keepsaid.engine.redaction import redact
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.errors import KeepsaidError, NotFound
from keepsaid.ports import NO_FILTERS, Retriever, Storage, pause_reads, prefetch, read_session
from keepsaid.services.prompts.known_facts import PINNED_REASON, FactFinder
from keepsaid.services.prompts.request import PromptRequest
from keepsaid.services.search.searcher import MessageSearcher, SearchRequest
from keepsaid.types import Artifact, Message, Role, Scope, SearchFilters, SearchHit, SessionQuery
from keepsaid.types.prompts import PromptItem

if TYPE_CHECKING:
    from keepsaid.services.documents.document_store import DocumentStore

OVERFETCH = 12
"""Hits fetched beyond the limit, since many will be in the prompt already."""

WHOLE_MESSAGE_TOKENS, WHOLE_SHARE = 160, 3
"""A message is included whole up to this many tokens, or up to this part of the tokens for memories if that is more. Of a
longer message, only the passage that answers is included."""

MAX_WEAK_CANDIDATES = 5
"""Weak hits passed on, for the report of what was left out."""

REAL_MATCH = 0.2
"""Likelihood from which the messages around a hit are included, if there is much room."""

LEAST_WORDS = 2
"""Content words that a neighbouring message needs to be included."""

NEIGHBOUR_DISTANCES = (4, 2, 2)
"""How many messages before and after the best hits are included, for the first, second and third hit."""

ONE_SESSION = SessionQuery(limit=1)


class CandidateSearchResult(NamedTuple):
    """What was found, what was searched for, and what had to be left out."""

    offers: list[PromptCandidate]
    searched_for: str
    fallbacks: list[str]
    weak: Sequence[PromptCandidate] = ()
    """Candidates that were considered and rejected as too weak."""
    asks_when: bool = False
    """Whether the turn asks when something was."""


class QuestionRewriter(Protocol):
    """Completes follow-up questions with a language model, better than rules can."""

    def rewrite(self, question: str, recent: Sequence[Message]) -> str | None: ...


class CandidateFinder:
    """Finds prompt candidates in one storage."""

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        searcher: Callable[[], MessageSearcher],
        facts: FactFinder,
        documents: Callable[[], DocumentStore],
        rewriter: QuestionRewriter | None = None,
    ) -> None:
        self._settings = settings
        self._storage = storage
        self._searcher = searcher
        self._facts = facts
        self._documents = documents
        self._rewriter = rewriter

    def prefetch(self, scope: Scope) -> None:
        """Prefetch what every prompt will read, whatever the question."""
        prefetch(self._storage, "list_sessions", _document_space(scope), ONE_SESSION)
        prefetch(self._storage, "generations")

    def has_documents(self, scope: Scope) -> bool:
        """Whether there are documents that a question in this session may be about."""
        return bool(self._storage.list_sessions(_document_space(scope), ONE_SESSION))

    def find(
        self,
        scope: Scope,
        request: PromptRequest,
        question: str,
        recent: Sequence[Message],
        included: set[int],
        *,
        question_number: int = 0,
        room: int = 0,
        has_room: bool = False,
    ) -> CandidateSearchResult:
        """Return everything that may help with a turn.

        Messages of the session that are in the prompt anyway (`included`) are left out, and so are facts derived from the
        question itself (`question_number`). `room` is the number of tokens for memories. If the conversation leaves much
        room (`has_room`), the messages around good hits are included: an answer often shares no word with the question.
        """
        fallbacks: list[str] = []
        text = self._complete_question(question, recent, fallbacks)
        if not text.strip():
            return CandidateSearchResult([], question, fallbacks)
        asked = parse_query(text, request.now, plain=True)
        space = Scope(scope.owner, None, scope.pool)
        self._prefetch_for_question(space, request, asked)
        hits = self._search(scope, request, text, fallbacks) if request.recall != "off" else []
        # A question matches itself best: where it is saved in this session, and wherever it was asked before.
        # System prompts of other conversations are no statements to the user.
        apart = [one for one in hits if one[1].message.text != question and one[1].message.role is not Role.SYSTEM]
        good = self._select_likely(apart, request.budget)
        here = [hit for pool, hit in good if pool == space.pool]
        beside = _select_neighbourhoods(here, included) if has_room else []
        self._prefetch_for_hits(space, apart, beside)
        known = self._facts.find(space, request, asked, text, here, question_number)
        apart = self._add_titles(space, apart)
        titled = {(pool, hit.number): (pool, hit) for pool, hit in apart}
        hits = [titled[pool, hit.number] for pool, hit in good if (pool, hit.number) in titled]
        facts = known.facts if _may_need_memories(apart) else [offer for offer in known.facts if _is_pinned(offer)]
        offers = [
            *(offer for offer in (*facts, *known.tools) if _is_recall_allowed(offer, scope, request)),
            *self._include_hits(space, hits, known.changed, included, room),
            *self._include_neighbours(space, hits, beside, included),
            *self._find_chunks(scope, request, text, fallbacks),
        ]
        given = included | {offer.reference.get("number", 0) for offer in offers}
        weak = self._include_hits(space, _select_weak(space, apart, hits, given), {}, given, room)
        return CandidateSearchResult(offers, text, fallbacks, [_mark_as_weak(offer) for offer in weak], asked.kind == "when")

    def _prefetch_for_question(self, space: Scope, request: PromptRequest, asked: ParsedQuery) -> None:
        """Prefetch what is needed whatever the search finds."""
        self._facts.prefetch(space, request, asked)
        if request.limits.chunks and request.retriever is None:
            self._documents().prefetch(space)

    def _prefetch_for_hits(
        self, space: Scope, found: Sequence[tuple[str | None, SearchHit]], beside: Sequence[tuple[SearchHit, int]]
    ) -> None:
        """Prefetch what is needed for the messages found."""
        for pool in {pool for pool, _ in found}:
            self._searcher().prefetch_titles(space._replace(pool=pool), [hit for of, hit in found if of == pool])
        for hit, far in beside:
            prefetch(self._storage, "look", space, [hit.number], far, NO_FILTERS)
        prefetch(self._storage, "generations")  # for the documents, which are searched last

    def _complete_question(self, question: str, recent: Sequence[Message], fallbacks: list[str]) -> str:
        if self._settings.rewriter == "off":
            return question
        if self._rewriter is not None:
            pause_reads(self._storage)
            try:
                if (text := self._rewriter.rewrite(question, recent)) is not None:
                    return text
            except KeepsaidError as error:
                fallbacks.append(f"the follow-up was completed by rules: {error}")
        return complete_question(question, recent).text

    # -- earlier conversations

    def _search(
        self, scope: Scope, request: PromptRequest, text: str, fallbacks: list[str]
    ) -> list[tuple[str | None, SearchHit]]:
        """Return the hits in the session's space and in the pools that the caller named, best first."""
        filters = SearchFilters(sessions=(scope.session,)) if request.recall == "session" and scope.session else NO_FILTERS
        limit = request.limits.recalled + OVERFETCH
        found: list[tuple[str | None, SearchHit]] = []
        for pool in dict.fromkeys((scope.pool, *request.pools)):
            space = Scope(scope.owner, None, pool)
            here = filters if pool == scope.pool else NO_FILTERS
            try:
                with read_session(self._storage, space):
                    hits = self._searcher().search_without_titles(
                        SearchRequest(text, space, request.now, here, limit, 0.0, "full", plain=True)
                    )
            except NotFound as error:
                if pool == scope.pool:
                    raise
                fallbacks.append(f"nothing recalled from a pool: {error}")
                continue
            fallbacks += hits.fallbacks
            found += [(pool, hit) for hit in hits if hit.score >= request.limits.min_score]
        if request.pools:
            found.sort(key=lambda one: -one[1].score)
        return found

    def _add_titles(self, space: Scope, found: list[tuple[str | None, SearchHit]]) -> list[tuple[str | None, SearchHit]]:
        """Return the hits of every pool with the titles of their conversations."""
        titled: dict[tuple[str | None, int], SearchHit] = {}
        for pool in {pool for pool, _ in found}:
            hits = [hit for of, hit in found if of == pool]
            titled |= {(pool, hit.number): hit for hit in self._searcher().add_titles(space._replace(pool=pool), hits)}
        return [(pool, titled[pool, hit.number]) for pool, hit in found if (pool, hit.number) in titled]

    def _select_likely(
        self, found: Sequence[tuple[str | None, SearchHit]], budget: int
    ) -> list[tuple[str | None, SearchHit]]:
        """Return the hits that are likely enough to help. The threshold is the same for a question, a request, a remark or a
        pasted error, and lower for larger prompts, if it is known whether the turn needs memories."""
        lowest = self._settings.context_min_score
        if self._searcher().judges_need:
            lowest = compute_lowest_likelihood(lowest, budget)
        helpful = [one for one in found if one[1].score >= lowest]
        return _newer_first(helpful, found)

    def _include_hits(
        self,
        space: Scope,
        hits: Sequence[tuple[str | None, SearchHit]],
        changed: Mapping[int, Artifact],
        included: set[int],
        room: int,
    ) -> list[PromptCandidate]:
        whole = max(WHOLE_MESSAGE_TOKENS, room // WHOLE_SHARE)
        return [
            _from_hit(pool, hit, changed.get(hit.number) if pool == space.pool else None, whole)
            for pool, hit in hits
            if not (pool == space.pool and hit.number in included)
        ]

    def _include_neighbours(
        self,
        space: Scope,
        hits: Sequence[tuple[str | None, SearchHit]],
        beside: Sequence[tuple[SearchHit, int]],
        included: set[int],
    ) -> list[PromptCandidate]:
        """Return the messages before and after the best hits, nearest first."""
        titles = {hit.number: hit.title for pool, hit in hits if pool == space.pool}
        known = included.union(titles)
        offers: list[PromptCandidate] = []
        for hit, far in beside:
            if hit.number not in titles:
                continue
            looked = self._storage.look(space, [hit.number], far, NO_FILTERS)
            seen = [one for one in looked if one.message.session == hit.session]
            for one in sorted(seen, key=lambda one: abs(one.number - hit.number)):
                message = one.message
                if one.number not in known and message.tokens <= WHOLE_MESSAGE_TOKENS and _has_content(message):
                    known.add(one.number)
                    why = "said around a good match"
                    near = SearchHit(message, 0.0, message.text, {}, why, titles[hit.number], (), one.number)
                    offer = _from_hit(space.pool, near, None, WHOLE_MESSAGE_TOKENS)
                    offers.append(offer._replace(item=replace(offer.item, score=None)))
        return offers

    # -- documents

    def _find_chunks(self, scope: Scope, request: PromptRequest, text: str, fallbacks: list[str]) -> list[PromptCandidate]:
        if not request.limits.chunks:
            return []
        if request.retriever is not None:
            return self._call_retriever(request.retriever, text, request.limits.chunks, fallbacks)
        documents_space = Scope(scope.owner, scope.session, scope.pool)
        lowest = max(self._settings.documents_min_score, request.limits.min_score)
        chunk_request = SearchRequest(
            text, documents_space, request.now, NO_FILTERS, request.limits.chunks, lowest, "full", plain=True
        )
        hits = self._documents().search(chunk_request)
        fallbacks += hits.fallbacks
        return [_from_chunk(scope.pool, hit) for hit in hits]

    def _call_retriever(self, retriever: Retriever, text: str, limit: int, fallbacks: list[str]) -> list[PromptCandidate]:
        pause_reads(self._storage)
        try:
            snippets = list(retriever.retrieve(text, limit))[:limit]
        except KeepsaidError as error:
            fallbacks.append(f"no documents: {error}")
            return []
        kinds = self._settings.redact_stored
        return [
            # The receipt stores the text of a snippet.
            _from_snippet(place, redact(snippet.text, kinds).text, snippet.source, snippet.place, snippet.score)
            for place, snippet in enumerate(snippets)
        ]


def _newer_first(
    helpful: Sequence[tuple[str | None, SearchHit]], found: Sequence[tuple[str | None, SearchHit]]
) -> list[tuple[str | None, SearchHit]]:
    """Return the hits, each after the newer one that seems to change what it says, so that outdated statements never appear
    alone."""
    by_id = {hit.message.id: (pool, hit) for pool, hit in found}
    ordered: dict[str, tuple[str | None, SearchHit]] = {}
    for one in helpful:
        newer = one[1].newer
        if newer is not None and newer.id in by_id:
            ordered.setdefault(newer.id, by_id[newer.id])
        ordered.setdefault(one[1].message.id, one)
    return list(ordered.values())


def _select_weak(
    space: Scope,
    found: Sequence[tuple[str | None, SearchHit]],
    included: Sequence[tuple[str | None, SearchHit]],
    given: Set[int],
) -> list[tuple[str | None, SearchHit]]:
    """Return the best of the hits that were not included and are not in the prompt anyway."""
    known = {(pool, hit.number) for pool, hit in included}
    others = (
        (pool, hit)
        for pool, hit in found
        if (pool, hit.number) not in known and not (pool == space.pool and hit.number in given)
    )
    return list(islice(others, MAX_WEAK_CANDIDATES))


def _may_need_memories(found: Sequence[tuple[str | None, SearchHit]]) -> bool:
    """Whether the turn may need memories. If it needs none, every hit has the likelihood 0."""
    return not found or any(hit.score > 0 for _, hit in found)


def _is_pinned(offer: PromptCandidate) -> bool:
    return offer.item.reason == PINNED_REASON


def _document_space(scope: Scope) -> Scope:
    return Scope(scope.owner, None, scope.pool, documents=True)


def _select_neighbourhoods(hits: Sequence[SearchHit], included: set[int]) -> list[tuple[SearchHit, int]]:
    """Return the best hits that are not in the prompt anyway, and how far to look around each."""
    return list(
        zip(
            (hit for hit in hits if hit.score >= REAL_MATCH and hit.number not in included),
            NEIGHBOUR_DISTANCES,
            strict=False,
        )
    )


def _has_content(message: Message) -> bool:
    """Whether a neighbouring message is worth including: not a tool result, nor a mere "Okay."."""
    if message.role is Role.TOOL:
        return False
    return len(content_words(terms(message.text), detect_language(message.text))) >= LEAST_WORDS


def _is_recall_allowed(offer: PromptCandidate, scope: Scope, request: PromptRequest) -> bool:
    """Whether a fact or note comes from where the request allows. One written by hand belongs to no conversation."""
    return request.recall == "owner" or (request.recall == "session" and offer.item.session in (None, scope.session))


# -- as they appear in the prompt


def _mark_as_weak(offer: PromptCandidate) -> PromptCandidate:
    reason = "; ".join(filter(None, (offer.item.reason, "too weak a match")))
    return offer._replace(item=replace(offer.item, reason=reason))


def _from_hit(pool: str | None, hit: SearchHit, changed: Artifact | None, longest: int) -> PromptCandidate:
    message = hit.message
    whole = message.tokens <= longest or len(hit.passage) >= len(message.text.strip())
    passage = None if whole else hit.passage
    start = 0 if whole else message.text.find(hit.passage)
    newer = hit.newer if changed is None else None
    line = message_line(message, passage, changed.text if changed else None, newer.created if newer else None)
    item = PromptItem(
        RECALLED, "message", message.id, 0, hit.reason, message.text if whole else hit.passage, hit.score, hit.signals,
        message.session, message.created, whole, hit.title or "", changed=later.text if (later := changed or newer) else "",
    )  # fmt: skip
    reference: dict[str, Any] = {
        "kind": "message",
        "number": hit.number,
        **({"pool": pool} if pool else {}),
        **({} if whole else {"passage": [start, start + len(hit.passage)]}),
        **({"changed": changed.id} if changed else {}),
        **({"newer": newer.created} if newer else {}),
    }
    return PromptCandidate(MemoryBlockEntry(RECALLED, message.created, line), item, reference)


def _from_chunk(pool: str | None, hit: SearchHit) -> PromptCandidate:
    source, place = hit.title or "", str(hit.message.metadata.get("place", ""))
    line = document_line(hit.message.text, source, place)
    item = PromptItem(
        DOCUMENTS, "chunk", hit.message.id, 0, hit.reason, hit.message.text, hit.score, hit.signals, hit.session,
        hit.message.created, title=source, place=place,
    )  # fmt: skip
    reference = {
        "kind": "chunk",
        "number": hit.number,
        "documents": True,
        "source": source,
        "place": place,
        **({"pool": pool} if pool else {}),
    }
    return PromptCandidate(MemoryBlockEntry(DOCUMENTS, hit.message.created, line), item, reference)


def _from_snippet(at: int, text: str, source: str, place: str, score: float) -> PromptCandidate:
    id, why = f"{source}#{place or at}", "found by the application"
    item = PromptItem(DOCUMENTS, "snippet", id, 0, why, text, score, title=source, place=place)
    reference = {"kind": "snippet", "text": text, "source": source, "place": place}
    return PromptCandidate(MemoryBlockEntry(DOCUMENTS, at, document_line(text, source, place)), item, reference)
