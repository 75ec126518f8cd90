"""The conformance suite for blobs: tests that every storage must pass which stores bytes for programs.

Subclass it and give it a `storage` fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from keepsaid.errors import NotFound, RevisionConflict
from keepsaid.memory import Memory
from keepsaid.ports import NO_LIMIT, Storage
from keepsaid.storage.inmemory.storage import MemoryStorage
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import Scope, to_microseconds

OWN, TRIP, OTHER = Scope("u1"), Scope("u1", "trip"), Scope("u2")
EVERY_BYTE = bytes(range(256)) * 40


def list_names(storage: Storage, scope: Scope = OWN, prefix: str = "") -> list[str]:
    """Return the names of the blobs that have a prefix."""
    return [blob.name for blob in storage.list_blobs(scope, prefix, None, NO_LIMIT)]


class BlobConformance:
    """Tests of storing, listing and deleting blobs."""

    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        """Yield an empty storage; the subclass implements it."""
        raise NotImplementedError

    @pytest.fixture
    def memory(self, storage: Storage) -> Memory:
        """Return a memory over the storage, for adding messages. The storage fixture closes it."""
        return Memory(storage, MemoryStorage(), COUNTER)

    # -- storing and reading

    def test_blob_round_trip(self, storage: Storage) -> None:
        contents = {"empty": b"", "every byte": EVERY_BYTE, "näme/ü 🙂:*%_\\'": b"x"}
        storage.keep_blobs(OWN, contents, {})
        assert {blob.name: blob.content for blob in storage.blobs(OWN, [*contents, "missing"])} == contents
        assert storage.blobs(OWN, []) == storage.blobs(OTHER, list(contents)) == []

    def test_same_name_replaces_blob(self, storage: Storage) -> None:
        storage.keep_blobs(OWN, {"a": b"1"}, {})
        (first,) = storage.blobs(OWN, ["a"])
        storage.keep_blobs(OWN, {"a": b"2", "b": b"3"}, {})
        second, other = storage.blobs(OWN, ["a", "b"])
        assert (first.content, second.content, other.content) == (b"1", b"2", b"3")
        assert len({0, first.revision, second.revision}) == 3

    def test_none_deletes_blob(self, storage: Storage) -> None:
        storage.keep_blobs(OWN, {"a": b"1", "b": b"2"}, {})
        storage.keep_blobs(OWN, {"a": None, "missing": None, "c": b"3"}, {})
        assert list_names(storage) == ["b", "c"]

    def test_large_blob(self, storage: Storage) -> None:
        large = EVERY_BYTE * 60  # more than some servers accept in one value
        storage.keep_blobs(OWN, {"large": large}, {})
        assert storage.blobs(OWN, ["large"])[0].content == large

    # -- partitions and access

    def test_blobs_of_sessions_owners_and_pools_are_separate(self, storage: Storage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        scopes = (OWN, TRIP, OTHER, Scope("u2", "trip"), Scope("u1", None, pool), Scope("u1", "trip", pool))
        for number, scope in enumerate(scopes):
            storage.keep_blobs(scope, {"a": b"%d" % number, f"only {number}": b""}, {})
        for number, scope in enumerate(scopes):
            assert storage.blobs(scope, ["a"])[0].content == b"%d" % number
            assert list_names(storage, scope) == ["a", f"only {number}"]
        assert storage.blob_sessions(OWN) == storage.blob_sessions(Scope("u1", None, pool)) == ["trip"]
        assert storage.drop_blobs(TRIP, "") == 2
        assert [len(list_names(storage, scope)) for scope in scopes] == [2, 0, 2, 2, 2, 2]
        assert storage.blob_sessions(OWN) == []

    def test_pool_access_is_checked(self, storage: Storage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        storage.keep_blobs(Scope("u1", None, pool), {"a": b"1"}, {})
        stranger = Scope("u2", None, pool)
        with pytest.raises(NotFound):
            storage.blobs(stranger, ["a"])
        memory.grant(pool, to="u2", by="u1", access="read")
        assert list_names(storage, stranger) == ["a"]
        for change in (lambda: storage.keep_blobs(stranger, {"a": b"2"}, {}), lambda: storage.drop_blobs(stranger, "")):
            with pytest.raises(NotFound):
                change()
        assert storage.blobs(stranger, ["a"])[0].content == b"1"

    # -- listing

    def test_list_by_prefix_is_ordered(self, storage: Storage) -> None:
        every = ["a", "a/1", "a/10", "a/2", "a/é", "a/🙂", "a0", "b", "A"]
        storage.keep_blobs(OWN, {name: name.encode() for name in every}, {})
        assert list_names(storage) == sorted(every)
        assert list_names(storage, prefix="a/") == ["a/1", "a/10", "a/2", "a/é", "a/🙂"]
        assert list_names(storage, prefix="a/1") == ["a/1", "a/10"]
        assert list_names(storage, prefix="%") == list_names(storage, prefix="_") == []
        assert [blob.content for blob in storage.list_blobs(OWN, "a/", None, 2)] == [b"a/1", b"a/10"]

    @pytest.mark.parametrize("backwards", [False, True])
    def test_list_can_be_paged(self, storage: Storage, backwards: bool) -> None:
        every = [f"k/{number:03}" for number in range(25)]
        storage.keep_blobs(OWN, dict.fromkeys([*every, "j", "l"], b"x"), {})
        found: list[str] = []
        while page := storage.list_blobs(OWN, "k/", found[-1] if found else None, 7, backwards=backwards):
            found += [blob.name for blob in page]
        assert found == (every[::-1] if backwards else every)

    @pytest.mark.parametrize("backwards", [False, True])
    def test_list_after_a_missing_name(self, storage: Storage, backwards: bool) -> None:
        storage.keep_blobs(OWN, {"k/1": b"", "k/3": b""}, {})
        found = {
            after: [blob.name for blob in storage.list_blobs(OWN, "k/", after, NO_LIMIT, backwards=backwards)]
            for after in ("a", "k/2", "z")
        }
        forwards = {"a": ["k/1", "k/3"], "k/2": ["k/3"], "z": []}
        assert found == ({"a": [], "k/2": ["k/1"], "z": ["k/3", "k/1"]} if backwards else forwards)

    def test_drop_by_prefix(self, storage: Storage) -> None:
        storage.keep_blobs(OWN, dict.fromkeys(["a", "a/1", "a/2", "b"], b""), {})
        assert storage.drop_blobs(OWN, "a/") == 2
        assert storage.drop_blobs(OWN, "a/") == storage.drop_blobs(OTHER, "") == 0
        assert list_names(storage) == ["a", "b"]

    # -- compare and set

    def test_expected_revision_is_checked(self, storage: Storage) -> None:
        storage.keep_blobs(OWN, {"a": b"1"}, {"a": 0})
        (blob,) = storage.blobs(OWN, ["a"])
        storage.keep_blobs(OWN, {"a": b"2", "b": b"1"}, {"a": blob.revision})
        for stale in (0, blob.revision):
            with pytest.raises(RevisionConflict):
                storage.keep_blobs(OWN, {"c": b"1", "a": b"3"}, {"a": stale})
        assert [(one.name, one.content) for one in storage.blobs(OWN, ["a", "b", "c"])] == [("a", b"2"), ("b", b"1")]

    def test_recreated_blob_has_another_revision(self, storage: Storage) -> None:
        storage.keep_blobs(OWN, {"a": b"1"}, {})
        (blob,) = storage.blobs(OWN, ["a"])
        storage.keep_blobs(OWN, {"a": None}, {"a": blob.revision})
        storage.keep_blobs(OWN, {"a": b"1"}, {"a": 0})
        with pytest.raises(RevisionConflict):
            storage.keep_blobs(OWN, {"a": b"2"}, {"a": blob.revision})

    def test_concurrent_updates_are_serialized(self, storage: Storage) -> None:
        storage.keep_blobs(OWN, {"count": b"0"}, {})

        def increase(_: int) -> None:
            while True:
                with suppress(RevisionConflict):
                    (blob,) = storage.blobs(OWN, ["count"])
                    return storage.keep_blobs(OWN, {"count": b"%d" % (int(blob.content) + 1)}, {"count": blob.revision})

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(increase, range(20)))
        assert storage.blobs(OWN, ["count"])[0].content == b"20"

    def test_blobs_in_pools_have_an_author(self, storage: Storage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        memory.grant(pool, to="u2", by="u1", access="write")
        storage.keep_blobs(OWN, {"a": b"1"}, {})
        storage.keep_blobs(Scope("u1", None, pool), {"a": b"1", "b": b"1"}, {})
        storage.keep_blobs(Scope("u2", None, pool), {"b": b"2"}, {})
        assert [blob.author for blob in storage.blobs(OWN, ["a"])] == [None]
        assert [blob.author for blob in storage.list_blobs(Scope("u1", None, pool), "", None, NO_LIMIT)] == ["u1", "u2"]

    # -- erase and retention

    def test_session_with_only_blobs_can_be_erased(self, storage: Storage, memory: Memory) -> None:
        for scope in (OWN, TRIP, Scope("u1", "another"), Scope("u2", "trip")):
            storage.keep_blobs(scope, {"a": b"a secret that nobody may find again"}, {})
        assert memory.erase(owner="u1", session="trip").derived == 1
        assert [len(list_names(storage, one)) for one in (OWN, TRIP, Scope("u1", "another"), Scope("u2", "trip"))] == [
            1,
            0,
            1,
            1,
        ]
        with pytest.raises(NotFound):
            memory.erase(owner="u1", session="trip")
        with pytest.raises(NotFound):
            memory.erase(owner="u1", session="another", message="m1")

    def test_pool_blobs_survive_erase_of_forked_session(self, storage: Storage, memory: Memory) -> None:
        """An erased session with a fork has no id any more. Blobs without a session must not be mistaken for its own."""
        pool = memory.create_pool("team", owner="u2")
        memory.grant(pool, to="u1", by="u2", access="admin")
        storage.keep_blobs(Scope("u2", None, pool), {"settings": b"1"}, {})
        memory.chat(owner="u1", pool=pool, session="s", create=True).add("user", "one")
        memory.chat(owner="u2", pool=pool, session="s").fork(session="f").add("user", "two")
        memory.erase(owner="u1", pool=pool, session="s")
        memory.erase(owner="u1")
        assert list_names(storage, Scope("u2", None, pool)) == ["settings"]

    def test_erase_session_deletes_blobs(self, storage: Storage, memory: Memory) -> None:
        chat = memory.chat(owner="u1", session="trip", create=True)
        for scope in (OWN, TRIP, Scope("u1", "another"), Scope("u2", "trip")):
            storage.keep_blobs(scope, {"a": b"a secret that nobody may find again"}, {})
        receipt = chat.erase()
        assert receipt.derived >= 1
        assert list_names(storage, TRIP) == []
        assert [len(list_names(storage, one)) for one in (OWN, Scope("u1", "another"), Scope("u2", "trip"))] == [1, 1, 1]

    def test_retention_deletes_blobs(self, storage: Storage) -> None:
        clock = ManualClock()
        memory = Memory(storage, MemoryStorage(), COUNTER, clock=clock)
        memory.chat(owner="u1", session="trip", create=True).delete()
        storage.keep_blobs(TRIP, {"a": b"1"}, {})
        memory.retention(dry_run=False)
        assert list_names(storage, TRIP) == ["a"]
        clock.advance(days=400)
        memory.retention(dry_run=False)
        assert list_names(storage, TRIP) == []

    def test_erase_owner_deletes_blobs(self, storage: Storage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        memory.grant(pool, to="u2", by="u1", access="write")
        for scope in (OWN, TRIP, OTHER, Scope("u1", None, pool)):
            storage.keep_blobs(scope, {"mine": b"1"}, {})
        storage.keep_blobs(Scope("u2", None, pool), {"theirs": b"1"}, {})
        memory.erase(owner="u1")
        assert [list_names(storage, scope) for scope in (OWN, TRIP, OTHER)] == [[], [], ["mine"]]
        assert list_names(storage, Scope("u2", None, pool)) == ["theirs"]

    def test_erase_pool_deletes_blobs(self, storage: Storage, memory: Memory) -> None:
        pool = memory.create_pool("team", owner="u1")
        storage.keep_blobs(Scope("u1", None, pool), {"a": b"1"}, {})
        storage.erase(Scope("u1", None, pool), None, to_microseconds(ManualClock()()))
        again = memory.create_pool("team", owner="u1")
        assert list_names(storage, Scope("u1", None, again)) == []
