"""One owner attacks another by every operation of the interface, with the other's ids, names, cursors and keys.

Bob makes each call with ids of Ann. Bea, whose memory equals Bob's, makes the same call with ids that do not exist: the
two answers may differ only in those ids.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx
import llm_server
import pytest

import keepsaid

from .conftest import Server
from .test_access import make_key

Start = Callable[..., Server]
Make = Callable[[str], str]
SETTINGS = {
    "KEEPSAID_SERVER_AUTH": "on", "KEEPSAID_SERVER_RATE": "off", "KEEPSAID_SERVER_CONNECTIONS": "off",
    "KEEPSAID_NOTES": "off", "KEEPSAID_BACKGROUND": "off", "KEEPSAID_RETENTION_EVERY": "off",
}  # fmt: skip
WORDS = "heliotrope lantern meadow river secret sister tea trip walnut window".split()
"""Ann's messages have these words beside the canaries, so that Bob's searches would find them."""
REQUEST = re.compile(r"urn:request:[^\"]*")
HEX = re.compile(r"[0-9a-f]{16,}")


# -- Ann's things, and the same of nobody


def twin_of(value: str) -> str:
    """A value of Ann's as one that nobody has: of the same length and the same kind."""
    with suppress(ValueError):
        inner = base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode()
        if len(value) > 16 and inner.isprintable() | ("\x1f" in inner):
            return base64.urlsafe_b64encode(twin_of(inner).encode()).decode().rstrip("=")
    return HEX.sub(_other_digits, value).replace("q", "x").replace("ann", "anx")


def _other_digits(run: re.Match[str]) -> str:
    base = 10 if run[0].isdecimal() else 16
    return run[0][:-8] + "".join(f"{(int(digit, base) + 7) % base:x}" for digit in run[0][-8:])


@dataclass
class Household:
    """Ids and names by their kind: Ann's, or their twins."""

    values: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, value: str) -> str:
        self.values.setdefault(kind, []).append(value)
        return value

    def twin(self) -> Household:
        return Household({kind: [twin_of(value) for value in values] for kind, values in self.values.items()})


