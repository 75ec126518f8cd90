"""What an assistant can do with its tools, by a real client in this process: and what it cannot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

framework("mcp.server")

from assistants import MODES, done, refused  # noqa: E402
from mcp import Client, MCPError  # noqa: E402

import recollect  # noqa: E402
from recollect import Part, ToolCall  # noqa: E402
from recollect.errors import (  # noqa: E402
    ConfigError,
    EmbedderError,
    LLMError,
    MissingExtra,
    StorageError,
    StoreCorrupt,
    StoreUnavailable,
)
from recollect.mcp.app import create_server  # noqa: E402
from recollect.mcp.limits import LONGEST_ANSWER, LONGEST_PASSAGE, LONGEST_TEXT  # noqa: E402
from recollect.mcp.telling import UNUSABLE  # noqa: E402
from recollect.tokens import counter_for  # noqa: E402
from recollect.types import Hits  # noqa: E402

READING = ["recall", "context", "facts", "profile", "list_sessions", "read_session"]
WRITING = ["remember", "forget"]
NEEDED = {"recall": {"query": "lisbon"}, "context": {"question": "lisbon"}, "read_session": {"session": "theirs"}}
NEEDED |= {"remember": {"text": "Likes tea"}, "forget": {"session": "theirs"}}

Talk = Callable[[Client], Awaitable[Any]]
Meet = Callable[..., Any]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[recollect.Memory]:
    """`ann` has nothing yet; `bob` has a conversation and a fact."""
    with recollect.open(tmp_path / "chat.db", embedder="off", background=False) as memory:
        theirs = memory.chat(owner="bob", session="theirs", create=True, title="Secret")
        theirs.add("user", "Bob hid the key in Lisbon.", id="b1")
        memory.remember("Bob is in Lisbon", owner="bob")
        yield memory


@pytest.fixture(params=MODES)
def meet(request: pytest.FixtureRequest, memory: recollect.Memory) -> Meet:
    """Lets a client talk with ann's server."""

    def meet(talk: Talk, **options: Any) -> Any:
        async def main() -> Any:
            async with Client(create_server(memory, owner="ann", **options), mode=request.param) as client:
                return await talk(client)

        return asyncio.run(main())

    return meet


def test_the_tools_say_what_they_are(meet: Meet):
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


def test_a_fact_is_kept_once_and_known_from_then_on(meet: Meet, memory: recollect.Memory):
    async def talk(client: Client) -> None:
        first = await done(client, "remember", text="Allergic to nuts")
        again = await done(client, "remember", text="allergic  to nuts.", pinned=True)
        assert (first["kind"], first["known_already"]) == ("fact", False)
        assert again == {**first, "known_already": True}
        found = await done(client, "facts")
        assert [(fact["text"], fact["pinned"]) for fact in found["facts"]] == [("Allergic to nuts", True)]
        assert found["more"] is False

    meet(talk)
    assert [fact.text for fact in memory.facts(owner="ann")] == ["Allergic to nuts"]


def test_a_newer_fact_about_the_same_takes_the_place_of_the_older(meet: Meet):
    async def talk(client: Client) -> None:
        await done(client, "remember", text="Lives in Porto", about="home")
        await done(client, "remember", text="Lives in Berlin", about="home")
        found = await done(client, "facts", query="lives")
        assert [fact["text"] for fact in found["facts"]] == ["Lives in Berlin"]

    meet(talk)


def test_what_was_said_is_found_again(meet: Meet, memory: recollect.Memory):
    memory.ingest("guide.md", content="# Keys\n\nThe sister has a spare key.", owner="ann")

    async def talk(client: Client) -> None:
        kept = await done(client, "remember", text="My sister moved to Lisbon in May.", session="trip")
        await done(client, "remember", text="How nice!", session="trip", role="assistant")
        found = (await done(client, "recall", query="where does my sister live?"))["found"]
        assert (found[0]["kind"], found[0]["id"], found[0]["session"]) == ("message", kept["id"], "trip")
        assert found[0]["passage"] == "My sister moved to Lisbon in May."
        assert ("document", "guide.md", "§ Keys") in [(one["kind"], one["title"], one["place"]) for one in found]
        # A conversation alone, and no documents.
        only = (await done(client, "recall", query="sister", session="trip"))["found"]
        assert {(one["kind"], one["session"]) for one in only} == {("message", "trip")}
        assert (await done(client, "recall", query="nothing of that kind"))["found"] == []

    meet(talk)


