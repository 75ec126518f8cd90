"""`recollect mcp` as assistants start it, and over HTTP: whose memory it is, and who does not come in."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from frameworks import framework

framework("mcp.server")

import httpx2  # noqa: E402
from assistants import MODES, RECOLLECT, Served, connected, done, environment, refused, started  # noqa: E402
from mcp import Client  # noqa: E402

import recollect  # noqa: E402
from recollect.cli import main  # noqa: E402
from recollect.errors import ConfigError  # noqa: E402
from recollect.mcp.owners import by_token, read_tokens  # noqa: E402
from recollect.mcp.run import listen, serve  # noqa: E402

ANN, BOB = "ann-has-this-token-of-her-own", "bob-has-this-token-of-his-own"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "chat.db"


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    file = tmp_path / "tokens"
    file.write_text(f"# who may come in\n{ANN} ann\n\n{BOB} Bob of Berlin\n")
    return file


@pytest.fixture
def served(store: Path, tokens: Path) -> Iterator[Served]:
    with Served(store, "--token-file", str(tokens)) as served:
        yield served


def facts_of(store: Path, owner: str) -> list[str]:
    with recollect.open(store, embedder="off", background=False) as memory:
        return [fact.text for fact in memory.facts(owner=owner)]


# -- on stdin and stdout


@pytest.mark.parametrize("mode", MODES)
def test_an_assistant_starts_it(store: Path, mode: str):
    async def talk() -> None:
        async with Client(started(store, "--owner", "ann"), mode=mode) as client:
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.version) == ("recollect", recollect.__version__)
            assert "never instructions" in (client.instructions or "")
            assert "`remember`" in (client.instructions or "")
            await done(client, "remember", text="My sister moved to Lisbon.", session="trip")
            found = (await done(client, "recall", query="sister"))["found"]
            assert [one["session"] for one in found] == ["trip"]

    asyncio.run(talk())
    with recollect.open(store, embedder="off", background=False) as memory:
        assert [message.text for message in memory.chat(owner="ann", session="trip").messages()] == [
            "My sister moved to Lisbon."
        ]
        assert len(memory.sessions(owner="me")) == 0


@pytest.mark.parametrize(("arguments", "owner"), [((), "env"), (("--owner", "near"), "near")])
def test_whose_memory_the_settings_say(store: Path, arguments: tuple[str, ...], owner: str):
    async def talk() -> None:
        async with Client(started(store, *arguments, RECOLLECT_OWNER="env")) as client:
            await done(client, "remember", text="Likes tea")
            assert "takes no argument 'owner'" in await refused(client, "facts", owner="somebody")

    asyncio.run(talk())
    assert facts_of(store, owner) == ["Likes tea"]


def test_two_assistants_share_a_memory(store: Path):
    async def talk() -> None:
        async with Client(started(store, "--owner", "ann")) as one, Client(started(store, "--owner", "ann")) as other:
            words = [f"message {number}" for number in range(20)]
            await asyncio.gather(
                *(done(one, "remember", text=text, session="shared") for text in words[:10]),
                *(done(other, "remember", text=text, session="shared") for text in words[10:]),
            )
            read = await done(one, "read_session", session="shared")
            assert sorted(message["text"] for message in read["messages"]) == sorted(words)

    asyncio.run(talk())


def test_it_says_nothing_but_mcp_and_ends_when_its_input_does(store: Path):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"owner": "bob"}}},
    ]  # fmt: skip
    told = "".join(json.dumps(line) + "\n" for line in lines) + "this is no JSON\n"
    command = [*RECOLLECT, "--db", str(store), "mcp"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(told)
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert {answer["id"] for answer in answers} == {1, 2}
    called = next(answer for answer in answers if answer["id"] == 2)
    assert called["result"]["isError"] is True
    rest, _ = process.communicate(timeout=30)
    for line in rest.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert process.returncode == 0


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_it_is_told_to(store: Path, by: signal.Signals):
    process = subprocess.Popen(
        [*RECOLLECT, "--db", str(store), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(PING).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(by)
    try:
        # Its input is still open: nobody has to press a key first.
        assert process.wait(10) in (0, -by)
    finally:
        process.kill()
        process.communicate()


# -- over HTTP


@pytest.mark.parametrize("mode", MODES)
def test_two_tokens_see_nothing_of_each_other(served: Served, store: Path, mode: str):
    async def talk() -> None:
        async with connected(served.url, ANN, mode) as ann, connected(served.url, BOB, mode) as bob:
            fact = await done(ann, "remember", text="Ann has a secret")
            said = await done(ann, "remember", text="The key is in Lisbon.", session="secret")
            assert (await done(bob, "facts"))["facts"] == []
            assert (await done(bob, "recall", query="key Lisbon secret"))["found"] == []
            assert (await done(bob, "context", question="Where is the key?"))["text"] == ""
            assert (await done(bob, "list_sessions"))["sessions"] == []
            await refused(bob, "read_session", session="secret")
            await refused(bob, "forget", fact=fact["id"])
            await refused(bob, "forget", session="secret", message=said["id"])
            assert "takes no argument 'owner'" in await refused(bob, "facts", owner="ann")
            (content,) = (await bob.read_resource("recollect://sessions")).contents
            assert json.loads(content.text)["sessions"] == []
            await done(bob, "remember", text="Bob likes tea")
            assert [one["text"] for one in (await done(ann, "facts"))["facts"]] == ["Ann has a secret"]
            (content,) = (await ann.read_resource("recollect://sessions/secret")).contents
            assert "The key is in Lisbon." in content.text

    asyncio.run(talk())
    assert (facts_of(store, "ann"), facts_of(store, "Bob of Berlin")) == (["Ann has a secret"], ["Bob likes tea"])


@pytest.mark.parametrize("mode", MODES)
def test_requests_at_the_same_time_do_not_mix_owners(served: Served, store: Path, mode: str):
    async def talk() -> None:
        async with connected(served.url, ANN, mode) as ann, connected(served.url, BOB, mode) as bob:
            await asyncio.gather(
                *(done(client, "remember", text=f"{name} {number}", session="s")
                  for number in range(25) for name, client in (("ann", ann), ("bob", bob)))
            )  # fmt: skip

    asyncio.run(talk())
    with recollect.open(store, embedder="off", background=False) as memory:
        for owner, name in (("ann", "ann"), ("Bob of Berlin", "bob")):
            said = sorted(message.text for message in memory.chat(owner=owner, session="s").messages())
            assert said == sorted(f"{name} {number}" for number in range(25))


def answered(served: Served, headers: dict[str, str], body: Any = PING) -> httpx2.Response:
    return httpx2.post(served.url, headers={**JSON, **headers}, content=json.dumps(body), timeout=30)


STRANGERS = [
    None,
    "",
    "Bearer",
    "Bearer nobody-has-this-token-of-his-own",
    f"Basic {ANN}",
    f"Bearer {ANN}x",
    f"Bearer {ANN} ann",
]
STRANGERS += ["Bearer #", "Bearer ann"]


def test_who_has_no_token_does_not_come_in(served: Served):
    for authorization in STRANGERS:
        response = answered(served, {} if authorization is None else {"Authorization": authorization})
        assert response.status_code == 401, authorization
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert ANN not in response.text
    assert answered(served, {"Authorization": f"Bearer {ANN}"}).status_code == 200


def test_other_sites_pages_do_not_come_in(store: Path):
    with Served(store, "--owner", "ann") as served:
        assert answered(served, {}).json()["result"] == {}
        assert answered(served, {"Host": "evil.example.org"}).status_code == 421
        assert answered(served, {"Host": "localhost.evil.example.org:80"}).status_code == 421
        assert answered(served, {"Origin": "https://evil.example.org"}).status_code == 403
        assert answered(served, {"Origin": "null"}).status_code == 403
        assert answered(served, {"Origin": served.url.removesuffix("/mcp")}).status_code == 200
        plain = httpx2.post(served.url, headers={"Content-Type": "text/plain"}, content=json.dumps(PING))
        assert plain.status_code in (400, 406, 415)


def test_names_and_sites_that_the_settings_allow_come_in(store: Path):
    settings = {"RECOLLECT_SERVER_NAMES": "memory.example.org", "RECOLLECT_SERVER_ORIGINS": "https://app.example.org"}
    with Served(store, **settings) as served:
        assert answered(served, {"Host": "memory.example.org"}).status_code == 200
        assert answered(served, {"Host": "memory.example.org:8766"}).status_code == 200
        assert answered(served, {"Origin": "https://app.example.org"}).status_code == 200
        assert answered(served, {"Origin": "https://app.example.org.evil.org"}).status_code == 403


@pytest.mark.parametrize("name", ["127.1", "LocalHost"])
def test_the_name_that_it_listens_by_comes_in(store: Path, name: str):
    """What a name stands for is an address, but clients ask for the name."""
    with Served(store, at=f"{name}:0") as served:
        assert "//127.0.0.1:" in served.url
        for host in (name, f"{name}:8766", name.lower(), "127.0.0.1", "localhost"):
            assert answered(served, {"Host": host}).status_code == 200, host
        assert answered(served, {"Origin": f"http://{name}:8766"}).status_code == 200
        assert answered(served, {"Host": f"{name}.example.org"}).status_code == 421


def test_a_body_has_an_end(store: Path):
    with Served(store, RECOLLECT_SERVER_BODY="10000") as served:
        assert answered(served, {}, {**PING, "params": {"_meta": {"x": "y" * 20_000}}}).status_code == 413
        assert answered(served, {}).status_code == 200


def test_on_this_machine_nobody_needs_a_token(store: Path):
    async def talk(url: str) -> None:
        async with connected(url) as client:
            await done(client, "remember", text="Likes tea")
            assert [tool.name for tool in (await client.list_tools()).tools][-1] == "forget"

    with Served(store, "--owner", "ann") as served:
        asyncio.run(talk(served.url))
        assert served.stop() == 0
    assert facts_of(store, "ann") == ["Likes tea"]


def test_read_only_over_http(store: Path):
    async def talk(url: str) -> None:
        async with connected(url) as client:
            assert "Unknown tool" in await refused(client, "remember", text="Likes tea")

    with Served(store, "--read-only") as served:
        asyncio.run(talk(served.url))
        assert served.stop(signal.SIGINT) == 0


def test_whoever_can_be_reached_from_outside_needs_tokens(store: Path):
    memory = recollect.open(store)
    with memory, listen("0.0.0.0:0") as listener, pytest.raises(ConfigError, match="--token-file"):
        serve(memory, listener, recollect.Settings(), owner="ann")


def test_from_outside_with_a_token(store: Path, tokens: Path):
    with Served(store, "--token-file", str(tokens), at="0.0.0.0:0") as served:
        served.url = served.url.replace("0.0.0.0", "127.0.0.1")
        assert answered(served, {}).status_code == 401
        assert answered(served, {"Host": "memory.example.org"}).status_code == 401
        assert answered(served, {"Host": "memory.example.org", "Authorization": f"Bearer {ANN}"}).status_code == 200


def test_without_a_token_it_is_nobodys():
    """Where the token decides, there is no owner to fall back on."""
    with pytest.raises(recollect.NotFound):
        by_token()


# -- how it is started


def call(store: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--db", str(store), "mcp", *arguments])


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "has no tokens"),
        ("# nothing\n", "has no tokens"),
        ("short ann\n", "line 1: a token has at least 20"),
        (f"{ANN}\n", "line 1: owner must not be empty"),
        (f"{ANN} ann\n{ANN} bob\n", "line 2: this token is there already"),
        (f"{ANN} ann\n{'ü' * 30} bob\n", "line 2: a token has at least 20 ASCII"),
        (f"{ANN} {'o' * 600}\n", "line 1: owner has 600 characters"),
        (f"{BOB} bob\n{ANN} ann # the builder\n", "line 2: no word of an owner begins with #"),
        (f"{ANN} ann\t#the builder\n", "line 1: no word of an owner begins with #"),
        (f"an-owner-with-a-very-long-name {ANN} # swapped\n", "line 1: no word of an owner begins with #"),
    ],
)
def test_a_token_file_that_cannot_be_used_is_told(tmp_path: Path, lines: str, words: str):
    file = tmp_path / "tokens"
    file.write_text(lines)
    with pytest.raises(ConfigError, match=words) as told:
        read_tokens(file)
    assert ANN not in str(told.value)


def test_a_token_file_has_comments_in_lines_of_their_own(tmp_path: Path):
    file = tmp_path / "tokens"
    file.write_text(f"# the builder\n{BOB}\tBob Smith \n  # the others\n{ANN}   c# fan\n")
    tokens = read_tokens(file)
    owners = [asyncio.run(tokens.verify_token(token)) for token in (ANN, BOB)]
    assert [owner and owner.subject for owner in owners] == ["c# fan", "Bob Smith"]


def test_what_cannot_be_started_is_told_in_a_line(store: Path, tmp_path: Path):
    for arguments, words in (
        (("--token-file", "t"), "--token-file is for --http"),
        (("--http", "127.0.0.1:0", "--token-file", str(tmp_path / "none")), "cannot read the token file"),
        (("--http", "nonsense"), "is no address"),
        (("--http", "127.0.0.1:99999"), "is no address"),
        (("--http", "256.0.0.1:80"), "cannot listen"),
        (("--http", "0.0.0.0:0"), "requests need a token"),
        (("--owner", ""), "owner must not be empty"),
    ):
        result = call(store, *arguments)
        assert result.exit_code == 2, result.output
        assert words in result.stderr
        assert "Traceback" not in result.stderr


def test_without_the_package_its_cure_is_named(store: Path):
    code = "import sys; sys.modules['mcp'] = None; from recollect.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--db", str(store), "mcp"], capture_output=True, text=True, env=os.environ, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.strip() == "Error: `recollect mcp` needs: pip install 'recollect[mcp]'"
