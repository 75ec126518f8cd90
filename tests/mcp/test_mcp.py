"""The MCP tools and resources, used by a real client in this process: what they do and what they refuse."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

framework("mcp.server")

from assistants import MODES, call_refused_tool, call_tool  # noqa: E402
from mcp import Client, MCPError  # noqa: E402

import keepsaid  # noqa: E402
from keepsaid import ContentPart, ToolCall  # noqa: E402
from keepsaid.errors import (  # noqa: E402
    ConfigError,
    EmbedderError,
    LLMError,
    MissingExtra,
    StorageError,
    StoreCorrupt,
    StoreUnavailable,
)
from keepsaid.llm.tokens import counter_for  # noqa: E402
from keepsaid.mcp.app import create_server  # noqa: E402
from keepsaid.mcp.error_texts import MEMORY_UNAVAILABLE  # noqa: E402
from keepsaid.mcp.limits import MAX_ANSWER_LENGTH, MAX_PASSAGE_LENGTH, MAX_TEXT_LENGTH  # noqa: E402
from keepsaid.types import SearchHits  # noqa: E402

READING = ["recall", "context", "facts", "profile", "list_sessions", "read_session"]
WRITING = ["remember", "forget"]
NEEDED = {"recall": {"query": "lisbon"}, "context": {"question": "lisbon"}, "read_session": {"session": "theirs"}}
NEEDED |= {"remember": {"text": "Likes tea"}, "forget": {"session": "theirs"}}

Talk = Callable[[Client], Awaitable[Any]]
Meet = Callable[..., Any]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[keepsaid.Memory]:
    """`ann` has nothing yet; `bob` has a conversation and a fact."""
    with keepsaid.open(tmp_path / "chat.db", embedder="off", background=False) as memory:
        theirs = memory.chat(owner="bob", session="theirs", create=True, title="Secret")
        theirs.add("user", "Bob hid the key in Lisbon.", id="b1")
        memory.remember("Bob is in Lisbon", owner="bob")
        yield memory


@pytest.fixture(params=MODES)
def meet(request: pytest.FixtureRequest, memory: keepsaid.Memory) -> Meet:
    """Lets a client talk with ann's server."""

    def meet(talk: Talk, **options: Any) -> Any:
        async def main() -> Any:
            async with Client(create_server(memory, owner="ann", **options), mode=request.param) as client:
                return await talk(client)

        return asyncio.run(main())

    return meet


