"""`keepsaid firestore`: print rules and indexes for a Firestore database, and adopt an app's conversations in it."""

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

from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.progress import CommandInterrupted, ProgressReporter
from keepsaid.cli.output.text import to_printable
from keepsaid.errors import Conflict, NotFound

if TYPE_CHECKING:
    from keepsaid.memory import Memory
    from keepsaid.storage.firestore.adopt import AppConversationReader
    from keepsaid.storage.firestore.options import FirestoreOptions
    from keepsaid.types.reports import ImportReport

FORMAT = "chat-jsonl"


@click.group()
def firestore() -> None:
    """Prepare Firestore: rules, indexes, and chats of an app."""


@firestore.command("rules")
@click.pass_context
def print_rules(context: click.Context) -> None:
    """Print security rules: users read their own conversations, and write nothing.

    Save them as firestore.rules and run `firebase deploy --only firestore:rules`.
    """
    from keepsaid.storage.firestore.document_names import document_paths_for
    from keepsaid.storage.firestore.rules import security_rules

    click.echo(security_rules(document_paths_for(_address(context.obj))), nl=False)


@firestore.command("indexes")
@click.pass_context
def print_indexes(context: click.Context) -> None:
    """Print definitions of indexes and of TTL, as JSON.

    Save them as firestore.indexes.json and run `firebase deploy --only firestore:indexes`.
    """
    from keepsaid.storage.firestore.document_names import document_paths_for
    from keepsaid.storage.firestore.rules import index_definitions

    click.echo(json.dumps(index_definitions(document_paths_for(_address(context.obj))), indent=2))


@firestore.command()
@click.option("--owner", "owners", metavar="NAME", multiple=True, help="Adopt conversations of this owner; may be repeated.")
@click.option("--all", "all_owners", is_flag=True, help="Adopt conversations of all owners.")
@click.option("--owner-field", metavar="FIELD", help="The field of a session that names its owner. Default: user_id.")
@click.option("--dry-run", is_flag=True, help="Only read and count.")
@json_option
@click.pass_context
def adopt(
    context: click.Context, owners: tuple[str, ...], all_owners: bool, owner_field: str | None, dry_run: bool, as_json: bool
) -> None:
    """Adopt conversations that an app keeps in this database.

    They stay in their documents with all fields of the app, and Keepsaid adds its own data next to them. It can be run
    again: existing data is skipped. The exit code is 1 if something could not be read.
    """
    from keepsaid.storage.firestore.adopt import AppConversationReader

    if bool(owners) == all_owners:
        raise click.UsageError("name the owners: --owner NAME, or --all")
    address = _address(context.obj, needed=True)
    if owner_field is not None:
        address = replace(address, owner_field=owner_field)
    reports: dict[str, ImportReport] = {}
    with (
        closing(AppConversationReader(address)) as app,
        _open_memory(context.obj, address) as memory,
        ProgressReporter() as progress,
    ):
        try:
            for owner in app.owners() if all_owners else owners:
                reports[owner] = _adopt(app, memory, owner, dry_run, progress)
        except KeyboardInterrupt:
            raise CommandInterrupted("What was adopted so far is kept; run it again to continue.") from None
        if as_json:
            data = {owner: asdict(report) for owner, report in reports.items()}
            echo_json({"dry_run": dry_run, "deleted": app.deleted_count, "owners": data})
        else:
            _print(reports, app, dry_run)
    if any(report.warnings for report in reports.values()):
        context.exit(1)


def _adopt(
    app: AppConversationReader, memory: Memory, owner: str, dry_run: bool, progress: ProgressReporter
) -> ImportReport:
    """Adopt one owner's conversations, through a temporary file that only this user can read."""
    app.archived_ids.clear()
    with TemporaryDirectory(prefix="keepsaid-") as folder:
        file = Path(folder) / "conversations.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for line in app.conversations(owner, progress.counter(f"Reading sessions of {to_printable(owner)}")):
                lines.write(line + "\n")
        tell = progress.counter(f"Adopting sessions of {to_printable(owner)}")
        report = memory.import_(file, owner=owner, format=FORMAT, dry_run=dry_run, progress=tell)
    for session in () if dry_run else app.archived_ids:
        _archive(memory, owner, session)
    return report


def _archive(memory: Memory, owner: str, session: str) -> None:
    try:
        memory.chat(owner=owner, session=session).archive()
    except (NotFound, Conflict):
        return  # there was nothing to adopt, or the session has changed since


def _print(reports: dict[str, ImportReport], app: AppConversationReader, dry_run: bool) -> None:
    verb = "Would adopt" if dry_run else "Adopted"
    for owner, report in reports.items():
        taken = f"{format_count(report.conversations, 'conversation')}, {format_count(report.messages, 'message')}"
        click.echo(
            f"{verb} {taken} of {to_printable(owner)}; already present: {format_count(report.already_there, 'message')}."
        )
        for what, numbers in (("left out", report.skipped), ("repaired", report.repaired)):
            for reason, number in numbers.items():
                click.echo(f"  {what}: {number:,} {to_printable(reason)}")
        for warning in report.warnings:
            click.echo(f"  warning: {to_printable(warning)}")
    if app.deleted_count:
        click.echo(f"Left out: {format_count(app.deleted_count, 'session')} that the app had deleted.")
    if dry_run:
        click.echo("Nothing was changed: this was a dry run.")


def _address(opener: StoreOpener, *, needed: bool = False) -> FirestoreOptions:
    """Return the address in the settings, or unless `needed` the default one."""
    from keepsaid.storage.firestore.options import FirestoreOptions, parse_url

    url = opener.settings().url
    if url.startswith("firestore:") or needed:
        return parse_url(url, os.environ)
    return FirestoreOptions()


def _open_memory(opener: StoreOpener, address: FirestoreOptions) -> Memory:
    """Open the store at this address, which may differ from the one in the settings."""
    from keepsaid import wiring

    settings: dict[str, Any] = {**asdict(opener.settings()), "url": format_address_url(address), "background": False}
    return wiring.open_memory(**settings)


def format_address_url(address: FirestoreOptions) -> str:
    """Format an address as a URL.

    >>> from keepsaid.storage.firestore.options import FirestoreOptions
    >>> format_address_url(FirestoreOptions("my-project", owner_field="uid"))
    'firestore://my-project/?owner_field=uid'
    """
    from keepsaid.storage.firestore.options import FirestoreOptions

    usual = asdict(FirestoreOptions())
    options = {name: value for name, value in asdict(address).items() if name != "project" and value != usual[name]}
    return f"firestore://{address.project}/" + (f"?{urlencode(options)}" if options else "")
