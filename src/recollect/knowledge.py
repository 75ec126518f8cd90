"""Knowledge: the facts and tool notes that help to answer a question, and which facts have changed since they were said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.engine.compile import Offer
from recollect.engine.compile.layout import FACTS, TOOLS, Entry, fact_line, tool_line
from recollect.engine.query import Question
from recollect.engine.rank import is_question
from recollect.engine.stopwords import telling
from recollect.engine.terms import index_terms, terms
from recollect.engine.toolnote import names_tool, wants_recent
from recollect.errors import StorageError
from recollect.factbook import FactBook
from recollect.ports import NO_FILTERS, ArtifactQuery, Artifacts, Storage, soon
from recollect.prompt import Item
from recollect.turn import Turn
from recollect.types import Artifact, Hit, Role, Scope, microseconds

FACT_NEEDS = 0.3
"""The share of a question's words that a fact has, or the score of the message it rests on, for it to be given."""

ABOUT_THE_SAME = 2
"""Words that a newer message shares with a fact for it to be about the same."""

NEWEST_NOTES = ArtifactQuery("tool", limit=20)

PINNED = "a pinned fact"
"""Why it is given: it need not be about what is asked."""


class Known(NamedTuple):
    """What is known on a question, as it would stand in a prompt."""

    facts: list[Offer]
    tools: list[Offer]
    changed: Mapping[int, Artifact]
    """For messages that say something which has changed since, by number: the fact that took its place."""


class Knowledge:
    """What is known in one storage."""

    def __init__(self, storage: Storage, book: FactBook) -> None:
        self._storage = storage
        self._book = book

    def foresee(self, space: Scope, turn: Turn, asked: Question) -> None:
        """Tells the storage what is wanted of it, whatever will be found."""
        for query in (*_facts_asked_for(turn, asked), *_notes_asked_for(turn, asked)):
            soon(self._storage, "artifacts", space, query)

    def about(self, space: Scope, turn: Turn, asked: Question, text: str, hits: Sequence[Hit], own: int) -> Known:
        """Current facts that share words with a question, rest on what was found for it, or have taken the place of what was
        said there, pinned ones first; and notes on tool results. A fact that was made of the question itself (`own` is its
        number) is none."""
        told = self._all(space, _facts_asked_for(turn, asked))
        notes = self._notes(space, turn, asked, text)
        likely = [fact for _, fact in _ranked(told, asked, hits, {}, own)[: 2 * turn.limits.facts]]
        resting = ArtifactQuery("fact", numbers=tuple(dict.fromkeys(hit.number for hit in hits)))
        if hits:
            soon(self._storage, "artifacts", space, resting)
        seen, seen_notes = self._seen(space, likely, notes, hits)
        found = self._artifacts.artifacts(space, resting) if hits else []
        changed = self._changed(space, found, seen)
        now = microseconds(turn.now)
        told = _newest_first([*told, *(fact for fact in found if fact.was_true(now))])
        ranked = _ranked([*told, *changed.values()], asked, hits, changed, own)
        best = self._book.visible(space, [fact for _, fact in ranked[: 2 * turn.limits.facts]], seen)
        visible = {fact.id for fact in best}
        return Known(
            [_fact(space.pool, fact, score) for score, fact in ranked if fact.id in visible],
            [_tool(space.pool, note) for note in notes if seen_notes.issuperset(source.number for source in note.sources)],
            changed,
        )

    def _seen(
        self, space: Scope, facts: Sequence[Artifact], notes: Sequence[Artifact], hits: Sequence[Hit]
    ) -> tuple[set[int], set[int]]:
        """Of the messages that facts rest on, and of those that notes do, the ones that can be seen; what was found can be.
        Notes, unlike facts, go with a session that expired."""
        found = {hit.number for hit in hits}
        asked = [
            (sorted({source.number for one in made for source in one.sources} - found), 0, filters)
            for made, filters in ((facts, self._book.filters), (notes, NO_FILTERS))
        ]
        for look in asked:
            if look[0]:
                soon(self._storage, "look", space, *look)
        in_facts, in_notes = (self._storage.look(space, *look) if look[0] else [] for look in asked)
        return found | {one.number for one in in_facts}, found | {one.number for one in in_notes}

    def _changed(self, space: Scope, found: Sequence[Artifact], seen: set[int]) -> dict[int, Artifact]:
        over = [fact for fact in found if not fact.is_current]
        instead = self._book.successors(space, over)
        visible = {fact.id for fact in self._book.visible(space, list(instead.values()), seen)}
        return {
            source.number: new
            for old in over
            if (new := instead.get(old.id)) is not None and new.id in visible
            for source in old.sources
        }

    def _notes(self, space: Scope, turn: Turn, asked: Question, text: str) -> list[Artifact]:
        """Notes on tool results, if the question asks for something recent or names the tool."""
        recent = wants_recent(text)
        for query in _notes_asked_for(turn, asked):
            # The newest are none that are about the question: of these only what is asked for by name.
            recent = recent and query != NEWEST_NOTES
            notes = self._artifacts.artifacts(space, query)
            notes = [note for note in notes if recent or names_tool(text, note.data["tool"], note.data["source"])]
            if notes:
                return notes[: 2 * turn.limits.tools]
        return []

    def _all(self, space: Scope, queries: Iterable[ArtifactQuery]) -> list[Artifact]:
        return [artifact for query in queries for artifact in self._artifacts.artifacts(space, query)]

    @property
    def _artifacts(self) -> Artifacts:
        if not isinstance(self._storage, Artifacts):
            raise StorageError("this backend keeps no artifacts")
        return self._storage


