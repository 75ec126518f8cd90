"""What holds for every prompt, whatever the conversation, the budget and what was found."""

from random import Random

import pytest
from histories import COUNTER, Case, case
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.engine.compile import Compiled, compiled, plan
from recollect.engine.compile.budget import HYBRID, Limits, rooms
from recollect.errors import BudgetTooSmall


def count(messages) -> int:
    """The tokens of a prompt, counted from the outside: what OpenAI's guide says, and every string of a tool call."""
    total = 3
    for message in messages:
        total += 3 + COUNTER.count(message["role"])
        content = message.get("content") or ""
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            total += COUNTER.count(part["text"]) if part["type"] == "text" else 1_105
        for call in message.get("tool_calls", ()):
            total += sum(COUNTER.count(value) for value in (call["id"], *call["function"].values()))
        total += COUNTER.count(message.get("tool_call_id", "")) + COUNTER.count(message.get("name", ""))
    return total


def check(one: Case, made: Compiled) -> None:
    order, talk = one.order, one.talk
    assert made.tokens == sum(made.sections.values())
    assert count(made.messages) <= made.tokens <= order.budget
    check_tools(made.messages)
    system = [message for message in made.messages if message["role"] == "system"]
    if talk.system:
        assert system[0]["content"].startswith(talk.system)
    question = talk.question.message
    assert any(message["role"] == "user" and said(message).endswith(question.text) for message in made.messages)
    check_order(one, made)
    check_nothing_lost(one, made)


def said(message) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if part["type"] == "text")


def check_tools(messages) -> None:
    """As a provider checks: results right behind their call, all of them, each once; an open call only at the very end."""
    at = 0
    while at < len(messages):
        calls = [call["id"] for call in messages[at].get("tool_calls", ())]
        assert messages[at]["role"] != "tool"
        at += 1
        if calls and at == len(messages):
            return
        results = []
        while calls and at < len(messages) and messages[at]["role"] == "tool":
            results.append(messages[at]["tool_call_id"])
            at += 1
        assert sorted(results) == sorted(calls)


def told(one: Case) -> list:
    """The saved messages in a prompt, in the order they stand there."""
    made = plan(one.talk, one.order)
    return [seen.message for told in (*made.pinned, *made.recent, *made.after) for seen in told.unit]


def check_order(one: Case, made: Compiled) -> None:
    seqs = [message.seq for message in told(one)]
    assert seqs == sorted(set(seqs))


def check_nothing_lost(one: Case, made: Compiled) -> None:
    """Every message is in the prompt, or listed: by itself, or in the run of the older ones."""
    inside = {message.id for message in told(one)}
    listed = {item.id for item in made.dropped if item.kind == "message"}
    runs = [item.id.split("–") for item in made.dropped if item.kind == "messages"]
    for seen in (*one.path, *one.talk.after):
        message = seen.message
        older = any(int(first) <= message.seq <= int(last) for first, last in runs)
        assert message.id in inside or message.id in listed or older
        if message.pinned and not older and message.id not in inside:
            assert message.id in listed
    offered = {offer.item.id for offer in one.offers}
    assert offered <= {item.id for item in (*made.items, *made.dropped)}


def try_one(random: Random) -> bool:
    one = case(random)
    try:
        made = compiled(plan(one.talk, one.order), one.summary, one.offers)
    except BudgetTooSmall as error:
        if not error.needed > one.order.budget == error.budget:
            raise AssertionError("the error is wrong about the budget") from error
        return False
    check(one, made)
    return True


@settings(max_examples=2_000, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_invariants_hold(random):
    try_one(random)


@pytest.mark.long
@pytest.mark.parametrize("part", range(100))
def test_the_invariants_hold_a_million_times(part):
    fit = sum(try_one(Random(f"{part}/{number}")) for number in range(10_000))
    assert fit > 7_000


def test_pins_come_before_the_conversation_and_are_reported():
    for seed in range(3_000):
        one = case(Random(seed))
        try:
            made = plan(one.talk, one.order)
        except BudgetTooSmall:
            continue
        pins = {seen.message.id for unit in one.talk.pinned for seen in unit if seen.message.pinned}
        inside = {message.id for message in told(one)}
        reported = {item.id for item in made.dropped if item.section == "pinned"}
        assert pins <= inside | reported


@pytest.mark.parametrize("documents", [False, True])
def test_memories_keep_at_least_half_of_their_room(documents):
    """However much the conversation takes, half of the memories' room is left, and all of it in a small prompt."""
    for free in range(0, 130_000, 61):
        made = rooms(free, Limits(), HYBRID, documents=documents)
        left = free - made.profile - made.summary - made.documents - made.recent
        assert left >= made.memory - made.memory // 2
        assert made.recent >= 0
        if free <= 1_600:
            assert left >= made.memory