def test_context_has_what_is_worth_knowing_and_keeps_nothing(
    meet: Meet, memory: recollect.Memory, monkeypatch: pytest.MonkeyPatch
):
    chat = memory.chat(owner="ann", session="trip", create=True)
    for number in range(60):
        chat.add("user", f"In the year {1900 + number} my sister travelled to Lisbon by train number {number}.")
    memory.remember("Prefers short answers", owner="ann", pinned=True)
    counted = memory.usage(owner="ann")
    asking: list[str] = []

    def noted(**options: Any) -> recollect.Chat:
        made = type(memory).chat(memory, **options)
        asking.append(made.id)
        return made

    monkeypatch.setattr(memory, "chat", noted)

    async def talk(client: Client) -> None:
        question = "How did my sister travel to Lisbon?"
        small = await done(client, "context", question=question, max_tokens=200)
        large = await done(client, "context", question=question, max_tokens=2_000)
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
        with pytest.raises(recollect.NotFound):
            memory.chat(owner="ann", session=id)


def test_nothing_is_known_about_a_stranger(meet: Meet):
    async def talk(client: Client) -> None:
        nothing = {"text": "", "tokens": 0, "sections": {}, "left_out": 0, "fallbacks": []}
        assert await done(client, "context", question="Where is the key?") == nothing
        assert await done(client, "list_sessions") == {"sessions": [], "next": None}

    meet(talk)


def test_conversations_are_listed_and_read_page_by_page(meet: Meet, memory: recollect.Memory):
    for name in ("one", "two", "three"):
        memory.chat(owner="ann", session=name, create=True, title=name.title(), tags=["work"]).add("user", name)
    chat = memory.chat(owner="ann", session="long", create=True)
    for number in range(7):
        chat.add("user", f"message {number}")

    async def talk(client: Client) -> None:
        listed, cursor = [], None
        for _ in range(2):
            page = await done(client, "list_sessions", limit=3, cursor=cursor)
            listed += page["sessions"]
            cursor = page["next"]
        assert cursor is None
        assert [one["id"] for one in listed] == ["long", "three", "two", "one"]
        assert (listed[1]["title"], listed[1]["tags"], listed[1]["messages"]) == ("Three", ["work"], 1)
        first = await done(client, "read_session", session="long", limit=4)
        rest = await done(client, "read_session", session="long", limit=4, cursor=first["next"])
        said = [one["text"] for one in first["messages"] + rest["messages"]]
        assert said == [f"message {number}" for number in range(7)]
        assert rest["next"] is None
        newest = await done(client, "read_session", session="long", limit=2, newest_first=True)
        assert [one["text"] for one in newest["messages"]] == ["message 6", "message 5"]
        assert "cursor" in await refused(client, "read_session", session="one", cursor=first["next"])

    meet(talk)


def test_a_message_shows_its_tools_and_attachments_and_no_thoughts(meet: Meet, memory: recollect.Memory):
    chat = memory.chat(owner="ann", session="rich", create=True)
    chat.add("user", [Part("text", "Look"), Part("image", uri="data:image/png;base64,AAAA", name="cat.png")])
    thought = Part("reasoning", data={"text": "the secret thought"})
    chat.add("assistant", [Part("text", "Wait"), thought], tool_calls=[ToolCall("c1", "weather", '{"city": "Lisbon"}')])
    chat.add("tool", "19 °C", tool_call_id="c1", name="weather")

    async def talk(client: Client) -> None:
        read = await done(client, "read_session", session="rich")
        look, wait, result = read["messages"]
        assert (look["text"], look["attachments"]) == ("Look", ["image cat.png"])
        assert wait["tool_calls"] == [{"name": "weather", "arguments": '{"city": "Lisbon"}'}]
        assert (result["role"], result["text"]) == ("tool", "19 °C")
        assert "secret thought" not in json.dumps(read)
        assert "base64" not in json.dumps(read)

    meet(talk)


def test_what_is_private_is_read_in_its_conversation_and_found_nowhere(meet: Meet, memory: recollect.Memory):
    memory.chat(owner="ann", session="diary", create=True).add("user", "The key is under the mat.", private=True)

    async def talk(client: Client) -> None:
        assert (await done(client, "recall", query="key mat"))["found"] == []
        assert (await done(client, "context", question="Where is the key?"))["text"] == ""
        read = await done(client, "read_session", session="diary")
        assert [one["text"] for one in read["messages"]] == ["The key is under the mat."]

    meet(talk)


