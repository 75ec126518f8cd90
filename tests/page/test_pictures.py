"""The two pictures of the README: a conversation over the demo's samples, and what its answer was given.

`make pictures` keeps them; in every run they are taken, and must show what they are to show.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from llm_server import answer
from model import pulled_model
from playwright.sync_api import Page, expect

import recollect
from recollect.cli.demo.samples import OWNER, load

from .acting import answers, say, settled
from .conftest import Desk, Model

KEPT = os.environ.get("RECOLLECT_PICTURES")
ANSWER = """Nora lives in **Porto** now, close to the river; she moved there from Lisbon.

- Allergic to: **hazelnuts**
- For your visit: check the ingredients of anything from a bakery, and keep pralines out of the gift."""


def test_a_conversation_and_its_inspector(
    tmp_path: Path, model: Model, start: Callable[..., Desk], visit: Callable[..., Page]
) -> None:
    with recollect.open(tmp_path / "chat.db", embedder="off", background=False) as memory:
        load(memory, datetime.now(UTC))
        memory.maintain()
    settings = {"RECOLLECT_OWNER": OWNER, "RECOLLECT_EMBEDDER": "auto", "RECOLLECT_MODEL_FOLDER": str(pulled_model())}
    desk = start(model, RECOLLECT_NOTES="off", **settings)
    talk = desk.session("A visit to Nora")
    model.lines = [answer(ANSWER)]
    page = visit(desk, f"/c/{talk}", color_scheme="light", device_scale_factor=2, viewport={"width": 1200, "height": 720})
    say(page, "I'm visiting my sister next week. Where does she live now, and what can't she eat?")
    settled(page)
    used = answers(page).get_by_role("button", name=re.compile(r"^used \d+ memories"))
    expect(used).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="Nora's move")).to_be_visible()
    folder = Path(KEPT) if KEPT else tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    taken = page.screenshot(path=folder / "chat.png")
    used.click()
    drawer = page.get_by_role("dialog", name="What this answer was given")
    expect(drawer).to_contain_text("hazelnuts")
    page.wait_for_timeout(400)  # it slides in
    inspected = page.screenshot(path=folder / "inspector.png")
    assert len(taken) > 30_000
    assert len(inspected) > len(taken)