class Canaries:
    """Texts that nobody but Ann may ever read."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, about: str) -> str:
        self.made.append(f"canary{about}{len(self.made):04d}zephyr")
        return self.made[-1]

    def in_text(self, text: str) -> list[str]:
        return [canary for canary in self.made if canary in text] if "canary" in text and "zephyr" in text else []


def summarize_before_serving(store: Path, canary: Make, home: Household) -> None:
    """Make what the server has no route to make: a summary."""
    with keepsaid.open(store, embedder="off", background=False) as memory:
        chat = memory.chat(owner="ann", session=home.add("session", "longq-talk"), create=True, title=canary("title"))
        for number in range(40):
            chat.add("user", f"The {WORDS[number % 10]} by the river is {canary('said')}. My sister has it.")
        memory.maintain()


class Ann:
    """Fills her memory by every route, and reads it back."""

    def __init__(self, client: httpx.Client, canary: Make, home: Household) -> None:
        self.client, self.canary, self.home = client, canary, home

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        answer = self.client.post(path, **({"content": body} if isinstance(body, bytes) else {"json": body}), **more)
        assert answer.is_success, (path, answer.text)
        return answer.json()

    def fill(self) -> None:
        self._sessions()
        self._facts()
        self._documents()
        self._pools()
        self._conversations()
        self._cursors()

    def _sessions(self) -> None:
        canary, home = self.canary, self.home
        for name in ("gardenq", "kitchenq-2", "attic.q.old", "cellarq"):
            keyed = {"Idempotency-Key": home.add("idempotency", f"sessionq-{name}")}
            made = {
                "id": home.add("session", name), "title": canary("title"), "tags": [canary("tag")],
                "metadata": {canary("key"): canary("metadata")}, "system_prompt": canary("system"),
            }  # fmt: skip
            self.post("/v1/sessions", made, headers=keyed)
            said = f"The {WORDS[0]} secret is {canary('said')}: tea for my sister"
            message = {"id": home.add("message", f"{name}-m1"), "role": "user", "content": said}
            self.post(f"/v1/sessions/{name}/messages", message | {"metadata": {"note": canary("metadata")}})
            keyed = {"Idempotency-Key": home.add("idempotency", f"messageq-{name}")}
            again = {"role": "assistant", "content": f"A walnut by the window, {canary('said')}", "name": canary("name")}
            home.add("message", self.post(f"/v1/sessions/{name}/messages", again, headers=keyed)["id"])
        self.post("/v1/sessions/gardenq/messages/gardenq-m1/edit", {"content": canary("edited")})
        home.add("session", self.post("/v1/sessions/gardenq/fork", {"title": canary("title")})["id"])
        self.post("/v1/sessions/attic.q.old/archive")
        self.client.delete("/v1/sessions/cellarq").raise_for_status()
        passing = {"id": home.add("session", "passingq"), "temporary": True, "title": canary("title")}
        self.post("/v1/sessions", passing)
        turn = self.post("/v1/chat", {"session": "gardenq", "message": f"Which secret? {canary('said')}"})
        home.add("receipt", turn["receipt_id"])
        home.add("message", turn["message"]["id"])
        self.post("/v1/context", {"session": "kitchenq-2", "question": f"What of tea, {canary('question')}?"})
        for receipt in self.client.get("/v1/receipts").json()["items"]:
            home.add("receipt", receipt["id"])

    def _facts(self) -> None:
        canary, home = self.canary, self.home
        for kind in ("identity", "preference", "person"):
            made = {"text": f"My sister likes tea and {canary('fact')}", "kind": kind, "subject": canary("subject")}
            home.add("fact", self.post("/v1/facts", made | {"pinned": True})["id"])
        reworded = self.client.patch(f"/v1/facts/{home.values['fact'][0]}", json={"text": f"Likes {canary('fact')}"})
        home.add("fact", reworded.json()["id"])
        for change in self.client.get("/v1/fact-changes").json()["items"]:
            home.add("change", change["id"])

    def _documents(self) -> None:
        canary, home = self.canary, self.home
        for place in ("", "&session=gardenq"):
            name = home.add("name", f"planq{len(place)}.md")
            text = f"# {canary('heading')}\n\nThe secret of the meadow is {canary('document')}.\n"
            home.add("document", self.post(f"/v1/documents?name={name}{place}", text.encode())["id"])
        exported = self.client.get("/v1/export", params={"session": "gardenq"}).content
        for file, about in ((exported, "?dry_run=true"), (b"[]", f"?name={canary('file')}")):
            job = home.add("job", self.post(f"/v1/import{about}", file)["id"])
            while self.client.get(f"/v1/jobs/{job}").json()["state"] == "running":
                time.sleep(0.02)

    def _pools(self) -> None:
        canary, home = self.canary, self.home
        pool = home.add("pool", self.post("/v1/pools", {"name": canary("pool")})["pool"])
        made = {"id": home.add("session", "sharedq"), "title": canary("title"), "pool": pool, "tags": [canary("tag")]}
        self.post("/v1/sessions", made)
        said = {"id": home.add("message", "sharedq-m1"), "role": "user", "content": f"Our lantern is {canary('said')}"}
        self.post(f"/v1/sessions/sharedq/messages?pool={pool}", said)
        home.add("member", "ann")

    def _conversations(self) -> None:
        canary, home = self.canary, self.home
        said = {"type": "message", "role": "user", "content": f"The river runs to {canary('said')}"}
        keyed = {"Idempotency-Key": home.add("idempotency", "conversationq")}
        body = {"items": [said], "metadata": {"topic": canary("metadata")}}
        made = home.add("session", self.post("/v1/conversations", body, headers=keyed)["id"])
        home.add("message", self.client.get(f"/v1/conversations/{made}/items").json()["data"][0]["id"])
        asked = {"messages": [{"role": "user", "content": f"Where is the lantern? {canary('said')}"}], "model": "m"}
        self.post("/v1/chat/completions", asked | {"conversation": home.add("session", "completionq")})

    def _cursors(self) -> None:
        for path in ("/v1/sessions", "/v1/sessions/gardenq/messages", "/v1/sessions/longq-talk/messages"):
            self.home.add("cursor", self.client.get(path, params={"limit": 1}).json()["next"])

    def snapshot(self) -> dict[str, str]:
        """Everything that she has, as the routes tell it."""
        lists = """sessions sessions?status=deleted facts?history=true profile fact-changes summaries documents receipts
            pools documents?session=gardenq export export?format=markdown sessions/passingq""".split()
        of_each = {
            "session": ("sessions/{}", "sessions/{}/messages", "sessions/{}/alternatives"), "receipt": ("receipts/{}",),
            "job": ("jobs/{}",), "pool": ("pools/{}/members", "sessions?pool={}", "sessions/sharedq/messages?pool={}"),
            "document": ("documents/{}/chunks",),
        }  # fmt: skip
        for kind, paths in of_each.items():
            lists += [path.format(value) for path in paths for value in self.home.values[kind]]
        told = {path: self.client.get(f"/v1/{path}") for path in lists}
        figures = self.client.get("/v1/stats").json()
        kept = {name: figures[name] for name in ("sessions", "messages", "tokens", "facts", "documents", "deleted")}
        texts = {path: REQUEST.sub("", f"{answer.status_code} {answer.text}") for path, answer in told.items()}
        return texts | {"stats": json.dumps(kept)}


# -- calls, made of the OpenAPI document


@dataclass(frozen=True)
class Call:
    """One request, whoever makes it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes | None


