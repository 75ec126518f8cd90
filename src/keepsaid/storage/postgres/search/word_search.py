"""Word search: finds messages with the terms and ranks them, in one statement for any length of history.

A word that half of a long history contains would cost more than all the rest. So the rarest terms select the candidates: all
messages that contain them, up to `ROW_BUDGET`; a more common term only adds to their scores. The best visible candidates are
fetched and scored exactly by `engine.ranking.bm25`, with the same numbers as every other storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from keepsaid.engine.ranking import bm25
from keepsaid.ports import NO_FILTERS, KeywordMatches, VisibleMessage
from keepsaid.storage.postgres import rows
from keepsaid.storage.postgres.connection.database import Row
from keepsaid.storage.postgres.connection.read_operation import PostgresReadOperation, single_statement_read
from keepsaid.storage.postgres.partitions import PartitionKey
from keepsaid.storage.postgres.search import search_filters, visibility
from keepsaid.storage.postgres.search.keyword_index import CHUNK
from keepsaid.types import SearchFilters

MIN_CANDIDATES = 64
"""The least number of messages scored exactly, taken in the order of their estimated scores."""

ROW_BUDGET = 6000
"""Messages that the rarer terms may select together."""

NEWEST_ROWS = 2000
"""If the rarer terms select too few, this many of the newest messages with the next term are candidates, too."""

ROLE_OVERSAMPLING = 4
"""The factor by which more candidates are selected if the search has filters, for example on roles."""

_COUNT_TERMS = f"""
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
    SELECT c.term, c.messages, ln(1 + ({bm25.SMOOTHING_MESSAGES} + h.messages - c.messages + 0.5::float8) / (c.messages +
    0.5)) AS worth,
        sum(c.messages) OVER (ORDER BY c.messages, c.term) <= %(budget)s AS is_rare,
        c.messages * 2 < h.messages AS tells_something
    FROM counted AS c CROSS JOIN here AS h)"""

# The messages of a term are compared with the candidates chunk by chunk: the planner cannot estimate the number of messages,
# but there are always few enough chunks.
_VALUE_RARE = f"""
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
_VALUE_PASSING = f"""
candidates AS MATERIALIZED (
    SELECT number / {CHUNK} AS chunk, bit_or(set_bit(0::bit({CHUNK}), (number %% {CHUNK})::int, 1)) AS places
    FROM ({{passing}}) AS passing GROUP BY 1),
valued AS MATERIALIZED (
    SELECT p.chunk * {CHUNK} + place AS number, sum(w.worth) AS value
    FROM posted AS p JOIN weighed AS w USING (term) JOIN candidates AS c USING (chunk)
    CROSS JOIN LATERAL unnest(p.places) AS place
    WHERE get_bit(c.places, place::int) = 1 GROUP BY 1)"""

# OFFSET 0 prevents the planner from reordering: candidates are checked one by one, best first, until there are enough.
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


def find(
    space: PartitionKey, wanted: Sequence[str], filters: SearchFilters, limit: int
) -> PostgresReadOperation[KeywordMatches]:
    """Find the best visible messages that pass the filters, and the weight of each term."""
    terms = list(dict.fromkeys(wanted))
    values = {
        **search_filters.filter_values(space, filters),
        "terms": terms,
        "limit": limit if filters == NO_FILTERS else ROLE_OVERSAMPLING * limit,
        "budget": ROW_BUDGET,
        "newest": NEWEST_ROWS,
        "most": max(MIN_CANDIDATES, limit + limit // 8),
    }
    among = search_filters.allowed_sessions_sql(filters)
    valued = (
        _VALUE_RARE if filters.are_light else _VALUE_PASSING.format(passing=search_filters.passing_messages_sql(filters))
    )
    statement = _FIND.format(
        among=f"{among}, " if among else "", counted=_COUNT_TERMS, valued=valued,
        shown=visibility.visible_session_sql("id", filters),
        columns=rows.MESSAGE_COLUMNS, conditions=search_filters.message_conditions_sql(filters),
    )  # fmt: skip
    return single_statement_read(statement, values, partial(_found, terms, limit))


def _found(terms: Sequence[str], limit: int, answer: list[Row]) -> KeywordMatches:
    messages, tokens, counts = answer[0][:_NUMBER]
    statistics = bm25.CorpusStatistics(messages, tokens)
    worth = {term: bm25.compute_idf(statistics, count) for term, count in zip(terms, counts or (), strict=True)}
    found: list[VisibleMessage] = []
    for row in answer:
        if row[_NUMBER] is not None:
            bag = rows.message_terms(row[_TEXT], row[_EXTRA])
            parts = bm25.score_terms(bag, row[_TOKENS], worth, statistics.average)
            found.append(VisibleMessage(row[_NUMBER], rows.message_from_row(row[_MESSAGE:], row[_SHOWN]), sum(parts), parts))
    found = sorted((one for one in found if one.score > 0), key=lambda one: (one.score, one.number), reverse=True)
    return KeywordMatches(found[: max(0, limit)], worth, statistics.average)
