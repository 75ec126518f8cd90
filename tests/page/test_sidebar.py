"""Sidebar: date groups, renaming, pinning, tags, archive, trash, undo, keyboard, and ten thousand conversations."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

import keepsaid
from keepsaid.testing import ManualClock

from .acting import choose, eventually, list_user_messages, row
from .conftest import RunningServer

Visit = Callable[..., Page]
MANY = 10_000


def fill(folder: Path, ages: dict[str, float]) -> None:
    """Conversations that were last used so many days ago."""
    clock = ManualClock()
    with keepsaid.open(folder / "chat.db", clock=clock, durable=False) as memory:
        for title, days in ages.items():
            clock.now = datetime.now(UTC) - timedelta(days=days)
            memory.chat(owner="me", title=title).add("user", f"About {title}.")


def field(running_server: RunningServer, session: str, name: str) -> object:
    return running_server.http.get(f"/v1/sessions/{session}").json()[name]


def menu(title: str) -> re.Pattern[str]:
    return re.compile(f"What to do with “{title}”")


def toast(page: Page, text: str) -> Locator:
    return page.locator(".toast").filter(has_text=text)


def test_sidebar_groups_conversations_by_date(tmp_path: Path, start: Callable[..., RunningServer], visit: Visit) -> None:
    fill(tmp_path, {"Of two months": 62, "Of this month": 20, "Of this week": 4, "Of yesterday": 1, "Of today": 0})
    page = visit(start())
    expect(row(page, "Of two months")).to_be_visible()
    lines = page.locator(".virtual-space").evaluate(
        """list => [...list.children]
            .map((row) => [row.getBoundingClientRect().top, row.innerText.trim()])
            .sort((one, other) => one[0] - other[0])
            .map(([_, text]) => text)"""
    )
    then = datetime.now(UTC) - timedelta(days=62)
    month = f"{then:%B}" if then.year == datetime.now(UTC).year else f"{then:%B %Y}"
    assert lines == [
        "Today", "Of today", "Yesterday", "Of yesterday", "Previous 7 days", "Of this week", "Previous 30 days",
        "Of this month", month, "Of two months",
    ]  # fmt: skip


def test_sidebar_row_shows_when_conversation_expires(
    tmp_path: Path, start: Callable[..., RunningServer], visit: Visit
) -> None:
    fill(tmp_path, {"Of last week": 6.5})
    page = visit(start(KEEPSAID_RETENTION_ACTIVE_DAYS="30"))
    expect(row(page, "Of last week")).to_contain_text("23 days")
    expect(row(page, "Of last week").get_by_label("expires in 23 days")).to_be_visible()


def hold(page: Page, address: str | re.Pattern[str]) -> Callable[[], Route]:
    """Holds the first request to read an address back. The function waits for it."""
    held: list[Route] = []
    page.route(address, lambda route: route.continue_() if held or route.request.method != "GET" else held.append(route))

    def first() -> Route:
        while not held:
            page.wait_for_timeout(20)
        return held[0]

    return first


def test_archive_list_shows_conversation_archived_while_loading(page: Page, running_server: RunningServer) -> None:
    with page.expect_response("**/v1/watch"):
        page.reload()
    request = hold(page, re.compile(r"/v1/sessions\?status=archived&limit=\d+$"))
    page.get_by_title("Which conversations").click()
    page.get_by_role("menuitemradio", name="Archive").click()
    stale = request().fetch()
    session = running_server.session("Made meanwhile", ("user", "Hello."))
    with page.expect_response(f"{running_server.url}/v1/sessions/{session}"):
        running_server.http.post(f"/v1/sessions/{session}/archive").raise_for_status()
    request().fulfill(response=stale)
    expect(row(page, "Made meanwhile")).to_be_visible()


def test_list_shows_conversation_created_before_watch_starts(page: Page, running_server: RunningServer) -> None:
    running_server.session("There already", ("user", "Hello."))
    watch = hold(page, "**/v1/watch")
    page.reload()
    expect(row(page, "There already")).to_be_visible()
    running_server.session("Made unwatched", ("user", "Hello."))
    watch().continue_()
    expect(row(page, "Made unwatched")).to_be_visible()


def test_conversation_is_renamed_inline(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("Old name", ("user", "Hello."))
    choose(page, row(page, "Old name"), menu("Old name"), "Rename")
    page.get_by_label("New title").fill("New name")
    page.keyboard.press("Enter")
    expect(row(page, "New name")).to_be_visible()
    assert eventually(lambda: field(running_server, session, "title") == "New name")


def test_escape_cancels_renaming(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("Kept name", ("user", "Hello."))
    row(page, "Kept name").get_by_role("link").focus()
    page.keyboard.press("F2")
    page.get_by_label("New title").fill("Something else")
    page.keyboard.press("Escape")
    expect(row(page, "Kept name")).to_be_visible()
    assert field(running_server, session, "title") == "Kept name"


def test_pinned_conversation_moves_to_top(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("To be pinned", ("user", "Hello."))
    running_server.session("Newer than that", ("user", "Hello."))
    choose(page, row(page, "To be pinned"), menu("To be pinned"), "Pin")
    expect(page.get_by_role("heading", name="Pinned")).to_be_visible()
    pinned = row(page, "To be pinned").bounding_box()
    newer = row(page, "Newer than that").bounding_box()
    assert pinned is not None
    assert newer is not None
    assert pinned["y"] < newer["y"]
    assert eventually(lambda: field(running_server, session, "pinned") is True)


def test_stale_response_does_not_revert_pinned_conversation(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("Pinned meanwhile", ("user", "Hello."))
    expect(row(page, "Pinned meanwhile")).to_be_visible()
    address = f"{running_server.url}/v1/sessions/{session}"
    request = hold(page, address)
    running_server.http.post(f"{address}/messages", json={"role": "user", "content": "Hello again."}).raise_for_status()
    stale = request().fetch()
    with page.expect_response(lambda response: response.request.method == "PATCH"):
        choose(page, row(page, "Pinned meanwhile"), menu("Pinned meanwhile"), "Pin")
    heading = page.get_by_role("heading", name="Pinned", exact=True)
    expect(heading).to_be_visible()
    page.evaluate(
        """() => {
            const isThere = () => [...document.querySelectorAll("h2")].some((one) => one.textContent === "Pinned");
            window.wasLost = false;
            const observer = new MutationObserver(() => (window.wasLost ||= !isThere()));
            observer.observe(document.body, { childList: true, subtree: true });
        }"""
    )
    request().fulfill(response=stale)
    page.wait_for_timeout(500)
    assert not page.evaluate("window.wasLost")


def test_conversations_can_be_tagged_and_filtered_by_tag(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("About trees", ("user", "Hello."))
    running_server.session("About stones", ("user", "Hello."))
    choose(page, row(page, "About trees"), menu("About trees"), "Tags")
    page.get_by_label("New tag").fill("garden")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Remove the tag garden")).to_be_visible()
    page.keyboard.press("Escape")
    assert eventually(lambda: field(running_server, session, "tags") == ["garden"])
    page.get_by_role("button", name="Filter by tag").click()
    page.get_by_role("menuitemradio", name="#garden").click()
    expect(row(page, "About stones")).to_have_count(0)
    expect(row(page, "About trees")).to_be_visible()
    page.get_by_role("button", name="#garden").click()
    expect(row(page, "About stones")).to_be_visible()


def test_conversation_can_be_archived_and_unarchived(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("Put away", ("user", "Hello."))
    choose(page, row(page, "Put away"), menu("Put away"), "Archive")
    expect(row(page, "Put away")).to_have_count(0)
    page.get_by_title("Which conversations").click()
    page.get_by_role("menuitemradio", name="Archive").click()
    choose(page, row(page, "Put away"), menu("Put away"), "Unarchive")
    expect(row(page, "Put away")).to_have_count(0)
    assert eventually(lambda: field(running_server, session, "status") == "active")


def test_undo_restores_deleted_conversation(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("Deleted by mistake", ("user", "Hello."))
    choose(page, row(page, "Deleted by mistake"), menu("Deleted by mistake"), "Delete")
    expect(row(page, "Deleted by mistake")).to_have_count(0)
    toast(page, "Deleted “Deleted by mistake”").get_by_role("button", name="Undo").click()
    expect(row(page, "Deleted by mistake")).to_be_visible()
    assert eventually(lambda: field(running_server, session, "status") == "active")


def test_conversation_can_be_restored_from_trash(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("In the trash", ("user", "Hello."))
    row(page, "In the trash").get_by_role("link").click()
    expect(list_user_messages(page)).to_contain_text("Hello.")
    row(page, "In the trash").get_by_role("link").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    page.get_by_title("Which conversations").click()
    page.get_by_role("menuitemradio", name="Trash").click()
    choose(page, row(page, "In the trash"), menu("In the trash"), "Restore")
    expect(row(page, "In the trash")).to_have_count(0)
    assert eventually(lambda: field(running_server, session, "status") == "active")


def test_arrow_keys_move_focus_and_enter_opens_conversation(page: Page, running_server: RunningServer) -> None:
    for title in ("Third", "Second", "First"):
        running_server.session(title, ("user", f"In the {title.lower()}."))
    expect(row(page, "First")).to_be_visible()
    row(page, "First").get_by_role("link").focus()
    page.keyboard.press("ArrowDown")
    expect(row(page, "Second").get_by_role("link")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(list_user_messages(page)).to_contain_text("In the third.")


def test_conversation_created_by_another_client_appears(page: Page, running_server: RunningServer) -> None:
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    running_server.session("Made elsewhere", ("user", "Hello."))
    expect(row(page, "Made elsewhere")).to_be_visible()


@pytest.fixture(scope="module")
def folder_with_many_chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crowded")
    with keepsaid.open(folder / "chat.db", durable=False) as memory:
        for number in range(MANY):
            memory.chat(owner="me", title=f"Conversation {number}")
    return folder


SCROLL = """async (list) => {
    const frame = () => new Promise(requestAnimationFrame);
    const costs = [];
    let most = 0;
    let steps = 0;
    let still = 0;
    while (still < 100 && steps < 20000) {
        const before = list.scrollTop;
        list.scrollTop += 500;
        const begun = performance.now();
        await frame();
        costs.push(performance.now() - begun);
        most = Math.max(most, list.querySelectorAll(".virtual-row").length);
        still = list.scrollTop === before ? still + 1 : 0;
        steps += 1;
    }
    costs.sort((one, other) => one - other);
    return { most, steps, middle: costs[Math.floor(costs.length / 2)] };
}"""


def test_ten_thousand_conversations_scroll_smoothly(folder_with_many_chats: Path, visit: Visit) -> None:
    running_server = RunningServer(folder_with_many_chats, None)
    try:
        page = visit(running_server)
        expect(row(page, f"Conversation {MANY - 1}")).to_be_visible()
        page.set_default_timeout(60_000)
        measured = page.locator(".virtual").evaluate(SCROLL)
        expect(row(page, "Conversation 0").filter(has_text=re.compile(r"^Conversation 0$"))).to_be_visible()
        assert measured["most"] < 100
        assert measured["middle"] < 50
        page.close()  # before its server: it complains of one that is gone
    finally:
        running_server.close()


def test_opened_conversation_in_trash_offers_restore(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("Thrown away", ("user", "Hello again."))
    running_server.http.delete(f"/v1/sessions/{session}").raise_for_status()
    page.get_by_title("Which conversations").click()
    page.get_by_role("menuitemradio", name="Trash").click()
    row(page, "Thrown away").get_by_role("link").click()
    page.get_by_role("button", name="Restore it").click()
    expect(list_user_messages(page)).to_contain_text("Hello again.")


def test_conversation_list_is_a_single_tab_stop(page: Page, running_server: RunningServer) -> None:
    for title in ("Stop three", "Stop two", "Stop one"):
        running_server.session(title, ("user", "Hello."))
    expect(row(page, "Stop one")).to_be_visible()
    stops = page.locator(".session-list").locator("a[tabindex='0'], button:not([tabindex='-1'])")
    expect(stops).to_have_count(1)
    stops.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link", name="Memory")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    expect(page.locator(".session-list a").first).to_be_focused()


@pytest.mark.parametrize("key", ["Shift+F10", "ContextMenu", "ArrowRight"])
def test_row_menu_opens_by_keyboard(page: Page, running_server: RunningServer, key: str) -> None:
    running_server.session(f"By {key}", ("user", "Hello."))
    link = row(page, f"By {key}").get_by_role("link")
    link.focus()
    page.keyboard.press(key)
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    page.keyboard.press("Escape")
    expect(link).to_be_focused()


def test_conversation_in_trash_can_be_erased_permanently(page: Page, running_server: RunningServer) -> None:
    session = running_server.session("Gone for good", ("user", "Hello."))
    running_server.http.delete(f"/v1/sessions/{session}").raise_for_status()
    page.get_by_title("Which conversations").click()
    page.get_by_role("menuitemradio", name="Trash").click()
    choose(page, row(page, "Gone for good"), menu("Gone for good"), "Delete permanently…")
    asked = page.get_by_role("dialog", name="Forget “Gone for good”")
    asked.get_by_role("button", name="Forget it permanently").click()
    expect(page.get_by_role("dialog", name="Forgotten")).to_contain_text("Conversations")
    page.keyboard.press("Escape")
    expect(row(page, "Gone for good")).to_have_count(0)
    trash = running_server.http.get("/v1/sessions", params={"status": "deleted", "limit": 200}).json()["items"]
    assert session not in {one["id"] for one in trash}


def test_tags_of_row_leave_room_for_title(page: Page, running_server: RunningServer) -> None:
    running_server.session(
        "Short title", ("user", "Hello."), tags=["a-long-tag-of-many-words", "another-long-tag-of-many-words"]
    )
    link = row(page, "Short title").get_by_role("link")
    share = link.evaluate("a => a.querySelector('.session-tags').offsetWidth / a.offsetWidth")
    assert share < 0.34
    assert link.locator(".session-title").evaluate("title => title.scrollWidth <= title.clientWidth")


def test_long_tag_menu_scrolls_within_window(page: Page, running_server: RunningServer) -> None:
    running_server.session("Many tags", ("user", "Hello."), tags=[f"tag{at}" for at in range(40)])
    expect(row(page, "Many tags")).to_be_visible()
    page.get_by_role("button", name="Filter by tag").click()
    shown = page.get_by_role("menu", name="Filter by tag")
    box = shown.bounding_box()
    assert box is not None
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 800
    assert shown.evaluate("menu => menu.scrollHeight > menu.clientHeight")
