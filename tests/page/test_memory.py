"""The memory page: facts with their sources and history, the profile, summaries, and forgetting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .acting import say, wait_for_answer
from .conftest import Model, RunningServer
from .looks import is_fit_for_all, overflow, violations

Visit = Callable[..., Page]


def facts(running_server: RunningServer, **query: Any) -> list[dict[str, Any]]:
    return running_server.http.get("/v1/facts", params={"limit": 1000} | query).raise_for_status().json()["items"]


def texts(running_server: RunningServer, **query: Any) -> set[str]:
    return {fact["text"] for fact in facts(running_server, **query)}


def remember(running_server: RunningServer, text: str, **fields: Any) -> str:
    return running_server.http.post("/v1/facts", json={"text": text} | fields).raise_for_status().json()["id"]


def wait_until(holds: Callable[[], bool], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


def long_talk(running_server: RunningServer, title: str, thing: str = "chairs") -> str:
    """A conversation that is long enough to be summarised, and is."""
    lines = [("user", f"I bought {number} {thing} for {20 + number} euros.") for number in range(40)]
    session = running_server.session(title, *lines)
    wait_until(lambda: bool(running_server.http.get("/v1/summaries", params={"session": session}).json()["items"]))
    return session


def card(page: Page, text: str) -> Locator:
    """The current fact with this text."""
    return page.locator("li.fact", has=page.locator(".fact-text", has_text=re.compile(f"^{re.escape(text)}$")))


def press(card: Locator, name: str) -> None:
    card.locator(".fact-actions").get_by_role("button", name=name).click()


@pytest.fixture(scope="module")
def session_with_replaced_fact(running_server: RunningServer) -> str:
    """A conversation from which a fact was drawn that another took the place of."""
    session = running_server.session("Moving", ("user", "I live in Lisbon."))
    wait_until(lambda: "User lives in Lisbon" in texts(running_server))
    running_server.http.post(
        f"/v1/sessions/{session}/messages", json={"role": "user", "content": "I moved to Porto."}
    ).raise_for_status()
    wait_until(lambda: "User moved to Porto" in texts(running_server))
    return session


def test_fact_shows_kind_source_and_older_version(
    visit: Visit, running_server: RunningServer, session_with_replaced_fact: str
) -> None:
    page = visit(running_server, "/memory")
    group = page.get_by_role("region", name="About you")
    porto = group.locator("li.fact", has_text="User moved to Porto")
    expect(porto).to_contain_text("since today")
    expect(porto).to_contain_text(re.compile(r"\d+ % sure"))
    older = porto.get_by_text("User lives in Lisbon")
    expect(older).to_be_hidden()
    porto.get_by_text("Before: 1 older version").click()
    expect(older).to_be_visible()
    assert "User lives in Lisbon" not in texts(running_server)
    porto.get_by_role("link", name="source of “User lives in Lisbon”").click()
    first = running_server.messages(session_with_replaced_fact)[0]["id"]
    page.wait_for_url(f"{running_server.url}/c/{session_with_replaced_fact}/{first}")


def test_editing_fact_keeps_older_version(visit: Visit, running_server: RunningServer) -> None:
    remember(running_server, "Likes tee", kind="preference")
    page = visit(running_server, "/memory")
    press(card(page, "Likes tee"), "Edit")
    field = page.get_by_label("New wording")
    expect(field).to_be_focused()
    field.fill("never mind")
    page.keyboard.press("Escape")
    expect(card(page, "Likes tee")).to_be_visible()
    press(card(page, "Likes tee"), "Edit")
    page.get_by_label("New wording").fill("Likes tea")
    page.keyboard.press("Enter")
    changed = card(page, "Likes tea")
    expect(changed.get_by_role("button", name="Edit")).to_be_focused()
    changed.get_by_text("Before: 1 older version").click()
    expect(changed.get_by_text("Likes tee")).to_be_visible()
    assert "Likes tea" in texts(running_server)
    assert "Likes tee" not in texts(running_server)


def test_fact_can_be_pinned_and_unpinned(visit: Visit, running_server: RunningServer) -> None:
    remember(running_server, "Wants short answers", kind="preference")
    page = visit(running_server, "/memory")
    press(card(page, "Wants short answers"), "Pin: put it in every prompt")
    expect(card(page, "Wants short answers")).to_contain_text("in every prompt")
    wait_until(lambda: any(fact["pinned"] for fact in facts(running_server) if fact["text"] == "Wants short answers"))
    press(card(page, "Wants short answers"), "Pinned")
    wait_until(lambda: not any(fact["pinned"] for fact in facts(running_server) if fact["text"] == "Wants short answers"))


def test_fact_deletion_can_be_undone(visit: Visit, running_server: RunningServer) -> None:
    remember(running_server, "Plays the cello")
    page = visit(running_server, "/memory")
    press(card(page, "Plays the cello"), "Delete")
    expect(card(page, "Plays the cello")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(card(page, "Plays the cello")).to_be_visible()
    assert "Plays the cello" in texts(running_server)


def test_fact_deletion_is_final_after_dismissing_notice(visit: Visit, running_server: RunningServer) -> None:
    remember(running_server, "Plays the flute")
    page = visit(running_server, "/memory")
    press(card(page, "Plays the flute"), "Delete")
    expect(page.get_by_text("Deleted “Plays the flute”")).to_be_visible()
    assert "Plays the flute" in texts(running_server)
    page.get_by_role("button", name="Dismiss").click()
    wait_until(lambda: "Plays the flute" not in texts(running_server, history=True))
    page.reload()
    expect(page.get_by_role("tab", name="Facts")).to_contain_text(str(len(facts(running_server))))
    expect(card(page, "Plays the flute")).to_have_count(0)


def test_fact_deletion_includes_older_versions(visit: Visit, running_server: RunningServer) -> None:
    old = remember(running_server, "Owns a red bike")
    running_server.http.patch(f"/v1/facts/{old}", json={"text": "Owns a blue bike"}).raise_for_status()
    page = visit(running_server, "/memory")
    press(card(page, "Owns a blue bike"), "Delete")
    expect(page.get_by_text("Deleted “Owns a blue bike” and its older versions (1)")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    wait_until(lambda: not {"Owns a blue bike", "Owns a red bike"} & texts(running_server, history=True))


def test_fact_deletion_is_final_after_leaving_page(visit: Visit, running_server: RunningServer) -> None:
    remember(running_server, "Plays the harp")
    page = visit(running_server, "/memory")
    press(card(page, "Plays the harp"), "Delete")
    expect(card(page, "Plays the harp")).to_have_count(0)
    page.goto(f"{running_server.url}/docs")
    wait_until(lambda: "Plays the harp" not in texts(running_server, history=True))


def test_fact_can_be_added_and_filtered(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/memory")
    page.get_by_role("button", name="Add a fact").click()
    page.get_by_label("What should be remembered?").fill("Has to call the plumber")
    page.get_by_label("Kind").select_option(label="Plans and projects")
    page.get_by_role("button", name="Add", exact=True).click()
    group = page.get_by_role("region", name="Plans and projects")
    expect(group.get_by_text("Has to call the plumber")).to_be_visible()
    expect(group).to_contain_text("written by hand")
    assert [fact["kind"] for fact in facts(running_server) if fact["text"] == "Has to call the plumber"] == ["project"]
    remember(running_server, "Has to water the plants", kind="project")
    page.reload()
    expect(card(page, "Has to water the plants")).to_be_visible()
    page.get_by_label("Filter the facts").fill("plumber CALL")
    expect(page.locator("li.fact")).to_have_count(1)
    page.get_by_label("Filter the facts").fill("nobody said this")
    expect(page.get_by_text("No fact matches")).to_be_visible()


def test_fact_link_scrolls_to_older_version(visit: Visit, running_server: RunningServer) -> None:
    old = remember(running_server, "Drives a van")
    running_server.http.patch(f"/v1/facts/{old}", json={"text": "Drives a lorry"}).raise_for_status()
    page = visit(running_server, f"/memory#fact-{old}", viewport={"width": 1000, "height": 400})
    expect(page.get_by_text("Drives a van")).to_be_in_viewport()


def test_new_fact_appears_without_reload(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/memory")
    expect(page.get_by_role("tab", name="Facts")).to_be_visible()
    running_server.session("Work", ("user", "I work as a nurse."))
    expect(card(page, "User works as a nurse")).to_be_visible(timeout=20_000)


@pytest.fixture
def server_with_profile(start: Callable[..., RunningServer], model: Model) -> RunningServer:
    """A server whose owner has a profile of two lines, and nothing else."""
    model.lines.clear()
    running_server = start(model)
    running_server.session("Units", ("user", "I live in Lisbon. From now on use metric units."))
    wait_until(lambda: len(facts(running_server)) == 2)
    return running_server


def read_system_message(page: Page, running_server: RunningServer, model: Model) -> str:
    """The system message of a new conversation."""
    page.goto(running_server.url)
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    say(page, "What is new?")
    wait_for_answer(page)
    sent = next(body for _, _, body in reversed(model.server.requests) if body.get("stream"))["messages"]
    return sent[0]["content"] if sent[0]["role"] == "system" else ""


def test_profile_shows_lines_tokens_and_sources(server_with_profile: RunningServer, visit: Visit, model: Model) -> None:
    page = visit(server_with_profile, "/memory")
    page.get_by_role("tab", name="Always given 2").click()
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(["Standing instructions", "About you"])
    units = page.get_by_role("region", name="Standing instructions")
    expect(units.locator(".fact-text")).to_have_text('The user asks: "From now on use metric units"')
    made = server_with_profile.http.get("/v1/profile").json()
    expect(page.locator(".profile-usage")).to_have_text(f"{made['tokens']} of 300 tokens")
    units.get_by_role("link", name="source").click()
    line = made["lines"][0]
    page.wait_for_url(f"{server_with_profile.url}/c/{line['session']}/{line['messages'][0]}")
    expect(page.get_by_text("From now on use metric units.")).to_be_visible()
    told = read_system_message(page, server_with_profile, model)
    assert all(one["text"] in told for one in made["lines"])


def test_hidden_profile_line_is_left_out_until_unhidden(
    server_with_profile: RunningServer, visit: Visit, model: Model
) -> None:
    page = visit(server_with_profile, "/memory#profile")
    press(card(page, "User lives in Lisbon"), "Hide")
    expect(card(page, "User lives in Lisbon")).to_have_count(0)
    expect(page.get_by_text("Kept out of prompts: “User lives in Lisbon”")).to_be_visible()
    assert "Lisbon" not in read_system_message(page, server_with_profile, model)
    page.goto(f"{server_with_profile.url}/memory#profile")
    page.get_by_text("Hidden: kept out of all prompts (1)").click()
    page.get_by_role("button", name="Unhide").click()
    expect(card(page, "User lives in Lisbon")).to_be_visible()
    press(card(page, "User lives in Lisbon"), "Hide")
    expect(card(page, "User lives in Lisbon")).to_have_count(0)
    page.locator(".toast", has_text="Kept out").get_by_role("button", name="Undo").click()
    expect(card(page, "User lives in Lisbon")).to_be_visible()
    assert "Lisbon" in read_system_message(page, server_with_profile, model)


def test_hidden_fact_is_marked_in_facts_list(server_with_profile: RunningServer, visit: Visit) -> None:
    page = visit(server_with_profile, "/memory")
    press(card(page, "User lives in Lisbon"), "Hide")
    expect(card(page, "User lives in Lisbon")).to_contain_text("kept out of prompts")
    press(card(page, "User lives in Lisbon"), "Hidden")
    expect(card(page, "User lives in Lisbon")).not_to_contain_text("kept out of prompts")
    wait_until(lambda: len(server_with_profile.http.get("/v1/profile").json()["lines"]) == 2)


def test_profile_edit_and_pin_can_each_be_undone(server_with_profile: RunningServer, visit: Visit, model: Model) -> None:
    page = visit(server_with_profile, "/memory#profile")
    instruction = card(page, 'The user asks: "From now on use metric units"')
    press(instruction, "Pin: put it in every prompt")
    expect(instruction).to_contain_text("pinned")
    press(instruction, "Edit")
    expect(page.get_by_label("New wording")).to_have_value("From now on use metric units")
    page.get_by_label("New wording").fill("Use imperial units")
    page.keyboard.press("Enter")
    edited = card(page, 'The user asks: "Use imperial units"')
    expect(edited.get_by_role("button", name="Edit")).to_be_focused()
    assert '"Use imperial units"' in read_system_message(page, server_with_profile, model)
    page.goto(f"{server_with_profile.url}/memory#profile")
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


def test_undo_of_earlier_change_explains_refusal(server_with_profile: RunningServer, visit: Visit) -> None:
    page = visit(server_with_profile, "/memory#profile", broken=True)
    for text in ("User lives in Porto", "User lives in Faro"):
        press(page.get_by_role("region", name="About you").locator("li.fact"), "Edit")
        page.get_by_label("New wording").fill(text)
        page.keyboard.press("Enter")
        expect(card(page, text)).to_be_visible()
    press(card(page, "User lives in Faro"), "Changes")
    dialog = page.get_by_role("dialog", name="Changes of this fact")
    dialog.get_by_role("button", name="Undo").last.click()
    expect(dialog.get_by_role("alert")).to_contain_text("undo the later change first")


def test_profile_works_by_keyboard_alone(server_with_profile: RunningServer, visit: Visit) -> None:
    page = visit(server_with_profile, "/memory")
    page.get_by_role("tab", name="Facts").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Always given")).to_be_focused()
    first = page.locator("li.fact").first.get_by_role("button", name="Hide")
    while not first.evaluate("button => button === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(card(page, "User lives in Lisbon").get_by_role("button", name="Hide")).to_be_focused()


def test_empty_profile_shows_hint(start: Callable[..., RunningServer], visit: Visit) -> None:
    running_server = start()
    page = visit(running_server, "/memory#profile")
    expect(page.get_by_text("Nothing is always given yet")).to_be_visible()
    assert violations(page) == []


def test_failed_profile_load_can_be_retried(server_with_profile: RunningServer, visit: Visit) -> None:
    page = visit(server_with_profile, broken=True)
    page.route("**/v1/profile", lambda route: route.abort())
    page.goto(f"{server_with_profile.url}/memory#profile")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(card(page, "User lives in Lisbon")).to_be_visible()


def test_profile_is_accessible_and_fits_small_screens(server_with_profile: RunningServer, visit: Visit) -> None:
    remember(
        server_with_profile,
        "Is allergic to nuts and to everything else that grows on trees in hot countries",
        kind="constraint",
    )
    hidden = remember(server_with_profile, "Likes tea", kind="preference")
    server_with_profile.http.patch(f"/v1/facts/{hidden}", json={"hidden": True}).raise_for_status()
    is_fit_for_all(visit, server_with_profile, "/memory#profile", "User lives in Lisbon")
    page = visit(server_with_profile, "/memory#profile", viewport={"width": 360, "height": 740})
    page.get_by_text("Hidden: kept out of all prompts (1)").click()
    press(card(page, "User lives in Lisbon"), "Edit")
    assert violations(page) + overflow(page) == []


def test_summary_shows_which_messages_it_covers(visit: Visit, running_server: RunningServer) -> None:
    session = long_talk(running_server, "Chairs")
    told = running_server.http.get("/v1/summaries", params={"session": session}).json()["items"][0]
    page = visit(running_server, "/memory")
    page.get_by_role("tab", name="Summaries").click()
    entry = page.get_by_role("main").get_by_role("listitem").filter(has=page.get_by_role("link", name="Chairs"))
    expect(entry).to_contain_text(f"covers {told['messages']} messages up to this one")
    expect(entry).to_contain_text(told["text"].splitlines()[0])
    entry.get_by_role("link", name="this one").click()
    page.wait_for_url(f"{running_server.url}/c/{session}/{told['upto']}")


@pytest.mark.parametrize("with_facts", [True, False])
def test_forget_conversation_with_or_without_its_facts(
    visit: Visit, running_server: RunningServer, with_facts: bool
) -> None:
    title = f"Forgettable {with_facts}"
    session = long_talk(running_server, title, "tables" if with_facts else "shelves")
    wait_until(lambda: any(fact["session"] == session for fact in facts(running_server)))
    drawn = {fact["text"] for fact in facts(running_server) if fact["session"] == session}
    page = visit(running_server, "/memory")
    page.get_by_role("tab", name="Summaries").click()
    page.get_by_role("button", name=f"Forget “{title}” permanently…").click()
    dialog = page.get_by_role("dialog", name=f"Forget “{title}”")
    asked = dialog.get_by_label("Also forget the facts extracted from it")
    expect(asked).to_be_checked()
    asked.set_checked(with_facts)
    dialog.get_by_role("button", name="Forget it permanently").click()
    receipt = page.get_by_role("dialog", name="Forgotten")
    expect(receipt.locator("dt:text-is('Messages') + dd")).to_have_text("40")
    expect(receipt.locator("dt:text-is('Pending') + dd")).to_have_text("nothing")
    receipt.locator("footer").get_by_role("button", name="Close").click()
    expect(page.get_by_role("link", name=title)).to_have_count(0)
    assert running_server.http.get(f"/v1/sessions/{session}").status_code == 404
    assert bool(drawn & texts(running_server)) is not with_facts
    assert not any(fact["session"] == session for fact in facts(running_server, history=True))


@pytest.mark.parametrize("with_facts", [True, False])
def test_forget_everything_requires_typed_confirmation(
    start: Callable[..., RunningServer], visit: Visit, with_facts: bool
) -> None:
    running_server = start()
    running_server.session("One", ("user", "Hello."), ("assistant", "Hi."))
    remember(running_server, "Likes tea")
    page = visit(running_server, "/memory")
    page.get_by_role("button", name="Forget everything…").click()
    dialog = page.get_by_role("dialog", name="Forget everything")
    really = dialog.get_by_role("button", name="Forget everything")
    expect(really).to_be_disabled()
    dialog.get_by_label("Type “forget everything” to confirm").fill("forget everythin")
    expect(really).to_be_disabled()
    expect(dialog.get_by_label("Also forget the facts about me")).to_be_checked()
    dialog.get_by_label("Also forget the facts about me").set_checked(with_facts)
    dialog.get_by_label("Type “forget everything” to confirm").fill("forget everything")
    really.click()
    receipt = page.get_by_role("dialog", name="Forgotten")
    expect(receipt.locator("dt:text-is('Conversations') + dd")).to_have_text("1")
    expect(receipt.locator("dt:text-is('Messages') + dd")).to_have_text("2")
    expect(receipt.locator("dt:text-is('Verified as removed from') + dd")).not_to_have_text("nothing")
    assert violations(page) == []
    receipt.locator("footer").get_by_role("button", name="Close").click()
    expect(page.get_by_text("No conversations yet")).to_be_visible()
    assert running_server.http.get("/v1/sessions").json()["items"] == []
    if with_facts:
        expect(page.get_by_text("Nothing is known about you yet")).to_be_visible()
        assert facts(running_server, history=True) == []
    else:
        expect(card(page, "Likes tea")).to_be_visible()
        assert texts(running_server) == {"Likes tea"}


def test_facts_page_is_accessible_and_fits_small_screens(
    visit: Visit, running_server: RunningServer, session_with_replaced_fact: str
) -> None:
    is_fit_for_all(visit, running_server, "/memory", "User moved to Porto")


def test_summaries_and_forget_dialog_are_accessible(visit: Visit, running_server: RunningServer) -> None:
    long_talk(running_server, "Fit")
    page = visit(running_server, "/memory", viewport={"width": 360, "height": 740})
    page.get_by_role("button", name="Add a fact").click()
    page.get_by_role("tab", name="Summaries").click()
    page.get_by_role("button", name="Forget “Fit” permanently…").click()
    expect(page.get_by_role("dialog", name="Forget “Fit”")).to_be_visible()
    assert violations(page) == []
