"""Inspector: the memories used for an answer, the near misses, the exact prompt, and the timeline."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from llm_server import answer
from playwright.sync_api import Locator, Page, expect

from .acting import answers, log, say, session_of, wait_for_answer
from .conftest import Model, RunningServer
from .looks import violations

Visit = Callable[..., Page]


@pytest.fixture
def page_with_answer(page: Page, running_server: RunningServer, model: Model) -> Page:
    """A question that draws on an earlier conversation, with its answer."""
    if not running_server.http.get("/v1/sessions").json()["items"]:
        running_server.session(
            "Family",
            ("user", "My sister Ana moved to Lisbon. Boxes!"),
            ("assistant", "I will remember that."),
        )
    model.lines = [answer("In Lisbon.")]
    say(page, "Where does my sister live?")
    wait_for_answer(page)
    expect(answers(page)).to_contain_text("In Lisbon.")
    return page


def drawer(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Sources of this answer")


def inspect(page: Page) -> Locator:
    answers(page).get_by_role("button", name=re.compile("^used ")).click()
    expect(drawer(page)).to_be_visible()
    return drawer(page)


def receipt_of(page: Page, running_server: RunningServer) -> dict[str, object]:
    message = running_server.messages(session_of(page))[-1]
    return running_server.http.get(f"/v1/receipts/{message['metadata']['receipt']}").raise_for_status().json()


def test_answer_shows_number_of_memories_and_tokens(page_with_answer: Page, running_server: RunningServer) -> None:
    receipt = receipt_of(page_with_answer, running_server)
    used, tokens = len(receipt["used"]), receipt["tokens"]
    words = f"used {used} {'memory' if used == 1 else 'memories'} · {tokens:,} tokens"
    expect(answers(page_with_answer).get_by_role("button", name=words)).to_be_visible()
    page_with_answer.reload()
    expect(answers(page_with_answer).get_by_role("button", name=words)).to_be_visible()


def test_used_tab_shows_source_scores_tokens_and_reason(page_with_answer: Page, running_server: RunningServer) -> None:
    shown = inspect(page_with_answer)
    expect(shown).to_contain_text("Where does my sister live?")
    entry = shown.get_by_role("listitem").filter(has_text="My sister Ana moved to Lisbon. Boxes!").filter(has_text="matches")
    expect(entry.first).to_contain_text("matches 'sister'")
    expect(entry.first).to_contain_text(re.compile(r"\d+ tokens"))
    assert entry.first.get_by_role("meter").count() > 1
    entry.first.get_by_role("link", name="Family").click()
    expect(drawer(page_with_answer)).to_have_count(0)
    expect(log(page_with_answer).get_by_text("My sister Ana moved to Lisbon. Boxes!")).to_be_in_viewport()


def test_prompt_tab_shows_exact_prompt(page_with_answer: Page, running_server: RunningServer, model: Model) -> None:
    sent = next(body for _, _, body in reversed(model.server.requests) if body.get("stream"))["messages"]
    shown = inspect(page_with_answer)
    shown.get_by_role("tab", name="Prompt").click()
    texts = shown.locator(".prompt-message pre").all_text_contents()
    assert texts == [message["content"] for message in sent]
    sections = receipt_of(page_with_answer, running_server)["sections"]
    assert isinstance(sections, dict)
    for name, tokens in sections.items():
        expect(shown.locator(".section-legend")).to_contain_text(f"{name.replace('_', ' ')} {tokens:,}")


def test_used_tab_lists_profile_as_always_given(running_server: RunningServer, visit: Visit, model: Model) -> None:
    made = (
        running_server.http.post("/v1/facts", json={"text": "Use metric units", "kind": "instruction"})
        .raise_for_status()
        .json()
    )
    page = visit(running_server)
    model.lines = [answer("Hello.")]
    say(page, "Good morning!")
    wait_for_answer(page)
    shown = inspect(page)
    line = (
        shown.get_by_role("region", name="Always given")
        .get_by_role("listitem")
        .filter(has_text='The user asks: "Use metric units"')
    )
    expect(line).to_contain_text("standing profile: instruction")
    expect(line).to_contain_text(re.compile(r"\d+ tokens"))
    assert violations(page) == []
    line.get_by_role("link").click()
    page.wait_for_url(f"{running_server.url}/memory#fact-{made['id']}")
    running_server.http.delete(f"/v1/facts/{made['id']}").raise_for_status()


def test_considered_and_timeline_tabs_match_receipt(page_with_answer: Page, running_server: RunningServer) -> None:
    receipt = receipt_of(page_with_answer, running_server)
    shown = inspect(page_with_answer)
    shown.get_by_role("tab", name="Considered").click()
    considered = receipt["considered"]
    assert isinstance(considered, list)
    if considered:
        expect(shown.get_by_role("listitem")).to_have_count(len(considered))
    else:
        expect(shown).to_contain_text("Nothing else was considered")
    page_with_answer.keyboard.press("ArrowRight")
    page_with_answer.keyboard.press("ArrowRight")
    expect(shown.get_by_role("tab", name="Timeline")).to_be_focused()
    timeline = receipt["timeline"]
    assert isinstance(timeline, dict)
    for step in timeline:
        expect(shown.get_by_role("row", name=step.replace("_", " "))).to_contain_text(re.compile(r"[\d.]+ m?s"))


def test_inspector_does_not_claim_influence(page_with_answer: Page) -> None:
    shown = inspect(page_with_answer)
    for tab in ("Used", "Considered", "Prompt", "Timeline"):
        shown.get_by_role("tab", name=tab).click()
        assert "influenc" not in shown.inner_text().lower()
    shown.get_by_role("tab", name="Used").click()
    expect(shown).to_contain_text("Retrieved and included")


def test_considered_tab_shows_near_misses_with_reason(
    start: Callable[..., RunningServer], visit: Visit, model: Model
) -> None:
    """With a small budget, not every hit fits into the prompt."""
    running_server = start(model, KEEPSAID_CONTEXT_BUDGET="900")
    for at in range(12):
        running_server.session(
            f"Trip {at}", ("user", f"On trip {at} to Lisbon we stayed in hotel number {at} near the river. " * 4)
        )
    page = visit(running_server)
    model.lines = [answer("In many.")]
    say(page, "In which hotels did we stay in Lisbon?")
    wait_for_answer(page)
    shown = inspect(page)
    shown.get_by_role("tab", name="Considered").click()
    expect(shown.get_by_role("listitem").first).to_be_visible()
    assert shown.locator(".entry-reason").first.inner_text() != ""


def test_named_document_is_cited_also_after_reload(running_server: RunningServer, visit: Visit, model: Model) -> None:
    kind = {"Content-Type": "text/markdown"}
    content = b"# Ferry times\n\nThe ferry to Cacilhas leaves every twenty minutes."
    made = (
        running_server.http.post("/v1/documents", params={"name": "ferry.md"}, content=content, headers=kind)
        .raise_for_status()
        .json()
    )
    page = visit(running_server)
    model.lines = [answer("Every twenty minutes [Ferry.md].")]
    say(page, "How often does the ferry to Cacilhas leave?")
    wait_for_answer(page)
    chip = answers(page).locator(".cited").get_by_role("link", name="ferry.md")
    expect(chip).to_be_visible()
    page.reload()
    expect(chip).to_have_count(1)
    chip.click()
    assert page.url == f"{running_server.url}/documents#{made['id']}"
    expect(page.get_by_role("dialog", name="Ferry times")).to_contain_text("leaves every twenty minutes")


def test_answer_naming_no_document_has_no_citation(page_with_answer: Page) -> None:
    page_with_answer.reload()
    expect(answers(page_with_answer)).to_contain_text("In Lisbon.")
    expect(answers(page_with_answer).locator(".cited")).to_have_count(0)
