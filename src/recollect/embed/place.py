"""Where the local model lies. Nothing heavy is loaded to find out."""

from __future__ import annotations

from pathlib import Path

NAME = "all-MiniLM-L6-v2"
FORMAT = 1
"""Raised when the model file is made in another way; it then lies in another folder, and its vectors are others."""

PROJECTION = 2
"""Raised when token vectors are made differently (another projection, other tokens left out): they cannot be compared."""

MODEL, TOKENIZER, RECORD = "model.onnx", "tokenizer.json", "model.json"

MULTILINGUAL = "use-multilingual-v3"
MULTILINGUAL_FORMAT = 1
"""Raised when its files are made in another way; they then lie in another folder, and its vectors are others."""

EMBEDDINGS, PIECES, SCORES, REACH = "embeddings.npy", "pieces.txt", "scores.npy", "reach.json"
"""Its files besides `MODEL`: the table of embeddings, and the vocabulary."""


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


def multilingual_folder(folder: Path | None = None) -> Path:
    """Return the folder of the multilingual model, which is inside that of the local model.

    >>> multilingual_folder(Path("models/it")).as_posix()
    'models/it/use-multilingual-v3-1'
    """
    return (folder or local_model_folder()) / f"{MULTILINGUAL}-{MULTILINGUAL_FORMAT}"


def is_multilingual_pulled(folder: Path | None = None) -> bool:
    """Return whether the multilingual model is there and whole.

    >>> is_multilingual_pulled(Path("nowhere"))
    False
    """
    home = multilingual_folder(folder)
    return all((home / file).is_file() for file in (RECORD, MODEL, EMBEDDINGS, PIECES, SCORES, REACH))
