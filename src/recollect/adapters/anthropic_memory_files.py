"""Text files under /memories, over a drawer: a file is a blob, and a directory is there as long as a file is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import normpath

from anthropic.tools import ToolError

from recollect.drawer import Drawer
from recollect.engine.hygiene import clean_text
from recollect.errors import RevisionConflict
from recollect.types import Blob

ROOT = "memories"
"""The directory that is always there, and what the names of the blobs begin with."""


class Files:
    """The files of one drawer by their paths, as the model writes them: `/memories/notes/travel.md`.

    What cannot be done is a `ToolError` in the words that Anthropic's own tool has for it: models know those.
    """

    def __init__(self, drawer: Drawer) -> None:
        self._drawer = drawer

    def name_of(self, path: str) -> str:
        """The name of what a path leads to; one that leads out of /memories is refused."""
        if path != f"/{ROOT}" and not path.startswith(f"/{ROOT}/"):
            raise ToolError(f"Path must start with /{ROOT}, got: {path}")
        name = normpath(path).removeprefix("/")
        if name != ROOT and not name.startswith(f"{ROOT}/"):
            raise ToolError(f"Path {path} would escape /{ROOT} directory")
        return name

    def is_directory(self, name: str) -> bool:
        """Whether there is anything in a directory of this name; the root is one in any case."""
        return name == ROOT or bool(self._drawer.list(f"{name}/", limit=1))

    def exists(self, name: str) -> bool:
        """Whether there is a file or a directory of this name."""
        return self._blob(name) is not None or self.is_directory(name)

    def read(self, name: str) -> str | None:
        """The text of a file, or None if there is no such file."""
        blob = self._blob(name)
        return None if blob is None else _text(blob)

    def create(self, name: str, text: str) -> bool:
        """Makes a file; False if there is one, or a directory of this name."""
        if self.is_directory(name):
            return False
        content = clean_text(text, "file_text").encode()
        while True:
            files = self._drawer.get(name, *_above(name))
            if name in files:
                return False
            for above in files:
                raise ToolError(f"The path /{above} is not a directory.")
            try:
                self._drawer.put({name: content}, expected=dict.fromkeys((name, *_above(name)), 0))
            except RevisionConflict:
                continue  # somebody else made one of them in between: look again
            return True

    def change(self, path: str, edit: Callable[[str], str]) -> str:
        """Edits a file and returns its new text. Whoever else edits it at the same time loses nothing: it is read again."""
        name = self.name_of(path)
        while True:
            blob = self._blob(name)
            if blob is None:
                if self.is_directory(name):
                    raise ToolError(f"The path {path} is not a file.")
                raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
            text = clean_text(edit(_text(blob)), "the new text")
            try:
                self._drawer.put({name: text.encode()}, expected={name: blob.revision})
            except RevisionConflict:
                continue
            return text

    def delete(self, name: str) -> bool:
        """Removes a file, or a directory with all that is in it, for good; False if there is none."""
        if self._blob(name) is None:
            return self._drawer.clear(f"{name}/") > 0
        self._drawer.put({name: None})
        return True

    def move(self, old: str, new: str) -> bool:
        """Moves a file, or a directory with all that is in it, in one go; False if there is none."""
        while True:
            blob = self._blob(old)
            moved = list(self.beneath(old)) if blob is None else [blob]
            if not moved:
                return False
            contents: dict[str, bytes | None] = {}
            expected: dict[str, int] = dict.fromkeys(_above(new), 0)
            for one in moved:
                target = new + one.name.removeprefix(old)
                contents |= {one.name: None, target: one.content}
                expected |= {one.name: one.revision, target: 0}
            for above in self._drawer.get(*_above(new)):
                raise ToolError(f"The path /{above} is not a directory.")
            try:
                self._drawer.put(contents, expected=expected)
            except RevisionConflict:
                if self.exists(new):
                    raise ToolError(f"The destination /{new} already exists") from None
                continue
            return True

    def beneath(self, name: str) -> Iterator[Blob]:
        """All files in a directory and in those within it, by name."""
        after = None
        while page := self._drawer.list(f"{name}/", after=after):
            yield from page
            after = page[-1].name

    def clear(self) -> None:
        """Removes all files, for good."""
        self._drawer.clear(f"{ROOT}/")

    def _blob(self, name: str) -> Blob | None:
        return self._drawer.get(name).get(name)


def _above(name: str) -> list[str]:
    """The directories that a file is in, but for the root.

    >>> _above("memories/notes/travel/lisbon.md")
    ['memories/notes', 'memories/notes/travel']
    """
    steps = name.split("/")
    return ["/".join(steps[:depth]) for depth in range(2, len(steps))]


def _text(blob: Blob) -> str:
    try:
        return blob.content.decode()
    except UnicodeDecodeError:
        raise ToolError(f"The file /{blob.name} is not text in UTF-8.") from None
