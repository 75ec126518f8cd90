"""Conformance tests of storing and querying artifacts."""

from __future__ import annotations

from typing import Any

import pytest

from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import ArtifactChanges, ArtifactQuery, Storage
from keepsaid.testing.artifact_conformance.base import (
    OWNER_SCOPE,
    ArtifactFixtures,
    find_artifact_ids,
    make_artifact,
    make_receipt,
    settle_notes_task,
)
from keepsaid.types import ArtifactKind, ArtifactSource, PoolAccess, ReadWindow, Scope


class ArtifactQueryConformance(ArtifactFixtures):
    """Tests of storing and querying artifacts."""

    def test_artifact_round_trip(self, chat: Chat, storage: Storage) -> None:
        stored = [
            make_artifact(
                "a",
                "fact",
                "User's sister lives in São Paulo",
                session="s",
                sources=(ArtifactSource(3, 2, 9), ArtifactSource(1, 0, 4)),
            ),
            make_artifact(
                "b", "fact", "User is vegan", created=2, valid_from=7, valid_to=9, pinned=True, data={"subject": "diet"}
            ),
            make_artifact(
                "c", "tool", "weather: 22 °C", session="s", sources=(ArtifactSource(2, 0, 3),), data={"tool": "weather"}
            ),
            make_artifact(
                "d", "summary", "They talked.", tokens=40, session="s", upto=8, data={"topics": ["a", {"b": None}]}
            ),
            make_artifact("e", "label", "Travel", session="s", sources=(ArtifactSource(1, 0, 5),), data={"tags": ["x"]}),
        ]
        settle_notes_task(storage, *stored)
        kinds: tuple[ArtifactKind, ...] = ("fact", "tool", "summary", "label")
        result = [one for kind in kinds for one in storage.artifacts(OWNER_SCOPE, ArtifactQuery(kind))]
        assert result == [stored[1], stored[0], *stored[2:]]

    def test_same_id_replaces_artifact(self, chat: Chat, storage: Storage) -> None:
        storage.keep_artifacts(
            OWNER_SCOPE, ArtifactChanges([make_artifact("a", text="User likes tea", sources=(ArtifactSource(1, 0, 2),))]), 0
        )
        storage.keep_artifacts(
            OWNER_SCOPE,
            ArtifactChanges([make_artifact("a", text="User likes coffee", sources=(ArtifactSource(2, 0, 2),))]),
            0,
        )
        assert [one.text for one in storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact"))] == ["User likes coffee"]
        assert find_artifact_ids(storage, terms=("tea",)) == find_artifact_ids(storage, numbers=(1,)) == []
        assert find_artifact_ids(storage, terms=("coffe",)) == find_artifact_ids(storage, numbers=(2,)) == ["a"]

    def test_fact_without_conversation(self, storage: Storage) -> None:
        storage.keep_artifacts(Scope("new"), ArtifactChanges([make_artifact("a")]), 0)
        assert find_artifact_ids(storage, scope=Scope("new")) == ["a"]
        assert find_artifact_ids(storage) == []

    def test_artifacts_are_ordered_newest_first(self, chat: Chat, storage: Storage) -> None:
        made = [make_artifact(f"f{number}", created=number % 4, valid_from=number) for number in range(12)]
        settle_notes_task(storage, *made)
        storage.keep_artifacts(
            OWNER_SCOPE,
            ArtifactChanges(
                [make_artifact(f"s{upto}", "summary", created=20 - upto, session="s", upto=upto) for upto in (4, 9, 6)]
            ),
            0,
        )
        order = sorted(range(12), key=lambda number: (-(number % 4), -number))
        assert find_artifact_ids(storage) == [f"f{number}" for number in order]
        assert find_artifact_ids(storage, limit=3) == [f"f{number}" for number in order[:3]]
        assert find_artifact_ids(storage, "summary") == ["s9", "s6", "s4"]

    def test_artifact_queries(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u1", session="other", create=True).add("user", "hello")
        settle_notes_task(
            storage,
            make_artifact(
                "a", text="User's sister moved to Lisbon", session="s", sources=(ArtifactSource(1, 0, 3),), pinned=True
            ),
            make_artifact(
                "b",
                text="User drinks tea",
                session="s",
                sources=(ArtifactSource(2, 0, 3), ArtifactSource(3, 0, 3)),
                valid_to=50,
                data={"kind": "preference"},
            ),
            make_artifact(
                "c", text="User prefers green tea", session="other", sources=(ArtifactSource(11, 0, 3),), valid_from=50
            ),
            make_artifact("d", text="User was born in May", data={"kind": "identity"}),
            make_artifact("t", "tool", "tea shop: open", session="s", sources=(ArtifactSource(2, 0, 3),)),
            make_artifact("l", "label", "tea", session="s", sources=(ArtifactSource(1, 0, 3),)),
        )
        queries: tuple[tuple[dict[str, Any], str], ...] = (
            ({}, "abcd"),
            ({"session": "s"}, "ab"),
            ({"session": "unknown"}, ""),
            ({"ids": ("a", "d", "unknown")}, "ad"),
            ({"terms": ("tea",)}, "bc"),
            ({"terms": ("lisbon", "tea")}, "abc"),
            ({"terms": ("user", "was")}, "abcd"),  # "was" is a stop word, "user" is not
            ({"terms": ("was",)}, ""),
            ({"numbers": (1, 3)}, "ab"),
            ({"numbers": (0, -1, 99, 1 << 40)}, ""),
            ({"numbers": (1,), "terms": ("tea",)}, "abc"),
            ({"numbers": (1,), "terms": ("tea",), "session": "other"}, "c"),
            ({"as_of": 49}, "abd"),
            ({"as_of": 50}, "acd"),
            ({"terms": ("tea",), "as_of": 60}, "c"),
            ({"pinned": True}, "a"),
            ({"pinned": False, "terms": ("lisbon", "tea")}, "bc"),
            ({"fact_kinds": ("preference", "identity")}, "bd"),
            ({"fact_kinds": ("preference",), "as_of": 50}, ""),
        )
        for query, wanted in queries:
            assert sorted(find_artifact_ids(storage, **query)) == list(wanted), query
        assert (
            find_artifact_ids(storage, "tool", terms=("tea",)) == find_artifact_ids(storage, "tool", numbers=(2,)) == ["t"]
        )
        assert find_artifact_ids(storage, "label", terms=("tea",)) == []
        assert find_artifact_ids(storage, "label", numbers=(1,)) == ["l"]

    def test_ended_fact_is_kept_with_its_end(self, chat: Chat, storage: Storage) -> None:
        settle_notes_task(storage, make_artifact("a", text="User lives in Porto"))
        new = make_artifact("b", text="User lives in Lisbon", valid_from=30)
        storage.keep_artifacts(OWNER_SCOPE, ArtifactChanges([new], {"a": 30, "unknown": 30}), 0)
        assert find_artifact_ids(storage, as_of=29) == ["a"]
        assert find_artifact_ids(storage, as_of=30) == ["b"]
        assert [one.valid_to for one in storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", ids=("a",)))] == [30]

    def test_artifacts_of_owners_are_separate(self, chat: Chat, memory: Memory, storage: Storage) -> None:
        memory.chat(owner="u2", session="s", create=True).add("user", "hello")
        mine = make_artifact("a", text="tea", session="s", sources=(ArtifactSource(1, 0, 2),))
        settle_notes_task(storage, mine)
        settle_notes_task(
            storage,
            make_artifact("a", text="tea for two", session="s", sources=(ArtifactSource(1, 0, 2),)),
            scope=Scope("u2"),
        )
        storage.keep_receipts(OWNER_SCOPE, [make_receipt("r", "s", 1, "mine")])
        assert storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", terms=("tea",))) == [mine]
        assert storage.artifacts(Scope("u3"), ArtifactQuery("fact", terms=("tea",), numbers=(1,))) == []
        storage.keep_artifacts(Scope("u2"), ArtifactChanges((), {"a": 5}), 0)
        assert storage.discard_artifacts(Scope("u2"), ["a"]) == 1
        assert storage.artifacts(OWNER_SCOPE, ArtifactQuery("fact", numbers=(1,))) == [mine]
        with pytest.raises(NotFound):
            storage.receipt(Scope("u2"), "r")
        assert storage.receipts(Scope("u2")) == []
        with pytest.raises(NotFound):
            storage.snapshot(Scope("u3", "s"), ReadWindow())

    def test_artifacts_of_pools_are_separate(self, memory: Memory, storage: Storage) -> None:
        team = memory.create_pool("team", owner="ann")
        for owner, access in (("bob", PoolAccess.WRITE), ("cid", PoolAccess.READ)):
            memory.grant(pool=team, by="ann", to=owner, access=access)
        chat = memory.chat(owner="ann", pool=team, session="s", create=True)
        chat.add("user", "we deploy on Monday")
        bob, cid = Scope("bob", None, team), Scope("cid", None, team)
        storage.keep_artifacts(bob, ArtifactChanges([make_artifact("a", text="The team deploys on Monday", session="s")]), 0)
        assert find_artifact_ids(storage, scope=cid, terms=("deploy",)) == ["a"]
        assert find_artifact_ids(storage, scope=Scope("bob")) == []
        for use in (
            lambda: storage.keep_artifacts(cid, ArtifactChanges([make_artifact("b")]), 0),
            lambda: storage.discard_artifacts(cid, ["a"]),
            lambda: storage.artifacts(Scope("dan", None, team), ArtifactQuery("fact")),
            lambda: storage.snapshot(Scope("dan", "s", team), ReadWindow()),
            lambda: storage.fetch(Scope("dan", None, team), [1]),
            lambda: storage.receipts(Scope("dan", None, team)),
            lambda: storage.keep_receipts(Scope("dan", None, team), [make_receipt("x", "s", 1)]),
        ):
            with pytest.raises(NotFound):
                use()
        storage.keep_receipts(bob, [make_receipt("rb", "s", 1, "asked by Bob")])
        storage.keep_receipts(cid, [make_receipt("rc", "s", 1, "asked by Cid")])
        assert [(one.id, one.author) for one in storage.receipts(cid)] == [("rc", "cid")]
        with pytest.raises(NotFound):
            storage.receipt(cid, "rb")
        memory.erase(owner="bob")
        assert storage.receipts(cid)[0].question == "asked by Cid"
        memory.grant(pool=team, by="ann", to="bob", access=PoolAccess.WRITE)
        assert storage.receipts(bob) == []

    def test_discard_removes_artifacts(self, chat: Chat, storage: Storage) -> None:
        settle_notes_task(
            storage, *(make_artifact(id, text=f"tea {id}", sources=(ArtifactSource(1, 0, 2),)) for id in "abc")
        )
        assert storage.discard_artifacts(OWNER_SCOPE, ["a", "c", "c", "unknown"]) == 2
        assert storage.discard_artifacts(OWNER_SCOPE, ["a"]) == 0
        assert (
            find_artifact_ids(storage)
            == find_artifact_ids(storage, terms=("tea",))
            == find_artifact_ids(storage, numbers=(1,))
            == ["b"]
        )
