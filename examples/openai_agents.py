"""An OpenAI Agents SDK agent with its conversation in Keepsaid. The model is scripted, so no network is needed.

pip install 'keepsaid[openai-agents]'
python examples/openai_agents.py
"""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import keepsaid
from keepsaid.adapters.openai_agents import KeepsaidSession


@function_tool
def weather(city: str) -> str:
    return f"19 °C in {city}"


def says(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(annotations=[], text=text, type="output_text")
    return ResponseOutputMessage(id="msg_1", content=[content], role="assistant", status="completed", type="message")


CALL = ResponseFunctionToolCall(call_id="call_1", name="weather", arguments='{"city": "Lisbon"}', type="function_call")
MODEL = ScriptedModel(steps=[[CALL], [says("It is 19 °C there.")], [says("In Lisbon, as you said.")]])


async def main() -> None:
    set_tracing_disabled(True)
    agent = Agent(name="guide", model=MODEL, tools=[weather])
    with keepsaid.open("memory://") as memory:
        for question in ("My sister lives in Lisbon. How warm is it there?", "Where does my sister live?"):
            session = KeepsaidSession(memory, owner="ana", session="trip")
            result = await Runner.run(agent, question, session=session)
            print(f"{question} {result.final_output}")
        print("the model got:", [item.get("type") or item["role"] for item in MODEL.calls[-1].input])
        print("found:", memory.search("Lisbon", owner="ana")[0].passage)


asyncio.run(main())
