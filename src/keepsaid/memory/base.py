"""What all verbs of a memory share."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from keepsaid.config import DEFAULTS, Settings
from keepsaid.engine.messages.validation import clean_name
from keepsaid.errors import NotFound
from keepsaid.memory.chat import Chat
from keepsaid.ports import Clock, FileReaders, Storage, TokenCounter
from keepsaid.services.container import NO_COMPONENTS, SearchComponents, ServiceContainer, system_clock
from keepsaid.types import Scope, SessionStatus


class MemoryBase:
    """The services that the verbs of a memory use, and what all verbs share."""

    def __init__(
        self,
        storage: Storage,
        temporary: Storage,
        counter: TokenCounter,
        *,
        settings: Settings = DEFAULTS,
        clock: Clock = system_clock,
        components: SearchComponents = NO_COMPONENTS,
        readers: FileReaders | None = None,
    ) -> None:
        self._services = ServiceContainer(storage, counter, settings, clock, components, readers)
        """The services of what is stored."""
        self._temporary = ServiceContainer(temporary, counter, settings, clock, readers=readers, main=self._services)
        """The services of temporary sessions, which are never written to the store."""
        if components.background:
            storage.on_commit(self._services.wake)

    @property
    def tokenizer(self) -> str:
        """Return the name of the tokenizer that counts this store's messages.

        >>> import keepsaid
        >>> keepsaid.open("memory://").tokenizer
        'o200k_base'
        """
        return self._services.counter.name

    @property
    def embedder(self) -> str | None:
        """Return the name of the embedder used for search; None if the search is by words only.

        >>> import keepsaid
        >>> keepsaid.open("memory://", embedder="off").embedder
        """
        return None if self._services.embedding_job is None else self._services.embedding_job.embedder.name

    def close(self) -> None:
        """Close the store: end watches, stop background work and close files. Safe to call twice.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> memory.close()
        """
        self._services.dispatcher.close()
        self._temporary.dispatcher.close()
        self._services.close()
        self._temporary.close()
        self._services.storage.close()
        self._temporary.storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _scope(self, owner: str, session: str | None, pool: str | None) -> Scope:
        return Scope(
            clean_name(owner, "owner"),
            None if session is None else clean_name(session, "session id"),
            None if pool is None else clean_name(pool, "pool"),
        )

    def _is_temporary(self, scope: Scope) -> bool:
        if scope.session is None or scope.pool is not None:
            return False
        try:
            self._temporary.storage.get_session(scope)
        except NotFound:
            return False
        return True

    def _home(self, temporary: bool) -> ServiceContainer:
        return self._temporary if temporary else self._services

    def _handle(self, scope: Scope, temporary: bool) -> Chat:
        return Chat(self._home(temporary), scope, temporary=temporary)

    def _resumed(self, scope: Scope, temporary: bool) -> Chat:
        if self._home(temporary).storage.get_session(scope).status == SessionStatus.DELETED:
            raise NotFound("the session is deleted: restore it first")
        return self._handle(scope, temporary)
