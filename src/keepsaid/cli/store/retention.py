"""`keepsaid retention`: delete expired sessions and purge deleted ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from keepsaid.cli.open_store import StoreOpener
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.types import RetentionPolicy
from keepsaid.types.reports import RetentionReport


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would happen.")
@click.option("--yes", is_flag=True, help="Do it even on the first clean-up of this store.")
@json_option
@click.pass_obj
def retention(opener: StoreOpener, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Delete sessions that expired, and purge those deleted long ago.

    The retention settings say how long they are kept; by default forever, and deleted ones for 30 days. The first clean-up
    of a store, and the first after these settings have changed, is only a dry run.
    """
    if dry_run and yes:
        raise click.UsageError("--dry-run and --yes contradict each other")
    policy = opener.settings().retention_policy
    with opener.open() as memory:
        report = memory.retention(dry_run=True if dry_run else False if yes else None)
    if as_json:
        echo_json({"store": opener.location(), **asdict(report), "total": report.total, "policy": asdict(policy)})
        return
    for line in _lines(report, policy):
        click.echo(line)


def _lines(report: RetentionReport, policy: RetentionPolicy) -> Iterator[str]:
    if not report.total:
        yield "Nothing has expired."
    if policy.active_days is None and policy.archived_days is None:
        yield "Conversations are kept forever unless you delete them; the setting retention_preset changes that."
    for number, kind in ((report.expired, "active"), (report.expired_archived, "archived")):
        if number:
            facts = "their facts stay" if policy.keep_facts else "with their facts"
            yield f"{_count_with_verb(report, number, kind)} deleted: expired, restorable until purged; {facts}."
    if report.purged:
        messages = format_count(report.messages_purged, "message")
        yield f"{_count_with_verb(report, report.purged, 'deleted')} purged for good, with {messages}."
    if report.first_dry_run:
        yield (
            "Nothing was changed: the first clean-up with these settings is a dry run."
            " Run `keepsaid retention` again to proceed."
        )
    elif report.dry_run:
        yield "Nothing was changed: this was a dry run."


def _count_with_verb(report: RetentionReport, number: int, kind: str) -> str:
    verb = "would be" if report.dry_run else "was" if number == 1 else "were"
    return f"{format_count(number, f'{kind} session')} {verb}"
