"""What it knows about me: facts with their sources and history, summaries, and forgetting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .acting import say, settled
from .conftest import Desk, Model
from .looks import is_fit_for_all, overflow, violations

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
    page.get_by_label("Kind").select_option(label="Plans and projects")
    page.get_by_role("button", name="Add", exact=True).click()
    group = page.get_by_role("region", name="Plans and projects")
    expect(group.get_by_text("Has to call the plumber")).to_be_visible()
    expect(group).to_contain_text("written by hand")
    assert [fact["kind"] for fact in facts(desk) if fact["text"] == "Has to call the plumber"] == ["project"]
    remember(desk, "Has to water the plants", kind="project")
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


@pytest.fixture
def profiled(start: Callable[..., Desk], model: Model) -> Desk:
    """A server whose owner has a profile of two lines, and nothing else."""
    model.lines.clear()
    desk = start(model)
    desk.session("Units", ("user", "I live in Lisbon. From now on use metric units."))
    wait_until(lambda: len(facts(desk)) == 2)
    return desk


def given(page: Page, desk: Desk, model: Model) -> str:
    """The system message of a new conversation."""
    page.goto(desk.url)
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    say(page, "What is new?")
    settled(page)
    sent = next(body for _, _, body in reversed(model.server.requests) if body.get("stream"))["messages"]
    return sent[0]["content"] if sent[0]["role"] == "system" else ""


def test_the_profile_shows_its_lines_their_tokens_and_their_source(profiled: Desk, visit: Visit, model: Model) -> None:
    page = visit(profiled, "/memory")
    page.get_by_role("tab", name="Always given 2").click()
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(["Standing instructions", "About you"])
    units = page.get_by_role("region", name="Standing instructions")
    expect(units.locator(".fact-text")).to_have_text('The user asks: "From now on use metric units"')
    made = profiled.http.get("/v1/profile").json()
    expect(page.locator(".profile-usage")).to_have_text(f"{made['tokens']} of 300 tokens")
    units.get_by_role("link", name="source").click()
    line = made["lines"][0]
    page.wait_for_url(f"{profiled.url}/c/{line['session']}/{line['messages'][0]}")
    expect(page.get_by_text("From now on use metric units.")).to_be_visible()
    told = given(page, profiled, model)
    assert all(one["text"] in told for one in made["lines"])


def test_a_hidden_line_leaves_prompts_and_comes_back(profiled: Desk, visit: Visit, model: Model) -> None:
    page = visit(profiled, "/memory#profile")
    press(card(page, "User lives in Lisbon"), "Hide")
    expect(card(page, "User lives in Lisbon")).to_have_count(0)
    expect(page.get_by_text("Kept out of prompts: “User lives in Lisbon”")).to_be_visible()
    assert "Lisbon" not in given(page, profiled, model)
    page.goto(f"{profiled.url}/memory#profile")
    page.get_by_text("Hidden: kept out of all prompts (1)").click()
    page.get_by_role("button", name="Unhide").click()
    expect(card(page, "User lives in Lisbon")).to_be_visible()
    press(card(page, "User lives in Lisbon"), "Hide")
    expect(card(page, "User lives in Lisbon")).to_have_count(0)
    page.locator(".toast", has_text="Kept out").get_by_role("button", name="Undo").click()
    expect(card(page, "User lives in Lisbon")).to_be_visible()
    assert "Lisbon" in given(page, profiled, model)


def test_a_hidden_fact_says_so_among_the_facts(profiled: Desk, visit: Visit) -> None:
    page = visit(profiled, "/memory")
    press(card(page, "User lives in Lisbon"), "Hide")
    expect(card(page, "User lives in Lisbon")).to_contain_text("kept out of prompts")
    press(card(page, "User lives in Lisbon"), "Hidden")
    expect(card(page, "User lives in Lisbon")).not_to_contain_text("kept out of prompts")
    wait_until(lambda: len(profiled.http.get("/v1/profile").json()["lines"]) == 2)


def test_a_line_is_edited_and_pinned_and_each_change_can_be_undone(profiled: Desk, visit: Visit, model: Model) -> None:
    page = visit(profiled, "/memory#profile")
    instruction = card(page, 'The user asks: "From now on use metric units"')
    press(instruction, "Pin: put it in every prompt")
    expect(instruction).to_contain_text("pinned")
    press(instruction, "Edit")
    expect(page.get_by_label("Say it in other words")).to_have_value("From now on use metric units")
    page.get_by_label("Say it in other words").fill("Use imperial units")
    page.keyboard.press("Enter")
    edited = card(page, 'The user asks: "Use imperial units"')
    expect(edited.get_by_role("button", name="Edit")).to_be_focused()
    assert '"Use imperial units"' in given(page, profiled, model)
    page.goto(f"{profiled.url}/memory#profile")
    press(edited, "Changes")
    dialog = page.get_by_role("dialog", name="Changes of this fact")
    told = dialog.get_by_role("listitem")
    expect(told).to_contain_text(
        ["Changed “From now on use metric units” to “Use imperial units”", "Pinned “From now on use metric units”"]
    )
    assert violations(page) == []
    told.first.get_by_role("button", name="Undo").click()
    expect(told.first).to_contain_text("undone")
    page.keyboard.press("Escape")
    expect(instruction).to_contain_text("pinned")
    page.get_by_role("button", name="Changes").first.click()
    told = page.get_by_role("dialog", name="Changes of facts").get_by_role("listitem")
    told.filter(has_text="Pinned").get_by_role("button", name="Undo").click()
    expect(told.filter(has_text="Pinned")).to_contain_text("undone")
    page.keyboard.press("Escape")
    expect(instruction).not_to_contain_text("pinned")


def test_a_change_that_cannot_be_undone_says_why(profiled: Desk, visit: Visit) -> None:
    page = visit(profiled, "/memory#profile", broken=True)
    for text in ("User lives in Porto", "User lives in Faro"):
        press(page.get_by_role("region", name="About you").locator("li.fact"), "Edit")
        page.get_by_label("Say it in other words").fill(text)
        page.keyboard.press("Enter")
        expect(card(page, text)).to_be_visible()
    press(card(page, "User lives in Faro"), "Changes")
    dialog = page.get_by_role("dialog", name="Changes of this fact")
    dialog.get_by_role("button", name="Undo").last.click()
    expect(dialog.get_by_role("alert")).to_contain_text("take back the later change first")


def test_the_profile_is_worked_by_keyboard_alone(profiled: Desk, visit: Visit) -> None:
    page = visit(profiled, "/memory")
    page.get_by_role("tab", name="Facts").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Always given")).to_be_focused()
    first = page.locator("li.fact").first.get_by_role("button", name="Hide")
    while not first.evaluate("button => button === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(card(page, "User lives in Lisbon").get_by_role("button", name="Hide")).to_be_focused()


def test_a_profile_without_lines_says_how_to_get_some(start: Callable[..., Desk], visit: Visit) -> None:
    desk = start()
    page = visit(desk, "/memory#profile")
    expect(page.get_by_text("Nothing is always given yet")).to_be_visible()
    assert violations(page) == []


def test_a_profile_that_cannot_be_loaded_can_be_tried_again(profiled: Desk, visit: Visit) -> None:
    page = visit(profiled, broken=True)
    page.route("**/v1/profile", lambda route: route.abort())
    page.goto(f"{profiled.url}/memory#profile")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(card(page, "User lives in Lisbon")).to_be_visible()


def test_the_profile_is_fit_for_all(profiled: Desk, visit: Visit) -> None:
    remember(profiled, "Is allergic to nuts and to everything else that grows on trees in hot countries", kind="constraint")
    hidden = remember(profiled, "Likes tea", kind="preference")
    profiled.http.patch(f"/v1/facts/{hidden}", json={"hidden": True}).raise_for_status()
    is_fit_for_all(visit, profiled, "/memory#profile", "User lives in Lisbon")
    page = visit(profiled, "/memory#profile", viewport={"width": 360, "height": 740})
    page.get_by_text("Hidden: kept out of all prompts (1)").click()
    press(card(page, "User lives in Lisbon"), "Edit")
    assert violations(page) + overflow(page) == []


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
