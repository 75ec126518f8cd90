"""Settings and data: import with a preview, export, retention, memory mode, keys, and the current user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from .conftest import RunningServer
from .looks import is_fit_for_all, violations

Visit = Callable[..., Page]


def chats(count: int) -> bytes:
    """Conversations as JSON lines, each with a question and an answer."""
    talks = (
        [{"role": "user", "content": f"Question {number}?"}, {"role": "assistant", "content": f"Answer {number}."}]
        for number in range(count)
    )
    return "".join(json.dumps({"messages": talk}) + "\n" for talk in talks).encode()


def part(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title, exact=True)


def value(place: Locator, name: str) -> Locator:
    """What stands next to a name in a list of pairs."""
    return place.locator(f"dt:text-is('{name}') + dd")


def bring(page: Page, name: str, content: bytes) -> Locator:
    """Chooses a file to be imported."""
    box = part(page, "Import")
    box.get_by_label("Choose a file").set_input_files({"name": name, "mimeType": "", "buffer": content})
    return box


def sessions(running_server: RunningServer, **query: Any) -> list[dict[str, Any]]:
    return running_server.http.get("/v1/sessions", params={"limit": 200} | query).raise_for_status().json()["items"]


def test_import_shows_preview_before_storing_and_counts_after(start: Callable[..., RunningServer], visit: Visit) -> None:
    running_server = start()
    page = visit(running_server, "/settings")
    box = bring(page, "chats.jsonl", chats(30))
    expect(box.get_by_text("This would come in:")).to_be_visible()
    expect(value(box, "Format")).to_have_text("chats as JSON lines")
    expect(value(box, "Conversations")).to_have_text("30")
    expect(value(box, "Messages")).to_have_text("60")
    assert sessions(running_server) == []
    box.get_by_role("button", name="Import", exact=True).click()
    expect(box.get_by_text("Imported:")).to_be_visible()
    expect(value(box, "Messages")).to_have_text("60")
    assert len(sessions(running_server)) == 30
    expect(page.get_by_role("list", name="Conversations").get_by_role("link").first).to_be_visible()
    box.get_by_role("button", name="Done").click()
    bring(page, "chats.jsonl", chats(31))
    expect(value(box, "Already stored")).to_have_text("60")
    expect(value(box, "Conversations")).to_have_text("1")
    box.get_by_role("button", name="Cancel").click()
    expect(box.get_by_role("button", name="Choose a file")).to_be_visible()
    assert len(sessions(running_server)) == 30


def test_import_preview_lists_omitted_content(visit: Visit, running_server: RunningServer) -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    nodes = {
        "a": ("user", "Hello.", {}, None, ["b"]),
        "b": ("assistant", "Hi.", {}, "a", ["c"]),
        "c": ("system", "Unseen.", hidden, "b", []),
    }
    mapping = {
        id: {
            "id": id,
            "parent": parent,
            "children": children,
            "message": {
                "id": id,
                "author": {"role": role},
                "create_time": 1.7e9,
                "content": {"content_type": "text", "parts": [text]},
                "metadata": more,
            },
        }
        for id, (role, text, more, parent, children) in nodes.items()
    }
    page = visit(running_server, "/settings")
    told = json.dumps([{"id": "c1", "title": "Greeting", "create_time": 1.7e9, "mapping": mapping, "current_node": "b"}])
    box = bring(page, "conversations.json", told.encode())
    expect(value(box, "Format")).to_have_text("ChatGPT")
    expect(box.get_by_text("Would be left out:")).to_be_visible()
    expect(value(box, "hidden messages")).to_have_text("1")


def test_import_of_unknown_format_shows_reason(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/settings")
    box = bring(page, "notes.json", b'{"milk": 2}')
    expect(box.get_by_role("alert")).to_contain_text("holds no conversations in a known format")
    expect(box.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    box.get_by_role("button", name="Another file").click()
    expect(box.get_by_role("button", name="Choose a file")).to_be_visible()


def test_export_downloads_all_as_json_and_one_as_markdown(visit: Visit, running_server: RunningServer) -> None:
    running_server.session("Export me", ("user", "The parrot is green."), ("assistant", "Noted."))
    running_server.session("And me", ("user", "The cat is grey."))
    page = visit(running_server, "/settings")
    box = part(page, "Export")
    with page.expect_download() as taken:
        box.get_by_role("button", name="Export").click()
    everything = json.loads(Path(taken.value.path()).read_text("utf-8"))
    assert everything["format"] == "keepsaid"
    assert taken.value.suggested_filename.endswith(".json")
    box.get_by_label("Markdown").check()
    box.get_by_label("What").select_option(label="Export me")
    with page.expect_download() as taken:
        box.get_by_role("button", name="Export").click()
    text = Path(taken.value.path()).read_text("utf-8")
    assert taken.value.suggested_filename.endswith(".md")
    assert "The parrot is green." in text
    assert "The cat is grey." not in text


def test_memory_mode_persists_and_applies_to_chat(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/settings")
    expect(part(page, "Memory").get_by_label("On", exact=True)).to_be_checked()
    part(page, "Memory").get_by_label("Read-only").check()
    page.reload()
    expect(part(page, "Memory").get_by_label("Read-only")).to_be_checked()
    page.get_by_role("button", name="New chat").click()
    with page.expect_request("**/v1/chat") as asked:
        page.get_by_label("Message", exact=True).fill("Hello?")
        page.keyboard.press("Enter")
    assert asked.value.post_data_json["memory"] == "read_only"


def test_theme_setting_changes_background(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/settings", color_scheme="light")
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    part(page, "Appearance").get_by_label("Dark").check()
    assert page.evaluate(background) != light
    part(page, "Appearance").get_by_label("System").check()
    assert page.evaluate(background) == light


def test_retention_shows_policy_dry_run_and_clean_up(start: Callable[..., RunningServer], visit: Visit) -> None:
    running_server = start(KEEPSAID_RETENTION_ACTIVE_DAYS="0.000001", KEEPSAID_RETENTION_ARCHIVED_DAYS="off")
    session = running_server.session("Old", ("user", "Hello."))
    page = visit(running_server, "/settings")
    box = part(page, "Retention")
    expect(box).to_contain_text("An archived one is kept forever.")
    expect(box).to_contain_text("What is in the trash is removed permanently after 30 days.")
    box.get_by_role("button", name="Dry run").click()
    expect(box.get_by_text("A clean-up would now do this:")).to_be_visible()
    expect(value(box, "To the trash, unused")).to_have_text("1 conversation")
    assert running_server.http.get(f"/v1/sessions/{session}").json()["status"] == "active"
    box.get_by_role("button", name="Clean up now…").click()
    page.get_by_role("dialog", name="Clean up now?").get_by_role("button", name="Clean up").click()
    expect(box.get_by_text("The clean-up did this:")).to_be_visible()
    assert [one["id"] for one in sessions(running_server, status="deleted")] == [session]


def test_key_is_created_shown_once_and_revoked(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/settings", permissions=["clipboard-read", "clipboard-write"])
    box = part(page, "Keys")
    box.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New key")
    make = dialog.get_by_role("button", name="Create the key")
    expect(make).to_be_disabled()
    dialog.get_by_role("textbox", name="Name").fill("the laptop")
    dialog.get_by_role("textbox", name="User").fill("ann")
    dialog.get_by_label("Write, import and erase").uncheck()
    dialog.get_by_label("Valid until").fill("2199-12-31")
    assert violations(page) == []
    make.click()
    shown = page.get_by_role("dialog", name="The key “the laptop”")
    secret = shown.locator("code").inner_text()
    shown.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Key copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    shown.get_by_role("button", name="Done").click()
    expect(page.get_by_text(secret)).to_have_count(0)
    key = box.get_by_role("listitem").filter(has_text="the laptop")
    expect(key).to_contain_text("of ann")
    expect(key).to_contain_text("may read")
    expect(key).to_contain_text("2199")
    as_ann = {"Authorization": f"Bearer {secret}"}
    me = httpx.get(f"{running_server.url}/v1/me", headers=as_ann).json()
    assert (me["owner"], me["scopes"]) == ("ann", ["read"])
    key.get_by_role("button", name="Revoke “the laptop”…").click()
    page.get_by_role("dialog", name="Revoke this key?").get_by_role("button", name="Revoke").click()
    expect(key).to_have_count(0)
    assert httpx.get(f"{running_server.url}/v1/me", headers=as_ann).status_code == 401


def test_service_key_is_created_for_tenant(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/settings")
    part(page, "Keys").get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New key")
    dialog.get_by_role("textbox", name="Name").fill("the proxy")
    dialog.get_by_role("radio", name="A service").check()
    dialog.get_by_role("textbox", name="Tenant").fill("acme")
    dialog.get_by_role("button", name="Create the key").click()
    page.get_by_role("dialog", name="The key “the proxy”").get_by_role("button", name="Done").click()
    expect(part(page, "Keys").get_by_role("listitem").filter(has_text="the proxy")).to_contain_text("users of acme")
    made = running_server.http.get("/v1/admin/keys").json()["items"]
    assert [(key["tenant"], key["owner"]) for key in made if key["name"] == "the proxy"] == [("acme", None)]


def test_settings_hide_admin_parts_without_admin_scope(
    start: Callable[..., RunningServer], visit: Visit, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "keepsaid", "--db", str(tmp_path / "chat.db"), "--owner", "ann"]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("KEEPSAID_")}
    environment = inherited | {"HOME": str(tmp_path), "KEEPSAID_EMBEDDER": "off"}
    made = subprocess.run(
        [*command, "keys", "create", "laptop", "--json"], env=environment, capture_output=True, text=True, check=True
    )
    secret = json.loads(made.stdout)["secret"]
    running_server = start(KEEPSAID_SERVER_AUTH="on")
    page = visit(running_server, "/settings", extra_http_headers={"Authorization": f"Bearer {secret}"})
    expect(part(page, "About")).to_contain_text("ann")
    expect(part(page, "Import")).to_be_visible()
    expect(part(page, "Retention")).to_have_count(0)
    expect(part(page, "Keys")).to_have_count(0)


def test_about_shows_owner_model_tokenizer_and_version(visit: Visit, running_server: RunningServer) -> None:
    me = running_server.http.get("/v1/me").json()
    page = visit(running_server, "/settings")
    about = part(page, "About")
    expect(value(about, "You are")).to_contain_text(me["owner"])
    expect(value(about, "Language model")).to_have_text(me["llm"])
    expect(value(about, "Counts tokens by")).to_have_text(me["tokenizer"])
    expect(value(about, "Version")).to_contain_text(me["version"])
    about.get_by_role("link", name="reference of the API").click()
    page.wait_for_url(f"{running_server.url}/docs")


def test_settings_page_is_accessible_and_fits_every_screen(visit: Visit, running_server: RunningServer) -> None:
    key = {"name": "a" * 80, "owner": "ann"}
    running_server.http.post("/v1/admin/keys", json=key).raise_for_status()
    is_fit_for_all(visit, running_server, "/settings", "a" * 80)
