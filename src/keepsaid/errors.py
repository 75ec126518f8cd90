"""All errors that Keepsaid raises, as one tree.

KeepsaidError
├── InvalidInput (also a ValueError)        what was passed in cannot be used
│   ├── InvalidCursor                       the cursor belongs to another query, or is not a cursor
│   ├── MessageTooLarge                     the message is larger than the backend can store
│   └── BudgetTooSmall                      the system prompt and the question alone exceed the budget
├── NotFound (also a LookupError)           unknown, purged or another owner's (it never says which), or deleted
├── Conflict                                the store is in another state than the caller believes
│   ├── MessageConflict                     the message id is used by a message with other content
│   ├── RevisionConflict                    the session was changed in between
│   ├── InvalidTransition                   the session's life cycle has no such step
│   └── Erased                              this id was erased and cannot be used again
├── ConfigError                             a setting that does not exist or has no such value
├── MissingExtra (also an ImportError)      an optional part is not installed; the message says how to install it
├── EmbedderError                           the embedder failed, or returned no valid vectors
│   └── MissingModel                        the local model is missing; run `keepsaid model pull`
├── RetrieverError                          the application's retriever failed, or did not return text
├── LLMError                                the language model gave no answer, or an unusable one
│   └── LLMRefused                          the endpoint refused the request with an HTTP status
├── QuotaExceeded                           more than the owner may store; what was stored before stays
├── ImportProblem                           an export of another program cannot be read to its end
└── StorageError                            the storage failed
    ├── StoreBusy                           the lock, or all connections, were in use for longer than the timeout
    ├── StoreUnavailable                    the server cannot be reached, or did not respond in time
    ├── StoreFull                           the disk is full; nothing of the failed call was stored
    ├── StoreReadOnly                       the file or its folder is not writable
    ├── StoreCorrupt                        the file is damaged; run `keepsaid doctor --repair`
    ├── StoreClosed                         the store was used after `close()`
    ├── NotAStore                           the file is not a Keepsaid store
    ├── NewerStore                          created by a newer version of Keepsaid
    └── WrongKey                            the key does not open the file, or the file is not encrypted
"""


class KeepsaidError(Exception):
    """The base class of all Keepsaid errors.

    >>> issubclass(NotFound, KeepsaidError)
    True
    """


class InvalidInput(KeepsaidError, ValueError):
    """What was passed in cannot be used; the message says why.

    >>> import keepsaid
    >>> keepsaid.open("memory://").chat(owner="")
    Traceback (most recent call last):
    ...
    keepsaid.errors.InvalidInput: owner must not be empty
    """


class InvalidCursor(InvalidInput):
    """The cursor belongs to another query, or is not a cursor."""


class MessageTooLarge(InvalidInput):
    """The message is larger than the backend can store."""


class BudgetTooSmall(InvalidInput):
    """The budget is too small for the system prompt and the question, which every prompt needs: at least `needed` tokens.

    >>> BudgetTooSmall(needed=230, budget=100)
    BudgetTooSmall('a budget of 100 tokens cannot hold the system prompt and the question: they need 230')
    """

    def __init__(self, needed: int, budget: int) -> None:
        needs = f"they need {needed:,}"
        super().__init__(f"a budget of {budget:,} tokens cannot hold the system prompt and the question: {needs}")
        self.needed = needed
        self.budget = budget


class NotFound(KeepsaidError, LookupError):
    """Unknown, purged or another owner's: the message is the same for all three, so that nothing can be inferred. Or
    deleted; then the message says so."""


class Conflict(KeepsaidError):
    """The store is in another state than the caller believes."""


class MessageConflict(Conflict):
    """The message id is taken by a message with other content."""


class RevisionConflict(Conflict):
    """The session changed since the caller read it."""


class InvalidTransition(Conflict):
    """The session's life cycle has no such step."""


class Erased(Conflict):
    """This id was erased and cannot be used again."""


class ConfigError(KeepsaidError):
    """A setting that does not exist or has no such value."""


class MissingExtra(KeepsaidError, ImportError):
    """An optional part is not installed; the message says how to install it."""


class EmbedderError(KeepsaidError):
    """The embedder failed, or returned no valid vectors."""


class MissingModel(EmbedderError):
    """The local model is missing or could not be downloaded; the message says what to do."""


class RetrieverError(KeepsaidError):
    """The application's retriever failed, or did not return text."""


class LLMError(KeepsaidError):
    """The language model gave no answer, or an unusable one; the message says what to do."""


class LLMRefused(LLMError):
    """The endpoint refused the request; `status` is the HTTP status, `response_text` its text."""

    def __init__(self, message: str, status: int = 0, response_text: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.response_text = response_text


class ImportProblem(KeepsaidError):
    """An export of another program cannot be read to its end; the message says where. What was read before stays, and
    `report` (an `ImportReport`) counts what was stored of it."""

    report: object = None


class QuotaExceeded(KeepsaidError):
    """The owner may not store that much. What was stored before stays; for an import, `report` (an `ImportReport`) counts
    it."""

    report: object = None


class StorageError(KeepsaidError):
    """The storage failed."""


class StoreBusy(StorageError):
    """The lock, or all connections, were in use for longer than the timeout."""


class StoreUnavailable(StorageError):
    """The server cannot be reached, or did not respond in time. The write may have succeeded all the same; a message that
    was given an id can safely be saved again."""


class StoreFull(StorageError):
    """The disk is full; nothing of the failed call was stored."""


class StoreReadOnly(StorageError):
    """The file or its folder is not writable."""


class StoreCorrupt(StorageError):
    """The file is damaged; `keepsaid doctor --repair` may fix it."""


class StoreClosed(StorageError):
    """The store was used after `close()`."""


class NotAStore(StorageError):
    """The file is not a Keepsaid store."""


class NewerStore(StorageError):
    """The store was created by a newer version of Keepsaid."""


class WrongKey(StorageError):
    """The key does not open the file, or the file is not encrypted."""
