"""`keepsaid restore`: restore a backup."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener, store_file_path
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json, format_count
from keepsaid.cli.output.progress import ProgressReporter
from keepsaid.errors import Conflict
from keepsaid.services.background.backups import BACKUP_TIME_FORMAT


@click.command()
@click.argument("backup", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--repair", is_flag=True, help="Repair a damaged backup while restoring; the file itself is not changed.")
@click.option("--yes", is_flag=True, help="Replace an existing store, which is kept under another name.")
@json_option
@click.pass_context
def restore(context: click.Context, backup: Path, repair: bool, yes: bool, as_json: bool) -> None:
    """Restore a backup.

    BACKUP becomes the store that --db names. It is checked first, as by `keepsaid doctor`. A store that another program has
    open is not touched. The exit code is 1 if the backup is damaged.
    """
    opener: StoreOpener = context.obj
    settings = opener.settings()
    store = store_file_path(settings)
    exists = store.exists() and store.stat().st_size > 0
    if exists and not yes:
        raise Conflict(f"{store} already exists; --yes replaces it, and keeps it under another name")
    aside = store.with_name(f"{store.name}.before-restore-{datetime.now().astimezone():{BACKUP_TIME_FORMAT}}")
    with ProgressReporter("bytes") as progress:
        restored = wiring.restore(settings, backup, aside, repair=repair, progress=progress.counter("Restoring"))
    findings = restored.diagnosis.findings
    kept_path = str(aside) if restored.done and exists else None
    if as_json:
        data = {"store": str(store), "backup": str(backup), "restored": restored.done, "kept_as": kept_path}
        echo_json({**data, "checked": dict(restored.diagnosis.checked), "findings": [*map(asdict, findings)]})
    else:
        for finding in findings:
            click.echo(f"  {'repaired' if finding.repaired else 'wrong'}: {finding.kind}: {finding.detail}")
        if restored.done:
            checked = [format_count(restored.diagnosis.checked[f"{noun}s"], noun) for noun in ("session", "message")]
            click.echo(f"Restored {store} from {backup}: {', '.join(checked)}.")
        else:
            click.echo(f"{backup} is damaged, and nothing was changed; --repair repairs what is restored.")
        if kept_path:
            click.echo(f"The previous store is in {kept_path}.")
    if not restored.done:
        context.exit(1)
