"""What goes wrong: words that cannot be sent, a server that goes away and comes back, conversations that vanish."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest
from llm_server import answer
from playwright.sync_api import Page, expect

from .acting import answers, eventually, log, said, say, session_of, settled
from .conftest import Desk, Model
from .looks import violations
from .test_chat import in_two_parts

Visit = Callable[..., Page]
Start = Callable[..., Desk]
MESSAGES = re.compile(r"/v1/sessions/[^/]+/messages")
RUNNING = {
    "type": "/docs#turn-running", "title": "A turn is running", "status": 409,
    "detail": "another turn is running in this conversation",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _speaks_its_mind(model: Model) -> None:
    model.lines.clear()
    model.otherwise = answer("As you like.")


def field(page: Page) -> str:
    return page.get_by_label("Message", exact=True).input_value()


def test_words_that_were_refused_are_in_the_field_again(desk: Desk, visit: Visit, model: Model) -> None:
    page = visit(desk, broken=True)
    model.lines = [answer("To the first.")]
    say(page, "The first.")
    settled(page)
    page.route("**/v1/chat", lambda route: route.fulfill(status=409, json=RUNNING, content_type="application/problem+json"))
    say(page, "The second.")
    expect(page.get_by_role("alert")).to_contain_text("another turn is running")
    assert field(page) == "The second."
    expect(said(page)).to_have_count(1)
    expect(answers(page)).to_contain_text("To the first.")
    page.unroute("**/v1/chat")
    model.lines = [answer("To the second.")]
    page.get_by_role("button", name="Try again").click()
    expect(answers(page).last).to_contain_text("To the second.")
    settled(page)
    expect(said(page)).to_have_count(2)
    assert [one["text"] for one in desk.messages(session_of(page))] == [
        "The first.", "To the first.", "The second.", "To the second.",
    ]  # fmt: skip
    assert field(page) == ""
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_edit_that_was_not_sent_is_sent_again_as_an_edit(desk: Desk, visit: Visit, model: Model) -> None:
    page = visit(desk, broken=True)
    say(page, "First wording")
    settled(page)
    page.route("**/v1/chat", lambda route: route.abort())
    said(page).hover()
    said(page).get_by_role("button", name="Edit").click()
    page.get_by_label("Say it differently").fill("Second wording")
    page.keyboard.press("Enter")
    expect(log(page).get_by_role("article", name="Not sent")).to_have_text("Second wording")
    expect(said(page)).to_contain_text("First wording")
    page.unroute("**/v1/chat")
    page.get_by_role("button", name="Try again").click()
    expect(said(page)).to_contain_text("Second wording")
    settled(page)
    expect(said(page).get_by_role("group", name="Versions")).to_have_text("2/2")


def test_the_first_words_of_a_new_chat_are_not_lost(start: Start, visit: Visit, model: Model) -> None:
    desk = start(model)
    page = visit(desk, broken=True)
    desk.kill()
    say(page, "Is anybody there?")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    assert field(page) == "Is anybody there?"
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    assert violations(page) == []
    desk.come_back()
    expect(page.get_by_text("Reconnecting…")).to_have_count(0)
    page.get_by_role("button", name="Try again").click()
    expect(answers(page)).to_contain_text("As you like.")
    settled(page)


def test_an_answer_that_was_cut_off_stays_until_the_server_is_back(start: Start, visit: Visit, model: Model) -> None:
    desk = start(model)
    page = visit(desk, broken=True)
    go_on = threading.Event()
    model.lines = [in_two_parts("Only the first part", " of it.", go_on)]
    say(page, "Tell me all of it.")
    expect(answers(page)).to_contain_text("Only the first part")
    desk.kill()
    go_on.set()
    expect(answers(page)).to_contain_text("cut off")
    assert violations(page) == []
    expect(answers(page)).to_contain_text("Only the first part")
    expect(said(page)).to_have_text("Tell me all of it.")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    desk.come_back()
    expect(page.get_by_role("alert")).to_contain_text("The answer broke off.")
    expect(said(page)).to_have_count(1)
    model.lines = [answer("All of it.")]
    page.get_by_role("button", name="Try again").click()
    expect(answers(page)).to_contain_text("All of it.")
    settled(page)
    expect(said(page)).to_have_count(1)


def test_an_answer_whose_end_cannot_be_read_back_stays(desk: Desk, visit: Visit, model: Model) -> None:
    page = visit(desk, broken=True)
    # A change that is told of, such as a new title, would have it read anew.
    page.route("**/v1/watch", lambda route: route.abort())
    page.reload()
    lose_the_end(page, model)
    page.unroute(MESSAGES)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(answers(page)).to_contain_text("The whole answer.")
    expect(answers(page).get_by_role("group", name="Versions")).to_have_count(0)


def test_an_answer_whose_end_was_not_read_is_read_at_the_next_change(desk: Desk, visit: Visit, model: Model) -> None:
    page = visit(desk, broken=True)
    lose_the_end(page, model)
    page.unroute(MESSAGES)
    desk.http.patch(f"/v1/sessions/{session_of(page)}", json={"title": "Renamed there"}).raise_for_status()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(answers(page)).to_have_count(1)
    expect(answers(page)).to_contain_text("The whole answer.")


def lose_the_end(page: Page, model: Model) -> None:
    """Gets an answer whose messages cannot be read when it is over."""
    model.lines = [answer("The whole answer.")]
    page.route(MESSAGES, lambda route: route.abort())
    say(page, "Tell me.")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    expect(answers(page)).to_contain_text("The whole answer.")
    expect(said(page)).to_contain_text("Tell me.")


def test_a_conversation_that_cannot_be_loaded_can_be_tried_again(desk: Desk, visit: Visit) -> None:
    session = desk.session("Far away", ("user", "Can you see me?"))
    page = visit(desk, broken=True)
    page.route("**/v1/sessions/*", lambda route: route.abort())
    page.get_by_role("link", name="Far away").click()
    expect(page.get_by_text("The server cannot be reached")).to_be_visible()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_have_count(0)
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(said(page)).to_contain_text("Can you see me?")
    assert page.url.endswith(session)


def test_what_is_deleted_elsewhere_says_so_and_can_be_restored(desk: Desk, visit: Visit) -> None:
    session = desk.session("Deleted there", ("user", "Still here?"))
    page = visit(desk, f"/c/{session}")
    expect(said(page)).to_be_visible()
    desk.http.delete(f"/v1/sessions/{session}").raise_for_status()
    expect(page.get_by_text("This conversation is in the trash.")).to_be_visible()
    expect(page.get_by_label("Message", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(page.get_by_label("Message", exact=True)).to_be_visible()
    assert eventually(lambda: desk.http.get(f"/v1/sessions/{session}").json()["status"] == "active")


def test_what_is_erased_elsewhere_says_so(desk: Desk, visit: Visit) -> None:
    session = desk.session("Erased there", ("user", "Still here?"))
    page = visit(desk, f"/c/{session}")
    expect(said(page)).to_be_visible()
    desk.http.post("/v1/erase", json={"session": session}).raise_for_status()
    expect(page.get_by_text("This conversation was deleted for good.")).to_be_visible()
    expect(page.get_by_label("Message", exact=True)).to_have_count(0)


def test_a_page_that_cannot_be_fetched_can_be_tried_again(desk: Desk, visit: Visit) -> None:
    page = visit(desk, broken=True)
    page.route("**/assets/*", lambda route: route.abort())
    page.get_by_role("link", name="Charts").click()
    expect(page.get_by_text("This page could not be loaded")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Charts", level=1)).to_be_visible()


def test_an_address_that_leads_nowhere_says_so(desk: Desk, visit: Visit) -> None:
    page = visit(desk, "/no/such/place")
    expect(page.get_by_text("There is nothing at this address")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("main").get_by_role("link").click()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()


def test_a_link_to_a_missing_message_shows_the_conversation(desk: Desk, visit: Visit) -> None:
    session = desk.session("Partly there", ("user", "I am here."))
    page = visit(desk, f"/c/{session}/nosuchmessage", broken=True)
    expect(said(page)).to_contain_text("I am here.")
    expect(page.get_by_text("The message of this address is not in this conversation.")).to_be_visible()
