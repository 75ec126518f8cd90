"""New chats: messages sent at once go to the new chat and are shown until the server has stored them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from llm_server import answer
from playwright.sync_api import Page, Route, expect

from .acting import answers, list_user_messages, row, say, session_of, wait_for_answer
from .conftest import Model, RunningServer

Visit = Callable[..., Page]
SEND = """(text) => {
    const field = document.querySelector("#say");
    field.value = text;
    field.dispatchEvent(new InputEvent("input", {bubbles: true}));
    setTimeout(() => {
        field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
    });
}"""


@pytest.fixture(autouse=True)
def _reset_model(model: Model) -> None:
    model.lines.clear()
    model.otherwise = answer("As you like.")


def texts_of(running_server: RunningServer, session: str) -> list[str]:
    return [one["text"] for one in running_server.messages(session) if one["role"] == "user"]


def hold_turns(page: Page) -> list[Route]:
    """Keeps the page's turns from the server until they are continued."""
    held: list[Route] = []
    page.route("**/v1/chat", lambda route: held.append(route))
    return held


def test_message_sent_right_after_new_chat_goes_to_new_chat(page: Page, running_server: RunningServer) -> None:
    say(page, "The first prompt.")
    wait_for_answer(page)
    first = session_of(page)
    # In one step: a person who types ahead is quicker than the next frame of a busy page.
    page.evaluate(
        f"""async () => {{
            [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === "New chat").click();
            await new Promise((resolve) => {{
                const channel = new MessageChannel();
                channel.port1.onmessage = resolve;
                channel.port2.postMessage(null);
            }});
            ({SEND})("The second prompt.");
        }}"""
    )
    expect(list_user_messages(page)).to_have_text(re.compile("The second prompt."))
    wait_for_answer(page)
    assert session_of(page) != first
    assert texts_of(running_server, session_of(page)) == ["The second prompt."]
    assert texts_of(running_server, first) == ["The first prompt."]


def test_message_sent_as_soon_as_field_appears_is_shown(page: Page, running_server: RunningServer) -> None:
    page.add_init_script(
        f"""new MutationObserver((_, observer) => {{
            if (document.querySelector("#say")) {{
                observer.disconnect();
                ({SEND})("Quick words.");
            }}
        }}).observe(document, {{childList: true, subtree: true}});"""
    )
    page.reload()
    expect(list_user_messages(page)).to_have_text(re.compile("Quick words."))
    expect(answers(page)).to_contain_text("As you like.")
    wait_for_answer(page)
    assert texts_of(running_server, session_of(page)) == ["Quick words."]


def test_pending_message_is_shown_after_visiting_another_page(page: Page, running_server: RunningServer) -> None:
    held = hold_turns(page)
    say(page, "On their way.")
    expect(list_user_messages(page)).to_contain_text("On their way.")
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    page.go_back()
    expect(list_user_messages(page)).to_contain_text("On their way.")
    held.pop(0).continue_()
    expect(answers(page)).to_contain_text("As you like.")
    wait_for_answer(page)
    assert texts_of(running_server, session_of(page)) == ["On their way."]


def test_two_new_chats_keep_separate_drafts(page: Page, running_server: RunningServer) -> None:
    other = running_server.session("Somewhere else", ("user", "Something else."))
    expect(row(page, "Somewhere else")).to_be_visible()
    newest = page.locator("[data-session]").first.get_attribute("data-session")
    assert newest
    held = hold_turns(page)
    field = page.get_by_label("Message", exact=True)
    say(page, "The first chat.")
    field.fill("More for the first.")
    row(page, "Somewhere else").get_by_role("link").press("Enter")
    page.wait_for_url(re.compile(other))
    expect(page.get_by_text("Something else.")).to_be_visible()
    page.get_by_role("button", name="New chat", exact=True).click()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    expect(field).to_have_value("")
    field.fill("For the second.")
    held.pop(0).continue_()
    first = page.locator("[data-session]").first
    expect(first).not_to_have_attribute("data-session", newest)
    first.click()
    expect(answers(page)).to_contain_text("As you like.")
    expect(field).to_have_value("More for the first.")
    page.get_by_role("button", name="New chat", exact=True).click()
    expect(field).to_have_value("For the second.")


def test_unsent_messages_of_left_chat_move_to_next_new_chat(running_server: RunningServer, visit: Visit) -> None:
    page = visit(running_server, broken=True)
    running_server.session("Another place", ("user", "Another thing."))
    held = hold_turns(page)
    field = page.get_by_label("Message", exact=True)
    say(page, "Never sent.")
    field.fill("Typed since.")
    row(page, "Another place").get_by_role("link").press("Enter")
    expect(page.get_by_text("Another thing.")).to_be_visible()
    page.get_by_role("button", name="New chat", exact=True).click()
    field.fill("Typed last.")
    held.pop(0).abort()
    expect(field).to_have_value("Never sent.\n\nTyped since.\n\nTyped last.")
