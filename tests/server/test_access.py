"""Access control: keys, scopes, tokens, hosts and origins, and limits on size, rate and quota."""

from __future__ import annotations

import base64
import hmac
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

import keepsaid

from .conftest import SETTINGS, Server

Start = Callable[..., Server]


def make_key(store: Path, *arguments: str, owner: str = "ann") -> str:
    """A key by the command line, as an administrator makes it."""
    command = [sys.executable, "-m", "keepsaid", "--db", str(store), "--owner", owner, "keys", "create", "test", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def guarded(serve: Start, tmp_path: Path) -> tuple[Server, dict[str, str]]:
    """A server that wants keys, and keys of two users, a reader, a service and an administrator."""
    store = tmp_path / "chat.db"
    keys = {
        "ann": make_key(store),
        "bob": make_key(store, owner="bob"),
        "reader": make_key(store, "--scope", "read"),
        "service": make_key(store, "--tenant", "acme"),
        "admin": make_key(store, "--scope", "read", "--scope", "admin", owner="root"),
    }
    return serve(store=store, KEEPSAID_SERVER_AUTH="on"), keys


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_server_without_keys_refuses_public_host(tmp_path: Path, host: str):
    command = [sys.executable, "-m", "keepsaid", "--db", str(tmp_path / "chat.db"), "serve", "--host", host, "--port", "0"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert "keepsaid keys create" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_server_on_public_host_requires_key(serve: Start, tmp_path: Path):
    key = make_key(tmp_path / "chat.db")
    server = serve("--host", "0.0.0.0", KEEPSAID_SERVER_NAMES="127.0.0.1")
    url = server.url.replace("0.0.0.0", "127.0.0.1")
    assert httpx.get(f"{url}/v1/sessions").status_code == 401
    assert httpx.get(f"{url}/v1/sessions", headers={"Authorization": f"Bearer {key}"}).status_code == 200
    assert httpx.get(f"{url}/healthz").status_code == 200


NONSENSE = ("", "Bearer", "Bearer rk_", "Bearer rk_0_0", "Basic YTpi", "Bearer é", "bearer x.y.z", "x" * 9000)


def test_malformed_credentials_are_unauthorized(guarded: tuple[Server, dict[str, str]]):
    server, _ = guarded
    for credential in NONSENSE:
        answer = httpx.get(f"{server.url}/v1/me", headers={"Authorization": credential.encode("latin-1")})
        assert answer.status_code == 401, credential
        assert answer.headers["www-authenticate"].startswith("Bearer"), credential
        assert answer.headers["content-type"] == "application/problem+json", credential


def test_key_scopes_limit_routes(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    with server.client(keys["reader"]) as reader, server.client(keys["ann"]) as ann, server.client(keys["admin"]) as admin:
        assert reader.get("/v1/sessions").status_code == 200
        assert reader.post("/v1/search", json={"query": "tea"}).status_code == 200
        assert reader.post("/v1/sessions", json={}).status_code == 403
        assert ann.post("/v1/sessions", json={}).status_code == 201
        assert ann.get("/v1/admin/keys").status_code == 403
        assert ann.get("/metrics").status_code == 403
        assert admin.get("/metrics").status_code == 200
        assert admin.post("/v1/sessions", json={}).status_code == 403
        listed = admin.get("/v1/admin/keys")
        assert {key["owner"] for key in listed.json()["items"]} == {"ann", "bob", None, "root"}
        assert all(secret not in listed.text for secret in keys.values())


def test_revoked_key_is_unauthorized(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    with server.client(keys["ann"]) as ann, server.client(keys["admin"]) as admin:
        assert ann.get("/v1/me").json()["owner"] == "ann"
        id = keys["ann"].split("_")[1]
        assert admin.delete(f"/v1/admin/keys/{id}").status_code == 204
        assert ann.get("/v1/me").status_code == 401
        assert admin.delete(f"/v1/admin/keys/{id}").status_code == 404


def test_expired_key_is_unauthorized(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    with server.client(keys["admin"]) as admin:
        made = admin.post(
            "/v1/admin/keys", json={"name": "old", "owner": "ann", "expires_at": "2020-01-01T00:00:00Z"}
        ).json()
    with server.client(made["secret"]) as late:
        assert late.get("/v1/me").status_code == 401


def test_store_file_does_not_contain_key_secrets(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    server.stop()
    content = server.store.read_bytes()
    assert all(key.split("_", 2)[2].encode() not in content for key in keys.values())


def test_service_key_acts_only_for_users_of_its_tenant(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    with server.client(keys["service"]) as service, server.client(keys["ann"]) as ann:
        assert service.get("/v1/sessions").status_code == 403
        made = service.post("/v1/sessions", json={"title": "Hers"}, headers={"Keepsaid-User": "ann"}).json()
        assert service.get("/v1/me", headers={"Keepsaid-User": "ann"}).json()["owner"] == "acme/ann"
        # The tenant's Ann is another one than Ann with a key of her own.
        assert ann.get(f"/v1/sessions/{made['id']}").status_code == 404
        assert service.get(f"/v1/sessions/{made['id']}", headers={"Keepsaid-User": "bob"}).status_code == 404
        assert service.get(f"/v1/sessions/{made['id']}", headers={"Keepsaid-User": "ann"}).status_code == 200
        assert ann.get("/v1/me", headers={"Keepsaid-User": "bob"}).status_code == 403
        assert ann.get("/v1/me", headers={"Keepsaid-User": "ann"}).status_code == 200


def test_key_creation_rejects_invalid_tenant_names(serve: Start, tmp_path: Path):
    store = tmp_path / "chat.db"
    for bad in ("a/b", "", "a\nb"):
        command = [sys.executable, "-m", "keepsaid", "--db", str(store), "keys", "create", "x", "--tenant", bad]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 2


# -- every route, with somebody else's things


class Household:
    """Everything that one owner can have, by the ids that routes take."""

    def __init__(self, client: httpx.Client) -> None:
        made = client.post("/v1/sessions", json={"title": "Secret plans"}).json()
        self.session: str = made["id"]
        said = {"role": "user", "content": "My sister moved to Lisbon. The code is 4711."}
        self.message: str = client.post(f"/v1/sessions/{self.session}/messages", json=said).json()["id"]
        self.fact: str = client.post("/v1/facts", json={"text": "Likes tea"}).json()["id"]
        document = client.post("/v1/documents?name=plan.md", content=b"# Plan\n\nThe code is 4711.")
        self.document: str = document.json()["id"]
        turn = client.post("/v1/chat", json={"session": self.session, "message": "What is the code?"}).json()
        self.receipt: str = turn["receipt_id"]
        self.job: str = client.post("/v1/import?dry_run=true", content=b"[]").json()["id"]
        self.pool: str = client.post("/v1/pools", json={"name": "team"}).json()["pool"]
        self.member = "ann"
        self.key = "k"


BODIES: dict[str, Any] = {
    "messages": {"role": "user", "content": "hello"},
    "batch": {"messages": [{"role": "user", "content": "hello"}]},
    "edit": {"content": "hello"},
    "switch": {"message": "{message}"},
    "fork": {},
    "chat": {"session": "{session}", "message": "hello"},
    "context": {"session": "{session}", "question": "the code?"},
    "search": {"query": "code 4711", "session": "{session}", "kinds": ["messages", "facts", "summaries", "documents"]},
    "erase": {"session": "{session}"},
    "{session}": {"title": "Mine"},
    "{message}": {"pinned": True},
    "{fact}": {"text": "Mine"},
    "{member}": {"access": "admin"},
}
OWN = ("/v1/sessions", "/v1/facts", "/v1/documents", "/v1/summaries", "/v1/receipts", "/v1/pools", "/v1/stats", "/v1/export")
"""Lists of one's own: they answer, with nothing of anybody else."""


def fill_ids(value: Any, home: Household) -> Any:
    return json.loads(json.dumps(value).replace("{session}", home.session).replace("{message}", home.message))


def test_no_route_exposes_or_changes_data_of_another_owner(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    with server.client(keys["ann"]) as ann, server.client(keys["bob"]) as bob:
        home = Household(ann)
        before = ann.get("/v1/export").text
        walked = 0
        for path, item in bob.get("/openapi.json").json()["paths"].items():
            if path.startswith(("/v1/admin", "/v1/conversations", "/v1/chat/completions", "/v1/models")):
                continue
            for method in item:
                url = path
                for name in ("session", "message", "fact", "document", "receipt", "job", "pool", "member"):
                    url = url.replace("{" + name + "}", getattr(home, name))
                if path == "/v1/watch":
                    url += f"?session={home.session}"
                key = path.rpartition("/")[2]
                body = fill_ids(BODIES.get(key), home) if method in ("post", "patch", "put") and key in BODIES else None
                answer = bob.request(method.upper(), url, json=body)
                walked += 1
                assert "4711" not in answer.text, (method, path)
                assert "Secret plans" not in answer.text, (method, path)
                if "{" in path or path == "/v1/watch" or (body and "session" in body and key != "search"):
                    assert answer.status_code == 404, (method, path, answer.text)
        assert walked > 45
        assert ann.get("/v1/export").text == before


def test_stats_show_store_size_to_admin_only(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    sizes: dict[str, int | None] = {}
    for name in ("ann", "reader", "admin"):
        with server.client(keys[name]) as http:
            sizes[name] = http.get("/v1/stats").json()["size"]
    admin = sizes.pop("admin")
    assert sizes == {"ann": None, "reader": None}
    assert admin is not None
    assert admin > 0


def test_unknown_ids_and_ids_of_another_owner_get_same_answer(guarded: tuple[Server, dict[str, str]]):
    server, keys = guarded
    with server.client(keys["ann"]) as ann, server.client(keys["bob"]) as bob:
        home = Household(ann)
        for path in (
            "/v1/sessions/{}",
            "/v1/sessions/{}/messages",
            "/v1/documents/{}/chunks",
            "/v1/receipts/{}",
            "/v1/jobs/{}",
        ):
            kind = {"documents": "document", "receipts": "receipt", "jobs": "job"}.get(path.split("/")[2], "session")
            anothers = bob.get(path.format(getattr(home, kind))).json()
            unknown = bob.get(path.format("nothing-of-this-name")).json()
            anothers["detail"] = anothers["detail"].replace(getattr(home, kind), "nothing-of-this-name")
            assert {**anothers, "instance": ""} == {**unknown, "instance": ""}
        told = bob.post("/v1/chat", json={"session": home.session, "message": "Hi"}).json()
        assert told["detail"] == "not found or access denied"


# -- tokens of a sign-in


@pytest.fixture(scope="module")
def pair() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def issuer(pair: rsa.RSAPrivateKey) -> Iterator[str]:
    """An issuer that publishes its key, as OIDC ones do."""
    published = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(pair.public_key())) | {
        "kid": "k1",
        "use": "sig",
        "alg": "RS256",
    }

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": [published]}).encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/jwks"
    server.shutdown()
    thread.join()
    server.server_close()


def test_jwt_claims_scope_and_signature_are_checked(serve: Start, issuer: str, pair: rsa.RSAPrivateKey):
    server = serve(
        KEEPSAID_SERVER_AUTH="on",
        KEEPSAID_JWT_JWKS_URL=issuer,
        KEEPSAID_JWT_AUDIENCE="keepsaid",
        KEEPSAID_JWT_ISSUER="me",
    )
    now = int(time.time())
    good = {"sub": "ann", "aud": "keepsaid", "iss": "me", "exp": now + 60, "scope": "openid read write"}

    def status(claims: dict[str, Any], key: Any = pair, algorithm: str = "RS256") -> int:
        token = jwt.encode(claims, key, algorithm=algorithm, headers={"kid": "k1"})
        return httpx.get(f"{server.url}/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code

    assert status(good) == 200
    assert status(good | {"exp": now - 600}) == 401
    assert status(good | {"aud": "another"}) == 401
    assert status(good | {"iss": "another"}) == 401
    assert status({name: value for name, value in good.items() if name != "exp"}) == 401
    assert status({name: value for name, value in good.items() if name != "sub"}) == 401
    assert status(good, rsa.generate_private_key(public_exponent=65537, key_size=2048)) == 401
    assert status(good | {"scope": "openid"}) == 403
    # A public key that is taken for a shared secret, and a token that is signed by nobody.
    public = pair.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    unsigned = jwt.encode(good, "s" * 32, algorithm="HS256", headers={"kid": "k1"}).rpartition(".")[0]
    signature = base64.urlsafe_b64encode(hmac.digest(public, unsigned.encode(), "sha256")).rstrip(b"=").decode()
    forged = {"Authorization": f"Bearer {unsigned}.{signature}"}
    assert httpx.get(f"{server.url}/v1/me", headers=forged).status_code == 401
    assert status(good, None, "none") == 401


def test_server_refuses_jwt_settings_without_audience(tmp_path: Path):
    environment = SETTINGS | {"KEEPSAID_JWT_SECRET": "s" * 32, "PATH": "/usr/bin"}
    command = [sys.executable, "-m", "keepsaid", "--db", str(tmp_path / "chat.db"), "serve", "--port", "0"]
    refused = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert "jwt_audience" in refused.stderr


# -- from where


def test_unknown_host_header_is_rejected(server: Server, http: httpx.Client):
    """Protects from DNS rebinding, where evil.example resolves to this machine."""
    answer = http.get("/v1/sessions", headers={"Host": "evil.example"})
    assert answer.status_code == 421
    for name in ("localhost", "127.0.0.1", "[::1]"):
        port = server.url.rpartition(":")[2]
        assert http.get("/v1/me", headers={"Host": f"{name}:{port}"}).status_code == 200


def test_cross_site_requests_are_forbidden(server: Server, http: httpx.Client):
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        for method, path in (("POST", "/v1/sessions"), ("GET", "/v1/sessions")):
            assert http.request(method, path, json={}, headers=headers).status_code == 403, headers
    assert http.get("/v1/sessions", headers={"Origin": server.url, "Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert http.get("/docs", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200
    asked = http.options("/v1/sessions", headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
    assert asked.status_code == 403
    assert "access-control-allow-origin" not in asked.headers


def test_configured_origins_are_allowed(serve: Start):
    server = serve(KEEPSAID_SERVER_ORIGINS="https://app.example")
    headers = {"Origin": "https://app.example"}
    with server.client(**headers) as app:
        asked = app.options("/v1/sessions", headers={"Access-Control-Request-Method": "POST"})
        assert asked.status_code == 204
        assert asked.headers["access-control-allow-origin"] == "https://app.example"
        assert app.post("/v1/sessions", json={}).headers["access-control-allow-origin"] == "https://app.example"
    assert httpx.get(f"{server.url}/v1/sessions", headers={"Origin": "https://app.example.evil"}).status_code == 403


def test_every_response_has_security_headers(http: httpx.Client):
    for path in ("/", "/v1/me", "/docs", "/v1/nothing", "/healthz"):
        headers = http.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert len(headers["x-request-id"]) == 16
        assert "unsafe" not in headers["content-security-policy"]


# -- how much


def test_too_large_bodies_are_rejected(serve: Start):
    server = serve(KEEPSAID_SERVER_BODY="10000", KEEPSAID_SERVER_UPLOAD="50000")
    with server.client() as http:
        session = http.post("/v1/sessions", json={}).json()["id"]
        big = {"role": "user", "content": "x" * 20_000}
        assert http.post(f"/v1/sessions/{session}/messages", json=big).status_code == 413

        def pieces() -> Iterator[bytes]:
            for _ in range(30):
                yield b'{"role": "user"' + b" " * 1000

        said = http.post(f"/v1/sessions/{session}/messages", content=pieces(), headers={"Content-Type": "application/json"})
        assert said.status_code == 413
        assert http.post("/v1/documents?name=a.txt", content=b"word " * 5_000).status_code == 201
        assert http.post("/v1/documents?name=b.txt", content=b"word " * 50_000).status_code == 413
        assert http.get(f"/v1/sessions/{session}").json()["message_count"] == 0


def test_requests_over_rate_limit_are_rejected(serve: Start):
    server = serve(KEEPSAID_SERVER_RATE="30")
    with server.client() as http:
        answers = [http.get("/v1/me") for _ in range(8)]
        assert [answer.status_code for answer in answers].count(200) == 5
        last = answers[-1]
        assert last.status_code == 429
        assert int(last.headers["retry-after"]) >= 1
        assert answers[0].headers["ratelimit-limit"] == "5"
        assert http.get("/healthz").status_code == 200


def test_message_quota_refuses_writes_until_erase(serve: Start, tmp_path: Path):
    store = tmp_path / "chat.db"
    with keepsaid.open(store, embedder="off") as memory:
        chat = memory.chat(owner="me", session="s", create=True)
        chat.add_many([{"role": "user", "content": f"message {number}"} for number in range(5)])
    server = serve(store=store, KEEPSAID_QUOTA_MESSAGES="5")
    with server.client() as http:
        full = http.post("/v1/sessions/s/messages", json={"role": "user", "content": "one more"})
        assert (full.status_code, full.json()["type"]) == (403, "/docs#quota-exceeded")
        assert http.get("/v1/sessions/s/messages").status_code == 200
        assert http.post("/v1/erase", json={"session": "s"}).status_code == 200
        http.post("/v1/sessions", json={"id": "t"})
        assert http.post("/v1/sessions/t/messages", json={"role": "user", "content": "again"}).status_code == 201
