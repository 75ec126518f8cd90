"""A search by words: which messages have the terms, and how well they answer.

FTS5 hands out row numbers at 180 ns each, so a word that half of a long history has would cost more than all the rest. The
rarest terms come first: all messages that have them are candidates, up to `BUDGET`. A more common term only adds to what
those candidates are worth, which FTS5 finds out by itself at 25 ns a row. The best candidates are then scored exactly.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from recollect.engine import bm25
from recollect.ports import NO_FILTERS, Found, Seen
from recollect.storage.sqlite import rows, sieve, spaces
from recollect.storage.sqlite.database import Database, Row
from recollect.storage.sqlite.sight import EXTRA, IMPORTANCE, PLACE, ROLE, ROW, TEXT, TOKENS, Sight, fetch
from recollect.types import Filters

CANDIDATES = 64
"""Messages scored exactly in one go, at the least; they are taken in the order of what their terms are worth."""

BUDGET = 6000
"""Row numbers that are taken from FTS5 for the rarer terms."""

NEWEST = 2000
"""If the rarer terms give too little, so many of the newest messages with the next term are candidates, too."""

# As one JSON text: a third less time than row by row.
OVERSIZE = 4
"""Where some roles are left out, so many times as many candidates are wanted."""

OWNERS_KEPT = 64
"""Owners whose unindexed messages' terms are kept."""

_HAVING = """
SELECT json_group_array(rowid) FROM
    (SELECT rowid FROM keywords WHERE keywords MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?)"""


class Tails:
    """The terms of messages that are not in the keyword index yet: every search of an owner needs those of all of them."""

    def __init__(self) -> None:
        self._kept: dict[int, dict[int, list[str]]] = {}
        self._lock = threading.Lock()

    def bags(self, owner: int, tail: Sequence[Row]) -> dict[int, list[str]]:
        """The terms of each row. What a row says never changes, nor is its number used again; but it may become private."""
        with self._lock:
            known = self._kept.pop(owner, {})
        bags = {
            row[0]: [] if rows.is_private(row[EXTRA]) else known.get(row[0]) or rows.message_terms(row[TEXT], row[EXTRA])
            for row in tail
        }
        with self._lock:
            self._kept[owner] = bags
            if len(self._kept) > OWNERS_KEPT:
                del self._kept[next(iter(self._kept))]
        return bags


