"""A search by words: which messages have the terms, and how well they answer. One statement, whatever the history.

A word that half of a long history has would cost more than all the rest. So the rarest terms name the candidates, all
messages that have them, up to `BUDGET`; a more common term only adds to what those are worth. The best candidates that can
be seen are fetched, and scored exactly by `engine.bm25`, with the same numbers as every other storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recollect.engine import bm25
from recollect.ports import NO_FILTERS, Found, Seen
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

OVERSIZE = 4
"""Where some roles are left out, so many times as many candidates are wanted."""

_COUNTED = f"""
here AS MATERIALIZED (
    SELECT coalesce(max(messages), 0) AS messages, coalesce(max(tokens), 0) AS tokens, coalesce(max(indexed), 0) AS indexed
    FROM spaces WHERE unit = %(unit)s AND space = %(space)s),
posted AS MATERIALIZED (
    SELECT term, chunk, places FROM postings WHERE unit = %(unit)s AND space = %(space)s AND term = ANY (%(terms)s)
    UNION ALL
    SELECT t.term, m.number / {CHUNK}, array_agg((m.number %% {CHUNK})::smallint) FROM (
        SELECT m.number, m.terms FROM messages AS m
        WHERE m.unit = %(unit)s AND m.space = %(space)s AND m.number > (SELECT indexed FROM here)
        ORDER BY m.number LIMIT {CHUNK}) AS m
    CROSS JOIN LATERAL unnest(m.terms) AS t (term) WHERE t.term = ANY (%(terms)s) GROUP BY 1, 2),
counted AS MATERIALIZED (
    SELECT w.place, w.term, coalesce(sum(cardinality(p.places)), 0)::bigint AS messages
    FROM unnest(%(terms)s::text[]) WITH ORDINALITY AS w (term, place) LEFT JOIN posted AS p USING (term) GROUP BY 1, 2),
weighed AS MATERIALIZED (
    SELECT c.term, c.messages, ln(1 + ({bm25.UNSAID} + h.messages - c.messages + 0.5::float8) / (c.messages + 0.5)) AS worth,
        sum(c.messages) OVER (ORDER BY c.messages, c.term) <= %(budget)s AS is_rare,
        c.messages * 2 < h.messages AS tells_something
    FROM counted AS c CROSS JOIN here AS h)"""

# The messages of a term are compared with the candidates chunk by chunk: the planner cannot know how many they are, but
# chunks are always few enough.
_OF_ALL = f"""
named AS MATERIALIZED (
    SELECT DISTINCT chunk, place FROM posted JOIN weighed USING (term) CROSS JOIN LATERAL unnest(places) AS place
    WHERE is_rare),
further AS MATERIALIZED (
    SELECT term FROM weighed WHERE NOT is_rare ORDER BY messages, term
    LIMIT (SELECT (count(*) < %(limit)s)::int FROM named)),
candidates AS MATERIALIZED (
    SELECT chunk, array_agg(DISTINCT place) AS places FROM (
        SELECT chunk, place FROM named
        UNION ALL
        (SELECT chunk, place FROM
            (SELECT chunk, places FROM posted WHERE term = (SELECT term FROM further) ORDER BY chunk DESC) AS newest
            CROSS JOIN LATERAL (SELECT place FROM unnest(places) AS place ORDER BY place DESC) AS place LIMIT %(newest)s)
        ) AS both_ GROUP BY chunk),
valued AS MATERIALIZED (
    SELECT p.chunk * {CHUNK} + place AS number, sum(w.worth) AS value
    FROM posted AS p JOIN weighed AS w USING (term) JOIN candidates AS c USING (chunk)
    CROSS JOIN LATERAL unnest(c.places) AS place
    WHERE (w.is_rare OR w.tells_something OR w.term = (SELECT term FROM further)) AND place = ANY (p.places)
    GROUP BY 1)"""
_OF_SOME = f"""
candidates AS MATERIALIZED (
    SELECT number / {CHUNK} AS chunk, bit_or(set_bit(0::bit({CHUNK}), (number %% {CHUNK})::int, 1)) AS places
    FROM ({{passing}}) AS passing GROUP BY 1),
valued AS MATERIALIZED (
    SELECT p.chunk * {CHUNK} + place AS number, sum(w.worth) AS value
    FROM posted AS p JOIN weighed AS w USING (term) JOIN candidates AS c USING (chunk)
    CROSS JOIN LATERAL unnest(p.places) AS place
    WHERE get_bit(c.places, place::int) = 1 GROUP BY 1)"""

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
        "limit": limit if filters == NO_FILTERS else OVERSIZE * limit,
        "budget": BUDGET,
        "newest": NEWEST,
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
