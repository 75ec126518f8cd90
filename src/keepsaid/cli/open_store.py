"""Opens the store that the global options select. Most commands accept only a store that exists."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from keepsaid import wiring
from keepsaid.config import Settings, load, origins
from keepsaid.errors import ConfigError, NotAStore, NotFound, StoreReadOnly

if TYPE_CHECKING:
    from keepsaid.memory import Memory


@dataclass(frozen=True, slots=True)
class StoreOpener:
    """The global options of the command line, and the ways to open the store they select."""

    store: str | None = None
    config: Path | None = None
    key_file: Path | None = None
    named_owner: str | None = None
    """The owner that `--owner` names, if it is given."""

    def arguments(self) -> dict[str, Any]:
        """Return the options as settings. They win over all other sources."""
        arguments: dict[str, Any] = {}
        if self.store is not None:
            arguments["url"] = self.store
        if self.key_file is not None:
            arguments |= {"key_file": str(self.key_file), "key": None}
        if self.named_owner is not None:
            arguments["owner"] = self.named_owner
        return arguments

    @property
    def owner(self) -> str:
        """The owner of the memory in use."""
        return self.settings().owner

    @property
    def is_owner_named(self) -> bool:
        """Whether the owner is set explicitly. Commands that destroy data refuse the default owner."""
        settings = origins(self.arguments(), os.environ, self.config)
        return any(setting.name == "owner" and setting.where != "default" for setting in settings)

    def settings(self) -> Settings:
        """Return the settings in effect."""
        return load(self.arguments(), os.environ, self.config)

    def open(self, **options: Any) -> Memory:
        """Open an existing store. `options` override settings for this command."""
        if not self.is_remote:
            require_store_file(self.settings())
        return self._open_memory(**options)

    @contextmanager
    def open_for_reading(self, **options: Any) -> Generator[Memory]:
        """Open the store for reading. A store without write permission is read from a temporary copy."""
        try:
            memory = self.open(**options)
        except StoreReadOnly as error:
            if self.is_remote:
                raise
            with (
                _temporary_copy(require_store_file(self.settings()), error) as copy,
                self._open_memory(url=str(copy), **options) as memory,
            ):
                yield memory
            return
        with memory:
            yield memory

    def _open_memory(self, **options: Any) -> Memory:
        return wiring.open_memory(**asdict(self.settings()) | options)

    def open_or_create(self, **options: Any) -> Memory:
        """Open the store, or create it: for commands that add data."""
        if not self.is_remote:
            store_file_path(self.settings())
        return self._open_memory(**options)

    @property
    def is_remote(self) -> bool:
        """Whether the store is on a server and not in a local file."""
        return wiring.is_remote(self.settings())

    def location(self) -> str:
        """Return the store's file or address as reports show it."""
        return wiring.shown_url(self.settings()) if self.is_remote else str(store_file_path(self.settings()))


@contextmanager
def _temporary_copy(path: Path, error: StoreReadOnly) -> Generator[Path]:
    """Yield a temporary copy of a store without write permission: reading a store writes files next to it."""
    log = path.with_name(path.name + "-wal")
    if log.exists():
        # Another process may be writing, and a copy made meanwhile could be inconsistent.
        raise StoreReadOnly(f"{error}; {log.name} belongs to it: run this once as a user who can write there") from error
    click.echo(f"Note: {path} is read-only; reading a temporary copy of it.", err=True)
    with TemporaryDirectory(prefix="keepsaid-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        copy.chmod(0o600)
        yield copy


def require_store_file(settings: Settings) -> Path:
    """Return the store's file, which must exist: a mistyped name is an error, not an empty store."""
    path = store_file_path(settings)
    if not path.exists():
        raise NotFound(f"there is no store at {path} yet: `keepsaid chat` or `keepsaid import` creates one")
    if path.is_file() and path.stat().st_size == 0:
        raise NotAStore(f"no store at {path}: the file is empty")
    return path


def store_file_path(settings: Settings) -> Path:
    """Return the store's file; raise an error for a store that is not a file."""
    path = wiring.sqlite_path(settings)
    if path is not None:
        return path
    if settings.url.startswith("memory://"):
        raise ConfigError("no store at memory://: it lives only inside the program that opened it")
    raise ConfigError(f"{wiring.shown_url(settings)} is not a file; this command needs a file path or sqlite:///path")
