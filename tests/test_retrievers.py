"""Adapting an application's own retriever: objects, functions, LangChain and LlamaIndex."""

from types import SimpleNamespace

import pytest

from keepsaid.errors import InvalidInput, RetrieverError
from keepsaid.ports import DocumentSnippet
from keepsaid.services.documents.retrievers import adapt_retriever


class Ours:
    def retrieve(self, question, limit):
        return [DocumentSnippet(f"{question} {number}", "guide.md", "page 3", 0.5) for number in range(limit)]


class OfLangChain:
    """Has `invoke` and returns documents."""

    def invoke(self, input, config=None, **kwargs):
        about = [{"source": "guide.pdf", "page": 3}, {"source": "guide.pdf", "page": 3, "page_label": "iv"}, {}]
        return [SimpleNamespace(page_content=input, metadata=each, id="1") for each in about]


class OfLlamaIndex:
    """Has `retrieve` without a limit, and returns nodes with scores."""

    def retrieve(self, str_or_query_bundle):
        node = SimpleNamespace(
            get_content=lambda: str_or_query_bundle, metadata={"file_name": "guide.md", "section": "Backup"}
        )
        return [SimpleNamespace(node=node, score=0.75), SimpleNamespace(node=node, score=None)]


def test_native_retriever_is_used_unchanged():
    assert adapt_retriever(Ours()).retrieve("tea", 2) == [
        DocumentSnippet("tea 0", "guide.md", "page 3", 0.5),
        DocumentSnippet("tea 1", "guide.md", "page 3", 0.5),
    ]


def test_langchain_retriever_is_adapted():
    assert adapt_retriever(OfLangChain()).retrieve("tea", 9) == [
        DocumentSnippet("tea", "guide.pdf", "page 3"),
        DocumentSnippet("tea", "guide.pdf", "page iv"),
        DocumentSnippet("tea", ""),
    ]


def test_llamaindex_retriever_is_adapted():
    assert adapt_retriever(OfLlamaIndex()).retrieve("tea", 9) == [
        DocumentSnippet("tea", "guide.md", "Backup", 0.75),
        DocumentSnippet("tea", "guide.md", "Backup", 0.0),
    ]


@pytest.mark.parametrize(
    ("answer", "snippet"),
    [
        ("tea", DocumentSnippet("tea", "")),
        (("tea", "guide.md"), DocumentSnippet("tea", "guide.md")),
        (
            {"text": "tea", "source": "guide.md", "place": "§ Tea", "score": 1},
            DocumentSnippet("tea", "guide.md", "§ Tea", 1.0),
        ),
        ({"content": "tea", "metadata": {"url": "guide.html", "page": 0}}, DocumentSnippet("tea", "guide.html", "page 0")),
    ],
)
def test_function_retriever_is_adapted(answer, snippet):
    assert adapt_retriever(lambda question: [answer]).retrieve("tea", 3) == [snippet]
    assert adapt_retriever(lambda question: iter([answer, "", " ", answer])).retrieve("tea", 3) == [snippet, snippet]


def test_results_of_endless_retriever_are_limited():
    def endless(question):
        while True:
            yield "tea"

    assert len(adapt_retriever(endless).retrieve("tea", 2)) == 2
    assert adapt_retriever(lambda question: []).retrieve("tea", 2) == []


def fails(question):
    raise KeyError("no index")


def fails_late(question):
    yield "tea"
    raise KeyError("no index")


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (fails, "the retriever failed: KeyError: 'no index'"),
        (fails_late, "the retriever failed: KeyError: 'no index'"),
        (lambda question: "one text", "a single answer"),
        (lambda question: {"text": "tea"}, "a single answer"),
        (lambda question: None, "the retriever failed: TypeError"),
        (lambda question: [5], "neither `page_content` nor"),
        (lambda question: [{"source": "guide.md", "text": 5}], "must be a string"),
        (lambda question: [("tea",)], "not a text with a source"),
        (lambda question: ["half \ud800 a pair"], "surrogate"),
        (lambda question: [{"text": "tea", "score": "good"}], "not a text with a source"),
    ],
)
def test_retriever_failures_raise_retriever_error(asked, what):
    with pytest.raises(RetrieverError, match=what):
        adapt_retriever(asked).retrieve("tea", 3)


@pytest.mark.parametrize("anything", [None, "a name", 5, object()])
def test_object_that_is_no_retriever_is_refused(anything):
    with pytest.raises(InvalidInput, match="is not a retriever"):
        adapt_retriever(anything)
