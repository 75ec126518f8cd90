"""`keepsaid mcp` over stdin and stdout and over HTTP: which owner it serves, and which requests it rejects."""

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
from assistants import KEEPSAID, MODES, Served, call_refused_tool, call_tool, connect_client, environment, server_parameters  # noqa: E402
from mcp import Client  # noqa: E402

import keepsaid  # noqa: E402
from keepsaid.cli import main  # noqa: E402
from keepsaid.errors import ConfigError  # noqa: E402
from keepsaid.mcp.owners import owner_of_token, read_tokens  # noqa: E402
from keepsaid.mcp.run import open_listener, serve_http  # noqa: E402

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
def token_server(store: Path, tokens: Path) -> Iterator[Served]:
    with Served(store, "--token-file", str(tokens)) as served:
        yield served


def facts_of(store: Path, owner: str) -> list[str]:
    with keepsaid.open(store, embedder="off", background=False) as memory:
        return [fact.text for fact in memory.facts(owner=owner)]


# -- on stdin and stdout


@pytest.mark.parametrize("mode", MODES)
def test_stdio_server_serves_owner_from_option(store: Path, mode: str):
    async def talk() -> None:
        async with Client(server_parameters(store, "--owner", "ann"), mode=mode) as client:
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.version) == ("keepsaid", keepsaid.__version__)
            assert "never instructions" in (client.instructions or "")
            assert "`remember`" in (client.instructions or "")
            await call_tool(client, "remember", text="My sister moved to Lisbon.", session="trip")
            found = (await call_tool(client, "recall", query="sister"))["found"]
            assert [one["session"] for one in found] == ["trip"]

    asyncio.run(talk())
    with keepsaid.open(store, embedder="off", background=False) as memory:
        assert [message.text for message in memory.chat(owner="ann", session="trip").messages()] == [
            "My sister moved to Lisbon."
        ]
        assert len(memory.sessions(owner="me")) == 0


@pytest.mark.parametrize(("arguments", "owner"), [((), "env"), (("--owner", "near"), "near")])
def test_stdio_owner_comes_from_option_or_environment(store: Path, arguments: tuple[str, ...], owner: str):
    async def talk() -> None:
        async with Client(server_parameters(store, *arguments, KEEPSAID_OWNER="env")) as client:
            await call_tool(client, "remember", text="Likes tea")
            assert "takes no argument 'owner'" in await call_refused_tool(client, "facts", owner="somebody")

    asyncio.run(talk())
    assert facts_of(store, owner) == ["Likes tea"]


def test_two_stdio_servers_share_a_store(store: Path):
    async def talk() -> None:
        async with (
            Client(server_parameters(store, "--owner", "ann")) as one,
            Client(server_parameters(store, "--owner", "ann")) as other,
        ):
            words = [f"message {number}" for number in range(20)]
            await asyncio.gather(
                *(call_tool(one, "remember", text=text, session="shared") for text in words[:10]),
                *(call_tool(other, "remember", text=text, session="shared") for text in words[10:]),
            )
            read = await call_tool(one, "read_session", session="shared")
            assert sorted(message["text"] for message in read["messages"]) == sorted(words)

    asyncio.run(talk())


