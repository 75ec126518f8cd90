"""`recollect keys`: who may use the server."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from recollect import wiring
from recollect.cli.door import Door, file_of
from recollect.cli.table import Column, table
from recollect.cli.text import screen_width
from recollect.cli.words import echo_json
from recollect.errors import NotFound, StorageError
from recollect.ports import Key, Keyring
from recollect.types import moment

SCOPES = ("read", "write", "admin")
COLUMNS = [
    Column("id"), Column("name", gives_way=True), Column("whose"), Column("scopes"), Column("made"), Column("good until"),
]  # fmt: skip


@click.group()
def keys() -> None:
    """Make, list and take back keys to the server.

    A key is shown once, when it is made; the store keeps its hash alone.
    """


@keys.command()
@click.argument("name")
@click.option("--tenant", help="Make it a service's key, which acts for the users of this tenant.")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, help="What it may do. Default: read and write.")
@click.option(
    "--days", type=click.FloatRange(0, 36_500, min_open=True), help="How long it is good. Default: until it is taken back."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def create(
    context: click.Context, name: str, tenant: str | None, scopes: tuple[str, ...], days: float | None, as_json: bool
) -> None:
    """Make a key and print it. NAME is for you: what it is for.

    It opens the memory of the owner (`recollect --owner ann keys create laptop`), or with --tenant those of the users that
    the service names.
    """
    from recollect.server.access.keys import make

    door: Door = context.obj
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    whose: dict[str, Any] = {"tenant": checked(tenant)} if tenant is not None else {"owner": door.owner}
    with _ring(door, make=True) as ring:
        key, secret = make(ring, time.time_ns() // 1000, name, scopes=scopes or SCOPES[:2], expires=expires, **whose)
    if as_json:
        echo_json(_told(key) | {"secret": secret})
        return
    click.echo(secret)
    click.echo(f"Key {key.id} of {_whose(key)}, for {', '.join(key.scopes)}. It is not shown again.", err=True)


@keys.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def list_(context: click.Context, as_json: bool) -> None:
    """List the keys, newest first."""
    with _ring(context.obj) as ring:
        known = ring.keys()
    if as_json:
        echo_json({"keys": [_told(key) for key in known]})
    elif not known:
        click.echo("There are no keys. `recollect keys create NAME` makes one.")
    else:
        rows = [(key.id, key.name, _whose(key), " ".join(key.scopes), _day(key.created), _end(key)) for key in known]
        for line in table(COLUMNS, rows, screen_width()):
            click.echo(line)


@keys.command()
@click.argument("id")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def revoke(context: click.Context, id: str, as_json: bool) -> None:
    """Take a key back. A running server notices within five seconds."""
    with _ring(context.obj) as ring:
        if not ring.drop_key(id):
            raise NotFound(f"there is no key {id}: `recollect keys list` lists them")
    if as_json:
        echo_json({"id": id, "revoked": True})
    else:
        click.echo(f"Key {id} is taken back.")


@contextmanager
def _ring(door: Door, *, make: bool = False) -> Generator[Keyring]:
    if not make and not door.is_elsewhere and not (path := file_of(door.settings())).exists():
        raise NotFound(f"there is no store at {path} yet, and so no keys: `recollect keys create NAME` makes one")
    storage = wiring.open_storage(door.settings())
    try:
        if not isinstance(storage, Keyring):
            raise StorageError("this backend keeps no keys")
        yield storage
    finally:
        storage.close()


def checked(tenant: str) -> str:
    """A tenant's name, if it can be one."""
    if not tenant or "/" in tenant or not tenant.isprintable():
        raise click.UsageError("a tenant's name is not empty, printable, and has no slash")
    return tenant


def _told(key: Key) -> dict[str, Any]:
    told = {name: value for name, value in key._asdict().items() if name not in ("digest", "created", "expires")}
    ends = None if key.expires is None else moment(key.expires).isoformat()
    return told | {"created_at": moment(key.created).isoformat(), "expires_at": ends}


def _whose(key: Key) -> str:
    return f"{key.tenant}/…" if key.tenant is not None else str(key.owner)


def _day(at: int) -> str:
    return f"{moment(at).astimezone():%Y-%m-%d}"


def _end(key: Key) -> str:
    return "for ever" if key.expires is None else _day(key.expires)
