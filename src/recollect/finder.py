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
    FACTS,
    RECALLED,
    TOOLS,
    Entry,
    document_line,
    fact_line,
    message_line,
    tool_line,
)
from recollect.engine.digest.sentences import sentences
from recollect.engine.query import Question, understand
from recollect.engine.rank import is_question
from recollect.engine.redact import redacted
from recollect.engine.rewrite import standalone
from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.engine.toolnote import names_tool, wants_recent
from recollect.errors import NotFound, RecollectError, StorageError
from recollect.factbook import FactBook
from recollect.ports import NO_FILTERS, ArtifactQuery, Artifacts, Retriever, Storage
from recollect.prompt import Item
from recollect.recall import Recall, Request
from recollect.turn import Turn
from recollect.types import Artifact, Filters, Hit, Message, Role, Scope, SessionQuery, microseconds

if TYPE_CHECKING:
    from recollect.documents import Documents

OVERFETCH = 12
"""Hits beyond those wanted: many will be in the prompt already."""

WHOLE = 160
"""Tokens up to which a message is recalled whole; of a longer one, the passage that answers."""

NEAR_MISSES = 5
"""Hits that were considered and left out as too weak, of which a receipt tells."""

SURE = 3
"""Hits that a question gets whatever their score. Of the questions in small talk, three in four get no more."""

NOT_MUCH_WORSE = 0.1
"""The share of the best hit's score that another one has to be given with it: nearly all evidence has more, on the tuning
half of LoCoMo 95 of 100."""

AROUND = (6, 3, 3)
"""How many messages before and after the best hits are told with them, where there is much room."""

REMARK = 4
"""By how much a passage must score higher to be recalled for a remark."""

FACT_NEEDS = 0.3
"""The share of a question's words that a fact has, or the score of the message it rests on, for it to be given."""

ABOUT_THE_SAME = 2
"""Words that a newer message shares with a fact for it to be about the same."""

RECENT_NOTES = 20

PINNED = "a pinned fact"
"""Why it is given: it need not be about what is asked."""


