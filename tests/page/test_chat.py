"""Chat: answers as they come, stopping, branches, safe Markdown, folded tools, temporary chats, addresses."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from llm_server import Handler, answer, chunk, refuses
from playwright.sync_api import Page, expect

from .acting import answers, choose, eventually, log, row, said, say, session_of, settled
from .conftest import Desk, Model

Visit = Callable[..., Page]


def in_two_parts(first: str, second: str, go_on: threading.Event) -> Callable[[Handler, dict[str, Any]], None]:
    """An answer whose second part is held back."""

    def exchange(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        handler.event(chunk(role="assistant", content=first))
        go_on.wait(10)
        handler.event(chunk(content=second))
        handler.event(chunk("stop"))
        handler.end_stream()

    return exchange


def on_and_on(handler: Handler, body: dict[str, Any]) -> None:
    """An answer that takes a minute, a word at a time."""
    handler.begin_stream()
    for at in range(1200):
        handler.event(chunk(content=f"word{at} "))
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def _speaks_its_mind(model: Model) -> None:
    model.lines.clear()
    model.otherwise = answer("As you like.")


def test_an_answer_is_shown_while_it_comes(page: Page, model: Model) -> None:
    go_on = threading.Event()
    model.lines = [in_two_parts("The first part, ", "and the second.", go_on)]
    say(page, "Tell me.")
    expect(answers(page)).to_have_text("The first part,")
    expect(log(page)).to_have_attribute("aria-busy", "true")
    go_on.set()
    expect(answers(page)).to_contain_text("The first part, and the second.")
    settled(page)


def test_enter_sends_and_shift_enter_begins_a_line(page: Page) -> None:
    field = page.get_by_label("Message", exact=True)
    field.press_sequentially("One")
    page.keyboard.press("Shift+Enter")
    field.press_sequentially("Two")
    expect(said(page)).to_have_count(0)
    page.keyboard.press("Enter")
    expect(said(page)).to_have_count(1)
    expect(field).to_have_value("")
    settled(page)
    assert said(page).locator("p").inner_text() == "One\nTwo"


def test_escape_stops_the_model_and_keeps_the_part(page: Page, model: Model, desk: Desk) -> None:
    model.server.closed_early.clear()
    model.lines = [on_and_on]
    say(page, "Tell me all.")
    expect(answers(page)).to_contain_text("word5")
    page.keyboard.press("Escape")
    settled(page)
    assert model.server.closed_early.wait(5)
    expect(answers(page)).to_contain_text("stopped")
    saved = desk.messages(session_of(page))[-1]
    assert saved["metadata"]["finish"] == "stopped"
    assert saved["text"].startswith("word0 word1 word2 word3 word4 word5")
    expect(answers(page).locator(".prose")).to_have_text(saved["text"].strip())
    page.reload()
    expect(answers(page).locator(".prose")).to_have_text(saved["text"].strip())


def test_an_edited_message_makes_a_branch(page: Page, model: Model) -> None:
    model.lines = [answer("To the first."), answer("To the second.")]
    say(page, "First wording")
    settled(page)
    said(page).hover()
    said(page).get_by_role("button", name="Edit").click()
    page.get_by_label("Say it differently").fill("Second wording")
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text("To the second.")
    settled(page)
    expect(said(page).get_by_role("group", name="Versions")).to_have_text("2/2")
    said(page).get_by_role("button", name="Earlier version").click()
    expect(said(page)).to_contain_text("First wording")
    expect(answers(page)).to_contain_text("To the first.")
    expect(said(page).get_by_role("group", name="Versions")).to_have_text("1/2")


def test_another_answer_makes_a_branch(page: Page, model: Model) -> None:
    model.lines = [answer("One answer."), answer("Another answer."), answer("A third answer.")]
    say(page, "Say something.")
    settled(page)
    for text in ("Another answer.", "A third answer."):
        answers(page).get_by_role("button", name="Answer again").click()
        expect(answers(page)).to_contain_text(text)
        settled(page)
    expect(said(page)).to_have_count(1)
    expect(answers(page).get_by_role("group", name="Versions")).to_have_text("3/3")
    answers(page).get_by_role("button", name="Earlier version").click()
    expect(answers(page)).to_contain_text("Another answer.")


MARKDOWN = """# A heading