KIND_OF = {
    "conversation": "session", "item": "message", "edit": "message", "regenerate": "message", "at": "message",
    "after": "message", "around": "message", "pools": "pool", "user": "member", "owner": "member", "tenant": "member",
    "parent": "message", "call_id": "message", "tool_call_id": "message",
}  # fmt: skip
"""What kind of thing a parameter or a field means, where its name does not say it."""
MUTATIONS: tuple[Callable[[str], str], ...] = (
    lambda value: "../" + value,
    lambda value: f"{value}/../{value}",
    lambda value: f"ann/{value}",
    lambda value: value + "\0",
    lambda value: value + "%00",
    lambda value: value + "%2e%2e%2f",
    str.upper,
    lambda value: value[:-1],
    lambda value: value[:-2] + "%",
    lambda value: value[:-3] + "*",
    lambda value: value[:1].translate(str.maketrans("acegkp0123456789", "асеɡкр０１２３４５６７８９")) + value[1:],
    lambda value: value + "\u200b",
    lambda value: value + "\u0301",
    lambda value: f" {value} ",
    lambda value: f"{value}' OR '1'='1",
    lambda value: f'{value}" OR "1"="1',
    lambda value: f"{value}\x1f{value}",
    lambda value: base64.urlsafe_b64encode(json.dumps(["ann", None, value]).encode()).decode().rstrip("="),
    lambda value: value * 30,
)


