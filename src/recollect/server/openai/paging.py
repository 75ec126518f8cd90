"""Pages of a conversation's items, and one of them by its id."""

from __future__ import annotations

from typing import Any, NamedTuple

from recollect.chat import Chat
from recollect.errors import NotFound
from recollect.interchange.openai_items import items_of
from recollect.types import Message

AT_ONCE = 500


class Place(NamedTuple):
    """Where an item is: in which message, and which one of its items it is."""

    message: Message
    number: int

    @property
    def item(self) -> dict[str, Any]:
        """The item itself."""
        return items_of(self.message)[self.number]


def found(chat: Chat, id: str) -> Place:
    """The item of an id, on whatever branch; `NotFound` if there is none."""
    message, _, number = id.rpartition(":")
    for name, place in ((id, 0), (message, int(number) if number.isascii() and number.isdigit() else 0)):
        try:
            told = chat.message(name) if name else None
        except NotFound:
            continue
        if told is not None and place < len(items := items_of(told)) and items[place]["id"] == id:
            return Place(told, place)
    return _looked_for(chat, id)


def _looked_for(chat: Chat, id: str) -> Place:
    """An item with an id of its own inside a message of another id, which no index knows."""
    cursor: str | None = None
    while True:
        page = chat.page(limit=AT_ONCE, cursor=cursor, newest_first=True)
        for message in page:
            if len(message.tool_calls) > 1:
                for number, item in enumerate(items_of(message)):
                    if item["id"] == id:
                        return Place(message, number)
        cursor = page.next
        if cursor is None:
            raise NotFound("no such item in this conversation")


def page(chat: Chat, after: str | None, limit: int, newest_first: bool) -> tuple[list[dict[str, Any]], bool]:
    """Some items of the active path behind another (or from its end), and whether there are more."""
    items: list[dict[str, Any]] = []
    cursor: str | None = None
    if after is not None:
        place = found(chat, after)
        own = items_of(place.message)
        items += reversed(own[: place.number]) if newest_first else own[place.number + 1 :]
        around = chat.around(place.message.id, limit=1)
        cursor = around.older if newest_first else around.newer
        if cursor is None:
            return items[:limit], len(items) > limit
    while len(items) <= limit:
        some = chat.page(limit=limit + 1 - len(items), cursor=cursor, newest_first=newest_first)
        for message in some:
            items += reversed(items_of(message)) if newest_first else items_of(message)
        cursor = some.next
        if cursor is None:
            break
    return items[:limit], len(items) > limit
