"""Claude's memory directory in Keepsaid, with the Anthropic SDK's own tool runner. The model is scripted, so no network is
needed.

pip install 'keepsaid[anthropic]'
python examples/anthropic_memory.py
"""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
from anthropic import Anthropic

import keepsaid
from keepsaid.adapters.anthropic_memory import KeepsaidMemoryTool

COMMANDS = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/family.md", "file_text": "# Family\nSister: Lisbon"},
    {"command": "str_replace", "path": "/memories/family.md", "old_str": "Lisbon", "new_str": "Porto, since May"},
    {"command": "view", "path": "/memories/family.md"},
]


def main() -> None:
    commands = iter(COMMANDS)

    def answer(request: httpx.Request) -> httpx.Response:
        """Return Claude's scripted answer: a memory command, or a final text."""
        command = next(commands, None)
        content: dict[str, Any] = {"type": "text", "text": "I have noted it."}
        if command is not None:
            content = {"type": "tool_use", "id": f"toolu_{command['command']}", "name": "memory", "input": command}
        reason = "end_turn" if command is None else "tool_use"
        usage = {"input_tokens": 1, "output_tokens": 1}
        said = {"id": "msg", "type": "message", "role": "assistant", "model": "claude", "usage": usage}
        return httpx.Response(200, json=said | {"content": [content], "stop_reason": reason, "stop_sequence": None})

    with keepsaid.open("memory://", embedder="off") as memory:
        client = Anthropic(api_key="none", http_client=httpx.Client(transport=httpx.MockTransport(answer)))
        tool = KeepsaidMemoryTool(memory, owner="ana")
        words = "My sister has moved to Porto. Please remember it."
        runner = client.beta.messages.tool_runner(
            model="claude-sonnet-5-5", max_tokens=500, messages=[{"role": "user", "content": words}], tools=[tool]
        )
        for message in runner:
            for block in message.content:
                print(json.dumps(block.input) if block.type == "tool_use" else block.text)
        print("\nStored for the next conversation:")
        for blob in memory.blobs(owner="ana").list("memories/"):
            print(f"/{blob.name}:\n{blob.content.decode()}")


if __name__ == "__main__":
    main()
