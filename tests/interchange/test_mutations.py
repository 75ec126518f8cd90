"""Mutated exports: entries dropped, nulled, of other types, copied or shuffled, and files with wrong bytes."""

import copy
import json
import random
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from samples import CHAT_LINES, CHATGPT, CLAUDE, FIXTURES, LIBRECHAT, LLAMA_INDEX, OPEN_WEBUI, chatgpt, chatgpt_node

from keepsaid.engine.messages.intake import to_message
from keepsaid.engine.messages.validation import clean_datetime, clean_name
from keepsaid.errors import ImportProblem
from keepsaid.interchange import read
from keepsaid.interchange.conversation import ImportTally
from keepsaid.interchange.formats import chat_jsonl, claude, librechat, llama_index, open_webui
from keepsaid.interchange.formats import chatgpt as chatgpt_reader
from keepsaid.interchange.values import as_object

TOOLS = {
    "chatgpt": [
        chatgpt(
            chatgpt_node("q", None, "user", "Six times seven?", ["c"]),
            chatgpt_node("c", "q", "assistant", content={"content_type": "code", "text": "6 * 7"}, recipient="python"),
            chatgpt_node("r", "c", "tool", content={"content_type": "execution_output", "text": "42"}),
            chatgpt_node(
                "p",
                "r",
                "user",
                content={
                    "content_type": "multimodal_text",
                    "parts": ["See", {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}],
                },
                metadata={
                    "attachments": [{"id": "f", "name": "a.pdf"}],
                    "citations": [{"metadata": {"url": "http://x", "title": "X"}}],
                },
            ),
        )
    ],
    "claude": [
        {
            "uuid": "c",
            "chat_messages": [
                {
                    "uuid": "m",
                    "sender": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "Hm"},
                        {"type": "tool_use", "id": "t", "name": "n", "input": {"a": [1]}},
                        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "x"}]},
                        {"type": "text", "text": "y"},
                    ],
                    "attachments": [{"file_name": "a.txt", "extracted_content": "z"}],
                    "files": [{"file_name": "b.png", "file_uuid": "u"}],
                }
            ],
        }
    ],
    "open_webui": [
        {
            "id": "o",
            "chat": {
                "params": {"system": "s"},
                "tags": ["t"],
                "history": {
                    "currentId": "m",
                    "messages": {
                        "m": {
                            "role": "assistant",
                            "content": '<details type="tool_calls" name="f" arguments="{}" result="7">x</details>y',
                            "files": [{"type": "image", "url": "data:image/png;base64,AA"}],
                            "error": {"content": "e"},
                        },
                        "n": {
                            "parentId": "m",
                            "role": "assistant",
                            "output": [
                                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
                                {"type": "function_call_output", "call_id": "c", "output": [{"type": "text", "text": "1"}]},
                                {"type": "message", "content": [{"type": "output_text", "text": "x"}]},
                            ],
                        },
                    },
                },
            },
        }
    ],
    "librechat": {
        "conversationId": "l",
        "messages": [
            {
                "messageId": "m",
                "content": [
                    {"type": "text", "text": {"value": "x"}},
                    {"type": "tool_call", "tool_call": {"id": "t", "name": "f", "args": "{}", "output": "1"}},
                ],
                "files": [{"filename": "a", "file_id": "f"}],
                "children": [{"messageId": "n", "text": "y"}],
            }
        ],
    },
    "chat_jsonl": [
        {
            "messages": [
                {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "1"}], "metadata": {"tally": 1}},
                {"role": "assistant", "function_call": {"name": "g", "arguments": "{}"}, "model": "m", "timestamp": 1.7e9},
            ]
        }
    ],
    "llama_index": {
        "store": {
            "k": [
                {"role": "assistant", "additional_kwargs": {"tool_calls": [{"id": "c", "function": {"name": "f"}}]}},
                {"role": "tool", "content": "1", "additional_kwargs": {"tool_call_id": "c"}},
                {"role": "user", "blocks": [{"block_type": "image", "image": "AA"}, {"block_type": "text", "text": "x"}]},
            ]
        }
    },
}
PLAIN = {
    "chatgpt": CHATGPT,
    "claude": CLAUDE,
    "open_webui": OPEN_WEBUI,
    "librechat": LIBRECHAT,
    "chat_jsonl": CHAT_LINES,
    "llama_index": LLAMA_INDEX,
}
MODULES = {
    "chatgpt": chatgpt_reader,
    "claude": claude,
    "open_webui": open_webui,
    "librechat": librechat,
    "chat_jsonl": chat_jsonl,
    "llama_index": llama_index,
}
SCALARS = [
    None,
    True,
    False,
    0,
    -1,
    7,
    1e400,
    float("nan"),
    10**30,
    "",
    "x",
    "\0\ud800",
    "user",
    "system",
    "n1",
    "2024-01-01",
]
NESTED = [[], {}, [None], [[]], [{}], ["x", 1], {"a": {}}, {"id": ["x"]}, {"type": {"a": 1}}, {"": ""}]
JUNK = st.sampled_from([*SCALARS, *NESTED, "z" * 600, "9" * 5000])
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 10**6), st.sampled_from(["drop", "put", "copy", "shuffle", "swap"]), JUNK, st.integers(0, 10**6)
    ),
    min_size=1,
    max_size=12,
)
SLOWLY = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def places(value):
    """Every entry of every list and object, as its container and its key."""
    found, waiting = [], [value]
    while waiting:
        container = waiting.pop()
        keys = (
            list(container) if isinstance(container, dict) else range(len(container)) if isinstance(container, list) else ()
        )
        for key in keys:
            found.append((container, key))
            waiting.append(container[key])
    return found


