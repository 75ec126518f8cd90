"""The Streamlit example: chatting, recall across conversations, reopening a conversation, and export."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "streamlit_chat.py"
SAID = "My sister Lena moved to Lisbon in May."
ASKED = "Where does my sister live?"

if os.environ.get("KEEPSAID_CI") == "1":
    importlib.import_module("streamlit")  # there, to leave it out is to fail
pytest.importorskip("streamlit", reason="Streamlit is large, and only the example needs it: pip install streamlit")

from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage  # noqa: E402  # it may be missing
from streamlit.testing.v1 import AppTest  # noqa: E402


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    import streamlit

    streamlit.cache_resource.clear()
    monkeypatch.setenv("KEEPSAID_URL", str(tmp_path / "chat.db"))
    monkeypatch.setenv("KEEPSAID_EMBEDDER", "off")
    monkeypatch.delenv("CHAT_MODEL", raising=False)
    app = AppTest.from_file(str(EXAMPLE), default_timeout=30).run()
    assert not app.exception
    return app


def say(app: Any, words: str) -> list[str]:
    """Says something, and reads what is on the page then."""
    app.chat_input[0].set_value(words).run()
    assert not app.exception
    return read_page(app)


def read_page(app: Any) -> list[str]:
    """The conversation as it is on the page: who, and what."""
    return [f"{message.name}: {message.markdown[0].value}" for message in app.chat_message]


def test_app_starts_without_conversations(app: Any):
    assert read_page(app) == []
    assert app.sidebar.selectbox[0].options == ["New chat"]
    assert app.session_state["session"] == ""


def test_app_saves_recalls_and_reopens_conversations(app: Any):
    assert say(app, SAID)[0] == f"user: {SAID}"
    first = app.session_state["session"]
    assert app.sidebar.selectbox[0].value == first

    app.sidebar.button[0].click().run()
    assert read_page(app) == []
    assert app.session_state["session"] == ""

    asked, answer = say(app, ASKED)
    assert asked == f"user: {ASKED}"
    assert SAID in answer, "it is remembered across conversations"
    second = app.session_state["session"]
    assert second not in ("", first)
    memories = app.chat_message[1].expander[0]
    assert SAID in [text.value for text in memories.text]

    app.sidebar.selectbox[0].set_value(first).run()
    assert not app.exception
    assert read_page(app)[0] == f"user: {SAID}"
    assert not any(ASKED in line for line in read_page(app))


def test_export_contains_the_messages(app: Any, monkeypatch: pytest.MonkeyPatch):
    say(app, SAID)
    given: list[tuple[bytes, str]] = []
    keep = MemoryMediaFileStorage.load_and_get_id

    def keeping(self: Any, data: Any, mimetype: str, *others: Any) -> str:
        given.append((data, mimetype))
        return keep(self, data, mimetype, *others)

    monkeypatch.setattr(MemoryMediaFileStorage, "load_and_get_id", keeping)
    app.run()
    assert [button.label for button in app.sidebar.download_button] == ["Export as Markdown"]
    ((page, mimetype),) = given
    assert (SAID in page.decode(), mimetype) == (True, "text/markdown")
