"""Keyword search: which messages have the terms, and how well they match.

FTS5 returns row numbers at 180 ns each, so a word in half of a long history would cost more than everything else. The rarest
terms come first: all messages that have them are candidates, up to a budget of rows. A more common term only adds to the
value of those candidates; FTS5 intersects the rows itself at 25 ns each. The best candidates are then scored exactly.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from keepsaid.engine.ranking import bm25
from keepsaid.ports import NO_FILTERS, KeywordMatches, VisibleMessage
from keepsaid.storage.sqlite import partitions, rows
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.search import search_filters
from keepsaid.storage.sqlite.search.visibility import (
    EXTRA,
    IMPORTANCE,
    MESSAGE_START,
    ROLE,
    ROW_QUERY,
    TEXT,
    TOKENS,
    MessageVisibility,
    fetch_rows,
)
from keepsaid.types import SearchFilters

MIN_CANDIDATES = 64
"""Minimum number of messages that are scored exactly in one batch, in the order of the value of their terms."""

ROW_BUDGET = 6000
"""Row numbers that are read from FTS5 for the rarer terms."""

NEWEST_ROWS = 2000
"""If the rarer terms give too few candidates, so many of the newest messages with the next term are added."""

MAX_COMMON_TERMS = 64
"""So many of the other terms, the rarest first, are intersected with the candidates: each takes another query."""

ROLE_OVERSAMPLING = 4
"""With light filters, so many times as many candidates are gathered."""

MAX_CACHED_OWNERS = 64
"""Owners whose terms of unindexed messages are cached."""

# One JSON text instead of rows takes a third less time.
_HAVING = """
SELECT json_group_array(rowid) FROM
    (SELECT rowid FROM keywords WHERE keywords MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?)"""


_COUNT = "SELECT (SELECT doc FROM vocabulary WHERE term = j.value) FROM json_each(?) AS j ORDER BY j.key"


class TailTermCache:
    """Cache of the terms of messages that are not indexed yet: every search of an owner needs all of them."""

    def __init__(self) -> None:
        self._kept: dict[int, dict[int, list[str]]] = {}
        self._lock = threading.Lock()

    def get_terms(self, owner: int, tail: Sequence[Row]) -> dict[int, list[str]]:
        """Return the terms of each row. A row's text never changes and its number is never reused, but it may become
        private."""
        with self._lock:
            known = self._kept.pop(owner, {})
        bags = {
            row[0]: [] if rows.is_private(row[EXTRA]) else known.get(row[0]) or rows.message_terms(row[TEXT], row[EXTRA])
            for row in tail
        }
        with self._lock:
            self._kept[owner] = bags
            if len(self._kept) > MAX_CACHED_OWNERS:
                del self._kept[next(iter(self._kept))]
        return bags


def find(
    db: SqliteConnection,
    owner: int,
    wanted: Sequence[str],
    filters: SearchFilters,
    limit: int,
    visibility: MessageVisibility,
    tails: TailTermCache,
) -> KeywordMatches:
    """Return the best visible messages that pass the filters, and the weight of each term."""
    query = _WordQuery(db, owner, wanted, tails)
    if filters.are_light:
        query.gather(limit if filters == NO_FILTERS else ROLE_OVERSAMPLING * limit)
    else:
        query.gather_among(search_filters.find_passing_messages(db, owner, filters))
    low, _ = partitions.rid_range(owner)
    found: list[VisibleMessage] = []
    for batch in query.iterate_best_first(max(MIN_CANDIDATES, limit + limit // 8)):
        for hit, session in _visible_hits(query.score(batch), visibility):
            if not filters.let_through(rows.ROLES[int(hit.row[ROLE])], hit.row[IMPORTANCE]):
                continue
            if len(found) == limit:
                return KeywordMatches(found, query.worth, query.average)
            found.append(
                VisibleMessage(
                    hit.row[0] - low, rows.message_from_row(hit.row[MESSAGE_START:], session), hit.score, hit.parts
                )
            )
    return KeywordMatches(found, query.worth, query.average)


class _WordHit(NamedTuple):
    score: float
    parts: tuple[float, ...]
    row: Row


def _visible_hits(hits: list[_WordHit], visibility: MessageVisibility) -> Iterator[tuple[_WordHit, str]]:
    visibility.load_branches(hit.row[1] for hit in hits)
    for hit in hits:
        if hit.score > 0 and (session := visibility.find_session_id(hit.row[1], hit.row[2])) is not None:
            yield hit, session


class _WordQuery:
    """A search in one owner's messages: the weight of each term, and the candidates with the summed weights of theirs."""

    def __init__(self, db: SqliteConnection, owner: int, wanted: Sequence[str], tails: TailTermCache) -> None:
        indexed, messages, tokens = db.execute(
            "SELECT indexed, indexed_messages, indexed_tokens FROM owners WHERE no = ?", (owner,)
        ).fetchone() or (0, 0, 0)
        low, self._high = partitions.rid_range(owner)
        self._db = db
        self._prefix = f"{owner}:"
        tail = db.execute(f"{ROW_QUERY} WHERE m.rid > ? AND m.rid <= ?", (max(indexed, low), self._high)).fetchall()
        self._tail = {row[0]: row for row in tail}
        self._bags = tails.get_terms(owner, tail)
        self._statistics = bm25.CorpusStatistics(messages + len(tail), tokens + sum(row[TOKENS] for row in tail))
        self._indexed = self._count_indexed(wanted)
        self.average = self._statistics.average
        self._value: dict[int, float] = {}
        waiting = bm25.count_document_frequencies(self._bags.values(), self._indexed)
        self.worth = {
            term: bm25.compute_idf(self._statistics, count + waiting[term]) for term, count in self._indexed.items()
        }

    def _count_indexed(self, wanted: Sequence[str]) -> dict[str, int]:
        """Return how many indexed messages have each term."""
        terms = list(dict.fromkeys(wanted))
        counts = self._db.execute(_COUNT, (json.dumps([self._prefix + term for term in terms]),)).fetchall()
        return {term: count or 0 for term, (count,) in zip(terms, counts, strict=True)}

    def gather(self, limit: int) -> None:
        """Find candidates among all messages."""
        self._gather_tail(self._bags)
        left, common, whole, newest = ROW_BUDGET, MAX_COMMON_TERMS, list[str](), None
        for term, count in sorted(self._indexed.items(), key=lambda entry: entry[1]):
            if not count:
                continue
            if count <= left:
                self._add(term, self._find_rows(self._quote(term)))
                left -= count
                whole.append(self._quote(term))
            elif newest is None and len(self._value) < limit:
                rids = self._find_rows(self._quote(term), limit=NEWEST_ROWS)
                self._add(term, rids)
                newest = self._quote(term), rids[-1]
            elif common and count * 2 < self._statistics.messages:  # a term of most messages adds little
                common -= 1
                if whole:
                    self._add(term, self._find_rows(f"({' OR '.join(whole)}) AND {self._quote(term)}"))
                if newest:
                    both = self._find_rows(f"{newest[0]} AND {self._quote(term)}", newest[1])
                    self._add(term, [rid for rid in both if rid in self._value])

    def gather_among(self, passing: list[int]) -> None:
        """Find candidates among these messages only."""
        if not passing:
            return
        allowed = set(passing)
        self._gather_tail(allowed & self._bags.keys())
        for term, count in self._indexed.items():
            if count:
                rids = self._find_rows(self._quote(term), passing[0], passing[-1])
                self._add(term, [rid for rid in rids if rid in allowed])

    def _quote(self, term: str) -> str:
        return f'"{self._prefix}{term}"'

    def _find_rows(self, match: str, low: int = 0, high: int | None = None, limit: int = -1) -> list[int]:
        """Return the rows of messages that match, newest first."""
        ((found,),) = self._db.execute(_HAVING, (match, low, high or self._high, limit)).fetchall()
        return json.loads(found)

    def _add(self, term: str, rids: list[int]) -> None:
        worth, value, get = self.worth[term], self._value, self._value.get
        for rid in rids:
            value[rid] = get(rid, 0.0) + worth

    def _gather_tail(self, rids: Iterable[int]) -> None:
        wanted = frozenset(self.worth)
        for rid in sorted(rids, reverse=True):
            value = sum(self.worth[term] for term in wanted.intersection(self._bags[rid]))
            if value:
                self._value[rid] = value

    def iterate_best_first(self, batch_size: int) -> Iterator[list[int]]:
        """Yield the candidates in batches, by the value of their terms; the newest first among equals."""
        order = sorted(self._value, key=self._value.__getitem__, reverse=True)
        for start in range(0, len(order), batch_size):
            yield order[start : start + batch_size]

    def score(self, rids: list[int]) -> list[_WordHit]:
        """Return candidates with their exact scores, best first. Index entries without a message are skipped: that is
        damage, which the doctor reports."""
        waiting = [self._tail[rid] for rid in rids if rid in self._tail]
        indexed = fetch_rows(self._db, [rid for rid in rids if rid not in self._tail])
        hits = [self._score_row(row) for row in (*waiting, *indexed)]
        hits.sort(key=lambda hit: (hit.score, hit.row[0]), reverse=True)
        return hits

    def _score_row(self, row: Row) -> _WordHit:
        bag = self._bags.get(row[0]) or rows.message_terms(row[TEXT], row[EXTRA])
        parts = bm25.score_terms(bag, row[TOKENS], self.worth, self.average)
        return _WordHit(sum(parts), parts, row)