def apply_changes(value, changes):
    box = [copy.deepcopy(value)]
    for where, change, junk, other in changes:
        found = places(box)
        container, key = found[where % len(found)]
        if change == "drop" and container is not box:
            del container[key]
        elif change == "put":
            container[key] = copy.deepcopy(junk)
        elif change == "shuffle" and isinstance(container[key], list):
            random.Random(other).shuffle(container[key])
        elif change in ("copy", "swap"):
            source, name = found[other % len(found)]
            container[key] = copy.deepcopy(source[name])
    return box[0]


def elements(name, value):
    """The conversations of a file, as its reader gets them."""
    if name == "llama_index":
        return list(as_object(as_object(value).get("store")).items())
    return [(None, one) for one in (value if isinstance(value, list) else [value])]


def convert_value(name, value, tally):
    made = [MODULES[name].convert(key, one, tally) for key, one in elements(name, value)]
    return [conversation for conversation in made if conversation is not None]


def check(conversation):
    """What every conversation must be for a store to take it."""
    clean_name(conversation.id, "id")
    known = set()
    for node in conversation.nodes:
        assert node.parent is None or node.parent in known
        assert node.id not in known
        known.add(clean_name(node.id, "id"))
        if node.draft.created_at is not None:
            assert clean_datetime(node.draft.created_at, "time").utcoffset().total_seconds() == 0
        to_message(node.draft, session="s", now=0, new_id=str, counter=Counter, largest=16 << 20)
    assert conversation.leaf in known
    json.dumps(dict(conversation.metadata), allow_nan=False).encode()
    (conversation.title or "").encode()
    (conversation.system_prompt or "").encode()
    for tag in conversation.tags:
        clean_name(tag, "tag")


class Counter:
    count = staticmethod(len)


class TestMutatedJson:
    @pytest.mark.parametrize("name", PLAIN)
    @SLOWLY
    @given(changes=CHANGES, tools=st.booleans())
    @example(changes=[(0, "put", None, 0)], tools=False)
    def test_mutated_export_yields_valid_conversations(self, name, changes, tools):
        tally = ImportTally()
        for conversation in convert_value(name, apply_changes((TOOLS if tools else PLAIN)[name], changes), tally):
            check(conversation)
        assert "messages that cannot be read" not in tally.skipped, tally.warnings

    @pytest.mark.parametrize("name", PLAIN)
    @SLOWLY
    @given(changes=CHANGES)
    def test_every_message_is_kept_or_counted(self, name, changes):
        value, tally = apply_changes(PLAIN[name], changes), ImportTally()
        conversations = convert_value(name, value, tally)
        skipped = sum(n for why, n in tally.skipped.items() if "messages" in why and not why.startswith("conversations"))
        prompts = tally.repaired["system messages, kept as the session's system prompt"]
        kept = sum(len(conversation.nodes) for conversation in conversations)
        assert kept + skipped + prompts == sum(MESSAGES[name](one) for _, one in elements(name, value))


def _claude_messages(value):
    messages = as_object(value).get("chat_messages")
    return len(messages) if isinstance(messages, list) else 0


def _open_webui_messages(value):
    chat = as_object(as_object(value).get("chat")) or as_object(value)
    tree, line = as_object(as_object(chat.get("history")).get("messages")), chat.get("messages")
    return len(tree) or (len(line) if isinstance(line, list) else 0)


def _librechat_messages(value):
    def counted(messages):
        return (
            sum(1 + counted(as_object(message).get("children")) for message in messages) if isinstance(messages, list) else 0
        )

    return counted(as_object(value).get("messages")) or counted(as_object(value).get("messagesTree"))


def _chat_messages(value):
    lists = [
        as_object(value).get(key) for key in ("messages", "conversations", "conversation", "chat", "dialog", "dialogue")
    ]
    return next((len(found) for found in [*lists, value] if isinstance(found, list) and found), 0)


MESSAGES = {
    "chatgpt": lambda value: sum(
        bool(as_object(as_object(node).get("message"))) for node in as_object(as_object(value).get("mapping")).values()
    ),
    "claude": _claude_messages,
    "open_webui": _open_webui_messages,
    "librechat": _librechat_messages,
    "chat_jsonl": _chat_messages,
    "llama_index": lambda value: len(value) if isinstance(value, list) else 0,
}
"""How many messages an element of each export has, counted apart from the importers."""


class TestMutatedBytes:
    @pytest.mark.parametrize("name", PLAIN)
    @SLOWLY
    @given(data=st.data())
    def test_corrupted_file_yields_valid_conversations_or_problem(self, name, data, tmp_path):
        content = bytearray(json.dumps(PLAIN[name], ensure_ascii=False).encode())
        for _ in range(data.draw(st.integers(0, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        content = content[: data.draw(st.integers(0, len(content)))]
        path = tmp_path / "x.json"
        path.write_bytes(content)
        format = name.replace("_", "-") if data.draw(st.booleans()) else None
        with suppress(ImportProblem):
            for conversation in read(path, format, tally=ImportTally()):
                check(conversation)


@pytest.mark.skipif(not FIXTURES.exists(), reason="the shared fixtures are not here")
class TestMutatedRealExports:
    @SLOWLY
    @given(changes=CHANGES, which=st.integers(0, 3))
    def test_mutated_real_export_yields_valid_conversations(self, changes, which):
        file, name = [
            ("chatgpt-tree", "chatgpt"),
            ("librechat-tree", "librechat"),
            ("librechat-linear", "librechat"),
            ("amx-claude-conversations", "claude"),
        ][which]
        value, tally = apply_changes(json.loads((FIXTURES / f"{file}.json").read_text()), changes), ImportTally()
        for conversation in convert_value(name, value, tally):
            check(conversation)
        assert "messages that cannot be read" not in tally.skipped, tally.warnings
