"""The only file that knows concrete parts: it reads the settings and puts a `Memory` together."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect import tokens
from recollect.config import Settings, load
from recollect.errors import ConfigError
from recollect.kit import system_clock
from recollect.memory import Memory
from recollect.ports import Clock, Storage
from recollect.storage.memory import MemoryStorage

if TYPE_CHECKING:
    from recollect.aio import AsyncMemory
    from recollect.storage.sqlite import Source


def open_memory(
    url: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    clock: Clock = system_clock,
    **options: Any,
) -> Memory:
    """Opens a store: a file path (made if it is not there), `memory://` for nothing on disk, or nothing for your own.

    Options are the settings of docs/configuration.md by name; they win over the environment (`RECOLLECT_…`), which wins over
    the `config` file. `key` or `key_file` encrypts the file.

    >>> import recollect
    >>> with recollect.open("memory://", retention_active_days=None) as memory:
    ...     memory.chat(owner="u1").info().expires_at is None
    True
    """
    if url is not None:
        options["url"] = os.fspath(url)
    settings = load(options, os.environ, None if config is None else Path(config))
    storage = open_storage(settings)
    try:
        return Memory(
            storage,
            MemoryStorage(),
            tokens.counter_for(_tokenizer(storage, settings)),
            policy=settings.retention_policy,
            sessions_limit=settings.sessions_limit,
            retention_batch=settings.retention_batch,
            clock=clock,
        )
    except BaseException:
        storage.close()
        raise


async def open_memory_async(url: str | os.PathLike[str] | None = None, **options: Any) -> AsyncMemory:
    """Opens a store for `await`: the same arguments, the same verbs.

    >>> import asyncio, recollect
    >>> async def main():
    ...     async with await recollect.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1")
    ...         return (await chat.add("user", "Hello")).text
    >>> asyncio.run(main())
    'Hello'
    """
    from recollect.aio import AsyncMemory

    return await AsyncMemory.over(lambda: open_memory(url, **options))


def open_storage(settings: Settings) -> Storage:
    """The storage that the settings' URL names."""
    path = sqlite_path(settings)
    if path is not None:
        from recollect.storage.sqlite import SqliteStorage

        if not settings.url:
            path.parent.mkdir(parents=True, exist_ok=True)
        return SqliteStorage(_source(path, settings))
    scheme = settings.url.partition("://")[0]
    if scheme == "memory":
        return MemoryStorage()
    raise ConfigError(f"cannot open {scheme}://…; known are a file path, sqlite:///path and memory://")


def salvage(settings: Settings, target: Path) -> dict[str, int]:
    """Copies what can still be read of a damaged file into a new store; returns the rows saved of each table."""
    from recollect.storage.sqlite.salvage import salvage as salvage_file

    path = sqlite_path(settings)
    if path is None:
        raise ConfigError("only a SQLite file can be salvaged")
    return salvage_file(_source(path, settings), target)


def sqlite_path(settings: Settings) -> Path | None:
    """The file that the settings' URL names, or None if it names no file."""
    url = settings.url or str(default_path())
    scheme, separator, rest = url.partition("://")
    if not separator:
        return Path(url)
    # Like everywhere else: sqlite:///relative.db, sqlite:////absolute.db.
    return Path(rest.removeprefix("/")) if scheme == "sqlite" else None


def _source(path: Path, settings: Settings) -> Source:
    from recollect.storage.sqlite import Source

    return Source(path, _key(settings), settings.durable, settings.busy_timeout)


def default_path() -> Path:
    """The store of someone who named none: in the user's data folder."""
    import platformdirs

    return platformdirs.user_data_path("recollect") / "memory.db"


def _tokenizer(storage: Storage, settings: Settings) -> str:
    """A store counts with one tokenizer for life, chosen when it is made."""
    wanted = tokens.counter_for(settings.tokenizer).name if settings.tokenizer else ""
    kept = storage.settle("tokenizer", wanted or tokens.DEFAULT)
    if wanted and wanted != kept:
        raise ConfigError(f"this store counts tokens with {kept}, not {wanted}: leave `tokenizer` out to open it")
    return kept


def _key(settings: Settings) -> str | bytes | None:
    if settings.key is not None or settings.key_file is None:
        return settings.key
    try:
        content = Path(settings.key_file).read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read the key file: {error}") from None
    if len(content) == 32:
        return content
    try:
        text = content.decode().strip()
    except UnicodeDecodeError:
        raise ConfigError(f"{settings.key_file} holds neither 32 bytes nor text") from None
    if not text:
        raise ConfigError(f"{settings.key_file} is empty")
    return bytes.fromhex(text) if re.fullmatch(r"[0-9a-fA-F]{64}", text) else text