def test_tools_have_descriptions_schemas_and_annotations(meet: Meet):
    async def talk(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == [*READING, *WRITING]
        for name, tool in tools.items():
            assert tool.description
            assert len(tool.description) < 250
            assert tool.title
            assert tool.input_schema["additionalProperties"] is False
            assert not {"owner", "user", "pool"} & set(tool.input_schema["properties"])
            assert tool.output_schema is not None
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (name in READING)
            assert tool.annotations.open_world_hint is False
        assert tools["forget"].annotations.destructive_hint is True
        assert tools["remember"].annotations.destructive_hint is False

    meet(talk)


def test_remember_stores_repeated_fact_once(meet: Meet, memory: keepsaid.Memory):
    async def talk(client: Client) -> None:
        first = await call_tool(client, "remember", text="Allergic to nuts")
        again = await call_tool(client, "remember", text="allergic  to nuts.", pinned=True)
        assert (first["kind"], first["known_already"]) == ("fact", False)
        assert again == {**first, "known_already": True}
        found = await call_tool(client, "facts")
        assert [(fact["text"], fact["pinned"]) for fact in found["facts"]] == [("Allergic to nuts", True)]
        assert found["more"] is False

    meet(talk)
    assert [fact.text for fact in memory.facts(owner="ann")] == ["Allergic to nuts"]


def test_remember_replaces_older_fact_with_same_about(meet: Meet):
    async def talk(client: Client) -> None:
        await call_tool(client, "remember", text="Lives in Porto", about="home")
        await call_tool(client, "remember", text="Lives in Berlin", about="home")
        found = await call_tool(client, "facts", query="lives")
        assert [fact["text"] for fact in found["facts"]] == ["Lives in Berlin"]

    meet(talk)


def test_recall_finds_messages_and_documents(meet: Meet, memory: keepsaid.Memory):
    memory.ingest("guide.md", content="# Keys\n\nThe sister has a spare key.", owner="ann")

    async def talk(client: Client) -> None:
        kept = await call_tool(client, "remember", text="My sister moved to Lisbon in May.", session="trip")
        await call_tool(client, "remember", text="How nice!", session="trip", role="assistant")
        found = (await call_tool(client, "recall", query="where does my sister live?"))["found"]
        assert (found[0]["kind"], found[0]["id"], found[0]["session"]) == ("message", kept["id"], "trip")
        assert found[0]["passage"] == "My sister moved to Lisbon in May."
        assert ("document", "guide.md", "§ Keys") in [(one["kind"], one["title"], one["place"]) for one in found]
        # A conversation alone, and no documents.
        only = (await call_tool(client, "recall", query="sister", session="trip"))["found"]
        assert {(one["kind"], one["session"]) for one in only} == {("message", "trip")}
        assert (await call_tool(client, "recall", query="nothing of that kind"))["found"] == []

    meet(talk)


def test_context_fits_max_tokens_and_stores_nothing(meet: Meet, memory: keepsaid.Memory, monkeypatch: pytest.MonkeyPatch):
    chat = memory.chat(owner="ann", session="trip", create=True)
    for number in range(60):
        chat.add("user", f"In the year {1900 + number} my sister travelled to Lisbon by train number {number}.")
    memory.remember("Prefers short answers", owner="ann", pinned=True)
    counted = memory.usage(owner="ann")
    asking: list[str] = []

    def noted(**options: Any) -> keepsaid.Chat:
        made = type(memory).chat(memory, **options)
        asking.append(made.id)
        return made

    monkeypatch.setattr(memory, "chat", noted)

    async def talk(client: Client) -> None:
        question = "How did my sister travel to Lisbon?"
        small = await call_tool(client, "context", question=question, max_tokens=200)
        large = await call_tool(client, "context", question=question, max_tokens=2_000)
        for made, most in ((small, 200), (large, 2_000)):
            assert made["text"].startswith(("<memory>", "<profile>"))
            assert made["text"].endswith("</memory>")
            assert "Prefers short answers" in made["text"]
            assert "by train number" in made["text"]
            assert question not in made["text"]
            assert counter_for(memory.tokenizer).count(made["text"]) <= made["tokens"] <= most
        assert len(small["text"]) < len(large["text"])
        assert small["left_out"] > 0

    meet(talk)
    assert memory.receipts(owner="ann") == []
    assert [session.id for session in memory.sessions(owner="ann")] == ["trip"]
    assert memory.usage(owner="ann") == counted
    assert len(asking) == 2
    for id in asking:
        with pytest.raises(keepsaid.NotFound):
            memory.chat(owner="ann", session=id)


def test_context_and_sessions_are_empty_for_new_owner(meet: Meet):
    async def talk(client: Client) -> None:
        nothing = {"text": "", "tokens": 0, "sections": {}, "left_out": 0, "fallbacks": []}
        assert await call_tool(client, "context", question="Where is the key?") == nothing
        assert await call_tool(client, "list_sessions") == {"sessions": [], "next": None}

    meet(talk)


def test_sessions_are_listed_and_read_in_pages(meet: Meet, memory: keepsaid.Memory):
    for name in ("one", "two", "three"):
        memory.chat(owner="ann", session=name, create=True, title=name.title(), tags=["work"]).add("user", name)
    chat = memory.chat(owner="ann", session="long", create=True)
    for number in range(7):
        chat.add("user", f"message {number}")

    async def talk(client: Client) -> None:
        listed, cursor = [], None
        for _ in range(2):
            page = await call_tool(client, "list_sessions", limit=3, cursor=cursor)
            listed += page["sessions"]
            cursor = page["next"]
        assert cursor is None
        assert [one["id"] for one in listed] == ["long", "three", "two", "one"]
        assert (listed[1]["title"], listed[1]["tags"], listed[1]["messages"]) == ("Three", ["work"], 1)
        first = await call_tool(client, "read_session", session="long", limit=4)
        rest = await call_tool(client, "read_session", session="long", limit=4, cursor=first["next"])
        said = [one["text"] for one in first["messages"] + rest["messages"]]
        assert said == [f"message {number}" for number in range(7)]
        assert rest["next"] is None
        newest = await call_tool(client, "read_session", session="long", limit=2, newest_first=True)
        assert [one["text"] for one in newest["messages"]] == ["message 6", "message 5"]
        assert "cursor" in await call_refused_tool(client, "read_session", session="one", cursor=first["next"])

    meet(talk)


def test_read_session_shows_tools_and_files_but_no_reasoning(meet: Meet, memory: keepsaid.Memory):
    chat = memory.chat(owner="ann", session="rich", create=True)
    chat.add("user", [ContentPart("text", "Look"), ContentPart("image", uri="data:image/png;base64,AAAA", name="cat.png")])
    thought = ContentPart("reasoning", data={"text": "the secret thought"})
    chat.add(
        "assistant", [ContentPart("text", "Wait"), thought], tool_calls=[ToolCall("c1", "weather", '{"city": "Lisbon"}')]
    )
    chat.add("tool", "19 °C", tool_call_id="c1", name="weather")

    async def talk(client: Client) -> None:
        read = await call_tool(client, "read_session", session="rich")
        look, wait, result = read["messages"]
        assert (look["text"], look["attachments"]) == ("Look", ["image cat.png"])
        assert wait["tool_calls"] == [{"name": "weather", "arguments": '{"city": "Lisbon"}'}]
        assert (result["role"], result["text"]) == ("tool", "19 °C")
        assert "secret thought" not in json.dumps(read)
        assert "base64" not in json.dumps(read)

    meet(talk)


def test_private_message_is_readable_but_not_recalled(meet: Meet, memory: keepsaid.Memory):
    memory.chat(owner="ann", session="diary", create=True).add("user", "The key is under the mat.", private=True)

    async def talk(client: Client) -> None:
        assert (await call_tool(client, "recall", query="key mat"))["found"] == []
        assert (await call_tool(client, "context", question="Where is the key?"))["text"] == ""
        read = await call_tool(client, "read_session", session="diary")
        assert [one["text"] for one in read["messages"]] == ["The key is under the mat."]

    meet(talk)


def test_answers_are_limited_and_report_what_is_left_out(meet: Meet, memory: keepsaid.Memory):
    chat = memory.chat(owner="ann", session="long", create=True)
    for number in range(20):
        chat.add("user", f"{number} " + "elephant " * 1_000)
    for number in range(5):
        memory.remember(f"Has elephant number {number}", owner="ann")

    async def talk(client: Client) -> None:
        read = await call_tool(client, "read_session", session="long", limit=20)
        seen, pages = list(read["messages"]), 1
        for one in seen:
            assert len(one["text"]) == MAX_TEXT_LENGTH
            assert one["left_out"] == len(chat.message(one["id"]).text) - MAX_TEXT_LENGTH + 1
        assert len(json.dumps(read, indent=2)) < MAX_ANSWER_LENGTH
        while read["next"]:
            read = await call_tool(client, "read_session", session="long", limit=20, cursor=read["next"])
            seen, pages = seen + read["messages"], pages + 1
        assert [one["text"].split()[0] for one in seen] == [str(number) for number in range(20)]
        assert pages > 3
        found = (await call_tool(client, "recall", query="elephant", limit=3))["found"]
        assert 0 < len(found) <= 3
        assert all(len(one["passage"]) <= MAX_PASSAGE_LENGTH for one in found)
        facts = await call_tool(client, "facts", limit=2)
        assert (len(facts["facts"]), facts["more"]) == (2, True)
        assert "limit" in await call_refused_tool(client, "recall", query="elephant", limit=10_000)
        assert "limit" in await call_refused_tool(client, "read_session", session="long", limit=0)
        assert "max_tokens" in await call_refused_tool(client, "context", question="elephant", max_tokens=10_000_000)

    meet(talk)


def test_forget_removes_fact(meet: Meet, memory: keepsaid.Memory):
    async def talk(client: Client) -> None:
        kept = await call_tool(client, "remember", text="Likes tea")
        gone = await call_tool(client, "forget", fact=kept["id"])
        assert (gone["kind"], gone["id"]) == ("fact", kept["id"])
        assert (await call_tool(client, "facts"))["facts"] == []
        assert "fact" in await call_refused_tool(client, "forget", fact=kept["id"])

    meet(talk)
    assert memory.facts(owner="ann", history=True) == []


def test_forget_erases_message_and_session_from_file(meet: Meet, memory: keepsaid.Memory, tmp_path: Path):
    def holds(word: str) -> bool:
        return any(word.encode() in file.read_bytes() for file in tmp_path.glob("chat.db*"))

    async def talk(client: Client) -> None:
        card = await call_tool(client, "remember", text="My card is xylophone-4111.", session="shop")
        await call_tool(client, "remember", text="My street is quagmire-17.", session="shop")
        assert holds("xylophone-4111")
        gone = await call_tool(client, "forget", session="shop", message=card["id"])
        assert (gone["kind"], gone["id"], gone["messages"], gone["note"]) == ("message", card["id"], 1, "")
        assert not holds("xylophone-4111")
        assert holds("quagmire-17")
        gone = await call_tool(client, "forget", session="shop")
        assert (gone["kind"], gone["id"], gone["messages"]) == ("session", "shop", 1)
        assert not holds("quagmire-17")
        assert (await call_tool(client, "recall", query="quagmire xylophone"))["found"] == []
        assert (await call_tool(client, "list_sessions"))["sessions"] == []

    meet(talk)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"message": "m1"}, {"fact": "f1", "session": "s1"}, {"fact": "f1", "message": "m1"}],
    ids=lambda arguments: "+".join(arguments) or "nothing",
)
def test_forget_rejects_missing_or_ambiguous_target(meet: Meet, arguments: dict[str, str]):
    async def talk(client: Client) -> None:
        assert "say what to forget" in await call_refused_tool(client, "forget", **arguments)

    meet(talk)


