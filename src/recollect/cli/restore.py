"""`recollect restore`: brings a backup back."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from recollect import wiring
from recollect.cli.door import Door, file_of
from recollect.cli.options import json_option
from recollect.cli.progress import Progress
from recollect.cli.words import count, echo_json
from recollect.copies import STAMP
from recollect.errors import Conflict


@click.command()
@click.argument("backup", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--repair", is_flag=True, help="Mend a backup that is not in order; the file itself stays as it is.")
@click.option("--yes", is_flag=True, help="Replace a store that is there; it is kept beside it, under another name.")
@json_option
@click.pass_context
def restore(context: click.Context, backup: Path, repair: bool, yes: bool, as_json: bool) -> None:
    """Bring a backup back.

    BACKUP becomes the store that --db names. It is checked first, as by `recollect doctor`. A store that another program has
    open is not touched. The exit code is 1 if the backup is not in order.
    """
    door: Door = context.obj
    settings = door.settings()
    store = file_of(settings)
    there = store.exists() and store.stat().st_size > 0
    if there and not yes:
        raise Conflict(f"{store} is there; --yes replaces it, and keeps it under another name")
    aside = store.with_name(f"{store.name}.before-restore-{datetime.now().astimezone():{STAMP}}")
    with Progress("bytes") as progress:
        restored = wiring.restore(settings, backup, aside, repair=repair, progress=progress.of("Restoring"))
    findings = restored.diagnosis.findings
    kept = str(aside) if restored.done and there else None
    if as_json:
        told = {"store": str(store), "backup": str(backup), "restored": restored.done, "kept_as": kept}
        echo_json({**told, "checked": dict(restored.diagnosis.checked), "findings": [*map(asdict, findings)]})
    else:
        for finding in findings:
            click.echo(f"  {'repaired' if finding.repaired else 'wrong'}: {finding.kind}: {finding.detail}")
        if restored.done:
            checked = [count(restored.diagnosis.checked[f"{noun}s"], noun) for noun in ("session", "message")]
            click.echo(f"Restored {store} from {backup}: {', '.join(checked)}.")
        else:
            click.echo(f"{backup} is not in order, and nothing was changed; --repair mends what comes back.")
        if kept:
            click.echo(f"What was there before is in {kept}.")
    if not restored.done:
        context.exit(1)
