"""LangChain's standard tests for retrievers, on ours."""

from __future__ import annotations

from typing import Any

from frameworks import framework

import recollect

framework("langchain_tests")

from langchain_tests.integration_tests import RetrieversIntegrationTests  # noqa: E402

from recollect.adapters.langchain import RecollectRetriever  # noqa: E402


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[RecollectRetriever]:
        return RecollectRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        memory = recollect.open("memory://", embedder="off")
        for number in range(5):
            memory.chat(owner="u1").add("user", f"Tea number {number} is good.")
        return {"memory": memory, "owner": "u1"}

    @property
    def retriever_query_example(self) -> str:
        return "which tea is good?"
