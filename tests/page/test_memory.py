"""What it knows about me: facts with their sources and history, summaries, and forgetting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Desk
from .looks import is_fit_for_all, violations

Visit = Callable[..., Page]


def facts(desk: Desk, **query: Any) -> list[dict[str, Any]]:
    return desk.http.get("/v1/facts", params={"limit": 1000} | query).raise_for_status().json()["items"]


def texts(desk: Desk, **query: Any) -> set[str]:
    return {fact["text"] for fact in facts(desk, **query)}


def remember(desk: Desk, text: str, **fields: Any) -> str:
    return desk.http.post("/v1/facts", json={"text": text} | fields).raise_for_status().json()["id"]


def wait_until(holds: Callable[[], bool], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


def long_talk(desk: Desk, title: str, thing: str = "chairs") -> str:
    """A conversation that is long enough to be summarised, and is."""
    lines = [("user", f"I bought {number} {thing} for {20 + number} euros.") for number in range(40)]
    session = desk.session(title, *lines)
    wait_until(lambda: bool(desk.http.get("/v1/summaries", params={"session": session}).json()["items"]))
    return session


def card(page: Page, text: str) -> Locator:
    """The current fact with this text."""
    return page.locator("li.fact", has=page.locator(".fact-text", has_text=re.compile(f"^{re.escape(text)}$")))


def press(card: Locator, name: str) -> None:
    card.locator(".fact-actions").get_by_role("button", name=name).click()


@pytest.fixture(scope="module")
def moved(desk: Desk) -> str:
    """A conversation from which a fact was drawn that another took the place of."""
    session = desk.session("Moving", ("user", "I live in Lisbon."))
    wait_until(lambda: "User lives in Lisbon" in texts(desk))
    desk.http.post(
        f"/v1/sessions/{session}/messages", json={"role": "user", "content": "I moved to Porto."}
    ).raise_for_status()
    wait_until(lambda: "User moved to Porto" in texts(desk))
    return session


def test_a_fact_shows_its_kind_its_source_and_what_was_so_before(visit: Visit, desk: Desk, moved: str) -> None:
    page = visit(desk, "/memory")
    group = page.get_by_role("region", name="About you")
    porto = group.locator("li.fact", has_text="User moved to Porto")
    expect(porto).to_contain_text("since today")
    expect(porto).to_contain_text(re.compile(r"\d+ % sure"))
    older = porto.get_by_text("User lives in Lisbon")
    expect(older).to_be_hidden()
    porto.get_by_text("Before: 1 older version").click()
    expect(older).to_be_visible()
    assert "User lives in Lisbon" not in texts(desk)
    porto.get_by_role("link", name="source of “User lives in Lisbon”").click()
    first = desk.messages(moved)[0]["id"]
    page.wait_for_url(f"{desk.url}/c/{moved}/{first}")


def test_a_fact_is_said_in_other_words_and_the_old_ones_are_kept(visit: Visit, desk: Desk) -> None:
    remember(desk, "Likes tee", kind="preference")
    page = visit(desk, "/memory")
    press(card(page, "Likes tee"), "Edit")
    field = page.get_by_label("Say it in other words")
    expect(field).to_be_focused()
    field.fill("never mind")
    page.keyboard.press("Escape")
    expect(card(page, "Likes tee")).to_be_visible()
    press(card(page, "Likes tee"), "Edit")
    page.get_by_label("Say it in other words").fill("Likes tea")
    page.keyboard.press("Enter")
    changed = card(page, "Likes tea")
    expect(changed.get_by_role("button", name="Edit")).to_be_focused()
    changed.get_by_text("Before: 1 older version").click()
    expect(changed.get_by_text("Likes tee")).to_be_visible()
    assert "Likes tea" in texts(desk)
    assert "Likes tee" not in texts(desk)


def test_a_fact_is_pinned(visit: Visit, desk: Desk) -> None:
    remember(desk, "Wants short answers", kind="preference")
    page = visit(desk, "/memory")
    press(card(page, "Wants short answers"), "Pin: put it in every prompt")
    expect(card(page, "Wants short answers")).to_contain_text("in every prompt")
    wait_until(lambda: any(fact["pinned"] for fact in facts(desk) if fact["text"] == "Wants short answers"))
    press(card(page, "Wants short answers"), "Pinned")
    wait_until(lambda: not any(fact["pinned"] for fact in facts(desk) if fact["text"] == "Wants short answers"))


def test_a_deletion_can_be_undone(visit: Visit, desk: Desk) -> None:
    remember(desk, "Plays the cello")
    page = visit(desk, "/memory")
    press(card(page, "Plays the cello"), "Delete")
    expect(card(page, "Plays the cello")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(card(page, "Plays the cello")).to_be_visible()
    assert "Plays the cello" in texts(desk)


def test_a_deletion_is_final_when_its_note_is_gone(visit: Visit, desk: Desk) -> None:
    remember(desk, "Plays the flute")
    page = visit(desk, "/memory")
    press(card(page, "Plays the flute"), "Delete")
    expect(page.get_by_text("Deleted “Plays the flute”")).to_be_visible()
    assert "Plays the flute" in texts(desk)
    page.get_by_role("button", name="Dismiss").click()
    wait_until(lambda: "Plays the flute" not in texts(desk, history=True))
    page.reload()
    expect(page.get_by_role("tab", name="Facts")).to_contain_text(str(len(facts(desk))))
    expect(card(page, "Plays the flute")).to_have_count(0)


def test_a_deletion_takes_the_older_versions_along(visit: Visit, desk: Desk) -> None:
    old = remember(desk, "Owns a red bike")
    desk.http.patch(f"/v1/facts/{old}", json={"text": "Owns a blue bike"}).raise_for_status()
    page = visit(desk, "/memory")
    press(card(page, "Owns a blue bike"), "Delete")
    expect(page.get_by_text("Deleted “Owns a blue bike” and what was so before (1)")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    wait_until(lambda: not {"Owns a blue bike", "Owns a red bike"} & texts(desk, history=True))


def test_a_deletion_is_final_when_the_page_is_left(visit: Visit, desk: Desk) -> None:
    remember(desk, "Plays the harp")
    page = visit(desk, "/memory")
    press(card(page, "Plays the harp"), "Delete")
    expect(card(page, "Plays the harp")).to_have_count(0)
    page.goto(f"{desk.url}/docs")
    wait_until(lambda: "Plays the harp" not in texts(desk, history=True))


def test_a_fact_is_added_and_found_by_the_filter(visit: Visit, desk: Desk) -> None:
    page = visit(desk, "/memory")
    page.get_by_role("button", name="Add a fact").click()
    page.get_by_label("What should be remembered?").fill("Has to call the plumber")
    page.get_by_label("Kind").select_option(label="To do")
    page.get_by_role("button", name="Add", exact=True).click()
    group = page.get_by_role("region", name="To do")
    expect(group.get_by_text("Has to call the plumber")).to_be_visible()
    expect(group).to_contain_text("written by hand")
    assert [fact["kind"] for fact in facts(desk) if fact["text"] == "Has to call the plumber"] == ["task"]
    remember(desk, "Has to water the plants", kind="task")
    page.reload()
    expect(card(page, "Has to water the plants")).to_be_visible()
    page.get_by_label("Filter the facts").fill("plumber CALL")
    expect(page.locator("li.fact")).to_have_count(1)
    page.get_by_label("Filter the facts").fill("nobody said this")
    expect(page.get_by_text("No fact has these words")).to_be_visible()


def test_the_address_of_a_fact_leads_to_it(visit: Visit, desk: Desk) -> None:
    old = remember(desk, "Drives a van")
    desk.http.patch(f"/v1/facts/{old}", json={"text": "Drives a lorry"}).raise_for_status()
    page = visit(desk, f"/memory#fact-{old}", viewport={"width": 1000, "height": 400})
    expect(page.get_by_text("Drives a van")).to_be_in_viewport()


def test_what_was_said_meanwhile_is_shown(visit: Visit, desk: Desk) -> None:
    page = visit(desk, "/memory")
    expect(page.get_by_role("tab", name="Facts")).to_be_visible()
    desk.session("Work", ("user", "I work as a nurse."))
    expect(card(page, "User works as a nurse")).to_be_visible(timeout=20_000)


def test_a_summary_says_what_it_covers(visit: Visit, desk: Desk) -> None:
    session = long_talk(desk, "Chairs")
    told = desk.http.get("/v1/summaries", params={"session": session}).json()["items"][0]
    page = visit(desk, "/memory")
    page.get_by_role("tab", name="Summaries").click()
    entry = page.get_by_role("main").get_by_role("listitem").filter(has=page.get_by_role("link", name="Chairs"))
    expect(entry).to_contain_text(f"covers {told['messages']} messages up to this one")
    expect(entry).to_contain_text(told["text"].splitlines()[0])
    entry.get_by_role("link", name="this one").click()
    page.wait_for_url(f"{desk.url}/c/{session}/{told['upto']}")


@pytest.mark.parametrize("with_facts", [True, False])
def test_one_conversation_is_forgotten_with_or_without_its_facts(visit: Visit, desk: Desk, with_facts: bool) -> None:
    title = f"Forgettable {with_facts}"
    session = long_talk(desk, title, "tables" if with_facts else "shelves")
    wait_until(lambda: any(fact["session"] == session for fact in facts(desk)))
    drawn = {fact["text"] for fact in facts(desk) if fact["session"] == session}
    page = visit(desk, "/memory")
    page.get_by_role("tab", name="Summaries").click()
    page.get_by_role("button", name=f"Forget “{title}” for good…").click()
    dialog = page.get_by_role("dialog", name=f"Forget “{title}”")
    asked = dialog.get_by_label("Forget the facts drawn from it, too")
    expect(asked).to_be_checked()
    asked.set_checked(with_facts)
    dialog.get_by_role("button", name="Forget it for good").click()
    receipt = page.get_by_role("dialog", name="Forgotten")
    expect(receipt.locator("dt:text-is('Messages') + dd")).to_have_text("40")
    expect(receipt.locator("dt:text-is('Still to be done') + dd")).to_have_text("nothing")
    receipt.locator("footer").get_by_role("button", name="Close").click()
    expect(page.get_by_role("link", name=title)).to_have_count(0)
    assert desk.http.get(f"/v1/sessions/{session}").status_code == 404
    assert bool(drawn & texts(desk)) is not with_facts
    assert not any(fact["session"] == session for fact in facts(desk, history=True))


@pytest.mark.parametrize("with_facts", [True, False])
def test_everything_is_forgotten_only_when_it_is_typed_out(
    start: Callable[..., Desk], visit: Visit, with_facts: bool
) -> None:
    desk = start()
    desk.session("One", ("user", "Hello."), ("assistant", "Hi."))
    remember(desk, "Likes tea")
    page = visit(desk, "/memory")
    page.get_by_role("button", name="Forget everything…").click()
    dialog = page.get_by_role("dialog", name="Forget everything")
    really = dialog.get_by_role("button", name="Forget everything")
    expect(really).to_be_disabled()
    dialog.get_by_label("Type “forget everything” to confirm").fill("forget everythin")
    expect(really).to_be_disabled()
    expect(dialog.get_by_label("Forget the facts about me, too")).to_be_checked()
    dialog.get_by_label("Forget the facts about me, too").set_checked(with_facts)
    dialog.get_by_label("Type “forget everything” to confirm").fill("forget everything")
    really.click()
    receipt = page.get_by_role("dialog", name="Forgotten")
    expect(receipt.locator("dt:text-is('Conversations') + dd")).to_have_text("1")
    expect(receipt.locator("dt:text-is('Messages') + dd")).to_have_text("2")
    expect(receipt.locator("dt:text-is('Looked at, and gone from') + dd")).not_to_have_text("nothing")
    assert violations(page) == []
    receipt.locator("footer").get_by_role("button", name="Close").click()
    expect(page.get_by_text("No conversations yet")).to_be_visible()
    assert desk.http.get("/v1/sessions").json()["items"] == []
    if with_facts:
        expect(page.get_by_text("Nothing is known about you yet")).to_be_visible()
        assert facts(desk, history=True) == []
    else:
        expect(card(page, "Likes tea")).to_be_visible()
        assert texts(desk) == {"Likes tea"}


def test_it_is_fit_for_all(visit: Visit, desk: Desk, moved: str) -> None:
    is_fit_for_all(visit, desk, "/memory", "User moved to Porto")


def test_the_summaries_and_the_question_are_fit_for_all(visit: Visit, desk: Desk) -> None:
    long_talk(desk, "Fit")
    page = visit(desk, "/memory", viewport={"width": 360, "height": 740})
    page.get_by_role("button", name="Add a fact").click()
    page.get_by_role("tab", name="Summaries").click()
    page.get_by_role("button", name="Forget “Fit” for good…").click()
    expect(page.get_by_role("dialog", name="Forget “Fit”")).to_be_visible()
    assert violations(page) == []