class CallMaker:
    """Makes calls of operations, with the values of a household."""

    def __init__(self, openapi: dict[str, Any], home: Household, keys: dict[str, str], own: str) -> None:
        self._schemas = openapi["components"]["schemas"]
        self._home, self._keys, self._own = home, keys, own
        self.operations = [
            (method, path, operation) for path, item in openapi["paths"].items() for method, operation in item.items()
        ]
        self._random = random.Random()

    def make(self, number: int, seed: int) -> Call:
        """The call of a number: the same for every household, but for what is of the household."""
        self._random.seed(f"{seed}-{number}")
        method, path, operation = self.operations[number % len(self.operations)]
        query: list[tuple[str, str]] = []
        headers: dict[str, str] = {"Authorization": f"Bearer {self._keys[self._own]}"}
        for parameter in operation.get("parameters", ()):
            name, place, schema = parameter["name"], parameter["in"], parameter["schema"]
            if place == "path":
                path = path.replace("{" + name + "}", self._in_path(self._hostile(name)))
            elif place == "query" and (parameter.get("required") or self._random.random() < 0.4):
                schemas = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
                query.append((name, self._text_of(self._value(name, schemas[0]))))
        headers |= self._headers()
        body = None
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            headers["Content-Type"] = kind
            body = json.dumps(self._value("body", content["schema"])).encode() if "json" in kind else self._file(path)
        return Call(method.upper(), f"{path}?{urlencode(query)}" if query else path, headers, body)

    def _in_path(self, value: str) -> str:
        return quote(value, safe=self._random.choice(("", "/", "%", ":@")))

    def _headers(self) -> dict[str, str]:
        """Headers that claim to be, or to act for, somebody else. Some end a call at once, so they are rare."""
        of, chance = self._home.values, self._random.random()
        choices = {
            "Keepsaid-User": self._random.choice([*of["member"], "bob/../ann", "root"]),
            "X-Forwarded-User": of["member"][0], "X-User": of["member"][0], "Cookie": f"owner={of['member'][0]}",
            "X-Original-URL": f"/v1/sessions/{of['session'][0]}", "X-HTTP-Method-Override": "GET",
            "Forwarded": f"for=127.0.0.1;by={of['member'][0]}", "X-Forwarded-For": "127.0.0.1",
            "Idempotency-Key": self._random.choice(of["idempotency"]), "Last-Event-ID": self._random.choice(of["mark"]),
            "Keepsaid-Conversation": self._random.choice(of["session"]),
            "If-Match": self._random.choice(('"1"', "*", '"2"')), "X-Request-Id": self._random.choice(of["session"]),
            "Authorization": "_".join(("Bearer rk", of["key"][0], self._keys[self._own].split("_", 2)[2])),
        }  # fmt: skip
        names = sorted(choices)
        rare = {"Keepsaid-User", "Authorization"}
        given = self._random.sample(names, 2) if chance < 0.5 else []
        return {name: choices[name] for name in given if name not in rare or self._random.random() < 0.2}

    def _hostile(self, name: str) -> str:
        """A value of the kind that is meant, or of another; some are mutated."""
        kind = KIND_OF.get(name, name)
        if kind not in self._home.values or self._random.random() < 0.15:
            kind = self._random.choice(sorted(self._home.values))
        value = self._random.choice(self._home.values[kind])
        return self._random.choice(MUTATIONS)(value) if self._random.random() < 0.3 else value

    def _value(self, name: str, schema: dict[str, Any], depth: int = 0) -> Any:  # noqa: C901  # one line for each kind of schema
        if "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        for many in ("anyOf", "oneOf"):
            if many in schema:
                return self._value(name, self._random.choice(schema[many]), depth)
        if "const" in schema or "enum" in schema:
            return self._random.choice(schema.get("enum", [schema.get("const")]))
        match schema.get("type"):
            case "object":
                return self._object(schema, depth)
            case "array":
                few = range(self._random.choice((1, 1, 2)))
                return [self._value(name, schema.get("items", {}), depth + 1) for _ in few] if depth < 6 else []
            case "boolean":
                return self._random.random() < 0.5
            case "integer":
                return self._random.choice((schema.get("minimum", 1), 20, 100)) if name != "budget" else 4000
            case "number":
                return self._random.choice((0.0, 0.5, 1.0))
            case "null":
                return None
        if schema.get("format") == "date-time":
            return self._random.choice(("2020-01-01T00:00:00Z", "2031-01-01T00:00:00Z"))
        if name in WITH_WORDS:
            return " ".join(self._random.sample(WORDS, 3))
        return self._hostile("session" if name == "id" else name)

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        return {
            name: self._value(name, inner, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if name in required or self._random.random() < 0.35
        }

    def _text_of(self, value: Any) -> str:
        return json.dumps(value) if isinstance(value, bool) else str(value)

    def _file(self, path: str) -> bytes:
        if path != "/v1/import":
            return f"# Plan\n\nThe {self._random.choice(WORDS)} of mine.\n".encode()
        said = {
            "seq": 1,
            "parent": None,
            "role": "user",
            "content": "A lantern of mine",
            "created_at": "2026-01-01T00:00:00Z",
        }
        session = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "status": "active"}
        message = self._random.choice(self._home.values["message"])
        made = session | {
            "id": self._hostile("session"),
            "title": "Mine",
            "leaf": message,
            "messages": [said | {"id": message}],
        }
        owner = self._random.choice(self._home.values["member"])
        return json.dumps({"format": "keepsaid", "version": 1, "owner": owner, "sessions": [made]}).encode()