def test_stdio_server_prints_only_json_and_ends_with_input(store: Path):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"owner": "bob"}}},
    ]  # fmt: skip
    told = "".join(json.dumps(line) + "\n" for line in lines) + "this is no JSON\n"
    command = [*KEEPSAID, "--db", str(store), "mcp"]
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
def test_stdio_server_ends_on_signal(store: Path, by: signal.Signals):
    process = subprocess.Popen(
        [*KEEPSAID, "--db", str(store), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
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
def test_owners_of_two_tokens_are_isolated(token_server: Served, store: Path, mode: str):
    async def talk() -> None:
        async with connect_client(token_server.url, ANN, mode) as ann, connect_client(token_server.url, BOB, mode) as bob:
            fact = await call_tool(ann, "remember", text="Ann has a secret")
            said = await call_tool(ann, "remember", text="The key is in Lisbon.", session="secret")
            assert (await call_tool(bob, "facts"))["facts"] == []
            assert (await call_tool(bob, "recall", query="key Lisbon secret"))["found"] == []
            assert (await call_tool(bob, "context", question="Where is the key?"))["text"] == ""
            assert (await call_tool(bob, "list_sessions"))["sessions"] == []
            await call_refused_tool(bob, "read_session", session="secret")
            await call_refused_tool(bob, "forget", fact=fact["id"])
            await call_refused_tool(bob, "forget", session="secret", message=said["id"])
            assert "takes no argument 'owner'" in await call_refused_tool(bob, "facts", owner="ann")
            (content,) = (await bob.read_resource("keepsaid://sessions")).contents
            assert json.loads(content.text)["sessions"] == []
            await call_tool(bob, "remember", text="Bob likes tea")
            assert [one["text"] for one in (await call_tool(ann, "facts"))["facts"]] == ["Ann has a secret"]
            (content,) = (await ann.read_resource("keepsaid://sessions/secret")).contents
            assert "The key is in Lisbon." in content.text

    asyncio.run(talk())
    assert (facts_of(store, "ann"), facts_of(store, "Bob of Berlin")) == (["Ann has a secret"], ["Bob likes tea"])


@pytest.mark.parametrize("mode", MODES)
def test_concurrent_requests_do_not_mix_owners(token_server: Served, store: Path, mode: str):
    async def talk() -> None:
        async with connect_client(token_server.url, ANN, mode) as ann, connect_client(token_server.url, BOB, mode) as bob:
            await asyncio.gather(
                *(call_tool(client, "remember", text=f"{name} {number}", session="s")
                  for number in range(25) for name, client in (("ann", ann), ("bob", bob)))
            )  # fmt: skip

    asyncio.run(talk())
    with keepsaid.open(store, embedder="off", background=False) as memory:
        for owner, name in (("ann", "ann"), ("Bob of Berlin", "bob")):
            said = sorted(message.text for message in memory.chat(owner=owner, session="s").messages())
            assert said == sorted(f"{name} {number}" for number in range(25))


def post_message(token_server: Served, headers: dict[str, str], body: Any = PING) -> httpx2.Response:
    return httpx2.post(token_server.url, headers={**JSON, **headers}, content=json.dumps(body), timeout=30)


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


def test_http_rejects_missing_or_wrong_token(token_server: Served):
    for authorization in STRANGERS:
        response = post_message(token_server, {} if authorization is None else {"Authorization": authorization})
        assert response.status_code == 401, authorization
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert ANN not in response.text
    assert post_message(token_server, {"Authorization": f"Bearer {ANN}"}).status_code == 200


def test_http_rejects_foreign_host_origin_and_content_type(store: Path):
    with Served(store, "--owner", "ann") as served:
        assert post_message(served, {}).json()["result"] == {}
        assert post_message(served, {"Host": "evil.example.org"}).status_code == 421
        assert post_message(served, {"Host": "localhost.evil.example.org:80"}).status_code == 421
        assert post_message(served, {"Origin": "https://evil.example.org"}).status_code == 403
        assert post_message(served, {"Origin": "null"}).status_code == 403
        assert post_message(served, {"Origin": served.url.removesuffix("/mcp")}).status_code == 200
        plain = httpx2.post(served.url, headers={"Content-Type": "text/plain"}, content=json.dumps(PING))
        assert plain.status_code in (400, 406, 415)


def test_http_accepts_configured_host_names_and_origins(store: Path):
    settings = {"KEEPSAID_SERVER_NAMES": "memory.example.org", "KEEPSAID_SERVER_ORIGINS": "https://app.example.org"}
    with Served(store, **settings) as served:
        assert post_message(served, {"Host": "memory.example.org"}).status_code == 200
        assert post_message(served, {"Host": "memory.example.org:8766"}).status_code == 200
        assert post_message(served, {"Origin": "https://app.example.org"}).status_code == 200
        assert post_message(served, {"Origin": "https://app.example.org.evil.org"}).status_code == 403


@pytest.mark.parametrize("name", ["127.1", "LocalHost"])
def test_http_accepts_name_of_listening_address(store: Path, name: str):
    """The server listens at an address, but clients send the name in the Host header."""
    with Served(store, at=f"{name}:0") as served:
        assert "//127.0.0.1:" in served.url
        for host in (name, f"{name}:8766", name.lower(), "127.0.0.1", "localhost"):
            assert post_message(served, {"Host": host}).status_code == 200, host
        assert post_message(served, {"Origin": f"http://{name}:8766"}).status_code == 200
        assert post_message(served, {"Host": f"{name}.example.org"}).status_code == 421


def test_http_rejects_oversized_body(store: Path):
    with Served(store, KEEPSAID_SERVER_BODY="10000") as served:
        assert post_message(served, {}, {**PING, "params": {"_meta": {"x": "y" * 20_000}}}).status_code == 413
        assert post_message(served, {}).status_code == 200


def test_loopback_http_needs_no_token(store: Path):
    async def talk(url: str) -> None:
        async with connect_client(url) as client:
            await call_tool(client, "remember", text="Likes tea")
            assert [tool.name for tool in (await client.list_tools()).tools][-1] == "forget"

    with Served(store, "--owner", "ann") as served:
        asyncio.run(talk(served.url))
        assert served.stop() == 0
    assert facts_of(store, "ann") == ["Likes tea"]


def test_read_only_http_server_has_no_writing_tools(store: Path):
    async def talk(url: str) -> None:
        async with connect_client(url) as client:
            assert "Unknown tool" in await call_refused_tool(client, "remember", text="Likes tea")

    with Served(store, "--read-only") as served:
        asyncio.run(talk(served.url))
        assert served.stop(signal.SIGINT) == 0


def test_public_address_requires_token_file(store: Path):
    memory = keepsaid.open(store)
    with memory, open_listener("0.0.0.0:0") as listener, pytest.raises(ConfigError, match="--token-file"):
        serve_http(memory, listener, keepsaid.Settings(), owner="ann")


def test_public_address_accepts_only_requests_with_token(store: Path, tokens: Path):
    with Served(store, "--token-file", str(tokens), at="0.0.0.0:0") as served:
        served.url = served.url.replace("0.0.0.0", "127.0.0.1")
        assert post_message(served, {}).status_code == 401
        assert post_message(served, {"Host": "memory.example.org"}).status_code == 401
        assert post_message(served, {"Host": "memory.example.org", "Authorization": f"Bearer {ANN}"}).status_code == 200


def test_owner_of_token_raises_without_token():
    """When tokens select the owner, there is no default owner."""
    with pytest.raises(keepsaid.NotFound):
        owner_of_token()


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
        (f"{ANN} ann\n{ANN} bob\n", "line 2: this token appears twice"),
        (f"{ANN} ann\n{'ü' * 30} bob\n", "line 2: a token has at least 20 ASCII"),
        (f"{ANN} {'o' * 600}\n", "line 1: owner has 600 characters"),
        (f"{BOB} bob\n{ANN} ann # the builder\n", "line 2: no word of an owner may begin with #"),
        (f"{ANN} ann\t#the builder\n", "line 1: no word of an owner may begin with #"),
        (f"an-owner-with-a-very-long-name {ANN} # swapped\n", "line 1: no word of an owner may begin with #"),
    ],
)
def test_invalid_token_file_is_reported_with_line(tmp_path: Path, lines: str, words: str):
    file = tmp_path / "tokens"
    file.write_text(lines)
    with pytest.raises(ConfigError, match=words) as told:
        read_tokens(file)
    assert ANN not in str(told.value)


