"""One page of a longer list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

PageItem = TypeVar("PageItem")


@dataclass(frozen=True, slots=True)
class Page(Sequence[PageItem]):
    """A page of items and, if there are more, the cursor of the next page. It is a sequence of its items.

    >>> page = Page(("a", "b"), next="...")
    >>> page[0], page[-1:], list(page), len(page), bool(page), bool(page.next)
    ('a', ('b',), ['a', 'b'], 2, True, True)
    """

    items: tuple[PageItem, ...]
    next: str | None = None

    @overload
    def __getitem__(self, index: int) -> PageItem: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[PageItem, ...]: ...

    def __getitem__(self, index: int | slice) -> PageItem | tuple[PageItem, ...]:
        return self.items[index]

    def __iter__(self) -> Iterator[PageItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
