"""A real browser and a real server, with a language model that answers what the test says."""

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

import keepsaid

ROOT = Path(__file__).parents[2]
BUILT = Path(keepsaid.__file__).parent / "server" / "page"
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
        self.facts = "none"
        """What it answers when it is asked for facts, or for a title or a summary."""
        server.otherwise = self.speak

    def speak(self, handler: Handler, body: dict[str, Any]) -> None:
        # Only answers to users are streamed; titles, summaries and facts are asked for in one piece.
        exchange = (self.lines.pop(0) if self.lines else self.otherwise) if body.get("stream") else answer(self.facts)
        exchange(handler, body)


class RunningServer(server.Server):
    """A running server, the language model it uses, and an HTTP client."""

    def __init__(self, folder: Path, model: Model | None, **settings: str) -> None:
        self.folder = folder
        self.model = model
        self._settings = {"HOME": str(folder)} | ({} if model is None else _llm(model)) | settings
        super().__init__(folder / "chat.db", **self._settings)
        self.http = self.client()

    def kill(self) -> None:
        """Kill the server, as a power cut would."""
        self.stop(signal.SIGKILL)

    def come_back(self) -> None:
        """Start the server again on the same port."""
        super().__init__(self.store, "--port", self.url.rpartition(":")[2], **self._settings)

    def session(self, title: str, *lines: tuple[str, str], **fields: Any) -> str:
        """Create a conversation; return its id."""
        made = self.http.post("/v1/sessions", json={"title": title, **fields}).raise_for_status().json()
        if lines:
            messages = [{"role": role, "content": text} for role, text in lines]
            self.http.post(f"/v1/sessions/{made['id']}/messages/batch", json={"messages": messages}).raise_for_status()
        return made["id"]

    def messages(self, session: str) -> list[dict[str, Any]]:
        """Return the saved messages of a conversation."""
        return self.http.get(f"/v1/sessions/{session}/messages", params={"limit": 500}).raise_for_status().json()["items"]

    def close(self) -> None:
        self.http.close()
        self.stop()


def _llm(model: Model) -> dict[str, str]:
    return {
        "KEEPSAID_LLM": "openai:scripted",
        "KEEPSAID_LLM_URL": model.server.url,
        "KEEPSAID_LLM_KEY": "for-the-tests",
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for a test module: while it is open, no other test of this process can start an event loop."""
    assert (BUILT / "index.html").exists(), "the page is not built: run `make page`"
    found = os.environ.get("KEEPSAID_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None and "KEEPSAID_CI" not in os.environ:
        pytest.skip("there is no Chromium or Chrome on this machine: KEEPSAID_CHROMIUM names one")
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
def running_server(tmp_path_factory: pytest.TempPathFactory, model: Model) -> Iterator[RunningServer]:
    running_server = RunningServer(tmp_path_factory.mktemp("page"), model)
    yield running_server
    running_server.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., RunningServer]]:
    """Start servers with other settings; they stop with the test."""
    running: list[RunningServer] = []

    def begin(model: Model | None = None, **settings: str) -> RunningServer:
        running.append(RunningServer(tmp_path, model, **settings))
        return running[-1]

    yield begin
    for running_server in running:
        running_server.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages. Errors in the console and requests to any other server fail the test."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def open_page(
        running_server: RunningServer, address: str = "/", refused: bool = False, broken: bool = False, **options: Any
    ) -> Page:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda message: problems.extend(_list_problems(message, refused, broken)))
        page.on("request", lambda request: problems.extend(_list_foreign_requests(request, running_server.url)))
        page.goto(running_server.url + address)
        page.locator(".shell, .sign-in").first.wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def _list_problems(message: ConsoleMessage, refused: bool, broken: bool) -> list[str]:
    # The browser complains of a 404 whether or not the page knows what to do about it, and of a server that is away.
    away = broken and ("net::ERR_" in message.text or "status of 5" in message.text or "status of 409" in message.text)
    known = away or "status of 404" in message.text or (refused and "status of 401" in message.text)
    return [f"console: {message.text}"] if message.type in ("error", "warning") and not known else []


def _list_foreign_requests(request: Request, home: str) -> list[str]:
    return [] if request.url.startswith((home, "data:", "blob:")) else [f"request: {request.url}"]


@pytest.fixture
def page(visit: Callable[..., Page], running_server: RunningServer) -> Page:
    return visit(running_server)
