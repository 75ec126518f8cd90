"""A search by words: which messages have the terms, and how well they answer. One statement, whatever the history.

A word that half of a long history has would cost more than all the rest. So the rarest terms name the candidates, all
messages that have them, up to `BUDGET`; a more common term only adds to what those are worth. The best candidates that can
be seen are fetched, and scored exactly by `engine.bm25`, with the same numbers as every other storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recollect.engine import bm25
from recollect.ports import Found, Seen
from recollect.storage.postgres import rows, sieve, sight
from recollect.storage.postgres.database import Row
from recollect.storage.postgres.keywords import CHUNK
from recollect.storage.postgres.reading import Reading, reading
from recollect.storage.postgres.spaces import Space
from recollect.types import Filters

CANDIDATES = 64
"""Messages scored exactly, at the least; they are taken in the order of what their terms are worth."""

BUDGET = 6000
"""Messages that the rarer terms may name together."""

NEWEST = 2000
"""If the rarer terms give too little, so many of the newest messages with the next term are candidates, too."""

_COUNTED = f"""
here AS MATERIALIZED (
    SELECT coalesce(max(messages), 0) AS messages, coalesce(max(tokens), 0) AS tokens, coalesce(max(indexed), 0) AS indexed
    FROM spaces WHERE unit = %(unit)s AND space = %(space)s),
tail AS MATERIALIZED (
    SELECT m.number, t.term FROM (
        SELECT m.number, m.terms FROM messages AS m
        WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.number > (SELECT indexed FROM here) LIMIT {CHUNK}) AS m
    CROSS JOIN LATERAL unnest(m.terms) AS t (term) WHERE t.term = ANY (%(terms)s)),
posted AS MATERIALIZED (
    SELECT term, chunk, numbers FROM postings WHERE unit = %(unit)s AND space = %(space)s AND term = ANY (%(terms)s)),
counted AS MATERIALIZED (
    SELECT w.place, w.term, coalesce(p.posted, 0) AS posted, coalesce(p.posted, 0) + coalesce(t.waiting, 0) AS messages
    FROM unnest(%(terms)s::text[]) WITH ORDINALITY AS w (term, place)
    LEFT JOIN (SELECT term, sum(cardinality(numbers))::bigint AS posted FROM posted GROUP BY term) AS p USING (term)
    LEFT JOIN (SELECT term, count(*) AS waiting FROM tail GROUP BY term) AS t USING (term)),
weighed AS MATERIALIZED (
    SELECT c.term, c.posted, ln(1 + ({bm25.UNSAID} + h.messages - c.messages + 0.5::float8) / (c.messages + 0.5)) AS worth,
        sum(c.posted) OVER (ORDER BY c.posted, c.term) <= {BUDGET} AS is_rare,
        c.posted * 2 < h.messages AS tells_something
    FROM counted AS c CROSS JOIN here AS h)"""

_OF_ALL = f"""
rare AS MATERIALIZED (
    SELECT n FROM posted JOIN weighed USING (term) CROSS JOIN LATERAL unnest(numbers) AS n WHERE is_rare),
further AS MATERIALIZED (
    SELECT term FROM weighed WHERE NOT is_rare ORDER BY posted, term
    LIMIT (SELECT (count(DISTINCT n) < %(limit)s)::int FROM (SELECT n FROM rare UNION ALL SELECT number FROM tail) AS named)),
valued AS MATERIALIZED (
    SELECT number, sum(worth) AS value FROM (
        SELECT number, worth, true AS is_named FROM tail JOIN weighed USING (term)
        UNION ALL
        SELECT n, worth, is_rare FROM posted JOIN weighed USING (term) CROSS JOIN LATERAL unnest(numbers) AS n
        WHERE is_rare OR tells_something OR term = (SELECT term FROM further)
        UNION ALL
        (SELECT n, 0, true FROM
            (SELECT numbers FROM posted WHERE term = (SELECT term FROM further) ORDER BY chunk DESC) AS newest
            CROSS JOIN LATERAL (SELECT n FROM unnest(numbers) AS n ORDER BY n DESC) AS n LIMIT {NEWEST})) AS said
    GROUP BY number HAVING bool_or(is_named))"""
_OF_SOME = """
valued AS MATERIALIZED (
    SELECT number, sum(worth) AS value FROM (
        SELECT number, worth, false AS passes FROM tail JOIN weighed USING (term)
        UNION ALL
        SELECT n, worth, false FROM posted JOIN weighed USING (term) CROSS JOIN LATERAL unnest(numbers) AS n
        UNION ALL
        SELECT number, 0, true FROM ({passing}) AS passing) AS said
    GROUP BY number HAVING bool_or(passes) AND sum(worth) > 0)"""

# Numbers are brought together by grouping, not by a join: the planner cannot know how many there are, and would guess wrong.
# OFFSET 0 keeps the planner from turning it round: candidates are looked at one by one, best first, until there are enough.
_FIND = """
WITH {among}{counted}, {valued}
SELECT h.messages, h.tokens, (SELECT array_agg(messages ORDER BY place) FROM counted), best.*
FROM here AS h LEFT JOIN LATERAL (
    SELECT m.* FROM (SELECT number FROM valued ORDER BY value DESC, number DESC OFFSET 0) AS v
    CROSS JOIN LATERAL (
        SELECT m.number, {shown} AS shown, {columns} FROM messages AS m
        WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.number = v.number{conditions} OFFSET 0) AS m
    WHERE m.shown IS NOT NULL LIMIT %(most)s) AS best ON true"""
_NUMBER, _SHOWN, _MESSAGE = 3, 4, 5
_TEXT, _TOKENS, _EXTRA = _MESSAGE + 4, _MESSAGE + 5, _MESSAGE + 10


def find(space: Space, wanted: Sequence[str], filters: Filters, limit: int) -> Reading[Found]:
    """The best messages that can be seen and pass the filters, and what each term is worth."""
    terms = list(dict.fromkeys(wanted))
    values = {
        **sieve.values(space, filters),
        "terms": terms,
        "limit": limit,
        "most": max(CANDIDATES, limit + limit // 8),
    }
    among = sieve.among(filters)
    valued = _OF_ALL if filters.are_light else _OF_SOME.format(passing=sieve.passing(filters))
    statement = _FIND.format(
        among=f"{among}, " if among else "", counted=_COUNTED, valued=valued, shown=sight.shown("id", filters),
        columns=rows.MESSAGE, conditions=sieve.conditions(filters),
    )  # fmt: skip
    return reading(statement, values, partial(_found, terms, limit))


def _found(terms: Sequence[str], limit: int, answer: list[Row]) -> Found:
    messages, tokens, counts = answer[0][:_NUMBER]
    statistics = bm25.Statistics(messages, tokens)
    worth = {term: bm25.rarity(statistics, count) for term, count in zip(terms, counts or (), strict=True)}
    found: list[Seen] = []
    for row in answer:
        if row[_NUMBER] is not None:
            bag = rows.message_terms(row[_TEXT], row[_EXTRA])
            parts = bm25.parts(bag, row[_TOKENS], worth, statistics.average)
            found.append(Seen(row[_NUMBER], rows.message(row[_MESSAGE:], row[_SHOWN]), sum(parts), parts))
    found = sorted((one for one in found if one.score > 0), key=lambda one: (one.score, one.number), reverse=True)
    return Found(found[: max(0, limit)], worth, statistics.average)
