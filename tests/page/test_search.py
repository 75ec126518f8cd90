"""Search: Ctrl+K, prefixes, kinds, marked words, why it matched, and Enter to the message."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from .acting import said
from .conftest import Desk

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def talks(desk: Desk) -> dict[str, str]:
    """Some things to find."""
    found = {
        "sister": desk.session("Family", ("user", "My sister Ana moved to Lisbon."), ("assistant", "Lisbon is lovely.")),
        "shop": desk.session("Shop", ("user", "The shop in Lisbon closes at six."), tags=["errands"]),
        "long": desk.session(
            "Diary", *(("user", f"Day {at}: nothing but rain") for at in range(120)), ("user", "It snowed.")
        ),
    }
    desk.http.post("/v1/facts", json={"text": "User is allergic to hazelnuts", "kind": "identity"}).raise_for_status()
    name, kind = {"name": "guide.md"}, {"Content-Type": "text/markdown"}
    desk.http.post("/v1/documents", params=name, content=b"# Lisbon guide\n\nTram 28.", headers=kind).raise_for_status()
    return found


def find(page: Page, query: str) -> Locator:
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").fill(query)
    return page.get_by_role("option")


def test_ctrl_k_opens_and_escape_closes(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()
    expect(page.get_by_role("dialog", name="Search")).to_contain_text("before:")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()


def test_a_hit_shows_its_words_its_place_and_why(page: Page, talks: dict[str, str]) -> None:
    hit = find(page, "sister").filter(has_text="My sister")
    expect(hit).to_contain_text("Family")
    expect(hit.locator("mark")).to_have_text("sister")
    expect(hit.locator(".chip").first).to_have_text("matches 'sister'")
    expect(hit.locator("time")).to_be_visible()


def test_enter_jumps_to_the_message(page: Page, talks: dict[str, str], desk: Desk) -> None:
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
    message = next(one for one in desk.messages(talks["long"]) if one["text"] == chosen)
    assert page.url == f"{desk.url}/c/{talks['long']}/{message['id']}"
    expect(said(page).filter(has_text=chosen)).to_be_in_viewport()


def test_prefixes_narrow_it_down(page: Page, talks: dict[str, str]) -> None:
    hits = find(page, "lisbon role:assistant")
    expect(hits.filter(has_text="Lisbon is lovely.")).to_be_visible()
    expect(hits.filter(has_text="My sister")).to_have_count(0)
    page.get_by_role("combobox").fill("lisbon tag:errands")
    expect(hits.filter(has_text="closes at six")).to_be_visible()
    expect(hits.filter(has_text="lovely")).to_have_count(0)
    page.get_by_role("combobox").fill("lisbon -shop")
    expect(hits.filter(has_text="My sister")).to_be_visible()
    expect(hits.filter(has_text="closes at six")).to_have_count(0)


def test_kinds_can_be_chosen(page: Page, talks: dict[str, str]) -> None:
    hits = find(page, "lisbon")
    expect(hits.filter(has_text="Tram 28")).to_be_visible()
    expect(hits.filter(has_text="My sister")).to_be_visible()
    page.get_by_role("button", name="Documents").click()
    expect(hits.filter(has_text="My sister")).to_have_count(0)
    expect(hits.filter(has_text="Tram 28")).to_be_visible()


def test_facts_and_documents_lead_to_their_pages(page: Page, talks: dict[str, str]) -> None:
    expect(find(page, "hazelnuts").filter(has_text="hazelnuts")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory#fact-*")
    expect(page.get_by_role("heading", level=1)).to_have_text("What it knows about me")
    hits = find(page, "tram 28")
    page.get_by_role("button", name="Documents").last.click()
    hits.filter(has_text="Tram 28").click()
    page.wait_for_url("**/documents#*")


def test_nothing_found_says_so(page: Page) -> None:
    find(page, "zyzzyva")
    expect(page.get_by_role("dialog").get_by_text("Nothing was found.")).to_be_visible()


def test_the_address_can_carry_a_query(desk: Desk, visit: Visit, talks: dict[str, str]) -> None:
    page = visit(desk, "/?q=sister")
    expect(page.get_by_role("combobox", name="Search")).to_have_value("sister")
    expect(page.get_by_role("option").first).to_be_visible()


def test_a_long_title_is_cut(page: Page, desk: Desk) -> None:
    desk.session("A title of very many words " * 6, ("user", "The xylophone is in the attic."))
    hit = find(page, "xylophone").first
    expect(hit.locator("time")).to_be_in_viewport(ratio=1)
    assert hit.locator(".hit-title").evaluate("title => title.scrollWidth > title.clientWidth")
    assert hit.evaluate("hit => hit.scrollWidth <= hit.clientWidth")
