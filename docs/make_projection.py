"""Fits the projection of token vectors, src/recollect/embed/projection.npy, on a folder of plain text files.

The shipped one was fitted on the Debian package `fortunes`: short general English of every kind, and nothing like the data
that Recollect is measured on. To redo it:

    apt-get download fortunes && dpkg -x fortunes_*.deb fortunes
    python docs/make_projection.py fortunes/usr/share/games/fortunes

The states of all tokens are brought to length one; their mean is the centre, and the 128 directions in which they differ
most are the axes. Raise PROJECTION in `embed/place.py` after another text or another way of fitting.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recollect.embed.minilm import DIMENSIONS, LONGEST, MiniLM, unit
from recollect.embed.place import local_model_folder
from recollect.embed.projection import FILE, TOKEN_WIDTH
from recollect.embed.pull import pull

TARGET = Path(__file__).parent.parent / "src" / "recollect" / "embed" / FILE
EVERY, SHORTEST = 4, 30


def entries(folder: Path) -> Iterator[str]:
    """Every fourth entry of the text files; entries are parted by a line with a per cent sign, or else by an empty line."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in ("", ".txt"):
            text = path.read_text(encoding="utf-8", errors="replace")
            parts = text.split("\n%\n") if "\n%\n" in text else re.split(r"\n\s*\n", text)
            yield from (part.strip() for part in parts[::EVERY] if len(part) > SHORTEST)


def fit(texts: Iterator[str]) -> tuple[np.ndarray, int]:
    """Centre and axes below each other, and how many tokens they come from."""
    model = MiniLM.load(local_model_folder())
    count, total, squares = 0, np.zeros(DIMENSIONS), np.zeros((DIMENSIONS, DIMENSIONS))
    for text in texts:
        states = unit(model.network(model.tokenizer.encode(text, LONGEST).ids)[1:-1]).astype(np.float64)
        count += len(states)
        total += states.sum(axis=0)
        squares += states.T @ states
    if count < DIMENSIONS:
        sys.exit(f"{count} tokens of text are too few")
    centre = total / count
    _, directions = np.linalg.eigh(squares / count - np.outer(centre, centre))
    axes = directions.T[::-1][:TOKEN_WIDTH]
    # An axis may point either way; the largest entry decides, so that the same text always gives the same file.
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
