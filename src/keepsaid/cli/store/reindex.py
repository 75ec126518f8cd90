"""`keepsaid reindex`: embed all messages without vectors of the current model."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import click

from keepsaid import wiring
from keepsaid.cli.open_store import StoreOpener, require_store_file
from keepsaid.cli.options import json_option
from keepsaid.cli.output.formatting import echo_json, format_count, format_size
from keepsaid.cli.output.progress import ProgressReporter
from keepsaid.cli.store.vector_survey import (
    EmbeddingEstimate,
    VectorSurvey,
    estimate_embedding,
    format_duration,
    survey_vectors,
)
from keepsaid.errors import ConfigError
from keepsaid.memory import Memory


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be done, and how long it would take.")
@json_option
@click.pass_context
def reindex(context: click.Context, dry_run: bool, as_json: bool) -> None:
    """Embed every message that has no vectors of the current model.

    Searches keep working meanwhile. It can be interrupted at any time; run it again to continue.
    """
    opener: StoreOpener = context.obj
    settings = opener.settings()
    if not opener.is_remote:
        require_store_file(settings)
    embedder = wiring.open_embedder(settings)
    if embedder is None:
        raise ConfigError(
            "there is no embedder: `keepsaid model pull` downloads the local one, the setting `embedder` selects another"
        )
    survey = _survey(opener, embedder.name)
    if dry_run:
        estimate = estimate_embedding(survey, embedder)
        if as_json:
            echo_json(
                {**_as_json(opener, survey), "dry_run": True, "waiting": survey.waiting, **_estimate_as_json(estimate)}
            )
        else:
            _print_plan(opener, survey, estimate)
        return
    start = time.monotonic()
    with opener.open(background=False) as memory:
        embedded, stopped = _embed(memory, survey)
    after = _survey(opener, embedder.name)
    if as_json:
        done = {"embedded": embedded, "seconds": round(time.monotonic() - start, 1), "waiting": after.waiting}
        echo_json({**_as_json(opener, after), "dry_run": False, **done, "stopped": stopped})
    else:
        _print_outcome(opener, survey, after, embedded, stopped)
    if stopped:
        context.exit(1)


def _survey(opener: StoreOpener, name: str) -> VectorSurvey:
    with closing(wiring.open_storage(opener.settings())) as storage:
        return survey_vectors(storage, name)


def _embed(memory: Memory, survey: VectorSurvey) -> tuple[int, bool]:
    """Embed with a progress bar on stderr; return the number of embedded messages, and whether the user stopped it."""
    before, shown = survey.coverage.embedded, survey.coverage.embedded
    with ProgressReporter(elsewhere="steps") as progress:

        def tell(done: int, of: int) -> None:
            nonlocal shown
            shown = done
            if survey.waiting:
                progress("Embedding messages", done, of)

        try:
            return memory.maintain(progress=tell), False
        except KeyboardInterrupt:
            return shown - before, True


def _as_json(opener: StoreOpener, survey: VectorSurvey) -> dict[str, Any]:
    generations = [{**generation._asdict(), **covered._asdict()} for generation, covered in survey.generations]
    return {"store": opener.location(), "embedder": survey.embedder, "generations": generations}


def _estimate_as_json(estimate: EmbeddingEstimate) -> dict[str, float]:
    return {"estimated_seconds": round(estimate.seconds, 1), "estimated_bytes": estimate.bytes}


def _print_plan(opener: StoreOpener, survey: VectorSurvey, estimate: EmbeddingEstimate) -> None:
    click.echo(f"{opener.location()}, embedder {survey.embedder}:")
    for generation, covered in survey.generations:
        state = "complete" if generation.complete else "not complete"
        share = f"{covered.embedded:,} of {format_count(covered.messages, 'message')}"
        click.echo(
            f"  {generation.name}: {share}, {format_count(covered.passages, 'passage')},"
            f" {format_size(covered.bytes)}, {state}"
        )
    if not survey.waiting:
        click.echo("Nothing to do: every message has vectors.")
        return
    older = [generation.name for generation, _ in survey.generations if generation.name != survey.embedder]
    click.echo(
        f"{format_count(survey.waiting, 'message')} without vectors:"
        f" about {format_duration(estimate.seconds)} and {format_size(estimate.bytes)}."
    )
    if older:
        click.echo(f"Then the vectors of {', '.join(older)} are removed; until then they are used.")
    click.echo("Nothing was changed: this was a dry run.")


def _print_outcome(opener: StoreOpener, before: VectorSurvey, after: VectorSurvey, embedded: int, stopped: bool) -> None:
    if stopped:
        done = f"{after.coverage.embedded:,} of {format_count(after.coverage.messages, 'message')}"
        click.echo(f"Stopped. {done} have vectors and keep them; `keepsaid reindex` continues.")
        return
    covered = f"{after.coverage.embedded:,} of {format_count(after.coverage.messages, 'message')}"
    click.echo(f"Embedded {format_count(embedded, 'message')} of {opener.location()} with {after.embedder}.")
    click.echo(f"Now {covered} have vectors ({format_size(after.coverage.bytes)}).")
    left = {generation.name for generation, _ in after.generations}
    for generation, _ in before.generations:
        if generation.name not in left:
            click.echo(f"The vectors of {generation.name} were removed.")
