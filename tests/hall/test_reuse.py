"""How much of each prompt stood in the one before it, and how long its making took."""

from itertools import pairwise
from typing import Any

import pytest
from places import near

import recollect
from recollect.engine.compile import prefix
from recollect.engine.compile.chat_format import cost
from recollect.engine.compile.prefix import Prefixes
from recollect.tokens import counter_for

COUNT = counter_for("o200k_base").count

pytestmark = near(reason="prompts are compared in this process")


def reused(memory: recollect.Memory, session: str | None = None) -> list[int]:
    return [receipt.data["reused"] for receipt in memory.receipts(owner="u1", session=session)][::-1]


def test_a_conversation_that_goes_on_repeats_itself(memory: recollect.Memory):
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
        heads.append(sum(cost(message, COUNT) for message in same))
    assert reused(memory) == heads
    assert heads[1] > 0
    assert heads[3] > heads[2] > heads[1]
    period = memory.stats(owner="u1").periods[-1]
    assert period.reused_tokens == sum(heads)
    assert period.prompt_tokens == sum(receipt.data["tokens"] for receipt in memory.receipts(owner="u1"))


def test_conversations_do_not_know_each_other(memory: recollect.Memory):
    for session in ("a", "b", "a"):
        memory.chat(owner="u1", session=session, create=True, system_prompt="Be brief.").context("Tea?")
    memory.chat(owner="u2", session="a", create=True, system_prompt="Be brief.").context("Tea?")
    assert reused(memory, "a")[0] == reused(memory, "b")[0] == 0
    assert reused(memory, "a")[1] > 0
    assert memory.receipts(owner="u2")[0].data["reused"] == 0


def test_another_system_prompt_or_model_begins_anew(memory: recollect.Memory):
    chat = memory.chat(owner="u1", system_prompt="Be brief.")
    chat.add("user", "Tea?")
    chat.context()
    chat.context(system="Be long.")
    chat.context(system="Be long.", model="gpt-4")
    chat.context(system="Be long.", model="gpt-4")
    assert [bool(number) for number in reused(memory)] == [False, False, False, True]


def test_only_so_many_conversations_are_known(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prefix, "KEPT", 2)
    prefixes, prompt = Prefixes(), [{"role": "user", "content": "Tea?"}]
    for conversation, expected in ((1, 0), (2, 0), (1, 1), (3, 0), (1, 1), (2, 0)):
        assert bool(prefixes.repeated(conversation, prompt, COUNT, "o200k")) == expected
    assert len(prefixes._last) == 2


def test_the_same_text_in_another_role_is_not_the_same():
    prefixes = Prefixes()
    assert prefixes.repeated("s", [{"role": "user", "content": "Tea?"}], COUNT, "o200k") == 0
    assert prefixes.repeated("s", [{"role": "assistant", "content": "Tea?"}], COUNT, "o200k") == 0


def test_what_was_counted_is_not_counted_again():
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return 1

    prefixes = Prefixes()
    talk = [{"role": "user", "content": str(number)} for number in range(6)]
    for end in (2, 4, 6):
        prefixes.repeated("s", talk[:end], count, "ones")
    assert counted == ["0", "1", "2", "3"]


@pytest.mark.parametrize("strategy", ["hybrid", "window"])
def test_a_prompt_tells_how_long_each_step_took(memory: recollect.Memory, strategy: str):
    memory.chat(owner="u1").add("user", "My sister moved to Lisbon.")
    context = memory.chat(owner="u1").context("Where is my sister?", strategy=strategy)
    data = memory.receipts(owner="u1")[0].data
    for timeline in (context.timeline, data["timeline"]):
        assert set(timeline) == {"reading", "planning", "profile", "search", "summary", "total"}
        steps = sum(milliseconds for step, milliseconds in timeline.items() if step != "total")
        assert 0 < steps <= timeline["total"] + 0.05
    assert data["ms"] == data["timeline"]["total"]
