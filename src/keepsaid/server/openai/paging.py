"""Read the items of a conversation by page, or one by its id."""

from __future__ import annotations

from typing import Any, NamedTuple

from keepsaid.errors import NotFound
from keepsaid.interchange.formats.openai_items import items_of
from keepsaid.memory.chat import Chat
from keepsaid.types import Message

MESSAGES_AT_ONCE = 500


class ItemPosition(NamedTuple):
    """The position of an item: its message, and its index among the message's items."""

    message: Message
    number: int

    @property
    def item(self) -> dict[str, Any]:
        """Return the item."""
        return items_of(self.message)[self.number]


def find_item(chat: Chat, id: str) -> ItemPosition:
    """Return the position of an item on any branch; raise `NotFound` if there is none."""
    message, _, number = id.rpartition(":")
    for name, place in ((id, 0), (message, int(number) if number.isascii() and number.isdigit() else 0)):
        try:
            candidate = chat.message(name) if name else None
        except NotFound:
            continue
        if candidate is not None and place < len(items := items_of(candidate)) and items[place]["id"] == id:
            return ItemPosition(candidate, place)
    return _scan_for(chat, id)


def _scan_for(chat: Chat, id: str) -> ItemPosition:
    """Scan for an item whose id differs from its message's id, because no index has such ids."""
    cursor: str | None = None
    while True:
        page = chat.page(limit=MESSAGES_AT_ONCE, cursor=cursor, newest_first=True)
        for message in page:
            if len(message.tool_calls) > 1:
                for number, item in enumerate(items_of(message)):
                    if item["id"] == id:
                        return ItemPosition(message, number)
        cursor = page.next
        if cursor is None:
            raise NotFound("no such item in this conversation")


def read_items(chat: Chat, after: str | None, limit: int, newest_first: bool) -> tuple[list[dict[str, Any]], bool]:
    """Return a page of items of the active path, after an item or from the end, and whether there are more."""
    items: list[dict[str, Any]] = []
    cursor: str | None = None
    if after is not None:
        place = find_item(chat, after)
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
