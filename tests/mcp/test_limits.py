"""No answer is endless, whatever is in the store: the longest names, and the letters that take most room."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from frameworks import framework

framework("mcp.server")

from mcp import Client  # noqa: E402

import recollect  # noqa: E402
from recollect import Part, ToolCall  # noqa: E402
from recollect.mcp import shapes  # noqa: E402
from recollect.mcp.app import create_server  # noqa: E402
from recollect.mcp.limits import LONGEST_ANSWER, LONGEST_FACT, LONGEST_NAME, MOST_NAMED, fitting  # noqa: E402
from recollect.types import Fact  # noqa: E402

LETTERS = ["x", '"', "\x01", "😀", " "]
"""One that takes its own room, two that JSON writes with more, one of four bytes, and one of which many are a token."""
SESSIONS = 25


@pytest.fixture(scope="module", params=LETTERS, ids=lambda letter: f"U+{ord(letter):04X}")
def letter(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def memory(letter: str) -> Iterator[recollect.Memory]:
    """Everything in it is as long as can be, or longer than anybody needs."""
    name = letter * 500
    calls = [ToolCall(f"c{number}", f"f{name}", letter * 5_000) for number in range(40)]
    files = [Part("image", uri="data:image/png;base64,AAAA", name=letter * 5_000) for _ in range(40)]
    with recollect.open("memory://", embedder="off", background=False) as memory:
        for number in range(SESSIONS):
            chat = memory.chat(
                owner="ann", session=f"{number:02}{name}", create=True, title=f"T{letter * 100_000}",
                tags=[f"{tag}{name}" for tag in range(1_000)],
            )  # fmt: skip
            text = Part("text", f"elephant {number} {letter * 20_000} trunk")
            chat.add("assistant", [text, *files], id=f"m{number}{name}", tool_calls=calls)
            memory.remember(f"Has elephant {number} {letter * 50_000} trunk", owner="ann", pinned=True)
            memory.ingest(f"{number}{name}", content=f"# Elephant {name}\n\n{number} {letter * 5_000} trunk", owner="ann")
        for number in range(5):
            chat.add("assistant", [text, *files], id=f"n{number}{name}", tool_calls=calls)
        yield memory


def ask(memory: recollect.Memory, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; what a model reads of it has an end."""

    async def main() -> dict[str, Any]:
        async with Client(create_server(memory, owner="ann")) as client:
            result = await client.call_tool(tool, arguments)
            (content,) = result.content
            assert not result.is_error, content.text
            assert len(content.text) <= LONGEST_ANSWER
            assert result.structured_content is not None
            return result.structured_content

    return asyncio.run(main())


def test_conversations_are_listed_to_the_last(memory: recollect.Memory):
    listed, cursor = [], None
    while cursor is not None or not listed:
        page = ask(memory, "list_sessions", limit=100, cursor=cursor)
        listed, cursor = listed + page["sessions"], page["next"]
    assert [one["id"][:2] for one in listed] == [f"{number:02}" for number in reversed(range(SESSIONS))]
    for one in listed:
        assert one["title"].startswith("T")
        assert one["title"].endswith("…")
        assert len(one["title"]) <= LONGEST_NAME
        assert (len(one["tags"]), one["more_tags"]) == (MOST_NAMED, 1_000 - MOST_NAMED)


def test_a_conversation_is_read_to_the_last(memory: recollect.Memory):
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
        assert (len(one["tool_calls"]), len(one["attachments"]), one["more"]) == (MOST_NAMED, MOST_NAMED, 60)


def test_what_was_found_and_has_no_room_is_counted(memory: recollect.Memory):
    answer = ask(memory, "recall", query="elephant trunk", limit=50)
    assert {one["kind"] for one in answer["found"]} == {"message", "document"}
    every = len(memory.search("elephant trunk", owner="ann", limit=50))
    every += len(memory.search_documents("elephant trunk", owner="ann")[:50])
    assert len(answer["found"]) + answer["left_out"] == every
    assert answer["left_out"] > 0


def test_facts_are_cut_and_say_so(memory: recollect.Memory):
    answer = ask(memory, "facts", limit=200)
    for one in answer["facts"]:
        assert len(one["text"]) <= LONGEST_FACT
        assert one["left_out"] > 40_000
    assert answer["more"] is (len(answer["facts"]) < SESSIONS)


def test_facts_that_have_no_room_are_told_of():
    with recollect.open("memory://", embedder="off", background=False) as memory:
        for number in range(60):
            memory.remember(f"{number} " + "elephant " * 200, owner="ann")
        answer = ask(memory, "facts", limit=200)
    assert 0 < len(answer["facts"]) < 60
    assert answer["more"] is True


def test_a_fact_that_rests_on_everything_fits(letter: str):
    ids = tuple(letter * 512 for _ in range(1_000))
    shown = shapes.fact_info(Fact(ids[0], letter * 9_000, "identity", "user", 1.0, 0, session=ids[0], messages=ids))
    assert (len(shown.messages), shown.more_messages) == (MOST_NAMED, 1_000 - MOST_NAMED)
    answer = shapes.FactList(facts=fitting([shown] * 3, shapes.FactList(facts=[], more=True)), more=True)
    assert answer.facts
    assert len(answer.model_dump_json(indent=2)) <= LONGEST_ANSWER


@pytest.mark.parametrize("tokens", [200, 2_000, 32_000])
def test_a_context_that_is_cut_still_says_where_it_ends(memory: recollect.Memory, tokens: int):
    text = ask(memory, "context", question="Which elephant has a trunk?", max_tokens=tokens)["text"]
    assert not text or text.endswith("</memory>")


def test_resources_have_an_end(memory: recollect.Memory):
    async def main() -> None:
        async with Client(create_server(memory, owner="ann")) as client:
            (content,) = (await client.read_resource("recollect://sessions")).contents
            assert 0 < len(content.text) <= LONGEST_ANSWER

    asyncio.run(main())
