"""How many tokens of each prompt repeat the previous one, and how long each step of building it took."""

from itertools import pairwise
from typing import Any

import pytest
from backends import near

import keepsaid
from keepsaid.engine.prompt import cache_prefix
from keepsaid.engine.prompt.cache_prefix import PromptPrefixTracker
from keepsaid.engine.prompt.chat_format import count_chat_message_tokens
from keepsaid.llm.tokens import counter_for

COUNT = counter_for("o200k_base").count

pytestmark = near(reason="prompts are compared in this process")


def list_reused_tokens(memory: keepsaid.Memory, session: str | None = None) -> list[int]:
    return [receipt.data["reused"] for receipt in memory.receipts(owner="u1", session=session)][::-1]


def test_reused_tokens_count_repeated_prompt_prefix(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1", system_prompt="Be brief and kind to everybody.")
    prompts: list[list[dict[str, Any]]] = []
    for number in range(4):
        context = chat.context(f"What about {number} cups of tea?")
        prompts.append([dict(message) for message in context.messages])
        context.messages.clear()  # what the caller does with it changes nothing
        chat.add("user", f"What about {number} cups of tea?")
        chat.add("assistant", f"{number} cups are fine.")
    heads = [0]
    for before, now in pairwise(prompts):
        same = [here for here, there in zip(now, before, strict=False) if here == there]
        assert same == now[: len(same)]
        heads.append(sum(count_chat_message_tokens(message, COUNT) for message in same))
    assert list_reused_tokens(memory) == heads
    assert heads[1] > 0
    assert heads[3] > heads[2] > heads[1]
    period = memory.stats(owner="u1").periods[-1]
    assert period.reused_tokens == sum(heads)
    assert period.prompt_tokens == sum(receipt.data["tokens"] for receipt in memory.receipts(owner="u1"))


def test_reused_tokens_are_counted_per_conversation_and_owner(memory: keepsaid.Memory):
    for session in ("a", "b", "a"):
        memory.chat(owner="u1", session=session, create=True, system_prompt="Be brief.").context("Tea?")
    memory.chat(owner="u2", session="a", create=True, system_prompt="Be brief.").context("Tea?")
    assert list_reused_tokens(memory, "a")[0] == list_reused_tokens(memory, "b")[0] == 0
    assert list_reused_tokens(memory, "a")[1] > 0
    assert memory.receipts(owner="u2")[0].data["reused"] == 0


def test_new_system_prompt_or_model_resets_reused_tokens(memory: keepsaid.Memory):
    chat = memory.chat(owner="u1", system_prompt="Be brief.")
    chat.add("user", "Tea?")
    chat.context()
    chat.context(system="Be long.")
    chat.context(system="Be long.", model="gpt-4")
    chat.context(system="Be long.", model="gpt-4")
    assert [bool(number) for number in list_reused_tokens(memory)] == [False, False, False, True]


def test_prefix_tracker_forgets_least_recent_conversation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache_prefix, "KEPT", 2)
    prefixes, prompt = PromptPrefixTracker(), [{"role": "user", "content": "Tea?"}]
    for conversation, expected in ((1, 0), (2, 0), (1, 1), (3, 0), (1, 1), (2, 0)):
        assert bool(prefixes.count_repeated_tokens(conversation, prompt, COUNT, "o200k")) == expected
    assert len(prefixes._last) == 2


def test_prefix_tracker_distinguishes_roles():
    prefixes = PromptPrefixTracker()
    assert prefixes.count_repeated_tokens("s", [{"role": "user", "content": "Tea?"}], COUNT, "o200k") == 0
    assert prefixes.count_repeated_tokens("s", [{"role": "assistant", "content": "Tea?"}], COUNT, "o200k") == 0


def test_prefix_tracker_counts_each_message_once():
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return 1

    prefixes = PromptPrefixTracker()
    talk = [{"role": "user", "content": str(number)} for number in range(6)]
    for end in (2, 4, 6):
        prefixes.count_repeated_tokens("s", talk[:end], count, "ones")
    assert counted == ["0", "1", "2", "3"]


@pytest.mark.parametrize("strategy", ["hybrid", "window"])
def test_context_timeline_lists_each_step(memory: keepsaid.Memory, strategy: str):
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
    context = memory.chat(owner="u1").context("Where is my sister?", strategy=strategy)
    data = memory.receipts(owner="u1")[0].data
    for timeline in (context.timeline, data["timeline"]):
        assert set(timeline) == {"reading", "planning", "profile", "search", "summary", "total"}
        steps = sum(milliseconds for step, milliseconds in timeline.items() if step != "total")
        assert 0 < steps <= timeline["total"] + 0.05
    assert data["ms"] == data["timeline"]["total"]
