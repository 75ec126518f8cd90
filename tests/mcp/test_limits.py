"""Every MCP answer is limited in size, even with the longest names and the characters that take the most space."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from frameworks import framework

framework("mcp.server")

from mcp import Client  # noqa: E402

import keepsaid  # noqa: E402
from keepsaid import ContentPart, ToolCall  # noqa: E402
from keepsaid.mcp import schemas  # noqa: E402
from keepsaid.mcp.app import create_server  # noqa: E402
from keepsaid.mcp.limits import MAX_ANSWER_LENGTH, MAX_FACT_LENGTH, MAX_NAME_LENGTH, MAX_NAMED_ITEMS, select_fitting  # noqa: E402
from keepsaid.types import Fact  # noqa: E402

LETTERS = ["x", '"', "\x01", "😀", " "]
"""One that takes its own room, two that JSON writes with more, one of four bytes, and one of which many are a token."""
SESSIONS = 25


@pytest.fixture(scope="module", params=LETTERS, ids=lambda letter: f"U+{ord(letter):04X}")
def letter(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def memory(letter: str) -> Iterator[keepsaid.Memory]:
    """Everything in it is as long as can be, or longer than anybody needs."""
    name = letter * 500
    calls = [ToolCall(f"c{number}", f"f{name}", letter * 5_000) for number in range(40)]
    files = [ContentPart("image", uri="data:image/png;base64,AAAA", name=letter * 5_000) for _ in range(40)]
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        for number in range(SESSIONS):
            chat = memory.chat(
                owner="ann", session=f"{number:02}{name}", create=True, title=f"T{letter * 100_000}",
                tags=[f"{tag}{name}" for tag in range(1_000)],
            )  # fmt: skip
            text = ContentPart("text", f"elephant {number} {letter * 20_000} trunk")
            chat.add("assistant", [text, *files], id=f"m{number}{name}", tool_calls=calls)
            memory.remember(f"Has elephant {number} {letter * 50_000} trunk", owner="ann", pinned=True)
            memory.ingest(f"{number}{name}", content=f"# Elephant {name}\n\n{number} {letter * 5_000} trunk", owner="ann")
        for number in range(5):
            chat.add("assistant", [text, *files], id=f"n{number}{name}", tool_calls=calls)
        yield memory


def ask(memory: keepsaid.Memory, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; what a model reads of it has an end."""

    async def main() -> dict[str, Any]:
        async with Client(create_server(memory, owner="ann")) as client:
            result = await client.call_tool(tool, arguments)
            (content,) = result.content
            assert not result.is_error, content.text
            assert len(content.text) <= MAX_ANSWER_LENGTH
            assert result.structured_content is not None
            return result.structured_content

    return asyncio.run(main())


def test_list_sessions_pages_through_all_sessions(memory: keepsaid.Memory):
    listed, cursor = [], None
    while cursor is not None or not listed:
        page = ask(memory, "list_sessions", limit=100, cursor=cursor)
        listed, cursor = listed + page["sessions"], page["next"]
    assert [one["id"][:2] for one in listed] == [f"{number:02}" for number in reversed(range(SESSIONS))]
    for one in listed:
        assert one["title"].startswith("T")
        assert one["title"].endswith("…")
        assert len(one["title"]) <= MAX_NAME_LENGTH
        assert (len(one["tags"]), one["more_tags"]) == (MAX_NAMED_ITEMS, 1_000 - MAX_NAMED_ITEMS)


def test_read_session_pages_through_all_messages(memory: keepsaid.Memory):
    chat = memory.chat(owner="ann", session=memory.sessions(owner="ann", limit=1).items[0].id)
    read, cursor, pages = [], None, 0
    while cursor is not None or not read:
        page = ask(memory, "read_session", session=chat.id, limit=100, cursor=cursor)
        read, cursor, pages = read + page["messages"], page["next"], pages + 1
    assert [one["id"] for one in read] == [message.id for message in chat.messages()]
    assert pages > 1
    for one in read:
        assert one["text"].endswith("…")
        assert one["left_out"] == len(chat.message(one["id"]).text) - len(one["text"]) + 1
        assert (len(one["tool_calls"]), len(one["attachments"]), one["more"]) == (MAX_NAMED_ITEMS, MAX_NAMED_ITEMS, 60)


def test_recall_counts_hits_left_out(memory: keepsaid.Memory):
    answer = ask(memory, "recall", query="elephant trunk", limit=50)
    assert {one["kind"] for one in answer["found"]} == {"message", "document"}
    every = len(memory.search("elephant trunk", owner="ann", limit=50))
    every += len(memory.search_documents("elephant trunk", owner="ann")[:50])
    assert len(answer["found"]) + answer["left_out"] == every
    assert answer["left_out"] > 0


def test_facts_are_shortened_and_marked(memory: keepsaid.Memory):
    answer = ask(memory, "facts", limit=200)
    for one in answer["facts"]:
        assert len(one["text"]) <= MAX_FACT_LENGTH
        assert one["left_out"] > 40_000
    assert answer["more"] is (len(answer["facts"]) < SESSIONS)


def test_facts_reports_more_when_answer_is_full():
    with keepsaid.open("memory://", embedder="off", background=False) as memory:
        for number in range(60):
            memory.remember(f"{number} " + "elephant " * 200, owner="ann")
        answer = ask(memory, "facts", limit=200)
    assert 0 < len(answer["facts"]) < 60
    assert answer["more"] is True


def test_fact_with_many_source_messages_fits_answer(letter: str):
    ids = tuple(letter * 512 for _ in range(1_000))
    shown = schemas.fact_info(Fact(ids[0], letter * 9_000, "identity", "user", 1.0, 0, session=ids[0], messages=ids))
    assert (len(shown.messages), shown.more_messages) == (MAX_NAMED_ITEMS, 1_000 - MAX_NAMED_ITEMS)
    answer = schemas.FactsResult(facts=select_fitting([shown] * 3, schemas.FactsResult(facts=[], more=True)), more=True)
    assert answer.facts
    assert len(answer.model_dump_json(indent=2)) <= MAX_ANSWER_LENGTH


@pytest.mark.parametrize("tokens", [200, 2_000, 32_000])
def test_shortened_context_keeps_closing_tag(memory: keepsaid.Memory, tokens: int):
    text = ask(memory, "context", question="Which elephant has a trunk?", max_tokens=tokens)["text"]
    assert not text or text.endswith("</memory>")


def test_sessions_resource_is_limited_in_size(memory: keepsaid.Memory):
    async def main() -> None:
        async with Client(create_server(memory, owner="ann")) as client:
            (content,) = (await client.read_resource("keepsaid://sessions")).contents
            assert 0 < len(content.text) <= MAX_ANSWER_LENGTH

    asyncio.run(main())
