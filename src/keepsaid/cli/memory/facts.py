"""`keepsaid facts`: list what is known, and correct it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from keepsaid.cli.default_command import DefaultListGroup
from keepsaid.cli.memory.lookup import shorten_id
from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option, owner_option
from keepsaid.cli.output.formatting import echo_json
from keepsaid.cli.output.table import TableColumn, format_table
from keepsaid.cli.output.text import screen_width, to_printable, truncate_to_width
from keepsaid.errors import NotFound
from keepsaid.memory.facts import FACT_KINDS
from keepsaid.types import Fact, FactChange, FactKind

if TYPE_CHECKING:
    from keepsaid.memory import Memory

ALL = 100_000
COLUMNS = (TableColumn("fact", flexible=True), TableColumn("kind"), TableColumn("since"), TableColumn("id"))
HISTORY = (
    TableColumn("change"), TableColumn("before", flexible=True), TableColumn("after"), TableColumn("when"),
    TableColumn("id"),
)  # fmt: skip
WITH_PAST = (
    TableColumn("fact", flexible=True),
    TableColumn("kind"),
    TableColumn("since"),
    TableColumn("until"),
    TableColumn("id"),
)


@click.group(cls=DefaultListGroup)
def facts() -> None:
    """List what is known about you, and correct it.

    `keepsaid facts WORDS` lists the facts with these words; the commands below change them.
    """


@facts.command("list")
@click.argument("words", nargs=-1)
@owner_option
@click.option("--history", is_flag=True, help="Include facts that are no longer true.")
@click.option("--limit", type=click.IntRange(min=1), default=200, show_default=True, metavar="N", help="List at most N.")
@json_option
@click.pass_obj
def list_facts(opener: StoreOpener, words: tuple[str, ...], owner: str, history: bool, limit: int, as_json: bool) -> None:
    """List facts, newest first; with WORDS, those that contain any of them."""
    with opener.open_for_reading(background=False) as memory:
        found = memory.facts(" ".join(words) or None, owner=owner, history=history, limit=limit)
    if as_json:
        echo_json({"store": opener.location(), "owner": owner, "facts": [*map(_as_json, found)]})
        return
    if not found:
        click.echo(f"Nothing is known about {owner!r}" + (" with these words." if words else " yet."))
        return
    for line in format_table(WITH_PAST if history else COLUMNS, [_row(fact, history) for fact in found], screen_width()):
        click.echo(line)


@facts.command()
@click.argument("text", nargs=-1, required=True)
@owner_option
@click.option("--kind", type=click.Choice(FACT_KINDS), default="identity", show_default=True, help="What it is about.")
@click.option("--about", default="", metavar="THING", help="Replaces an older fact about the same thing.")
@click.option("--pin", is_flag=True, help="Put it into every prompt.")
@json_option
@click.pass_obj
def add(
    opener: StoreOpener, text: tuple[str, ...], owner: str, kind: FactKind, about: str, pin: bool, as_json: bool
) -> None:
    """Add a fact."""
    with opener.open_or_create(background=False) as memory:
        fact = memory.remember(" ".join(text), owner=owner, kind=kind, about=about, pinned=pin)
    _print_fact("Added", fact, as_json)


@facts.command()
@click.argument("fact")
@click.argument("text", nargs=-1, required=True)
@owner_option
@json_option
@click.pass_obj
def edit(opener: StoreOpener, fact: str, text: tuple[str, ...], owner: str, as_json: bool) -> None:
    """Reword a fact. Its old text stays in the history.

    FACT is an id, or the end of one as it is listed.
    """
    with opener.open(background=False) as memory:
        changed = memory.edit_fact(_find_fact(memory, owner, fact).id, " ".join(text), owner=owner)
    _print_fact("Changed", changed, as_json)


@facts.command()
@click.argument("fact")
@owner_option
@click.option("--off", is_flag=True, help="Unpin it.")
@json_option
@click.pass_obj
def pin(opener: StoreOpener, fact: str, owner: str, off: bool, as_json: bool) -> None:
    """Put a fact into every prompt.

    FACT is an id, or the end of one as it is listed.
    """
    with opener.open(background=False) as memory:
        pinned = memory.pin_fact(_find_fact(memory, owner, fact).id, not off, owner=owner)
    _print_fact("Unpinned" if off else "Pinned", pinned, as_json)


@facts.command()
@click.argument("fact")
@owner_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_obj
def forget(opener: StoreOpener, fact: str, owner: str, yes: bool, as_json: bool) -> None:
    """Remove a fact for good. The messages it came from stay; `keepsaid erase` removes those.

    FACT is an id, or the end of one as it is listed.
    """
    with opener.open(background=False) as memory:
        found = _find_fact(memory, owner, fact)
        if not yes:
            click.confirm(f"Forget {truncate_to_width(to_printable(found.text), 100)!r}, for good?", abort=True, err=True)
        memory.forget_fact(found.id, owner=owner)
    _print_fact("Forgotten", found, as_json)


@facts.command()
@click.argument("fact")
@owner_option
@click.option("--off", is_flag=True, help="Unhide it.")
@json_option
@click.pass_obj
def hide(opener: StoreOpener, fact: str, owner: str, off: bool, as_json: bool) -> None:
    """Keep a fact out of all prompts. It stays in this list.

    FACT is an id, or the end of one as it is listed.
    """
    with opener.open(background=False) as memory:
        id = _find_fact(memory, owner, fact).id
        hidden = memory.unhide_fact(id, owner=owner) if off else memory.hide_fact(id, owner=owner)
    _print_fact("No longer hidden" if off else "Hidden", hidden, as_json)


@facts.command()
@click.argument("fact", required=False)
@owner_option
@json_option
@click.pass_obj
def history(opener: StoreOpener, fact: str | None, owner: str, as_json: bool) -> None:
    """List your changes to facts, newest first; with FACT, to this one. `undo` reverts a change."""
    with opener.open_for_reading(background=False) as memory:
        changes = memory.fact_history(owner=owner, fact=None if fact is None else _find_fact(memory, owner, fact).id)
    if as_json:
        echo_json({"store": opener.location(), "owner": owner, "changes": [*map(_change_as_json, changes)]})
        return
    if not changes:
        click.echo("No fact was changed by hand.")
        return
    for line in format_table(HISTORY, [_change_row(change) for change in changes], screen_width()):
        click.echo(line)


@facts.command()
@click.argument("change", required=False)
@owner_option
@json_option
@click.pass_obj
def undo(opener: StoreOpener, change: str | None, owner: str, as_json: bool) -> None:
    """Revert a change: the last one, or CHANGE as `history` lists it."""
    with opener.open(background=False) as memory:
        fact = memory.undo_fact_change(_find_change(memory, owner, change).id, owner=owner)
    _print_fact("Reverted", fact, as_json)


def _find_change(memory: Memory, owner: str, name: str | None) -> FactChange:
    """Return the last change that was not undone, or the one whose id ends so."""
    known = memory.fact_history(owner=owner)
    if name is None:
        found = [change for change in known if not change.undone][:1]
    else:
        found = [change for change in known if change.id.endswith(name.removeprefix("…"))]
    if len(found) != 1:
        raise NotFound(f"{len(found)} changes of {owner!r} match; `keepsaid facts history` lists them")
    return found[0]


def _change_row(change: FactChange) -> list[str]:
    cells = (
        change.what,
        _format_value(change.before),
        _format_value(change.after),
        f"{change.changed_at.astimezone():%Y-%m-%d %H:%M}",
    )
    return [cells[0] + (" (undone)" if change.undone else ""), *cells[1:], f"…{change.id[-8:]}"]


def _format_value(value: str | bool | None) -> str:
    return {True: "yes", False: "no", None: "(erased)"}.get(value, str(value)) if not isinstance(value, str) else value


def _change_as_json(change: FactChange) -> dict[str, Any]:
    return {
        "id": change.id, "fact": change.fact, "what": change.what, "at": change.changed_at.isoformat(),
        "before": change.before, "after": change.after, "undone": change.undone,
    }  # fmt: skip


def _find_fact(memory: Memory, owner: str, name: str) -> Fact:
    """Return the one fact whose id starts or ends so."""
    wanted = name.removeprefix("…")
    known = memory.facts(owner=owner, history=True, limit=ALL)
    found = [fact for fact in known if fact.id == wanted]
    found = found or [fact for fact in known if wanted and (fact.id.startswith(wanted) or fact.id.endswith(wanted))]
    if len(found) != 1:
        raise NotFound(f"{len(found)} facts of {owner!r} have an id like {name!r}; `keepsaid facts` lists them")
    return found[0]


def _print_fact(outcome: str, fact: Fact, as_json: bool) -> None:
    if as_json:
        echo_json(_as_json(fact))
    else:
        click.echo(f"{outcome}: {to_printable(fact.text)} ({shorten_id(fact.id)})")


def _row(fact: Fact, history: bool) -> list[str]:
    until = [f"{fact.until.astimezone():%Y-%m-%d}" if fact.until else ""] if history else []
    marks = [mark for mark, is_set in (("pinned", fact.pinned), ("hidden", fact.hidden)) if is_set]
    text = f"{fact.text} ({', '.join(marks)})" if marks else fact.text
    return [text, fact.kind, f"{fact.since.astimezone():%Y-%m-%d}", *until, shorten_id(fact.id)]


def _as_json(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id, "text": fact.text, "kind": fact.kind, "subject": fact.subject, "confidence": fact.confidence,
        "since": fact.since.isoformat(), "until": fact.until.isoformat() if fact.until else None, "pinned": fact.pinned,
        "session": fact.session, "messages": list(fact.messages), "hidden": fact.hidden,
    }  # fmt: skip
