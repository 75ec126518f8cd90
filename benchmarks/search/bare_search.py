"""The baseline of a search: the least that a program with its own SQL and matrices does for ten results of the same kind.

One FTS5 query without stop words for 64 candidates, in an index of this owner alone, one int8 scan of all vectors for 64,
the candidates and their neighbours in one statement each, and one product of the question's token vectors with theirs. It
knows nothing of visibility, filters, dates, languages, echoes or reasons. Messages and vectors are read from the store it is
compared with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

import apsw
import numpy as np
import simsimd

from keepsaid.engine.text.stopwords import content_words
from keepsaid.engine.text.terms import terms
from keepsaid.ports import Embedding
from keepsaid.storage.sqlite.connection.database import Row, SqliteConnection
from keepsaid.storage.sqlite.schema import NUMBER_MASK, OWNER_BITS

CANDIDATES = 64
LOADED_AT_ONCE = 50_000
"""Vectors that are converted at once: as float32, those of a million messages would take gigabytes."""
_WORD = re.compile(r"\w+")
RESULTS = 10
WORDS_SHARE = 0.3

_INDEX = "CREATE VIRTUAL TABLE words.bare USING fts5(text, content='', tokenize='porter')"
_FILL = "INSERT INTO words.bare (rowid, text) SELECT rid, text FROM main.messages WHERE rid BETWEEN ? AND ?"
_FIND = "SELECT rowid, rank FROM words.bare WHERE bare MATCH ? ORDER BY rank LIMIT ?"
_VECTORS = "SELECT rid, vector FROM vectors WHERE generation = ? AND rid BETWEEN ? AND ? ORDER BY rid, part"
_TOKENS = (
    "SELECT v.rid, t.rows FROM json_each(?) AS j CROSS JOIN vectors AS v ON v.generation = ? AND v.rid = j.value"
    " JOIN token_vectors AS t ON t.no = v.tokens"
)
_MESSAGES = "SELECT rid, branch, seq, id, role, text, created FROM messages WHERE rid IN (SELECT value FROM json_each(?))"
_NEIGHBOURS = (
    "SELECT m.rid, m.branch, m.seq, m.id, m.role, m.text, m.created FROM json_each(?) AS j CROSS JOIN messages AS m"
    " WHERE m.branch = j.value ->> 0 AND m.seq BETWEEN (j.value ->> 1) - 1 AND (j.value ->> 1) + 1"
)


class BareSearch:
    """Searches one owner of a store, with an index of its own in a temporary folder."""

    def __init__(self, path: Path, owner: str, generation: str, folder: Path) -> None:
        self._db = cast(SqliteConnection, apsw.Connection(str(path)))
        low = self._value("SELECT no FROM owners WHERE kind = 0 AND id = ?", owner) << OWNER_BITS
        self._generation = self._value("SELECT no FROM generations WHERE name = ?", generation)
        self._db.execute("ATTACH ? AS words", (str(folder / "bare.db"),))
        self._db.execute(_INDEX)
        self._db.execute(_FILL, (low, low | NUMBER_MASK))
        rids, coarse = list[int](), list[Any]()
        rows = iter(self._db.execute(_VECTORS, (self._generation, low, low | NUMBER_MASK)))
        while some := list(islice(rows, LOADED_AT_ONCE)):
            exact = np.frombuffer(b"".join(vector for _, vector in some), "<f2").reshape(len(some), -1)
            rids += [rid for rid, _ in some]
            coarse.append(_to_int8(exact.astype(np.float32)))
        self._rids, self._coarse = np.array(rids), np.concatenate(coarse)

    def _value(self, sql: str, name: str) -> int:
        row = self._db.execute(sql, (name,)).fetchone()
        assert row is not None
        return row[0]

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def search(self, question: str, asked: Embedding | None) -> list[Row]:
        """Return the best rows: by words alone without the question's vectors."""
        words = [word for word in _WORD.findall(question) if content_words(terms(word))]
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(_FIND, (match, CANDIDATES)).fetchall() if words else []
        found = dict(cast("list[tuple[int, float]]", rows))
        near = [] if asked is None else self._scan(asked)
        rows = self._db.execute(_MESSAGES, (json.dumps([*found, *(rid for rid in near if rid not in found)]),)).fetchall()
        seen = {row[0]: row for row in rows}
        if asked is None:
            return [seen[rid] for rid in list(found)[:RESULTS] if rid in seen]
        beside = self._db.execute(_NEIGHBOURS, (json.dumps([[row[1], row[2]] for row in rows]),)).fetchall()
        seen |= {row[0]: row for row in beside}
        scores = self._match_tokens(asked, list(seen))
        for rid, rank in found.items():
            scores[rid] = scores.get(rid, 0.0) - WORDS_SHARE * rank
        return [seen[rid] for rid in sorted(scores, key=scores.__getitem__, reverse=True)[:RESULTS] if rid in seen]

    def _scan(self, asked: Embedding) -> list[int]:
        """Return the messages whose vectors are nearest."""
        question = _to_int8(np.asarray(asked.vector, np.float32)[None])
        scores = np.asarray(simsimd.cdist(question, self._coarse, "dot"))[0]
        best = np.argpartition(scores, -CANDIDATES)[-CANDIDATES:] if len(scores) > CANDIDATES else np.arange(len(scores))
        return self._rids[best].tolist()

    def _match_tokens(self, asked: Embedding, rids: Sequence[int]) -> dict[int, float]:
        """Return the mean of each question token's best match, by message."""
        if not asked.tokens:
            return dict.fromkeys(rids, 0.0)
        found = self._db.execute(_TOKENS, (json.dumps(rids), self._generation)).fetchall()
        question = np.frombuffer(asked.tokens, np.int8).reshape(-1, asked.width)
        rows = np.frombuffer(b"".join(tokens for _, tokens in found), np.int8).reshape(-1, asked.width)
        starts = np.cumsum([0, *(len(tokens) // asked.width for _, tokens in found[:-1])])
        products = np.asarray(simsimd.cdist(question, rows, "dot", out_dtype="float32"))
        best: list[float] = np.maximum.reduceat(products, starts, axis=1).mean(0).tolist()
        return {rid: score for (rid, _), score in zip(found, best, strict=True)}


def _to_int8(vectors: Any) -> Any:
    largest = np.maximum(np.abs(vectors).max(1, keepdims=True), 1e-12)
    return np.rint(vectors * (127 / largest)).astype(np.int8)
