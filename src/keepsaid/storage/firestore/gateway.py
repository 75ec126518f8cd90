"""The only file that uses Google's client. It reads, queries and writes documents, and raises our own errors.

Every request is retried while the service is unavailable. A write may then be done twice, so it must detect that: a commit
begins with a document that must not exist yet.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

from keepsaid.errors import ConfigError, StoreClosed
from keepsaid.storage.firestore.errors import (
    CONFLICT_ERRORS,
    WriteConflict,
    error_class_names,
    missing_package_error,
    translate_error,
)
from keepsaid.storage.firestore.options import FirestoreOptions

if TYPE_CHECKING:
    from google.cloud.firestore import Client

Result = TypeVar("Result")
Fields = dict[str, Any]
Filter = tuple[str, str, Any]
"""A field, an operator and a value."""

DOCUMENTS_PER_REQUEST = 300
"""Documents read in one request."""

PAGE = 500
MAX_PAUSE_SECONDS = 2.0
SERVER_TIME = object()
"""Placeholder value for a field: the server's time of the write."""


class FirestoreDocument(NamedTuple):
    """An existing document, and when it was last written."""

    path: str
    fields: Fields
    time: Any


class DocumentWrite(NamedTuple):
    """A change to a document: `put` replaces it, `merge` replaces these fields, `create` requires that it does not exist,
    `change` that it exists (and was not written since `time`), `delete` removes it."""

    how: Literal["put", "merge", "create", "change", "delete"]
    path: str
    fields: Fields
    time: Any = None


class FirestoreGateway:
    """Access to the documents of one database by path."""

    def __init__(self, address: FirestoreOptions) -> None:
        self._address = address
        self._client = _client(address)
        self._closed = False

    def get(self, paths: Iterable[str]) -> dict[str, FirestoreDocument]:
        """Read the documents that exist."""
        waiting, found = iter(dict.fromkeys(paths)), dict[str, FirestoreDocument]()
        while some := list(islice(waiting, DOCUMENTS_PER_REQUEST)):
            found |= {one.path: one for one in self._repeatedly(lambda some=some: self._get(some))}
        return found

    def _get(self, paths: list[str]) -> list[FirestoreDocument]:
        client = cast(Any, self._client)
        answers = client.get_all([client.document(path) for path in paths], retry=None, timeout=self._address.timeout)
        return [_found(one) for one in answers if one.exists]

    def select(
        self,
        collection: str,
        filters: Sequence[Filter] = (),
        order: str | None = None,
        *,
        descending: bool = False,
        limit: int | None = None,
        only: Sequence[str] = (),
    ) -> list[FirestoreDocument]:
        """Read the documents of a collection that match the filters; with `only`, only these fields."""
        query = self._query(collection, filters, order, descending, limit)
        if only:
            query = query.select(list(only))
        return self._repeatedly(lambda: [_found(one) for one in query.stream(retry=None, timeout=self._address.timeout)])

    def _query(
        self, collection: str, filters: Sequence[Filter], order: str | None, descending: bool, limit: int | None
    ) -> Any:
        from google.cloud.firestore import FieldFilter

        query = cast(Any, self._client).collection(collection)
        for field, comparison, value in filters:
            query = query.where(filter=FieldFilter(field, comparison, value))
        if order is not None:
            query = query.order_by(order, direction="DESCENDING" if descending else "ASCENDING")
        return query if limit is None else query.limit(limit)

    def pages(
        self, collection: str, order: str, *, after: Any = None, only: Sequence[str] = ()
    ) -> Iterable[list[FirestoreDocument]]:
        """Yield pages of all documents that have a field, in the order of its values, which must be unique."""
        last = after
        while True:
            filters: list[Filter] = [] if last is None else [(order, ">", last)]
            page = self.select(collection, filters, order, limit=PAGE, only=only)
            if page:
                yield page
            if len(page) < PAGE:
                return
            last = page[-1].fields[order]

    def commit(self, writes: Sequence[DocumentWrite]) -> list[Any]:
        """Write everything or nothing. Return the times of the writes. Raise `WriteConflict` if a document is not as
        expected."""
        batch = cast(Any, self._client).batch()
        for write in writes:
            self._add(batch, write)
        return self._repeatedly(lambda: [one.update_time for one in self._commit(batch)])

    def _commit(self, batch: Any) -> list[Any]:
        try:
            return batch.commit(retry=None, timeout=self._address.timeout)
        except Exception as error:
            if CONFLICT_ERRORS.isdisjoint(error_class_names(error)):
                raise
            raise WriteConflict(str(error)) from error

    def _add(self, batch: Any, write: DocumentWrite) -> None:
        document = cast(Any, self._client).document(write.path)
        fields = {name: _server_time() if value is SERVER_TIME else value for name, value in write.fields.items()}
        if write.how == "put":
            batch.set(document, fields)
        elif write.how == "merge":
            batch.set(document, fields, merge=list(fields))
        elif write.how == "create":
            batch.create(document, fields)
        elif write.how == "change":
            since = None if write.time is None else cast(Any, self._client).write_option(last_update_time=write.time)
            batch.update(document, fields, option=since)
        else:
            batch.delete(document)

    def listen(self, collection: str, order: str, call: Callable[[list[FirestoreDocument]], None]) -> Any:
        """Call with the document that has the greatest value in a field, now and whenever that changes, in a thread of
        Google's client. The returned object has `is_active` and `unsubscribe()`."""
        self._refuse_if_closed()

        def on_snapshot(documents: list[Any], changes: object, moment: object) -> None:
            call([_found(one) for one in documents])

        return self._query(collection, (), order, True, 1).on_snapshot(on_snapshot)

    def close(self) -> None:
        """Close the connection. Safe to call twice."""
        if not self._closed:
            self._closed = True
            cast(Any, self._client).close()

    def _repeatedly(self, request: Callable[[], Result]) -> Result:
        end, pause = time.monotonic() + self._address.patience, 0.05
        while True:
            self._refuse_if_closed()
            try:
                return request()
            except WriteConflict:
                raise
            except Exception as error:
                self._refuse_if_closed()
                ours, passes = translate_error(error)
                if not passes or time.monotonic() + pause > end:
                    raise ours from error
            time.sleep(random.uniform(pause / 2, pause))
            pause = min(pause * 2, MAX_PAUSE_SECONDS)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreClosed("this ledger was closed")


def _client(address: FirestoreOptions) -> Client:
    try:
        from google.auth.credentials import AnonymousCredentials
        from google.cloud.firestore import Client
    except ImportError as error:
        raise missing_package_error(error) from None
    try:
        credentials: Any = AnonymousCredentials() if address.emulator else None
        client = Client(address.project or None, credentials, address.database)  # pyright: ignore[reportArgumentType]
    except OSError as error:
        raise ConfigError(f"the project is not known: name it in the URL, firestore://project/ ({error})") from None
    except Exception as error:
        raise translate_error(error)[0] from error
    if address.emulator:
        # The client finds emulators only by an environment variable, which a library should not set.
        vars(client)["_emulator_host"] = address.emulator
    return client


def _server_time() -> Any:
    from google.cloud.firestore import SERVER_TIMESTAMP

    return SERVER_TIMESTAMP


def _found(snapshot: Any) -> FirestoreDocument:
    return FirestoreDocument(snapshot.reference.path, snapshot.to_dict() or {}, snapshot.update_time)
