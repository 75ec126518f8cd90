"""Typed functions as tools: their schema, the arguments they accept, and their results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepsaid
from keepsaid.agent.builtin import memory_tools
from keepsaid.agent.schema import ArgumentError, convert_value
from keepsaid.agent.tools import MAX_RESULT_LENGTH, Tool, ToolError, collect_tools
from keepsaid.errors import InvalidInput
from keepsaid.testing import ManualClock


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Place:
    city: str
    floor: int = 0

    def __post_init__(self) -> None:
        if self.floor > 100:
            raise ValueError("no house is that high")


def book(
    where: Place,
    colours: list[Colour],
    price: float,
    mode: Literal["fast", "slow"] = "fast",
    note: Annotated[str | None, "For the driver."] = None,
    extra: dict[str, int] | None = None,
    many: Sequence[int] = (),
    sure: bool = False,
    anything: Any = None,
) -> str:
    """Books a trip."""
    return repr((where, colours, price, mode, note, extra, list(many), sure, anything))


class TestSchema:
    def test_covers_every_supported_type(self):
        schema = Tool.of(book).schema
        assert schema["type"] == "function"
        assert schema["function"]["name"] == "book"
        assert schema["function"]["description"] == "Books a trip."
        parameters = schema["function"]["parameters"]
        assert parameters["required"] == ["where", "colours", "price"]
        assert parameters["properties"] == {
            "where": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "floor": {"type": "integer"}},
                "required": ["city"],
                "additionalProperties": False,
            },
            "colours": {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}},
            "price": {"type": "number"},
            "mode": {"type": "string", "enum": ["fast", "slow"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "For the driver."},
            "extra": {"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}}, {"type": "null"}]},
            "many": {"type": "array", "items": {"type": "integer"}},
            "sure": {"type": "boolean"},
            "anything": {},
        }
        json.dumps(schema)

    def test_accepts_methods_and_callable_objects(self):
        class Shop:
            def sell(self, thing: str) -> str:
                return f"sold {thing}"

            def __call__(self, thing: str) -> str:
                return f"called with {thing}"

        assert Tool.of(Shop().sell).run('{"thing": "tea"}') == "sold tea"
        assert Tool.of(Shop(), name="shop").run('{"thing": "tea"}') == "called with tea"

    @pytest.mark.parametrize("kind", [datetime, bytes, set[int], tuple[int, int], complex])
    def test_rejects_unsupported_parameter_types(self, kind: Any):
        def tool(thing): ...

        tool.__annotations__["thing"] = kind
        with pytest.raises(InvalidInput, match="thing of tool has the type"):
            Tool.of(tool)

    def test_rejects_async_functions(self):
        async def later() -> str:
            return "later"

        with pytest.raises(InvalidInput, match="the tool later is asynchronous; use a plain function"):
            Tool.of(later)

    def test_rejects_var_args_lambdas_and_non_functions(self):
        def rest(*things: str) -> str: ...

        with pytest.raises(InvalidInput, match="things of rest cannot be given by name"):
            Tool.of(rest)
        with pytest.raises(InvalidInput, match="not a valid tool name"):
            Tool.of(lambda: "x")
        with pytest.raises(InvalidInput, match="a tool must be a function or a Tool"):
            collect_tools([3])  # pyright: ignore

    def test_rejects_two_tools_of_same_name(self):
        with pytest.raises(InvalidInput, match="two tools have the name 'book'"):
            collect_tools([book, Tool.of(book)])


class TestArguments:
    def test_are_converted_to_parameter_types(self):
        given = {
            "where": {"city": "Lisbon", "floor": "3"},
            "colours": ["red", "blue"],
            "price": 5,
            "extra": {"a": 1},
            "many": [1, 2.0],
            "sure": "true",
            "anything": [None],
        }
        place, colours = Place("Lisbon", 3), [Colour.RED, Colour.BLUE]
        expected = repr((place, colours, 5.0, "fast", None, {"a": 1}, [1, 2], True, [None]))
        assert Tool.of(book).run(json.dumps(given)) == expected

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ("{", "the arguments are not valid JSON"),
            ("[" * 100_000, "the arguments are not valid JSON"),
            ("[]", "the arguments must be a JSON object"),
            ("{}", "where, colours, price of book must be given"),
            ('{"where": {}, "colours": [], "price": 1}', "city of where must be given"),
            ('{"where": {"city": "x", "floor": 101}, "colours": [], "price": 1}', "where: no house is that high"),
            ('{"where": 1, "colours": [], "price": 1}', "where must be an object, not 1"),
            ('{"where": {"city": 7}, "colours": [], "price": 1}', "city must be string, not 7"),
            ('{"where": {"city": "x"}, "colours": "red", "price": 1}', 'colours must be a list, not "red"'),
            ('{"where": {"city": "x"}, "colours": ["green"], "price": 1}', r"colours\[0\] must be one of .*, not \"green\""),
            ('{"where": {"city": "x"}, "colours": [], "price": true}', "price must be number, not true"),
            ('{"where": {"city": "x"}, "colours": [], "price": NaN}', "price must be number"),
            ('{"where": {"city": "x"}, "colours": [], "price": 1, "colour": 1}', "book has no 'colour'; known are where"),
            ('{"where": {"city": "x"}, "colours": [], "price": 1, "mode": "no"}', "mode must be one of"),
            ('{"where": {"city": "x"}, "colours": [], "price": 1, "many": [1.5]}', r"many\[0\] must be integer, not 1.5"),
            (
                '{"where": {"city": "x"}, "colours": [], "price": 1, "note": 5}',
                "note must be string, not 5; or note must be n",
            ),
        ],
    )
    def test_invalid_arguments_raise_descriptive_error(self, arguments: str, error: str):
        with pytest.raises(ToolError, match=error):
            Tool.of(book).run(arguments)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
    def test_convert_value_returns_requested_type_or_raises(self, value: Any):
        for hint, kind in ((int, int), (float, float), (str, str), (bool, bool), (list[int], list), (Mapping, dict)):
            with suppress(ArgumentError):
                assert type(convert_value(value, hint, "x")) is kind

    @given(st.integers(-(10**30), 10**30))
    def test_quoted_integers_keep_every_digit(self, number: int):
        assert convert_value(str(number), int, "x") == convert_value(number, int, "x") == number

    def test_string_stays_string_when_union_allows_str(self):
        assert convert_value("5", int | str, "x") == "5"


class TestResults:
    @pytest.mark.parametrize(
        ("result", "text"),
        [("as is", "as is"), (None, "done"), ({"ä": 1}, '{"ä": 1}'), ([1, Colour.RED], '[1, "red"]'), (5, "5")],
    )
    def test_are_converted_to_text(self, result: Any, text: str):
        assert Tool("give", "", {}, lambda: result).run("") == text

    def test_are_truncated_and_cleaned_of_invalid_characters(self):
        text = Tool("give", "", {}, lambda: "a\0\ud800" + "b" * 2 * MAX_RESULT_LENGTH).run("{}")
        assert text.startswith("a��b")
        assert text.endswith("[… 100,003 characters cut …]")

    def test_exception_in_tool_becomes_tool_error(self):
        def fail() -> str:
            raise LookupError("no such city" * 1_000)

        with pytest.raises(ToolError, match="Error: LookupError: no such city") as caught:
            Tool.of(fail).run("{}")
        assert len(str(caught.value)) <= 2_000

    def test_result_not_serializable_as_json_raises_tool_error(self):
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(ToolError, match="ValueError: Circular reference"):
            Tool("give", "", {}, lambda: loop).run("{}")

    def test_keyboard_interrupt_is_not_caught(self):
        def stop() -> str:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Tool.of(stop).run("{}")


class TestMemoryTools:
    def tools(self, memory: keepsaid.Memory, owner: str = "u1", **options: Any) -> dict[str, Tool]:
        return collect_tools(memory_tools(memory, memory.chat(owner=owner, **options)))

    def run(self, tool: Tool, **arguments: Any) -> str:
        return tool.run(json.dumps(arguments))

    def test_search_finds_messages_facts_and_documents(self, memory: keepsaid.Memory, clock: ManualClock):
        memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon.")
        memory.remember("Has a sister", owner="u1")
        memory.ingest("sisters.md", content="# Sisters\n\nA sister is a sibling.", owner="u1")
        found = self.run(self.tools(memory)["search_memory"], query="sister")
        assert ", user, “Family”] My sister moved to Lisbon." in found
        assert "- Has a sister (since " in found
        assert "[sisters.md, § Sisters]" in found

    def test_search_and_forget_cannot_reach_other_owner(self, memory: keepsaid.Memory):
        memory.chat(owner="u2").add("user", "My sister moved to Lisbon.")
        memory.remember("Has a sister", owner="u2")
        memory.ingest("sisters.md", content="A sister is a sibling.", owner="u2")
        tools = self.tools(memory)
        assert self.run(tools["search_memory"], query="sister") == "nothing found"
        assert self.run(tools["forget"], text="Has a sister") == "no fact says that"
        with pytest.raises(ToolError, match="has no 'owner'"):
            self.run(tools["search_memory"], query="sister", owner="u2")
        assert [fact.text for fact in memory.facts(owner="u2")] == ["Has a sister"]

    def test_search_excludes_message_being_answered(self, memory: keepsaid.Memory):
        chat = memory.chat(owner="u1")
        asked = chat.add("user", "Where does my sister live?")
        tool = collect_tools(memory_tools(memory, chat, asked.id))["search_memory"]
        assert self.run(tool, query="sister") == "nothing found"

    @pytest.mark.parametrize("limit", [-5, 0, 1, 10_000])
    def test_search_clamps_limit(self, memory: keepsaid.Memory, limit: int):
        chat = memory.chat(owner="u1")
        for number in range(30):
            chat.add("user", f"tea number {number}")
        found = self.run(self.tools(memory)["search_memory"], query="tea", limit=limit).splitlines()
        assert len(found) == max(1, min(limit, 20))

    def test_search_rejects_empty_query(self, memory: keepsaid.Memory):
        with pytest.raises(ToolError, match="the query is empty"):
            self.run(self.tools(memory)["search_memory"], query=" ")

    def test_remember_skips_duplicates_and_rejects_empty_fact(self, memory: keepsaid.Memory):
        tool = self.tools(memory)["remember"]
        assert self.run(tool, text="Likes  tea.") == "remembered: Likes tea."
        assert self.run(tool, text="likes tea") == "known already: Likes tea."
        assert [fact.text for fact in memory.facts(owner="u1")] == ["Likes tea."]
        with pytest.raises(ToolError, match="the fact is empty"):
            self.run(tool, text=" ")

    def test_forget_removes_exact_or_clear_match(self, memory: keepsaid.Memory):
        tool = self.tools(memory)["forget"]
        for fact in ("Likes green tea", "Likes black tea", "Allergic to nuts"):
            memory.remember(fact, owner="u1")
        assert self.run(tool, text="likes GREEN tea.").startswith("forgotten: Likes green tea.")
        assert self.run(tool, text="my nuts allergic").startswith("forgotten: Allergic to nuts.")
        assert [fact.text for fact in memory.facts(owner="u1")] == ["Likes black tea"]

    def test_forget_lists_choices_when_ambiguous(self, memory: keepsaid.Memory):
        tool = self.tools(memory)["forget"]
        for fact in ("Likes green tea", "Likes black tea"):
            memory.remember(fact, owner="u1")
        said = memory.chat(owner="u1").add("user", "I like tea.")
        choice = self.run(tool, text="tea")
        assert choice.startswith("several facts could be meant; none was removed. Say exactly one of these:")
        assert "- Likes green tea" in choice
        assert len(memory.facts(owner="u1")) == 2
        assert memory.search("tea", owner="u1")[0].message.id == said.id

    def test_temporary_conversation_has_only_search_tool(self, memory: keepsaid.Memory):
        assert list(self.tools(memory, temporary=True)) == ["search_memory"]
