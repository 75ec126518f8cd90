"""`recollect copy`: everything, from any store to any other."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import click

from recollect import wiring
from recollect.cli.door import Door, existing
from recollect.cli.options import json_option
from recollect.cli.progress import Progress, Stopped
from recollect.cli.text import printable
from recollect.cli.words import count, echo_json
from recollect.config import Settings
from recollect.copier import LEFT_BEHIND, Copier, CopyReport
from recollect.errors import ConfigError, InvalidInput
from recollect.ports import Storage
from recollect.storage.memory import MemoryStorage

SHOWN = 20
"""Differences that are told one by one."""


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--owner", metavar="NAME", help="Copy only what this owner has; no pools and no keys of servers.")
@click.option("--key-file", type=click.Path(path_type=Path), metavar="FILE", help="The key of an encrypted source.")
@click.option("--target-key-file", type=click.Path(path_type=Path), metavar="FILE",
              help="The key of the target; one that is new is encrypted with it.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only compare, and tell what would be copied.")
@click.option("--verify", is_flag=True, help="Only compare; the exit code is 1 unless everything is there.")
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

    SOURCE and TARGET are files, or URLs such as postgresql://…, redis://… and firestore://…. Conversations go with all their
    branches and forks, documents, facts, summaries, receipts, vectors (nothing is embedded again), blobs, pools with their
    members, and keys of servers. The source is only read. Stopped and run again, it goes on from where it was. A target that
    has other things for the same owners is not touched. Let nobody write to the target meanwhile.

    Not carried over: marks of what was erased, the history of changes, revisions, and temporary sessions.

    At the end both stores are compared, every session by its hash. The exit code is 1 if anything differs.
    """
    door: Door = context.obj
    here = _settings(door, source, key_file or door.key_file, keep_key=True)
    there = _settings(door, target, target_key_file, keep_key=False)
    if _address(here) == _address(there):
        raise InvalidInput("source and target are the same store")
    with closing(_source(here)) as old, closing(_target(there, dry_run, verify)) as new, Progress() as progress:
        copier = Copier(old, new, owner=owner, tell=progress)
        try:
            report = copier.compare() if dry_run or verify else copier.copy()
        except KeyboardInterrupt:
            raise Stopped("What was copied by now stays; run it again to go on from there.") from None
    if as_json:
        told = {"source": wiring.shown_url(here), "target": wiring.shown_url(there), "dry_run": dry_run or verify}
        echo_json({**told, **asdict(report), "left_behind": list(LEFT_BEHIND), "is_whole": report.is_whole})
    else:
        _print(report, only_compared=dry_run or verify)
    if report.differences or not (report.is_whole or dry_run):
        context.exit(1)


def _settings(door: Door, url: str, key_file: Path | None, *, keep_key: bool) -> Settings:
    """The settings in force, for another store. Mirrors of both would get into each other's way in one folder."""
    settings = replace(door.settings(), url=url, mirror_folder=None)
    if key_file is not None:
        return replace(settings, key=None, key_file=str(key_file))
    return settings if keep_key else replace(settings, key=None, key_file=None)


def _address(settings: Settings) -> str:
    path = wiring.sqlite_path(settings)
    return settings.url if path is None else str(path.resolve())


def _source(settings: Settings) -> Storage:
    if not wiring.is_elsewhere(settings):
        existing(settings)
    return wiring.open_storage(settings)


def _target(settings: Settings, dry_run: bool, verify: bool) -> Storage:
    """The store to copy into; a file that is not there is made by a copy alone."""
    if not wiring.is_elsewhere(settings):
        path = wiring.sqlite_path(settings)
        if path is None:
            raise ConfigError("memory:// cannot be copied into: it ends with this program")
        if verify:
            existing(settings)
        elif dry_run and not path.exists():
            return MemoryStorage()
    return wiring.open_storage(settings)


def _print(report: CopyReport, *, only_compared: bool) -> None:
    if only_compared:
        click.echo(f"The source has {_contents(report)}.")
        click.echo(f"In the target: {report.agree:,} of {count(report.sessions, 'session')} as they are in the source.")
    else:
        new = f"{count(report.copied_sessions, 'session')}, {count(report.copied_messages, 'message')}"
        click.echo(f"Copied {new}; the target has {_contents(report)}.")
    for line in (*report.waiting[:SHOWN], *report.differences[:SHOWN]):
        click.echo(printable(f"  {line}"))
    rest = max(0, len(report.waiting) - SHOWN) + max(0, len(report.differences) - SHOWN)
    if rest:
        click.echo(f"  and {rest:,} more")
    if report.is_whole:
        click.echo(f"Verified: {count(report.agree, 'session')} agree, hash {report.source_hash[:16]}.")
    elif report.differences:
        click.echo(f"{count(len(report.differences), 'difference')}: the target is not a copy of the source.")
    else:
        click.echo(f"Still to come: {count(report.missing, 'session')}.")
    if not only_compared:
        click.echo("Left behind, as in every copy:")
        for words in LEFT_BEHIND:
            click.echo(f"  {words}")


def _contents(report: CopyReport) -> str:
    parts = (
        count(report.owners, "owner"), count(report.sessions, "session"), count(report.messages, "message"),
        count(report.made, "note"), count(report.receipts, "receipt"), count(report.passages, "vector"),
        count(report.blobs, "blob"),
    )  # fmt: skip
    return ", ".join(parts)
