"""`recollect firestore`: what a Firestore database needs beside the data, and conversations that are there already."""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from recollect.cli.door import Door
from recollect.cli.options import json_option
from recollect.cli.progress import Progress, Stopped
from recollect.cli.text import printable
from recollect.cli.words import count, echo_json
from recollect.errors import Conflict, NotFound

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.reports import ImportReport
    from recollect.storage.firestore.address import Address
    from recollect.storage.firestore.adopt import App

FORMAT = "chat-jsonl"


@click.group()
def firestore() -> None:
    """Prepare Firestore: rules, indexes, and chats of an app."""


@firestore.command("rules")
@click.pass_context
def print_rules(context: click.Context) -> None:
    """Print security rules: users read their own conversations, and write nothing.

    They go to firestore.rules, and from there with `firebase deploy --only firestore:rules`.
    """
    from recollect.storage.firestore.places import names_at
    from recollect.storage.firestore.rules import rules

    click.echo(rules(names_at(_address(context.obj))), nl=False)


@firestore.command("indexes")
@click.pass_context
def print_indexes(context: click.Context) -> None:
    """Print definitions of indexes and of TTL, as JSON.

    They go to firestore.indexes.json, and from there with `firebase deploy --only firestore:indexes`.
    """
    from recollect.storage.firestore.places import names_at
    from recollect.storage.firestore.rules import indexes

    click.echo(json.dumps(indexes(names_at(_address(context.obj))), indent=2))


@firestore.command()
@click.option("--owner", "owners", metavar="NAME", multiple=True, help="Whose conversations; may be repeated.")
@click.option("--all", "everybody", is_flag=True, help="Everybody's.")
@click.option("--owner-field", metavar="FIELD", help="The field of a session that names its owner. Default: user_id.")
@click.option("--dry-run", is_flag=True, help="Only read and count.")
@json_option
@click.pass_context
def adopt(
    context: click.Context, owners: tuple[str, ...], everybody: bool, owner_field: str | None, dry_run: bool, as_json: bool
) -> None:
    """Take over conversations that an app keeps in this database.

    They stay in their documents, with all fields that the app gave them, and get beside them what Recollect needs. It may be
    run again: what is there already is passed over. The exit code is 1 if something could not be read.
    """
    from recollect.storage.firestore.adopt import App

    if bool(owners) == everybody:
        raise click.UsageError("say whose: --owner NAME, or --all")
    address = _address(context.obj, needed=True)
    if owner_field is not None:
        address = replace(address, owner_field=owner_field)
    reports: dict[str, ImportReport] = {}
    with closing(App(address)) as app, _opened(context.obj, address) as memory, Progress() as progress:
        try:
            for owner in app.owners() if everybody else owners:
                reports[owner] = _adopt(app, memory, owner, dry_run, progress)
        except KeyboardInterrupt:
            raise Stopped("What was adopted by now stays; run it again to go on from there.") from None
        if as_json:
            told = {owner: asdict(report) for owner, report in reports.items()}
            echo_json({"dry_run": dry_run, "deleted": app.deleted, "owners": told})
        else:
            _print(reports, app, dry_run)
    if any(report.warnings for report in reports.values()):
        context.exit(1)


def _adopt(app: App, memory: Memory, owner: str, dry_run: bool, progress: Progress) -> ImportReport:
    """By way of a file that only this user can read, and that ends with this work."""
    app.archived.clear()
    with TemporaryDirectory(prefix="recollect-") as folder:
        file = Path(folder) / "conversations.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for line in app.conversations(owner, progress.of(f"Reading sessions of {printable(owner)}")):
                lines.write(line + "\n")
        tell = progress.of(f"Adopting sessions of {printable(owner)}")
        report = memory.import_(file, owner=owner, format=FORMAT, dry_run=dry_run, progress=tell)
    for session in () if dry_run else app.archived:
        _archive(memory, owner, session)
    return report


def _archive(memory: Memory, owner: str, session: str) -> None:
    try:
        memory.chat(owner=owner, session=session).archive()
    except (NotFound, Conflict):
        return  # it had nothing to adopt, or has moved on since


def _print(reports: dict[str, ImportReport], app: App, dry_run: bool) -> None:
    verb = "Would adopt" if dry_run else "Adopted"
    for owner, report in reports.items():
        taken = f"{count(report.conversations, 'conversation')}, {count(report.messages, 'message')}"
        click.echo(f"{verb} {taken} of {printable(owner)}; there already: {count(report.already_there, 'message')}.")
        for what, numbers in (("left out", report.skipped), ("mended", report.mended)):
            for reason, number in numbers.items():
                click.echo(f"  {what}: {number:,} {printable(reason)}")
        for warning in report.warnings:
            click.echo(f"  warning: {printable(warning)}")
    if app.deleted:
        click.echo(f"Left out: {count(app.deleted, 'session')} that the app had deleted.")
    if dry_run:
        click.echo("Nothing was changed: this was a dry run.")


def _address(door: Door, *, needed: bool = False) -> Address:
    """The settings' address; for what needs no database, the usual names will do."""
    from recollect.storage.firestore.address import Address, parse

    url = door.settings().url
    if url.startswith("firestore:") or needed:
        return parse(url, os.environ)
    return Address()


def _opened(door: Door, address: Address) -> Memory:
    """The store at an address that may differ from the settings' own in one option."""
    from recollect import wiring

    settings: dict[str, Any] = {**asdict(door.settings()), "url": url_of(address), "background": False}
    return wiring.open_memory(**settings)


def url_of(address: Address) -> str:
    """An address as a URL again.

    >>> from recollect.storage.firestore.address import Address
    >>> url_of(Address("my-project", owner_field="uid"))
    'firestore://my-project/?owner_field=uid'
    """
    from recollect.storage.firestore.address import Address

    usual = asdict(Address())
    options = {name: value for name, value in asdict(address).items() if name != "project" and value != usual[name]}
    return f"firestore://{address.project}/" + (f"?{urlencode(options)}" if options else "")
