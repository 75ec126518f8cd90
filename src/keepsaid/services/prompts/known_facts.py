"""Find the facts and tool notes that help to answer a question, and which facts have changed since they were said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from keepsaid.engine.prompt import PromptCandidate
from keepsaid.engine.prompt.block_texts import FACTS, TOOLS, MemoryBlockEntry, fact_line, tool_line
from keepsaid.engine.query.query import ParsedQuery
from keepsaid.engine.ranking.signals import is_question
from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import index_terms, terms
from keepsaid.engine.tool_notes import names_tool, wants_recent
from keepsaid.ports import NO_FILTERS, ArtifactQuery, Storage, prefetch
from keepsaid.services.facts.fact_store import FactStore
from keepsaid.services.prompts.request import PromptRequest
from keepsaid.types import Artifact, Role, Scope, SearchHit, to_microseconds
from keepsaid.types.prompts import PromptItem

FACT_NEEDS = 0.3
"""Threshold for a fact to be included: the share of the question's words that it has, or the score of a message it rests
on."""

ABOUT_THE_SAME = 2
"""Words that a newer message must share with a fact to be about the same thing."""

MOST_READ = 20_000
"""Characters of a message that are compared with facts: a longer message is a text, and makes its statements at the
beginning."""

NEWEST_NOTES = ArtifactQuery("tool", limit=20)

PINNED_REASON = "a pinned fact"
"""Reason of a fact that is included whatever the question."""


class FactCandidates(NamedTuple):
    """Facts and tool notes for a question, as they would appear in a prompt."""

    facts: list[PromptCandidate]
    tools: list[PromptCandidate]
    changed: Mapping[int, Artifact]
    """For messages that state something which has changed since, by number: the fact that replaced it."""


StatementTerms = Callable[[], list[tuple[SearchHit, frozenset[str]]]]
"""Returns hits in which users state something, with their terms. Computed on first use."""


class FactFinder:
    """Finds facts and tool notes in one storage."""

    def __init__(self, storage: Storage, facts: FactStore) -> None:
        self._storage = storage
        self._facts = facts

    def prefetch(self, space: Scope, request: PromptRequest, asked: ParsedQuery) -> None:
        """Prefetch what is needed whatever the search finds."""
        for query in (*_fact_queries(request, asked), *_note_queries(request, asked)):
            prefetch(self._storage, "artifacts", space, query)

    def find(
        self,
        space: Scope,
        request: PromptRequest,
        asked: ParsedQuery,
        text: str,
        hits: Sequence[SearchHit],
        question_number: int,
    ) -> FactCandidates:
        """Return the facts and tool notes that help with a question.

        Facts must be current, and share words with the question, rest on a message found for it, or have replaced what such
        a message says. Pinned facts come first. A fact derived from the question itself (`question_number`) is left out.
        """
        candidates = self._fetch_all(space, _fact_queries(request, asked))
        statements = cache(lambda: _find_statements(hits))
        words = _FactWords()
        notes = self._find_notes(space, request, asked, text)
        likely = [
            fact
            for _, fact in _rank_facts(candidates, asked, hits, {}, question_number, statements, words)[
                : 2 * request.limits.facts
            ]
        ]
        resting = ArtifactQuery("fact", numbers=tuple(dict.fromkeys(hit.number for hit in hits)))
        if hits:
            prefetch(self._storage, "artifacts", space, resting)
        seen, seen_notes = self._find_visible(space, likely, notes, hits)
        found = self._storage.artifacts(space, resting) if hits else []
        changed = self._find_replacements(space, found, seen)
        now = to_microseconds(request.now)
        candidates = _sort_newest_first([*candidates, *(fact for fact in found if fact.was_true(now))])
        ranked = _rank_facts([*candidates, *changed.values()], asked, hits, changed, question_number, statements, words)
        best = self._facts.filter_visible(space, [fact for _, fact in ranked[: 2 * request.limits.facts]], seen)
        visible = {fact.id for fact in best}
        return FactCandidates(
            [_from_fact(space.pool, fact, score) for score, fact in ranked if fact.id in visible],
            [
                _from_note(space.pool, note)
                for note in notes
                if seen_notes.issuperset(source.number for source in note.sources)
            ],
            changed,
        )

    def _find_visible(
        self, space: Scope, facts: Sequence[Artifact], notes: Sequence[Artifact], hits: Sequence[SearchHit]
    ) -> tuple[set[int], set[int]]:
        """Return which of the messages that facts rest on are visible, and which of those that notes rest on. Found messages
        are visible. Notes, unlike facts, disappear with an expired session."""
        found = {hit.number for hit in hits}
        asked = [
            (sorted({source.number for one in made for source in one.sources} - found), 0, filters)
            for made, filters in ((facts, self._facts.filters), (notes, NO_FILTERS))
        ]
        for look in asked:
            if look[0]:
                prefetch(self._storage, "look", space, *look)
        in_facts, in_notes = (self._storage.look(space, *look) if look[0] else [] for look in asked)
        return found | {one.number for one in in_facts}, found | {one.number for one in in_notes}

    def _find_replacements(self, space: Scope, found: Sequence[Artifact], seen: set[int]) -> dict[int, Artifact]:
        over = [fact for fact in found if not fact.is_current]
        instead = self._facts.find_successors(space, over)
        visible = {fact.id for fact in self._facts.filter_visible(space, list(instead.values()), seen)}
        return {
            source.number: new
            for old in over
            if (new := instead.get(old.id)) is not None and new.id in visible
            for source in old.sources
        }

    def _find_notes(self, space: Scope, request: PromptRequest, asked: ParsedQuery, text: str) -> list[Artifact]:
        """Return tool notes, if the question asks for something recent or names the tool."""
        recent = wants_recent(text)
        for query in _note_queries(request, asked):
            # The newest notes are not found by the question's words, so of these only tools named in it count.
            recent = recent and query != NEWEST_NOTES
            notes = self._storage.artifacts(space, query)
            notes = [note for note in notes if recent or names_tool(text, note.data["tool"], note.data["source"])]
            if notes:
                return notes[: 2 * request.limits.tools]
        return []

    def _fetch_all(self, space: Scope, queries: Iterable[ArtifactQuery]) -> list[Artifact]:
        return [artifact for query in queries for artifact in self._storage.artifacts(space, query)]


def _fact_queries(request: PromptRequest, asked: ParsedQuery) -> list[ArtifactQuery]:
    now = to_microseconds(request.now)
    by_words = [ArtifactQuery("fact", terms=asked.terms, as_of=now)] if asked.terms else []
    return [*by_words, ArtifactQuery("fact", pinned=True, as_of=now)]


def _note_queries(request: PromptRequest, asked: ParsedQuery) -> list[ArtifactQuery]:
    if not request.limits.tools:
        return []
    by_words = [ArtifactQuery("tool", terms=asked.terms)] if asked.terms else []
    return [*by_words, NEWEST_NOTES]


def _sort_newest_first(facts: Sequence[Artifact]) -> list[Artifact]:
    return sorted({fact.id: fact for fact in facts}.values(), key=lambda fact: -fact.created)


def _rank_facts(
    facts: Sequence[Artifact],
    asked: ParsedQuery,
    hits: Sequence[SearchHit],
    changed: Mapping[int, Artifact],
    question_number: int,
    statements: StatementTerms,
    words: _FactWords,
) -> list[tuple[float, Artifact]]:
    """Return facts that are relevant to a question, with their scores, best first."""
    scores = {hit.number: hit.score for hit in hits}
    instead = {fact.id: scores[number] for number, fact in changed.items() if number in scores}
    known: dict[tuple[str, str], tuple[float, Artifact]] = {}
    for fact in facts:
        score = max(_score_fact(fact, asked, scores, words), instead.get(fact.id, 0.0))
        if fact.pinned or score >= FACT_NEEDS:
            # Repeated statements are one fact.
            known.setdefault((fact.data.get("subject", ""), fact.text.casefold()), (score + fact.pinned, fact))
    ranked = sorted(known.values(), key=lambda one: (-one[0], -one[1].valid_from))
    return [
        (score, fact)
        for score, fact in ranked
        if fact.pinned
        or not (
            _may_be_outdated(fact, hits, statements, words)
            or {source.number for source in fact.sources} == {question_number}
        )
    ]


class _FactWords:
    """The words of facts, each fact read once for a question."""

    def __init__(self) -> None:
        self._terms: dict[str, frozenset[str]] = {}
        self._content: dict[str, frozenset[str]] = {}

    def all_terms(self, fact: Artifact) -> frozenset[str]:
        """Return all terms of a fact, in English and in its own language."""
        if fact.id not in self._terms:
            self._terms[fact.id] = frozenset((*_list_terms(fact), *index_terms(fact.text)))
        return self._terms[fact.id]

    def content_words(self, fact: Artifact) -> frozenset[str]:
        """Return what a fact is about."""
        if fact.id not in self._content:
            self._content[fact.id] = frozenset(content_words(_list_terms(fact))) - {fact.data.get("subject")}
        return self._content[fact.id]


def _list_terms(fact: Artifact) -> list[str]:
    return terms(f"{fact.text} {fact.data.get('about', '')}")


def _score_fact(fact: Artifact, asked: ParsedQuery, scores: Mapping[int, float], words: _FactWords) -> float:
    known = words.all_terms(fact)
    shared = sum(not known.isdisjoint(word) for word in asked.words) / max(1, len(asked.words))
    return max(shared, max((scores.get(source.number, 0.0) for source in fact.sources), default=0.0))


def _find_statements(hits: Sequence[SearchHit]) -> list[tuple[SearchHit, frozenset[str]]]:
    """Return the hits in which users state something, with their terms. Each is read once, however many facts there are."""
    return [
        (hit, frozenset(terms(hit.message.text[:MOST_READ])))
        for hit in hits
        if hit.message.role is Role.USER and not is_question(hit.message.text)
    ]


def _may_be_outdated(fact: Artifact, hits: Sequence[SearchHit], statements: StatementTerms, words: _FactWords) -> bool:
    """Whether something newer was found about the same thing.

    The newer message is in the prompt with its date, and the fact must not contradict it as if it were current. A question
    about the same thing says nothing new.
    """
    rests_on = {source.number for source in fact.sources}
    if any(hit.newer is not None and hit.number in rests_on for hit in hits):
        return True
    about = words.content_words(fact)
    last_source = max(rests_on, default=None)
    return any(
        (hit.message.created > fact.created if last_source is None else hit.number > last_source)
        and len(about & said) >= ABOUT_THE_SAME
        for hit, said in statements()
    )


# -- as they appear in the prompt


def _from_fact(pool: str | None, fact: Artifact, score: float) -> PromptCandidate:
    why = PINNED_REASON if fact.pinned else "a fact about what is asked"
    item = PromptItem(FACTS, "fact", fact.id, 0, why, fact.text, min(1.0, score), {}, fact.session, fact.valid_from)
    sources = frozenset(source.number for source in fact.sources) if pool is None else frozenset[int]()
    return PromptCandidate(
        MemoryBlockEntry(FACTS, fact.valid_from, fact_line(fact)), item, _to_reference("fact", fact.id, pool), sources
    )


def _from_note(pool: str | None, note: Artifact) -> PromptCandidate:
    why = f"a result of {note.data['tool'] or 'a tool'}"
    source = str(note.data.get("source") or note.data.get("tool") or "")
    item = PromptItem(TOOLS, "tool", note.id, 0, why, note.text, None, {}, note.session, note.valid_from, title=source)
    return PromptCandidate(
        MemoryBlockEntry(TOOLS, note.valid_from, tool_line(note)), item, _to_reference("tool", note.id, pool)
    )


def _to_reference(kind: str, id: str, pool: str | None) -> dict[str, Any]:
    return {"kind": kind, "id": id, **({"pool": pool} if pool else {})}
