"""Chat: streamed answers, stopping, branches, safe Markdown, collapsed tools, temporary chats, message links."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from llm_server import Handler, answer, chunk, refuses
from playwright.sync_api import APIResponse, Page, Route, expect

from .acting import answers, choose, eventually, list_user_messages, log, row, say, session_of, wait_for_answer
from .conftest import Model, RunningServer

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


def test_answer_is_shown_while_streaming(page: Page, model: Model) -> None:
    go_on = threading.Event()
    model.lines = [in_two_parts("The first part, ", "and the second.", go_on)]
    say(page, "Tell me.")
    expect(answers(page)).to_have_text("The first part,")
    expect(log(page)).to_have_attribute("aria-busy", "true")
    go_on.set()
    expect(answers(page)).to_contain_text("The first part, and the second.")
    wait_for_answer(page)


def test_enter_sends_and_shift_enter_adds_line(page: Page) -> None:
    field = page.get_by_label("Message", exact=True)
    field.press_sequentially("One")
    page.keyboard.press("Shift+Enter")
    field.press_sequentially("Two")
    expect(list_user_messages(page)).to_have_count(0)
    page.keyboard.press("Enter")
    expect(list_user_messages(page)).to_have_count(1)
    expect(field).to_have_value("")
    wait_for_answer(page)
    assert list_user_messages(page).locator("p").inner_text() == "One\nTwo"


def test_escape_stops_model_and_keeps_partial_answer(page: Page, model: Model, running_server: RunningServer) -> None:
    model.server.closed_early.clear()
    model.lines = [on_and_on]
    say(page, "Tell me all.")
    expect(answers(page)).to_contain_text("word5")
    page.keyboard.press("Escape")
    wait_for_answer(page)
    assert model.server.closed_early.wait(5)
    expect(answers(page)).to_contain_text("stopped")
    saved = running_server.messages(session_of(page))[-1]
    assert saved["metadata"]["finish"] == "stopped"
    assert saved["text"].startswith("word0 word1 word2 word3 word4 word5")
    expect(answers(page).locator(".prose")).to_have_text(saved["text"].strip())
    page.reload()
    expect(answers(page).locator(".prose")).to_have_text(saved["text"].strip())


def test_editing_message_creates_branch(page: Page, model: Model) -> None:
    model.lines = [answer("To the first."), answer("To the second.")]
    say(page, "First wording")
    wait_for_answer(page)
    list_user_messages(page).hover()
    list_user_messages(page).get_by_role("button", name="Edit").click()
    page.get_by_label("New wording").fill("Second wording")
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text("To the second.")
    wait_for_answer(page)
    expect(list_user_messages(page).get_by_role("group", name="Versions")).to_have_text("2/2")
    list_user_messages(page).get_by_role("button", name="Earlier version").click()
    expect(list_user_messages(page)).to_contain_text("First wording")
    expect(answers(page)).to_contain_text("To the first.")
    expect(list_user_messages(page).get_by_role("group", name="Versions")).to_have_text("1/2")


def test_answering_again_creates_branch(page: Page, model: Model) -> None:
    model.lines = [answer("One answer."), answer("Another answer."), answer("A third answer.")]
    say(page, "Say something.")
    wait_for_answer(page)
    for text in ("Another answer.", "A third answer."):
        answers(page).get_by_role("button", name="Answer again").click()
        expect(answers(page)).to_contain_text(text)
        wait_for_answer(page)
    expect(list_user_messages(page)).to_have_count(1)
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


@pytest.mark.parametrize(
    "hostile",
    [">" * 5_000, "1. " * 5_000, "a\n-\n" * 25_000, "_a" * 50_000, "- [ ] a\n" * 12_500],
    ids=["quotes", "lists", "headings", "emphasis", "checkboxes"],
)
def test_message_with_excessive_markdown_is_shown_verbatim(
    running_server: RunningServer, visit: Visit, hostile: str
) -> None:
    session = running_server.session("Hostile", ("user", "Hello."), ("assistant", hostile), ("user", "Still **here**."))
    page = visit(running_server, f"/c/{session}")
    expect(list_user_messages(page).last.locator("strong")).to_have_text("here")
    expect(answers(page).locator(".verbatim")).to_contain_text(hostile[:40].strip())


def test_markdown_is_rendered_and_html_stays_text(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session(
        "Safe", ("user", "<b>Bold?</b> <script>document.title = 'taken over'</script>"), ("assistant", MARKDOWN)
    )
    page = visit(running_server, f"/c/{session}")
    shown = answers(page)
    expect(shown.get_by_role("heading", name="A heading")).to_be_visible()
    expect(shown.locator("strong")).to_have_text("bold")
    expect(shown.locator("td")).to_have_text(["1", "2"])
    expect(shown).to_contain_text("<script>document.title = 'taken over'</script>")
    expect(list_user_messages(page)).to_contain_text("<b>Bold?</b>")
    assert log(page).locator("script, img, b, iframe").count() == 0
    assert "taken over" not in page.title()
    addresses = shown.locator("a").evaluate_all("links => links.map((link) => [link.textContent, link.href, link.rel])")
    assert [address for _, address, _ in addresses] == ["https://example.org/a", "https://example.org/p.png"]
    assert all("noopener" in rel for _, _, rel in addresses)


def test_code_scrolls_sideways_and_can_be_copied(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Code", ("assistant", MARKDOWN))
    page = visit(running_server, f"/c/{session}", permissions=["clipboard-read", "clipboard-write"])
    code = answers(page).locator("pre")
    assert code.evaluate("element => element.scrollWidth > element.clientWidth")
    answers(page).get_by_role("button", name="Copy", exact=True).first.click()
    expect(page.get_by_role("status").filter(has_text="Code copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith('print("<b>one line')


def test_system_prompt_and_tool_results_are_collapsed(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Tools", system_prompt="You are a weather frog.")
    call = {"id": "t1", "name": "get_weather", "arguments": '{"city": "Lisbon"}'}
    for message in (
        {"role": "user", "content": "The weather?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "21 degrees", "tool_call_id": "t1", "name": "get_weather"},
        {"role": "assistant", "content": "Warm."},
    ):
        running_server.http.post(f"/v1/sessions/{session}/messages", json=message).raise_for_status()
    page = visit(running_server, f"/c/{session}")
    expect(page.get_by_text("Warm.")).to_be_visible()
    expect(page.get_by_text("You are a weather frog.")).to_be_hidden()
    expect(page.get_by_text("21 degrees")).to_be_hidden()
    page.get_by_text("get weather").click()
    expect(page.get_by_text("21 degrees")).to_be_visible()
    expect(page.get_by_text('"city": "Lisbon"')).to_be_visible()
    page.get_by_text("System prompt").click()
    expect(page.get_by_text("You are a weather frog.")).to_be_visible()


def test_temporary_chat_has_dashed_frame_and_stores_nothing(page: Page, running_server: RunningServer) -> None:
    page.get_by_role("button", name="New temporary chat").click()
    say(page, "A secret about marmalade.")
    expect(answers(page)).to_contain_text("As you like.")
    wait_for_answer(page)
    expect(page.get_by_text("Temporary chat: nothing is saved.")).to_be_visible()
    assert page.locator("main").evaluate("element => getComputedStyle(element).borderStyle") == "dashed"
    kept = running_server.http.get("/v1/sessions", params={"limit": 200}).json()["items"]
    assert session_of(page) not in {session["id"] for session in kept}
    found = running_server.http.post("/v1/search", json={"query": "marmalade"}).json()["hits"]
    assert found == []


def test_older_messages_load_without_scroll_jump(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Long", *(("user" if at % 2 else "assistant", f"Line {at} of it") for at in range(150)))
    page = visit(running_server, f"/c/{session}")
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


def test_message_of_another_client_appears(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Shared", ("user", "From here."))
    page = visit(running_server, f"/c/{session}")
    expect(page.get_by_text("From here.")).to_be_visible()
    running_server.http.post(
        f"/v1/sessions/{session}/messages", json={"role": "user", "content": "From there."}
    ).raise_for_status()
    expect(page.get_by_text("From there.")).to_be_visible()


def test_message_of_another_client_outlives_older_reload(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Overtaken", ("user", "From here."))
    page = visit(running_server, f"/c/{session}")
    expect(page.get_by_text("From here.")).to_be_visible()
    held: list[tuple[Route, APIResponse]] = []

    def hold_first(route: Route) -> None:
        if held or route.request.method != "GET":
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route(f"**/v1/sessions/{session}/messages?*", hold_first)
    running_server.http.patch(f"/v1/sessions/{session}", json={"title": "Renamed"}).raise_for_status()
    expect(row(page, "Renamed")).to_be_visible()
    assert eventually(lambda: page.wait_for_timeout(20) or bool(held))
    running_server.http.post(
        f"/v1/sessions/{session}/messages", json={"role": "user", "content": "From there."}
    ).raise_for_status()
    expect(page.get_by_text("From there.")).to_be_visible()
    [(route, older)] = held
    route.fulfill(response=older)
    page.wait_for_timeout(300)
    expect(page.get_by_text("From there.")).to_be_visible()


def test_message_link_scrolls_to_message_and_can_be_copied(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session(
        "Addresses", *(("user" if at % 2 else "assistant", f"Line {at} here") for at in range(200))
    )
    message = running_server.messages(session)[30]
    page = visit(running_server, f"/c/{session}", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_text("Line 199 here")).to_be_in_viewport()
    page.goto(f"{running_server.url}/c/{session}/{message['id']}")
    target = page.get_by_text("Line 30 here", exact=True)
    expect(target).to_be_in_viewport()
    article = page.locator(f"#message-{message['id']}")
    expect(article).to_have_class(re.compile("lit"))
    choose(page, article, "More", "Copy link")
    assert page.evaluate("navigator.clipboard.readText()") == f"{running_server.url}/c/{session}/{message['id']}"


def test_message_link_switches_to_its_branch(page: Page, model: Model, running_server: RunningServer) -> None:
    model.lines = [answer("The first answer."), answer("The other answer.")]
    say(page, "Two answers, please.")
    wait_for_answer(page)
    session = session_of(page)
    first = running_server.messages(session)[-1]["id"]
    answers(page).get_by_role("button", name="Answer again").click()
    expect(answers(page)).to_contain_text("The other answer.")
    wait_for_answer(page)
    page.goto(f"{running_server.url}/c/{session}/{first}")
    expect(answers(page)).to_contain_text("The first answer.")


def test_model_error_is_shown_and_can_be_retried(page: Page, model: Model) -> None:
    model.otherwise = refuses(401, "no such key")
    say(page, "Are you there?")
    expect(page.get_by_role("alert")).to_contain_text("no such key")
    wait_for_answer(page)
    model.otherwise = answer("Now I am.")
    page.get_by_role("button", name="Try again").click()
    expect(answers(page)).to_contain_text("Now I am.")
    wait_for_answer(page)
    expect(list_user_messages(page)).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_page_without_model_says_answers_are_quotes(start: Callable[..., RunningServer], visit: Visit) -> None:
    running_server = start(model=None)
    running_server.session("Lisbon", ("user", "My sister Ana lives in Lisbon."))
    page = visit(running_server)
    expect(page.get_by_text("Answers are quotes from memory. No language model")).to_be_visible()
    say(page, "Where does my sister live?")
    expect(answers(page)).to_contain_text("Lisbon")
    wait_for_answer(page)


def test_new_chat_gets_address_and_sidebar_entry(page: Page) -> None:
    say(page, "Remember the blue bicycle.")
    wait_for_answer(page)
    session = session_of(page)
    expect(page.locator(f"[data-session='{session}']")).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name="New chat", exact=True).click()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    page.locator(f"[data-session='{session}']").click()
    expect(list_user_messages(page)).to_contain_text("blue bicycle")


def test_answer_continues_while_another_conversation_is_open(
    running_server: RunningServer, page: Page, model: Model
) -> None:
    running_server.session("Elsewhere", ("user", "Something else."))
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
    wait_for_answer(page)


def test_right_to_left_text_is_shown_right_to_left(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session(
        "שיחה על ליסבון", ("user", "שלום, מה שלומך?"), ("assistant", "Fine.\n\n- שלום\n- hello")
    )
    page = visit(running_server, f"/c/{session}")
    runs = "element => getComputedStyle(element).direction"
    assert list_user_messages(page).locator("p").evaluate(runs) == "rtl"
    assert page.get_by_role("heading", level=1).evaluate(runs) == "rtl"
    assert answers(page).locator("p").first.evaluate(runs) == "ltr"
    assert [item.evaluate(runs) for item in answers(page).locator("li").all()] == ["rtl", "ltr"]
    page.get_by_label("Message", exact=True).fill("שלום")
    assert page.get_by_label("Message", exact=True).evaluate(runs) == "rtl"


def test_message_can_be_excluded_from_memory(running_server: RunningServer, visit: Visit) -> None:
    session = running_server.session("Between us", ("user", "A word between us."))
    page = visit(running_server, f"/c/{session}")
    choose(page, list_user_messages(page), "More", "Don't remember this")
    assert eventually(lambda: running_server.messages(session)[0]["private"])
    choose(page, list_user_messages(page), "More", "Remember this")
    assert eventually(lambda: not running_server.messages(session)[0]["private"])


def test_layout_does_not_shift_when_answer_completes(page: Page, model: Model) -> None:
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
    wait_for_answer(page)
    assert abs(page.evaluate(gap) - before) < 1
