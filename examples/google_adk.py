"""An ADK agent with its sessions and long-term memory in Keepsaid. The model is scripted, so no network is needed.

pip install 'keepsaid[google-adk]'
python examples/google_adk.py
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.tools import load_memory
from google.genai import types

import keepsaid
from keepsaid.adapters.google_adk import KeepsaidMemoryService, KeepsaidSessionService

QUESTION = "Where does my sister live?"


class Script(BaseLlm):
    """Confirms statements; for the question, it searches the memory first."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response:
            found = [memory.content.parts[0].text for memory in last.function_response.response["result"].memories]
            part = types.Part(text=f"You said: {next(text for text in found if text != QUESTION)}")
        elif last.text == QUESTION:
            part = types.Part(function_call=types.FunctionCall(name="load_memory", args={"query": "sister lives"}))
        else:
            part = types.Part(text="Noted!")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def main() -> None:
    with keepsaid.open("memory://") as memory:
        sessions = KeepsaidSessionService(memory, app_owner="operator")
        agent = LlmAgent(name="helper", model=Script(model="script"), tools=[load_memory])
        runner = Runner(
            app_name="diary", agent=agent, session_service=sessions, memory_service=KeepsaidMemoryService(memory)
        )
        for id, text in (("monday", "My sister moved to Lisbon in May."), ("friday", QUESTION)):
            await sessions.create_session(app_name="diary", user_id="ana", session_id=id)
            said = types.Content(role="user", parts=[types.Part(text=text)])
            async for event in runner.run_async(user_id="ana", session_id=id, new_message=said):
                if event.is_final_response():
                    print(f"{id}: {event.content.parts[0].text}")
        print([f"{m.role}: {m.text}" for m in memory.chat(owner="ana", session="diary/monday").messages()])


if __name__ == "__main__":
    asyncio.run(main())
