"""A real crash: the process is killed in the middle of a turn, and another one resumes it from the file."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import keepsaid
from agent.test_agent import assert_paired
from keepsaid.agent.agent import Agent
from keepsaid.agent.history import INTERRUPTED
from keepsaid.testing import ScriptedLLM
from keepsaid.types import Role

DYING = Path(__file__).parent / "dying.py"


def kill_agent(place: Path, where: str) -> list[str]:
    """Runs an agent, kills it at a place of its turn, and returns what it had said is saved."""
    process = subprocess.Popen([sys.executable, str(DYING), str(place), where], stdout=subprocess.PIPE, text=True)
    acknowledged: list[str] = []
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            if line == "here\n":
                process.send_signal(signal.SIGKILL)
                break
            acknowledged.append(line.strip())
    assert process.wait(30) == -signal.SIGKILL
    return list(dict.fromkeys(acknowledged))


@pytest.mark.parametrize(
    ("where", "results"),
    [
        ("pay 1", [INTERRUPTED, INTERRUPTED]),
        ("pay 2", ["paid 1", INTERRUPTED]),
        ("answer", ["paid 1", "paid 2"]),
    ],
)
def test_agent_resumes_turn_after_process_is_killed(tmp_path: Path, where: str, results: list[str]):
    place = tmp_path / "chat.db"
    acknowledged = kill_agent(place, where)
    assert acknowledged
    with keepsaid.open(place) as memory:
        chat = memory.chat(owner="u1", session="s1")
        kept = [f"{message.role.value} {message.id}" for message in chat.messages()]
        assert kept[: len(acknowledged)] == acknowledged
        llm = ScriptedLLM(["I have looked what was paid."])
        agent = Agent(memory, llm, owner="u1", session="s1")
        answer = agent.resume()
        assert answer is not None
        assert answer.text == "I have looked what was paid."
        messages = chat.messages()
        assert_paired(messages)
        assert [message.text for message in messages if message.role is Role.TOOL] == results
        assert [message["role"] for message in llm.calls[0].messages] == ["user", "assistant", "tool", "tool"]
        assert [message["content"] for message in llm.calls[0].messages[2:]] == results
        assert agent.resume() is None
        assert memory.check().healthy