Some **bold** text with `code`, a [link](https://example.org/a), a [bad one](javascript:alert(1)), and
![a picture](https://example.org/p.png).

<script>document.title = 'taken over'</script>
<img src="x" onerror="document.title = 'taken over'">

| a | b |
|---|--:|
| 1 | 2 |

```python
print("<b>one line that goes on and on, much further than any screen of a reasonable width would ever let it go on")
```
"""


def test_markdown_is_rendered_and_html_stays_text(desk: Desk, visit: Visit) -> None:
    session = desk.session(
        "Safe", ("user", "<b>Bold?</b> <script>document.title = 'taken over'</script>"), ("assistant", MARKDOWN)
    )
    page = visit(desk, f"/c/{session}")
    shown = answers(page)
    expect(shown.get_by_role("heading", name="A heading")).to_be_visible()
    expect(shown.locator("strong")).to_have_text("bold")
    expect(shown.locator("td")).to_have_text(["1", "2"])
    expect(shown).to_contain_text("<script>document.title = 'taken over'</script>")
    expect(said(page)).to_contain_text("<b>Bold?</b>")
    assert log(page).locator("script, img, b, iframe").count() == 0
    assert "taken over" not in page.title()
    addresses = shown.locator("a").evaluate_all("links => links.map((link) => [link.textContent, link.href, link.rel])")
    assert [address for _, address, _ in addresses] == ["https://example.org/a", "https://example.org/p.png"]
    assert all("noopener" in rel for _, _, rel in addresses)


def test_code_scrolls_sideways_and_can_be_copied(desk: Desk, visit: Visit) -> None:
    session = desk.session("Code", ("assistant", MARKDOWN))
    page = visit(desk, f"/c/{session}", permissions=["clipboard-read", "clipboard-write"])
    code = answers(page).locator("pre")
    assert code.evaluate("element => element.scrollWidth > element.clientWidth")
    answers(page).get_by_role("button", name="Copy", exact=True).first.click()
    expect(page.get_by_role("status").filter(has_text="Code copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith('print("<b>one line')


def test_system_messages_are_hidden_and_tools_folded(desk: Desk, visit: Visit) -> None:
    session = desk.session("Tools", system_prompt="You are a weather frog.")
    call = {"id": "t1", "name": "get_weather", "arguments": '{"city": "Lisbon"}'}
    for message in (
        {"role": "user", "content": "The weather?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "21 degrees", "tool_call_id": "t1", "name": "get_weather"},
        {"role": "assistant", "content": "Warm."},
    ):
        desk.http.post(f"/v1/sessions/{session}/messages", json=message).raise_for_status()
    page = visit(desk, f"/c/{session}")
    expect(page.get_by_text("Warm.")).to_be_visible()
    expect(page.get_by_text("You are a weather frog.")).to_be_hidden()
    expect(page.get_by_text("21 degrees")).to_be_hidden()
    page.get_by_text("get weather").click()
    expect(page.get_by_text("21 degrees")).to_be_visible()
    expect(page.get_by_text('"city": "Lisbon"')).to_be_visible()
    page.get_by_text("System prompt").click()
    expect(page.get_by_text("You are a weather frog.")).to_be_visible()


def test_a_temporary_chat_has_a_frame_and_leaves_nothing(page: Page, desk: Desk) -> None:
    page.get_by_role("button", name="New temporary chat").click()
    say(page, "A secret about marmalade.")
    expect(answers(page)).to_contain_text("As you like.")
    settled(page)
    expect(page.get_by_text("Temporary chat: nothing of it is kept.")).to_be_visible()
    assert page.locator("main").evaluate("element => getComputedStyle(element).borderStyle") == "dashed"
    kept = desk.http.get("/v1/sessions", params={"limit": 200}).json()["items"]
    assert session_of(page) not in {session["id"] for session in kept}
    found = desk.http.post("/v1/search", json={"query": "marmalade"}).json()["hits"]
    assert found == []


def test_older_messages_come_in_above_without_a_jump(desk: Desk, visit: Visit) -> None:
    session = desk.session("Long", *(("user" if at % 2 else "assistant", f"Line {at} of it") for at in range(150)))
    page = visit(desk, f"/c/{session}")
    expect(page.get_by_text("Line 149 of it")).to_be_in_viewport()
    assert page.get_by_text("Line 20 of it").count() == 0
    first, place = log(page).evaluate(
        """log => {
            log.scrollTop = 120;
            const first = log.querySelector("article");
            return [first.id, first.getBoundingClientRect().top];
        }"""
    )
    expect(log(page).get_by_role("article").nth(60)).to_be_attached()
    assert abs(page.locator(f"#{first}").evaluate("article => article.getBoundingClientRect().top") - place) < 2
    log(page).hover()
    while page.get_by_text("Line 0 of it").count() == 0:
        page.mouse.wheel(0, -3000)
        page.wait_for_timeout(50)
    expect(page.get_by_text("Line 75 of it")).to_have_count(1)


def test_what_another_client_says_appears(desk: Desk, visit: Visit) -> None:
    session = desk.session("Shared", ("user", "From here."))
    page = visit(desk, f"/c/{session}")
    expect(page.get_by_text("From here.")).to_be_visible()
    desk.http.post(f"/v1/sessions/{session}/messages", json={"role": "user", "content": "From there."}).raise_for_status()
    expect(page.get_by_text("From there.")).to_be_visible()


def test_each_message_has_an_address(desk: Desk, visit: Visit) -> None:
    session = desk.session("Addresses", *(("user" if at % 2 else "assistant", f"Line {at} here") for at in range(200)))
    message = desk.messages(session)[30]
    page = visit(desk, f"/c/{session}", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_text("Line 199 here")).to_be_in_viewport()
    page.goto(f"{desk.url}/c/{session}/{message['id']}")
    target = page.get_by_text("Line 30 here", exact=True)
    expect(target).to_be_in_viewport()
    article = page.locator(f"#message-{message['id']}")
    expect(article).to_have_class(re.compile("lit"))
    choose(page, article, "More", "Copy link")
    assert page.evaluate("navigator.clipboard.readText()") == f"{desk.url}/c/{session}/{message['id']}"


def test_the_address_of_a_message_on_another_branch_shows_that_branch(page: Page, model: Model, desk: Desk) -> None:
    model.lines = [answer("The first answer."), answer("The other answer.")]
    say(page, "Two answers, please.")
    settled(page)
    session = session_of(page)
    first = desk.messages(session)[-1]["id"]
    answers(page).get_by_role("button", name="Answer again").click()
    expect(answers(page)).to_contain_text("The other answer.")
    settled(page)
    page.goto(f"{desk.url}/c/{session}/{first}")
    expect(answers(page)).to_contain_text("The first answer.")


def test_a_model_that_fails_is_told_and_asked_again(page: Page, model: Model) -> None:
    model.otherwise = refuses(401, "no such key")
    say(page, "Are you there?")
    expect(page.get_by_role("alert")).to_contain_text("no such key")
    settled(page)
    model.otherwise = answer("Now I am.")
    page.get_by_role("button", name="Try again").click()
    expect(answers(page)).to_contain_text("Now I am.")
    settled(page)
    expect(said(page)).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_without_a_model_the_page_says_that_answers_are_quotes(start: Callable[..., Desk], visit: Visit) -> None:
    desk = start(model=None)
    desk.session("Lisbon", ("user", "My sister Ana lives in Lisbon."))
    page = visit(desk)
    expect(page.get_by_text("Answers are quotes from memory. No language model")).to_be_visible()
    say(page, "Where does my sister live?")
    expect(answers(page)).to_contain_text("Lisbon")
    settled(page)


def test_a_new_chat_gets_an_address_and_a_place_in_the_sidebar(page: Page) -> None:
    say(page, "Remember the blue bicycle.")
    settled(page)
    session = session_of(page)
    expect(page.locator(f"[data-session='{session}']")).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name="New chat", exact=True).click()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    page.locator(f"[data-session='{session}']").click()
    expect(said(page)).to_contain_text("blue bicycle")


def test_an_answer_goes_on_while_another_conversation_is_looked_at(desk: Desk, page: Page, model: Model) -> None:
    desk.session("Elsewhere", ("user", "Something else."))
    go_on = threading.Event()
    model.lines = [in_two_parts("Slowly ", "but surely.", go_on)]
    say(page, "Take your time.")
    expect(answers(page)).to_contain_text("Slowly")
    session = session_of(page)
    row(page, "Elsewhere").get_by_role("link").press("Enter")
    expect(page.get_by_text("Something else.")).to_be_visible()
    go_on.set()
    page.locator(f"[data-session='{session}']").click()
    expect(answers(page)).to_contain_text("Slowly but surely.")
    settled(page)


def test_text_that_runs_from_right_to_left_does(desk: Desk, visit: Visit) -> None:
    session = desk.session("שיחה על ליסבון", ("user", "שלום, מה שלומך?"), ("assistant", "Fine.\n\n- שלום\n- hello"))
    page = visit(desk, f"/c/{session}")
    runs = "element => getComputedStyle(element).direction"
    assert said(page).locator("p").evaluate(runs) == "rtl"
    assert page.get_by_role("heading", level=1).evaluate(runs) == "rtl"
    assert answers(page).locator("p").first.evaluate(runs) == "ltr"
    assert [item.evaluate(runs) for item in answers(page).locator("li").all()] == ["rtl", "ltr"]
    page.get_by_label("Message", exact=True).fill("שלום")
    assert page.get_by_label("Message", exact=True).evaluate(runs) == "rtl"


def test_a_message_can_be_kept_out_of_memory(desk: Desk, visit: Visit) -> None:
    session = desk.session("Between us", ("user", "A word between us."))
    page = visit(desk, f"/c/{session}")
    choose(page, said(page), "More", "Don't remember this")
    assert eventually(lambda: desk.messages(session)[0]["private"])
    choose(page, said(page), "More", "Remember this")
    assert eventually(lambda: not desk.messages(session)[0]["private"])


def test_the_question_stands_where_it_will_stay(page: Page, model: Model) -> None:
    go_on = threading.Event()
    model.lines = [in_two_parts("Half ", "and half.", go_on)]
    say(page, "Do you move?")
    expect(answers(page)).to_contain_text("Half")
    gap = """() => {
        const [question, answer] = document.querySelectorAll(".log article .prose");
        return answer.getBoundingClientRect().top - question.getBoundingClientRect().bottom;
    }"""
    before = page.evaluate(gap)
    go_on.set()
    settled(page)
    assert abs(page.evaluate(gap) - before) < 1