class Found(NamedTuple):
    """What was found, what was searched for, and what had to be done without."""

    offers: list[Offer]
    searched_for: str
    fallbacks: list[str]
    weak: Sequence[Offer] = ()
    """What was considered and is not offered: it is too weak a match."""


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
        book: FactBook,
        documents: Callable[[], Documents],
        rewriter: Rewriter | None = None,
    ) -> None:
        self._settings = settings
        self._storage = storage
        self._recall = recall
        self._book = book
        self._documents = documents
        self._rewriter = rewriter

    def has_documents(self, scope: Scope) -> bool:
        """Whether there are documents that a question in this session may be about."""
        shelf = Scope(scope.owner, None, scope.pool, shelf=True)
        return bool(self._storage.list_sessions(shelf, SessionQuery(limit=1)))

    def find(
        self,
        scope: Scope,
        turn: Turn,
        question: str,
        recent: Sequence[Message],
        told: set[int],
        *,
        own: int = 0,
        roomy: bool = False,
    ) -> Found:
        """All that may help to answer. Messages of the session that are told anyway are left out, and facts that were made
        of the question itself (`own` is its number). Where there is much room, what was said around the best of them comes
        along: an answer often has none of the question's words."""
        fallbacks: list[str] = []
        text = self._standalone(question, recent, fallbacks)
        if not text.strip():
            return Found([], question, fallbacks)
        asked = understand(text, turn.now, plain=True)
        hits = self._hits(scope, turn, text, fallbacks) if turn.recall != "off" else []
        # A question is its own best answer: here, where it is saved already, and wherever it was asked before.
        # And what an assistant was told to be elsewhere is nothing that was said to the user.
        apart = [one for one in hits if one[1].message.text != question and one[1].message.role is not Role.SYSTEM]
        hits = self._good_enough(asked, apart)
        space = Scope(scope.owner, None, scope.pool)
        changed = self._changed(space, [hit for pool, hit in hits if pool == space.pool])
        notes = [*self._facts(space, turn, asked, hits, changed, own), *self._tools(space, turn, asked, text)]
        offers = [
            *(offer for offer in notes if _may_recall(offer, scope, turn)),
            *self._passages(space, hits, changed, told),
            *(self._around(space, hits, told) if roomy and asked.kind != "statement" else ()),
            *self._pieces(scope, turn, text, fallbacks),
        ]
        known = told | {offer.reference.get("number", 0) for offer in offers}
        weak = self._passages(space, [one for one in apart if one not in hits], {}, known)[:NEAR_MISSES]
        return Found(offers, text, fallbacks, [_too_weak(offer) for offer in weak])

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
                hits = self._recall().search(Request(text, space, turn.now, here, limit, 0.0, "full", plain=True))
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

    def _good_enough(self, asked: Question, found: list[tuple[str | None, Hit]]) -> list[tuple[str | None, Hit]]:
        """If the best hit shows that the memory has something on a question, all that are not much worse; else its few best,
        since in a small store no score is high. So does who tells more than he asks. A remark asks for nothing, and gets
        what is clearly about it."""
        least = self._settings.context_min_score
        if asked.kind == "statement":
            return [one for one in found if one[1].score >= REMARK * least]
        best = found[0][1].score if found else 0.0
        if best < least or not _mainly_asks(asked.text):
            return found[:SURE]
        return [one for one in found if one[1].score >= NOT_MUCH_WORSE * best]

    def _passages(
        self, space: Scope, hits: Sequence[tuple[str | None, Hit]], changed: Mapping[int, Artifact], told: set[int]
    ) -> list[Offer]:
        return [
            _passage(pool, hit, changed.get(hit.number) if pool == space.pool else None)
            for pool, hit in hits
            if not (pool == space.pool and hit.number in told)
        ]

    def _around(self, space: Scope, hits: Sequence[tuple[str | None, Hit]], told: set[int]) -> list[Offer]:
        """What was said before and after the best hits, the nearest first."""
        known = told | {hit.number for pool, hit in hits if pool == space.pool}
        offers: list[Offer] = []
        best = [hit for pool, hit in hits if pool == space.pool and hit.number not in told]
        for hit, far in zip(best, AROUND, strict=False):
            seen = [one for one in self._storage.look(space, [hit.number], far) if one.message.session == hit.session]
            for one in sorted(seen, key=lambda one: abs(one.number - hit.number)):
                message = one.message
                if one.number not in known and message.tokens <= WHOLE and message.role is not Role.TOOL and message.text:
                    known.add(one.number)
                    beside = Hit(message, 0.0, message.text, {}, "said around a good match", hit.title, (), one.number)
                    offer = _passage(space.pool, beside, None)
                    offers.append(offer._replace(item=replace(offer.item, score=None)))
        return offers

    def _changed(self, space: Scope, hits: Sequence[Hit]) -> dict[int, Artifact]:
        """For messages that say something which has changed since: the fact that took its place."""
        numbers = tuple(hit.number for hit in hits)
        if not numbers:
            return {}
        over = [
            fact for fact in self._artifacts.artifacts(space, ArtifactQuery("fact", numbers=numbers)) if not fact.is_current
        ]
        instead = self._book.successors(space, over)
        visible = {fact.id for fact in self._book.visible(space, list(instead.values()))}
        return {
            source.number: new
            for old in over
            if (new := instead.get(old.id)) is not None and new.id in visible
            for source in old.sources
        }

    # -- facts and tool notes

    def _facts(
        self,
        space: Scope,
        turn: Turn,
        asked: Question,
        hits: Sequence[tuple[str | None, Hit]],
        changed: Mapping[int, Artifact],
        own: int,
    ) -> list[Offer]:
        """Current facts that share words with the question, rest on what was found for it, or have taken the place of what
        was said there; pinned ones first."""
        scores = {hit.number: hit.score for pool, hit in hits if pool == space.pool}
        now = microseconds(turn.now)
        query = ArtifactQuery("fact", terms=asked.terms, numbers=tuple(scores), as_of=now)
        found = self._artifacts.artifacts(space, query)
        found += self._artifacts.artifacts(space, ArtifactQuery("fact", pinned=True, as_of=now))
        found += changed.values()
        instead = {fact.id: scores[number] for number, fact in changed.items() if number in scores}
        known: dict[tuple[str, str], tuple[float, Artifact]] = {}
        for fact in found:
            score = max(_fact_score(fact, asked, scores), instead.get(fact.id, 0.0))
            if fact.pinned or score >= FACT_NEEDS:
                # What was said again is one fact, since when it was first said.
                known.setdefault((fact.data.get("subject", ""), fact.text.casefold()), (score + fact.pinned, fact))
        ranked = sorted(known.values(), key=lambda one: (-one[0], -one[1].valid_from))
        here = [hit for pool, hit in hits if pool == space.pool]
        ranked = [
            (score, fact)
            for score, fact in ranked
            if fact.pinned or not (_may_be_over(fact, here) or {source.number for source in fact.sources} == {own})
        ]
        best = [fact for _, fact in ranked[: 2 * turn.limits.facts]]
        visible = {fact.id for fact in self._book.visible(space, best)}
        return [_fact(space.pool, fact, score) for score, fact in ranked if fact.id in visible]

    def _tools(self, space: Scope, turn: Turn, asked: Question, text: str) -> list[Offer]:
        """Notes on tool results, if the question asks for something recent or names the tool."""
        if not turn.limits.tools:
            return []
        recent = wants_recent(text)
        notes = self._artifacts.artifacts(space, ArtifactQuery("tool", terms=asked.terms))
        notes = [note for note in notes if recent or names_tool(text, note.data["tool"], note.data["source"])]
        if not notes:
            newest = self._artifacts.artifacts(space, ArtifactQuery("tool", limit=RECENT_NOTES))
            notes = [note for note in newest if names_tool(text, note.data["tool"], note.data["source"])]
        return [_tool(space.pool, note) for note in self._book.visible(space, notes[: 2 * turn.limits.tools])]

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

    @property
    def _artifacts(self) -> Artifacts:
        if not isinstance(self._storage, Artifacts):
            raise StorageError("this backend keeps no artifacts")
        return self._storage


