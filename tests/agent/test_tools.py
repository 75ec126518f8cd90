"""Typed functions as tools: what a model is told of them, what it may give, and what it gets."""

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

import recollect
from recollect.agent.builtin import memory_tools
from recollect.agent.schema import Unfit, converted
from recollect.agent.tools import LONGEST_RESULT, Tool, ToolFailed, toolbox
from recollect.errors import InvalidInput
from recollect.testing import HandClock


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
    def test_of_every_type(self):
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

    def test_of_methods_and_callable_objects(self):
        class Shop:
            def sell(self, thing: str) -> str:
                return f"sold {thing}"

            def __call__(self, thing: str) -> str:
                return f"called with {thing}"

        assert Tool.of(Shop().sell).run('{"thing": "tea"}') == "sold tea"
        assert Tool.of(Shop(), name="shop").run('{"thing": "tea"}') == "called with tea"

    @pytest.mark.parametrize("kind", [datetime, bytes, set[int], tuple[int, int], complex])
    def test_what_no_model_can_write_is_refused(self, kind: Any):
        def tool(thing): ...

        tool.__annotations__["thing"] = kind
        with pytest.raises(InvalidInput, match="thing of tool is of the type"):
            Tool.of(tool)

    def test_asynchronous_ones_are_refused(self):
        async def later() -> str:
            return "later"

        with pytest.raises(InvalidInput, match="the tool later is asynchronous; give a plain function"):
            Tool.of(later)

    def test_what_cannot_be_named_is_refused(self):
        def rest(*things: str) -> str: ...

        with pytest.raises(InvalidInput, match="things of rest cannot be given by name"):
            Tool.of(rest)
        with pytest.raises(InvalidInput, match="no name for a tool"):
            Tool.of(lambda: "x")
        with pytest.raises(InvalidInput, match="a tool is a function or a Tool"):
            toolbox([3])  # pyright: ignore

    def test_two_of_one_name_are_refused(self):
        with pytest.raises(InvalidInput, match="two tools of the name 'book'"):
            toolbox([book, Tool.of(book)])


class TestArguments:
    def test_become_what_the_function_wants(self):
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
            ("{", "the arguments are no JSON"),
            ("[" * 100_000, "the arguments are no JSON"),
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
    def test_that_are_wrong_tell_the_model_what(self, arguments: str, error: str):
        with pytest.raises(ToolFailed, match=error):
            Tool.of(book).run(arguments)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
    def test_a_value_is_converted_or_unfit(self, value: Any):
        for hint, kind in ((int, int), (float, float), (str, str), (bool, bool), (list[int], list), (Mapping, dict)):
            with suppress(Unfit):
                assert type(converted(value, hint, "x")) is kind

    @given(st.integers(-(10**30), 10**30))
    def test_whole_numbers_in_quotes_keep_every_digit(self, number: int):
        assert converted(str(number), int, "x") == converted(number, int, "x") == number

    def test_a_text_stays_a_text_where_it_may_be_one(self):
        assert converted("5", int | str, "x") == "5"


class TestResults:
    @pytest.mark.parametrize(
        ("result", "text"),
        [("as is", "as is"), (None, "done"), ({"ä": 1}, '{"ä": 1}'), ([1, Colour.RED], '[1, "red"]'), (5, "5")],
    )
    def test_become_text(self, result: Any, text: str):
        assert Tool("give", "", {}, lambda: result).run("") == text

    def test_are_cut_and_can_be_kept(self):
        text = Tool("give", "", {}, lambda: "a\0\ud800" + "b" * 2 * LONGEST_RESULT).run("{}")
        assert text.startswith("a��b")
        assert text.endswith("[… 100,003 characters cut …]")

    def test_of_what_failed_name_the_error(self):
        def fail() -> str:
            raise LookupError("no such city" * 1_000)

        with pytest.raises(ToolFailed, match="Error: LookupError: no such city") as caught:
            Tool.of(fail).run("{}")
        assert len(str(caught.value)) <= 2_000

    def test_what_cannot_be_said_in_json_is_an_error_of_the_tool(self):
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(ToolFailed, match="ValueError: Circular reference"):
            Tool("give", "", {}, lambda: loop).run("{}")

    def test_stopping_is_no_failure(self):
        def stop() -> str:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Tool.of(stop).run("{}")


