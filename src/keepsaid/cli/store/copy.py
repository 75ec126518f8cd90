"""`keepsaid copy`: copy everything from one store to another."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener, require_store_file
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.progress import CommandInterrupted, ProgressReporter
from keepsaid.cli.output.text import to_printable
from keepsaid.config import Settings
from keepsaid.errors import ConfigError, InvalidInput
from keepsaid.ports import Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.transfer.copy import NOT_COPIED, CopyReport, StoreCopier

SHOWN = 20
"""Differences that are printed individually."""


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--owner", metavar="NAME", help="Copy only the data of this owner; no pools and no server keys.")
@click.option("--key-file", type=click.Path(path_type=Path), metavar="FILE", help="The key of an encrypted source.")
@click.option("--target-key-file", type=click.Path(path_type=Path), metavar="FILE",
              help="The key of the target; a new store is encrypted with it.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only compare, and show what would be copied.")
@click.option("--verify", is_flag=True, help="Only compare; the exit code is 1 unless the target is complete.")
@json_option
@click.pass_context
def copy(
    context: click.Context,
    source: str,
    target: str,
    owner: str | None,
    key_file: Path | None,
    target_key_file: Path | None,
    dry_run: bool,
    verify: bool,
    as_json: bool,
) -> None:
    """Copy everything from one store to another.

    SOURCE and TARGET are files, or URLs such as postgresql://…, redis://… and firestore://…. Copied are conversations with
    all their branches and forks, documents, facts, summaries, receipts, vectors (nothing is embedded again), blobs, pools
    with their members, and server keys. The source is only read. If interrupted, run it again to continue. A target that has
    other data of the same owners is not touched. Nothing else may write to the target meanwhile.

    Not copied: records of erased data, the history of changes, revisions, and temporary sessions.

    At the end both stores are compared, every session by its hash. The exit code is 1 if anything differs.
    """
    opener: StoreOpener = context.obj
    source_settings = _settings_for(opener, source, key_file or opener.key_file, keep_key=True)
    target_settings = _settings_for(opener, target, target_key_file, keep_key=False)
    if _address(source_settings) == _address(target_settings):
        raise InvalidInput("source and target are the same store")
    with (
        closing(_open_source(source_settings)) as old,
        closing(_open_target(target_settings, dry_run, verify)) as new,
        ProgressReporter() as progress,
    ):
        copier = StoreCopier(old, new, owner=owner, tell=progress)
        try:
            report = copier.compare() if dry_run or verify else copier.copy()
        except KeyboardInterrupt:
            raise CommandInterrupted("What was copied so far is kept; run it again to continue.") from None
    if as_json:
        data = {
            "source": wiring.shown_url(source_settings),
            "target": wiring.shown_url(target_settings),
            "dry_run": dry_run or verify,
        }
        echo_json({**data, **asdict(report), "not_copied": list(NOT_COPIED), "is_whole": report.is_whole})
    else:
        _print(report, only_compared=dry_run or verify)
    if report.differences or not (report.is_whole or dry_run):
        context.exit(1)


def _settings_for(opener: StoreOpener, url: str, key_file: Path | None, *, keep_key: bool) -> Settings:
    """Return the settings for another store. Replicas of both would conflict in one folder, so neither gets a fixed one."""
    settings = replace(opener.settings(), url=url, replica_folder=None)
    if key_file is not None:
        return replace(settings, key=None, key_file=str(key_file))
    return settings if keep_key else replace(settings, key=None, key_file=None)


def _address(settings: Settings) -> str:
    path = wiring.sqlite_path(settings)
    return settings.url if path is None else str(path.resolve())


def _open_source(settings: Settings) -> Storage:
    if not wiring.is_remote(settings):
        require_store_file(settings)
    return wiring.open_storage(settings)


def _open_target(settings: Settings, dry_run: bool, verify: bool) -> Storage:
    """Open the target. Only a real copy creates a missing file."""
    if not wiring.is_remote(settings):
        path = wiring.sqlite_path(settings)
        if path is None:
            raise ConfigError("memory:// cannot be copied into: it ends with this program")
        if verify:
            require_store_file(settings)
        elif dry_run and not path.exists():
            return MemoryStorage()
    return wiring.open_storage(settings)


def _print(report: CopyReport, *, only_compared: bool) -> None:
    if only_compared:
        click.echo(f"The source has {_contents(report)}.")
        click.echo(
            f"In the target: {report.agree:,} of {format_count(report.sessions, 'session')} as they are in the source."
        )
    else:
        new = f"{format_count(report.copied_sessions, 'session')}, {format_count(report.copied_messages, 'message')}"
        click.echo(f"Copied {new}; the target has {_contents(report)}.")
    for line in (*report.missing_items[:SHOWN], *report.differences[:SHOWN]):
        click.echo(to_printable(f"  {line}"))
    rest = max(0, len(report.missing_items) - SHOWN) + max(0, len(report.differences) - SHOWN)
    if rest:
        click.echo(f"  and {rest:,} more")
    if report.is_whole:
        click.echo(f"Verified: {format_count(report.agree, 'session')} agree, hash {report.source_hash[:16]}.")
    elif report.differences:
        click.echo(f"{format_count(len(report.differences), 'difference')}: the target is not a copy of the source.")
    else:
        click.echo(f"Still missing: {format_count(report.missing, 'session')}.")
    if not only_compared:
        click.echo("Not copied, as always:")
        for words in NOT_COPIED:
            click.echo(f"  {words}")


def _contents(report: CopyReport) -> str:
    parts = (
        format_count(report.owners, "owner"), format_count(report.sessions, "session"),
        format_count(report.messages, "message"),
        format_count(report.artifacts, "artifact"), format_count(report.receipts, "receipt"),
        format_count(report.passages, "vector"), format_count(report.blobs, "blob"),
    )  # fmt: skip
    return ", ".join(parts)
