"""LangChain's standard retriever tests, run on KeepsaidRetriever."""

from __future__ import annotations

from typing import Any

from frameworks import framework

import keepsaid

framework("langchain_tests")

from langchain_tests.integration_tests import RetrieversIntegrationTests  # noqa: E402

from keepsaid.adapters.langchain import KeepsaidRetriever  # noqa: E402


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[KeepsaidRetriever]:
        return KeepsaidRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        memory = keepsaid.open("memory://", embedder="off")
        for number in range(5):
            memory.chat(owner="u1").add("user", f"Tea number {number} is good.")
        return {"memory": memory, "owner": "u1"}

    @property
    def retriever_query_example(self) -> str:
        return "which tea is good?"
