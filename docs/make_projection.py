"""Fits the projection of token vectors, src/keepsaid/embed/projection.npy, on a folder of plain text files.

The shipped projection was fitted on the Debian package `fortunes`: short general English texts, unlike the data that
Keepsaid is measured on. To fit it again:

    apt-get download fortunes && dpkg -x fortunes_*.deb fortunes
    python docs/make_projection.py fortunes/usr/share/games/fortunes

The token states are normalized; their mean is the center, and the 128 directions with the greatest variance are the axes.
Raise PROJECTION in `embed/model_folder.py` after a change of the text or the method.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from keepsaid.embed.minilm import DIMENSIONS, MAX_TOKENS, MiniLM, normalize_rows
from keepsaid.embed.model_folder import local_model_folder
from keepsaid.embed.projection import PROJECTION_FILE, TOKEN_WIDTH
from keepsaid.embed.pull import pull

TARGET = Path(__file__).parent.parent / "src" / "keepsaid" / "embed" / PROJECTION_FILE
EVERY, MIN_PART_LENGTH = 4, 30


def entries(folder: Path) -> Iterator[str]:
    """Yield every fourth entry of the text files. They are separated by a line with a percent sign or by an empty line."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in ("", ".txt"):
            text = path.read_text(encoding="utf-8", errors="replace")
            parts = text.split("\n%\n") if "\n%\n" in text else re.split(r"\n\s*\n", text)
            yield from (part.strip() for part in parts[::EVERY] if len(part) > MIN_PART_LENGTH)


def fit(texts: Iterator[str]) -> tuple[np.ndarray, int]:
    """Return the center and the axes as one matrix, and the number of tokens they were fitted on."""
    model = MiniLM.load(local_model_folder())
    count, total, squares = 0, np.zeros(DIMENSIONS), np.zeros((DIMENSIONS, DIMENSIONS))
    for text in texts:
        states = normalize_rows(model.network(model.tokenizer.encode(text, MAX_TOKENS).ids)[1:-1]).astype(np.float64)
        count += len(states)
        total += states.sum(axis=0)
        squares += states.T @ states
    if count < DIMENSIONS:
        sys.exit(f"{count} tokens of text are too few")
    centre = total / count
    _, directions = np.linalg.eigh(squares / count - np.outer(centre, centre))
    axes = directions.T[::-1][:TOKEN_WIDTH]
    # The sign of an axis is arbitrary; make its largest entry positive, so that the same text always gives the same file.
    largest = np.abs(axes).argmax(axis=1)
    axes = axes * np.sign(axes[np.arange(TOKEN_WIDTH), largest])[:, None]
    return np.vstack([centre, axes]).astype("<f2"), count


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/make_projection.py FOLDER_OF_TEXT")
    pull()
    table, count = fit(entries(Path(sys.argv[1])))
    np.save(TARGET, table, allow_pickle=False)
    print(f"{TARGET.name}: {table.shape[0]} × {table.shape[1]} from {count:,} tokens")
