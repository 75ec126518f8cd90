"""How every command comes to its store: from the global options, and only to one that is there."""

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

from recollect import wiring
from recollect.config import Settings, load, origins
from recollect.errors import ConfigError, NotAStore, NotFound, StoreReadOnly

if TYPE_CHECKING:
    from recollect.memory import Memory


@dataclass(frozen=True, slots=True)
class Door:
    """The global options of the command line."""

    store: str | None = None
    config: Path | None = None
    key_file: Path | None = None
    named: str | None = None
    """Whose memory is meant, if the options say so."""

    def arguments(self) -> dict[str, Any]:
        """The options as settings, which come before everything else."""
        arguments: dict[str, Any] = {}
        if self.store is not None:
            arguments["url"] = self.store
        if self.key_file is not None:
            arguments |= {"key_file": str(self.key_file), "key": None}
        if self.named is not None:
            arguments["owner"] = self.named
        return arguments

    @property
    def owner(self) -> str:
        """Whose memory is meant."""
        return self.settings().owner

    @property
    def is_owner_named(self) -> bool:
        """Whether anybody said whose memory is meant; what destroys does not go by the default."""
        found = origins(self.arguments(), os.environ, self.config)
        return any(one.name == "owner" and one.where != "default" for one in found)

    def settings(self) -> Settings:
        """The settings in force."""
        return load(self.arguments(), os.environ, self.config)

    def open(self, **options: Any) -> Memory:
        """Opens the store, with some settings as the command needs them; never makes a file."""
        if not self.is_elsewhere:
            existing(self.settings())
        return self._opened(**options)

    @contextmanager
    def reading(self, **options: Any) -> Generator[Memory]:
        """Opens the store to look into it; one that cannot be written is looked into by way of a copy."""
        try:
            memory = self.open(**options)
        except StoreReadOnly as error:
            if self.is_elsewhere:
                raise
            with _copied(existing(self.settings()), error) as copy, self._opened(url=str(copy), **options) as memory:
                yield memory
            return
        with memory:
            yield memory

    def _opened(self, **options: Any) -> Memory:
        return wiring.open_memory(**asdict(self.settings()) | options)

    def open_or_make(self, **options: Any) -> Memory:
        """Opens the store, or makes it: for what brings something new into it."""
        if not self.is_elsewhere:
            file_of(self.settings())
        return self._opened(**options)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the store is on a server."""
        return wiring.is_elsewhere(self.settings())

    def where(self) -> str:
        """The store's file or address, for the reader of a report."""
        return wiring.shown_url(self.settings()) if self.is_elsewhere else str(file_of(self.settings()))


@contextmanager
def _copied(path: Path, error: StoreReadOnly) -> Generator[Path]:
    """A copy of a store that cannot be written, as long as it is needed: looking into one writes beside it."""
    log = path.with_name(path.name + "-wal")
    if log.exists():
        # Somebody may be writing there, and a copy made meanwhile might be torn.
        raise StoreReadOnly(f"{error}; {log.name} belongs to it: run this once as somebody who may write there") from error
    click.echo(f"Note: {path} cannot be written; this looks into a copy of it.", err=True)
    with TemporaryDirectory(prefix="recollect-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        copy.chmod(0o600)
        yield copy


def existing(settings: Settings) -> Path:
    """The store's file, which must be there: a mistyped name is an error, not an empty store."""
    path = file_of(settings)
    if not path.exists():
        raise NotFound(f"there is no store at {path} yet: `recollect chat` or `recollect import` makes one")
    if path.is_file() and path.stat().st_size == 0:
        raise NotAStore(f"no store at {path}: the file is empty")
    return path


def file_of(settings: Settings) -> Path:
    """The store's file; an error for a store that is none."""
    path = wiring.sqlite_path(settings)
    if path is not None:
        return path
    if settings.url.startswith("memory://"):
        raise ConfigError("no store at memory://: it lives only inside the program that opened it")
    raise ConfigError(f"{wiring.shown_url(settings)} is no file; this command works on a file path or sqlite:///path")