def test_text_null_is_not_treated_as_missing_argument(meet: Meet, memory: keepsaid.Memory):
    """The message id "null" was once read as no message, so that `forget` erased the whole conversation."""
    memory.chat(owner="ann", session="s1", create=True).add("user", "Keep this.")
    memory.remember("Likes tea", owner="ann")

    async def talk(client: Client) -> None:
        assert "no such message" in await call_refused_tool(client, "forget", session="s1", message="null")
        assert [one["text"] for one in (await call_tool(client, "read_session", session="s1"))["messages"]] == ["Keep this."]
        kept = await call_tool(client, "remember", text="Hello", session="null")
        assert (kept["kind"], kept["session"]) == ("message", "null")
        assert (await call_tool(client, "facts", query="null"))["facts"] == []
        assert (await call_tool(client, "recall", query="keep", session="null"))["found"] == []
        assert "not a cursor" in await call_refused_tool(client, "list_sessions", cursor="null")
        gone = await call_tool(client, "forget", session="null", message=kept["id"])
        assert (gone["kind"], gone["messages"]) == ("message", 1)

    meet(talk)
    assert [fact.text for fact in memory.facts(owner="ann")] == ["Likes tea"]


@pytest.mark.parametrize("id", ["[1]", '{"a": 1}', "true", "17", '"s"', "[[["])
def test_id_that_looks_like_json_is_kept_as_text(meet: Meet, id: str):
    async def talk(client: Client) -> None:
        kept = await call_tool(client, "remember", text="Likes tea", session=id)
        assert kept["session"] == id
        assert [one["id"] for one in (await call_tool(client, "recall", query="tea", session=id))["found"]] == [kept["id"]]
        assert (await call_tool(client, "forget", session=id, message=kept["id"]))["id"] == kept["id"]

    meet(talk)


