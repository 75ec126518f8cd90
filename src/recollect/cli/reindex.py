"""`recollect reindex`: gives every message its vectors, after a change of model or where there were none."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import click

from recollect import wiring
from recollect.cli.door import Door, existing
from recollect.cli.options import json_option
from recollect.cli.progress import Progress
from recollect.cli.survey import Estimate, Survey, duration, estimate_embedding, survey_vectors
from recollect.cli.words import count, echo_json, size
from recollect.errors import ConfigError
from recollect.memory import Memory


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what there is to do, and how long it will take.")
@json_option
@click.pass_context
def reindex(context: click.Context, dry_run: bool, as_json: bool) -> None:
    """Embed every message that has no vectors of the present model.

    Searches go on meanwhile. It can be stopped at any time, and goes on where it was.
    """
    door: Door = context.obj
    settings = door.settings()
    if not door.is_elsewhere:
        existing(settings)
    embedder = wiring.open_embedder(settings)
    if embedder is None:
        raise ConfigError(
            "there is no embedder: `recollect model pull` gets the local one, the setting `embedder` names others"
        )
    survey = _survey(door, embedder.name)
    if dry_run:
        estimate = estimate_embedding(survey, embedder)
        if as_json:
            echo_json({**_as_json(door, survey), "dry_run": True, "waiting": survey.waiting, **_foretold(estimate)})
        else:
            _print_plan(door, survey, estimate)
        return
    start = time.monotonic()
    with door.open(background=False) as memory:
        embedded, stopped = _embed(memory, survey)
    after = _survey(door, embedder.name)
    if as_json:
        done = {"embedded": embedded, "seconds": round(time.monotonic() - start, 1), "waiting": after.waiting}
        echo_json({**_as_json(door, after), "dry_run": False, **done, "stopped": stopped})
    else:
        _print_outcome(door, survey, after, embedded, stopped)
    if stopped:
        context.exit(1)


def _survey(door: Door, name: str) -> Survey:
    with closing(wiring.open_storage(door.settings())) as storage:
        return survey_vectors(storage, name)


def _embed(memory: Memory, survey: Survey) -> tuple[int, bool]:
    """Embeds with a bar on stderr; returns how many messages got vectors, and whether somebody stopped it."""
    before, shown = survey.coverage.embedded, survey.coverage.embedded
    with Progress(elsewhere="steps") as progress:

        def tell(done: int, of: int) -> None:
            nonlocal shown
            shown = done
            if survey.waiting:
                progress("Embedding messages", done, of)

        try:
            return memory.maintain(progress=tell), False
        except KeyboardInterrupt:
            return shown - before, True


def _as_json(door: Door, survey: Survey) -> dict[str, Any]:
    generations = [{**generation._asdict(), **covered._asdict()} for generation, covered in survey.generations]
    return {"store": door.where(), "embedder": survey.embedder, "generations": generations}


def _foretold(estimate: Estimate) -> dict[str, float]:
    return {"estimated_seconds": round(estimate.seconds, 1), "estimated_bytes": estimate.bytes}


def _print_plan(door: Door, survey: Survey, estimate: Estimate) -> None:
    click.echo(f"{door.where()}, embedder {survey.embedder}:")
    for generation, covered in survey.generations:
        state = "complete" if generation.complete else "not complete"
        share = f"{covered.embedded:,} of {count(covered.messages, 'message')}"
        click.echo(f"  {generation.name}: {share}, {count(covered.passages, 'passage')}, {size(covered.bytes)}, {state}")
    if not survey.waiting:
        click.echo("Nothing waits: every message has its vectors.")
        return
    going = [generation.name for generation, _ in survey.generations if generation.name != survey.embedder]
    click.echo(
        f"{count(survey.waiting, 'message')} without vectors: about {duration(estimate.seconds)} and {size(estimate.bytes)}."
    )
    if going:
        click.echo(f"Then {', '.join(going)} can go; until then it serves.")
    click.echo("Nothing was changed: this was a dry run.")


def _print_outcome(door: Door, before: Survey, after: Survey, embedded: int, stopped: bool) -> None:
    if stopped:
        done = f"{after.coverage.embedded:,} of {count(after.coverage.messages, 'message')}"
        click.echo(f"Stopped. {done} have vectors, and stay so; `recollect reindex` goes on from there.")
        return
    covered = f"{after.coverage.embedded:,} of {count(after.coverage.messages, 'message')}"
    click.echo(f"Embedded {count(embedded, 'message')} of {door.where()} with {after.embedder}.")
    click.echo(f"Now {covered} have vectors ({size(after.coverage.bytes)}).")
    left = {generation.name for generation, _ in after.generations}
    for generation, _ in before.generations:
        if generation.name not in left:
            click.echo(f"The vectors of {generation.name} are gone.")
