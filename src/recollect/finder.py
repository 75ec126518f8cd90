"""The finder: what an owner's memory has to say on a question.

Passages, facts, tool notes and pieces of documents, each as it would stand in the prompt, best first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from recollect.config import Settings
from recollect.engine.compile import Offer
from recollect.engine.compile.layout import (
    DOCUMENTS,
    RECALLED,
    Entry,
    document_line,
    message_line,
)
from recollect.engine.languages import detect_language
from recollect.engine.query import Question, understand
from recollect.engine.redact import redacted
from recollect.engine.relevance import lowest_likelihood
from recollect.engine.rewrite import standalone
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.errors import NotFound, RecollectError
from recollect.knowledge import Knowledge
from recollect.ports import NO_FILTERS, Retriever, Storage, moment, soon
from recollect.prompt import Item
from recollect.recall import Recall, Request
from recollect.turn import Turn
from recollect.types import Artifact, Filters, Hit, Message, Role, Scope, SessionQuery

if TYPE_CHECKING:
    from recollect.documents import Documents

OVERFETCH = 12
"""Hits beyond those wanted: many will be in the prompt already."""

WHOLE, WHOLE_SHARE = 160, 3
"""Tokens up to which a message is recalled whole, and the part of the room for memories that it may take where that is more;
of a longer one, the passage that answers."""

NEAR_MISSES = 5
"""Hits that were considered and left out as too weak, of which a receipt tells."""

REAL_MATCH = 0.2
"""From which likelihood on what was said around a hit is told with it, where there is much room."""

LEAST_WORDS = 2
"""Content words of a neighbour that is told."""

AROUND = (4, 2, 2)
"""How many messages before and after the best hits are told with them."""

ONE = SessionQuery(limit=1)


class Found(NamedTuple):
    """What was found, what was searched for, and what had to be done without."""

    offers: list[Offer]
    searched_for: str
    fallbacks: list[str]
    weak: Sequence[Offer] = ()
    """What was considered and is not offered: it is too weak a match."""
    asks_when: bool = False
    """Whether the turn asks when something was."""


class Rewriter(Protocol):
    """Completes follow-up questions better than rules can: a language model."""

    def ask(self, question: str, recent: Sequence[Message]) -> str | None: ...


class Finder:
    """Finds in one storage."""

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        recall: Callable[[], Recall],
        knowledge: Knowledge,
        documents: Callable[[], Documents],
        rewriter: Rewriter | None = None,
    ) -> None:
        self._settings = settings
        self._storage = storage
        self._recall = recall
        self._knowledge = knowledge
        self._documents = documents
        self._rewriter = rewriter

    def foresee(self, scope: Scope) -> None:
        """Tells the storage what a prompt will want of it, whatever is asked."""
        soon(self._storage, "list_sessions", _shelf(scope), ONE)
        soon(self._storage, "generations")

    def has_documents(self, scope: Scope) -> bool:
        """Whether there are documents that a question in this session may be about."""
        return bool(self._storage.list_sessions(_shelf(scope), ONE))

    def find(
        self,
        scope: Scope,
        turn: Turn,
        question: str,
        recent: Sequence[Message],
        told: set[int],
        *,
        own: int = 0,
        room: int = 0,
        roomy: bool = False,
    ) -> Found:
        """All that may help with a turn. Messages of the session that are told anyway are left out, and facts that were made
        of the turn itself (`own` is its number). `room` are the tokens for memories. Where a conversation leaves much room,
        what was said around real matches comes along: an answer often has none of the question's words."""
        fallbacks: list[str] = []
        text = self._standalone(question, recent, fallbacks)
        if not text.strip():
            return Found([], question, fallbacks)
        asked = understand(text, turn.now, plain=True)
        space = Scope(scope.owner, None, scope.pool)
        self._foresee(space, turn, asked)
        hits = self._hits(scope, turn, text, fallbacks) if turn.recall != "off" else []
        # A question is its own best answer: here, where it is saved already, and wherever it was asked before.
        # And what an assistant was told to be elsewhere is nothing that was said to the user.
        apart = [one for one in hits if one[1].message.text != question and one[1].message.role is not Role.SYSTEM]
        good = self._likely_to_help(apart, turn.budget)
        here = [hit for pool, hit in good if pool == space.pool]
        beside = _beside(here, told) if roomy else []
        self._foresee_more(space, apart, beside)
        known = self._knowledge.about(space, turn, asked, text, here, own)
        apart = self._titled(space, apart)
        titled = {(pool, hit.number): (pool, hit) for pool, hit in apart}
        hits = [titled[pool, hit.number] for pool, hit in good if (pool, hit.number) in titled]
        offers = [
            *(offer for offer in (*known.facts, *known.tools) if _may_recall(offer, scope, turn)),
            *self._passages(space, hits, known.changed, told, room),
            *self._around(space, hits, beside, told),
            *self._pieces(scope, turn, text, fallbacks),
        ]
        given = told | {offer.reference.get("number", 0) for offer in offers}
        weak = self._passages(space, [one for one in apart if one not in hits], {}, given, room)[:NEAR_MISSES]
        return Found(offers, text, fallbacks, [_too_weak(offer) for offer in weak], asked.kind == "when")

    def _foresee(self, space: Scope, turn: Turn, asked: Question) -> None:
        """Tells the storage what is wanted of it whatever will be found."""
        self._knowledge.foresee(space, turn, asked)
        if turn.limits.chunks and turn.retriever is None:
            self._documents().foresee(space)

    def _foresee_more(
        self, space: Scope, found: Sequence[tuple[str | None, Hit]], beside: Sequence[tuple[Hit, int]]
    ) -> None:
        """Tells the storage what is wanted of it now that messages were found."""
        for pool in {pool for pool, _ in found}:
            self._recall().foresee_titles(space._replace(pool=pool), [hit for of, hit in found if of == pool])
        for hit, far in beside:
            soon(self._storage, "look", space, [hit.number], far, NO_FILTERS)
        soon(self._storage, "generations")  # for the documents, which are searched last

    def _standalone(self, question: str, recent: Sequence[Message], fallbacks: list[str]) -> str:
        if self._settings.rewriter == "off":
            return question
        if self._rewriter is not None:
            try:
                if (text := self._rewriter.ask(question, recent)) is not None:
                    return text
            except RecollectError as error:
                fallbacks.append(f"the follow-up was completed by rules: {error}")
        return standalone(question, recent).text

    # -- earlier conversations

    def _hits(self, scope: Scope, turn: Turn, text: str, fallbacks: list[str]) -> list[tuple[str | None, Hit]]:
        """Hits of the session's space and of the pools that the caller named, best first."""
        filters = Filters(sessions=(scope.session,)) if turn.recall == "session" and scope.session else NO_FILTERS
        limit = turn.limits.recalled + OVERFETCH
        found: list[tuple[str | None, Hit]] = []
        for pool in dict.fromkeys((scope.pool, *turn.pools)):
            space = Scope(scope.owner, None, pool)
            here = filters if pool == scope.pool else NO_FILTERS
            try:
                with moment(self._storage, space):
                    hits = self._recall().untitled(Request(text, space, turn.now, here, limit, 0.0, "full", plain=True))
            except NotFound as error:
                if pool == scope.pool:
                    raise
                fallbacks.append(f"nothing recalled from a pool: {error}")
                continue
            fallbacks += hits.fallbacks
            found += [(pool, hit) for hit in hits if hit.score >= turn.limits.min_score]
        if turn.pools:
            found.sort(key=lambda one: -one[1].score)
        return found

    def _titled(self, space: Scope, found: list[tuple[str | None, Hit]]) -> list[tuple[str | None, Hit]]:
        """The hits of every pool with the titles of their conversations."""
        titled: dict[tuple[str | None, int], Hit] = {}
        for pool in {pool for pool, _ in found}:
            hits = [hit for of, hit in found if of == pool]
            titled |= {(pool, hit.number): hit for hit in self._recall().titled(space._replace(pool=pool), hits)}
        return [(pool, titled[pool, hit.number]) for pool, hit in found if (pool, hit.number) in titled]

    def _likely_to_help(self, found: Sequence[tuple[str | None, Hit]], budget: int) -> list[tuple[str | None, Hit]]:
        """The hits whose likelihood to help is high enough: the same for a question, a request, a remark or a pasted error,
        and lower the larger the prompt is, if it is known that the turn needs any."""
        lowest = self._settings.context_min_score
        if self._recall().judges_need:
            lowest = lowest_likelihood(lowest, budget)
        helpful = [one for one in found if one[1].score >= lowest]
        return _newer_first(helpful, found)

    def _passages(
        self,
        space: Scope,
        hits: Sequence[tuple[str | None, Hit]],
        changed: Mapping[int, Artifact],
        told: set[int],
        room: int,
    ) -> list[Offer]:
        whole = max(WHOLE, room // WHOLE_SHARE)
        return [
            _passage(pool, hit, changed.get(hit.number) if pool == space.pool else None, whole)
            for pool, hit in hits
            if not (pool == space.pool and hit.number in told)
        ]

    def _around(
        self,
        space: Scope,
        hits: Sequence[tuple[str | None, Hit]],
        beside: Sequence[tuple[Hit, int]],
        told: set[int],
    ) -> list[Offer]:
        """What was said before and after the best hits, the nearest first."""
        titles = {hit.number: hit.title for pool, hit in hits if pool == space.pool}
        known = told.union(titles)
        offers: list[Offer] = []
        for hit, far in beside:
            if hit.number not in titles:
                continue
            looked = self._storage.look(space, [hit.number], far, NO_FILTERS)
            seen = [one for one in looked if one.message.session == hit.session]
            for one in sorted(seen, key=lambda one: abs(one.number - hit.number)):
                message = one.message
                if one.number not in known and message.tokens <= WHOLE and _says_something(message):
                    known.add(one.number)
                    why = "said around a good match"
                    near = Hit(message, 0.0, message.text, {}, why, titles[hit.number], (), one.number)
                    offer = _passage(space.pool, near, None, WHOLE)
                    offers.append(offer._replace(item=replace(offer.item, score=None)))
        return offers

    # -- documents

    def _pieces(self, scope: Scope, turn: Turn, text: str, fallbacks: list[str]) -> list[Offer]:
        if not turn.limits.chunks:
            return []
        if turn.retriever is not None:
            return self._retrieved(turn.retriever, text, turn.limits.chunks, fallbacks)
        shelf = Scope(scope.owner, scope.session, scope.pool)
        lowest = max(self._settings.documents_min_score, turn.limits.min_score)
        request = Request(text, shelf, turn.now, NO_FILTERS, turn.limits.chunks, lowest, "full", plain=True)
        hits = self._documents().search(request)
        fallbacks += hits.fallbacks
        return [_chunk(scope.pool, hit) for hit in hits]

    def _retrieved(self, retriever: Retriever, text: str, limit: int, fallbacks: list[str]) -> list[Offer]:
        try:
            snippets = list(retriever.retrieve(text, limit))[:limit]
        except RecollectError as error:
            fallbacks.append(f"no documents: {error}")
            return []
        kinds = self._settings.redact_stored
        return [
            # A receipt keeps its text.
            _snippet(place, redacted(snippet.text, kinds).text, snippet.source, snippet.place, snippet.score)
            for place, snippet in enumerate(snippets)
        ]


def _newer_first(
    helpful: Sequence[tuple[str | None, Hit]], found: Sequence[tuple[str | None, Hit]]
) -> list[tuple[str | None, Hit]]:
    """Hits, each after the newer one that seems to change what it says: the outdated is never told alone."""
    by_id = {hit.message.id: (pool, hit) for pool, hit in found}
    ordered: dict[str, tuple[str | None, Hit]] = {}
    for one in helpful:
        newer = one[1].newer
        if newer is not None and newer.id in by_id:
            ordered.setdefault(newer.id, by_id[newer.id])
        ordered.setdefault(one[1].message.id, one)
    return list(ordered.values())


def _shelf(scope: Scope) -> Scope:
    return Scope(scope.owner, None, scope.pool, shelf=True)


def _beside(hits: Sequence[Hit], told: set[int]) -> list[tuple[Hit, int]]:
    """The best real matches that are not told anyway, and how far to look around each."""
    return list(zip((hit for hit in hits if hit.score >= REAL_MATCH and hit.number not in told), AROUND, strict=False))


def _says_something(message: Message) -> bool:
    """Whether a neighbour is worth telling: not what a tool returned, nor a mere "Okay."."""
    if message.role is Role.TOOL:
        return False
    return len(telling(terms(message.text), detect_language(message.text))) >= LEAST_WORDS


def _may_recall(offer: Offer, scope: Scope, turn: Turn) -> bool:
    """Whether a fact or a note comes from where memories may come from. What was written by hand is of no conversation."""
    return turn.recall == "owner" or (turn.recall == "session" and offer.item.session in (None, scope.session))


# -- as they would stand in the prompt


def _too_weak(offer: Offer) -> Offer:
    reason = "; ".join(filter(None, (offer.item.reason, "too weak a match")))
    return offer._replace(item=replace(offer.item, reason=reason))


def _passage(pool: str | None, hit: Hit, changed: Artifact | None, longest: int) -> Offer:
    message = hit.message
    whole = message.tokens <= longest or len(hit.passage) >= len(message.text.strip())
    passage = None if whole else hit.passage
    start = 0 if whole else message.text.find(hit.passage)
    newer = hit.newer if changed is None else None
    line = message_line(message, passage, changed.text if changed else None, newer.created if newer else None)
    item = Item(
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
    return Offer(Entry(RECALLED, message.created, line), item, reference)


def _chunk(pool: str | None, hit: Hit) -> Offer:
    source, place = hit.title or "", str(hit.message.metadata.get("place", ""))
    line = document_line(hit.message.text, source, place)
    item = Item(
        DOCUMENTS, "chunk", hit.message.id, 0, hit.reason, hit.message.text, hit.score, hit.signals, hit.session,
        hit.message.created, title=source, place=place,
    )  # fmt: skip
    reference = {
        "kind": "chunk",
        "number": hit.number,
        "shelf": True,
        "source": source,
        "place": place,
        **({"pool": pool} if pool else {}),
    }
    return Offer(Entry(DOCUMENTS, hit.message.created, line), item, reference)


def _snippet(at: int, text: str, source: str, place: str, score: float) -> Offer:
    id, why = f"{source}#{place or at}", "found by the application"
    item = Item(DOCUMENTS, "snippet", id, 0, why, text, score, title=source, place=place)
    reference = {"kind": "snippet", "text": text, "source": source, "place": place}
    return Offer(Entry(DOCUMENTS, at, document_line(text, source, place)), item, reference)
