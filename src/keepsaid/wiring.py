"""Build a `Memory` from the settings. The only file that names concrete storages, embedders and language models."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepsaid.config import Settings, load
from keepsaid.embed import embedder_for, is_pulled, local_model_folder
from keepsaid.embed.callable import CallableEmbedder
from keepsaid.embed.checks import CheckedEmbedder
from keepsaid.errors import ConfigError, KeepsaidError
from keepsaid.index.local import LocalIndex
from keepsaid.llm import tokens
from keepsaid.memory import Memory
from keepsaid.ports import Clock, Embedder, FileReaders, Index, Progress, Storage
from keepsaid.services.container import SearchComponents, system_clock
from keepsaid.storage import remote
from keepsaid.storage.inmemory.storage import MemoryStorage

if TYPE_CHECKING:
    from keepsaid.aio import AsyncMemory
    from keepsaid.llm.discovery import DiscoveredLLM
    from keepsaid.services.llm_writers import LLMWriters
    from keepsaid.storage.sqlite import SqliteSource
    from keepsaid.storage.sqlite.health.restore import RestoreResult
    from keepsaid.storage.sqlite.health.salvage import SalvageReport


def open_memory(
    url: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    clock: Clock = system_clock,
    storage: Storage | None = None,
    index: Callable[[Storage], Index] | None = None,
    **options: Any,
) -> Memory:
    """Open a store: a file path (created if missing), a URL such as `memory://` (nothing on disk), or the default file.

    Options are the settings of docs/configuration.md by name; they override the environment (`KEEPSAID_…`), which overrides
    the `config` file. `key` or `key_file` encrypts the file. `storage` is a backend of your own to use instead
    (docs/backends.md), and `index` creates an index for its vectors (docs/frameworks/chroma.md).

    >>> import keepsaid
    >>> with keepsaid.open("memory://", retention_preset="30/90/30") as memory:
    ...     memory.chat(owner="u1").info().expires_at is None
    False
    """
    if url is not None:
        options["url"] = os.fspath(url)
    return open_with(load(options, os.environ, None if config is None else Path(config)), clock, storage, index)


def open_with(
    settings: Settings,
    clock: Clock = system_clock,
    storage: Storage | None = None,
    index: Callable[[Storage], Index] | None = None,
    readers: FileReaders | None = None,
) -> Memory:
    """Open the store of the settings, or use an open `storage`, which is closed with the memory. `readers` read imported
    and ingested files outside this process if they are not trusted."""
    storage = open_storage(settings) if storage is None else storage
    try:
        return Memory(
            storage,
            MemoryStorage(),
            tokens.counter_for(_tokenizer(storage, settings)),
            settings=settings,
            clock=clock,
            components=_components(settings, index or (lambda storage: _index(storage, settings))),
            readers=readers,
        )
    except BaseException:
        storage.close()
        raise


async def open_memory_async(url: str | os.PathLike[str] | None = None, **options: Any) -> AsyncMemory:
    """Open a store for use with `await`: the same arguments and methods as `open`.

    >>> import asyncio, keepsaid
    >>> async def main():
    ...     async with await keepsaid.open_async("memory://") as memory:
    ...         chat = await memory.chat(owner="u1")
    ...         return (await chat.add("user", "Hello")).text
    >>> asyncio.run(main())
    'Hello'
    """
    from keepsaid.aio import AsyncMemory

    return await AsyncMemory.over(lambda: open_memory(url, **options))


def open_storage(settings: Settings) -> Storage:
    """Open the storage of the settings' URL."""
    path = sqlite_path(settings)
    if path is not None:
        from keepsaid.storage.sqlite import SqliteStorage

        if not settings.url:
            path.parent.mkdir(parents=True, exist_ok=True)
        return SqliteStorage(_source(path, settings))
    scheme = settings.url.partition("://")[0]
    if scheme == "memory":
        return MemoryStorage()
    if scheme in remote.SCHEMES:
        replica_folder = Path(settings.replica_folder) if settings.replica_folder else None
        return remote.open_remote(settings.url, _key(settings), replica_folder, settings.busy_timeout)
    known = "a file path, sqlite:///path, memory://, postgresql://, redis:// or firestore://"
    raise ConfigError(f"cannot open {scheme}://…: use one of {known}")


