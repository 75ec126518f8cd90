"""The only file that knows concrete parts: it reads the settings and puts a `Memory` together."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect import tokens
from recollect.config import Settings, load
from recollect.embed import embedder_for, is_pulled, local_model_folder
from recollect.embed.callable import CallableEmbedder
from recollect.embed.checked import Checked
from recollect.errors import ConfigError, RecollectError
from recollect.index.local import LocalIndex
from recollect.kit import system_clock
from recollect.memory import Memory
from recollect.ports import Clock, Embedder, Index, Indexed, Progress, Storage, Vectors
from recollect.senses import Senses
from recollect.storage import elsewhere
from recollect.storage.memory import MemoryStorage

if TYPE_CHECKING:
    from recollect.aio import AsyncMemory
    from recollect.llm.found import FoundLLM
    from recollect.scribes import Scribes
    from recollect.storage.sqlite import Source
    from recollect.storage.sqlite.restore import Restored


def open_memory(
    url: str | os.PathLike[str] | None = None,
    *,
    config: str | os.PathLike[str] | None = None,
    clock: Clock = system_clock,
    storage: Storage | None = None,
    index: Callable[[Vectors], Index] | None = None,
    **options: Any,
) -> Memory:
    """Opens a store: a file path (made if it is not there), `memory://` for nothing on disk, or nothing for your own.

    Options are the settings of docs/configuration.md by name; they win over the environment (`RECOLLECT_…`), which wins over
    the `config` file. `key` or `key_file` encrypts the file. `storage` is a backend of your own instead (docs/backends.md),
    and `index` makes an index for its vectors (docs/frameworks/chroma.md).

    >>> import recollect
    >>> with recollect.open("memory://", retention_preset="30/90/30") as memory:
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
    index: Callable[[Vectors], Index] | None = None,
) -> Memory:
    """Opens the store that settings name, or puts a memory over a storage that is open already and closes with it."""
    storage = open_storage(settings) if storage is None else storage
    try:
        return Memory(
            storage,
            MemoryStorage(),
            tokens.counter_for(_tokenizer(storage, settings)),
            settings=settings,
            clock=clock,
            senses=_senses(settings, index or (lambda vectors: _index(vectors, settings))),
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
    if scheme in elsewhere.SCHEMES:
        mirror = Path(settings.mirror_folder) if settings.mirror_folder else None
        return elsewhere.open_elsewhere(settings.url, _key(settings), mirror, settings.busy_timeout)
    known = "a file path, sqlite:///path, memory://, postgresql://, redis:// and firestore://"
    raise ConfigError(f"cannot open {scheme}://…; known are {known}")


def _senses(settings: Settings, index: Callable[[Vectors], Index]) -> Senses:
    """What the settings say to search with. Nothing heavy is loaded before somebody searches or embeds."""
    embedder = open_embedder(settings)
    if embedder is None:
        return Senses(
            reranker=settings.reranker,
            rerank_top=settings.rerank_top,
            background=settings.background,
            scribes=lambda: _scribes(settings),
        )
    return Senses(
        embedder,
        index,
        lambda name: _older_embedder(name, settings),
        settings.reranker,
        settings.rerank_top,
        settings.embedder_patience,
        settings.background,
        lambda: _scribes(settings),
    )


def _index(vectors: Vectors, settings: Settings) -> Index:
    """The storage's own index, if it has one; otherwise one in this process."""
    return vectors.index() if isinstance(vectors, Indexed) else LocalIndex(vectors, settings.index_memory << 20)


def _scribes(settings: Settings) -> Scribes:
    """Who writes with a language model, if the settings name one."""
    from recollect.llm import llm_for
    from recollect.scribes import Scribes

    llm = None
    if settings.llm is not None and settings.llm != "off":
        llm = llm_for(settings.llm, base_url=settings.llm_url, api_key=settings.llm_key, timeout=settings.llm_timeout)
    condenser = None if isinstance(settings.summarizer, str) else settings.summarizer
    if settings.summarizer == "dspy":
        from recollect.llm.dspy import DspyCondenser

        condenser = DspyCondenser()
    return Scribes(llm, condenser, settings.summarizer in ("auto", "llm"), settings.rewriter == "llm", settings.redact_sent)


def open_llm(settings: Settings) -> FoundLLM:
    """The language model to chat with: the one that the settings name, or one in an Ollama on this machine; and a sentence
    on which, or why there is none. A model that was found chats and does nothing else."""
    from recollect.llm import llm_for
    from recollect.llm.found import INSTALL, OFF, SET_UP, FoundLLM, can_ask_endpoints, find_ollama

    wanted = settings.llm
    if isinstance(wanted, str) and wanted == "off":
        return FoundLLM(None, OFF)
    if wanted is not None:
        llm = llm_for(wanted, base_url=settings.llm_url, api_key=settings.llm_key, timeout=settings.llm_timeout)
        if isinstance(wanted, str) and not can_ask_endpoints():
            return FoundLLM(None, f"{llm.name} needs: {INSTALL}")
        return FoundLLM(llm, f"{llm.name}, by the settings")
    found = find_ollama(os.environ)
    if found is None:
        return FoundLLM(None, SET_UP)
    if not can_ask_endpoints():
        return FoundLLM(None, f"found {found.model} in Ollama at {found.url}, but to talk to it needs: {INSTALL}")
    llm = llm_for(f"ollama:{found.model}", base_url=f"{found.url}/v1", timeout=settings.llm_timeout)
    return FoundLLM(llm, f"found {found.model} in Ollama at {found.url}")


def open_embedder(settings: Settings) -> Embedder | None:
    """What the settings say to embed with, if anything."""
    embedder = _embedder(settings)
    return None if embedder is None else Checked(embedder)


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
    """A function's vectors are known by its name: two of one name are taken to be the same, so it must have one."""
    name = getattr(function, "__qualname__", "")
    if not callable(function) or not name or "<lambda>" in name:
        raise ConfigError(
            "an embedder is a name such as 'local', a function with a name of its own, or an object with `name` and `embed`:"
            " recollect.embed.callable.CallableEmbedder('my-model', function) makes one of any function"
        )
    return f"callable:{getattr(function, '__module__', '')}.{name}"


def _older_embedder(generation: str, settings: Settings) -> Embedder | None:
    """The embedder that made an earlier generation, if its name says how to get it."""
    # The name of a local one goes on with the formats of its files.
    spec = generation.partition("/")[0] if generation.startswith("local:") else generation
    for token_vectors in (True, False):
        try:
            made = _named_embedder(spec, replace(settings, token_vectors=token_vectors))
        except RecollectError:
            return None
        if made.name == generation:
            return Checked(made)
    return None


def model_folder(settings: Settings) -> Path:
    """The folder of the local model."""
    return Path(settings.model_folder) if settings.model_folder else local_model_folder()


def salvage(settings: Settings, target: Path) -> dict[str, int]:
    """Copies what can still be read of a damaged file into a new store; returns the rows saved of each table."""
    from recollect.storage.sqlite.salvage import salvage as salvage_file

    path = sqlite_path(settings)
    if path is None:
        raise ConfigError("only a SQLite file can be salvaged")
    return salvage_file(_source(path, settings), target)


def restore(
    settings: Settings, backup: Path, aside: Path, *, repair: bool = False, progress: Progress | None = None
) -> Restored:
    """Puts a backup in the place of the settings' store; what is there now is kept as `aside`."""
    from recollect.storage.sqlite.restore import restore as restore_file

    path = sqlite_path(settings)
    if path is None:
        raise ConfigError("only a SQLite file can be restored")
    return restore_file(_source(path, settings), backup, aside, repair=repair, progress=progress)


def is_copy(settings: Settings, path: Path) -> bool:
    """Whether a file is a backup of the settings' own store."""
    from recollect.storage.sqlite.backup import is_copy as is_copy_of

    store = sqlite_path(settings)
    return store is not None and is_copy_of(_source(store, settings), path)


def rotate(settings: Settings, new: Path) -> int:
    """Changes the master key of the settings' store to the one in a file; returns how many keys were wrapped anew."""
    if not is_elsewhere(settings):
        raise ConfigError("a file has one key for good: `recollect copy` makes another file with another key")
    key, other = _key(settings), _key(replace(settings, key=None, key_file=str(new)))
    if key is None or other is None:
        raise ConfigError("this needs the present key of the store: --key-file, or the setting `key_file`")
    return elsewhere.rotate(settings.url, key, other, settings.busy_timeout)


def is_elsewhere(settings: Settings) -> bool:
    """Whether the settings' store is on a server."""
    return elsewhere.scheme_of(settings.url) in elsewhere.SCHEMES


def shown_url(settings: Settings) -> str:
    """The settings' URL without its password.

    >>> shown_url(Settings(url="postgresql://ann:secret@db/chat"))
    'postgresql://ann@db/chat'
    """
    scheme, _, rest = settings.url.partition("://")
    login, at, place = rest.rpartition("@")
    shown = f"{scheme}://{login.partition(':')[0]}{at}{place}"
    return re.sub(r"(?i)([?&](?:[a-z_]*(?:password|passwd|secret|key|token)))=[^&]*", r"\1=…", shown)


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
