"""Inspector: what an answer was given, what was nearly given, the exact prompt, and the time it took."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from llm_server import answer
from playwright.sync_api import Locator, Page, expect

from .acting import answers, log, say, session_of, settled
from .conftest import Desk, Model
from .looks import violations

Visit = Callable[..., Page]


@pytest.fixture
def answered(page: Page, desk: Desk, model: Model) -> Page:
    """A question that draws on an earlier conversation, with its answer."""
    if not desk.http.get("/v1/sessions").json()["items"]:
        desk.session(
            "Family",
            ("user", "My sister Ana moved to Lisbon. Boxes!"),
            ("assistant", "I will remember that."),
        )
    model.lines = [answer("In Lisbon.")]
    say(page, "Where does my sister live?")
    settled(page)
    expect(answers(page)).to_contain_text("In Lisbon.")
    return page


def drawer(page: Page) -> Locator:
    return page.get_by_role("dialog", name="What this answer was given")


def inspect(page: Page) -> Locator:
    answers(page).get_by_role("button", name=re.compile("^used ")).click()
    expect(drawer(page)).to_be_visible()
    return drawer(page)


def receipt_of(page: Page, desk: Desk) -> dict[str, object]:
    message = desk.messages(session_of(page))[-1]
    return desk.http.get(f"/v1/receipts/{message['metadata']['receipt']}").raise_for_status().json()


def test_an_answer_says_how_much_it_was_given(answered: Page, desk: Desk) -> None:
    receipt = receipt_of(answered, desk)
    used, tokens = len(receipt["used"]), receipt["tokens"]
    words = f"used {used} {'memory' if used == 1 else 'memories'} · {tokens:,} tokens"
    expect(answers(answered).get_by_role("button", name=words)).to_be_visible()
    answered.reload()
    expect(answers(answered).get_by_role("button", name=words)).to_be_visible()


def test_used_shows_source_scores_tokens_and_reason(answered: Page, desk: Desk) -> None:
    shown = inspect(answered)
    expect(shown).to_contain_text("Where does my sister live?")
    entry = shown.get_by_role("listitem").filter(has_text="My sister Ana moved to Lisbon. Boxes!").filter(has_text="matches")
    expect(entry.first).to_contain_text("matches 'sister'")
    expect(entry.first).to_contain_text(re.compile(r"\d+ tokens"))
    assert entry.first.get_by_role("meter").count() > 1
    entry.first.get_by_role("link", name="Family").click()
    expect(drawer(answered)).to_have_count(0)
    expect(log(answered).get_by_text("My sister Ana moved to Lisbon. Boxes!")).to_be_in_viewport()


def test_the_prompt_is_the_exact_one(answered: Page, desk: Desk, model: Model) -> None:
    sent = next(body for _, _, body in reversed(model.server.requests) if body.get("stream"))["messages"]
    shown = inspect(answered)
    shown.get_by_role("tab", name="Prompt").click()
    texts = shown.locator(".prompt-message pre").all_text_contents()
    assert texts == [message["content"] for message in sent]
    sections = receipt_of(answered, desk)["sections"]
    assert isinstance(sections, dict)
    for name, tokens in sections.items():
        expect(shown.locator(".section-legend")).to_contain_text(f"{name.replace('_', ' ')} {tokens:,}")


def test_the_profile_is_listed_as_always_given(desk: Desk, visit: Visit, model: Model) -> None:
    made = desk.http.post("/v1/facts", json={"text": "Use metric units", "kind": "instruction"}).raise_for_status().json()
    page = visit(desk)
    model.lines = [answer("Hello.")]
    say(page, "Good morning!")
    settled(page)
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
    page.wait_for_url(f"{desk.url}/memory#fact-{made['id']}")
    desk.http.delete(f"/v1/facts/{made['id']}").raise_for_status()


def test_considered_and_timeline(answered: Page, desk: Desk) -> None:
    receipt = receipt_of(answered, desk)
    shown = inspect(answered)
    shown.get_by_role("tab", name="Considered").click()
    considered = receipt["considered"]
    assert isinstance(considered, list)
    if considered:
        expect(shown.get_by_role("listitem")).to_have_count(len(considered))
    else:
        expect(shown).to_contain_text("Nothing else was considered")
    answered.keyboard.press("ArrowRight")
    answered.keyboard.press("ArrowRight")
    expect(shown.get_by_role("tab", name="Timeline")).to_be_focused()
    timeline = receipt["timeline"]
    assert isinstance(timeline, dict)
    for step in timeline:
        expect(shown.get_by_role("row", name=step.replace("_", " "))).to_contain_text(re.compile(r"[\d.]+ m?s"))


def test_its_words_are_honest(answered: Page) -> None:
    shown = inspect(answered)
    for tab in ("Used", "Considered", "Prompt", "Timeline"):
        shown.get_by_role("tab", name=tab).click()
        assert "influenc" not in shown.inner_text().lower()
    shown.get_by_role("tab", name="Used").click()
    expect(shown).to_contain_text("Retrieved and injected")


def test_near_misses_are_told_with_their_reason(start: Callable[..., Desk], visit: Visit, model: Model) -> None:
    """With a small budget, not everything that was found fits."""
    desk = start(model, RECOLLECT_CONTEXT_BUDGET="900")
    for at in range(12):
        desk.session(f"Trip {at}", ("user", f"On trip {at} to Lisbon we stayed in hotel number {at} near the river. " * 4))
    page = visit(desk)
    model.lines = [answer("In many.")]
    say(page, "In which hotels did we stay in Lisbon?")
    settled(page)
    shown = inspect(page)
    shown.get_by_role("tab", name="Considered").click()
    expect(shown.get_by_role("listitem").first).to_be_visible()
    assert shown.locator(".entry-reason").first.inner_text() != ""


def test_what_an_answer_names_is_cited_and_stays_cited(desk: Desk, visit: Visit, model: Model) -> None:
    kind = {"Content-Type": "text/markdown"}
    content = b"# Ferry times\n\nThe ferry to Cacilhas leaves every twenty minutes."
    made = (
        desk.http.post("/v1/documents", params={"name": "ferry.md"}, content=content, headers=kind).raise_for_status().json()
    )
    page = visit(desk)
    model.lines = [answer("Every twenty minutes [Ferry.md].")]
    say(page, "How often does the ferry to Cacilhas leave?")
    settled(page)
    chip = answers(page).locator(".cited").get_by_role("link", name="ferry.md")
    expect(chip).to_be_visible()
    page.reload()
    expect(chip).to_have_count(1)
    chip.click()
    assert page.url == f"{desk.url}/documents#{made['id']}"
    expect(page.get_by_role("dialog", name="Ferry times")).to_contain_text("leaves every twenty minutes")


def test_an_answer_that_names_nothing_cites_nothing(answered: Page) -> None:
    answered.reload()
    expect(answers(answered)).to_contain_text("In Lisbon.")
    expect(answers(answered).locator(".cited")).to_have_count(0)