def test_answers_have_an_end_and_say_so(meet: Meet, memory: recollect.Memory):
    chat = memory.chat(owner="ann", session="long", create=True)
    for number in range(20):
        chat.add("user", f"{number} " + "elephant " * 1_000)
    for number in range(5):
        memory.remember(f"Has elephant number {number}", owner="ann")

    async def talk(client: Client) -> None:
        read = await done(client, "read_session", session="long", limit=20)
        seen, pages = list(read["messages"]), 1
        for one in seen:
            assert len(one["text"]) == LONGEST_TEXT
            assert one["left_out"] == len(chat.message(one["id"]).text) - LONGEST_TEXT + 1
        assert len(json.dumps(read, indent=2)) < LONGEST_ANSWER
        while read["next"]:
            read = await done(client, "read_session", session="long", limit=20, cursor=read["next"])
            seen, pages = seen + read["messages"], pages + 1
        assert [one["text"].split()[0] for one in seen] == [str(number) for number in range(20)]
        assert pages > 3
        found = (await done(client, "recall", query="elephant", limit=3))["found"]
        assert 0 < len(found) <= 3
        assert all(len(one["passage"]) <= LONGEST_PASSAGE for one in found)
        facts = await done(client, "facts", limit=2)
        assert (len(facts["facts"]), facts["more"]) == (2, True)
        assert "limit" in await refused(client, "recall", query="elephant", limit=10_000)
        assert "limit" in await refused(client, "read_session", session="long", limit=0)
        assert "max_tokens" in await refused(client, "context", question="elephant", max_tokens=10_000_000)

    meet(talk)


def test_forgetting_a_fact(meet: Meet, memory: recollect.Memory):
    async def talk(client: Client) -> None:
        kept = await done(client, "remember", text="Likes tea")
        gone = await done(client, "forget", fact=kept["id"])
        assert (gone["kind"], gone["id"]) == ("fact", kept["id"])
        assert (await done(client, "facts"))["facts"] == []
        assert "fact" in await refused(client, "forget", fact=kept["id"])

    meet(talk)
    assert memory.facts(owner="ann", history=True) == []


def test_forgetting_a_message_or_a_conversation_erases_it_from_the_file(
    meet: Meet, memory: recollect.Memory, tmp_path: Path
):
    def holds(word: str) -> bool:
        return any(word.encode() in file.read_bytes() for file in tmp_path.glob("chat.db*"))

    async def talk(client: Client) -> None:
        card = await done(client, "remember", text="My card is xylophone-4111.", session="shop")
        await done(client, "remember", text="My street is quagmire-17.", session="shop")
        assert holds("xylophone-4111")
        gone = await done(client, "forget", session="shop", message=card["id"])
        assert (gone["kind"], gone["id"], gone["messages"], gone["note"]) == ("message", card["id"], 1, "")
        assert not holds("xylophone-4111")
        assert holds("quagmire-17")
        gone = await done(client, "forget", session="shop")
        assert (gone["kind"], gone["id"], gone["messages"]) == ("session", "shop", 1)
        assert not holds("quagmire-17")
        assert (await done(client, "recall", query="quagmire xylophone"))["found"] == []
        assert (await done(client, "list_sessions"))["sessions"] == []

    meet(talk)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"message": "m1"}, {"fact": "f1", "session": "s1"}, {"fact": "f1", "message": "m1"}],
    ids=lambda arguments: "+".join(arguments) or "nothing",
)
def test_what_to_forget_must_be_clear(meet: Meet, arguments: dict[str, str]):
    async def talk(client: Client) -> None:
        assert "say what to forget" in await refused(client, "forget", **arguments)

    meet(talk)


def test_the_text_null_is_not_nothing(meet: Meet, memory: recollect.Memory):
    """To forget the message "null" once was to forget the whole conversation."""
    memory.chat(owner="ann", session="s1", create=True).add("user", "Keep this.")
    memory.remember("Likes tea", owner="ann")

    async def talk(client: Client) -> None:
        assert "no such message" in await refused(client, "forget", session="s1", message="null")
        assert [one["text"] for one in (await done(client, "read_session", session="s1"))["messages"]] == ["Keep this."]
        kept = await done(client, "remember", text="Hello", session="null")
        assert (kept["kind"], kept["session"]) == ("message", "null")
        assert (await done(client, "facts", query="null"))["facts"] == []
        assert (await done(client, "recall", query="keep", session="null"))["found"] == []
        assert "not a cursor" in await refused(client, "list_sessions", cursor="null")
        gone = await done(client, "forget", session="null", message=kept["id"])
        assert (gone["kind"], gone["messages"]) == ("message", 1)

    meet(talk)
    assert [fact.text for fact in memory.facts(owner="ann")] == ["Likes tea"]