def _components(settings: Settings, index: Callable[[Storage], Index]) -> SearchComponents:
    """Return what the settings say to search with. Heavy modules are loaded with the first search or embedding."""
    embedder = open_embedder(settings)
    if embedder is None:
        return SearchComponents(
            reranker=settings.reranker,
            rerank_top=settings.rerank_top,
            background=settings.background,
            llm_writers=lambda: _llm_writers(settings),
        )
    return SearchComponents(
        embedder,
        index,
        lambda name: _older_embedder(name, settings),
        settings.reranker,
        settings.rerank_top,
        settings.embedder_patience,
        settings.background,
        lambda: _llm_writers(settings),
    )


def _index(storage: Storage, settings: Settings) -> Index:
    """Return the storage's own index if it has one, otherwise an index in this process."""
    make_index = storage.capabilities.index
    return LocalIndex(storage, settings.index_memory << 20) if make_index is None else make_index()


def _llm_writers(settings: Settings) -> LLMWriters:
    """Return the writers that use a language model, if the settings name one."""
    from keepsaid.llm import llm_for
    from keepsaid.services.llm_writers import LLMWriters

    llm = None
    if settings.llm is not None and settings.llm != "off":
        llm = llm_for(settings.llm, base_url=settings.llm_url, api_key=settings.llm_key, timeout=settings.llm_timeout)
    condenser = None if isinstance(settings.summarizer, str) else settings.summarizer
    if settings.summarizer == "dspy":
        from keepsaid.llm.dspy import DspyCondenser

        condenser = DspyCondenser()
    return LLMWriters(
        llm, condenser, settings.summarizer in ("auto", "llm"), settings.rewriter == "llm", settings.redact_sent
    )


def open_llm(settings: Settings) -> DiscoveredLLM:
    """Return the language model to chat with, from the settings or from Ollama on this machine, and a sentence that says
    which it is or why there is none. A detected model is used for chat only."""
    from keepsaid.llm import llm_for
    from keepsaid.llm.discovery import INSTALL_COMMAND, LLM_IS_OFF, SETUP_HINT, DiscoveredLLM, can_ask_endpoints, find_ollama

    wanted = settings.llm
    if isinstance(wanted, str) and wanted == "off":
        return DiscoveredLLM(None, LLM_IS_OFF)
    if wanted is not None:
        llm = llm_for(wanted, base_url=settings.llm_url, api_key=settings.llm_key, timeout=settings.llm_timeout)
        if isinstance(wanted, str) and not can_ask_endpoints():
            return DiscoveredLLM(None, f"{llm.name} needs: {INSTALL_COMMAND}")
        return DiscoveredLLM(llm, f"{llm.name}, from the settings")
    found = find_ollama(os.environ)
    if found is None:
        return DiscoveredLLM(None, SETUP_HINT)
    if not can_ask_endpoints():
        return DiscoveredLLM(None, f"found {found.model} in Ollama at {found.url}, but using it needs: {INSTALL_COMMAND}")
    llm = llm_for(f"ollama:{found.model}", base_url=f"{found.url}/v1", timeout=settings.llm_timeout)
    return DiscoveredLLM(llm, f"found {found.model} in Ollama at {found.url}")


