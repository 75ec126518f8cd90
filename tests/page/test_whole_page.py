"""The whole page: axe, keyboard use, 360 pixels, both themes, download size, and signing in."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llm_server import answer
from playwright.sync_api import Page, expect

from .acting import answers, say, wait_for_answer
from .conftest import BUILT, ROOT, Model, RunningServer

Visit = Callable[..., Page]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
MAX_PAGE_BYTES = 150_000
RICH = "# Title\n\n- a\n- b\n\n```python\nprint(1)\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n> quoted [link](https://example.org)"


def complaints(page: Page) -> list[str]:
    """What axe finds."""
    page.evaluate(AXE.read_text())
    # What moves in is half transparent at first, and its colours are not yet its own.
    page.wait_for_timeout(400)
    found: list[dict[str, Any]] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [f"{one['impact']} {one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]


@pytest.fixture(scope="module")
def rich(running_server: RunningServer) -> str:
    """A conversation with some of everything."""
    session = running_server.session(
        "Everything", ("user", "Show me."), ("assistant", RICH), tags=["work"], system_prompt="Be kind."
    )
    call = {"id": "t1", "name": "look_up", "arguments": "{}"}
    for message in (
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "found", "tool_call_id": "t1", "name": "look_up"},
    ):
        running_server.http.post(f"/v1/sessions/{session}/messages", json=message).raise_for_status()
    return session


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_reports_no_violations(
    running_server: RunningServer, visit: Visit, rich: str, model: Model, scheme: str
) -> None:
    page = visit(running_server, "/", color_scheme=scheme)
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    assert complaints(page) == []
    page.goto(f"{running_server.url}/c/{rich}")
    expect(page.get_by_text("quoted")).to_be_visible()
    assert complaints(page) == []
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("show")
    expect(page.get_by_role("option").first).to_be_visible()
    assert complaints(page) == []
    page.keyboard.press("Escape")
    model.lines = [answer("Here you are.")]
    say(page, "Show me again.")
    expect(answers(page).last).to_contain_text("Here you are.")
    wait_for_answer(page)
    answers(page).last.get_by_role("button", name=re.compile("^used ")).click()
    for tab in ("Used", "Prompt", "Timeline"):
        page.get_by_role("tab", name=tab).click()
        assert complaints(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Theme").click()
    assert complaints(page) == []


def test_axe_reports_no_violations_at_360_pixels(running_server: RunningServer, visit: Visit, rich: str) -> None:
    page = visit(running_server, f"/c/{rich}", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    expect(page.get_by_text("quoted")).to_be_visible()
    assert complaints(page) == []
    page.get_by_role("button", name="Open sidebar").click()
    expect(page.get_by_role("link", name="Everything")).to_be_visible()
    assert complaints(page) == []


def test_page_does_not_overflow_at_360_pixels(running_server: RunningServer, visit: Visit, rich: str, model: Model) -> None:
    page = visit(running_server, f"/c/{rich}", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    expect(page.get_by_text("quoted")).to_be_visible()
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) == 360
    page.get_by_role("button", name="Search").click()
    page.get_by_role("combobox").fill("show")
    expect(page.get_by_role("option").first).to_be_in_viewport()
    assert page.evaluate(wide) == 360
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open sidebar").click()
    page.get_by_role("button", name="New chat", exact=True).click()
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_in_viewport()
    model.lines = [answer("Small, but all there.")]
    say(page, "Does it fit?")
    wait_for_answer(page)
    answers(page).get_by_role("button", name=re.compile("^used ")).click()
    expect(page.get_by_role("tab", name="Timeline")).to_be_in_viewport(ratio=1)
    assert page.evaluate(wide) == 360


def test_chat_turn_works_by_keyboard_alone(running_server: RunningServer, visit: Visit, model: Model) -> None:
    page = visit(running_server)
    model.lines = [answer("One."), answer("Two.")]
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    page.keyboard.type("By keyboard alone")
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text("One.")
    wait_for_answer(page)
    press_until(page, re.compile("^used "), back=True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Used")).to_be_visible()
    press_until(page, re.compile("^Used"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Considered")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=re.compile("^used "))).to_be_focused()
    press_until(page, "Answer again")
    page.keyboard.press("Enter")
    expect(answers(page)).to_contain_text("Two.")
    wait_for_answer(page)
    press_until(page, "More")
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)


def press_until(page: Page, name: str | re.Pattern[str], back: bool = False) -> None:
    """Presses Tab until something of this name has the focus, which must then show a ring."""
    for _ in range(80):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        text = page.evaluate(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()"
        )
        if re.search(name, text):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"Tab does not lead to {name}")


def test_chosen_theme_survives_reload(running_server: RunningServer, visit: Visit) -> None:
    page = visit(running_server, "/", color_scheme="light")
    bright = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(bright)
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    assert page.evaluate(bright) != light
    page.reload()
    expect(page.get_by_role("button", name="Theme")).to_be_visible()
    assert page.evaluate(bright) != light


def test_first_load_stays_below_size_limit(running_server: RunningServer, visit: Visit) -> None:
    page = visit(running_server)
    expect(page.get_by_label("Message", exact=True)).to_be_visible()
    names = page.evaluate("performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)")
    files = {BUILT / name.lstrip("/") for name in [*names, "/index.html"] if not name.startswith("/v1/")}
    assert any(file.suffix == ".js" for file in files)
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < MAX_PAGE_BYTES


def test_sign_in_with_api_key_survives_reload(tmp_path: Path, start: Callable[..., RunningServer], visit: Visit) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "keepsaid", "--db", str(tmp_path / "chat.db"), "keys", "create", "laptop", "--json"],
        check=True,
        capture_output=True,
    )
    page = visit(start(None, KEEPSAID_SERVER_AUTH="on"), refused=True)
    expect(page.get_by_label("API key")).to_be_focused()
    page.get_by_label("API key").fill("rk_not_this_one")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("API key").fill(json.loads(made.stdout)["secret"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    say(page, "Hello?")
    expect(answers(page)).to_be_visible()
    wait_for_answer(page)
    page.reload()
    expect(answers(page)).to_be_visible()