def _facts_asked_for(turn: Turn, asked: Question) -> list[ArtifactQuery]:
    now = microseconds(turn.now)
    by_words = [ArtifactQuery("fact", terms=asked.terms, as_of=now)] if asked.terms else []
    return [*by_words, ArtifactQuery("fact", pinned=True, as_of=now)]


def _notes_asked_for(turn: Turn, asked: Question) -> list[ArtifactQuery]:
    if not turn.limits.tools:
        return []
    by_words = [ArtifactQuery("tool", terms=asked.terms)] if asked.terms else []
    return [*by_words, NEWEST_NOTES]


def _newest_first(facts: Sequence[Artifact]) -> list[Artifact]:
    return sorted({fact.id: fact for fact in facts}.values(), key=lambda fact: -fact.created)


def _ranked(
    facts: Sequence[Artifact], asked: Question, hits: Sequence[Hit], changed: Mapping[int, Artifact], own: int
) -> list[tuple[float, Artifact]]:
    """Facts that have enough to do with a question, with their scores, best first."""
    scores = {hit.number: hit.score for hit in hits}
    instead = {fact.id: scores[number] for number, fact in changed.items() if number in scores}
    known: dict[tuple[str, str], tuple[float, Artifact]] = {}
    for fact in facts:
        score = max(_fact_score(fact, asked, scores), instead.get(fact.id, 0.0))
        if fact.pinned or score >= FACT_NEEDS:
            # What was said again is one fact, since when it was first said.
            known.setdefault((fact.data.get("subject", ""), fact.text.casefold()), (score + fact.pinned, fact))
    ranked = sorted(known.values(), key=lambda one: (-one[0], -one[1].valid_from))
    return [
        (score, fact)
        for score, fact in ranked
        if fact.pinned or not (_may_be_over(fact, hits) or {source.number for source in fact.sources} == {own})
    ]


def _fact_score(fact: Artifact, asked: Question, scores: Mapping[int, float]) -> float:
    words = {*terms(f"{fact.text} {fact.data.get('about', '')}"), *index_terms(fact.text)}
    shared = sum(not words.isdisjoint(word) for word in asked.words) / max(1, len(asked.words))
    return max(shared, max((scores.get(source.number, 0.0) for source in fact.sources), default=0.0))


def _may_be_over(fact: Artifact, hits: Sequence[Hit]) -> bool:
    """Whether something newer was found that is about the same: it stands in the prompt with its date, and the fact must not
    contradict it as if it were current. Who only asks about it says nothing new."""
    rests_on = {source.number for source in fact.sources}
    if any(hit.newer is not None and hit.number in rests_on for hit in hits):
        return True
    about = set(telling(terms(f"{fact.text} {fact.data.get('about', '')}"))) - {fact.data.get("subject")}
    said = max(rests_on, default=None)
    return any(
        hit.message.role is Role.USER
        and not is_question(hit.message.text)
        and (hit.message.created > fact.created if said is None else hit.number > said)
        and len(about.intersection(terms(hit.message.text))) >= ABOUT_THE_SAME
        for hit in hits
    )


# -- as they would stand in the prompt


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
