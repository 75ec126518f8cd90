"""`recollect search`: finds what was said."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from typing import Any

import click

from recollect.cli.door import Door
from recollect.cli.lookup import named_session
from recollect.cli.options import json_option, when, whose
from recollect.cli.text import cells, printable, screen_width
from recollect.cli.words import count, echo_json
from recollect.engine.query import understand
from recollect.engine.terms import terms
from recollect.memory import MODES
from recollect.types import Hit

INDENT = "       "
_WORD = re.compile(r"\w+")


@click.command()
@click.argument("query", nargs=-1, required=True)
@whose
@click.option("--session", metavar="S", help="Only this session: its id, the end of it, or its title.")
@click.option("--role", "roles", multiple=True, metavar="R", help="Only what this role said; may be given again.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="Only sessions with this tag; may be given again.")
@click.option("--since", callback=when("since"), metavar="D", help="Only from this date on.")
@click.option("--until", callback=when("until"), metavar="D", help="Only up to this date, which is included.")
@click.option("--limit", type=int, metavar="N", help="At most so many hits.")
@click.option(
    "--mode", type=click.Choice(MODES), default="full", help="By words, by meaning, or by both.", show_default=True
)
@json_option
@click.pass_obj
def search(door: Door, query: tuple[str, ...], session: str | None, as_json: bool, **filters: Any) -> None:
    """Find messages that answer a question, best first.

    QUERY may also say role:user, tag:work, before:2026-05-01, "a phrase" and -word; put -- before a QUERY that begins with
    a dash.
    """
    asked = " ".join(query)
    # A search should not leave anybody waiting for the rest of a batch.
    with door.reading(background=False) as memory:
        if session is not None:
            filters["session"] = named_session(memory, filters["owner"], session).id
        hits = memory.search(asked, **filters)
    for fallback in hits.fallbacks:
        click.echo(f"Note: {fallback}", err=True)
    if as_json:
        echo_json({"store": door.where(), "query": asked, "hits": list(map(_as_json, hits)), "fallbacks": hits.fallbacks})
        return
    if not hits:
        click.echo("Nothing found.")
        return
    wanted = frozenset(understand(asked, datetime.now().astimezone()).terms)
    width = screen_width()
    for hit in hits:
        _print(hit, wanted, width)


def _as_json(hit: Hit) -> dict[str, Any]:
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


def _print(hit: Hit, wanted: Collection[str], width: int) -> None:
    message = hit.message
    said_by = f"{message.role} {printable(message.name)}" if message.name else message.role
    place = printable(hit.title or hit.session)
    room = width - len(INDENT)
    click.echo(f"{hit.score:5.2f}  {hit.at.astimezone():%Y-%m-%d %H:%M}  {place}  ({said_by})")
    click.echo(INDENT + bold(shortened(printable(hit.passage), room, wanted), wanted))
    again = f"; said {count(len(hit.also), 'more time')}" if hit.also else ""
    click.echo(INDENT + click.style(hit.reason + again, dim=True))


def is_wanted(word: str, wanted: Collection[str]) -> bool:
    """Whether a word is one of those asked for.

    >>> is_wanted("Sisters", {"sister"}), is_wanted("brother", {"sister"})
    (True, False)
    """
    return any(term in wanted for term in terms(word))


def bold(text: str, wanted: Collection[str]) -> str:
    """A text with the words asked for in bold; on a terminal they are seen so, elsewhere click takes it away again."""
    return _WORD.sub(lambda word: click.style(word[0], bold=True) if is_wanted(word[0], wanted) else word[0], text)


def shortened(text: str, room: int, wanted: Collection[str]) -> str:
    """As much of a text as fits on a line, around the first of the words asked for.

    >>> shortened("Once upon a time there was a green tea house in town", 24, {"tea"})
    '… a green tea house in…'
    """
    if cells(text) <= room:
        return text
    first = next((word.start() for word in _WORD.finditer(text) if is_wanted(word[0], wanted)), 0)
    start = _back(text, first, room // 2) if first > room // 2 else 0
    left = "… " if start else ""
    end, used = start, len(left) + 1
    while end < len(text) and used + cells(text[end]) <= room:
        used += cells(text[end])
        end += 1
    return left + text[start:end].rstrip() + ("…" if end < len(text) else "")


def _back(text: str, place: int, room: int) -> int:
    """Where a word begins, so many cells before a place or fewer."""
    start = place
    while start and cells(text[start - 1 : place]) <= room:
        start -= 1
    space = text.find(" ", start, place)
    return start if not start or space < 0 else space + 1
