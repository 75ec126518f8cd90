"""Search: Ctrl+K, prefixes, kinds, highlighted words, reasons of matches, and Enter to open a message."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from .acting import list_user_messages
from .conftest import RunningServer

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def talks(running_server: RunningServer) -> dict[str, str]:
    """Some things to find."""
    found = {
        "sister": running_server.session(
            "Family", ("user", "My sister Ana moved to Lisbon."), ("assistant", "Lisbon is lovely.")
        ),
        "shop": running_server.session("Shop", ("user", "The shop in Lisbon closes at six."), tags=["errands"]),
        "long": running_server.session(
            "Diary", *(("user", f"Day {at}: nothing but rain") for at in range(120)), ("user", "It snowed.")
        ),
    }
    running_server.http.post(
        "/v1/facts", json={"text": "User is allergic to hazelnuts", "kind": "identity"}
    ).raise_for_status()
    name, kind = {"name": "guide.md"}, {"Content-Type": "text/markdown"}
    running_server.http.post(
        "/v1/documents", params=name, content=b"# Lisbon guide\n\nTram 28.", headers=kind
    ).raise_for_status()
    return found


def find(page: Page, query: str) -> Locator:
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").fill(query)
    return page.get_by_role("option")


def test_ctrl_k_opens_search_and_escape_closes_search(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()
    expect(page.get_by_role("dialog", name="Search")).to_contain_text("before:")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()


def test_search_hit_shows_matched_words_session_and_reason(page: Page, talks: dict[str, str]) -> None:
    hit = find(page, "sister").filter(has_text="My sister")
    expect(hit).to_contain_text("Family")
    expect(hit.locator("mark")).to_have_text("sister")
    expect(hit.locator(".chip").first).to_have_text("matches 'sister'")
    expect(hit.locator("time")).to_be_visible()


def test_enter_opens_message_of_selected_hit(page: Page, talks: dict[str, str], running_server: RunningServer) -> None:
    hits = find(page, "rain day 7")
    page.get_by_role("button", name="Messages").click()
    expect(page.get_by_role("combobox")).to_be_focused()
    expect(hits.first).to_contain_text("Day 7: nothing but rain")
    expect(hits.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(hits.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    chosen = hits.first.locator(".hit-text").inner_text()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    message = next(one for one in running_server.messages(talks["long"]) if one["text"] == chosen)
    assert page.url == f"{running_server.url}/c/{talks['long']}/{message['id']}"
    expect(list_user_messages(page).filter(has_text=chosen)).to_be_in_viewport()


def test_search_prefixes_narrow_results(page: Page, talks: dict[str, str]) -> None:
    hits = find(page, "lisbon role:assistant")
    expect(hits.filter(has_text="Lisbon is lovely.")).to_be_visible()
    expect(hits.filter(has_text="My sister")).to_have_count(0)
    page.get_by_role("combobox").fill("lisbon tag:errands")
    expect(hits.filter(has_text="closes at six")).to_be_visible()
    expect(hits.filter(has_text="lovely")).to_have_count(0)
    page.get_by_role("combobox").fill("lisbon -shop")
    expect(hits.filter(has_text="My sister")).to_be_visible()
    expect(hits.filter(has_text="closes at six")).to_have_count(0)


def test_search_can_be_limited_to_one_kind(page: Page, talks: dict[str, str]) -> None:
    hits = find(page, "lisbon")
    expect(hits.filter(has_text="Tram 28")).to_be_visible()
    expect(hits.filter(has_text="My sister")).to_be_visible()
    page.get_by_role("button", name="Documents").click()
    expect(hits.filter(has_text="My sister")).to_have_count(0)
    expect(hits.filter(has_text="Tram 28")).to_be_visible()


def test_fact_and_document_hits_open_their_pages(page: Page, talks: dict[str, str]) -> None:
    expect(find(page, "hazelnuts").filter(has_text="hazelnuts")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory#fact-*")
    expect(page.get_by_role("heading", level=1)).to_have_text("What it knows about me")
    hits = find(page, "tram 28")
    page.get_by_role("button", name="Documents").last.click()
    hits.filter(has_text="Tram 28").click()
    page.wait_for_url("**/documents#*")


def test_search_without_hits_says_nothing_was_found(page: Page) -> None:
    find(page, "zyzzyva")
    expect(page.get_by_role("dialog").get_by_text("Nothing was found.")).to_be_visible()


def test_search_opens_with_query_from_url(running_server: RunningServer, visit: Visit, talks: dict[str, str]) -> None:
    page = visit(running_server, "/?q=sister")
    expect(page.get_by_role("combobox", name="Search")).to_have_value("sister")
    expect(page.get_by_role("option").first).to_be_visible()


def test_long_title_of_search_hit_is_truncated(page: Page, running_server: RunningServer) -> None:
    running_server.session("A title of very many words " * 6, ("user", "The xylophone is in the attic."))
    hit = find(page, "xylophone").first
    expect(hit.locator("time")).to_be_in_viewport(ratio=1)
    assert hit.locator(".hit-title").evaluate("title => title.scrollWidth > title.clientWidth")
    assert hit.evaluate("hit => hit.scrollWidth <= hit.clientWidth")
