"""Invariants of compiled prompts, for random conversations, budgets and memories."""

from random import Random

import pytest
from histories import COUNTER, Case, case
from hypothesis import given, settings
from hypothesis import strategies as st

from keepsaid.engine.prompt import CompiledPrompt, compile_prompt, plan_conversation
from keepsaid.engine.prompt.budget import HYBRID, Limits, allocate_section_budgets
from keepsaid.errors import BudgetTooSmall


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


def check(one: Case, made: CompiledPrompt) -> None:
    order, talk = one.order, one.talk
    assert made.tokens == sum(made.sections.values())
    assert count(made.messages) <= made.tokens <= order.budget
    check_tools(made.messages)
    system = [message for message in made.messages if message["role"] == "system"]
    if talk.system:
        assert system[0]["content"].startswith(talk.system)
    question = talk.question.message
    assert any(message["role"] == "user" and text_of_message(message).endswith(question.text) for message in made.messages)
    check_order(one, made)
    check_nothing_lost(one, made)


def text_of_message(message) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if part["type"] == "text")


def check_tools(messages) -> None:
    """As a provider checks: all results right after their call, each once; an open call only at the very end."""
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


def list_prompt_messages(one: Case) -> list:
    """The saved messages in a prompt, in the order they stand there."""
    made = plan_conversation(one.talk, one.order)
    return [seen.message for told in (*made.pinned, *made.recent, *made.after) for seen in told.messages]


def check_order(one: Case, made: CompiledPrompt) -> None:
    seqs = [message.seq for message in list_prompt_messages(one)]
    assert seqs == sorted(set(seqs))


def check_nothing_lost(one: Case, made: CompiledPrompt) -> None:
    """Every message is in the prompt, or listed: by itself, or in the run of the older ones."""
    inside = {message.id for message in list_prompt_messages(one)}
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
        made = compile_prompt(plan_conversation(one.talk, one.order), one.summary, one.offers)
    except BudgetTooSmall as error:
        if not error.needed > one.order.budget == error.budget:
            raise AssertionError("the error is wrong about the budget") from error
        return False
    check(one, made)
    return True


@settings(max_examples=2_000, deadline=None)
@given(st.randoms(use_true_random=False))
def test_compiled_prompt_satisfies_invariants(random):
    try_one(random)


@pytest.mark.long
@pytest.mark.parametrize("part", range(100))
def test_compiled_prompt_satisfies_invariants_a_million_times(part):
    fit = sum(try_one(Random(f"{part}/{number}")) for number in range(10_000))
    assert fit > 7_000


def test_pinned_messages_are_in_prompt_or_reported_dropped():
    for seed in range(3_000):
        one = case(Random(seed))
        try:
            made = plan_conversation(one.talk, one.order)
        except BudgetTooSmall:
            continue
        pins = {seen.message.id for unit in one.talk.pinned for seen in unit if seen.message.pinned}
        inside = {message.id for message in list_prompt_messages(one)}
        reported = {item.id for item in made.dropped if item.section == "pinned"}
        assert pins <= inside | reported


@pytest.mark.parametrize("documents", [False, True])
def test_memory_section_keeps_at_least_half_of_its_budget(documents):
    """A long conversation leaves half of the memory budget, and in a small prompt the whole memory budget."""
    for free in range(0, 130_000, 61):
        made = allocate_section_budgets(free, Limits(), HYBRID, documents=documents)
        left = free - made.profile - made.summary - made.documents - made.recent
        assert left >= made.memory - made.memory // 2
        assert made.recent >= 0
        if free <= 1_600:
            assert left >= made.memory