@pytest.mark.parametrize("id", ["[1]", '{"a": 1}', "true", "17", '"s"', "[[["])
def test_an_id_that_looks_like_json_is_an_id(meet: Meet, id: str):
    async def talk(client: Client) -> None:
        kept = await done(client, "remember", text="Likes tea", session=id)
        assert kept["session"] == id
        assert [one["id"] for one in (await done(client, "recall", query="tea", session=id))["found"]] == [kept["id"]]
        assert (await done(client, "forget", session=id, message=kept["id"]))["id"] == kept["id"]

    meet(talk)


@pytest.mark.parametrize("tool", [*READING, *WRITING])
def test_no_tool_takes_an_owner(meet: Meet, memory: recollect.Memory, tool: str):
    """Neither when a model was talked into it, nor by another name for it."""

    async def talk(client: Client) -> None:
        for name in ("owner", "Owner", "user_id", "pool", "self", "_whose"):
            words = await refused(client, tool, **{**NEEDED.get(tool, {}), name: "bob"})
            assert f"takes no argument '{name}'" in words

    before = memory.mark(owner="bob")
    meet(talk)
    assert memory.mark(owner="bob") == before
    assert memory.facts(owner="ann") == []


def test_what_belongs_to_others_is_not_there(meet: Meet, memory: recollect.Memory):
    fact = memory.facts(owner="bob")[0]

    async def talk(client: Client) -> None:
        for query in ("Lisbon key", "owner:bob Lisbon", "session:theirs Lisbon"):
            assert (await done(client, "recall", query=query))["found"] == []
        assert (await done(client, "recall", query="Lisbon", session="theirs"))["found"] == []
        assert (await done(client, "facts"))["facts"] == []
        unknown = await refused(client, "read_session", session="nowhere")
        assert await refused(client, "read_session", session="theirs") == unknown
        for arguments in ({"session": "theirs"}, {"session": "theirs", "message": "b1"}, {"fact": fact.id}):
            await refused(client, "forget", **arguments)
        # The same id is another conversation: each owner has his own.
        await done(client, "remember", text="Mine", session="theirs")
        assert [one["text"] for one in (await done(client, "read_session", session="theirs"))["messages"]] == ["Mine"]

    meet(talk)
    assert [message.text for message in memory.chat(owner="bob", session="theirs").messages()] == [
        "Bob hid the key in Lisbon."
    ]
    assert memory.facts(owner="bob") == [fact]


def test_mistakes_are_told_in_our_words(meet: Meet, memory: recollect.Memory):
    memory.chat(owner="ann", session="old", create=True).archive()

    async def talk(client: Client) -> None:
        assert "query: Field required" in await refused(client, "recall")
        assert "no such session" in await refused(client, "read_session", session="nowhere")
        assert "archived" in await refused(client, "remember", text="More", session="old")
        assert "at most 2,000 characters" in await refused(client, "remember", text="long " * 1_000)
        assert "empty" in await refused(client, "remember", text="   ")
        assert "NUL" in await refused(client, "remember", text="a\0b", session="s")
        assert "`about`" in await refused(client, "remember", text="Hi", session="s", about="home")
        assert "role" in await refused(client, "remember", text="Obey!", session="s", role="system")

    meet(talk)


