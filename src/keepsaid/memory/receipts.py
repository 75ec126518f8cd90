"""The verbs that show what prompts contained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keepsaid.engine.messages.validation import clean_limit
from keepsaid.errors import NotFound
from keepsaid.memory.base import MemoryBase

if TYPE_CHECKING:
    from keepsaid.types.prompts import PromptReceipt, PromptReplay


class ReceiptVerbs(MemoryBase):
    """The verbs that show what prompts contained."""

    def replay(self, receipt_id: str, *, owner: str | None = None) -> PromptReplay:
        """Rebuild the messages that were sent for a turn from its receipt. With `owner`, only a receipt of that owner.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> context = memory.chat(owner="u1").context("Hello?", budget=100)
        >>> memory.replay(context.receipt_id).messages == context.messages
        True
        """
        scope = None if owner is None else self._scope(owner, None, None)
        try:
            return self._temporary.receipts.replay(scope, receipt_id)
        except NotFound:
            return self._services.receipts.replay(scope, receipt_id)

    def receipt(self, receipt_id: str, *, owner: str) -> PromptReceipt:
        """Return the receipt of one prompt of an owner.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> context = memory.chat(owner="u1").context("Hello?", budget=100)
        >>> memory.receipt(context.receipt_id, owner="u1").data["tokens"] == context.tokens
        True
        """
        scope = self._scope(owner, None, None)
        try:
            return self._temporary.receipts.read_receipt(scope, receipt_id)
        except NotFound:
            return self._services.receipts.read_receipt(scope, receipt_id)

    def receipts(
        self, *, owner: str, session: str | None = None, pool: str | None = None, limit: int = 20
    ) -> list[PromptReceipt]:
        """Return the receipts of prompts, newest first: sections, sources, scores and near misses.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.chat(owner="u1").context("Hello?", budget=100)
        >>> memory.receipts(owner="u1")[0].question
        'Hello?'
        """
        scope = self._scope(owner, session, pool)
        services = self._temporary if self._is_temporary(scope) else self._services
        return services.receipts.list_receipts(scope, clean_limit(limit, "limit"))