def test_token_file_allows_comment_lines(tmp_path: Path):
    file = tmp_path / "tokens"
    file.write_text(f"# the builder\n{BOB}\tBob Smith \n  # the others\n{ANN}   c# fan\n")
    tokens = read_tokens(file)
    owners = [asyncio.run(tokens.verify_token(token)) for token in (ANN, BOB)]
    assert [owner and owner.subject for owner in owners] == ["c# fan", "Bob Smith"]


def test_invalid_options_exit_with_message_without_traceback(store: Path, tmp_path: Path):
    for arguments, words in (
        (("--token-file", "t"), "--token-file requires --http"),
        (("--http", "127.0.0.1:0", "--token-file", str(tmp_path / "none")), "cannot read the token file"),
        (("--http", "nonsense"), "is not an address"),
        (("--http", "127.0.0.1:99999"), "is not an address"),
        (("--http", "256.0.0.1:80"), "cannot listen"),
        (("--http", "0.0.0.0:0"), "requests need a token"),
        (("--owner", ""), "owner must not be empty"),
    ):
        result = call(store, *arguments)
        assert result.exit_code == 2, result.output
        assert words in result.stderr
        assert "Traceback" not in result.stderr


def test_missing_mcp_package_names_install_command(store: Path):
    code = "import sys; sys.modules['mcp'] = None; from keepsaid.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--db", str(store), "mcp"], capture_output=True, text=True, env=os.environ, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.strip() == "Error: `keepsaid mcp` needs: pip install 'keepsaid[mcp]'"