def _may_recall(offer: Offer, scope: Scope, turn: Turn) -> bool:
    """Whether a fact or a note comes from where memories may come from. What was written by hand is of no conversation."""
    return turn.recall == "owner" or (turn.recall == "session" and offer.item.session in (None, scope.session))


def _mainly_asks(text: str) -> bool:
    """Whether at least half of a text are questions; one without a question mark is taken whole.

    >>> _mainly_asks("I cook for my sister. What is she allergic to?"), _mainly_asks("It was so lovely to see you! And you?")
    (True, False)
    """
    if "?" not in text:
        return True
    said = list(sentences(text))
    asked = sum(len(sentence.split()) for sentence in said if "?" in sentence)
    return 2 * asked >= sum(len(sentence.split()) for sentence in said)


# -- as they would stand in the prompt


def _too_weak(offer: Offer) -> Offer:
    reason = "; ".join(filter(None, (offer.item.reason, "too weak a match")))
    return offer._replace(item=replace(offer.item, reason=reason))


def _passage(pool: str | None, hit: Hit, changed: Artifact | None) -> Offer:
    message = hit.message
    whole = message.tokens <= WHOLE or len(hit.passage) >= len(message.text.strip())
    passage = None if whole else hit.passage
    start = 0 if whole else message.text.find(hit.passage)
    line = message_line(message, passage, changed.text if changed else None)
    item = Item(
        RECALLED, "message", message.id, 0, hit.reason, message.text if whole else hit.passage, hit.score, hit.signals,
        message.session, message.created, whole, hit.title or "", changed=changed.text if changed else "",
    )  # fmt: skip
    reference: dict[str, Any] = {
        "kind": "message",
        "number": hit.number,
        **({"pool": pool} if pool else {}),
        **({} if whole else {"passage": [start, start + len(hit.passage)]}),
        **({"changed": changed.id} if changed else {}),
    }
    return Offer(Entry(RECALLED, message.created, line), item, reference)


def _fact_score(fact: Artifact, asked: Question, scores: Mapping[int, float]) -> float:
    words = set(terms(f"{fact.text} {fact.data.get('about', '')}"))
    shared = len(words.intersection(asked.terms)) / max(1, len(asked.terms))
    return max(shared, max((scores.get(source.number, 0.0) for source in fact.sources), default=0.0))


def _may_be_over(fact: Artifact, hits: Sequence[Hit]) -> bool:
    """Whether something newer was found that is about the same: it stands in the prompt with its date, and the fact must not
    contradict it as if it were current. Who only asks about it says nothing new."""
    about = set(telling(terms(f"{fact.text} {fact.data.get('about', '')}"))) - {fact.data.get("subject")}
    said = max((source.number for source in fact.sources), default=None)
    return any(
        hit.message.role is Role.USER
        and not is_question(hit.message.text)
        and (hit.message.created > fact.created if said is None else hit.number > said)
        and len(about.intersection(terms(hit.message.text))) >= ABOUT_THE_SAME
        for hit in hits
    )


def _fact(pool: str | None, fact: Artifact, score: float) -> Offer:
    why = PINNED if fact.pinned else "a fact about what is asked"
    item = Item(FACTS, "fact", fact.id, 0, why, fact.text, min(1.0, score), {}, fact.session, fact.valid_from)
    return Offer(Entry(FACTS, fact.valid_from, fact_line(fact)), item, _named("fact", fact.id, pool))


def _tool(pool: str | None, note: Artifact) -> Offer:
    why = f"a result of {note.data['tool'] or 'a tool'}"
    source = str(note.data.get("source") or note.data.get("tool") or "")
    item = Item(TOOLS, "tool", note.id, 0, why, note.text, None, {}, note.session, note.valid_from, title=source)
    return Offer(Entry(TOOLS, note.valid_from, tool_line(note)), item, _named("tool", note.id, pool))


def _named(kind: str, id: str, pool: str | None) -> dict[str, Any]:
    return {"kind": kind, "id": id, **({"pool": pool} if pool else {})}


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
