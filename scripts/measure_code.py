"""Print how the code reads, in figures: names, folders, long files and functions, and words that this project avoids.

python scripts/measure_code.py    # tests/test_code_shape.py checks the limits
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "keepsaid"

MADE_BY_SCRIPTS = ("aio/generated.py", "engine/facts/note_weights.py")
"""Files that nobody edits: the async verbs, and the weights of a model."""

AVOIDED = re.compile(r"\b(?:somebody|nobody|whoever|he|his)\b", re.IGNORECASE)


QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”]*”|`[^`]*`|'[^'\n]*'")


class CodeFigure(NamedTuple):
    """One figure: what it counts, its value, the largest value allowed, and the worst cases."""

    name: str
    value: float
    limit: float
    worst: str = ""


def figures() -> list[CodeFigure]:
    """Return all figures."""
    files = [path for path in PACKAGE.rglob("*.py") if str(path.relative_to(PACKAGE)) not in MADE_BY_SCRIPTS]
    trees = {path: ast.parse(path.read_text()) for path in files}
    classes = Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    short = [name for name in classes if len(_words(name)) == 1]
    twice = [name for name, count in classes.items() if count > 1]
    folders = Counter(path.parent for path in files)
    lengths = Counter({path: len(path.read_text().splitlines()) for path in files})
    functions = Counter(dict(_functions(trees)))
    words = Counter({path: len(list(_avoided_words(path))) for path in files})
    entries = [path for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    return [
        CodeFigure("entries at the top of the package", len(entries), 25),
        CodeFigure("classes with a one-word name, per cent", round(100 * len(short) / len(classes), 1), 20),
        CodeFigure("class names defined more than once", len(twice), 5, ", ".join(twice)),
        CodeFigure("most files in one folder", *_largest(folders, 25)),
        CodeFigure("longest file written by hand, lines", *_largest(lengths, 600)),
        CodeFigure("longest function, lines", *_largest(functions, 60)),
        CodeFigure("avoided words in comments and docstrings", words.total(), 20, str(_largest(words, 0)[2])),
    ]


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", name)


def _largest(counts: Counter[Path] | Counter[str], limit: int) -> tuple[int, int, str]:
    ((name, count),) = counts.most_common(1)
    return count, limit, str(name.relative_to(PACKAGE)) if isinstance(name, Path) else name


def _functions(trees: dict[Path, ast.Module]) -> Iterator[tuple[str, int]]:
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(PACKAGE)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1


def _avoided_words(path: Path) -> Iterator[str]:
    """Return avoided words in comments and docstrings, apart from quoted examples and doctests."""
    text = path.read_text()
    comments = (
        token.string for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT
    )
    for prose in (*comments, *_docstrings(ast.parse(text))):
        lines = "\n".join(line for line in prose.splitlines() if not line.lstrip().startswith((">>>", "...")))
        yield from AVOIDED.findall(QUOTED.sub("", lines))


def _docstrings(tree: ast.Module) -> Iterator[str]:
    """Return all docstrings, also those below assignments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.name:45} {figure.value:>7}  at most {figure.limit:>4}  {figure.worst}")
