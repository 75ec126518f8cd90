"""Conformance tests of figures and usage."""

from __future__ import annotations

from typing import Any

import pytest

from keepsaid.engine.messages.intake import MESSAGE_OVERHEAD
from keepsaid.engine.messages.statistics import DAY
from keepsaid.errors import NotFound
from keepsaid.memory import Memory
from keepsaid.memory.chat import Chat
from keepsaid.ports import ArtifactChanges, Storage
from keepsaid.testing.artifact_conformance.base import OWNER_SCOPE, ArtifactFixtures, make_artifact, make_receipt
from keepsaid.testing.clock import ManualClock
from keepsaid.testing.conformance import COUNTER
from keepsaid.types import MessageDraft, Scope, to_microseconds
from keepsaid.types.reports import StorageUsage


class StatisticsConformance(ArtifactFixtures):
    """Tests of figures and usage."""

    def test_figures_per_time_step(self, storage: Storage, memory: Memory, clock: ManualClock) -> None:
        start = to_microseconds(clock())
        chat = memory.chat(owner="f1", session="a", create=True)
        chat.add("user", "Tea, please.")
        clock.advance(days=2)
        chat.edit(chat.messages()[0].id, "Water, please.")
        memory.chat(owner="f1", session="b", create=True).add_many([MessageDraft("user", f"n{n}") for n in range(300)])
        memory.chat(owner="f1", session="c", create=True).add("user", "Gone soon.")
        memory.chat(owner="f1", session="c").delete()
        memory.chat(owner="f1", session="d", create=True).archive()
        memory.chat(owner="f2").add("user", "Somebody else's.")
        clock.advance(days=1)
        memory.remember("Likes tea", owner="f1")
        until = to_microseconds(clock())
        own = storage.figures(Scope("f1"), start, until + 1, DAY)
        assert (own.owners, own.active, own.archived, own.deleted) == (1, 2, 1, 1)
        assert (own.messages, own.facts, own.documents) == (301, 1, 0)
        assert own.tokens == sum(session.token_count for session in memory.sessions(owner="f1"))
        assert [step.messages for step in own.steps] == [1, 0, 302, 0]
        assert [step.sessions for step in own.steps] == [1, 0, 2, 0]
        assert own.steps[0].bytes == len("Tea, please.")
        assert own.steps[0].tokens == COUNTER.count("Tea, please.") + MESSAGE_OVERHEAD
        everybody = storage.figures(None, start, until, DAY)
        assert (everybody.owners, everybody.messages) == (2, 302)
        assert [step.messages for step in everybody.steps] == [1, 0, 303]
        assert storage.figures(Scope("nobody"), start, until, DAY)[:-2] == (0, 0, 0, 0, 0, 0, 0, 0)
        # Only the requested time is counted, even if a stretch of messages has more.
        later = storage.figures(Scope("f1"), start + DAY, until, DAY)
        assert [step.messages for step in later.steps] == [0, 302]

    def test_figures_of_prompts_and_summaries(self, storage: Storage, chat: Chat) -> None:
        scope = Scope("u1", chat.id)
        waits = [make_receipt(f"r{n}", chat.id, 1, created=10 * n, data={"ms": 9.5 - n}) for n in range(4)]
        storage.keep_receipts(scope, [*waits, make_receipt("old", chat.id, 1, created=5)])
        # Of five summaries of one line, newer ones have replaced two.
        for nth, upto in ((1, 2), (3, 4), (5, 6)):
            made = make_artifact(
                f"s{nth}", "summary", "Tea.", created=10 * nth, session=chat.id, upto=upto, data={"nth": nth}
            )
            storage.keep_artifacts(scope, ArtifactChanges((made,)), 0)
        counted = storage.figures(OWNER_SCOPE, 0, 55, 20)
        assert [list(step.waits) for step in counted.steps] == [[8.5, 9.5], [6.5, 7.5], []]
        assert [step.summaries for step in counted.steps] == [1, 2, 2]

    def test_figures_of_prompt_tokens(self, storage: Storage, chat: Chat) -> None:
        values: list[dict[str, Any]] = [{"tokens": 100}, {"tokens": 50, "reused": 40}, {"reused": 7}, {"tokens": "x"}, {}]
        stored = [make_receipt(f"r{n}", chat.id, 1, created=10 * n, data=data) for n, data in enumerate(values)]
        storage.keep_receipts(Scope("u1", chat.id), stored)
        steps = storage.figures(OWNER_SCOPE, 0, 50, 20).steps
        assert [(step.prompt_tokens, step.reused_tokens) for step in steps] == [(150, 40), (0, 7), (0, 0)]

    def test_usage_of_an_owner(self, storage: Storage, memory: Memory) -> None:
        assert storage.usage(Scope("f1")) == memory.usage(owner="f1") == StorageUsage()
        chat = memory.chat(owner="f1")
        first = chat.add("user", "Café")
        chat.edit(first.id, "Tea")
        memory.chat(owner="f1").delete()
        memory.chat(owner="f2").add("user", "Somebody else's.")
        assert storage.usage(Scope("f1")) == StorageUsage(2, 2, len("Café".encode()) + len("Tea"))
        before = storage.usage(Scope("f1")).bytes
        noted = chat.add("user", "x", metadata={"note": "y" * 100})
        assert storage.usage(Scope("f1")).bytes > before + 100
        chat.erase(noted.id)
        memory.ingest("a.md", content="Twelve bytes", owner="f1")
        own = storage.usage(Scope("f1"))
        assert (own.messages, own.bytes > before + len("Twelve bytes")) == (2, True)
        memory.erase(owner="f1")
        assert storage.usage(Scope("f1")) == StorageUsage()
        team = memory.create_pool("team", owner="f2")
        memory.chat(owner="f2", pool=team).add("user", "Tea")
        assert memory.usage(owner="f2", pool=team) == StorageUsage(1, 1, 3)
        with pytest.raises(NotFound):
            memory.usage(owner="f1", pool=team)
