"""`recollect reindex`: gives every message its vectors, after a change of model or where there were none."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any, NamedTuple, cast

import click

from recollect import wiring
from recollect.cli.door import Door, existing
from recollect.cli.options import json_option
from recollect.cli.progress import Progress
from recollect.cli.words import count, echo_json, size
from recollect.errors import ConfigError
from recollect.memory import Memory
from recollect.ports import Coverage, Embedder, Generation, Vectors

SAMPLES = (
    "Yes, please!",
    "My sister moved to Lisbon in May, and she loves it there.",
    "Could you remind me what we decided about the prices last week? There were two proposals, and one was for small teams.",
    " ".join(["First write down what you need, then ask two or three people who have done it before you decide."] * 4),
)
"""What people and assistants write to each other, from short to long: an embedder's speed is measured with it."""


class Survey(NamedTuple):
    """What a store has, and what is missing for this embedder."""

    embedder: str
    generations: list[tuple[Generation, Coverage]]
    coverage: Coverage

    @property
    def waiting(self) -> int:
        """Messages without vectors of the embedder."""
        return self.coverage.messages - self.coverage.embedded


class Estimate(NamedTuple):
    """What giving them vectors will take."""

    seconds: float
    bytes: int


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
        estimate = _estimate(survey, embedder)
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
        vectors = cast(Vectors, storage)  # every store that a path names keeps vectors
        generations = [(generation, vectors.coverage(generation.name)) for generation in vectors.generations()]
        return Survey(name, generations, vectors.coverage(name))


def _estimate(survey: Survey, embedder: Embedder) -> Estimate:
    """From a few texts, and from how many passages the messages of this store have on average."""
    if not survey.waiting:
        return Estimate(0.0, 0)
    embedder.embed(SAMPLES[:1])  # the first call loads the model
    start = time.perf_counter()
    made = embedder.embed(SAMPLES)
    seconds = (time.perf_counter() - start) / len(SAMPLES)
    each = sum(2 * len(one.vector) + len(one.tokens) for one in made) / len(SAMPLES)
    if survey.coverage.passages:
        each = survey.coverage.bytes / survey.coverage.passages
    known = [covered for _, covered in survey.generations if covered.embedded]
    passages = max((covered.passages / covered.embedded for covered in known), default=1.0) * survey.waiting
    return Estimate(passages * seconds, round(passages * each))


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


def duration(seconds: float) -> str:
    """How long, as people say it.

    >>> duration(0.2), duration(75), duration(7300)
    ('1 second', '1 minute', '2 hours')
    """
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return count(round(seconds / length), unit)
    return count(max(1, round(seconds)), "second")
