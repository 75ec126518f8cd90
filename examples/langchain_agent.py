"""A LangChain agent that remembers across conversations. The model is scripted, so no key and no network are needed.

pip install 'keepsaid[langchain]'
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool

import keepsaid
from keepsaid.adapters.langchain import KeepsaidChatMessageHistory, KeepsaidMiddleware, KeepsaidRetriever


class ScriptedModel(GenericFakeChatModel):
    """Returns scripted answers, and prints its prompts."""

    def bind_tools(self, tools: Any, **settings: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **settings: Any) -> Any:
        print("the model gets:")
        for message in messages:
            print(f"  {message.type}: {message.text or getattr(message, 'tool_calls', '')}".replace("\n", "\n    "))
        return super()._generate(messages, *args, **settings)


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"21 °C in {city}"


with keepsaid.open("memory://", embedder="off") as memory:
    KeepsaidChatMessageHistory(memory, owner="ana", session="family").add_messages([
        HumanMessage("My sister moved to Lisbon in May."), AIMessage("How nice for her!"),
    ])  # fmt: skip

    call = AIMessage("", tool_calls=[{"name": "weather", "args": {"city": "Lisbon"}, "id": "call_1"}])
    model = ScriptedModel(messages=iter([call, "It is 21 °C where she lives."]))
    remembering = KeepsaidMiddleware(memory, owner="ana", session="today", budget=2_000)
    agent = create_agent(model, [weather], system_prompt="Be brief.", middleware=[remembering])
    agent.invoke({"messages": [HumanMessage("What is the weather where my sister lives?")]})

    print("stored:")
    for message in memory.chat(owner="ana", session="today").messages():
        print(f"  {message.role}: {message.text or message.tool_calls[0].name}")

    print("found:")
    for document in KeepsaidRetriever(memory, owner="ana", k=1).invoke("When did my sister move?"):
        print(f"  {document.page_content} ({document.metadata['session']}: {document.metadata['reason']})")
