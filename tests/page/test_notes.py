"""Notes: the page shows which facts were noted from a user message, and lets the user undo each note."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from .acting import answers, eventually, list_user_messages, say, wait_for_answer
from .conftest import Model, RunningServer
from .looks import overflow, violations

Visit = Callable[..., Page]
FACTS = re.compile(r"/v1/facts/")
LONG = "I work at the Institute for the Comparative Study of Alpine Meadows and Their Pollinating Insects in Innsbruck."
BROKEN = {"type": "/docs#internal", "title": "Something broke", "status": 500, "detail": "the disk is full"}


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Without a language model: rules take notes before a turn ends."""
    running_server = RunningServer(tmp_path_factory.mktemp("notes"), None)
    yield running_server
    running_server.close()


@pytest.fixture(autouse=True)
def _start_empty(running_server: RunningServer) -> None:
    running_server.http.post("/v1/erase", json={"confirm": "forget everything", "keep_facts": False}).raise_for_status()


def notes(page: Page) -> Locator:
    """The lines under the last thing that was said."""
    return list_user_messages(page).last.locator(".note-line")


def fetch_facts(running_server: RunningServer, history: bool = False) -> list[str]:
    return [one["text"] for one in running_server.http.get("/v1/facts", params={"history": history}).json()["items"]]


def tell(page: Page, text: str) -> None:
    say(page, text)
    expect(list_user_messages(page).last).to_contain_text(text)
    wait_for_answer(page)


def test_noted_fact_appears_under_user_message_and_can_be_undone(page: Page, running_server: RunningServer) -> None:
    tell(page, "I live in Lisbon.")
    expect(notes(page)).to_have_text("Noted: User lives in LisbonUndo")
    expect(list_user_messages(page).get_by_role("status")).to_have_attribute("aria-live", "polite")
    expect(answers(page).locator(".note-line")).to_have_count(0)
    assert fetch_facts(running_server) == ["User lives in Lisbon"]
    notes(page).get_by_role("button", name="Undo").click()
    expect(notes(page)).to_have_text("Noted: User lives in LisbonUndone")
    assert fetch_facts(running_server, history=True) == []
    expect(list_user_messages(page)).to_contain_text("I live in Lisbon.")


def test_undo_restores_fact_that_note_ended(page: Page, running_server: RunningServer) -> None:
    tell(page, "I live in Lisbon.")
    tell(page, "I live in Porto now.")
    expect(notes(page)).to_contain_text("Porto")
    expect(list_user_messages(page).first.locator(".note-line")).to_contain_text("Lisbon")
    assert fetch_facts(running_server) == ["User lives in Porto now"]
    notes(page).get_by_role("button", name="Undo").click()
    expect(notes(page)).to_contain_text("Undone")
    assert fetch_facts(running_server) == fetch_facts(running_server, history=True) == ["User lives in Lisbon"]


def test_notes_of_one_message_are_undone_independently(page: Page, running_server: RunningServer) -> None:
    tell(page, "I live in Lisbon. My sister is called Ana.")
    expect(notes(page)).to_have_count(2)
    home, sister = notes(page).filter(has_text="Lisbon"), notes(page).filter(has_text="Ana")
    sister.get_by_role("button", name="Undo").click()
    expect(sister).to_contain_text("Undone")
    expect(home.get_by_role("button", name="Undo")).to_be_visible()
    assert fetch_facts(running_server) == ["User lives in Lisbon"]


def test_note_can_be_undone_by_keyboard(page: Page, running_server: RunningServer) -> None:
    tell(page, "I live in Lisbon.")
    button = notes(page).get_by_role("button", name="Undo the note: User lives in Lisbon")
    expect(button).to_be_visible()
    list_user_messages(page).focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if button.evaluate("element => element === document.activeElement"):
            break
    expect(button).to_be_focused()
    assert button.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
    page.keyboard.press("Enter")
    expect(notes(page)).to_contain_text("Undone")
    expect(notes(page)).to_be_focused()
    assert fetch_facts(running_server) == []


def test_failed_undo_shows_error_and_can_be_retried(running_server: RunningServer, visit: Visit) -> None:
    page = visit(running_server, broken=True)
    tell(page, "I live in Lisbon.")
    page.route(FACTS, lambda route: route.fulfill(status=500, json=BROKEN, content_type="application/problem+json"))
    notes(page).get_by_role("button", name="Undo").click()
    expect(notes(page)).to_contain_text("Not undone: the disk is full")
    page.unroute(FACTS)
    page.route(FACTS, lambda route: route.abort())
    notes(page).get_by_role("button", name="Undo").click()
    expect(notes(page)).to_contain_text("Not undone: The server cannot be reached.")
    assert violations(page) + overflow(page) == []
    assert fetch_facts(running_server) == ["User lives in Lisbon"]
    page.unroute(FACTS)
    notes(page).get_by_role("button", name="Undo").click()
    expect(notes(page)).to_have_text("Noted: User lives in LisbonUndone")
    assert fetch_facts(running_server) == []


def test_undo_reports_fact_already_forgotten_elsewhere(page: Page, running_server: RunningServer) -> None:
    tell(page, "I live in Lisbon.")
    expect(notes(page)).to_have_count(1)
    (fact,) = running_server.http.get("/v1/facts").json()["items"]
    running_server.http.delete(f"/v1/facts/{fact['id']}").raise_for_status()
    notes(page).get_by_role("button", name="Undo").click()
    expect(notes(page)).to_have_text("Noted: User lives in LisbonAlready forgotten")


def test_no_note_line_without_facts_or_in_temporary_chat(page: Page, running_server: RunningServer) -> None:
    tell(page, "How many legs does a spider have?")
    expect(notes(page)).to_have_count(0)
    page.get_by_role("button", name="New temporary chat").click()
    tell(page, "I live in Lisbon.")
    expect(notes(page)).to_have_count(0)
    assert fetch_facts(running_server) == []


def test_chat_and_notes_work_after_page_reload(page: Page, running_server: RunningServer) -> None:
    tell(page, "I live in Lisbon.")
    expect(notes(page)).to_have_count(1)
    page.reload()
    expect(list_user_messages(page)).to_contain_text("I live in Lisbon.")
    tell(page, "My sister is called Ana.")
    expect(notes(page)).to_contain_text("Ana")
    assert eventually(lambda: len(fetch_facts(running_server)) == 2)


@pytest.mark.parametrize(
    "look", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": {"width": 360, "height": 740}}], ids=str
)
def test_notes_fit_every_theme_and_narrow_screens(
    running_server: RunningServer, visit: Visit, look: dict[str, object]
) -> None:
    page = visit(running_server, **look)
    tell(page, f"{LONG} I live in Lisbon. My sister is called Ana.")
    expect(notes(page).first).to_be_visible()
    assert violations(page) + overflow(page) == []
    notes(page).last.get_by_role("button", name="Undo").click()
    expect(notes(page).last).to_contain_text("Undone")
    assert violations(page) + overflow(page) == []


def test_note_taken_by_language_model_after_turn_appears(model: Model, start: Callable[..., RunningServer], visit: Visit):
    late = start(model)
    fact = {"message": 0, "text": "User lives in Lisbon", "kind": "identity", "subject": "user", "about": "home"}
    model.facts = json.dumps({"facts": [fact | {"value": "Lisbon", "confidence": 0.9}]})
    page = visit(late)
    tell(page, "I live in Lisbon.")
    expect(notes(page)).to_have_text("Noted: User lives in LisbonUndo")
    notes(page).get_by_role("button", name="Undo").click()
    expect(notes(page)).to_contain_text("Undone")
    assert fetch_facts(late) == []