WITH_WORDS = frozenset(
    "query question message content text title system system_prompt arguments output subject about".split()
)
"""Fields for words: what has as many characters need not have as many tokens, so ids are not said."""


# -- who calls, and what is compared


@dataclass(frozen=True)
class Told:
    """What a call was answered with."""

    status: int
    headers: list[tuple[str, str]]
    text: str
    is_endless: bool = False

    @property
    def whole(self) -> str:
        return f"{self.status}\n" + "\n".join(": ".join(header) for header in self.headers) + "\n\n" + self.text


class Caller:
    """Sends addresses as they are: an HTTP client that knows better would tidy them up."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._place = parts.hostname or "", parts.port
        self._connection = http.client.HTTPConnection(*self._place, timeout=30)

    def call(self, call: Call) -> Told:
        headers = {name: value.encode() for name, value in call.headers.items()}
        self._connection.request(call.method, call.target, call.body, headers)
        answer = self._connection.getresponse()
        told = answer.getheaders()
        endless = answer.status == 200 and urlsplit(call.target).path == "/v1/watch"
        text = self._some(answer) if endless else answer.read().decode()
        return Told(answer.status, told, text, endless)

    def _some(self, answer: http.client.HTTPResponse, seconds: float = 0.1) -> str:
        """What comes of an answer without an end before it pauses."""
        read = b""
        if self._connection.sock is not None:
            self._connection.sock.settimeout(seconds)
        with suppress(TimeoutError):
            while piece := answer.read1():
                read += piece
        self.close()
        return read.decode(errors="replace")

    def close(self) -> None:
        self._connection.close()
        self._connection = http.client.HTTPConnection(*self._place, timeout=30)


MOMENT = re.compile(r"\d{4}-\d\d-\d\dt\d\d[\d:.]*(z|\+00:00)?")
LONG_ID = re.compile(r"(?=[a-z_=-]*\d)[a-z0-9_=-]{10,}")
FIGURE = re.compile(
    r'"(tokens|used|token_count|size|budget|duration_ms|ms|score|recall_p50|recall_p95|created_at|total|done|bytes'
    r'|prompt_tokens|reused_tokens|[a-z_]*_ms)":\s*-?[\d.e-]+|"signals":\s*\{[^}]*\}'
)
UNEQUAL = frozenset(("date", "content-length", "x-request-id", "keepsaid-tokens"))
"""Headers that differ from call to call."""


def comparable(text: str) -> str:
    """An answer without what differs between Ann's ids and their twins, Bob and Bea, and from one moment to the next."""
    text = MOMENT.sub("MOMENT", text.lower().replace("x", "q").replace("nq", "nn").replace("bea", "bob"))
    return LONG_ID.sub("ID", FIGURE.sub(r"\1", text))


def comparable_answer(told: Told) -> tuple[int, list[str], str]:
    headers = sorted(f"{name.lower()}: {comparable(value)}" for name, value in told.headers if name.lower() not in UNEQUAL)
    return told.status, headers, "" if told.is_endless else comparable(told.text)


@dataclass
class Attack:
    """Bob's calls beside Bea's, and what was wrong with their answers."""

    bob: Caller
    bea: Caller
    with_anns: CallMaker
    with_nobodys: CallMaker
    canaries: Canaries
    calls: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)

    def run(self, pairs: int, seed: int) -> None:
        for number in range(pairs):
            call, control = self.with_anns.make(number, seed), self.with_nobodys.make(number, seed)
            told, compared = self.bob.call(call), self.bea.call(control)
            self.calls += 2
            self.statuses[told.status] = self.statuses.get(told.status, 0) + 1
            for one, made in ((told, call), (compared, control)):
                if one.status >= 500:
                    self.note("server error", made, one)
                if found := self.canaries.in_text(one.whole):
                    self.note(f"leak of {found}", made, one)
            if comparable_answer(told) != comparable_answer(compared):
                self.note("differs from an unknown id", call, told, compared)
            for caller, one, made in ((self.bob, told, call), (self.bea, compared, control)):
                self._await_import(caller, one, made)

    def note(self, what: str, call: Call, *told: Told) -> None:
        sent = {name: value for name, value in call.headers.items() if not value.startswith("Bearer")}
        answers = "\n".join(f"  -> {one.status} {one.headers[:6]} {one.text[:1500]}" for one in told)
        self.findings.append(f"{what}: {call.method} {call.target} {sent} {(call.body or b'')[:600]!r}\n{answers}")

    def _await_import(self, caller: Caller, told: Told, call: Call) -> None:
        """An import goes on after its answer; the next call finds it done, or the two memories would not be alike."""
        if told.status != 202:
            return
        look = Call("GET", f"/v1/jobs/{json.loads(told.text)['id']}", {"Authorization": call.headers["Authorization"]}, None)
        while json.loads(caller.call(look).text)["state"] == "running":
            time.sleep(0.01)


