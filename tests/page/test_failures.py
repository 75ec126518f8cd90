"""Failures: messages that cannot be sent, server outages, and conversations deleted elsewhere."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest
from llm_server import answer
from playwright.sync_api import Page, expect

from .acting import answers, eventually, list_user_messages, log, say, session_of, wait_for_answer
from .conftest import Model, RunningServer
from .looks import violations
from .test_chat import in_two_parts

Visit = Callable[..., Page]
Start = Callable[..., RunningServer]
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


def test_refused_message_returns_to_the_field(running_server: RunningServer, visit: Visit, model: Model) -> None:
    page = visit(running_server, broken=True)
    model.lines = [answer("To the first.")]
    say(page, "The first.")
    wait_for_answer(page)
    page.route("**/v1/chat", lambda route: route.fulfill(status=409, json=RUNNING, content_type="application/problem+json"))
    say(page, "The second.")
    expect(page.get_by_role("alert")).to_contain_text("another turn is running")
    assert field(page) == "The second."
    expect(list_user_messages(page)).to_have_count(1)
    expect(answers(page)).to_contain_text("To the first.")
    page.unroute("**/v1/chat")
    model.lines = [answer("To the second.")]
    page.get_by_role("button", name="Try again").click()
    expect(answers(page).last).to_contain_text("To the second.")
    wait_for_answer(page)
    expect(list_user_messages(page)).to_have_count(2)
    assert [one["text"] for one in running_server.messages(session_of(page))] == [
        "The first.", "To the first.", "The second.", "To the second.",
    ]  # fmt: skip
    assert field(page) == ""
    expect(page.get_by_role("alert")).to_have_count(0)


def test_failed_edit_is_retried_as_edit(running_server: RunningServer, visit: Visit, model: Model) -> None:
    page = visit(running_server, broken=True)
    say(page, "First wording")
    wait_for_answer(page)
    page.route("**/v1/chat", lambda route: route.abort())
    list_user_messages(page).hover()
    list_user_messages(page).get_by_role("button", name="Edit").click()
    page.get_by_label("New wording").fill("Second wording")
    page.keyboard.press("Enter")
    expect(log(page).get_by_role("article", name="Not sent")).to_have_text("Second wording")
    expect(list_user_messages(page)).to_contain_text("First wording")
    page.unroute("**/v1/chat")
    page.get_by_role("button", name="Try again").click()
    expect(list_user_messages(page)).to_contain_text("Second wording")
    wait_for_answer(page)
    expect(list_user_messages(page).get_by_role("group", name="Versions")).to_have_text("2/2")


def test_first_message_survives_server_outage(start: Start, visit: Visit, model: Model) -> None:
    running_server = start(model)
    page = visit(running_server, broken=True)
    running_server.kill()
    say(page, "Is anybody there?")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    assert field(page) == "Is anybody there?"
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    assert violations(page) == []
    running_server.come_back()
    expect(page.get_by_text("Reconnecting…")).to_have_count(0)
    page.get_by_role("button", name="Try again").click()
    expect(answers(page)).to_contain_text("As you like.")
    wait_for_answer(page)


def test_interrupted_answer_stays_until_server_is_back(start: Start, visit: Visit, model: Model) -> None:
    running_server = start(model)
    page = visit(running_server, broken=True)
    go_on = threading.Event()
    model.lines = [in_two_parts("Only the first part", " of it.", go_on)]
    say(page, "Tell me all of it.")
    expect(answers(page)).to_contain_text("Only the first part")
    running_server.kill()
    go_on.set()
    expect(answers(page)).to_contain_text("cut off")
    assert violations(page) == []
    expect(answers(page)).to_contain_text("Only the first part")
    expect(list_user_messages(page)).to_have_text("Tell me all of it.")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    running_server.come_back()
    expect(page.get_by_role("alert")).to_contain_text("The answer was interrupted.")
    expect(list_user_messages(page)).to_have_count(1)
    model.lines = [answer("All of it.")]
    page.get_by_role("button", name="Try again").click()
    expect(answers(page)).to_contain_text("All of it.")
    wait_for_answer(page)
    expect(list_user_messages(page)).to_have_count(1)


def test_answer_stays_when_messages_cannot_be_reloaded(running_server: RunningServer, visit: Visit, model: Model) -> None:
    page = visit(running_server, broken=True)
    # A change that is told of, such as a new title, would have it read anew.
    page.route("**/v1/watch", lambda route: route.abort())
    page.reload()
    lose_the_end(page, model)
    page.unroute(MESSAGES)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(answers(page)).to_contain_text("The whole answer.")
    expect(answers(page).get_by_role("group", name="Versions")).to_have_count(0)


def test_unloaded_answer_is_reloaded_on_next_change(running_server: RunningServer, visit: Visit, model: Model) -> None:
    page = visit(running_server, broken=True)
    lose_the_end(page, model)
    page.unroute(MESSAGES)
    running_server.http.patch(f"/v1/sessions/{session_of(page)}", json={"title": "Renamed there"}).raise_for_status()
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
    expect(list_user_messages(page)).to_contain_text("Tell me.")


def test_failed_conversation_load_can_be_retried(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Far away", ("user", "Can you see me?"))
    page = visit(running_server, broken=True)
    page.route("**/v1/sessions/*", lambda route: route.abort())
    page.get_by_role("link", name="Far away").click()
    expect(page.get_by_text("The server cannot be reached")).to_be_visible()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_have_count(0)
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(list_user_messages(page)).to_contain_text("Can you see me?")
    assert page.url.endswith(session)


def test_conversation_deleted_elsewhere_can_be_restored(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Deleted there", ("user", "Still here?"))
    page = visit(running_server, f"/c/{session}")
    expect(list_user_messages(page)).to_be_visible()
    running_server.http.delete(f"/v1/sessions/{session}").raise_for_status()
    expect(page.get_by_text("This conversation is in the trash.")).to_be_visible()
    expect(page.get_by_label("Message", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(page.get_by_label("Message", exact=True)).to_be_visible()
    assert eventually(lambda: running_server.http.get(f"/v1/sessions/{session}").json()["status"] == "active")


def test_conversation_erased_elsewhere_shows_notice(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Erased there", ("user", "Still here?"))
    page = visit(running_server, f"/c/{session}")
    expect(list_user_messages(page)).to_be_visible()
    running_server.http.post("/v1/erase", json={"session": session}).raise_for_status()
    expect(page.get_by_text("This conversation was permanently deleted.")).to_be_visible()
    expect(page.get_by_label("Message", exact=True)).to_have_count(0)


def test_failed_page_load_can_be_retried(running_server: RunningServer, visit: Visit) -> None:
    page = visit(running_server, broken=True)
    page.route("**/assets/*", lambda route: route.abort())
    page.get_by_role("link", name="Charts").click()
    expect(page.get_by_text("This page could not be loaded")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Charts", level=1)).to_be_visible()


def test_unknown_address_shows_not_found_page(running_server: RunningServer, visit: Visit) -> None:
    page = visit(running_server, "/no/such/place")
    expect(page.get_by_text("There is nothing at this address")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("main").get_by_role("link").click()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()


def test_link_to_missing_message_shows_conversation(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Partly there", ("user", "I am here."))
    page = visit(running_server, f"/c/{session}/nosuchmessage", broken=True)
    expect(list_user_messages(page)).to_contain_text("I am here.")
    expect(page.get_by_text("The linked message is not in this conversation.")).to_be_visible()
