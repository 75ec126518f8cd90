"""`recollect search`: finds what was said."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any
from unicodedata import east_asian_width

import click

from recollect.cli.door import Door
from recollect.cli.words import count, echo_json
from recollect.engine.dates import Bound, bound
from recollect.engine.query import understand
from recollect.engine.terms import terms
from recollect.memory import MODES
from recollect.types import Hit

INDENT = "       "
NARROWEST = 40
_WORD = re.compile(r"\w+")


def when(word: Bound) -> Callable[[click.Context, click.Parameter, str | None], datetime | None]:
    """Reads a date as people give it (2026-05-01, yesterday, "last week") or a moment as machines do: the beginning of that
    day or period, or for `until` the end of it."""

    def read(context: click.Context, option: click.Parameter, value: str | None) -> datetime | None:
        if value is None:
            return None
        if limit := bound(word, value, datetime.now().astimezone()):
            return limit.start if word == "since" else limit.end
        try:
            return datetime.fromisoformat(value).astimezone()
        except ValueError:
            known = "a date is 2026-05-01, 2026-05, yesterday or 'last week'"
            raise click.BadParameter(f"{value!r} is no date; {known}", context, option) from None

    return read


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--owner", required=True, metavar="O", help="Whose memory.")
@click.option("--session", metavar="S", help="Only this session.")
@click.option("--role", "roles", multiple=True, metavar="R", help="Only what this role said; may be given again.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="Only sessions with this tag; may be given again.")
@click.option("--since", callback=when("since"), metavar="D", help="Only from this date on.")
@click.option("--until", callback=when("until"), metavar="D", help="Only up to this date, which is included.")
@click.option("--limit", type=int, metavar="N", help="At most so many hits.")
@click.option(
    "--mode", type=click.Choice(MODES), default="full", help="By words, by meaning, or by both.", show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def search(door: Door, query: tuple[str, ...], as_json: bool, **filters: Any) -> None:
    """Find messages that answer a question, best first.

    QUERY may also say role:user, tag:work, before:2026-05-01, "a phrase" and -word; put -- before a QUERY that begins with
    a dash.
    """
    asked = " ".join(query)
    # A search should not leave anybody waiting for the rest of a batch.
    with door.open(background=False) as memory:
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
    width = max(NARROWEST, shutil.get_terminal_size().columns)
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


def printable(text: str) -> str:
    """A text on one line, without anything that would steer the reader's terminal.

    >>> printable("two\\n lines \\x1b[31mred")
    'two lines [31mred'
    """
    plain = "".join(character if character.isprintable() or character == "\u200d" else " " for character in text)
    return " ".join(plain.split())


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


def cells(text: str) -> int:
    """How wide a text is on a terminal, where Chinese and Japanese characters take two cells.

    >>> cells("tea"), cells("お茶")
    (3, 4)
    """
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
