"""The only file that knows Google's client: documents are read, queried and written through it, in our words.

Every request is repeated while the service is away. A write may then be done twice, so whoever writes must be able to tell:
a commit begins with a document that must not be there yet.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

from recollect.errors import ConfigError, StoreClosed
from recollect.storage.firestore.address import Address
from recollect.storage.firestore.faults import CLASHES, Clash, missing, names_of, translate

if TYPE_CHECKING:
    from google.cloud.firestore import Client

Result = TypeVar("Result")
Fields = dict[str, Any]
Filter = tuple[str, str, Any]
"""A field, how it is compared, and with what."""

AT_ONCE = 300
"""Documents asked for in one request."""

PAGE = 500
LONGEST_PAUSE = 2.0
NOW = object()
"""As a field's value: the moment at which the service keeps it."""


class Found(NamedTuple):
    """A document that is there, and when it was last written."""

    path: str
    fields: Fields
    time: Any


class Write(NamedTuple):
    """What shall become of a document: `put` replaces it, `merge` replaces these fields of it, `create` wants it not to be
    there, `change` to be there (and not to have been written since `time`), `delete` takes it away."""

    how: Literal["put", "merge", "create", "change", "delete"]
    path: str
    fields: Fields
    time: Any = None


class Gateway:
    """Documents of one database, by their paths."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._client = _client(address)
        self._closed = False

    def get(self, paths: Iterable[str]) -> dict[str, Found]:
        """Those of the documents that are there."""
        waiting, found = iter(dict.fromkeys(paths)), dict[str, Found]()
        while some := list(islice(waiting, AT_ONCE)):
            found |= {one.path: one for one in self._repeatedly(lambda some=some: self._get(some))}
        return found

    def _get(self, paths: list[str]) -> list[Found]:
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
    ) -> list[Found]:
        """The documents of a collection that pass the filters; with `only`, no more of them than these fields."""
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

    def pages(self, collection: str, order: str, *, after: Any = None, only: Sequence[str] = ()) -> Iterable[list[Found]]:
        """All documents that have a field with a text or number, by that field, some at a time. Its values must differ."""
        last = after
        while True:
            filters: list[Filter] = [] if last is None else [(order, ">", last)]
            page = self.select(collection, filters, order, limit=PAGE, only=only)
            if page:
                yield page
            if len(page) < PAGE:
                return
            last = page[-1].fields[order]

    def commit(self, writes: Sequence[Write]) -> list[Any]:
        """Writes all or nothing; the moments of the writes. `Clash` if a document is not as expected."""
        batch = cast(Any, self._client).batch()
        for write in writes:
            self._add(batch, write)
        return self._repeatedly(lambda: [one.update_time for one in self._commit(batch)])

    def _commit(self, batch: Any) -> list[Any]:
        try:
            return batch.commit(retry=None, timeout=self._address.timeout)
        except Exception as error:
            if CLASHES.isdisjoint(names_of(error)):
                raise
            raise Clash(str(error)) from error

    def _add(self, batch: Any, write: Write) -> None:
        document = cast(Any, self._client).document(write.path)
        fields = {name: _server_time() if value is NOW else value for name, value in write.fields.items()}
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

    def listen(self, collection: str, order: str, call: Callable[[list[Found]], None]) -> Any:
        """Calls with the document that has the greatest value in a field, now and whenever that changes, in a thread of
        Google's. What is returned has `is_active` and `unsubscribe()`."""
        self._refuse_if_closed()

        def hear(documents: list[Any], changes: object, moment: object) -> None:
            call([_found(one) for one in documents])

        return self._query(collection, (), order, True, 1).on_snapshot(hear)

    def close(self) -> None:
        """Gives back the connection; safe to call twice."""
        if not self._closed:
            self._closed = True
            cast(Any, self._client).close()

    def _repeatedly(self, request: Callable[[], Result]) -> Result:
        end, pause = time.monotonic() + self._address.patience, 0.05
        while True:
            self._refuse_if_closed()
            try:
                return request()
            except Clash:
                raise
            except Exception as error:
                self._refuse_if_closed()
                ours, passes = translate(error)
                if not passes or time.monotonic() + pause > end:
                    raise ours from error
            time.sleep(random.uniform(pause / 2, pause))
            pause = min(pause * 2, LONGEST_PAUSE)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreClosed("this ledger was closed")


def _client(address: Address) -> Client:
    try:
        from google.auth.credentials import AnonymousCredentials
        from google.cloud.firestore import Client
    except ImportError as error:
        raise missing(error) from None
    try:
        credentials: Any = AnonymousCredentials() if address.emulator else None
        client = Client(address.project or None, credentials, address.database)  # pyright: ignore[reportArgumentType]
    except OSError as error:
        raise ConfigError(f"say which project: firestore://project/ ({error})") from None
    except Exception as error:
        raise translate(error)[0] from error
    if address.emulator:
        # The client knows emulators by a variable of the environment only; that is not ours to set.
        vars(client)["_emulator_host"] = address.emulator
    return client


def _server_time() -> Any:
    from google.cloud.firestore import SERVER_TIMESTAMP

    return SERVER_TIMESTAMP


def _found(snapshot: Any) -> Found:
    return Found(snapshot.reference.path, snapshot.to_dict() or {}, snapshot.update_time)
