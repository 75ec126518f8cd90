"""`keepsaid search`: search the messages."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from typing import Any

import click

from keepsaid.cli.memory.lookup import find_session
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import date_option_callback, json_option, owner_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.text import display_width, screen_width, to_printable
from keepsaid.engine.query.query import parse_query
from keepsaid.engine.text.terms import terms
from keepsaid.memory.search import MODES
from keepsaid.types import SearchHit

INDENT = "       "
_WORD = re.compile(r"\w+")


@click.command()
@click.argument("query", nargs=-1, required=True)
@owner_option
@click.option("--session", metavar="S", help="Only this session: its id, the end of the id, or its title.")
@click.option("--role", "roles", multiple=True, metavar="R", help="Only messages of this role; may be repeated.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="Only sessions with this tag; may be repeated.")
@click.option("--since", callback=date_option_callback("since"), metavar="D", help="Only from this date on.")
@click.option("--until", callback=date_option_callback("until"), metavar="D", help="Only up to and including this date.")
@click.option("--limit", type=int, metavar="N", help="Return at most N hits.")
@click.option(
    "--mode", type=click.Choice(MODES), default="full", help="By words, by meaning, or by both.", show_default=True
)
@json_option
@click.pass_obj
def search(opener: StoreOpener, query: tuple[str, ...], session: str | None, as_json: bool, **filters: Any) -> None:
    """Find messages that answer a question, best first.

    QUERY may contain role:user, tag:work, before:2026-05-01, "a phrase" and -word; put -- before a QUERY that begins with
    a dash.
    """
    text = " ".join(query)
    # No background work: closing the memory would wait for the rest of a batch.
    with opener.open_for_reading(background=False) as memory:
        if session is not None:
            filters["session"] = find_session(memory, filters["owner"], session).id
        hits = memory.search(text, **filters)
    for fallback in hits.fallbacks:
        click.echo(f"Note: {fallback}", err=True)
    if as_json:
        echo_json(
            {"store": opener.location(), "query": text, "hits": list(map(_as_json, hits)), "fallbacks": hits.fallbacks}
        )
        return
    if not hits:
        click.echo("Nothing found.")
        return
    wanted = frozenset(parse_query(text, datetime.now().astimezone()).terms)
    width = screen_width()
    for hit in hits:
        _print(hit, wanted, width)


def _as_json(hit: SearchHit) -> dict[str, Any]:
    message = hit.message
    return {
        "message": message.id,
        "session": hit.session,
        "title": hit.title,
        "role": message.role,
        "name": message.name,
        "at": hit.at.isoformat(),
        "score": round(hit.score, 4),
        "passage": hit.passage,
        "reason": hit.reason,
        "signals": dict(hit.signals),
        "also": [{"message": other.id, "session": other.session} for other in hit.also],
    }


def _print(hit: SearchHit, wanted: Collection[str], width: int) -> None:
    message = hit.message
    said_by = f"{message.role} {to_printable(message.name)}" if message.name else message.role
    place = to_printable(hit.title or hit.session)
    room = width - len(INDENT)
    click.echo(f"{hit.score:5.2f}  {hit.at.astimezone():%Y-%m-%d %H:%M}  {place}  ({said_by})")
    click.echo(INDENT + bold(excerpt_around_terms(to_printable(hit.passage), room, wanted), wanted))
    again = f"; said {format_count(len(hit.also), 'more time')}" if hit.also else ""
    click.echo(INDENT + click.style(hit.reason + again, dim=True))


def matches_terms(word: str, wanted: Collection[str]) -> bool:
    """Whether a word is one of the query terms.

    >>> matches_terms("Sisters", {"sister"}), matches_terms("brother", {"sister"})
    (True, False)
    """
    return any(term in wanted for term in terms(word))


def bold(text: str, wanted: Collection[str]) -> str:
    """Return a text with the query terms in bold. Click removes the styles if the output is not a terminal."""
    return _WORD.sub(lambda word: click.style(word[0], bold=True) if matches_terms(word[0], wanted) else word[0], text)


def excerpt_around_terms(text: str, room: int, wanted: Collection[str]) -> str:
    """Return as much of a text as fits on a line, around the first query term.

    >>> excerpt_around_terms("Once upon a time there was a green tea house in town", 24, {"tea"})
    '… a green tea house in…'
    """
    if display_width(text) <= room:
        return text
    first = next((word.start() for word in _WORD.finditer(text) if matches_terms(word[0], wanted)), 0)
    start = _word_start_before(text, first, room // 2) if first > room // 2 else 0
    left = "… " if start else ""
    end, used = start, len(left) + 1
    while end < len(text) and used + display_width(text[end]) <= room:
        used += display_width(text[end])
        end += 1
    return left + text[start:end].rstrip() + ("…" if end < len(text) else "")


def _word_start_before(text: str, place: int, room: int) -> int:
    """Return the start of a word at most `room` columns before an index."""
    start = place
    while start and display_width(text[start - 1 : place]) <= room:
        start -= 1
    space = text.find(" ", start, place)
    return start if not start or space < 0 else space + 1
