"""Puts our data layer in place of Chainlit's own two, which keep tables.

Their tests look into a table to see what was kept of a thread. Ours has none: what they ask of it is read by `get_thread`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from chainlit.data import chainlit_data_layer, sql_alchemy
from chainlit.data.storage_clients.base import BaseStorageClient

import keepsaid
from keepsaid.adapters.chainlit import KeepsaidDataLayer

ASKED = re.compile(r'SELECT "(metadata|name)" FROM threads WHERE "id" = :id')


class OfTables(KeepsaidDataLayer):
    """Ours, with a window where their tests look for a table."""

    def __init__(self, conninfo: str, storage_provider: BaseStorageClient | None = None) -> None:
        super().__init__(keepsaid.open("memory://", embedder="off"), owner="tester", storage=storage_provider)

    async def execute_sql(self, query: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        asked = ASKED.fullmatch(query)
        assert asked, f"nothing else can be asked: {query}"
        thread = await self.get_thread(parameters["id"])
        if thread is None:
            return []
        told = {"metadata": json.dumps(thread["metadata"]), "name": thread["name"]}
        return [{asked[1]: told[asked[1]]}]


class OfPostgres(KeepsaidDataLayer):
    def __init__(
        self, database_url: str, storage_client: BaseStorageClient | None = None, show_logger: bool = False
    ) -> None:
        super().__init__(keepsaid.open("memory://", embedder="off"), owner="tester", storage=storage_client)


sql_alchemy.SQLAlchemyDataLayer = OfTables  # type: ignore[misc,assignment]
chainlit_data_layer.ChainlitDataLayer = OfPostgres  # type: ignore[misc,assignment]
