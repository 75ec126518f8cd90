"""Text files under /memories in a blob store: a file is a blob, and a directory exists while it contains a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import normpath

from anthropic.tools import ToolError

from keepsaid.engine.messages.validation import clean_text
from keepsaid.errors import RevisionConflict
from keepsaid.memory.blobs import BlobStore
from keepsaid.types import Blob

ROOT = "memories"
"""The root directory, which always exists, and the prefix of the blob names."""


class MemoryFiles:
    """The files of one blob store by path, as models write them: `/memories/notes/travel.md`.

    Failures raise `ToolError` with the wording of Anthropic's own tool, which models know.
    """

    def __init__(self, blob_store: BlobStore) -> None:
        self._blob_store = blob_store

    def name_of(self, path: str) -> str:
        """Return the blob name of a path. Paths outside /memories are refused."""
        if path != f"/{ROOT}" and not path.startswith(f"/{ROOT}/"):
            raise ToolError(f"Path must start with /{ROOT}, got: {path}")
        name = normpath(path).removeprefix("/")
        if name != ROOT and not name.startswith(f"{ROOT}/"):
            raise ToolError(f"Path {path} would escape /{ROOT} directory")
        return name

    def is_directory(self, name: str) -> bool:
        """Whether there is a directory of this name with any file in it; the root is always one."""
        return name == ROOT or bool(self._blob_store.list(f"{name}/", limit=1))

    def exists(self, name: str) -> bool:
        """Whether there is a file or a directory of this name."""
        return self._blob(name) is not None or self.is_directory(name)

    def read(self, name: str) -> str | None:
        """Return the text of a file, or None if there is no such file."""
        blob = self._blob(name)
        return None if blob is None else _text(blob)

    def create(self, name: str, text: str) -> bool:
        """Create a file; return False if a file or directory of this name exists."""
        if self.is_directory(name):
            return False
        content = clean_text(text, "file_text").encode()
        while True:
            files = self._blob_store.get(name, *_parent_directories(name))
            if name in files:
                return False
            for above in files:
                raise ToolError(f"The path /{above} is not a directory.")
            try:
                self._blob_store.put({name: content}, expected=dict.fromkeys((name, *_parent_directories(name)), 0))
            except RevisionConflict:
                continue  # one of them was created concurrently: check again
            return True

    def change(self, path: str, edit: Callable[[str], str]) -> str:
        """Edit a file and return its new text. After a concurrent edit, the file is read again, so no edit is lost."""
        name = self.name_of(path)
        while True:
            blob = self._blob(name)
            if blob is None:
                if self.is_directory(name):
                    raise ToolError(f"The path {path} is not a file.")
                raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
            text = clean_text(edit(_text(blob)), "the new text")
            try:
                self._blob_store.put({name: text.encode()}, expected={name: blob.revision})
            except RevisionConflict:
                continue
            return text

    def delete(self, name: str) -> bool:
        """Delete a file, or a directory with its content, permanently; return False if there is none."""
        if self._blob(name) is None:
            return self._blob_store.clear(f"{name}/") > 0
        self._blob_store.put({name: None})
        return True

    def move(self, old: str, new: str) -> bool:
        """Move a file, or a directory with its content, atomically; return False if there is none."""
        while True:
            blob = self._blob(old)
            moved = list(self.iterate_files(old)) if blob is None else [blob]
            if not moved:
                return False
            contents: dict[str, bytes | None] = {}
            expected: dict[str, int] = dict.fromkeys(_parent_directories(new), 0)
            for one in moved:
                target = new + one.name.removeprefix(old)
                contents |= {one.name: None, target: one.content}
                expected |= {one.name: one.revision, target: 0}
            for above in self._blob_store.get(*_parent_directories(new)):
                raise ToolError(f"The path /{above} is not a directory.")
            try:
                self._blob_store.put(contents, expected=expected)
            except RevisionConflict:
                if self.exists(new):
                    raise ToolError(f"The destination /{new} already exists") from None
                continue
            return True

    def iterate_files(self, name: str) -> Iterator[Blob]:
        """Yield all files in a directory, recursively, by name."""
        after = None
        while page := self._blob_store.list(f"{name}/", after=after):
            yield from page
            after = page[-1].name

    def clear(self) -> None:
        """Delete all files permanently."""
        self._blob_store.clear(f"{ROOT}/")

    def _blob(self, name: str) -> Blob | None:
        return self._blob_store.get(name).get(name)


def _parent_directories(name: str) -> list[str]:
    """Return the directories that a file is in, except the root.

    >>> _parent_directories("memories/notes/travel/lisbon.md")
    ['memories/notes', 'memories/notes/travel']
    """
    steps = name.split("/")
    return ["/".join(steps[:depth]) for depth in range(2, len(steps))]


def _text(blob: Blob) -> str:
    try:
        return blob.content.decode()
    except UnicodeDecodeError:
        raise ToolError(f"The file /{blob.name} is not text in UTF-8.") from None
