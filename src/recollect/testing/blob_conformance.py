"""The conformance suite for blobs: what every storage that keeps bytes for programs must do, as tests.

Subclass it and give it a `storage` fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol

import pytest

from recollect.errors import NotFound, RevisionConflict
from recollect.memory import Memory
from recollect.ports import ALL, Blobs, Storage
from recollect.storage.memory import MemoryStorage
from recollect.testing.clock import HandClock
from recollect.testing.conformance import COUNTER
from recollect.types import Scope, microseconds

OWN, TRIP, OTHER = Scope("u1"), Scope("u1", "trip"), Scope("u2")
EVERY_BYTE = bytes(range(256)) * 40


class BlobStorage(Storage, Blobs, Protocol):
    """A storage that keeps bytes for programs, too."""


def names(storage: BlobStorage, scope: Scope = OWN, prefix: str = "") -> list[str]:
    """The names of the blobs that begin so."""
    return [blob.name for blob in storage.list_blobs(scope, prefix, None, ALL)]


class BlobConformance:
    """Every test is one promise."""

    @pytest.fixture
    def storage(self) -> Iterator[BlobStorage]:
        """An empty storage; the subclass makes it."""
        raise NotImplementedError

    @pytest.fixture
    def memory(self, storage: BlobStorage) -> Memory:
        """The door by which messages come in. The storage's own fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER)

    # -- keeping and reading

    def test_what_is_kept_comes_back(self, storage: BlobStorage) -> None:
        contents = {"empty": b"", "every byte": EVERY_BYTE, "näme/ü 🙂:*%_\\'": b"x"}
        storage.keep_blobs(OWN, contents, {})
        assert {blob.name: blob.content for blob in storage.blobs(OWN, [*contents, "missing"])} == contents
        assert storage.blobs(OWN, []) == storage.blobs(OTHER, list(contents)) == []

    def test_the_same_name_again_replaces(self, storage: BlobStorage) -> None:
        storage.keep_blobs(OWN, {"a": b"1"}, {})
        (first,) = storage.blobs(OWN, ["a"])
        storage.keep_blobs(OWN, {"a": b"2", "b": b"3"}, {})
        second, other = storage.blobs(OWN, ["a", "b"])
        assert (first.content, second.content, other.content) == (b"1", b"2", b"3")
        assert len({0, first.revision, second.revision}) == 3

    def test_none_removes(self, storage: BlobStorage) -> None:
        storage.keep_blobs(OWN, {"a": b"1", "b": b"2"}, {})
        storage.keep_blobs(OWN, {"a": None, "missing": None, "c": b"3"}, {})
        assert names(storage) == ["b", "c"]

    def test_a_large_one(self, storage: BlobStorage) -> None:
        large = EVERY_BYTE * 60  # beyond what some servers take in one piece
        storage.keep_blobs(OWN, {"large": large}, {})
        assert storage.blobs(OWN, ["large"])[0].content == large

    # -- whose they are

    def test_sessions_owners_and_pools_are_apart(self, storage: BlobStorage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        scopes = (OWN, TRIP, OTHER, Scope("u2", "trip"), Scope("u1", None, pool), Scope("u1", "trip", pool))
        for number, scope in enumerate(scopes):
            storage.keep_blobs(scope, {"a": b"%d" % number, f"only {number}": b""}, {})
        for number, scope in enumerate(scopes):
            assert storage.blobs(scope, ["a"])[0].content == b"%d" % number
            assert names(storage, scope) == ["a", f"only {number}"]
        assert storage.blob_sessions(OWN) == storage.blob_sessions(Scope("u1", None, pool)) == ["trip"]
        assert storage.drop_blobs(TRIP, "") == 2
        assert [len(names(storage, scope)) for scope in scopes] == [2, 0, 2, 2, 2, 2]
        assert storage.blob_sessions(OWN) == []

    def test_who_may_not_read_or_write_a_pool(self, storage: BlobStorage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        storage.keep_blobs(Scope("u1", None, pool), {"a": b"1"}, {})
        stranger = Scope("u2", None, pool)
        with pytest.raises(NotFound):
            storage.blobs(stranger, ["a"])
        memory.grant(pool, to="u2", by="u1", access="read")
        assert names(storage, stranger) == ["a"]
        for change in (lambda: storage.keep_blobs(stranger, {"a": b"2"}, {}), lambda: storage.drop_blobs(stranger, "")):
            with pytest.raises(NotFound):
                change()
        assert storage.blobs(stranger, ["a"])[0].content == b"1"

    # -- listing

    def test_listed_by_their_beginning_in_order(self, storage: BlobStorage) -> None:
        every = ["a", "a/1", "a/10", "a/2", "a/é", "a/🙂", "a0", "b", "A"]
        storage.keep_blobs(OWN, {name: name.encode() for name in every}, {})
        assert names(storage) == sorted(every)
        assert names(storage, prefix="a/") == ["a/1", "a/10", "a/2", "a/é", "a/🙂"]
        assert names(storage, prefix="a/1") == ["a/1", "a/10"]
        assert names(storage, prefix="%") == names(storage, prefix="_") == []
        assert [blob.content for blob in storage.list_blobs(OWN, "a/", None, 2)] == [b"a/1", b"a/10"]

    @pytest.mark.parametrize("backwards", [False, True])
    def test_page_by_page(self, storage: BlobStorage, backwards: bool) -> None:
        every = [f"k/{number:03}" for number in range(25)]
        storage.keep_blobs(OWN, dict.fromkeys([*every, "j", "l"], b"x"), {})
        found: list[str] = []
        while page := storage.list_blobs(OWN, "k/", found[-1] if found else None, 7, backwards=backwards):
            found += [blob.name for blob in page]
        assert found == (every[::-1] if backwards else every)

    @pytest.mark.parametrize("backwards", [False, True])
    def test_behind_a_name_that_is_not_there(self, storage: BlobStorage, backwards: bool) -> None:
        storage.keep_blobs(OWN, {"k/1": b"", "k/3": b""}, {})
        found = {
            after: [blob.name for blob in storage.list_blobs(OWN, "k/", after, ALL, backwards=backwards)]
            for after in ("a", "k/2", "z")
        }
        forwards = {"a": ["k/1", "k/3"], "k/2": ["k/3"], "z": []}
        assert found == ({"a": [], "k/2": ["k/1"], "z": ["k/3", "k/1"]} if backwards else forwards)

    def test_dropped_by_their_beginning(self, storage: BlobStorage) -> None:
        storage.keep_blobs(OWN, dict.fromkeys(["a", "a/1", "a/2", "b"], b""), {})
        assert storage.drop_blobs(OWN, "a/") == 2
        assert storage.drop_blobs(OWN, "a/") == storage.drop_blobs(OTHER, "") == 0
        assert names(storage) == ["a", "b"]

    # -- compare and set

    def test_only_if_nobody_was_quicker(self, storage: BlobStorage) -> None:
        storage.keep_blobs(OWN, {"a": b"1"}, {"a": 0})
        (blob,) = storage.blobs(OWN, ["a"])
        storage.keep_blobs(OWN, {"a": b"2", "b": b"1"}, {"a": blob.revision})
        for stale in (0, blob.revision):
            with pytest.raises(RevisionConflict):
                storage.keep_blobs(OWN, {"c": b"1", "a": b"3"}, {"a": stale})
        assert [(one.name, one.content) for one in storage.blobs(OWN, ["a", "b", "c"])] == [("a", b"2"), ("b", b"1")]

    def test_one_that_came_again_is_another(self, storage: BlobStorage) -> None:
        storage.keep_blobs(OWN, {"a": b"1"}, {})
        (blob,) = storage.blobs(OWN, ["a"])
        storage.keep_blobs(OWN, {"a": None}, {"a": blob.revision})
        storage.keep_blobs(OWN, {"a": b"1"}, {"a": 0})
        with pytest.raises(RevisionConflict):
            storage.keep_blobs(OWN, {"a": b"2"}, {"a": blob.revision})

    def test_of_several_at_once_one_wins(self, storage: BlobStorage) -> None:
        storage.keep_blobs(OWN, {"count": b"0"}, {})

        def increase(_: int) -> None:
            while True:
                with suppress(RevisionConflict):
                    (blob,) = storage.blobs(OWN, ["count"])
                    return storage.keep_blobs(OWN, {"count": b"%d" % (int(blob.content) + 1)}, {"count": blob.revision})

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(increase, range(20)))
        assert storage.blobs(OWN, ["count"])[0].content == b"20"

    def test_in_a_pool_it_is_known_who_kept_it(self, storage: BlobStorage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        memory.grant(pool, to="u2", by="u1", access="write")
        storage.keep_blobs(OWN, {"a": b"1"}, {})
        storage.keep_blobs(Scope("u1", None, pool), {"a": b"1", "b": b"1"}, {})
        storage.keep_blobs(Scope("u2", None, pool), {"b": b"2"}, {})
        assert [blob.author for blob in storage.blobs(OWN, ["a"])] == [None]
        assert [blob.author for blob in storage.list_blobs(Scope("u1", None, pool), "", None, ALL)] == ["u1", "u2"]

    # -- what goes

    def test_a_session_that_has_nothing_else_can_be_erased(self, storage: BlobStorage, memory: Memory) -> None:
        for scope in (OWN, TRIP, Scope("u1", "another"), Scope("u2", "trip")):
            storage.keep_blobs(scope, {"a": b"a secret that nobody may find again"}, {})
        assert memory.erase(owner="u1", session="trip").derived == 1
        assert [len(names(storage, one)) for one in (OWN, TRIP, Scope("u1", "another"), Scope("u2", "trip"))] == [1, 0, 1, 1]
        with pytest.raises(NotFound):
            memory.erase(owner="u1", session="trip")
        with pytest.raises(NotFound):
            memory.erase(owner="u1", session="another", message="m1")

    def test_of_a_pool_stay_when_a_session_goes_whose_fork_goes_on(self, storage: BlobStorage, memory: Memory) -> None:
        """Such a session has lost its id, and what has no id is not what belongs to no session."""
        pool = memory.create_pool("team", owner="u2")
        memory.grant(pool, to="u1", by="u2", access="admin")
        storage.keep_blobs(Scope("u2", None, pool), {"settings": b"1"}, {})
        memory.chat(owner="u1", pool=pool, session="s", create=True).add("user", "one")
        memory.chat(owner="u2", pool=pool, session="s").fork(session="f").add("user", "two")
        memory.erase(owner="u1", pool=pool, session="s")
        memory.erase(owner="u1")
        assert names(storage, Scope("u2", None, pool)) == ["settings"]

    def test_go_with_their_session(self, storage: BlobStorage, memory: Memory) -> None:
        chat = memory.chat(owner="u1", session="trip", create=True)
        for scope in (OWN, TRIP, Scope("u1", "another"), Scope("u2", "trip")):
            storage.keep_blobs(scope, {"a": b"a secret that nobody may find again"}, {})
        receipt = chat.erase()
        assert receipt.derived >= 1
        assert names(storage, TRIP) == []
        assert [len(names(storage, one)) for one in (OWN, Scope("u1", "another"), Scope("u2", "trip"))] == [1, 1, 1]

    def test_go_when_retention_takes_their_session(self, storage: BlobStorage) -> None:
        clock = HandClock()
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        memory.chat(owner="u1", session="trip", create=True).delete()
        storage.keep_blobs(TRIP, {"a": b"1"}, {})
        memory.retention(dry_run=False)
        assert names(storage, TRIP) == ["a"]
        clock.turn(days=400)
        memory.retention(dry_run=False)
        assert names(storage, TRIP) == []

    def test_go_with_their_owner(self, storage: BlobStorage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        memory.grant(pool, to="u2", by="u1", access="write")
        for scope in (OWN, TRIP, OTHER, Scope("u1", None, pool)):
            storage.keep_blobs(scope, {"mine": b"1"}, {})
        storage.keep_blobs(Scope("u2", None, pool), {"theirs": b"1"}, {})
        memory.erase(owner="u1")
        assert [names(storage, scope) for scope in (OWN, TRIP, OTHER)] == [[], [], ["mine"]]
        assert names(storage, Scope("u2", None, pool)) == ["theirs"]

    def test_go_with_their_pool(self, storage: BlobStorage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        storage.keep_blobs(Scope("u1", None, pool), {"a": b"1"}, {})
        storage.erase(Scope("u1", None, pool), None, microseconds(HandClock()()))
        again = memory.create_pool("team", owner="u1")
        assert names(storage, Scope("u1", None, again)) == []
