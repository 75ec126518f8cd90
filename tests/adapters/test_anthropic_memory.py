"""The adapter for Anthropic's memory tool: files by path, stored as blobs, and no path leads outside of them."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework

import keepsaid
from keepsaid.errors import InvalidInput, MissingExtra

tools = framework("anthropic.tools")

from keepsaid.adapters.anthropic_memory import AsyncKeepsaidMemoryTool, KeepsaidMemoryTool  # noqa: E402  # may be missing


@pytest.fixture(params=["memory", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory://" if request.param == "memory" else str(tmp_path / "chat.db")
    with keepsaid.open(url, embedder="off") as memory:
        yield memory


@pytest.fixture
def tool(memory: keepsaid.Memory) -> KeepsaidMemoryTool:
    return KeepsaidMemoryTool(memory, owner="u1")


def write(tool: KeepsaidMemoryTool, path: str, text: str = "") -> Any:
    return tool.call({"command": "create", "path": path, "file_text": text})


def view(tool: KeepsaidMemoryTool, path: str = "/memories", **more: Any) -> Any:
    return tool.call({"command": "view", "path": path, **more})


def text_of(tool: KeepsaidMemoryTool, path: str) -> str:
    """What a file holds, by way of the answer to a view."""
    return "\n".join(line.split("\t", 1)[1] for line in view(tool, path).split("\n")[1:])


def read_refusal(tool: KeepsaidMemoryTool, **command: Any) -> str:
    with pytest.raises(tools.ToolError) as refusal:
        tool.call(command)
    return str(refusal.value)


def test_to_dict_declares_memory_tool_type(tool: KeepsaidMemoryTool, memory: keepsaid.Memory):
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    cached = KeepsaidMemoryTool(memory, owner="u1", cache_control={"type": "ephemeral"})
    assert cached.to_dict()["cache_control"] == {"type": "ephemeral"}


def test_memory_tool_requires_owner(memory: keepsaid.Memory):
    with pytest.raises(TypeError):
        KeepsaidMemoryTool(memory)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput):
        KeepsaidMemoryTool(memory, owner="")


def test_view_lists_directory_two_levels_deep_with_sizes(tool: KeepsaidMemoryTool):
    write(tool, "/memories/a.txt", "x" * 1536)
    write(tool, "/memories/a/b.txt", "ü")
    write(tool, "/memories/a/deep/er/c.txt", "xyz")
    write(tool, "/memories/.hidden", "h")
    write(tool, "/memories/a/.git/d", "h")
    assert view(tool).split("\n") == [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:",
        "1.5K\t/memories",
        "5B\t/memories/a/",
        "2B\t/memories/a/b.txt",
        "3B\t/memories/a/deep/",
        "1.5K\t/memories/a.txt",
    ]
    assert "0B\t/memories" in view(KeepsaidMemoryTool(keepsaid.open("memory://"), owner="new"))


def test_view_and_rename_handle_more_files_than_one_page(tool: KeepsaidMemoryTool):
    for number in range(450):
        write(tool, f"/memories/many/{number:03}.txt", "x")
    assert len(view(tool, "/memories/many/").split("\n")) == 452
    tool.call({"command": "rename", "old_path": "/memories/many", "new_path": "/memories/moved"})
    assert len(view(tool, "/memories/moved").split("\n")) == 452
    assert "does not exist" in read_refusal(tool, command="view", path="/memories/many")


def test_view_range_returns_selected_lines(tool: KeepsaidMemoryTool):
    write(tool, "/memories/f", "1\n2\n3\n4\n")
    shown = view(tool, "/memories/f", view_range=[3, -1])
    assert shown == "Here's the content of /memories/f with line numbers:\n     3\t3\n     4\t4\n     5\t"
    assert view(tool, "/memories/f", view_range=[-5, 1]).endswith("\n     1\t1")


@pytest.mark.parametrize("path", ["/memories/../x", "/memories/a/../../x", "/memories/..", "/memories/./.././etc"])
@pytest.mark.parametrize("command", ["view", "create", "delete"])
def test_paths_escaping_memories_directory_are_rejected(tool: KeepsaidMemoryTool, command: str, path: str):
    assert read_refusal(tool, command=command, path=path, file_text="") == f"Path {path} would escape /memories directory"
    said = read_refusal(tool, command="rename", old_path="/memories/a", new_path=path)
    assert said == f"Path {path} would escape /memories directory"


@pytest.mark.parametrize("path", ["", "memories/x", "/etc/passwd", "/memoriesx", "//memories/x", "/Memories/x"])
def test_view_rejects_paths_outside_memories(tool: KeepsaidMemoryTool, path: str):
    assert read_refusal(tool, command="view", path=path) == f"Path must start with /memories, got: {path}"


def test_equivalent_paths_are_normalized_to_one_file(tool: KeepsaidMemoryTool):
    write(tool, "/memories/a//b/./c/../f.txt", "one")
    assert text_of(tool, "/memories/a/b/f.txt") == "one"
    assert read_refusal(tool, command="create", path="/memories/a/b/f.txt/", file_text="") == (
        "File /memories/a/b/f.txt/ already exists"
    )


def test_commands_reject_mixing_files_and_directories(tool: KeepsaidMemoryTool):
    write(tool, "/memories/file", "x")
    write(tool, "/memories/folder/file", "x")
    within = {"command": "create", "path": "/memories/file/within", "file_text": ""}
    assert read_refusal(tool, **within) == "The path /memories/file is not a directory."
    moved = {"command": "rename", "old_path": "/memories/folder", "new_path": "/memories/file/within"}
    assert read_refusal(tool, **moved) == "The path /memories/file is not a directory."
    edit = {"command": "str_replace", "path": "/memories/folder", "old_str": "x", "new_str": "y"}
    assert read_refusal(tool, **edit) == "The path /memories/folder is not a file."
    assert (
        read_refusal(tool, command="create", path="/memories/folder", file_text="") == "File /memories/folder already exists"
    )
    assert read_refusal(tool, command="create", path="/memories", file_text="") == "File /memories already exists"
    into = {"command": "rename", "old_path": "/memories/folder", "new_path": "/memories/folder/within"}
    assert read_refusal(tool, **into) == "Cannot move /memories/folder into itself"


def test_create_rejects_unstorable_paths_and_text(tool: KeepsaidMemoryTool):
    assert "NUL" in read_refusal(tool, command="create", path="/memories/f\0", file_text="")
    assert "surrogate" in read_refusal(tool, command="create", path="/memories/f", file_text="\ud83d")
    assert "512" in read_refusal(tool, command="create", path="/memories/" + "f" * 600, file_text="")


def test_memory_tool_leaves_foreign_blobs_alone(tool: KeepsaidMemoryTool, memory: keepsaid.Memory):
    drawer = memory.blobs(owner="u1")
    drawer.put({"memories/picture.png": b"\x89PNG", "settings": b"dark"})
    write(tool, "/memories/f", "x")
    assert read_refusal(tool, command="view", path="/memories/picture.png") == (
        "The file /memories/picture.png is not text in UTF-8."
    )
    assert tool.clear_all_memory() == "All memory cleared"
    assert [blob.name for blob in drawer.list()] == ["settings"]


def test_insert_keeps_trailing_blank_lines(tool: KeepsaidMemoryTool):
    write(tool, "/memories/f", "a\n\n")
    tool.call({"command": "insert", "path": "/memories/f", "insert_line": 0, "insert_text": "top\n"})
    assert text_of(tool, "/memories/f") == "top\na\n\n"
    write(tool, "/memories/empty")
    tool.call({"command": "insert", "path": "/memories/empty", "insert_line": 0, "insert_text": "first"})
    assert text_of(tool, "/memories/empty") == "first\n"


def test_files_are_separate_per_owner_and_pool(memory: keepsaid.Memory):
    team = memory.create_pool("team", owner="u1")
    memory.grant(team, to="u2", by="u1", access="write")
    write(KeepsaidMemoryTool(memory, owner="u1"), "/memories/mine", "x")
    write(KeepsaidMemoryTool(memory, owner="u1", pool=team), "/memories/ours", "x")
    for tool in (KeepsaidMemoryTool(memory, owner="u2"), KeepsaidMemoryTool(memory, owner="u3")):
        assert view(tool).endswith("\n0B\t/memories")
    assert "/memories/ours" in view(KeepsaidMemoryTool(memory, owner="u2", pool=team))
    assert "/memories/mine" not in view(KeepsaidMemoryTool(memory, owner="u2", pool=team))


def test_erasing_owner_erases_files(tool: KeepsaidMemoryTool, memory: keepsaid.Memory):
    write(tool, "/memories/f", "x")
    memory.erase(owner="u1")
    assert view(tool).endswith("\n0B\t/memories")


def test_concurrent_inserts_lose_no_lines(memory: keepsaid.Memory):
    """Each insert uses its own tool instance, as separate processes would."""
    write(KeepsaidMemoryTool(memory, owner="u1"), "/memories/log", "begin\n")

    def add(number: int) -> None:
        line = {"command": "insert", "path": "/memories/log", "insert_line": 1, "insert_text": f"line {number}"}
        KeepsaidMemoryTool(memory, owner="u1").call(line)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    lines = text_of(KeepsaidMemoryTool(memory, owner="u1"), "/memories/log").split("\n")
    assert lines[0] == "begin"
    assert sorted(lines[1:-1]) == sorted(f"line {number}" for number in range(40))


def test_concurrent_creates_of_one_file_succeed_once(memory: keepsaid.Memory):
    def make(number: int) -> str:
        try:
            return write(KeepsaidMemoryTool(memory, owner="u1"), "/memories/one", str(number))
        except tools.ToolError as error:
            return str(error)

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(make, range(16)))
    assert answers == ["File /memories/one already exists"] * 15 + ["File created successfully at: /memories/one"]


def test_async_tool_shares_files_with_sync_tool(memory: keepsaid.Memory, tool: KeepsaidMemoryTool):
    async def work() -> list[Any]:
        other = AsyncKeepsaidMemoryTool(memory, owner="u1")
        files = [{"command": "create", "path": f"/memories/{number}", "file_text": str(number)} for number in range(20)]
        return await asyncio.gather(*(other.call(file) for file in files))

    assert len(asyncio.run(work())) == 20
    assert text_of(tool, "/memories/7") == "7"


def test_import_without_framework_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "anthropic.tools", None)
    monkeypatch.delitem(sys.modules, "keepsaid.adapters.anthropic_memory")
    with pytest.raises(MissingExtra, match=r"keepsaid\[anthropic\]"):
        __import__("keepsaid.adapters.anthropic_memory")
