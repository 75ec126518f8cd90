"""What a person does in the page, and where to look for what came of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect


def say(page: Page, text: str) -> None:
    """Types something into the field and sends it."""
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")


def log(page: Page) -> Locator:
    return page.get_by_role("log")


def answers(page: Page) -> Locator:
    return log(page).get_by_role("article", name="Answer")


def list_user_messages(page: Page) -> Locator:
    return log(page).get_by_role("article", name="You said")


def wait_for_answer(page: Page) -> None:
    """Waits until no answer is being given any more."""
    expect(log(page)).to_have_attribute("aria-busy", "false")


def session_of(page: Page) -> str:
    """The conversation that the address names."""
    page.wait_for_url(re.compile("/c/"))
    return page.url.split("/c/")[1].split("/")[0]


def eventually(check: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether it comes true: the page shows some changes before the server has them."""
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def row(page: Page, title: str) -> Locator:
    """A conversation in the sidebar."""
    return page.get_by_role("listitem").filter(has=page.get_by_role("link", name=title))


def choose(page: Page, what: Locator, menu: str | re.Pattern[str], item: str) -> None:
    """Opens a menu and chooses from it. By keyboard: under a pointer, rows may move while others come in."""
    what.get_by_role("button", name=menu).focus()
    page.keyboard.press("Enter")
    page.get_by_role("menu").get_by_text(item, exact=True).click()
