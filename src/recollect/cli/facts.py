"""`recollect facts`: what is known, and the ways to correct it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.cli.door import Door
from recollect.cli.lookup import short
from recollect.cli.options import json_option, whose
from recollect.cli.table import Column, table
from recollect.cli.text import fitted, printable, screen_width
from recollect.cli.verbs import Verbs
from recollect.cli.words import echo_json
from recollect.errors import NotFound
from recollect.memory import FACT_KINDS
from recollect.types import Fact, FactChange, FactKind

if TYPE_CHECKING:
    from recollect.memory import Memory

ALL = 100_000
COLUMNS = (Column("fact", gives_way=True), Column("kind"), Column("since"), Column("id"))
HISTORY = (
    Column("change"), Column("before", gives_way=True), Column("after"), Column("when"), Column("id"),
)  # fmt: skip
WITH_PAST = (Column("fact", gives_way=True), Column("kind"), Column("since"), Column("until"), Column("id"))


@click.group(cls=Verbs)
def facts() -> None:
    """List what is known about you, and correct it.

    `recollect facts WORDS` lists those with these words; the verbs below change them.
    """


@facts.command("list")
@click.argument("words", nargs=-1)
@whose
@click.option("--history", is_flag=True, help="Also those that are no longer true.")
@click.option("--limit", type=click.IntRange(min=1), default=200, show_default=True, metavar="N", help="At most so many.")
@json_option
@click.pass_obj
def listed(door: Door, words: tuple[str, ...], owner: str, history: bool, limit: int, as_json: bool) -> None:
    """List facts, newest first; with WORDS, those that share some."""
    with door.reading(background=False) as memory:
        found = memory.facts(" ".join(words) or None, owner=owner, history=history, limit=limit)
    if as_json:
        echo_json({"store": door.where(), "owner": owner, "facts": [*map(_as_json, found)]})
        return
    if not found:
        click.echo(f"Nothing is known about {owner!r}" + (" with these words." if words else " yet."))
        return
    for line in table(WITH_PAST if history else COLUMNS, [_row(fact, history) for fact in found], screen_width()):
        click.echo(line)


@facts.command()
@click.argument("text", nargs=-1, required=True)
@whose
@click.option("--kind", type=click.Choice(FACT_KINDS), default="identity", show_default=True, help="What it is about.")
@click.option("--about", default="", metavar="THING", help="Takes the place of an older fact about the same thing.")
@click.option("--pin", is_flag=True, help="In every prompt.")
@json_option
@click.pass_obj
def add(door: Door, text: tuple[str, ...], owner: str, kind: FactKind, about: str, pin: bool, as_json: bool) -> None:
    """Write a fact down."""
    with door.open_or_make(background=False) as memory:
        fact = memory.remember(" ".join(text), owner=owner, kind=kind, about=about, pinned=pin)
    _told("Known from now on", fact, as_json)


@facts.command()
@click.argument("fact")
@click.argument("text", nargs=-1, required=True)
@whose
@json_option
@click.pass_obj
def edit(door: Door, fact: str, text: tuple[str, ...], owner: str, as_json: bool) -> None:
    """Say a fact in other words; the old ones stay in its history.

    FACT is an id, or the end of one as it is listed.
    """
    with door.open(background=False) as memory:
        changed = memory.edit_fact(_named(memory, owner, fact).id, " ".join(text), owner=owner)
    _told("Known from now on", changed, as_json)


@facts.command()
@click.argument("fact")
@whose
@click.option("--off", is_flag=True, help="Not any more.")
@json_option
@click.pass_obj
def pin(door: Door, fact: str, owner: str, off: bool, as_json: bool) -> None:
    """Put a fact into every prompt.

    FACT is an id, or the end of one as it is listed.
    """
    with door.open(background=False) as memory:
        pinned = memory.pin_fact(_named(memory, owner, fact).id, not off, owner=owner)
    _told("Not pinned any more" if off else "Pinned", pinned, as_json)


@facts.command()
@click.argument("fact")
@whose
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def forget(door: Door, fact: str, owner: str, yes: bool, as_json: bool) -> None:
    """Remove a fact for good. What was said stays; `recollect erase` removes that.

    FACT is an id, or the end of one as it is listed.
    """
    with door.open(background=False) as memory:
        going = _named(memory, owner, fact)
        if not yes:
            click.confirm(f"Forget {fitted(printable(going.text), 100)!r}, for good?", abort=True, err=True)
        memory.forget_fact(going.id, owner=owner)
    _told("Forgotten", going, as_json)


@facts.command()
@click.argument("fact")
@whose
@click.option("--off", is_flag=True, help="Not any more.")
@json_option
@click.pass_obj
def hide(door: Door, fact: str, owner: str, off: bool, as_json: bool) -> None:
    """Keep a fact out of all prompts. It stays in this list.

    FACT is an id, or the end of one as it is listed.
    """
    with door.open(background=False) as memory:
        id = _named(memory, owner, fact).id
        hidden = memory.unhide_fact(id, owner=owner) if off else memory.hide_fact(id, owner=owner)
    _told("Not hidden any more" if off else "Hidden", hidden, as_json)


@facts.command()
@click.argument("fact", required=False)
@whose
@json_option
@click.pass_obj
def history(door: Door, fact: str | None, owner: str, as_json: bool) -> None:
    """List what you changed about facts, newest first; with FACT, about this one. `undo` takes a change back."""
    with door.reading(background=False) as memory:
        changes = memory.fact_history(owner=owner, fact=None if fact is None else _named(memory, owner, fact).id)
    if as_json:
        echo_json({"store": door.where(), "owner": owner, "changes": [*map(_change_as_json, changes)]})
        return
    if not changes:
        click.echo("Nothing was changed by hand.")
        return
    for line in table(HISTORY, [_change_row(change) for change in changes], screen_width()):
        click.echo(line)


@facts.command()
@click.argument("change", required=False)
@whose
@json_option
@click.pass_obj
def undo(door: Door, change: str | None, owner: str, as_json: bool) -> None:
    """Take a change back: the last one, or CHANGE as `history` lists it."""
    with door.open(background=False) as memory:
        fact = memory.undo_fact_change(_change_named(memory, owner, change).id, owner=owner)
    _told("As it was", fact, as_json)


def _change_named(memory: Memory, owner: str, name: str | None) -> FactChange:
    """The last change that was not taken back, or the one whose id ends so."""
    known = memory.fact_history(owner=owner)
    if name is None:
        found = [change for change in known if not change.undone][:1]
    else:
        found = [change for change in known if change.id.endswith(name.removeprefix("…"))]
    if len(found) != 1:
        raise NotFound(f"{len(found)} changes of {owner!r} are meant; `recollect facts history` lists them")
    return found[0]


def _change_row(change: FactChange) -> list[str]:
    told = (change.what, _worded(change.before), _worded(change.after), f"{change.changed_at.astimezone():%Y-%m-%d %H:%M}")
    return [told[0] + (" (taken back)" if change.undone else ""), *told[1:], f"…{change.id[-8:]}"]


def _worded(value: str | bool | None) -> str:
    return {True: "yes", False: "no", None: "(erased)"}.get(value, str(value)) if not isinstance(value, str) else value


def _change_as_json(change: FactChange) -> dict[str, Any]:
    return {
        "id": change.id, "fact": change.fact, "what": change.what, "at": change.changed_at.isoformat(),
        "before": change.before, "after": change.after, "undone": change.undone,
    }  # fmt: skip


def _named(memory: Memory, owner: str, name: str) -> Fact:
    """The one fact whose id begins or ends so."""
    wanted = name.removeprefix("…")
    known = memory.facts(owner=owner, history=True, limit=ALL)
    found = [fact for fact in known if fact.id == wanted]
    found = found or [fact for fact in known if wanted and (fact.id.startswith(wanted) or fact.id.endswith(wanted))]
    if len(found) != 1:
        raise NotFound(f"{len(found)} facts of {owner!r} have an id like {name!r}; `recollect facts` lists them")
    return found[0]


def _told(done: str, fact: Fact, as_json: bool) -> None:
    if as_json:
        echo_json(_as_json(fact))
    else:
        click.echo(f"{done}: {printable(fact.text)} ({short(fact.id)})")


def _row(fact: Fact, history: bool) -> list[str]:
    until = [f"{fact.until.astimezone():%Y-%m-%d}" if fact.until else ""] if history else []
    marks = [mark for mark, is_set in (("pinned", fact.pinned), ("hidden", fact.hidden)) if is_set]
    text = f"{fact.text} ({', '.join(marks)})" if marks else fact.text
    return [text, fact.kind, f"{fact.since.astimezone():%Y-%m-%d}", *until, short(fact.id)]


def _as_json(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id, "text": fact.text, "kind": fact.kind, "subject": fact.subject, "confidence": fact.confidence,
        "since": fact.since.isoformat(), "until": fact.until.isoformat() if fact.until else None, "pinned": fact.pinned,
        "session": fact.session, "messages": list(fact.messages), "hidden": fact.hidden,
    }  # fmt: skip
