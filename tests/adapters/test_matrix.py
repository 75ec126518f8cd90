"""The same conversation through every adapter: written through one, read through another.

Each pair of adapters whose frameworks are installed is tested; tests/compat/matrix.py tests all of them together.
Where frameworks differ by nature, `SHAPES` and `LACKS` say how, and why; nothing else may differ.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from adapter_conversations import ADAPTERS, OWNER, SESSION, Call, ConversationAdapter, Heard, Plain, Said, Thing

import keepsaid

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:google", "ignore:.*EXPERIMENTAL.*:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*BaseChatMessageHistory.*"),
]

INSTALLED = [adapter for adapter in ADAPTERS if adapter.is_installed()]

LINK = Thing("image", "https://example.org/cat.png", "image/png", "cat")
PAGE = Thing("file", "https://example.org/paper.pdf", "application/pdf", "paper")
PICTURE = Thing("image", "data:image/png;base64,iVBORw0KGgo+/w==", "image/png", "dot")
PAPER = Thing("file", "data:application/pdf;base64,JVBERi0xLjQK", "application/pdf", "paper")

CONVERSATIONS: dict[str, list[Said]] = {
    "words": [
        Said("user", "Where does my sister live?"),
        Said("assistant", "In Lisbon.\n\nSince May: »casa nova« 🏡"),
        Said("user", "Obrigada, João!"),
    ],
    "links": [Said("user", "What are these?", (LINK, PAGE)), Said("assistant", "A cat and a paper.")],
    "contents": [Said("user", "And these?", (PICTURE, PAPER)), Said("assistant", "A dot and a paper.")],
    "tools": [
        Said("user", "Look at both."),
        Said(
            "assistant",
            "Let me look.",
            calls=(Call("call_1", "look", {"at": "cat"}), Call("call_2", "read", {"file": "paper", "pages": [1, 2]})),
        ),
        Said("tool", "a cat", answers="call_1", tool="look"),
        Said("tool", "a paper", answers="call_2", tool="read"),
        Said("assistant", calls=(Call("call_3", "now", {}),)),
        Said("tool", "noon", answers="call_3", tool="now"),
        Said("assistant", "A cat, a paper, at noon."),
    ],
    "metadata": [
        Said("user", "Hello", metadata={"source": "web", "tries": 3, "deep": {"a": [1, None]}}),
        Said("assistant", "Hello!", metadata={"model": "x"}),
    ],
    "system": [Said("system", "Be brief."), Said("user", "Hello"), Said("assistant", "Hi.")],
}

LACKS: dict[tuple[str, str], str] = {
    ("openai-agents", "metadata"): "an item has no place for what a user puts beside it",
    ("strands", "links"): "it knows bytes and objects in S3; a link to anything else is told in words",
    ("strands", "system"): "the system prompt is the agent's, and no message",
    ("google-adk", "system"): "the instruction is the agent's, and no event",
}
"""What a framework has no words for. It is not said through that adapter, and heard only for what is left of it."""

SHAPES: dict[str, tuple[str, str]] = {
    "openai-agents": ("apart", "an item is words, or one call: what was said with a call is an item of its own"),
    "chainlit": ("each", "a call and its result are one step, which has an id of its own"),
}
"""Frameworks that cut a conversation elsewhere. What is said in one breath elsewhere is several things there."""


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with keepsaid.open(tmp_path / "chat.db", embedder="off", background=False) as memory:
        yield memory


def list_expected(conversation: Iterable[Said]) -> list[Heard]:
    """What is to be heard of it."""
    return [
        Heard(one.role, one.text, tuple(thing.uri for thing in one.things), one.calls, one.answers, one.metadata)
        for one in conversation
    ]


def split_messages(heard: list[Heard], *adapters: type[ConversationAdapter]) -> list[Heard]:
    """A conversation, cut as finely as any of these adapters cuts it."""
    shapes = {SHAPES[adapter.name][0] for adapter in adapters if adapter.name in SHAPES}
    if not shapes:
        return heard
    pieces = list(_apart(heard))
    return _each(pieces) if "each" in shapes else pieces


def _apart(heard: Iterable[Heard]) -> Iterator[Heard]:
    for one in heard:
        if one.text or one.uris or not one.calls:
            yield replace(one, calls=())
        for call in one.calls:
            yield replace(one, text="", uris=(), calls=(call,))


def _each(pieces: list[Heard]) -> list[Heard]:
    """Return every call followed by its result. Calls get numbers as ids, since Chainlit uses the ids of its steps."""
    results = {one.answers: one for one in pieces if one.answers is not None}
    found: list[Heard] = []
    number = 0
    for one in pieces:
        if one.calls:
            number += 1
            (call,) = one.calls
            found.append(replace(one, calls=(replace(call, id=f"#{number}"),)))
            found.append(replace(results[call.id], answers=f"#{number}"))
        elif one.answers is None:
            found.append(one)
    return found


@pytest.mark.parametrize("reader", INSTALLED, ids=lambda adapter: f"to {adapter.name}")
@pytest.mark.parametrize("writer", INSTALLED, ids=lambda adapter: f"from {adapter.name}")
@pytest.mark.parametrize("kind", CONVERSATIONS)
def test_conversation_round_trips_between_all_adapters(
    kind: str, writer: type[ConversationAdapter], reader: type[ConversationAdapter], memory: keepsaid.Memory
) -> None:
    said = CONVERSATIONS[kind]
    if (writer.name, kind) in LACKS:
        said = drop_unsupported(said, kind)
    writer(memory).write(said)
    heard, wanted = reader(memory).read(), list_expected(said)
    if (reader.name, kind) in LACKS:
        heard, wanted = left_of(heard, wanted, kind)
    assert split_messages(heard, writer, reader) == split_messages(wanted, writer, reader)


def drop_unsupported(said: list[Said], kind: str) -> list[Said]:
    """What can be said of it through a adapter that lacks the words."""
    if kind == "system":
        return [one for one in said if one.role != "system"]
    return [replace(one, metadata={}, things=()) for one in said]


def left_of(heard: list[Heard], wanted: list[Heard], kind: str) -> tuple[list[Heard], list[Heard]]:
    """What is to be the same of what was heard through a adapter that lacks the words: no words of anybody are lost."""
    if kind == "metadata":
        return heard, [replace(one, metadata={}) for one in wanted]
    if kind == "system":
        return heard, [replace(one, role="user") if one.role == "system" else one for one in wanted]
    for one, want in zip(heard, wanted, strict=True):
        assert one.text.startswith(want.text)
        assert all(name in one.text for name in [thing.name for thing in (LINK, PAGE)] if want.uris)
    return [replace(one, text="") for one in heard], [replace(one, text="", uris=()) for one in wanted]


@pytest.mark.parametrize("adapter", INSTALLED, ids=lambda adapter: adapter.name)
def test_adapters_share_one_conversation(adapter: type[ConversationAdapter], memory: keepsaid.Memory) -> None:
    """One adapter begins, the plain API continues, and every adapter reads both."""
    adapter(memory).write([Said("user", "one"), Said("assistant", "two")])
    Plain(memory).write([Said("user", "three")])
    for reader in INSTALLED:
        assert [one.text for one in reader(memory).read()] == ["one", "two", "three"], reader.name


@pytest.mark.parametrize("adapter", INSTALLED, ids=lambda adapter: adapter.name)
def test_concurrent_messages_are_all_read_by_adapter(adapter: type[ConversationAdapter], memory: keepsaid.Memory) -> None:
    adapter(memory).write([Said("user", "begin")])
    chat = memory.chat(owner=OWNER, session=SESSION)

    async def all_at_once() -> None:
        await asyncio.gather(*(asyncio.to_thread(chat.add, "user", f"message {number}") for number in range(8)))

    asyncio.run(all_at_once())
    assert len(adapter(memory).read()) == 9


def test_listed_differences_name_existing_adapters_and_kinds() -> None:
    names = {adapter.name for adapter in ADAPTERS}
    assert {name for name, _ in LACKS} | SHAPES.keys() <= names
    assert {kind for _, kind in LACKS} <= CONVERSATIONS.keys()
