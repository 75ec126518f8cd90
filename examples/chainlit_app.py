"""A Chainlit app whose threads, users and feedback are in Keepsaid, and whose prompts remember earlier threads.

pip install 'keepsaid[chainlit]'
CHAINLIT_AUTH_SECRET=a-long-secret-of-your-own chainlit run examples/chainlit_app.py     (any name and password work)
"""

from __future__ import annotations

import os

import chainlit as cl

import keepsaid
from keepsaid.adapters.chainlit import KeepsaidDataLayer

memory = keepsaid.open(os.environ.get("KEEPSAID_STORE", "memory://"))


@cl.data_layer
def data_layer() -> KeepsaidDataLayer:
    return KeepsaidDataLayer(memory, owner="website")


@cl.password_auth_callback
async def login(name: str, password: str) -> cl.User:
    return cl.User(name)


@cl.step(type="tool")
async def look_up(question: str) -> str:
    """Return what this user said before, in any thread."""
    user = cl.user_session.get("user")
    hits = memory.search(question, owner=user.identifier)
    return "\n".join(hit.passage for hit in hits if hit.message.role == "user" and hit.passage != question)


@cl.on_message
async def answer(message: cl.Message) -> None:
    """Answer with search results, in place of a model."""
    found = await look_up(message.content)
    reply = cl.Message("")
    for word in (f"You said: {found}" if found else "Noted!").split(" "):
        await reply.stream_token(word + " ")
    await reply.send()


@cl.on_chat_resume
async def resume(thread: cl.types.ThreadDict) -> None:
    """Do nothing: Chainlit itself shows the steps of a resumed thread."""
