"""Conformance tests of pools."""

from __future__ import annotations

import pytest

from keepsaid.errors import Conflict, NotFound
from keepsaid.memory import Memory
from keepsaid.testing.conformance.base import StorageFixtures, find_messages
from keepsaid.types import PoolAccess


class PoolConformance(StorageFixtures):
    """Tests of pools and grants."""

    def test_pool_is_hidden_without_a_grant(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        chat = memory.chat(owner="u1", pool=team)
        chat.add("user", "the office code is 4711")
        assert memory.pools(owner="u2") == []
        for use in (
            lambda: memory.sessions(owner="u2", pool=team),
            lambda: find_messages(memory, "office", owner="u2", pool=team),
            lambda: memory.chat(owner="u2", pool=team),
            lambda: memory.chat(owner="u2", pool=team, session=chat.id),
            lambda: memory.members(team, owner="u2"),
            lambda: memory.erase(owner="u2", pool=team),
            lambda: memory.grant(team, to="u2", by="u2"),
            lambda: memory.position(owner="u2", pool=team),
        ):
            with pytest.raises(NotFound):
                use()
        with pytest.raises(NotFound):
            memory.chat(owner="u1", session=chat.id)
        assert not find_messages(memory, "office", owner="u1")

    def test_access_levels_of_grants(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        message = memory.chat(owner="u1", pool=team, session="s", create=True).add("user", "hello")
        memory.grant(team, to="u2", by="u1", access="read")
        reader = memory.chat(owner="u2", pool=team, session="s")
        assert [m.author for m in reader.messages()] == ["u1"]
        for use in (
            lambda: reader.add("user", "x"),
            lambda: reader.rename("x"),
            lambda: reader.pin(message.id),
            lambda: memory.grant(team, to="u3", by="u2"),
        ):
            with pytest.raises(NotFound):
                use()
        memory.grant(team, to="u2", by="u1", access="write")
        assert reader.add("user", "me too").author == "u2"
        with pytest.raises(NotFound):
            reader.erase(message.id)
        memory.revoke(team, of="u2", by="u1")
        with pytest.raises(NotFound):
            reader.messages()

    def test_last_admin_of_a_pool_cannot_leave(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        with pytest.raises(Conflict):
            memory.revoke(team, of="u1", by="u1")
        memory.grant(team, to="u2", by="u1", access="admin")
        memory.revoke(team, of="u1", by="u1")
        assert [(g.owner, g.access, g.name) for g in memory.members(team, owner="u2")] == [("u2", PoolAccess.ADMIN, "team")]

    def test_erase_owner_removes_messages_from_pools(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        memory.grant(team, to="u2", by="u1", access="write")
        memory.chat(owner="u1", pool=team, session="s", create=True).add("user", "mine")
        memory.chat(owner="u2", pool=team, session="s").add("user", "zebra")
        memory.erase(owner="u2")
        assert [m.text for m in memory.chat(owner="u1", pool=team, session="s").messages()] == ["mine"]
        assert not find_messages(memory, "zebra", owner="u1", pool=team)
        assert memory.pools(owner="u2") == []

    def test_erase_owner_deletes_pool_or_appoints_new_admin(self, memory: Memory) -> None:
        alone, shared = memory.create_pool("alone", owner="u1"), memory.create_pool("shared", owner="u1")
        memory.chat(owner="u1", pool=alone, title="mine").add("user", "zebra")
        memory.grant(shared, to="u2", by="u1", access="write")
        memory.grant(shared, to="u3", by="u1", access="read")
        empty = memory.chat(owner="u1", pool=shared, title="my plans", tags=["secret"])
        talk = memory.chat(owner="u1", pool=shared, title="our plans", tags=["secret"], metadata={"by": "u1"})
        memory.chat(owner="u2", pool=shared, session=talk.id).add("user", "hello")
        memory.erase(owner="u1")
        with pytest.raises(NotFound):
            memory.sessions(owner="u1", pool=alone)
        members = {grant.owner: grant.access for grant in memory.members(shared, owner="u2")}
        assert members == {"u2": PoolAccess.ADMIN, "u3": PoolAccess.READ}
        (left,) = memory.sessions(owner="u2", pool=shared)
        assert (left.id, left.title, left.tags, left.metadata, left.message_count) == (talk.id, None, (), {}, 1)
        with pytest.raises(NotFound):
            memory.chat(owner="u2", pool=shared, session=empty.id)

    def test_pool_reader_cannot_pop(self, memory: Memory) -> None:
        team = memory.create_pool("team", owner="u1")
        memory.chat(owner="u1", pool=team, session="s", create=True).add("user", "stays")
        memory.grant(team, to="u2", by="u1")
        with pytest.raises(NotFound):
            memory.chat(owner="u2", pool=team, session="s").pop()
