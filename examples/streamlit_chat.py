"""A chat that remembers, in Streamlit:

    pip install recollect streamlit
    streamlit run examples/streamlit_chat.py

It answers from memory alone; CHAT_MODEL=ollama:llama3.2 (or openai:gpt-5-mini) lets a language model answer. Everything is
in the store that Recollect uses anyhow (RECOLLECT_URL names another): the terminal, the server and this page share a memory.
"""

import io
import os
from collections.abc import Iterator

import streamlit as st

import recollect
from recollect.agent.answer import Delta, Finished

OWNER = os.environ.get("RECOLLECT_OWNER", "me")
NEW = ""
"""Stands for the conversation that begins with the next words."""


@st.cache_resource
def opened() -> tuple[recollect.Memory, recollect.ChatService]:
    """One memory for all browsers and all reruns, and what answers from it."""
    memory = recollect.open()
    return memory, recollect.ChatService(memory, os.environ.get("CHAT_MODEL"))


memory, service = opened()
state = st.session_state
state.setdefault("sources", {})  # what each answer rests on, by the answer's id


def begin_anew() -> None:
    """Leaves the conversation; the next words begin another."""
    state.session = NEW


def choose() -> None:
    """The sidebar: a new conversation, those there are, and a copy to take along. The chosen one is `state.session`."""
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
    """A conversation as people read it."""
    page = io.StringIO()
    memory.export(page, owner=OWNER, session=session, format="markdown")
    return page.getvalue()


def show(message: recollect.Message) -> None:
    """One message, and under an answer what it rests on."""
    if message.role in ("user", "assistant") and message.text:
        with st.chat_message(message.role):
            st.markdown(message.text)
            show_sources(state.sources.get(message.id, ()))


def show_sources(sources: tuple[recollect.Cited, ...]) -> None:
    """The memories that an answer was given."""
    if sources:
        with st.expander(f"{len(sources)} memories"):
            for source in sources:
                st.caption(f"**{source.title or source.kind}** · {source.reason}")
                st.text(source.text)


def answered(words: str) -> Iterator[str]:
    """Says something, and gives the answer word by word; the memory keeps both."""
    for event in service.stream(OWNER, state.session or None, words):
        if isinstance(event, Delta):
            yield event.text
        elif isinstance(event, Finished):
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
    st.rerun()  # now the sidebar knows the conversation, and the answer its memories
