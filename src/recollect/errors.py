"""Every error that Recollect raises on purpose, as one tree.

RecollectError
├── InvalidInput (also a ValueError)        what was passed in cannot be used
│   ├── InvalidCursor                       a cursor that belongs to another query, or to none
│   ├── MessageTooLarge                     larger than the backend can keep
│   └── BudgetTooSmall                      the system prompt and the question alone are more than the budget
├── NotFound (also a LookupError)           unknown, purged or somebody else's (it never says which), or deleted
├── Conflict                                the store is in another state than the caller believes
│   ├── MessageConflict                     the same message id with other content
│   ├── RevisionConflict                    someone changed it in between
│   ├── IllegalMove                         this step does not exist in the session's life cycle
│   └── Erased                              this id was erased for good and does not come back
├── ConfigError                             a setting that does not exist or has no such value
├── MissingExtra (also an ImportError)      an optional part is not installed; the message names the cure
├── EmbedderError                           what makes vectors failed, or made something that is none
│   └── MissingModel                        the local model is not there; `recollect model pull` is the cure
├── RetrieverError                          an application's own retriever failed, or gave something that is no text
├── LLMError                                the language model gave no answer, or none that can be used
│   └── LLMRefused                          its endpoint answered, but with a status that says no
├── ImportProblem                           an export of another program cannot be read, or not to its end
└── StorageError                            the store itself cannot go on
    ├── StoreBusy                           others held the lock, or all connections, for longer than the timeout
    ├── StoreUnavailable                    the server cannot be reached, or did not answer in time
    ├── StoreFull                           the disk is full; nothing of the failed call was kept
    ├── StoreReadOnly                       the file or its folder cannot be written
    ├── StoreCorrupt                        the file is damaged; `recollect doctor --repair` is the cure
    ├── StoreClosed                         used after close()
    ├── NotAStore                           a file that Recollect did not make
    ├── NewerStore                          made by a newer Recollect than this one
    └── WrongKey                            the key does not open the file, or the file has none
"""


class RecollectError(Exception):
    """The root of all our errors.

    >>> issubclass(NotFound, RecollectError)
    True
    """


class InvalidInput(RecollectError, ValueError):
    """What was passed in cannot be used; the message says why.

    >>> import recollect
    >>> recollect.open("memory://").chat(owner="")
    Traceback (most recent call last):
    ...
    recollect.errors.InvalidInput: owner must not be empty
    """


class InvalidCursor(InvalidInput):
    """A cursor is only good for the query that made it."""


class MessageTooLarge(InvalidInput):
    """The message is larger than the backend can keep."""


class BudgetTooSmall(InvalidInput):
    """The budget cannot hold the system prompt and the question, which every prompt must have; `needed` tokens can.

    >>> BudgetTooSmall(needed=230, budget=100)
    BudgetTooSmall('a budget of 100 tokens cannot hold the system prompt and the question: they need 230')
    """

    def __init__(self, needed: int, budget: int) -> None:
        needs = f"they need {needed:,}"
        super().__init__(f"a budget of {budget:,} tokens cannot hold the system prompt and the question: {needs}")
        self.needed = needed
        self.budget = budget


class NotFound(RecollectError, LookupError):
    """Unknown, purged or somebody else's: they look the same from outside, so that nothing can be inferred. Or one's own,
    but deleted; then the message says so."""


class Conflict(RecollectError):
    """The store is in another state than the caller believes."""


class MessageConflict(Conflict):
    """The message id is taken by a message with other content."""


class RevisionConflict(Conflict):
    """The session changed since the caller read it."""


class IllegalMove(Conflict):
    """The session's life cycle has no such step."""


class Erased(Conflict):
    """This id was erased for good and does not come back."""


class ConfigError(RecollectError):
    """A setting that does not exist or has no such value."""


class MissingExtra(RecollectError, ImportError):
    """An optional part is not installed; the message names the cure."""


class EmbedderError(RecollectError):
    """What makes vectors failed, or made something that cannot be one."""


class MissingModel(EmbedderError):
    """The local model is not there, or could not be fetched; the message names the cure."""


class RetrieverError(RecollectError):
    """An application's own retriever failed, or gave something that is no text."""


class LLMError(RecollectError):
    """The language model gave no answer, or none that can be used; the message says what to do."""


class LLMRefused(LLMError):
    """The endpoint refused the request: with which HTTP `status`, and what it `said`."""

    def __init__(self, message: str, status: int = 0, said: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.said = said


class ImportProblem(RecollectError):
    """An export of another program cannot be read, or not to its end; the message says where. What was read before that
    place was handed on already, and `report` (an `ImportReport`) counts what was kept of it."""

    report: object = None


class StorageError(RecollectError):
    """The store itself cannot go on."""


class StoreBusy(StorageError):
    """Another process held the lock for longer than the timeout."""


class StoreUnavailable(StorageError):
    """The server cannot be reached, or did not answer in time. What was tried again without success may have been kept all
    the same: a message with an id of its own can be sent once more without being kept twice."""


class StoreFull(StorageError):
    """The disk is full; nothing of the failed call was kept."""


class StoreReadOnly(StorageError):
    """The file or its folder cannot be written."""


class StoreCorrupt(StorageError):
    """The file is damaged."""


class StoreClosed(StorageError):
    """Used after close()."""


class NotAStore(StorageError):
    """A file that Recollect did not make."""


class NewerStore(StorageError):
    """Made by a newer Recollect than this one."""


class WrongKey(StorageError):
    """The key does not open the file, or the file has none."""
