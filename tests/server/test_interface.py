"""The HTTP routes: behaviour that clients of the server can rely on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

import keepsaid

from .conftest import Server, events

Start = Callable[..., Server]


@pytest.fixture
def session(http: httpx.Client) -> str:
    return http.post("/v1/sessions", json={"title": "Family", "tags": ["home"]}).json()["id"]


def say(http: httpx.Client, session: str, text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    answer = http.post(f"/v1/sessions/{session}/messages", json={"role": role, "content": text, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def wait_for_job(http: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    deadline = time.monotonic() + 30
    while job["state"] == "running" and time.monotonic() < deadline:
        time.sleep(0.02)
        job = http.get(f"/v1/jobs/{job['id']}").json()
    return job


# -- sessions and messages


def test_acknowledged_message_is_in_store(serve: Start, tmp_path: Path):
    server = serve()
    with server.client() as http:
        id = http.post("/v1/sessions", json={"title": "Travel"}).json()["id"]
        said = say(http, id, "My sister moved to Lisbon.", metadata={"from": "test"})
    with keepsaid.open(server.store, embedder="off") as memory:
        kept = memory.chat(owner="me", session=id).messages()[0]
        assert (kept.id, kept.text, kept.metadata) == (said["id"], "My sister moved to Lisbon.", {"from": "test"})


def test_sessions_are_listed_in_pages(serve: Start):
    with serve().client() as http:
        made = [http.post("/v1/sessions", json={"title": str(number)}).json()["id"] for number in range(7)]
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = http.get("/v1/sessions", params={"limit": 3} | ({"cursor": cursor} if cursor else {})).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert sorted(seen) == sorted(made)
        other = http.get("/v1/sessions", params={"limit": 3, "status": "archived", "cursor": "nonsense"})
        assert (other.status_code, other.json()["type"]) == (409, "/docs#invalid-cursor")


def test_messages_around_one_page_in_both_directions(http: httpx.Client, session: str):
    ids = [say(http, session, f"message {number}")["id"] for number in range(20)]
    found = http.get(f"/v1/sessions/{session}/messages", params={"around": ids[10], "limit": 5}).json()
    assert [item["id"] for item in found["items"]] == ids[8:13]
    newer = http.get(f"/v1/sessions/{session}/messages", params={"cursor": found["next"], "limit": 3}).json()
    assert [item["id"] for item in newer["items"]] == ids[13:16]
    older = http.get(
        f"/v1/sessions/{session}/messages", params={"cursor": found["previous"], "order": "desc", "limit": 3}
    ).json()
    assert [item["id"] for item in older["items"]] == ids[7:4:-1]


def test_patch_with_stale_etag_is_refused(http: httpx.Client, session: str):
    first = http.get(f"/v1/sessions/{session}")
    changed = http.patch(f"/v1/sessions/{session}", json={"title": "A"}, headers={"If-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]
    late = http.patch(f"/v1/sessions/{session}", json={"title": "B"}, headers={"If-Match": first.headers["etag"]})
    assert (late.status_code, late.json()["type"]) == (412, "/docs#changed")
    assert http.get(f"/v1/sessions/{session}").json()["title"] == "A"


def test_session_archive_delete_and_restore(http: httpx.Client, session: str):
    assert http.post(f"/v1/sessions/{session}/archive").json()["status"] == "archived"
    added = http.post(f"/v1/sessions/{session}/messages", json={"role": "user", "content": "x"})
    assert added.status_code == 409
    assert http.post(f"/v1/sessions/{session}/unarchive").json()["status"] == "active"
    assert http.delete(f"/v1/sessions/{session}").json()["status"] == "deleted"
    assert http.get(f"/v1/sessions/{session}").status_code == 404
    said = http.post(f"/v1/sessions/{session}/messages", json={"role": "user", "content": "x"})
    assert said.status_code in (404, 409)
    assert session in [item["id"] for item in http.get("/v1/sessions", params={"status": "deleted"}).json()["items"]]
    assert http.post(f"/v1/sessions/{session}/restore").json()["status"] == "active"


def test_message_edit_creates_branch(http: httpx.Client, session: str):
    tea = say(http, session, "Tea?")
    answer = say(http, session, "Yes.", "assistant")
    coffee = http.post(f"/v1/sessions/{session}/messages/{tea['id']}/edit", json={"content": "Coffee?"}).json()
    found = http.get(f"/v1/sessions/{session}/alternatives").json()["items"]
    assert found == [{"message": coffee["id"], "versions": [tea["id"], coffee["id"]]}]
    moved = http.post(f"/v1/sessions/{session}/switch", json={"message": tea["id"], "onward": True})
    assert moved.json()["message_count"] == 2
    texts = [item["id"] for item in http.get(f"/v1/sessions/{session}/messages").json()["items"]]
    assert texts == [tea["id"], answer["id"]]
    fork = http.post(f"/v1/sessions/{session}/fork", json={"at": tea["id"]})
    assert fork.status_code == 201
    assert fork.json()["message_count"] == 1
    assert http.post(f"/v1/sessions/{session}/pop").json()["message_count"] == 1
    assert http.post(f"/v1/sessions/{session}/clear").json()["message_count"] == 0


def test_message_keeps_all_fields(http: httpx.Client, session: str):
    body = {
        "role": "assistant",
        "content": [{"kind": "text", "text": "Look:"}, {"kind": "image", "uri": "https://example.org/a.png"}],
        "tool_calls": [{"id": "c1", "name": "weather", "arguments": '{"city": "Lisbon"}'}],
        "metadata": {"a": [1, {"b": None}]},
        "importance": 0.9, "pinned": True, "created_at": "2026-05-06T12:00:00+02:00",
    }  # fmt: skip
    made = http.post(f"/v1/sessions/{session}/messages", json=body).json()
    again = http.get(f"/v1/sessions/{session}/messages/{made['id']}").json()
    assert again == made
    assert made["created_at"] == "2026-05-06T10:00:00Z"
    assert made["parts"][1]["uri"] == "https://example.org/a.png"
    assert made["tool_calls"][0]["arguments"] == '{"city": "Lisbon"}'
    changed = http.patch(f"/v1/sessions/{session}/messages/{made['id']}", json={"pinned": False, "private": True}).json()
    assert (changed["pinned"], changed["private"], changed["importance"]) == (False, True, 0.9)


def test_message_batch_is_atomic(http: httpx.Client, session: str):
    say(http, session, "first", id="taken")
    batch = {"messages": [{"role": "user", "content": "new"}, {"role": "user", "content": "other", "id": "taken"}]}
    answer = http.post(f"/v1/sessions/{session}/messages/batch", json=batch)
    assert (answer.status_code, answer.json()["type"]) == (409, "/docs#message-conflict")
    assert http.get(f"/v1/sessions/{session}").json()["message_count"] == 1


# -- twice and once


def test_repeated_idempotency_key_replays_first_answer(http: httpx.Client, session: str):
    path, body = f"/v1/sessions/{session}/messages", {"role": "user", "content": "once"}
    first = http.post(path, json=body, headers={"Idempotency-Key": "k1"})
    again = http.post(path, json=body, headers={"Idempotency-Key": "k1"})
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    other = http.post(path, json={"role": "user", "content": "else"}, headers={"Idempotency-Key": "k1"})
    assert (other.status_code, other.json()["type"]) == (422, "/docs#idempotency-key-reused")
    assert http.get(f"/v1/sessions/{session}").json()["message_count"] == 1
    made = [http.post("/v1/sessions", json={"title": "T"}, headers={"Idempotency-Key": "k1"}).json()["id"] for _ in range(2)]
    assert made[0] == made[1]


def test_idempotent_answers_survive_restart(serve: Start, tmp_path: Path):
    server = serve()
    path, body, key = "/v1/sessions/s/messages", {"role": "user", "content": "once"}, {"Idempotency-Key": "k1"}
    with server.client() as http:
        http.post("/v1/sessions", json={"id": "s"})
        first = http.post(path, json=body, headers=key).json()
    server.stop()
    with serve().client() as http:
        assert http.post(path, json=body, headers=key).json() == first
        assert http.get("/v1/sessions/s").json()["message_count"] == 1
        other = http.post(path, json={"role": "user", "content": "else"}, headers={"Idempotency-Key": "k2"})
        assert other.status_code == 201


def test_erased_message_is_not_replayed(http: httpx.Client, session: str):
    path, body, key = f"/v1/sessions/{session}/messages", {"role": "user", "content": "code 4711"}, {"Idempotency-Key": "e1"}
    made = http.post(path, json=body, headers=key).json()
    http.post("/v1/erase", json={"session": session, "message": made["id"]})
    again = http.post(path, json=body, headers=key)
    assert (again.status_code, again.json()["type"]) == (409, "/docs#erased")


# -- turns


def test_streamed_turn_sends_events_in_order(http: httpx.Client, session: str):
    say(http, session, "My sister moved to Lisbon in May.")
    turn = {"message": "Where does my sister live?", "stream": True, "debug": True}
    answer = http.post("/v1/chat", json=turn)
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = events(answer)
    assert [name for name, _ in told] == [
        "turn.started", "memory.retrieved", "memory.assembled", "message.delta", "message.completed", "memory.written",
        "turn.completed",
    ]  # fmt: skip
    end = told[-1][1]
    assert "Lisbon" in end["text"]
    assert end["used"] == len(end["sources"]) >= 1
    assert end["message"]["metadata"]["receipt"] == end["receipt_id"]
    for name in ("MEMORY_DEBUG", "RAG_DEBUG", "SEARCH_DEBUG"):
        assert f"\n: {name} {{" in answer.text
    quiet = http.post("/v1/chat", json=turn | {"debug": False})
    assert "DEBUG" not in quiet.text


def test_receipt_lists_injected_memories_with_reasons(http: httpx.Client, session: str):
    fact = say(http, session, "My brother's dog is called Bello. He barks at the moon.")
    end = http.post("/v1/chat", json={"message": "What is my brother's dog called?"}).json()
    receipt = http.get(f"/v1/receipts/{end['receipt_id']}").json()
    assert receipt["intact"]
    assert receipt["tokens"] == sum(receipt["sections"].values())
    assert any("Bello" in message["content"] for message in receipt["messages"])
    used = next(entry for entry in receipt["used"] if entry["id"] == fact["id"])
    assert (used["session"], used["title"]) == (session, "Family")
    assert "brother" in used["reason"]
    assert used["score"] > 0
    assert receipt["timeline"]
    listed = http.get("/v1/receipts", params={"session": end["session"]}).json()["items"]
    assert [line["id"] for line in listed] == [end["receipt_id"]]
    assert listed[0]["used"] == len(receipt["used"])


def test_chat_supports_edit_regenerate_and_temporary(http: httpx.Client):
    first = http.post("/v1/chat", json={"message": "I have a cat."}).json()
    said = http.get(f"/v1/sessions/{first['session']}/messages").json()["items"][0]
    edited = http.post("/v1/chat", json={"session": first["session"], "edit": said["id"], "message": "I have a dog."})
    assert edited.status_code == 200
    again = http.post("/v1/chat", json={"session": first["session"], "regenerate": edited.json()["message"]["id"]})
    assert again.status_code == 200
    found = http.get(f"/v1/sessions/{first['session']}/alternatives").json()["items"]
    assert sorted(len(item["versions"]) for item in found) == [2, 2]
    hidden = http.post("/v1/chat", json={"message": "A secret 5522.", "temporary": True}).json()
    assert http.get(f"/v1/sessions/{hidden['session']}").json()["temporary"]
    assert hidden["session"] not in http.get("/v1/export").text


def test_chat_memory_modes_read_only_and_off(http: httpx.Client, session: str):
    say(http, session, "My favourite colour is teal.")
    quiet = http.post(
        "/v1/chat", json={"message": "My PIN is 9911, what is my favourite colour?", "memory": "read_only"}
    ).json()
    assert quiet["used"] >= 1
    found = http.post("/v1/search", json={"query": "PIN 9911 favourite colour"}).json()["hits"]
    assert found
    assert all("9911" not in hit["passage"] for hit in found)
    off = http.post("/v1/chat", json={"message": "What is my favourite colour?", "memory": "off"}).json()
    assert off["used"] == 0


def test_context_fits_budget_or_is_refused(http: httpx.Client, session: str):
    say(http, session, "The deploy needs the flag --blue.")
    body = {"session": session, "question": "Which flag does the deploy need?", "budget": 500}
    made = http.post("/v1/context", json=body).json()
    assert made["tokens"] <= 500
    assert made["messages"][-1]["content"].endswith("Which flag does the deploy need?")
    small = http.post("/v1/context", json=body | {"budget": 16, "question": "word " * 50})
    assert (small.status_code, small.json()["type"]) == (409, "/docs#budget-too-small")


# -- memories


def test_search_finds_messages_facts_and_documents(serve: Start):
    with serve().client() as http:
        session = http.post("/v1/sessions", json={"title": "Garden"}).json()["id"]
        say(http, session, "The roses need water on Fridays.")
        http.post("/v1/facts", json={"text": "Grows roses"})
        http.post("/v1/documents", params={"name": "roses.md"}, content=b"# Roses\n\nCut roses in March.")
        kinds = ["messages", "summaries", "facts", "documents"]
        hits = http.post("/v1/search", json={"query": "roses", "kinds": kinds}).json()["hits"]
        assert {hit["kind"] for hit in hits} == {"message", "fact", "document"}
        assert all(hit["reason"] for hit in hits)
        only = http.post("/v1/search", json={"query": 'role:user "need water"'}).json()["hits"]
        assert [hit["session"] for hit in only] == [session]


def test_facts_can_be_created_corrected_and_forgotten(http: httpx.Client):
    fact = http.post("/v1/facts", json={"text": "Allergic to nuts", "pinned": True}).json()
    other = http.patch(f"/v1/facts/{fact['id']}", json={"text": "Allergic to hazelnuts"}).json()
    assert other["text"] == "Allergic to hazelnuts"
    known = http.get("/v1/facts", params={"history": True, "query": "allergic"}).json()["items"]
    assert {one["text"]: one["until"] is None for one in known} == {"Allergic to nuts": False, "Allergic to hazelnuts": True}
    assert http.delete(f"/v1/facts/{other['id']}").status_code == 204
    assert http.delete(f"/v1/facts/{other['id']}").status_code == 404


def test_forgetting_fact_with_reopen_restores_ended_fact(http: httpx.Client):
    def homes() -> list[str]:
        return [one["text"] for one in http.get("/v1/facts", params={"query": "lives"}).json()["items"]]

    http.post("/v1/chat", json={"message": "I live in Lisbon."}).raise_for_status()
    before = homes()
    for reopen, after in ((True, before), (False, [])):
        (noted,) = http.post("/v1/chat", json={"message": "I live in Porto now."}).raise_for_status().json()["noted"]
        assert (before, homes()) == (["User lives in Lisbon"], [noted["text"]])
        assert http.delete(f"/v1/facts/{noted['id']}", params={"reopen": reopen}).status_code == 204
        assert homes() == after


def test_hidden_fact_leaves_profile_until_change_is_undone(http: httpx.Client):
    fact = http.post("/v1/facts", json={"text": "Plays the lute", "kind": "possession"}).json()

    def lines() -> list[str]:
        return [line["fact"] for line in http.get("/v1/profile").json()["lines"]]

    assert fact["id"] in lines()
    assert http.patch(f"/v1/facts/{fact['id']}", json={"hidden": True}).json()["hidden"]
    assert fact["id"] not in lines()
    (change,) = http.get("/v1/fact-changes", params={"fact": fact["id"]}).json()["items"]
    assert (change["what"], change["before"], change["after"], change["undone"]) == ("hidden", False, True, False)
    assert not http.post(f"/v1/fact-changes/{change['id']}/undo").json()["hidden"]
    assert fact["id"] in lines()
    assert http.post(f"/v1/fact-changes/{change['id']}/undo").status_code == 409
    assert http.post("/v1/fact-changes/nothing-1/undo").status_code == 404
    turn = http.post("/v1/chat", json={"message": "I play the oboe."}).json()
    assert [one["id"] for one in turn["noted"]] == [one["id"] for one in http.get("/v1/facts?query=oboe").json()["items"]]
    assert http.get("/v1/facts", params={"message": turn["noted"][0]["messages"][0]}).json()["items"] == turn["noted"]
    assert http.get("/v1/facts", params={"message": "unknown"}).json()["items"] == []


def test_documents_are_chunked_listed_and_deleted(http: httpx.Client):
    text = "\n\n".join(f"# Part {number}\n\n" + "word " * 200 for number in range(6))
    made = http.post("/v1/documents", params={"name": "a/b.md"}, content=text.encode()).json()
    assert made["version"] == 1
    chunks = http.get(f"/v1/documents/{made['id']}/chunks", params={"limit": 2}).json()
    assert len(chunks["items"]) == 2
    assert chunks["items"][0]["place"] == "§ Part 0"
    rest = http.get(f"/v1/documents/{made['id']}/chunks", params={"limit": 100, "cursor": chunks["next"]}).json()
    assert len(rest["items"]) == made["chunks"] - 2
    unreadable = http.post("/v1/documents", params={"name": "x.bin"}, content=b"\x00\x01\x02")
    assert unreadable.status_code == 415
    assert http.delete(f"/v1/documents/{made['id']}").json()["messages"] == made["chunks"]
    assert http.get("/v1/documents").json()["items"] == []


# -- in and out


def test_export_imports_unchanged_into_another_store(serve: Start, tmp_path: Path):
    with serve().client() as here, serve(store=tmp_path / "there.db").client() as there:
        session = here.post("/v1/sessions", json={"title": "Round"}).json()["id"]
        for number in range(30):
            say(here, session, f"line {number} — ünïcode 🎈")
        export = here.get("/v1/export")
        assert export.headers["content-disposition"] == 'attachment; filename="keepsaid.json"'
        preview = wait_for_job(there, there.post("/v1/import?dry_run=true", content=export.content).json())
        assert (preview["state"], preview["report"]["messages"]) == ("done", 30)
        assert there.get("/v1/sessions").json()["items"] == []
        begun = there.post("/v1/import", content=export.content)
        assert begun.status_code == 202
        job = wait_for_job(there, begun.json())
        assert begun.headers["location"] == f"/v1/jobs/{job['id']}"
        assert (job["state"], job["report"]["messages"], job["done"]) == ("done", 30, len(export.content))
        assert there.get("/v1/export").content == export.content
        markdown = here.get("/v1/export", params={"format": "markdown", "session": session}).text
        assert "line 29 — ünïcode 🎈" in markdown
        assert here.get("/v1/export", params={"session": "nothing"}).status_code == 404


def test_failed_import_reports_problem_without_path(http: httpx.Client):
    job = wait_for_job(http, http.post("/v1/import?name=fish.json", content=b'{"neither": "fish"}').json())
    assert job["state"] == "failed"
    assert job["problem"]["detail"].startswith("fish.json ")
    assert "/" not in job["problem"]["detail"]
    assert http.post("/v1/import", content=b"").status_code == 422


# -- forgetting


def test_erase_keeps_facts_only_if_requested(serve: Start):
    with serve().client() as http:
        for keep in (True, False):
            session = http.post("/v1/sessions", json={}).json()["id"]
            say(http, session, "I live in Porto." if keep else "I work at Contoso.")
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                drawn = [one for one in http.get("/v1/facts").json()["items"] if one["session"] == session]
                if drawn:
                    break
                time.sleep(0.05)
            assert drawn
            receipt = http.post("/v1/erase", json={"session": session, "keep_facts": keep}).json()
            assert (receipt["sessions"], receipt["messages"], receipt["facts_kept"]) == (1, 1, int(keep))
        assert [one["text"] for one in http.get("/v1/facts").json()["items"]] == ["User lives in Porto"]
        assert http.post("/v1/erase", json={}).status_code == 422
        assert http.post("/v1/erase", json={"confirm": "yes"}).status_code == 422
        gone = http.post("/v1/erase", json={"confirm": "forget everything"}).json()
        assert gone["verified"]
        assert http.get("/v1/facts").json()["items"] == []


def test_retention_is_dry_run_by_default(http: httpx.Client):
    report = http.post("/v1/admin/retention", json={}).json()
    assert report["dry_run"]
    assert report["policy"] == {"active_days": None, "archived_days": None, "deleted_days": 30, "keep_facts": True}


def test_session_shows_expiry_unless_pinned(serve: Start):
    with serve(KEEPSAID_RETENTION_PRESET="30/90/30").client() as http:
        session = http.post("/v1/sessions", json={}).json()
        ends = datetime.fromisoformat(session["expires_at"]) - datetime.now(UTC)
        assert (ends.days, session["expired"]) == (29, False)
        http.patch(f"/v1/sessions/{session['id']}", json={"pinned": True})
        assert http.get(f"/v1/sessions/{session['id']}").json()["expires_at"] is None


def test_session_has_no_expiry_without_retention_settings(http: httpx.Client):
    session = http.post("/v1/sessions", json={}).json()
    assert session["expires_at"] is None
    assert http.delete(f"/v1/sessions/{session['id']}").json()["expires_at"] is not None


# -- figures and logs


def test_stats_and_metrics_count_requests_and_messages(serve: Start):
    with serve().client() as http:
        session = http.post("/v1/sessions", json={}).json()["id"]
        say(http, session, "Hello")
        http.post("/v1/context", json={"session": session, "question": "Hello?"})
        stats = http.get("/v1/stats", params={"days": 7}).json()
        assert (stats["sessions"], stats["messages"], len(stats["periods"])) == (1, 1, 7)
        assert stats["periods"][-1]["prompt_tokens"] > 0
        metrics = http.get("/metrics").text
        assert 'keepsaid_requests_total{method="POST",route="/v1/sessions/{session}/messages",status="201"} 1.0' in metrics
        assert "keepsaid_store_messages 1.0" in metrics
        assert "keepsaid_prompt_tokens_total" in metrics


def test_logs_contain_no_message_text_or_session_ids(tmp_path: Path):
    server = Server(tmp_path / "chat.db", KEEPSAID_SERVER_LOG="json")
    with server.client() as http:
        http.post("/v1/sessions", json={"id": "private-name"})
        said = http.post("/v1/sessions/private-name/messages", json={"role": "user", "content": "code 4711"})
        http.get("/v1/facts", params={"query": "4711"})
        http.post("/v1/chat", json={"message": "what was 4711?", "session": "private-name"})
        http.get("/v1/sessions/4711")
    server.process.terminate()
    assert server.process.stderr is not None
    log = server.process.stderr.read()
    server.stop()
    lines = [json.loads(line) for line in log.splitlines()]
    assert said.headers["x-request-id"] in [line["request"] for line in lines]
    assert {line["status"] for line in lines} == {200, 201, 404}
    assert "4711" not in log
    assert "private-name" not in log


def test_health_routes_and_reference_page_respond(http: httpx.Client):
    assert http.get("/healthz").json()["status"] == "alive"
    assert http.get("/readyz").json()["status"] == "ready"
    reference = http.get("/docs")
    assert "/v1/sessions/{session}/messages" in reference.text
    assert "<script" not in reference.text
    assert http.get("/docs.css").headers["content-type"].startswith("text/css")
    gone = http.get("/v1/nothing")
    assert (gone.status_code, gone.headers["content-type"]) == (404, "application/problem+json")
