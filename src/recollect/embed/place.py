"""Where the local model lies. Nothing heavy is loaded to find out."""

from __future__ import annotations

from pathlib import Path

NAME = "all-MiniLM-L6-v2"
FORMAT = 1
"""Raised when the model file is made in another way; it then lies in another folder, and its vectors are others."""

PROJECTION = 2
"""Raised when token vectors are made differently (another projection, other tokens left out): they cannot be compared."""

MODEL, TOKENIZER, RECORD = "model.onnx", "tokenizer.json", "model.json"


def local_model_folder(models: Path | None = None) -> Path:
    """The folder of the local model: in `models`, or in the user's cache.

    >>> local_model_folder(Path("models")).as_posix()
    'models/all-MiniLM-L6-v2-int8-1'
    """
    if models is None:
        import platformdirs

        models = platformdirs.user_cache_path("recollect") / "models"
    return models / f"{NAME}-int8-{FORMAT}"


def is_pulled(folder: Path | None = None) -> bool:
    """Whether the model is there and whole.

    >>> is_pulled(Path("nowhere"))
    False
    """
    folder = folder or local_model_folder()
    # The record is written last, so it vouches for the others unless somebody removed one.
    return all((folder / file).is_file() for file in (RECORD, MODEL, TOKENIZER))