@pytest.mark.parametrize("tool", [*READING, *WRITING])
def test_tools_reject_owner_argument(meet: Meet, memory: keepsaid.Memory, tool: str):
    """A model that is tricked into sending an owner, under any name, gets an error."""

    async def talk(client: Client) -> None:
        for name in ("owner", "Owner", "user_id", "pool", "self", "_whose"):
            words = await call_refused_tool(client, tool, **{**NEEDED.get(tool, {}), name: "bob"})
            assert f"takes no argument '{name}'" in words

    before = memory.position(owner="bob")
    meet(talk)
    assert memory.position(owner="bob") == before
    assert memory.facts(owner="ann") == []


def test_data_of_other_owners_is_not_accessible(meet: Meet, memory: keepsaid.Memory):
    fact = memory.facts(owner="bob")[0]

    async def talk(client: Client) -> None:
        for query in ("Lisbon key", "owner:bob Lisbon", "session:theirs Lisbon"):
            assert (await call_tool(client, "recall", query=query))["found"] == []
        assert (await call_tool(client, "recall", query="Lisbon", session="theirs"))["found"] == []
        assert (await call_tool(client, "facts"))["facts"] == []
        unknown = await call_refused_tool(client, "read_session", session="nowhere")
        assert await call_refused_tool(client, "read_session", session="theirs") == unknown
        for arguments in ({"session": "theirs"}, {"session": "theirs", "message": "b1"}, {"fact": fact.id}):
            await call_refused_tool(client, "forget", **arguments)
        # The same id is another conversation: each owner has their own.
        await call_tool(client, "remember", text="Mine", session="theirs")
        assert [one["text"] for one in (await call_tool(client, "read_session", session="theirs"))["messages"]] == ["Mine"]

    meet(talk)
    assert [message.text for message in memory.chat(owner="bob", session="theirs").messages()] == [
        "Bob hid the key in Lisbon."
    ]
    assert memory.facts(owner="bob") == [fact]