def open_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of the settings, if any."""
    embedder = _embedder(settings)
    return None if embedder is None else CheckedEmbedder(embedder)


def _embedder(settings: Settings) -> Embedder | None:
    wanted: Any = settings.embedder
    if wanted is None or wanted == "off":
        return None
    if wanted == "auto":
        return _named_embedder("local", settings) if is_pulled(model_folder(settings)) else None
    if isinstance(wanted, str):
        return _named_embedder(wanted, settings)
    if hasattr(wanted, "embed") and isinstance(getattr(wanted, "name", None), str):
        return wanted
    return CallableEmbedder(_callable_name(wanted), wanted)


def _named_embedder(spec: str, settings: Settings) -> Embedder:
    return embedder_for(
        spec,
        folder=model_folder(settings),
        threads=settings.embedder_threads,
        token_vectors=settings.token_vectors,
        base_url=settings.embedder_url,
        api_key=settings.embedder_key,
        device=settings.embedder_device,
    )


def _callable_name(function: Any) -> str:
    """Return the name of an embedding function. Vectors are stored under it, so the function must have its own name."""
    name = getattr(function, "__qualname__", "")
    if not callable(function) or not name or "<lambda>" in name:
        raise ConfigError(
            "an embedder must be a name such as 'local', a named function, or an object with `name` and `embed`:"
            " keepsaid.embed.callable.CallableEmbedder('my-model', function) wraps any function"
        )
    return f"callable:{getattr(function, '__module__', '')}.{name}"


def _older_embedder(generation: str, settings: Settings) -> Embedder | None:
    """Return the embedder of an earlier generation, if its name says how to create it."""
    # The name of a local embedder ends with the formats of its files.
    spec = generation.partition("/")[0] if generation.startswith("local:") else generation
    for token_vectors in (True, False):
        try:
            made = _named_embedder(spec, replace(settings, token_vectors=token_vectors))
        except KeepsaidError:
            return None
        if made.name == generation:
            return CheckedEmbedder(made)
    return None


def model_folder(settings: Settings) -> Path:
    """Return the folder of the local model."""
    return Path(settings.model_folder) if settings.model_folder else local_model_folder()


def salvage(settings: Settings, target: Path) -> SalvageReport:
    """Copy what can still be read of a damaged file to a new store; return the rows saved per table and what was lost."""
    from keepsaid.storage.sqlite.health.salvage import salvage as salvage_file

    path = sqlite_path(settings)
    if path is None:
        raise ConfigError("only a SQLite file can be salvaged")
    return salvage_file(_source(path, settings), target)


def restore(
    settings: Settings, backup: Path, aside: Path, *, repair: bool = False, progress: Progress | None = None
) -> RestoreResult:
    """Replace the settings' store with a backup; the current store is kept as `aside`."""
    from keepsaid.storage.sqlite.health.restore import restore_backup as restore_file

    path = sqlite_path(settings)
    if path is None:
        raise ConfigError("only a SQLite file can be restored")
    return restore_file(_source(path, settings), backup, aside, repair=repair, progress=progress)


def is_copy(settings: Settings, path: Path) -> bool:
    """Whether a file is a backup of the settings' own store."""
    from keepsaid.storage.sqlite.health.backup import is_copy as is_copy_of

    store = sqlite_path(settings)
    return store is not None and is_copy_of(_source(store, settings), path)


def rotate(settings: Settings, new: Path) -> int:
    """Change the master key of the settings' store to the key in a file; return how many keys were wrapped again."""
    if not is_remote(settings):
        raise ConfigError("the key of a file cannot be changed: use `keepsaid copy` to make a new file with another key")
    key, other = _key(settings), _key(replace(settings, key=None, key_file=str(new)))
    if key is None or other is None:
        raise ConfigError("the current key of the store is missing: pass --key-file, or set `key_file`")
    return remote.rotate_key(settings.url, key, other, settings.busy_timeout)


def is_remote(settings: Settings) -> bool:
    """Whether the settings' store is on a server."""
    return remote.scheme_of(settings.url) in remote.SCHEMES


def shown_url(settings: Settings) -> str:
    """Return the settings' URL without its password.

    >>> shown_url(Settings(url="postgresql://ann:secret@db/chat"))
    'postgresql://ann@db/chat'
    """
    scheme, _, rest = settings.url.partition("://")
    login, at, place = rest.rpartition("@")
    shown = f"{scheme}://{login.partition(':')[0]}{at}{place}"
    return re.sub(r"(?i)([?&](?:[a-z_]*(?:password|passwd|secret|key|token)))=[^&]*", r"\1=…", shown)


def sqlite_path(settings: Settings) -> Path | None:
    """Return the file of the settings' URL, or None if it is not a file."""
    url = settings.url or str(default_path())
    scheme, separator, rest = url.partition("://")
    if not separator:
        return Path(url)
    # The usual convention: sqlite:///relative.db, sqlite:////absolute.db.
    return Path(rest.removeprefix("/")) if scheme == "sqlite" else None


def _source(path: Path, settings: Settings) -> SqliteSource:
    from keepsaid.storage.sqlite import SqliteSource

    return SqliteSource(path, _key(settings), settings.durable, settings.busy_timeout)


def default_path() -> Path:
    """Return the default store, in the user's data folder."""
    import platformdirs

    return platformdirs.user_data_path("keepsaid") / "memory.db"


def _tokenizer(storage: Storage, settings: Settings) -> str:
    """Return the store's tokenizer, which is chosen when the store is created and never changes."""
    wanted = tokens.counter_for(settings.tokenizer).name if settings.tokenizer else ""
    kept = storage.settle("tokenizer", wanted or tokens.DEFAULT_ENCODING)
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
    if "\0" in text:
        raise ConfigError(f"{settings.key_file} holds a NUL character, which no passphrase can contain")
    return bytes.fromhex(text) if re.fullmatch(r"[0-9a-fA-F]{64}", text) else text
