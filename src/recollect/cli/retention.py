"""`recollect retention`: cleans up what is past its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from recollect.cli.door import Door
from recollect.cli.options import json_option
from recollect.cli.words import count, echo_json
from recollect.reports import RetentionReport
from recollect.types import RetentionPolicy


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@click.option("--yes", is_flag=True, help="Go ahead, even if this store was never cleaned up before.")
@json_option
@click.pass_obj
def retention(door: Door, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Delete sessions that expired, and purge those deleted long ago.

    How long they are kept is set by the retention settings; by default for ever, and deleted ones for 30 days. The first
    clean-up of a store, and the first one after these settings have changed, only rehearses.
    """
    if dry_run and yes:
        raise click.UsageError("--dry-run and --yes contradict each other")
    policy = door.settings().retention_policy
    with door.open() as memory:
        report = memory.retention(dry_run=True if dry_run else False if yes else None)
    if as_json:
        echo_json({"store": door.where(), **asdict(report), "total": report.total, "policy": asdict(policy)})
        return
    for line in _lines(report, policy):
        click.echo(line)


def _lines(report: RetentionReport, policy: RetentionPolicy) -> Iterator[str]:
    if not report.total:
        yield "Nothing is past its time."
    if policy.active_days is None and policy.archived_days is None:
        yield "Conversations are kept for ever, unless you delete them; the setting retention_preset changes that."
    for number, kind in ((report.expired, "active"), (report.expired_archived, "archived")):
        if number:
            facts = "their facts stay" if policy.keep_facts else "with their facts"
            yield f"{_happened(report, number, kind)} deleted: expired, restorable until purged; {facts}."
    if report.purged:
        messages = count(report.messages_purged, "message")
        yield f"{_happened(report, report.purged, 'deleted')} purged for good, with {messages}."
    if report.rehearsal:
        yield (
            "Nothing was changed: the first clean-up with these settings is a rehearsal."
            " Run `recollect retention` again to go ahead."
        )
    elif report.dry_run:
        yield "Nothing was changed: this was a dry run."


def _happened(report: RetentionReport, number: int, kind: str) -> str:
    verb = "would be" if report.dry_run else "was" if number == 1 else "were"
    return f"{count(number, f'{kind} session')} {verb}"
