"""A LangGraph agent whose threads and whose long memory are kept in Recollect. The model is a function: nothing is asked."""

import re
import tempfile
from pathlib import Path
from typing import Any

from langgraph.graph import MessagesState, StateGraph
from langgraph.runtime import Runtime

import recollect
from recollect.adapters.langgraph_checkpointer import RecollectSaver
from recollect.adapters.langgraph_store import RecollectStore

USER = ("users", "ann")


def model(state: MessagesState, runtime: Runtime) -> dict[str, Any]:
    """Remembers a name that it is told, in any thread; counts what was said in this one."""
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
            # Each time as another process would: opened anew.
            with recollect.open(Path(folder) / "chat.db", embedder="off") as memory:
                graph = StateGraph(MessagesState).add_node("model", model).set_entry_point("model").compile(
                    checkpointer=RecollectSaver(memory, owner="ann"), store=RecollectStore(memory, owner="ann")
                )  # fmt: skip
                state = graph.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread}})
                print(f"{thread}: {text} → {state['messages'][-1].text}")
                if thread == "two":
                    threads = {one.config["configurable"]["thread_id"] for one in graph.checkpointer.list(None)}
                    print(f"threads: {', '.join(sorted(threads))}")
                    graph.checkpointer.prune(["one"])
                    print(f"kept of the first, pruned: {len(list(graph.get_state_history(at('one'))))} checkpoint")


def at(thread: str) -> Any:
    """Where a thread is."""
    return {"configurable": {"thread_id": thread}}


if __name__ == "__main__":
    main()
