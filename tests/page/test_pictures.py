"""The two screenshots of the README: a conversation over the demo's samples, and the sources of its answer.

`make pictures` stores them; every run takes them and checks their content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from llm_server import answer
from model import pull_model
from playwright.sync_api import Page, expect

import keepsaid
from keepsaid.cli.demo.samples import OWNER, load_samples

from .acting import answers, say, wait_for_answer
from .conftest import Model, RunningServer

KEPT = os.environ.get("KEEPSAID_PICTURES")
ANSWER = """Nora lives in **Porto** now, close to the river; she moved there from Lisbon.

- Allergic to: **hazelnuts**
- For your visit: check the ingredients of anything from a bakery, and keep pralines out of the gift."""


def test_readme_screenshots_show_conversation_and_inspector(
    tmp_path: Path, model: Model, start: Callable[..., RunningServer], visit: Callable[..., Page]
) -> None:
    with keepsaid.open(tmp_path / "chat.db", embedder="off", background=False) as memory:
        load_samples(memory, datetime.now(UTC))
        memory.maintain()
    settings = {"KEEPSAID_OWNER": OWNER, "KEEPSAID_EMBEDDER": "auto", "KEEPSAID_MODEL_FOLDER": str(pull_model())}
    running_server = start(model, KEEPSAID_NOTES="off", **settings)
    talk = running_server.session("A visit to Nora")
    model.lines = [answer(ANSWER)]
    page = visit(
        running_server, f"/c/{talk}", color_scheme="light", device_scale_factor=2, viewport={"width": 1200, "height": 720}
    )
    say(page, "I'm visiting my sister next week. Where does she live now, and what can't she eat?")
    wait_for_answer(page)
    used = answers(page).get_by_role("button", name=re.compile(r"^used \d+ memories"))
    expect(used).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="Nora's move")).to_be_visible()
    folder = Path(KEPT) if KEPT else tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    taken = page.screenshot(path=folder / "chat.png")
    used.click()
    drawer = page.get_by_role("dialog", name="Sources of this answer")
    expect(drawer).to_contain_text("hazelnuts")
    page.wait_for_timeout(400)  # it slides in
    inspected = page.screenshot(path=folder / "inspector.png")
    assert len(taken) > 30_000
    assert len(inspected) > len(taken)