class TestMemoryTools:
    def tools(self, memory: recollect.Memory, owner: str = "u1", **options: Any) -> dict[str, Tool]:
        return toolbox(memory_tools(memory, memory.chat(owner=owner, **options)))

    def run(self, tool: Tool, **arguments: Any) -> str:
        return tool.run(json.dumps(arguments))

    def test_search_finds_what_was_said_known_and_read(self, memory: recollect.Memory, clock: HandClock):
        memory.chat(owner="u1", title="Family").add("user", "My sister moved to Lisbon.")
        memory.remember("Has a sister", owner="u1")
        memory.ingest("sisters.md", content="# Sisters\n\nA sister is a sibling.", owner="u1")
        found = self.run(self.tools(memory)["search_memory"], query="sister")
        assert ", user, “Family”] My sister moved to Lisbon." in found
        assert "- Has a sister (since " in found
        assert "[sisters.md, § Sisters]" in found

    def test_search_never_reaches_another_owner(self, memory: recollect.Memory):
        memory.chat(owner="u2").add("user", "My sister moved to Lisbon.")
        memory.remember("Has a sister", owner="u2")
        memory.ingest("sisters.md", content="A sister is a sibling.", owner="u2")
        tools = self.tools(memory)
        assert self.run(tools["search_memory"], query="sister") == "nothing found"
        assert self.run(tools["forget"], text="Has a sister") == "no fact says that"
        with pytest.raises(ToolFailed, match="has no 'owner'"):
            self.run(tools["search_memory"], query="sister", owner="u2")
        assert [fact.text for fact in memory.facts(owner="u2")] == ["Has a sister"]

    def test_search_leaves_out_what_is_being_asked(self, memory: recollect.Memory):
        chat = memory.chat(owner="u1")
        asked = chat.add("user", "Where does my sister live?")
        tool = toolbox(memory_tools(memory, chat, asked.id))["search_memory"]
        assert self.run(tool, query="sister") == "nothing found"

    @pytest.mark.parametrize("limit", [-5, 0, 1, 10_000])
    def test_search_gives_a_sensible_number(self, memory: recollect.Memory, limit: int):
        chat = memory.chat(owner="u1")
        for number in range(30):
            chat.add("user", f"tea number {number}")
        found = self.run(self.tools(memory)["search_memory"], query="tea", limit=limit).splitlines()
        assert len(found) == max(1, min(limit, 20))

    def test_search_for_nothing_is_an_error_for_the_model(self, memory: recollect.Memory):
        with pytest.raises(ToolFailed, match="the query is empty"):
            self.run(self.tools(memory)["search_memory"], query=" ")

    def test_remember_once(self, memory: recollect.Memory):
        tool = self.tools(memory)["remember"]
        assert self.run(tool, text="Likes  tea.") == "remembered: Likes tea."
        assert self.run(tool, text="likes tea") == "known already: Likes tea."
        assert [fact.text for fact in memory.facts(owner="u1")] == ["Likes tea."]
        with pytest.raises(ToolFailed, match="the fact is empty"):
            self.run(tool, text=" ")

    def test_forget_what_is_said_exactly_or_clearly(self, memory: recollect.Memory):
        tool = self.tools(memory)["forget"]
        for fact in ("Likes green tea", "Likes black tea", "Allergic to nuts"):
            memory.remember(fact, owner="u1")
        assert self.run(tool, text="likes GREEN tea.").startswith("forgotten: Likes green tea.")
        assert self.run(tool, text="my nuts allergic").startswith("forgotten: Allergic to nuts.")
        assert [fact.text for fact in memory.facts(owner="u1")] == ["Likes black tea"]

    def test_forget_asks_where_several_are_meant(self, memory: recollect.Memory):
        tool = self.tools(memory)["forget"]
        for fact in ("Likes green tea", "Likes black tea"):
            memory.remember(fact, owner="u1")
        said = memory.chat(owner="u1").add("user", "I like tea.")
        choice = self.run(tool, text="tea")
        assert choice.startswith("several facts could be meant; none was removed. Say exactly one of these:")
        assert "- Likes green tea" in choice
        assert len(memory.facts(owner="u1")) == 2
        assert memory.search("tea", owner="u1")[0].message.id == said.id

    def test_a_temporary_conversation_keeps_nothing(self, memory: recollect.Memory):
        assert list(self.tools(memory, temporary=True)) == ["search_memory"]
