"""Keyword search of the in-memory storage."""

from __future__ import annotations

from collections.abc import Sequence

from keepsaid.engine.ranking import bm25
from keepsaid.engine.text.passages import prefix_speaker
from keepsaid.engine.text.terms import index_terms
from keepsaid.ports import NO_FILTERS, KeywordMatches, VisibleMessage
from keepsaid.storage.inmemory.partition import MemoryPartition, MessageNode, SessionRecord, path_to
from keepsaid.storage.inmemory.state import MemoryState, message_in
from keepsaid.types import Message, Scope, SearchFilters, SessionStatus


class MemorySearch(MemoryState):
    """The part of the in-memory storage that finds messages."""

    def find(self, scope: Scope, terms: Sequence[str], filters: SearchFilters, limit: int) -> KeywordMatches:
        with self._lock:
            space = self._space(scope)
            bags = {n.number: _terms(n.message) for n in space.nodes.values()}
            statistics = bm25.CorpusStatistics(len(bags), sum(node.message.tokens for node in space.nodes.values()))
            frequency = bm25.count_document_frequencies(bags.values(), terms)
            worth = {term: bm25.compute_idf(statistics, frequency[term]) for term in terms}
            shown = [_as_seen(node, record) for node, record in _find_visible(space, filters) if _passes(node, filters)]
        average = statistics.average
        parts = [bm25.score_terms(bags[seen.number], seen.message.tokens, worth, average) for seen in shown]
        scored = [seen._replace(score=sum(part), parts=part) for seen, part in zip(shown, parts, strict=True)]
        found = sorted((seen for seen in scored if seen.score > 0), key=lambda seen: (-seen.score, -seen.number))
        return KeywordMatches(found[:limit], worth, average)

    def look(
        self, scope: Scope, numbers: Sequence[int], around: int = 0, filters: SearchFilters = NO_FILTERS
    ) -> list[VisibleMessage]:
        with self._lock:
            visible = {node.number: (node, record) for node, record in _find_visible(self._space(scope), filters)}
            wanted: set[int] = set()
            visible = {number: (node, record) for number, (node, record) in visible.items() if not node.message.private}
            for node, record in (visible[number] for number in numbers if number in visible):
                path = path_to(record.leaf)
                at = path.index(node)
                wanted |= {other.number for other in path[max(0, at - around) : at + around + 1]}
            return [_as_seen(*visible[number]) for number in wanted if number in visible]

    def numbers(self, scope: Scope, filters: SearchFilters) -> list[int]:
        with self._lock:
            space = self._space(scope)
            nodes = list(space.nodes.values())
            if filters.sessions or filters.tags:
                records = [
                    record for record in space.sessions.values() if not record.purged and _is_allowed(record, filters)
                ]
                inherited = {id(node) for record in records for node in path_to(record.origin)}
                nodes = [node for node in nodes if node.home in records or id(node) in inherited]
            return sorted(node.number for node in nodes if _passes(node, filters))


def _terms(message: Message) -> list[str]:
    return [] if message.private else index_terms(prefix_speaker(message.name, message.text))


def _find_visible(space: MemoryPartition, filters: SearchFilters) -> list[tuple[MessageNode, SessionRecord]]:
    """Return the messages on active paths, each with the oldest of the allowed sessions that shows it."""
    shown: dict[int, tuple[MessageNode, SessionRecord]] = {}
    for record in sorted(space.sessions.values(), key=lambda record: record.number, reverse=True):
        is_shown = record.session.status != SessionStatus.DELETED or (filters.expired and record.session.expired)
        if is_shown and not record.purged and _is_allowed(record, filters):
            shown |= {node.number: (node, record) for node in path_to(record.leaf)}
    return list(shown.values())


def _is_allowed(record: SessionRecord, filters: SearchFilters) -> bool:
    return (not filters.sessions or record.session.id in filters.sessions) and (
        not filters.tags or bool(set(filters.tags) & set(record.session.tags))
    )


def _passes(node: MessageNode, filters: SearchFilters) -> bool:
    message = node.message
    return (
        filters.let_through(message.role, message.importance)
        and node.home.session.id not in filters.excluded_sessions
        and (filters.since is None or message.created >= filters.since)
        and (filters.until is None or message.created < filters.until)
    )


def _as_seen(node: MessageNode, record: SessionRecord) -> VisibleMessage:
    return VisibleMessage(node.number, message_in(node, record))
