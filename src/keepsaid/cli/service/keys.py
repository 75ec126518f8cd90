"""`keepsaid keys`: manage the keys of the server."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener, store_file_path
from keepsaid.cli.output.formatting import echo_json
from keepsaid.cli.output.table import TableColumn, format_table
from keepsaid.cli.output.text import screen_width
from keepsaid.errors import NotFound
from keepsaid.ports import KeyStorage, ServerKey
from keepsaid.types import to_datetime

SCOPES = ("read", "write", "admin")
COLUMNS = [
    TableColumn("id"), TableColumn("name", flexible=True), TableColumn("owner"),
    TableColumn("scopes"), TableColumn("created"), TableColumn("expires"),
]  # fmt: skip


@click.group()
def keys() -> None:
    """Create, list and revoke keys for the server.

    A key is shown once, when it is created; the store keeps only its hash.
    """


@keys.command()
@click.argument("name")
@click.option("--tenant", help="Create a service key, which acts for the users of this tenant.")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, help="What it allows. Default: read and write.")
@click.option("--days", type=click.FloatRange(0, 36_500, min_open=True), help="Days until it expires. Default: never.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def create(
    context: click.Context, name: str, tenant: str | None, scopes: tuple[str, ...], days: float | None, as_json: bool
) -> None:
    """Create a key and print it. NAME is a label for you.

    It gives access to the memory of the owner (`keepsaid --owner ann keys create laptop`), or with --tenant to those of
    the users that the service names.
    """
    from keepsaid.server.access.keys import create_key

    opener: StoreOpener = context.obj
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    scope_owner: dict[str, Any] = {"tenant": check_tenant_name(tenant)} if tenant is not None else {"owner": opener.owner}
    with _open_keyring(opener, make=True) as ring:
        key, secret = create_key(
            ring, time.time_ns() // 1000, name, scopes=scopes or SCOPES[:2], expires=expires, **scope_owner
        )
    if as_json:
        echo_json(_key_as_json(key) | {"secret": secret})
        return
    click.echo(secret)
    click.echo(f"Key {key.id} of {_key_owner(key)}, for {', '.join(key.scopes)}. It is not shown again.", err=True)


@keys.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def list_(context: click.Context, as_json: bool) -> None:
    """List the keys, newest first."""
    with _open_keyring(context.obj) as ring:
        known = ring.keys()
    if as_json:
        echo_json({"keys": [_key_as_json(key) for key in known]})
    elif not known:
        click.echo("There are no keys. `keepsaid keys create NAME` creates one.")
    else:
        rows = [
            (key.id, key.name, _key_owner(key), " ".join(key.scopes), _format_day(key.created), _format_expiry(key))
            for key in known
        ]
        for line in format_table(COLUMNS, rows, screen_width()):
            click.echo(line)


@keys.command()
@click.argument("id")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def revoke(context: click.Context, id: str, as_json: bool) -> None:
    """Revoke a key. A running server notices within five seconds."""
    with _open_keyring(context.obj) as ring:
        if not ring.drop_key(id):
            raise NotFound(f"there is no key {id}: `keepsaid keys list` lists them")
    if as_json:
        echo_json({"id": id, "revoked": True})
    else:
        click.echo(f"Key {id} is revoked.")


@contextmanager
def _open_keyring(opener: StoreOpener, *, make: bool = False) -> Generator[KeyStorage]:
    if not make and not opener.is_remote and not (path := store_file_path(opener.settings())).exists():
        raise NotFound(f"there is no store at {path} yet, and so no keys: `keepsaid keys create NAME` creates one")
    storage = wiring.open_storage(opener.settings())
    try:
        yield storage
    finally:
        storage.close()


def check_tenant_name(tenant: str) -> str:
    """Return a tenant's name after checking that it is valid."""
    if not tenant or "/" in tenant or not tenant.isprintable():
        raise click.UsageError("a tenant's name must not be empty, must be printable and must not contain a slash")
    return tenant


def _key_as_json(key: ServerKey) -> dict[str, Any]:
    data = {name: value for name, value in key._asdict().items() if name not in ("digest", "created", "expires")}
    ends = None if key.expires is None else to_datetime(key.expires).isoformat()
    return data | {"created_at": to_datetime(key.created).isoformat(), "expires_at": ends}


def _key_owner(key: ServerKey) -> str:
    return f"{key.tenant}/…" if key.tenant is not None else str(key.owner)


def _format_day(at: int) -> str:
    return f"{to_datetime(at).astimezone():%Y-%m-%d}"


def _format_expiry(key: ServerKey) -> str:
    return "never" if key.expires is None else _format_day(key.expires)