def find(db: Database, owner: int, wanted: Sequence[str], filters: Filters, limit: int, tails: Tails) -> Found:
    """The best messages that can be seen and pass the filters, and what each term is worth."""
    question = _Question(db, owner, wanted, tails)
    if filters.are_light:
        question.gather(limit if filters == NO_FILTERS else OVERSIZE * limit)
    else:
        question.gather_among(sieve.passing(db, owner, filters))
    sight = Sight(db, sieve.sessions(db, owner, filters))
    low, _ = spaces.rid_range(owner)
    found: list[Seen] = []
    for some in question.best_first(max(CANDIDATES, limit + limit // 8)):
        for one, session in _shown(question.scored(some), sight):
            if not filters.let_through(rows.ROLES[int(one.row[ROLE])], one.row[IMPORTANCE]):
                continue
            if len(found) == limit:
                return Found(found, question.worth, question.average)
            found.append(Seen(one.row[0] - low, rows.message(one.row[PLACE:], session), one.score, one.parts))
    return Found(found, question.worth, question.average)


class _Scored(NamedTuple):
    score: float
    parts: tuple[float, ...]
    row: Row


def _shown(scored: list[_Scored], sight: Sight) -> Iterator[tuple[_Scored, str]]:
    sight.learn(one.row[1] for one in scored)
    for one in scored:
        if one.score > 0 and (session := sight.shows(one.row[1], one.row[2])) is not None:
            yield one, session


class _Question:
    """The owner's side of a search: what each term is worth, and what the messages are worth that have them."""

    def __init__(self, db: Database, owner: int, wanted: Sequence[str], tails: Tails) -> None:
        indexed, messages, tokens = db.execute(
            "SELECT indexed, indexed_messages, indexed_tokens FROM owners WHERE no = ?", (owner,)
        ).fetchone() or (0, 0, 0)
        low, self._high = spaces.rid_range(owner)
        self._db = db
        self._prefix = f"{owner}:"
        tail = db.execute(f"{ROW} WHERE m.rid > ? AND m.rid <= ?", (max(indexed, low), self._high)).fetchall()
        self._tail = {row[0]: row for row in tail}
        self._bags = tails.bags(owner, tail)
        self._statistics = bm25.Statistics(messages + len(tail), tokens + sum(row[TOKENS] for row in tail))
        self._indexed = {term: self._count(term) for term in dict.fromkeys(wanted)}
        self.average = self._statistics.average
        self._value: dict[int, float] = {}
        self.worth = {
            term: bm25.rarity(self._statistics, count + sum(term in bag for bag in self._bags.values()))
            for term, count in self._indexed.items()
        }

    def _count(self, term: str) -> int:
        """How many indexed messages have a term."""
        row = self._db.execute("SELECT doc FROM vocabulary WHERE term = ?", (self._prefix + term,)).fetchone()
        return row[0] if row else 0

    def gather(self, limit: int) -> None:
        """Finds candidates among all messages."""
        self._gather_tail(self._bags)
        left, whole, newest = BUDGET, list[str](), None
        for term, count in sorted(self._indexed.items(), key=lambda entry: entry[1]):
            if not count:
                continue
            if count <= left:
                self._add(term, self._having(self._quoted(term)))
                left -= count
                whole.append(self._quoted(term))
            elif newest is None and len(self._value) < limit:
                having = self._having(self._quoted(term), limit=NEWEST)
                self._add(term, having)
                newest = self._quoted(term), having[-1]
            elif count * 2 < self._statistics.messages:  # what most messages have tells little
                if whole:
                    self._add(term, self._having(f"({' OR '.join(whole)}) AND {self._quoted(term)}"))
                if newest:
                    both = self._having(f"{newest[0]} AND {self._quoted(term)}", newest[1])
                    self._add(term, [rid for rid in both if rid in self._value])

    def gather_among(self, passing: list[int]) -> None:
        """Finds candidates among these messages only."""
        if not passing:
            return
        allowed = set(passing)
        self._gather_tail(allowed & self._bags.keys())
        for term, count in self._indexed.items():
            if count:
                having = self._having(self._quoted(term), passing[0], passing[-1])
                self._add(term, [rid for rid in having if rid in allowed])

    def _quoted(self, term: str) -> str:
        return f'"{self._prefix}{term}"'

    def _having(self, match: str, low: int = 0, high: int | None = None, limit: int = -1) -> list[int]:
        """Messages that match, newest first."""
        ((found,),) = self._db.execute(_HAVING, (match, low, high or self._high, limit)).fetchall()
        return json.loads(found)

    def _add(self, term: str, having: list[int]) -> None:
        worth, value, get = self.worth[term], self._value, self._value.get
        for rid in having:
            value[rid] = get(rid, 0.0) + worth

    def _gather_tail(self, rids: Iterable[int]) -> None:
        for rid in sorted(rids, reverse=True):
            value = sum(self.worth[term] for term in set(self._bags[rid]) & self.worth.keys())
            if value:
                self._value[rid] = value

    def best_first(self, at_once: int) -> Iterator[list[int]]:
        """The candidates in groups, by what their terms are worth; the newest first among equals."""
        order = sorted(self._value, key=self._value.__getitem__, reverse=True)
        for start in range(0, len(order), at_once):
            yield order[start : start + at_once]

    def scored(self, rids: list[int]) -> list[_Scored]:
        """Candidates with their exact scores, best first. An index entry whose message is gone is passed over: that is
        damage, which the doctor finds."""
        waiting = [self._tail[rid] for rid in rids if rid in self._tail]
        indexed = fetch(self._db, [rid for rid in rids if rid not in self._tail])
        found = [self._score(row) for row in (*waiting, *indexed)]
        found.sort(key=lambda one: (one.score, one.row[0]), reverse=True)
        return found

    def _score(self, row: Row) -> _Scored:
        bag = self._bags.get(row[0]) or rows.message_terms(row[TEXT], row[EXTRA])
        parts = bm25.parts(bag, row[TOKENS], self.worth, self.average)
        return _Scored(sum(parts), parts, row)
