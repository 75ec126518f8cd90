"""A chat that remembers, in Streamlit:

    pip install keepsaid streamlit
    streamlit run examples/streamlit_chat.py

It answers from memory alone; with CHAT_MODEL=ollama:llama3.2 (or openai:gpt-5-mini), a language model answers. Everything is
in Keepsaid's default store (KEEPSAID_URL selects another), so the terminal, the server and this page share a memory.
"""

import io
import os
from collections.abc import Iterator

import streamlit as st

import keepsaid
from keepsaid.agent.answer import TextDelta, TurnFinished

OWNER = os.environ.get("KEEPSAID_OWNER", "me")
NEW = ""
"""Stands for a new conversation that starts with the next message."""


@st.cache_resource
def opened() -> tuple[keepsaid.Memory, keepsaid.ChatService]:
    """Open one memory and one chat service for all browsers and all reruns."""
    memory = keepsaid.open()
    return memory, keepsaid.ChatService(memory, os.environ.get("CHAT_MODEL"))


memory, service = opened()
state = st.session_state
state.setdefault("sources", {})  # the sources of each answer, by the answer's id


def begin_anew() -> None:
    """Leave the conversation; the next message starts another."""
    state.session = NEW


def choose() -> None:
    """Show the sidebar: a new conversation, existing ones, and an export. The selected one is `state.session`."""
    names = {session.id: session.title or f"{session.created_at:%d %b, %H:%M}" for session in memory.sessions(owner=OWNER)}
    state.session = state.pop("begun", state.get("session", NEW))
    if state.session not in names:
        state.session = NEW
    st.sidebar.button("New chat", on_click=begin_anew, width="stretch")
    st.sidebar.selectbox("Conversation", [NEW, *names], format_func=lambda one: names.get(one, "New chat"), key="session")
    if state.session:
        name = f"{names[state.session]}.md"
        st.sidebar.download_button("Export as Markdown", exported(state.session), name, "text/markdown", width="stretch")


def exported(session: str) -> str:
    """Return a conversation as Markdown."""
    page = io.StringIO()
    memory.export(page, owner=OWNER, session=session, format="markdown")
    return page.getvalue()


def show(message: keepsaid.Message) -> None:
    """Show one message, with the sources of an answer."""
    if message.role in ("user", "assistant") and message.text:
        with st.chat_message(message.role):
            st.markdown(message.text)
            show_sources(state.sources.get(message.id, ()))


def show_sources(sources: tuple[keepsaid.Cited, ...]) -> None:
    """Show the memories that an answer is based on."""
    if sources:
        with st.expander(f"{len(sources)} memories"):
            for source in sources:
                st.caption(f"**{source.title or source.kind}** · {source.reason}")
                st.text(source.text)


def answered(words: str) -> Iterator[str]:
    """Send a message, and yield the answer piece by piece; both are saved."""
    for event in service.stream(OWNER, state.session or None, words):
        if isinstance(event, TextDelta):
            yield event.text
        elif isinstance(event, TurnFinished):
            state.begun = event.answer.session
            if event.answer.message is not None:
                state.sources[event.answer.message.id] = event.answer.sources


st.title("A chat that remembers")
choose()
if state.session:
    for message in memory.chat(owner=OWNER, session=state.session).messages():
        show(message)
if words := st.chat_input("Say something"):
    with st.chat_message("user"):
        st.markdown(words)
    with st.chat_message("assistant"):
        st.write_stream(answered(words))
    st.rerun()  # show the new conversation in the sidebar, and the sources of the answer
