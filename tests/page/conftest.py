"""A real browser in front of a real server, whose language model says what a test tells it to."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llm_server import Exchange, Handler, Server, answer, serving
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright
from server import conftest as server

import recollect

ROOT = Path(__file__).parents[2]
BUILT = Path(recollect.__file__).parent / "server" / "page"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE = 20_000
"""Milliseconds that a test waits for what it expects; machines that test are busy."""

expect.set_options(timeout=PATIENCE)


class Model:
    """A language model: answers to users come from `lines`, one by one, and then from `otherwise`."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.lines: list[Exchange] = []
        self.otherwise: Exchange = answer("As you like.")
        server.otherwise = self.speak

    def speak(self, handler: Handler, body: dict[str, Any]) -> None:
        # Only answers to users are streamed; titles, summaries and facts are asked for in one piece.
        exchange = (self.lines.pop(0) if self.lines else self.otherwise) if body.get("stream") else answer("none")
        exchange(handler, body)


class Desk(server.Server):
    """A server that runs, the model behind it, and a client that does what another program would."""

    def __init__(self, folder: Path, model: Model | None, **settings: str) -> None:
        self.folder = folder
        self.model = model
        self._settings = {"HOME": str(folder)} | ({} if model is None else _llm(model)) | settings
        super().__init__(folder / "chat.db", **self._settings)
        self.http = self.client()

    def kill(self) -> None:
        """Ends the server at once, as a power cut would."""
        self.stop(signal.SIGKILL)

    def come_back(self) -> None:
        """Starts the server again, where it was."""
        super().__init__(self.store, "--port", self.url.rpartition(":")[2], **self._settings)

    def session(self, title: str, *lines: tuple[str, str], **fields: Any) -> str:
        """Makes a conversation, and tells its id."""
        made = self.http.post("/v1/sessions", json={"title": title, **fields}).raise_for_status().json()
        if lines:
            messages = [{"role": role, "content": text} for role, text in lines]
            self.http.post(f"/v1/sessions/{made['id']}/messages/batch", json={"messages": messages}).raise_for_status()
        return made["id"]

    def messages(self, session: str) -> list[dict[str, Any]]:
        """What is saved of a conversation."""
        return self.http.get(f"/v1/sessions/{session}/messages", params={"limit": 500}).raise_for_status().json()["items"]

    def close(self) -> None:
        self.http.close()
        self.stop()


def _llm(model: Model) -> dict[str, str]:
    return {
        "RECOLLECT_LLM": "openai:scripted",
        "RECOLLECT_LLM_URL": model.server.url,
        "RECOLLECT_LLM_KEY": "for-the-tests",
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For a file of tests at most: while it is open, no other test of this process can start an event loop."""
    assert (BUILT / "index.html").exists(), "the page is not built: run `make page`"
    found = os.environ.get("RECOLLECT_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None and "RECOLLECT_CI" not in os.environ:
        pytest.skip("there is no Chromium or Chrome on this machine: RECOLLECT_CHROMIUM names one")
    assert found, "there is no browser to test the page in"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with serving() as server:
        yield Model(server)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, model: Model) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("page"), model)
    yield desk
    desk.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Starts servers of their own kind, which end with the test."""
    running: list[Desk] = []

    def begin(model: Model | None = None, **settings: str) -> Desk:
        running.append(Desk(tmp_path, model, **settings))
        return running[-1]

    yield begin
    for desk in running:
        desk.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages. Whatever they complain about, and whoever they ask but their own server, fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(desk: Desk, address: str = "/", refused: bool = False, broken: bool = False, **options: Any) -> Page:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("console", lambda message: complaints.extend(_complaint(message, refused, broken)))
        page.on("request", lambda request: complaints.extend(_stranger(request, desk.url)))
        page.goto(desk.url + address)
        page.locator(".shell, .sign-in").first.wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _complaint(message: ConsoleMessage, refused: bool, broken: bool) -> list[str]:
    # The browser complains of a 404 whether or not the page knows what to do about it, and of a server that is away.
    away = broken and ("net::ERR_" in message.text or "status of 5" in message.text or "status of 409" in message.text)
    known = away or "status of 404" in message.text or (refused and "status of 401" in message.text)
    return [f"console: {message.text}"] if message.type in ("error", "warning") and not known else []


def _stranger(request: Request, home: str) -> list[str]:
    return [] if request.url.startswith((home, "data:", "blob:")) else [f"request: {request.url}"]


@pytest.fixture
def page(visit: Callable[..., Page], desk: Desk) -> Page:
    return visit(desk)