def test_a_bug_of_ours_is_not_told(meet: Meet, memory: recollect.Memory, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the password is 4711")

    monkeypatch.setattr(memory, "search", broken)

    async def talk(client: Client) -> None:
        assert await refused(client, "recall", query="x") == "Error executing tool recall"

    meet(talk)


MACHINE = "cannot reach host=10.1.2.3 user=postgres at /var/run/postgresql/.s.PGSQL.5432"


@pytest.mark.parametrize(
    "error", [StorageError, StoreUnavailable, StoreCorrupt, ConfigError, MissingExtra, EmbedderError, LLMError]
)
def test_what_ails_the_machine_is_for_the_log(
    meet: Meet,
    memory: recollect.Memory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[recollect.RecollectError],
):
    def broken(*_: object, **__: object) -> None:
        raise error(MACHINE)

    for verb in ("search", "sessions", "chat"):
        monkeypatch.setattr(memory, verb, broken)

    async def talk(client: Client) -> None:
        assert await refused(client, "recall", query="x") == f"Error executing tool recall: {UNUSABLE}"
        assert UNUSABLE in await refused(client, "remember", text="x", session="s")
        for uri in ("recollect://sessions", "recollect://sessions/s"):
            with pytest.raises(MCPError) as told:
                await client.read_resource(uri)
            assert UNUSABLE in str(told.value)
            assert "10.1.2.3" not in str(told.value)

    meet(talk)
    assert caplog.text.count(f"{error.__name__}: {MACHINE}") >= 4


def test_what_a_search_had_to_do_without_names_no_host(
    meet: Meet, memory: recollect.Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def by_words(*_: object, **__: object) -> Hits:
        return Hits((), (f"searched by words alone: {MACHINE}",))

    monkeypatch.setattr(memory, "search", by_words)

    async def talk(client: Client) -> None:
        assert (await done(client, "recall", query="x"))["fallbacks"] == ["searched by words alone"]

    meet(talk)
    assert MACHINE in caplog.text


def test_read_only_has_no_tools_that_change_anything(meet: Meet, memory: recollect.Memory):
    async def talk(client: Client) -> None:
        assert "remember" not in (client.instructions or "")
        assert "only be read" in (client.instructions or "")
        assert [tool.name for tool in (await client.list_tools()).tools] == READING
        assert "Unknown tool" in await refused(client, "remember", text="Likes tea")
        assert "Unknown tool" in await refused(client, "forget", session="trip")

    meet(talk, read_only=True)
    assert memory.facts(owner="ann") == []


def test_conversations_are_resources(meet: Meet, memory: recollect.Memory):
    for id in ("trip", "a/../b", "/etc/passwd"):
        memory.chat(owner="ann", session=id, create=True).add("user", f"This is {id}")

    async def read(client: Client, uri: str) -> dict[str, Any]:
        (content,) = (await client.read_resource(uri)).contents
        assert content.mime_type == "application/json"
        return json.loads(content.text)

    async def talk(client: Client) -> None:
        assert [one.uri for one in (await client.list_resources()).resources] == [
            "recollect://profile",
            "recollect://sessions",
        ]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "recollect://sessions/{id}"
        listed = await read(client, "recollect://sessions")
        assert {one["id"] for one in listed["sessions"]} == {"trip", "a/../b", "/etc/passwd"}
        for id in ("trip", "a%2F..%2Fb", "%2Fetc%2Fpasswd"):
            shown = await read(client, f"recollect://sessions/{id}")
            assert [one["text"] for one in shown["messages"]] == [f"This is {shown['session']['id']}"]
        for uri in ("recollect://sessions/theirs", "recollect://sessions/nowhere", "recollect://other"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)

    meet(talk)


def test_nothing_is_announced_that_is_not_there(meet: Meet):
    async def talk(client: Client) -> None:
        able = client.server_capabilities
        assert able.tools is not None
        assert able.resources is not None
        assert not able.resources.subscribe
        assert (able.logging, able.completions) == (None, None)

    meet(talk)


def test_an_owner_is_required(memory: recollect.Memory):
    with pytest.raises(recollect.InvalidInput):
        create_server(memory, owner="")
    with pytest.raises(TypeError):
        create_server(memory)  # type: ignore[call-arg]


def test_the_profile_is_a_tool_and_a_resource_without_what_was_hidden(meet: Meet, memory: recollect.Memory):
    memory.remember("Allergic to nuts", owner="ann", kind="constraint")
    hidden = memory.remember("Likes green tea", owner="ann", kind="preference")
    memory.hide_fact(hidden.id, owner="ann")
    memory.remember("Lives elsewhere", owner="bob")

    async def talk(client: Client) -> None:
        made = await done(client, "profile")
        assert [(line["kind"], line["text"]) for line in made["lines"]] == [("constraint", "Allergic to nuts")]
        read = await client.read_resource("recollect://profile")
        assert "Allergic to nuts" in str(read)
        assert "green tea" not in str(await done(client, "facts"))

    meet(talk)
