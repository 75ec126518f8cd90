"""Where the files of the local models are. Importing this module is cheap."""

from __future__ import annotations

from pathlib import Path

MINILM_NAME = "all-MiniLM-L6-v2"
MINILM_FORMAT = 1
"""Increased when the model file is made differently. It then has another folder, and its vectors differ."""

PROJECTION_VERSION = 2
"""Increased when token vectors are made differently (another projection, other tokens left out) and cannot be compared."""

MODEL_FILE, TOKENIZER_FILE, RECORD_FILE = "model.onnx", "tokenizer.json", "model.json"

MULTILINGUAL_NAME = "use-multilingual-v3"
MULTILINGUAL_FORMAT = 1
"""Increased when its files are made differently. They then have another folder, and the vectors differ."""

EMBEDDINGS_FILE, PIECES_FILE, SCORES_FILE, REACH_FILE = "embeddings.npy", "pieces.txt", "scores.npy", "reach.json"
"""Files of the multilingual model besides `MODEL_FILE`: the table of embeddings, and the vocabulary."""


def local_model_folder(models: Path | None = None) -> Path:
    """Return the folder of the local model: in `models`, or in the user's cache.

    >>> local_model_folder(Path("models")).as_posix()
    'models/all-MiniLM-L6-v2-int8-1'
    """
    if models is None:
        import platformdirs

        models = platformdirs.user_cache_path("keepsaid") / "models"
    return models / f"{MINILM_NAME}-int8-{MINILM_FORMAT}"


def is_pulled(folder: Path | None = None) -> bool:
    """Whether the model is there and complete.

    >>> is_pulled(Path("nowhere"))
    False
    """
    folder = folder or local_model_folder()
    # The record is written last, so the others were complete; still, one may have been deleted since.
    return all((folder / file).is_file() for file in (RECORD_FILE, MODEL_FILE, TOKENIZER_FILE))


def multilingual_folder(folder: Path | None = None) -> Path:
    """Return the folder of the multilingual model, which is inside that of the local model.

    >>> multilingual_folder(Path("models/it")).as_posix()
    'models/it/use-multilingual-v3-1'
    """
    return (folder or local_model_folder()) / f"{MULTILINGUAL_NAME}-{MULTILINGUAL_FORMAT}"


def is_multilingual_pulled(folder: Path | None = None) -> bool:
    """Whether the multilingual model is there and complete.

    >>> is_multilingual_pulled(Path("nowhere"))
    False
    """
    home = multilingual_folder(folder)
    return all(
        (home / file).is_file() for file in (RECORD_FILE, MODEL_FILE, EMBEDDINGS_FILE, PIECES_FILE, SCORES_FILE, REACH_FILE)
    )
