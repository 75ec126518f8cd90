"""Exports in the shapes that the programs write, made for these tests, and what the tests ask of every import."""

import json
from pathlib import Path

from keepsaid.interchange import read
from keepsaid.interchange.conversation import ImportTally

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"
"""Real exports from other projects' tests, where they are at hand."""


def read_export(path, format=None, tally=None):
    """The conversations of a file, whole, and the tally."""
    tally = tally or ImportTally()
    return list(read(path, format, tally=tally)), tally


def read_json_export(tmp_path, value, format=None, name="export.json"):
    path = tmp_path / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_export(path, format)


def list_texts(conversation):
    """A conversation as a table: role and text."""
    return [(str(node.draft.role), node.draft.content) for node in conversation.nodes]


def parents(conversation):
    return {node.id: node.parent for node in conversation.nodes}


def chatgpt_node(id, parent, role=None, text="", children=(), **message):
    """A node of ChatGPT's tree; without a role, an empty one."""
    node = {"id": id, "parent": parent, "children": list(children), "message": None}
    if role is not None:
        node["message"] = {
            "id": id,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": 1_700_000_000.5,
            "content": {"content_type": "text", "parts": [text]},
            "status": "finished_successfully",
            "metadata": {},
            "recipient": "all",
        } | message
    return node


def chatgpt(*nodes, **fields):
    """A conversation of ChatGPT's export."""
    mapping = {node["id"]: node for node in nodes}
    head = {"title": "A talk", "create_time": 1_700_000_000.0, "update_time": 1_700_000_100.0, "mapping": mapping}
    return head | {"current_node": nodes[-1]["id"], "conversation_id": "c1", "id": "c1"} | fields


CHATGPT = [
    chatgpt(
        chatgpt_node("root", None, children=["hidden"]),
        chatgpt_node("hidden", "root", "system", "", ["q1"], metadata={"is_visually_hidden_from_conversation": True}),
        chatgpt_node("q1", "hidden", "user", "Where is Lisbon?", ["a1", "a2"]),
        chatgpt_node("a1", "q1", "assistant", "In Spain.", create_time=1_700_000_001.0),
        chatgpt_node("a2", "q1", "assistant", "In Portugal.", ["q2"], create_time=1_700_000_002.0),
        chatgpt_node("q2", "a2", "user", "Thank you", create_time=1_700_000_003.0),
    ),
    chatgpt(chatgpt_node("n1", None, "user", "A second talk"), id="c2", conversation_id="c2"),
]

CLAUDE = [
    {
        "uuid": "k1",
        "name": "Weather",
        "created_at": "2025-01-14T09:30:00.000Z",
        "updated_at": "2025-01-14T09:35:00.000Z",
        "chat_messages": [
            {
                "uuid": "k1-1",
                "sender": "human",
                "text": "Will it rain?",
                "content": [{"type": "text", "text": "Will it rain?"}],
                "attachments": [],
                "created_at": "2025-01-14T09:30:00.000Z",
                "parent_message_uuid": "00000000-0000-4000-8000-000000000000",
            },
            {
                "uuid": "k1-2",
                "sender": "assistant",
                "text": "It will.",
                "content": [{"type": "text", "text": "It will."}],
                "created_at": "2025-01-14T09:30:15.000Z",
                "parent_message_uuid": "k1-1",
            },
        ],
    },
    {"uuid": "k2", "name": "", "chat_messages": [{"uuid": "k2-1", "sender": "human", "text": "Hello"}]},
]

OPEN_WEBUI = [
    {
        "id": "o1",
        "title": "Planets",
        "chat": {
            "title": "Planets",
            "models": ["llama3"],
            "history": {
                "currentId": "o1-3",
                "messages": {
                    "o1-1": {
                        "id": "o1-1",
                        "parentId": None,
                        "childrenIds": ["o1-2", "o1-3"],
                        "role": "user",
                        "content": "Name a planet",
                        "timestamp": 1_700_000_000,
                    },
                    "o1-2": {
                        "id": "o1-2",
                        "parentId": "o1-1",
                        "role": "assistant",
                        "content": "Mars",
                        "timestamp": 1_700_000_001,
                    },
                    "o1-3": {
                        "id": "o1-3",
                        "parentId": "o1-1",
                        "role": "assistant",
                        "content": "Venus",
                        "model": "llama3",
                        "timestamp": 1_700_000_002,
                    },
                },
            },
        },
        "meta": {"tags": ["space"]},
        "created_at": 1_700_000_000,
        "updated_at": 1_700_000_010,
        "pinned": True,
        "archived": False,
    },
]

LIBRECHAT = {
    "conversationId": "l1",
    "endpoint": "openAI",
    "title": "Bread",
    "exportAt": "20:33:31 GMT-0400",
    "recursive": True,
    "options": {"model": "gpt-4o", "promptPrefix": "You are a baker."},
    "messages": [
        {
            "messageId": "l1-1",
            "parentMessageId": "00000000-0000-0000-0000-000000000000",
            "isCreatedByUser": True,
            "sender": "User",
            "text": "How long do I knead?",
            "createdAt": "2024-05-01T16:35:11.530Z",
            "children": [
                {
                    "messageId": "l1-2",
                    "parentMessageId": "l1-1",
                    "isCreatedByUser": False,
                    "sender": "GPT-4",
                    "model": "gpt-4o",
                    "text": "Ten minutes.",
                    "createdAt": "2024-05-01T16:35:12.530Z",
                    "children": [],
                },
                {
                    "messageId": "l1-3",
                    "parentMessageId": "l1-1",
                    "isCreatedByUser": False,
                    "text": "Until it is smooth.",
                    "createdAt": "2024-05-01T16:35:13.530Z",
                    "children": [],
                },
            ],
        }
    ],
}

CHAT_LINES = [
    {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]},
    {"id": "j2", "messages": [{"role": "user", "content": "Bye"}, {"role": "assistant", "content": "See you"}]},
]

LLAMA_INDEX = {
    "store": {
        "user1": [
            {"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hi"}]},
            {"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hello"}]},
        ],
        "user2": [{"role": "user", "content": "An older shape", "additional_kwargs": {}}],
    },
    "class_name": "SimpleChatStore",
}
