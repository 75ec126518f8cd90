"""A LangGraph agent with its threads and its long-term memory in Keepsaid. A function stands in for the model."""

import re
import tempfile
from pathlib import Path
from typing import Any

from langgraph.graph import MessagesState, StateGraph
from langgraph.runtime import Runtime

import keepsaid
from keepsaid.adapters.langgraph.checkpointer import KeepsaidSaver
from keepsaid.adapters.langgraph.store import KeepsaidStore

USER = ("users", "ann")


def model(state: MessagesState, runtime: Runtime) -> dict[str, Any]:
    """Remember the user's name across threads, and count the messages of this thread."""
    text = state["messages"][-1].text
    if told := re.search(r"my name is (\w+)", text):
        runtime.store.put(USER, "name", {"is": told[1]})
        return {"messages": [("ai", f"Pleased to meet you, {told[1]}!")]}
    known = runtime.store.get(USER, "name")
    who = f"You are called {known.value['is']}" if known else "I do not know you"
    return {"messages": [("ai", f"{who}; this thread has {len(state['messages'])} messages.")]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for thread, text in (("one", "Hello, my name is Ann."), ("one", "Who am I?"), ("two", "And here?")):
            # Opened again for each turn, as another process would.
            with keepsaid.open(Path(folder) / "chat.db", embedder="off") as memory:
                graph = StateGraph(MessagesState).add_node("model", model).set_entry_point("model").compile(
                    checkpointer=KeepsaidSaver(memory, owner="ann"), store=KeepsaidStore(memory, owner="ann")
                )  # fmt: skip
                state = graph.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread}})
                print(f"{thread}: {text} → {state['messages'][-1].text}")
                if thread == "two":
                    threads = {one.config["configurable"]["thread_id"] for one in graph.checkpointer.list(None)}
                    print(f"threads: {', '.join(sorted(threads))}")
                    graph.checkpointer.prune(["one"])
                    print(f"kept of the first, pruned: {len(list(graph.get_state_history(at('one'))))} checkpoint")


def at(thread: str) -> Any:
    """Return the config of a thread."""
    return {"configurable": {"thread_id": thread}}


if __name__ == "__main__":
    main()