@contextmanager
def watching(url: str, key: str) -> Iterator[list[str]]:
    """Watches as an owner; at the end, the list has what came."""
    came: list[str] = []
    client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=0.2)
    with client, client.stream("GET", "/v1/watch") as answer:
        yield came
        with suppress(httpx.ReadTimeout):
            came.extend(answer.iter_text())


def keys_of(server: Server, admin: str, owners: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Secrets and ids of keys, by their owners."""
    with server.client(admin) as client:
        made = [client.post("/v1/admin/keys", json={"name": "test", "owner": owner}).json() for owner in owners]
    return {key["owner"]: key["secret"] for key in made}, {key["owner"]: key["id"] for key in made}


def attack(serve: Start, store: Path, pairs: int, seed: int) -> None:
    """Fills Ann's memory, lets Bob attack it, and checks what Bob received and what is stored afterwards."""
    canaries, home = Canaries(), Household()
    admin = make_key(store, "--scope", "admin", owner="root")
    summarize_before_serving(store, canaries, home)
    with llm_server.serving() as endpoint:
        endpoint.otherwise = llm_server.answer("Noted it.")
        server = serve(store=store, KEEPSAID_LLM="openai:small", KEEPSAID_LLM_URL=endpoint.url, **SETTINGS)
        secrets, ids = keys_of(server, admin, ("ann", "bob", "bea"))
        home.add("key", ids["ann"])
        with server.client(secrets["ann"]) as client:
            ann = Ann(client, canaries, home)
            with watching(server.url, secrets["bob"]) as came, watching(server.url, secrets["ann"]) as hers:
                ann.fill()
            marks = re.findall(r"id: (\S+)", "".join(hers))
            for mark in (marks[0], marks[-1]):
                home.add("mark", mark)
            assert "event:" in "".join(hers)
            assert "event:" not in "".join(came)
            before = ann.snapshot()
            unseen = [canary for canary in canaries.made if not any(canary in text for text in before.values())]
            endpoint.requests.clear()

            document = client.get("/openapi.json").json()
            with_anns = CallMaker(document, home, secrets, "bob")
            with_nobodys = CallMaker(document, home.twin(), secrets, "bea")
            made = Attack(Caller(server.url), Caller(server.url), with_anns, with_nobodys, canaries)
            begun = time.monotonic()
            made.run(pairs, seed)
            took = time.monotonic() - begun
            made.bob.close()
            made.bea.close()
            after = ann.snapshot()

    print(f"seed {seed}: {made.calls} calls of {len(with_anns.operations)} operations in {took:.1f} s,", end=" ")
    print(f"{len(canaries.made)} canaries ({len(unseen)} in no list), statuses {dict(sorted(made.statuses.items()))}")
    print("\n".join(made.findings[:10]))
    assert len(made.findings) == 0, f"seed {seed}, the first: {made.findings[0]}"
    assert not canaries.in_text(json.dumps([body for _, _, body in endpoint.requests]))
    assert {path for path in before if before[path] != after[path]} == set()
    assert made.statuses.get(200, 0) > 0 < made.statuses.get(404, 0)


def test_hostile_calls_reveal_and_change_nothing(serve: Start, tmp_path: Path):
    attack(serve, tmp_path / "chat.db", pairs=150, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", [int(os.environ.get("HOSTILE_SEED", "20261118"))])
def test_thousands_of_hostile_calls_reveal_and_change_nothing(serve: Start, tmp_path: Path, seed: int):
    attack(serve, tmp_path / "chat.db", pairs=9_000, seed=seed)