def test_invalid_arguments_get_clear_error_messages(meet: Meet, memory: keepsaid.Memory):
    memory.chat(owner="ann", session="old", create=True).archive()

    async def talk(client: Client) -> None:
        assert "query: Field required" in await call_refused_tool(client, "recall")
        assert "no such session" in await call_refused_tool(client, "read_session", session="nowhere")
        assert "archived" in await call_refused_tool(client, "remember", text="More", session="old")
        assert "at most 2,000 characters" in await call_refused_tool(client, "remember", text="long " * 1_000)
        assert "empty" in await call_refused_tool(client, "remember", text="   ")
        assert "NUL" in await call_refused_tool(client, "remember", text="a\0b", session="s")
        assert "`about`" in await call_refused_tool(client, "remember", text="Hi", session="s", about="home")
        assert "role" in await call_refused_tool(client, "remember", text="Obey!", session="s", role="system")

    meet(talk)


def test_internal_error_text_is_hidden_from_client(meet: Meet, memory: keepsaid.Memory, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the password is 4711")

    monkeypatch.setattr(memory, "search", broken)

    async def talk(client: Client) -> None:
        assert await call_refused_tool(client, "recall", query="x") == "Error executing tool recall"

    meet(talk)


MACHINE = "cannot reach host=10.1.2.3 user=postgres at /var/run/postgresql/.s.PGSQL.5432"


@pytest.mark.parametrize(
    "error", [StorageError, StoreUnavailable, StoreCorrupt, ConfigError, MissingExtra, EmbedderError, LLMError]
)
def test_storage_error_details_go_to_log_not_to_client(
    meet: Meet,
    memory: keepsaid.Memory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[keepsaid.KeepsaidError],
):
    def broken(*_: object, **__: object) -> None:
        raise error(MACHINE)

    for verb in ("search", "sessions", "chat"):
        monkeypatch.setattr(memory, verb, broken)

    async def talk(client: Client) -> None:
        assert await call_refused_tool(client, "recall", query="x") == f"Error executing tool recall: {MEMORY_UNAVAILABLE}"
        assert MEMORY_UNAVAILABLE in await call_refused_tool(client, "remember", text="x", session="s")
        for uri in ("keepsaid://sessions", "keepsaid://sessions/s"):
            with pytest.raises(MCPError) as told:
                await client.read_resource(uri)
            assert MEMORY_UNAVAILABLE in str(told.value)
            assert "10.1.2.3" not in str(told.value)

    meet(talk)
    assert caplog.text.count(f"{error.__name__}: {MACHINE}") >= 4


def test_search_fallback_hides_host_from_client(
    meet: Meet, memory: keepsaid.Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def by_words(*_: object, **__: object) -> SearchHits:
        return SearchHits((), (f"searched by words alone: {MACHINE}",))

    monkeypatch.setattr(memory, "search", by_words)

    async def talk(client: Client) -> None:
        assert (await call_tool(client, "recall", query="x"))["fallbacks"] == ["searched by words alone"]

    meet(talk)
    assert MACHINE in caplog.text


def test_read_only_server_offers_no_writing_tools(meet: Meet, memory: keepsaid.Memory):
    async def talk(client: Client) -> None:
        assert "remember" not in (client.instructions or "")
        assert "only be read" in (client.instructions or "")
        assert [tool.name for tool in (await client.list_tools()).tools] == READING
        assert "Unknown tool" in await call_refused_tool(client, "remember", text="Likes tea")
        assert "Unknown tool" in await call_refused_tool(client, "forget", session="trip")

    meet(talk, read_only=True)
    assert memory.facts(owner="ann") == []


def test_sessions_are_readable_as_resources(meet: Meet, memory: keepsaid.Memory):
    for id in ("trip", "a/../b", "/etc/passwd"):
        memory.chat(owner="ann", session=id, create=True).add("user", f"This is {id}")

    async def read(client: Client, uri: str) -> dict[str, Any]:
        (content,) = (await client.read_resource(uri)).contents
        assert content.mime_type == "application/json"
        return json.loads(content.text)

    async def talk(client: Client) -> None:
        assert [one.uri for one in (await client.list_resources()).resources] == [
            "keepsaid://profile",
            "keepsaid://sessions",
        ]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "keepsaid://sessions/{id}"
        listed = await read(client, "keepsaid://sessions")
        assert {one["id"] for one in listed["sessions"]} == {"trip", "a/../b", "/etc/passwd"}
        for id in ("trip", "a%2F..%2Fb", "%2Fetc%2Fpasswd"):
            shown = await read(client, f"keepsaid://sessions/{id}")
            assert [one["text"] for one in shown["messages"]] == [f"This is {shown['session']['id']}"]
        for uri in ("keepsaid://sessions/theirs", "keepsaid://sessions/nowhere", "keepsaid://other"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)

    meet(talk)


def test_server_announces_only_supported_capabilities(meet: Meet):
    async def talk(client: Client) -> None:
        able = client.server_capabilities
        assert able.tools is not None
        assert able.resources is not None
        assert not able.resources.subscribe
        assert (able.logging, able.completions) == (None, None)

    meet(talk)


def test_create_server_requires_owner(memory: keepsaid.Memory):
    with pytest.raises(keepsaid.InvalidInput):
        create_server(memory, owner="")
    with pytest.raises(TypeError):
        create_server(memory)  # type: ignore[call-arg]


def test_profile_tool_and_resource_omit_hidden_facts(meet: Meet, memory: keepsaid.Memory):
    memory.remember("Allergic to nuts", owner="ann", kind="constraint")
    hidden = memory.remember("Likes green tea", owner="ann", kind="preference")
    memory.hide_fact(hidden.id, owner="ann")
    memory.remember("Lives elsewhere", owner="bob")

    async def talk(client: Client) -> None:
        made = await call_tool(client, "profile")
        assert [(line["kind"], line["text"]) for line in made["lines"]] == [("constraint", "Allergic to nuts")]
        read = await client.read_resource("keepsaid://profile")
        assert "Allergic to nuts" in str(read)
        assert "green tea" not in str(await call_tool(client, "facts"))

    meet(talk)
